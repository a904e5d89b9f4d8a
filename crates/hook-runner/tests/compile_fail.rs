//! What is not a hook does not compile, and the compiler says why in our words.

#[test]
fn what_is_not_a_hook_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

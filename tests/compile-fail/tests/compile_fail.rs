//! What is not a hook, and answers that an event does not honour, do not compile; and the compiler says why
//! in our words.

#[test]
fn what_must_not_compile_does_not_and_the_compiler_says_why() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

//! Illegal answers do not compile, and the compiler says why in our words.

#[test]
fn an_answer_that_the_event_does_not_honour_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

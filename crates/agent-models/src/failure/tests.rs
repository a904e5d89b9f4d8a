//! What services really say, and what it means.

use super::*;

fn error(status: u16, body: &str) -> ModelError {
    let status = Some(status);
    Refusal {
        status,
        body,
        ..Refusal::default()
    }
    .error()
}

/// Status, body, what it means, and whether it may pass.
const ANSWERS: &[(u16, &str, Trouble, bool)] = &[
    // Anthropic
    (
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        Trouble::BadKey,
        false,
    ),
    (
        403,
        r#"{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission"}}"#,
        Trouble::NotAllowed,
        false,
    ),
    (
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-nope"}}"#,
        Trouble::NoSuchModel,
        false,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 1 + 2 > 2"}}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
        Trouble::Unpaid,
        false,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: Field required"}}"#,
        Trouble::BadRequest,
        false,
    ),
    (
        413,
        r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        429,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}"#,
        Trouble::RateLimited,
        true,
    ),
    (
        500,
        r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
        Trouble::ServiceFailed,
        true,
    ),
    (
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        Trouble::Overloaded,
        true,
    ),
    // OpenAI
    (
        401,
        r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        Trouble::BadKey,
        false,
    ),
    (
        404,
        r#"{"error":{"message":"The model `gpt-nope` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        Trouble::NoSuchModel,
        false,
    ),
    (
        400,
        r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        429,
        r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        Trouble::Unpaid,
        false,
    ),
    (
        429,
        r#"{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
        Trouble::RateLimited,
        true,
    ),
    (
        403,
        r#"{"error":{"message":"Your organization must be verified to use the model","type":"invalid_request_error","param":null,"code":null}}"#,
        Trouble::NotAllowed,
        false,
    ),
    // Ollama, vLLM, llama.cpp
    (
        404,
        r#"{"error":{"message":"model \"nope\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#,
        Trouble::NoSuchModel,
        false,
    ),
    (
        404,
        r#"{"object":"error","message":"The model `nope` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
        Trouble::NoSuchModel,
        false,
    ),
    (
        400,
        r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 9000 tokens","type":"BadRequestError","code":400}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
        Trouble::ContextTooLong,
        false,
    ),
    (
        503,
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        Trouble::Overloaded,
        true,
    ),
    // Whoever stands between
    (
        502,
        "<html><body>Bad gateway</body></html>",
        Trouble::ServiceFailed,
        true,
    ),
    (404, "404 page not found", Trouble::BadRequest, false),
    (408, "", Trouble::BadRequest, true),
    (501, "", Trouble::ServiceFailed, false),
    (429, "", Trouble::RateLimited, true),
    (302, "", Trouble::BadRequest, false),
    (401, r#"{"error":"no"}"#, Trouble::BadKey, false),
    (
        500,
        r#"{"error":{"message":"the worker died: prompt is too long a word"}}"#,
        Trouble::ServiceFailed,
        true,
    ),
];

#[test]
fn every_answer_means_one_trouble() {
    for (status, body, trouble, transient) in ANSWERS {
        let error = error(*status, body);
        assert_eq!(error.trouble, Some(*trouble), "{status} {body}");
        assert_eq!(error.transient, *transient, "{status} {body}");
    }
}

#[test]
fn what_the_service_said_is_told_with_its_status() {
    let told = |status, body| error(status, body).message;
    assert_eq!(
        told(404, r#"{"error": {"message": "model:\n nope"}}"#),
        "model: nope [status 404]"
    );
    assert_eq!(
        told(418, r#"{"error": "a teapot"}"#),
        "a teapot [status 418]"
    );
    assert_eq!(told(418, r#"{"detail": "short"}"#), "short [status 418]");
    assert_eq!(told(500, ""), "status 500, and no word more");
    let long = told(500, &"x".repeat(10_000));
    assert!(long.len() < 600, "{}", long.len());
}

#[test]
fn stop_failure_has_finer_words_for_some() {
    for (body, kind) in [
        (
            "OAuth authentication is currently not allowed for this organization.",
            StopError::OauthOrgNotAllowed,
        ),
        (
            "Your organization must be verified to use the model",
            StopError::VerificationRequired,
        ),
        ("This account is on hold.", StopError::AccountOnHold),
        ("no", StopError::AuthenticationFailed),
    ] {
        assert_eq!(error(403, body).kind, kind, "{body}");
    }
}

#[test]
fn the_service_may_say_itself_whether_it_wants_to_be_asked_again() {
    let mut refusal = Refusal {
        status: Some(429),
        wait: Some(Duration::from_secs(7)),
        ..Refusal::default()
    };
    assert_eq!(refusal.error().retry_after, Some(Duration::from_secs(7)));
    refusal.again = Some(false);
    assert!(!refusal.error().transient);
    assert_eq!(refusal.error().retry_after, None);
}

//! What is sent, and where it never goes.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use hook_http::{HttpHook, Network};
use hook_runner::{Cancellation, Handler, HookContext, HookSet, Input, Runner, Session};
use hook_types::{Decision, HookEvent, HookInfo, HookKind, PreToolUse, Status};
use process_tree::Environment;
use serde_json::{Value, json};
use support::{AMPLE, DENY, Server, call, fire, hook, only, response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

fn environment() -> Environment {
    let variables = [("TOKEN", "t-1"), ("OTHER", "o-1"), ("EVIL", "a\r\nx: y")];
    variables.into_iter().collect()
}

/// The value of a header of a request.
fn header(request: &str, name: &str) -> Option<String> {
    let (head, _) = request.split_once("\r\n\r\n")?;
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.map(str::to_owned)
}

#[tokio::test]
async fn the_event_is_posted_word_for_word_as_commands_read_it() {
    let server = Server::answering(200, "{}").await;
    let input = Arc::new(Input::new(HookEvent::from(call())));
    let context = HookContext::standalone(
        HookInfo::new("h", HookKind::Other("http".into())),
        Session::default(),
        AMPLE,
    );
    server.hook().handle(Arc::clone(&input), &context).await;

    let asked = server.asked();
    let (head, body) = asked[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /hook HTTP/1.1\r\n"), "{head}");
    assert_eq!(
        header(&asked[0], "content-type").as_deref(),
        Some("application/json")
    );
    assert_eq!(body, input.json());
    let sent: Value = serde_json::from_str(body).unwrap();
    assert_eq!(sent["hook_event_name"], json!("PreToolUse"));
    assert_eq!(sent["tool_input"], json!({"command": "make"}));
}

#[tokio::test]
async fn headers_hold_the_variables_that_are_allowed_and_no_others() {
    let server = Server::answering(200, "{}").await;
    let network = Network::new(environment());
    let hook = server
        .hook()
        .network(&network)
        .header("Authorization", "Bearer $TOKEN")
        .unwrap()
        .header("X-Both", "${TOKEN}/${OTHER}/$UNSET")
        .unwrap()
        .header("X-Plain", "5$ a day")
        .unwrap()
        .allow_variables(["TOKEN", "UNSET"]);
    fire(hook, call()).await;
    let asked = &server.asked()[0];
    assert_eq!(
        header(asked, "authorization").as_deref(),
        Some("Bearer t-1")
    );
    assert_eq!(header(asked, "x-both").as_deref(), Some("t-1//"));
    assert_eq!(header(asked, "x-plain").as_deref(), Some("5$ a day"));
}

#[tokio::test]
async fn the_list_of_the_settings_narrows_the_list_of_the_hook() {
    let server = Server::answering(200, "{}").await;
    let network = Network::new(environment()).variables(["OTHER"]);
    let hook = server
        .hook()
        .network(&network)
        .header("X", "$TOKEN|$OTHER")
        .unwrap();
    fire(hook.clone().allow_variables(["TOKEN"]), call()).await;
    fire(hook.allow_variables(["TOKEN", "OTHER"]), call()).await;
    let sent: Vec<_> = server
        .asked()
        .iter()
        .map(|asked| header(asked, "x"))
        .collect();
    assert_eq!(sent, [Some("|".to_owned()), Some("|o-1".to_owned())]);
}

#[tokio::test]
async fn a_variable_cannot_add_a_header() {
    let server = Server::answering(200, "{}").await;
    let hook = server.hook().network(&Network::new(environment()));
    let hook = hook.header("X", "$EVIL").unwrap().allow_variables(["EVIL"]);
    let fired = fire(hook, call()).await;
    let Status::LaunchFailed(why) = &only(&fired).reply.status else {
        panic!("{:?}", only(&fired));
    };
    assert!(why.contains("`X`") && !why.contains("x: y"), "{why}");
    assert!(server.asked().is_empty());
}

#[test]
fn what_cannot_be_sent_is_said_when_the_hook_is_made() {
    let made = HttpHook::new("http://a.test/").unwrap();
    for (name, value) in [
        ("two words", "x"),
        ("x", "a\nb"),
        ("Host", "b.test"),
        ("content-length", "1"),
    ] {
        assert!(made.clone().header(name, value).is_err(), "{name}");
    }
    for url in ["", "/hook", "ftp://a.test/", "http://"] {
        assert!(HttpHook::new(url).is_err(), "{url}");
    }
}

#[tokio::test]
async fn a_url_that_is_not_on_the_list_is_not_asked() {
    let server = Server::answering(200, DENY).await;
    let near = format!("http://{}/*", server.address);
    for (patterns, asked) in [
        (vec![], 0),
        (vec!["https://*"], 0),
        (vec!["https://*", &near], 1),
    ] {
        let network = Network::new(Environment::empty()).urls(patterns);
        let fired = fire(server.hook().network(&network), call()).await;
        assert_eq!(server.asked().len(), asked);
        let refused = matches!(only(&fired).reply.status, Status::LaunchFailed(_));
        assert_eq!(refused, asked == 0, "{:?}", only(&fired));
    }
}

#[tokio::test]
async fn link_local_and_metadata_addresses_are_not_asked_however_they_are_spelt() {
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.254.43518/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://metadata.google.internal/",
        "http://METADATA.google.internal./",
        "http://user@169.254.169.254/",
    ] {
        let fired = fire(hook(url), call()).await;
        let Status::LaunchFailed(why) = &only(&fired).reply.status else {
            panic!("{url}: {:?}", only(&fired));
        };
        assert!(why.contains("allowedHttpHookAddresses"), "{url}: {why}");
    }
}

#[tokio::test]
async fn a_redirect_on_the_same_host_takes_the_event_along() {
    let server = Server::doing(|mut stream, asked| async move {
        let said = if asked.starts_with("POST /hook ") {
            "HTTP/1.1 307 X\r\nlocation: /moved\r\ncontent-length: 0\r\n\r\n".to_owned()
        } else {
            response(200, DENY)
        };
        let _ = stream.write_all(said.as_bytes()).await;
    });
    let server = server.await;
    let hook = server.hook().header("Authorization", "Bearer x").unwrap();
    let fired = fire(hook, call()).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].starts_with("POST /moved "), "{}", asked[1]);
    assert_eq!(
        header(&asked[1], "authorization").as_deref(),
        Some("Bearer x")
    );
    let body = |asked: &str| {
        asked
            .split_once("\r\n\r\n")
            .map(|(_, body)| body.to_owned())
    };
    assert_eq!(body(&asked[0]), body(&asked[1]));
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let other = Server::answering(200, DENY).await;
    for status in [301, 302, 303, 307, 308] {
        // Another port is another host's, too.
        for location in [
            other.url("/x"),
            other.url("/x").replace("127.0.0.1", "localhost"),
        ] {
            let said =
                format!("HTTP/1.1 {status} X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
            let fired = fire(Server::saying(said).await.hook(), call()).await;
            assert!(
                matches!(only(&fired).reply.status, Status::Failed(_)),
                "{:?}",
                only(&fired)
            );
            assert_eq!(fired.outcome.decision, Decision::Pass);
        }
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn a_redirect_does_not_lead_off_the_list() {
    let server =
        Server::saying("HTTP/1.1 307 X\r\nlocation: /secret\r\ncontent-length: 0\r\n\r\n").await;
    let network = Network::new(Environment::empty()).urls([server.url("/hook")]);
    let fired = fire(server.hook().network(&network), call()).await;
    let Status::Failed(why) = &only(&fired).reply.status else {
        panic!("{:?}", only(&fired));
    };
    assert!(why.contains("allowedHttpHookUrls"), "{why}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_loop_of_redirects_ends() {
    let server =
        Server::saying("HTTP/1.1 308 X\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n").await;
    let fired = fire(server.hook(), call()).await;
    assert!(
        matches!(only(&fired).reply.status, Status::Failed(_)),
        "{:?}",
        only(&fired)
    );
    assert_eq!(server.asked().len(), 5);
}

#[tokio::test]
async fn a_cancelled_firing_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (arrived, arrives) = oneshot::channel();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        support::request(&mut stream).await;
        arrived.send(()).unwrap();
        stream.read(&mut [0; 8]).await
    });
    let hooks = HookSet::builder()
        .hook::<PreToolUse>("", hook(&url))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let cancellation = Cancellation::new();
    let firing = runner.fire_until(call().into(), Some(cancellation.clone()));
    let cancelling = async {
        arrives.await.unwrap();
        cancellation.cancel();
    };
    let (fired, ()) = tokio::join!(firing, cancelling);
    assert_eq!(only(&fired).reply.status, Status::Cancelled);
    // The end of the stream, or a reset: in any case the server hears of it.
    let heard = tokio::time::timeout(AMPLE, server).await.unwrap().unwrap();
    assert!(matches!(heard, Ok(0) | Err(_)), "{heard:?}");
}

#[tokio::test]
async fn hooks_that_ask_the_same_are_the_same_and_others_are_not() {
    let base = || HttpHook::new("http://a.test/x").unwrap();
    let full = || base().header("A", "$B").unwrap().allow_variables(["B"]);
    assert_eq!(full().identity(), full().identity());
    let others = [
        base(),
        HttpHook::new("http://a.test/y").unwrap(),
        base().header("A", "$C").unwrap().allow_variables(["B"]),
        base().header("A", "$B").unwrap(),
        full().dialect(hook_shell::Dialect::Hookline),
    ];
    for other in others {
        assert_ne!(other.identity(), full().identity(), "{other:?}");
    }
}

#[test]
fn what_is_shown_of_a_hook_says_what_it_sends_and_no_secret() {
    let network = Network::new(environment());
    let hook = HttpHook::new("http://me:secret@a.test/x?key=secret")
        .unwrap()
        .network(&network);
    let hook = hook
        .header("Authorization", "Bearer $TOKEN")
        .unwrap()
        .header("X", "$OTHER")
        .unwrap();
    let hook = hook
        .allow_variables(["TOKEN"])
        .timeout(Duration::from_secs(1));
    let shown = hook.describe();
    assert_eq!(shown.summary, "POST http://a.test/x");
    let details: Vec<String> = shown
        .details
        .iter()
        .map(|(name, told)| format!("{name}: {told}"))
        .collect();
    assert_eq!(
        details,
        [
            "headers: Authorization X",
            "variables: TOKEN",
            "variables that stay empty: OTHER"
        ]
    );
    let debug = format!("{hook:?}");
    assert!(
        !debug.contains("secret") && !debug.contains("t-1"),
        "{debug}"
    );
}

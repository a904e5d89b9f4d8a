//! What goes wrong on the way: every fault is an error of its own kind, ends the turn with `StopFailure`
//! and never with `Stop`, and says where it happened and what would help.

use std::time::Duration;

use agent_loop::{Ending, ModelEvent, ModelRequest, StopReason, Trouble};
use serde_json::json;

use crate::server::{Answer, Server};
use crate::stage::{error, once, turn};
use crate::wire::{BOTH, Kind, Reply};

/// A turn of one request, which fails.
async fn fails(kind: Kind, answer: Answer, trouble: Trouble) -> String {
    let server = Server::answering([answer]).await;
    let (result, heard) = turn(kind.model(&server.address, |_| ()), once()).await;
    let error = error(&result);
    assert_eq!(error.trouble, Some(trouble), "{kind:?}: {error}");
    assert!(
        heard.stop_failure(trouble.kind().as_str()),
        "{:?}",
        heard.all()
    );
    let place = error.place.clone().unwrap();
    assert!(
        place.contains(&server.address) && place.contains(kind.name()),
        "{place}"
    );
    assert!(
        error
            .remedy
            .as_ref()
            .is_some_and(|remedy| !remedy.is_empty()),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("sk-secret"), "{error:?}");
    assert_eq!(server.received().len(), 1);
    error.to_string()
}

#[tokio::test]
async fn a_stream_that_is_cut_in_the_middle_is_no_reply() {
    for kind in BOTH {
        let events = kind.events(&Reply::say("all is well with us"));
        for framed in [true, false] {
            let half = Answer::begin().send(&events[..4]);
            let half = if framed { half } else { half.unframed() };
            let told = fails(kind, half, Trouble::StreamCut).await;
            assert!(told.contains("ended in the middle"), "{told}");
        }
        // Even where only the last word is missing, after which a client might think it is done.
        let words_only = events.len() - if kind == Kind::OpenAi { 3 } else { 1 };
        fails(
            kind,
            Answer::stream(&events[..words_only]),
            Trouble::StreamCut,
        )
        .await;
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_an_error() {
    for (kind, trouble) in [
        (Kind::Anthropic, Trouble::Overloaded),
        (Kind::OpenAi, Trouble::ServiceFailed),
    ] {
        let mut events = kind.events(&Reply::say("half a"))[..4].to_vec();
        events.push(kind.error_event());
        fails(kind, Answer::stream(events), trouble).await;
    }
}

#[tokio::test]
async fn malformed_json_is_an_error() {
    for kind in BOTH {
        let mut events = kind.events(&Reply::say("half a"))[..3].to_vec();
        events.push("data: {\"type\": \"content_block_delta\", \"choi\n\n".to_owned());
        let told = fails(kind, Answer::stream(events), Trouble::BadReply).await;
        assert!(told.contains("broken JSON"), "{told}");
    }
}

#[tokio::test]
async fn a_page_in_the_place_of_a_stream_is_an_error() {
    for kind in BOTH {
        for media in ["text/html", "application/json"] {
            let page = Answer::error("200 OK", &json!("hello")).header("content-type", media);
            let told = fails(kind, page, Trouble::BadReply).await;
            assert!(told.contains("BASE_URL"), "{told}");
        }
    }
}

#[tokio::test]
async fn a_bad_key_an_unknown_model_and_too_long_a_conversation_are_told_apart() {
    for kind in BOTH {
        let troubles = [
            (Trouble::BadKey, "_API_KEY"),
            (Trouble::NoSuchModel, "/v1/models"),
            (Trouble::ContextTooLong, "HOOKLINE_CONTEXT_WINDOW"),
        ];
        for ((status, body), (trouble, remedy)) in kind.refusals().iter().zip(troubles) {
            let told = fails(kind, Answer::error(status, body), trouble).await;
            assert!(told.contains(remedy), "{told}");
            assert!(!told.contains("sk-secret"), "{told}");
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    for kind in BOTH {
        let gone = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            format!("http://{}", listener.local_addr().unwrap())
        };
        let (result, heard) = turn(kind.model(&gone, |_| ()), once()).await;
        let error = error(&result);
        assert_eq!(error.trouble, Some(Trouble::Unreachable), "{error}");
        assert!(
            error.to_string().contains(&gone) && error.transient,
            "{error}"
        );
        assert!(heard.stop_failure("server_error"), "{:?}", heard.all());
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_tells_where_it_points() {
    for kind in BOTH {
        let moved = Answer::error("307 Temporary Redirect", &json!({}));
        let moved = moved.header("location", "http://127.0.0.1:9/elsewhere");
        let told = fails(kind, moved, Trouble::BadRequest).await;
        assert!(told.contains("127.0.0.1:9/elsewhere"), "{told}");
    }
}

#[tokio::test]
async fn a_slow_start_is_waited_for_and_one_that_is_too_slow_is_not() {
    for kind in BOTH {
        let events = kind.events(&Reply::say("at last"));
        let slow = Answer::stream(&events).after(Duration::from_millis(300));
        let server = Server::answering([slow]).await;
        let (result, _) = turn(kind.model(&server.address, |_| ()), once()).await;
        assert_eq!(
            (result.ending, result.text.as_str()),
            (Ending::Finished, "at last")
        );

        for answer in [
            Answer::nothing().hang(),
            Answer::begin().send(&events[..3]).hang(),
        ] {
            let server = Server::answering([answer]).await;
            let model = kind.model(&server.address, |settings| {
                settings.patience.start = Duration::from_millis(300);
                settings.patience.silence = Duration::from_millis(300);
            });
            let (result, heard) = turn(model, once()).await;
            assert_eq!(error(&result).trouble, Some(Trouble::TimedOut));
            assert!(heard.stop_failure("server_error"));
            server.closed().await;
        }
    }
}

#[tokio::test]
async fn a_call_in_twenty_pieces_is_one_call() {
    let input = json!({"command": "printf 'ein Stück, noch ein Stück → fertig'", "timeout": 5_000});
    for kind in BOTH {
        let mut reply = Reply::say("I run it.").call("call_1", "Bash", input.clone());
        reply.pieces = 20;
        let events = kind.events(&reply);
        assert!(events.len() > 24);
        // Neither where events end nor where characters end means anything on the wire.
        let bytes = events.concat();
        let cut: Vec<String> = bytes
            .chars()
            .collect::<Vec<_>>()
            .chunks(7)
            .map(|part| part.iter().collect())
            .collect();
        for answer in [Answer::stream(&events), Answer::stream(&cut)] {
            let server = Server::answering([answer]).await;
            let model = kind.model(&server.address, |_| ());
            let mut stream = model.stream(ModelRequest::default()).await.unwrap();
            let mut calls = Vec::new();
            let mut stop = None;
            while let Some(piece) = stream.next().await {
                match piece.unwrap() {
                    ModelEvent::ToolCall(call) => calls.push(call),
                    ModelEvent::Stop(reason) => stop = Some(reason),
                    ModelEvent::Text(_) | ModelEvent::Usage(_) | _ => {}
                }
            }
            assert_eq!(calls.len(), 1);
            assert_eq!((calls[0].id.as_str(), &calls[0].input), ("call_1", &input));
            assert_eq!(stop, Some(StopReason::ToolUse));
        }
    }
}

#[tokio::test]
async fn dropping_a_reply_in_the_middle_closes_the_connection() {
    for kind in BOTH {
        let events = kind.events(&Reply::say("one two three"));
        let server = Server::answering([Answer::begin().send(&events[..4]).hang()]).await;
        let model = kind.model(&server.address, |_| ());
        let mut stream = model.stream(ModelRequest::default()).await.unwrap();
        assert!(matches!(stream.next().await, Some(Ok(ModelEvent::Text(_)))));
        drop(stream);
        server.closed().await;

        let server = Server::answering([Answer::nothing().hang()]).await;
        let model = kind.model(&server.address, |_| ());
        let asked =
            tokio::spawn(async move { model.stream(ModelRequest::default()).await.map(drop) });
        while server.received().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        asked.abort();
        server.closed().await;
    }
}

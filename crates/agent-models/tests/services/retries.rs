//! What is asked again, when, and what is not.

use std::time::{Duration, Instant, SystemTime};

use agent_loop::{Ending, Limits, Trouble};
use serde_json::json;

use crate::server::{Answer, Server};
use crate::stage::{error, turn};
use crate::wire::{BOTH, Kind, Reply};

fn busy(status: &str) -> Answer {
    Answer::error(status, &json!({"error": {"message": "not now"}}))
}

fn well(kind: Kind) -> Answer {
    Answer::stream(kind.events(&Reply::say("all is well")))
}

#[tokio::test]
async fn a_service_that_says_when_is_asked_again_then_and_not_before() {
    for kind in BOTH {
        let soon = SystemTime::now() + Duration::from_secs(3);
        let date = httpdate::fmt_http_date(soon);
        for (wait, least) in [("1", 1_000), ("0.7", 700), (date.as_str(), 1_000)] {
            let later = busy("429 Too Many Requests").header("retry-after", wait);
            let server = Server::answering([later, well(kind)]).await;
            let began = Instant::now();
            let (result, heard) =
                turn(kind.model(&server.address, |_| ()), Limits::default()).await;
            assert_eq!(result.ending, Ending::Finished, "{wait}");
            let least = if wait == date {
                Duration::ZERO
            } else {
                Duration::from_millis(least)
            };
            assert!(began.elapsed() >= least, "{wait}: {:?}", began.elapsed());
            assert!(wait != date || SystemTime::now() >= soon - Duration::from_secs(1));
            assert_eq!(server.received().len(), 2);
            let heard = heard.all();
            assert!(
                heard[0].starts_with("Error rate_limit; asked again in"),
                "{heard:?}"
            );
            assert_eq!(
                heard[1..],
                ["Stop"],
                "one failure that passed is no failure of the turn"
            );
        }
    }
}

#[tokio::test]
async fn the_same_request_is_sent_again_whatever_the_passing_trouble_is() {
    for kind in BOTH {
        let cut = Answer::begin().send(&kind.events(&Reply::say("x"))[..1]);
        for first in [
            busy("429 Too Many Requests"),
            busy("500 Internal Server Error"),
            busy("502 Bad Gateway"),
            busy("503 Service Unavailable"),
            busy("529 Overloaded"),
            Answer::nothing(),
            Answer::stream([kind.error_event()]),
            cut,
        ] {
            let server = Server::answering([first.clone(), well(kind)]).await;
            let (result, _) = turn(kind.model(&server.address, |_| ()), Limits::default()).await;
            assert_eq!(result.ending, Ending::Finished, "{first:?}");
            let received = server.received();
            assert_eq!(received.len(), 2, "{first:?}");
            assert_eq!(received[0].body, received[1].body);
        }
    }
}

#[tokio::test]
async fn what_will_not_pass_is_not_asked_again() {
    for kind in BOTH {
        let mut answers: Vec<Answer> = kind
            .refusals()
            .iter()
            .map(|(status, body)| Answer::error(status, body))
            .collect();
        answers.push(busy("400 Bad Request"));
        answers.push(busy("503 Service Unavailable").header("x-should-retry", "false"));
        answers.push(busy("429 Too Many Requests").header("retry-after", "3600"));
        for answer in answers {
            let server = Server::answering([answer.clone(), well(kind)]).await;
            let (result, _) = turn(kind.model(&server.address, |_| ()), Limits::default()).await;
            assert!(matches!(result.ending, Ending::Failed(_)), "{answer:?}");
            assert_eq!(server.received().len(), 1, "{answer:?}");
        }
    }
}

#[tokio::test]
async fn nothing_is_asked_again_once_somebody_has_seen_a_part_of_the_reply() {
    for kind in BOTH {
        let events = kind.events(&Reply::say("half of it is there"));
        let cut = Answer::begin().send(&events[..5]);
        let server = Server::answering([cut, well(kind)]).await;
        let (result, heard) = turn(kind.model(&server.address, |_| ()), Limits::default()).await;
        assert_eq!(error(&result).trouble, Some(Trouble::StreamCut));
        assert_eq!(server.received().len(), 1);
        assert!(heard.stop_failure("server_error"));
    }
}

#[tokio::test]
async fn it_is_not_asked_for_ever() {
    for kind in BOTH {
        let limits = Limits {
            retries: 2,
            ..Limits::default()
        };
        let answers = (0..9).map(|_| busy("529 Overloaded").header("retry-after", "0"));
        let server = Server::answering(answers).await;
        let (result, heard) = turn(kind.model(&server.address, |_| ()), limits).await;
        assert_eq!(error(&result).trouble, Some(Trouble::Overloaded));
        assert_eq!(server.received().len(), 3);
        assert!(heard.stop_failure("overloaded"));
    }
}

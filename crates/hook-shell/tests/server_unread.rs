//! A server that lives and does not read.
//!
//! Alone in its program: a process that another test starts holds the pipe's other end too, from its copy
//! of this process until it becomes its program. A request that is sent in that moment is taken for sent,
//! and costs its deadline.

#![cfg(unix)]

use hook_types::Status;
use servers_support::{Fixture, ask};

mod servers_support;

#[tokio::test]
async fn one_that_dies_before_it_reads_is_started_once_more_for_the_request_it_never_saw() {
    let fixture = Fixture::new();
    // Reads no more after its first answer.
    let hook = fixture.server(
        r#"IFS= read -r line; exec <&-; id=${line#'{"id":'}; id=${id%%,*}
           echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}"; sleep 60"#,
    );
    for _ in 0..3 {
        let reply = ask(&hook, "make").await;
        assert_eq!(reply.status, Status::Answered, "{reply:?}");
    }
    assert_eq!(fixture.starts(), 3);
}

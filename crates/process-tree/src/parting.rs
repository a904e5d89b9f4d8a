//! A command that exited by itself: what it left running is noted, then it is reaped.
//!
//! Reading all of `/proc` after every command would cost more than the command. Process numbers
//! are handed out in turn, so when none was handed out since the command's own, it started
//! nothing; when few were, only those are looked at. Otherwise its group or a pipe that is
//! still held gives away what is left. A command that took long can afford the full look.

use std::time::Duration;

use rustix::process::test_kill_process_group;
use tokio::task::spawn_blocking;

use crate::{
    Leftovers,
    descend::Snapshot,
    kill::{Quarry, Status, Tree},
    os,
    unsafe_calls::session_of,
};

/// Up to this many newer numbers are looked at one by one.
const FEW: i32 = 64;
/// Of these, so many may be in sessions as new as themselves and are asked for their marker,
/// which is dear.
const STRANGERS: usize = 4;

/// A command that took this long can afford a look at everybody.
const LONG: Duration = Duration::from_millis(200);

/// Reaps the command; how it ended, and what it left. `held` says that a pipe is still open.
///
/// Until this returns the tree stays in its guard: a caller that is dropped kills it.
pub(crate) async fn let_go(tree: &mut Tree, held: bool, lasted: Duration) -> (Status, Leftovers) {
    let Some(quarry) = tree.quarry() else {
        return (Status::Lost, Leftovers::default());
    };
    let look = look(quarry, held, lasted);
    let mut found = Vec::new();
    if look == Look::Everywhere {
        found = quarry.members(&mut everybody().await);
    }
    // The watchdog forgets the group before its number is free.
    quarry.watched = None;
    let status = quarry
        .leader
        .as_ref()
        .and_then(os::Leader::reap)
        .unwrap_or(Status::Lost);
    if look == Look::Unsure && has_group(quarry) {
        found = quarry.members(&mut everybody().await);
    }
    let left = Leftovers::new(quarry.marker(), found);
    drop(tree.take());
    (status, left)
}

/// Where to look for what a command left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Nowhere,
    Everywhere,
    /// Only its group can tell.
    Unsure,
}

/// Reading all of `/proc` takes milliseconds, so it is done on a thread that may block.
async fn everybody() -> Snapshot {
    spawn_blocking(Snapshot::take).await.unwrap_or_default()
}

fn look(quarry: &Quarry, held: bool, lasted: Duration) -> Look {
    if held {
        return Look::Everywhere;
    }
    match (quarry.leader_number(), os::newest_pid()) {
        (Some(own), Some(newest)) if newest == own => Look::Nowhere,
        (Some(_), Some(_)) if lasted >= LONG => Look::Everywhere,
        (Some(own), Some(newest)) if newest > own && newest - own <= FEW => {
            look_among(quarry, own, newest)
        }
        _ => Look::Unsure,
    }
}

/// Looks at the processes that are newer than the command. Who left its session did so for one
/// that is newer too, so everybody in an older session is a stranger.
fn look_among(quarry: &Quarry, own: i32, newest: i32) -> Look {
    let mut suspects = Vec::with_capacity(STRANGERS);
    for pid in own + 1..=newest {
        match session_of(pid) {
            Some(session) if session == own => return Look::Everywhere,
            Some(session) if session > own => suspects.push(pid),
            Some(_) | None => {}
        }
        if suspects.len() > STRANGERS {
            return Look::Unsure;
        }
    }
    let mut snapshot = Snapshot::default();
    let ours = |pid| {
        snapshot
            .marker(pid)
            .is_some_and(|value| quarry.marker().owns(value))
    };
    if suspects.into_iter().any(ours) {
        Look::Everywhere
    } else {
        Look::Nowhere
    }
}

/// With the command reaped, its group exists only if somebody else is in it.
fn has_group(quarry: &Quarry) -> bool {
    let leader = quarry.leader.as_ref();
    leader.is_some_and(|leader| test_kill_process_group(leader.pid()).is_ok())
}

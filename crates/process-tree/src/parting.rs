//! A command that exited by itself: what it left running is noted, then it is reaped.
//!
//! Reading all of `/proc` after every command would cost more than the command. Process numbers
//! are handed out in turn, so when none was handed out since the command's own, it started
//! nothing; when few were, only those are looked at. Otherwise its group or a pipe that is
//! still held gives away what is left. A command that took long can afford the full look.

use std::time::Duration;

use rustix::process::test_kill_process_group;
use tokio::sync::oneshot;

use crate::{
    Leftovers,
    descend::{Process, Snapshot},
    kill::{Quarry, Status, Tree},
    os, pool,
    unsafe_calls::session_of,
};

/// Up to this many newer numbers are looked at one by one.
const FEW: i32 = 64;
/// Of these, so many may be in sessions as new as themselves and are asked for their marker,
/// which is dear.
const STRANGERS: usize = 4;

/// A command that took this long can afford a look at everybody.
const LONG: Duration = Duration::from_millis(200);

/// A command that has been reaped, and what it left. If nobody takes it, what is left is killed.
#[derive(Debug)]
pub(crate) struct Parted {
    status: Status,
    left: Option<Leftovers>,
}

impl Parted {
    pub(crate) fn take(mut self) -> (Status, Leftovers) {
        (self.status, self.left.take().unwrap_or_default())
    }
}

impl Drop for Parted {
    fn drop(&mut self) {
        if let Some(left) = self.left.take() {
            left.forsake();
        }
    }
}

/// [`let_go`], on a thread that may block unless there is nothing to look for.
pub(crate) async fn part(mut tree: Tree, held: bool, lasted: Duration) -> Result<Parted, Tree> {
    if !held && tree.quarry().is_some_and(|quarry| started_nothing(quarry)) {
        return reap(tree, Look::Nowhere);
    }
    let (sender, answer) = oneshot::channel();
    pool::submit(Box::new(move || {
        // When nobody waits any more, tree or leftovers die with the result.
        let _ = sender.send(let_go(tree, held, lasted));
    }));
    let lost = || {
        Ok(Parted {
            status: Status::Lost,
            left: None,
        })
    };
    answer.await.unwrap_or_else(|_| lost())
}

/// Reaps the command; how it ended, and what it left. `held` says that a pipe is still open.
///
/// Gives the tree back when the command cannot be reaped yet: one that is being debugged is the
/// debugger's to reap first.
pub(crate) fn let_go(mut tree: Tree, held: bool, lasted: Duration) -> Result<Parted, Tree> {
    let look = tree.quarry().map(|quarry| look(quarry, held, lasted));
    reap(tree, look.unwrap_or(Look::Nowhere))
}

/// As [`let_go`], for one that is known where to look for.
fn reap(mut tree: Tree, look: Look) -> Result<Parted, Tree> {
    let Some(quarry) = tree.quarry() else {
        return Ok(Parted {
            status: Status::Lost,
            left: None,
        });
    };
    if !quarry.leader_has_exited() {
        return Err(tree);
    }
    let mut found = Vec::new();
    if look == Look::Everywhere {
        found = quarry.members(&mut Snapshot::take());
    }
    // The watchdog forgets the group before its number is free.
    quarry.watched = None;
    let status = quarry
        .leader
        .as_ref()
        .and_then(os::Leader::reap)
        .unwrap_or(Status::Lost);
    if look == Look::Unsure && has_group(quarry) {
        found = left_in_group(quarry, &mut Snapshot::take());
    }
    let left = Some(Leftovers::new(quarry.marker(), found));
    drop(tree.take());
    Ok(Parted { status, left })
}

/// Where to look for what a command left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Nowhere,
    Everywhere,
    /// Only its group can tell.
    Unsure,
}

fn look(quarry: &Quarry, held: bool, lasted: Duration) -> Look {
    if held {
        return Look::Everywhere;
    }
    match (quarry.counted_from(), os::newest_pid()) {
        (Some(first), Some(newest)) if newest == first => Look::Nowhere,
        (Some(_), Some(_)) if lasted >= LONG => Look::Everywhere,
        (Some(first), Some(newest)) if newest > first && newest - first <= FEW => {
            look_among(quarry, first, newest)
        }
        _ => Look::Unsure,
    }
}

/// Whether a few calls that cannot block tell that the command has left nothing.
fn started_nothing(quarry: &Quarry) -> bool {
    match (quarry.counted_from(), os::newest_pid()) {
        (Some(first), Some(newest)) if newest >= first && newest - first <= FEW => {
            (first + 1..=newest).all(|pid| matches!(kin(quarry, first, pid), Kin::Stranger))
        }
        _ => false,
    }
}

/// What the session of a process that is newer than the command says.
enum Kin {
    Own,
    /// Who left the command's session did so for one that is newer than the command.
    Perhaps,
    Stranger,
}

fn kin(quarry: &Quarry, first: i32, pid: i32) -> Kin {
    match session_of(pid) {
        Some(session) if Some(session) == quarry.leader_number() => Kin::Own,
        Some(session) if session > first => Kin::Perhaps,
        Some(_) | None => Kin::Stranger,
    }
}

/// Looks at the processes that are newer than the command.
fn look_among(quarry: &Quarry, first: i32, newest: i32) -> Look {
    let mut suspects = Vec::with_capacity(STRANGERS);
    for pid in first + 1..=newest {
        match kin(quarry, first, pid) {
            Kin::Own => return Look::Everywhere,
            Kin::Perhaps => suspects.push(pid),
            Kin::Stranger => {}
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

/// Who is left of a command that has been reaped.
///
/// Its number is free unless somebody is still in its group or session. So when a process has that
/// number now, it is a stranger, and only the marker tells who is ours.
fn left_in_group(quarry: &mut Quarry, snapshot: &mut Snapshot) -> Vec<Process> {
    let number = quarry.leader_number();
    let taken = |process: &Process| Some(process.pid) == number;
    if snapshot.processes().iter().any(taken) {
        Quarry::of_marker(quarry.marker().clone(), &[]).members(snapshot)
    } else {
        quarry.members(snapshot)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use rustix::process::Pid;

    use super::*;
    use crate::marker::Marker;

    #[test]
    fn a_process_that_got_the_number_of_a_reaped_command_is_not_taken_for_ours() {
        let mut stranger = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let number = i32::try_from(stranger.id()).unwrap();
        let leader = os::Leader::open(Pid::from_raw(number).unwrap()).unwrap();
        let mut quarry = Quarry::of_run(leader, Marker::host().child());
        let found = left_in_group(&mut quarry, &mut Snapshot::of([number].into_iter()));
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        assert_eq!(found, []);
    }
}

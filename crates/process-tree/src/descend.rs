//! Who is running, and who started whom, read from `/proc`.

use std::{collections::HashMap, fs, io::Read, thread, time::Duration};

use crate::{marker, os};

/// More new numbers than this, and reading everything is quicker.
const MANY: i32 = 1000;

/// One process, as its `stat` file shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Clock ticks since boot. A number and a start name a process for good, for a number that
    /// is used again comes with a later start.
    pub(crate) start: u64,
    /// Not a zombie.
    pub(crate) alive: bool,
}

/// All processes at one moment, with the markers of those that were asked for theirs.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    processes: Vec<Process>,
    markers: HashMap<i32, Option<Box<[u8]>>>,
    /// The newest number when reading began: later ones may be missing.
    pub(crate) newest: Option<i32>,
}

impl Snapshot {
    /// Reads `/proc`; empty where there is none.
    pub(crate) fn take() -> Self {
        let newest = os::newest_pid();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Self {
            newest,
            ..Self::of(pids)
        }
    }

    /// Only the processes with these numbers, as far as they exist.
    pub(crate) fn of(pids: impl Iterator<Item = i32>) -> Self {
        let processes = pids.filter_map(look_at).collect();
        Self {
            processes,
            markers: HashMap::new(),
            newest: None,
        }
    }

    /// The processes that were started since this snapshot was begun; none where numbers tell
    /// nothing. Becomes everybody when there are many, or numbers began anew.
    pub(crate) fn since(&self) -> Option<Self> {
        let (before, now) = (self.newest?, os::newest_pid()?);
        match now - before {
            0 => None,
            1..=MANY => Some(Self {
                newest: Some(now),
                ..Self::of(before + 1..=now)
            }),
            _ => Some(Self::take()),
        }
    }
    pub(crate) fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// The marker a process carries; read at most once in each snapshot.
    pub(crate) fn marker(&mut self, pid: i32) -> Option<&[u8]> {
        let read = || {
            let environ = environment_of(pid)?;
            marker::value_in(&environ).map(Into::into)
        };
        self.markers.entry(pid).or_insert_with(read).as_deref()
    }
}

/// One process by its number.
pub(crate) fn look_at(pid: i32) -> Option<Process> {
    let mut text = [0; 512];
    let length = fs::File::open(format!("/proc/{pid}/stat"))
        .ok()?
        .read(&mut text)
        .ok()?;
    parse(&text[..length])
}

/// Reads a `stat` line. The second field is a name in brackets that may hold anything, even
/// brackets, so the rest is counted from the last one.
fn parse(line: &[u8]) -> Option<Process> {
    let name_start = line.iter().position(|&byte| byte == b'(')?;
    let name_end = line.iter().rposition(|&byte| byte == b')')?;
    let pid = std::str::from_utf8(&line[..name_start])
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let rest = std::str::from_utf8(&line[name_end + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().take(20).collect();
    let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
    let id = |at| number(at).and_then(|value| i32::try_from(value).ok());
    // A process whose first thread has ended looks like a zombie while others go on.
    let ended = matches!(*fields.first()?, "Z" | "X" | "x") && number(17)? <= 1;
    Some(Process {
        pid,
        parent: id(1)?,
        group: id(2)?,
        session: id(3)?,
        start: fields.get(19)?.parse().ok()?,
        alive: !ended,
    })
}

/// The environment that a process was started with.
///
/// While a process is in the middle of `exec` it seems to have none; it is looked at again, for a
/// hundredth of a second at most. One that has no program to show is a thread of the kernel.
fn environment_of(pid: i32) -> Option<Vec<u8>> {
    const LOOKS: usize = 20;
    const PAUSE: Duration = Duration::from_micros(500);
    let read = || fs::read(format!("/proc/{pid}/environ")).ok();
    for _ in 0..LOOKS {
        let environ = read()?;
        if !environ.is_empty() || fs::read_link(format!("/proc/{pid}/exe")).is_err() {
            return Some(environ);
        }
        thread::sleep(PAUSE);
    }
    read()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, state: &str, threads: u32) -> String {
        format!("42 ({name}) {state} 7 40 39 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 12345 0 0")
    }

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        let got = parse(line("a) R 1 (b", "S", 1).as_bytes()).unwrap();
        let want = Process {
            pid: 42,
            parent: 7,
            group: 40,
            session: 39,
            start: 12345,
            alive: true,
        };
        assert_eq!(got, want);
    }

    #[test]
    fn a_zombie_is_not_alive_unless_other_threads_go_on() {
        assert!(!parse(line("x", "Z", 1).as_bytes()).unwrap().alive);
        assert!(parse(line("x", "Z", 2).as_bytes()).unwrap().alive);
    }

    #[test]
    fn nonsense_is_nobody() {
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"1 (x) S 1 2"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn we_find_ourselves() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = Snapshot::take();
        let found = found
            .processes()
            .iter()
            .find(|process| process.pid == own)
            .unwrap();
        assert!(found.alive);
        assert_eq!(look_at(own).map(|process| process.start), Some(found.start));
    }
}

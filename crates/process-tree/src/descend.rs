//! Who is running, and who started whom, read from `/proc`.

use std::{
    collections::HashMap,
    fs,
    io::{self, Read},
    sync::OnceLock,
    thread,
    time::Duration,
};

use rustix::io::Errno;

use crate::{marker, os};

/// More new numbers than this, and reading everything is quicker.
const MANY: i32 = 1000;
/// How often, for all of one snapshot, a process in the middle of `exec` is looked at again.
const LOOKS: usize = 40;
const PAUSE: Duration = Duration::from_micros(500);

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
#[derive(Debug)]
pub(crate) struct Snapshot {
    processes: Vec<Process>,
    markers: HashMap<i32, Option<Box<[u8]>>>,
    /// The newest number when reading began: later ones may be missing.
    pub(crate) newest: Option<i32>,
    /// Somebody may be missing, for there was no descriptor or memory left to look with.
    pub(crate) partial: bool,
    looks: usize,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            processes: Vec::new(),
            markers: HashMap::new(),
            newest: None,
            partial: false,
            looks: LOOKS,
        }
    }
}

impl Snapshot {
    /// Reads `/proc`; empty where there is none, or none that shows our numbers.
    pub(crate) fn take() -> Self {
        if !is_ours() {
            return Self::default();
        }
        let newest = os::newest_pid();
        match fs::read_dir("/proc") {
            Ok(entries) => {
                let names = entries.flatten().map(|entry| entry.file_name());
                let pids = names.filter_map(|name| name.to_str()?.parse().ok());
                let mut taken = Self::of(pids);
                taken.newest = newest;
                taken.partial |= newest.is_none();
                taken
            }
            Err(_) => Self {
                partial: true,
                ..Self::default()
            },
        }
    }

    /// Only the processes with these numbers, as far as they exist.
    pub(crate) fn of(pids: impl Iterator<Item = i32>) -> Self {
        let mut taken = Self::default();
        for pid in pids {
            match stat(pid) {
                Ok(line) => taken.processes.extend(parse(&line)),
                Err(error) => taken.partial |= is_shortage(&error),
            }
        }
        taken
    }

    /// The processes that were started since this snapshot was begun; none where numbers tell
    /// nothing. Becomes everybody when there are many, or numbers began anew.
    pub(crate) fn since(&self) -> Option<Self> {
        let before = self.newest?;
        let Some(now) = os::newest_pid() else {
            return Some(Self {
                partial: true,
                ..Self::default()
            });
        };
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
        if !self.markers.contains_key(&pid) {
            let environ = environment_of(pid, &mut self.looks);
            self.partial |= environ.as_ref().is_err_and(is_shortage);
            let found = marker::value_in(&environ.unwrap_or_default()).map(Into::into);
            self.markers.insert(pid, found);
        }
        self.markers.get(&pid)?.as_deref()
    }
}

/// Whether `/proc` shows the numbers by which we signal. A process that was moved into a
/// namespace of its own may still see the outer one's, where every number is somebody else's.
pub(crate) fn is_ours() -> bool {
    static OURS: OnceLock<bool> = OnceLock::new();
    *OURS.get_or_init(|| {
        let own = fs::read_link("/proc/self").unwrap_or_default();
        own.as_os_str() == std::process::id().to_string().as_str()
    })
}

/// The lack is ours; it says nothing about the process.
fn is_shortage(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    [Errno::MFILE, Errno::NFILE, Errno::NOMEM]
        .map(Some)
        .contains(&errno)
}

/// One process by its number.
pub(crate) fn look_at(pid: i32) -> Option<Process> {
    parse(&stat(pid).ok().filter(|_| is_ours())?)
}

fn stat(pid: i32) -> io::Result<Vec<u8>> {
    let mut text = [0; 1024];
    let length = fs::File::open(format!("/proc/{pid}/stat"))?.read(&mut text)?;
    Ok(text[..length].to_vec())
}

/// Who was started by `pid`, and by them, and so on: as far as the parents are alive, and no
/// more than `most`. Quick, for nobody else is looked at.
pub(crate) fn below(pid: i32, most: usize) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        let children = children_of(parent);
        let room = most.saturating_sub(found.len());
        let children = children.into_iter().filter_map(look_at).take(room);
        let children: Vec<Process> = children.filter(|child| child.parent == parent).collect();
        parents.extend(children.iter().map(|child| child.pid));
        found.extend(children);
    }
    found
}

/// The children of all threads of a process.
fn children_of(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter();
    let lists = threads
        .flatten()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let numbers = list.split_ascii_whitespace();
            numbers
                .filter_map(|word| word.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
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
/// While a process is in the middle of `exec` it seems to have none, so it is looked at again,
/// as long as there are `looks` left.
fn environment_of(pid: i32, looks: &mut usize) -> io::Result<Vec<u8>> {
    let read = || fs::read(format!("/proc/{pid}/environ"));
    loop {
        let environ = read()?;
        if !environ.is_empty() || *looks == 0 {
            return Ok(environ);
        }
        if !is_in_exec(pid)? {
            // It may have come out of `exec` only now.
            return read();
        }
        *looks -= 1;
        thread::sleep(PAUSE);
    }
}

/// Whether a process that shows no environment has not got one yet: the place where it ends, the
/// 51st field of `stat`, is set when `exec` is over. A thread of the kernel never has one.
fn is_in_exec(pid: i32) -> io::Result<bool> {
    let line = stat(pid)?;
    let fields = line.rsplit(|&byte| byte == b')').next();
    let end = fields.and_then(|fields| fields.split(|&byte| byte == b' ').nth(49));
    Ok(end == Some(b"0") && fs::read_link(format!("/proc/{pid}/exe")).is_ok())
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
    fn processes_without_any_variable_do_not_hold_up_the_search() {
        let mut bare = std::process::Command::new("/bin/sleep");
        let mut bare = bare.arg("60").env_clear().spawn().unwrap();
        let pid = i32::try_from(bare.id()).unwrap();
        let mut snapshot = Snapshot::of([pid].into_iter());
        assert_eq!(snapshot.marker(pid), None);
        bare.kill().unwrap();
        bare.wait().unwrap();
        // It may have been in the middle of exec for a moment.
        assert!(snapshot.looks > LOOKS / 2, "{} looks left", snapshot.looks);
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

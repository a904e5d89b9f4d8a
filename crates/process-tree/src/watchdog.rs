//! A small process that outlives the host by a moment and ends what the host can no longer end.
//!
//! It is a shell script that reads from a pipe. The only writing end is ours, so end of file means
//! that this process is gone, however it died. Then it kills the groups it was told of and
//! everything that carries this host's marker. A run costs it nothing: only a command that lasts
//! is made known, as a line with its group.

use crate::LaunchError;

#[cfg(unix)]
pub(crate) use guard::Entry;

/// Ends all runs when this process dies, even by KILL.
///
/// One for each host process is enough. Give it to a [`Registry`](crate::Registry); runs of every
/// registry are found by their marker, those of the watched ones also by their group.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), process_tree::LaunchError> {
/// use process_tree::{Command, Control, Registry, Watchdog};
///
/// let session = Registry::watched(Watchdog::start()?);
/// let control = Control::new().with_registry(&session);
/// assert!(Command::shell("true").run(&control).await.ending.is_success());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Watchdog {
    #[cfg(unix)]
    guard: std::sync::Arc<guard::Guard>,
}

#[cfg(unix)]
impl Watchdog {
    /// Starts the watching process: `/bin/sh`, in a session of its own. It ends when the last
    /// clone of this handle is dropped.
    pub fn start() -> Result<Self, LaunchError> {
        Ok(Self {
            guard: std::sync::Arc::new(guard::Guard::start()?),
        })
    }

    /// The number of the watching process.
    pub fn pid(&self) -> u32 {
        self.guard.pid()
    }

    /// Makes the group of a command known until the entry is dropped.
    pub(crate) fn enter(&self, group: i32) -> Option<Entry> {
        Entry::new(std::sync::Arc::clone(&self.guard), group)
    }
}

#[cfg(not(unix))]
impl Watchdog {
    /// Always fails here: commands do not run on this system yet.
    pub fn start() -> Result<Self, LaunchError> {
        Err(LaunchError::new(
            "/bin/sh",
            None,
            crate::LaunchErrorKind::Unsupported,
        ))
    }
}

#[cfg(unix)]
mod guard {
    use std::{
        os::fd::{AsFd, OwnedFd},
        sync::{Arc, Mutex, PoisonError},
    };

    use rustix::{io::Errno, process::Signal};

    use crate::{
        LaunchError, descend,
        kill::Quarry,
        launch_error::diagnose,
        marker::Marker,
        os::{self, Leader},
        sweep,
        unsafe_calls::{Image, spawn, write_quietly},
    };

    /// Reads `+ group start` and `- group` until the host is gone, then kills. A group whose
    /// number now belongs to a process with another start is not touched.
    const SCRIPT: &std::ffi::CStr = c"
groups=
while read -r word group start; do
    case $word in
        +) groups=\"$groups $group:$start\" ;;
        -)
            kept=
            for entry in $groups; do
                case $entry in \"$group\":*) ;; *) kept=\"$kept $entry\" ;; esac
            done
            groups=$kept
            ;;
    esac
done
# The 22nd field of stat; the name in the second may hold blanks.
born() {
    read -r line 2>/dev/null < \"/proc/$1/stat\" || return 1
    set -- ${line##*) }
    shift 19
    now=$1
}
for entry in $groups; do
    group=${entry%%:*}
    if born \"$group\" && [ \"$now\" != \"${entry#*:}\" ]; then continue; fi
    kill -s KILL -- \"-$group\" 2>/dev/null
done
round=0
while [ $round -lt 50 ]; do
    # Its status says nothing: processes that end meanwhile count as errors.
    found=$(grep -lsF -- \"$1\" /proc/[0-9]*/environ 2>/dev/null)
    [ -n \"$found\" ] || exit 0
    for signal in STOP KILL; do
        for file in $found; do
            file=${file#/proc/}
            kill -s $signal \"${file%/environ}\" 2>/dev/null
        done
    done
    round=$((round + 1))
done
";

    /// The watching process and our end of the pipe.
    #[derive(Debug)]
    pub(crate) struct Guard {
        pipe: Mutex<OwnedFd>,
        process: Option<Quarry>,
    }

    impl Guard {
        pub(crate) fn start() -> Result<Self, LaunchError> {
            let launch = || -> Result<Self, Errno> {
                let (reader, writer) = os::pipe()?;
                // Kept from filling up: a host must never wait for its watchdog.
                rustix::io::ioctl_fionbio(&writer, true)?;
                let null = rustix::fs::open(
                    "/dev/null",
                    rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
                    rustix::fs::Mode::empty(),
                )?;
                let (reader, null) = (os::above_stdio(reader)?, os::above_stdio(null)?);
                let host =
                    std::ffi::CString::new(Marker::host().as_str()).map_err(|_| Errno::INVAL)?;
                let pid = spawn(&Image {
                    program: c"/bin/sh",
                    args: &[c"sh", c"-c", SCRIPT, c"process-tree-watchdog", &host],
                    environment: &[c"PATH=/usr/bin:/bin", c"LC_ALL=C"],
                    cwd: Some(c"/"),
                    stdio: [reader.as_fd(), null.as_fd(), null.as_fd()],
                })?;
                let leader = Leader::open(pid)?;
                // It carries no marker; one of its own keeps it out of every other sweep.
                let process = Some(Quarry::of_run(leader, Marker::host().child()));
                Ok(Self {
                    pipe: Mutex::new(writer),
                    process,
                })
            };
            launch().map_err(|error| {
                LaunchError::new("/bin/sh", None, diagnose(error, "/bin/sh".as_ref(), None))
            })
        }

        pub(crate) fn pid(&self) -> u32 {
            let leader = self
                .process
                .as_ref()
                .and_then(|process| process.leader.as_ref());
            leader.map_or(0, |leader| {
                leader.pid().as_raw_nonzero().get().unsigned_abs()
            })
        }

        /// Short lines are written whole or, when the pipe is full, not at all.
        fn tell(&self, line: &str) -> bool {
            let pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
            write_quietly(&*pipe, line.as_bytes()) == Ok(line.len())
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            // Before the pipe closes, or it would take this for the end of the host.
            if let Some(process) = self.process.take() {
                process.signal_group(Signal::KILL);
                sweep::submit(sweep::Job::kill(process, None));
            }
        }
    }

    /// A group the watchdog knows of.
    #[derive(Debug)]
    pub(crate) struct Entry {
        guard: Arc<Guard>,
        group: i32,
    }

    impl Entry {
        pub(crate) fn new(guard: Arc<Guard>, group: i32) -> Option<Self> {
            let start = descend::look_at(group).map_or(0, |process| process.start);
            guard
                .tell(&format!("+ {group} {start}\n"))
                .then_some(Self { guard, group })
        }
    }

    impl Drop for Entry {
        fn drop(&mut self) {
            self.guard.tell(&format!("- {}\n", self.group));
        }
    }
}

//! Shells that were started ahead: not to be told from others, each used once, and gone in time.
//!
//! Where `/bin/sh` is another shell than dash none are started, and that is what is tested.
#![cfg(target_os = "linux")] // looks into /proc
#![expect(
    clippy::disallowed_methods,
    reason = "how this program is told that it is the host"
)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    fs,
    process::{Command as Std, Stdio},
    time::{Duration, Instant},
};

use process_tree::{Command, Control, Ending, Environment, Finished, Force, Registry};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};
use support::{AMPLE, Fixture, within};
use tokio::sync::Mutex;

mod support;

/// Tests here change what belongs to the whole process, so they take turns.
static ALONE: Mutex<()> = Mutex::const_new(());

/// What a shell may be asked about itself and its surroundings, and every way to go wrong.
const PROBES: &[&str] = &[
    // How it ends.
    "true",
    "false",
    "exit 3",
    "false; exit",
    "exit 300",
    "return 3",
    "kill -SEGV $$",
    "kill -TERM $$; sleep 60",
    "sh -c 'kill -SEGV $$'",
    "sh -c 'kill -SEGV $$'; echo after $?",
    "set -e; false; echo no",
    "! true",
    // What it says, and where it says it.
    "echo out; echo err >&2",
    "no-such-program",
    "./no/such/program x",
    "/etc/passwd",
    "echo a\nno-such-program\necho b",
    "\n\nno-such-program",
    "eval no-such-program",
    "eval 'echo x\nno-such-program'",
    "exec no-such-program",
    "(no-such-program)",
    "echo `no-such-program`",
    "f() { no-such-program; }; f",
    "no-such-program & wait $!",
    ". ./no-such-file",
    "cd /no/such/place",
    "cat < /no/such/file",
    "echo x > /no/such/file",
    "readonly x=1; x=2; echo z",
    "set -u; echo $no_such_variable",
    "echo ${no_such_variable?message}",
    "echo $((1/0))",
    "printf '%d\n' x",
    "test a -gt b",
    "shift 3",
    "local x=1",
    "set -x; echo a; no-such-program",
    "set -v\necho x",
    "LINENO=9; no-such-program",
    "echo $LINENO\necho $LINENO",
    "trap 'echo $LINENO; no-such-program' EXIT",
    // What does not parse.
    "if",
    "; a",
    "&& a",
    "| a",
    ")",
    "}",
    "do",
    "a &&",
    "for",
    "case x in",
    "echo 'open",
    "echo \"open",
    "echo ${",
    "echo $((",
    "echo \\",
    "cat <<END\nopen",
    "echo one\nif",
    // What is no command.
    "",
    "# nothing",
    "# first\necho second",
    // Where and who it is.
    "echo $0",
    "echo $-",
    "echo $#: $@",
    "echo $?",
    "echo $PPID",
    "read -r own _ _ _ group session _ < /proc/self/stat; \
     [ $own = $$ ] && [ $group = $$ ] && [ $session = $$ ] && echo leads",
    "exec sh -c 'echo $PPID'",
    "sh -c '[ $PPID = $1 ]; echo $?' x $$",
    "pwd; echo $PWD; echo $OLDPWD",
    "cd /; pwd; echo $OLDPWD",
    // What it has.
    "env",
    "set",
    "export -p",
    "readonly",
    "alias",
    "echo ${HOOKLINE_GO-unset}",
    "umask; umask -S",
    "ulimit -a; ulimit -aH",
    "cat /proc/self/limits",
    "trap",
    "while read -r name value; do case $name in Sig[BIC]*) echo $name $value;; esac; done < /proc/$$/status",
    "exec grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status",
    "ls /proc/$$/fd",
    "exec ls /proc/self/fd",
    "for fd in 0 1 2; do readlink /proc/$$/fd/$fd | cut -d: -f1; done",
    "grep -E '^(nonvoluntary|Threads|NoNewPrivs|Seccomp|Uid|Gid|Groups|CapEff)' /proc/$$/status | grep -v ctxt",
    // What it does with signals, traps and jobs.
    "trap 'echo bye' EXIT; exit 4",
    "trap 'echo term' TERM; kill -TERM $$; echo on",
    "trap '' PIPE; yes | head -1",
    "yes | head -1",
    "sleep 0.01 & wait; echo $?",
    "set -- 1 2; echo $2",
    // What it reads.
    "cat",
    "cat; echo end",
    "read -r line; echo \"$line\"; cat",
    "head -c 3; echo; cat",
    "wc -c",
    "cat <<END\nhere $LINENO\nEND\ncat",
    "while read -r line; do echo \"<$line>\"; done",
];

const INPUT: &str = "first line\nsecond\n";

/// A registry whose commands are started ahead.
struct Session {
    fixture: Fixture,
    registry: Registry,
    control: Control,
}

impl Session {
    fn new() -> Self {
        let registry = Registry::new();
        let control = Control::new().with_registry(&registry);
        let fixture = Fixture::new();
        Self {
            fixture,
            registry,
            control,
        }
    }

    fn command(&self, script: &str) -> Command {
        let command = self.fixture.shell(script).stdin(INPUT);
        command.environment(Environment::inherited())
    }

    async fn run(&self, command: &Command) -> Finished {
        command.run(&self.control).await
    }

    /// Runs a command as often as it takes; a shell that then waits for the next run, where one
    /// does.
    async fn warm(&self, command: &Command) -> Option<i32> {
        self.run(command).await;
        self.run(command).await;
        let clock = Instant::now();
        while is_dash() {
            if let Some(one) = self.fixture.strays().into_iter().find(|pid| waits(*pid)) {
                // It is there a moment before it is known to be.
                tokio::time::sleep(Duration::from_millis(10)).await;
                return Some(one);
            }
            assert!(clock.elapsed() < AMPLE, "no shell waits");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        None
    }
}

fn is_dash() -> bool {
    let shell = fs::canonicalize("/bin/sh").unwrap();
    shell.file_name().is_some_and(|name| name == "dash")
}

/// Whether the first line of a script is one that the shell gets to run.
fn parses(script: &str) -> bool {
    let mut shell = Std::new("/bin/sh");
    shell.args(["-n", "-c", script.lines().next().unwrap_or("")]);
    shell.stderr(Stdio::null()).status().unwrap().success()
}

/// Whether a process is a shell that waits for its command.
fn waits(pid: i32) -> bool {
    let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    words.contains("HOOKLINE_GO") && state.contains(") S ")
}

/// How it ended and what it said, without the mark that every run has of its own.
fn seen(done: &Finished) -> (Ending, String, String) {
    let unmarked = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("HOOKLINE_TREE"));
        let end = if text.ends_with('\n') { "\n" } else { "" };
        lines.collect::<Vec<_>>().join("\n") + end
    };
    let (stdout, stderr) = (unmarked(&done.stdout.text()), unmarked(&done.stderr.text()));
    (done.ending.clone(), stdout, stderr)
}

/// Runs a script in a shell that is started for it, and in one that waited; whether one did.
async fn compare(probe: &str) -> bool {
    const TRIES: usize = 20;
    let session = Session::new();
    let cold = session.run(&session.command(probe)).await;
    let command = session.command(probe).ahead(1);
    let mut used = false;
    for _ in 0..if parses(probe) { TRIES } else { 3 } {
        // One that does not parse ends before it waits.
        let waiting = if parses(probe) {
            session.warm(&command).await
        } else {
            None
        };
        let warm = session.run(&command).await;
        assert_eq!(seen(&warm), seen(&cold), "{probe:?}");
        used = waiting.is_some_and(|pid| !waits(pid));
        if used || !is_dash() {
            break;
        }
    }
    session.registry.close().await;
    used
}

#[tokio::test]
async fn a_shell_that_waited_cannot_be_told_from_one_that_did_not() {
    let _alone = ALONE.lock().await;
    let mut used = 0;
    for some in PROBES.chunks(12) {
        let compared: Vec<_> = some
            .iter()
            .map(|probe| tokio::spawn(compare(probe)))
            .collect();
        for one in compared {
            used += usize::from(one.await.unwrap());
        }
    }
    if is_dash() {
        assert!(used > 80, "only {used} of {} waited", PROBES.len());
    } else {
        assert_eq!(used, 0);
    }
}

#[tokio::test]
async fn every_run_has_a_shell_of_its_own_and_the_next_one_waits() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let command = session.command("echo $$").ahead(1);
    let mut numbers = Vec::new();
    let mut waited = 0;
    for _ in 0..100 {
        let waiting = session.warm(&command).await;
        let done = session.run(&command).await;
        let number: i32 = done.stdout.text().trim().parse().unwrap();
        assert!(!numbers.contains(&number));
        numbers.push(number);
        waited += usize::from(waiting == Some(number));
        if waited == 3 || !is_dash() {
            break;
        }
    }
    assert_eq!(waited, if is_dash() { 3 } else { 0 });
    session.registry.close().await;
}

#[tokio::test]
async fn as_many_wait_as_were_asked_for_and_closing_ends_them() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let command = session.command("true").ahead(3);
    session.run(&command).await;
    session.run(&command).await;
    if is_dash() {
        session.fixture.until_there_are(3).await;
    }
    session.registry.close().await;
    assert_eq!(session.fixture.remaining(), [0; 0]);
}

#[tokio::test]
async fn dropping_the_registry_ends_those_that_wait() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    session.warm(&session.command("true").ahead(1)).await;
    let Session {
        fixture,
        registry,
        control,
    } = session;
    drop((registry, control));
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[tokio::test]
async fn what_never_starts_alike_has_no_shell_wait_for_it() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    for turn in 0..4 {
        let command = session.command("true").env("TURN", turn.to_string());
        session.run(&command.ahead(1)).await;
        let other = session.fixture.mark(Command::new("true").ahead(1));
        session
            .run(&other.environment(Environment::inherited()))
            .await;
        // Variables of this process may change.
        session.run(&session.fixture.shell("true").ahead(1)).await;
        session.run(&session.command("-x").ahead(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(session.fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn a_shell_that_was_killed_while_it_waited_is_no_crash() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let command = session.command("echo fine").ahead(1);
    if let Some(waiting) = session.warm(&command).await {
        let pid = rustix::process::Pid::from_raw(waiting).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let stat = || fs::read_to_string(format!("/proc/{waiting}/stat")).unwrap();
        while !stat().contains(") Z ") {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let done = session.run(&command).await;
    assert_eq!(done.ending, Ending::Exited(0));
    assert_eq!(done.stdout.text(), "fine\n");
    session.registry.close().await;
}

#[tokio::test]
async fn what_has_changed_since_is_what_the_command_finds() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join("place");
    fs::create_dir(&place).unwrap();
    let command = session
        .command("umask; ulimit -c; ls; pwd")
        .cwd(&place)
        .ahead(1);
    let now = async || session.run(&command).await.stdout.into_text();

    session.warm(&command).await;
    fs::write(place.join("a file"), "").unwrap();
    assert!(now().await.contains("a file"), "a new file");

    session.warm(&command).await;
    fs::rename(&place, home.path().join("other")).unwrap();
    fs::create_dir(&place).unwrap();
    fs::write(place.join("another file"), "").unwrap();
    assert!(now().await.contains("another file"), "another directory");

    session.warm(&command).await;
    fs::remove_dir_all(&place).unwrap();
    let gone = session.run(&command).await.ending;
    assert!(matches!(gone, Ending::NeverStarted(_)), "{gone:?}");
    fs::create_dir(&place).unwrap();

    session.warm(&command).await;
    let before = umask(rustix::fs::Mode::from_raw_mode(0o71));
    let text = now().await;
    umask(before);
    assert!(text.starts_with("0071\n"), "{text}");

    session.warm(&command).await;
    let before = getrlimit(Resource::Core);
    let fewer = Rlimit {
        current: Some(7 * 512),
        ..before
    };
    setrlimit(Resource::Core, fewer).unwrap();
    let text = now().await;
    setrlimit(Resource::Core, before).unwrap();
    assert_eq!(text.lines().nth(1), Some("7"), "{text}");
    session.registry.close().await;
}

#[tokio::test]
async fn a_payload_of_any_size_arrives_whole() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let command = session.command("md5sum").ahead(1);
    session.warm(&command).await;
    for size in [0, 1, 64 << 10, (64 << 10) + 1, 1 << 20, 5 << 20] {
        let command = command.clone().stdin(vec![b'x'; size]);
        let warm = session.run(&command).await.stdout.into_text();
        let cold = session.run(&command.ahead(0)).await.stdout.into_text();
        assert_eq!(warm, cold, "{size} bytes");
        session.warm(&session.command("md5sum").ahead(1)).await;
    }
    session.registry.close().await;
}

#[tokio::test]
async fn deadline_and_cancellation_hold_and_what_is_left_is_told() {
    let _alone = ALONE.lock().await;
    let session = Session::new();
    let leaves = session.command("sleep 300 & echo left").ahead(1);
    session.warm(&leaves).await;
    let done = session.run(&leaves).await;
    assert_eq!(done.stdout.text(), "left\n");
    assert_eq!(done.left.pids().len(), 1);
    session.registry.close().await;

    // On a machine that starts many processes at once it may be noticed only at the close.
    let hides = session.command("(setsid sleep 300 >/dev/null 2>&1 &); exit 5");
    let hides = hides.ahead(1);
    let mut told = false;
    for _ in 0..20 {
        session.warm(&hides).await;
        let done = session.run(&hides).await;
        assert_eq!(done.ending, Ending::Exited(5));
        told |= done.left.pids().len() == 1;
        session.registry.close().await;
    }
    assert!(told);

    let slow = session.command("setsid sleep 300 & sleep 300");
    let slow = slow.limits(within(100)).ahead(1);
    session.warm(&slow).await;
    let done = session.run(&slow).await;
    assert_eq!(done.ending, Ending::TimedOut { by: Force::Term });
    session.registry.close().await;
    assert_eq!(session.fixture.remaining(), [0; 0]);
}

/// Not a test: the host that the test below starts and kills. It does nothing without its tag.
#[test]
fn host() {
    let Ok(tag) = std::env::var("HOST_TAG") else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let command = Command::shell("true")
            .environment(Environment::inherited())
            .env("FIXTURE_TAG", tag)
            .ahead(2);
        let control = Control::new();
        for _ in 0..2 {
            command.run(&control).await;
        }
        tokio::time::sleep(AMPLE * 3).await;
    });
}

#[tokio::test]
async fn those_that_wait_end_when_their_host_is_killed() {
    let _alone = ALONE.lock().await;
    if !is_dash() {
        return;
    }
    let fixture = Fixture::new();
    let mut host = Std::new(std::env::current_exe().unwrap())
        .args(["--exact", "host", "--nocapture", "--test-threads", "1"])
        .env("HOST_TAG", fixture.tag())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    fixture.until_there_are(2).await;
    host.kill().unwrap();
    host.wait().unwrap();
    assert_eq!(fixture.remaining(), [0; 0]);
}

//! What a command costs whose shell was started before, beside a shell that is started for it.

use std::rc::Rc;
use std::thread;
use std::time::Duration;

use process_tree::{Command, Control, Registry};

use crate::Failure;
use crate::contest::{Contest, Side, Target, nanoseconds};
use crate::floor::Floor;
use crate::rows::Entry;
use crate::stage::{Job, Stage, Threads, floor, ours};

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: "ahead-true",
        about: "`sh -c true` in a shell that waited, beside bare posix_spawn",
        build: || contest(&Job::new(c"true", 1 << 10, 0), Target::Times(0.4)),
    },
    Entry {
        name: "ahead-cat",
        about: "`sh -c cat` of 1 KiB in a shell that waited, beside bare posix_spawn",
        build: || contest(&Job::new(c"cat", 1 << 10, 1 << 10), Target::Times(0.7)),
    },
];

/// Until the next shell waits, which is not timed; nor may it disturb whoever is next.
const PAUSE: Duration = Duration::from_millis(8);

fn contest(job: &Job, target: Target) -> Result<Contest, Failure> {
    let stage = Stage::new()?;
    let (single, several) = (Threads::One, Threads::Many);
    Ok(Contest::of_times(2_000)
        .beside(floor("posix_spawn", Floor::new(), job, 1))
        .side(ours(&stage, "process-tree, started for it", job, single, 1))
        .side(waits(&stage, "process-tree, one thread", job, single).target(target))
        .side(waits(&stage, "process-tree, threads", job, several).target(target)))
}

fn waits(stage: &Rc<Stage>, name: &str, job: &Job, threads: Threads) -> Side {
    let (stage, output) = (Rc::clone(stage), job.output);
    let control = Control::new().with_registry(&Registry::new());
    let run = move |command: Command, printed: fn(&str, usize) -> bool, output: usize| {
        let (control, command) = (control.clone(), command.ahead(1));
        let took = stage.in_tasks(threads, 1, move || {
            let (control, command) = (control.clone(), command.clone());
            async move {
                let done = command.run(&control).await;
                assert!(printed(&done.stdout.text(), output), "{:?}", done.stdout);
            }
        });
        thread::sleep(PAUSE);
        nanoseconds(took)
    };
    // That shells do wait here shows in what is known of them.
    let known = Job::new(c"cat /proc/$$/cmdline", 0, 0).command();
    for turn in 0..10 {
        let waited = |text: &str, turn: usize| turn < 9 || text.contains("HOOKLINE_GO");
        run(known.clone(), waited, turn);
    }
    let command = job.command();
    for _ in 0..2 {
        run(command.clone(), |text, output| text.len() == output, output);
    }
    Side::new(name, move || {
        run(command.clone(), |text, output| text.len() == output, output)
    })
}

//! What is counted: pieces of work that need no process and no clock to be compared.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use hook_runner::{Fire, HookRunner, HookSet, NoHooks, Runner};

use crate::Failure;
use crate::rows::firing::{
    async_closure, at_once, bare, closures, denying, event, on_another_event, one_thread,
};
use crate::rows::planning::{Form, Registered};

/// How often each piece is done under the counter, after it has been done as often without.
pub(super) const TIMES: u32 = 200;

/// One piece of work. Making it is not counted; what is made is done by [`counted`].
pub(super) struct Work {
    pub(super) name: &'static str,
    pub(super) make: fn() -> Result<Job, Failure>,
}

/// Makes what is needed for one time, and hands back what does it.
pub(super) type Job = Box<dyn FnMut() -> Box<dyn FnOnce()>>;

pub(super) const ALL: &[Work] = &[
    Work {
        name: "the event, dropped and not fired",
        make: || {
            Ok(Box::new(|| {
                let event = event();
                Box::new(|| drop(black_box(event)))
            }))
        },
    },
    Work {
        name: "no hook: NoHooks",
        make: || fires(Arc::new(NoHooks)),
    },
    Work {
        name: "no hook: 100 hooks on another event",
        make: || fires(Arc::new(Runner::new(on_another_event(100)?))),
    },
    Work {
        name: "the bare boxed async closure",
        make: called,
    },
    Work {
        name: "one async closure",
        make: || fires_at(async_closure()?),
    },
    Work {
        name: "one plain closure",
        make: || fires_at(closures(1)?),
    },
    Work {
        name: "one closure that denies",
        make: || fires_at(denying()?),
    },
    Work {
        name: "one closure, a reader that never reads",
        make: || {
            let (runner, messages) = Runner::new(closures(1)?).with_messages();
            let mut job = fires(Arc::new(runner))?;
            Ok(Box::new(move || {
                black_box(&messages);
                job()
            }))
        },
    },
    Work {
        name: "ten closures, one after the other",
        make: || fires_at(closures(10)?),
    },
    Work {
        name: "ten closures at once",
        make: || fires_at(at_once(10)?),
    },
    Work {
        name: "never seen: 1,000 of all forms",
        make: || never_seen(Form::Mixed, 1_000),
    },
    Work {
        name: "never seen: 1,000 regexes",
        make: || never_seen(Form::Regex, 1_000),
    },
];

fn fires_at(hooks: HookSet) -> Result<Job, Failure> {
    fires(Arc::new(Runner::new(hooks)))
}

fn fires(runner: Arc<dyn HookRunner>) -> Result<Job, Failure> {
    let runtime = one_thread()?;
    Ok(Box::new(move || {
        let (event, runner, runtime) = (event(), Arc::clone(&runner), runtime.clone());
        Box::new(move || runtime.block_on(async { drop(black_box(runner.fire(event).await)) }))
    }))
}

fn called() -> Result<Job, Failure> {
    let runtime = one_thread()?;
    let closure = bare();
    Ok(Box::new(move || {
        let (event, closure, runtime) = (event(), Arc::clone(&closure), runtime.clone());
        Box::new(move || runtime.block_on(async { drop(black_box(closure(event).await)) }))
    }))
}

fn never_seen(form: Form, size: usize) -> Result<Job, Failure> {
    let registered = Rc::new(Registered::new(form, size)?);
    let mut subjects = registered.subjects();
    Ok(Box::new(move || {
        let subject = subjects.next().unwrap_or_default();
        let registered = Rc::clone(&registered);
        Box::new(move || drop(black_box(registered.index.search(&subject))))
    }))
}

/// The counter counts what happens in here, and nothing else.
#[inline(never)]
pub(super) fn counted(work: Box<dyn FnOnce()>) {
    work();
    // Keeps the call above from becoming a jump, which the counter would not see end.
    black_box(());
}

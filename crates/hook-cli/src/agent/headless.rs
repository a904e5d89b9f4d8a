//! One prompt, one result: nobody is there who could answer questions.

use std::future::Future;
use std::pin::pin;

use agent_loop::{Interrupt, Session, TurnResult};
use hook_types::EndReason;

use super::display::Display;
use super::signals::{Signals, Wish};

/// Says one thing to the agent, and ends the session. A call that was left to whoever resumes is run first.
/// Nothing where there was nothing to do.
pub(crate) async fn answer(
    mut session: Session,
    prompt: Option<String>,
    signals: &mut Signals,
    display: &Display,
) -> Option<TurnResult> {
    let interrupt = session.interrupt_handle();
    let mut result = None;
    if session.deferred_call().is_some() {
        result = until_done(session.run_deferred(), &interrupt, signals, display).await;
    }
    let goes_on = result.as_ref().is_none_or(TurnResult::is_finished);
    if let Some(prompt) = prompt.filter(|_| goes_on) {
        result = Some(until_done(session.prompt(prompt), &interrupt, signals, display).await);
    }
    end(session, EndReason::Unspecified, signals).await;
    result
}

/// A turn, which ends early when somebody wants it to, or when nobody reads any more.
async fn until_done<T>(
    turn: impl Future<Output = T>,
    interrupt: &Interrupt,
    signals: &mut Signals,
    display: &Display,
) -> T {
    let mut turn = pin!(turn);
    let mut closed = pin!(display.closed());
    let mut read = true;
    loop {
        tokio::select! {
            biased;
            done = &mut turn => return done,
            _ = signals.next() => interrupt.interrupt(),
            () = &mut closed, if read => {
                read = false;
                interrupt.interrupt();
            }
        }
    }
}

/// Ends a session; `SessionEnd` hooks have their time, unless somebody insists.
pub(crate) async fn end(session: Session, reason: EndReason, signals: &mut Signals) {
    let mut ending = pin!(session.end(reason));
    loop {
        tokio::select! {
            biased;
            () = &mut ending => return,
            wish = signals.next() => if wish == Wish::Interrupt { return },
        }
    }
}

//! Ctrl-C and its kin.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// What somebody wants to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// What is going on: Ctrl-C.
    Interrupt,
    /// Everything: the terminal went away, or somebody ended the process.
    End,
}

/// The signals that would end the process.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// From now on they end nothing by themselves.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|why| Failure::invalid(format!("cannot listen to signals: {why}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// The next wish. Can be called off without losing one.
    pub(crate) async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.interrupt.recv() => Wish::Interrupt,
            _ = self.terminate.recv() => Wish::End,
            _ = self.hang_up.recv() => Wish::End,
        }
    }
}

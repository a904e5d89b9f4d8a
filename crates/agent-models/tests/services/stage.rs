//! An agent with a model under test, and what its hooks heard.

use std::sync::{Arc, Mutex};

use agent_loop::{Agent, Ending, Limits, Model, ModelError, TurnResult};
use hook_runner::HookSet;
use hook_types::{Error, Stop, StopFailure};

/// What hooks heard, in order.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Whether the turn ended with that failure, and nobody was told that it came to its end.
    pub(crate) fn stop_failure(&self, kind: &str) -> bool {
        let all = self.all();
        all.contains(&format!("StopFailure {kind}")) && !all.contains(&"Stop".to_owned())
    }
}

/// One turn with a model; what it came to, and what hooks heard.
pub(crate) async fn turn(model: Arc<dyn Model>, limits: Limits) -> (TurnResult, Heard) {
    let heard = Heard::default();
    let (stop, failure, error) = (heard.clone(), heard.clone(), heard.clone());
    let hooks = HookSet::builder()
        .on("", move |_: Stop| stop.add("Stop".to_owned()))
        .on("", move |event: StopFailure| {
            failure.add(format!("StopFailure {}", event.error));
        })
        .on("", move |event: Error| {
            error.add(format!("Error {}", event.error_details.unwrap_or_default()));
        })
        .build()
        .unwrap();
    let agent = Agent::builder()
        .shared_model(model)
        .limits(limits)
        .hooks(hooks)
        .build();
    (agent.run("Go.").await, heard)
}

/// No request is sent twice.
pub(crate) fn once() -> Limits {
    Limits {
        retries: 0,
        ..Limits::default()
    }
}

/// The error that a turn ended with.
pub(crate) fn error(result: &TurnResult) -> ModelError {
    let Ending::Failed(error) = &result.ending else {
        panic!("{:?}", result.ending);
    };
    error.clone()
}

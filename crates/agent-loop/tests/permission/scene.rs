//! A call, hooks and somebody to ask; and everything that happens is written down.

use std::sync::{Arc, Mutex};

use agent_loop::permission::{
    AllowAll, Approval, Desk, HookOpinion, Nobody, PendingCall, Permissions, Settled, Settlement,
    approver_fn, settle,
};
use agent_loop::{
    Access, Approver, Firing, Interrupted, Question, Tool, ToolContext, ToolError, ToolOutput,
    Toolbox,
};
use async_trait::async_trait;
use hook_runner::{Cancellation, HookSet, HookSetBuilder, Policy, Runner, Session};
use hook_types::{
    Base, Decision, Event, PermissionCheck, PermissionDenied, PermissionGranted, PermissionMode,
    PermissionRequest, PreToolUse,
};
use serde_json::{Value, json};

pub(crate) type Log = Arc<Mutex<Vec<(String, Value)>>>;

/// Everything around one call.
pub(crate) struct Scene {
    permissions: Mutex<Permissions>,
    hooks: HookSet,
    approver: Box<dyn Approver>,
    log: Log,
    pub(crate) cwd: String,
    pub(crate) cancellation: Cancellation,
    alone: bool,
}

impl Scene {
    /// No hooks, and a user who says yes.
    pub(crate) fn new(mode: PermissionMode) -> Self {
        Self::with(Permissions::new(mode))
    }

    pub(crate) fn with(permissions: Permissions) -> Self {
        let scene = Self {
            permissions: Mutex::new(permissions),
            hooks: HookSet::default(),
            approver: Box::new(AllowAll),
            log: Log::default(),
            cwd: "/srv/app".into(),
            cancellation: Cancellation::new(),
            alone: true,
        };
        scene.hooks(|hooks| hooks).user(|_| Approval::allow())
    }

    /// With these hooks, and behind them one for each event that writes it down.
    pub(crate) fn hooks(mut self, add: impl FnOnce(HookSetBuilder) -> HookSetBuilder) -> Self {
        let hooks = add(HookSet::builder())
            .on("", note::<PermissionCheck>(&self.log))
            .on("", note::<PermissionRequest>(&self.log))
            .on("", note::<PermissionGranted>(&self.log))
            .on("", note::<PermissionDenied>(&self.log));
        self.hooks = hooks.build().unwrap();
        self
    }

    /// With a user who answers so.
    pub(crate) fn user(self, answer: fn(&Question) -> Approval) -> Self {
        let log = Arc::clone(&self.log);
        self.approver(approver_fn(move |question: Question| {
            let seen = json!({"reason": question.reason, "input": question.tool_input,
                              "suggestions": question.suggestions});
            log.lock().unwrap().push(("asked".into(), seen));
            let answer = answer(&question);
            async move { answer }
        }))
    }

    pub(crate) fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Box::new(approver);
        self
    }

    pub(crate) fn headless(self) -> Self {
        self.approver(Nobody)
    }

    pub(crate) fn among_others(mut self) -> Self {
        self.alone = false;
        self
    }

    /// Settles a call of `Bash`.
    pub(crate) async fn bash(&self, command: &str, hooks: &HookOpinion) -> Settled {
        self.settle("Bash", json!({ "command": command }), hooks)
            .await
            .unwrap()
            .settled
    }

    pub(crate) async fn write(&self, path: &str, hooks: &HookOpinion) -> Settled {
        self.settle("Write", json!({ "file_path": path }), hooks)
            .await
            .unwrap()
            .settled
    }

    pub(crate) async fn settle(
        &self,
        tool: &'static str,
        input: Value,
        hooks: &HookOpinion,
    ) -> Result<Settlement, Interrupted> {
        let tools = toolbox();
        let mut session = Session::new(Base::new("s-1", "/tmp/s-1.jsonl", self.cwd.clone()));
        session.interactive = self.approver.is_present();
        let base = session.base.clone();
        let runner = Runner::with(self.hooks.clone(), session, Policy::default());
        let firing = Firing::new(Arc::new(runner), base, self.cancellation.clone());
        let desk = Desk {
            firing: &firing,
            approver: &*self.approver,
            permissions: &self.permissions,
            tools: &tools,
            home: Some("/home/ann"),
            project_dir: &self.cwd,
        };
        let call = PendingCall {
            tool_use_id: "call-1".into(),
            tool_name: tool.into(),
            access: tools
                .get(tool)
                .map_or(Access::Run, |tool| tool.access(&input)),
            tool_input: input,
            mcp_server: None,
            alone: self.alone,
        };
        settle(&desk, &call, hooks).await
    }

    /// What happened, in order.
    pub(crate) fn happened(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        log.iter().map(|(what, _)| what.clone()).collect()
    }

    /// What was seen where that happened.
    pub(crate) fn seen(&self, what: &str) -> Value {
        let log = self.log.lock().unwrap();
        let found = log.iter().find(|(name, _)| name == what);
        found.map(|(_, seen)| seen.clone()).unwrap_or_default()
    }

    pub(crate) fn permissions(&self) -> Permissions {
        self.permissions.lock().unwrap().clone()
    }
}

fn note<E: Event>(log: &Log) -> impl Fn(E) + Send + Sync + Clone + 'static {
    let log = Arc::clone(log);
    move |event: E| {
        let seen = serde_json::to_value(&event).unwrap();
        log.lock().unwrap().push((E::NAME.to_string(), seen));
    }
}

pub(crate) fn says(decision: Decision) -> HookOpinion {
    HookOpinion::new(decision, Some("the hook's words"))
}

/// What `PreToolUse` hooks say.
pub(crate) async fn pre_tool_use(
    add: impl FnOnce(HookSetBuilder) -> HookSetBuilder,
    command: &str,
) -> (HookOpinion, Option<Value>) {
    let hooks = add(HookSet::builder()).build().unwrap();
    let base = Base::new("s-1", "/tmp/s-1.jsonl", "/srv/app");
    let firing = Firing::new(Arc::new(Runner::new(hooks)), base, Cancellation::new());
    let event = PreToolUse::new("Bash", json!({ "command": command }));
    let fired = firing.fire_each(event).await.unwrap();
    (HookOpinion::of(&fired), fired.outcome.updated_input)
}

pub(crate) fn run(settled: &Settled) -> Option<&Value> {
    match settled {
        Settled::Run { input, .. } => Some(input),
        Settled::Refuse { .. } | Settled::Defer { .. } | Settled::Halt { .. } => None,
    }
}

pub(crate) fn refused(settled: &Settled) -> Option<&str> {
    match settled {
        Settled::Refuse { message, .. } => Some(message),
        Settled::Run { .. } | Settled::Defer { .. } | Settled::Halt { .. } => None,
    }
}

fn toolbox() -> Toolbox {
    Toolbox::empty()
        .with(Fake("Bash", "command", Access::Run))
        .with(Fake("Write", "file_path", Access::Edit))
        .with(Fake("Read", "file_path", Access::Read))
}

/// A tool that is never run: its name, its field, and what it can change.
struct Fake(&'static str, &'static str, Access);

#[async_trait]
impl Tool for Fake {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        ""
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object", "required": [self.1]})
    }

    fn access(&self, _: &Value) -> Access {
        self.2
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Err(ToolError::new("nobody runs this"))
    }
}

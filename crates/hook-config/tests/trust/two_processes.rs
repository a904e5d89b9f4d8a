//! Approvals given by several processes at once: none is lost.

use std::process::{Command, Stdio};

use hook_config::trust::{ContentTrust, Surroundings, TrustState, TrustStore};
use hook_config::{Places, discover};

use crate::sandbox::{Sandbox, hook};

const ROUNDS: usize = 20;
const PROCESSES: usize = 4;

/// Not a test by itself: what the processes of the test below run.
#[test]
fn approve_one_hook_if_told_to() {
    #[expect(clippy::disallowed_methods, reason = "how the parent tells its child")]
    let told = ["TRUST_PROJECT", "TRUST_STORE", "TRUST_WHICH"].map(|name| std::env::var(name).ok());
    let [Some(project), Some(store), Some(which)] = told else {
        return;
    };
    let trust = ContentTrust::new(Surroundings::new(&project), Some(TrustStore::at(store)));
    let reviews = trust.reviews(&discover(&Places::none().project(&project)));
    let which: usize = which.parse().unwrap();
    trust.approve(&reviews[which..=which]).unwrap();
}

#[test]
fn approvals_from_several_processes_at_once_lose_nothing() {
    for round in 0..ROUNDS {
        let sandbox = Sandbox::new();
        let hooks: Vec<_> = (0..PROCESSES).map(|n| hook(&format!("echo {n}"))).collect();
        sandbox.settings(&hooks);
        let start = |which: usize| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "two_processes::approve_one_hook_if_told_to"])
                .env("TRUST_PROJECT", sandbox.root())
                .env("TRUST_STORE", sandbox.store().directory())
                .env("TRUST_WHICH", which.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        let children: Vec<_> = (0..PROCESSES).map(start).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(
            sandbox.states(),
            [TrustState::Trusted; PROCESSES],
            "round {round}"
        );
    }
}

#[test]
fn approvals_from_several_threads_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let hooks: Vec<_> = (0..16).map(|n| hook(&format!("echo {n}"))).collect();
    sandbox.settings(&hooks);
    let trust = sandbox.trust();
    let reviews = sandbox.reviews(&trust);
    std::thread::scope(|scope| {
        for review in reviews.chunks(1) {
            let trust = trust.clone();
            scope.spawn(move || trust.approve(review).unwrap());
        }
    });
    assert_eq!(sandbox.states(), [TrustState::Trusted; 16]);
}

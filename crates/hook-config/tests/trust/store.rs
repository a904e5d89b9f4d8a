//! Where approvals are kept: privately, whole, and never in the project.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

use hook_config::ContentTrust;
use hook_config::trust::{StoreErrorKind, TrustState, TrustStore};

use crate::sandbox::{Sandbox, hook, write};

fn file_of(sandbox: &Sandbox) -> PathBuf {
    let project = sandbox.root();
    sandbox.store().file_of(&project)
}

fn trust_at(sandbox: &Sandbox, store: PathBuf) -> ContentTrust {
    ContentTrust::new(sandbox.around(), Some(TrustStore::at(store)))
}

#[test]
fn only_the_user_can_read_it() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(file_of(&sandbox)), 0o600);
    assert_eq!(mode(sandbox.path("state/trust")), 0o700);
    assert_eq!(mode(sandbox.path("state/trust/lock")), 0o600);
}

#[test]
fn a_corrupt_store_trusts_nothing_and_is_kept_aside() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let file = file_of(&sandbox);
    fs::write(&file, "{\"version\": 1, \"project\": ").unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    let problem = sandbox.trust().problem().unwrap();
    assert!(
        matches!(problem.kind(), StoreErrorKind::Corrupt(_)),
        "{problem}"
    );
    assert_eq!(problem.path(), file);
    assert!(problem.help().contains("approve again"));

    let trust = sandbox.trust();
    let moved = trust.approve(&sandbox.reviews(&trust)).unwrap().unwrap();
    assert_eq!(
        fs::read_to_string(moved).unwrap(),
        "{\"version\": 1, \"project\": "
    );
    assert_eq!(sandbox.state(), TrustState::Trusted);

    fs::write(&file, "once more").unwrap();
    let trust = sandbox.trust();
    trust.approve(&sandbox.reviews(&trust)).unwrap().unwrap();
    let kept = fs::read_dir(sandbox.path("state/trust")).unwrap();
    let broken = kept.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().contains("broken")
    });
    assert_eq!(broken.count(), 2, "neither is written over");
}

#[test]
fn a_store_of_a_later_version_is_left_alone() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let file = file_of(&sandbox);
    fs::write(&file, r#"{"version": 7, "future": true}"#).unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    let trust = sandbox.trust();
    let error = trust.approve(&sandbox.reviews(&trust)).unwrap_err();
    assert_eq!(error.kind(), &StoreErrorKind::Newer(7));
    assert!(fs::read_to_string(file).unwrap().contains("future"));
}

#[test]
fn a_store_that_others_may_write_to_does_not_count() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let file = file_of(&sandbox);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    let problem = sandbox.trust().problem().unwrap();
    assert_eq!(problem.kind(), &StoreErrorKind::NotYours);
}

#[test]
fn another_projects_approvals_under_this_projects_name_do_not_count() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let file = file_of(&sandbox);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("my project", "your project")).unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
}

#[test]
fn a_repository_cannot_approve_itself() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    // A store with a perfectly good approval, but in the project.
    let inside = sandbox.project("state");
    fs::rename(sandbox.path("state/trust"), &inside).unwrap();
    let link = sandbox.path("link");
    symlink(&inside, &link).unwrap();
    let below_link = sandbox.path("link/deeper");
    for store in [inside, link, below_link] {
        let trust = trust_at(&sandbox, store.clone());
        let reviews = sandbox.reviews(&trust);
        assert_eq!(reviews[0].state(), TrustState::Untrusted, "{store:?}");
        assert_eq!(trust.problem().unwrap().kind(), &StoreErrorKind::InProject);
        let error = trust.approve(&reviews).unwrap_err();
        assert_eq!(error.kind(), &StoreErrorKind::InProject);
    }
    assert!(!sandbox.project("state/deeper").exists());
}

#[test]
fn a_store_file_that_is_a_link_does_not_count() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let file = file_of(&sandbox);
    let planted = sandbox.project("planted.json");
    fs::rename(&file, &planted).unwrap();
    symlink(&planted, &file).unwrap();
    assert_eq!(sandbox.state(), TrustState::Untrusted);
    assert!(sandbox.trust().problem().is_some());
}

#[test]
fn a_place_that_cannot_be_written_to_is_an_error_with_its_name_and_trusts_nothing() {
    let sandbox = Sandbox::with_command("true");
    let blocked = write(&sandbox.path("a file"), "").join("trust");
    let trust = trust_at(&sandbox, blocked.clone());
    let reviews = sandbox.reviews(&trust);
    assert_eq!(reviews[0].state(), TrustState::Untrusted);
    let error = trust.approve(&reviews).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Io(_)));
    assert_eq!(error.path(), blocked);
    assert!(error.to_string().contains("a file/trust"), "{error}");
}

#[test]
fn without_a_store_nothing_can_be_approved() {
    let sandbox = Sandbox::with_command("true");
    let trust = ContentTrust::new(sandbox.around(), None);
    let error = trust.approve(&sandbox.reviews(&trust)).unwrap_err();
    assert_eq!(error.kind(), &StoreErrorKind::NoStore);
}

#[test]
fn the_state_directory_is_the_users() {
    let store = |pairs: &[(&str, &str)]| {
        let get = |name: &str| {
            let pair = pairs.iter().find(|(known, _)| *known == name);
            pair.map(|(_, value)| (*value).into())
        };
        let store = TrustStore::from_environment(get)?;
        Some(store.directory().display().to_string())
    };
    let home = store(&[("HOME", "/home/ada")]);
    assert_eq!(
        home.as_deref(),
        Some("/home/ada/.local/state/hookline/trust")
    );
    let state = store(&[("HOME", "/home/ada"), ("XDG_STATE_HOME", "/state")]);
    assert_eq!(state.as_deref(), Some("/state/hookline/trust"));
    let relative = store(&[("HOME", "/home/ada"), ("XDG_STATE_HOME", "state")]);
    assert_eq!(relative, home, "a relative one counts as unset");
    assert_eq!(store(&[]), None);
}

#[test]
fn all_projects_are_listed_and_the_vanished_ones_forgotten() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    let gone = Sandbox::with_command("true");
    let trust = ContentTrust::new(gone.around(), Some(sandbox.store()));
    trust.approve(&gone.reviews(&trust)).unwrap();
    let vanished = gone.root();
    drop(gone);

    let (projects, problems) = sandbox.store().projects();
    assert_eq!((projects.len(), problems.len()), (2, 0));
    assert_eq!(sandbox.store().prune().unwrap(), [vanished]);
    let (projects, _) = sandbox.store().projects();
    assert_eq!(projects[0].project, sandbox.root());
    assert_eq!(projects[0].approvals[0].summary, "true");
    assert_eq!(sandbox.state(), TrustState::Trusted);
}

#[test]
fn pruning_a_store_that_is_not_there_makes_none() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.store().prune().unwrap(), [""; 0].map(PathBuf::from));
    assert!(!sandbox.store().directory().exists());
}

#[test]
fn all_approvals_of_a_project_can_be_taken_back_at_once() {
    let sandbox = Sandbox::new();
    sandbox.settings(&[hook("true"), hook("false")]);
    sandbox.approve();
    sandbox.trust().revoke_all().unwrap();
    assert_eq!(sandbox.states(), [TrustState::Untrusted; 2]);
}

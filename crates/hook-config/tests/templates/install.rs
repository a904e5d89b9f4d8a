//! Writing templates.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hook_config::{Format, InstallError, Layer, TEMPLATES, Template, Written, load};
use hook_shell::Host;

use crate::scene::{Scene, is_executable, options};

fn words(files: &[(PathBuf, Written)]) -> Vec<(String, &str)> {
    let word = |(path, written): &(PathBuf, Written)| {
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), written.as_str())
    };
    files.iter().map(word).collect()
}

fn pair(name: &str, word: &'static str) -> (String, &'static str) {
    (name.to_owned(), word)
}

#[test]
fn every_template_can_be_read_back_without_a_complaint() {
    for template in TEMPLATES {
        for layer in [Layer::User, Layer::Project] {
            let scene = Scene::new();
            let installed = template.install(&scene.places(), layer).unwrap();
            let options = options(Host::new()).lint(true);
            let loaded = load(&scene.places(), &options);
            assert_eq!(loaded.report.diagnostics, [], "{}", template.name);
            assert!(!loaded.hooks.is_empty(), "{}", template.name);
            for (path, written) in &installed.files {
                assert_eq!(*written, Written::Created);
                let is_script = path.extension().is_some_and(|extension| extension == "sh");
                assert_eq!(is_executable(path), is_script, "{}", path.display());
            }
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    for template in TEMPLATES {
        assert_eq!(Template::find(template.name), Some(template));
        let whole = format!("{}/{}", template.format.as_str(), template.name);
        assert_eq!(Template::find(&whole), Some(template));
        assert!(!template.description.ends_with('.'));
    }
    assert_eq!(Template::find("opta/log_all"), None);
    assert_eq!(Template::find("nothing"), None);
}

#[test]
fn no_script_needs_what_a_bare_machine_lacks() {
    for script in TEMPLATES.iter().flat_map(|template| template.scripts) {
        let text = script.text();
        assert!(text.starts_with("#!/bin/sh\n"), "{}", script.name);
        for lacking in ["jq ", "bash", "[[ ", "{field}", "{holds}", "{scripts}"] {
            assert!(!text.contains(lacking), "{}: {lacking}", script.name);
        }
    }
}

#[test]
fn writing_a_template_again_changes_nothing() {
    let scene = Scene::new();
    let template = Template::find("security").unwrap();
    template.install(&scene.places(), Layer::Project).unwrap();
    let text = scene.read("project/.opencode/hooks.json");
    let again = template.install(&scene.places(), Layer::Project).unwrap();
    let expected = [
        pair("security.sh", "unchanged"),
        pair("hooks.json", "unchanged"),
    ];
    assert_eq!(words(&again.files), expected);
    assert_eq!(scene.read("project/.opencode/hooks.json"), text);
}

#[test]
fn what_is_there_is_kept() {
    let scene = Scene::new();
    let settings = "{\n  // mine\n  \"model\": \"small\",\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": []}]}\n}\n";
    let path = scene.write("project/.claude/settings.json", settings);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    scene.write(
        "project/.claude/hooks/guard-commands.sh",
        "#!/bin/sh\n# my own\n",
    );
    let template = Template::find("guard-commands").unwrap();
    let installed = template
        .install_as(Format::Claude, &scene.places(), Layer::Project)
        .unwrap();
    let expected = [
        pair("guard-commands.sh", "kept"),
        pair("settings.json", "extended"),
    ];
    assert_eq!(words(&installed.files), expected);
    let text = scene.read("project/.claude/settings.json");
    assert!(
        text.starts_with("{\n  // mine\n  \"model\": \"small\","),
        "{text}"
    );
    assert!(text.contains("{\"hooks\": []}"), "{text}");
    assert!(
        text.contains(r#"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard-commands.sh"#),
        "{text}"
    );
    assert_eq!(
        scene.read("project/.claude/hooks/guard-commands.sh"),
        "#!/bin/sh\n# my own\n"
    );
    assert_eq!(
        fs::metadata(path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_users_template_names_its_script_by_its_whole_path() {
    let scene = Scene::new();
    let home = scene.path("home/a b");
    fs::create_dir_all(&home).unwrap();
    let mut places = scene.places();
    places.config = Some(home.join("it's"));
    let template = Template::find("block-rm").unwrap();
    template.install(&places, Layer::User).unwrap();
    let text = fs::read_to_string(home.join("it's/opta/config.json")).unwrap();
    let shown = format!("'{}/it'\\\\''s/opta/hooks'/block-rm.sh", home.display());
    assert!(text.contains(&shown), "{shown} in {text}");
}

#[test]
fn a_template_is_not_written_where_it_cannot_be() {
    let scene = Scene::opta("{\"hooks\": [");
    let template = Template::find("block-rm").unwrap();
    let error = template
        .install(&scene.places(), Layer::Project)
        .unwrap_err();
    assert!(matches!(error, InstallError::Edit(_)), "{error}");
    assert!(
        !scene.path("project/.opta/hooks").exists(),
        "no script without its entry"
    );

    let error = template.install_as(Format::Claude, &scene.places(), Layer::Project);
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "`block-rm` is a template of opta, and cannot be written as claude"
    );
    let error = template.install(&hook_config::Places::none(), Layer::User);
    assert!(matches!(error, Err(InstallError::NoPlace { .. })));
}

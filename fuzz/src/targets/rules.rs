//! The `if` of a hook and permission rules: `hook_runner::matcher::{Rule, ShellWords}`.
//!
//! An input is a byte that picks the tool, a rule, a line break, and what the tool is asked to do.

use hook_runner::matcher::{Call, Purpose, Rule, ShellWords, Truth};
use serde_json::json;

use super::{Target, pick, with_each_choice};
use crate::trace::Trace;

pub(super) const TARGET: Target = Target {
    name: "rules",
    about: "the `if` of a hook and permission rules, against calls",
    words: WORDS,
    seeds,
    check,
};

const WORDS: &[&str] = &[
    "\n",
    "Bash(",
    ")",
    "git *",
    "git push:*",
    "rm",
    " -rf ",
    "*",
    " && ",
    " || ",
    " | ",
    "; ",
    " & ",
    "$(",
    "`",
    "${x:-",
    "}",
    "<<EOF\n",
    "<<'E'\n",
    "\nEOF\n",
    "<<<",
    "<(",
    ">(",
    " > out",
    " 2>&1 ",
    "if true; then ",
    "; fi",
    "for i in a; do ",
    "; done",
    "case x in a) ",
    ";; esac",
    "f() { ",
    "; }",
    "sudo -u x ",
    "env A=b ",
    "xargs -I{} ",
    "bash -c '",
    "'",
    "\"",
    "\\",
    "\\\n",
    "$'\\x41'",
    "#",
    "!",
    "[[ ",
    " ]]",
    "((",
    "))",
    "eval ",
    "exec ",
    "nohup ",
    "timeout 5 ",
    "find . -exec ",
    " \\;",
    "time ",
    "A=b ",
    "PATH=/x ",
    "cd /x",
    "é",
    "\t",
    "~",
    "{a,b}",
    "Edit(",
    "Read(~/.ssh/**)",
    "src/**",
    "../",
    "//etc",
    "WebFetch(domain:",
    "*.example.com",
    "https://a.example.com/",
    "mcp__disk__*",
];

const TOOLS: [&str; 6] = [
    "Bash",
    "Edit",
    "Read",
    "Glob",
    "WebFetch",
    "mcp__disk__read",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = with_each_choice(
        &[0],
        &[
            "Bash(git *)\ngit add . && git push",
            "Bash(git push:*)\nsudo -u x git push origin main",
            "Bash(rm *)\nbash -c 'rm -rf /' | tee out",
            "Bash(git *)\necho $(git status) `git log`",
            "Bash(cat *)\ncat <<EOF\n$(rm x)\nEOF\n",
            "Bash(npm run test*)\nfor i in a b; do npm run test:$i; done",
            "Bash\nls",
        ],
    );
    seeds.extend(with_each_choice(
        &[1, 2, 3],
        &[
            "Edit(src/**)\nsrc/../src/main.rs",
            "Read(~/.ssh/**)\n/home/ann/.ssh/id",
            "Read(//etc/**)\n/etc/passwd",
            "Edit(*.ts)\na/b.ts",
            "Edit(/docs/*)\ndocs/x",
        ],
    ));
    seeds.extend(with_each_choice(
        &[4, 5],
        &[
            "WebFetch(domain:*.example.com)\nhttps://a.example.com:80/x",
            "mcp__disk__*\nx",
        ],
    ));
    seeds
}

fn check(input: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let Some((tool, rest)) = pick(&TOOLS, input) else {
        return trace;
    };
    let text = String::from_utf8_lossy(rest);
    let (rule, asked) = text.split_once('\n').unwrap_or((&text, "ls"));
    trace.saw(tool);
    let rule = match Rule::parse(rule) {
        Ok(rule) => rule,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            trace.shown(std::mem::discriminant(error.kind()));
            return trace;
        }
    };
    let written = rule.to_string();
    let [condition, allow, restrict] = judged(&rule, tool, asked);
    trace.saw((condition, allow, restrict));
    let again = Rule::parse(&written).ok();
    let again = again.map(|again| judged(&again, tool, asked));
    assert_eq!(
        again,
        Some([condition, allow, restrict]),
        "what is printed is read as the same"
    );

    if allow == Truth::Yes {
        assert_eq!(
            restrict,
            Truth::Yes,
            "{written} allows what it would not deny: {asked:?}"
        );
        assert!(
            condition.runs_hook(),
            "{written} allows what it would not see: {asked:?}"
        );
    }
    if restrict != Truth::No {
        assert!(
            condition.runs_hook(),
            "{written} restricts what its hook would not see: {asked:?}"
        );
    }
    if tool == "Bash" {
        words(&mut trace, asked);
        one_more_command(&rule, asked, restrict);
    }
    trace
}

fn judged(rule: &Rule, tool: &str, asked: &str) -> [Truth; 3] {
    let input = json!({"command": asked, "file_path": asked, "path": asked, "pattern": asked, "url": asked});
    let call = Call {
        tool_name: tool,
        tool_input: &input,
        cwd: "/home/ann/project",
        home: Some("/home/ann"),
        project_root: Some("/home/ann/project"),
    };
    [Purpose::Condition, Purpose::Allow, Purpose::Restrict]
        .map(|purpose| rule.judge(&call, purpose))
}

fn words(trace: &mut Trace, command: &str) {
    let words = ShellWords::read(command, &[("x", "value")]);
    trace.saw((
        words.unreadable,
        words.opaque.is_empty(),
        words.redirections.is_empty(),
    ));
    trace.count(words.commands.len());
}

/// A command that follows on a line of its own: an allow rule that does not fit it allows the whole no
/// more, and a deny rule that fits it misses it never.
fn one_more_command(rule: &Rule, asked: &str, before: Truth) {
    const UNHEARD_OF: &str = "unheard-of --flag";
    // A line that goes on, or a here-document, would swallow what follows.
    if asked.contains("<<") || asked.trim_end_matches('\n').ends_with('\\') {
        return;
    }
    let followed = format!("{asked}\n{UNHEARD_OF}");
    let [_, allow, restrict] = judged(rule, "Bash", &followed);
    let [_, alone, _] = judged(rule, "Bash", UNHEARD_OF);
    if alone == Truth::No {
        assert_ne!(allow, Truth::Yes, "{rule} allows {followed:?}");
    }
    if before == Truth::Yes {
        assert_ne!(restrict, Truth::No, "{rule} does not see {followed:?}");
    }
    let removes = Rule::parse("Bash(rm *)").ok();
    let removal = format!("{asked}\nrm x");
    let seen = removes.map(|removes| judged(&removes, "Bash", &removal)[2]);
    assert_ne!(seen, Some(Truth::No), "a removal is not seen: {removal:?}");
}

//! The same commands asked of allow rules, and of deny and ask rules.

use serde_json::json;

use super::judging;
use crate::matcher::{Call, Purpose, Rule, Truth};

mod allow {
    use super::{Purpose, judging};

    judging! { Purpose::Allow;
        single_command: "Bash(git *)", "git push" => Yes;
        expansion_in_another_command: "Bash(git push *)", "echo $(date)" => No;
        every_subcommand: "Bash(git *)", "git add . && git commit -m x" => Yes;
        not_every_subcommand: "Bash(git *)", "git add . && rm x" => No;
        substitution_has_to_be_allowed: "Bash(git *)", "git log $(rm x)" => No;
        substitution_that_is_allowed: "Bash(git *)", "git show $(git rev-parse HEAD)" => Yes;
        pipeline_has_to_be_allowed: "Bash(git *)", "git log | sh" => Unknown;
        variable_as_argument: "Bash(git *)", "git $X" => Yes;
        variable_as_name: "Bash(git *)", "$X push" => Unknown;
        variable_as_needed_argument: "Bash(git push *)", "git $X" => Unknown;
        more_than_a_name_and_expansion_elsewhere: "Bash(git push *)", "git push $X" => Yes;
        unreadable_command: "Bash(git *)", "git push 'x" => Unknown;
        empty_command: "Bash(git *)", "" => No;
        only_a_comment: "Bash(git *)", "# git" => No;
        everything: "Bash(*)", "rm 'x" => Yes;
        assignment: "Bash(git *)", "FOO=bar git push" => Yes;
        assignment_that_changes_the_program: "Bash(git *)", "PATH=/tmp git push" => Unknown;
        assignment_that_loads_a_library: "Bash(git *)", "LD_PRELOAD=x git push" => Unknown;
        assignment_that_a_language_runs: "Bash(lua *)", "LUA_INIT=@x lua y" => Unknown;
        assignment_on_a_line_of_its_own: "Bash(git *)", "PATH=/tmp; git push" => Unknown;
        assignment_by_env: "Bash(git *)", "env GIT_SSH_COMMAND=x git push" => Unknown;
        harmless_assignment_by_env: "Bash(git *)", "env LANG=C git push" => Yes;
        wrapper: "Bash(git *)", "timeout 5 git push" => Yes;
        wrapper_itself: "Bash(timeout 5 *)", "timeout 5 git push" => Yes;
        sudo_is_more_than_the_command: "Bash(git *)", "sudo git push" => Unknown;
        sudo_itself: "Bash(sudo git *)", "sudo git push" => Yes;
        sudo_inside_a_wrapper: "Bash(git *)", "timeout 5 sudo git push" => Unknown;
        wrapper_inside_sudo: "Bash(git *)", "sudo timeout 5 git push" => Unknown;
        text_of_a_shell: "Bash(git *)", "bash -c 'git add . && git push'" => Yes;
        text_of_a_shell_refuses: "Bash(git *)", "bash -c 'git add . && rm x'" => No;
        text_of_a_shell_with_expansion: "Bash(git *)", "bash -c \"git $X\"" => Unknown;
        find_exec_has_to_be_allowed: "Bash(find *)", "find . -exec rm {} +" => No;
        find: "Bash(find *)", "find . -name x" => Yes;
        xargs: "Bash(grep *)", "xargs grep x" => Yes;
        name_with_a_folder: "Bash(git *)", "./git push" => Unknown;
        eval: "Bash(git *)", "eval git push" => Unknown;
        eval_itself: "Bash(eval *)", "eval git push" => Yes;
        function_that_takes_the_name: "Bash(git *)", "git() { rm x; }; git push" => No;
        quoted_name_with_blank: "Bash(git push)", "\"git push\"" => No;
    }
}

mod condition {
    use super::{Purpose, judging};

    judging! { Purpose::Condition;
        first_of_two: "Bash(git *)", "git add . && rm x" => Yes;
        behind_sudo: "Bash(git *)", "sudo git push" => Yes;
        after_an_assignment_to_path: "Bash(git *)", "PATH=/tmp git push" => Yes;
        first_of_two_in_a_shell: "Bash(git *)", "bash -c 'git add . && rm x'" => Yes;
        find_with_exec: "Bash(find *)", "find . -exec rm {} +" => Yes;
        nothing: "Bash(git *)", "" => No;
    }
}

mod restrict {
    use super::{Purpose, judging};

    judging! { Purpose::Restrict;
        first_of_two: "Bash(git *)", "git add . && rm x" => Yes;
        behind_sudo: "Bash(git *)", "sudo git push" => Yes;
        after_an_assignment_to_path: "Bash(git *)", "PATH=/tmp git push" => Yes;
        first_of_two_in_a_shell: "Bash(git *)", "bash -c 'git add . && rm x'" => Yes;
        find_with_exec: "Bash(find *)", "find . -exec rm {} +" => Yes;
        nothing: "Bash(git *)", "" => No;
        any_subcommand: "Bash(rm *)", "ls && rm x" => Yes;
        no_subcommand: "Bash(rm *)", "ls && cat x" => No;
        expansion_elsewhere_does_not_matter: "Bash(git push *)", "echo $(date)" => No;
        expansion_that_could_matter: "Bash(git push *)", "git $X" => Unknown;
        variable_as_name: "Bash(rm *)", "$X y" => Unknown;
        unreadable_command: "Bash(rm *)", "ls 'x" => Unknown;
        sudo: "Bash(rm *)", "sudo rm x" => Yes;
        text_of_a_shell: "Bash(rm *)", "sh -c 'rm x'" => Yes;
        find_exec: "Bash(rm *)", "find . -exec rm {} +" => Yes;
        name_with_a_folder: "Bash(rm *)", "/bin/rm x" => Unknown;
        everything: "Bash(*)", "anything 'x" => Yes;
        assignment_does_not_hide: "Bash(rm *)", "PATH=/tmp rm x" => Yes;
    }
}

fn together(rules: &[&str], command: &str) -> Truth {
    let rules: Vec<_> = rules
        .iter()
        .map(|rule| Rule::parse(rule).unwrap())
        .collect();
    let input = json!({ "command": command });
    let call = Call {
        tool_name: "Bash",
        tool_input: &input,
        cwd: "/",
        home: None,
        project_root: None,
    };
    Rule::allow_together(&rules, &call)
}

#[test]
fn each_subcommand_may_be_allowed_by_another_rule() {
    let rules = ["Bash(cd *)", "Bash(git *)", "Edit(src/**)"];
    assert_eq!(together(&rules, "cd x && git push"), Truth::Yes);
    assert_eq!(together(&rules, "cd x && rm y"), Truth::No);
    assert_eq!(together(&rules, "cd x && $RUN"), Truth::Unknown);
    assert_eq!(together(&[], "ls"), Truth::No);
}

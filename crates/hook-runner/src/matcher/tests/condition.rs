//! The `if` of a hook: the rows of the protocol, word for word.

use super::judging;
use crate::matcher::Purpose;

judging! { Purpose::Condition;
    assignment_before_the_command: "Bash(git *)", "FOO=bar git push" => Yes;
    second_of_two_commands: "Bash(git *)", "npm test && git push" => Yes;
    inside_a_substitution: "Bash(rm *)", "echo $(rm -rf /)" => Yes;
    other_command_inside_a_substitution: "Bash(rm *)", "echo $(date)" => No;
    more_than_a_name_and_a_substitution: "Bash(git push *)", "echo $(date)" => Unknown;
    inside_backticks: "Bash(rm *)", "echo `rm -rf /`" => Yes;
    more_than_a_name_and_backticks: "Bash(git push *)", "echo `date`" => Unknown;
    more_than_a_name_and_a_variable: "Bash(git push *)", "echo $HOME" => Unknown;
    more_than_a_name_and_a_braced_variable: "Bash(git push *)", "echo ${HOME}" => Unknown;
    more_than_a_name_without_expansion: "Bash(git push *)", "echo hello" => No;
    more_than_a_name_and_a_quoted_dollar: "Bash(git push *)", "echo '$HOME'" => No;
    name_only_and_a_variable: "Bash(rm *)", "echo $HOME" => No;
    old_prefix_form: "Bash(git commit:*)", "git commit -m x" => Yes;
    old_prefix_form_without_arguments: "Bash(git commit:*)", "git commit" => Yes;
    old_prefix_form_ends_at_a_word: "Bash(git commit:*)", "git commit-tree x" => No;
    old_prefix_form_of_a_name: "Bash(git:*)", "git push" => Yes;
    unreadable_command: "Bash(git *)", "echo \"never closed" => Unknown;
    several_assignments: "Bash(git *)", "A=1 B=\"x y\" git push" => Yes;
}

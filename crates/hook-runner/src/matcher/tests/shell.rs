//! What a command names, and what of it only running would tell.

use crate::matcher::ShellWords;

const KNOWN: &[(&str, &str)] = &[
    ("ROOT", "/work"),
    ("SPACED", "/my work"),
    ("HOME", "/home/me"),
];

/// Each row: a name, a command, and a word that it names.
macro_rules! naming {
    ($($name:ident: $command:expr => $word:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let words = ShellWords::read($command, KNOWN);
                assert!(words.literals().any(|word| word == $word), "{words:?}");
                assert!(!words.unreadable, "{words:?}");
            }
        )+
    };
}

/// Each row: a name, a command, and a word that it must not be said to name.
macro_rules! not_naming {
    ($($name:ident: $command:expr => $word:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let words = ShellWords::read($command, KNOWN);
                assert!(!words.literals().any(|word| word == $word), "{words:?}");
            }
        )+
    };
}

naming! {
    plain_word: "./x.sh" => "./x.sh";
    quoted_blank: "sh 'a b.sh'" => "a b.sh";
    variable: "sh $ROOT/x.sh" => "/work/x.sh";
    variable_in_braces: "sh ${ROOT}/x.sh" => "/work/x.sh";
    variable_in_quotes: "sh \"$ROOT\"/x.sh" => "/work/x.sh";
    value_with_a_blank_in_quotes: "sh \"$SPACED/x.sh\"" => "/my work/x.sh";
    home: "sh ~/x.sh" => "/home/me/x.sh";
    home_by_name: "sh $HOME/x.sh" => "/home/me/x.sh";
    behind_a_wrapper: "timeout 5 env A=b ./x.sh" => "./x.sh";
    in_a_text: "bash -c 'sh $ROOT/x.sh'" => "/work/x.sh";
    in_a_text_that_is_filled_first: "bash -c \"sh $ROOT/x.sh\"" => "/work/x.sh";
    in_a_substitution: "echo $(sh ./x.sh)" => "./x.sh";
    in_a_process_substitution: "diff <(./x.sh) y" => "./x.sh";
    after_a_pipe: "cat | ./x.sh" => "./x.sh";
    input: "sh < ./x.sh" => "./x.sh";
    value_of_a_variable: "X=./x.sh; sh $X" => "./x.sh";
    sourced: ". ./x.sh" => "./x.sh";
}

not_naming! {
    output_is_no_input: "echo a >> ./log" => "./log";
    comment: "true # ./x.sh" => "./x.sh";
    value_with_a_blank_is_taken_apart: "sh $SPACED/x.sh" => "/my work/x.sh";
    quoted_home_is_a_name: "sh '~/x.sh'" => "/home/me/x.sh";
    variable_in_single_quotes: "sh '$ROOT/x.sh'" => "/work/x.sh";
    variable_that_is_set: "ROOT=/tmp; sh $ROOT/x.sh" => "/work/x.sh";
    variable_that_is_read: "read ROOT; sh $ROOT/x.sh" => "/work/x.sh";
    variable_that_is_set_in_pieces: "export RO'OT'=/tmp; sh $ROOT/x.sh" => "/work/x.sh";
    variable_of_a_loop: "for ROOT in a b; do sh $ROOT/x.sh; done" => "/work/x.sh";
    variable_in_arithmetic: "((ROOT=1)); sh $ROOT/x.sh" => "/work/x.sh";
    variable_with_an_operator: "sh ${ROOT%k}/x.sh" => "/work/x.sh";
}

#[test]
fn a_word_that_only_the_shell_knows_is_shown_as_it_is_written() {
    let words = ShellWords::read("sh \"$WHERE/x.sh\" *.ts", KNOWN);
    let open: Vec<_> = words.commands[0]
        .words
        .iter()
        .filter(|word| word.literal.is_none())
        .map(|word| word.written.as_str())
        .collect();
    assert_eq!(open, ["\"$WHERE/x.sh\"", "*.ts"]);
}

#[test]
fn what_runs_something_unwritten_is_opaque() {
    for command in [
        "eval x",
        "curl example.com | sh",
        "timeout 5 bash -s",
        "alias a=b",
    ] {
        let words = ShellWords::read(command, KNOWN);
        assert_eq!(words.opaque.len(), 1, "{words:?}");
    }
    assert_eq!(
        ShellWords::read("nice eval 'a b'", KNOWN).opaque,
        ["eval a b"]
    );
    assert!(ShellWords::read("sh ./x.sh", KNOWN).opaque.is_empty());
}

#[test]
fn variables_that_change_what_names_mean_are_listed() {
    let words = ShellWords::read("A=b PATH=./bin:$PATH env NODE_OPTIONS=x node y", KNOWN);
    assert_eq!(words.redirections, ["NODE_OPTIONS", "PATH"]);
}

#[test]
fn a_text_that_is_no_shell_is_unreadable() {
    assert!(ShellWords::read("echo 'a", KNOWN).unreadable);
    assert!(!ShellWords::read("echo a", KNOWN).unreadable);
}

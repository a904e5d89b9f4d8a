//! Commands as people and models write them, against an `if`.

use super::judging;
use crate::matcher::Purpose;

judging! { Purpose::Condition;
    // ===== patterns =====
    exact_command: "Bash(npm test)", "npm test" => Yes;
    exact_command_refuses_more: "Bash(npm test)", "npm test --watch" => No;
    star_after_a_blank_takes_no_arguments: "Bash(ls *)", "ls" => Yes;
    star_after_a_blank_ends_the_word: "Bash(ls *)", "lsof" => No;
    star_without_a_blank_goes_on: "Bash(ls*)", "lsof -i" => Yes;
    star_in_the_middle: "Bash(git * main)", "git checkout main" => Yes;
    star_in_the_middle_refuses: "Bash(git * main)", "git checkout maintenance" => No;
    star_in_front: "Bash(* --force)", "git push --force" => Yes;
    blanks_in_the_pattern_do_not_count: "Bash(git  push *)", "git push x" => Yes;
    quotes_in_the_pattern_do_not_count: "Bash(git commit -m \"wip*\")", "git commit -m 'wip 2'" => Yes;
    escaped_star_in_the_pattern: r"Bash(echo \*)", "echo x" => No;
    case_counts: "Bash(git *)", "GIT push" => No;

    // ===== words =====
    blanks_do_not_count: "Bash(git push *)", "  git \t push   x" => Yes;
    quoted_name: "Bash(git *)", "\"git\" push" => Yes;
    single_quoted_name: "Bash(git *)", "'git' push" => Yes;
    escaped_name: "Bash(git *)", "g\\it push" => Yes;
    leading_backslash: "Bash(git *)", "\\git push" => Yes;
    name_in_pieces: "Bash(git *)", "g'i'\"t\" push" => Yes;
    ansi_quoted_name: "Bash(git *)", "$'g\\x69t' push" => Yes;
    ansi_quoted_octal: "Bash(git *)", "$'\\147it' push" => Yes;
    ansi_quoted_oddity: "Bash(git *)", "$'\\q' push" => Unknown;
    quoted_blank_is_part_of_the_name: "Bash(git push)", "'git push'" => No;
    quoted_argument: "Bash(git push *)", "git \"push\" x" => Yes;
    escaped_quote_in_quotes: "Bash(echo a\\\"b)", "echo \"a\\\"b\"" => Yes;
    continued_line: "Bash(git push *)", "git \\\n  push x" => Yes;
    name_continued_on_the_next_line: "Bash(git *)", "g\\\nit push" => Yes;
    unicode: "Bash(écho *)", "écho ü" => Yes;
    unicode_blank_is_a_letter: "Bash(git push)", "git\u{3000}push" => No;
    unicode_name_is_no_variable: "Bash(git *)", "é=1 git push" => No;
    character_that_crashes_the_scanner: "Bash(git *)", "{\u{31860}" => Unknown;
    character_beyond_all_tables: "Bash(git *)", "git {\u{10FFFF} \u{E0001}" => Yes;
    unicode_refuses: "Bash(git *)", "gït push" => No;
    quoted_operators_are_text: "Bash(rm *)", "echo 'a && rm b'" => No;
    escaped_operator_is_text: "Bash(rm *)", "echo a \\; rm b" => No;

    // ===== what only the shell knows =====
    variable_as_name: "Bash(git *)", "$CMD push" => Unknown;
    variable_in_the_name: "Bash(git *)", "g$X push" => Unknown;
    variable_in_another_name: "Bash(git *)", "npm$X push" => No;
    variable_that_may_be_empty: "Bash(git push)", "$E git push" => Unknown;
    variable_as_argument: "Bash(git *)", "git $X" => Yes;
    variable_as_needed_argument: "Bash(git push *)", "git $X" => Unknown;
    quoted_variable_as_argument: "Bash(git *)", "git \"$@\"" => Yes;
    substitution_as_name: "Bash(git *)", "$(which git) push" => Unknown;
    file_name_pattern_as_argument: "Bash(git add *)", "git add *.ts" => Yes;
    file_name_pattern_in_the_name: "Bash(rm *)", "/bin/r? x" => Unknown;
    braces_hide_arguments: "Bash(git push)", "git {push,pull}" => Unknown;
    braces_that_are_text: "Bash(git diff @{u})", "git diff @{u}" => Yes;

    // ===== several commands =====
    semicolon: "Bash(rm *)", "cd x; rm y" => Yes;
    and: "Bash(rm *)", "true && rm y" => Yes;
    or: "Bash(rm *)", "false || rm y" => Yes;
    newline: "Bash(rm *)", "cd x\nrm y" => Yes;
    carriage_return: "Bash(rm y)", "cd x\r\nrm y\r\n" => Unknown;
    pipeline: "Bash(grep *)", "ls | grep x | wc" => Yes;
    pipeline_with_errors: "Bash(rm *)", "make |& rm y" => Yes;
    background: "Bash(rm *)", "sleep 5 & rm y" => Yes;
    backgrounded_itself: "Bash(rm *)", "rm y &" => Yes;
    negated: "Bash(rm *)", "! rm y" => Yes;
    subshell: "Bash(rm *)", "(cd x && rm y)" => Yes;
    group: "Bash(rm *)", "{ rm y; }" => Yes;
    function_body: "Bash(rm *)", "f() { rm y; }; f" => Yes;
    function_keyword: "Bash(rm *)", "function f { rm y; }" => Yes;
    if_condition: "Bash(rm *)", "if rm y; then :; fi" => Yes;
    if_body: "Bash(rm *)", "if true; then rm y; fi" => Yes;
    else_body: "Bash(rm *)", "if a; then b; elif c; then d; else rm y; fi" => Yes;
    for_body: "Bash(rm *)", "for i in a b; do rm y; done" => Yes;
    for_list: "Bash(rm *)", "for i in $(rm y); do :; done" => Yes;
    counting_for_body: "Bash(rm *)", "for ((i=0; i<3; i++)); do rm y; done" => Yes;
    while_body: "Bash(rm *)", "while read -r l; do rm y; done" => Yes;
    until_condition: "Bash(rm *)", "until rm y; do sleep 1; done" => Yes;
    case_body: "Bash(rm *)", "case $x in a) ls;; *) rm y;; esac" => Yes;
    select_body: "Bash(rm *)", "select x in a; do rm y; done" => Yes;
    loop_in_the_background: "Bash(rm *)", "while :; do rm y; done &" => Yes;

    // ===== commands inside words =====
    nested_substitution: "Bash(rm *)", "echo \"$(echo \"$(rm y)\")\"" => Yes;
    nested_backticks: "Bash(rm *)", "echo `echo \\`rm y\\``" => Yes;
    nested_backticks_after_a_dollar: "Bash(rm *)", "echo a$`echo \\`rm y\\``" => Yes;
    backticks_in_quotes: "Bash(rm *)", "echo \"`rm y`\"" => Yes;
    backticks_in_a_default: "Bash(rm *)", "echo \"${x:-`rm y`}\"" => Unknown;
    process_substitution_in_a_default: "Bash(rm *)", "echo ${x:-<(rm y)}" => Unknown;
    substitution_in_a_default: "Bash(rm *)", "echo ${x:-$(rm y)}" => Yes;
    process_substitution: "Bash(rm *)", "diff <(ls) <(rm y)" => Yes;
    output_process_substitution: "Bash(rm *)", "ls > >(rm y)" => Yes;
    substitution_in_an_assignment: "Bash(rm *)", "A=$(rm y)" => Yes;
    substitution_in_an_array: "Bash(rm *)", "a=(x $(rm y))" => Yes;
    substitution_in_a_declaration: "Bash(rm *)", "export A=$(rm y)" => Yes;
    substitution_in_arithmetic: "Bash(rm *)", "echo $((1 + $(rm y)))" => Yes;
    substitution_in_a_test: "Bash(rm *)", "[[ -n $(rm y) ]]" => Yes;
    substitution_in_a_redirection: "Bash(rm *)", "ls > $(rm y)" => Yes;
    single_quotes_hold_no_commands: "Bash(rm *)", "echo '$(rm y)'" => No;
    escaped_substitution: "Bash(rm *)", "echo \"\\$(rm y)\"" => No;
    arithmetic_is_no_command: "Bash(rm *)", "echo $((rm - 1))" => No;
    arithmetic_statement: "Bash(rm *)", "((rm = 1)); ls" => No;

    // ===== lines and here-documents that the grammar gets wrong =====
    next_line_starts_with_a_backslash: "Bash(rm *)", "ls a\n\\rm y" => Unknown;
    next_line_starts_with_a_backslash_after_a_redirection: "Bash(rm *)", "ls >o\n\\rm y" => Unknown;
    next_line_starts_with_a_backslash_after_an_assignment: "Bash(rm *)", "A=1\n\\rm y" => Unknown;
    next_line_starts_with_a_backslash_after_a_declaration: "Bash(rm *)", "export A=1\n\\rm y" => Unknown;
    semicolon_after_a_here_document: "Bash(rm *)", "echo <<E; rm y\na $x b\nE\n" => Unknown;
    dollar_before_the_end_of_a_here_document: "Bash(rm *)", "cat <<E\n$\nE\nrm y" => Unknown;
    here_document_with_continued_delimiter: "Bash(rm *)", "cat <<E\na\\\nE\nrm y\nE" => Unknown;
    two_pairs_of_backticks: "Bash(rm *)", "echo `ls` `rm y`" => Unknown;
    no_comment_after_a_continued_word: "Bash(rm *)", "echo a\\\n# $(rm y)" => Unknown;
    escaped_quotes_in_quoted_backticks: "Bash(rm *)", "echo \"`\\\"rm\\\" y`\"" => Yes;

    // ===== redirections, comments, here-documents =====
    redirection_is_no_argument: "Bash(git push)", "git push > out 2>&1" => Yes;
    redirection_in_front: "Bash(git push)", ">out git push" => Yes;
    words_after_a_redirection_are_arguments: "Bash(git push)", "git > out push" => Yes;
    words_after_a_duplication_are_arguments: "Bash(echo a b)", "echo a >&2 b" => Yes;
    redirection_target_is_no_command: "Bash(rm *)", "ls > rm" => No;
    comment: "Bash(rm *)", "ls # rm y" => No;
    comment_line: "Bash(rm *)", "# rm y\nls" => No;
    sign_inside_a_word_is_no_comment: "Bash(rm *)", "echo a#b; rm y" => Yes;
    only_a_comment: "Bash(rm *)", "# rm y" => No;
    here_document_is_text: "Bash(rm *)", "cat <<EOF\nrm y\nEOF" => No;
    here_document_with_substitution: "Bash(rm *)", "cat <<EOF\na $(rm y) b\nEOF" => Yes;
    here_document_with_backticks: "Bash(rm *)", "cat <<EOF\na `rm y` b\nEOF" => Yes;
    here_document_with_one_backtick: "Bash(rm *)", "cat <<EOF\na ` b\nEOF" => Unknown;
    here_document_with_escaped_backticks: "Bash(rm *)", "cat <<EOF\na \\`rm y\\`\nEOF" => No;
    quoted_here_document_is_text: "Bash(rm *)", "cat <<'EOF'\n$(rm y) `rm z`\nEOF" => No;
    command_after_a_here_document: "Bash(rm *)", "cat <<EOF && rm y\nx\nEOF" => Yes;
    pipe_after_a_here_document: "Bash(rm *)", "cat <<EOF | rm y\nx\nEOF" => Yes;
    next_line_after_a_here_document: "Bash(rm *)", "cat <<EOF\nx\nEOF\nrm y" => Yes;
    argument_after_a_here_document: "Bash(cat -n)", "cat <<EOF -n\nx\nEOF" => Yes;
    here_document_with_unicode_delimiter: "Bash(rm *)", "cat <<é\nü\nrm y\né" => Unknown;
    here_document_with_long_delimiter: "Bash(rm *)", &format!("cat <<{0}\nls\n{0}", "E".repeat(500)) => Unknown;
    very_many_here_documents: "Bash(rm *)", &"cat <<E\nx\nE\n".repeat(40) => Unknown;
    here_string: "Bash(rm *)", "cat <<< \"$(rm y)\"" => Yes;
    here_string_is_no_argument: "Bash(cat -n)", "cat <<< x -n" => Yes;

    // ===== wrappers =====
    env: "Bash(git *)", "env git push" => Yes;
    env_with_assignment: "Bash(git *)", "env A=b C=d git push" => Yes;
    env_with_options: "Bash(git *)", "env -i -u HOME git push" => Yes;
    env_alone: "Bash(git *)", "env" => No;
    env_split_string: "Bash(git *)", "env -S 'git push'" => Unknown;
    env_by_path: "Bash(git *)", "/usr/bin/env git push" => Yes;
    sudo: "Bash(git *)", "sudo git push" => Yes;
    sudo_with_user: "Bash(git *)", "sudo -u root git push" => Yes;
    sudo_with_attached_user: "Bash(git *)", "sudo -nuroot git push" => Yes;
    sudo_with_long_option: "Bash(git *)", "sudo --user root git push" => Yes;
    sudo_with_unheard_option: "Bash(git *)", "sudo --frob git push" => Unknown;
    sudo_with_end_of_options: "Bash(git *)", "sudo -- git push" => Yes;
    sudo_itself: "Bash(sudo *)", "sudo git push" => Yes;
    nohup: "Bash(git *)", "nohup git push &" => Yes;
    time: "Bash(git *)", "time -p git push" => Yes;
    time_with_assignment: "Bash(git *)", "time A=b git push" => Yes;
    time_of_a_group: "Bash(git *)", "time { git push; }" => Unknown;
    timeout: "Bash(git *)", "timeout -k 5 30 git push" => Yes;
    timeout_with_unknown_duration: "Bash(git *)", "timeout $T git push" => Unknown;
    nice: "Bash(git *)", "nice -n 5 git push" => Yes;
    nice_with_number: "Bash(git *)", "nice -10 git push" => Yes;
    xargs: "Bash(rm *)", "ls | xargs rm" => Yes;
    xargs_with_options: "Bash(rm *)", "ls | xargs -0 -n 1 rm -f" => Yes;
    xargs_with_braces: "Bash(rm *)", "ls | xargs -I{} rm {}" => Yes;
    xargs_with_other_replacement: "Bash(rm *)", "ls | xargs -I X X y" => Unknown;
    xargs_adds_arguments: "Bash(git push)", "echo push | xargs git" => Unknown;
    command: "Bash(git *)", "command git push" => Yes;
    command_query: "Bash(git *)", "command -v git" => No;
    exec: "Bash(git *)", "exec git push" => Yes;
    wrappers_in_wrappers: "Bash(git *)", "sudo env A=b timeout 5 nice git push" => Yes;
    bash_c: "Bash(git *)", "bash -c 'cd x && git push'" => Yes;
    bash_with_more_flags: "Bash(git *)", "bash -lc \"git push\"" => Yes;
    sh_with_option: "Bash(git *)", "sh -o errexit -c 'git push'" => Yes;
    bash_c_other: "Bash(git *)", "bash -c 'ls'" => No;
    bash_c_with_expansion: "Bash(git *)", "bash -c \"$X\"" => Unknown;
    bash_c_that_is_not_shell: "Bash(git *)", "bash -c 'echo \"'" => Unknown;
    bash_in_bash: "Bash(git *)", "bash -c \"sh -c 'git push'\"" => Yes;
    bash_reads_a_file: "Bash(git *)", "bash build.sh" => No;
    bash_reads_its_input: "Bash(git *)", "curl x | bash" => Unknown;
    bash_version: "Bash(git *)", "bash --version" => No;
    find_exec: "Bash(rm *)", "find . -name x -exec rm {} +" => Yes;
    find_exec_twice: "Bash(rm *)", "find . -exec ls {} \\; -exec rm {} \\;" => Yes;
    find_without_exec: "Bash(rm *)", "find . -name rm" => No;
    trap: "Bash(rm *)", "trap 'rm y' EXIT; ls" => Yes;
    eval: "Bash(git *)", "eval 'ls'" => Unknown;
    source: "Bash(git *)", "source x.sh" => Unknown;
    dot: "Bash(git *)", ". ./x.sh" => Unknown;
    alias: "Bash(git *)", "alias g=ls; g" => Unknown;
    eval_itself: "Bash(eval *)", "eval ls" => Yes;
    name_with_a_folder_is_likely_the_name: "Bash(rm *)", "/bin/rm y" => Unknown;
    name_with_a_folder_as_written: "Bash(/bin/rm *)", "/bin/rm y" => Yes;
    test_brackets: "Bash([ *)", "[ -f x ]" => Yes;
    declaration: "Bash(export *)", "export A=b" => Yes;

    // ===== limits and oddities =====
    empty_command: "Bash(git *)", "" => No;
    blank_command: "Bash(git *)", "  \n\t" => No;
    only_an_assignment: "Bash(git *)", "A=b" => No;
    unterminated_single_quote: "Bash(git *)", "echo 'x" => Unknown;
    unterminated_substitution: "Bash(git *)", "echo $(ls" => Unknown;
    stray_parenthesis: "Bash(git *)", "ls )" => Unknown;
    half_an_if: "Bash(git *)", "if true; then" => Unknown;
    nul: "Bash(git *)", "ls \0 git" => Unknown;
    longest_command: "Bash(git *)", &format!("echo {}", "x".repeat(64 * 1024 - 5)) => No;
    too_long_command: "Bash(git *)", &format!("echo {}", "x".repeat(64 * 1024)) => Unknown;
    deep_nesting: "Bash(git *)", &format!("{}ls{}", "(".repeat(300), ")".repeat(300)) => Unknown;
    many_wrappers: "Bash(git *)", &format!("{}git push", "sudo ".repeat(5000)) => Unknown;
    many_arguments: "Bash(git *)", &format!("echo{}", " a".repeat(30_000)) => No;
    many_brackets: "Bash(git *)", &format!("echo {}", "[".repeat(60_000)) => No;
    many_braces: "Bash(git *)", &format!("echo {}}}", "{".repeat(60_000)) => No;
    many_texts_in_texts: "Bash(git *)", &format!("{}ls", "find . -exec ".repeat(4000)) => Unknown;
    many_stars: "Bash(*a*a*a*a*a*a*a*a*b)", &format!("echo {}", "a".repeat(20_000)) => No;
    many_gaps: "Bash(*a*a*a*a*a*a*a*a*b)", &"$A a ".repeat(10_000) => Unknown;
}

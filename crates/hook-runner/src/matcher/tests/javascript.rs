//! JavaScript's regexes, where they differ from the engines' own. The rows of the first table
//! agree with a JavaScript engine; those of the second differ on purpose.

use super::matching;
use crate::matcher::Matcher;

matching! { Matcher::regex;
    digit_is_ascii: r"^\d$", "٣" => false;
    digit: r"^\d$", "3" => true;
    not_digit_has_other_scripts: r"^\D$", "٣" => true;
    word_is_ascii: r"^\w+$", "é" => false;
    not_word_has_accents: r"^\W$", "é" => true;
    word_boundary_is_ascii: r"\bb", "éb" => true;
    word_boundary_refuses: r"\bb", "ab" => false;
    no_word_boundary: r"\Bb", "ab" => true;
    word_boundary_while_backtracking: r"(?=.)\bb", "éb" => true;
    no_word_boundary_while_backtracking: r"(?=.)\Bb", "éb" => false;
    space_has_the_byte_order_mark: r"^\s$", "\u{FEFF}" => true;
    space_lacks_next_line: r"^\s$", "\u{85}" => false;
    dot_stops_at_carriage_return: "^.$", "\r" => false;
    dot_stops_at_line_separator: "^.$", "\u{2028}" => false;
    dollar_is_the_very_end: "a$", "a\n" => false;
    dollar_is_the_very_end_while_backtracking: "(?=a)a$", "a\n" => false;
    caret_is_the_very_start: "^b", "a\nb" => false;
    escaped_slash: r"^src\/main$", "src/main" => true;
    escaped_angle_bracket_is_itself: r"^\<a\>$", "<a>" => true;
    escaped_letter_is_itself: r"^\z\A\h$", "zAh" => true;
    escaped_hyphen: r"^a\-b$", "a-b" => true;
    named_group: "^(?<server>mcp)__", "mcp__x" => true;
    named_back_reference: r"^(?<a>\w)-\k<a>$", "x-x" => true;
    lone_brace_is_itself: "^{a}$", "{a}" => true;
    brace_that_is_no_count: "^a{,2}$", "a{,2}" => true;
    count: "^a{2}$", "aa" => true;
    open_count: "^a{2,}$", "aaaa" => true;
    count_range: "^a{1,2}$", "aaa" => false;
    lone_bracket_is_itself: "^]$", "]" => true;
    empty_class_is_nothing: "[]", "a" => false;
    negated_empty_class_is_anything: "^[^]$", "\n" => true;
    open_bracket_in_class: "^[[]$", "[" => true;
    ampersands_in_class: "^[a&&b]$", "&" => true;
    hyphens_in_class: "^[+--]$", "," => true;
    tilde_in_class: "^[~~]$", "~" => true;
    caret_inside_class: "^[a^]$", "^" => true;
    set_in_class: r"^[\d_]+$", "1_2" => true;
    negated_set_in_class: r"^[\D]$", "x" => true;
    hyphen_after_set_in_class: r"^[\w-.]+$", "a-b.c" => true;
    hyphen_after_set_is_no_range: r"^[\w-a]$", "`" => false;
    hyphen_before_set_in_class: r"^[+-\d]+$", "-1+" => true;
    backspace_in_class: r"^[\b]$", "\u{8}" => true;
    hex_escape: r"^\x41$", "A" => true;
    short_hex_escape_is_the_letter: r"^\x4$", "x4" => true;
    unicode_escape: r"^\u00e9$", "é" => true;
    surrogate_pair: r"^\ud83d\ude00$", "😀" => true;
    control_escape: r"^\cJ$", "\n" => true;
    null_escape: r"^\0$", "\0" => true;
    lazy_repetition: "^a+?$", "aaa" => true;
    variable_look_behind_of_alternatives: "(?<=mcp__|plugin_)disk$", "plugin_disk" => true;
}

/// Without the `u` flag JavaScript takes these for letters and braces, or for half a character.
mod deliberate {
    use super::{Matcher, matching};

    matching! { Matcher::regex;
        half_a_surrogate_pair_is_in_no_text: r"\ud83d", "😀" => false;
        code_point_escape: r"^\u{1F600}$", "😀" => true;
        unicode_property: r"^\p{Lu}$", "É" => true;
    }
}

//! Collects the simple commands of a syntax tree, wherever they stand.
//!
//! The grammar departs from the shell in a few places, all of them handled here:
//!
//! * a line that starts with a backslash is taken for a part of the line before;
//! * here-documents end where they should not (see [`super::heredoc`]);
//! * words after a redirection count as further targets of it, though they are arguments;
//! * backticks in here-documents and inside `${…}` are plain text to it;
//! * two pairs of backticks with a blank between them are one to it;
//! * escaped backticks within backticks are plain text to it;
//! * a line continued within a word makes two words, or a word and a comment.

use tree_sitter::{Node, Tree};

use super::{
    Command, Inner, Script, backtick,
    heredoc::{self, HereDocument},
    parse::Reader,
    text::Sign,
    word::{self, Word},
    wrapper,
};

/// The tree of any command that a person would write is much flatter.
const MAX_DEPTH: usize = 200;
/// The scanner forgets a here-document whose delimiter is very long.
const MAX_DELIMITER: usize = 128;

pub(super) fn walk(tree: &Tree, source: &str, reader: &mut Reader) -> Script {
    let mut walk = Walk {
        source,
        reader,
        script: Script::default(),
        is_misread: false,
    };
    walk.visit(tree.root_node(), 0);
    if walk.is_misread {
        return Script::opaque();
    }
    walk.script
}

struct Walk<'a> {
    source: &'a str,
    reader: &'a mut Reader,
    script: Script,
    /// The grammar took commands for text, or text for commands.
    is_misread: bool,
}

impl Walk<'_> {
    fn visit(&mut self, node: Node<'_>, depth: usize) {
        if depth == MAX_DEPTH {
            return self.script.commands.push(Command::opaque());
        }
        self.is_misread |= self.spans_lines(node);
        match node.kind() {
            "redirected_statement" => return self.redirected(node, depth),
            "command" => self.command(node, &[]),
            "declaration_command" | "unset_command" => self.builtin(node),
            "test_command" => self.test(node),
            "variable_assignment" => self.assignment(node),
            "file_redirect" => self.file_redirect(node),
            "simple_expansion" | "expansion" => self.script.has_expansion = true,
            "command_substitution" => {
                self.script.has_expansion = true;
                if self.escaped_backticks(node) {
                    return;
                }
            }
            "comment" => self.comment(node),
            "heredoc_redirect" => return self.here_document(node, depth),
            "word" | "regex" | "extglob_pattern" | "string_content" => self.plain_text(node),
            _ => {}
        }
        self.visit_children(node, depth);
    }

    fn visit_children(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, depth + 1);
        }
    }

    /// `None` if the grammar cut a character in two.
    fn text(&self, node: Node<'_>) -> Option<&str> {
        self.source.get(node.byte_range())
    }

    fn give_up(&mut self) {
        self.script.has_expansion = true;
        self.script.commands.push(Command::opaque());
    }

    /// Whether the grammar took a command on the next line for words of this one, as it does
    /// when that line starts with a backslash.
    fn spans_lines(&self, node: Node<'_>) -> bool {
        const ON_ONE_LINE: &[&str] = &[
            "command",
            "declaration_command",
            "unset_command",
            "variable_assignments",
            "redirected_statement",
            "file_redirect",
            "herestring_redirect",
            "heredoc_redirect",
        ];
        if !ON_ONE_LINE.contains(&node.kind()) {
            return false;
        }
        let mut end = node.start_byte();
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .take_while(|child| child.kind() != "heredoc_body")
            .any(|child| {
                let between = self.source.get(end..child.start_byte()).unwrap_or("\n");
                end = child.end_byte();
                between.replace("\\\n", "").contains('\n')
            })
    }

    // ===== commands =====

    /// A statement with redirections after it, which may have taken its last words.
    fn redirected(&mut self, node: Node<'_>, depth: usize) {
        let mut strays = Vec::new();
        let mut cursor = node.walk();
        for redirect in node.children_by_field_name("redirect", &mut cursor) {
            stray_words(redirect, &mut strays);
        }
        let body = node
            .child_by_field_name("body")
            .filter(|body| body.kind() == "command");
        match body {
            Some(command) => self.command(command, &strays),
            None if strays.is_empty() => {}
            None => self.script.commands.push(Command::opaque()),
        }
        for child in node.named_children(&mut node.walk()) {
            if Some(child) == body {
                self.visit_children(child, depth + 1);
            } else {
                self.visit(child, depth + 1);
            }
        }
    }

    fn command(&mut self, node: Node<'_>, strays: &[Node<'_>]) {
        let mut nodes = Vec::new();
        for (field, child) in fields(node) {
            match (field, child.kind()) {
                (Some("name" | "argument"), _) => nodes.push(child),
                (_, "subshell") => return self.give_up(),
                (Some(_) | None, _) => {}
            }
        }
        nodes.extend(strays);
        let words = word::read(&nodes, self.source, self.reader.known());
        self.add(&words);
    }

    /// `export A=b`, `declare`, `unset`: the keyword is a token without a name.
    fn builtin(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let nodes: Vec<_> = node.children(&mut cursor).collect();
        let words = word::read(&nodes, self.source, self.reader.known());
        self.add(&words);
    }

    /// `[ … ]` and `[[ … ]]`: a command whose arguments are a language of their own.
    fn test(&mut self, node: Node<'_>) {
        let Some(bracket) = node.child(0) else { return };
        let mut words = word::read(&[bracket], self.source, self.reader.known());
        words.push(Word::quoted(vec![Sign::Gap]));
        self.add(&words);
    }

    fn add(&mut self, words: &[Word]) {
        if words.is_empty() {
            return;
        }
        let peeled = wrapper::peel(words, self.reader);
        self.script.redirects_lookup |= peeled.redirects_lookup;
        self.script.commands.extend(peeled.aside);
        if let Inner::Script(inner) = &peeled.command.inner {
            self.script.has_expansion |= inner.has_expansion;
        }
        self.script.commands.push(peeled.command);
    }

    fn assignment(&mut self, node: Node<'_>) {
        let name = node
            .child_by_field_name("name")
            .and_then(|name| self.text(name));
        let Some(name) = name.map(ToOwned::to_owned) else {
            return;
        };
        self.script.redirects_lookup |= wrapper::redirects_lookup(&name);
        self.reader.note_assignment(&name);
        self.note(node.child_by_field_name("value"));
    }

    /// `< file`, whose content a command gets. What is written to is nobody's input.
    fn file_redirect(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let reads = node
            .children(&mut cursor)
            .any(|child| matches!(child.kind(), "<" | "<>" | "<&"));
        if reads {
            self.note(node.child_by_field_name("destination"));
        }
    }

    fn note(&mut self, node: Option<Node<'_>>) {
        let source = self.source;
        self.reader.note_words(|known| {
            node.map_or_else(Vec::new, |node| word::read(&[node], source, known))
        });
    }

    // ===== texts the grammar does not look into =====

    /// Reads a text whose commands run as part of this script.
    fn splice(&mut self, source: &str) {
        let inner = self.reader.nested(source);
        self.script.has_expansion = true;
        self.script.redirects_lookup |= inner.redirects_lookup;
        self.script.commands.extend(inner.commands);
    }

    /// Reads what stands between backticks, if the grammar did not.
    fn escaped_backticks(&mut self, node: Node<'_>) -> bool {
        let body = self
            .text(node)
            // The grammar counts a dollar before the backtick in.
            .map(|text| text.strip_prefix('$').unwrap_or(text))
            .and_then(|text| text.strip_prefix('`')?.strip_suffix('`'));
        let Some(body) = body else { return false };
        if backtick::has_backtick(body) {
            self.is_misread = true;
            return true;
        }
        if !body.contains('\\') {
            return false;
        }
        let in_quotes = node
            .parent()
            .is_some_and(|parent| parent.kind() == "string");
        let body = backtick::unescape(body, in_quotes);
        self.splice(&body);
        true
    }

    /// After a continued line a `#` may be in the middle of a word, and start no comment.
    fn comment(&mut self, node: Node<'_>) {
        let before = self.source.get(..node.start_byte());
        self.is_misread |= before.is_none_or(|before| before.ends_with("\\\n"));
    }

    fn here_document(&mut self, node: Node<'_>, depth: usize) {
        let Some(document) = self.confirmed(node) else {
            self.is_misread = true;
            return;
        };
        for child in node.named_children(&mut node.walk()) {
            match (child.kind(), document.is_quoted) {
                ("heredoc_body", true) => {}
                ("heredoc_body", false) => {
                    self.here_text(child);
                    self.visit_children(child, depth + 1);
                }
                _ => self.visit(child, depth + 1),
            }
        }
    }

    /// The here-document, if the shell would find it in the same place.
    fn confirmed(&self, node: Node<'_>) -> Option<HereDocument> {
        let start = first_of_kind(node, "heredoc_start")?;
        let end = first_of_kind(node, "heredoc_end")?;
        let document = heredoc::read(self.source, start.byte_range())?;
        let written = self.text(end)?;
        let found = end.end_byte() - written.trim_start().len()..end.end_byte();
        let mut cursor = node.walk();
        let in_place = node.children(&mut cursor).all(|child| match child.kind() {
            "heredoc_body" => child.start_byte() >= document.line_end,
            "heredoc_end" => found == document.end,
            ";" | "&" | ";;" => false,
            _ => child.end_byte() <= document.line_end,
        });
        let is_short = start.byte_range().len() <= MAX_DELIMITER;
        (in_place && is_short).then_some(document)
    }

    /// The parts of a here-document's body that the grammar took for plain text.
    fn here_text(&mut self, body: Node<'_>) {
        let mut plain = String::new();
        let mut at = body.start_byte();
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            if child.kind() != "heredoc_content" {
                plain.push_str(self.source.get(at..child.start_byte()).unwrap_or_default());
                at = child.end_byte();
            }
        }
        plain.push_str(self.source.get(at..body.end_byte()).unwrap_or_default());
        self.script.has_expansion |= backtick::has_dollar(&plain);
        match backtick::bodies(&plain) {
            Some(bodies) => bodies.iter().for_each(|body| self.splice(body)),
            None => self.give_up(),
        }
    }

    /// A substitution that the grammar overlooked, or a line's end.
    fn plain_text(&mut self, node: Node<'_>) {
        let Some(text) = self.text(node) else {
            return self.give_up();
        };
        let is_quoted = node.kind() == "string_content";
        let ends_line = node.kind() == "word" && backtick::has_line_end(text);
        if backtick::hides_substitution(text) || (!is_quoted && backtick::hides_process(text)) {
            self.give_up();
        }
        self.is_misread |= ends_line;
    }
}

/// The children with the names of their fields. Asking the node for each child's field would
/// take time quadratic in their number.
fn fields(node: Node<'_>) -> Vec<(Option<&str>, Node<'_>)> {
    let mut fields = Vec::new();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        fields.push((cursor.field_name(), cursor.node()));
        more = cursor.goto_next_sibling();
    }
    fields
}

fn first_of_kind<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .find(|child| child.kind() == kind)
}

/// The targets of a redirection after the first, which are really arguments.
fn stray_words<'tree>(redirect: Node<'tree>, strays: &mut Vec<Node<'tree>>) {
    let mut cursor = redirect.walk();
    match redirect.kind() {
        "file_redirect" => {
            strays.extend(
                redirect
                    .children_by_field_name("destination", &mut cursor)
                    .skip(1),
            );
        }
        "heredoc_redirect" => {
            for (field, child) in fields(redirect) {
                match field {
                    Some("argument") => strays.push(child),
                    Some("redirect") => stray_words(child, strays),
                    Some(_) | None => {}
                }
            }
        }
        _ => {}
    }
}

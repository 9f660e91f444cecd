//! Shell words with their quotes taken off.
//!
//! A [`Term`] says what a word is known to be: its literal text, whether a glob or an
//! expansion stands in it, and whether that expansion could turn into a flag. The
//! commands inside substitutions are handed back as text, for the walker to read.

use brush_parser::word::{ParameterExpr, WordPiece, WordPieceWithSource};

use super::syntax;

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Term {
    /// Its text without quotes; expansions as written.
    pub text: String,
    /// An expansion stands in it, so the text is not the whole truth.
    pub expands: bool,
    /// An unquoted `*`, `?` or `[…]` stands in it.
    pub globs: bool,
    /// It could turn into a flag, or into several words with a flag among them.
    pub flaggy: bool,
    /// A part of it was quoted.
    pub quoted: bool,
    /// Where its expansions stand in `text`.
    holes: Vec<(usize, usize)>,
}

impl Term {
    /// A word that is exactly `text`.
    pub fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Words that arrive at run time, from a pipe or a search.
    pub fn arriving(flaggy: bool) -> Self {
        Self { text: String::new(), expands: true, flaggy, ..Self::default() }
    }

    /// The text with a number for each expansion: how a script is read whose line
    /// numbers and counts come from variables.
    pub fn with_numbers(&self) -> String {
        let mut text = self.text.clone();
        for &(start, end) in self.holes.iter().rev() {
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, "1");
            }
        }
        text
    }

    /// The word behind its first `start` bytes: the value of `--flag=value`.
    pub fn behind(&self, start: usize) -> Self {
        let text = self.text.get(start..).unwrap_or_default().to_owned();
        let moved = |&(from, to): &(usize, usize)| Some((from.checked_sub(start)?, to - start));
        let holes = self.holes.iter().filter_map(moved).collect();
        Self { text, holes, ..self.clone() }
    }

    /// Whether the text is all there is.
    pub fn is_literal(&self) -> bool {
        !self.expands && !self.globs
    }
}

/// What stands in a word beside text, for the walker to look into.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// The text of a command substitution.
    Command(String),
    /// The name of a variable, `@` for the positional ones.
    Variable(String),
    /// Something that cannot be read.
    Opaque,
}

/// Takes the quotes off `word`. Flagginess is the walker's to decide: it knows what the
/// variables hold. `term.expands` is all that is said here, with what expands in `inner`.
pub(super) fn term(word: &str, inner: &mut Vec<Inner>) -> Term {
    let mut term = if word.contains(['$', '`']) { expanding(word, inner) } else { plain(word) };
    if word.starts_with('~') {
        term.expands = true;
    }
    term
}

/// Looks only for what expands in `body`, which a shell would expand without splitting.
pub(super) fn heredoc(body: &str, inner: &mut Vec<Inner>) {
    if !body.contains(['$', '`']) {
        return;
    }
    match syntax::heredoc_pieces(body) {
        Some(pieces) => {
            let mut ignored = Term::default();
            collect(&pieces, body, true, &mut ignored, inner);
        }
        None => inner.push(Inner::Opaque),
    }
}

fn plain(word: &str) -> Term {
    let mut term = Term { text: String::with_capacity(word.len()), ..Term::default() };
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match char {
            '\'' => {
                term.quoted = true;
                term.text.extend(chars.by_ref().take_while(|&next| next != '\''));
            }
            '"' => {
                term.quoted = true;
                double_quoted(&mut chars, &mut term.text);
            }
            '\\' => {
                term.quoted = true;
                term.text.extend(chars.next().filter(|&next| next != '\n'));
            }
            _ => unquoted(char, &mut term),
        }
    }
    braces(word, &mut term);
    term
}

fn double_quoted(chars: &mut std::str::Chars<'_>, text: &mut String) {
    while let Some(char) = chars.next() {
        match char {
            '"' => return,
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(next @ ('$' | '`' | '"' | '\\')) => text.push(next),
                Some(next) => text.extend(['\\', next]),
            },
            _ => text.push(char),
        }
    }
}

fn unquoted(char: char, term: &mut Term) {
    term.globs |= matches!(char, '*' | '?') || (char == ']' && term.text.contains('['));
    term.text.push(char);
}

/// `{a,b}` makes several words, and one of them may be a flag.
fn braces(word: &str, term: &mut Term) {
    let list = word.contains('{') && (word.contains(',') || word.contains(".."));
    if !list || word.starts_with(['\'', '"']) {
        return;
    }
    term.expands = true;
    term.flaggy |= word.starts_with('-')
        || ["{-", ",-", "{,", ",,", ",}"].iter().any(|sign| word.contains(sign)) && word.contains('-');
}

fn expanding(word: &str, inner: &mut Vec<Inner>) -> Term {
    let mut term = Term::default();
    if let Some(pieces) = syntax::pieces(word) {
        collect(&pieces, word, false, &mut term, inner);
    } else {
        term = Term { text: word.to_owned(), expands: true, flaggy: true, ..Term::default() };
        inner.push(Inner::Opaque);
    }
    braces(word, &mut term);
    term
}

fn collect(
    pieces: &[WordPieceWithSource],
    source: &str,
    quoted: bool,
    term: &mut Term,
    inner: &mut Vec<Inner>,
) {
    for piece in pieces {
        let raw = source.get(piece.start_index..piece.end_index).unwrap_or(source);
        match &piece.piece {
            WordPiece::Text(text) if quoted => term.text.push_str(text),
            WordPiece::Text(text) => text.chars().for_each(|char| unquoted(char, term)),
            WordPiece::SingleQuotedText(text) => {
                term.quoted = true;
                term.text.push_str(text);
            }
            WordPiece::AnsiCQuotedText(text) => ansi_c(text, term),
            WordPiece::DoubleQuotedSequence(nested) | WordPiece::GettextDoubleQuotedSequence(nested) => {
                term.quoted = true;
                collect(nested, source, true, term, inner);
            }
            WordPiece::EscapeSequence(text) => {
                term.quoted = true;
                term.text.extend(text.chars().skip(1).filter(|&char| char != '\n'));
            }
            WordPiece::TildeExpansion(_) => expands(raw, term),
            WordPiece::CommandSubstitution(text) | WordPiece::BackquotedCommandSubstitution(text) => {
                expands(raw, term);
                inner.push(Inner::Command(text.clone()));
            }
            WordPiece::ArithmeticExpression(sum) => {
                expands(raw, term);
                expression(&sum.value, inner);
            }
            WordPiece::ParameterExpansion(parameter) => {
                expands(raw, term);
                variable(parameter, raw, inner);
            }
        }
    }
}

fn expands(raw: &str, term: &mut Term) {
    term.expands = true;
    let start = term.text.len();
    term.text.push_str(raw);
    term.holes.push((start, term.text.len()));
}

/// Escapes of `$'…'` that are not a plain character leave the word unread.
fn ansi_c(text: &str, term: &mut Term) {
    term.quoted = true;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, if char == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => term.text.push('\n'),
            ('\\', Some('t')) => term.text.push('\t'),
            ('\\', Some(next @ ('\\' | '\'' | '"' | '?'))) => term.text.push(next),
            ('\\', other) => {
                term.text.push('\\');
                term.text.extend(other);
                term.expands = true;
                term.flaggy = true;
            }
            (other, _) => term.text.push(other),
        }
    }
}

/// What expands inside an arithmetic expression, where quotes hide nothing.
pub(super) fn expression(text: &str, inner: &mut Vec<Inner>) {
    if !text.contains(['$', '`']) {
        return;
    }
    match syntax::pieces(text) {
        Some(pieces) => collect(&pieces, text, false, &mut Term::default(), inner),
        None => inner.push(Inner::Opaque),
    }
}

fn variable(parameter: &ParameterExpr, raw: &str, inner: &mut Vec<Inner>) {
    use ParameterExpr as P;
    let name: String = raw
        .trim_start_matches(['$', '{', '!', '#'])
        .chars()
        .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
        .collect();
    match parameter {
        P::UseDefaultValues { default_value: value, .. }
        | P::AssignDefaultValues { default_value: value, .. }
        | P::UseAlternativeValue { alternative_value: value, .. } => {
            let value = value.as_deref().unwrap_or("");
            if value.contains(['$', '`']) {
                expression(value, inner);
            }
            if value.trim_start_matches(['"', '\'']).starts_with('-') {
                inner.push(Inner::Variable("-".to_owned()));
            }
        }
        // `${x@P}` runs what stands in x, `${!x}` names another variable.
        P::Transform { .. } => inner.push(Inner::Opaque),
        _ if raw.contains("$(") || raw.contains('`') => inner.push(Inner::Opaque),
        _ => {}
    }
    let positional = name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit());
    inner.push(Inner::Variable(if positional { "@".to_owned() } else { name }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_come_off_and_leave_the_text() {
        let cases = [
            // word            text        expands globs
            ("plain", "plain", false, false),
            ("'a b'", "a b", false, false),
            (r#"a"b"\c"#, "abc", false, false),
            (r#""a\"b\n""#, r#"a"b\n"#, false, false),
            ("'*.rs'", "*.rs", false, false),
            ("*.rs", "*.rs", false, true),
            ("src/{a,b}.rs", "src/{a,b}.rs", true, false),
            ("$x/y", "$x/y", true, false),
            (r#""$(ls)"/y"#, "$(ls)/y", true, false),
            (r"$'a\tb'", "a\tb", false, false),
            (r"$'\x67it'", r"\x67it", true, false),
            ("~/x", "~/x", true, false),
        ];
        for (word, text, expands, globs) in cases {
            let term = term(word, &mut Vec::new());
            assert_eq!((term.text.as_str(), term.expands, term.globs), (text, expands, globs), "{word}");
        }
    }

    #[test]
    fn what_a_substitution_runs_is_handed_back() {
        let mut inner = Vec::new();
        term(r#""a $(rm x) `ls` ${y:-$(id)}""#, &mut inner);
        let commands: Vec<_> = inner
            .iter()
            .filter_map(|inner| if let Inner::Command(text) = inner { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(commands, ["rm x", "ls", "id"]);
    }
}

//! Shell words with their quotes taken off.
//!
//! A [`Term`] says what a word is known to be: its literal text, whether a glob or an
//! expansion stands in it, and whether that expansion could turn into a flag. The
//! commands inside substitutions are handed back as text, for the walker to read.

use brush_parser::word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource};

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
    /// What it can be, where the line gives its variables all their values.
    pub values: Vec<String>,
    /// Directories below which everything lies that it stands for, each with its slash, or
    /// files that it may stand for.
    pub below: Vec<String>,
    /// The variables in it.
    pub uses: Vec<String>,
    /// The output of a command stands in it that may be more than a number.
    pub composed: bool,
    /// Where its expansions stand in `text`.
    holes: Vec<(usize, usize)>,
    /// `{a,b}` stands in it.
    braces: bool,
    /// It expands in a way that no hole shows: `~`, an escape.
    hidden: bool,
}

/// What a word names as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Exactly these.
    Files(Vec<String>),
    /// Something below these directories, each with its slash.
    Below(Vec<String>),
    /// Something that is not in the text.
    Hidden,
}

/// How many values a word with variables may have before they count as unknown.
const VALUES: usize = 8;

impl Term {
    /// A word that is exactly `text`.
    pub(crate) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Words that arrive at run time, from a pipe or a search.
    pub(crate) fn arriving(flaggy: bool) -> Self {
        Self { expands: true, flaggy, composed: true, hidden: true, ..Self::default() }
    }

    /// Whatever a search finds below `roots`.
    pub(crate) fn found_below(roots: Vec<String>) -> Self {
        Self { text: "{}".to_owned(), expands: true, below: roots, hidden: true, ..Self::default() }
    }

    /// The same word, of which only a shell knows what it is.
    pub(crate) fn hide(&mut self) {
        self.expands = true;
        self.hidden = true;
        self.values.clear();
    }

    /// What it names as a file, as far as the text shows.
    pub(crate) fn target(&self) -> Target {
        if self.is_literal() {
            return Target::Files(vec![self.text.clone()]);
        }
        if !self.values.is_empty() {
            return Target::Files(self.values.clone());
        }
        if !self.below.is_empty() {
            return Target::Below(self.below.clone());
        }
        let matching = (self.globs || self.braces) && self.holes.is_empty() && !self.hidden;
        self.directory()
            .filter(|_| matching)
            .map_or(Target::Hidden, |below| Target::Below(vec![below]))
    }

    /// The directory before the first wildcard, if no match can leave it.
    fn directory(&self) -> Option<String> {
        let wild = self.text.find(['*', '?', '[', '{'])?;
        let start = self.text[..wild].rfind('/').map_or(0, |slash| slash + 1);
        let (directory, rest) = self.text.split_at(start);
        let leaves = rest.starts_with('.') || rest.contains("/.") || rest.contains("..");
        let below = if directory.is_empty() { "./" } else { directory };
        (!leaves).then(|| below.to_owned())
    }

    /// The texts that come out when `value` says what each variable holds; none if it
    /// does not know one of them, or if the word expands in another way too.
    pub(crate) fn filled<'a>(&self, value: impl Fn(&str) -> Option<&'a [String]>) -> Vec<String> {
        if self.holes.is_empty() || self.hidden || self.braces || self.globs {
            return Vec::new();
        }
        let mut texts = vec![String::new()];
        let mut at = 0;
        for &(start, end) in &self.holes {
            let (Some(plain), Some(hole)) = (self.text.get(at..start), self.text.get(start..end))
            else {
                return Vec::new();
            };
            let values = name_in(hole).and_then(&value).unwrap_or_default();
            texts = texts
                .iter()
                .flat_map(|text| values.iter().map(move |value| format!("{text}{plain}{value}")))
                .take(VALUES + 1)
                .collect();
            at = end;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        for text in &mut texts {
            text.push_str(rest);
        }
        if texts.len() > VALUES { Vec::new() } else { texts }
    }

    /// The text with a number for each expansion: how a script is read whose line
    /// numbers and counts come from variables.
    pub(crate) fn with_numbers(&self) -> String {
        let mut text = self.text.clone();
        for &(start, end) in self.holes.iter().rev() {
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, "1");
            }
        }
        text
    }

    /// The word behind its first `start` bytes: the value of `--flag=value`.
    pub(crate) fn behind(&self, start: usize) -> Self {
        let text = self.text.get(start..).unwrap_or_default().to_owned();
        let moved = |&(from, to): &(usize, usize)| Some((from.checked_sub(start)?, to - start));
        let holes: Vec<_> = self.holes.iter().filter_map(moved).collect();
        let whole = holes.len() == self.holes.len();
        let values = self.values.iter().filter(|_| whole);
        let values = values.filter_map(|value| value.get(start..).map(str::to_owned)).collect();
        Self { text, holes, values, below: Vec::new(), ..self.clone() }
    }

    /// Whether the text is all there is.
    pub(crate) fn is_literal(&self) -> bool {
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
    /// The text of an arithmetic expression, a subscript among them.
    Sum(String),
    /// Something that cannot be read.
    Opaque,
}

/// Takes the quotes off `word`. Flagginess is the walker's to decide: it knows what the
/// variables hold. `term.expands` is all that is said here, with what expands in `inner`.
pub(super) fn term(word: &str, inner: &mut Vec<Inner>) -> Term {
    let mut term = if word.contains(['$', '`']) { expanding(word, inner) } else { plain(word) };
    if word.starts_with('~') {
        term.hide();
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
    term.braces = true;
    term.flaggy |= word.starts_with('-')
        || ["{-", ",-", "{,", ",,", ",}"].iter().any(|sign| word.contains(sign))
            && word.contains('-');
}

fn expanding(word: &str, inner: &mut Vec<Inner>) -> Term {
    let mut term = Term::default();
    if let Some(pieces) = syntax::pieces(word) {
        collect(&pieces, word, false, &mut term, inner);
    } else {
        term = Term { text: word.to_owned(), flaggy: true, ..Term::arriving(true) };
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
            WordPiece::DoubleQuotedSequence(nested)
            | WordPiece::GettextDoubleQuotedSequence(nested) => {
                term.quoted = true;
                collect(nested, source, true, term, inner);
            }
            WordPiece::EscapeSequence(text) => {
                term.quoted = true;
                term.text.extend(text.chars().skip(1).filter(|&char| char != '\n'));
            }
            WordPiece::TildeExpansion(_) => expands(raw, term),
            WordPiece::CommandSubstitution(text)
            | WordPiece::BackquotedCommandSubstitution(text) => {
                expands(raw, term);
                inner.push(Inner::Command(text.clone()));
            }
            WordPiece::ArithmeticExpression(sum) => {
                expands(raw, term);
                inner.push(Inner::Sum(sum.value.clone()));
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
                term.hide();
                term.flaggy = true;
            }
            (other, _) => term.text.push(other),
        }
    }
}

/// An arithmetic expression with what expands in it, where quotes hide nothing.
pub(super) fn expression(text: &str, inner: &mut Vec<Inner>) -> Term {
    if !text.contains(['$', '`']) {
        return Term::literal(text);
    }
    let mut term = Term::default();
    match syntax::pieces(text) {
        Some(pieces) => collect(&pieces, text, false, &mut term, inner),
        None => inner.push(Inner::Opaque),
    }
    term
}

/// The name in a plain `$x` or `${x}`.
fn name_in(hole: &str) -> Option<&str> {
    let braced = hole.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
    let name = braced.or_else(|| hole.strip_prefix('$'))?;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain && !name.is_empty()).then_some(name)
}

fn variable(expression: &ParameterExpr, raw: &str, inner: &mut Vec<Inner>) {
    use ParameterExpr as P;
    let name: String = raw
        .trim_start_matches(['$', '{', '!', '#'])
        .chars()
        .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
        .collect();
    match expression {
        P::UseDefaultValues { default_value: value, .. }
        | P::AssignDefaultValues { default_value: value, .. }
        | P::UseAlternativeValue { alternative_value: value, .. } => {
            default_value(value.as_deref().unwrap_or(""), inner);
        }
        P::Substring { offset, length, .. } => {
            inner.push(Inner::Sum(offset.value.clone()));
            inner.extend(length.as_ref().map(|length| Inner::Sum(length.value.clone())));
        }
        // `${x@P}` runs what stands in x.
        P::Transform { .. } => inner.push(Inner::Opaque),
        _ if raw.contains("$(") || raw.contains('`') => inner.push(Inner::Opaque),
        _ => {}
    }
    if let Some((parameter, indirect)) = parameter_of(expression) {
        inner.extend(subscript(parameter).map(|index| Inner::Sum(index.to_owned())));
        // `${!x}` takes the value of x for a name, which may have a subscript.
        inner.extend(indirect.then(|| Inner::Sum(name.clone())));
    }
    let counts =
        matches!(raw, "$#" | "$?" | "$$" | "$!") || matches!(expression, P::ParameterLength { .. });
    if !counts {
        let positional = name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit());
        inner.push(Inner::Variable(if positional { "@".to_owned() } else { name }));
    }
}

fn default_value(value: &str, inner: &mut Vec<Inner>) {
    if value.contains(['$', '`']) {
        expression(value, inner);
    }
    if value.trim_start_matches(['"', '\'']).starts_with('-') {
        inner.push(Inner::Variable("-".to_owned()));
    }
}

fn subscript(parameter: &Parameter) -> Option<&str> {
    match parameter {
        Parameter::NamedWithIndex { index, .. } => Some(index),
        _ => None,
    }
}

/// The parameter of an expansion, and whether it is taken for the name of another.
fn parameter_of(expression: &ParameterExpr) -> Option<(&Parameter, bool)> {
    use ParameterExpr as P;
    match expression {
        P::Parameter { parameter, indirect }
        | P::UseDefaultValues { parameter, indirect, .. }
        | P::AssignDefaultValues { parameter, indirect, .. }
        | P::IndicateErrorIfNullOrUnset { parameter, indirect, .. }
        | P::UseAlternativeValue { parameter, indirect, .. }
        | P::ParameterLength { parameter, indirect }
        | P::RemoveSmallestSuffixPattern { parameter, indirect, .. }
        | P::RemoveLargestSuffixPattern { parameter, indirect, .. }
        | P::RemoveSmallestPrefixPattern { parameter, indirect, .. }
        | P::RemoveLargestPrefixPattern { parameter, indirect, .. }
        | P::Substring { parameter, indirect, .. }
        | P::Transform { parameter, indirect, .. }
        | P::UppercaseFirstChar { parameter, indirect, .. }
        | P::UppercasePattern { parameter, indirect, .. }
        | P::LowercaseFirstChar { parameter, indirect, .. }
        | P::LowercasePattern { parameter, indirect, .. }
        | P::ReplaceSubstring { parameter, indirect, .. } => Some((parameter, *indirect)),
        P::VariableNames { .. } | P::MemberKeys { .. } => None,
    }
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
            assert_eq!(
                (term.text.as_str(), term.expands, term.globs),
                (text, expands, globs),
                "{word}"
            );
        }
    }

    #[test]
    fn what_a_substitution_runs_is_handed_back() {
        let mut inner = Vec::new();
        term(r#""a $(rm x) `ls` ${y:-$(id)}""#, &mut inner);
        let commands: Vec<_> = inner
            .iter()
            .filter_map(
                |inner| if let Inner::Command(text) = inner { Some(text.as_str()) } else { None },
            )
            .collect();
        assert_eq!(commands, ["rm x", "ls", "id"]);
    }
}

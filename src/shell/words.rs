//! Shell words with their quotes taken off.
//!
//! A [`Term`] says what a word is known to be: its literal text, whether a glob or an
//! expansion stands in it, and whether that expansion could turn into a flag. The
//! commands inside substitutions are handed back as text, for the walker to read.

use brush_parser::word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource};

use super::braces::{self, Braces, Item};
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
    /// Somewhere in it a flag may stand, if it is split into words later.
    pub loose: bool,
    /// Its expansions come out as numbers, or are the environment's.
    pub digits: bool,
    /// A part of it was quoted.
    pub quoted: bool,
    /// What it can be, where the line gives its variables all their values.
    pub values: Vec<String>,
    /// Directories below which everything lies that it stands for, each with its slash, or
    /// files that it may stand for.
    pub below: Vec<String>,
    /// What of all that a search found there, as a pattern below each; empty where nobody knows.
    pub meant: Vec<String>,
    /// The variables in it.
    pub uses: Vec<String>,
    /// Its text with what the line gives its variables, as written there.
    pub told: String,
    /// The output of a command stands in it that may be more than a number.
    pub composed: bool,
    /// Where its expansions stand in `text`.
    holes: Vec<(usize, usize)>,
    /// Unquoted, an expansion of it may come out as several words.
    pub splits: bool,
    /// It may come out as no word at all: nothing but unquoted expansions, or a pattern that
    /// fits nothing.
    pub vanishes: bool,
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
        Self {
            expands: true,
            flaggy,
            loose: flaggy,
            composed: true,
            splits: true,
            hidden: true,
            ..Self::default()
        }
    }

    /// Whatever a search finds below `roots`.
    pub(crate) fn found_below(roots: Vec<String>) -> Self {
        Self { text: "{}".to_owned(), expands: true, below: roots, hidden: true, ..Self::default() }
    }

    /// Whether it may come out as several words.
    pub(crate) fn is_many(&self) -> bool {
        self.values.is_empty() && (self.splits || self.globs)
    }

    /// Whether nothing but a number can come out of it.
    pub(crate) fn is_number(&self) -> bool {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        !self.globs
            && !self.hidden
            && (self.digits || !self.expands)
            && digits(&self.with_numbers())
    }

    /// `name=` stands before anything that expands.
    pub(crate) fn begins_with_a_name(&self) -> bool {
        let start = self.holes.first().map_or(self.text.len(), |(start, _)| *start);
        let wild = self.text.find(['*', '?', '[']).filter(|_| self.globs).unwrap_or(start);
        self.text.get(..start.min(wild)).is_some_and(|plain| plain.contains('='))
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
        let matching = self.globs && self.holes.is_empty() && !self.hidden;
        self.directory()
            .filter(|_| matching)
            .map_or(Target::Hidden, |below| Target::Below(vec![below]))
    }

    /// What it stands for of all below a directory that [`Self::target`] names, each a pattern from
    /// there; empty where the text does not say.
    pub(crate) fn meant(&self, directory: &str) -> Vec<String> {
        if self.below.is_empty() && self.globs {
            let rest = self.text.strip_prefix(directory).unwrap_or(&self.text);
            return vec![rest.to_owned()];
        }
        self.meant.clone()
    }

    /// The directory before the first wildcard, if no match can leave it.
    fn directory(&self) -> Option<String> {
        let wild = self.text.find(['*', '?', '['])?;
        let start = self.text[..wild].rfind('/').map_or(0, |slash| slash + 1);
        let (directory, rest) = self.text.split_at(start);
        let leaves = rest.starts_with('.') || rest.contains("/.") || rest.contains("..");
        let below = if directory.is_empty() { "./" } else { directory };
        (!leaves).then(|| below.to_owned())
    }

    /// The texts that come out when `value` says what each variable holds; none if it
    /// does not know one of them, or if the word expands in another way too.
    pub(crate) fn filled<'a>(&self, value: impl Fn(&str) -> Option<&'a [String]>) -> Vec<String> {
        if self.holes.is_empty() || self.hidden || self.globs {
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

    /// The text with `sign` for each expansion.
    pub(crate) fn with_holes(&self, sign: char) -> String {
        self.replaced(&sign.to_string())
    }

    /// The text with a number for each expansion: how a script is read whose line
    /// numbers and counts come from variables.
    pub(crate) fn with_numbers(&self) -> String {
        self.replaced("1")
    }

    fn replaced(&self, by: &str) -> String {
        let mut text = self.text.clone();
        for &(start, end) in self.holes.iter().rev() {
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, by);
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
    /// A variable gets a value on the way: `${x:=value}`.
    Sets(String, String),
    /// What comes out is a part of a variable's value, or one with other text in it.
    Altered(String),
    /// Something that cannot be read.
    Opaque,
}

/// Takes the quotes off `word`, which stands where a shell expands no braces: an assigned
/// value, a word that is tested. Flagginess is the walker's to decide: it knows what the
/// variables hold. `term.expands` is all that is said here, with what expands in `inner`.
pub(super) fn term(word: &str, inner: &mut Vec<Inner>) -> Term {
    match items(word, inner) {
        Some(items) => put_together(&items),
        None => unread(word, inner),
    }
}

/// The words that `word` becomes as an argument: `{a,b}` is two.
///
/// Braces are a matter of what is quoted, so they are read from the pieces of the word. With
/// anything in them whose end is not sure, the word is not read at all.
pub(super) fn terms(word: &str, inner: &mut Vec<Inner>) -> Vec<Term> {
    let Some(items) = items(word, inner) else { return vec![unread(word, inner)] };
    // Only a shell with patterns of its own takes `*(…)`, and one of them runs what is in it.
    if items.iter().any(|item| matches!(item, Item::Plain('(' | ')'))) {
        return vec![unread(word, inner)];
    }
    match braces::expanded(&items) {
        Braces::None => vec![put_together(&items)],
        Braces::Words(words) => words.iter().map(|items| put_together(items)).collect(),
        Braces::Numbers => {
            let mut term = put_together(&items);
            term.splits = true;
            term.hide();
            vec![term]
        }
        Braces::Unread => vec![unread(word, inner)],
    }
}

fn unread(word: &str, inner: &mut Vec<Inner>) -> Term {
    inner.push(Inner::Opaque);
    Term { text: word.to_owned(), splits: true, ..Term::arriving(true) }
}

fn put_together(items: &[Item]) -> Term {
    let mut term = Term { text: String::with_capacity(items.len()), ..Term::default() };
    let counts = |raw: &str| matches!(raw, "$#" | "$?" | "$$" | "$!");
    let may_be_empty = |item: &Item| {
        let Item::Hole { raw, quoted: false } = item else { return false };
        !counts(raw) && !raw.starts_with("$((")
    };
    term.vanishes = items.iter().all(may_be_empty);
    let mut before = None;
    for item in items {
        match item {
            Item::Plain('~') if matches!(before, None | Some('=' | ':')) => {
                term.text.push('~');
                term.hide();
            }
            Item::Plain(char) => unquoted(*char, &mut term),
            Item::Quoted(char) => {
                term.quoted = true;
                term.text.push(*char);
            }
            Item::Empty => term.quoted = true,
            Item::Hole { raw, quoted } => {
                term.splits |= !quoted;
                term.quoted |= quoted;
                expands(raw, &mut term);
            }
        }
        before = if let Item::Plain(char) = item { Some(*char) } else { Some('x') };
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
            // A body holds nothing that a shell would not read; what it says is text.
            if collect(&pieces, body, true, &mut Vec::new(), inner).is_none() {
                inner.push(Inner::Opaque);
            }
        }
        None => inner.push(Inner::Opaque),
    }
}

/// The pieces of `word`; `None` where the word is not understood.
fn items(word: &str, inner: &mut Vec<Inner>) -> Option<Vec<Item>> {
    let mut items = Vec::with_capacity(word.len());
    if !word.contains(['$', '`']) {
        return plain(word, &mut items).map(|()| items);
    }
    let pieces = syntax::pieces(word)?;
    collect(&pieces, word, false, &mut items, inner)?;
    Some(items)
}

fn plain(word: &str, items: &mut Vec<Item>) -> Option<()> {
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match char {
            '\'' => {
                items.push(Item::Empty);
                quoted_until(&mut chars, items)?;
            }
            '"' => {
                items.push(Item::Empty);
                double_quoted(&mut chars, items)?;
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                next => items.push(Item::Quoted(next?)),
            },
            _ => items.push(Item::Plain(char)),
        }
    }
    Some(())
}

fn quoted_until(chars: &mut std::str::Chars<'_>, items: &mut Vec<Item>) -> Option<()> {
    loop {
        match chars.next()? {
            '\'' => return Some(()),
            char => items.push(Item::Quoted(char)),
        }
    }
}

fn double_quoted(chars: &mut std::str::Chars<'_>, items: &mut Vec<Item>) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '\\' => match chars.next()? {
                '\n' => {}
                next @ ('$' | '`' | '"' | '\\') => items.push(Item::Quoted(next)),
                next => items.extend([Item::Quoted('\\'), Item::Quoted(next)]),
            },
            char => items.push(Item::Quoted(char)),
        }
    }
}

fn unquoted(char: char, term: &mut Term) {
    term.globs |= matches!(char, '*' | '?') || (char == ']' && term.text.contains('['));
    term.text.push(char);
}

fn collect(
    pieces: &[WordPieceWithSource],
    source: &str,
    quoted: bool,
    items: &mut Vec<Item>,
    inner: &mut Vec<Inner>,
) -> Option<()> {
    for piece in pieces {
        let raw = source.get(piece.start_index..piece.end_index)?;
        let hole = || Item::Hole { raw: raw.to_owned(), quoted };
        match &piece.piece {
            WordPiece::Text(text) => {
                let next = source[piece.end_index..].chars().next();
                plain_text(text, next, quoted, items)?;
            }
            WordPiece::SingleQuotedText(text) => {
                items.push(Item::Empty);
                items.extend(text.chars().map(Item::Quoted));
            }
            WordPiece::AnsiCQuotedText(text) => {
                items.push(Item::Empty);
                ansi_c(text, items)?;
            }
            WordPiece::DoubleQuotedSequence(nested) => {
                items.push(Item::Empty);
                collect(nested, source, true, items, inner)?;
            }
            // What it says is looked up in a file of translations, or is a plain `$` before quotes.
            WordPiece::GettextDoubleQuotedSequence(_) => return None,
            WordPiece::EscapeSequence(text) => {
                items.extend(text.chars().skip(1).filter(|&char| char != '\n').map(Item::Quoted));
            }
            WordPiece::TildeExpansion(_) => items.extend(raw.chars().map(Item::Plain)),
            WordPiece::CommandSubstitution(text)
            | WordPiece::BackquotedCommandSubstitution(text) => {
                items.push(hole());
                inner.push(Inner::Command(text.clone()));
            }
            WordPiece::ArithmeticExpression(sum) => {
                items.push(hole());
                inner.push(if is_sum(&sum.value) {
                    Inner::Sum(sum.value.clone())
                } else {
                    Inner::Opaque
                });
            }
            WordPiece::ParameterExpansion(parameter) => {
                items.push(hole());
                variable(parameter, raw, inner);
            }
        }
    }
    Some(())
}

/// Text of a word, with `next` behind it; `None` where an expansion begins that the parser did
/// not take for one: `$[…]` is an old form of arithmetic, which runs what stands in it.
fn plain_text(text: &str, next: Option<char>, quoted: bool, items: &mut Vec<Item>) -> Option<()> {
    let opens = ["$[", "${", "$("].iter().any(|sign| text.contains(sign))
        || (text.ends_with('$') && matches!(next, Some('[' | '{' | '(')));
    let item = if quoted { Item::Quoted } else { Item::Plain };
    items.extend(text.chars().map(item));
    (!opens).then_some(())
}

/// Whether `$((text))` is arithmetic for every shell: where its brackets do not pair up, it
/// is a command in brackets.
pub(super) fn is_sum(text: &str) -> bool {
    let mut depth = 0_usize;
    for char in text.chars() {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            '#' | '\'' | '"' | '\\' if text.contains(['(', ')']) => return false,
            _ => {}
        }
    }
    depth == 0
}

fn expands(raw: &str, term: &mut Term) {
    term.expands = true;
    let start = term.text.len();
    term.text.push_str(raw);
    term.holes.push((start, term.text.len()));
}

/// The characters of `$'…'`; `None` where shells differ in what an escape says.
fn ansi_c(text: &str, items: &mut Vec<Item>) -> Option<()> {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            items.push(Item::Quoted(char));
            continue;
        }
        let escaped = match chars.next()? {
            'a' => '\x07',
            'b' => '\x08',
            'e' | 'E' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            char @ ('\\' | '\'' | '"') => char,
            first @ '0'..='7' => numbered(&mut chars, first.to_digit(8)?, 8, 2)?,
            'x' => numbered(&mut chars, 0, 16, 2)?,
            'u' => numbered(&mut chars, 0, 16, 4)?,
            'U' => numbered(&mut chars, 0, 16, 8)?,
            _ => return None,
        };
        items.push(Item::Quoted(escaped));
    }
    Some(())
}

/// A character by its number. Beyond ASCII it depends on the locale; 0 ends the word.
fn numbered(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    first: u32,
    radix: u32,
    most: usize,
) -> Option<char> {
    let (mut number, mut count) = (first, 0);
    while let Some(digit) =
        chars.peek().and_then(|char| char.to_digit(radix)).filter(|_| count < most)
    {
        number = number.checked_mul(radix)?.checked_add(digit)?;
        chars.next();
        count += 1;
    }
    let known = (count > 0 || radix == 8) && (1..0x80).contains(&number);
    char::from_u32(number).filter(|_| known)
}

/// An arithmetic expression with what expands in it, where quotes hide nothing.
pub(super) fn expression(text: &str, inner: &mut Vec<Inner>) -> Term {
    if !text.contains(['$', '`']) {
        return Term::literal(text);
    }
    match items(text, inner) {
        Some(items) => put_together(&items),
        None => unread(text, inner),
    }
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
        | P::UseAlternativeValue { alternative_value: value, .. } => {
            default_value(value.as_deref().unwrap_or(""), inner);
        }
        P::AssignDefaultValues { default_value: value, .. } => {
            let value = value.as_deref().unwrap_or("");
            default_value(value, inner);
            inner.push(Inner::Sets(name.clone(), value.to_owned()));
        }
        P::Substring { offset, length, .. } => {
            if offset.value.trim() != "0" {
                inner.push(Inner::Altered(name.clone()));
            }
            inner.push(Inner::Sum(offset.value.clone()));
            inner.extend(length.as_ref().map(|length| Inner::Sum(length.value.clone())));
        }
        // `${x@P}` runs what stands in x.
        P::Transform { .. } => inner.push(Inner::Opaque),
        _ if raw.contains("$(") || raw.contains('`') => inner.push(Inner::Opaque),
        P::RemoveSmallestPrefixPattern { pattern, .. }
        | P::RemoveLargestPrefixPattern { pattern, .. }
            if !pattern.as_deref().is_some_and(|pattern| pattern.ends_with('/')) =>
        {
            inner.push(Inner::Altered(name.clone()));
        }
        P::ReplaceSubstring { replacement, .. } => {
            let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !replacement.as_deref().is_some_and(|text| !text.is_empty() && plain(text)) {
                inner.push(Inner::Altered(name.clone()));
            }
            if replacement.as_deref().is_some_and(|text| text.contains(['-', '$'])) {
                inner.push(Inner::Variable("-".to_owned()));
            }
        }
        _ => {}
    }
    if let Some((parameter, indirect)) = parameter_of(expression) {
        // Nobody knows whose value that is.
        inner.extend(indirect.then(|| Inner::Variable("-".to_owned())));
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
    let mut words = value.split(char::is_whitespace);
    if words.any(|word| word.trim_start_matches(['"', '\'', '\\']).starts_with('-')) {
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
            ("src/{a,b}.rs", "src/{a,b}.rs", false, false),
            ("$x/y", "$x/y", true, false),
            (r#""$(ls)"/y"#, "$(ls)/y", true, false),
            (r"$'a\tb'", "a\tb", false, false),
            (r"$'\x67it'", "git", false, false),
            (r"$'\cxit'", r"$'\cxit'", true, false),
            (r"''\-x", "-x", false, false),
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

//! How a source file is read for what a claim needs: its definitions and its tests.
//!
//! No parser of any language. A file is cut into definitions by the words that begin them
//! (`languages.toml`) and by how far they are indented, after strings and comments are
//! covered, so that neither ever counts as code. Text that is not laid out as people lay it
//! out gives fewer names, never a wrong test.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::runs::like;
use crate::shipped::{Rows, read, rows, shipped};

/// What covers a byte of a string.
const STRING: u8 = 2;
/// A definition stands near the left end of its line.
const HEAD: usize = 400;
/// Lines above a definition that may belong to it.
const ABOVE: usize = 40;

/// The shipped table. What a path says is read at once, a row when a path asks for it.
#[derive(Debug, Deserialize)]
pub struct Languages {
    paths: Paths,
}

static LANGUAGES: Rows<Language> = rows!("languages.language");
static RUNNERS: Rows<RunnerRow> = rows!("languages.runner");

/// What tells a check that asks nothing, whatever the language.
#[derive(Debug, Deserialize)]
struct CheckTable {
    checks: Checks,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paths {
    prose: Vec<String>,
    prose_names: Vec<String>,
    not_prose: Vec<String>,
    data: Vec<String>,
    test_dirs: Vec<String>,
    test_starts: Vec<String>,
    test_ends: Vec<String>,
    test_words: Vec<String>,
    test_names: Vec<String>,
    expected_ends: Vec<String>,
    expected_dirs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checks {
    may_be_off: Vec<String>,
    weak: Vec<String>,
    wide: Vec<(String, String)>,
    ends: Vec<String>,
    catches: Vec<String>,
    drops: Vec<String>,
    manifests: Vec<String>,
}

/// The configuration of runners in files of some names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunnerRow {
    files: Vec<String>,
    /// Rules of a make file whose recipes are meant.
    #[serde(default)]
    targets: Vec<String>,
    /// Each entry counts as a line, however the file is laid out.
    #[serde(default)]
    json: bool,
    /// Lines that switch tests off where they are new.
    pub off: Vec<String>,
    /// Lines that say which tests run, and how.
    #[serde(default)]
    pub lines: Vec<String>,
}

impl RunnerRow {
    /// The lines of a file with single blanks; where rules are meant, behind their names.
    pub(crate) fn lines_of(&self, text: &str) -> Vec<String> {
        if self.json {
            return entries(text);
        }
        let mut target = String::new();
        let mut found = Vec::new();
        for line in text.lines() {
            let plain = line.split_whitespace().collect::<Vec<_>>().join(" ");
            if self.targets.is_empty() {
                found.push(plain);
                continue;
            }
            if !line.starts_with([' ', '\t']) {
                let head = plain.split(':').next().unwrap_or_default().trim();
                let wanted = |name: &str| self.targets.iter().any(|one| like(one, name));
                let is = plain.contains(':') && head.split(' ').any(wanted);
                target = if is { head.to_owned() } else { String::new() };
                // `test: ; cargo test`
                let own = plain.split_once(';').filter(|_| is).map(|(_, own)| own.trim());
                found.extend(own.map(|own| format!("{target}: {own}")));
            } else if !target.is_empty() && !plain.is_empty() {
                found.push(format!("{target}: {plain}"));
            }
        }
        found
    }
}

/// The entries of a JSON text, each as a line with a blank behind its colon; one that is broken is
/// taken apart all the same.
fn entries(text: &str) -> Vec<String> {
    let (mut found, mut entry) = (Vec::new(), String::new());
    let (mut quoted, mut escaped) = (false, false);
    for letter in text.chars() {
        if quoted || letter == '"' {
            quoted = !(quoted && letter == '"' && !escaped);
            escaped = quoted && letter == '\\' && !escaped;
            entry.push(letter);
        } else if matches!(letter, '{' | '}' | '[' | ']' | ',') {
            found.push(std::mem::take(&mut entry));
        } else if letter == ':' {
            entry.push_str(": ");
        } else if !letter.is_whitespace() {
            entry.push(letter);
        }
    }
    found.push(entry);
    found.retain(|entry| !entry.is_empty());
    found
}

/// One line of code, with what of it is a string covered.
#[derive(Debug)]
pub(crate) struct CodeLine<'t> {
    pub raw: &'t [u8],
    indent: usize,
    code: Vec<u8>,
    /// It checks something that depends on what is tested.
    pub checks: bool,
}

impl CodeLine<'_> {
    /// Whether `name` stands on it as a word of its own.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.code.split(|byte| !is_name(*byte)).any(|word| word == name.as_bytes())
    }

    /// The line with all of its values alike.
    pub(crate) fn masked(&self) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::with_capacity(self.code.len());
        let plain = self.code.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let plain: Vec<u8> = plain.collect();
        let mut before = b' ';
        for (at, &byte) in plain.iter().enumerate() {
            let digit = byte.is_ascii_digit() && (before.is_ascii_digit() || !is_name(before));
            let dot = byte == b'.' && before.is_ascii_digit();
            // The sign of a number is part of it.
            let sign = matches!(byte, b'-' | b'+')
                && plain.get(at + 1).is_some_and(u8::is_ascii_digit)
                && !(is_name(before) || matches!(before, b')' | b']' | STRING));
            let value = byte == STRING || digit || dot || sign;
            if !(value && out.last() == Some(&STRING)) {
                out.push(if value { STRING } else { byte });
            }
            before = byte;
        }
        out
    }
}

/// One row; `languages.toml` says what the keys mean.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Language {
    pub name: String,
    endings: Vec<String>,
    files: Vec<String>,
    line: Vec<String>,
    block: Vec<String>,
    text: Vec<String>,
    long: Vec<String>,
    plain: Vec<String>,
    chars: bool,
    layout: Layout,
    regex: bool,
    over: bool,
    raw: bool,
    directives: bool,
    before: Vec<String>,
    define: Vec<String>,
    types: Vec<String>,
    values: Vec<String>,
    shape: Vec<Shape>,
    constants: bool,
    receivers: bool,
    whole_types: bool,
    decor: Vec<String>,
    own_decor: bool,
    test: Vec<String>,
    marks: Vec<String>,
    inline_marks: bool,
    calls: Vec<String>,
    groups: Vec<String>,
    named_calls: bool,
    bare_groups: bool,
    macro_tests: bool,
    off: Vec<String>,
    off_file: Vec<String>,
    off_head: Vec<String>,
    off_calls: Vec<String>,
    off_parts: Vec<String>,
    off_options: Vec<String>,
    flips: Vec<String>,
    only_calls: Vec<String>,
    only_parts: Vec<String>,
    asserts: Vec<String>,
    fails: Vec<String>,
    variables: bool,
}

/// What of the layout of a file means something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Layout {
    /// Nothing.
    Free,
    /// The ends of its lines.
    Lines,
    /// How far its lines are indented, too.
    #[default]
    Indents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Typed,
    Method,
    Arrow,
    Shell,
}

/// The table as it is shipped.
pub fn shipped_languages() -> &'static Languages {
    static TABLE: LazyLock<Languages> = LazyLock::new(built);
    &TABLE
}

fn checks() -> &'static Checks {
    static TABLE: LazyLock<CheckTable> = LazyLock::new(built);
    &TABLE.checks
}

fn built<T: Deserialize<'static>>() -> T {
    // A test reads the same bytes; here they cannot differ.
    read(shipped!("languages")).unwrap_or_else(|error| unreachable!("languages.toml: {error}"))
}

impl Languages {
    /// The names of all rows.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        LANGUAGES.all().map(|row| row.name.as_str())
    }

    /// The row for the file at `path`; `None` for prose and data.
    pub(crate) fn of(&self, path: &str) -> Option<&Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let by_ending = LANGUAGES.numbered(&ending).find(|(_, row)| row.endings.contains(&ending));
        let is_named = |row: &Language| row.files.iter().any(|file| file == name);
        let by_name = LANGUAGES.numbered(name).find(|(_, row)| is_named(row));
        let first = by_ending.into_iter().chain(by_name).min_by_key(|(at, _)| *at);
        if let Some((_, row)) = first {
            return Some(row);
        }
        if self.is_prose(path) || self.paths.data.contains(&ending) {
            return None;
        }
        LANGUAGES.last()
    }

    /// The rows of runners that are configured in the file at `path`.
    pub(crate) fn runners<'l>(&'l self, path: &'l str) -> impl Iterator<Item = &'l RunnerRow> {
        let name = path.rsplit('/').next().unwrap_or(path);
        RUNNERS.all().filter(move |row| row.files.iter().any(|file| like(file, name)))
    }

    /// It holds what tests expect, as they printed it.
    pub(crate) fn is_expected(&self, path: &str) -> bool {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.paths.expected_ends.iter().any(|end| name.ends_with(end.as_str()))
            || dir.split('/').any(|part| self.paths.expected_dirs.iter().any(|one| one == part))
    }

    /// A line of a test file by which a test may not run.
    pub(crate) fn may_be_off(&self, line: &str) -> bool {
        let line = line.to_ascii_lowercase();
        checks().may_be_off.iter().any(|mark| line.contains(mark.as_str()))
    }

    /// Whether a file says which dependencies of which versions there are.
    pub(crate) fn is_manifest(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        checks().manifests.iter().any(|manifest| like(manifest, &name))
    }

    /// Whether a line checks hardly more than that something is there.
    pub(crate) fn is_weak(&self, line: &str) -> bool {
        let line = line.to_lowercase();
        checks().weak.iter().any(|mark| line.contains(mark.as_str())) || self.is_wide(&line)
    }

    /// Whether a check lets nearly every number through.
    fn is_wide(&self, line: &str) -> bool {
        let line: String = line.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
        checks().wide.iter().any(|(key, from)| {
            let key = key.replace('_', "");
            let values = line
                .match_indices(&key)
                .filter(|(at, _)| !line[..*at].ends_with(|before: char| before.is_alphanumeric()));
            values.into_iter().any(|(at, _)| {
                let value = &line[at + key.len()..];
                let end = value.find(|c: char| !(c.is_ascii_digit() || "e.+-".contains(c)));
                let value = value[..end.unwrap_or(value.len())].parse::<f64>();
                value.is_ok_and(|value| from.parse::<f64>().is_ok_and(|from| value >= from))
            })
        })
    }

    /// How many checks of a test do not run, since it ends before them, or count for nothing, since
    /// what they say is caught.
    pub(crate) fn idle_checks(&self, language: &Language, text: &[u8]) -> usize {
        let lines = language.code_lines(text);
        let bare = |line: &CodeLine<'_>| String::from_utf8_lossy(line.raw).trim().to_owned();
        let outer = lines.first().map_or(0, |line| line.indent);
        let body = lines.iter().map(|line| line.indent).filter(|indent| *indent > outer).min();
        let checking = |lines: &[CodeLine<'_>]| lines.iter().filter(|line| line.checks).count();
        let is = |list: &[String], line: &str| list.iter().any(|one| like(one, line));
        let ends = lines
            .iter()
            .position(|line| Some(line.indent) == body && is(&checks().ends, bare(line).as_str()));
        let behind = ends.map_or(0, |at| checking(&lines[at..]));
        let mut caught = 0;
        for at in 1..lines.len().saturating_sub(1) {
            let (line, next) = (bare(&lines[at]), bare(&lines[at + 1]));
            let empty = is(&checks().catches, &line) && is(&checks().drops, &next);
            let one = || is(&checks().catches, &line) && line.ends_with('}') && line.contains('{');
            if empty || one() {
                let tries = lines[..at]
                    .iter()
                    .rposition(|line| bare(line).starts_with("try") || bare(line) == "begin");
                caught += tries.map_or(0, |from| checking(&lines[from..at]));
            }
        }
        behind + caught
    }

    /// Nothing that runs.
    pub(crate) fn is_prose(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        if self.paths.not_prose.contains(&name) {
            return false;
        }
        let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
        let last = ending.rsplit('.').next().unwrap_or_default();
        let by_name = || {
            let base = stem.split('-').next().unwrap_or(stem);
            ending.is_empty() && self.paths.prose_names.iter().any(|known| known == base)
        };
        self.paths.prose.iter().any(|known| known == last) || by_name()
    }

    /// Whether the file at `path` holds tests that a runner collects, by its place or its name:
    /// no data, and nothing that only prepares them.
    pub(crate) fn is_collected(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let prepares = matches!(name, "__init__.py" | "conftest.py" | "mod.rs" | "spec_helper.rb");
        !prepares && self.of(path).is_some() && self.is_test_path(path)
    }

    /// The directory above the tree of tests in which the file at `path` lies.
    pub(crate) fn test_root<'a>(&self, path: &'a str) -> Option<&'a str> {
        let is_test_dir =
            |name: &str| self.paths.test_dirs.iter().any(|known| known.eq_ignore_ascii_case(name));
        let (mut at, (dir, _)) = (0, path.rsplit_once('/')?);
        for name in dir.split('/') {
            if is_test_dir(name) {
                return Some(path[..at].trim_end_matches('/'));
            }
            at += name.len() + 1;
        }
        None
    }

    /// Whether the file at `path` is there to hold tests, by its place or its name.
    pub(crate) fn is_test_path(&self, path: &str) -> bool {
        let mut parts = path.rsplit('/');
        let name = parts.next().unwrap_or(path);
        if parts.any(|dir| self.paths.test_dirs.iter().any(|known| known.eq_ignore_ascii_case(dir)))
        {
            return true;
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let low = stem.to_ascii_lowercase();
        let ends_with_word = |word: &String| {
            stem.len() > word.len()
                && stem.strip_suffix(word.as_str()).is_some_and(|before| {
                    before.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                })
        };
        let named = self.paths.test_starts.iter().any(|start| low.starts_with(start.as_str()))
            || self.paths.test_ends.iter().any(|end| low.ends_with(end.as_str()))
            || self.paths.test_words.iter().any(ends_with_word)
            || self.paths.test_names.iter().any(|known| known == name)
            || name.rsplit('.').next() == Some("bats");
        named && self.of(path).is_some()
    }
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Function,
    Type,
    /// Holds tests, by a call that names it.
    Group,
    Test,
}

/// One definition of a file.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub name: String,
    /// With the names of what holds it.
    pub whole: String,
    pub sort: Sort,
    /// Its own lines, without those of definitions inside it.
    pub text: Vec<u8>,
    /// It is a test that runs and checks something.
    pub live: bool,
    /// It checks something; what runs without may be a test all the same.
    pub checks: usize,
    /// Its body holds statements.
    pub full: bool,
}

/// A file, read.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub definitions: Vec<Definition>,
    /// What is said in comments.
    pub comments: Vec<u8>,
}

/// A definition whose end is not seen yet, or was.
struct Open {
    name: String,
    sort: Sort,
    indent: usize,
    head: usize,
    line: usize,
    end: usize,
    parent: Option<usize>,
    off: bool,
    only: bool,
}

/// How long the first word is; one in parentheses goes to the next space.
fn first_word(rest: &[u8]) -> usize {
    if rest.first() == Some(&b'(') {
        return rest
            .iter()
            .skip(1)
            .position(u8::is_ascii_whitespace)
            .map_or(rest.len(), |at| at + 1);
    }
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'<' | b'{' | b':');
    rest.iter().position(ends).unwrap_or(rest.len())
}

/// What comes after the rest of `pub(crate)` and `extern "C"`.
fn past_brackets(after: &[u8]) -> Option<&[u8]> {
    let mut rest = after;
    if rest.first() == Some(&b'(') {
        let end = rest.iter().position(|byte| *byte == b')')?;
        rest = rest[end + 1..].trim_ascii_start();
    }
    while rest.first() == Some(&STRING) {
        rest = &rest[1..];
    }
    Some(rest.trim_ascii_start())
}

/// What a definition passes on to those inside it.
struct Enclosing {
    /// Its name behind those of the definitions around it.
    whole: String,
    /// It does not run.
    off: bool,
    /// It runs alone.
    only: bool,
}

impl Enclosing {
    /// The same for `open`, which stands directly inside `parent`, or in the file.
    fn of(open: &Open, parent: Option<&Self>, off_file: bool) -> Self {
        let above = parent.map_or(String::new(), |parent| format!("{}::", parent.whole));
        // Nesting without end would cost without end.
        let whole =
            if above.len() > 400 { open.name.clone() } else { format!("{above}{}", open.name) };
        Self {
            whole,
            off: parent.map_or(off_file, |parent| parent.off) || open.off,
            only: parent.is_some_and(|parent| parent.only) || open.only,
        }
    }
}

/// A head that reaches into what ends above it takes those lines along.
fn end_above_heads(found: &mut [Open]) {
    for at in 1..found.len() {
        let head = found[at].head;
        let parent = found[at].parent;
        let mut before = Some(at - 1);
        while let Some(other) = before.filter(|other| Some(*other) != parent) {
            found[other].end = found[other].end.min(head.max(found[other].line + 1));
            before = found[other].parent;
        }
    }
}

/// The lines of each definition that belong to none inside it.
fn own_text(text: &[u8], lines: &[Line<'_>], found: &[Open]) -> Vec<Vec<u8>> {
    let mut own: Vec<Vec<u8>> = vec![Vec::new(); found.len()];
    let mut owner: Vec<Option<usize>> = vec![None; lines.len()];
    for (at, open) in found.iter().enumerate() {
        // Later ones lie deeper.
        owner[open.head..open.end.max(open.line + 1)].fill(Some(at));
    }
    for (line, owner) in lines.iter().zip(&owner) {
        if let Some(at) = owner {
            own[*at].extend(text[line.from..line.to].trim_ascii_end());
            own[*at].push(b'\n');
        }
    }
    own
}

struct Line<'t> {
    from: usize,
    to: usize,
    /// Where `code` begins in the file.
    begins: usize,
    /// The covered text without what indents it.
    code: &'t [u8],
    indent: usize,
}

/// A text in which a blank stands only where it parts two words; line ends stay.
fn squeezed(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let word = |byte: u8| is_name(byte) || byte >= 0x80;
    let mut at = 0;
    while at < text.len() {
        if text[at] != b' ' {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let end = text[at..].iter().position(|byte| *byte != b' ').map_or(text.len(), |n| at + n);
        let parts = out.last().is_some_and(|byte| word(*byte))
            && text.get(end).is_some_and(|byte| word(*byte));
        if out.last() == Some(&b'\n') {
            out.extend(&text[at..end]);
        } else if parts {
            out.push(b' ');
        }
        at = end;
    }
    out
}

impl Language {
    /// Reads `text`, the file at a path that holds tests or not.
    pub(crate) fn outline(&self, text: &[u8], is_test_file: bool) -> Outline {
        let (covered, comments) = self.cover(text);
        let lines = lines(&covered);
        let mut found: Vec<Open> = Vec::new();
        let mut stack: Vec<usize> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line.code.is_empty() || line.code[0] == STRING || self.is_aside(line.code) {
                continue;
            }
            while let Some(&top) = stack.last() {
                if line.indent > found[top].indent {
                    break;
                }
                match end_of(line.code, line.indent == found[top].indent) {
                    End::GoesOn => break,
                    End::With => found[top].end = at + 1,
                    End::Before => found[top].end = at,
                }
                stack.pop();
            }
            let Some((name, sort, off, only)) = self.defined(text, line, is_test_file) else {
                continue;
            };
            let head = self.head(&lines, at, text);
            // What stood above belongs to what comes, not to what went before.
            found.push(Open {
                name,
                sort,
                indent: line.indent,
                head,
                line: at,
                end: lines.len(),
                parent: stack.last().copied(),
                off,
                only,
            });
            stack.push(found.len() - 1);
        }
        let off_file = self.is_off_file(&lines, text);
        Outline { definitions: self.close(text, &lines, found, is_test_file, off_file), comments }
    }

    /// The lines of code of a text.
    pub(crate) fn code_lines<'t>(&self, text: &'t [u8]) -> Vec<CodeLine<'t>> {
        let (covered, _) = self.cover(text);
        let lines = lines(&covered);
        let code = lines.iter().filter(|line| !line.code.is_empty());
        code.map(|line| {
            let asserts = self.asserts.iter().any(|word| has_word(line.code, word));
            CodeLine {
                raw: text[line.from..line.to].trim_ascii(),
                indent: line.indent,
                checks: self.fails.iter().any(|word| has_word(line.code, word))
                    || (asserts && self.words_that_say(line.code) > 0),
                code: line.code.to_vec(),
            }
        })
        .collect()
    }

    /// Whether a mark is new that turns what a test says round.
    pub(crate) fn is_flipped(&self, old: &[u8], new: &[u8]) -> bool {
        let has = |text: &[u8]| {
            let marks = self.code_lines(text);
            marks
                .iter()
                .any(|line| self.flips.iter().any(|flip| starts_with_word(&line.code, flip)))
        };
        has(new) && !has(old)
    }

    /// A statement of the test itself, wherever it stands, ends it.
    fn skips(&self, lines: &[Line<'_>], open: &Open) -> bool {
        let end = open.end.max(open.line + 1).min(lines.len());
        let inside = || {
            lines[open.line + 1..end.max(open.line + 1)]
                .iter()
                .filter(|line| !line.code.is_empty() && line.indent > open.indent)
        };
        let Some(base) = inside().map(|line| line.indent).min() else { return false };
        inside()
            .filter(|line| line.indent == base)
            .any(|line| self.off_head.iter().any(|off| starts_with_word(line.code, off)))
    }

    /// The text without comments and without the layout that means nothing in this language.
    pub(crate) fn bare(&self, text: &[u8]) -> Vec<u8> {
        let (covered, _) = self.cover(text);
        let mut bare: Vec<u8> = Vec::with_capacity(text.len());
        let mut before: &[u8] = &[];
        for line in lines(&covered).iter().filter(|line| !line.code.trim_ascii().is_empty()) {
            let in_string = before.last() == Some(&STRING) && line.code.first() == Some(&STRING);
            let directive = self.directives
                && [before, line.code]
                    .iter()
                    .any(|code| code.starts_with(b"#") || code.ends_with(b"\\"));
            match self.layout {
                Layout::Free if !in_string && !directive => bare.push(b' '),
                Layout::Indents => {
                    bare.push(b'\n');
                    bare.extend(std::iter::repeat_n(b' ', line.indent));
                }
                Layout::Free | Layout::Lines => bare.push(b'\n'),
            }
            for (byte, shown) in line.code.iter().zip(&text[line.begins..]) {
                let blank = shown.is_ascii_whitespace() || *byte == b' ';
                bare.push(match (*byte == STRING, blank) {
                    // A blank of a string means something.
                    (true, true) => STRING,
                    (false, true) => b' ',
                    (_, false) => *shown,
                });
            }
            before = line.code;
        }
        squeezed(&bare)
    }

    /// A line that no indentation can be read from: directives, labels.
    fn is_aside(&self, code: &[u8]) -> bool {
        self.directives && ((code[0] == b'#' && !code.starts_with(b"#define")) || is_label(code))
    }

    fn is_off_file(&self, lines: &[Line<'_>], text: &[u8]) -> bool {
        lines.iter().filter(|line| line.indent == 0).any(|line| {
            self.off_file.iter().any(|off| {
                let comment =
                    off.starts_with("//") && text[line.from..line.to].starts_with(off.as_bytes());
                comment || starts_with_word(line.code, off)
            })
        })
    }

    /// The first line that belongs to the definition at `at`: its comments and attributes.
    fn head(&self, lines: &[Line<'_>], at: usize, text: &[u8]) -> usize {
        let mut head = at;
        while head > 0 && at - head < ABOVE {
            let above = &lines[head - 1];
            let shown = text[above.from..above.to].trim_ascii();
            let is_comment = above.code.is_empty() && !shown.is_empty();
            let is_decor = self.decor.iter().any(|decor| above.code.starts_with(decor.as_bytes()));
            if is_comment || is_decor {
                head -= 1;
                continue;
            }
            // The end of an attribute over several lines.
            if matches!(above.code.first(), Some(b')' | b']')) {
                let begins = |line: &Line<'_>| {
                    line.indent == above.indent
                        && self.decor.iter().any(|decor| line.code.starts_with(decor.as_bytes()))
                };
                let first = head.saturating_sub(ABOVE);
                if let Some(begin) = (first..head - 1).rev().find(|at| begins(&lines[*at])) {
                    head = begin;
                    continue;
                }
            }
            break;
        }
        head
    }

    fn close(
        &self,
        text: &[u8],
        lines: &[Line<'_>],
        mut found: Vec<Open>,
        is_test_file: bool,
        off_file: bool,
    ) -> Vec<Definition> {
        end_above_heads(&mut found);
        let only = found.iter().any(|open| open.only);
        let mut own = own_text(text, lines, &found);
        let mut around: Vec<Enclosing> = Vec::new();
        let mut done = Vec::new();
        for (at, open) in found.iter().enumerate() {
            let here = Enclosing::of(open, open.parent.map(|parent| &around[parent]), off_file);
            let has = |rows: &[String]| self.is_marked(lines, open, rows);
            let off = here.off || has(&self.off);
            let by_name = is_test_file
                && open.sort == Sort::Function
                && self.test.iter().any(|start| open.name.starts_with(start.as_str()));
            let is_test = open.sort == Sort::Test || by_name || has(&self.marks);
            let sort = if is_test { Sort::Test } else { open.sort };
            let body = self.body(lines, open);
            let checks =
                if is_test { self.checks(&body, has(&["#[should_panic".to_owned()])) } else { 0 };
            let idle = is_test && (self.is_idle(&body) || self.skips(lines, open));
            let full = body.iter().any(|line| !is_nothing(line));
            done.push(Definition {
                name: open.name.clone(),
                whole: here.whole.clone(),
                sort,
                text: std::mem::take(&mut own[at]),
                live: is_test && !off && !idle && (!only || here.only),
                checks,
                full,
            });
            around.push(Enclosing { off, ..here });
        }
        done
    }

    /// One of `rows` stands above the definition; in some languages on its line, too.
    fn is_marked(&self, lines: &[Line<'_>], open: &Open, rows: &[String]) -> bool {
        let begins = |line: &Line<'_>| rows.iter().any(|row| starts_with_word(line.code, row));
        lines[open.head..open.line].iter().any(begins)
            || self.inline_marks && begins(&lines[open.line])
    }

    /// The statements of a definition, covered, one piece per line.
    fn body<'t>(&self, lines: &[Line<'t>], open: &Open) -> Vec<&'t [u8]> {
        let end = open.end.max(open.line + 1);
        let opens = |code: &[u8]| {
            [&b"{"[..], b":", b" do", b"=>", b"(", b"|"].iter().any(|end| code.ends_with(end))
        };
        let first = (open.line..end.min(open.line + ABOVE)).find(|at| {
            let code = lines[*at].code;
            opens(code)
                && !(code.ends_with(b"(") && *at == open.line && !matches!(open.sort, Sort::Test))
        });
        let Some(first) = first else {
            // All on one line.
            let code = lines[open.line].code;
            let arrow = || find(code, b"=>").map(|at| at + 2);
            let at = code
                .iter()
                .position(|byte| matches!(byte, b'{' | b':'))
                .map(|at| at + 1)
                .or_else(arrow)
                .unwrap_or(code.len());
            let inner = code[at..].trim_ascii();
            return vec![inner.strip_suffix(b"}").unwrap_or(inner).trim_ascii()];
        };
        let inside = lines[first + 1..end.max(first + 1)].iter();
        let statement = |line: &&Line<'_>| {
            !line.code.is_empty()
                && line.code.iter().any(|byte| *byte != STRING && !byte.is_ascii_whitespace())
                && (line.indent > open.indent || !matches!(line.code[0], b'}' | b')'))
        };
        inside.filter(statement).map(|line| line.code).collect()
    }

    /// How many statements of a test check something that depends on what is tested.
    fn checks(&self, body: &[&[u8]], must_panic: bool) -> usize {
        let mut found = usize::from(must_panic);
        for (at, line) in body.iter().enumerate() {
            if self.fails.iter().any(|word| has_word(line, word)) {
                found += 1;
            } else if self.asserts.iter().any(|word| has_word(line, word)) {
                let mut depth = 0_i32;
                let mut words = 0;
                for line in body[at..].iter().take(20) {
                    words += self.words_that_say(line);
                    depth += line
                        .iter()
                        .map(|byte| match byte {
                            b'(' | b'[' | b'{' => 1,
                            b')' | b']' | b'}' => -1,
                            _ => 0,
                        })
                        .sum::<i32>();
                    if depth <= 0 {
                        break;
                    }
                }
                found += usize::from(words > 0);
            }
        }
        found
    }

    /// Names on a line that are neither literals nor words of checking itself.
    fn words_that_say(&self, line: &[u8]) -> usize {
        const EMPTY: [&str; 29] = [
            "true",
            "false",
            "True",
            "False",
            "None",
            "nil",
            "null",
            "undefined",
            "t",
            "self",
            "this",
            "Some",
            "Ok",
            "not",
            "is",
            "to",
            "be",
            "equal",
            "ok",
            "eq",
            "expect",
            "toBe",
            "toEqual",
            "toBeTruthy",
            "toStrictEqual",
            "toBeDefined",
            "assert",
            "should",
            "await",
        ];
        let words =
            line.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$'));
        let says = |word: &&[u8]| {
            let Ok(word) = std::str::from_utf8(word) else { return true };
            !word.is_empty()
                && !word.as_bytes()[0].is_ascii_digit()
                && !EMPTY.contains(&word)
                && !word.starts_with("assert")
                && !word.starts_with("Assert")
                && !word.starts_with("XCTAssert")
                && !self.asserts.iter().any(|known| known.trim_matches('.') == word)
        };
        let shell = self.variables && line.contains(&b'$');
        words.filter(says).count() + usize::from(shell)
    }

    /// The body ends before it begins, or cannot be entered.
    fn is_idle(&self, body: &[&[u8]]) -> bool {
        let Some(first) = body.first() else { return true };
        let first = first.trim_ascii();
        if body.iter().all(|line| is_nothing(line)) {
            return true;
        }
        let squeezed: Vec<u8> =
            first.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let never = [
            &b"iffalse"[..],
            b"if(false)",
            b"ifFalse:",
            b"if0:",
            b"if(0)",
            b"ifNone:",
            b"whilefalse",
            b"while(false)",
            b"ifcfg!(any())",
            b"#if0",
            b"if[1-eq0]",
            b"if!true",
            b"if(!true)",
        ];
        if never.iter().any(|start| {
            squeezed.starts_with(start)
                && !squeezed.get(start.len()).is_some_and(|byte| is_name(*byte))
        }) {
            return true;
        }
        let ends = [
            &b"return"[..],
            b"return;",
            b"returnOk(());",
            b"returnnil",
            b"returnNone",
            b"returnnull;",
            b"returnundefined;",
            b"return0",
            b"return0;",
            b"returntrue;",
            b"returnPromise.resolve();",
            b"return:ok",
            b"exit0",
            b"pass;return",
        ];
        ends.iter().any(|end| squeezed == *end)
            || self.off_head.iter().any(|off| starts_with_word(first, off))
    }

    /// The definition that begins on `line`.
    fn defined(
        &self,
        text: &[u8],
        line: &Line<'_>,
        is_test_file: bool,
    ) -> Option<(String, Sort, bool, bool)> {
        let code = &line.code[..line.code.len().min(HEAD)];
        let plain = |(name, sort)| (name, sort, false, false);
        self.by_call(text, line, is_test_file)
            .or_else(|| self.by_word(code, line.indent).map(plain))
            .or_else(|| self.by_shape(code, line.indent).map(plain))
    }

    /// A test, or a group of them, that is a call with a name.
    fn by_call(
        &self,
        text: &[u8],
        line: &Line<'_>,
        is_test_file: bool,
    ) -> Option<(String, Sort, bool, bool)> {
        if self.calls.is_empty() {
            return None;
        }
        let code = &line.code[..line.code.len().min(HEAD)];
        let (head, rest) = call_head(code)?;
        let (base, parts) = head.split_once('.').unwrap_or((head, ""));
        let is = |list: &[String]| list.iter().any(|known| known == base || known == head);
        let has =
            |list: &[String]| parts.split('.').any(|part| list.iter().any(|known| known == part));
        let (call, group) = (is(&self.calls), is(&self.groups));
        let (off_call, only_call) = (is(&self.off_calls), is(&self.only_calls));
        // They are tests where tests are, or where nothing else could be meant.
        let meant = is_test_file || !self.named_calls || rest.contains(&STRING);
        if !((call || group || off_call || only_call) && meant) {
            return None;
        }
        let name = self.called_name(text, line, rest).or_else(|| {
            let class = self.bare_groups && group;
            let name: Vec<u8> = rest
                .trim_ascii_start()
                .iter()
                .copied()
                .take_while(|byte| is_name(*byte) || *byte == b':')
                .collect();
            class.then(|| String::from_utf8_lossy(&name).into_owned())
        })?;
        let like_a_group = ["describe", "context", "suite"].iter().any(|word| base.contains(word));
        let sort = if group || (!call && like_a_group) { Sort::Group } else { Sort::Test };
        let tight: Vec<u8> =
            rest.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let option = |option: &String| {
            let text = [option.as_bytes(), &[b':', STRING]].concat();
            let plain = [option.as_bytes(), b":true"].concat();
            find(&tight, &text).is_some() || find(&tight, &plain).is_some()
        };
        let off = off_call || has(&self.off_parts) || self.off_options.iter().any(option);
        Some((name, sort, off, only_call || has(&self.only_parts)))
    }

    /// The name that a call gives a test; `rest` is the end of the line after the call's word.
    fn called_name(&self, text: &[u8], line: &Line<'_>, rest: &[u8]) -> Option<String> {
        let code = &line.code[..line.code.len().min(HEAD)];
        if let Some(at) = rest.iter().position(|byte| *byte == STRING)
            && (rest[..at].contains(&b'(') || !rest[..at].iter().any(|byte| is_name(*byte)))
        {
            let long = rest[at..].iter().take_while(|byte| **byte == STRING).count();
            let from = line.begins + (code.len() - rest.len()) + at;
            let name = String::from_utf8_lossy(text.get(from..from + long)?);
            return Some(name.trim_matches(['"', '\'', '`']).to_owned());
        }
        if !self.macro_tests {
            return None;
        }
        // `TEST(Suite, Name)`
        let inner = rest.strip_prefix(b"(")?.split(|byte| *byte == b')').next()?;
        let name = String::from_utf8_lossy(inner).replace(' ', "").replace(',', ".");
        Some(name).filter(|name| !name.is_empty())
    }

    /// The definition that a line opens by one of the language's words for it.
    fn by_word(&self, code: &[u8], indent: usize) -> Option<(String, Sort)> {
        let mut rest = self.past_attributes(code)?;
        for _ in 0..8 {
            let word = std::str::from_utf8(&rest[..first_word(rest)]).ok()?;
            let after = rest[word.len()..].trim_ascii_start();
            let is = |list: &[String]| list.iter().any(|known| known == word);
            let sort = if is(&self.define) {
                Some(Sort::Function)
            } else if is(&self.types) || (indent == 0 && is(&self.values)) {
                Some(Sort::Type)
            } else {
                None
            };
            let could_be_more = is(&self.before);
            if let Some(sort) = sort {
                // `const fn`: the word is one of those that may stand before, too.
                if !(could_be_more && self.goes_on(after)) {
                    let name = self.name_after(word, after).map(|name| (name, sort));
                    return name.or_else(|| self.arrow(code));
                }
            } else if !could_be_more {
                return None;
            }
            rest = past_brackets(after)?;
        }
        None
    }

    /// The line without the attributes that stand on it before anything else.
    fn past_attributes<'t>(&self, code: &'t [u8]) -> Option<&'t [u8]> {
        let mut rest = code;
        while self.decor.iter().any(|decor| rest.starts_with(decor.as_bytes())) && !self.own_decor {
            let end = match rest[0] {
                b'#' | b'[' => rest.iter().position(|byte| *byte == b']')? + 1,
                _ => rest.iter().position(u8::is_ascii_whitespace)?,
            };
            rest = rest[end..].trim_ascii_start();
        }
        Some(rest)
    }

    /// What follows is one more word before a name.
    fn goes_on(&self, after: &[u8]) -> bool {
        let lists = [&self.define, &self.types, &self.before];
        leading_name(after)
            .is_some_and(|next| lists.iter().any(|list| list.iter().any(|known| known == next)))
    }

    fn name_after(&self, word: &str, after: &[u8]) -> Option<String> {
        let mut after = after;
        if word == "impl" {
            after = skip_generics(after);
            let end = after.iter().position(|byte| *byte == b'{').unwrap_or(after.len());
            after = &after[..end];
            if let Some(at) = find(after, b" for ") {
                after = after[at + 5..].trim_ascii_start();
            }
            let path: Vec<u8> = after
                .iter()
                .copied()
                .take_while(|byte| is_name(*byte) || *byte == b':' || *byte == b'&')
                .collect();
            return last_name(&path);
        }
        if word == "func" && after.first() == Some(&b'(') && self.receivers {
            let end = after.iter().position(|byte| *byte == b')')?;
            after = after[end + 1..].trim_ascii_start();
        }
        if word == "init" {
            return Some("init".to_owned());
        }
        if after.first() == Some(&b'<') {
            after = skip_generics(after);
        }
        after = after.strip_prefix(b"* ").or_else(|| after.strip_prefix(b"*")).unwrap_or(after);
        let joined =
            |byte: u8| is_name(byte) || matches!(byte, b'.' | b':' | b'?' | b'!' | b'-' | b'\\');
        let path: Vec<u8> = after.iter().copied().take_while(|byte| joined(*byte)).collect();
        let path = path.strip_suffix(b":").unwrap_or(&path);
        if self.whole_types && self.types.iter().any(|known| known == word) {
            return Some(String::from_utf8_lossy(path).into_owned())
                .filter(|name| !name.is_empty());
        }
        last_name(path)
    }

    fn by_shape(&self, code: &[u8], indent: usize) -> Option<(String, Sort)> {
        let function = |name| (name, Sort::Function);
        let found = self.shape.iter().find_map(|shape| match shape {
            Shape::Shell => shell_function(code).map(function),
            Shape::Arrow => self.arrow(code),
            Shape::Typed => self.called(code, true).map(function),
            Shape::Method => self.called(code, false).map(function),
        });
        found.or_else(|| {
            let name = leading_name(code).filter(|_| self.constants && indent == 0)?;
            let rest = code[name.len()..].trim_ascii_start();
            let assigned = (rest.starts_with(b"=") && !rest.starts_with(b"=="))
                || (rest.starts_with(b":") && rest.contains(&b'='));
            let shouted = name.bytes().all(|byte| !byte.is_ascii_lowercase())
                && name.bytes().any(|byte| byte.is_ascii_uppercase());
            (assigned && shouted).then(|| (name.to_owned(), Sort::Type))
        })
    }

    /// `name = (...) =>`, `name: function (...)`.
    fn arrow(&self, code: &[u8]) -> Option<(String, Sort)> {
        if !self.shape.contains(&Shape::Arrow) {
            return None;
        }
        let at = code.iter().position(|byte| matches!(byte, b'=' | b':'))?;
        let right = code[at + 1..].trim_ascii();
        if code.get(at + 1) == Some(&b'=') || code.get(at + 1) == Some(&b'>') {
            return None;
        }
        let right = right.strip_prefix(b"async ").unwrap_or(right).trim_ascii_start();
        let is_function = right.starts_with(b"function")
            || right.starts_with(b"async")
            || (right.starts_with(b"(") && (find(right, b"=>").is_some() || right == b"("))
            || (leading_name(right)
                .is_some_and(|name| right[name.len()..].trim_ascii_start().starts_with(b"=>")));
        let left: Vec<u8> = code[..at].trim_ascii_end().to_vec();
        if !is_function || left.iter().any(|byte| matches!(byte, b'(' | b'{' | b'?' | b'[')) {
            return None;
        }
        let word = left.rsplit(u8::is_ascii_whitespace).next()?.to_vec();
        last_name(&word).map(|name| (name, Sort::Function))
    }

    /// `type name(...)`, or `name(...) {` where the word alone suffices.
    fn called(&self, code: &[u8], typed: bool) -> Option<String> {
        const CONTROL: [&str; 26] = [
            "if",
            "for",
            "while",
            "switch",
            "catch",
            "return",
            "else",
            "do",
            "new",
            "throw",
            "await",
            "yield",
            "typeof",
            "case",
            "delete",
            "goto",
            "sizeof",
            "foreach",
            "using",
            "lock",
            "fixed",
            "synchronized",
            "try",
            "function",
            "super",
            "assert",
        ];
        let paren = code.iter().position(|byte| *byte == b'(')?;
        let (before, inside) = (code[..paren].trim_ascii_end(), &code[paren..]);
        let last = *code.trim_ascii_end().last()?;
        let fine = |byte: &u8| byte.is_ascii_alphanumeric() || b"_ \t*&<>,:[]~?@.$#".contains(byte);
        if before.is_empty() || !before.iter().all(fine) || find(before, b"&&").is_some() {
            return None;
        }
        let mut words: Vec<&[u8]> = before
            .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'&'))
            .filter(|word| !word.is_empty())
            .collect();
        let name = words.pop()?;
        let control = |word: &&[u8]| CONTROL.iter().any(|known| known.as_bytes() == *word);
        if control(&name) || words.iter().any(control) {
            return None;
        }
        let rest_is_body = matches!(last, b'{' | b'}');
        if words.is_empty() || name.contains(&b'.') {
            if typed || name.contains(&b'.') || !rest_is_body || !code.ends_with(b"{") {
                return None;
            }
            if find(inside, b"=>").is_some() || find(inside, b"function").is_some() {
                return None;
            }
        } else if !(rest_is_body || matches!(last, b')' | b',' | b'(')) {
            return None;
        }
        last_name(name)
    }

    /// The text with strings covered by [`STRING`] and comments by blanks, and what the
    /// comments say.
    fn cover(&self, text: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut covered = text.to_vec();
        let mut comments = Vec::new();
        // What a comment or a string can begin with; everything else is passed over.
        let mut begins = [false; 256];
        let openings =
            self.line.iter().chain(self.block.first()).chain(&self.text).chain(&self.long);
        for byte in openings.chain(&self.plain).filter_map(|opening| opening.as_bytes().first()) {
            begins[usize::from(*byte)] = true;
        }
        begins[usize::from(b'\'')] |= self.chars;
        begins[usize::from(b'/')] |= self.regex;
        begins[usize::from(b'r')] |= self.raw;
        let mut at = 0;
        while at < text.len() {
            if !begins[usize::from(text[at])] {
                at += 1;
                continue;
            }
            let rest = &text[at..];
            let fresh = at == 0 || !is_name(text[at - 1]);
            let (long, by) = if let Some(long) =
                self.comment(rest, at == 0 || text[at - 1].is_ascii_whitespace())
            {
                comments.extend(&rest[..long]);
                comments.push(b'\n');
                (long, b' ')
            } else if let Some(long) = self.string(rest, fresh, before(text, at)) {
                (long, STRING)
            } else {
                at += 1;
                continue;
            };
            for byte in &mut covered[at..at + long] {
                if *byte != b'\n' {
                    *byte = by;
                }
            }
            at += long;
        }
        (covered, comments)
    }

    /// The length of a comment that `rest` begins with.
    fn comment(&self, rest: &[u8], after_space: bool) -> Option<usize> {
        for start in &self.line {
            // `$#` and `#define` are none.
            let hash = start == "#";
            let attribute = hash
                && self
                    .decor
                    .iter()
                    .any(|decor| decor.starts_with('#') && rest.starts_with(decor.as_bytes()));
            if rest.starts_with(start.as_bytes()) && (!hash || after_space) && !attribute {
                return Some(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
            }
        }
        let [open, close] = self.block.as_slice() else { return None };
        if !rest.starts_with(open.as_bytes()) {
            return None;
        }
        let inner = &rest[open.len()..];
        Some(find(inner, close.as_bytes()).map_or(rest.len(), |at| open.len() + at + close.len()))
    }

    /// The length of a string that `rest` begins with.
    fn string(&self, rest: &[u8], fresh: bool, before: Option<u8>) -> Option<usize> {
        let first = rest[0];
        if self.raw && first == b'r' && fresh {
            let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
            if rest.get(1 + hashes) == Some(&b'"') {
                let close = [b"\"", &rest[1..=hashes]].concat();
                let inner = &rest[hashes + 2..];
                return Some(
                    find(inner, &close).map_or(rest.len(), |at| hashes + 2 + at + close.len()),
                );
            }
        }
        if !first.is_ascii_punctuation() {
            return None;
        }
        let opens = |quotes: &[String]| {
            quotes.iter().find(|quote| rest.starts_with(quote.as_bytes())).cloned()
        };
        if let Some(quote) = opens(&self.plain) {
            let inner = &rest[quote.len()..];
            return Some(
                find(inner, quote.as_bytes()).map_or(rest.len(), |at| at + 2 * quote.len()),
            );
        }
        if let Some(quote) = opens(&self.long) {
            return Some(quoted(rest, quote.as_bytes(), true));
        }
        if let Some(quote) = opens(&self.text) {
            return Some(quoted(rest, quote.as_bytes(), self.over));
        }
        if self.chars && first == b'\'' {
            return character(rest);
        }
        let opens_regex = before.is_none_or(|byte| b"(,=:[!&|?{};\n".contains(&byte));
        if self.regex && first == b'/' && opens_regex { regex(rest) } else { None }
    }
}

/// The length of a character in single quotes; none for a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    let escaped = rest.get(1) == Some(&b'\\');
    let (from, most) = if escaped { (3, 12) } else { (2, 6) };
    let close = rest.iter().take(most).skip(from).position(|byte| *byte == b'\'');
    let long = close? + from + 1;
    let inner = std::str::from_utf8(&rest[1..long - 1]).ok()?;
    (escaped || inner.chars().count() == 1).then_some(long)
}

/// The length of a regular expression between slashes, on one line.
fn regex(rest: &[u8]) -> Option<usize> {
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let mut at = 1;
    let mut class = false;
    while at < line.len() {
        match line[at] {
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The byte before `at` that is no blank.
fn before(text: &[u8], at: usize) -> Option<u8> {
    text[..at].iter().rev().take(80).find(|byte| !matches!(byte, b' ' | b'\t')).copied()
}

fn quoted(rest: &[u8], quote: &[u8], over: bool) -> usize {
    let mut at = quote.len();
    while at < rest.len() {
        if rest[at] == b'\\' {
            at += 2;
        } else if rest[at] == b'\n' && !over {
            return at;
        } else if rest[at..].starts_with(quote) {
            return at + quote.len();
        } else {
            at += 1;
        }
    }
    rest.len()
}

enum End {
    /// The line still belongs to the definition.
    GoesOn,
    /// It is the last one of it.
    With,
    /// The definition ended above.
    Before,
}

/// What a line that is not indented deeper says of the definition above it.
fn end_of(code: &[u8], level: bool) -> End {
    if !level {
        return End::Before;
    }
    match code[0] {
        b'}' => End::With,
        b')' | b']' | b'{' => End::GoesOn,
        b'-' if code.starts_with(b"->") => End::GoesOn,
        _ if code == b"end"
            || code.starts_with(b"end ")
            || code.starts_with(b"end)")
            || code == b"done"
            || code == b"fi" =>
        {
            End::With
        }
        _ if starts_with_word(code, "where") => End::GoesOn,
        _ => End::Before,
    }
}

fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    for piece in text.split(|byte| *byte == b'\n') {
        let piece_end = from + piece.len();
        let right = piece.trim_ascii_end();
        let code = right.trim_ascii_start();
        let blank = &right[..right.len() - code.len()];
        let indent = blank.iter().map(|byte| if *byte == b'\t' { 4 } else { 1 }).sum();
        found.push(Line { from, to: from + piece.len(), begins: from + blank.len(), code, indent });
        from = piece_end + 1;
    }
    found
}

fn is_label(code: &[u8]) -> bool {
    code.strip_suffix(b":").is_some_and(|name| name.iter().all(|byte| is_name(*byte)))
}

/// A statement that does nothing.
fn is_nothing(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b";").unwrap_or(line).trim_ascii();
    let nothing = [
        &b""[..],
        b"pass",
        b"...",
        b"return",
        b"return nil",
        b"return None",
        b"todo!()",
        b"unimplemented!()",
        b"Ok(())",
        b"{}",
        b"}",
        b")",
        b":",
        b"true",
        b"nil",
        b"None",
        b"{",
        b"return true",
    ];
    nothing.contains(&line) || line.iter().all(|byte| *byte == STRING || byte.is_ascii_whitespace())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
}

/// Whether `code` begins with `word` and the word ends there.
fn starts_with_word(code: &[u8], word: &str) -> bool {
    let Some(rest) = code.strip_prefix(word.as_bytes()) else { return false };
    let open = word.as_bytes().last().is_some_and(|byte| is_name(*byte));
    !(open && rest.first().is_some_and(|byte| is_name(*byte)))
}

/// Whether a word that begins with `word` stands in `code`.
fn has_word(code: &[u8], word: &str) -> bool {
    let mut from = 0;
    while let Some(at) = find(&code[from..], word.as_bytes()) {
        let at = from + at;
        if at == 0
            || !is_name(code[at - 1])
            || !word.as_bytes().first().is_some_and(|byte| is_name(*byte))
        {
            return true;
        }
        from = at + 1;
    }
    false
}

fn leading_name(code: &[u8]) -> Option<&str> {
    let long = code.iter().take_while(|byte| is_name(**byte)).count();
    std::str::from_utf8(&code[..long])
        .ok()
        .filter(|name| !name.is_empty() && !name.as_bytes()[0].is_ascii_digit())
}

/// The last name of a path such as `Parser::next`, `self.name`.
fn last_name(path: &[u8]) -> Option<String> {
    let path = path.strip_suffix(b":").unwrap_or(path);
    let name = path.rsplit(|byte| matches!(byte, b'.' | b':' | b'&' | b'>')).next()?;
    let end = name
        .iter()
        .position(|byte| !(is_name(*byte) || matches!(byte, b'?' | b'!' | b'~' | b'-')))
        .unwrap_or(name.len());
    let name = String::from_utf8_lossy(&name[..end]).into_owned();
    Some(name).filter(|name| name.bytes().any(is_name) && !name.as_bytes()[0].is_ascii_digit())
}

fn skip_generics(code: &[u8]) -> &[u8] {
    if code.first() != Some(&b'<') {
        return code;
    }
    let mut depth = 0_u32;
    for (at, byte) in code.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return code[at + 1..].trim_ascii_start();
        }
    }
    code
}

fn shell_function(code: &[u8]) -> Option<String> {
    let long = code
        .iter()
        .take_while(|byte| is_name(**byte) || matches!(byte, b'-' | b':' | b'.'))
        .count();
    let rest = code[long..].trim_ascii_start();
    (long > 0 && rest.starts_with(b"()"))
        .then(|| String::from_utf8_lossy(&code[..long]).into_owned())
}

/// `base.part.part` at the left end of a line and what follows it.
fn call_head(code: &[u8]) -> Option<(&str, &[u8])> {
    let code = code.strip_prefix(b"await ").unwrap_or(code);
    let long =
        code.iter().take_while(|byte| is_name(**byte) || matches!(byte, b'.' | b'@')).count();
    let head = std::str::from_utf8(&code[..long]).ok().filter(|head| !head.is_empty())?;
    let rest = &code[long..];
    matches!(rest.first(), Some(b'(' | b' ' | &STRING)).then_some((head, rest))
}

/// Names that stand in comments, for what was commented out.
pub(super) fn words_of(comments: &[u8]) -> BTreeSet<&[u8]> {
    comments.split(|byte| !is_name(*byte)).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_languages_say_the_same_in_both_forms() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            paths: Paths,
            checks: Checks,
            language: Vec<Language>,
            runner: Vec<RunnerRow>,
        }
        let written: Whole = toml::from_str(include_str!("languages.toml")).expect("it reads");
        let alike = |one: &dyn std::fmt::Debug, other: &dyn std::fmt::Debug| {
            assert_eq!(format!("{one:?}"), format!("{other:?}"));
        };
        alike(&written.paths, &shipped_languages().paths);
        alike(&written.checks, checks());
        alike(&written.language, &LANGUAGES.whole().expect("each row reads"));
        alike(&written.runner, &RUNNERS.whole().expect("each row reads"));
    }
}

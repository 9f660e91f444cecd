//! Notes: lines in a footer that wait for somebody to act on them.
//!
//! A note is `[KIND]{content}` at the start of its line, behind an indent, list markers, a task
//! box, bold or a backtick; or at the end of its line, behind words. Code blocks do not hide it:
//! what somebody wrote down may be doubtful, but is never overlooked. It is live until it has one
//! of two ends:
//! `[RESOLVED:KIND]{breadcrumb}` or `[CARRIED:KIND:n]{content}{why}`. An end that says
//! nothing is none. `[KIND]{content}{context}` was handed back, and is live. Kinds are rows.
//!
//! Braces do not nest; `\}` is a brace in the text. Whether a breadcrumb leads anywhere is
//! the caller's to ask.

use std::ops::Range;

use serde::Deserialize;

use super::footers;
use crate::shipped;
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// The shipped rows.
pub(crate) const SHIPPED: &str = include_str!("notes.toml");

/// Tags that only say where a paragraph should go; no note, and nothing waits for them.
pub(crate) const BARE: [&str; 2] = ["DURABLE", "EPHEMERAL"];

/// The first words of the two ends.
const ENDS: [&str; 2] = ["RESOLVED", "CARRIED"];

/// What may prove that somebody acted on a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Crumb {
    /// A commit that exists.
    Commit,
    /// The id of a job that exists.
    Job,
    /// A file of the work tree.
    File,
    /// A file below `.claude/knowledge/`.
    Knowledge,
}

impl Crumb {
    /// What a person would call it.
    pub(crate) fn said(self) -> &'static str {
        match self {
            Self::Commit => "the id of a commit",
            Self::Job => "the id of a job",
            Self::File => "a file",
            Self::Knowledge => "a file below .claude/knowledge",
        }
    }
}

/// One kind of note.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteKind {
    #[serde(rename = "kind")]
    pub name: String,
    #[serde(default)]
    pub content: String,
    #[serde(default)]
    pub means: String,
    /// The subagent that acts on it.
    #[serde(default)]
    pub consumer: Option<String>,
    pub crumbs: Vec<Crumb>,
    #[serde(default)]
    pub example: String,
}

/// All kinds in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    #[serde(rename = "note", default)]
    rows: Vec<NoteKind>,
}

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKind {
    #[error("[[note]] row {row}: `{name}` is no kind; a kind is capital letters, digits and `-`")]
    Name { row: usize, name: String },
    #[error("[[note]] row {row}: `{name}` is there already")]
    Doubled { row: usize, name: String },
    #[error(
        "[[note]] row {row}: `{name}` says by `crumbs` no way to prove it; known: commit, job, \
         file, knowledge"
    )]
    Crumbs { row: usize, name: String },
    #[error("[[note]] row {row}: subagent `{consumer}` acts on `{other}` already")]
    Consumer { row: usize, consumer: String, other: String },
}

impl BadKind {
    /// The row to look at, from 1.
    pub(crate) fn row(&self) -> usize {
        match self {
            Self::Name { row, .. }
            | Self::Doubled { row, .. }
            | Self::Crumbs { row, .. }
            | Self::Consumer { row, .. } => *row,
        }
    }
}

/// Where a note stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Standing {
    Live,
    /// Somebody looked at it and gave it back with a word of context. Still live.
    HandedBack,
    Resolved,
    Carried,
}

impl Standing {
    /// The word that people and `--json` read.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// Somebody has to act on it.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Live | Self::HandedBack)
    }
}

/// One note, as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its line, from 1.
    pub line: usize,
    /// The bytes of its line, without the line break.
    pub range: Range<usize>,
    /// The bytes from its first bracket to the end of its last brace.
    pub span: Range<usize>,
    pub kind: String,
    pub standing: Standing,
    /// What stands between the first braces; empty for a resolved one.
    pub content: String,
    /// Further braces: why it is carried, or the context that it was handed back with.
    pub extra: Vec<String>,
    /// How many times it was carried.
    pub carries: u32,
    /// Where a resolved one leads.
    pub crumb: String,
}

impl Kinds {
    /// The shipped rows.
    ///
    /// # Errors
    ///
    /// The table is no TOML of that shape; a test reads it.
    pub fn shipped() -> Result<Self, toml::de::Error> {
        shipped::read(shipped::shipped!("notes"))
    }

    /// These rows with `more` behind, checked.
    pub(crate) fn and(mut self, more: &[NoteKind]) -> Result<Self, BadKind> {
        for (row, kind) in (1..).zip(more) {
            let name = || kind.name.clone();
            if !is_name(&kind.name) {
                return Err(BadKind::Name { row, name: name() });
            }
            if self.get(&kind.name).is_some() {
                return Err(BadKind::Doubled { row, name: name() });
            }
            if kind.crumbs.is_empty() {
                return Err(BadKind::Crumbs { row, name: name() });
            }
            if let Some(consumer) = &kind.consumer
                && let Some(other) = self.of_consumer(consumer)
            {
                let (consumer, other) = (consumer.clone(), other.name.clone());
                return Err(BadKind::Consumer { row, consumer, other });
            }
            self.rows.push(kind.clone());
        }
        Ok(self)
    }

    /// The same with kinds that a job brought: nobody consumes them but the agent itself, and
    /// anything proves them. Names that are no kind, or are there already, add nothing.
    #[must_use]
    pub(crate) fn with_own<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        for name in names {
            if is_name(name) && self.get(name).is_none() {
                let crumbs = vec![Crumb::Commit, Crumb::Job, Crumb::File];
                let (content, means, example) = (String::new(), String::new(), String::new());
                let name = name.to_owned();
                self.rows.push(NoteKind { name, content, means, consumer: None, crumbs, example });
            }
        }
        self
    }

    /// Every kind, in the order of the rows.
    pub(crate) fn all(&self) -> &[NoteKind] {
        &self.rows
    }

    pub(crate) fn get(&self, name: &str) -> Option<&NoteKind> {
        self.rows.iter().find(|kind| kind.name == name)
    }

    /// The kind that a subagent of this name acts on.
    pub fn of_consumer(&self, agent: &str) -> Option<&NoteKind> {
        self.rows.iter().find(|kind| kind.consumer.as_deref() == Some(agent))
    }

    /// The names of all kinds, for messages.
    pub(crate) fn names(&self) -> String {
        self.rows.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Every note of `text`, in order.
    pub fn read(&self, text: &str) -> Vec<Note> {
        self.read_from(text, 0)
    }

    /// Every note below the first anchor of a page.
    pub(crate) fn in_footer(&self, page: &str, anchors: &[&str]) -> Vec<Note> {
        if !page.contains('[') {
            return Vec::new();
        }
        self.below(page, &footers::layout(page, anchors))
    }

    /// The same for a page that was read.
    pub fn below(&self, page: &str, layout: &footers::Layout<'_>) -> Vec<Note> {
        self.read_from(page, page.len() - layout.footer().len())
    }

    /// Every note at or behind byte `from`, which begins a line.
    fn read_from(&self, text: &str, from: usize) -> Vec<Note> {
        let mut found = Vec::new();
        let (mut at, mut number, mut counted) = (from, 1, 0);
        // Only a line with a bracket can be a note.
        while let Some(bracket) = memchr::memchr(b'[', &text.as_bytes()[at..]) {
            let start = at + text[at..at + bracket].rfind('\n').map_or(0, |n| n + 1);
            let line = footers::split_lines(&text[start..]).next().unwrap_or_default();
            at = start + line.len();
            if let Some(note) = self.note(line.trim_end_matches(['\r', '\n'])) {
                number += footers::line_ends(&text[counted..start]);
                counted = start;
                let shift = |range: Range<usize>| range.start + start..range.end + start;
                let (range, span) = (shift(note.range), shift(note.span));
                found.push(Note { line: number, range, span, ..note });
            }
        }
        found
    }

    /// The note that a line is; its places count from the line's start.
    fn note(&self, line: &str) -> Option<Note> {
        let tag = tag(line)?;
        let (kind, end) = match tag.word.split_once(':') {
            Some((end, rest)) if ENDS.contains(&end) => {
                let (kind, times) = rest.split_once(':').unwrap_or((rest, ""));
                (kind, Some((end, times)))
            }
            Some(_) => return None,
            None => (tag.word, None),
        };
        self.get(kind)?;
        let (mut braces, span) = braces(line, tag.rest);
        let first = if braces.is_empty() { String::new() } else { braces.remove(0) };
        let says = !first.is_empty();
        let base = Note {
            line: 0,
            range: 0..line.len(),
            span: tag.start..span,
            kind: kind.to_owned(),
            standing: Standing::Live,
            content: String::new(),
            extra: Vec::new(),
            carries: 0,
            crumb: String::new(),
        };
        Some(match end {
            // An end that shows nothing is as good as dropped.
            Some(("RESOLVED", "")) if says => {
                Note { standing: Standing::Resolved, crumb: first, ..base }
            }
            Some(("CARRIED", times)) => {
                let carries = count(times);
                let ended = carries > 0 && says && braces.iter().any(|why| !why.is_empty());
                let standing = if ended { Standing::Carried } else { Standing::Live };
                Note { standing, content: first, extra: braces, carries, ..base }
            }
            Some(_) => base,
            None => {
                let standing =
                    if braces.is_empty() { Standing::Live } else { Standing::HandedBack };
                Note { standing, content: first, extra: braces, ..base }
            }
        })
    }

    /// The page with each carried note of its footer that `climbs` carried once more; `None`
    /// without one.
    pub(crate) fn carried_on(
        &self,
        page: &str,
        anchors: &[&str],
        climbs: impl Fn(&Note) -> bool,
    ) -> Option<String> {
        let notes = self.in_footer(page, anchors);
        let mut text = page.to_owned();
        let carried = |note: &&Note| note.standing == Standing::Carried && climbs(note);
        for note in notes.iter().rev().filter(carried) {
            let tag = format!("[CARRIED:{}:{}]", note.kind, note.carries.saturating_add(1));
            let old = &page[note.span.clone()];
            let rest = old.split_once(']').map_or("", |(_, rest)| rest);
            text.replace_range(note.span.clone(), &format!("{tag}{rest}"));
        }
        (text != page).then_some(text)
    }

    /// Of the lines in which a page differs from before, the one to speak of, and whether it counts
    /// as a note of `page` now: one that does not count comes first, and one that went last.
    pub(crate) fn to_mention<'t>(
        &self,
        differing: &[&'t str],
        page: &str,
        anchors: &[&str],
    ) -> Option<(&'t str, bool)> {
        let notes = self.in_footer(page, anchors);
        let says = |note: &&Note| !note.standing.is_live() || !note.content.is_empty();
        let counting: Vec<&str> =
            notes.iter().filter(says).map(|note| page[note.range.clone()].trim()).collect();
        let is_there = |line: &&&str| page.lines().any(|one| one.trim() == **line);
        let counts = |line: &&&str| counting.contains(*line);
        let slip = differing.iter().find(|line| is_there(line) && !counts(line));
        let good = || differing.iter().find(counts).map(|line| (*line, true));
        slip.map(|line| (*line, false))
            .or_else(good)
            .or_else(|| differing.first().map(|line| (*line, false)))
    }

    /// How many live notes of `kind` in the footer of `page` say something.
    pub(crate) fn open(&self, page: &str, anchors: &[&str], kind: &str) -> usize {
        let open =
            |note: &&Note| note.standing.is_live() && note.kind == kind && !note.content.is_empty();
        self.in_footer(page, anchors).iter().filter(open).count()
    }
}

/// The line of a note that was acted on.
pub(crate) fn resolved(kind: &str, crumb: &str) -> String {
    format!("[RESOLVED:{kind}]{{{}}}", in_braces(crumb))
}

/// The line of a note that waits for another cycle. `content` is as a note has it.
pub(crate) fn carried(kind: &str, times: u32, content: &str, why: &str) -> String {
    format!("[CARRIED:{kind}:{times}]{{{content}}}{{{}}}", in_braces(why))
}

/// One line of text between braces: a brace in it is escaped, and nothing escapes the last.
fn in_braces(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = line.split('}').map(|part| part.trim_end_matches('\\'));
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| format!("{all}\\}}{part}"))
}

/// True for lines that look like a note, known or not, ended or not: what a slip of the pen
/// would turn a note into. Bare tags, check boxes and links do not.
pub(crate) fn is_shaped(line: &str) -> bool {
    let Some(tag) = tag(line) else { return false };
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    if BARE.contains(&tag.word) || tag.word.len() < 3 || !tag.word.chars().all(letters) {
        return false;
    }
    let rest = line[tag.rest..].trim_start();
    let loud = tag.word.chars().any(|c| c.is_ascii_uppercase())
        && tag.word == tag.word.to_ascii_uppercase();
    rest.starts_with('{') || (loud && !rest.starts_with(['(', '[', ':']))
}

/// The lines that look like notes and stand in one of two texts more often than in the other.
pub(crate) fn differing<'t>(old: &'t str, new: &'t str) -> Vec<&'t str> {
    let shaped = |text: &'t str| {
        let mut lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| is_shaped(line)).collect();
        lines.sort_unstable();
        lines
    };
    let (old, new) = (shaped(old), shaped(new));
    let minus = |from: &[&'t str], other: &[&'t str]| {
        let mut rest = other.to_vec();
        let mut left = Vec::new();
        for line in from {
            match rest.iter().position(|other| other == line) {
                Some(at) => drop(rest.swap_remove(at)),
                None => left.push(*line),
            }
        }
        left
    };
    [minus(&new, &old), minus(&old, &new)].concat()
}

/// The kinds that `note: <KIND>` lines of a section bring, in order; `Err` has what is no kind.
pub(crate) fn brought(section: &str) -> Vec<Result<String, String>> {
    let said = |line: &str| {
        let line = line.trim();
        let bare =
            ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
        let name = bare.trim_start().strip_prefix("note:")?.trim().trim_matches('`').to_owned();
        Some(if is_name(&name) { Ok(name) } else { Err(format!("note: {name}")) })
    };
    section.lines().filter_map(said).collect()
}

/// What stands behind a carried note, of whatever kind and however it counts; `None` where the
/// line is none.
pub(crate) fn behind_carried(line: &str) -> Option<&str> {
    let tag = tag(line)?;
    let kind = tag.word.strip_prefix("CARRIED:")?.split(':').next()?;
    let (braces, end) = braces(line, tag.rest);
    (is_name(kind) && !braces.is_empty()).then(|| behind(line, end))
}

/// What stands behind the last brace of a note, which ends at `end`.
pub(super) fn behind(line: &str, end: usize) -> &str {
    line[end..].trim_start_matches(MARKS)
}

/// The words before a note that begins at `start`; empty where only marks stand there.
pub(crate) fn before(line: &str, start: usize) -> &str {
    let words = line.get(..start).unwrap_or_default();
    let bare = &words[lead(words)..];
    if bare.is_empty() { "" } else { words.trim_end_matches(MARKS) }
}

/// What Markdown puts around words to show them bold, slanted or as code.
const MARKS: [char; 3] = ['`', '*', '_'];

/// The bytes of marks that a line begins with: indents, list markers, task boxes, bold, code.
pub(super) fn lead(line: &str) -> usize {
    let mut rest = line;
    loop {
        let bare = rest.trim_start();
        let marks = ["> ", "[ ] ", "[x] ", "[X] ", "**", "__", "`"];
        match item(bare).or_else(|| marks.iter().find_map(|mark| bare.strip_prefix(mark))) {
            Some(more) => rest = more,
            None => return line.len() - bare.len(),
        }
    }
}

/// What stands behind the list marker that `bare` begins with.
pub(super) fn item(bare: &str) -> Option<&str> {
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = digits.strip_prefix(['.', ')']).filter(|_| digits.len() < bare.len());
    number.or_else(|| bare.strip_prefix(['-', '*', '+']))?.strip_prefix([' ', '\t'])
}

struct TagAt<'a> {
    /// What stands between the brackets.
    word: &'a str,
    /// Byte of the opening bracket.
    start: usize,
    /// Byte behind the closing one.
    rest: usize,
}

/// The word in brackets that a line begins with, or that its last braces belong to.
fn tag(line: &str) -> Option<TagAt<'_>> {
    tag_at(line, lead(line)).or_else(|| tag_at_end(line))
}

/// The word in brackets at byte `start`.
fn tag_at(line: &str, start: usize) -> Option<TagAt<'_>> {
    let (word, rest) = line.get(start..)?.strip_prefix('[')?.split_once(']')?;
    Some(TagAt { word, start, rest: line.len() - rest.len() })
}

/// The word in brackets whose braces a line of words ends with.
fn tag_at_end(line: &str) -> Option<TagAt<'_>> {
    let loud = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | ':');
    // Only a line that ends with a brace can be one, but for marks and a full stop.
    let ends =
        |rest: &str| rest.chars().all(|c| MARKS.contains(&c) || c == '.' || c.is_whitespace());
    let last = line.rfind('}')?;
    if !ends(&line[last + 1..]) {
        return None;
    }
    line.match_indices('[').find_map(|(start, _)| {
        let tag = tag_at(line, start)?;
        let (found, end) = braces(line, tag.rest);
        let shaped = tag.word.len() >= 3 && tag.word.chars().all(loud);
        (shaped && !found.is_empty() && ends(&line[end..])).then_some(tag)
    })
}

/// The texts between the braces from byte `from` on, trimmed and otherwise as they stand, and
/// the byte behind the last brace.
fn braces(line: &str, from: usize) -> (Vec<String>, usize) {
    let (mut found, mut end) = (Vec::new(), from);
    loop {
        let rest = &line[end..];
        let Some(inner) = rest.trim_start().strip_prefix('{') else { break };
        let mut escaped = false;
        let close = inner.char_indices().find(|(_, c)| {
            let closes = *c == '}' && !escaped;
            escaped = *c == '\\' && !escaped;
            closes
        });
        let Some((close, _)) = close else { break };
        found.push(inner[..close].trim().to_owned());
        end = line.len() - inner.len() + close + 1;
    }
    (found, end)
}

fn count(times: &str) -> u32 {
    let plain = !times.starts_with('0') && times.bytes().all(|byte| byte.is_ascii_digit());
    if plain { times.parse().unwrap_or(0) } else { 0 }
}

fn is_name(name: &str) -> bool {
    let of_a_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    let taken = ENDS.contains(&name) || BARE.contains(&name);
    name.len() >= 3
        && name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && !taken
        && name.chars().all(of_a_name)
}

/// The refusal of a command that was to end a note; `case` says what is in the way.
fn no(case: Case) -> Refusal {
    Refusal::new("note", Wants::Settled).case(case)
}

/// The refusal of a command on a note that is not where it was shown, or is none any more.
pub(crate) fn moved() -> Refusal {
    no(Case::Moved)
}

/// The refusal of a command on notes where it is not the time for it.
pub(crate) fn later() -> Refusal {
    no(Case::Later)
}

/// A note at `place` that was acted on has no other end.
pub(crate) fn may_end(note: &Note, place: &str) -> Verdict {
    match note.standing {
        Standing::Resolved => Err(no(Case::Resolved).with("where", place)),
        _ => Ok(()),
    }
}

/// A note at `place` may wait for another cycle: once in each, and only one that says something.
pub(crate) fn may_wait(note: &Note, place: &str) -> Verdict {
    match (note.standing, note.content.is_empty()) {
        (Standing::Carried, _) => Err(no(Case::Carried).with("where", place)),
        (_, true) => Err(no(Case::Mute).with("where", place)),
        (_, false) => Ok(()),
    }
}

/// `crumb` proves that a note of `kind` was acted on: it `leads` to what the kind asks for, and
/// the front matter of the knowledge file there has no `fault`, which is its place and its words.
pub(crate) fn proves(
    kind: &NoteKind,
    crumb: &str,
    leads: bool,
    fault: Option<(String, String)>,
) -> Verdict {
    if !leads {
        let sorts: Vec<&str> = kind.crumbs.iter().map(|sort| sort.said()).collect();
        return Err(no(Case::Crumb)
            .with("crumb", crumb)
            .with("kind", kind.name.as_str())
            .with("sorts", sorts.join(" or ")));
    }
    match fault {
        Some((place, what)) => Err(no(Case::FrontMatter).with("where", place).with("what", what)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::samples::{ANCHORS, page_like};

    fn kinds() -> Kinds {
        Kinds::shipped().expect("the shipped rows read")
    }

    fn row(name: &str) -> NoteKind {
        NoteKind { name: name.to_owned(), consumer: None, ..kinds().all()[4].clone() }
    }

    #[test]
    fn an_end_of_a_note_is_refused_by_what_the_note_is() {
        let kinds = kinds();
        let case = |verdict: Verdict| {
            verdict.err().map(|no| no.facts.get("case").unwrap_or("-").to_owned())
        };
        // line, may have an end, may wait
        for (line, end, wait) in [
            ("[KNOWLEDGE]{the lexer keeps spans}", None, None),
            ("[KNOWLEDGE]{}", None, Some("mute")),
            ("[CARRIED:KNOWLEDGE:1]{the lexer keeps spans}{no time}", None, Some("carried")),
            ("[RESOLVED:KNOWLEDGE]{.claude/knowledge/x.md}", Some("resolved"), None),
        ] {
            let notes = kinds.read(line);
            let [note] = notes.as_slice() else { panic!("{line} is one note") };
            assert_eq!(case(may_end(note, "CLAUDE.md:9")).as_deref(), end, "{line}");
            if end.is_none() {
                assert_eq!(case(may_wait(note, "CLAUDE.md:9")).as_deref(), wait, "{line}");
            }
        }
        let kind = kinds.get("KNOWLEDGE").expect("it is shipped");
        let fault = || Some(("x.md:1".to_owned(), "no title".to_owned()));
        for (leads, fault, said) in [
            (false, None, Some("crumb")),
            (false, fault(), Some("crumb")),
            (true, fault(), Some("front-matter")),
            (true, None, None),
        ] {
            assert_eq!(case(proves(kind, "x.md", leads, fault)).as_deref(), said);
        }
    }

    #[test]
    fn the_shipped_rows_are_sound() {
        let rows = kinds().rows;
        Kinds::default().and(&rows).expect("sound");
        let toml: Kinds = toml::from_str(SHIPPED).expect("reads");
        assert_eq!(toml.rows, rows);
        for kind in rows {
            let notes = kinds().read(&kind.example);
            assert_eq!(notes.len(), 1, "{}", kind.example);
            assert_eq!((&notes[0].kind, notes[0].standing), (&kind.name, Standing::Live));
        }
    }

    #[test]
    fn a_row_that_cannot_be_used_is_named() {
        let said = |kind: NoteKind| kinds().and(&[kind]).expect_err("refused").to_string();
        assert!(said(row("lower")).contains("row 1: `lower` is no kind"));
        assert!(said(row("DURABLE")).contains("no kind"));
        assert!(said(row("KNOWLEDGE")).contains("there already"));
        assert!(
            said(NoteKind { crumbs: Vec::new(), ..row("TERM") }).contains("no way to prove it")
        );
        let doubled = NoteKind { consumer: Some("job-creator".to_owned()), ..row("TERM") };
        assert!(said(doubled).contains("acts on `PENDING-JOB` already"));
        assert_eq!(kinds().with_own(["FLAKY-TEST", "no", "KNOWLEDGE"]).all().len(), 6);
    }

    #[test]
    fn a_note_is_live_until_its_end_shows_something() {
        use Standing::{Carried, HandedBack, Live, Resolved};
        for (line, standing) in [
            ("[KNOWLEDGE]{lexers}", Some(Live)),
            ("[PENDING-JOB]", Some(Live)),
            ("  - [DRAFT-TERM]{x}", Some(Live)),
            ("* [DRAFT-TERM]{x}", Some(Live)),
            ("`[VOICE-UPDATE]{a | b | c}`", Some(Live)),
            ("[KNOWLEDGE]{open brace", Some(Live)),
            ("[KNOWLEDGE] {x}", Some(Live)),
            ("[KNOWLEDGE]{lexers}{came back: duplicate}", Some(HandedBack)),
            ("[KNOWLEDGE]{a \\} b}", Some(Live)),
            ("[RESOLVED:KNOWLEDGE]{.claude/knowledge/lexers.md}", Some(Resolved)),
            ("[RESOLVED:KNOWLEDGE]{}", Some(Live)),
            ("[RESOLVED:KNOWLEDGE]{ }", Some(Live)),
            ("[RESOLVED:KNOWLEDGE]", Some(Live)),
            ("[RESOLVED:KNOWLEDGE:2]{x}", Some(Live)),
            ("[CARRIED:KNOWLEDGE:1]{x}{later}", Some(Carried)),
            ("[CARRIED:KNOWLEDGE:41]{x}{later}", Some(Carried)),
            ("[CARRIED:KNOWLEDGE:1]{x}", Some(Live)),
            ("[CARRIED:KNOWLEDGE:1]{}{later}", Some(Live)),
            ("[CARRIED:KNOWLEDGE:0]{x}{later}", Some(Live)),
            ("[CARRIED:KNOWLEDGE:-1]{x}{later}", Some(Live)),
            ("[CARRIED:KNOWLEDGE]{x}{later}", Some(Live)),
            ("[RESOLVED:OTHER]{x}", None),
            ("[OTHER]{x}", None),
            ("[LATER:KNOWLEDGE]{x}", None),
            ("[DURABLE]", None),
            ("[EPHEMERAL]", None),
            ("A finding. [KNOWLEDGE]{x}", Some(Live)),
            ("A finding. `[KNOWLEDGE]{x}`.", Some(Live)),
            ("- found twice [RESOLVED:KNOWLEDGE]{a.md}", Some(Resolved)),
            ("it stays [CARRIED:KNOWLEDGE:2]{x}{later}", Some(Carried)),
            ("1. [KNOWLEDGE]{x}", Some(Live)),
            ("  12) **[KNOWLEDGE]{x}**", Some(Live)),
            ("- - [ ] [PENDING-JOB]{x}", Some(Live)),
            ("> [KNOWLEDGE]{x}", Some(Live)),
            ("see [KNOWLEDGE]{x} there", None),
            ("see [KNOWLEDGE] at the end", None),
            ("see [KNOWLEDGE]", None),
            ("a struct [Name]{x}", None),
            ("[ ] task", None),
            ("", None),
        ] {
            let notes = kinds().read(line);
            assert_eq!(notes.first().map(|note| note.standing), standing, "{line}");
        }
    }

    #[test]
    fn a_note_says_where_it_stands_and_what() {
        let page = "# T\r\n[KNOWLEDGE]{above}\r\n---Ob---\r\n- [KNOWLEDGE]{a \\} b} {ctx} tail\r\n\
            \r\n[CARRIED:PENDING-JOB:2]{x}{no time}";
        let notes = kinds().in_footer(page, &ANCHORS);
        assert_eq!(notes.len(), 2, "what stands in the body is text");
        assert_eq!((notes[0].line, notes[1].line), (4, 6));
        assert_eq!(&page[notes[0].range.clone()], "- [KNOWLEDGE]{a \\} b} {ctx} tail");
        assert_eq!(&page[notes[0].span.clone()], "[KNOWLEDGE]{a \\} b} {ctx}");
        assert_eq!(
            (notes[0].content.as_str(), &notes[0].extra),
            ("a \\} b", &vec!["ctx".to_owned()])
        );
        assert_eq!((notes[1].carries, notes[1].extra[0].as_str()), (2, "no time"));
    }

    #[test]
    fn what_is_carried_climbs_and_nothing_else_changes() {
        let page = "[CARRIED:KNOWLEDGE:1]{body}{x}\n---Ob---\n\
            a\n - [CARRIED:KNOWLEDGE:9]{x}{y} z\r\n[KNOWLEDGE]{q}\n";
        let on = kinds().carried_on(page, &ANCHORS, |_| true).expect("one is carried");
        assert_eq!(on, page.replace("KNOWLEDGE:9", "KNOWLEDGE:10"));
        assert_eq!(
            kinds().carried_on(page, &ANCHORS, |note| note.carries == 1),
            None,
            "body and others"
        );
        assert_eq!(kinds().carried_on("---Ob---\n[KNOWLEDGE]{q}\n", &ANCHORS, |_| true), None);
    }

    #[test]
    fn what_looks_like_a_note_is_noticed() {
        for (line, shaped) in [
            ("[KNOWLEDGE]{x}", true),
            ("[KNOWLEGE]{x}", true),
            ("[knowledge]{x}", true),
            ("[PENDING_JOB] do it", true),
            ("- [RESOLVED:KNOWLEDGE]{x}", true),
            ("[TODO]", true),
            ("[DURABLE]", false),
            ("[x] done", false),
            ("[README](README.md)", false),
            ("[RFC]: http://x", false),
            ("[link] text", false),
            ("text [KNOWLEDGE]{x}", true),
            ("text [KNOWLEDGE]{x} and more", false),
            ("2. [KNOWLEGE]{x}", true),
        ] {
            assert_eq!(is_shaped(line), shaped, "{line}");
        }
        assert_eq!(differing("a\n[KNOWLEDGE]{x}\n", "b\n[KNOWLEDGE]{x}\n"), Vec::<&str>::new());
        assert_eq!(
            differing("[A-B]{x}\n[A-B]{x}", " [A-B]{x}\n[C-D]{x}"),
            ["[C-D]{x}", "[A-B]{x}"]
        );
    }

    #[test]
    fn an_open_note_of_a_kind_says_something() {
        let page = "---Ob---\n[PENDING-JOB]{the cache lies}\n- [PENDING-JOB]{b}\n[PENDING-JOB]\n\
                    [PENDING-JOB]{ }\n[KNOWLEDGE]{x}\n[RESOLVED:PENDING-JOB]{done}\n\
                    see [PENDING-JOB]{y}\nsee [PENDING-JOB]{y} there\n";
        assert_eq!(kinds().open(page, &ANCHORS, "PENDING-JOB"), 3);
        assert_eq!(kinds().open(page, &ANCHORS, "KNOWLEDGE"), 1);
    }

    proptest! {
        #[test]
        fn any_text_has_notes_or_has_none(text in prop_oneof![".*", page_like()]) {
            for note in kinds().read(&text) {
                prop_assert!(text.lines().count() >= note.line);
                prop_assert!(note.range.start <= note.span.start
                    && note.span.end <= note.range.end);
                prop_assert!(text[note.span.clone()].starts_with('['));
            }
        }

        #[test]
        fn an_end_reads_as_it_was_written(content in "[a-z |]{0,12}[a-z]", why in ".{1,20}",
            times in 1_u32..99) {
            prop_assume!(!why.trim().trim_matches('\\').is_empty());
            let line = carried("KNOWLEDGE", times, &content, &why);
            let notes = kinds().read(&line);
            prop_assert_eq!(notes.len(), 1, "{}", line);
            prop_assert_eq!((notes[0].standing, notes[0].carries), (Standing::Carried, times));
            prop_assert_eq!(&notes[0].content, content.trim());
            prop_assert_eq!(&notes[0].span, &(0..line.len()));
            let line = resolved("KNOWLEDGE", &why);
            prop_assert_eq!(kinds().read(&line)[0].standing, Standing::Resolved);
        }
    }
}

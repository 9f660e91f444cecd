//! Joins two versions of a page or a knowledge file that have one before them.
//!
//! Markdown is read as units: a heading, an anchor, a list item, a row of a table, a note, a fenced
//! block, a paragraph. What one side added is there, in the place it was given; what one side
//! deleted and the other left alone is gone; what both added stands once. Where both changed the
//! same unit, its lines are compared as git compares them, and a line that both changed
//! differently is a conflict with both texts in it. So is what would belong to another title, list
//! item or table than on its side. Front matter is compared by lines alone. No word that a side
//! added is lost.

mod added;
mod hunks;
mod parents;
mod units;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use hunks::{Group, Side, What, groups};
use parents::Step;
use units::{Kind, Unit, read};

use super::condense::points;
use crate::front_matter;

/// What git's configuration calls it that a person has pages merged so.
pub(crate) const SWITCH: &str = "seed.mergePages";

/// Two versions, joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub text: String,
    /// Places in which both texts stand between markers.
    pub conflicts: usize,
}

/// One text in three versions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions<T> {
    pub base: T,
    pub ours: T,
    pub theirs: T,
}

impl<T> Versions<T> {
    fn map<U>(self, make: impl Fn(T) -> U) -> Versions<U> {
        Versions { base: make(self.base), ours: make(self.ours), theirs: make(self.theirs) }
    }
}

impl<T: PartialEq + Copy> Versions<T> {
    /// What stands where one side alone changed it, or both alike; ours where both did otherwise.
    fn settled(self) -> T {
        if self.ours == self.base { self.theirs } else { self.ours }
    }

    /// The same, or nothing where the two sides differ.
    fn agreed(self) -> Option<T> {
        let both = self.ours == self.theirs || [self.ours, self.theirs].contains(&self.base);
        both.then(|| self.settled())
    }
}

/// Joins `of`; `anchors` are the lines that part a footer, and `marker` is the length of a marker
/// of a conflict.
pub(crate) fn merge(of: Versions<&str>, anchors: &[&str], marker: usize) -> Merged {
    if let Some(text) = of.agreed() {
        return Merged { text: text.to_owned(), conflicts: 0 };
    }
    let end = of.map(line_break).settled();
    let ends = of.map(|text| text.is_empty() || text.ends_with('\n'));
    let head = of.map(|text| text.split_at(front_matter::find(text).map_or(0, |front| front.end)));
    let mut out = Out { marker, ..Out::default() };
    out.front(head.map(|(front, _)| front));
    out.body(head.map(|(_, body)| read(body, anchors)));
    let mut text = out.lines.join(end);
    if !text.is_empty() && (ends.ours || ends.theirs || out.conflicts > 0) {
        text.push_str(end);
    }
    if out.conflicts == 0 && loses_words(of, &text) {
        let (text, conflicts) = merge_bytes(of.map(str::as_bytes), marker);
        return Merged { text: String::from_utf8_lossy(&text).into_owned(), conflicts };
    }
    Merged { text, conflicts: out.conflicts }
}

/// Whether a word stands less often in `joined` than the sides have it, where neither took it away:
/// what both added may stand once. The last guard: whatever the units make of a page, a person
/// joins it rather than that a word is lost.
fn loses_words(of: Versions<&str>, joined: &str) -> bool {
    let count = |text: &str| {
        let mut words: HashMap<String, usize> = HashMap::new();
        let lines = text.lines().filter(|line| !points(line));
        for word in lines.flat_map(str::split_whitespace) {
            *words.entry(word.to_owned()).or_default() += 1;
        }
        words
    };
    let (sides, joined) = (of.map(count), count(joined));
    let in_one = |words: &HashMap<String, usize>, word: &str| words.get(word).copied().unwrap_or(0);
    sides.ours.keys().chain(sides.theirs.keys()).any(|word| {
        let [base, ours, theirs] =
            [&sides.base, &sides.ours, &sides.theirs].map(|words| in_one(words, word));
        let gone = base.saturating_sub(ours) + base.saturating_sub(theirs);
        let added = ours.saturating_sub(base).max(theirs.saturating_sub(base));
        in_one(&joined, word) < base.saturating_sub(gone) + added
    })
}

/// Two versions that are no text, with markers around each; the one that alone changed, or that
/// both are, stands by itself.
pub(crate) fn merge_bytes(of: Versions<&[u8]>, marker: usize) -> (Vec<u8>, usize) {
    if let Some(bytes) = of.agreed() {
        return (bytes.to_vec(), 0);
    }
    let line = |sign: &str, side: &str| format!("{}{side}\n", sign.repeat(marker)).into_bytes();
    let closed = |bytes: &[u8]| {
        let end: &[u8] = if bytes.is_empty() || bytes.ends_with(b"\n") { b"" } else { b"\n" };
        [bytes, end].concat()
    };
    let (ours, theirs) = (closed(of.ours), closed(of.theirs));
    let [first, middle, last] = [line("<", " ours"), line("=", ""), line(">", " theirs")];
    ([first, ours, middle, theirs, last].concat(), 1)
}

fn line_break(text: &str) -> &'static str {
    super::heal::line_break(text)
}

/// A unit on its way into the joined text, and the one that it follows in its own.
#[derive(Clone, Copy, Debug)]
struct Placed<'u, 'a> {
    unit: &'u Unit<'a>,
    gap: usize,
    behind: Option<&'u Unit<'a>>,
    /// A row that goes on with the table above it.
    goes_on: bool,
}

/// The joined text, line by line.
#[derive(Debug, Default)]
struct Out<'a> {
    lines: Vec<Cow<'a, str>>,
    /// The last unit.
    last: Option<(Kind, Vec<&'a str>)>,
    pointed: bool,
    marker: usize,
    conflicts: usize,
}

impl<'a> Out<'a> {
    fn front(&mut self, of: Versions<&'a str>) {
        match of.agreed() {
            Some(front) => self.lines.extend(front.lines().map(Cow::Borrowed)),
            None => self.by_lines(of.map(|front| front.lines().collect())),
        }
    }

    fn body(&mut self, of: Versions<(Vec<Unit<'a>>, usize)>) {
        let tail = of.map_ref(|(_, blanks)| *blanks).settled();
        let units = of.map_ref(|(units, _)| units.as_slice());
        let keys = units.map(|units| units.iter().map(|unit| &unit.lines).collect::<Vec<_>>());
        let alike = |one: &&Vec<&str>, other: &&Vec<&str>| alike(one, other, false);
        let parts = groups(&keys.base, &keys.ours, &keys.theirs, Some(&alike));
        for step in parents::steps(parts, units) {
            match step {
                Step::Put(one) => self.put(one),
                Step::Both(at) => self.both(Versions {
                    base: &units.base[at.base],
                    ours: &units.ours[at.ours],
                    theirs: &units.theirs[at.theirs],
                }),
            }
        }
        self.lines.extend(std::iter::repeat_n(Cow::Borrowed(""), tail));
    }

    /// Adds a unit, and a blank line before it where it would run into another one than in its own
    /// text.
    fn put(&mut self, Placed { unit, gap, behind, goes_on }: Placed<'_, 'a>) {
        let is_pointer = unit.lines.iter().all(|line| points(line));
        if is_pointer && std::mem::replace(&mut self.pointed, true) {
            return;
        }
        let gap = match &self.last {
            Some((kind, lines)) => {
                let same = behind.is_some_and(|before| before.lines == *lines);
                let began = behind.is_none_or(|before| before.kind != unit.kind);
                match kind.may_touch(unit.kind) {
                    true if unit.kind == Kind::Row && goes_on => 0,
                    // The first row of a table is no row of the one above it.
                    true if *kind == Kind::Row && unit.kind == Kind::Row => gap.max(1),
                    // The first of a list follows the last of another one.
                    true if !same && began && *kind == unit.kind && *kind != Kind::Title => 0,
                    true => gap,
                    false if same => gap,
                    false => gap.max(1),
                }
            }
            None if behind.is_none() => gap,
            None => 0,
        };
        self.blanks(gap);
        self.lines.extend(unit.lines.iter().copied().map(Cow::Borrowed));
        self.last = Some((unit.kind, unit.lines.clone()));
    }

    fn blanks(&mut self, gap: usize) {
        self.lines.extend(std::iter::repeat_n(Cow::Borrowed(""), gap));
    }

    /// Both sides changed these units.
    fn both(&mut self, of: Versions<&[Unit<'a>]>) {
        let gap = of.map(|units| units.first().map_or(0, |unit| unit.gap));
        self.blanks(gap.ours.max(gap.theirs));
        let lines = of.map(units::lines);
        // What is another thing now is not put together out of lines of both.
        let same = match (of.base, of.ours, of.theirs) {
            ([base], [ours], [theirs]) => [ours.kind, theirs.kind] == [base.kind; 2],
            _ => false,
        };
        if same {
            self.by_lines(lines);
        } else {
            self.conflict(&lines.ours, &lines.theirs);
        }
        let last = of.ours.last().or_else(|| of.theirs.last());
        self.last = last.map(|unit| (Kind::Text, unit.lines.clone()));
    }

    /// As git joins lines.
    fn by_lines(&mut self, of: Versions<Vec<&'a str>>) {
        for Group { what, at } in groups(&of.base, &of.ours, &of.theirs, None) {
            match what {
                What::Kept | What::Same | What::One(Side::Ours) => self.raw(&of.ours[at.ours]),
                What::One(Side::Theirs) => self.raw(&of.theirs[at.theirs]),
                What::Added | What::Both => {
                    self.conflict(&of.ours[at.ours], &of.theirs[at.theirs]);
                }
            }
        }
    }

    fn raw(&mut self, lines: &[&'a str]) {
        self.lines.extend(lines.iter().copied().map(Cow::Borrowed));
    }

    fn conflict(&mut self, ours: &[&'a str], theirs: &[&'a str]) {
        self.conflicts += 1;
        let line = |sign: &str, side: &str| format!("{}{side}", sign.repeat(self.marker));
        let [first, middle, last] = [line("<", " ours"), line("=", ""), line(">", " theirs")];
        self.lines.push(Cow::Owned(first));
        self.raw(ours);
        self.lines.push(Cow::Owned(middle));
        self.raw(theirs);
        self.lines.push(Cow::Owned(last));
    }
}

impl<T> Versions<T> {
    fn map_ref<'v, U>(&'v self, make: impl Fn(&'v T) -> U) -> Versions<U> {
        Versions { base: make(&self.base), ours: make(&self.ours), theirs: make(&self.theirs) }
    }
}

fn placed<'u, 'a>(units: &'u [Unit<'a>], range: std::ops::Range<usize>) -> Vec<Placed<'u, 'a>> {
    let one = |at: usize| {
        let unit = &units[at];
        let behind = at.checked_sub(1).map(|before| &units[before]);
        Placed { unit, gap: unit.gap, behind, goes_on: unit.shape.goes_on }
    };
    range.map(one).collect()
}

/// Half of the words of the longer one are in the other, too; with `more`, more than half.
fn alike(one: &[&str], other: &[&str], more: bool) -> bool {
    let words = |lines: &[&'_ str]| -> BTreeSet<String> {
        let words = lines.iter().flat_map(|line| line.split_whitespace());
        let said = words.filter(|word| word.contains(char::is_alphanumeric));
        said.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let most = one.len().max(other.len());
    let both = one.intersection(&other).count() * 2;
    most > 0 && if more { both > most } else { both >= most }
}

#[cfg(test)]
mod tests;

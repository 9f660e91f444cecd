//! What both sides added in one place: theirs behind ours, below the same titles.
//!
//! Something of theirs that ours added, too, stands once: a title below the same titles, an item
//! with all that is below it, a paragraph behind the same paragraphs. Nothing of theirs is compared
//! with anything else of theirs.

use std::ops::Range;

use super::Placed;
use super::units::{Kind, Unit};

/// A unit of the joined text: where ours has it, and where theirs.
pub(super) type Pair = (Option<usize>, Option<usize>);

type All<'s, 'u, 'a> = &'s [Placed<'u, 'a>];

/// Both lists as one; each unit is there once, in the order of its own list below its title.
pub(super) fn joined(ours: All<'_, '_, '_>, theirs: All<'_, '_, '_>) -> Vec<Pair> {
    let mut out = Vec::new();
    let join = Join { ours, theirs };
    join.section(&section(ours, 0..ours.len()), &section(theirs, 0..theirs.len()), &mut out);
    out
}

/// What is below one title.
struct Section {
    own: Range<usize>,
    /// Each begins with its title.
    below: Vec<Range<usize>>,
}

fn section(all: All<'_, '_, '_>, range: Range<usize>) -> Section {
    let level = |at: usize| all[at].unit.shape.level;
    let first = range.clone().find(|at| level(*at).is_some()).unwrap_or(range.end);
    let mut below: Vec<Range<usize>> = Vec::new();
    let mut at = first;
    while at < range.end {
        let own = level(at).unwrap_or_default();
        let ends = |next: &usize| level(*next).is_some_and(|next| next <= own);
        let end = (at + 1..range.end).find(ends).unwrap_or(range.end);
        below.push(at..end);
        at = end;
    }
    Section { own: range.start..first, below }
}

/// Where a section of the joined text comes from.
type Sources = (Option<Range<usize>>, Option<Range<usize>>);

struct Join<'s, 'u, 'a> {
    ours: All<'s, 'u, 'a>,
    theirs: All<'s, 'u, 'a>,
}

impl Join<'_, '_, '_> {
    fn section(&self, ours: &Section, theirs: &Section, out: &mut Vec<Pair>) {
        self.content(ours.own.clone(), theirs.own.clone(), out);
        for sources in self.sections(ours, theirs) {
            match sources {
                (Some(own), Some(other)) => {
                    out.push((Some(own.start), Some(other.start)));
                    let below = |all, range: Range<usize>| section(all, range.start + 1..range.end);
                    self.section(&below(self.ours, own), &below(self.theirs, other), out);
                }
                (own, other) => {
                    out.extend(own.into_iter().flatten().map(|at| (Some(at), None)));
                    out.extend(other.into_iter().flatten().map(|at| (None, Some(at))));
                }
            }
        }
    }

    /// The sections of both. A title that a side has twice is nobody's but its own.
    fn sections(&self, ours: &Section, theirs: &Section) -> Vec<Sources> {
        let of = |all: All<'_, '_, '_>, section: &Section| -> Vec<String> {
            section.below.iter().map(|range| all[range.start].unit.lines.join("\n")).collect()
        };
        let (own, other) = (of(self.ours, ours), of(self.theirs, theirs));
        let once =
            |all: &[String], one: &String| all.iter().filter(|title| *title == one).count() == 1;
        let mut found: Vec<Sources> =
            ours.below.iter().map(|range| (Some(range.clone()), None)).collect();
        let both = |one: &String| once(&own, one) && once(&other, one);
        for (n, range) in theirs.below.iter().enumerate().filter(|(n, _)| both(&other[*n])) {
            if let Some(at) = own.iter().position(|title| *title == other[n]) {
                found[at].1 = Some(range.clone());
            }
        }
        let is_there = |found: &[Sources], range: &Range<usize>| {
            found.iter().position(|(_, theirs)| theirs.as_ref() == Some(range))
        };
        for (n, range) in theirs.below.iter().enumerate() {
            if is_there(&found, range).is_some() {
                continue;
            }
            // All before it are there by now.
            let behind =
                n.checked_sub(1).and_then(|before| is_there(&found, &theirs.below[before]));
            let before = theirs.below[n..].iter().find_map(|next| is_there(&found, next));
            let at = behind.map(|at| at + 1).or(before).unwrap_or(found.len());
            found.insert(at, (None, Some(range.clone())));
        }
        found
    }

    /// What stands below a title before the next one.
    fn content(&self, ours: Range<usize>, theirs: Range<usize>, out: &mut Vec<Pair>) {
        let (mut own, mut other) = (ours, theirs);
        loop {
            let (one, two) = (self.lines(self.ours, &mut own), self.lines(self.theirs, &mut other));
            self.list(&one, &two, out);
            let (lead, theirs) = (lead(self.ours, &own), lead(self.theirs, &other));
            if lead.start == lead.end || !self.same(&lead, &theirs) || !says(self.ours, &lead) {
                break;
            }
            out.extend(
                lead.clone().zip(theirs.clone()).map(|(own, other)| (Some(own), Some(other))),
            );
            (own.start, other.start) = (lead.end, theirs.end);
        }
        out.extend(own.map(|at| (Some(at), None)));
        out.extend(other.map(|at| (None, Some(at))));
    }

    /// The items, notes and rows from the front, each with all that is below it; they are taken
    /// from `range`.
    fn lines(&self, all: All<'_, '_, '_>, range: &mut Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        while range.start < range.end && !leads(all[range.start].unit) {
            let indent = all[range.start].unit.shape.indent;
            let is_item = all[range.start].unit.kind == Kind::Item;
            let ends = |at: &usize| !is_item || all[*at].unit.shape.indent <= indent;
            let end = (range.start + 1..range.end).find(ends).unwrap_or(range.end);
            found.push(range.start..end);
            range.start = end;
        }
        found
    }

    /// Two lists as one, what both have once. What is indented further than ours belongs to what
    /// was there before.
    fn list(&self, ours: &[Range<usize>], theirs: &[Range<usize>], out: &mut Vec<Pair>) {
        let indent =
            |all: All<'_, '_, '_>, range: &Range<usize>| all[range.start].unit.shape.indent;
        let deeper = ours.first().map_or(0, |first| {
            let own = indent(self.ours, first);
            theirs.iter().take_while(|range| indent(self.theirs, range) > own).count()
        });
        let (first, theirs) = theirs.split_at(deeper);
        out.extend(first.iter().cloned().flatten().map(|at| (None, Some(at))));
        let wide = theirs.len() + 1;
        let mut most = vec![0_usize; (ours.len() + 1) * wide];
        for (row, own) in ours.iter().enumerate().rev() {
            for (column, other) in theirs.iter().enumerate().rev() {
                let next = (row + 1) * wide + column;
                most[row * wide + column] = if self.same(own, other) {
                    most[next + 1] + 1
                } else {
                    most[next].max(most[row * wide + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < ours.len() || column < theirs.len() {
            let (own, other) = (ours.get(row), theirs.get(column));
            match (own, other) {
                (Some(own), Some(other)) if self.same(own, other) => {
                    let both = own.clone().zip(other.clone());
                    out.extend(both.map(|(own, other)| (Some(own), Some(other))));
                    (row, column) = (row + 1, column + 1);
                }
                (Some(own), other)
                    if other.is_none()
                        || most[(row + 1) * wide + column] >= most[row * wide + column + 1] =>
                {
                    out.extend(own.clone().map(|at| (Some(at), None)));
                    row += 1;
                }
                (_, Some(other)) => {
                    out.extend(other.clone().map(|at| (None, Some(at))));
                    column += 1;
                }
                (_, None) => break,
            }
        }
    }

    fn same(&self, own: &Range<usize>, other: &Range<usize>) -> bool {
        let (own, other) = (&self.ours[own.clone()], &self.theirs[other.clone()]);
        own.len() == other.len()
            && own.iter().zip(other).all(|(own, other)| own.unit.lines == other.unit.lines)
    }
}

/// What follows a paragraph may belong to it, and so it may to a table.
fn leads(unit: &Unit<'_>) -> bool {
    match unit.kind {
        Kind::Text | Kind::Title => true,
        Kind::Row => !unit.shape.goes_on,
        Kind::Item | Kind::Line => false,
    }
}

/// The paragraph, the whole table or the whole element of HTML that stands first.
fn lead(all: All<'_, '_, '_>, range: &Range<usize>) -> Range<usize> {
    let Some(first) = all.get(range.start).filter(|_| range.start < range.end) else {
        return range.start..range.start;
    };
    let goes_on = |at: &usize| all[*at].unit.shape.goes_on;
    let rows = (range.start + 1..range.end).take_while(goes_on).count();
    let opens = first.unit.lines.first().is_some_and(|line| line.trim_start().starts_with('<'));
    // How far an element reaches is for its reader: what is behind it stays with it.
    let end = if opens { range.end } else { range.start + 1 + rows };
    range.start..end
}

/// It has words: a line that only parts two things belongs to what it parts.
fn says(all: All<'_, '_, '_>, range: &Range<usize>) -> bool {
    let lines = all[range.clone()].iter().flat_map(|one| &one.unit.lines);
    lines.flat_map(|line| line.chars()).any(char::is_alphanumeric)
}

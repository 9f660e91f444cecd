//! Which parts of two versions changed against the one before them, and which of them meet.

use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
}

/// One place in three versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At<T> {
    pub base: T,
    pub ours: T,
    pub theirs: T,
}

/// What became of a part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// All three have it.
    Kept,
    /// One side changed it, and the other left it alone.
    One(Side),
    /// Both made the same of it.
    Same,
    /// Both added something in one place.
    Added,
    /// Both changed it, each in its way.
    Both,
}

/// A part of the joined text, in its order, and where it lies in each version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub what: What,
    pub at: At<Range<usize>>,
}

impl Group {
    /// One part out of several that follow each other, as a part that both changed.
    pub(super) fn fused(groups: &[Self]) -> Option<Self> {
        let (first, last) = (&groups.first()?.at, &groups.last()?.at);
        let at = At {
            base: first.base.start..last.base.end,
            ours: first.ours.start..last.ours.end,
            theirs: first.theirs.start..last.theirs.end,
        };
        Some(Self { what: What::Both, at })
    }

    fn kept(base: usize, ours: usize, theirs: usize) -> Self {
        let at = At { base: base..base + 1, ours: ours..ours + 1, theirs: theirs..theirs + 1 };
        Self { what: What::Kept, at }
    }
}

/// A part of the base and what one side has in its place.
#[derive(Clone, Debug)]
struct Hunk {
    base: Range<usize>,
    new: Range<usize>,
}

impl Hunk {
    fn adds(&self) -> bool {
        self.base.is_empty()
    }

    /// The two cannot both be done. With `strict` also where they touch, as git sees it.
    fn meets(&self, other: &Range<usize>, strict: bool) -> bool {
        let (one, two) = (&self.base, other);
        if strict {
            return one.start <= two.end && two.start <= one.end;
        }
        if one.is_empty() && two.is_empty() {
            return one.start == two.start;
        }
        one.start < two.end && two.start < one.end
    }
}

/// Whether a unit could be another one, changed.
pub(super) type Alike<'f, T> = &'f dyn Fn(&T, &T) -> bool;

/// The most pairs that are compared in one hunk.
const PAIRS: usize = 10_000;

/// The hunks of one side. Without `alike` they are as git has them; with it what was deleted goes
/// one by one, and so does what was changed piece by piece.
fn hunks<T: Hash + Ord>(base: &[T], side: &[T], alike: Option<Alike<'_, T>>) -> Vec<Hunk> {
    let mut found: Vec<Hunk> = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, base, side) {
        // Only lengths are taken: where an operation was moved, the place in the other text stays
        // behind.
        let (base, new) =
            (old_at..old_at + op.old_range().len(), new_at..new_at + op.new_range().len());
        (old_at, new_at) = (base.end, new.end);
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.base.end == base.start && last.new.end == new.start => {
                (last.base.end, last.new.end) = (base.end, new.end);
            }
            _ => found.push(Hunk { base, new }),
        }
    }
    let Some(alike) = alike else { return found };
    found.into_iter().flat_map(|hunk| cut(hunk, base, side, alike)).collect()
}

/// A hunk in pieces: what became of each unit that another one resembles, and what lies between.
fn cut<T>(hunk: Hunk, base: &[T], side: &[T], alike: Alike<'_, T>) -> Vec<Hunk> {
    let mut pieces = Vec::new();
    let (mut old, mut new) = (hunk.base.start, hunk.new.start);
    for (b, n) in pairs(&hunk, base, side, alike) {
        pieces.extend(between(old..b, new..n));
        pieces.push(Hunk { base: b..b + 1, new: n..n + 1 });
        (old, new) = (b + 1, n + 1);
    }
    pieces.extend(between(old..hunk.base.end, new..hunk.new.end));
    pieces
}

fn between(base: Range<usize>, new: Range<usize>) -> Vec<Hunk> {
    if new.is_empty() {
        return base.map(|at| Hunk { base: at..at + 1, new: new.clone() }).collect();
    }
    if base.len() == new.len() {
        return base.zip(new).map(|(b, n)| Hunk { base: b..b + 1, new: n..n + 1 }).collect();
    }
    vec![Hunk { base, new }]
}

/// As many pairs of units that are alike as keep the order of both.
fn pairs<T>(hunk: &Hunk, base: &[T], side: &[T], alike: Alike<'_, T>) -> Vec<(usize, usize)> {
    let (rows, columns) = (hunk.base.len(), hunk.new.len());
    if rows * columns > PAIRS || rows == 0 || columns == 0 {
        return Vec::new();
    }
    let pair = |row: usize, column: usize| {
        alike(&base[hunk.base.start + row], &side[hunk.new.start + column])
    };
    let wide = columns + 1;
    let mut most = vec![0_usize; (rows + 1) * wide];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let with = if pair(row, column) { most[(row + 1) * wide + column + 1] + 1 } else { 0 };
            most[row * wide + column] =
                with.max(most[(row + 1) * wide + column]).max(most[row * wide + column + 1]);
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    while row < rows && column < columns {
        let here = most[row * wide + column];
        if pair(row, column) && here == most[(row + 1) * wide + column + 1] + 1 {
            found.push((hunk.base.start + row, hunk.new.start + column));
            (row, column) = (row + 1, column + 1);
        } else if here == most[(row + 1) * wide + column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    found
}

/// Reads the hunks of one side from the front.
struct Reader<'h> {
    ahead: &'h [Hunk],
    /// How far this side is behind what its next unchanged place in the base is.
    shift: isize,
}

impl<'h> Reader<'h> {
    fn next(&mut self) -> Option<&'h Hunk> {
        let (first, rest) = self.ahead.split_first()?;
        self.ahead = rest;
        self.shift += first.new.len().cast_signed() - first.base.len().cast_signed();
        Some(first)
    }

    /// Where this side has what the base has at `at`, all hunks before it read.
    fn place(&self, at: usize) -> usize {
        at.saturating_add_signed(self.shift)
    }
}

/// All parts of the joined text.
pub(super) fn groups<T: Hash + Ord>(
    base: &[T],
    ours: &[T],
    theirs: &[T],
    alike: Option<Alike<'_, T>>,
) -> Vec<Group> {
    let (own, other) = (hunks(base, ours, alike), hunks(base, theirs, alike));
    let strict = alike.is_none();
    let mut own = Reader { ahead: &own, shift: 0 };
    let mut other = Reader { ahead: &other, shift: 0 };
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let first = |reader: &Reader<'_>| reader.ahead.first().map(|hunk| hunk.base.clone());
        let next = [first(&own), first(&other)].into_iter().flatten();
        // What is added in a place stands before what is changed there.
        let Some(next) = next.min_by_key(|range| (range.start, range.end)) else { break };
        for kept in at..next.start {
            found.push(Group::kept(kept, own.place(kept), other.place(kept)));
        }
        at = at.max(next.start);
        let (from, other_from) = (own.place(at), other.place(at));
        let mut range = next;
        let (mut mine, mut others) = (Vec::new(), Vec::new());
        loop {
            let meets = |reader: &Reader<'_>| {
                reader
                    .ahead
                    .first()
                    .is_some_and(|hunk| hunk.base == range || hunk.meets(&range, strict))
            };
            let hunk = if meets(&own) {
                own.next().inspect(|hunk| mine.push(*hunk))
            } else if meets(&other) {
                other.next().inspect(|hunk| others.push(*hunk))
            } else {
                None
            };
            let Some(hunk) = hunk else { break };
            range = range.start.min(hunk.base.start)..range.end.max(hunk.base.end);
        }
        at = range.end;
        let part = At {
            ours: from..own.place(range.end),
            theirs: other_from..other.place(range.end),
            base: range,
        };
        found.push(group(part, (ours, theirs), (&mine, &others)));
    }
    for kept in at..base.len() {
        found.push(Group::kept(kept, own.place(kept), other.place(kept)));
    }
    found
}

/// What becomes of a part, by who changed it.
fn group<T: PartialEq>(
    at: At<Range<usize>>,
    (ours, theirs): (&[T], &[T]),
    (mine, others): (&[&Hunk], &[&Hunk]),
) -> Group {
    let what = if others.is_empty() {
        What::One(Side::Ours)
    } else if mine.is_empty() {
        What::One(Side::Theirs)
    } else if ours[at.ours.clone()] == theirs[at.theirs.clone()] {
        What::Same
    } else if mine.iter().chain(others).all(|hunk| hunk.adds()) {
        What::Added
    } else {
        What::Both
    };
    Group { what, at }
}

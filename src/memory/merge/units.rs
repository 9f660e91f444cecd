//! Markdown as units: what a reader takes for one thing.

use std::ops::Range;

use super::super::footers::heading;

/// What a unit is, as far as it matters beside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading or an anchor: what is below belongs to it.
    Title,
    Item,
    Row,
    /// A note, or another line that says by itself what it is.
    Line,
    Text,
}

impl Kind {
    /// Nothing is lost where the two stand without a blank line between them.
    pub(super) fn may_touch(self, next: Self) -> bool {
        match self {
            Self::Title => true,
            Self::Item | Self::Row | Self::Line => self == next,
            Self::Text => false,
        }
    }
}

/// A unit, and the blank lines before it.
#[derive(Clone, Debug)]
pub(super) struct Unit<'a> {
    pub gap: usize,
    /// Without what ends them.
    pub lines: Vec<&'a str>,
    pub kind: Kind,
    pub shape: Shape,
}

/// What says where a unit belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// What is below a title belongs to it, down to one of its level; an anchor is above all.
    pub level: Option<usize>,
    /// Columns before its first line.
    pub indent: usize,
    pub is_item: bool,
    pub is_row: bool,
    /// A row that goes on with the table above it.
    pub goes_on: bool,
}

/// The units of a text, and the blank lines at its end.
pub(super) fn read<'a>(text: &'a str, anchors: &[&str]) -> (Vec<Unit<'a>>, usize) {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let mut gap = 0;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let open = fence;
        if let (Some(mark), Some(unit)) = (open, units.last_mut()) {
            unit.lines.push(line);
            let bare = line.trim();
            if bare.starts_with(mark) && bare.trim_start_matches(&mark[..1]).is_empty() {
                fence = None;
            }
            continue;
        }
        if line.trim().is_empty() {
            gap += 1;
            continue;
        }
        fence = fence_of(line);
        let kind = kind_of(line, anchors);
        let goes_on = kind == Kind::Text && fence.is_none() && gap == 0;
        if let Some(last) = units.last_mut().filter(|last| goes_on && last.takes_lines()) {
            last.lines.push(line);
        } else {
            let is_row = kind == Kind::Row;
            let after_row = units.last().is_some_and(|last| last.kind == Kind::Row);
            let shape = Shape {
                level: (kind == Kind::Title).then(|| heading(line).map_or(0, |(of, _)| of)),
                indent: indent_of(line),
                is_item: kind == Kind::Item,
                is_row,
                goes_on: is_row && after_row && gap == 0,
            };
            units.push(Unit { gap, lines: vec![line], kind, shape });
        }
        gap = 0;
    }
    for unit in units.iter_mut().filter(|unit| unit.kind == Kind::Text) {
        unit.shape.level = underlined(&unit.lines);
    }
    (units, gap)
}

/// The lines of units, one below the other, without the gap before the first.
pub(super) fn lines<'a>(units: &[Unit<'a>]) -> Vec<&'a str> {
    let mut lines = Vec::new();
    for (n, unit) in units.iter().enumerate() {
        lines.extend(std::iter::repeat_n("", if n == 0 { 0 } else { unit.gap }));
        lines.extend(&unit.lines);
    }
    lines
}

impl Unit<'_> {
    /// A line that begins nothing belongs to it.
    fn takes_lines(&self) -> bool {
        matches!(self.kind, Kind::Item | Kind::Text | Kind::Line)
            && self.lines.first().is_some_and(|line| fence_of(line).is_none())
    }
}

fn indent_of(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| [' ', '\t'].contains(c));
    blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The level of a heading that is underlined.
fn underlined(lines: &[&str]) -> Option<usize> {
    let (last, above) = lines.split_last()?;
    let of = |sign: char| last.trim().chars().all(|c| c == sign);
    match above.first() {
        Some(first) if fence_of(first).is_none() && indent_of(last) < 4 => {
            of('=').then_some(1).or_else(|| of('-').then_some(2))
        }
        _ => None,
    }
}

/// The mark of a fence that opens here.
fn fence_of(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let of = |sign: char| {
        let length = bare.len() - bare.trim_start_matches(sign).len();
        (length >= 3).then(|| &bare[Range { start: 0, end: length }])
    };
    of('`').filter(|mark| !bare[mark.len()..].contains('`')).or_else(|| of('~'))
}

fn kind_of(line: &str, anchors: &[&str]) -> Kind {
    let bare = line.trim();
    if anchors.contains(&bare) || heading(line).is_some() {
        return Kind::Title;
    }
    if is_item(bare) {
        return Kind::Item;
    }
    if bare.starts_with('|') {
        return Kind::Row;
    }
    let tag = bare.strip_prefix('[').and_then(|rest| rest.chars().next());
    let says = ["scope:", "note:"].iter().any(|word| bare.starts_with(word));
    let is_line = says || tag.is_some_and(char::is_uppercase);
    if is_line { Kind::Line } else { Kind::Text }
}

/// It begins with what marks a list item.
fn is_item(bare: &str) -> bool {
    let after = ["-", "*", "+"].iter().find_map(|mark| bare.strip_prefix(mark)).or_else(|| {
        let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < bare.len()).then(|| rest.strip_prefix(['.', ')'])).flatten()
    });
    after.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

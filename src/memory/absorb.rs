//! Takes out of a page's footers what their writer said is to go: `[DURABLE]` groups up
//! into the body, `[EPHEMERAL]` ones and resolved notes away.
//!
//! What was not tagged is left to whoever condenses. Notes that are not resolved stay as
//! they are, and so does a group that holds one. Bytes outside the groups that go, the
//! blank lines behind them and the places they go to keep standing; a page that would
//! fall apart otherwise is given back as it was. Work grows with the page.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};
use pulldown_cmark::{Event, Options as Markdown, Parser, Tag as Block};

use super::condense::{POINTER, points};
use super::footers::{
    Cover, Disorder, Layout, Line as Read, layout, line_ends, lines, may_hide, plain_fences_but,
    split_lines,
};
use super::heal::line_break;
use super::notes::{self, Kinds, Note, Standing};
use crate::front_matter;

/// The heading that takes what no heading of the page's own speaks of.
pub const HEADING: &str = "Findings";
/// Words of a title that are shorter say nothing about what stands below it.
const SHORTEST: usize = 4;
/// A word that this many titles share tells none of them apart.
const SHARED: usize = 16;

/// A page without what was to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absorbed {
    pub text: String,
    /// What stands in the body now.
    pub moved: Vec<Moved>,
    /// What is gone, and stands in the archive.
    pub dropped: Vec<Dropped>,
    /// What the agent has to decide about.
    pub left: Vec<Left>,
}

/// A group that went into the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it stood, from 1.
    pub line: usize,
    /// The title it stands under.
    pub heading: String,
    /// Without its tag.
    pub text: String,
}

/// Lines that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Where they stood, from 1.
    pub line: usize,
    pub why: Why,
}

/// Why lines could go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Ephemeral,
    Resolved,
    /// They stand in the body already.
    Doubled,
}

/// A group that stays for the agent to decide about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its first line, from 1.
    pub line: usize,
    pub why: Stays,
}

/// Why a group stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// Nobody said what is to become of it.
    Untagged,
    /// A note stands in it.
    Notes,
    /// Code or HTML opens in it and does not close, or the page would read otherwise.
    Unclosed,
}

/// Takes out of the footers of `page` what is to go; `heading` names the section for what
/// no title speaks of.
///
/// # Errors
///
/// A page whose anchors are in disorder has no footers to speak of.
pub fn absorb(
    page: &str,
    anchors: &[&str],
    kinds: &Kinds,
    heading: &str,
) -> Result<Absorbed, Disorder> {
    let (taken, plain) = once(page, anchors, kinds, heading)?;
    // A line that went may have been what made the lines below it code, or no code. Where
    // that shows another tag, or a note, nobody can say what was meant.
    let settled = plain
        || taken.text == page
        || once(&taken.text, anchors, kinds, heading)?.0.text == taken.text;
    if settled { Ok(taken) } else { Ok(untouched(page, &layout(page, anchors), kinds)) }
}

/// What goes when a page is read once, and whether no line that goes could change how another
/// one reads.
fn once(
    page: &str,
    anchors: &[&str],
    kinds: &Kinds,
    heading: &str,
) -> Result<(Absorbed, bool), Disorder> {
    let before = layout(page, anchors);
    if let Some(disorder) = before.disorder() {
        return Err(disorder);
    }
    let mut sections = sections(page, &before, kinds);
    let mut taken = Absorbed::default();
    let mut body = Body::of(before.body(), line_break(page), heading);
    for section in &mut sections {
        section.take(&mut body, anchors, &mut taken);
    }
    if taken.moved.is_empty() && taken.dropped.is_empty() {
        return Ok((Absorbed { text: page.to_owned(), ..taken }, true));
    }
    let plain = sections.iter().all(Section::goes_unnoticed);
    let kept: Vec<String> = sections.iter().map(Section::kept).collect();
    let (body, text) = compose(page, &before, &body, &kept);
    if holds_together(&text, anchors, &before, &body, &kept) {
        return Ok((Absorbed { text, ..taken }, plain));
    }
    Ok((untouched(page, &before, kinds), true))
}

/// The page as it was, with everything left.
fn untouched(page: &str, layout: &Layout<'_>, kinds: &Kinds) -> Absorbed {
    let sections = sections(page, layout, kinds);
    let groups = sections.iter().flat_map(|section| &section.groups);
    let left = groups.map(|group| Left { line: group.line, why: Stays::Unclosed }).collect();
    Absorbed { text: page.to_owned(), left, ..Absorbed::default() }
}

/// The new body, and the whole page.
fn compose(page: &str, before: &Layout<'_>, body: &Body<'_>, kept: &[String]) -> (String, String) {
    let nl = line_break(page);
    let body = body.written();
    let mut text = String::with_capacity(page.len() + 256);
    text.push_str(&body);
    let mut pointer = !kept.iter().flat_map(|section| section.lines()).any(points);
    let last = before.found().len().saturating_sub(1);
    for (n, (anchor, section)) in before.found().iter().zip(kept).enumerate() {
        let line = &page[anchor.start..anchor.end];
        text.push_str(line);
        if std::mem::take(&mut pointer) {
            text.push_str(if line.ends_with('\n') { "" } else { nl });
            // Blank lines around it keep formatters from joining it with an anchor.
            text.push_str(nl);
            text.push_str(POINTER);
            text.push_str(nl);
            let touches = section.lines().next().map_or(n < last, |line| !is_blank(line));
            text.push_str(if touches { nl } else { "" });
        }
        text.push_str(section);
    }
    (body, text)
}

/// Says whether the new page reads as it was put together: nothing that moved hides an
/// anchor, or shows one.
fn holds_together(
    text: &str,
    anchors: &[&str],
    before: &Layout<'_>,
    body: &str,
    kept: &[String],
) -> bool {
    let after = layout(text, anchors);
    let ranks =
        |layout: &Layout<'_>| layout.found().iter().map(|anchor| anchor.rank).collect::<Vec<_>>();
    after.body() == body
        && ranks(&after) == ranks(before)
        && after
            .found()
            .iter()
            .zip(kept)
            .all(|(anchor, section)| after.below(anchor).ends_with(section.as_str()))
}

/// What stands between two anchors, cut into lines and groups.
struct Section<'a> {
    lines: Vec<Line<'a>>,
    groups: Vec<Group>,
    /// No block but unindented code holds blank lines.
    plain: bool,
}

/// One line of a section, with its break.
struct Line<'a> {
    text: &'a str,
    role: Role,
    goes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Blank,
    Text,
    /// A note that is resolved.
    Resolved,
    /// Any other note, and the pointer.
    Fixed,
}

/// Lines that belong together: Markdown blocks that no blank line parts.
struct Group {
    /// Its first line in the page, from 1.
    line: usize,
    lines: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Durable,
    Ephemeral,
}

fn sections<'a>(page: &'a str, layout: &Layout<'a>, kinds: &Kinds) -> Vec<Section<'a>> {
    layout
        .found()
        .iter()
        .map(|anchor| cut(&page[layout.range_below(anchor)], anchor.line + 1, kinds))
        .collect()
}

/// Cuts a section whose first line is the `first` of its page.
fn cut<'a>(text: &'a str, first: usize, kinds: &Kinds) -> Section<'a> {
    // Only in blocks do blank lines stand; prose need not be parsed.
    let code = code_blocks(text);
    let plain = code.is_some();
    let blocks = code.unwrap_or_else(|| parsed_blocks(text));
    let mut blocks = blocks.iter().peekable();
    let notes = kinds.read(text);
    let mut notes = notes.iter().peekable();
    let (mut lines, mut groups) =
        (Vec::<Line<'_>>::with_capacity(line_ends(text) + 1), Vec::<Group>::new());
    let (mut at, mut open, mut item_is_tagged) = (0, false, false);
    for (n, line) in split_lines(text).enumerate() {
        let note = notes.next_if(|note| note.range.start == at);
        // Behind words of somebody's an end says nothing of them.
        let alone = |note: &&Note| notes::before(line, note.span.start - at).is_empty();
        let role = match note.filter(alone) {
            None if note.is_some() => Role::Fixed,
            alone => role(line, alone.map(|note| note.standing)),
        };
        while blocks.next_if(|block| block.bytes.end <= at).is_some() {}
        let block = blocks.peek().filter(|block| block.bytes.start <= at);
        let inside = block.is_some_and(|block| block.bytes.start < at);
        // An item with a tag stands for itself, and ends where the next one begins.
        let listed = is_item(line) && (!inside || block.is_some_and(|block| block.is_list));
        let splits = listed && (item_is_tagged || tagged_item(line));
        if listed {
            item_is_tagged = tagged_item(line);
        }
        open &= !splits;
        if role == Role::Blank && !inside {
            (open, item_is_tagged) = (false, false);
        } else if let (true, Some(group)) = (open, groups.last_mut()) {
            group.lines.end = n + 1;
        } else {
            open = true;
            groups.push(Group { line: first + n, lines: n..n + 1 });
        }
        lines.push(Line { text: line, role, goes: false });
        at += line.len();
    }
    Section { lines, groups, plain }
}

/// The same as [`parsed_blocks`], as far as blank lines stand in them, where lines can tell.
fn code_blocks(text: &str) -> Option<Vec<Top>> {
    let code = plain_fences_but(text, text.len(), may_hold_blanks)?;
    let top = |code: Range<usize>| {
        let end = code.start + text[code.clone()].trim_end().len();
        Top { bytes: code.start..end, is_list: false }
    };
    Some(code.into_iter().map(top).collect())
}

/// A block that stands in no other one.
#[derive(Clone, Debug)]
struct Top {
    /// Its bytes, without the blank lines at its end.
    bytes: Range<usize>,
    is_list: bool,
}

/// The top blocks.
fn parsed_blocks(text: &str) -> Vec<Top> {
    let (mut depth, mut blocks) = (0_usize, Vec::new());
    for (event, range) in Parser::new_ext(text, Markdown::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(block) => {
                if depth == 0 {
                    let end = range.start + text[range.clone()].trim_end().len();
                    let is_list = matches!(block, Block::List(_));
                    blocks.push(Top { bytes: range.start..end, is_list });
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    blocks
}

/// Lists and code with an indent may hold blank lines.
fn may_hold_blanks(line: &str) -> bool {
    line.starts_with(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || matches!(c, '-' | '*' | '+' | '>')
    })
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

fn role(line: &str, standing: Option<Standing>) -> Role {
    if is_blank(line) {
        return Role::Blank;
    }
    if points(line) {
        return Role::Fixed;
    }
    match standing {
        Some(Standing::Resolved) => Role::Resolved,
        Some(_) => Role::Fixed,
        None => Role::Text,
    }
}

/// The tag that a line begins with, behind a list marker and in bold or code as well, and the
/// line without it.
fn tag(line: &str) -> Option<(Tag, String)> {
    let (marker, text) = line.split_at(marker(line));
    TAGS.iter().find_map(|(word, tag)| {
        let bare = |mark: &&str| {
            text.strip_prefix(mark)?.strip_prefix(word)?.strip_prefix(mark).map(str::to_owned)
        };
        let after = ["", "**", "__", "*", "`"].iter().find_map(bare)?;
        match marker.trim() {
            "" => Some((*tag, after)),
            _ if is_blank(&after) => None,
            _ => Some((*tag, format!("{marker}{}", after.trim_start_matches([' ', '\t'])))),
        }
    })
}

/// The tag that a line ends with, behind words, and the words.
fn tag_at_end(line: &str) -> Option<(Tag, String)> {
    let text = line.trim_end();
    TAGS.iter().find_map(|(word, tag)| {
        let bare = |mark: &&str| {
            text.strip_suffix(mark)?.strip_suffix(word)?.strip_suffix(mark).map(str::trim_end)
        };
        let words = ["", "**", "__", "*", "`"].iter().find_map(bare)?;
        let says = words.len() > marker(line);
        says.then(|| (*tag, words.to_owned()))
    })
}

const TAGS: [(&str, Tag); 2] = [("[DURABLE]", Tag::Durable), ("[EPHEMERAL]", Tag::Ephemeral)];

/// The bytes of the list marker that a line begins with, its indent among them.
fn marker(line: &str) -> usize {
    notes::item(line.trim_start_matches([' ', '\t'])).map_or(0, |rest| line.len() - rest.len())
}

/// A line that begins an item of a list that stands in no other one.
fn is_item(line: &str) -> bool {
    marker(line) > 0 && !line.starts_with([' ', '\t'])
}

fn tagged_item(line: &str) -> bool {
    is_item(line) && (tag(line).is_some() || tag_at_end(line).is_some())
}

impl Section<'_> {
    /// Marks the lines that go, and hands on what stands in the body from now on.
    fn take(&mut self, body: &mut Body<'_>, anchors: &[&str], taken: &mut Absorbed) {
        // A tag on a line of its own speaks for the group behind it, and goes with it even
        // where that has a tag of its own: it must not come to speak for what stands below.
        let mut alone: Vec<(usize, Tag)> = Vec::new();
        self.drop_resolved(taken);
        for group in &self.groups {
            let role = |n: &usize| self.lines[*n].role;
            let rest: Vec<usize> =
                group.lines.clone().filter(|n| role(n) != Role::Resolved).collect();
            let text = rest.iter().position(|n| role(n) != Role::Fixed && role(n) != Role::Blank);
            let Some(text) = text else { continue };
            let (noted, rest) = (text > 0, &rest[text..]);
            let line = group.line + rest[0] - group.lines.start;
            let own = tag(self.lines[rest[0]].text);
            if let (Some((tag, after)), [only]) = (&own, rest)
                && is_blank(after)
            {
                alone.push((*only, *tag));
                continue;
            }
            let last = rest.last().map(|n| self.lines[*n].text);
            let end = last.filter(|_| own.is_none()).and_then(tag_at_end);
            let above = std::mem::take(&mut alone);
            let said = own.as_ref().or(end.as_ref()).map(|(tag, _)| *tag);
            let told = above.last().filter(|_| said.is_none() && !noted);
            let Some(tag) = said.or(told.map(|(_, tag)| *tag)) else {
                taken.left.push(Left { line, why: Stays::Untagged });
                continue;
            };
            if rest.iter().any(|n| role(n) == Role::Fixed) {
                taken.left.push(Left { line, why: Stays::Notes });
                continue;
            }
            let text = self.untagged(rest, own.as_ref(), end.as_ref());
            if text.is_empty() {
                continue;
            }
            if tag == Tag::Durable && !is_closed(&text, anchors) {
                taken.left.push(Left { line, why: Stays::Unclosed });
                continue;
            }
            match tag {
                Tag::Ephemeral => taken.dropped.push(Dropped { line, why: Why::Ephemeral }),
                Tag::Durable if body.holds(&text) => {
                    taken.dropped.push(Dropped { line, why: Why::Doubled });
                }
                Tag::Durable => {
                    let heading = body.put(&text);
                    taken.moved.push(Moved { line, heading, text });
                }
            }
            for n in rest.iter().copied().chain(above.iter().map(|(n, _)| *n)) {
                self.lines[n].goes = true;
            }
        }
        taken.dropped.sort_by_key(|dropped| dropped.line);
    }

    /// Notes that were acted on go.
    fn drop_resolved(&mut self, taken: &mut Absorbed) {
        for group in &self.groups {
            for n in group.lines.clone().filter(|n| self.lines[*n].role == Role::Resolved) {
                let line = group.line + n - group.lines.start;
                taken.dropped.push(Dropped { line, why: Why::Resolved });
            }
        }
        for line in &mut self.lines {
            line.goes |= line.role == Role::Resolved;
        }
    }

    /// Says whether what stays reads as it did before: nothing that goes opens or closes code.
    fn goes_unnoticed(&self) -> bool {
        let fence = |line: &Line<'_>| line.text.contains("```") || line.text.contains("~~~");
        self.plain && !self.lines.iter().any(|line| line.goes && fence(line))
    }

    /// The text of a group without its tag, which its first line began or its last one ended with,
    /// and without the break of its last line.
    fn untagged(
        &self,
        lines: &[usize],
        own: Option<&(Tag, String)>,
        end: Option<&(Tag, String)>,
    ) -> String {
        let [after_tag, before_tag] = [own, end].map(|tag| tag.map(|(_, text)| text.as_str()));
        let (lines, end) = match (before_tag, lines.split_last()) {
            (Some(before), Some((_, lines))) => (lines, before),
            _ => (lines, ""),
        };
        let mut text = String::new();
        let (first, rest) =
            lines.split_first().map_or((None, lines), |(first, rest)| (Some(first), rest));
        match (first, after_tag) {
            (_, Some(after)) if is_blank(after) => {}
            (_, Some(after)) => text.push_str(after.trim_start_matches([' ', '\t'])),
            (Some(first), None) => text.push_str(self.lines[*first].text),
            (None, None) => {}
        }
        for n in rest {
            text.push_str(self.lines[*n].text);
        }
        text.push_str(end);
        let end = text.trim_end_matches(['\r', '\n', ' ', '\t']).len();
        text.truncate(end);
        text
    }

    /// What stays of the section. Blank lines behind what goes go with it where blank lines
    /// stand above it too.
    fn kept(&self) -> String {
        let mut kept = String::new();
        let (mut after_blank, mut after_gone) = (true, false);
        for line in &self.lines {
            let blank = line.role == Role::Blank;
            if line.goes || (blank && after_gone && after_blank) {
                after_gone = true;
                continue;
            }
            kept.push_str(line.text);
            (after_blank, after_gone) = (blank, false);
        }
        kept
    }
}

/// Says whether an anchor behind `text` would still be one.
fn is_closed(text: &str, anchors: &[&str]) -> bool {
    let Some(anchor) = anchors.first() else { return false };
    if !may_hide(text) {
        return layout(text, anchors).found().is_empty();
    }
    let probe = format!("{text}\n\n{anchor}\n");
    layout(&probe, anchors).found().iter().map(|found| found.start).eq([text.len() + 2])
}

/// The body of a page and what is to be put into it. It is read when something is.
struct Body<'a> {
    text: &'a str,
    nl: &'static str,
    heading: &'a str,
    titles: OnceCell<Titles>,
    runs: OnceCell<Runs<'a>>,
    /// What goes to each place: a title, or a new section at the end.
    put: HashMap<Option<usize>, Vec<Rc<str>>>,
    new: HashSet<Rc<str>>,
}

struct Titles {
    all: Vec<Title>,
    /// Those in which a word stands.
    of: HashMap<String, Vec<usize>>,
}

struct Title {
    text: String,
    /// Where its own section ends: behind its last line that is not blank.
    end: usize,
}

impl<'a> Body<'a> {
    fn of(text: &'a str, nl: &'static str, heading: &'a str) -> Self {
        let (put, new) = (HashMap::default(), HashSet::default());
        Self { text, nl, heading, titles: OnceCell::new(), runs: OnceCell::new(), put, new }
    }

    fn titles(&self) -> &Titles {
        self.titles.get_or_init(|| {
            let all = titles(self.text);
            let mut of: HashMap<String, Vec<usize>> = HashMap::default();
            for (n, title) in all.iter().enumerate() {
                each_long_word(&title.text, |word| match of.get_mut(word) {
                    Some(titles) if titles.last() == Some(&n) => {}
                    Some(titles) => titles.push(n),
                    None => drop(of.insert(word.to_owned(), vec![n])),
                });
            }
            of.retain(|_, titles| titles.len() <= SHARED);
            Titles { all, of }
        })
    }

    /// Says whether `text` stands here word for word.
    fn holds(&self, text: &str) -> bool {
        let run = first_run(text);
        let stands = |at: usize| {
            let rest = self.text[at..].strip_prefix(text);
            rest.is_some_and(|rest| split_lines(rest).next().is_none_or(is_blank))
        };
        let runs = || self.runs.get_or_init(|| Runs::of(self.text));
        self.new.contains(text) || runs().places(run).any(stands)
    }

    /// Takes `text`; gives the title that it goes under.
    fn put(&mut self, text: &str) -> String {
        let place = self.place(text);
        let text: Rc<str> = text.into();
        self.new.insert(Rc::clone(&text));
        self.put.entry(place).or_default().push(text);
        place.map_or(self.heading, |n| &self.titles().all[n].text).to_owned()
    }

    /// The title whose words stand most often in `text`, the last of equal ones; else the
    /// title for findings, where there is one.
    fn place(&self, text: &str) -> Option<usize> {
        let titles = self.titles();
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        if !titles.of.is_empty() {
            each_long_word(text, |word| {
                for title in titles.of.get(word).into_iter().flatten() {
                    *times.entry(*title).or_default() += 1;
                }
            });
        }
        let most = times.into_iter().max_by_key(|(title, times)| (*times, *title));
        let named =
            || titles.all.iter().rposition(|title| title.text.eq_ignore_ascii_case(self.heading));
        most.map(|(title, _)| title).or_else(named)
    }

    /// The body with all that was put into it.
    fn written(&self) -> String {
        if self.put.is_empty() {
            return self.text.to_owned();
        }
        let titles = &self.titles().all;
        let mut text = String::with_capacity(self.text.len() + 256);
        let (mut at, mut parted) = (0, None);
        let end = last_line_end(self.text, mark(self.text)..self.text.len());
        let places = (0..titles.len()).map(Some).chain([None]);
        for place in places {
            let Some(groups) = self.put.get(&place) else { continue };
            let to = place.map_or(end, |n| titles[n].end);
            text.push_str(&self.text[at..to]);
            at = to;
            if to > mark(self.text) && parted != Some(to) {
                text.push_str(if text.ends_with('\n') { "" } else { self.nl });
                text.push_str(self.nl);
            }
            let title = place.is_none().then(|| format!("## {}", self.heading));
            let parts: Vec<&str> = title
                .iter()
                .map(String::as_str)
                .chain(groups.iter().map(|group| &**group))
                .collect();
            text.push_str(&parts.join(&self.nl.repeat(2)));
            text.push_str(self.nl);
            let next = self.text[to..].split_inclusive('\n').next();
            if next.is_none_or(|line| !is_blank(line)) {
                text.push_str(self.nl);
                parted = Some(to);
            }
        }
        text.push_str(&self.text[at..]);
        text
    }
}

fn mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The end of the last line within `range` that is not blank, its break included.
fn last_line_end(text: &str, range: Range<usize>) -> usize {
    let bare = range.start + text[range.clone()].trim_end_matches([' ', '\t', '\r', '\n']).len();
    if bare == range.start {
        return bare;
    }
    text[bare..range.end].find('\n').map_or(range.end, |at| bare + at + 1)
}

/// The titles of a body, with the ends of their own sections.
fn titles(body: &str) -> Vec<Title> {
    // Markdown would read the last line of front matter as the rule below a title.
    let from = front_matter::find(body).map_or(mark(body), |found| found.end);
    let found = plain_titles(&body[from..]).unwrap_or_else(|| parsed_titles(&body[from..]));
    let line_start = |at: usize| body[..at].rfind('\n').map_or(from, |at| at + 1);
    let ends: Vec<usize> = found
        .iter()
        .skip(1)
        .map(|(start, _)| line_start(from + start))
        .chain([body.len()])
        .collect();
    let ends =
        found.iter().zip(ends).map(|((start, _), end)| last_line_end(body, from + start..end));
    let ends: Vec<usize> = ends.collect();
    found.into_iter().zip(ends).map(|((_, text), end)| Title { text, end }).collect()
}

/// Where each title starts, and its words, where lines tell: every title is one of `#` without
/// an indent, and nothing but fences hides one.
fn plain_titles(body: &str) -> Option<Vec<(usize, String)>> {
    let other = |line: &str| {
        let bare = line.trim_start();
        match bare.as_bytes().first() {
            Some(b'#') => bare.len() < line.len(),
            Some(mark @ (b'=' | b'-')) => bare.trim_end().bytes().all(|byte| byte == *mark),
            _ => false,
        }
    };
    let code = plain_fences_but(body, body.len(), other)?;
    let mut code = Cover::new(&code);
    let titles =
        lines(body).filter(|line| line.text.starts_with('#') && code.over(line.start).is_none());
    let title = |line: Read<'_>| {
        let level = line.text.bytes().take_while(|c| *c == b'#').count();
        let rest = line.text.get(level..).filter(|_| level <= 6)?;
        if !rest.is_empty() && !rest.starts_with([' ', '\t', '\n']) {
            return None;
        }
        let plain =
            rest.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\n' | ',' | '.'));
        let parsed = || parsed_titles(line.text).pop().map(|(_, words)| words);
        let words = if plain { Some(rest.trim().to_owned()) } else { parsed() };
        Some((line.start, words.unwrap_or_default()))
    };
    Some(titles.filter_map(title).collect())
}

/// The same for any body.
fn parsed_titles(body: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut depth, mut within) = (0_usize, false);
    for (event, range) in Parser::new_ext(body, Markdown::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(block) => {
                if depth == 0 && matches!(block, Block::Heading { .. }) {
                    found.push((range.start, String::new()));
                    within = true;
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                within &= depth > 0;
            }
            Event::Text(text) | Event::Code(text) if within => {
                if let Some((_, title)) = found.last_mut() {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak if within => {
                if let Some((_, title)) = found.last_mut() {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}

/// Runs of lines without a blank one, and where they start.
#[derive(Default)]
struct Runs<'a> {
    /// The newest run of each text.
    last: HashMap<&'a str, usize>,
    /// Where each run starts, and the run before it with the same text.
    all: Vec<(usize, Option<usize>)>,
}

impl<'a> Runs<'a> {
    fn of(body: &'a str) -> Self {
        let mut runs = Self::default();
        runs.last.reserve(line_ends(body) / 4);
        let (mut start, mut at) = (None, mark(body));
        for line in split_lines(&body[at..]) {
            if is_blank(line) {
                runs.add(body, start.take(), at);
            } else {
                start.get_or_insert(at);
            }
            at += line.len();
        }
        runs.add(body, start, at);
        runs
    }

    fn add(&mut self, body: &'a str, start: Option<usize>, end: usize) {
        if let Some(start) = start {
            let before = self.last.insert(body[start..end].trim_end(), self.all.len());
            self.all.push((start, before));
        }
    }

    /// Where runs of this text start.
    fn places(&self, run: &str) -> impl Iterator<Item = usize> {
        let mut next = self.last.get(run).copied();
        std::iter::from_fn(move || {
            let (start, before) = self.all[next?];
            next = before;
            Some(start)
        })
    }
}

fn first_run(text: &str) -> &str {
    let mut end = 0;
    for line in split_lines(text) {
        if is_blank(line) {
            break;
        }
        end += line.len();
    }
    text[..end].trim_end()
}

/// Hands on every long word of `text` in small letters.
fn each_long_word(text: &str, mut take: impl FnMut(&str)) {
    let mut small = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.len() < SHORTEST || word.chars().count() < SHORTEST {
            continue;
        }
        small.clear();
        if word.is_ascii() {
            small.push_str(word);
            small.make_ascii_lowercase();
        } else {
            small.push_str(&word.to_lowercase());
        }
        take(&small);
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::memory::archive;
    use crate::memory::lock::{self, Held};
    use crate::memory::samples::{ANCHORS, page_like};

    fn kinds() -> Kinds {
        Kinds::shipped().expect("the shipped kinds read")
    }

    fn absorbed(page: &str) -> Absorbed {
        let once = absorb(page, &ANCHORS, &kinds(), HEADING).expect("the page is in order");
        let twice = absorb(&once.text, &ANCHORS, &kinds(), HEADING).expect("it stays in order");
        assert_eq!(twice.text, once.text, "what was absorbed is absorbed");
        once
    }

    /// The page of every case, absorbed, with any line break.
    fn becomes(cases: &[(&str, &str)]) {
        for (page, expected) in cases {
            assert_eq!(absorbed(page).text, expected.replace("POINTER", POINTER), "{page}");
            let crlf = absorbed(&page.replace('\n', "\r\n")).text;
            assert_eq!(crlf, expected.replace("POINTER", POINTER).replace('\n', "\r\n"), "{page}");
        }
    }

    proptest! {
        #[test]
        fn lines_find_the_titles_that_markdown_finds(page in page_like()) {
            if let Some(titles) = plain_titles(&page) {
                prop_assert_eq!(titles, parsed_titles(&page));
            }
        }

        #[test]
        fn lines_find_the_blank_lines_that_markdown_finds_in_a_block(page in page_like()) {
            // A mark stands before a page, never before a section.
            let page = page.trim_start_matches('\u{feff}');
            let blank_in = |blocks: &[Top]| -> Vec<usize> {
                let blank = lines(page).filter(|line| is_blank(line.text)).map(|line| line.start);
                let inside = |at: &usize| {
                    let mut bytes = blocks.iter().map(|block| &block.bytes);
                    bytes.any(|bytes| bytes.start < *at && *at < bytes.end)
                };
                blank.filter(inside).collect()
            };
            if let Some(code) = code_blocks(page) {
                prop_assert_eq!(blank_in(&code), blank_in(&parsed_blocks(page)));
            }
        }
    }

    #[test]
    fn titles_are_words_without_their_marks() {
        for (body, expected) in [
            (
                "# C#\n## `code` and *stress* ##\n####### seven\n#none\n#\n",
                vec!["C#", "code and stress", ""],
            ),
            ("```\n# no\n```\n# yes, 2.0\n- item\n# after\n", vec!["yes, 2.0", "after"]),
            ("under\n===\n# two\n", vec!["under", "two"]),
        ] {
            let titles: Vec<String> = titles(body).into_iter().map(|title| title.text).collect();
            assert_eq!(titles, expected, "{body}");
        }
    }

    #[test]
    fn a_durable_group_goes_under_the_title_that_speaks_of_it() {
        becomes(&[
            (
                "# Page\n\n## Lexer\nold\n## Parser\nold\n\n---Ob---\n\n\
                 [DURABLE] the lexer eats tabs\n\nrest\n---Pl---\n",
                "# Page\n\n## Lexer\nold\n\nthe lexer eats tabs\n\n## Parser\nold\n\n---Ob---\n\n\
                 POINTER\n\nrest\n---Pl---\n",
            ),
            (
                "# Page\n\n---Ob---\n[DURABLE]\nfirst\n- a\n- b\n\n[DURABLE]\n\n```\ncode\n\n\
                 more\n```\n---Pl---\n",
                "# Page\n\n## Findings\n\nfirst\n- a\n- b\n\n```\ncode\n\nmore\n```\n\n---Ob---\n\
                 \nPOINTER\n\n---Pl---\n",
            ),
            (
                "---\nlexer: x\n---\n## The Lexer\n## The lexer, again\n---Ob---\n\
                 [DURABLE] Lexer.\n",
                "---\nlexer: x\n---\n## The Lexer\n## The lexer, again\n\nLexer.\n\n---Ob---\n\n\
                 POINTER\n",
            ),
            (
                "## Findings\nx\n## Other\n\n---Ob---\n[DURABLE] new\n",
                "## Findings\nx\n\nnew\n\n## Other\n\n---Ob---\n\nPOINTER\n",
            ),
            ("---Ob---\n[DURABLE] x\n", "## Findings\n\nx\n\n---Ob---\n\nPOINTER\n"),
        ]);
    }

    #[test]
    fn a_tag_stands_where_people_write_it() {
        for (section, body, left) in [
            ("- [DURABLE] tabs are eaten\n- plain\n", "- tabs are eaten", "- plain\n"),
            ("- plain\n- tabs are eaten [DURABLE]\n", "- tabs are eaten", "- plain\n"),
            (
                "1. **[DURABLE]** tabs\n   are eaten\n2. plain\n",
                "1. tabs\n   are eaten",
                "2. plain\n",
            ),
            ("Tabs are eaten. [DURABLE]\n", "Tabs are eaten.", ""),
            ("Tabs are\neaten. `[DURABLE]`\n", "Tabs are\neaten.", ""),
            ("**[DURABLE]** Tabs are eaten.\n", "Tabs are eaten.", ""),
            ("- [EPHEMERAL] scratch\n- plain\n", "", "- plain\n"),
        ] {
            let found = absorbed(&format!("b\n\n---Ob---\n\n{section}"));
            let moved: Vec<&str> = found.moved.iter().map(|moved| moved.text.as_str()).collect();
            let expected: Vec<&str> =
                Some(body).filter(|body| !body.is_empty()).into_iter().collect();
            assert_eq!(moved, expected, "{section}");
            let (above, below) = found.text.split_once("---Ob---").expect("its anchor");
            assert!(above.contains(body) && below.contains(left), "{section}: {}", found.text);
            assert!(!below.contains("tabs") && !below.contains("scratch"), "{}", found.text);
        }
    }

    #[test]
    fn what_is_no_group_with_a_tag_stays() {
        for page in [
            "no anchor\n[DURABLE] x\n",
            "b\n---Ob---\nplain\n",
            "b\n---Ob---\nplain\n[DURABLE] in the middle\n",
            "b\n---Ob---\n- [DURABLE]\n",
            "b\n---Ob---\n- plain\n  [DURABLE] in an item\n",
            "b\n---Ob---\nthe tag [DURABLE] in a line\n",
            "b\n---Ob---\n[DURABLE]\n",
            "b\n---Ob---\n[DURABLE] x\n[KNOWLEDGE]{lexers}\n",
            "b\n---Ob---\n[EPHEMERAL] x\n[CARRIED:KNOWLEDGE:2]{lexers}{later}\n",
            "b\n---Ob---\n[DURABLE]\n```\nnever closed\n",
            "b\n---Ob---\n[RESOLVED:KNOWLEDGE]{}\n",
        ] {
            assert_eq!(absorbed(page).text, page, "{page}");
        }
    }

    #[test]
    fn what_is_over_goes_and_what_is_not_stays() {
        becomes(
            &[
                (
                    "b\n\n---Ob---\n\n[EPHEMERAL] x\ny\n\n[CARRIED:KNOWLEDGE:1]{a}{b}\n\n\
                     ---Pl---\n",
                    "b\n\n---Ob---\n\nPOINTER\n\n[CARRIED:KNOWLEDGE:1]{a}{b}\n\n---Pl---\n",
                ),
                (
                    "b\n---Ob---\nwords\n- [RESOLVED:KNOWLEDGE]{a.md}\nmore\n\n\
                     [RESOLVED:KNOWLEDGE]{b.md}\n",
                    "b\n---Ob---\n\nPOINTER\n\nwords\nmore\n\n",
                ),
                (
                    "b\n\nx y\n\nz\n\n---Ob---\nPOINTER\n\n[DURABLE] x y\n",
                    "b\n\nx y\n\nz\n\n---Ob---\nPOINTER\n\n",
                ),
            ]
            .map(|(page, text)| (page.replace("POINTER", POINTER), text))
            .iter()
            .map(|(page, text)| (page.as_str(), *text))
            .collect::<Vec<_>>(),
        );
    }

    #[test]
    fn it_says_what_it_did() {
        let page = "# P\n## Cache\n\n---Ob---\n[DURABLE] the cache\n\nplain\n\n[EPHEMERAL] x\n\
            ---Pl---\n[RESOLVED:KNOWLEDGE]{a}\n";
        let Absorbed { moved, dropped, left, .. } = absorbed(page);
        let heading = "Cache".to_owned();
        assert_eq!(moved, [Moved { line: 5, heading, text: "the cache".to_owned() }]);
        let gone =
            [Dropped { line: 9, why: Why::Ephemeral }, Dropped { line: 11, why: Why::Resolved }];
        assert_eq!(dropped, gone);
        assert_eq!(left, [Left { line: 7, why: Stays::Untagged }]);
    }

    #[test]
    fn a_page_in_disorder_is_no_page() {
        assert!(absorb("---Ob---\n---Ob---\n[DURABLE] x\n", &ANCHORS, &kinds(), HEADING).is_err());
    }

    /// What footers are made of, whole blocks and halves of them.
    const PIECES: &[&str] = &[
        "[DURABLE] lexers eat tabs",
        "[DURABLE]",
        "[EPHEMERAL] scratch",
        "[EPHEMERAL]",
        "[DURABLE] | a | b |\n|---|---|\n| c | d |",
        "[DURABLE]\n```text\n---Ob---\n\n[EPHEMERAL] shown\n```",
        "````\n```\ninner\n```\n````",
        "```",
        "  ```",
        "~~~",
        "<div>\nhtml\n</div>",
        "<!--",
        "-->",
        "<pre>",
        "- item one\n\n  - nested\n\n- item two",
        "1. one\n2. two",
        "> quoted\n> more",
        "    indented",
        "plain words about parsers.",
        "two lines\nof text",
        "Title\n=====",
        "## Heading",
        "---",
        "[KNOWLEDGE]{how lexers work}",
        "[PENDING-JOB]{x}",
        "- [VOICE-UPDATE]{a | b | c}",
        "[AGENT-UPDATE]",
        "`[DRAFT-TERM]{t}`",
        "[RESOLVED:KNOWLEDGE]{a.md}",
        "- [RESOLVED:PENDING-JOB]{job 1 created}",
        "[RESOLVED:KNOWLEDGE]{}",
        "[RESOLVED:KNOWLEDGE",
        "[CARRIED:KNOWLEDGE:2]{topic}{later}",
        "[CARRIED:KNOWLEDGE]{topic}",
        "[UNKNOWN]{x}",
        "[DURABLE]: /a/link",
        POINTER,
    ];

    fn pieces() -> impl Strategy<Value = String> {
        let parts = (
            proptest::sample::select(PIECES),
            proptest::sample::select(&["\n", "\n\n", "\n\n\n"][..]),
        );
        let parts = proptest::collection::vec(parts, 0..7);
        parts.prop_map(|parts| parts.into_iter().flat_map(|(text, gap)| [text, gap]).collect())
    }

    fn any_page() -> impl Strategy<Value = String> {
        let body = proptest::sample::select(
            &[
                "",
                "\u{feff}",
                "# Page\n",
                "# Page\n\n## Lexers\ntext\n## Parsers\n\n",
                "---\nname: x\n---\nlexers eat tabs\n\n",
                "- list\n\n## Findings\n\nplain words about parsers.\n\n",
                "Parsers\n===\n",
            ][..],
        );
        (body, pieces(), pieces(), any::<bool>(), any::<bool>()).prop_map(
            |(body, seen, ran, crlf, end)| {
                let page = format!("{body}---Ob---\n{seen}---Ve---\n{ran}");
                let page = if end { page } else { page.trim_end().to_owned() };
                if crlf { page.replace('\n', "\r\n") } else { page }
            },
        )
    }

    /// Every live note resolved, as a session would do it line by line.
    fn at_rest(page: &str) -> String {
        let mut text = page.to_owned();
        let notes = kinds().in_footer(page, &ANCHORS);
        for note in notes.iter().rev().filter(|note| note.standing.is_live()) {
            text.replace_range(note.range.clone(), &format!("[RESOLVED:{}]{{a.md}}", note.kind));
        }
        text
    }

    fn is_subsequence(old: &str, new: &str) -> bool {
        // A mark at the very beginning is no part of a line.
        let bare = |text: &'_ str| text.trim_start_matches('\u{feff}').to_owned();
        let (old, new) = (bare(old), bare(new));
        let mut lines = new.lines();
        old.lines().filter(|line| !is_blank(line)).all(|line| lines.any(|other| other == line))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_lost(page in any_page()) {
            let page = at_rest(&page);
            let before = layout(&page, &ANCHORS);
            let Ok(done) = absorb(&page, &ANCHORS, &kinds(), HEADING) else { return Ok(()) };
            let after = layout(&done.text, &ANCHORS);
            let footer = archive::Footer { page: "p".to_owned(), text: before.footer().to_owned() };
            let log = archive::add(&archive::begin("j", 1, 1), &[footer]).expect("a log");
            let captures = archive::read(&log).expect("it reads back");
            prop_assert_eq!(&captures[0][0].text, before.footer(), "the archive has every byte");

            // What goes is free once it is archived, by the very rule that edits are judged by.
            let held = Held::of(&captures, "p", &ANCHORS);
            prop_assert_eq!(lock::lost(&page, &done.text, &ANCHORS, &kinds(), &held), None);
            // What was moved stands in the body word for word; what was there stays, in order.
            for moved in &done.moved {
                prop_assert!(after.body().contains(&moved.text), "{:?}", moved);
            }
            prop_assert!(is_subsequence(before.body(), after.body()), "{}", done.text);
            let kept = after.footer().replace(POINTER, "");
            let was = before.footer().replace(POINTER, "");
            prop_assert!(is_subsequence(&kept, &was), "{}", done.text);
            // Nothing goes that was not named.
            let count = |text: &str| text.lines().filter(|line| !is_blank(line)).count();
            if done.moved.is_empty() && done.dropped.is_empty() {
                prop_assert_eq!(&done.text, &page);
            } else {
                prop_assert!(count(&was) > count(&kept));
                prop_assert!(after.footer().lines().any(points), "what went leaves a pointer");
            }
            let stand = |text: &str| {
                let notes = kinds().in_footer(text, &ANCHORS).into_iter();
                notes.filter(|note| note.standing == Standing::Carried)
                    .map(|note| note.content).collect::<Vec<_>>()
            };
            prop_assert_eq!(stand(&page), stand(&done.text), "carried notes stand");
            let broken = done.text.replace("\r\n", "");
            prop_assert!(!page.contains("\r\n") || !broken.contains('\n'),
                "line ends are the page's own");
            let again = absorb(&done.text, &ANCHORS, &kinds(), HEADING).expect("still in order");
            prop_assert_eq!(again.text, done.text, "what was absorbed is absorbed");
        }
    }
}

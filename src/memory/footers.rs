//! Finds the anchors of a page and the parts they bound.
//!
//! An anchor is a line of its own, outside code, HTML blocks and comments. Markdown
//! alone would not do: right under a list item, a paragraph or a table row an anchor
//! reads as part of it. Lines alone would not do either: a page may show an anchor in a
//! code block. So lines give candidates, and Markdown only says which of them are hidden.
//! A fence that is never closed hides all below it, as it does for every other reader.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// An anchor that stands in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place in the list of anchors, from 0.
    pub rank: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Byte where its line starts.
    pub start: usize,
    /// Byte after its line, line break included.
    pub end: usize,
}

/// A line that would be an anchor if it did not stand inside `block`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub rank: usize,
    pub block: Range<usize>,
}

/// What keeps a page from having each anchor once and in order. Never mended by itself:
/// only a person knows which of two anchors is the right one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disorder {
    #[error("`{anchor}` stands twice, the second time on line {line}")]
    Doubled { anchor: String, line: usize },
    #[error("`{anchor}` on line {line} stands below an anchor that comes after it")]
    OutOfOrder { anchor: String, line: usize },
    #[error("`{anchor}` has no place: the code or HTML that opens on line {line} is never closed")]
    Unclosed { anchor: String, line: usize },
}

impl Disorder {
    /// The anchor that has no good place.
    pub(crate) fn anchor(&self) -> &str {
        match self {
            Self::Doubled { anchor, .. }
            | Self::OutOfOrder { anchor, .. }
            | Self::Unclosed { anchor, .. } => anchor,
        }
    }

    /// The line to look at, from 1.
    pub(crate) fn line(&self) -> usize {
        match self {
            Self::Doubled { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::Unclosed { line, .. } => *line,
        }
    }
}

/// A page, cut at its anchors. Parts are slices of the text, byte for byte.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    text: &'a str,
    anchors: &'a [&'a str],
    found: Vec<Found>,
    hidden: Vec<Hidden>,
}

/// Reads `text` against `anchors`, which are in rank order.
pub fn layout<'a>(text: &'a str, anchors: &'a [&'a str]) -> Layout<'a> {
    let candidates = candidates(text, anchors);
    let above = candidates.last().map_or("", |last| &text[..last.start]);
    let blocks = if may_hide(above) {
        plain_fences(above, text.len()).unwrap_or_else(|| hiding_blocks(text))
    } else {
        Vec::new()
    };
    let mut layout = Layout { text, anchors, found: Vec::new(), hidden: Vec::new() };
    let mut blocks = Cover::new(&blocks);
    for anchor in candidates {
        match blocks.over(anchor.start) {
            Some(block) => layout.hidden.push(Hidden { rank: anchor.rank, block: block.clone() }),
            None => layout.found.push(anchor),
        }
    }
    layout
}

impl<'a> Layout<'a> {
    /// The anchors that stand, in the order of the text.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The first anchor of this rank.
    pub(crate) fn anchor(&self, rank: usize) -> Option<&Found> {
        self.found.iter().find(|anchor| anchor.rank == rank)
    }

    /// Everything above the first anchor; the whole text where there is none.
    pub(crate) fn body(&self) -> &'a str {
        &self.text[..self.found.first().map_or(self.text.len(), |first| first.start)]
    }

    /// Everything below the first anchor's line; empty where there is none.
    pub(crate) fn footer(&self) -> &'a str {
        &self.text[self.found.first().map_or(self.text.len(), |first| first.end)..]
    }

    /// What stands below the anchor of this rank, up to the next anchor.
    pub(crate) fn section(&self, rank: usize) -> Option<&'a str> {
        self.anchor(rank).map(|anchor| self.below(anchor))
    }

    /// What stands between `anchor`, one of [`Self::found`], and the next anchor.
    pub(crate) fn below(&self, anchor: &Found) -> &'a str {
        &self.text[self.range_below(anchor)]
    }

    /// The bytes of [`Self::below`], for who wants to write there.
    pub(crate) fn range_below(&self, anchor: &Found) -> Range<usize> {
        let after = self.found.partition_point(|other| other.start <= anchor.start);
        anchor.end..self.found.get(after).map_or(self.text.len(), |next| next.start)
    }

    /// The line of an anchor, line break included.
    pub(super) fn line_of(&self, anchor: &Found) -> &'a str {
        &self.text[anchor.start..anchor.end]
    }

    /// Ranks of the anchors that do not stand, ascending.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.anchors.len()).filter(|rank| self.anchor(*rank).is_none()).collect()
    }

    /// The first anchor that stands twice or out of order.
    pub(crate) fn disorder(&self) -> Option<Disorder> {
        let mut seen = vec![false; self.anchors.len()];
        let mut highest = 0;
        for Found { rank, line, .. } in &self.found {
            let (rank, line, anchor) = (*rank, *line, self.name(*rank));
            if std::mem::replace(&mut seen[rank], true) {
                return Some(Disorder::Doubled { anchor, line });
            }
            if rank < highest {
                return Some(Disorder::OutOfOrder { anchor, line });
            }
            highest = rank;
        }
        None
    }

    /// Where the code or HTML opens that hides the last anchor of this rank.
    pub(super) fn hidden_by(&self, rank: usize) -> Option<usize> {
        let hidden = self.hidden.iter().rfind(|hidden| hidden.rank == rank)?;
        Some(line_ends(&self.text[..hidden.block.start]) + 1)
    }

    pub(super) fn name(&self, rank: usize) -> String {
        self.anchors[rank].to_owned()
    }
}

/// One line of a text.
pub(super) struct Line<'a> {
    pub number: usize,
    pub start: usize,
    /// The line with its break.
    pub text: &'a str,
}

/// Every line; a byte order mark belongs to none of them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    #[cfg(test)]
    tests::read(text);
    let mut start = mark_len(text);
    split_lines(&text[start..]).zip(1..).map(move |(text, number)| {
        let line = Line { number, start, text };
        start += text.len();
        line
    })
}

/// The lines of a text with their breaks, as `split_inclusive('\n')` has them, in a third of its
/// time.
pub(super) fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let rest = move |end: usize| {
        let line = &text[start..end];
        start = end;
        line
    };
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    let last = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
    ends.chain(last).map(rest)
}

/// How many lines end in `text`.
pub(super) fn line_ends(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// The level and the title of an ATX heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|c| *c == b'#').count();
    let title = line.get(level..)?;
    ((1..=6).contains(&level) && title.starts_with([' ', '\t']))
        .then(|| (level, title.trim().trim_end_matches('#').trim()))
}

fn mark_len(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

fn candidates(text: &str, anchors: &[&str]) -> Vec<Found> {
    #[cfg(test)]
    tests::read(text);
    let from = mark_len(text);
    let mut found = Vec::new();
    // Few lines of a page are anchors: those are looked for, and no line is read for itself.
    for (rank, anchor) in anchors.iter().enumerate().filter(|(_, anchor)| !anchor.is_empty()) {
        if anchors[..rank].contains(anchor) {
            continue;
        }
        for start in memchr::memmem::find_iter(text.as_bytes(), anchor.as_bytes()) {
            let begins = start == from || (start > from && text.as_bytes()[start - 1] == b'\n');
            let end = line_end(text, start);
            if begins && text[start..end].trim_end_matches([' ', '\t', '\r', '\n']) == *anchor {
                found.push(Found { rank, line: 0, start, end });
            }
        }
    }
    found.sort_unstable_by_key(|anchor| anchor.start);
    let (mut line, mut at) = (1, from);
    for anchor in &mut found {
        line += line_ends(&text[at..anchor.start]);
        (anchor.line, at) = (line, anchor.start);
    }
    found
}

/// The byte behind the line that `at` stands in, its break included.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1)
}

/// Says whether anything in `above` could hide a line below it. Parsing is the dear part
/// of a layout, and an anchor has no indent, so only fences and HTML can hide it.
pub(super) fn may_hide(above: &str) -> bool {
    memchr::memchr3_iter(b'<', b'`', b'~', above.as_bytes()).any(|at| {
        let rest = &above.as_bytes()[at..];
        rest[0] == b'<' || rest.starts_with(b"```") || rest.starts_with(b"~~~")
    })
}

/// Code blocks of `above`, where all that could hide a line are fences without an indent; the
/// last one ends at `end` if nothing closes it. `None` where only Markdown can tell: most pages
/// have no such line, and parsing costs more than all else that is done with them.
pub(super) fn plain_fences(above: &str, end: usize) -> Option<Vec<Range<usize>>> {
    let mut odd = odd_places(above).peekable();
    let odd_lines = std::iter::from_fn(|| {
        let at = odd.next()?;
        let start =
            memchr::memrchr(b'\n', &above.as_bytes()[..at]).map_or(mark_len(above), |n| n + 1);
        let line = &above[start..line_end(above, at)];
        while odd.next_if(|at| *at < start + line.len()).is_some() {}
        Some((start, line, true))
    });
    fences_of(odd_lines, end, |_| false)
}

/// The same; `None` also where a line outside the blocks is one that the caller leaves `unread`.
pub(super) fn plain_fences_but(
    above: &str,
    end: usize,
    unread: impl Fn(&str) -> bool,
) -> Option<Vec<Range<usize>>> {
    let mut odd = odd_places(above).peekable();
    let all = lines(above).map(|line| {
        let end = line.start + line.text.len();
        let is_odd = odd.peek().is_some_and(|at| *at < end);
        while odd.next_if(|at| *at < end).is_some() {}
        (line.start, line.text, is_odd)
    });
    fences_of(all, end, unread)
}

/// The blocks that lines open and close; with each line, where it starts, and whether an
/// odd place is in it. Lines without one neither open nor close a block.
fn fences_of<'a>(
    lines: impl Iterator<Item = (usize, &'a str, bool)>,
    end: usize,
    unread: impl Fn(&str) -> bool,
) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    for (at, text, odd) in lines {
        let bare = text.trim_end_matches(['\r', '\n']);
        if let Some((fence, start)) = open {
            // Readers differ on white space of other kinds around the end of a block.
            if odd && bare.contains(fence) && bare.contains(['\t', '\r']) {
                return None;
            }
            if odd && closes(bare, fence) {
                found.push(start..at + text.len());
                open = None;
            }
        } else if let Some(fence) = fence(bare) {
            open = Some((fence, at));
        } else if (odd && is_odd(bare)) || unread(bare) {
            return None;
        }
    }
    found.extend(open.map(|(_, start)| start..end));
    Some(found)
}

/// A line that holds an odd place before its break.
fn is_odd(bare: &str) -> bool {
    odd_places(bare).next().is_some()
}

/// Where something begins, in ascending order, that only Markdown can tell the end of where it
/// stands outside code: a fence, HTML, or the definition of a link.
fn odd_places(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let hard = memchr::memchr3_iter(b'<', b'\r', b']', bytes)
        .filter(|at| bytes[*at] != b']' || bytes.get(at + 1) == Some(&b':'));
    let fences = memchr::memchr2_iter(b'`', b'~', bytes).filter(|at| {
        let fence = [bytes[*at]; 3];
        bytes[*at..].starts_with(&fence)
    });
    let (mut hard, mut fences) = (hard.peekable(), fences.peekable());
    std::iter::from_fn(move || match (hard.peek(), fences.peek()) {
        (Some(first), Some(second)) if second < first => fences.next(),
        (Some(_), _) => hard.next(),
        (None, _) => fences.next(),
    })
}

/// The signs of the fence that `line` opens, without an indent.
fn fence(line: &str) -> Option<&str> {
    let mark = match line.as_bytes().first()? {
        b'`' => '`',
        b'~' => '~',
        _ => return None,
    };
    let info = line.trim_start_matches(mark);
    let run = &line[..line.len() - info.len()];
    // Backticks behind a fence of backticks make it code within a line.
    (run.len() >= 3 && !info.contains(['`', '\r'])).then_some(run)
}

/// Says whether `line` closes a block that `fence` opened.
fn closes(line: &str, fence: &str) -> bool {
    let bare = line.trim_start_matches(' ');
    let rest = bare.trim_start_matches(&fence[..1]);
    let blank = rest.bytes().all(|c| c == b' ');
    line.len() - bare.len() <= 3 && bare.len() - rest.len() >= fence.len() && blank
}

/// The bytes in which an anchor is only shown: code blocks, HTML blocks, and HTML that
/// spans lines inside a paragraph, which is how a comment behind text reads.
pub(super) fn hiding_blocks(text: &str) -> Vec<Range<usize>> {
    #[cfg(test)]
    tests::read(text);
    let shift = mark_len(text);
    let hides = |event: &Event<'_>| {
        matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::InlineHtml(_))
    };
    Parser::new_ext(&text[shift..], Options::empty())
        .into_offset_iter()
        .filter(|(event, _)| hides(event))
        .map(|(_, range)| range.start + shift..range.end + shift)
        .collect()
}

/// Asks ascending positions against ascending blocks in one walk over both.
pub(super) struct Cover<'b> {
    blocks: &'b [Range<usize>],
}

impl<'b> Cover<'b> {
    pub(crate) fn new(blocks: &'b [Range<usize>]) -> Self {
        Self { blocks }
    }

    /// The block over `at`, which is not below the last position asked for.
    pub(crate) fn over(&mut self, at: usize) -> Option<&'b Range<usize>> {
        while let [first, rest @ ..] = self.blocks
            && first.end <= at
        {
            self.blocks = rest;
        }
        self.blocks.first().filter(|block| block.start <= at)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::memory::heal::heal;
    use crate::memory::samples::{ANCHORS, page_like};

    thread_local! { static BYTES_READ: Cell<usize> = const { Cell::new(0) }; }

    pub(super) fn read(text: &str) {
        BYTES_READ.with(|bytes| bytes.set(bytes.get() + text.len()));
    }

    fn bytes_read_by(work: impl FnOnce()) -> usize {
        BYTES_READ.with(|bytes| bytes.set(0));
        work();
        BYTES_READ.with(Cell::get)
    }

    fn ranks(text: &str) -> Vec<usize> {
        layout(text, &ANCHORS).found().iter().map(|anchor| anchor.rank).collect()
    }

    #[test]
    fn an_anchor_needs_no_blank_line_above_it() {
        let above = [
            "- item\n",
            "- item\n  more\n",
            "1. one\n   - two\n",
            "prose\n",
            "| a |\n|---|\n| b |\n",
            "# Title\n",
            "> quote\n",
            "[link]: /there\n",
            "`open tick\n",
            "<!-- closed -->\n",
            "```\ncode\n```\n",
            "- ```\n  code in an item\n",
            "> ```\n> code in a quote\n",
            "    indented code\n",
            "\u{feff}",
            "\u{feff}# Title\n",
            "nul \0 byte\n",
            "",
        ];
        for above in above {
            for nl in ["\n", "\r\n"] {
                let page = format!("{above}---Ve---\nran\n").replace('\n', nl);
                assert_eq!(ranks(&page), [3], "{page:?}");
            }
        }
    }

    #[test]
    fn an_anchor_that_is_only_shown_is_none() {
        let pages = [
            "```\n---Ob---\n```\n",
            "~~~~ markdown\n```\n---Ob---\n~~~~\n",
            "```\nnever closed\n\n---Ob---\n",
            "text\n\n    ---Ob---\n",
            "<!--\n---Ob---\n-->\n",
            "text <!-- a comment\n---Ob---\nends --> here\n",
            "<!-- never closed\n\n---Ob---\n",
            "<pre>\n\n---Ob---\n</pre>\n",
            "<div>\n---Ob---\n</div>\n",
            "\u{feff}```\n---Ob---\n```\n",
            "  ---Ob---\n",
            "> ---Ob---\n",
            "- ---Ob---\n",
            "text ---Ob---\n",
            "---Ob--- text\n",
            "---Ob---.\n",
            "---ob---\n",
            "text\r---Ob---\n",
        ];
        for page in pages {
            assert_eq!(ranks(page), [0; 0], "{page:?}");
        }
    }

    #[test]
    fn trailing_blanks_and_a_missing_last_newline_do_no_harm() {
        for page in ["---Ob---", "---Ob---\r", "---Ob---  ", "---Ob--- \t\r\n", "x\n---Ob---"] {
            assert_eq!(ranks(page), [0], "{page:?}");
        }
    }

    #[test]
    fn a_page_falls_into_body_footer_and_sections() {
        let page = "# T\r\nbody\r\n---Ob---\r\nsaw\r\n---Ex---\r\n---Ve---\r\nran";
        let layout = layout(page, &ANCHORS);
        assert_eq!(layout.body(), "# T\r\nbody\r\n");
        assert_eq!(layout.footer(), "saw\r\n---Ex---\r\n---Ve---\r\nran");
        let sections: Vec<_> = (0..4).map(|rank| layout.section(rank)).collect();
        assert_eq!(sections, [Some("saw\r\n"), None, Some(""), Some("ran")]);
        assert_eq!(layout.missing(), [1]);
        assert_eq!(layout.disorder(), None);
    }

    #[test]
    fn doubled_and_disordered_anchors_are_named_with_their_line() {
        let doubled = |anchor: &str, line| Some(Disorder::Doubled { anchor: anchor.into(), line });
        let disordered =
            |anchor: &str, line| Some(Disorder::OutOfOrder { anchor: anchor.into(), line });
        let cases = [
            ("---Ob---\n---Pl---\n", None),
            ("---Ob---\n---Ve---\n", None),
            ("---Ob---\nx\n---Ob---\n", doubled("---Ob---", 3)),
            ("---Ob---\n---Pl---\n---Ob---\n", doubled("---Ob---", 3)),
            ("\n---Pl---\n---Ob---\n", disordered("---Ob---", 3)),
            ("```\n---Ob---\n```\n---Ob---\n", None),
        ];
        for (page, expected) in cases {
            assert_eq!(layout(page, &ANCHORS).disorder(), expected, "{page:?}");
        }
    }

    #[test]
    fn the_anchors_are_the_maps_and_not_ours() {
        let anchors = ["---Ob---", "---Re---", "---Pl---"];
        let layout = layout("---Ob---\n---Re---\nread\n---Pl---\n---Ex---\n", &anchors);
        assert_eq!(layout.section(1), Some("read\n"));
        assert_eq!(layout.section(2), Some("---Ex---\n"), "an anchor of another map is text");
    }

    #[test]
    fn work_grows_with_the_page_and_not_faster() {
        let section = "- item\n\n```\n---Ob---\n```\n<b>html</b>\n\n";
        let page = |times: usize| {
            format!("{}\n---Pl---\n{}", section.repeat(times), section.repeat(times))
        };
        let work = |page: &str| bytes_read_by(|| assert!(heal(page, &ANCHORS).is_ok()));
        let (small, large) = (page(50), page(5_000));
        assert!(work(&small) <= 9 * small.len());
        assert!(work(&large) <= 9 * large.len());
    }

    #[test]
    fn fences_without_an_indent_need_no_markdown() {
        for (text, known) in [
            ("a\n```sh\nx < y\n```\nb\n", true),
            ("~~~\n```\n~~~~ \n```\nopen\n", true),
            ("- item\n```\n  ```\n> quote\n~~~\n", true),
            ("- ```\n  x\n", false),
            ("  ```\n", false),
            ("a <b>\n", false),
            ("``` a `b`\n", false),
            ("[a]:\n```\n", false),
        ] {
            let plain = plain_fences(text, text.len());
            assert_eq!(plain.is_some(), known, "{text:?}");
            assert!(
                plain
                    .is_none_or(|plain| hidden(text, &plain) == hidden(text, &hiding_blocks(text))),
                "{text:?}"
            );
        }
    }

    /// Where the block over each line begins.
    fn hidden(text: &str, blocks: &[Range<usize>]) -> Vec<Option<usize>> {
        let mut cover = Cover::new(blocks);
        // Only a line without an indent can be an anchor.
        let starts = lines(text).filter(|line| line.text.starts_with('-'));
        starts.map(|line| cover.over(line.start).map(|block| block.start)).collect()
    }

    proptest! {
        #[test]
        fn plain_fences_are_what_markdown_says(
            page in page_like(),
            lines in proptest::collection::vec(prop::sample::select(&[
                "```", "````", "~~~", "``` sh", "~~~ `a`", "   ```", "    ```", "```\t", "- a",
                "> q", "text", "", "    code",
                "1. b", "---Ob---", "---Pl---", "# h", "| a | b |", "|---|---|", "* * *", "===",
                "---", "[x](y)", "\u{feff}```",
            ][..]), 0..14),
        ) {
            for text in [page, lines.join("\n"), lines.join("\r\n")] {
                prop_assert_eq!(split_lines(&text).collect::<Vec<_>>(),
                    text.split_inclusive('\n').collect::<Vec<_>>());
                let plain = plain_fences(&text, text.len());
                prop_assert_eq!(&plain, &plain_fences_but(&text, text.len(), |_| false), "{:?}",
                    text);
                if let Some(plain) = plain {
                    prop_assert_eq!(hidden(&text, &plain), hidden(&text, &hiding_blocks(&text)),
                        "{:?}", text);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn candidates_are_the_lines_that_say_an_anchor(page in page_like(), crlf in any::<bool>()) {
            let page = if crlf { page.replace('\n', "\r\n") } else { page };
            let bare = |line: &Line<'_>| line.text.trim_end_matches([' ', '\t', '\r', '\n'])
                .to_owned();
            let rank = |line: &Line<'_>| ANCHORS.iter().position(|anchor| *anchor == bare(line));
            let plain = lines(&page).filter_map(|line| Some(Found {
                rank: rank(&line)?, line: line.number, start: line.start,
                end: line.start + line.text.len(),
            }));
            prop_assert_eq!(candidates(&page, &ANCHORS), plain.collect::<Vec<_>>());
        }

        #[test]
        fn what_is_not_parsed_hides_nothing(page in page_like()) {
            let candidates = candidates(&page, &ANCHORS);
            let blocks = hiding_blocks(&page);
            let mut cover = Cover::new(&blocks);
            for anchor in candidates.iter().take_while(|anchor| !may_hide(&page[..anchor.start])) {
                prop_assert_eq!(cover.over(anchor.start), None);
            }
        }

        #[test]
        fn any_text_has_a_layout(text in prop_oneof![".*", page_like()]) {
            let layout = layout(&text, &ANCHORS);
            for anchor in layout.found() {
                prop_assert_eq!(layout.line_of(anchor).trim_end(), ANCHORS[anchor.rank]);
            }
            let parts: String = layout.found().iter()
                .fold(layout.body().to_owned(), |parts, anchor| {
                parts + layout.line_of(anchor) + layout.below(anchor)
            });
            prop_assert_eq!(parts, text, "the parts are the page");
        }
    }
}

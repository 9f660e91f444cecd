//! Simulates an edit of a page and says what it would change.
//!
//! Judging the bytes after the edit, not the edit's own words, is what makes a wrapped
//! anchor, a moved paragraph and a rewritten file all the same question. The simulation
//! follows the tools' own rules, also where they are lenient about what they search for:
//! an edit that we fail to follow is an edit that we fail to judge.

use std::borrow::Cow;

use super::footers::{Layout, layout};
use super::heal::{heal, line_break};
use crate::event::{Change, Hunk, PageChange, Replacement};

/// Why an edit does not apply to a page as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotApplied {
    #[error("there is no such page")]
    Absent,
    #[error("replacement {step} creates a page that is there already")]
    Exists { step: usize },
    #[error("the text that replacement {step} looks for is not in the page")]
    NotFound { step: usize },
    #[error("the text that replacement {step} looks for is in the page {times} times")]
    Ambiguous { step: usize, times: usize },
    #[error("the lines that hunk {hunk} looks for are not in the page")]
    LostHunk { hunk: usize },
    #[error("the call does not show its text")]
    Opaque,
}

/// The text of the page after `change`; none if it goes away.
///
/// # Errors
///
/// Fails where the tool itself would, and on a change whose text nobody can see.
/// Steps and hunks are counted from 1.
pub(crate) fn apply(current: Option<&str>, change: &Change) -> Result<Option<String>, NotApplied> {
    match change {
        Change::Whole(text) => Ok(Some(text.clone())),
        Change::Replace(steps) => replace_all(current, steps).map(Some),
        Change::Hunks(hunks) => patch(current.ok_or(NotApplied::Absent)?, hunks).map(Some),
        Change::Delete => current.map(|_| None).ok_or(NotApplied::Absent),
        Change::Opaque => Err(NotApplied::Opaque),
    }
}

/// What `change` would do to the page. One whose text nobody can see may do anything,
/// and is judged as a change of the body.
pub fn judge(current: Option<&str>, change: &Change, anchors: &[&str]) -> PageChange {
    match apply(current, change) {
        Ok(Some(new)) => compare(current, &new, anchors),
        Ok(None) => PageChange::Gone,
        Err(NotApplied::Opaque) => PageChange::Body,
        Err(_) => PageChange::DoesNotApply,
    }
}

/// What lies between two texts of a page.
///
/// A page that lacked anchors counts as if it had been healed before, and one that still lacks
/// some as if it were healed by the edit: a boundary puts them in. One in disorder has no sections
/// to compare: what puts it in order changes the body.
pub(crate) fn compare(old: Option<&str>, new: &str, anchors: &[&str]) -> PageChange {
    if old == Some(new) {
        return PageChange::Nothing;
    }
    let after = layout(new, anchors);
    if let Some(disorder) = after.disorder() {
        return PageChange::Disorder { anchor: disorder.anchor().to_owned() };
    }
    let missing = after.missing();
    let before = layout(old.unwrap_or_default(), anchors);
    if let Some(rank) = missing.iter().find(|rank| before.anchor(**rank).is_some()) {
        return PageChange::AnchorLost { anchor: after.name(*rank) };
    }
    if !missing.is_empty() {
        return match heal(new, anchors) {
            Ok(healed) => compare(old, &healed.text, anchors),
            Err(_) => PageChange::Incomplete {
                missing: missing.into_iter().map(|rank| after.name(rank)).collect(),
            },
        };
    }
    match old {
        Some(old) if !old.trim().is_empty() => lived(old, &before, &after, anchors),
        _ => born(&after, anchors.len()),
    }
}

/// A new page may have a title; more than that is a body.
fn born(page: &Layout<'_>, anchors: usize) -> PageChange {
    let mut body =
        page.body().trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    if body.next().is_some_and(|title| !title.starts_with("# ")) || body.next().is_some() {
        return PageChange::Body;
    }
    let filled = |rank: &usize| page.section(*rank).is_some_and(|text| !text.trim().is_empty());
    below((0..anchors).find(filled), anchors)
}

fn lived(old: &str, before: &Layout<'_>, after: &Layout<'_>, anchors: &[&str]) -> PageChange {
    if before.disorder().is_none() && before.missing().is_empty() {
        return match altered_anchor(before, after, anchors) {
            Some(rank) if before.body() == after.body() => {
                PageChange::AnchorLost { anchor: after.name(rank) }
            }
            _ => first_difference(before, after, anchors, str::eq),
        };
    }
    let Ok(healed) = heal(old, anchors) else { return PageChange::Body };
    // Where healing set its blank lines, the edit need not have set the same ones.
    let same = |old: &str, new: &str| old.trim_end() == new.trim_end();
    first_difference(&layout(&healed.text, anchors), after, anchors, same)
}

fn first_difference(
    before: &Layout<'_>,
    after: &Layout<'_>,
    anchors: &[&str],
    same: fn(&str, &str) -> bool,
) -> PageChange {
    if !same(before.body(), after.body()) {
        return PageChange::Body;
    }
    let differs = |rank: &usize| {
        before.section(*rank).zip(after.section(*rank)).is_some_and(|(old, new)| !same(old, new))
    };
    below((0..anchors.len()).find(differs), anchors.len())
}

fn altered_anchor(before: &Layout<'_>, after: &Layout<'_>, anchors: &[&str]) -> Option<usize> {
    (0..anchors.len()).find(|rank| {
        let lines = before.anchor(*rank).zip(after.anchor(*rank));
        lines.is_some_and(|(old, new)| is_altered(before.line_of(old), after.line_of(new)))
    })
}

/// An anchor's line may gain or lose its break at the end of the page, and nothing else.
fn is_altered(old: &str, new: &str) -> bool {
    let ((old, old_break), (new, new_break)) = (split_break(old), split_break(new));
    old != new || (old_break != new_break && !old_break.is_empty() && !new_break.is_empty())
}

fn split_break(line: &str) -> (&str, &str) {
    line.split_at(line.trim_end_matches(['\r', '\n']).len())
}

/// Without a section that differs, what differs is blank lines around anchors that the
/// page lacked, or the break of its last line: that is the last section's.
fn below(first: Option<usize>, anchors: usize) -> PageChange {
    match first.or(anchors.checked_sub(1)) {
        Some(first_rank) => PageChange::Below { first_rank },
        None => PageChange::Body,
    }
}

fn replace_all(current: Option<&str>, steps: &[Replacement]) -> Result<String, NotApplied> {
    let creates = steps.first().is_some_and(|step| step.old.is_empty());
    let mut text = match current {
        Some(text) => text.to_owned(),
        None if creates => String::new(),
        None => return Err(NotApplied::Absent),
    };
    for (step, at) in steps.iter().zip(1..) {
        text = replace(&text, step, at)?;
    }
    Ok(text)
}

fn replace(text: &str, step: &Replacement, at: usize) -> Result<String, NotApplied> {
    if step.old.is_empty() {
        let empty = text.trim().is_empty();
        return if empty { Ok(step.new.clone()) } else { Err(NotApplied::Exists { step: at }) };
    }
    let nl = line_break(text);
    let old = as_written(text, &step.old, nl).ok_or(NotApplied::NotFound { step: at })?;
    let new = with_breaks(&step.new, nl);
    match text.matches(&*old).count() {
        times if times > 1 && !step.all => Err(NotApplied::Ambiguous { step: at, times }),
        _ => Ok(text.replace(&*with_its_line(text, &old, &new, nl), &new)),
    }
}

/// The page's own spelling of what an edit looks for. Where a page mixes line breaks,
/// the edit's spelling comes first, so that it hits what it says.
fn as_written<'t>(text: &'t str, old: &'t str, nl: &str) -> Option<Cow<'t, str>> {
    let mixed = text.matches(nl).count() != text.matches('\n').count();
    let mut spellings = [with_breaks(old, nl), old.into()];
    if mixed {
        spellings.reverse();
    }
    let found = spellings.into_iter().find(|spelling| text.contains(&**spelling));
    found.or_else(|| as_quoted(text, old).map(Cow::Borrowed))
}

/// Removing the end of a line removes its break too, as the Edit tool does.
fn with_its_line<'o>(text: &str, old: &'o str, new: &str, nl: &str) -> Cow<'o, str> {
    let whole = format!("{old}{nl}");
    if new.is_empty() && !old.ends_with('\n') && text.contains(&whole) {
        whole.into()
    } else {
        old.into()
    }
}

/// Tools show a page with plain line breaks and write its own ones back.
pub(super) fn with_breaks<'t>(text: &'t str, nl: &str) -> Cow<'t, str> {
    match nl {
        "\r\n" => text.replace("\r\n", "\n").replace('\n', "\r\n").into(),
        _ => text.into(),
    }
}

/// Finds `old` where only the shape of quotation marks differs, which the Edit tool
/// forgives; gives the page's own spelling.
fn as_quoted<'t>(text: &'t str, old: &str) -> Option<&'t str> {
    let plain = straight(text);
    let before = plain[..plain.find(&straight(old))?].chars().count();
    let mut bounds = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(before);
    let start = bounds.next()?;
    let end = bounds.nth(old.chars().count().checked_sub(1)?)?;
    Some(&text[start..end])
}

fn straight(text: &str) -> String {
    text.chars().map(plain_quote).collect()
}

fn plain_quote(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        _ => c,
    }
}

/// Applies hunks as `apply_patch` does: each is searched below the one before it.
fn patch(text: &str, hunks: &[Hunk]) -> Result<String, NotApplied> {
    let nl = line_break(text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let bare: Vec<&str> = lines.iter().map(|line| line.trim_end_matches(['\r', '\n'])).collect();
    let mut patched = String::with_capacity(text.len());
    let (mut copied, mut from) = (0, 0);
    for (hunk, at) in hunks.iter().zip(1..) {
        let place = place(&bare, hunk, from).ok_or(NotApplied::LostHunk { hunk: at })?;
        copy_lines(&mut patched, &lines[copied..place.start], nl);
        for line in &hunk.new[..hunk.new.len() - place.dropped] {
            patched.push_str(line);
            patched.push_str(nl);
        }
        (copied, from) = (place.end, place.end);
    }
    copy_lines(&mut patched, &lines[copied..], nl);
    Ok(patched)
}

/// Patched files end with a line break, so every copied line does.
fn copy_lines(to: &mut String, lines: &[&str], nl: &str) {
    for line in lines {
        to.push_str(line);
        if !line.ends_with('\n') {
            to.push_str(nl);
        }
    }
}

/// Lines that a hunk replaces.
struct Place {
    start: usize,
    end: usize,
    /// Empty lines at the hunk's end that stand for the end of the file.
    dropped: usize,
}

fn place(lines: &[&str], hunk: &Hunk, from: usize) -> Option<Place> {
    let from = match hunk.at.as_str() {
        "" => from,
        at => seek(lines, &[at], from)? + 1,
    };
    if hunk.old.is_empty() {
        return Some(Place { start: lines.len(), end: lines.len(), dropped: 0 });
    }
    let old: Vec<&str> = hunk.old.iter().map(String::as_str).collect();
    if let Some(start) = seek(lines, &old, from) {
        return Some(Place { start, end: start + old.len(), dropped: 0 });
    }
    let short = old.strip_suffix(&[""])?;
    let start = seek(lines, short, from)?;
    let dropped = usize::from(hunk.new.last().is_some_and(String::is_empty));
    Some(Place { start, end: start + short.len(), dropped })
}

/// The first place at or below `from` where `wanted` stands: exactly, else but for
/// blanks at line ends, else at both ends, else but for typographic characters.
fn seek(lines: &[&str], wanted: &[&str], from: usize) -> Option<usize> {
    let levels: [fn(&str) -> Cow<'_, str>; 4] = [
        |line| line.into(),
        |line| line.trim_end().into(),
        |line| line.trim().into(),
        |line| line.trim().chars().map(plain_character).collect::<String>().into(),
    ];
    let below = lines.get(from..)?;
    levels.iter().find_map(|level| {
        let wanted: Vec<_> = wanted.iter().map(|line| level(line)).collect();
        let below: Vec<_> = below.iter().map(|line| level(line)).collect();
        if wanted.is_empty() {
            return Some(from);
        }
        below.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
    })
}

fn plain_character(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        _ => plain_quote(c),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::memory::samples::{ANCHORS, page_like, whole_page};

    const PAGE: &str =
        "# T\n\nbody\n\n---Ob---\n\nsaw\n\n---Pl---\n\ndo\n\n---Ex---\n\ndid\n\n---Ve---\n\nran\n";

    fn swap(old: &str, new: &str) -> Change {
        Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: false }])
    }

    fn swap_all(old: &str, new: &str) -> Change {
        Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: true }])
    }

    fn steps(steps: &[(&str, &str)]) -> Change {
        let step = |(old, new): &(&str, &str)| Replacement {
            old: (*old).into(),
            new: (*new).into(),
            all: false,
        };
        Change::Replace(steps.iter().map(step).collect())
    }

    fn hunk(at: &str, old: &[&str], new: &[&str]) -> Hunk {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Hunk { at: at.into(), old: owned(old), new: owned(new) }
    }

    fn lost(anchor: &str) -> PageChange {
        PageChange::AnchorLost { anchor: anchor.into() }
    }

    fn disorder(anchor: &str) -> PageChange {
        PageChange::Disorder { anchor: anchor.into() }
    }

    const fn touches(first_rank: usize) -> PageChange {
        PageChange::Below { first_rank }
    }

    #[test]
    fn an_edit_is_judged_by_what_the_page_becomes() {
        let whole = |text: &str| Change::Whole(text.into());
        let cases = [
            (swap("ran", "ran well"), touches(3)),
            (swap("ran\n", "ran\nand ran\n"), touches(3)),
            (swap("saw", "saw more"), touches(0)),
            (swap("body", "soul"), PageChange::Body),
            (swap("do", "do"), PageChange::Nothing),
            (swap("absent", "x"), PageChange::DoesNotApply),
            (steps(&[("ran", "@"), ("@", "ran")]), PageChange::Nothing),
            (steps(&[("ran", "x"), ("did", "y")]), touches(2)),
            (whole(PAGE), PageChange::Nothing),
            (Change::Delete, PageChange::Gone),
            (Change::Opaque, PageChange::Body),
            (whole(""), lost("---Ob---")),
            (swap("---Ex---", "---Ex---\n\nnew"), touches(2)),
        ];
        for (change, expected) in cases {
            assert_eq!(judge(Some(PAGE), &change, &ANCHORS), expected, "{change:?}");
        }
    }

    #[test]
    fn no_edit_gets_around_an_anchor() {
        let whole = |text: String| Change::Whole(text);
        let cases = [
            ("replaced by text and itself", swap("---Ve---", "x\n\n---Ve---"), touches(2)),
            ("removed", swap("---Ve---\n", ""), lost("---Ve---")),
            ("renamed", swap("---Ve---", "---VE---"), lost("---Ve---")),
            ("indented", swap("---Ve---", "  ---Ve---"), lost("---Ve---")),
            (
                "joined with the line above",
                swap("did\n\n---Ve---", "did ---Ve---"),
                lost("---Ve---"),
            ),
            (
                "joined by removing a line's end",
                steps(&[("did\n\n", "did x\n"), (" x", "")]),
                lost("---Ve---"),
            ),
            ("with blanks behind it", swap("---Ve---", "---Ve--- "), lost("---Ve---")),
            ("with another line break", swap("---Ve---\n", "---Ve---\r\n"), lost("---Ve---")),
            (
                "in a fence",
                steps(&[("did", "did\n\n```"), ("ran", "```\n\nran")]),
                lost("---Ve---"),
            ),
            ("in a fence never closed", swap("did", "did\n~~~"), lost("---Ve---")),
            ("in a comment", steps(&[("did", "<!--"), ("ran", "-->\nran")]), lost("---Ve---")),
            (
                "in a comment behind text",
                swap("did\n\n---Ve---\n\nran", "did <!--\n---Ve---\n-->"),
                lost("---Ve---"),
            ),
            ("in raw HTML", swap("did", "<script>"), lost("---Ve---")),
            ("under a tag", swap("did\n\n---Ve---", "<div>\n---Ve---"), lost("---Ve---")),
            ("doubled below", swap("ran", "ran\n\n---Ob---\n\nmore"), disorder("---Ob---")),
            ("doubled in place", swap("---Ve---", "---Ve---\n---Ve---"), disorder("---Ve---")),
            (
                "two swapped",
                steps(&[("---Ex---", "@"), ("---Ve---", "---Ex---"), ("@", "---Ve---")]),
                disorder("---Ex---"),
            ),
            (
                "text moved across it",
                swap("did\n\n---Ve---\n\n", "---Ve---\n\ndid\n\n"),
                touches(2),
            ),
            ("text moved up across it", swap("---Ve---\n\nran", "ran\n\n---Ve---\n"), touches(2)),
            ("all line breaks", whole(PAGE.replace('\n', "\r\n")), PageChange::Body),
            ("a byte order mark", whole(format!("\u{feff}{PAGE}")), PageChange::Body),
            ("a NUL in the body", swap("body", "bo\0dy"), PageChange::Body),
            ("a NUL at an anchor", swap("---Ve---", "---Ve---\0"), lost("---Ve---")),
            ("everywhere", swap_all("---", "- - -"), lost("---Ob---")),
        ];
        for (how, change, expected) in cases {
            assert_eq!(judge(Some(PAGE), &change, &ANCHORS), expected, "{how}");
        }
    }

    #[test]
    fn a_page_without_a_last_newline_can_grow() {
        let page = "b\n---Ob---\n---Pl---\n---Ex---\n---Ve---";
        assert_eq!(judge(Some(page), &swap("---Ve---", "---Ve---\nran"), &ANCHORS), touches(3));
        assert_eq!(judge(Some(page), &swap("---Ve---", "---Ve---\n"), &ANCHORS), touches(3));
        assert_eq!(
            judge(Some(&format!("{page}\nran")), &swap("---Ve---\nran", "---Ve---"), &ANCHORS),
            touches(3)
        );
    }

    #[test]
    fn a_page_is_born_with_every_anchor_and_without_a_body() {
        let footer = "---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n";
        let cases = [
            (format!("# T\n\n{footer}"), touches(3)),
            (footer.to_owned(), touches(3)),
            (format!("# T\n\n{}", footer.replace("---Pl---\n", "---Pl---\nplan\n")), touches(1)),
            (format!("# T\n\nwhat it is\n\n{footer}"), PageChange::Body),
            (format!("prose\n\n{footer}"), PageChange::Body),
            // A boundary puts in what is missing.
            ("# T\n".to_owned(), touches(3)),
            ("# T\n\n---Ob---\n---Ve---\n".to_owned(), touches(3)),
            ("# T\n\n---Pl---\n\nplan\n".to_owned(), touches(1)),
            ("# T\n\nwhat it is\n".to_owned(), PageChange::Body),
            (format!("```\n{footer}```\n"), PageChange::Body),
            (format!("{footer}---Ob---\n"), disorder("---Ob---")),
        ];
        for (text, expected) in cases {
            assert_eq!(judge(None, &Change::Whole(text.clone()), &ANCHORS), expected, "{text:?}");
            assert_eq!(judge(None, &swap("", &text), &ANCHORS), expected, "{text:?}");
        }
        for change in
            [Change::Delete, swap("a", "b"), Change::Hunks(vec![]), Change::Replace(vec![])]
        {
            assert_eq!(judge(None, &change, &ANCHORS), PageChange::DoesNotApply, "{change:?}");
        }
    }

    #[test]
    fn a_page_that_lacks_anchors_is_judged_as_if_healed() {
        let old = "# T\nbody\n---Ob---\nsaw\n---Pl---\n---Ve---\n";
        let cases = [
            (swap("saw", "saw more"), touches(0)),
            (swap("---Ob---\nsaw\n", ""), lost("---Ob---")),
            (swap("---Pl---", "---Pl---\n---Ex---"), touches(3)),
            (swap("---Pl---", "---Pl---\n---Ex---\ndid"), touches(2)),
            (swap("saw\n---Pl---", "saw x\n---Pl---\n\n---Ex---\n"), touches(0)),
            (steps(&[("body", "soul"), ("---Pl---", "---Pl---\n---Ex---")]), PageChange::Body),
            (swap("body", "soul"), PageChange::Body),
            (swap("---Ve---\n", "---Ve---\nran\n"), touches(3)),
        ];
        for (change, expected) in cases {
            assert_eq!(judge(Some(old), &change, &ANCHORS), expected, "{change:?}");
        }
    }

    #[test]
    fn putting_a_disordered_page_in_order_is_a_change_of_the_body() {
        let doubled = format!("{PAGE}---Ob---\n");
        assert_eq!(judge(Some(&doubled), &Change::Whole(PAGE.into()), &ANCHORS), PageChange::Body);
        assert_eq!(judge(Some(&doubled), &swap("ran", "run"), &ANCHORS), disorder("---Ob---"));
    }

    #[test]
    fn a_map_without_anchors_has_only_bodies() {
        assert_eq!(judge(Some("a"), &swap("a", "b"), &[]), PageChange::Body);
        assert_eq!(judge(Some("a"), &swap("a", "a"), &[]), PageChange::Nothing);
    }

    #[test]
    fn replacing_follows_the_edit_tool() {
        let not_found = Err(NotApplied::NotFound { step: 1 });
        let cases = [
            ("a b a", swap("a", "c"), Err(NotApplied::Ambiguous { step: 1, times: 2 })),
            ("a b a", swap_all("a", "c"), Ok("c b c")),
            ("a b", swap("c", "d"), not_found.clone()),
            ("a b", steps(&[("a", "c"), ("a", "d")]), Err(NotApplied::NotFound { step: 2 })),
            ("a b", steps(&[("a", "c"), ("c b", "d")]), Ok("d")),
            ("a b", swap("", "c"), Err(NotApplied::Exists { step: 1 })),
            (" \n", swap("", "c"), Ok("c")),
            ("a\nb\nc\n", swap("b", ""), Ok("a\nc\n")),
            ("a\nb\nc\n", swap("b\n", ""), Ok("a\nc\n")),
            ("a\nb", swap("b", ""), Ok("a\n")),
            ("a\r\nb\r\nc\r\n", swap("a\nb", "a\nx"), Ok("a\r\nx\r\nc\r\n")),
            ("a\r\nb\r\nc\r\n", swap("a\r\nb", "a\r\nx\ny"), Ok("a\r\nx\r\ny\r\nc\r\n")),
            ("a\r\nb\nc\n", swap("b\nc", "x"), Ok("a\r\nx\n")),
            ("é “it’s” so", swap("\"it's\" s", "n"), Ok("é no")),
            ("“it’s”", swap("\"its\"", "n"), not_found),
        ];
        for (page, change, expected) in cases {
            let expected = expected.map(|text: &str| Some(text.to_owned()));
            assert_eq!(apply(Some(page), &change), expected, "{page:?} {change:?}");
        }
    }

    #[test]
    fn patching_follows_apply_patch() {
        let lost = |hunk| Err(NotApplied::LostHunk { hunk });
        let cases = [
            ("a\nb\nc\n", vec![hunk("", &["b"], &["x", "y"])], Ok("a\nx\ny\nc\n")),
            (
                "a\nb\na\nb\n",
                vec![hunk("", &["b"], &["x"]), hunk("", &["b"], &["y"])],
                Ok("a\nx\na\ny\n"),
            ),
            ("a\nb\n# two\nb\n", vec![hunk("# two", &["b"], &["x"])], Ok("a\nb\n# two\nx\n")),
            ("a\nb", vec![hunk("", &["a"], &["x"])], Ok("x\nb\n")),
            ("a\n", vec![hunk("", &[], &["x"])], Ok("a\nx\n")),
            ("a\r\nb\r\n", vec![hunk("", &["a", "b"], &["a", "x"])], Ok("a\r\nx\r\n")),
            ("a  \n b\n", vec![hunk("", &["a", "b"], &["a", "x"])], Ok("a\nx\n")),
            ("a – “b”\n", vec![hunk("", &["a - \"b\""], &["x"])], Ok("x\n")),
            ("a\nb\n", vec![hunk("", &["b", ""], &["x", ""])], Ok("a\nx\n")),
            ("a\nb\n", vec![hunk("", &["c"], &["x"])], lost(1)),
            ("a\nb\n", vec![hunk("", &["b"], &["x"]), hunk("", &["a"], &["y"])], lost(2)),
            ("a\nb\n", vec![hunk("c", &["b"], &["x"])], lost(1)),
            ("a\n", vec![], Ok("a\n")),
        ];
        for (page, hunks, expected) in cases {
            let expected = expected.map(|text: &str| Some(text.to_owned()));
            assert_eq!(
                apply(Some(page), &Change::Hunks(hunks.clone())),
                expected,
                "{page:?} {hunks:?}"
            );
        }
    }

    #[test]
    fn a_patch_that_indents_an_anchor_loses_it() {
        let page = PAGE.replace("---Ve---", "---Ve---  ");
        let change =
            Change::Hunks(vec![hunk("", &["  ---Ve---", "", "ran"], &["  ---Ve---", "", "run"])]);
        assert_eq!(judge(Some(&page), &change, &ANCHORS), lost("---Ve---"));
    }

    /// The page with one piece cut out and another put in its place.
    fn edited(page: &str, cut: (usize, usize), put: &str) -> String {
        let bounds: Vec<usize> =
            page.char_indices().map(|(at, _)| at).chain([page.len()]).collect();
        let (a, b) = (bounds[cut.0 % bounds.len()], bounds[cut.1 % bounds.len()]);
        format!("{}{put}{}", &page[..a.min(b)], &page[a.max(b)..])
    }

    proptest! {
            #[test]
            fn what_is_judged_to_lie_below_an_anchor_leaves_all_above_it(
                page in whole_page(),
                cut in (0_usize..200, 0_usize..200),
                put in page_like(),
            ) {
                let new = edited(&page, cut, &put);
                if let PageChange::Below { first_rank } = judge(Some(&page),
                    &Change::Whole(new.clone()), &ANCHORS) {
                    let end = layout(&page, &ANCHORS).anchor(first_rank).expect("it stands").end;
                    let above = page[..end].trim_end_matches('\n');
                    prop_assert!(new.starts_with(above), "{page:?} became {new:?}");
                    let after = layout(&new, &ANCHORS);
                    prop_assert!(after.missing().is_empty() && after.disorder().is_none());
                }
            }

            #[test]
            fn nothing_changes_only_where_nothing_changes(old in page_like(), new in page_like()) {
                let judged = judge(Some(&old), &Change::Whole(new.clone()), &ANCHORS);
                prop_assert_eq!(judged == PageChange::Nothing, old == new);
                prop_assert_eq!(judge(Some(&old), &Change::Whole(old.clone()), &ANCHORS),
                    PageChange::Nothing);
            }

            #[test]
            fn bytes_outside_a_replacement_stay(
                page in page_like(),
                cut in (0_usize..200, 0_usize..200),
                new in "[a-z]{1,4}",
            ) {
                let bounds: Vec<usize> = page.char_indices().map(|(at, _)| at).chain([page.len()])
                    .collect();
                let (a, b) = (bounds[cut.0 % bounds.len()], bounds[cut.1 % bounds.len()]);
                let (a, b) = (a.min(b), a.max(b));
    prop_assume!(a < b && page.find(&page[a..b]) == Some(a));
                prop_assume!(!(page[..a].ends_with('\r') && page[a..].starts_with('\n')));
                match apply(Some(&page), &swap(&page[a..b], &new)) {
                    Ok(text) => prop_assert_eq!(text,
                        Some(format!("{}{new}{}", &page[..a], &page[b..]))),
                    Err(why) => prop_assert!(matches!(why, NotApplied::Ambiguous { .. }), "{}",
                        why),
                }
            }

            #[test]
            fn bytes_outside_a_hunk_stay(page in page_like(), at in 0_usize..20,
                new in "[a-z]{1,4}") {
                let lines: Vec<&str> = page.split_inclusive('\n').collect();
                prop_assume!(!lines.is_empty());
                let at = at % lines.len();
                let old = lines[at].trim_end_matches(['\r', '\n']);
                let Ok(Some(text)) = apply(Some(&page),
                    &Change::Hunks(vec![hunk("", &[old], &[&new])])) else {
                    return Err(TestCaseError::fail("a line of the page is found"));
                };
                let after: Vec<&str> = text.split_inclusive('\n').collect();
                prop_assert_eq!(after.len(), lines.len());
                let differ = (0..lines.len())
                    .filter(|line| after[*line].trim_end() != lines[*line].trim_end());
                prop_assert!(differ.count() <= 1);
            }

            #[test]
            fn judging_never_panics(
                old in proptest::option::of(page_like()),
                at in page_like(), gone in page_like(), come in page_like(),
            ) {
                let lines =
                    |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
                let hunks = vec![Hunk { at, old: lines(&gone), new: lines(&come) }];
                judge(old.as_deref(), &Change::Hunks(hunks), &ANCHORS);
                judge(old.as_deref(), &swap_all(&gone, &come), &ANCHORS);
            }
        }
}

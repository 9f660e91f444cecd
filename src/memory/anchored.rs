//! An edit that adds to a page which lacks the phase's anchor, with that anchor in it. Pure.

use super::edit::{apply, compare, with_breaks};
use super::footers::layout;
use super::heal::line_break;
use crate::event::{Change, PageChange, Replacement};

/// `change` with the line of `anchors[own]` before what it adds, where it adds text at the end of a
/// page that lacks this anchor, or creates a page; `None` where it does anything else, where the
/// text belongs to no anchor alone, or its tool takes no other text.
pub(crate) fn anchored(
    current: Option<&str>,
    change: &Change,
    own: usize,
    anchors: &[&str],
) -> Option<Change> {
    let anchor = *anchors.get(own)?;
    let new = apply(current, change).ok()??;
    let old = current.unwrap_or_default();
    let lacks = |text: &str| layout(text, anchors).anchor(own).is_none();
    if !lacks(old) || !lacks(&new) {
        return None;
    }
    let (above, added) = if old.trim().is_empty() { titled(&new) } else { appended(old, &new)? };
    let nl = line_break(&new);
    let gap = if above.is_empty() { String::new() } else { format!("{above}{nl}{nl}") };
    let end = &new[new.trim_end().len()..];
    let whole = format!("{gap}{anchor}{nl}{nl}{added}{end}");
    let fits = PageChange::Below { first_rank: own };
    if added.is_empty() || compare(current, &whole, anchors) != fits {
        return None;
    }
    let changed = with_text(current, change, &new, &whole)?;
    (apply(current, &changed).ok()?.as_deref() == Some(whole.as_str())).then_some(changed)
}

/// The text of an edit that says one text alone: what it writes, or puts in the place of another.
pub(crate) fn text_of(change: &Change) -> Option<&str> {
    match change {
        Change::Whole(text) => Some(text),
        Change::Replace(steps) => match steps.as_slice() {
            [step] if !step.all => Some(&step.new),
            _ => None,
        },
        _ => None,
    }
}

/// The title of a new page, and what stands below it.
fn titled(new: &str) -> (&str, &str) {
    let text = new.trim();
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("# ") { (first, text[first.len()..].trim()) } else { ("", text) }
}

/// What stood there, and what was added below it.
fn appended<'t>(old: &str, new: &'t str) -> Option<(&'t str, &'t str)> {
    let old = old.trim_end();
    let added = new.strip_prefix(old)?;
    // A longer last line is that line, changed.
    added.starts_with(['\n', '\r']).then(|| (&new[..old.len()], added.trim()))
}

/// `change`, so that it makes `whole` of the page where it made `new`.
fn with_text(current: Option<&str>, change: &Change, new: &str, whole: &str) -> Option<Change> {
    let said = text_of(change)?;
    let Change::Replace(steps) = change else { return Some(Change::Whole(whole.to_owned())) };
    let old = steps.first()?.old.clone();
    let text = if current.is_none_or(|current| current.trim().is_empty()) {
        whole.to_owned()
    } else {
        // What stands before and behind the replaced text stays.
        let said = &*with_breaks(said, line_break(current.unwrap_or_default()));
        let at = new.rfind(said)?;
        let (before, behind) = (&new[..at], &new[at + said.len()..]);
        whole.strip_prefix(before)?.strip_suffix(behind)?.to_owned()
    };
    Some(Change::Replace(vec![Replacement { old, new: text, all: false }]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANCHORS: [&str; 3] = ["---Ob---", "---Pl---", "---Ex---"];

    fn swap(old: &str, new: &str) -> Change {
        Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: false }])
    }

    #[test]
    fn what_is_added_at_the_end_gets_its_anchor() {
        let page = "# lexer\n\nIt lexes.\n";
        for (current, change, own, expected) in [
            (
                Some(page),
                swap("It lexes.", "It lexes.\n\nNow."),
                0,
                "# lexer\n\nIt lexes.\n\n---Ob---\n\nNow.\n",
            ),
            (
                Some(page),
                Change::Whole(format!("{page}\nNow.\n")),
                2,
                "# lexer\n\nIt lexes.\n\n---Ex---\n\nNow.\n",
            ),
            (Some("a\r\n"), swap("a", "a\nb"), 1, "a\r\n\r\n---Pl---\r\n\r\nb\r\n"),
            (
                Some("---Ob---\n\nseen\n"),
                swap("seen", "seen\n\nplan"),
                1,
                "---Ob---\n\nseen\n\n---Pl---\n\nplan\n",
            ),
            (None, Change::Whole("# new\n\nSeen.\n".into()), 0, "# new\n\n---Ob---\n\nSeen.\n"),
            (None, swap("", "Seen."), 0, "---Ob---\n\nSeen."),
            (Some("\n"), Change::Whole("Seen.\n".into()), 0, "---Ob---\n\nSeen.\n"),
        ] {
            let found = anchored(current, &change, own, &ANCHORS);
            let found = found.unwrap_or_else(|| panic!("{change:?}"));
            let whole = apply(current, &found).expect("it applies").expect("a page");
            assert_eq!(whole, expected, "{change:?}");
        }
    }

    #[test]
    fn anything_else_is_left_alone() {
        let page = "# lexer\n\nIt lexes.\n";
        for (current, change, own) in [
            (Some(page), swap("It lexes.", "It lexes bytes."), 0),
            (Some(page), swap("# lexer", "# lexer\n\nNow."), 0),
            (Some(page), swap("It lexes.", "It lexes. Now."), 0),
            (Some(page), swap("nowhere", "x"), 0),
            (Some(page), Change::Delete, 0),
            (Some(page), swap("It lexes.", "It lexes.\n\n---Ob---\n\nNow."), 0),
            (Some("a\n\n---Ex---\n"), swap("---Ex---", "---Ex---\n\nNow."), 0),
            (Some("a\n\n---Ob---\n"), swap("---Ob---", "---Ob---\n\nNow."), 0),
            (Some("---Pl---\n\n---Ob---\n"), swap("---Ob---", "---Ob---\nx"), 2),
            (Some(page), swap("It lexes.", "It lexes.\n\n"), 0),
            (Some(page), Change::Whole(page.into()), 0),
            (Some(page), swap("It lexes.", "It lexes.\n\nNow."), 7),
            (Some("```\ncode\n"), swap("code", "code\nmore"), 0),
        ] {
            assert_eq!(anchored(current, &change, own, &ANCHORS), None, "{change:?}");
        }
    }

    proptest! {
        #[test]
        fn what_stood_there_stays_and_what_was_said_is_there(
            page in "[a-c#`>\n -]{0,30}",
            added in "[a-c#`\n -]{1,20}",
            own in 0..3_usize,
        ) {
            let new = format!("{page}\n{added}");
            let change = Change::Whole(new.clone());
            if let Some(found) = anchored(Some(&page), &change, own, &ANCHORS) {
                let whole = apply(Some(&page), &found).expect("it applies").expect("a page");
                let fits = PageChange::Below { first_rank: own };
                prop_assert_eq!(compare(Some(&page), &whole, &ANCHORS), fits);
                let lines = |text: &str| {
                    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
                    lines.map(str::to_owned).collect::<Vec<_>>()
                };
                let mut kept = lines(&whole);
                kept.retain(|line| line != ANCHORS[own]);
                let trimmed = |text: &str| lines(text).join("\n").replace(' ', "");
                prop_assert_eq!(kept.join("\n").replace(' ', ""), trimmed(&new));
            }
        }
    }
}

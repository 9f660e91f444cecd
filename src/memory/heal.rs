//! Gives a page the anchors it lacks.
//!
//! Formatters indent an anchor into the list above it, wrap it into a quote or a table,
//! or join it with the lines around it: such an anchor is mended where it stands. One
//! that is nowhere is put in at its place in the order. Everything else keeps its bytes;
//! only the blanks that held a damaged anchor in its line go. Anchors end up between
//! blank lines, where formatters leave them alone. Healing a healed page changes nothing.

use super::footers::{Cover, Disorder, Layout, Line, hiding_blocks, layout, lines};

/// A page with every anchor once and in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Healed {
    pub text: String,
    /// Anchors that were nowhere.
    pub inserted: Vec<String>,
    /// Anchors that were there, but not on a line of their own.
    pub mended: Vec<String>,
}

impl Healed {
    /// Says whether the page was whole before.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.inserted.is_empty() && self.mended.is_empty()
    }
}

/// Puts the anchors that `text` lacks where they belong.
///
/// # Errors
///
/// Refuses a page that has an anchor twice or out of order, and one in which code or
/// HTML that is never closed would swallow the anchor that is missing.
pub(crate) fn heal(text: &str, anchors: &[&str]) -> Result<Healed, Disorder> {
    let before = orderly(text, anchors)?;
    if before.missing().is_empty() {
        return Ok(Healed { text: text.to_owned(), inserted: Vec::new(), mended: Vec::new() });
    }
    let damaged = mendable(text, anchors, &before);
    let (text, inserted) = if damaged.is_empty() {
        insert(text, anchors, &before)
    } else {
        let mended = mend(text, anchors, &damaged);
        insert(&mended, anchors, &orderly(&mended, anchors)?)
    };
    let mended = damaged.iter().map(|anchor| before.name(anchor.rank)).collect();
    let after = orderly(&text, anchors)?;
    match after.missing().first() {
        None => Ok(Healed { text, inserted, mended }),
        Some(&rank) => Err(Disorder::Unclosed {
            anchor: after.name(rank),
            line: after.hidden_by(rank).unwrap_or(1),
        }),
    }
}

/// A new page: a title, and every anchor.
#[cfg(test)]
pub(crate) fn birth(anchors: &[&str], title: &str) -> String {
    let heading = title.lines().next().map_or_else(String::new, |title| format!("# {title}\n"));
    insert(&heading, anchors, &layout(&heading, anchors)).0
}

/// The line break a page uses, told from its first one.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn orderly<'a>(text: &'a str, anchors: &'a [&'a str]) -> Result<Layout<'a>, Disorder> {
    let layout = layout(text, anchors);
    layout.disorder().map_or(Ok(layout), Err)
}

/// Puts each missing anchor before the next higher one that stands, else at the end.
fn insert(text: &str, anchors: &[&str], page: &Layout<'_>) -> (String, Vec<String>) {
    let nl = line_break(text);
    let mut healed = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    let missing = page.missing();
    for &rank in &missing {
        let next = page.found().iter().find(|anchor| anchor.rank > rank);
        let at = next.map_or(text.len(), |anchor| anchor.start);
        healed.push_str(&text[copied..at]);
        copied = at;
        stand_apart(&mut healed, nl);
        healed.push_str(anchors[rank]);
        healed.push_str(nl);
        if next.is_some() {
            healed.push_str(nl);
        }
    }
    healed.push_str(&text[copied..]);
    (healed, missing.into_iter().map(|rank| page.name(rank)).collect())
}

/// Ends `text` with a blank line, unless it is still empty.
fn stand_apart(text: &mut String, nl: &str) {
    if !matches!(text.as_str(), "" | "\u{feff}") && !text.ends_with('\n') {
        text.push_str(nl);
    }
    if text.strip_suffix('\n').is_some_and(|above| !last_line(above).trim().is_empty()) {
        text.push_str(nl);
    }
}

fn last_line(text: &str) -> &str {
    text.rsplit_once('\n').map_or(text, |(_, last)| last)
}

/// An anchor that is there, but not on a line of its own.
struct Damaged {
    rank: usize,
    start: usize,
    end: usize,
    how: How,
}

/// What became of an anchor's line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Nothing but anchors and blanks are on the line.
    Indented,
    /// It is the only thing in a quote or in a row of a table.
    Wrapped,
    /// It begins or ends a line of text.
    Joined,
}

/// Sets damaged anchors on lines of their own again.
fn mend(text: &str, anchors: &[&str], damaged: &[Damaged]) -> String {
    let nl = line_break(text);
    let mut healed = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for anchor in damaged {
        healed.push_str(&text[copied..anchor.start]);
        drop_wrapping(&mut healed, anchor.how);
        stand_apart(&mut healed, nl);
        healed.push_str(anchors[anchor.rank]);
        healed.push_str(nl);
        let rest = after_anchor(&text[anchor.end..], anchor.how);
        if !rest.lines().next().unwrap_or("").trim().is_empty() {
            healed.push_str(nl);
        }
        copied = text.len() - rest.len();
    }
    healed.push_str(&text[copied..]);
    healed
}

fn drop_wrapping(text: &mut String, how: How) {
    let wrapping: &[char] = if how == How::Wrapped { &[' ', '\t', '>', '|'] } else { &[' ', '\t'] };
    text.truncate(text.trim_end_matches(wrapping).len());
}

/// What follows the anchor, without the wrapping and the break of its line.
fn after_anchor(rest: &str, how: How) -> &str {
    let wrapping: &[char] = if how == How::Wrapped { &[' ', '\t', '|'] } else { &[' ', '\t'] };
    let rest = rest.trim_start_matches(wrapping);
    let broken = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'));
    broken.unwrap_or(if rest == "\r" { "" } else { rest })
}

/// The damaged anchors of which there is no doubt.
///
/// Prose may speak of an anchor. So one is mended only where it is missing, where the
/// page shows it in one place, where that place fits the order, and, if it shares its
/// line with anything but anchors, where other anchors say that this is a footer.
fn mendable(text: &str, anchors: &[&str], page: &Layout<'_>) -> Vec<Damaged> {
    let missing = page.missing();
    let mut all = damaged_anchors(text, anchors, &missing);
    let has_footer =
        !page.found().is_empty() || all.iter().any(|anchor| anchor.how == How::Indented);
    let mut times = vec![0; anchors.len()];
    for anchor in &all {
        times[anchor.rank] += 1;
    }
    all.retain(|anchor| times[anchor.rank] == 1 && (has_footer || anchor.how == How::Indented));
    all.sort_by_key(|anchor| anchor.rank);
    let mut floor = 0;
    all.retain(|anchor| {
        let fits = anchor.start >= floor
            && page
                .found()
                .iter()
                .all(|other| (other.rank < anchor.rank) == (other.start < anchor.start));
        if fits {
            floor = anchor.end;
        }
        fits
    });
    all
}

fn damaged_anchors(text: &str, anchors: &[&str], missing: &[usize]) -> Vec<Damaged> {
    let suspicious =
        |line: &Line<'_>| missing.iter().any(|rank| line.text.contains(anchors[*rank]));
    let mut damaged: Vec<Damaged> =
        lines(text).filter(suspicious).flat_map(|line| damaged_in(&line, anchors)).collect();
    damaged.retain(|anchor| missing.contains(&anchor.rank));
    if !damaged.is_empty() {
        let blocks = hiding_blocks(text);
        let mut cover = Cover::new(&blocks);
        damaged.retain(|anchor| cover.over(anchor.start).is_none());
    }
    damaged
}

fn damaged_in(line: &Line<'_>, anchors: &[&str]) -> Vec<Damaged> {
    let words: Vec<Word<'_>> = words_of(line, anchors);
    let Some(how) = how_damaged(&words) else { return Vec::new() };
    let first_text = words.iter().position(|word| word.rank.is_none()).unwrap_or(words.len());
    let last_text = words.iter().rposition(|word| word.rank.is_none()).unwrap_or(0);
    let at_an_end = |at: usize| at < first_text || at > last_text;
    let anchor_at = |(at, word): (usize, &Word<'_>)| {
        let rank = word.rank.filter(|_| how != How::Joined || at_an_end(at))?;
        Some(Damaged { rank, start: word.start, end: word.start + word.text.len(), how })
    };
    words.iter().enumerate().filter_map(anchor_at).collect()
}

fn how_damaged(words: &[Word<'_>]) -> Option<How> {
    let mut others =
        words.iter().filter(|word| word.rank.is_none()).map(|word| word.text).peekable();
    let anchors = words.iter().filter(|word| word.rank.is_some()).count();
    if others.peek().is_none() {
        return Some(How::Indented);
    }
    if anchors == 1 && others.clone().all(|word| word.chars().all(|c| matches!(c, '>' | '|'))) {
        return Some(How::Wrapped);
    }
    others.any(|word| word.contains(char::is_alphanumeric)).then_some(How::Joined)
}

/// One word of a line, and the anchor that it is.
struct Word<'a> {
    start: usize,
    text: &'a str,
    rank: Option<usize>,
}

/// The words of a line; only blanks part words.
fn words_of<'a>(line: &Line<'a>, anchors: &[&str]) -> Vec<Word<'a>> {
    let mut at = line.start;
    let mut words = Vec::new();
    for text in line.text.trim_end_matches(['\r', '\n']).split([' ', '\t']) {
        if !text.is_empty() {
            words.push(Word {
                start: at,
                text,
                rank: anchors.iter().position(|anchor| *anchor == text),
            });
        }
        at += text.len() + 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::memory::samples::{ANCHORS, page_like};

    fn healed(page: &str) -> Healed {
        heal(page, &ANCHORS).unwrap_or_else(|disorder| panic!("{page:?}: {disorder}"))
    }

    #[test]
    fn a_missing_anchor_comes_to_its_place_between_blank_lines() {
        let cases = [
            ("", "---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"),
            ("\u{feff}", "\u{feff}---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"),
            ("# T\n", "# T\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"),
            ("# T\n\n", "# T\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"),
            ("- item", "- item\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"),
            (
                "a\r\nb",
                "a\r\nb\r\n\r\n---Ob---\r\n\r\n---Pl---\r\n\r\n---Ex---\r\n\r\n---Ve---\r\n",
            ),
            (
                "b\n---Pl---\np\n---Ex---\n---Ve---\n",
                "b\n\n---Ob---\n\n---Pl---\np\n---Ex---\n---Ve---\n",
            ),
            ("---Ob---\no\n---Ve---\nv", "---Ob---\no\n\n---Pl---\n\n---Ex---\n\n---Ve---\nv"),
            ("---Ob---\n---Pl---\n---Ex---\nx", "---Ob---\n---Pl---\n---Ex---\nx\n\n---Ve---\n"),
            (
                "<div>\nx\n</div>\n---Pl---\n",
                "<div>\nx\n</div>\n---Pl---\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n",
            ),
        ];
        for (page, expected) in cases {
            assert_eq!(healed(page).text, expected, "{page:?}");
        }
    }

    #[test]
    fn an_anchor_that_a_formatter_moved_is_mended_where_it_stands() {
        let rest = "---Pl---\n\n---Ex---\n\n---Ve---\n";
        let cases = [
            ("- item\n  ---Ob---\n\nsaw\n\n", "- item\n\n---Ob---\n\nsaw\n\n"),
            (
                "1. a\n   - b\n     ---Ob---\n     saw\n\n",
                "1. a\n   - b\n\n---Ob---\n\n     saw\n\n",
            ),
            ("end of text ---Ob---\nsaw\n\n", "end of text\n\n---Ob---\n\nsaw\n\n"),
            (
                "end of text ---Ob---\r\nsaw\r\n\r\n",
                "end of text\r\n\r\n---Ob---\r\n\r\nsaw\r\n\r\n",
            ),
            ("text\n---Ob--- saw this\nand that\n\n", "text\n\n---Ob---\n\nsaw this\nand that\n\n"),
            ("> quote\n> ---Ob---\n\nsaw\n\n", "> quote\n\n---Ob---\n\nsaw\n\n"),
            (
                "| a        |\n| -------- |\n| ---Ob--- |\n\n",
                "| a        |\n| -------- |\n\n---Ob---\n\n",
            ),
        ];
        for (top, expected) in cases {
            let healed = healed(&format!("{top}{rest}"));
            assert_eq!(healed.text, format!("{expected}{rest}"), "{top:?}");
            assert_eq!(
                (healed.mended, healed.inserted),
                (vec!["---Ob---".to_owned()], vec![]),
                "{top:?}"
            );
        }
    }

    #[test]
    fn anchors_joined_with_each_other_part_again() {
        let healed = healed("body\n\n---Ob--- ---Pl--- ---Ex---\n---Ve---");
        assert_eq!(healed.text, "body\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---");
        assert_eq!(healed.mended, ["---Ob---", "---Pl---", "---Ex---"]);
    }

    #[test]
    fn text_that_speaks_of_an_anchor_stays_text() {
        let whole = "\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n";
        let lacking = "\n---Pl---\n\n---Ex---\n\n---Ve---\n";
        let cases = [
            ("write below ---Ob---\n", ""),
            ("    ---Ob---\n", lacking),
            ("```\n  ---Ob---\n```\n", lacking),
            ("text <!-- ---Ob--- -->\n", lacking),
            ("write below ---Ob--- and read\n", lacking),
            ("write below `---Ob---`\n", lacking),
            ("first ---Ob---\nsecond ---Ob---\n", lacking),
            ("- ---Ob---\n", lacking),
            ("write below ---Ex---\n", "\n---Ob---\n\n---Pl---\n\n---Ve---\n"),
            ("write below ---Pl---\n", whole),
        ];
        for (text, footer) in cases {
            let healed = healed(&format!("{text}{footer}"));
            assert!(healed.text.starts_with(text), "{text:?} became {:?}", healed.text);
            assert!(healed.mended.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn what_is_never_closed_leaves_no_place_and_is_named() {
        let unclosed = |anchor: &str, line| Err(Disorder::Unclosed { anchor: anchor.into(), line });
        let cases = [
            ("# T\n```\ncode\n", unclosed("---Ob---", 2)),
            ("# T\n\n```\n---Ob---\n---Pl---\n---Ex---\n---Ve---\n", unclosed("---Ob---", 3)),
            ("---Ob---\n\n<!-- note\n\n---Pl---\n---Ex---\n---Ve---\n", unclosed("---Pl---", 3)),
            ("\u{feff}<pre>\n", unclosed("---Ob---", 1)),
        ];
        for (page, expected) in cases {
            assert_eq!(heal(page, &ANCHORS), expected, "{page:?}");
        }
        let last = "---Ob---\n---Pl---\n---Ex---\n---Ve---\n```\nlog\n";
        assert!(healed(last).is_unchanged(), "open code below the last anchor hides none");
    }

    #[test]
    fn a_disordered_page_is_left_to_its_owner() {
        for page in
            ["---Ob---\n---Ob---\n", "---Pl---\n---Ob---\n", "---Ob---\n---Pl---\n---Ob---\n"]
        {
            let disorder = heal(page, &ANCHORS).expect_err(page);
            assert_eq!(disorder.anchor(), "---Ob---", "{page:?}");
        }
    }

    #[test]
    fn a_page_is_born_whole() {
        assert_eq!(
            birth(&ANCHORS, "src/a"),
            "# src/a\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"
        );
        for title in ["", "```", "<!--", "two\nlines", "---Ob---"] {
            assert!(healed(&birth(&ANCHORS, title)).is_unchanged(), "{title:?}");
        }
    }

    /// Says whether all of `page` is in `healed`, in its order.
    fn is_kept(page: &str, healed: &str) -> bool {
        let mut rest = healed.chars();
        page.chars().all(|wanted| rest.any(|c| c == wanted))
    }

    proptest! {
        #[test]
        fn healing_twice_is_healing_once(page in prop_oneof![".*", page_like()]) {
            if let Ok(once) = heal(&page, &ANCHORS) {
                prop_assert!(layout(&once.text, &ANCHORS).missing().is_empty());
                let twice = heal(&once.text, &ANCHORS).expect("a healed page heals");
                prop_assert!(twice.is_unchanged());
                prop_assert_eq!(twice.text, once.text);
            }
        }

        #[test]
        fn inserting_keeps_body_and_sections(page in prop_oneof![".*", page_like()]) {
            let Ok(healed) = heal(&page, &ANCHORS) else { return Ok(()) };
            prop_assume!(healed.mended.is_empty());
            prop_assert!(is_kept(&page, &healed.text));
            let (before, after) = (layout(&page, &ANCHORS), layout(&healed.text, &ANCHORS));
            prop_assert!(after.body().starts_with(before.body()));
            prop_assert!(after.body()[before.body().len()..].trim().is_empty());
            for anchor in before.found() {
                let (old, new) = (before.below(anchor),
                    after.section(anchor.rank).expect("it stands"));
                prop_assert!(new.starts_with(old) && new[old.len()..].trim().is_empty());
            }
        }

        #[test]
        fn mending_loses_no_word(page in page_like()) {
            let Ok(healed) = heal(&page, &ANCHORS) else { return Ok(()) };
            let words = |text: &str| -> Vec<String> {
                let is_text = |word: &&str| !ANCHORS.contains(word) && !matches!(*word, ">" | "|");
                text.split_whitespace().filter(is_text).map(str::to_owned).collect()
            };
            prop_assert_eq!(words(&page), words(&healed.text));
        }
    }
}

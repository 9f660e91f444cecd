//! Takes the anchors out of a page again that hold nothing, for who leaves git seed.
//!
//! The page becomes what it was before [`heal`](super::heal::heal) gave it anchors. A section
//! with words stays with its anchor: they are the person's from then on. The pointer to earlier
//! cycles is no word. Pure.

use super::condense::points;
use super::footers::layout;
use super::heal::heal;

/// A page without its empty anchors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stripped {
    pub text: String,
    /// How many anchors went.
    pub gone: usize,
    /// Anchors that hold words, and stay.
    pub left: Vec<String>,
}

/// Takes the empty anchors of `text` out; all else keeps its bytes.
pub(crate) fn strip(text: &str, anchors: &[&str]) -> Stripped {
    let page = layout(text, anchors);
    let is_empty =
        |section: &str| section.lines().all(|line| line.trim().is_empty() || points(line));
    let (gone, left): (Vec<_>, Vec<_>) =
        page.found().iter().partition(|anchor| is_empty(page.below(anchor)));
    let left: Vec<String> = left.iter().map(|anchor| anchors[anchor.rank].to_owned()).collect();
    if gone.is_empty() {
        return Stripped { text: text.to_owned(), gone: 0, left };
    }
    let gone_count = gone.len();
    let (mut kept, mut at) = (String::new(), 0);
    for anchor in gone {
        kept.push_str(&text[at..anchor.start]);
        at = page.range_below(anchor).end;
    }
    kept.push_str(&text[at..]);
    if left.is_empty() {
        kept = before_healing(&kept, page.body(), text, anchors);
    }
    Stripped { text: kept, gone: gone_count, left }
}

/// The body as it was: with the blanks at its end that healing makes `text` of, fewest first.
fn before_healing(kept: &str, body: &str, text: &str, anchors: &[&str]) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let bare = kept.trim_end_matches(['\n', '\r']);
    let heals = |page: &str| {
        heal(page, anchors).is_ok_and(|healed| layout(&healed.text, anchors).body() == body)
    };
    [1, 0, 2, 3]
        .into_iter()
        .map(|ends| format!("{bare}{}", end.repeat(ends)))
        .find(|page| heals(page))
        .unwrap_or_else(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::condense::POINTER;
    use super::*;

    const ANCHORS: [&str; 4] = ["---Ob---", "---Pl---", "---Ex---", "---Ve---"];

    #[test]
    fn a_page_becomes_what_it_was() {
        for page in ["# Root\n", "# Root\n\nWords.\n", "", "# Root\r\n\r\nWords.\r\n", "- a\n- b\n"]
        {
            let healed = heal(page, &ANCHORS).expect("it heals").text;
            let stripped = strip(&healed, &ANCHORS);
            assert_eq!((stripped.text.as_str(), stripped.gone), (page, 4), "{healed:?}");
            assert_eq!(stripped.left, Vec::<String>::new());
        }
    }

    #[test]
    fn words_stay_with_their_anchor_and_the_pointer_is_none() {
        let page = format!("# Root\n\n---Ob---\n\n{POINTER}\n\n---Pl---\n\nkept\n\n---Ex---\n");
        let stripped = strip(&page, &ANCHORS);
        assert_eq!(stripped.text, "# Root\n\n---Pl---\n\nkept\n\n");
        assert_eq!((stripped.gone, stripped.left), (2, vec!["---Pl---".to_owned()]));
        let none = strip("# Root\n\n```\n---Ob---\n```\n", &ANCHORS);
        assert_eq!((none.text.as_str(), none.gone), ("# Root\n\n```\n---Ob---\n```\n", 0));
    }

    proptest! {
        #[test]
        fn no_word_is_lost(page in "([ab#-]{0,4}|---(Ob|Pl|Ex|Ve)---|\\PC{0,6}|\n){0,12}") {
            let words = |text: &str| -> Vec<String> {
                let mine = |word: &&str| !ANCHORS.contains(word);
                text.split_whitespace().filter(mine).map(str::to_owned).collect()
            };
            let stripped = strip(&page, &ANCHORS);
            prop_assert_eq!(words(&stripped.text), words(&page));
        }

        #[test]
        fn what_was_healed_comes_back(body in "(# [a-z]{1,5}\n)?(\n[a-z]{1,5}\n){0,4}") {
            if let Ok(healed) = heal(&body, &ANCHORS) {
                prop_assert_eq!(strip(&healed.text, &ANCHORS).text, body);
            }
        }
    }
}

//! The page around a story: head, style and script, and how long it may be.

use sha2::{Digest as _, Sha256};

use super::job::{self, Ranks};
use super::sums;
use crate::engine::story::all::AllStories;
use crate::engine::story::job::JobStory;
use crate::html::Escaped;
use crate::voice::{Notice, tell};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The most bytes of a page for each hundred steps that it tells of.
const MOST: usize = 1_000_000;

/// A page that is whole.
pub(super) struct Page(Escaped);

/// How much of each thing is shown. A page that comes out too long is drawn again with less.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of one text of somebody's.
    pub(super) words: usize,
    /// Bytes of the hunks of one file.
    pub(super) hunks: usize,
    /// Events of one stay.
    pub(super) events: usize,
    /// Rows of a table.
    pub(super) rows: usize,
}

impl Limits {
    const FULL: Self = Self { words: 8_000, hunks: 16_000, events: 400, rows: 2_000 };

    fn less(self) -> Self {
        let Self { words, hunks, events, rows } = self;
        Self { words: words / 2, hunks: hunks / 3, events: (events / 2).max(8), rows: rows / 2 }
    }
}

impl Page {
    pub(super) fn of_job(story: &JobStory) -> Self {
        Self::within(steps(story), &story.name, |page, limits| {
            page.raw("<main id=\"story\" tabindex=\"-1\">");
            job::draw(page, story, limits, Ranks::ALONE);
            page.raw("</main>");
        })
    }

    pub(super) fn of_all(all: &AllStories) -> Self {
        let steps = all.index.iter().map(|row| row.steps).sum();
        let title = tell(Notice::StoryAll, &[("n", &all.index.len().to_string())]);
        Self::within(steps, &title, |page, limits| {
            page.raw("<main id=\"story\" tabindex=\"-1\">");
            page.element("<h1>", &title, "</h1>");
            super::graph::draw(page, &all.index, limits);
            for missing in &all.missing {
                page.element("<p class=\"missing\">", missing, "</p>");
            }
            if let Some(stats) = &all.stats {
                sums::draw(page, stats);
            }
            for story in &all.jobs {
                job::draw(page, story, limits, Ranks::AMONG);
            }
            page.raw("</main>");
        })
    }

    /// The text of the page.
    pub(super) fn text(&self) -> &str {
        self.0.as_str()
    }

    /// Draws a page, and again with less until it is short enough.
    fn within(steps: usize, title: &str, draw: impl Fn(&mut Escaped, Limits)) -> Self {
        const TRIES: usize = 9;
        let most = MOST * steps.div_ceil(100).max(1);
        let mut limits = Limits::FULL;
        let mut page = Escaped::default();
        for _ in 0..TRIES {
            page = whole(title, &|page| draw(page, limits));
            if page.len() <= most {
                break;
            }
            limits = limits.less();
        }
        Self(page)
    }
}

fn steps(story: &JobStory) -> usize {
    story.stays.iter().map(|stay| stay.events.len()).sum()
}

fn whole(title: &str, draw: &dyn Fn(&mut Escaped)) -> Escaped {
    let mut page = Escaped::default();
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n");
    page.raw("<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // Nothing is fetched, and no other style or script runs than the two of this page.
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    page.raw("base-uri 'none'; form-action 'none'; style-src 'sha256-").text(&digest(STYLE));
    page.raw("'; script-src 'sha256-").text(&digest(SCRIPT)).raw("'\">\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.element("<title>", title, " · git seed</title>\n");
    page.raw("<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    page.element("<a class=\"skip\" href=\"#story\">", "To the story", "</a>\n");
    draw(&mut page);
    page.element("<footer class=\"dim\"><p class=\"keys\">", &tell(Notice::StoryKeys, &[]), "</p>");
    page.raw("</footer>\n<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    page
}

/// SHA-256 in base64, as a policy names it.
fn digest(text: &str) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for part in Sha256::digest(text.as_bytes()).chunks(3) {
        let bits = part.iter().chain([0, 0].iter()).take(3);
        let bits = bits.fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for n in 0..4 {
            let sign = SIGNS[bits >> (18 - 6 * n) & 63];
            written.push(if n > part.len() { '=' } else { char::from(sign) });
        }
    }
    written
}

/// A text within its limit, and whether there is more of it.
pub(super) fn within(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, false);
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    (&text[..end], true)
}

/// Somebody's words, as a block.
pub(super) fn words(page: &mut Escaped, text: &str, limits: Limits) {
    let (text, more) = within(text.trim_end(), limits.words);
    page.element("<pre>", text, "</pre>");
    if more {
        page.element("<p class=\"dim\">", &tell(Notice::StoryMore, &[]), "</p>");
    }
}

/// A moment, for people.
pub(super) fn time(page: &mut Escaped, at: &str) {
    page.raw("<time datetime=\"").text(at).raw("\">");
    page.text(&at.replace('T', " ").replace('Z', " UTC")).raw("</time>");
}

/// Seconds in words of two units.
pub(crate) fn lasted(seconds: i64) -> String {
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match seconds {
        86_400.. => format!("{days} d {hours} h"),
        3_600.. => format!("{hours} h {minutes} min"),
        60.. => format!("{minutes} min {rest} s"),
        _ => format!("{rest} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_its_digest_in_base64() {
        let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(digest(""), empty);
        assert_eq!(digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn a_page_that_is_too_long_is_drawn_with_less() {
        let flood = "<".repeat(900_000);
        let page = Page::within(3, "t", |page, limits| {
            for _ in 0..40 {
                words(page, &flood, limits);
            }
        });
        assert!(page.text().len() <= MOST, "{}", page.text().len());
        assert!(page.text().contains("&lt;&lt;"), "something of it is left");
    }

    #[test]
    fn two_units_are_enough() {
        for (seconds, said) in
            [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_600, "1 h 0 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(lasted(seconds), said);
        }
    }
}

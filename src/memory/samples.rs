//! Pages for the tests of this module: the usual anchors, and texts made of what breaks
//! parsers of Markdown.

use proptest::prelude::*;

pub(crate) const ANCHORS: [&str; 4] = ["---Ob---", "---Pl---", "---Ex---", "---Ve---"];

const PIECES: &[&str] = &[
    "",
    "text",
    "- item",
    "  more",
    "1. one",
    "    four",
    "```",
    "  ```",
    "~~~",
    "<!--",
    "-->",
    "x <!--",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "> quote",
    "| a |",
    "|---|",
    "---",
    "`tick",
    "\0",
    "\u{feff}",
    "[CARRIED:JOB:1]{x}{y}",
    "  ---Ob---",
    "x ---Pl---",
    "---Ob--- ---Pl---",
    "---Ex--- y",
    "> ---Ve---",
    "| ---Pl--- |",
    "---Ob---",
    "---Pl---",
    "---Ex---",
    "---Ve---",
    "---Ve---  ",
];

/// Lines that matter, in any order, with any line breaks.
pub(crate) fn page_like() -> impl Strategy<Value = String> {
    let line =
        (proptest::sample::select(PIECES), proptest::sample::select(&["\n", "\n", "\r\n"][..]));
    let last = proptest::sample::select(&["", "end", "---Ve---", "---Ob---\r", "```"][..]);
    (proptest::collection::vec(line, 0..14), last).prop_map(|(lines, last)| {
        lines.into_iter().flat_map(|(text, nl)| [text, nl]).chain([last]).collect()
    })
}

/// A page with every anchor once and in order, and some text around each.
pub(crate) fn whole_page() -> impl Strategy<Value = String> {
    let text = proptest::sample::select(
        &["", "\n", "one\n", "- item\n", "two words\n\n", "```\ncode\n```\n", "<b>x</b>\n\n"][..],
    );
    proptest::collection::vec(text, 5).prop_map(|texts| {
        let footer =
            ANCHORS.iter().zip(&texts[1..]).map(|(anchor, text)| format!("{anchor}\n{text}"));
        texts[0].to_owned() + &footer.collect::<String>()
    })
}

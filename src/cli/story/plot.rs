//! Small drawings: lines for footers, bars for sums. Each has a table of the same beside it.

use super::page::Limits;
use crate::engine::story::footers::Footers;
use crate::html::Escaped;
use crate::voice::{Notice, tell};

/// The field in which lines are drawn.
const WIDTH: usize = 720;
const HEIGHT: usize = 160;
const LEFT: usize = 56;

/// As many lines have a look of their own.
const LINES: usize = 6;

const PATHS: [&str; LINES] = [
    "<path class=\"p0\" d=\"",
    "<path class=\"p1\" d=\"",
    "<path class=\"p2\" d=\"",
    "<path class=\"p3\" d=\"",
    "<path class=\"p4\" d=\"",
    "<path class=\"p5\" d=\"",
];

/// A line of the drawing, by its name.
struct Line {
    name: String,
    words: Vec<usize>,
}

/// Footers over the commits: of all pages together, and of those that had most.
pub(super) fn footers(page: &mut Escaped, footers: &Footers, limits: Limits) {
    let lines = lines(footers);
    let most = lines.iter().flat_map(|line| &line.words).copied().max().unwrap_or_default();
    page.raw(
        "<svg role=\"img\" viewBox=\"0 0 720 190\" width=\"720\" height=\"190\" aria-label=\"",
    );
    let facts = [("most", &*most.to_string()), ("n", &*footers.steps.len().to_string())];
    page.text(&tell(Notice::StoryFooters, &facts)).raw("\">");
    page.raw("<path class=\"axis\" d=\"M56 6V166H716\"/><text x=\"4\" y=\"16\">");
    page.text(&most.to_string()).raw("</text><text x=\"4\" y=\"166\">0</text>");
    page.raw("<text x=\"56\" y=\"184\">first commit</text>");
    page.raw("<text x=\"716\" y=\"184\" text-anchor=\"end\">last commit</text>");
    for (line, open) in lines.iter().zip(PATHS) {
        page.raw(open).text(&path(&line.words, most)).raw("\"/>");
    }
    page.raw("</svg><ul class=\"key\">");
    for (line, open) in lines.iter().zip(PATHS) {
        page.raw("<li><svg aria-hidden=\"true\" viewBox=\"0 0 24 8\" width=\"24\" height=\"8\">");
        page.raw(open).raw("M0 4H24\"/></svg> ").text(&line.name).raw("</li>");
    }
    page.raw("</ul>");
    table(page, footers, limits);
}

fn lines(footers: &Footers) -> Vec<Line> {
    let of = |page: usize| -> Vec<usize> {
        footers.steps.iter().map(|point| point.words.get(page).copied().unwrap_or(0)).collect()
    };
    let all = footers.steps.iter().map(|point| point.words.iter().sum()).collect();
    let mut lines: Vec<Line> = (0..footers.pages.len())
        .map(|page| Line { name: footers.pages[page].clone(), words: of(page) })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.words.iter().max().copied()));
    if lines.len() > 1 {
        lines.truncate(LINES - 1);
        lines.insert(0, Line { name: "all pages".to_owned(), words: all });
    }
    lines
}

/// The steps of a line, from left to right.
fn path(words: &[usize], most: usize) -> String {
    let across = (words.len() - 1).max(1);
    let place = |(n, words): (usize, &usize)| {
        let x = LEFT + n * (WIDTH - 4 - LEFT) / across;
        let y = 6 + HEIGHT - words * HEIGHT / most.max(1);
        format!("{}{x} {y}", if n == 0 { 'M' } else { 'L' })
    };
    let mut path: String = words.iter().enumerate().map(place).collect();
    if words.len() == 1 {
        path.push_str("h4");
    }
    path
}

fn table(page: &mut Escaped, footers: &Footers, limits: Limits) {
    page.raw("<details><summary>Footers as a table</summary>");
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Footers\"><table>");
    page.raw("<thead><tr><th>step</th><th class=\"n\">cycle</th><th>commit</th>");
    for name in footers.pages.iter().take(LINES) {
        page.element("<th class=\"n\">", name, "</th>");
    }
    page.raw("</tr></thead><tbody>");
    for point in footers.steps.iter().take(limits.rows) {
        page.element("<tr><td>", &point.step, "</td><td class=\"n\">");
        page.number(point.cycle).raw("</td><td>");
        page.text(point.commit.get(..7).unwrap_or_default()).raw("</td>");
        for words in point.words.iter().take(LINES) {
            page.element("<td class=\"n\">", &words.to_string(), "</td>");
        }
        page.raw("</tr>");
    }
    page.raw("</tbody></table></div></details>");
}

/// A bar for a cell of a table: how much `part` is of `most`.
pub(super) fn bar(page: &mut Escaped, part: i64, most: i64) {
    const WIDE: i64 = 120;
    let wide = (part.max(0) * WIDE).checked_div(most).unwrap_or_default();
    page.raw("<svg aria-hidden=\"true\" viewBox=\"0 0 120 10\" width=\"120\" height=\"10\">");
    page.raw("<rect class=\"bar\" height=\"10\" width=\"").number(wide).raw("\"/></svg>");
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn a_line_stays_within_its_field() {
        assert_eq!(path(&[0, 50, 100], 100), "M56 166L386 86L716 6");
        assert_eq!(path(&[5], 5), "M56 6h4");
        assert_eq!(path(&[0, 0], 0), "M56 166L716 166");
    }
}

//! All jobs at a glance: a drawing of those that wait for each other, and a list of all.

use std::collections::BTreeMap;

use super::page::{Limits, time, within};
use crate::engine::story::all::IndexRow;
use crate::html::Escaped;
use crate::voice::{Notice, tell};

/// The most jobs that are drawn.
const DRAWN: usize = 60;

/// Letters of a name that fit into its box.
const LETTERS: usize = 22;

/// The size of a box, and from one to the next.
const BOX: (usize, usize) = (190, 34);
const STEP: (usize, usize) = (230, 48);

pub(super) fn draw(page: &mut Escaped, index: &[IndexRow], limits: Limits) {
    page.raw("<h2>Jobs</h2>");
    let linked: Vec<&IndexRow> = index
        .iter()
        .filter(|row| !row.depends_on.is_empty() || !row.needed_by.is_empty())
        .take(DRAWN)
        .collect();
    if !linked.is_empty() {
        drawing(page, &linked);
    }
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Jobs\"><table>");
    page.raw("<thead><tr><th>job</th><th>status</th><th class=\"n\">run</th><th class=\"n\">cycle");
    page.raw(
        "</th><th class=\"n\">steps</th><th>waits for</th><th>changed</th></tr></thead><tbody>",
    );
    for row in index.iter().take(limits.rows) {
        page.raw("<tr><td class=\"wide\">");
        if row.told {
            page.raw("<a href=\"#job-").text(&row.id).raw("\">").text(&row.name).raw("</a>");
        } else {
            page.text(&row.name);
        }
        page.element("<br><small>", &row.id, "</small></td>");
        page.element("<td>", row.status, "</td><td class=\"n\">");
        page.number(row.run).raw("</td><td class=\"n\">").number(row.cycle);
        page.element("</td><td class=\"n\">", &row.steps.to_string(), "</td><td>");
        page.text(&row.depends_on.join(", ")).raw("</td><td>");
        time(page, &row.updated_at);
        page.raw("</td></tr>");
    }
    page.raw("</tbody></table></div>");
    let more = index.len().saturating_sub(limits.rows);
    if more > 0 {
        let told = tell(Notice::StoryEvents, &[("n", &more.to_string())]);
        page.element("<p class=\"dim\">", &told, "</p>");
    }
}

/// Boxes and edges: what waits stands to the right of what it waits for.
fn drawing(page: &mut Escaped, rows: &[&IndexRow]) {
    let places = places(rows);
    let across = places.values().map(|place| place.0).max().unwrap_or_default() + 1;
    let down = places.values().map(|place| place.1).max().unwrap_or_default() + 1;
    let (width, height) = (across * STEP.0, down * STEP.1);
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Graph of jobs\">");
    page.raw("<svg role=\"img\" aria-label=\"").text(&tell(Notice::StoryGraph, &[]));
    page.raw("\" width=\"").text(&width.to_string()).raw("\" height=\"").text(&height.to_string());
    page.raw("\">");
    let middle = |(column, row): (usize, usize)| (column * STEP.0, row * STEP.1 + BOX.1 / 2 + 2);
    for row in rows {
        let Some(to) = places.get(&*row.id) else { continue };
        for from in row.depends_on.iter().filter_map(|id| places.get(&**id)) {
            let ((x1, y1), (x2, y2)) = (middle(*from), middle(*to));
            page.raw("<path class=\"edge\" d=\"");
            page.text(&format!("M{} {y1}L{} {y2}", x1 + BOX.0, x2 + 2)).raw("\"/>");
        }
    }
    for row in rows {
        let Some(place) = places.get(&*row.id) else { continue };
        let (x, y) = (place.0 * STEP.0 + 2, place.1 * STEP.1 + 2);
        page.raw("<rect class=\"node\" width=\"188\" height=\"34\" rx=\"6\" x=\"");
        page.text(&x.to_string()).raw("\" y=\"").text(&y.to_string()).raw("\"/><text x=\"");
        page.text(&(x + 8).to_string()).raw("\" y=\"").text(&(y + 22).to_string()).raw("\">");
        let name: String = row.name.chars().take(LETTERS).collect();
        page.text(within(&name, 4 * LETTERS).0).raw("<title>").text(&row.name).raw(" · ");
        page.text(row.status).raw("</title></text>");
    }
    page.raw("</svg></div>");
    page.element("<p class=\"dim\">", &tell(Notice::StoryGraph, &[]), "</p>");
}

/// Column and row of each job: one column right of all that it waits for.
fn places<'r>(rows: &[&'r IndexRow]) -> BTreeMap<&'r str, (usize, usize)> {
    let mut columns: BTreeMap<&str, usize> = rows.iter().map(|row| (&*row.id, 0)).collect();
    // Edges close no circle; a record that claims one ends the search all the same.
    for _ in 0..rows.len() {
        let mut moved = false;
        for row in rows {
            let ahead = row.depends_on.iter().filter_map(|id| columns.get(&**id)).max();
            let column = ahead.map_or(0, |ahead| ahead + 1).min(rows.len());
            moved |= columns.insert(&*row.id, column) != Some(column);
        }
        if !moved {
            break;
        }
    }
    let mut down: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for row in rows {
        let column = columns.get(&*row.id).copied().unwrap_or_default();
        let next = down.entry(column).or_default();
        places.insert(&*row.id, (column, *next));
        *next += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, depends_on: &[&str]) -> IndexRow {
        IndexRow {
            id: id.to_owned(),
            name: format!("<{id}>"),
            status: "active",
            run: 1,
            cycle: 1,
            steps: 3,
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            needed_by: Vec::new(),
            updated_at: "2026-11-21T20:56:12Z".to_owned(),
            told: true,
        }
    }

    #[test]
    fn what_waits_stands_right_of_what_it_waits_for() {
        let rows = [row("a", &["b", "c"]), row("b", &["c"]), row("c", &[]), row("d", &["c"])];
        let places = places(&rows.iter().collect::<Vec<_>>());
        assert_eq!(places["c"], (0, 0));
        assert_eq!((places["b"], places["d"], places["a"]), ((1, 0), (1, 1), (2, 0)));
    }

    #[test]
    fn a_circle_that_a_record_claims_ends_all_the_same() {
        let rows = [row("a", &["b"]), row("b", &["a"])];
        assert_eq!(places(&rows.iter().collect::<Vec<_>>()).len(), 2);
    }
}

//! The sums of all jobs as a part of the page.

use super::job::cost;
pub(in crate::cli) use super::page::lasted;
use super::plot::bar;
use crate::engine::story::stats::Stats;
use crate::engine::story::tokens::TokensShown;
use crate::html::Escaped;
use crate::voice::{Notice, tell};

pub(super) fn draw(page: &mut Escaped, stats: &Stats) {
    page.raw("<section id=\"sums\"><h2>Sums</h2><dl class=\"facts\">");
    for (key, value) in facts(stats) {
        page.element("<dt>", key, "</dt>");
        page.element("<dd>", &value, "</dd>");
    }
    page.raw("</dl>");
    phases(page, stats);
    rules(page, stats);
    page.raw("</section>");
}

/// What is told in one line each, here and on a terminal.
pub(in crate::cli) fn facts(stats: &Stats) -> Vec<(&'static str, String)> {
    let jobs: Vec<String> = stats.jobs.iter().map(|(status, n)| format!("{n} {status}")).collect();
    let jobs = if jobs.is_empty() { "none".to_owned() } else { jobs.join(", ") };
    let number = |n: u32| n.to_string();
    let (runs, failed) = (number(stats.tests.runs), number(stats.tests.failed));
    let untold = number(stats.tests.untold);
    let tests = [("runs", &*runs), ("failed", &*failed), ("untold", &*untold)];
    let (ruled, back) = (number(stats.claims.ruled), number(stats.claims.sent_back));
    let words = number(stats.claims.words_sent_back);
    let claims = [("ruled", &*ruled), ("back", &*back), ("words", &*words)];
    let mut facts = vec![
        ("jobs", jobs),
        ("runs", number(stats.runs)),
        ("cost", cost(&stats.total)),
        ("grown", tell(Notice::StatsGrown, &[("n", &number(stats.grown))])),
        ("tests", tell(Notice::StatsTests, &tests)),
        ("claims", tell(Notice::StatsClaims, &claims)),
        ("quoted", tell(Notice::StatsQuoted, &[("n", &number(stats.total.quoted))])),
    ];
    facts.extend(stats.tokens.as_ref().map(|shown| ("tokens", tokens(shown))));
    if let Some(since) = &stats.since {
        facts.insert(0, ("since", since.clone()));
    }
    if stats.elsewhere > 0 {
        let told = tell(Notice::StatsElsewhere, &[("n", &number(stats.elsewhere))]);
        facts.push(("elsewhere", told));
    }
    if stats.not_recorded > 0 {
        let told = tell(Notice::StatsUnrecorded, &[("n", &number(stats.not_recorded))]);
        facts.push(("missing", told));
    }
    facts
}

/// Tokens in one line.
pub(in crate::cli) fn tokens(shown: &TokensShown) -> String {
    let number = |n: u64| n.to_string();
    let told = tell(
        Notice::Tokens,
        &[
            ("input", &number(shown.input)),
            ("cached", &number(shown.cached)),
            ("output", &number(shown.output)),
            ("injected", &number(shown.injected)),
        ],
    );
    match shown.share {
        Some(share) => {
            let share = format!("{:.1}", share * 100.0);
            tell(Notice::TokensShare, &[("tokens", &told), ("share", &share)])
        }
        None => told,
    }
}

fn phases(page: &mut Escaped, stats: &Stats) {
    let most = stats.phases.iter().map(|sum| sum.cost.seconds).max().unwrap_or_default();
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"By phase\"><table>");
    page.raw("<caption>By phase</caption><thead><tr><th>phase</th><th class=\"n\">stays</th>");
    page.raw("<th class=\"n\">time</th><td></td><th class=\"n\">calls</th>");
    page.raw("<th class=\"n\">words</th><th class=\"n\">refusals</th></tr></thead><tbody>");
    for sum in &stats.phases {
        page.element("<tr><td>", &sum.phase, "</td><td class=\"n\">");
        page.number(sum.stays).element(
            "</td><td class=\"n\">",
            &lasted(sum.cost.seconds),
            "</td><td>",
        );
        bar(page, sum.cost.seconds, most);
        page.raw("</td><td class=\"n\">").number(sum.cost.calls);
        page.raw("</td><td class=\"n\">").number(sum.cost.words);
        page.raw("</td><td class=\"n\">").number(sum.cost.refusals).raw("</td></tr>");
    }
    page.raw("</tbody></table></div>");
}

fn rules(page: &mut Escaped, stats: &Stats) {
    if stats.refusals.is_empty() {
        return;
    }
    let most = stats.refusals.iter().map(|sum| sum.held_up).max().unwrap_or_default();
    page.raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"By rule\"><table>");
    page.raw("<caption>").text(&tell(Notice::StatsRules, &[])).raw("</caption><thead><tr>");
    page.raw("<th>rule</th><th class=\"n\">refusals</th><th class=\"n\">passed next</th>");
    page.raw("<th class=\"n\">another way</th><th class=\"n\">open</th><th class=\"n\">held up");
    page.raw("</th><td></td></tr></thead><tbody>");
    for sum in &stats.refusals {
        page.element("<tr><td>", &sum.by, "</td><td class=\"n\">");
        page.number(sum.refusals).raw("</td><td class=\"n\">").number(sum.passed);
        page.raw("</td><td class=\"n\">").number(sum.other_way).raw("</td><td class=\"n\">");
        page.number(sum.open).raw("</td><td class=\"n\">").text(&lasted(sum.held_up));
        page.raw("</td><td>");
        bar(page, sum.held_up, most);
        page.raw("</td></tr>");
    }
    page.raw("</tbody></table></div>");
}

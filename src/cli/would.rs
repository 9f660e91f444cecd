//! `git seed stats --would`: what would have been refused, and how that work ended.

use super::report::Report;
use super::stats::table;
use crate::engine::repo::text::count;
use crate::engine::story::would::{Ending, Example, Would, WouldRule};
use crate::voice::{Notice, tell};

pub(super) fn print(would: &Would, out: &mut Report) {
    out.pair("mode", would.mode);
    let Some(since) = &would.watched_since else {
        return out.line(tell(Notice::WouldNothingKept, &[]));
    };
    let sessions = count(would.sessions, "session");
    out.pair("watched", format_args!("{sessions} since {}", moment(since)));
    if let Some(at) = &would.dropped_at {
        out.pair("record", tell(Notice::WouldDropped, &[("at", &moment(at))]));
    }
    if would.rules.is_empty() {
        return out.line(tell(Notice::WouldNothing, &[]));
    }
    let head = ["rule", "refused", "asked", "sent back", "sessions", "ran", "committed"];
    let row = |rule: &WouldRule| {
        let counts = [rule.refused, rule.asked, rule.sent_back, rule.sessions, rule.ran];
        let [refused, asked, back, sessions, ran] = counts.map(|count| count.to_string());
        [named(rule), refused, asked, back, sessions, ran, rule.committed.to_string()]
    };
    table(head, would.rules.iter().map(row).collect(), out);
    for rule in &would.rules {
        out.line("");
        out.line(named(rule));
        for example in &rule.examples {
            shown(example, out);
        }
    }
    if would.rules.iter().any(|rule| rule.mode == "full") {
        out.line("");
        out.line(tell(Notice::WouldPhases, &[]));
    }
}

/// A rule that only phases have is marked.
fn named(rule: &WouldRule) -> String {
    let mark = if rule.mode == "full" { " *" } else { "" };
    format!("{}{mark}", rule.rule)
}

fn shown(example: &Example, out: &mut Report) {
    let Example { at, tool, what, why, ended, .. } = example;
    let shown = [tool, what].into_iter().filter(|part| !part.is_empty());
    let shown = shown.map(String::as_str).collect::<Vec<_>>().join("  ");
    out.line(format_args!("  {}  {shown}", moment(at)));
    out.line(format_args!("      {why}"));
    let ended = told(ended);
    if !ended.is_empty() {
        out.line(format_args!("      {}", ended.join(" \u{b7} ")));
    }
}

/// What is recorded of how it ended.
fn told(ended: &Ending) -> Vec<String> {
    let ran = ended.ran.map(|well| if well { "it ran" } else { "it failed" }.to_owned());
    let commit = ended.commit.as_ref().map(|commit| format!("in commit {}", &commit[..7]));
    let tree = ended.tree.map(|tree| match tree {
        "undone" => "undone since".to_owned(),
        _ => "not committed yet".to_owned(),
    });
    let tests = ended.tests.map(|ended| format!("tests after it: {ended}"));
    let next = ended.next.map(|next| match next {
        "prompt" => "then your next prompt".to_owned(),
        _ => "then the session ended".to_owned(),
    });
    [ran, commit, tree, tests, next].into_iter().flatten().collect()
}

/// Day and minute of a time.
fn moment(at: &str) -> String {
    at.chars().take(16).map(|letter| if letter == 'T' { ' ' } else { letter }).collect()
}

//! `git seed stats`

use super::report::Report;
use super::story::{keep_from_agents, sums};
use super::width::{padded, width};
use super::{Context, Outcome, since, would};
use crate::engine::story::stats::{PhaseSum, RuleSum};
use crate::engine::{story, tokens};

/// Count jobs, phases, refusals, tests and claims in this clone
///
/// The sums are over the jobs that this clone worked on, open and closed. Nothing is sent anywhere,
/// and nobody is rated. Tokens are those of jobs whose host tells them, by the day, and what git
/// seed put in is an estimate. A refusal counts as passed when a later try of the same was let
/// through. In an agent's session the command is refused: the sums are for people.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// Count from this day on, as 2026-11-21 (UTC), from a moment as 2026-11-21T20:56:12Z, or from
    /// a time as git reads it: `2 days ago`
    #[arg(long, value_name = "date")]
    since: Option<String>,
    /// List by rule what would have been refused where git seed only watches, and how it ended
    ///
    /// Counted is what modes watch and fence wrote down in this clone (git seed init --mode).
    #[arg(long)]
    would: bool,
}

pub(super) fn run(args: &StatsArgs, context: &Context, out: &mut Report) -> super::Result<Outcome> {
    let repo = context.repo()?;
    let since = args.since.as_deref().map(|said| since::moment(&repo, said, true)).transpose()?;
    if let Some(refused) = keep_from_agents(&repo, "stats", "git seed stats", out) {
        return Ok(refused);
    }
    repo.require_seeded()?;
    if args.would {
        let would = story::would::would(&repo, since)?;
        out.json(&would);
        would::print(&would, out);
        return Ok(Outcome::Yes);
    }
    tokens::catch_up(&repo)?;
    let stats = story::stats::stats(&repo, since)?;
    out.json(&stats);
    for (key, value) in sums::facts(&stats) {
        out.pair(key, value);
    }
    phases(&stats.phases, out);
    rules(&stats.refusals, out);
    Ok(Outcome::Yes)
}

fn phases(sums: &[PhaseSum], out: &mut Report) {
    if sums.is_empty() {
        return;
    }
    let head = ["phase", "stays", "time", "calls", "words", "refusals"];
    let rows = sums.iter().map(|sum| {
        let cost = &sum.cost;
        [
            sum.phase.clone(),
            sum.stays.to_string(),
            sums::lasted(cost.seconds),
            cost.calls.to_string(),
            cost.words.to_string(),
            cost.refusals.to_string(),
        ]
    });
    table(head, rows.collect(), out);
}

fn rules(sums: &[RuleSum], out: &mut Report) {
    if sums.is_empty() {
        return;
    }
    let head = ["rule", "refusals", "passed", "other", "open", "held up"];
    let rows = sums.iter().map(|sum| {
        [
            sum.by.clone(),
            sum.refusals.to_string(),
            sum.passed.to_string(),
            sum.other_way.to_string(),
            sum.open.to_string(),
            sums::lasted(sum.held_up),
        ]
    });
    table(head, rows.collect(), out);
}

/// A table below an empty line: the first column to the left, the others to the right.
pub(super) fn table<const N: usize>(head: [&str; N], rows: Vec<[String; N]>, out: &mut Report) {
    let mut all = vec![head.map(str::to_owned)];
    all.extend(rows);
    let wide: Vec<usize> =
        (0..N).map(|n| all.iter().map(|row| width(&row[n])).max().unwrap_or_default()).collect();
    // A narrow terminal keeps the columns, with less between them.
    let gap = if out.fits(wide.iter().sum::<usize>() + 2 * (N - 1)) { "  " } else { " " };
    out.line("");
    for row in &all {
        let cells = row.iter().zip(&wide).enumerate().map(|(n, (cell, wide))| match n {
            0 => padded(cell, *wide),
            _ => format!("{}{cell}", " ".repeat(wide.saturating_sub(width(cell)))),
        });
        out.line(cells.collect::<Vec<_>>().join(gap));
    }
}

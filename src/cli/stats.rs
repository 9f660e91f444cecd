//! `git seed stats`

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

use super::report::Report;
use super::story::{keep_from_agents, sums};
use super::width::{padded, width};
use super::{Context, Outcome, would};
use crate::engine::repo::{EngineError, Repo};
use crate::engine::story::stats::{PhaseSum, RuleSum};
use crate::engine::{story, tokens};
use crate::event::UnixSeconds;

/// Count jobs, phases, refusals, tests and claims in this clone
///
/// The sums are over the jobs that this clone worked on, open and closed. Nothing is sent anywhere,
/// and nobody is rated. Tokens are those of jobs whose host tells them, by the day, and what git
/// seed put in is an estimate. A refusal counts as passed when a later try of the same was let
/// through. In an agent's session the command is refused: the sums are for people.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// Count from this day on, as 2026-11-21 (UTC), or from a moment as 2026-11-21T20:56:12Z
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
    let since = args.since.as_deref().map(|said| moment(&repo, said)).transpose()?;
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

/// A day, from its beginning, or a moment; else what git makes of it.
fn moment(repo: &Repo, said: &str) -> Result<UnixSeconds, EngineError> {
    match exact(said) {
        Some(at) => Ok(at),
        None => Ok(repo.store.moment_said(said)?),
    }
}

fn exact(text: &str) -> Option<UnixSeconds> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    let day =
        day.map(|day| OffsetDateTime::new_in_offset(day, time::Time::MIDNIGHT, UtcOffset::UTC));
    let moment = day.or_else(|_| OffsetDateTime::parse(text, &Rfc3339));
    moment.ok().map(OffsetDateTime::unix_timestamp)
}

#[cfg(test)]
mod tests {
    use super::exact;

    #[test]
    fn a_day_begins_at_midnight_and_a_moment_is_one() {
        assert_eq!(exact("1970-01-02"), Some(86_400));
        assert_eq!(exact("1970-01-02T00:00:07Z"), Some(86_407));
        assert_eq!(exact("1970-01-02T01:00:00+01:00"), Some(86_400));
        for text in ["yesterday", "2026-13-01", "", "1970-01-02 "] {
            assert_eq!(exact(text), None, "{text}");
        }
    }
}

//! `git seed log`

use super::{
    Context, Outcome,
    report::{self, Report, Tint},
    since,
    width::padded,
};
use crate::engine::record;
use crate::engine::record::history::LogRow;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, LoadedJob, Repo};
use crate::engine::report::back;
use crate::engine::sync::why_fell;
use crate::phases::Map;

/// Show the steps of a job, newest first
///
/// `--graph` draws the steps from phase to phase, with what was set and noted in a phase in the
/// line of the step that ended it; `--all` gives each of those its own line. `--oneline`,
/// `--since` and `-p` are like those of `git log`.
#[derive(Debug, clap::Args)]
pub(super) struct LogArgs {
    /// Draw steps back as branches, and fold multipliers and notes into the step that ended their
    /// phase
    #[arg(long)]
    graph: bool,
    /// With --graph, show multipliers and notes as steps of their own
    #[arg(long, requires = "graph")]
    all: bool,
    /// Show each step as its commit and subject
    #[arg(long)]
    oneline: bool,
    /// Show steps that are newer than a time, as git reads it: `2 days ago`, `2026-11-21`
    #[arg(long, value_name = "time")]
    since: Option<String>,
    /// Show what the commit of each step changed, as git prints it
    #[arg(short = 'p', long)]
    patch: bool,
    /// Show at most this many steps
    #[arg(short = 'n', value_name = "number", default_value_t = 200)]
    number: usize,
    /// Id of the job; when omitted, the focused job, or the newest one
    job: Option<String>,
}

/// A step as a line shows it.
struct Shown<'r> {
    row: &'r LogRow,
    /// What was folded into it, oldest first.
    folded: Vec<&'r LogRow>,
    /// What its commit changed, where that was asked for.
    patch: Option<&'r str>,
}

/// A row of `log -p --json`.
#[derive(serde::Serialize)]
struct WithPatch<'r> {
    #[serde(flatten)]
    row: &'r LogRow,
    patch: &'r Option<String>,
}

pub(super) fn run(
    args: &LogArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let since = args.since.as_deref().map(|said| since::moment(&repo, said, false)).transpose()?;
    let job = which(&repo, args.job.as_deref())?;
    let mut rows = record::history::log(&repo, &job, args.number)?;
    rows.retain(|row| since.is_none_or(|since| report::seconds(&row.at) >= since));
    name(&repo, &job, &mut rows)?;
    let mut patches = vec![None; rows.len()];
    if args.patch {
        for (row, patch) in rows.iter().zip(&mut patches) {
            let commit = row.commit.as_deref();
            *patch = commit.map(|commit| repo.store.patch_of(commit)).transpose()?.flatten();
        }
        let rows = rows.iter().zip(&patches).map(|(row, patch)| WithPatch { row, patch });
        out.json(&rows.collect::<Vec<_>>());
    } else {
        out.json(&rows);
    }
    let map = repo.map(&job.state.stand);
    for shown in folded(&rows, &patches, args.graph && !args.all) {
        let row = shown.row;
        let (mark, below) = if args.graph { (mark(map, row), "|  ") } else { ("", "") };
        let below = if mark == BIRTH { "   " } else { below };
        let text = if args.oneline { short(row, out) } else { line(row, out) };
        out.drawn(mark, below, &format!("{text}{}", told_of_folded(&shown.folded)));
        if let Some(patch) = shown.patch {
            out.line("");
            out.diff(patch);
            out.line("");
        }
    }
    Ok(Outcome::Yes)
}

/// A step with its cycle and time.
fn line(row: &LogRow, out: &Report) -> String {
    let at = out.tint(Tint::Dim, report::clock(report::seconds(&row.at)));
    let step = padded(&of_step(row, out), 20);
    let commit = out.tint(Tint::Dim, format_args!("{:<7}", abbreviated(row)));
    format!("{step} cycle {}  {commit}  {at}  {}{}", row.cycle, row.subject, fell(row, out))
}

/// A step as `git log --oneline` shows a commit.
fn short(row: &LogRow, out: &Report) -> String {
    let commit = out.tint(Tint::Dim, format_args!("{:<7}", abbreviated(row)));
    format!("{commit} {}: {}{}", of_step(row, out), row.subject, fell(row, out))
}

fn abbreviated(row: &LogRow) -> String {
    row.commit.as_deref().map_or(String::new(), |commit| commit.chars().take(7).collect())
}

/// What a step is: a change of phase stands out.
fn of_step(row: &LogRow, out: &Report) -> String {
    if row.step.contains(" -> ") { out.tint(Tint::Bold, &row.step) } else { row.step.clone() }
}

fn fell(row: &LogRow, out: &Report) -> String {
    row.rejected.as_deref().map_or(String::new(), |why| {
        let said = why_fell(why);
        format!(" ({})", out.tint(Tint::Bad, format_args!("rejected: {said}")))
    })
}

/// Steps that say something about the stay in a phase, and belong to what ended it.
const FOLDS: [&str; 2] = ["multiplier", "note"];

/// The steps, newest first; where `folds`, what belongs to a later step from phase to phase has
/// no line of its own.
fn folded<'r>(rows: &'r [LogRow], patches: &'r [Option<String>], folds: bool) -> Vec<Shown<'r>> {
    let mut all: Vec<Shown<'r>> = Vec::new();
    let mut into = None;
    for (row, patch) in rows.iter().zip(patches) {
        let belongs = folds && row.rejected.is_none() && FOLDS.contains(&&*row.step);
        if let Some(step) = into.and_then(|n: usize| all.get_mut(n)).filter(|_| belongs) {
            step.folded.insert(0, row);
            continue;
        }
        if row.step.contains(" -> ") {
            into = Some(all.len());
        }
        all.push(Shown { row, folded: Vec::new(), patch: patch.as_deref() });
    }
    all
}

/// The last multiplier of a stay, and how many notes it has.
fn told_of_folded(folded: &[&LogRow]) -> String {
    let [multiplier, note] = FOLDS;
    let last = folded.iter().rfind(|row| row.step == multiplier);
    let notes = folded.iter().filter(|row| row.step == note).count();
    let notes = (notes > 0).then(|| count(notes, "note"));
    let parts = last.map(|row| row.subject.clone()).into_iter().chain(notes);
    parts.map(|part| format!(" \u{b7} {part}")).collect()
}

/// No chain holds the head of a prompt: it is read where the prompt is.
fn name(repo: &Repo, job: &LoadedJob, rows: &mut [LogRow]) -> Result<(), EngineError> {
    let stands_in = job.state.job.id.stand_in();
    if rows.iter().all(|row| row.subject != stands_in) {
        return Ok(());
    }
    let Some(name) = repo.named_by_prompt(job.texts())? else { return Ok(()) };
    for row in rows.iter_mut().filter(|row| row.subject == stands_in) {
        row.subject.clone_from(&name);
    }
    Ok(())
}

/// The sign of a birth, below which nothing is.
const BIRTH: &str = "o  ";

/// A step back branches off; a birth begins the line.
fn mark(map: &Map, row: &LogRow) -> &'static str {
    let Some((from, to)) = row.step.split_once(" -> ") else {
        return if row.step == "birth" { BIRTH } else { "|  " };
    };
    let back = map.phase(&from.into()).is_some_and(|phase| phase.back.contains(&to.into()));
    if back { "|\\ " } else { "*  " }
}

/// The job that a person means: by id, the focused one, or the newest that was worked on.
pub(super) fn which(repo: &Repo, job: Option<&str>) -> Result<LoadedJob, EngineError> {
    repo.require_seeded()?;
    if let Some(id) = job {
        return repo.job(
            &id.parse()
                .map_err(|bad: crate::jobs::BadJobId| EngineError::Usage(bad.to_string()))?,
        );
    }
    back::meant(repo)?.ok_or(EngineError::NoJob)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: &str, subject: &str) -> LogRow {
        LogRow {
            id: String::new(),
            job: String::new(),
            run: 1,
            cycle: 1,
            phase: String::new(),
            step: step.to_owned(),
            commit: None,
            at: "2026-11-21T20:56:12Z".to_owned(),
            subject: subject.to_owned(),
            rejected: None,
        }
    }

    #[test]
    fn what_belongs_to_a_stay_stands_in_the_line_of_the_step_that_ended_it() {
        let rows = [
            row("note", "of the stay that lasts"),
            row("plan -> execute", "b"),
            row("note", "2"),
            row("decision", "c"),
            row("multiplier", "this phase uses 3"),
            row("multiplier", "this phase uses 8"),
            row("note", "1"),
            row("observe -> plan", "a"),
            row("birth", "o"),
        ];
        let patches = vec![None; rows.len()];
        let told = |folds| {
            let all = folded(&rows, &patches, folds);
            let line =
                |one: &Shown<'_>| format!("{}{}", one.row.subject, told_of_folded(&one.folded));
            all.iter().map(line).collect::<Vec<_>>()
        };
        let each: Vec<&str> = rows.iter().map(|row| &*row.subject).collect();
        assert_eq!(told(false), each);
        let stays = "b \u{b7} this phase uses 3 \u{b7} 2 notes";
        assert_eq!(told(true), ["of the stay that lasts", stays, "c", "a", "o"]);
    }
}

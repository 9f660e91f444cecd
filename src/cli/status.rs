//! `git seed status`

use super::{Context, Outcome, report::Report};
use crate::engine::report;
use crate::engine::report::Status;
use crate::voice::{self, Notice};

/// Show the state of the job: its phase, what it may do, what is missing, and its cost
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {}

pub(super) fn run(
    _: &StatusArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    let status = report::status(&repo)?;
    out.json(&status);
    print(&status, out);
    Ok(Outcome::Yes)
}

fn print(status: &Status, out: &mut Report) {
    how_much(status, out);
    match &status.job {
        Some(job) => out.pair("job", format_args!("{:<28} {}   run {}", job.name, job.id, job.run)),
        None => out.pair("job", "none"),
    }
    let state = match &status.job {
        Some(job) if job.status != "active" => format!("   {}", job.status),
        _ => String::new(),
    };
    let of = status.cycles.map_or_else(String::new, |cycles| format!(" of {cycles}"));
    out.pair("phase", format_args!("{:<28} cycle {}{of}{state}", status.phase, status.cycle));
    if let Some(lane) = &status.lane {
        out.pair("lane", lane);
    }
    for job in &status.awaiting {
        out.pair("awaits", format_args!("{:<28} git seed job approve {}", job.name, job.id));
    }
    for job in &status.queued {
        out.pair("made", format_args!("{:<28} git seed job activate {}", job.name, job.id));
    }
    out.pair("may", status.allowed.join(" · "));
    each("missing", &status.missing, out);
    if let Some(vetoed) = &status.vetoed {
        out.pair("hook", vetoed);
    }
    each("policy", &status.policy, out);
    let fence = &status.fence;
    if fence.strays.is_empty() && fence.unclaimed.is_empty() {
        out.pair("fence", "clean");
    }
    named(&fence.strays, Notice::StatusStray, out);
    named(&fence.unclaimed, Notice::StatusUnclaimed, out);
    let cost = &status.cost;
    for line in &status.card {
        let (label, told) = line.split_once(' ').unwrap_or(("", line));
        out.pair(label, told.trim_start());
    }
    let counted = [
        (cost.calls, "call"),
        (cost.words, "word"),
        (cost.quoted, "quoted word"),
        (cost.refusals, "refusal"),
        (cost.commits, "commit"),
    ];
    let counted: Vec<String> = counted
        .into_iter()
        .filter(|(n, what)| *n > 0 || *what != "quoted word")
        .map(|(n, what)| crate::engine::repo::text::count(n as usize, what))
        .collect();
    out.pair("cost", counted.join(" · "));
    out.pair("next", &status.next);
    out.pair("say", status.words.join(" · "));
    let off = voice::tell(Notice::StatusStepIn, &[]);
    let switch = if status.enabled { off.as_str() } else { "git seed on" };
    out.pair("look", voice::tell(Notice::StatusLook, &[("switch", switch)]));
}

/// Whether it is off, and the mode where that is not the one that does all.
fn how_much(status: &Status, out: &mut Report) {
    if !status.enabled {
        out.pair("switch", voice::tell(Notice::StatusOff, &[]));
    }
    match status.mode {
        "watch" => out.pair("mode", voice::tell(Notice::StatusModeWatch, &[])),
        "fence" => out.pair("mode", voice::tell(Notice::StatusModeFence, &[])),
        _ => {}
    }
}

fn each(label: &str, lines: &[String], out: &mut Report) {
    for line in lines {
        out.pair(label, line);
    }
}

/// The first paths of a list, and how many more there are.
fn named(paths: &[String], what: Notice, out: &mut Report) {
    const NAMED: usize = 5;
    for path in paths.iter().take(NAMED) {
        out.pair("fence", voice::tell(what, &[("path", path)]));
    }
    if let Some(more) = paths.len().checked_sub(NAMED).filter(|more| *more > 0) {
        out.pair("fence", voice::tell(Notice::StatusMore, &[("more", &more.to_string())]));
    }
}

//! `git seed status`

use super::report::{Report, Tint};
use super::story::sums;
use super::width::padded;
use super::{Context, Outcome};
use crate::engine::git_hooks::has_agent_above;
use crate::engine::report::Status;
use crate::engine::setup::git_hooks::agent_is_above;
use crate::engine::story::tokens::TokensShown;
use crate::engine::{jobs, report, setup, story, sync, tokens};
use crate::format::shown;
use crate::voice::{self, Notice};

/// So many jobs of other clones are named.
const ELSEWHERE: usize = 3;

/// Show the state of the job: its phase, what it may do, what is missing, and its cost
///
/// The cost is of the cycle. Tokens are of the whole job, where the host's transcript tells them;
/// how many of them git seed put in is an estimate from its words.
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
    // An agent asks in the middle of its turn; what it read and wrote is counted when that ends.
    if !agent_is_above() && !repo.store.is_closed() {
        tokens::catch_up(&repo)?;
    }
    let tokens = story::tokens::of_focused(&repo)?;
    let untold = match tokens {
        Some(_) => None,
        None => story::tokens::untold_by(&repo)?,
    };
    let untold = untold.map(|host| voice::tell(Notice::TokensUntold, &[("host", host)]));
    let told = Told {
        status: &status,
        tokens,
        tokens_untold: untold,
        unfired: setup::heartbeat::unfired(&repo),
    };
    out.json(&told);
    print(&told, has_agent_above(&repo), out);
    if let Some(gone) = sync::join::leave::told(&repo)? {
        out.aside(&gone);
    }
    if let Some(gone) = jobs::tracks::gone_of_focused(&repo)? {
        out.pair("track", gone);
    }
    Ok(Outcome::Yes)
}

/// `status --json`.
#[derive(Debug, serde::Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    status: &'a Status,
    /// What the model read and wrote for the job; absent where nothing is told.
    tokens: Option<TokensShown>,
    /// Which host tells none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_untold: Option<String>,
    /// Hosts that are put in here and have never run a hook, with what a person has to do.
    unfired: Vec<String>,
}

fn print(told: &Told<'_>, by_agent: bool, out: &mut Report) {
    let status = told.status;
    how_much(status, out);
    match &status.job {
        Some(job) => {
            out.pair("job", format_args!("{} {}   run {}", beside(&job.name), job.id, job.run));
        }
        None => out.pair("job", "none"),
    }
    let state = match &status.job {
        Some(job) if job.status != "active" => format!("   {}", job.status),
        _ => String::new(),
    };
    let of = status.cycles.map_or_else(String::new, |cycles| format!(" of {cycles}"));
    let phase = beside(&out.tint(Tint::Bold, &status.phase));
    out.pair("phase", format_args!("{phase} cycle {}{of}{state}", status.cycle));
    if let Some(guest) = &status.guest {
        out.pair("guest", guest);
    }
    if let Some(lane) = &status.lane {
        out.pair("lane", lane);
    }
    for job in &status.awaiting {
        out.pair("awaits", format_args!("{} git seed job approve {}", beside(&job.name), job.id));
    }
    for job in &status.queued {
        out.pair("made", format_args!("{} git seed job activate {}", beside(&job.name), job.id));
    }
    others(status, out);
    out.pair("may", status.allowed.join(" · "));
    each("missing", &status.missing, out);
    if let Some(vetoed) = &status.vetoed {
        out.pair("hook", vetoed);
    }
    each("policy", &status.policy, out);
    each("host", &told.unfired, out);
    let fence = &status.fence;
    if fence.strays.is_empty() && fence.unclaimed.is_empty() {
        let clean = out.tint(Tint::Good, "clean");
        out.pair("fence", clean);
    }
    named(&fence.strays, Notice::StatusStray, out);
    named(&fence.unclaimed, Notice::StatusUnclaimedNow, out);
    let cost = &status.cost;
    for line in &status.card {
        let (label, told) = line.split_once(' ').unwrap_or(("", line));
        out.pair(label, told.trim_start());
    }
    out.pair("cost", cost.told());
    if let Some(shown) = &told.tokens {
        out.pair("tokens", sums::tokens(shown));
    }
    let next = if by_agent { status.next.to_agent() } else { status.next.to_person() };
    let next = out.tint(Tint::Bold, next);
    out.pair("next", next);
    out.pair("say", status.words.join(" · "));
    let off = voice::tell(Notice::StatusStepIn, &[]);
    let switch = if status.enabled { off.as_str() } else { "git seed on" };
    out.pair("look", voice::tell(Notice::StatusLook, &[("switch", switch)]));
}

/// Jobs of other clones, where none is in focus here.
fn others(status: &Status, out: &mut Report) {
    for job in status.elsewhere.iter().take(ELSEWHERE) {
        let facts = [("job", beside(&job.head.name)), ("id", job.head.id.clone())];
        let facts = facts.each_ref().map(|(key, value)| (*key, value.as_str()));
        let how = if job.continued { Notice::StatusContinued } else { Notice::StatusElsewhere };
        out.pair("other", voice::tell(how, &facts));
        if !job.left.is_empty() {
            let paths = shown::all_on_one_line(&job.left, ", ");
            out.pair("", voice::tell(Notice::StatusContinuedLeft, &[("paths", &paths)]));
        }
    }
    if let Some(more) = status.elsewhere.len().checked_sub(ELSEWHERE).filter(|more| *more > 0) {
        out.pair("", voice::tell(Notice::StatusElsewhereMore, &[("count", &more.to_string())]));
    }
}

/// A name with the space that a second column stands behind.
fn beside(name: &str) -> String {
    padded(name, 28)
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
        let told = out.tint(Tint::Bad, voice::tell(what, &[("path", path)]));
        out.pair("fence", told);
    }
    if let Some(more) = paths.len().checked_sub(NAMED).filter(|more| *more > 0) {
        out.pair("fence", voice::tell(Notice::StatusMore, &[("more", &more.to_string())]));
    }
}

//! `git seed job …`

use crate::engine::{briefing, jobs, memory, person, report};
use clap::Subcommand;

use super::report::{Report, Tint};
use super::width::{self, padded};
use super::{Context, Outcome, TextArgs, refuse};
use crate::engine::jobs::dependencies::listed;
use crate::engine::jobs::list::JobRow;
use crate::engine::jobs::next_run::Due;
use crate::engine::record::draft::By;
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, LoadedJob, Repo};
use crate::engine::report::JobShown;
use crate::jobs::{BadJobId, JobId, Status};
use crate::verdict::Refusal;
use crate::voice::{self, Notice};
use crate::world::Typist;

#[derive(Debug, Subcommand)]
pub(super) enum JobCommand {
    /// List the open jobs, and the newest closed ones
    List {
        /// List all closed jobs too
        #[arg(long)]
        all: bool,
        /// Draw which job waits for which
        #[arg(long, conflicts_with = "all")]
        graph: bool,
    },
    /// Show one job, with everything that was said to it
    Show {
        /// Id of the job; when omitted, the focused job, or the newest one
        id: Option<String>,
    },
    /// Print the id of the focused job
    Focused,
    /// Create a pending job (agents: in condense)
    Create {
        /// Name of the job
        name: String,
        /// Its objective
        #[command(flatten)]
        objective: TextArgs,
        /// Make the job from this note (its number in `git seed note list`) and resolve the note
        #[arg(long, value_name = "n")]
        note: Option<usize>,
    },
    /// Create a job that the focused job waits for (in condense)
    CreateDependent {
        /// Name of the job
        name: String,
        /// Its objective
        #[command(flatten)]
        objective: TextArgs,
        /// Make the job from this note (its number in `git seed note list`) and resolve the note
        #[arg(long, value_name = "n")]
        note: Option<usize>,
    },
    /// Make an open job wait for another job (agents: in condense)
    AddDependency {
        /// Id of the job that is to wait: the focused one, or any other open job
        job: String,
        /// Id of the job to wait for
        dependency: String,
    },
    /// Let the focused job wait no longer for another job (in verify)
    RemoveDependency {
        /// Id of the job that it waits for
        dependency: String,
    },
    /// Let the focused job wait no longer for another job, and void that job (in verify)
    VoidDependency {
        /// Id of the job that it waits for
        dependency: String,
    },
    /// Change the name or the objective of the focused job, or both
    Update {
        /// The new name
        #[arg(long, value_name = "words")]
        name: Option<String>,
        /// The new objective; without a value, the text of -m or -F
        #[arg(long, value_name = "text", num_args = 0..=1, default_missing_value = "")]
        objective: Option<String>,
        #[command(flatten)]
        text: TextArgs,
        /// Titles that the objective and the completion question must have, separated by
        /// commas (in the first cycle)
        #[arg(long, value_name = "titles")]
        shape: Option<String>,
    },
    /// Make a pending job active and focus it in this worktree
    Activate {
        /// Id of the job
        id: String,
    },
    /// Focus another active job in this worktree
    Focus {
        /// Id of the job
        id: String,
    },
    /// Pause the focused job; it keeps its phase and multiplier
    Pause,
    /// Complete the focused job; the same as `job approve` without an id°
    Complete,
    /// Approve the completion of the focused job in condense, or of a job that awaits you°
    Approve {
        /// Id of a job that awaits you; the focused job when omitted
        id: Option<String>,
    },
    /// End a job without finishing it; its changes stay°
    ///
    /// The job is listed as voided, and jobs that waited for it wait no longer. `git seed job
    /// reactivate` brings it back.
    Drop {
        /// Id of the job; the focused job when omitted
        id: Option<String>,
        /// Drop every pending job that waits in this worktree
        #[arg(long, conflicts_with = "id")]
        pending: bool,
        #[command(flatten)]
        why: TextArgs,
    },
    /// Let the focused job ask for protected surfaces°
    ApprovePlugin,
    /// Open the next run of a closed job, or bring back a dropped job°
    Reactivate {
        /// Id of the job
        id: String,
        /// Make the job active and focus it in this worktree, if nothing prevents it
        #[arg(long)]
        active: bool,
    },
    /// Repeat the focused job a number of hours after it is done; 0 stops this°
    Repeat {
        /// Hours between the end of a run and the start of the next one
        #[arg(value_name = "hours")]
        hours: u32,
        /// Start the next run as active, if nothing prevents it, instead of pending
        #[arg(long)]
        active: bool,
    },
    /// Open the next run of every repeating job that is due (can be run from cron)
    ScanDue,
    /// Move the focused job to the branch of this worktree, or a job from wherever it lives°
    Move {
        /// Id of a job of another clone or worktree, which lives here from now on
        id: Option<String>,
    },
    /// Take words away that were said to a job°
    ///
    /// Prompts, answers, summaries and journal lines of the job go: out of this clone at once, out
    /// of the others and of remotes with the next sync of each. What the steps were and when stays.
    /// Places that git seed does not change are named: commits of the branch, packs that git made,
    /// transcripts of the host.
    Redact(super::redact::RedactArgs),
}

pub(super) fn run(
    command: &JobCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    match command {
        JobCommand::Redact(args) => super::redact::run(args, &repo, out),
        JobCommand::List { all, graph } => list(&repo, *all, *graph, out),
        JobCommand::Show { id } => {
            let job = super::log::which(&repo, id.as_deref())?;
            print(&report::show_job(&repo, &job)?, out);
            Ok(Outcome::Yes)
        }
        JobCommand::Focused => focused(&repo, out),
        JobCommand::Create { name, objective, note } => {
            create(&repo, name, objective.given()?.as_deref(), false, *note, out)
        }
        JobCommand::CreateDependent { name, objective, note } => {
            create(&repo, name, objective.given()?.as_deref(), true, *note, out)
        }
        JobCommand::AddDependency { job, dependency } => {
            let done = jobs::dependencies::add_dependency(&repo, &id(job)?, &id(dependency)?)?;
            tell(&repo, done, out, |job| {
                format!("{} now waits for {dependency}.", job.state.job.name)
            })
        }
        JobCommand::RemoveDependency { dependency } => unlink(&repo, dependency, false, out),
        JobCommand::VoidDependency { dependency } => unlink(&repo, dependency, true, out),
        JobCommand::Update { name, objective, text, shape } => {
            let objective = objective_of(objective.as_deref(), text)?;
            update(&repo, name.as_deref(), objective.as_deref(), shape.as_deref(), out)
        }
        JobCommand::Activate { id: job } => take_up(&repo, &id(job)?, false, out),
        JobCommand::Move { id: Some(job) } if in_focus(&repo, &id(job)?)? => moved(&repo, out),
        JobCommand::Focus { id: job } | JobCommand::Move { id: Some(job) } => {
            take_up(&repo, &id(job)?, true, out)
        }
        JobCommand::Pause => pause(&repo, out),
        JobCommand::Complete => approve(&repo, None, out),
        JobCommand::Approve { id } => approve(&repo, id.as_deref(), out),
        JobCommand::Drop { id, pending, why } => {
            drop_jobs(&repo, id.as_deref(), *pending, &why.read()?, out)
        }
        JobCommand::ApprovePlugin => approve_surfaces(&repo, out),
        JobCommand::Reactivate { id: job, active } => reactivate(&repo, &id(job)?, *active, out),
        JobCommand::ScanDue => scan_due(&repo, out),
        JobCommand::Repeat { hours, active } => repeat(&repo, *hours, *active, out),
        JobCommand::Move { id: None } => moved(&repo, out),
    }
}

fn in_focus(repo: &Repo, id: &JobId) -> crate::cli::Result<bool> {
    Ok(repo.focused()?.is_some_and(|focused| focused.state.job.id == *id))
}

/// The focused job goes on where HEAD of this worktree is.
fn moved(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = match jobs::lifecycle::move_job(repo)? {
        Ok(job) => job,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    said(&job, out, &format!("Moved {} to this branch.", job.state.job.name));
    Ok(Outcome::Yes)
}

/// The objective as it was given: behind its option, or as the text of -m or -F.
fn objective_of(option: Option<&str>, text: &TextArgs) -> crate::cli::Result<Option<String>> {
    let no = |notice: Notice| Err(EngineError::Usage(voice::tell(notice, &[])).into());
    match (option, text.given()?) {
        (Some(""), None) => no(Notice::ObjectiveWhere),
        (None | Some(""), given) => Ok(given),
        (Some(objective), None) => Ok(Some(objective.to_owned())),
        (Some(_), Some(_)) => no(Notice::ObjectiveTwice),
    }
}

fn update(
    repo: &Repo,
    name: Option<&str>,
    objective: Option<&str>,
    shape: Option<&str>,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let shaped = shape.map(|shape| jobs::plan::shape_job(repo, shape)).transpose()?;
    let job = match shaped {
        Some(Err(refusal)) => return Ok(refuse(repo, &refusal, out)),
        Some(Ok(job)) if name.is_none() && objective.is_none() => job,
        _ => jobs::lifecycle::update_job(repo, name, objective)?,
    };
    said(&job, out, &format!("The job is \"{}\".", job.state.job.name));
    if let Some(short) = objective.and_then(|_| jobs::completion::objective_is_short(repo, &job)) {
        out.line(short);
    }
    Ok(Outcome::Yes)
}

fn pause(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    // Where who types cannot be told, a person's word says so: a pause that counted as the agent's
    // would be undone by it.
    let by = match repo.typist() {
        Ok(Typist::Person) => By::Person,
        Ok(Typist::Untold(_)) => match super::require_person(repo, "job pause", out)? {
            Some(refusal) => return Ok(refuse(repo, &refusal, out)),
            None => By::Person,
        },
        Err(_) => By::Agent,
    };
    let job = jobs::lifecycle::pause_job(repo, by)?;
    let left = jobs::uncommitted::told(repo, &job)?;
    let state = &job.state.job;
    let facts = [("name", &*state.name), ("job", state.id.as_str()), ("left", &*left)];
    said(&job, out, &voice::tell(Notice::JobPaused, &facts));
    Ok(Outcome::Yes)
}

fn drop_jobs(
    repo: &Repo,
    job: Option<&str>,
    pending: bool,
    why: &str,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let why = if why.trim().is_empty() { "a person dropped the job" } else { why.trim() };
    let dropped = if pending {
        jobs::dropping::drop_pending(repo, why)?
    } else {
        let job = job.map(id).transpose()?;
        jobs::dropping::drop_job(repo, job.as_ref(), why)?.map(|one| vec![one])
    };
    let dropped = match dropped {
        Ok(dropped) => dropped,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    out.json(&dropped.iter().map(|one| one.id.to_string()).collect::<Vec<_>>());
    for one in &dropped {
        out.line(one.told());
    }
    if dropped.is_empty() {
        out.line("No pending job here.");
    }
    Ok(Outcome::Yes)
}

fn repeat(repo: &Repo, hours: u32, active: bool, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = jobs::lifecycle::repeat_job(repo, hours, active)?;
    let every = match (hours, active) {
        (0, _) => "is one-shot".to_owned(),
        (hours, true) => format!("repeats every {hours} h, active"),
        (hours, false) => format!("repeats every {hours} h"),
    };
    said(&job, out, &format!("{} {every}.", job.state.job.name));
    Ok(Outcome::Yes)
}

fn id(text: &str) -> Result<JobId, EngineError> {
    text.parse().map_err(|bad: BadJobId| EngineError::Usage(bad.to_string()))
}

fn approve_surfaces(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    person::answers::grant_access(repo, &repo.require_focused()?.chain)?;
    let job = repo.require_focused()?;
    let facts = [("name", job.state.job.name.as_str())];
    said(&job, out, &voice::tell(Notice::MayAskForSurfaces, &facts));
    Ok(Outcome::Yes)
}

/// Takes a job up here. One that waits for a person's approval, or came from another clone,
/// is a person's to take up.
fn take_up(repo: &Repo, id: &JobId, focus: bool, out: &mut Report) -> crate::cli::Result<Outcome> {
    let state = repo.job(id)?.state;
    let (command, done) =
        if focus { ("job focus", "focused") } else { ("job activate", "active and focused") };
    if (state.job.status == Status::Awaiting || repo.is_foreign(&state)?)
        && let Some(refusal) = super::require_person(repo, command, out)?
    {
        return Ok(refuse(repo, &refusal, out));
    }
    let by = if repo.is_person().is_ok() { By::Person } else { By::Agent };
    let resumed = match if focus {
        jobs::lifecycle::focus_job(repo, id, by)?
    } else {
        jobs::resume::resume_job(repo, id, by)?
    } {
        Ok(resumed) => resumed,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    let job = &resumed.focused;
    said(job, out, &format!("{} is {done}.", job.state.job.name));
    for remark in &resumed.remarks {
        out.line(remark);
    }
    out.line(briefing::gather::where_it_stands(repo, job).trim_end());
    Ok(Outcome::Yes)
}

fn reactivate(
    repo: &Repo,
    id: &JobId,
    active: bool,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let begun = match jobs::next_run::reactivate_job(repo, id, active)? {
        Ok(begun) => begun,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    let job = &begun.focused.state.job;
    let run = job.run.to_string();
    let facts = [("name", job.name.as_str()), ("run", &run), ("status", job.status.word())];
    said(&begun.focused, out, &voice::tell(Notice::JobReactivated, &facts));
    if begun.waits.is_some() {
        out.line(voice::tell(Notice::JobInTheWay, &[("job", id.as_str())]));
    } else if !active {
        out.line(voice::tell(Notice::JobTakesUp, &[("job", id.as_str())]));
    }
    Ok(Outcome::Yes)
}

fn scan_due(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let due = jobs::next_run::scan_due(repo)?;
    out.json(&due);
    tell_due(&due, out);
    Ok(Outcome::Yes)
}

/// Repeating jobs that began their next run, one line each.
pub(super) fn tell_due(due: &[Due], out: &mut Report) {
    for job in due {
        let focused = if job.focused { " and focused" } else { "" };
        out.line(format_args!(
            "Started run {} of {} ({}{focused}): {}",
            job.run, job.name, job.status, job.id
        ));
    }
}

fn list(repo: &Repo, all: bool, graph: bool, out: &mut Report) -> crate::cli::Result<Outcome> {
    if graph && !out.is_json() {
        return draw(repo, out);
    }
    let (rows, more) = if all || out.is_json() {
        (jobs::list::job_rows(repo)?, 0)
    } else {
        let listed = jobs::list::jobs_for_people(repo)?;
        (listed.rows, listed.more)
    };
    out.json(&rows);
    if rows.is_empty() {
        out.line(voice::tell(Notice::NoJobYet, &[]));
    }
    let widest = |word: fn(&JobRow) -> &str| rows.iter().map(|row| word(row).len()).max();
    let (statuses, phases) = (widest(|row| row.status), widest(|row| &row.phase));
    for row in &rows {
        let mark = if row.focused { "*" } else { " " };
        let cells = format!(
            "{mark} {}  {}  {}  cycle {}",
            row.id,
            padded(&of_status(row.status, out), statuses.unwrap_or_default()),
            padded(&row.phase, phases.unwrap_or_default()),
            row.cycle,
        );
        out.line(width::row(&cells, &format!("{}{}", row.name, waits(&row.waits_for))));
    }
    if more > 0 {
        out.line(voice::tell(Notice::JobsClosed, &[("jobs", &count(more, "more job"))]));
    }
    for row in rows.iter().filter(|row| row.status == Status::Awaiting.word()) {
        out.line(voice::tell(
            Notice::JobApproveEnds,
            &[("job", row.id.as_str()), ("name", &row.name)],
        ));
    }
    Ok(Outcome::Yes)
}

/// The word of a status: what goes on, what waits for its person, and what is over.
fn of_status(word: &str, out: &Report) -> String {
    match word {
        "active" => out.tint(Tint::Good, word),
        _ if word == Status::Awaiting.word() => out.tint(Tint::Bold, word),
        "completed" | "dropped" | "voided" => out.tint(Tint::Dim, word),
        _ => word.to_owned(),
    }
}

fn waits(ids: &[JobId]) -> String {
    if ids.is_empty() { String::new() } else { format!("   waits for {}", listed(ids)) }
}

/// Open jobs, each above what it waits for.
fn draw(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    /// Deeper ones stand below each other.
    const DEEPEST: usize = 30;
    let (graph, drawn) = jobs::list::drawn_jobs(repo)?;
    if drawn.is_empty() {
        out.line(voice::tell(Notice::NoOpenJob, &[]));
    }
    for line in drawn {
        let indent = "  ".repeat(line.depth.min(DEEPEST));
        let (status, name) = jobs::list::drawn_status(&graph, &line.id);
        if line.again {
            out.line(format_args!("{indent}{}  (above)", line.id));
        } else {
            out.line(format!("{indent}{}  {status}  {name}", line.id).trim_end());
        }
    }
    Ok(Outcome::Yes)
}

fn focused(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let id = repo.focused()?.map(|focused| focused.state.job.id.to_string());
    out.json(&id);
    match &id {
        Some(id) => out.line(id),
        None => out.line("none"),
    }
    Ok(Outcome::Yes)
}

fn create(
    repo: &Repo,
    name: &str,
    objective: Option<&str>,
    dependent: bool,
    note: Option<usize>,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let person = repo.is_person().is_ok();
    let done = jobs::lifecycle::create_job(
        repo,
        name,
        objective.unwrap_or_default(),
        dependent,
        person,
        note,
    )?;
    let job = done.as_ref().ok().map(|job| job.state.job.id.clone());
    let told = tell(repo, done, out, |job| {
        format!("job {} created, pending: {}", job.state.job.id, job.state.job.name)
    })?;
    let (Some(job), Some(n)) = (job, note) else { return Ok(told) };
    match memory::notes::note_resolve(repo, n, &format!("job {job}"))? {
        Ok(marked) => {
            out.line(format_args!("{} is now resolved.", marked.place()));
            Ok(told)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

fn unlink(
    repo: &Repo,
    dependency: &str,
    void: bool,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let done = jobs::dependencies::remove_dependency(repo, &id(dependency)?, void)?;
    tell(repo, done, out, |job| format!("{} no longer waits for {dependency}.", job.state.job.name))
}

fn approve(repo: &Repo, job: Option<&str>, out: &mut Report) -> crate::cli::Result<Outcome> {
    let focused = repo.focused()?;
    let named = job.map(|job| repo.job(&id(job)?)).transpose()?;
    // One that awaits the person is ended as such, even where a killed step left it focused.
    let awaits = |job: &LoadedJob| job.state.job.status == Status::Awaiting;
    let named = named.or_else(|| focused.clone().filter(awaits));
    let here = |job: &LoadedJob| focused.as_ref().is_some_and(|focused| focused.chain == job.chain);
    // Where nothing is focused, the one job that awaits the person is meant.
    let named = match (named, &focused) {
        (None, None) => the_one_that_awaits(repo)?,
        (named, _) => named,
    };
    let other = named.filter(|job| awaits(job) || !here(job));
    if let Some(job) = other.as_ref().or(focused.as_ref())
        && let Some(refusal) = jobs::dependencies::held_up(repo, &job.state)
    {
        return Ok(refuse(repo, &refusal, out));
    }
    // Before it acts: nothing that stands on the page of the approval is left out of it.
    let left = other.as_ref().map(|job| jobs::left::unclaimed(repo, job)).transpose()?;
    for one in left.iter().flatten() {
        out.line(voice::tell(Notice::StatusUnclaimed, &[("path", &one.path)]));
    }
    let heard = match &other {
        Some(job) => jobs::unattended::end_awaiting(repo, job)?,
        None => return approve_focused(repo, out),
    };
    match heard {
        PersonReply::Done(text) => {
            out.json(&serde_json::json!({ "approved": true }));
            out.line(text);
            Ok(Outcome::Yes)
        }
        PersonReply::NotCounted(why) => Err(match other.filter(goes_on) {
            Some(job) => {
                let facts = [("id", job.state.job.id.as_str())];
                EngineError::NotNow { why, next: voice::tell(Notice::NextActivate, &facts) }
            }
            None => not_now(why, Notice::NextStatus),
        }
        .into()),
        PersonReply::Kept => Ok(Outcome::Failed),
    }
}

fn approve_focused(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let focused = repo.require_focused()?;
    match person::answers::approve(repo, &focused.chain)? {
        Ok(approval) => {
            out.json(&serde_json::json!({ "approved": true }));
            out.line(approval.to_person(&focused.state.job.name));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

/// The job is in nobody's focus here and has work left.
fn goes_on(job: &LoadedJob) -> bool {
    matches!(job.state.job.status, Status::Active | Status::Pending)
}

/// A person's word that did not count, with the way on that `next` tells.
fn not_now(why: String, next: Notice) -> EngineError {
    EngineError::NotNow { why, next: voice::tell(next, &[]) }
}

fn the_one_that_awaits(repo: &Repo) -> crate::cli::Result<Option<LoadedJob>> {
    let mut waiting = jobs::unattended::awaiting(repo)?;
    match waiting.len() {
        0 | 1 => Ok(waiting.pop()),
        _ => {
            let why = jobs::unattended::which_one(&waiting);
            Err(not_now(why, Notice::NextApproveOne).into())
        }
    }
}

fn tell(
    repo: &Repo,
    done: Result<LoadedJob, Refusal>,
    out: &mut Report,
    words: impl FnOnce(&LoadedJob) -> String,
) -> crate::cli::Result<Outcome> {
    match done {
        Ok(job) => {
            let words = words(&job);
            said(&job, out, &words);
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

fn said(job: &LoadedJob, out: &mut Report, words: &str) {
    out.json(&serde_json::json!({
        "id": job.state.job.id.to_string(), "name": job.state.job.name,
        "status": job.state.job.status.word(), "phase": job.state.stand.phase.as_str(),
    }));
    out.line(words);
}

pub(super) fn print(job: &JobShown, out: &mut Report) {
    out.json(job);
    print_head(job, out);
    for interaction in &job.interactions {
        out.line("");
        out.line(format_args!("{} {} · {}", interaction.kind, interaction.n, interaction.at));
        out.line(super::show::words_of(interaction));
    }
}

/// A job without what was said to it.
pub(super) fn print_head(job: &JobShown, out: &mut Report) {
    out.pair("job", format_args!("{}   {}   run {}", job.name, job.id, job.run));
    out.pair(
        "status",
        format_args!("{}{}", job.status, if job.focused { ", focused" } else { "" }),
    );
    out.pair("phase", format_args!("{}   cycle {}", job.phase, job.cycle));
    if !job.objective.is_empty() {
        out.pair("for", &job.objective);
    }
    if !job.depends_on.is_empty() {
        out.pair("waits", format_args!("for {}", job.depends_on.join(", ")));
    }
    if let Some(interval) = job.repeating_interval {
        let hours = count(interval as usize, "hour");
        out.pair("repeats", format_args!("{hours} after it is done, {}", job.reactivation_target));
    }
    if let Some(at) = &job.last_completed_at {
        out.pair("done", format_args!("last at {at}"));
    }
    for why in &job.extension_contexts {
        out.pair("added", why);
    }
    // The page of a declared directory may not be there yet.
    for page in &job.altered {
        out.pair("scope", page.rsplit_once('/').map_or(".", |(dir, _)| dir));
    }
    for one in &job.unclaimed {
        out.pair("fence", voice::tell(Notice::StatusUnclaimed, &[("path", &one.path)]));
    }
}

//! What people and agents are shown: status, log, refusals. Values only; printing is `cli`'s.

mod allowed;
pub(crate) mod back;
mod elsewhere;
pub(crate) mod next;

use serde::Serialize;

use self::allowed::allowed;
use self::next::NextStep;
use crate::engine::fence::tree::FenceShown;
use crate::engine::jobs::birth::QUICK;
use crate::engine::judge::cost::Cost;
use crate::engine::judge::shown::{RunShown, runs_until};
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::texts::{Entry, Gone};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, fence, guests, jobs, judge, person, policy, record, vetoes};
use crate::format::journal::{Line, Refused, What};
use crate::format::state::Unclaimed;
use crate::format::watched::{Happened, Watched};
use crate::format::{names, state};
use crate::jobs::questions;
use crate::jobs::shortword::{Moment, SaidLane, SizeWords};
use crate::phases::gates;
use crate::phases::own::MODEL;
use crate::phases::{Multiplier, Phase, PhaseKind, Write, pacing};
use crate::verdict::{Case, Facts, Refusal, STATE, Wants};
use crate::voice::{self, Notice, tell};

/// What is absent is `null`.
pub(crate) fn or_null<S: serde::Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    if text.is_empty() { to.serialize_none() } else { to.serialize_str(text) }
}

/// `status --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Status {
    pub enabled: bool,
    /// `watch`, `fence` or `full`.
    pub mode: &'static str,
    /// Absent until the first step: it chooses the track.
    pub track: Option<String>,
    /// What the rules say of all jobs: `auto` where the first step chooses.
    pub usual_track: String,
    /// The same in words, where the rules choose.
    #[serde(skip)]
    pub lane: Option<String>,
    pub job: Option<JobHead>,
    pub phase: String,
    pub cycle: u32,
    /// How many cycles the plan document and what was added to it come to.
    #[serde(skip)]
    pub cycles: Option<u32>,
    /// What may be done now, in words.
    pub allowed: Vec<String>,
    /// What stands between here and the next step, in words.
    pub missing: Vec<String>,
    /// What a hook of the person's refused since the last step, and what would let it pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vetoed: Option<String>,
    pub next: NextStep,
    /// Another session drives the job, and this is said to a guest of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<String>,
    /// What of the team's signed rules is not in force, or why they do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<String>,
    /// Steps of the focused job that no remote has.
    pub unsynced: u32,
    pub cost: Cost,
    /// Paths of the agent's making outside the fence, and paths that nobody claims.
    pub fence: FenceShown,
    /// The jobs that rest until a person approves them.
    pub awaiting: Vec<JobHead>,
    /// Jobs that the agent made and that wait for a person.
    pub queued: Vec<JobHead>,
    /// Open jobs that other clones began or continued, where none is in focus here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<OtherJob>,
    /// What was seen of the work, where its person may be asked whether the job is complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub card: Vec<String>,
    /// Short words of a person's that would act now.
    pub words: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobHead {
    pub id: String,
    pub name: String,
    pub status: &'static str,
    pub run: u32,
}

/// An open job of another clone.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OtherJob {
    #[serde(flatten)]
    pub head: JobHead,
    /// This clone worked on it before the other one did.
    pub continued: bool,
    /// Files that it changed in this worktree then, and that are not committed here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// One row of `why --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WhyRow {
    pub at: String,
    pub event: String,
    pub tool: String,
    pub paths: Vec<String>,
    pub by: String,
    pub wants: &'static str,
    pub why: String,
    #[serde(rename = "do")]
    pub do_: String,
    pub then: String,
    pub facts: Facts,
    /// Where what was said of the work was not shown: the runs that were known then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<Vec<RunShown>>,
}

/// `job show --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobShown {
    pub id: String,
    pub name: String,
    #[serde(serialize_with = "or_null")]
    pub objective: String,
    pub status: &'static str,
    pub focused: bool,
    pub phase: String,
    pub cycle: u32,
    pub run: u32,
    pub track: Option<String>,
    pub interactions: Vec<InteractionShown>,
    pub depends_on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<String>,
    pub user_approval: bool,
    pub plugin_lock_approval: bool,
    pub plan_file: serde_json::Value,
    pub extension_cycles_added: u32,
    pub extension_contexts: Vec<String>,
    pub repeating_interval: Option<u32>,
    /// What the next run of a repeating job begins as.
    pub reactivation_target: &'static str,
    pub last_completed_at: Option<String>,
    pub altered: Vec<String>,
    /// Of a job that awaits its person here: what no call accounts for, and no commit has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclaimed: Vec<Unclaimed>,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct InteractionShown {
    pub n: u32,
    pub kind: &'static str,
    /// Absent where its words are not here.
    pub text: Option<String>,
    /// A person took them away; else they were never sent here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    pub at: String,
    pub provenance: String,
}

/// `phase current --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PhaseShown {
    pub phase: String,
    pub cycle: u32,
    pub job: Option<String>,
    pub entry: EntryShown,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct EntryShown {
    pub multiplier: Option<f64>,
    #[serde(serialize_with = "or_null")]
    pub from: String,
    pub altered: Vec<String>,
}

/// Where everything stands.
pub(crate) fn status(repo: &Repo) -> Result<Status> {
    repo.require_seeded()?;
    let focused = repo.focused()?;
    let row = repo.row(focused.as_ref());
    let Some(focused) = &focused else { return status_without_job(repo, row) };
    let state = &focused.state;
    // Nothing of this changes the work tree, and each look at it costs a `git status`.
    let _holding = repo.trees.hold();
    let missing = boundary::judge::missing(repo, focused)?;
    let status = Status {
        enabled: repo.is_on(),
        mode: repo.rules.mode.word(),
        track: track_of(state),
        usual_track: repo.rules.usual_track().to_owned(),
        lane: lane_of_all(repo),
        job: Some(job_head(focused)),
        phase: state.stand.phase.to_string(),
        cycle: state.stand.cycle,
        cycles: repo
            .plan_total(focused)?
            .and_then(|total| state.plan.effective_last_cycle(Some(total))),
        allowed: if missing.iter().any(stops_all) {
            allowed::looks(row)
        } else {
            let mut said = allowed(row, &open_places(repo, focused)?);
            let open = focused.state.unlocked.as_ref();
            let open = open.filter(|_| row.write.contains(&Write::Surface));
            said.extend(open.map(|open| format!("change the unlocked surface {}", open.surface)));
            said
        },
        missing: said_once(missing.iter().map(|refusal| why_of(refusal, row))),
        vetoed: vetoed(repo, focused)?,
        next: next::of_focused(repo, focused, row, &missing),
        guest: None,
        policy: policy::standing(repo)?,
        words: allowed::acting(repo, moment_of(repo, focused), Some(focused)),
        unsynced: state.steps,
        cost: Cost::of(focused),
        fence: fence::shown::fence_shown(repo, focused)?,
        awaiting: jobs::unattended::awaiting(repo)?.iter().map(job_head).collect(),
        queued: own_heads(repo)?,
        elsewhere: Vec::new(),
        card: card(repo, focused, row)?,
    };
    as_guest(repo, focused, status)
}

/// `status` as it is told to whoever asks: to a guest it says who drives, and what a guest may do.
fn as_guest(repo: &Repo, focused: &LoadedJob, status: Status) -> Result<Status> {
    let Some(driver) = guests::other_driver(repo, focused)?.filter(|_| repo.is_on()) else {
        return Ok(status);
    };
    Ok(Status {
        guest: Some(tell(Notice::StatusGuest, &[("title", &driver.title)])),
        allowed: allowed(repo.rules.maps.home().none(), &[]),
        missing: Vec::new(),
        next: NextStep::Anyones(tell(Notice::NextGuest, &[])),
        words: vec!["[JOIN]".to_owned()],
        ..status
    })
}

/// HEAD is not where the job is, or the journal does not hold, so every change is refused.
fn stops_all(refusal: &Refusal) -> bool {
    let away =
        refusal.wants == Wants::Home && refusal.facts.get("case") != Some(Case::Operation.word());
    away || (refusal.by, refusal.wants) == (STATE, Wants::Repair)
}

/// The track that the first step chose.
pub(crate) fn track_of(state: &state::State) -> Option<String> {
    (state.stand.cycle > 0).then(|| state.stand.track.clone())
}

/// How each job begins, where the rules say it and not the first step.
fn lane_of_all(repo: &Repo) -> Option<String> {
    let how = match repo.rules.usual_track() {
        _ if repo.rules.begins_small() => Notice::StatusTrackSmall,
        track if track == MODEL => Notice::StatusTrackWhole,
        _ => Notice::StatusTrackOwn,
    };
    (!repo.rules.chooses).then(|| tell(how, &[("track", repo.rules.usual_track())]))
}

/// What was seen of the work, once its person may be asked about it.
fn card(repo: &Repo, focused: &LoadedJob, row: &Phase) -> Result<Vec<String>> {
    let last = row.kind == PhaseKind::Consolidation && jobs::completion::eligible(repo, focused);
    if last || jobs::ending::is_finished(repo, focused) {
        return judge::card::lines_of(repo, focused);
    }
    Ok(Vec::new())
}

fn own_heads(repo: &Repo) -> Result<Vec<JobHead>> {
    Ok(jobs::dependencies::agents_own(repo)?.iter().map(job_head).collect())
}

/// Where everything stands without a job in focus.
fn status_without_job(repo: &Repo, row: &Phase) -> Result<Status> {
    let (awaiting, waits) = (jobs::unattended::awaiting(repo)?, jobs::birth::waiting_here(repo)?);
    let paused = jobs::birth::paused_here(repo)?;
    Ok(Status {
        enabled: repo.is_on(),
        mode: repo.rules.mode.word(),
        track: None,
        usual_track: repo.rules.usual_track().to_owned(),
        lane: lane_of_all(repo),
        job: None,
        phase: "none".to_owned(),
        cycle: 0,
        cycles: None,
        allowed: allowed(row, &repo.rules.fence_scope),
        missing: Vec::new(),
        vetoed: None,
        card: Vec::new(),
        next: next::without_job(repo, waits.as_ref(), &paused, &awaiting)?,
        guest: None,
        policy: policy::standing(repo)?,
        unsynced: 0,
        cost: Cost::default(),
        fence: FenceShown {
            strays: fence::fingerprint_restore::print_strays(repo)?,
            unclaimed: jobs::left::paths(repo, &awaiting)?,
        },
        words: allowed::acting(
            repo,
            Moment::NoJob {
                rests: !paused.is_empty(),
                waits: waits.is_some(),
                awaits: !awaiting.is_empty(),
            },
            None,
        ),
        awaiting: awaiting.iter().map(job_head).collect(),
        queued: own_heads(repo)?,
        elsewhere: others(repo)?,
    })
}

fn others(repo: &Repo) -> Result<Vec<OtherJob>> {
    let others = elsewhere::of_others(repo)?.into_iter();
    let shown = |other: elsewhere::Other| OtherJob {
        head: job_head(&other.job),
        continued: other.continued,
        left: other.left,
    };
    Ok(others.map(shown).collect())
}

/// Directories and files that may be written in where the phase writes its scope.
fn open_places(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let mut places = crate::engine::boundary::declare::open_lines(repo, focused)?;
    for line in repo.lines(&focused.chain, names::ALLOWED)? {
        let place = line.strip_suffix('/').unwrap_or(&line).to_owned();
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

fn moment_of(repo: &Repo, focused: &LoadedJob) -> Moment {
    let state = &focused.state;
    if state.is_closing() {
        return Moment::Closing;
    }
    if state.stand.is_talk() {
        // Jobs that do not read are named elsewhere.
        let awaiting = jobs::unattended::awaiting(repo).unwrap_or_default();
        return Moment::Talk { awaits: awaiting.len() == 1 };
    }
    // Nowhere else is it asked for, and it is read from disk.
    let may = repo.row(Some(focused)).kind == PhaseKind::Consolidation
        || jobs::ending::a_person_may_end(repo, focused);
    let soon = || questions::too_soon(&person::ask::completion_moment(repo, focused)).is_some();
    Moment::Work { ends: may && !soon(), size: size_words(repo, focused) }
}

/// What `[QUICK]` and `[FULL]` would do to a job at work: see `person::lane_word`.
fn size_words(repo: &Repo, focused: &LoadedJob) -> SizeWords {
    let stand = &focused.state.stand;
    if repo.map(stand).lane.is_none() {
        let quick = repo.rules.maps.downward(stand, QUICK).is_ok();
        let quick = quick && !person::lane_word::more_cycles(repo, focused);
        return SizeWords { quick, full: stand.bound.is_some() };
    }
    SizeWords { quick: focused.state.said_lane != SaidLane::Quick, full: true }
}

/// Refusals, newest first: those of this worktree since the last step, then those of
/// the focused job, or of the newest one that was worked on here.
pub(crate) fn refusals(repo: &Repo, limit: usize) -> Result<Vec<WhyRow>> {
    if !repo.rules.mode.keeps_jobs() {
        let refused = record::watched::refusals(repo)?;
        return Ok(refused.iter().take(limit).filter_map(why_of_watched).collect());
    }
    let mut rows: Vec<WhyRow> = state_row(repo)?.into_iter().collect();
    let job = back::refused_here(repo)?;
    let enough = |lines: &[Line]| lines.iter().filter(|it| it.refusal.is_some()).count() >= limit;
    let lines = back::lines(repo, job.as_ref(), enough)?;
    let refused = lines.iter().filter_map(|line| Some((line, line.refusal.as_ref()?)));
    let left = limit.saturating_sub(rows.len());
    for (line, refused) in refused.take(left) {
        let mut row = why_row(line, refused);
        if let Some(worth) = worth(repo, refused) {
            row.facts.set("worth", worth);
        }
        row.ran = match &job {
            Some(job) if refused.wants == Wants::Claim => Some(runs_until(repo, job, line.at)?),
            _ => None,
        };
        rows.push(row);
    }
    Ok(rows)
}

/// For a person: what the acts of a stay that was not let go came to, and what it takes.
pub(crate) fn worth(repo: &Repo, refused: &Refused) -> Option<String> {
    let acts = pacing::heard(refused.facts.get("acts")?);
    let multiplier: Multiplier = refused.facts.get("multiplier")?.parse().ok()?;
    let map = repo.rules.maps.home();
    let pace = map.phase(&refused.phase.as_str().into())?.pace.as_ref()?;
    let named = refused.facts.get("met").unwrap_or_default();
    let met: Vec<_> =
        pace.demands.keys().copied().filter(|demand| named.contains(demand.word())).collect();
    let tenths = pace.worth(&acts, &met, multiplier).saturating_mul(multiplier.tenths());
    Some(format!("{}.{} of {}", tenths / 10, tenths % 10, pace.enough))
}

/// A job with its whole standing instruction.
pub(crate) fn show_job(repo: &Repo, job: &LoadedJob) -> Result<JobShown> {
    let state = &job.state;
    let mut interactions = Vec::new();
    for n in 1..=state.job.interactions {
        if let Some(Entry { said: read, gone, .. }) = repo.counted_entry(job, n)? {
            let (kind, at) = (read.kind.word(), rfc3339(repo.said_at(job, n, read.at)?));
            interactions.push(InteractionShown {
                n,
                kind,
                text: gone.is_none().then(|| read.text.into_string()),
                redacted: gone == Some(Gone::Redacted),
                at,
                provenance: read.provenance,
            });
        }
    }
    let plan_file = match state.plan.pointer.given() {
        None => serde_json::Value::Null,
        Some("false") => false.into(),
        Some(name) => name.into(),
    };
    Ok(JobShown {
        id: state.job.id.to_string(),
        name: state.job.name.clone(),
        objective: state.job.objective.clone(),
        status: state.job.status.word(),
        focused: repo.store.focus()?.as_deref() == Some(job.chain.as_str()),
        phase: state.stand.phase.to_string(),
        cycle: state.stand.cycle,
        run: state.job.run,
        track: track_of(state),
        interactions,
        depends_on: state.job.depends_on.iter().map(ToString::to_string).collect(),
        shape: state.job.shape.clone(),
        user_approval: record::own_clone::is_approved_here(repo, job)?,
        plugin_lock_approval: state.job.plugin_lock_approval,
        plan_file,
        extension_cycles_added: state.plan.extension_cycles_added,
        extension_contexts: jobs::next_run::contexts(repo, job)?
            .into_iter()
            .map(|context| context.text.into_string())
            .collect(),
        repeating_interval: Some(state.job.repeating_interval).filter(|days| *days > 0),
        reactivation_target: if state.job.repeats_active { "active" } else { "pending" },
        last_completed_at: state.job.last_completed_at.map(rfc3339),
        altered: altered(repo, job)?,
        unclaimed: jobs::left::unclaimed(repo, job)?,
        created_at: rfc3339(state.job.created_at),
        updated_at: rfc3339(state.job.updated_at),
    })
}

/// Pages of the declared directories.
fn altered(repo: &Repo, job: &LoadedJob) -> Result<Vec<String>> {
    // A job that declared nothing has no such file.
    let bytes = repo.store.file(&job.tip, names::SCOPE)?.unwrap_or_default();
    Ok(repo.pages_of(&bytes))
}

/// The phase in which the focused job stands.
pub(crate) fn phase_shown(repo: &Repo) -> Result<PhaseShown> {
    repo.require_seeded()?;
    let Some(focused) = repo.focused()? else {
        let entry = EntryShown { multiplier: None, from: String::new(), altered: Vec::new() };
        return Ok(PhaseShown { phase: "none".to_owned(), cycle: 0, job: None, entry });
    };
    let stand = &focused.state.stand;
    Ok(PhaseShown {
        phase: stand.phase.to_string(),
        cycle: stand.cycle,
        job: Some(focused.state.job.id.to_string()),
        entry: EntryShown {
            multiplier: stand.entry.multiplier.map(|value| f64::from(value.tenths()) / 10.0),
            from: stand.entry.from.to_string(),
            altered: altered(repo, &focused)?,
        },
    })
}

pub(crate) fn job_head(job: &LoadedJob) -> JobHead {
    let job = &job.state.job;
    JobHead {
        id: job.id.to_string(),
        name: job.name.clone(),
        status: job.status.word(),
        run: job.run,
    }
}

/// Two gates may want the same work.
fn said_once(said: impl Iterator<Item = String>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for text in said {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    once
}

fn why_of(refusal: &Refusal, row: &Phase) -> String {
    voice::say(refusal, row.name.as_str()).why.trim_end_matches('.').to_owned()
}

/// The last refusal of the person's own hooks, in words.
fn vetoed(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let last = vetoes::vetoed(repo, focused)?.map(|last| last.refused);
    Ok(last.map(|last| {
        let refusal = Refusal { by: gates::VETO, wants: last.wants, facts: last.facts.clone() };
        let said = voice::say(&refusal, &last.phase);
        let stop = if said.why.ends_with(['.', '!', '?', ':']) { "" } else { "." };
        format!("{}{stop} {}", said.why, said.do_)
    }))
}

/// Why every call but a look is refused now: what refused them could not be written down.
fn state_row(repo: &Repo) -> Result<Option<WhyRow>> {
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let Err(trouble) = &focused.activity else { return Ok(None) };
    let refusal = Refusal::broken(STATE, trouble);
    let said = voice::say(&refusal, focused.state.stand.phase.as_str());
    Ok(Some(WhyRow {
        at: rfc3339(repo.now),
        event: STATE.to_owned(),
        tool: String::new(),
        paths: Vec::new(),
        by: STATE.to_owned(),
        wants: refusal.wants.word(),
        why: said.why,
        do_: said.do_,
        then: said.then,
        facts: refusal.facts,
        ran: None,
    }))
}

/// A refusal where no job is kept.
fn why_of_watched(line: &Watched) -> Option<WhyRow> {
    let what = if line.what == Happened::Words { What::Kept } else { What::Refused };
    let (tool, paths) = (line.tool.clone(), line.paths.clone());
    let shown = Line { at: line.at, what, tool, paths, ..Line::default() };
    Some(why_row(&shown, line.refusal.as_ref()?))
}

fn why_row(line: &Line, refused: &Refused) -> WhyRow {
    let by: &'static str = if line.what == What::Kept { "stop" } else { "guard" };
    let refusal = Refusal { by, wants: refused.wants, facts: refused.facts.clone() };
    let said = voice::say(&refusal, &refused.phase);
    WhyRow {
        at: rfc3339(line.at),
        event: match line.what {
            What::Kept => "stop",
            _ if line.tool.is_empty() => "boundary",
            _ => "tool",
        }
        .to_owned(),
        tool: line.tool.clone(),
        paths: line.paths.clone(),
        by: refused.by.clone(),
        wants: refused.wants.word(),
        why: said.why,
        do_: said.do_,
        then: said.then,
        facts: refused.facts.clone(),
        ran: None,
    }
}

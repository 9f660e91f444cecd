//! How a prompt becomes a job, and which job that waits here goes on.

use crate::engine::jobs::new_id;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::interaction::Interaction;
use crate::format::names;
use crate::format::state::{Driver, State};
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword::SaidLane;
use crate::jobs::summary::words_said;
use crate::jobs::{Job, Status};
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};

/// What decides on which track a job is born.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begins<'a> {
    pub said_lane: SaidLane,
    /// A track of the repository's own: by its word, or by the paths that the prompt names.
    pub track: Option<&'a str>,
}

impl From<SaidLane> for Begins<'_> {
    fn from(said_lane: SaidLane) -> Self {
        Self { said_lane, track: None }
    }
}

/// A person's prompt, to be kept.
pub(crate) fn as_prompt(repo: &Repo, text: String, word: Sender) -> Interaction {
    let provenance = word.text().to_owned();
    let text = record::interactions::kept_of(repo, &text);
    Interaction { kind: InteractionKind::Prompt, at: repo.now, provenance, text }
}

/// A job is born from a person's prompts, or from what an agent began with, in one step: active,
/// focused, in idle, cycle 0. The first gives it its name.
pub(crate) fn create_from_prompts(
    repo: &Repo,
    prompt: &Interaction,
    more: &[Interaction],
    driver: &Driver,
    begins: Begins<'_>,
) -> Result<LoadedJob> {
    let Begins { said_lane, track } = begins;
    let salt = format!("{}{}{}", driver.session, prompt.text, repo.store.worktree_name());
    let id = new_id::free(repo, &salt)?;
    let job = Job::from_prompt(id, repo.rules.without_track(&prompt.text), repo.now);
    // Its words stay out of the chain; where it is read they are not needed.
    let subject = job.kept_name();
    let track = track.unwrap_or_else(|| track_of(repo, said_lane));
    let mut state = State::new(job, track, &repo.store.worktree_name());
    (state.said_lane, state.driver) = (said_lane, driver.clone());
    let mut edits = Vec::new();
    for (n, said) in (1..).zip(std::iter::once(prompt).chain(more)) {
        state.job.interactions = n;
        state.summed.heard(n, words_said(&said.text), repo.rules.summary);
        edits.push(TreeEdit::Put { path: names::interaction(n), bytes: said.write().into_bytes() });
    }
    let persons = prompt.kind == InteractionKind::Prompt;
    let by = if persons { By::Person } else { By::Agent };
    let _lock = repo.store.lock()?;
    // Where another has the focus, whoever finishes that one finds this one by its words.
    let free = repo.store.focus()?.is_none();
    if free {
        jobs::turning::begin_birth(repo, &names::job_chain(&state.job.id))?;
    }
    let born = record::step::create(repo, state, &subject, by, edits, true)?.focused;
    if free {
        jobs::turning::done(repo)?;
    }
    Ok(born)
}

/// The job that was born here with these words and is in nobody's focus: somebody was stopped
/// between the two.
pub(crate) fn begun_with(repo: &Repo, said: &[Interaction]) -> Result<Option<LoadedJob>> {
    let (here, focused) = (repo.store.worktree_name(), repo.store.in_focus()?);
    for job in repo.jobs()? {
        let state = &job.state;
        if state.job.status != Status::Active
            || !state.is_small_talk()
            || state.home.worktree != here
            || state.job.interactions as usize != said.len()
            || focused.contains(&job.chain)
        {
            continue;
        }
        let mut same = true;
        for (n, one) in (1..).zip(said) {
            same &= record::interactions::interaction(repo, &job.chain, n)?.as_ref() == Some(one);
        }
        if same {
            return Ok(Some(job));
        }
    }
    Ok(None)
}

/// The session whose person speaks drives the job from now on.
pub(crate) fn take_over(repo: &Repo, chain: &str, driver: &Driver) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    if focused.state.driver == *driver {
        return Ok(());
    }
    let step = record::step::step(repo, chain, Journaling::Read, |state, _| {
        state.driver = driver.clone();
        Ok(Ok(StepDraft::new(state, "driver", tell(Notice::SubjectOtherDriver, &[]), By::Person)))
    })?;
    debug_assert!(step.is_ok(), "a driver is never refused");
    Ok(())
}

/// The job that rests in this worktree and waits: pending, with its last cycle open, or at work
/// when the focus moved on.
pub(crate) fn waiting_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    let (here, focused) = (repo.store.worktree_name(), repo.store.in_focus()?);
    let mut waiting = Vec::new();
    for job in repo.jobs()? {
        let waits = job.state.waits_for_a_focus() && !focused.contains(&job.chain);
        if waits && jobs::resume::waits_in(repo, &job.state, &here)? {
            waiting.push(job);
        }
    }
    // One that waits for nobody is named first.
    let mut free = None;
    for (at, job) in waiting.iter().enumerate() {
        if jobs::dependencies::unmet(repo, &job.state)?.is_empty() {
            free = Some(at);
            break;
        }
    }
    Ok((!waiting.is_empty()).then(|| waiting.swap_remove(free.unwrap_or(0))))
}

/// The jobs that a person paused in this worktree.
pub(crate) fn paused_here(repo: &Repo) -> Result<Vec<LoadedJob>> {
    let mut paused = Vec::new();
    for job in repo.jobs()? {
        if rests_here(repo, &job)? {
            paused.push(job);
        }
    }
    Ok(paused)
}

fn rests_here(repo: &Repo, job: &LoadedJob) -> Result<bool> {
    let state = &job.state;
    let rests = state.job.status == Status::Pending || state.is_closing();
    let here = state.home.rested == repo.store.worktree_name();
    Ok(rests && here && !repo.is_foreign(state)?)
}

/// Newer jobs among which one is looked for before a tool.
const MOST: usize = 16;

/// One of them, where it is among the newest open jobs: a hook waits for the answer.
pub(crate) fn newest_paused_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    for (chain, _) in repo.store.chains(names::JOBS)?.into_iter().rev().take(MOST) {
        let Some(tip) = repo.store.tip(&chain)? else { continue };
        let job = repo.load(chain, tip)?;
        if rests_here(repo, &job)? {
            return Ok(Some(job));
        }
    }
    Ok(None)
}

/// The track of the small lane.
pub(crate) const QUICK: &str = "quick";

/// The track on which a job begins of which its person said this.
pub(crate) fn track_of(repo: &Repo, said_lane: SaidLane) -> &str {
    let maps = &repo.rules.maps;
    match said_lane {
        SaidLane::Quick if maps.names().contains(&QUICK) => QUICK,
        SaidLane::Full => maps.whole_name(),
        SaidLane::Quick | SaidLane::Unsaid => maps.home_name(),
    }
}

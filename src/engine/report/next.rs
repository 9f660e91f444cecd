//! What comes next, for `status` and for the stop: whose it is decides how it is said.

use serde::Serialize;

use crate::engine::boundary::ahead::Then;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, jobs, landing, vetoes};
use crate::format::state::State;
use crate::jobs::Status;
use crate::jobs::mode::Mode;
use crate::phases::Phase;
use crate::phases::next::{self, Loose, Next, Standing, Waiting};
use crate::verdict::{Refusal, STATE, Wants};
use crate::voice::{self, Notice, tell};

/// What comes next, and who does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// The agent that drives the job goes on.
    Agents(String),
    /// The job is finished; its person approves it.
    Approval,
    /// Whoever reads it may do it.
    Anyones(String),
}

impl NextStep {
    /// In words for the agent.
    pub(crate) fn to_agent(&self) -> String {
        match self {
            Self::Agents(next) | Self::Anyones(next) => next.clone(),
            Self::Approval => tell(Notice::NextApproval, &[]),
        }
    }

    /// In words for a person: at a job in focus it is the agent that goes on, up to the approval.
    pub(crate) fn to_person(&self) -> String {
        match self {
            Self::Agents(next) => tell(Notice::StatusAgentsNext, &[("next", next)]),
            Self::Approval => tell(Notice::NextApprovalOfPerson, &[]),
            Self::Anyones(next) => next.clone(),
        }
    }
}

/// In JSON it is one text, as the agent reads it.
impl Serialize for NextStep {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.to_agent())
    }
}

/// What `focused` does next, in words; `missing` is what stands between it and its next step.
pub(crate) fn of_focused(
    repo: &Repo,
    focused: &LoadedJob,
    row: &Phase,
    missing: &[Refusal],
) -> NextStep {
    if !repo.is_on() {
        return NextStep::Anyones(tell(Notice::NextOn, &[]));
    }
    // Nothing goes on before it is mended, and a person may do that as well.
    if let Some(trouble) = missing.iter().find(|no| (no.by, no.wants) == (STATE, Wants::Repair)) {
        return NextStep::Anyones(voice::say(trouble, row.name.as_str()).do_);
    }
    // Where that does not read the gates say what is next.
    if let Ok(Some(refusal)) = boundary::hooked::stands(repo, focused) {
        return NextStep::Agents(voice::say(&refusal, row.name.as_str()).do_);
    }
    // As above: the step would end as before.
    if vetoes::is_unmended(repo, focused).unwrap_or_default() {
        return NextStep::Agents(tell(Notice::NextHooked, &[]));
    }
    let (state, stand) = (&focused.state, &focused.state.stand);
    let finished = jobs::ending::is_finished(repo, focused);
    let waits = if finished { jobs::dependencies::held_up(repo, state) } else { None };
    let standing = Standing {
        row,
        aside: repo.is_aside(stand),
        rests: repo.rests(stand),
        lane: repo.map(stand).lane.is_some(),
        finished,
        review: state.review,
        waits: waits.clone(),
        missing,
    };
    let next = next::next(&standing);
    if matches!(&next, Next::Mend(refusal) if waits.as_ref() == Some(refusal))
        && let Some(leads_on) = of_dependencies(repo, state)
    {
        return leads_on;
    }
    said(repo, focused, (row, &standing), next)
}

/// The same step in words.
fn said(
    repo: &Repo,
    focused: &LoadedJob,
    (row, standing): (&Phase, &Standing<'_>),
    next: Next,
) -> NextStep {
    // Words that do not read ask for nothing.
    let called_off = || jobs::ending::called_off(repo, focused).is_ok_and(|said| said.is_some());
    NextStep::Agents(match next {
        // No question can say that the person's words want no change: the step that closes does.
        Next::Command(next::REVIEW) if jobs::ending::asks_nobody(repo, focused) => {
            let close = if standing.lane { next::LANE_FORWARD } else { next::FORWARD };
            tell(Notice::NextReviewOrClose, &[("close", close)])
        }
        // Between cycles the question is over.
        Next::Command(next::REVIEW)
            if !standing.rests && !jobs::unattended::defers(repo, &focused.state) =>
        {
            tell(Notice::NextReview, &[])
        }
        Next::Command(command) => command.to_owned(),
        Next::Mend(refusal) => voice::say(&refusal, row.name.as_str()).do_,
        // Where that does not read the row says what to do.
        Next::Work(work) => match boundary::ahead::then(repo, focused).unwrap_or_default() {
            Some(Then::Work { .. }) if called_off() => tell(Notice::NextDrop, &[]),
            None | Some(Then::Work { asks: false }) => work,
            Some(Then::Work { asks: true }) => tell(Notice::NextWorkOrNone, &[("work", &work)]),
            Some(Then::Show(refusal)) => voice::say(&refusal, row.name.as_str()).do_,
            Some(Then::Ask) => tell(Notice::NextAsk, &[]),
            Some(Then::Step) => next::LANE_FORWARD.to_owned(),
        },
        Next::Approval => return NextStep::Approval,
    })
}

/// What leads to the end of a finished job that waits for others: one of them is taken up, or a
/// person approves it.
fn of_dependencies(repo: &Repo, state: &State) -> Option<NextStep> {
    // Where one does not read the refusal says where to look.
    let first = |status| jobs::dependencies::first_unmet(repo, state, status).ok().flatten();
    if let Some((id, _)) = first(Status::Pending) {
        return Some(NextStep::Agents(format!("git seed job activate {id}")));
    }
    let (id, name) = first(Status::Awaiting)?;
    let facts = [("job", name.as_str()), ("id", id.as_str())];
    Some(NextStep::Anyones(tell(Notice::NextAwaitsFirst, &facts)))
}

/// What comes next where no job is focused.
pub(super) fn without_job(
    repo: &Repo,
    waits: Option<&LoadedJob>,
    paused: &[LoadedJob],
    awaiting: &[LoadedJob],
) -> Result<NextStep> {
    Ok(NextStep::Anyones(loose(repo, waits, paused, awaiting)?))
}

fn loose(
    repo: &Repo,
    waits: Option<&LoadedJob>,
    paused: &[LoadedJob],
    awaiting: &[LoadedJob],
) -> Result<String> {
    if !repo.is_on() {
        return Ok(tell(Notice::NextOn, &[]));
    }
    match repo.rules.mode {
        Mode::Watch => return Ok(tell(Notice::ModeNextWatch, &[])),
        Mode::Fence => return Ok(tell(Notice::ModeNextFence, &[])),
        Mode::Full => {}
    }
    let (paused, awaits) = (paused.first(), awaiting.first());
    let unlanded = landing::offer::unlanded(repo)?;
    let next = next::without_job(Waiting {
        queued: waits.is_some(),
        paused: paused.is_some(),
        awaiting: awaits.is_some(),
        landing: unlanded.is_some(),
    });
    let job = match next {
        Loose::Activate => waits,
        Loose::Resume => paused,
        Loose::Approve => awaits,
        Loose::Land => unlanded.as_ref(),
        Loose::Prompt => None,
    };
    let Some(found) = job else { return Ok(tell(Notice::NextPrompt, &[])) };
    let job = &found.state.job;
    let words = match next {
        Loose::Land => landing::asked::words(repo, found)?,
        _ => job.id.to_string(),
    };
    let facts = [("job", job.name.as_str()), ("id", words.as_str())];
    Ok(match next {
        Loose::Land => tell(Notice::NextLand, &facts),
        Loose::Resume => tell(Notice::NextPaused, &facts),
        Loose::Approve => tell(Notice::NextAwaits, &facts),
        Loose::Activate | Loose::Prompt => format!("git seed job activate {}", job.id),
    })
}

//! What a boundary's step changes in the job's state and tree.
//!
//! Runs under the lock, on the state as it is then; what was judged before must still stand.
//! Gathers the facts; what follows from them is [`State::cross`]'s to say.

use crate::engine::boundary::step::Judged;
use crate::engine::fence::tree::Beginning;
use crate::engine::jobs::birth::QUICK;
use crate::engine::record::draft::{By, StepDraft};
use crate::engine::record::transition::Transition;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::{boundary, jobs, memory, record, subjects};
use crate::format::names;
use crate::format::state::State;
use crate::format::trailers::StepTrailers;
use crate::format::transition::{self, Committed, Crossed, Here, Look};
use crate::phases::Move;
use crate::store::{CommitId, TreeEdit};
use crate::voice::Notice;

/// A boundary whose gates let it through, and whose commit is made where it has one.
pub(crate) struct Passed<'a> {
    pub(crate) toward: &'a Transition,
    pub(crate) judged: &'a Judged,
    pub(crate) commit: Option<&'a CommitId>,
    /// The work tree, where a cycle begins.
    pub(crate) start: Option<&'a Beginning>,
    pub(crate) by: By,
}

pub(crate) fn draft(
    repo: &Repo,
    chain: &str,
    state: &mut State,
    passed: &Passed<'_>,
) -> Result<StepDraft> {
    let Passed { toward, judged, commit, by, .. } = *passed;
    // Another process took this step, or another one, and what was judged is no longer so; or it
    // found the same commit of a step that was left.
    let moved = judged.at != (state.stand.phase.clone(), state.stand.cycle);
    if moved || commit.is_some_and(|commit| state.home.commit == commit.as_str()) {
        return Err(EngineError::not_now(Notice::BoundaryUnderWay, &[]));
    }
    let now = boundary::commit::trailers(repo, state, &judged.name)?;
    let (subject, name) = (judged.message.subject(), state.job.kept_name());
    let own = subject.unwrap_or(&name).to_owned();
    let mut draft = StepDraft::new(state, now.step, own, by);
    draft.commit = commit.cloned();
    draft.carries = commit
        .map(|commit| repo.store.commit_message(commit))
        .transpose()?
        .and_then(|message| StepTrailers::read(&message))
        .map(|said| said.id);
    judged.message.text().clone_into(&mut draft.body);
    draft.edits.extend(judged.adds.ledger.clone());
    draft.edits.extend(judged.adds.made.clone());
    if let Some(seen) = &judged.adds.seen {
        memory::feed::feed(repo, chain, state, (seen, commit), &mut draft)?;
    }
    let crossed = crossed(repo, chain, state, passed)?;
    judged.naming.clone().give(&mut state.job);
    let change = state.cross(&crossed)?;
    draft.cycle = change.cycle;
    if subject.is_none() {
        // The step that begins a cycle is its first.
        draft.subject = subjects::called(&name, change.cycle);
    }
    draft.edits.extend(change.files.into_iter().map(|(path, bytes)| TreeEdit::Put { path, bytes }));
    let adds = match toward {
        Transition::Forward { add_cycle, .. } => add_cycle.clone(),
        Transition::Review => Some(boundary::review::words(repo, chain, state)?),
        _ => None,
    };
    if let Some(why) = adds {
        draft.edits.push(record::kept::add_cycle(state, judged.at.1, &why));
    }
    memory::condense::measure(repo, chain, state, &mut draft)?;
    Ok(draft)
}

/// The facts of a boundary, on the state as it is before it.
fn crossed<'a>(
    repo: &'a Repo,
    chain: &str,
    state: &State,
    passed: &Passed<'a>,
) -> Result<Crossed<'a>> {
    let Passed { toward, judged, commit, start, .. } = *passed;
    let closes = repo.map(&state.stand).ends_cycle(judged.step.as_ref());
    let looks_at_plan = judged.step.is_some() && (closes || repo.rests(&state.stand));
    let asks_what_is_open = closes || start.is_some();
    let head = repo.store.head()?;
    Ok(Crossed {
        step: judged.step.as_ref(),
        map: repo.map(&state.stand),
        at: repo.now,
        declared: boundary::declare::declared(repo, chain, state, toward, judged)?,
        plan: looks_at_plan.then(|| jobs::plan::plan_as_it_lies(repo, state)).transpose()?,
        allowed: if asks_what_is_open { repo.lines(chain, names::ALLOWED)? } else { Vec::new() },
        rests: judged.rests,
        last: judged.last,
        onto: match toward {
            Transition::Review => Some(boundary::review::track(repo, state)),
            Transition::Small => Some(QUICK),
            _ => None,
        },
        home: Here {
            worktree: repo.store.worktree_name(),
            branch: head.branch.unwrap_or_default(),
            commit: head.commit.as_ref().map(ToString::to_string).unwrap_or_default(),
            logged: repo.store.head_log_length(),
        },
        commit: commit.map(|commit| Committed {
            id: commit.to_string(),
            checkpoint: *toward == Transition::Checkpoint,
            files: judged.survey.written(repo, state),
        }),
        look: judged.survey.tree.as_ref().map(|tree| Look {
            tree: tree.to_string(),
            strays: &judged.survey.strays,
            unclaimed: &judged.survey.unclaimed,
            loose: judged.survey.loose,
        }),
        begins: start.map(|start| transition::Beginning {
            tree: &start.tree,
            persons: &start.persons,
            excludes: &start.pins.excludes,
            attributes: &start.pins.attributes,
        }),
    })
}

/// The name of the step that commits within a phase.
pub(crate) const CHECKPOINT: &str = "checkpoint";

pub(crate) fn step_name(from: &str, step: Option<&Move>) -> String {
    match step {
        None => CHECKPOINT.to_owned(),
        Some(Move::Forward(to) | Move::Back(to) | Move::Onto { to, .. }) => {
            format!("{from} -> {to}")
        }
        Some(Move::Aside) => format!("{from} -> gmode"),
        Some(Move::Return) => "gmode exit".to_owned(),
    }
}

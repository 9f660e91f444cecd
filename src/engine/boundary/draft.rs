//! What a boundary's step changes in the job's state and tree.
//!
//! Runs under the lock, on the state as it is then; what was judged before must still stand.

use crate::engine::boundary::step::Judged;
use crate::engine::fence::tree::Beginning;
use crate::engine::record::draft::{By, StepDraft};
use crate::engine::record::step::TOUCHED;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{Repo, Result, SeedError};
use crate::engine::{boundary, fence, jobs, memory, record};
use crate::format::names;
use crate::format::state::{self, State};
use crate::jobs::Status;
use crate::phases::{Move, PhaseName};
use crate::store::{CommitId, TreeEdit};
use crate::verdict::Refusal;

#[expect(clippy::too_many_arguments, reason = "what the second half of a boundary knows, read once")]
pub(crate) fn draft(
    repo: &Repo,
    chain: &str,
    state: &mut State,
    toward: &Transition,
    judged: &Judged,
    commit: Option<&CommitId>,
    start: Option<&Beginning>,
    by: By,
) -> Result<std::result::Result<StepDraft, Refusal>> {
    if judged.at != (state.stand.phase.clone(), state.stand.cycle) {
        // Another process took this step, or another one: what was judged is no longer so.
        return Err(crate::store::StoreError::Moved { chain: chain.to_owned() }.into());
    }
    let now = boundary::commit::trailers(state, &judged.name);
    let subject = judged.message.subject().unwrap_or(&state.job.name).to_owned();
    let mut draft = StepDraft { commit: commit.cloned(), ..StepDraft::new(state, now.step, subject, by) };
    judged.message.text().clone_into(&mut draft.body);
    draft.edits.extend(judged.ledger.clone());
    let row = repo.row_of(state).clone();
    boundary::declare::declare(repo, chain, state, &row, toward, judged, &mut draft)?;
    if let Some(step) = &judged.step {
        let begins = state.stand.phase.is_idle();
        let cycle = state.stand.cycle;
        if *step == Move::Forward(PhaseName::idle()) {
            jobs::plan::accept_plan(repo, state, &mut draft);
        }
        state.stand = state.stand.take(repo.map(&state.stand), step);
        if begins {
            // The step that begins a cycle is the first of that cycle.
            draft.cycle = state.stand.cycle;
            if state.stand.cycle != cycle {
                jobs::plan::look_at_plan(repo, state, &mut draft);
            }
        }
        if *step == Move::Forward(PhaseName::idle()) && !repo.lines(chain, names::ALLOWED)?.is_empty() {
            draft.edits.push(TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: Vec::new() });
        }
        if judged.rests && state.job.status == Status::Active {
            let became = state.job.become_(Status::Awaiting, repo.now);
            became.map_err(|bad| SeedError::Usage(bad.to_string()))?;
        }
    }
    state.unlocked = None;
    state.put_back = None;
    let head = repo.store.head()?;
    state.home.branch = head.branch.unwrap_or_default();
    state.home.logged = repo.store.head_log_length();
    if let Some(commit) = commit {
        state.home.commit = commit.to_string();
        state.cost.commits += 1;
        state.stand.entry.checkpoints += u32::from(*toward == Transition::Checkpoint);
    }
    if let Some(tree) = &judged.survey.tree {
        state.fence.tree = tree.to_string();
        state.fence.seen = None;
        state.fence.strays.clone_from(&judged.survey.strays);
        state.fence.unclaimed.clone_from(&judged.survey.unclaimed);
        state.fence.loose = judged.survey.loose;
        draft.edits.push(TreeEdit::Put { path: TOUCHED.to_owned(), bytes: Vec::new() });
    }
    if let Some(Beginning { tree, persons, pins }) = start {
        state.fence = state::Fence { tree: tree.clone(), began: tree.clone(), ..state::Fence::default() };
        for (file, bytes) in [(names::EXCLUDES, &pins.excludes), (names::ATTRIBUTES, &pins.attributes)] {
            draft.edits.push(TreeEdit::Put { path: file.to_owned(), bytes: bytes.clone() });
        }
        state.proved = false;
        if state.stand.cycle <= 1 || state.home.base.is_empty() {
            state.home.base = head.commit.as_ref().map(ToString::to_string).unwrap_or_default();
        }
        state.home.worktree = repo.store.worktree_name();
        let bytes = state::write_lines(persons.iter().map(String::as_str)).into_bytes();
        draft.edits.push(TreeEdit::Put { path: names::PERSONS.to_owned(), bytes });
        draft.edits.push(TreeEdit::Put { path: TOUCHED.to_owned(), bytes: Vec::new() });
        if state.stand.entry.from.is_idle() && state.stand.shelved.is_empty() {
            let opened = fence::opened::opened_dirs(repo, chain)?;
            let bytes = state::write_lines(opened.iter().map(String::as_str)).into_bytes();
            draft.edits.push(TreeEdit::Put { path: names::SCOPE.to_owned(), bytes });
            state.cost = state::Cost::default();
        }
    }
    if let Transition::Forward { add_cycle: Some(why), .. } = toward {
        draft.edits.push(record::kept::add_cycle(state, judged.at.1, why));
    }
    memory::condense::measure(repo, chain, state, &mut draft)?;
    Ok(Ok(draft))
}

pub(crate) fn step_name(from: &str, step: Option<&Move>) -> String {
    match step {
        None => "checkpoint".to_owned(),
        Some(Move::Forward(to) | Move::Back(to) | Move::Up { to, .. }) => format!("{from} -> {to}"),
        Some(Move::Aside) => format!("{from} -> gmode"),
        Some(Move::Return) => "gmode exit".to_owned(),
    }
}

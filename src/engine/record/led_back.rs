//! A step that takes a job to a state that it was in: the files of its tree are those of then, its
//! log is that of now. The chain only grows.
//!
//! The commit is written here and no ref names it yet: an undo turns several refs, and turns none
//! before all that they will name is on the disk.

use crate::engine::aside;
use crate::engine::record::draft::{By, StepDraft};
use crate::engine::record::kept::kept;
use crate::engine::record::step;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::state::{self, State};
use crate::format::trailers::StepTrailers;
use crate::format::{journal, names};
use crate::store::{Loose, NewStep, TextsEdit, Tip, TreeEdit, TreeId};
use crate::voice::{Notice, tell};

/// Where a step is to take a job.
pub(crate) struct Toward<'a> {
    /// `undo` or `redo`.
    pub word: &'static str,
    pub state: State,
    /// The tree of then, and the step that it is of.
    pub tree: &'a TreeId,
    pub of: &'a str,
    /// Files that differ from then.
    pub edits: Vec<TreeEdit>,
}

/// Writes the step; `since` is the journal that it takes in.
pub(crate) fn written(
    repo: &Repo,
    job: &LoadedJob,
    since: &JournalLines,
    toward: Toward<'_>,
) -> Result<LoadedJob> {
    let Toward { word, mut state, tree, of, edits } = toward;
    let subject = tell(Notice::SubjectLedBack, &[("step", of)]);
    let draft = StepDraft::new(&state, word, subject, By::Person);
    let at = repo.now.max(job.state.job.updated_at);
    let trailers = step::seal(repo, &mut state, &draft, since, at)?;
    let trailers = StepTrailers { back: Some(of.to_owned()), ..trailers };
    let mut all = log_of(repo, job, since, &draft)?;
    all.extend(edits);
    let texts = aside::taken_by(repo, &state.job.id, &mut all)?;
    state.format = repo.format_to_write()?;
    let written = aside::written(repo, &state)?;
    let bad = |bad| EngineError::State { chain: job.chain.clone(), bad };
    let (text, spilled) = written.map_err(bad)?;
    let fence = names::FENCE.to_owned();
    all.push(match spilled {
        Some(text) => TreeEdit::Put { path: fence, bytes: text.into_bytes() },
        None => TreeEdit::Remove { path: fence },
    });
    all.push(TreeEdit::Put { path: names::STATE.to_owned(), bytes: text.into_bytes() });
    let message = step::message(&draft, &trailers);
    let parents = [job.tip.commit.clone()];
    let new = NewStep { edits: &all, message: &message, at: repo.now };
    let tip = repo
        .store
        .write_loose(&Loose { on: Some(tree), parents: &parents, step: new }, &job.chain)?;
    // Before the ref turns; a kill in between leaves a text that only redacting its job takes away.
    let edit = TextsEdit { job: state.job.id.as_str(), add: &texts, ..TextsEdit::default() };
    repo.store.edit_texts(&edit, repo.now)?;
    let activity = Ok(journal::Counts::default());
    Ok(LoadedJob { chain: job.chain.clone(), tip, state, activity, archived: false })
}

/// What of the tree of now goes on: the trace with the lines since the last step, what ran, and
/// the paths that were touched since the last boundary, for no file changes. A run that showed the
/// files as they lie there shows them still.
fn log_of(
    repo: &Repo,
    job: &LoadedJob,
    since: &JournalLines,
    draft: &StepDraft,
) -> Result<Vec<TreeEdit>> {
    let of_now = |path: &str| -> Result<TreeEdit> {
        let path = path.to_owned();
        Ok(match repo.store.subtree(&job.tip, &path)? {
            Some(tree) => TreeEdit::Graft { path, tree },
            None => TreeEdit::Remove { path },
        })
    };
    let step = job.state.steps + 1;
    let mut edits = vec![of_now(names::TRACE)?, of_now(names::EVIDENCE)?];
    edits.extend(step::traced(since, draft.cycle, &draft.phase, step));
    edits.extend(kept(&repo.store, since, step)?);
    // Written with the first step that touched something.
    let known = repo.store.file(&job.tip, step::TOUCHED)?.unwrap_or_default();
    let mut touched = state::read_lines(&known);
    touched.extend(since.touched().map(str::to_owned));
    let bytes = state::write_lines(touched.iter().map(String::as_str)).into_bytes();
    let path = step::TOUCHED.to_owned();
    edits.push(match bytes.as_slice() {
        [] => TreeEdit::Remove { path },
        _ => TreeEdit::Put { path, bytes },
    });
    Ok(edits)
}

/// The newest tree that a boundary of the job left; empty where none did.
pub(crate) fn newest_fence(repo: &Repo, job: &LoadedJob) -> Result<String> {
    let mut fence = job.state.fence.tree.clone();
    if !fence.is_empty() {
        return Ok(fence);
    }
    // Only behind an undo is there one that the state of now does not name.
    let mut led = false;
    for step in repo.store.history_from(&job.tip.commit, usize::MAX)? {
        led |= StepTrailers::read(&step.message).is_some_and(|said| said.back.is_some());
        if !led {
            continue;
        }
        let tree = repo.store.tree_of_commit(&step.commit)?;
        fence = repo.state(&job.chain, &Tip { commit: step.commit, tree })?.fence.tree;
        if !fence.is_empty() {
            break;
        }
    }
    Ok(fence)
}

/// The trailers of all steps of a chain, the oldest first.
pub(crate) fn said(repo: &Repo, tip: &Tip) -> Result<Vec<StepTrailers>> {
    let steps = repo.store.history_from(&tip.commit, usize::MAX)?;
    Ok(steps.iter().rev().filter_map(|step| StepTrailers::read(&step.message)).collect())
}

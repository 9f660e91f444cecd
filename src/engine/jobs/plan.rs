//! The plan document: where it lies, whether it counts, and its words for the phase at hand.
//!
//! In the first cycle of a run the document in the work tree counts. When that cycle ends,
//! its bytes go into the job's tree, and from then on they count, whatever happens to the
//! file: only what lies there when a further cycle begins can take their place. Hooks read
//! the words for the phase from one small file of the job's tree, and only where they
//! compose a text; what the document says reaches the agent as a quotation.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::plan_file::{Checked, ENTRY, FromPlan, hash, read_plain};
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::format::state::State;
use crate::format::{names, transition};
use crate::plans::Lies;
use crate::rules::Rules;
use crate::store::TreeEdit;
use crate::verdict::{Facts, Refusal};
use crate::voice::{self, Line, Notice, tell};
use crate::world;

/// The document that counts, read by whoever works here.
pub(crate) fn read_plan(repo: &Repo) -> Result<Option<String>> {
    let focused = repo.require_focused()?;
    let Some(bytes) = repo.plan_that_counts(&focused)? else { return Ok(None) };
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = crate::format::journal::What::After;
        // A command of ours is no sign that hooks fire.
        "session".clone_into(&mut line.tool);
        line.counts.plan_reads += 1;
    })?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether the plan document at `path` is there.
pub(crate) fn is_written(repo: &Repo, path: &str) -> bool {
    repo.store.work_tree().join(path).is_file()
}

/// Puts the accepted document back where it lay. Gives its path.
pub(crate) fn restore_plan(repo: &Repo) -> Result<String> {
    let focused = repo.require_focused()?;
    let state = &focused.state;
    let frozen = state.plan.frozen(state.stand.cycle);
    let path = frozen.and_then(|_| state.plan.pointer.path(&state.job.id.to_string()));
    let bytes = repo.store.file(&focused.tip, names::PLAN)?;
    let (Some(path), Some(bytes)) = (path, bytes) else {
        return Err(EngineError::not_now(Notice::PlanNotAccepted, &[]));
    };
    let file = repo.store.work_tree().join(&path);
    let drafts = repo.store.seed_dir();
    // A link in its place goes; what it leads to stays.
    world::Whole::new().over_links().drafted_in(&drafts).write(&file, &bytes)?;
    Ok(path)
}

/// Declares the titles that the objective of the focused job has, in its first cycle.
pub(crate) fn shape_job(
    repo: &Repo,
    shape: &str,
) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let shape =
        crate::jobs::check_shape(shape).map_err(|bad| EngineError::Usage(bad.to_string()))?;
    let focused = repo.require_focused()?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        if let Err(refusal) = crate::phases::commands::shape(state.stand.cycle) {
            return Ok(Err(refusal));
        }
        state.job.shape.clone_from(&shape);
        let subject = if shape.is_empty() { "none".to_owned() } else { shape.join(", ") };
        Ok(Ok(StepDraft::new(
            state,
            "shape",
            format!("shape of the objective: {subject}"),
            By::Agent,
        )))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

// ---- rules of a job

/// The rules of a job's own, as a person approved them.
pub(crate) fn job_rules(repo: &Repo, job: &LoadedJob) -> Result<Option<String>> {
    repo::rules_of(&repo.store, &job.tip)
}

/// What the directory of a job proposes as rules of its own: the file, and its text.
pub(crate) fn proposed_job_rules(repo: &Repo, job: &LoadedJob) -> Result<(String, String)> {
    let path = format!("{}{}", names::job_dir(&job.state.job.id), names::PROPOSED_RULES);
    let bytes = read_plain(&repo.store.work_tree().join(&path))?;
    let bytes = bytes.ok_or_else(|| EngineError::Proposal(format!("there is no file {path}")))?;
    Ok((path, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Checks rules that a job proposes for itself; the phase where it stands has to stay.
pub(crate) fn check_job_rules(repo: &Repo, job: &LoadedJob, file: &str, text: &str) -> Result<()> {
    let sound = Rules::for_job(repo.applied_rules()?.as_deref(), text);
    let rules = sound.map_err(|bad| EngineError::Proposal(bad.told(file, text)))?;
    let (stand, map) = (&job.state.stand, rules.maps.get(&job.state.stand.track));
    let here = [Some(&stand.phase), stand.side_from.as_ref()];
    match here.into_iter().flatten().find(|name| !map.phases().any(|row| row.name == **name)) {
        Some(gone) => {
            let facts = [("file", file), ("phase", gone.as_str())];
            Err(EngineError::Proposal(tell(Notice::RulesWithoutPhase, &facts)))
        }
        None => Ok(()),
    }
}

/// Puts rules into force for one job.
pub(crate) fn apply_job_rules(repo: &Repo, job: &LoadedJob, file: &str, text: &str) -> Result<()> {
    check_job_rules(repo, job, file, text)?;
    let fold = record::interactions::fold_for(repo, &job.chain)?;
    let text =
        format!("{}\n{text}", repo::clone_file::approved_in(&record::own_clone::clone_id(repo)?));
    let step = record::step::step(repo, &job.chain, fold, |state, _| {
        let put =
            TreeEdit::Put { path: names::JOB_RULES.to_owned(), bytes: text.as_bytes().to_vec() };
        Ok(Ok(StepDraft::new(state, "rules", "rules of this job", By::Person).with(put)))
    })?;
    debug_assert!(step.is_ok(), "rules were checked before");
    Ok(())
}

// ---- steps

/// What lies where the plan document should, for a boundary that looks at it.
pub(crate) fn plan_as_it_lies(repo: &Repo, state: &State) -> Result<transition::Document> {
    let Some((_, Some(bytes))) = repo.document_on_disk(state)? else {
        return Ok(transition::Document { lies: Lies::Gone, bytes: None });
    };
    let lies = match repo.read_document(state, &bytes).sound() {
        Some(total) => Lies::Sound { hash: hash(&bytes), total },
        None => Lies::Faulty,
    };
    Ok(transition::Document { lies, bytes: Some(bytes) })
}

/// The document's words for the text that opens the phase.
pub(crate) fn entry_from_plan(
    repo: &Repo,
    focused: &LoadedJob,
    dirs: &[String],
) -> Result<Option<FromPlan>> {
    let state = &focused.state;
    // The number fills a place in a text; the boundary that asks for it names what does not read.
    let total = || repo.plan_total(focused).unwrap_or_default();
    repo.words_of_plan(focused, &[ENTRY.to_owned()], |name| {
        Some(match name {
            "cycle" => state.stand.cycle.to_string(),
            "dirs" => dirs.join(", "),
            "job" => state.job.name.clone(),
            "phase" => state.stand.phase.to_string(),
            "run" => state.job.run.to_string(),
            "total" => total().map_or_else(String::new, |total| total.to_string()),
            _ => return None,
        })
    })
}

/// The first fault of a plan document that was just written, for whoever wrote it.
pub(crate) fn word_on_plan(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    // A word and no ruling: the gate that wants the document names one that does not read.
    let Checked { path, document, .. } = repo.document_now(&focused.state).ok()??;
    let fault = document.faults.into_iter().next()?;
    let mut facts = Facts::default();
    facts.set("file", path);
    facts.set("line", fault.line.to_string());
    facts.set("column", fault.column.to_string());
    facts.set("what", fault.what);
    Some(voice::open(Line::PlanFault, repo.row(Some(focused)).name.as_str(), &facts))
}

//! The words that a plan document has for where the job stands now, kept with the step.

use crate::engine::record::draft::StepDraft;
use crate::engine::repo::plan_file::{Injected, Injection};
use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::format::state::State;
use crate::plans::Pointer;
use crate::store::TreeEdit;

/// Writes the words for the place where the job stands now into its tree. A job whose
/// document has none there has no such file to read.
pub(crate) fn inject(
    repo: &Repo,
    chain: &str,
    state: &mut State,
    draft: &mut StepDraft,
) -> Result<()> {
    let had = std::mem::take(&mut state.plan.injects);
    let injection = injection_for(repo, chain, state, draft)?;
    let bytes = match &injection {
        Some(injection) => toml::to_string(injection)?.into_bytes(),
        None if had => Vec::new(),
        None => return Ok(()),
    };
    state.plan.injects = injection.is_some();
    draft.edits.push(TreeEdit::Put { path: names::INJECTION.to_owned(), bytes });
    Ok(())
}

fn injection_for(
    repo: &Repo,
    chain: &str,
    state: &State,
    draft: &StepDraft,
) -> Result<Option<Injection>> {
    let row = repo.row_of(state);
    if !matches!(state.plan.pointer, Pointer::Yaml(_)) || !row.is_in_cycle() {
        return Ok(None);
    }
    let bytes = match state.plan.frozen(state.stand.cycle) {
        Some(_) => {
            let new = draft.edits.iter().rev().find_map(|edit| match edit {
                TreeEdit::Put { path, bytes } if path == names::PLAN => Some(bytes.clone()),
                _ => None,
            });
            match (new, repo.store.tip(chain)?) {
                (Some(bytes), _) => Some(bytes),
                (None, Some(tip)) => repo.store.file(&tip, names::PLAN)?,
                (None, None) => None,
            }
        }
        None => repo.document_on_disk(state)?.and_then(|(_, bytes)| bytes),
    };
    // No document has no words.
    let document = bytes.map(|bytes| repo.read_document(state, &bytes)).unwrap_or_default();
    // Nothing of a document that does not read as a whole.
    if document.sound().is_none() {
        return Ok(None);
    }
    let own = |(id, words): (&str, &crate::plans::document::Words)| Injected {
        id: id.to_owned(),
        mode: words.mode,
        text: words.text.clone(),
    };
    let text: Vec<_> = document.words_for(state.stand.cycle, row.name.as_str()).map(own).collect();
    // The pointer names a YAML document here, as was asked above.
    let file = state.plan.pointer.path(&state.job.id.to_string()).unwrap_or_default();
    Ok((!text.is_empty()).then_some(Injection { file, text }))
}

//! What a run hands on to the next one, and the receipts that a step keeps.

use crate::claims::Ran;
use crate::format::context::Context;
use crate::format::state::State;
use crate::format::{evidence, fold::JournalLines, names};
use crate::phases::deeds::runs_code;
use crate::secrets::Masked;
use crate::store::{Store, StoreError, TreeEdit};

/// The receipts of a fold that stay with the job: those of code that ran. `step` is the number of
/// the step that keeps them.
pub(crate) fn kept(
    store: &Store,
    since: &JournalLines,
    step: u32,
) -> Result<Vec<TreeEdit>, StoreError> {
    let ran = since.lines.iter().filter_map(|one| Some((one.line.at, one.line.ran.as_ref()?)));
    let code = ran.filter(|(_, ran)| ran.run.is_some() || runs_code(&ran.line()));
    let put = |(nth, (at, ran)): (u32, (i64, &Ran))| {
        // It keeps the name that it has in the journal.
        let id = evidence::id(ran);
        store.keep_moment(&id, at)?;
        let ran = Ran { place: Some((step, nth)), ..ran.clone() };
        Ok(TreeEdit::Put { path: evidence::path(&id), bytes: evidence::write(&ran).into_bytes() })
    };
    (0..).zip(code).map(put).collect()
}

/// Adds a cycle to the run, and gives the file that says why.
pub(crate) fn add_cycle(state: &mut State, cycle: u32, why: &str) -> TreeEdit {
    state.plan.extension_cycles_added = state.plan.extension_cycles_added.saturating_add(1);
    let context = Context { run: state.job.run, cycle, text: Masked::new(why.trim()) };
    put_context(state, &context)
}

/// Moves the reasons that an older record kept in `job.toml` into files of their own.
pub(crate) fn move_contexts(state: &mut State) -> Vec<TreeEdit> {
    let old = std::mem::take(&mut state.plan.extension_contexts);
    let put = |text: &String| {
        let context = of_old_record(state, text);
        put_context(state, &context)
    };
    old.iter().map(put).collect()
}

fn put_context(state: &mut State, context: &Context) -> TreeEdit {
    state.plan.contexts += 1;
    TreeEdit::Put { path: names::context(state.plan.contexts), bytes: context.write().into_bytes() }
}

pub(crate) fn of_old_record(state: &State, text: &str) -> Context {
    Context { run: state.job.run, cycle: 0, text: Masked::new(text) }
}

//! What a step keeps of texts that others wrote: without likely secrets.
//!
//! Each step of a job goes through here before it is written, whoever decided on it. Files of the
//! job's tree are masked unless they stand in [`EXACT`]: those are compared byte by byte with the
//! work tree, or hold what git seed itself counted. What of the work tree goes into a commit is
//! judged at the boundary instead (`boundary/secrets.rs`).

use crate::engine::record::draft::StepDraft;
use crate::format::names;
use crate::format::state::State;
use crate::secrets::{self, Masked};
use crate::store::TreeEdit;

/// Files and directories of a job's tree that are kept as they are.
const EXACT: [&str; 19] = [
    names::STATE,
    names::FENCE,
    names::TOUCHED,
    names::PERSONS,
    names::ALLOWED,
    names::JOB_RULES,
    names::PLAN,
    names::FOOTERS,
    names::BASELINE,
    names::NOTES,
    names::INJECTION,
    names::TRACE,
    names::EVIDENCE,
    names::SCOPE,
    names::ACCEPTED,
    names::EXCLUDES,
    names::ATTRIBUTES,
    names::MADE,
    names::LANDED,
];

/// What of the work tree lies in the job's tree, with a number or a name behind it.
const OF_THE_TREE: [&str; 2] = ["run-", "taken"];

/// Takes likely secrets out of `state` and of what `draft` writes beside it.
pub(super) fn mask(state: &mut State, draft: &mut StepDraft) {
    let State { job, side_reason, by_word, .. } = state;
    secrets::mask_in(&mut job.name);
    secrets::mask_in(&mut job.objective);
    side_reason.iter_mut().chain(by_word).for_each(secrets::mask_in);
    secrets::mask_in(&mut draft.subject);
    secrets::mask_in(&mut draft.body);
    for edit in &mut draft.edits {
        if let TreeEdit::Put { path, bytes } = edit
            && !is_exact(path)
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            *bytes = Masked::new(text).into_string().into_bytes();
        }
    }
}

fn is_exact(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or(path);
    EXACT.contains(&top) || OF_THE_TREE.iter().any(|head| top.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_and_agents_said_is_masked_and_what_is_compared_is_not() {
        let masked = ["interactions/0001.md", "contexts/0001.md", "summaries/0001.md", "new/file"];
        assert!(masked.iter().all(|path| !is_exact(path)));
        let exact = ["job.toml", "trace/1-plan-3.jsonl", "run-1/compaction-1.md", "taken/a/b"];
        assert!(exact.iter().all(|path| is_exact(path)));
    }
}

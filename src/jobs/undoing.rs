//! When an operation cannot be undone, or done again.

use crate::jobs::JobId;
use crate::verdict::{Case, Refusal, Wants};

fn refused(case: Case, word: &str) -> Refusal {
    Refusal::new("undo", Wants::Edge).case(case).with("word", word)
}

/// There are fewer operations than were asked for; `left` is how many there are.
pub(crate) fn nothing_left(word: &str, left: usize) -> Refusal {
    match left {
        0 => refused(Case::UndoNothing, word),
        left => refused(Case::UndoFew, word).with("left", left.to_string()),
    }
}

/// `redo` does not lead to the operation `id`.
pub(crate) fn leads_elsewhere(id: &str) -> Refusal {
    refused(Case::UndoNotAhead, "redo").with("op", id)
}

/// The operation was done in another worktree.
pub(crate) fn of_another(word: &str, worktree: &str) -> Refusal {
    refused(Case::UndoOther, word).with("worktree", worktree)
}

/// Another worktree moved `what` since.
pub(crate) fn moved_since(word: &str, worktree: &str, what: &str, is_there: bool) -> Refusal {
    // One that is gone undoes nothing any more.
    let case = if is_there { Case::UndoMoved } else { Case::UndoMovedGone };
    refused(case, word).with("worktree", worktree).with("what", what)
}

/// Words of the job were taken away since.
pub(crate) fn redacted_since(word: &str, job: &JobId) -> Refusal {
    refused(Case::UndoRedacted, word).with("id", job.as_str())
}

/// Another worktree has the job in focus.
pub(crate) fn held(word: &str, job: &JobId, worktree: &str) -> Refusal {
    refused(Case::UndoHeld, word).with("id", job.as_str()).with("worktree", worktree)
}

/// A boundary or a landing is being made right now.
pub(crate) fn under_way(word: &str) -> Refusal {
    refused(Case::UndoBusy, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_decides_on_the_words() {
        assert_eq!(nothing_left("undo", 0).facts.case(), Some("undo-nothing"));
        let few = nothing_left("redo", 2);
        assert_eq!((few.facts.case(), few.wants), (Some("undo-few"), Wants::Edge));
    }
}

//! What the person's own hooks refused last, and whether that stands: a step that only keeps words
//! leaves it as it is.

use crate::engine::claims;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::journal::{Line, Refused, What};
use crate::format::trailers::StepTrailers;
use crate::jobs::routing::InteractionKind;
use crate::phases::gates;
use crate::verdict::Case;

/// The newest steps that are looked at for those that only keep words.
const OF_WORDS: usize = 16;

/// Behind it a hook may say something else: a file changed, or a person spoke.
pub(crate) fn may_change(line: &Line) -> bool {
    line.what == What::Prompt || line.what == What::After && !line.paths.is_empty()
}

/// What the person's own hooks refused last.
pub(crate) struct Vetoed {
    pub(crate) refused: Refused,
    /// Nothing happened since that could have changed it.
    pub(crate) stands: bool,
}

/// What the person's own hooks refused last, while no step was taken after it that did more than
/// keep words: an answer leaves it as it is.
pub(crate) fn vetoed(repo: &Repo, focused: &LoadedJob) -> Result<Option<Vetoed>> {
    let mut last: Option<Vetoed> = None;
    let from = focused.state.steps.saturating_sub(steps_of_words(repo, focused)?);
    claims::turn::each_line_since(repo, focused, from, |line| {
        let refused = line.refusal.as_ref().filter(|refused| refused.by == gates::VETO);
        if let Some(refused) = refused {
            last = Some(Vetoed { refused: refused.clone(), stands: true });
        } else if let Some(last) = last.as_mut().filter(|_| may_change(line)) {
            last.stands = false;
        }
    })?;
    Ok(last)
}

/// A hook or git itself refused the commit, and nothing happened since that could have changed it:
/// the same step, or the same question, ends as before.
pub(crate) fn is_unmended(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let plain = [Case::Veto, Case::VetoGit].map(|case| Some(case.word()));
    let last = vetoed(repo, focused)?.filter(|last| last.stands);
    Ok(last.is_some_and(|last| plain.contains(&last.refused.facts.case())))
}

/// How many of the newest steps only kept words.
fn steps_of_words(repo: &Repo, focused: &LoadedJob) -> Result<u32> {
    use InteractionKind::{Automation, Prompt, Question};
    let words = [Automation, Prompt, Question].map(InteractionKind::word);
    let steps = repo.store.history(&focused.chain, OF_WORDS)?;
    let named = steps.iter().map_while(|step| StepTrailers::read(&step.message));
    let kept = named.take_while(|named| words.contains(&named.step.as_str())).count();
    Ok(u32::try_from(kept).unwrap_or(u32::MAX))
}

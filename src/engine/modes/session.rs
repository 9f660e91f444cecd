//! A session begins or ends, where no job is kept.

use crate::engine::repo::{Repo, Result};
use crate::engine::{person, record, setup};
use crate::event::{Event, SessionSource};
use crate::format::watched::Happened;
use crate::hosts::Answer;
use crate::jobs::mode::Mode;
use crate::voice::{Notice, tell};

pub(crate) fn begins(repo: &Repo, event: &Event, source: &SessionSource) -> Result<Answer> {
    repo.require_seeded()?;
    let session = person::sender::begin_session(repo, event)?;
    record::identity::keep(repo)?;
    keep_base(repo, &event.session)?;
    record::watched::keep(repo, Happened::Begun, |line| {
        line.session.clone_from(&event.session);
        source.word().clone_into(&mut line.tool);
    })?;
    if repo.rules.mode == Mode::Watch {
        return Ok(Answer::silence());
    }
    let untold = || tell(Notice::SessionUntold, &[("by", session.untold.as_str())]);
    let to_person = (!session.untold.is_empty()).then(untold);
    let to_person =
        crate::engine::repo::text::merged(to_person, setup::git_hooks::word_on_hooks(repo));
    let scope = repo.rules.fence_scope.join(", ");
    let context = (!scope.is_empty()).then(|| tell(Notice::FenceScope, &[("scope", &scope)]));
    Ok(Answer { context, to_person, ..Answer::silence() })
}

/// Keeps the commit from which on the work of a session is measured, once.
pub(crate) fn keep_base(repo: &Repo, session: &str) -> Result<()> {
    if !record::said::of(repo, session)?.base.is_empty() {
        return Ok(());
    }
    let Some(head) = repo.store.head()?.commit else { return Ok(()) };
    record::said::change(repo, session, |said| said.base = head.to_string())
}

pub(crate) fn ends(repo: &Repo, event: &Event) -> Result<Answer> {
    record::watched::keep(repo, Happened::Ended, |line| line.session.clone_from(&event.session))?;
    if repo.is_own_session(event)? {
        record::said::forget(repo, &event.session)?;
    }
    person::sender::end_session(repo, event)?;
    Ok(Answer::silence())
}

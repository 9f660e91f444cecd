//! A job begins, or goes on, with what a client says over MCP.
//!
//! Its words are kept as `automation` of nobody: no word in them is a short word, names a verb of
//! git that is open then, or answers a question.

use crate::engine::repo::sessions::{Sender, is_same};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::unhooked::{HOST, Unhooked, note_call, require_phases, take_over};
use crate::engine::{briefing, jobs, person, record};
use crate::event::{EventKind, SessionSource};
use crate::format::interaction::Interaction;
use crate::hosts;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword::SaidLane;
use crate::voice::{Notice, tell};
use crate::world;

/// A call may come: phases are led here, no host above asks more of its agent, and the session is
/// recorded, so that its client is known for an agent from now on.
///
/// # Errors
///
/// Says why no phases are led here over MCP.
pub(crate) fn enter(repo: &Repo, own: &Unhooked) -> Result<()> {
    require_phases(repo)?;
    hooks_are_elsewhere(repo)?;
    if !repo.is_live(&own.id)? {
        let kind = EventKind::SessionStart { source: SessionSource::Startup };
        person::sender::begin_session(repo, &own.event("start", kind))?;
    }
    Ok(())
}

/// Begins a job with `objective`, or adds it to the one that this session may go on with; gives
/// what the agent is told.
pub(crate) fn start(repo: &Repo, own: &Unhooked, objective: &str, call: &str) -> Result<String> {
    record::identity::keep(repo)?;
    let mut head = Notice::UnhookedStarted;
    // Of two that begin at once one bears the job, and the other one goes on with it or is refused.
    let _alone = repo.store.lock()?;
    let told = match repo.focused()? {
        Some(focused) if focused.state.is_closing() => {
            let job = ("job", focused.state.job.name.as_str());
            return Err(EngineError::not_now(Notice::UnhookedCloses, &[job]));
        }
        Some(focused) => {
            take_over(repo, own, &focused)?;
            head = Notice::UnhookedGoesOn;
            add_words(repo, &focused.chain, objective)?;
            briefing::gather::where_it_stands(repo, &repo.require_focused()?)
        }
        None => {
            let text = record::interactions::kept_of(repo, objective);
            let (kind, provenance) =
                (InteractionKind::Automation, Sender::Nobody.text().to_owned());
            let words = Interaction { kind, at: repo.now, provenance, text };
            let driver = own.driver();
            let begins = SaidLane::Unsaid.into();
            let made = jobs::birth::create_from_prompts(repo, &words, &[], &driver, begins)?;
            briefing::talk::text(repo, &made.state)
        }
    };
    note_call(repo, own, "start", call)?;
    let focused = repo.require_focused()?;
    record::journal_line::count_injected(repo, &focused, &told)?;
    let head = tell(head, &[("job", &focused.state.job.name)]);
    Ok(format!("{head}\n{}", told.trim_end()))
}

/// A question of the agent's for the person is kept with the job; nothing answers it here.
pub(crate) fn ask(repo: &Repo, own: &Unhooked, question: &str, call: &str) -> Result<String> {
    let focused = super::own_job(repo, own)?;
    add_words(repo, &focused.chain, question)?;
    note_call(repo, own, "ask", call)?;
    Ok(tell(Notice::UnhookedAsked, &[]))
}

fn add_words(repo: &Repo, chain: &str, text: &str) -> Result<()> {
    let subject = tell(Notice::SubjectUnhookedWords, &[]);
    let kind = InteractionKind::Automation;
    record::interactions::add_interaction(repo, chain, kind, text, Sender::Nobody, &subject)
}

/// No host above this process runs git seed's hooks in this repository: they ask more of its agent
/// than this session would.
fn hooks_are_elsewhere(repo: &Repo) -> Result<()> {
    let above = world::ancestors();
    let hooked = repo.hosted().into_iter().find(|session| {
        let own = |process| above.iter().any(|up| is_same(up, process));
        session.host != HOST && session.process.as_ref().is_some_and(own)
    });
    let Some(session) = hooked else { return Ok(()) };
    let title = hosts::row(&session.host).map_or(session.host.as_str(), |row| &row.title);
    Err(EngineError::not_now(Notice::UnhookedHooked, &[("title", title)]))
}

//! Answers one event of a host.
//!
//! Before a tool: gather, judge, answer; a call that passes writes nothing, but for what the
//! fence keeps of its look before one that may write. After it: one journal line, and the
//! tree fence after a shell call. What breaks in here never
//! refuses by accident: the act goes ahead, loudly, to the person. Only state that is
//! there and does not hold makes writes and code wait, with the command that mends it.

pub(crate) mod after;
pub(crate) mod before;
pub(crate) mod changes;
pub(crate) mod compacted;
pub(crate) mod first_time;
pub(crate) mod footer_loss;
pub(crate) mod handed;
pub(crate) mod last_words;
pub(crate) mod once;
pub(crate) mod scene;
pub(crate) mod session;
pub(crate) mod stop;

use crate::engine::hook::after::as_given;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::text::merged;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::untold::{self, Part};
use crate::engine::{
    approving, boundary, claims, cut_short, hook, jobs, memory, ops, other_line, person, record,
    setup, sync, texts, tokens,
};
use crate::event::{Actor, Event, EventKind};
use crate::format::journal::{Linked, What};
use crate::hosts::{Answer, Host};
use crate::phases::guard;
use crate::verdict::Refusal;
use crate::voice::{self, Notice};

/// The newest lines of the journal among which a refused stop is looked for.
const RECENT: usize = 64;

/// Answers `event`.
pub(crate) fn answer(repo: &Repo, host: &Host, event: &Event) -> Answer {
    if !repo.is_on() {
        return person::short_words::heard_while_off(repo, host, event)
            .unwrap_or_else(|error| in_trouble(repo, event, &error));
    }
    let followed = finish_first(repo, event);
    let answered = followed.and_then(|()| {
        let untold = of_untold(repo, event);
        // What is in the way of it leaves it to the next event.
        let left = cut_short::finish(repo, host, event).unwrap_or_default();
        let woken = merged(untold, compacted::heard(repo, host, event)?);
        let answer = answer_kind(repo, host, event)?;
        let context = merged(left.context, merged(woken, answer.context));
        Ok(Answer { context, to_person: merged(left.to_person, answer.to_person), ..answer })
    });
    let answered = answered.and_then(|answer| ops::told::also(repo, event, answer));
    let answered = answered.and_then(|answer| also_let_go(repo, event, answer));
    let answered = answered.map(|answer| setup::grants::by_path(repo, host, event, answer));
    answered.unwrap_or_else(|error| in_trouble(repo, event, &error))
}

/// A boundary that was stopped behind its commit takes its step before the event takes one of its
/// own, whose id would then stand where the commit's is expected; a job that ended and was not
/// closed is; a job follows its branch where a person rewrote it. Before a tool nothing is written;
/// after one the job is at hand, and follows there.
fn finish_first(repo: &Repo, event: &Event) -> Result<()> {
    if !matches!(event.kind, EventKind::Before(_))
        && record::pending_file::is_there(repo)
        && repo.is_seeded()?
    {
        // What stands in its way is told by the next command; the event is answered all the same.
        let _ = boundary::cross::finish_pending(repo);
    }
    if !matches!(event.kind, EventKind::Before(_)) {
        ops::carry::finish(repo)?;
    }
    let opens = matches!(event.kind, EventKind::Prompt { .. } | EventKind::SessionStart { .. });
    let ends = matches!(event.kind, EventKind::Stop { .. } | EventKind::SessionEnd { .. });
    if !(opens || ends) || !repo.is_seeded()? {
        return Ok(());
    }
    sync::join::journal::finish(repo)?;
    // What stands in its way is told by doctor; the event is answered all the same.
    let _ = texts::redact::finish(repo);
    let _ = approving::finish(repo);
    boundary::cross::finish_closing(repo)?;
    let _ = jobs::archive_check::finish(repo);
    if opens { record::rewritten::relink(repo) } else { Ok(()) }
}

/// What the agent hears of a step whose command was killed before it could print.
fn of_untold(repo: &Repo, event: &Event) -> Option<String> {
    let (part, works) = match &event.kind {
        EventKind::After { call, .. } => (Part::Whole, !after::only_seed(&call.act, false)),
        EventKind::Prompt { .. } => (Part::Whole, false),
        // The text of the phase opens the session as well.
        EventKind::SessionStart { .. } => (Part::Line, false),
        _ => return None,
    };
    if event.by != Actor::Main || !untold::is_there(repo) {
        return None;
    }
    let told = || -> Result<Option<String>> {
        // A guest does not go on with the work.
        if let Some(focused) = repo.focused()?
            && repo.is_guest(&focused, event)?
        {
            return Ok(None);
        }
        untold::told(repo, part, works)
    };
    // The event is answered without it: the step stands in the log.
    told().unwrap_or_default()
}

/// Says that another clone took over the job which was in focus here, once.
fn also_let_go(repo: &Repo, event: &Event, answer: Answer) -> Result<Answer> {
    let kinds = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::Prompt { .. } | EventKind::Stop { .. } | EventKind::SessionStart { .. }
        )
    };
    if !kinds(&event.kind) || !repo.is_seeded()? {
        return Ok(answer);
    }
    let Some(told) = sync::join::leave::told(repo)? else { return Ok(answer) };
    sync::join::leave::heard(repo)?;
    let context = match event.kind {
        // A stop has no room for a word to the agent.
        EventKind::Stop { .. } => answer.context,
        _ => merged(answer.context, Some(told.clone())),
    };
    Ok(Answer { context, to_person: merged(answer.to_person, Some(told)), ..answer })
}

fn answer_kind(repo: &Repo, host: &Host, event: &Event) -> Result<Answer> {
    if repo.is_seeded()? {
        setup::heartbeat::beat(repo, host, event);
        tokens::hear(repo, host, event);
    }
    match &event.kind {
        EventKind::Before(call) => hook::before::before(repo, host, event, call),
        EventKind::After { call, outcome } => {
            other_line::heard(repo, host, event, call)?;
            let given = as_given(call);
            let event = claims::started::as_begun(repo, event, call);
            hook::after::after(repo, host, &event, given.as_ref().unwrap_or(call), outcome)
        }
        // What a host gives back as a prompt was said by us: it is nobody's word, and no work.
        EventKind::Prompt { text, .. } if host.echoes(text) || came_back(repo, text) => {
            Ok(Answer::silence())
        }
        EventKind::Prompt { text, automation } => {
            prompt(repo, host, event, (text.as_str(), *automation))
        }
        EventKind::SessionStart { source } => hook::session::session_start(repo, event, source)
            .map(|answer| {
                let context = merged(answer.context, memory::host_notes::word_on_notes(repo, host));
                let to_person = merged(answer.to_person, setup::git_hooks::word_on_hooks(repo));
                let to_person = merged(to_person, setup::heartbeat::word_on_version(repo, host));
                Answer { context, to_person, ..answer }
            }),
        EventKind::SessionEnd { .. } => hook::session::session_end(repo, event),
        EventKind::Stop { waiting, commands, .. } => {
            record::journal_line::commands_ended(repo, event, *commands).and_then(|()| {
                // First: a stop that is let go may close what tests belong to.
                let tests = claims::checkers::tests_of_turn(repo, host, event, *waiting);
                // What goes wrong with them lets no turn go.
                let tests =
                    tests.unwrap_or_else(|error| Some(in_words(Notice::TestsTrouble, &error)));
                let answer = hook::stop::stop(repo, event, *waiting)?;
                Ok(Answer { to_person: merged(tests, answer.to_person), ..answer })
            })
        }
        EventKind::SubagentStart { id, agent } => {
            hook::session::subagent(repo, |counts| counts.activity.began(id, agent))
        }
        EventKind::SubagentStop { id, agent, .. } => {
            memory::note_agents::subagent_ends(repo, event, id, agent).and_then(|answer| {
                if answer.refuse.is_none() {
                    claims::turn::attest_subagent(repo, event, id, agent)?;
                }
                Ok(answer)
            })
        }
        EventKind::Compact { done: false } => claims::turn::keep_standing(repo, event)
            .and_then(|()| memory::compaction::before_compaction(repo, event))
            .map(|told| match told {
                Some(told) => Answer::to_person(told),
                None => Answer::silence(),
            }),
        EventKind::Compact { done: true } | EventKind::Other => Ok(Answer::silence()),
    }
}

/// A prompt, and word of it on the disk while a kill could leave a part of it undone.
fn prompt(
    repo: &Repo,
    host: &Host,
    event: &Event,
    (text, automation): (&str, bool),
) -> Result<Answer> {
    // What is in the way of that is in the way of the prompt as well, which tells of it.
    let noted = !automation && cut_short::begin(repo, event, text).unwrap_or(false);
    let answer = person::prompt::prompt(repo, host, event, text, automation)?;
    if noted {
        cut_short::done(repo)?;
    }
    person::prompt::prompted(repo, event, text, answer)
}

/// What is answered when git seed itself could not.
fn in_trouble(repo: &Repo, event: &Event, error: &EngineError) -> Answer {
    let refusal = Refusal::broken("state", error);
    match &event.kind {
        EventKind::Before(call) if error.is_chosen() => {
            if guard::looks(&call.act) {
                return Answer::to_person(in_words(Notice::HookTrouble, error));
            }
            hook::before::refuse_unjudged(repo, None, call, guard::unjudged(error))
        }
        EventKind::Stop { again: false, .. } if error.is_chosen() => {
            Answer::refuse(voice::say(&guard::unjudged(error), "").text())
        }
        _ if !error.is_damage() => {
            // The person is told below; a line in the journal comes on top where one can be
            // written.
            let focused = repo.focused().ok().flatten();
            let _ = record::journal_line::note(repo, focused.as_ref(), |line| {
                line.what = What::Trouble;
            });
            let to_person = Some(in_words(Notice::HookTrouble, error));
            // Else the agent hears later that no job is active, and not why.
            let of_prompt = || in_words(Notice::HookTroubleOfPrompt, error);
            let context = matches!(event.kind, EventKind::Prompt { .. }).then(of_prompt);
            Answer { context, to_person, ..Answer::silence() }
        }
        EventKind::Before(call) if !guard::looks(&call.act) => {
            Answer::refuse(voice::say(&refusal, "").text())
        }
        // Nothing can be counted over damage: a host that asks again is let go.
        EventKind::Stop { again: false, .. } => Answer::refuse(voice::say(&refusal, "").text()),
        EventKind::Before(_) => Answer::silence(),
        _ => Answer::to_person(in_words(Notice::HookDamage, error)),
    }
}

/// A call of `event` whose payload does not read: refused where a call was to be judged, since
/// what it does cannot be told.
pub(crate) fn unread(repo: &Repo, event: &Event, bad: &dyn std::fmt::Display) -> Answer {
    let seeded = repo.is_on() && repo.is_seeded().unwrap_or(true);
    match &event.kind {
        EventKind::Before(call) if seeded => {
            hook::before::refuse_unjudged(repo, None, call, guard::unjudged(bad))
        }
        _ => Answer::silence(),
    }
}

/// The text is that of a stop that was refused here since the last step.
fn came_back(repo: &Repo, text: &str) -> bool {
    // A journal that does not read tells nothing; the prompt is judged as any.
    let lines = repo.store.journal().all().unwrap_or_default();
    let refused = |line: &Vec<u8>| {
        Linked::read(line)
            .is_ok_and(|read| read.line.what == What::Kept && read.line.call == text_hash(text))
    };
    lines.iter().rev().take(RECENT).any(refused)
}

fn in_words(notice: Notice, error: &EngineError) -> String {
    voice::tell(notice, &[("error", &error.to_string())])
}

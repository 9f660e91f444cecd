//! What a person's short word does, before the agent reads the prompt that it heads.
//!
//! The prompt hook alone comes here, and only with a prompt that it found to be a
//! person's: no command and no tool leads to any of this. Each word is kept with the job
//! as it was said, and the person hears in one line what it did.

use crate::engine::person::spoken::{Spoken, Told, hand_on, keep_word};
use crate::engine::record::draft::By;
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{boundary, briefing, jobs, person, record};
use crate::event::{Actor, Event, EventKind};
use crate::hosts::{Answer, Host};
use crate::jobs::shortword::{self, ShortWord};
use crate::jobs::{JobId, Status, questions};
use crate::rules::Unattended;
use crate::voice::{self, Notice, tell};

/// Acts on the short word at the head of a person's prompt, and hands the prompt on.
pub(crate) fn short_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    short: &ShortWord,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    if spoken.guest
        && let Some(focused) = focused
        && matches!(
            short,
            ShortWord::Quick
                | ShortWord::Full
                | ShortWord::Track(_)
                | ShortWord::Allow(_)
                | ShortWord::AllowGit(_)
                | ShortWord::Allows { .. }
                | ShortWord::Pause
                | ShortWord::Resume(_)
                | ShortWord::Approve(None)
                | ShortWord::Drop(None)
        )
    {
        let name = &focused.state.job.name;
        let told = tell(Notice::WordOfGuest, &[("job", name), ("word", &short.to_string())]);
        return Ok(Told::person(told).alone());
    }
    match short {
        ShortWord::Quick | ShortWord::Full | ShortWord::Track(_) => {
            person::track_word::chosen(repo, spoken, short, rest, focused)
        }
        ShortWord::Allow(_) | ShortWord::AllowGit(_) | ShortWord::Allows { .. } => {
            person::allow_word::opened(repo, spoken, short, rest, focused)
        }
        ShortWord::Pause => pause_word(repo, spoken, focused),
        ShortWord::Drop(id) => drop_word(repo, spoken, id.as_ref(), rest, focused),
        ShortWord::Off => off_word(repo, spoken, rest, focused),
        ShortWord::Resume(named) => {
            person::resume_word::resume_word(repo, spoken, named.as_deref(), rest, focused)
        }
        ShortWord::On if focused.is_none() => {
            person::resume_word::resume_word(repo, spoken, None, rest, None)
        }
        ShortWord::On => {
            let told = Told::person(tell(Notice::OnAlready, &[]));
            hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer))
        }
        ShortWord::Mode(mode) => person::mode_word::mode_word(repo, spoken, *mode, rest, focused),
        ShortWord::Approve(None) => approve_word(repo, spoken, focused),
        ShortWord::Approve(Some(job)) => approve_other(repo, spoken, job, focused),
        ShortWord::Join => join_word(repo, spoken, rest, focused),
        ShortWord::Ok { command, code } => {
            person::at_terminal::hear(repo, spoken, (command, code), rest, focused)
        }
    }
}

/// What a person is told of a short word that stands behind another one: it does nothing there.
pub(crate) fn behind(repo: &Repo, rest: &str) -> Option<String> {
    let (word, _) = repo.rules.short_word(rest)?;
    Some(format!("git seed: {}", tell(Notice::WordBehind, &[("word", &word.to_string())])))
}

/// What a person is told whose prompt begins with what is nearly a word.
pub(crate) fn nearly(text: &str) -> Option<String> {
    let (said, word) = shortword::nearly(text)?;
    Some(tell(Notice::WordNearly, &[("said", &said), ("word", word)]))
}

/// The one word that is heard while discipline is off.
pub(crate) fn heard_while_off(repo: &Repo, host: &Host, event: &Event) -> Result<Answer> {
    let EventKind::Prompt { text, automation: false } = &event.kind else {
        return Ok(Answer::silence());
    };
    let word = shortword::read(text);
    let Some((short @ (ShortWord::On | ShortWord::Mode(_) | ShortWord::Ok { .. }), rest)) = word
    else {
        return Ok(Answer::silence());
    };
    if event.by != Actor::Main || !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    repo.require_seeded()?;
    let word = person::sender::word(repo, host, event)?;
    if !word.is_persons() || was_ever_scheduled(repo, text)? {
        return Ok(Answer::silence());
    }
    let focused = repo.focused()?;
    let guest = focused.as_ref().map_or(Ok(false), |focused| repo.is_guest(focused, event))?;
    let spoken = Spoken { event, text, word, guest };
    if let ShortWord::Ok { command, code } = &short {
        return person::at_terminal::hear(repo, &spoken, (command, code), rest, focused.as_ref());
    }
    jobs::lifecycle::switch_on(repo)?;
    let focused = repo.focused()?;
    // Where that is the mode already, being on again is the news.
    if let ShortWord::Mode(mode) = short
        && mode != repo.rules.mode
    {
        return person::mode_word::mode_word(repo, &spoken, mode, rest, focused.as_ref());
    }
    if !repo.rules.mode.keeps_jobs() {
        return Ok(Told::person(tell(Notice::OnAgain, &[])).alone());
    }
    if focused.is_none() && !jobs::birth::paused_here(repo)?.is_empty() {
        return person::resume_word::resume_word(repo, &spoken, None, rest, None)
            .map(|answer| Told::person(tell(Notice::OnAgain, &[])).before(answer));
    }
    let told = match &focused {
        Some(focused) if !guest && !focused.state.stand.is_talk() => {
            let agent = format!(
                "{}\n{}",
                tell(Notice::OnToAgent, &[]),
                briefing::gather::entry_text(repo, focused)
            );
            record::journal_line::count_injected(repo, focused, &agent)?;
            Told::both(tell(Notice::OnAgain, &[]), agent)
        }
        _ => Told::person(tell(Notice::OnAgain, &[])),
    };
    hand_on(repo, &spoken, rest, focused.as_ref()).map(|answer| told.before(answer))
}

/// Some job's agent gave this text to a scheduling tool, whichever job is focused now.
pub(crate) fn was_ever_scheduled(repo: &Repo, text: &str) -> Result<bool> {
    for job in repo.jobs()? {
        if repo.was_scheduled(&job, text)? {
            return Ok(true);
        }
    }
    record::archive::closed_scheduled(repo, &repo::journal::text_hash(text))
}

fn pause_word(repo: &Repo, spoken: &Spoken<'_>, focused: Option<&LoadedJob>) -> Result<Answer> {
    let Some(focused) = focused else {
        return Ok(Told::person(tell(Notice::PauseWithoutJob, &[])).alone());
    };
    keep_word(repo, spoken, focused)?;
    let job = &focused.state.job;
    if job.status != Status::Active {
        let told =
            tell(Notice::PauseNotActive, &[("job", &job.name), ("status", job.status.word())]);
        return Ok(Told::person(told).alone());
    }
    let rests = jobs::lifecycle::pause_job(repo, By::Person)?;
    let left = jobs::uncommitted::told(repo, &rests)?;
    let facts = [("job", &*job.name), ("id", job.id.as_str()), ("left", &*left)];
    let person = tell(Notice::Paused, &facts);
    let agent = tell(Notice::PausedToAgent, &[]);
    Ok(Told::both(person, agent).alone())
}

/// The one job that a person's word paused here, or else the one that awaits the person.
fn rests_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    let mut rests = jobs::birth::paused_here(repo)?;
    if rests.is_empty() {
        rests = jobs::unattended::awaiting(repo)?;
    }
    Ok(if rests.len() == 1 { rests.pop() } else { None })
}

fn drop_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    id: Option<&JobId>,
    why: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    // A job that cannot be read is answered as one that is not there: nothing is dropped.
    let named = id.map(|id| repo.job(id).ok().ok_or(id)).transpose();
    let job = match named {
        Err(id) => {
            let told = tell(Notice::DropUnknown, &[("id", id.as_str())]);
            return Ok(Told::person(told).alone());
        }
        Ok(named) => named.or_else(|| focused.cloned()),
    };
    // The one job that rests here is meant: right after a pause, or when it awaits a word.
    let job = match job {
        None => rests_here(repo)?,
        job => job,
    };
    let Some(job) = job else {
        return Ok(Told::person(tell(Notice::DropWithoutJob, &[])).alone());
    };
    let here = focused.is_some_and(|focused| focused.chain == job.chain);
    if here && spoken.guest {
        let (name, word) = (job.state.job.name.as_str(), ShortWord::Drop(None).to_string());
        let told = tell(Notice::WordOfGuest, &[("job", name), ("word", &word)]);
        return Ok(Told::person(told).alone());
    }
    // Over a journal that does not read the words stand in the step that drops, and there alone.
    let kept = !job.archived && (!here || job.activity.is_ok());
    if kept {
        keep_word(repo, spoken, &job)?;
    }
    // Steps travel; the words of a prompt lie beside them, and go when they are redacted.
    let said = Some(why).filter(|why| !why.is_empty() && !kept);
    let why = said.map_or_else(|| tell(Notice::SubjectDropped, &[]), str::to_owned);
    Ok(match jobs::dropping::drop_job(repo, Some(&job.state.job.id), &why)? {
        Ok(dropped) if here => Told::both(dropped.told(), tell(Notice::DroppedToAgent, &[])),
        Ok(dropped) => Told::person(dropped.told()),
        Err(refusal) => Told::person(voice::say(&refusal, "idle").why),
    }
    .alone())
}

fn off_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    if let Some(focused) = focused {
        keep_word(repo, spoken, focused)?;
    }
    switched_off(repo, rest)
}

/// Switches discipline off by a person's word, and says so to both.
pub(crate) fn switched_off(repo: &Repo, why: &str) -> Result<Answer> {
    jobs::lifecycle::switch_off(repo, if why.is_empty() { "by prompt" } else { why })?;
    Ok(Told::both(tell(Notice::Off, &[]), tell(Notice::OffToAgent, &[])).alone())
}

/// `[OFF]`, where rules or state do not read: a person can end git seed's work over any damage.
pub(crate) fn off_over_damage(
    repo: &Repo,
    host: &Host,
    event: &Event,
    text: &str,
) -> Result<Option<Answer>> {
    let Some((ShortWord::Off, rest)) = shortword::read(text) else { return Ok(None) };
    if event.by != Actor::Main || !person::sender::word(repo, host, event)?.is_persons() {
        return Ok(None);
    }
    switched_off(repo, rest).map(Some)
}

fn join_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let Some(job) = focused.filter(|_| spoken.guest) else {
        let told = match focused {
            Some(job) => tell(Notice::JoinedAlready, &[("job", &job.state.job.name)]),
            None => tell(Notice::JoinWithoutJob, &[]),
        };
        return hand_on(repo, spoken, rest, focused)
            .map(|answer| Told::person(told).before(answer));
    };
    keep_word(repo, spoken, job)?;
    jobs::birth::take_over(repo, &job.chain, &spoken.driver())?;
    let agent = format!(
        "{}\n{}",
        tell(Notice::JoinedToAgent, &[]),
        briefing::gather::entry_text(repo, job)
    );
    record::journal_line::count_injected(repo, job, &agent)?;
    let person = tell(Notice::Joined, &[("job", &job.state.job.name)]);
    Ok(Told::both(person, agent).alone())
}

fn approve_word(repo: &Repo, spoken: &Spoken<'_>, focused: Option<&LoadedJob>) -> Result<Answer> {
    // Talk has nothing to approve, and what rests has. Beside work no other job is asked for: one
    // that does not read is not in its way.
    let waiting = match focused {
        Some(job) if !job.state.stand.is_talk() => Vec::new(),
        _ => jobs::unattended::awaiting(repo)?,
    };
    let Some(job) = focused.filter(|_| waiting.is_empty()) else {
        return match waiting.as_slice() {
            [] => Ok(Told::person(tell(Notice::ApproveWithoutJob, &[])).alone()),
            [one] => approve_other(repo, spoken, one.state.job.id.as_str(), None),
            several => {
                let said = jobs::unattended::which_one(several);
                Ok(Told::person(said).alone())
            }
        };
    };
    keep_word(repo, spoken, job)?;
    if let Some(told) = does_not_count(repo, spoken.word) {
        return Ok(told.alone());
    }
    let moment = person::ask::completion_moment(repo, job);
    if let Some(refusal) = questions::too_soon(&moment) {
        let asks = repo.focused()?.map_or(Ok(false), |now| boundary::ahead::is_next(repo, &now))?;
        let refusal = if asks { questions::asked_first() } else { refusal };
        let said = voice::say(&refusal, repo.row(Some(job)).name.as_str());
        let person = tell(Notice::ApproveTooSoon, &[("why", &said.why)]);
        let agent = tell(Notice::ApproveTooSoonToAgent, &[("why", &said.why), ("do", &said.do_)]);
        return Ok(Told::both(person, agent).alone());
    }
    let heard = person::answers::approve_or_tell(repo, &job.chain)?;
    person::sender::keep_unattended(repo, spoken.word, "[APPROVE]", &heard);
    Ok(match heard {
        PersonReply::Done(text) => {
            // On the small lane the approval closed the cycle, too.
            let open = repo.job(&job.state.job.id).is_ok_and(|now| now.state.is_closing());
            let told = if open { Notice::ApprovedHere } else { Notice::ApprovedClosed };
            let name = &job.state.job.name;
            Told::both(tell(told, &[("job", name)]), format!("{text}."))
        }
        PersonReply::NotCounted(why) => {
            Told::both(tell(Notice::ApprovedNothing, &[("why", &why)]), why)
        }
        PersonReply::Kept => Told::person(tell(Notice::ApprovedNot, &[])),
    }
    .alone())
}

fn approve_other(
    repo: &Repo,
    spoken: &Spoken<'_>,
    written: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    // A job that cannot be read is answered as one that is not there: nothing is approved.
    let job = written.parse::<JobId>().ok().and_then(|id| repo.job(&id).ok());
    let Some(job) = job else {
        let told = tell(Notice::ApproveUnknown, &[("id", written)]);
        return Ok(Told::person(told).alone());
    };
    if focused.is_some_and(|focused| focused.chain == job.chain) {
        if spoken.guest {
            let told = tell(Notice::ApproveOfGuest, &[]);
            return Ok(Told::person(told).alone());
        }
        return approve_word(repo, spoken, focused);
    }
    // A closed job takes no words any more; end_awaiting says what it is.
    if !job.archived {
        keep_word(repo, spoken, &job)?;
    }
    if let Some(told) = does_not_count(repo, spoken.word) {
        return Ok(told.alone());
    }
    let heard = jobs::unattended::end_awaiting(repo, &job)?;
    person::sender::keep_unattended(repo, spoken.word, "[APPROVE]", &heard);
    let told = match heard {
        PersonReply::Done(text) => text,
        PersonReply::NotCounted(why) => tell(Notice::ApprovedNothing, &[("why", &why)]),
        PersonReply::Kept => tell(Notice::ApprovedNot, &[]),
    };
    Ok(Told::person(told).alone())
}

/// Why an approval of this provenance does not count, if it does not.
fn does_not_count(repo: &Repo, word: Sender) -> Option<Told> {
    let refused = word == Sender::Unattended && repo.rules.unattended == Unattended::Refuse;
    refused.then(|| Told::person(tell(Notice::ApproveUnattended, &[])))
}

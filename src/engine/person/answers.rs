//! Answers of a person: the only thing that approves, and the only thing that opens the side lane.
//!
//! An answer counts when the question went out in its literal shape (the journal has the line of
//! that very call), when it came back from the session's own host process, and when it is the
//! literal answer. Whether one counts that came while nobody sat there is for the rules to say.

use crate::engine::boundary::ahead::Answering;
use crate::engine::person::closing::Approval;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::interactions::{Said, trace_number};
use crate::engine::record::step::TOUCHED;
use crate::engine::repo::answer::{Answered, PersonReply};
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::texts::Of;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{approving, boundary, fence, jobs, judge, landing, memory, person, record};
use crate::event::{Answer, Event, ToolCall};
use crate::format::fold::PREP;
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::{Prep, State};
use crate::hosts::Host;
use crate::jobs::questions::{self, Admitted, Grant, Registered};
use crate::jobs::routing::InteractionKind;
use crate::jobs::summary;
use crate::phases::criteria;
use crate::phases::message::Message;
use crate::phases::review::{Reply, Review};
use crate::phases::{PhaseKind, commands};
use crate::rules::Unattended;
use crate::secrets::Masked;
use crate::store::TreeEdit;
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

/// Hears the answers of `call`.
pub(crate) fn hear_answers(
    repo: &Repo,
    host: &Host,
    event: &Event,
    call: &ToolCall,
    answers: &[Answer],
) -> Result<PersonReply> {
    let word = person::sender::word(repo, host, event)?;
    if let Some(heard) = hear_late(repo, call, answers, word)? {
        return Ok(heard);
    }
    let Some(focused) = repo.focused()? else { return Ok(untagged(answers)) };
    let mut heard = untagged(answers);
    for answer in answers {
        let first = keep_answer(repo, &focused.chain, call, answer, word)?;
        if let Some(registered) = Registered::of(&answer.question).filter(|row| row.decides()) {
            let came = AnswerToCall { host, event, call, answer, sender: word, first };
            heard = hear(repo, &focused.chain, registered, &came)?;
        }
    }
    Ok(heard)
}

/// The literal answer to a question that only looked like the registered one: nothing comes of it,
/// which both hear.
fn untagged(answers: &[Answer]) -> PersonReply {
    let hangs =
        |answer: &&Answer| Registered::of(&answer.question).is_some_and(Registered::decides);
    let free = answers.iter().filter(|answer| !hangs(answer));
    for Answer { answer, .. } in free {
        if let Some(row) = Registered::meant_by(answer) {
            let facts = [("said", answer.trim()), ("tag", row.tag.as_str())];
            return PersonReply::NotCounted(tell(Notice::AnswerUntagged, &facts));
        }
    }
    PersonReply::Kept
}

/// The answer that approves a job which came to rest while its question was still open: the agent
/// closed the cycle beside it. It counts as it would have counted there.
fn hear_late(
    repo: &Repo,
    call: &ToolCall,
    answers: &[Answer],
    sender: Sender,
) -> Result<Option<PersonReply>> {
    let [answer] = answers else { return Ok(None) };
    let row = Registered::of(&answer.question).filter(|row| row.grants == Grant::Complete);
    let Some((row, named)) = row.and_then(|row| Some((row, row.granted(&answer.answer)?))) else {
        return Ok(None);
    };
    let asked = [row.tag.as_str(), &text_hash(&answer.question), named];
    for job in jobs::unattended::awaiting(repo)? {
        // By its own trace alone: the journal is that of the job in focus, which asks for itself.
        if !its_trace_has(repo, &job.chain, call, &asked)? {
            continue;
        }
        if let Some(why) = is_no_persons(repo, answer, sender) {
            return Ok(Some(PersonReply::NotCounted(tell(why, &[]))));
        }
        keep_answer(repo, &job.chain, call, answer, sender)?;
        let heard = jobs::unattended::end_awaiting(repo, &job)?;
        person::sender::keep_unattended(repo, sender, &answer.answer, &heard);
        return Ok(Some(heard));
    }
    Ok(None)
}

/// Keeps an answer with the job; `false` if an answer of this call that counts was kept before.
pub(super) fn keep_answer(
    repo: &Repo,
    chain: &str,
    call: &ToolCall,
    answer: &Answer,
    word: Sender,
) -> Result<bool> {
    const MOST: usize = 16;
    let text = format!("{}{}{}", answer.question, summary::ANSWER, answer.answer);
    let mut first = true;
    let (kind, subject) = (InteractionKind::Question, "question answered");
    let said = Said { kind, text: &text, sender: word, subject };
    record::interactions::keep_words(repo, chain, &said, |state| {
        // Where a host gives calls no id, a question of this turn is asked again until one grants.
        let of_turn = || format!("{} {}", text_hash(&answer.question), state.turn);
        let id = if call.id.is_empty() { of_turn() } else { call.id.clone() };
        first = !state.answered.contains(&id);
        let grants =
            person::granting::grants(answer) && is_no_persons(repo, answer, word).is_none();
        if first && (!call.id.is_empty() || grants) {
            state.answered.push(id);
            let old = state.answered.len().saturating_sub(MOST);
            state.answered.drain(..old);
        }
    })?;
    Ok(first)
}

/// Adds what a person or a host prompted: a turn begins with it.
pub(crate) fn add_prompt(
    repo: &Repo,
    chain: &str,
    kind: InteractionKind,
    text: &str,
    word: Sender,
) -> Result<()> {
    // The step of the prompt itself is the first of the turn.
    let speaks = kind == InteractionKind::Prompt && word.is_persons();
    let now = repo.focused()?.filter(|now| speaks && now.chain == chain);
    let unasked = now.is_some_and(|now| jobs::ending::asks_nobody(repo, &now));
    let begins = |state: &mut State| {
        state.turn = state.steps + 1;
        if unasked {
            state.review = Review::Spoken;
        } else if speaks {
            // A question that was asked ahead and that nobody answered is over with their words.
            let row = repo.map(&state.stand).phase(&state.stand.phase);
            let ahead = row.is_some_and(|row| repo.map(&state.stand).asks_ahead(row));
            state.review = if ahead { Review::Unasked } else { state.review.heard() };
        }
    };
    let said = Said { kind, text, sender: word, subject: "words for the job" };
    record::interactions::keep_words(repo, chain, &said, begins)
}

/// An answer, with the call that asked and whoever gave it.
struct AnswerToCall<'a> {
    host: &'a Host,
    event: &'a Event,
    call: &'a ToolCall,
    answer: &'a Answer,
    sender: Sender,
    /// No answer of this call came before.
    first: bool,
}

/// Does what a registered question grants, where the answer counts.
fn hear(
    repo: &Repo,
    chain: &str,
    registered: &Registered,
    came: &AnswerToCall<'_>,
) -> Result<PersonReply> {
    let AnswerToCall { call, answer, sender, first, .. } = *came;
    let not = |why| Ok(PersonReply::NotCounted(tell(why, &[])));
    let Some(named) = registered.granted(&answer.answer) else {
        return not_granted(repo, chain, registered, came);
    };
    if let Some(why) = is_no_persons(repo, answer, sender) {
        return not(why);
    }
    let asked = [registered.tag.as_str(), &text_hash(&answer.question), named];
    if !was_asked(repo, chain, call, &asked)? {
        return not(Notice::AnswerNotAsked);
    }
    if !first {
        return not(Notice::AnswerAgain);
    }
    if registered.grants == Grant::Complete
        && let Some(not) = not_settled(repo, chain, came)?
    {
        return Ok(not);
    }
    let heard = grant(repo, chain, registered, answer, named)?;
    person::sender::keep_unattended(repo, sender, &answer.answer, &heard);
    Ok(heard)
}

/// Whatever a person answers to the question for completion: asked where the work was done, it
/// takes the steps to where it is decided first.
fn not_settled(repo: &Repo, chain: &str, came: &AnswerToCall<'_>) -> Result<Option<PersonReply>> {
    let AnswerToCall { host, event, answer, .. } = *came;
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == chain) else {
        return Ok(None);
    };
    let answering = Answering { host, dir: &event.cwd, most: repo.patience(host, &event.name) };
    let taken = boundary::ahead::take(repo, &focused, &answer.question, &answering)?;
    Ok(taken.err().map(PersonReply::NotCounted))
}

/// Why an answer is not that of a person who can decide something here.
pub(super) fn is_no_persons(repo: &Repo, answer: &Answer, sender: Sender) -> Option<Notice> {
    match sender {
        _ if answer.timed_out => Some(Notice::AnswerOfTimer),
        Sender::Nobody => Some(Notice::AnswerOfNobody),
        Sender::Untold => Some(Notice::AnswerOfUntold),
        Sender::Unattended if repo.rules.unattended == Unattended::Refuse => {
            Some(Notice::AnswerUnattended)
        }
        _ => None,
    }
}

/// Another answer than one that grants. To the question for completion it says how the job goes
/// on: the person looks first, or has typed what they want.
fn not_granted(
    repo: &Repo,
    chain: &str,
    registered: &Registered,
    came: &AnswerToCall<'_>,
) -> Result<PersonReply> {
    let AnswerToCall { call, answer, sender, .. } = *came;
    let declined = PersonReply::Done(tell(declined(registered), &[]));
    if registered.grants != Grant::Complete {
        return Ok(declined);
    }
    // To this question every answer says how the job goes on, and the turn ends with it or not.
    if let Some(why) = is_no_persons(repo, answer, sender) {
        return Ok(PersonReply::NotCounted(tell(why, &[])));
    }
    let asked = [registered.tag.as_str(), &text_hash(&answer.question), ""];
    if !was_asked(repo, chain, call, &asked)? {
        return Ok(PersonReply::NotCounted(tell(Notice::AnswerNotAsked, &[])));
    }
    if let Some(not) = not_settled(repo, chain, came)? {
        return Ok(not);
    }
    // What was ruled on the question stands, however it was answered.
    person::claimed::keep_ruling(repo, chain, &answer.question)?;
    let typed = answer.answer.trim() != questions::REVIEW;
    let reply = if typed { Reply::Words } else { Reply::Look };
    let subject = if typed { "the person says more" } else { "the person looks first" };
    record::step::step(repo, chain, Journaling::Read, |state, _| {
        state.review = state.review.answered(reply);
        Ok(Ok(StepDraft::new(state, "review", subject, By::Person)))
    })?
    .ok();
    if !typed {
        return Ok(declined);
    }
    let facts = [("said", answer.answer.trim()), ("literal", questions::APPROVE)];
    Ok(PersonReply::NotCounted(tell(Notice::AnswerTyped, &facts)))
}

/// Does what the literal answer is for.
fn grant(
    repo: &Repo,
    chain: &str,
    registered: &Registered,
    answer: &Answer,
    named: &str,
) -> Result<PersonReply> {
    match registered.grants {
        Grant::Complete => complete(repo, chain, &answer.question),
        Grant::SideLane => {
            enter_side(repo, chain, "the person opened it", By::Person).map(|entered| match entered
            {
                Ok(_) => PersonReply::Done(tell(Notice::GmodeOpen, &[])),
                Err(_) => PersonReply::NotCounted(tell(Notice::GmodeShut, &[])),
            })
        }
        Grant::Job => {
            let objective = Message::new(&answer.question).section("Proposed Objective");
            let name = registered.subject(&answer.question);
            let id =
                jobs::lifecycle::create_approved_job(repo, name, &objective.unwrap_or_default())?
                    .state
                    .job
                    .id;
            Ok(PersonReply::Done(tell(Notice::JobCreated, &[("id", id.as_str())])))
        }
        Grant::Access => grant_access(repo, chain),
        Grant::Repeat => {
            let hours = questions::repeat_hours(&answer.question, &answer.answer);
            let subject = tell(Notice::SubjectMayRepeat, &[("hours", &hours.to_string())]);
            let active = questions::repeats_active(&answer.question);
            fence::opened::grant_step(repo, chain, "repeat", &subject, |state| {
                (state.job.repeating_interval, state.job.repeats_active) = (hours, active);
            })?;
            Ok(PersonReply::Done(tell(Notice::Repeats, &[("hours", &hours.to_string())])))
        }
        Grant::Drop => {
            let said = Some(registered.subject(&answer.question)).filter(|why| !why.is_empty());
            let why = said.map_or_else(|| tell(Notice::SubjectDropped, &[]), str::to_owned);
            Ok(match jobs::dropping::drop_job(repo, None, &why)? {
                Ok(dropped) => PersonReply::Done(format!(
                    "{} {}",
                    dropped.told(),
                    tell(Notice::DroppedToAgent, &[])
                )),
                Err(refusal) => PersonReply::NotCounted(voice::say(&refusal, "idle").why),
            })
        }
        Grant::Criterion => count_as_met(repo, chain, &answer.question),
        Grant::Surface | Grant::SurfaceTest => {
            fence::surfaces::unlock(repo, chain, registered.grants, named)
        }
        // [`person::landing_word`] hears it.
        Grant::Land | Grant::Nothing => Ok(PersonReply::Kept),
    }
}

/// Approves the job, and the jobs that the question names as the next ones were seen.
fn complete(repo: &Repo, chain: &str, question: &str) -> Result<PersonReply> {
    person::claimed::keep_ruling(repo, chain, question)?;
    let left = person::claimed::left_out(repo, chain)?;
    let heard = approve_or_tell(repo, chain)?;
    let PersonReply::Done(said) = heard else { return Ok(heard) };
    jobs::dependencies::jobs_were_seen(repo, questions::with_next(question).1)?;
    let offered = landing::offer::told(repo)?;
    let said = [said].into_iter().chain(left).chain(offered);
    Ok(PersonReply::Done(said.collect::<Vec<_>>().join(". ")))
}

/// Keeps a person's word that a criterion counts as met, until the phase that asked is left.
fn count_as_met(repo: &Repo, chain: &str, question: &str) -> Result<PersonReply> {
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == chain) else {
        return Ok(PersonReply::NotCounted(tell(Notice::AnswerNotAsked, &[])));
    };
    // Refused, because the contract has no such criterion any more.
    let Ok(criterion) = person::claimed::quoted(repo, &focused, question) else {
        return Ok(PersonReply::NotCounted(tell(Notice::CriterionGone, &[])));
    };
    let name = judge::criteria::name_in_state(&criteria::key(&criterion.text));
    let subject = tell(Notice::SubjectCriterion, &[("criterion", &criterion.text)]);
    fence::opened::grant_step(repo, chain, "criterion", &subject, |state| {
        state.by_word.retain(|known| *known != name);
        state.by_word.push(name.clone());
        let old = state.by_word.len().saturating_sub(judge::criteria::KEPT);
        state.by_word.drain(..old);
    })?;
    Ok(PersonReply::Done(tell(Notice::CriterionMet, &[("criterion", &criterion.text)])))
}

/// Lets the job ask for protected surfaces; it keeps that for good.
pub(crate) fn grant_access(repo: &Repo, chain: &str) -> Result<PersonReply> {
    let subject = tell(Notice::SubjectMayUnlock, &[]);
    fence::opened::grant_step(repo, chain, "access", &subject, |state| {
        state.job.plugin_lock_approval = true;
    })?;
    Ok(PersonReply::Done(tell(Notice::AccessGranted, &[])))
}

/// The journal, or the trace of this stay, has the line of this very call.
pub(super) fn was_asked(repo: &Repo, chain: &str, call: &ToolCall, asked: &[&str]) -> Result<bool> {
    use crate::format::journal::{Line, Linked};
    let found =
        |line: &Line| line.what == What::Asked && line.call == call.id && line.paths == asked;
    let lines = repo.store.journal().all()?;
    // A line that does not read asked for nothing: the answer then counts for nothing.
    if lines.iter().filter_map(|line| Linked::read(line).ok()).any(|linked| found(&linked.line)) {
        return Ok(true);
    }
    its_trace_has(repo, chain, call, asked)
}

/// The trace of the last stays of `chain` has the line of this very call.
fn its_trace_has(repo: &Repo, chain: &str, call: &ToolCall, asked: &[&str]) -> Result<bool> {
    use crate::format::journal::Line;
    let asked =
        |line: &Line| line.what == What::Asked && line.call == call.id && line.paths == asked;
    let Some((tip, id)) = repo.store.tip(chain)?.zip(names::job_of(chain)) else {
        return Ok(false);
    };
    let mut names = repo.store.names(&tip, "trace")?;
    names.sort_by_key(|name| std::cmp::Reverse(trace_number(name)));
    for name in names.iter().take(8) {
        // Lines that are not here were taken away, and prove nothing any more.
        let of = Of { id: &id, tip: &tip };
        let text = repo.words(of, &format!("trace/{name}"))?.unwrap_or_default();
        if text
            .lines()
            // As above.
            .filter_map(|line| serde_json::from_str::<Line>(line).ok())
            .any(|line| asked(&line))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same as [`approve`], where a rule's no is told in one sentence.
pub(crate) fn approve_or_tell(repo: &Repo, chain: &str) -> Result<PersonReply> {
    Ok(match approve(repo, chain)? {
        Ok(approval) => PersonReply::Done(approval.to_agent()),
        Err(refusal) => {
            let said = voice::say(&refusal, "condense");
            PersonReply::NotCounted(format!("{} Do: {}", said.why, said.do_))
        }
    })
}

/// Approves and completes the focused job on `chain`, where it stands in condense.
pub(crate) fn approve(repo: &Repo, chain: &str) -> Answered<Approval> {
    let now = repo.focused()?.filter(|focused| focused.chain == chain);
    let finished = now.as_ref().is_some_and(|now| jobs::ending::a_person_may_end(repo, now));
    let asks = now.map_or(Ok(false), |now| boundary::ahead::is_next(repo, &now))?;
    // Until it is closed, as at a boundary.
    let lock = repo.store.lock()?;
    approving::begin(repo, chain)?;
    let completed = jobs::completion::complete(repo, chain, Journaling::Read, |state| {
        may_complete(repo, state, (finished, asks))
    });
    let done = match completed {
        Ok(Ok(done)) => done,
        not => {
            approving::done(repo)?;
            return not.map(|not| not.map(|_| Approval::Open));
        }
    };
    if finished {
        boundary::cross::close(repo, &done)?;
    }
    // A boundary commits, and hooks of that commit take the lock.
    drop(lock);
    let approval = person::closing::closed(repo, &done, finished);
    approving::done(repo)?;
    let approval = approval?;
    jobs::completion::sign(repo, &done)?;
    Ok(Ok(approval))
}

fn may_complete(
    repo: &Repo,
    state: &State,
    (finished, asks): (bool, bool),
) -> Result<std::result::Result<(), Refusal>> {
    let row = repo.map(&state.stand).phase(&state.stand.phase);
    let settles = row.is_some_and(|row| row.kind == PhaseKind::Consolidation);
    if let Err(refusal) = questions::may_be_approved(settles || finished, asks) {
        return Ok(Err(refusal));
    }
    jobs::dependencies::dependencies_hold(repo, state)
}

/// May the side lane be asked for? Where the rules want it prepared, that was the last
/// thing that happened.
pub(crate) fn is_prepared(repo: &Repo, focused: &LoadedJob) -> bool {
    let acted = focused.activity.as_ref().map_or(true, crate::format::journal::Counts::has_acts);
    questions::is_prepared(repo.rules.asks_prep(), focused.state.prep == Prep::Ready, acted)
}

/// Prepares the side lane: how sure the agent is, and what it is for.
pub(crate) fn prepare_side(
    repo: &Repo,
    confidence: u8,
    what: &str,
) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let focused = repo.require_focused()?;
    let prepared = questions::prepares(confidence, what);
    let what: String = Masked::new(what).chars().take(400).collect();
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        if let Err(refusal) = state.stand.aside(repo.map(&state.stand)) {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = prepared.clone() {
            return Ok(Err(refusal));
        }
        state.prep = Prep::Ready;
        Ok(Ok(StepDraft::new(state, PREP, &what, By::Agent)))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Opens the side lane.
pub(crate) fn enter_side(
    repo: &Repo,
    chain: &str,
    why: &str,
    by: By,
) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let why: String = Masked::new(why).chars().take(400).collect();
    let notes = memory::pages::root_cause_notes(repo)?;
    let taken = record::step::step(repo, chain, Journaling::Read, |state, _| {
        let step = match state.stand.aside(repo.map(&state.stand)) {
            Ok(step) => step,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let aside = state.stand.take(repo.map(&state.stand), &step);
        let name = format!("{} -> {}", state.stand.phase, aside.phase);
        let draft = StepDraft::new(state, name, &why, by);
        state.stand = aside;
        state.side_reason = Some(why.clone());
        state.side_notes = Some(notes);
        state.prep = Prep::Locked;
        Ok(Ok(draft))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Leaves the side lane, once the tree is clean of what was made there and, unless a
/// person closes it, a new note names the root cause.
pub(crate) fn leave_side(repo: &Repo, by: By) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let focused = repo.require_focused()?;
    if let Err(refusal) = focused.state.stand.home() {
        return Ok(Err(refusal));
    }
    let persons = fence::tree::persons(repo, &focused)?;
    let own = fence::tree::dirty_now(repo)?.into_iter().find(|path| !persons.contains(path));
    if let Err(refusal) = commands::side_is_clean(own.as_deref()) {
        return Ok(Err(refusal));
    }
    let before = focused.state.side_notes.filter(|_| by != By::Person);
    let notes = if before.is_some() { memory::pages::root_cause_notes(repo)? } else { 0 };
    if let Err(refusal) = commands::names_the_root_cause(before, notes) {
        return Ok(Err(refusal));
    }
    if let Err(refusal) = fence::surfaces::check_surface(repo, &focused)? {
        return Ok(Err(refusal));
    }
    let tree = fence::tree::snapshot(repo)?.to_string();
    let head = repo.store.head()?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let step = match state.stand.home() {
            Ok(step) => step,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let back = state.stand.take(repo.map(&state.stand), &step);
        let name = format!("{} -> {}", state.stand.phase, back.phase);
        let draft = StepDraft::new(state, name, tell(Notice::SubjectSideClosed, &[]), by);
        state.stand = back;
        state.side_reason = None;
        state.side_notes = None;
        state.prep = Prep::None;
        state.unlocked = None;
        state.put_back = None;
        if !state.fence.tree.is_empty() {
            state.fence.tree.clone_from(&tree);
            state.fence.strays.clear();
        }
        if let Some(commit) = &head.commit {
            state.home.commit = commit.to_string();
        }
        let none = TreeEdit::Put { path: TOUCHED.to_owned(), bytes: Vec::new() };
        Ok(Ok(draft.with(none)))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// What the journal keeps of a question that went out: its tag, a hash of its text, and
/// what its granting option names. The answer must be to this very text.
pub(crate) fn asked(admitted: &Admitted<'_>) -> Vec<String> {
    vec![
        admitted.row.tag.clone(),
        text_hash(admitted.text),
        Masked::new(admitted.name).into_string(),
    ]
}

pub(super) fn text_hash(text: &str) -> String {
    crate::format::short_hash(crate::secrets::mask(text).as_bytes(), 16)
}

fn declined(registered: &Registered) -> Notice {
    match registered.grants {
        Grant::Complete => Notice::DeclinedCompletion,
        Grant::SideLane => Notice::DeclinedSide,
        Grant::Surface | Grant::SurfaceTest => Notice::DeclinedSurface,
        Grant::Job => Notice::DeclinedJob,
        Grant::Access => Notice::DeclinedAccess,
        Grant::Repeat => Notice::DeclinedRepeat,
        Grant::Drop => Notice::DeclinedDrop,
        Grant::Criterion => Notice::DeclinedCriterion,
        Grant::Land => Notice::DeclinedLanding,
        Grant::Nothing => Notice::AnswerKept,
    }
}

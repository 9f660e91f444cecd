//! Answers of a person: the only thing that approves, and the only thing that opens the side lane.
//!
//! An answer counts when the question went out in its literal shape (the journal has the
//! line of that very call), when it came back from the session's own host process, and
//! when it is the literal answer. Whether an answer counts that came while nobody sat
//! there is for the rules to say.

use super::boundary::Toward;
use super::sessions::Word;
use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed};
use crate::event::{Answer, Event, ToolCall};
use crate::format::interaction::Interaction;
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::{Prep, State};
use crate::hosts::Host;
use crate::jobs::questions::{self, Admitted, Grant, Registered};
use crate::jobs::routing::InteractionKind;
use crate::jobs::{Status, summary};
use crate::phases::message::Message;
use crate::phases::{Kind, commands};
use crate::rules::Unattended;
use crate::store::TreeEdit;
use crate::verdict::Refusal;

/// What came of an answer, in words for the agent.
pub enum Heard {
    /// Not a question that git seed acts upon; it was kept with the job.
    Kept,
    /// It was acted upon; this is what is true now.
    Done(String),
    /// It was not acted upon, for this reason.
    NotCounted(String),
}

impl Seed {
    /// Hears the answers of `call`.
    pub fn hear_answers(
        &self,
        host: &Host,
        event: &Event,
        call: &ToolCall,
        answers: &[Answer],
    ) -> Result<Heard> {
        let Some(focused) = self.focused()? else { return Ok(Heard::Kept) };
        let word = self.word(host, event)?;
        let mut heard = Heard::Kept;
        for answer in answers {
            let first = self.keep_answer(&focused.chain, call, answer, word)?;
            if let Some(registered) = Registered::of(&answer.question).filter(|row| row.decides()) {
                heard = self.hear(&focused.chain, registered, call, answer, word, first)?;
            }
        }
        Ok(heard)
    }

    /// Keeps an answer with the job; `false` if an answer of this call was kept before.
    fn keep_answer(&self, chain: &str, call: &ToolCall, answer: &Answer, word: Word) -> Result<bool> {
        const MOST: usize = 16;
        let text = format!("{}{}{}", answer.question, summary::ANSWER, answer.answer);
        let mut first = true;
        self.keep_words(chain, InteractionKind::Question, &text, word, "question answered", |state| {
            first = !state.answered.contains(&call.id);
            if first {
                state.answered.push(call.id.clone());
                let old = state.answered.len().saturating_sub(MOST);
                state.answered.drain(..old);
            }
        })?;
        Ok(first)
    }

    /// Adds words to a job's standing instruction.
    pub fn add_interaction(
        &self,
        chain: &str,
        kind: InteractionKind,
        text: &str,
        word: Word,
        subject: &str,
    ) -> Result<()> {
        self.keep_words(chain, kind, text, word, subject, |_| {})
    }

    /// Adds what a person or a host prompted: a turn begins with it.
    pub fn add_prompt(&self, chain: &str, kind: InteractionKind, text: &str, word: Word) -> Result<()> {
        // The step of the prompt itself is the first of the turn.
        let begins = |state: &mut State| state.turn = state.steps + 1;
        self.keep_words(chain, kind, text, word, "words for the job", begins)
    }

    fn keep_words(
        &self,
        chain: &str,
        kind: InteractionKind,
        text: &str,
        word: Word,
        subject: &str,
        mut also: impl FnMut(&mut State),
    ) -> Result<()> {
        let by = if word.is_somebody() { By::Person } else { By::Hook };
        let text = if kind == InteractionKind::Question { text.to_owned() } else { self.kept_of(text) };
        let interaction = Interaction { kind, at: self.now, provenance: word.text().to_owned(), text };
        let step = self.step(chain, self.fold_for(chain)?, |state, _| {
            also(state);
            let n = state.job.interactions + 1;
            state.job.interactions = n;
            if !state.is_closing() {
                // What is said to a closing job bears the next one.
                state.summed.heard(n, summary::words_said(&interaction.text), self.rules.summary);
            }
            let bytes = interaction.write().into_bytes();
            let put = TreeEdit::Put { path: names::interaction(n), bytes };
            Ok(Ok(Draft::new(state, kind.word(), subject, by).with(put)))
        })?;
        debug_assert!(step.is_ok(), "words are never refused");
        Ok(())
    }

    fn hear(
        &self,
        chain: &str,
        registered: &Registered,
        call: &ToolCall,
        answer: &Answer,
        word: Word,
        first: bool,
    ) -> Result<Heard> {
        let not = |why: &str| Ok(Heard::NotCounted(why.to_owned()));
        let Some(named) = registered.granted(&answer.answer) else {
            return Ok(Heard::Done(declined(registered).to_owned()));
        };
        if answer.timed_out {
            return not("the answer came from a timer, so nobody approved anything");
        }
        match word {
            Word::Nobody => {
                return not("the answer did not come from this session's host, so it cannot count");
            }
            Word::Unattended if self.rules.unattended == Unattended::Refuse => {
                return not(
                    "nobody sat there, so the answer is kept but does not count; a person can run git seed job approve",
                );
            }
            _ => {}
        }
        let asked = [registered.tag.as_str(), &text_hash(&answer.question), named];
        if !self.was_asked(chain, call, &asked)? {
            return not("no question of that shape went out with this call, so the answer cannot count");
        }
        if !first {
            return not("this answer came before, and counts once");
        }
        self.grant(chain, registered, answer, named)
    }

    /// Does what the literal answer is for.
    fn grant(&self, chain: &str, registered: &Registered, answer: &Answer, named: &str) -> Result<Heard> {
        match registered.grants {
            Grant::Complete => {
                let heard = self.approve(chain)?;
                if matches!(heard, Heard::Done(_)) {
                    self.jobs_were_seen(questions::with_next(&answer.question).1)?;
                }
                Ok(heard)
            }
            Grant::SideLane => {
                self.enter_side(chain, "the person opened it", By::Person).map(|entered| match entered {
                    Ok(_) => Heard::Done("gmode is open; leave it with git seed gmode exit".to_owned()),
                    Err(_) => Heard::NotCounted("gmode does not open from here".to_owned()),
                })
            }
            Grant::Job => {
                let objective = Message::new(&answer.question).section("Proposed Objective");
                let name = registered.subject(&answer.question);
                let id = self.create_approved_job(name, &objective.unwrap_or_default())?.state.job.id;
                Ok(Heard::Done(format!(
                    "the job {id} waits; git seed job activate {id} begins it between cycles"
                )))
            }
            Grant::Access => self.grant_access(chain),
            Grant::Repeat => {
                let hours = questions::repeat_hours(&answer.question, &answer.answer);
                let subject = format!("a person lets it repeat every {hours} hours");
                let active = questions::repeats_active(&answer.question);
                self.grant_step(chain, "repeat", &subject, |state| {
                    (state.job.repeating_interval, state.job.repeats_active) = (hours, active);
                })?;
                Ok(Heard::Done(format!("the job repeats every {hours} hours once it is completed")))
            }
            Grant::Surface | Grant::SurfaceTest => self.unlock(chain, registered.grants, named),
            Grant::Nothing => Ok(Heard::Kept),
        }
    }

    /// Lets the job ask for protected surfaces; it keeps that for good.
    pub fn grant_access(&self, chain: &str) -> Result<Heard> {
        let subject = "a person lets it unlock protected surfaces";
        self.grant_step(chain, "access", subject, |state| state.job.plugin_lock_approval = true)?;
        Ok(Heard::Done("the job may ask for a protected surface with [PLUGIN-LOCK]".to_owned()))
    }

    /// A step that a person's answer takes, and that no rule can refuse any more.
    pub(super) fn grant_step(
        &self,
        chain: &str,
        step: &str,
        subject: &str,
        mut change: impl FnMut(&mut State),
    ) -> Result<()> {
        let taken = self.step(chain, Fold::In, |state, _| {
            change(state);
            Ok(Ok(Draft::new(state, step, subject, By::Person)))
        })?;
        debug_assert!(taken.is_ok(), "what was asked and granted is never refused");
        Ok(())
    }

    /// The journal, or the trace of this stay, has the line of this very call.
    fn was_asked(&self, chain: &str, call: &ToolCall, asked: &[&str]) -> Result<bool> {
        use crate::format::journal::{Line, Linked};
        let asked = |line: &Line| line.what == What::Asked && line.call == call.id && line.paths == asked;
        let lines = self.store.journal().all()?;
        if lines.iter().filter_map(|line| Linked::read(line).ok()).any(|linked| asked(&linked.line)) {
            return Ok(true);
        }
        let Some(tip) = self.store.tip(chain)? else { return Ok(false) };
        let mut names = self.store.names(&tip, "trace").unwrap_or_default();
        names.sort_by_key(|name| std::cmp::Reverse(trace_number(name)));
        for name in names.iter().take(8) {
            let bytes = self.store.file(&tip, &format!("trace/{name}"))?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if text
                .lines()
                .filter_map(|line| serde_json::from_str::<Line>(line).ok())
                .any(|line| asked(&line))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Approves and completes the focused job on `chain`, where it stands in condense.
    pub fn approve(&self, chain: &str) -> Result<Heard> {
        let completed = self.complete(chain, Fold::In, |state| self.may_complete(state))?;
        Ok(match completed {
            Ok(done) if self.closes_at_once(&done)? => {
                let closed = "the job is approved, completed and closed; nothing is left to do for it";
                let next = if self.store.focus()?.is_none() { self.next_told()? } else { Vec::new() };
                Heard::Done([closed.to_owned()].into_iter().chain(next).collect::<Vec<_>>().join(". "))
            }
            Ok(_) => Heard::Done(
                "the job is approved and completed; close its cycle with git seed phase advance -F -"
                    .to_owned(),
            ),
            Err(refusal) => {
                let said = crate::voice::say(&refusal, "condense");
                Heard::NotCounted(format!("{} Do: {}", said.why, said.do_))
            }
        })
    }

    /// A person's approval, and the completion that it allows: two steps, two events.
    pub(super) fn complete(
        &self,
        chain: &str,
        fold: Fold,
        may: impl Fn(&State) -> Result<std::result::Result<(), Refusal>>,
    ) -> Result<std::result::Result<Focused, Refusal>> {
        let approved = self.step(chain, fold, |state, _| {
            if let Err(refusal) = may(state)? {
                return Ok(Err(refusal));
            }
            state.job.user_approval = true;
            Ok(Ok(Draft::new(state, "approval", "a person approved the completion", By::Person)))
        })?;
        if let Err(refusal) = approved {
            return Ok(Err(refusal));
        }
        let now = self.now;
        let completed = self.step(chain, fold, |state, _| {
            let done = state.job.become_(Status::Completed, now);
            done.map_err(|bad| super::SeedError::Usage(bad.to_string()))?;
            Ok(Ok(Draft::new(state, "completion", "the job is completed", By::Person)))
        })?;
        Ok(completed.map(|taken| taken.focused))
    }

    /// On a small lane the answer that completes a job closes it too, where nothing is in the way.
    fn closes_at_once(&self, done: &Focused) -> Result<bool> {
        let stand = &done.state.stand;
        let focused = self.focused()?.filter(|focused| focused.chain == done.chain);
        if self.map(stand).lane.is_none() || focused.is_none() {
            return Ok(false);
        }
        let on = Toward::Forward { to: None, add_cycle: None, scope: Vec::new() };
        Ok(self.cross(&on, &done.state.job.name, By::Person)?.is_ok_and(|crossed| crossed.closed))
    }

    fn may_complete(&self, state: &State) -> Result<std::result::Result<(), Refusal>> {
        let row = self.map(&state.stand).phase(&state.stand.phase);
        let settles = row.is_some_and(|row| row.kind == Kind::Consolidation);
        if let Err(refusal) = questions::may_be_approved(settles) {
            return Ok(Err(refusal));
        }
        self.dependencies_hold(state)
    }

    /// May the side lane be asked for? Where the rules want it prepared, that was the last
    /// thing that happened.
    pub fn is_prepared(&self, focused: &Focused) -> bool {
        let acted = focused.since.as_ref().map_or(true, crate::format::journal::Counts::has_acts);
        !self.rules.asks_prep() || (focused.state.prep == Prep::Ready && !acted)
    }

    /// Prepares the side lane: how sure the agent is, and what it is for.
    pub fn prepare_side(&self, confidence: u8, what: &str) -> Result<std::result::Result<Focused, Refusal>> {
        let focused = self.require_focused()?;
        let prepared = questions::prepares(confidence, what);
        let what: String = what.chars().take(400).collect();
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            if let Err(refusal) = state.stand.aside(self.map(&state.stand)) {
                return Ok(Err(refusal));
            }
            if let Err(refusal) = prepared.clone() {
                return Ok(Err(refusal));
            }
            state.prep = Prep::Ready;
            Ok(Ok(Draft::new(state, super::steps::PREP, &what, By::Agent)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Opens the side lane.
    pub fn enter_side(
        &self,
        chain: &str,
        why: &str,
        by: By,
    ) -> Result<std::result::Result<Focused, Refusal>> {
        let why: String = why.chars().take(400).collect();
        let notes = self.root_cause_notes()?;
        let taken = self.step(chain, Fold::In, |state, _| {
            let step = match state.stand.aside(self.map(&state.stand)) {
                Ok(step) => step,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let name = format!("{} -> gmode", state.stand.phase);
            let draft = Draft::new(state, name, &why, by);
            state.stand = state.stand.take(self.map(&state.stand), &step);
            state.side_reason = Some(why.clone());
            state.side_notes = Some(notes);
            state.prep = Prep::Locked;
            Ok(Ok(draft))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Leaves the side lane, once the tree is clean of what was made there and, unless a
    /// person closes it, a new note names the root cause.
    pub fn leave_side(&self, by: By) -> Result<std::result::Result<Focused, Refusal>> {
        let focused = self.require_focused()?;
        if let Err(refusal) = focused.state.stand.home() {
            return Ok(Err(refusal));
        }
        let persons = self.persons(&focused)?;
        let own = self.dirty_now()?.into_iter().find(|path| !persons.contains(path));
        if let Err(refusal) = commands::side_is_clean(own.as_deref()) {
            return Ok(Err(refusal));
        }
        let before = focused.state.side_notes.filter(|_| by != By::Person);
        let notes = if before.is_some() { self.root_cause_notes()? } else { 0 };
        if let Err(refusal) = commands::names_the_root_cause(before, notes) {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = self.check_surface(&focused)? {
            return Ok(Err(refusal));
        }
        let tree = self.snapshot()?.to_string();
        let head = self.store.head()?;
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            let step = match state.stand.home() {
                Ok(step) => step,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let from = state.stand.side_from.clone();
            let name = format!("gmode -> {}", from.as_ref().map_or("idle", |from| from.as_str()));
            let draft = Draft::new(state, name, "the side lane is closed", by);
            state.stand = state.stand.take(self.map(&state.stand), &step);
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
            let none = TreeEdit::Put { path: super::steps::TOUCHED.to_owned(), bytes: Vec::new() };
            Ok(Ok(draft.with(none)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }
}

/// The number at the end of a trace file's name.
fn trace_number(name: &str) -> u32 {
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    stem.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// What the journal keeps of a question that went out: its tag, a hash of its text, and
/// what its granting option names. The answer must be to this very text.
pub fn asked(admitted: &Admitted<'_>) -> Vec<String> {
    vec![admitted.row.tag.clone(), text_hash(admitted.text), admitted.name.to_owned()]
}

fn text_hash(text: &str) -> String {
    crate::format::short_hash(text.as_bytes(), 16)
}

fn declined(registered: &Registered) -> &'static str {
    match registered.grants {
        Grant::Complete => {
            "the person wants to review; the job stays open. Add a cycle with git seed phase advance --add-cycle \"<why>\" -F -, or ask again when it is settled"
        }
        Grant::SideLane => "the person keeps the phase; go on in it",
        Grant::Surface | Grant::SurfaceTest => "the person leaves it locked; go on without it",
        Grant::Job => "no job was created; what the person said is kept with this one",
        Grant::Access => "the person keeps protected surfaces closed to this job; go on without them",
        Grant::Repeat => "the job stays what it is: done once",
        Grant::Nothing => "the answer is kept with the job",
    }
}

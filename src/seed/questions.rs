//! Answers of a person: the only thing that approves, and the only thing that opens the side lane.
//!
//! An answer counts when the question went out in its literal shape (the journal has the
//! line of that very call), when it came back from the session's own host process, and
//! when it is the literal answer. Whether an answer counts that came while nobody sat
//! there is for the rules to say.

use super::sessions::Word;
use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed};
use crate::event::{Answer, Event, ToolCall};
use crate::format::interaction::Interaction;
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::State;
use crate::hosts::Host;
use crate::jobs::completion::{self, Registered};
use crate::jobs::routing::InteractionKind;
use crate::jobs::{JobId, Status};
use crate::phases::Kind;
use crate::rules::Unattended;
use crate::store::TreeEdit;
use crate::verdict::{Refusal, Wants};

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
            if let Some(registered) = Registered::of(&answer.question) {
                heard = self.hear(&focused.chain, registered, call, answer, word, first)?;
            }
        }
        Ok(heard)
    }

    /// Keeps an answer with the job; `false` if an answer of this call was kept before.
    fn keep_answer(&self, chain: &str, call: &ToolCall, answer: &Answer, word: Word) -> Result<bool> {
        const MOST: usize = 16;
        let text = format!("{}\n\nAnswer: {}", answer.question, answer.answer);
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
        let interaction =
            Interaction { kind, at: self.now, provenance: word.text().to_owned(), text: text.to_owned() };
        let step = self.step(chain, self.fold_for(chain)?, |state, _| {
            also(state);
            let n = state.job.interactions + 1;
            state.job.interactions = n;
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
        registered: Registered,
        call: &ToolCall,
        answer: &Answer,
        word: Word,
        first: bool,
    ) -> Result<Heard> {
        let not = |why: &str| Ok(Heard::NotCounted(why.to_owned()));
        if answer.answer.trim() != registered.grant() {
            return Ok(Heard::Done(declined(registered)));
        }
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
        if !self.was_asked(chain, call, registered)? {
            return not("no question of that shape went out with this call, so the answer cannot count");
        }
        if !first {
            return not("this answer came before, and counts once");
        }
        match registered {
            Registered::Complete => self.approve(chain),
            Registered::Gmode => {
                self.enter_side(chain, "the person opened it", By::Person).map(|entered| match entered {
                    Ok(_) => Heard::Done("gmode is open; leave it with git seed gmode exit".to_owned()),
                    Err(_) => Heard::NotCounted("gmode does not open from here".to_owned()),
                })
            }
        }
    }

    /// The journal, or the trace of this stay, has the line of this very call.
    fn was_asked(&self, chain: &str, call: &ToolCall, registered: Registered) -> Result<bool> {
        use crate::format::journal::{Line, Linked};
        let asked = |line: &Line| {
            line.what == What::Asked && line.call == call.id && line.paths == [registered.tag().to_owned()]
        };
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

    /// Approves and completes the job on `chain`: two steps, two events.
    pub fn approve(&self, chain: &str) -> Result<Heard> {
        let approved = self.step(chain, Fold::In, |state, _| match self.may_complete(state)? {
            Ok(()) => {
                state.job.user_approval = true;
                Ok(Ok(Draft::new(state, "approval", "a person approved the completion", By::Person)))
            }
            Err(refusal) => Ok(Err(refusal)),
        })?;
        if let Err(refusal) = approved {
            let said = crate::voice::say(&refusal, "condense");
            return Ok(Heard::NotCounted(format!("{} Do: {}", said.why, said.do_)));
        }
        let now = self.now;
        let completed = self.step(chain, Fold::In, |state, _| {
            state
                .job
                .become_(Status::Completed, now)
                .map_err(|bad| super::SeedError::Usage(bad.to_string()))?;
            Ok(Ok(Draft::new(state, "completion", "the job is completed", By::Person)))
        })?;
        Ok(match completed {
            Ok(_) => Heard::Done(
                "the job is approved and completed; close its cycle with git seed phase advance -F -"
                    .to_owned(),
            ),
            Err(_) => Heard::NotCounted("the job could not be completed".to_owned()),
        })
    }

    fn may_complete(&self, state: &State) -> Result<std::result::Result<(), Refusal>> {
        let row = self.map(&state.stand).phase(&state.stand.phase);
        if row.is_none_or(|row| row.kind != Kind::Consolidation) {
            let refusal = Refusal::new("question", Wants::Question).with("case", "too-early");
            return Ok(Err(refusal));
        }
        self.dependencies_hold(state)
    }

    /// Every job that `state` waits for is completed or parked.
    pub(super) fn dependencies_hold(&self, state: &State) -> Result<std::result::Result<(), Refusal>> {
        let unmet = self.unmet(state)?;
        if unmet.is_empty() {
            return Ok(Ok(()));
        }
        let list: Vec<String> =
            unmet.iter().map(|(id, name, status)| format!("{id} {name} ({status})")).collect();
        Ok(Err(Refusal::new("dependencies", Wants::Settled)
            .with("case", "dependencies")
            .with("where", list.join(", "))))
    }

    /// The jobs that `state` still waits for, with name and status.
    pub(super) fn unmet(&self, state: &State) -> Result<Vec<(JobId, String, &'static str)>> {
        let mut known = Vec::new();
        for id in &state.job.depends_on {
            if let Ok(job) = self.job(id) {
                known.push((id.clone(), job.state.job.name.clone(), job.state.job.status));
            }
        }
        let status_of = |id: &JobId| {
            known.iter().find(|(known, ..)| known == id).map(|(_, name, status)| (name.as_str(), *status))
        };
        Ok(completion::unmet(&state.job, status_of))
    }

    /// Opens the side lane.
    pub fn enter_side(
        &self,
        chain: &str,
        why: &str,
        by: By,
    ) -> Result<std::result::Result<Focused, Refusal>> {
        let why: String = why.chars().take(400).collect();
        let taken = self.step(chain, Fold::In, |state, _| {
            let step = match state.stand.aside(self.map(&state.stand)) {
                Ok(step) => step,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let name = format!("{} -> gmode", state.stand.phase);
            let draft = Draft::new(state, name, &why, by);
            state.stand = state.stand.take(self.map(&state.stand), &step);
            state.side_reason = Some(why.clone());
            Ok(Ok(draft))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Leaves the side lane, once the tree is clean of what was made there.
    pub fn leave_side(&self) -> Result<std::result::Result<Focused, Refusal>> {
        let focused = self.require_focused()?;
        if let Err(refusal) = focused.state.stand.home() {
            return Ok(Err(refusal));
        }
        let persons = self.persons(&focused)?;
        let own = self.dirty_now()?.into_iter().find(|path| !persons.contains(path));
        if let Some(path) = own {
            let refusal = Refusal::new("clean", Wants::Clean).with("case", "side").with("path", path);
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
            let draft = Draft::new(state, name, "the side lane is closed", By::Agent);
            state.stand = state.stand.take(self.map(&state.stand), &step);
            state.side_reason = None;
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

fn declined(registered: Registered) -> String {
    match registered {
        Registered::Complete => {
            "the person wants to review; the job stays open. Add a cycle with git seed phase advance --add-cycle \"<why>\" -F -, or ask again when it is settled".to_owned()
        }
        Registered::Gmode => "the person keeps the phase; go on in it".to_owned(),
    }
}

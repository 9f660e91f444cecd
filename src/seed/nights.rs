//! Nights: a job that is finished while nobody is there to approve it.
//!
//! Where the rules say so, or the host cannot ask, its cycle closes and it rests until a
//! person ends it; the worktree turns to the next job that waits in it. Only a person
//! approves: resting is no completion, and nothing that depends on the job is settled.

use super::questions::Heard;
use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed};
use crate::format::archive;
use crate::format::state::{Driver, State};
use crate::hosts::{self, Answer};
use crate::jobs::Status;
use crate::phases::Kind;
use crate::rules::Approving;
use crate::voice;

impl Seed {
    /// True where a finished job rests instead of asking.
    pub fn defers(&self, state: &State) -> bool {
        let host = hosts::row(&state.driver.host);
        self.rules.approving == Approving::Defer || host.is_ok_and(|host| !host.can_ask())
    }

    /// True when closing the cycle of `focused` now lets it rest: it could be completed,
    /// and there is nobody to say so.
    pub(super) fn would_rest(&self, focused: &Focused) -> bool {
        self.row(Some(focused)).kind == Kind::Consolidation
            && focused.state.job.status == Status::Active
            && self.defers(&focused.state)
            && self.condense_stage(focused) == "ready"
            && self.eligible(focused)
    }

    /// Gives up the focus of a job that rests, and turns to the next one that waits here.
    pub(super) fn rest(&self, focused: &Focused) -> Result<Option<Focused>> {
        self.store.clear_focus()?;
        self.store.journal().restart(None)?;
        let here = self.store.worktree_name();
        let waits =
            |job: &Focused| job.state.job.status == Status::Pending && self.waits_in(&job.state, &here);
        let waiting: Vec<Focused> = self.jobs()?.into_iter().filter(waits).collect();
        let mut next = None;
        for job in &waiting {
            if self.unmet(&job.state)?.is_empty() {
                next = Some(job);
                break;
            }
        }
        match next.or(waiting.first()) {
            Some(next) => self.take_up(next, &focused.state.driver),
            None => Ok(None),
        }
    }

    /// Activates `job`; the session that drove the last one drives it.
    fn take_up(&self, job: &Focused, driver: &Driver) -> Result<Option<Focused>> {
        let Ok(active) = self.activate_job(&job.state.job.id)? else { return Ok(None) };
        let taken = self.step(&active.chain, Fold::In, |state, _| {
            state.driver = driver.clone();
            Ok(Ok(Draft::new(state, "driver", "the session goes on with this job", By::Hook)))
        })?;
        Ok(Some(taken.map_or(active, |taken| taken.focused)))
    }

    /// Jobs that rest until a person approves them, oldest first.
    pub fn awaiting(&self) -> Result<Vec<Focused>> {
        let jobs = self.jobs()?;
        Ok(jobs.into_iter().filter(|job| job.state.job.status == Status::Awaiting).collect())
    }

    /// What the person hears of it when a session starts.
    pub(super) fn good_morning(&self) -> Result<Answer> {
        let approve = |job: &Focused| {
            let job = &job.state.job;
            format!("git seed: \"{}\" awaits you: git seed job approve {}", job.name, job.id)
        };
        let activate = |job: Focused| {
            let job = job.state.job;
            format!("git seed: \"{}\" waits in this worktree: git seed job activate {}", job.name, job.id)
        };
        let mut lines: Vec<String> = self.awaiting()?.iter().map(approve).collect();
        lines.extend(self.waiting_here()?.map(activate));
        Ok(if lines.is_empty() { Answer::silence() } else { Answer::to_person(lines.join("\n")) })
    }

    /// A person ends a job that rests: approval and completion, two steps.
    pub fn end_awaiting(&self, job: &Focused) -> Result<Heard> {
        let name = &job.state.job.name;
        let status = job.state.job.status;
        if status != Status::Awaiting {
            return Ok(Heard::NotCounted(format!("\"{name}\" is {}, not awaiting you.", status.word())));
        }
        let fold = self.fold_for(&job.chain)?;
        let completed = self.complete(&job.chain, fold, |state| self.dependencies_hold(state))?;
        Ok(match completed {
            Ok(done) => {
                if self.store.focus()?.as_deref() == Some(job.chain.as_str())
                    && archive::is_closed(&done.state)
                {
                    // Somebody was stopped before it gave up its focus.
                    self.store.clear_focus()?;
                    self.store.journal().restart(None)?;
                }
                self.put_away(&job.state.job.id)?;
                Heard::Done(format!("\"{name}\" is approved and completed."))
            }
            Err(refusal) => Heard::NotCounted(voice::say(&refusal, "idle").why),
        })
    }

    /// How a step of `chain` treats the journal of this worktree: it belongs to the focused job.
    pub(super) fn fold_for(&self, chain: &str) -> Result<Fold> {
        Ok(if self.store.focus()?.as_deref() == Some(chain) { Fold::In } else { Fold::Leave })
    }
}

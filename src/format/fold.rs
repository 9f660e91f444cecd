//! How a step takes the journal in: what the lines since the last one add up to, and what of it
//! the job keeps.
//!
//! Pure: whether the lines hold together is asked before, and a step that is not taken throws
//! away the state that this was done on.

use std::sync::Arc;

use super::journal::{Counts, Line, Linked, What};
use super::seed_id;
use super::state::{Prep, State};
use super::trailers::StepTrailers;
use crate::jobs::{UnixSeconds, questions};
use crate::phases::activity::Activity;
use crate::phases::review::Review;

/// The most scheduled texts that a job remembers.
const SCHEDULED: usize = 32;

/// The step that prepares the side lane.
pub(crate) const PREP: &str = "gmode prep";

/// What the lines since the last step add up to.
#[derive(Clone, Debug, Default)]
pub struct JournalLines {
    pub lines: Vec<Arc<Linked>>,
    pub last: String,
}

impl JournalLines {
    /// Paths that acts touched, by what the tools said.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &str> {
        let acts = self.lines.iter().filter(|linked| linked.line.what == What::After);
        acts.flat_map(|linked| linked.line.paths.iter().map(String::as_str))
    }

    /// Pages that were only looked at.
    pub(crate) fn looked_at(&self) -> impl Iterator<Item = &str> {
        let looks = self.lines.iter().filter(|linked| linked.line.what == What::Looked);
        looks.flat_map(|linked| linked.line.paths.iter().map(String::as_str))
    }

    /// Paths that were changed outside the fence.
    pub(crate) fn strays(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().flat_map(|linked| linked.line.strays.iter().map(String::as_str))
    }

    /// Paths that changed outside the fence and that no call claimed.
    pub(crate) fn unclaimed(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().flat_map(|linked| linked.line.unclaimed.iter().map(String::as_str))
    }

    /// Hashes of texts that were given to scheduling tools.
    pub(crate) fn scheduled(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter().filter(|linked| linked.line.what == What::Scheduled);
        lines.map(|linked| linked.line.call.as_str())
    }

    /// The question whether the job is complete went out.
    pub(crate) fn asks_for_completion(&self) -> bool {
        let mut asked = self.lines.iter().filter(|linked| linked.line.what == What::Asked);
        asked.any(|linked| {
            linked.line.paths.first().is_some_and(|tag| questions::asks_for_completion(tag))
        })
    }

    /// Somebody worked since the last step, so that the job is another one than before. What only
    /// looks, asks, is refused or is measured leaves it as it was.
    pub(crate) fn has_work(&self) -> bool {
        let proved = |linked: &Linked| linked.line.counts.activity.proved;
        let mut before = None;
        self.lines.iter().any(|linked| {
            let now = proved(linked);
            let lost = now == Some(false) && before != now;
            before = now;
            is_work(&linked.line) || (lost && !has_failed(&linked.line))
        })
    }

    /// True when a hook of a session was heard since the last step.
    pub(crate) fn heard(&self) -> bool {
        // Lines of our own commands are no sign of one: the entry's words, a boundary's refusal.
        let by_hook = |line: &Line| match line.what {
            What::Step | What::Late | What::Commit | What::Ran | What::Claimed => false,
            What::After => line.tool != "session",
            What::Refused => !line.tool.is_empty(),
            _ => true,
        };
        self.lines.iter().any(|linked| by_hook(&linked.line))
    }
}

/// Whether a line tells of a change or of a commit. A prompt that belongs to the job is a step of
/// its own.
fn is_work(line: &Line) -> bool {
    let Line { paths, strays, unclaimed, prints, refs, .. } = line;
    match line.what {
        What::Late | What::Commit => true,
        What::After => [paths, strays, unclaimed, prints, refs].iter().any(|some| !some.is_empty()),
        // The paths of a look are pages that were read.
        What::Looked
        | What::Step
        | What::Refused
        | What::Scheduled
        | What::Asked
        | What::Launched
        | What::Session
        | What::Prompt
        | What::Kept
        | What::Trouble
        | What::Ran
        | What::Claimed
        | What::Advised
        | What::Compacting
        | What::Attested => false,
    }
}

/// A run that failed takes a proof away, and changes nothing. Where none failed, something changed
/// that no line names: a declared file that nobody was heard to write.
fn has_failed(line: &Line) -> bool {
    line.ran.as_ref().is_some_and(|ran| ran.failed || ran.status.is_some_and(|status| status != 0))
}

/// The line that a new journal begins with.
pub(crate) fn opening(state: &State, at: i64) -> Vec<u8> {
    // Subagents and background commands outlive the step that they were launched before.
    let (flights, running) = (state.flights.clone(), state.running.clone());
    let activity = Activity { flights, running, ..Activity::default() };
    let counts = Counts { activity, ..Counts::default() };
    Line { base: state.step.clone(), at, what: What::Step, counts, ..Line::default() }
        .link(&state.folded)
}

/// A step, as its trailers name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    /// `observe -> plan`, `checkpoint`, `multiplier`.
    pub step: &'a str,
    /// The clone that takes it; none in a repository of format 1.
    pub clone: Option<&'a str>,
    /// The phase and the cycle that it was taken in.
    pub phase: &'a str,
    pub cycle: u32,
}

impl State {
    /// Adds what happened to cost and entry; gives the paths that were touched, each once.
    pub(crate) fn take_in(&mut self, since: &JournalLines) -> Vec<String> {
        let Some(last) = since.lines.last() else { return Vec::new() };
        let counts = &last.line.counts;
        self.cost.calls += counts.calls;
        self.cost.words += counts.words;
        self.cost.quoted += counts.quoted;
        self.cost.refusals += counts.refusals;
        let entry = &mut self.stand.entry;
        entry.page_edits += counts.page_edits;
        entry.plan_edits += counts.plan_edits;
        entry.plan_reads += counts.plan_reads;
        entry.take_in(&counts.activity);
        self.flights.clone_from(&counts.activity.flights);
        self.running.clone_from(&counts.activity.running);
        self.proved = counts.activity.proved.unwrap_or(self.proved);
        self.gauge = counts.gauge.unwrap_or(self.gauge);
        if let Some(gate) = &counts.gate {
            self.gate.clone_from(gate);
        }
        self.review = self.review_after(since);
        self.fence.seen = counts.tree.clone().or(self.fence.seen.take());
        for stray in since.strays() {
            if !self.fence.strays.iter().any(|known| known == stray) {
                self.fence.strays.push(stray.to_owned());
            }
        }
        self.scheduled.extend(since.scheduled().map(str::to_owned));
        let old = self.scheduled.len().saturating_sub(SCHEDULED);
        self.scheduled.drain(..old);
        let mut touched: Vec<String> = since.touched().map(str::to_owned).collect();
        touched.sort();
        touched.dedup();
        touched
    }

    /// What became of the question for completion, with what the lines since the last step say.
    pub(crate) fn review_after(&self, since: &JournalLines) -> Review {
        if since.asks_for_completion() { self.review.asked() } else { self.review }
    }

    /// Names a step and gives its trailers; `folded` is the hash of the last line that it took in,
    /// or nothing. A clock that jumped back does not make a job older than it was: `at` is never
    /// before the last step.
    pub(crate) fn seal(&mut self, named: Named<'_>, folded: &str, at: UnixSeconds) -> StepTrailers {
        let before = Some(self.step.as_str()).filter(|step| !step.is_empty());
        let id = seed_id(&self.job.id.to_string(), before, named.step, named.clone);
        if self.prep == Prep::Ready && named.step != PREP {
            self.prep = Prep::None;
        }
        self.step.clone_from(&id);
        self.steps += 1;
        if !folded.is_empty() {
            folded.clone_into(&mut self.folded);
        }
        self.job.updated_at = at;
        StepTrailers {
            job: self.job.id.to_string(),
            run: self.job.run,
            cycle: named.cycle,
            phase: named.phase.to_owned(),
            step: named.step.to_owned(),
            id,
            commit: None,
            carries: None,
            by: None,
            back: None,
            clone: named.clone.map(str::to_owned),
            rules: None,
            redacts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Ran;
    use crate::jobs::Job;

    fn state() -> State {
        State::new(Job::created("j".parse().expect("an id"), "fix the lexer", 0), "opevc", "")
    }

    fn linked(line: Line) -> Linked {
        Linked { line, prev: String::new(), hash: "h".to_owned() }
    }

    /// The last line's counts are running ones; paths are gathered from all of them.
    #[test]
    fn counts_come_from_the_last_line_and_paths_from_all() {
        let line = |calls, path: &str, stray: &str| {
            let counts = Counts { calls, page_edits: calls, ..Counts::default() };
            let (paths, strays) = (vec![path.to_owned()], vec![stray.to_owned()]);
            linked(Line { what: What::After, paths, strays, counts, ..Line::default() })
        };
        let looked =
            Line { what: What::Looked, paths: vec!["CLAUDE.md".to_owned()], ..Line::default() };
        let lines = vec![linked(looked), line(1, "b", "s"), line(2, "a", "s"), line(3, "b", "t")];
        let lines = lines.into_iter().map(Arc::new).collect();
        let since = JournalLines { lines, last: "h".to_owned() };
        let mut state = state();
        assert_eq!(state.take_in(&since), ["a", "b"]);
        assert_eq!((state.cost.calls, state.stand.entry.page_edits), (3, 3));
        assert_eq!(state.fence.strays, ["s", "t"]);
        let before = state.clone();
        assert!(state.take_in(&JournalLines::default()).is_empty());
        assert_eq!(state, before, "no line, nothing to take in");
    }

    #[test]
    fn a_change_is_work_and_a_look_is_not() {
        let proves = |proved| {
            let activity = Activity { proved, ..Activity::default() };
            Counts { activity, ..Counts::default() }
        };
        let line = |what| Line { what, paths: vec!["a".to_owned()], ..Line::default() };
        let none = |what| Line { what, ..Line::default() };
        let lost = Line { counts: proves(Some(false)), ..none(What::After) };
        let failed = Line { ran: Some(Ran { failed: true, ..Ran::default() }), ..lost.clone() };
        let ok = Line { counts: proves(Some(true)), ..none(What::After) };
        for (lines, work) in [
            (vec![none(What::Step), none(What::Session), line(What::Looked)], false),
            (vec![line(What::Refused), none(What::After), none(What::Prompt)], false),
            (vec![line(What::After)], true),
            (vec![Line { strays: vec!["a".to_owned()], ..none(What::After) }], true),
            (vec![none(What::Commit)], true),
            (vec![none(What::Late)], true),
            (vec![ok.clone(), lost.clone(), none(What::Kept)], true),
            (vec![ok, failed, lost], false),
        ] {
            let all = lines.iter().cloned().map(linked).map(Arc::new).collect();
            let since = JournalLines { lines: all, last: String::new() };
            assert_eq!(since.has_work(), work, "{lines:?}");
        }
    }

    #[test]
    fn a_job_remembers_the_newest_of_what_was_scheduled() {
        let line = |n: usize| {
            linked(Line { what: What::Scheduled, call: n.to_string(), ..Line::default() })
        };
        let since = JournalLines {
            lines: (0..SCHEDULED + 2).map(line).map(Arc::new).collect(),
            last: String::new(),
        };
        let mut state = state();
        state.take_in(&since);
        assert_eq!((state.scheduled.len(), state.scheduled[0].as_str()), (SCHEDULED, "2"));
    }

    #[test]
    fn any_step_but_its_own_ends_what_prepared_the_side_lane() {
        for (step, prep) in [(PREP, Prep::Ready), ("checkpoint", Prep::None)] {
            let mut state = State { prep: Prep::Ready, folded: "old".to_owned(), ..state() };
            let named = Named { step, clone: None, phase: "plan", cycle: 1 };
            let trailers = state.seal(named, "", 7);
            assert_eq!((state.prep, state.steps, state.job.updated_at), (prep, 1, 7), "{step}");
            assert_eq!((state.step.as_str(), state.folded.as_str()), (trailers.id.as_str(), "old"));
            assert_eq!(
                state.seal(named, "new", 8).id,
                seed_id("j", Some(&trailers.id), step, None)
            );
            assert_eq!(state.folded, "new");
        }
    }
}

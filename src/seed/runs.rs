//! Runs of a job: what each left to do, and beginning the next one.
//!
//! Why a cycle was added stands in the job's tree, one file for each and over all runs;
//! `job.toml` keeps how many there are.

use super::{Focused, Result, Seed};
use crate::format::context::Context;
use crate::format::names;
use crate::format::state::State;
use crate::store::TreeEdit;

impl Seed {
    /// Why cycles were added, over all runs, oldest first.
    pub fn contexts(&self, job: &Focused) -> Result<Vec<Context>> {
        let state = &job.state;
        let mut contexts = Vec::new();
        for n in 1..=state.plan.contexts {
            let bytes = self.store.file(&job.tip, &names::context(n))?.unwrap_or_default();
            contexts.extend(Context::read(&String::from_utf8_lossy(&bytes)));
        }
        contexts.extend(state.plan.extension_contexts.iter().map(|text| of_old_record(state, text)));
        Ok(contexts)
    }

    /// Why the last cycle was added, if one was.
    pub(super) fn last_context(&self, job: &Focused) -> Option<Context> {
        let plan = &job.state.plan;
        if let Some(text) = plan.extension_contexts.last() {
            return Some(of_old_record(&job.state, text));
        }
        let n = Some(plan.contexts).filter(|n| *n > 0)?;
        let bytes = self.store.file(&job.tip, &names::context(n)).ok()??;
        Context::read(&String::from_utf8_lossy(&bytes))
    }
}

/// Adds a cycle to the run, and gives the file that says why.
pub(super) fn add_cycle(state: &mut State, cycle: u32, why: &str) -> TreeEdit {
    state.plan.extension_cycles_added = state.plan.extension_cycles_added.saturating_add(1);
    let context = Context { run: state.job.run, cycle, text: why.trim().to_owned() };
    put_context(state, &context)
}

/// Moves the reasons that an older record kept in `job.toml` into files of their own.
pub(super) fn move_contexts(state: &mut State) -> Vec<TreeEdit> {
    let old = std::mem::take(&mut state.plan.extension_contexts);
    let put = |text: &String| {
        let context = of_old_record(state, text);
        put_context(state, &context)
    };
    old.iter().map(put).collect()
}

fn put_context(state: &mut State, context: &Context) -> TreeEdit {
    state.plan.contexts += 1;
    TreeEdit::Put { path: names::context(state.plan.contexts), bytes: context.write().into_bytes() }
}

fn of_old_record(state: &State, text: &str) -> Context {
    Context { run: state.job.run, cycle: 0, text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::state::{self, MOST_BYTES, Spilled};
    use crate::jobs::{Job, OBJECTIVE_BYTES_MOST};
    use crate::phases::PhaseName;
    use crate::rules::Rules;

    fn job() -> State {
        let id = "20261121t205612-7f3a".parse().expect("an id");
        let mut state = State::new(Job::created(id, "keep the escapes", 0), "opevc", "main");
        state.job.objective = "a word ".repeat(OBJECTIVE_BYTES_MOST / 7);
        state
    }

    fn bytes(edit: &TreeEdit) -> String {
        let TreeEdit::Put { bytes, .. } = edit else { panic!("a file: {edit:?}") };
        String::from_utf8(bytes.clone()).expect("text")
    }

    /// What the steps of forty cycles write, with every list as long as it gets.
    #[test]
    fn a_job_of_forty_cycles_stays_small_and_keeps_every_reason() {
        let rules = Rules::shipped().expect("the shipped rules");
        let map = rules.maps.home();
        let mut state = job();
        let mut kept = Vec::new();
        for cycle in 1..=40_u32 {
            loop {
                let step = state.stand.forward(map, None).expect("there is a way on");
                state.stand = state.stand.take(map, &step);
                state.stand.shelved.clear();
                for phase in ["observe", "plan", "execute", "verify"] {
                    let mut entry = state.stand.entry.clone();
                    entry.phase = PhaseName::from(phase);
                    let many =
                        |what: &str, n: usize| (0..n).map(|i| (format!("{what}-{i:02}"), 99)).collect();
                    (entry.acts, entry.since) = (many("shell-network", 17), many("shell-network", 17));
                    (entry.launches, entry.reflections) =
                        (many("verify-meta-auditor-of-mine", 16), many("counter-examples", 6));
                    state.stand.shelved.push(entry);
                }
                state.scheduled = vec!["0123456789abcdef".to_owned(); 32];
                state.answered = vec!["toolu_01A09q90qw90lkasdjl".to_owned(); 16];
                let (text, beside) = state::write_short(&state).expect("it fits");
                assert!(text.len() <= MOST_BYTES, "{} bytes in cycle {cycle}", text.len());
                let mut read = state::read(text.as_bytes()).expect("it reads");
                if let Some(beside) = beside {
                    read.take_back(toml::from_str::<Spilled>(&beside).expect("it reads"));
                }
                assert_eq!(read, state);
                if state.stand.phase.is_idle() {
                    break;
                }
            }
            if cycle % 2 == 0 {
                let why = format!("cycle {cycle} left this: {}", "what is still to be done ".repeat(90));
                kept.push((bytes(&add_cycle(&mut state, cycle, &why)), cycle, why.trim().to_owned()));
            }
        }
        assert_eq!((state.plan.contexts, state.plan.extension_cycles_added), (20, 20));
        for (file, cycle, text) in kept {
            assert_eq!(Context::read(&file), Some(Context { run: 1, cycle, text }));
        }
    }

    #[test]
    fn reasons_of_an_older_record_move_out_once() {
        let mut state = job();
        state.plan.extension_contexts = vec!["one".to_owned(), "two".to_owned()];
        let moved: Vec<String> = move_contexts(&mut state).iter().map(bytes).collect();
        let texts: Vec<_> =
            moved.iter().filter_map(|file| Context::read(file)).map(|read| read.text).collect();
        assert_eq!(texts, ["one", "two"]);
        assert_eq!((state.plan.contexts, state.plan.extension_contexts.len()), (2, 0));
        assert!(move_contexts(&mut state).is_empty());
    }
}

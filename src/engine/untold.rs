//! A step of which nobody heard: the command that took it was killed before it could print.
//!
//! The command leaves word of itself before its step, and takes that away once it has printed.
//! Whoever comes next finds the word and tells the step, with the text of the phase that it opened.
//! A way back that is said once more is answered with the step that was taken: without a
//! destination it would lead back one phase more.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{briefing, own_state, record};
use crate::format::trailers::StepTrailers;
use crate::format::{names, short_hash};
use crate::jobs::Status;
use crate::phases::PhaseName;
use crate::voice::{Notice, tell};
use crate::world;

/// So many steps of a chain are looked through for those of the command.
const STEPS: usize = 16;

/// What a command leaves before its step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Word {
    chain: String,
    /// Seed-Id of the step before.
    before: String,
    /// Hash of where it leads and of the author's words: none of them is kept here.
    said: String,
    /// The agent heard of the step since.
    #[serde(default)]
    told: bool,
    /// The command; while it runs, it tells of its step itself.
    owner: world::Process,
}

/// How much is told of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The step, and the text of the phase that it opened.
    Whole,
    /// The step alone: the text comes from elsewhere.
    Line,
}

fn file(repo: &Repo) -> PathBuf {
    let dir = repo.store.seed_dir().join("untold");
    dir.join(format!("{}.toml", repo.store.worktree_name()))
}

/// A command was killed here, or is about to take a step.
pub(crate) fn is_there(repo: &Repo) -> bool {
    file(repo).exists()
}

fn word(repo: &Repo) -> Option<Word> {
    // One that does not read tells of nothing; the step stands in the log all the same.
    own_state::from_toml(&file(repo)).ok().flatten()
}

fn keep(repo: &Repo, word: &Word) -> Result<()> {
    let text = toml::to_string(word)?;
    // Nothing rests on it: a step is taken or not without it.
    Ok(world::Whole::private().unsynced().write(&file(repo), text.as_bytes())?)
}

fn forget(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

fn is_own(word: &Word) -> bool {
    let own = world::myself();
    (word.owner.pid, &word.owner.started) == (own.pid, &own.started)
}

fn hashed(toward: &Transition, text: &str) -> String {
    short_hash(format!("{toward:?}\n{}", text.trim()).as_bytes(), 32)
}

/// A command of the agent's is about to take a step; of several in a row the first one counts.
pub(crate) fn begins(repo: &Repo, focused: &LoadedJob, toward: &Transition, text: &str, by: By) {
    if by != By::Agent || word(repo).is_some_and(|word| is_own(&word)) {
        return;
    }
    let word = Word {
        chain: focused.chain.clone(),
        before: focused.state.step.clone(),
        said: hashed(toward, text),
        told: false,
        owner: world::myself(),
    };
    // No step waits for it: without it one that is killed is found in the log.
    let _ = keep(repo, &word);
}

/// This command has printed what became of its step.
pub(crate) fn has_printed(repo: &Repo) -> Result<()> {
    if word(repo).is_some_and(|word| is_own(&word)) { forget(repo) } else { Ok(()) }
}

/// What is told of a step that nobody heard of, once. `works` says that the agent goes on with
/// something else: from then on a way back is meant anew.
pub(crate) fn told(repo: &Repo, part: Part, works: bool) -> Result<Option<String>> {
    let Some(word) = word(repo).filter(|word| !world::is_running(&word.owner)) else {
        return Ok(None);
    };
    if word.told {
        if works {
            forget(repo)?;
        }
        return Ok(None);
    }
    // A git that outlived the command may still make its commit.
    if record::pending_file::pending_file(repo).exists() {
        return Ok(None);
    }
    let Some((job, steps)) = taken(repo, &word)? else {
        forget(repo)?;
        return Ok(None);
    };
    let line = tell(Notice::StepUntold, &[("step", &line(&steps))]);
    let told = match part {
        Part::Whole => format!("{line}\n{}", opens(repo, &job, &steps)?),
        Part::Line => line,
    };
    keep(repo, &Word { told: true, ..word })?;
    if is_focused(repo, &job)? {
        record::journal_line::count_injected(repo, &job, &told)?;
    }
    Ok(Some(told))
}

/// The answer to a way back that was taken already by a command that was killed, and is said once
/// more with nothing done in between.
pub(crate) fn again(
    repo: &Repo,
    to: Option<&PhaseName>,
    text: &str,
) -> Result<Option<(LoadedJob, String)>> {
    let said = hashed(&Transition::Back { to: to.cloned() }, text);
    let word = word(repo).filter(|word| word.said == said && !world::is_running(&word.owner));
    let Some(word) = word else { return Ok(None) };
    let Some((job, steps)) = taken(repo, &word)? else { return Ok(None) };
    if steps.len() != 1 || !is_focused(repo, &job)? {
        return Ok(None);
    }
    let mut told = tell(Notice::StepTakenAlready, &[("step", &line(&steps))]);
    if !repo.row(Some(&job)).back.is_empty() {
        told = format!("{told}\n{}", tell(Notice::StepFurtherBack, &[]));
    }
    let told = format!("{told}\n{}", opens(repo, &job, &steps)?);
    keep(repo, &Word { told: true, ..word })?;
    Ok(Some((job, told)))
}

fn is_focused(repo: &Repo, job: &LoadedJob) -> Result<bool> {
    Ok(repo.focused()?.is_some_and(|focused| focused.chain == job.chain))
}

/// The job, and the steps from phase to phase behind the one before the command, oldest first;
/// absent where none was taken.
fn taken(repo: &Repo, word: &Word) -> Result<Option<(LoadedJob, Vec<StepTrailers>)>> {
    let Some(id) = names::job_of(&word.chain) else { return Ok(None) };
    let job = repo.job(&id)?;
    let mut steps = Vec::new();
    for step in repo.store.history_from(&job.tip.commit, STEPS)? {
        let Some(read) = StepTrailers::read(&step.message) else { continue };
        if read.id == word.before {
            steps.reverse();
            return Ok((!steps.is_empty()).then_some((job, steps)));
        }
        if read.step.contains(" -> ") || read.step == "checkpoint" {
            steps.push(read);
        }
    }
    // It was taken back since, or lies far behind.
    Ok(None)
}

/// `execute -> verify -> condense   commit 1a2b3c4`.
fn line(steps: &[StepTrailers]) -> String {
    let mut line = String::new();
    for StepTrailers { step, .. } in steps {
        line = match step.split_once(" -> ") {
            Some((from, to)) if line.ends_with(from) => format!("{line} -> {to}"),
            _ if line.is_empty() => step.clone(),
            _ => format!("{line}, {step}"),
        };
    }
    for commit in steps.iter().filter_map(|step| step.commit.as_ref()) {
        let short: String = commit.chars().take(7).collect();
        line = format!("{line}   commit {short}");
    }
    line
}

/// What the last of these steps led to.
fn opens(repo: &Repo, job: &LoadedJob, steps: &[StepTrailers]) -> Result<String> {
    let stand = &job.state.stand;
    let cycle = stand.cycle.to_string();
    let facts = [("name", job.state.job.name.as_str()), ("cycle", &*cycle)];
    let left = steps.last().map_or("", |last| last.phase.as_str());
    Ok(match job.state.job.status {
        Status::Completed if repo.rests(stand) => tell(Notice::JobDone, &facts),
        Status::Awaiting if repo.rests(stand) => tell(Notice::JobRests, &facts),
        _ if repo.rests(stand) => tell(Notice::CycleClosed, &facts[1..]),
        // Its text comes as it is taken up again.
        _ if !is_focused(repo, job)? => String::new(),
        _ if left == stand.phase.as_str() => briefing::gather::stay_text(repo, job),
        _ => briefing::gather::next_text(repo, job, left),
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn steps_that_follow_one_another_are_one_line() {
        let step = |step: &str, commit: Option<&str>| StepTrailers {
            job: "j".to_owned(),
            run: 1,
            cycle: 1,
            phase: "execute".to_owned(),
            step: step.to_owned(),
            id: "0".to_owned(),
            commit: commit.map(str::to_owned),
            carries: None,
            by: None,
            back: None,
            clone: None,
            rules: None,
            redacts: Vec::new(),
        };
        let steps = [
            step("execute -> verify", Some("0123456789abcdef")),
            step("verify -> condense", None),
            step("checkpoint", None),
        ];
        assert_eq!(line(&steps), "execute -> verify -> condense, checkpoint   commit 0123456");
        assert_eq!(line(&steps[..1]), "execute -> verify   commit 0123456");
    }
}

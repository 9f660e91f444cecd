//! Commits that git seed did not make: on the way to a boundary, and behind one call.
//!
//! The log of HEAD tells of commits on every branch that was checked out, also of one that
//! was left again, and of a commit that took another one's place. It is read only where
//! it grew.

use super::looks::Window;
use super::{Focused, Result, Seed};
use crate::format::trailers::StepTrailers;
use crate::jobs::JobId;
use crate::phases::Class;
use crate::store::{CommitId, Moved};

/// The most that are named at once.
const NAMED: usize = 5;

impl Seed {
    /// Commits since the last phase commit that git seed did not make, in words: those of
    /// HEAD's history, and those of other branches that HEAD was on.
    pub(super) fn commits_by_hand(&self, chain: &str) -> Result<Vec<String>> {
        let focused = self.require_focused()?;
        if focused.chain != chain || focused.state.stand.is_talk() {
            return Ok(Vec::new());
        }
        let mut named = Vec::new();
        let last = focused.state.home.commit.parse::<CommitId>().ok();
        if let Some(last) =
            last.filter(|last| self.store.head().is_ok_and(|head| head.commit.as_ref() != Some(last)))
        {
            let commits = self.store.commits_since(&last)?;
            let others = commits.into_iter().filter(|(_, message)| !self.is_a_step(&focused, message));
            named.extend(others.map(|(commit, message)| told(commit.as_str(), &message)));
        }
        let more = self.logged_by_hand(&focused, focused.state.home.logged)?;
        named.extend(more.into_iter().filter(|one| !named.contains(one)).collect::<Vec<_>>());
        named.truncate(NAMED);
        Ok(named)
    }

    /// Commits of any branch that came while a call ran and are no steps of the job: by what
    /// HEAD's log held before it. Nothing where commits by hand are the way, and where nobody
    /// looked before the call.
    pub(super) fn commits_of_call(&self, focused: &Focused, window: Option<&Window>) -> Result<ByHand> {
        let Some(window) = window else { return Ok(ByHand::default()) };
        if self.row(Some(focused)).opens(Class::ShellGit) || focused.state.stand.is_talk() {
            return Ok(ByHand::default());
        }
        let from = focused.state.home.logged.max(window.look.logged);
        let commits = self.logged_by_hand(focused, from)?;
        let by_call = window.is_tied_to(&self.store.common_dir().join("HEAD"));
        Ok(ByHand { commits, by_call })
    }

    fn logged_by_hand(&self, focused: &Focused, from: u64) -> Result<Vec<String>> {
        let mut named = Vec::new();
        for Moved { to, made } in self.store.head_moves(from)? {
            let Ok(commit) = to.parse::<CommitId>() else { continue };
            // A commit that is gone again left nothing to name.
            let Ok(message) = self.store.commit_message(&commit) else { continue };
            if made && !self.is_a_step(focused, &message) && named.len() < NAMED {
                named.push(told(&to, &message));
            }
        }
        named.dedup();
        Ok(named)
    }

    /// The message names a step of this job, or of another one that worked here while this
    /// one rested.
    fn is_a_step(&self, focused: &Focused, message: &str) -> bool {
        let Some(read) = StepTrailers::read(message) else { return false };
        let is_known = |id: JobId| self.knows(&id).unwrap_or(false);
        read.job == focused.state.job.id.to_string() || read.job.parse().is_ok_and(is_known)
    }
}

/// Commits that came while a call ran, in words.
#[derive(Clone, Debug, Default)]
pub(super) struct ByHand {
    pub(super) commits: Vec<String>,
    /// The call made them; else the person alone is told.
    pub(super) by_call: bool,
}

fn told(commit: &str, message: &str) -> String {
    let short: String = commit.chars().take(7).collect();
    format!("{short} \"{}\" was committed by hand.", message.lines().next().unwrap_or_default())
}

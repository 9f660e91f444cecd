//! Commits that git seed did not make: on the way to a boundary, and behind one call.
//!
//! The log of HEAD tells of commits on every branch that was checked out, also of one that
//! was left again, and of a commit that took another one's place. It is read only where
//! it grew.

use crate::engine::fence::looks::Window;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{fence, record};
use crate::format::notes;
use crate::format::trailers::StepTrailers;
use crate::jobs::JobId;
use crate::phases::Class;
use crate::store::{CommitId, Moved};
use crate::voice::{Notice, tell};

/// The most that are named at once.
const NAMED: usize = 5;

/// Commits since the last phase commit that git seed did not make, in words: those of
/// HEAD's history, and those of other branches that HEAD was on. `own` is that of the step which
/// is being taken, of which nothing is noted yet.
pub(crate) fn commits_by_hand(
    repo: &Repo,
    chain: &str,
    own: Option<&CommitId>,
) -> Result<Vec<String>> {
    let focused = repo.require_focused()?;
    if focused.chain != chain || focused.state.stand.is_talk() {
        return Ok(Vec::new());
    }
    let mut named = Vec::new();
    // Empty before the first phase commit.
    let last = focused.state.home.commit.parse::<CommitId>().ok();
    if let Some(last) =
        last.filter(|last| repo.store.head().is_ok_and(|head| head.commit.as_ref() != Some(last)))
    {
        let commits = repo.store.commits_since(&last)?;
        let is_other = |(commit, message): &(CommitId, String)| {
            own != Some(commit) && !is_a_step(repo, &focused, commit, message)
        };
        let others = commits.into_iter().filter(is_other).take(NAMED);
        named.extend(others.map(|(commit, message)| told(commit.as_str(), &message)));
    }
    let more = logged_by_hand(repo, &focused, focused.state.home.logged, own)?;
    named.extend(more.into_iter().filter(|one| !named.contains(one)).collect::<Vec<_>>());
    named.truncate(NAMED);
    Ok(named)
}

/// Commits of any branch that came while a call ran and are no steps of the job: by what
/// HEAD's log held before it. Nothing where commits by hand are the way, and where nobody
/// looked before the call.
pub(crate) fn commits_of_call(
    repo: &Repo,
    focused: &LoadedJob,
    window: Option<&Window>,
) -> Result<ByHand> {
    let Some(window) = window else { return Ok(ByHand::default()) };
    if repo.row(Some(focused)).opens(Class::ShellGit) || focused.state.stand.is_talk() {
        return Ok(ByHand::default());
    }
    let from = focused.state.home.logged.max(window.look.logged);
    let commits = logged_by_hand(repo, focused, from, None)?;
    let by_call = window.is_tied_to(&repo.store.common_dir().join("HEAD"));
    Ok(ByHand { commits, by_call })
}

/// Those of `paths` that are not as the last commit has them; a person may just have made it.
///
/// # Errors
///
/// Fails where HEAD does not read.
pub(crate) fn in_no_commit(repo: &Repo, paths: &[String]) -> Result<Vec<String>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(paths.to_vec()) };
    let tree = repo.store.tree_of_commit(&head)?;
    let open = |path: &&String| fence::tree::is_still_changed(repo, &tree, path);
    Ok(paths.iter().filter(open).cloned().collect())
}

fn logged_by_hand(
    repo: &Repo,
    focused: &LoadedJob,
    from: u64,
    own: Option<&CommitId>,
) -> Result<Vec<String>> {
    let mut named = Vec::new();
    for Moved { to, made, .. } in repo.store.head_moves(from)? {
        let Ok(commit) = to.parse::<CommitId>() else { continue };
        // A commit that is gone again left nothing to name.
        let Ok(message) = repo.store.commit_message(&commit) else { continue };
        let told = told(&to, &message);
        let is_new = own != Some(&commit) && !named.contains(&told);
        if made && is_new && named.len() < NAMED {
            named.extend((!is_a_step(repo, focused, &commit, &message)).then_some(told));
        }
    }
    Ok(named)
}

/// The commit is a step of this job, or of another one that worked here while this one rested: by
/// its message, or where a hook wrote another one, by its note.
fn is_a_step(repo: &Repo, focused: &LoadedJob, commit: &CommitId, message: &str) -> bool {
    // A job that cannot be looked up explains no commit: it is named as made by hand, which only
    // tells.
    let is_known = |id: JobId| record::archive::knows(repo, &id).unwrap_or(false);
    let is_ours =
        |job: &str| job == focused.state.job.id.to_string() || job.parse().is_ok_and(is_known);
    if let Some(read) = StepTrailers::read(message) {
        return is_ours(&read.job);
    }
    // Notes that do not read explain no commit, either.
    let lines = repo.store.note_lines(commit).unwrap_or_default();
    lines.iter().filter_map(|line| notes::step_of(line)).any(|(_, job)| is_ours(&job))
}

/// Commits that came while a call ran, in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByHand {
    pub(crate) commits: Vec<String>,
    /// The call made them; else the person alone is told.
    pub(crate) by_call: bool,
}

fn told(commit: &str, message: &str) -> String {
    let short: String = commit.chars().take(7).collect();
    let subject = message.lines().next().unwrap_or_default();
    tell(Notice::RemarkByHand, &[("commit", &short), ("subject", subject)])
}

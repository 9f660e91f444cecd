//! What the person's hooks made of a phase commit, compared with the tree that was judged.
//!
//! Inside the scope it is the boundary's: the commit's tree is what the next phase begins with.
//! A path outside takes the commit back, whoever's hook or wrapper put it there; where that cannot
//! be done, the job waits until a person settles it.

use crate::engine::boundary::step::Judged;
use crate::engine::fence::survey;
use crate::engine::record::pending_file::Behind;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, record, vetoes};
use crate::format::trailers::{self, StepTrailers};
use crate::phases::{gates, guard};
use crate::store::{CommitId, Made, Staged, TreeId};
use crate::verdict::{Case, Refusal};

/// The newest steps among which that of a commit is looked for.
const STEPS: usize = 1000;

/// Keeps `made` where all that it holds may be there; else it is taken back, and refused.
pub(crate) fn compare(
    repo: &Repo,
    focused: &LoadedJob,
    judged: &mut Judged,
    staged: &Staged,
    made: Made,
) -> Result<std::result::Result<CommitId, Refusal>> {
    let tree = repo.store.tree_of_commit(&made.commit)?;
    // From what was there before, whatever the index of the commit says of it.
    let before = repo.store.base_tree(staged.head())?;
    let added = outside(repo, focused, judged, &before, &tree)?;
    if added.is_empty() {
        // A branch that moved on is the next one's to judge; the index holds what was asked for.
        follow(repo, staged, &made.commit)?;
        take_in(repo, judged, staged.tree(), &tree)?;
        return Ok(Ok(made.commit));
    }
    if !made.moved_on && repo.store.take_back(&made.commit)? {
        return Ok(Err(gates::added(&made.hook, &added)));
    }
    follow(repo, staged, &made.commit)?;
    Ok(Err(gates::waits(made.commit.as_str(), &added)))
}

/// Brings the person's index to the commit, or leaves word that it is behind.
fn follow(repo: &Repo, staged: &Staged, commit: &CommitId) -> Result<()> {
    if repo.store.refresh_index(staged, commit).is_ok() {
        return Ok(());
    }
    let from = staged.head().map(ToString::to_string).unwrap_or_default();
    let behind = Behind { from, to: commit.to_string(), held: staged.held().to_vec() };
    boundary::pending::remember_behind(repo, &behind)
}

/// The commit of the step that would come next, where one stands on the branch that no step
/// names: the job waits where it holds what it may not hold, and the step takes it where not.
pub(crate) fn untaken(
    repo: &Repo,
    focused: &LoadedJob,
    judged: &Judged,
) -> Result<std::result::Result<Option<CommitId>, Refusal>> {
    // The trailers of a step are git seed's to write, also in the message of a boundary.
    let claimed: Vec<&str> = trailers::own_lines(&judged.sent).collect();
    if let Err(refusal) = guard::claims_no_step(&claimed) {
        return Ok(Err(refusal));
    }
    let home = &focused.state.home;
    let last = if home.commit.is_empty() { &home.base } else { &home.commit };
    // Empty where the job began on an unborn branch.
    let (Ok(last), Some(head)) = (last.parse::<CommitId>(), repo.store.head()?.commit) else {
        return Ok(Ok(None));
    };
    if head == last {
        return Ok(Ok(None));
    }
    let job = focused.state.job.id.to_string();
    let read =
        |(commit, message): (CommitId, String)| Some((commit, StepTrailers::read(&message)?));
    let mut ours = repo.store.commits_since(&last)?.into_iter().filter_map(read);
    let Some((commit, named)) = ours.find(|(_, named)| named.job == job) else {
        return Ok(Ok(None));
    };
    // A person may have picked a commit of an earlier step.
    if record::history::log(repo, focused, STEPS)?.iter().any(|step| step.id == named.id) {
        return Ok(Ok(None));
    }
    // Another process has made it just now, and is about to take its step.
    boundary::pending::require_nobody_else(repo)?;
    let Some(parent) = repo.store.first_parent(&commit)? else { return Ok(Ok(None)) };
    let (from, to) = (repo.store.tree_of_commit(&parent)?, repo.store.tree_of_commit(&commit)?);
    let added = outside(repo, focused, judged, &from, &to)?;
    if added.is_empty() {
        return Ok(Ok(Some(commit)));
    }
    // Whoever made it was killed before it was compared.
    if head == commit && repo.store.take_back(&commit)? {
        return Ok(Err(gates::added("a hook", &added)));
    }
    Ok(Err(gates::waits(commit.as_str(), &added)))
}

/// What a hook of the person's added to the last commit that was tried, where nothing happened
/// since that could have changed it: no step, no change of a file, and no word of the person's.
pub(crate) fn stands(repo: &Repo, focused: &LoadedJob) -> Result<Option<Refusal>> {
    let since = repo.read_since(focused)?;
    for line in since.lines.iter().rev().map(|linked| &linked.line) {
        let refused = line.refusal.as_ref().filter(|refused| refused.by == gates::VETO);
        if let Some(refused) = refused {
            let held = [Case::HookAdded, Case::CommitWaits].map(|case| Some(case.word()));
            let facts = refused.facts.clone();
            let refusal = Refusal { by: gates::VETO, wants: refused.wants, facts };
            return Ok(held.contains(&refusal.facts.case()).then_some(refusal));
        }
        if vetoes::may_change(line) {
            break;
        }
    }
    Ok(None)
}

/// Whether a hook added `path` to the last commit that was tried.
pub(crate) fn has_added(refusal: &Refusal, path: &str) -> bool {
    let all = refusal.facts.get("all").unwrap_or_default();
    refusal.facts.case() == Some(Case::HookAdded.word()) && all.lines().any(|added| added == path)
}

fn outside(
    repo: &Repo,
    focused: &LoadedJob,
    judged: &Judged,
    from: &TreeId,
    to: &TreeId,
) -> Result<Vec<String>> {
    let changed = repo.store.diff_trees(from, to)?;
    let paths = changed.into_iter().map(|change| change.path);
    let paths = paths.filter(|path| !judged.survey.own.contains(path)).collect::<Vec<_>>();
    if paths.is_empty() { Ok(Vec::new()) } else { survey::outside(repo, focused, to, &paths) }
}

/// What a hook changed inside the scope is no change of anybody afterwards.
fn take_in(repo: &Repo, judged: &mut Judged, meant: &TreeId, made: &TreeId) -> Result<()> {
    let changed = repo.store.diff_trees(meant, made)?;
    judged.survey.hooked = changed.iter().map(|change| change.path.to_string()).collect();
    if let Some(tree) = judged.survey.tree.as_ref().filter(|_| !changed.is_empty()) {
        judged.survey.tree = Some(repo.store.carry_over(tree, meant, made)?);
    }
    Ok(())
}

//! `land --onto`: the pieces of a landing replayed on another commit, one by one, in objects.

use crate::engine::landing::asked::Asked;
use crate::engine::landing::plan::{Ground, Plan, Planned, on_its_base};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::jobs::landing;
use crate::memory::merge::SWITCH;
use crate::store::Replayed;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// What a landing would make, on the commit that is asked for. `replaces` is whether the job's own
/// branch is replaced.
pub(super) fn plan(repo: &Repo, ground: &Ground, asked: &Asked, replaces: bool) -> Answered<Plan> {
    let plan = match on_its_base(repo, ground, asked, replaces)? {
        Ok(plan) => plan,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match &asked.onto {
        Some(onto) => replayed(repo, ground, plan, asked, onto),
        None => Ok(Ok(plan)),
    }
}

/// Puts the pieces onto another commit; refused where one does not fit there.
fn replayed(
    repo: &Repo,
    ground: &Ground,
    plan: Plan,
    asked: &Asked,
    onto: &str,
) -> Result<std::result::Result<Plan, Refusal>> {
    let Some(commit) = repo.store.resolve_commit(onto)? else {
        return Err(EngineError::Usage(tell(Notice::LandOntoUnknown, &[("onto", onto)])));
    };
    let holds_it = || -> Result<Refusal> {
        let line = asked.alone(repo, &ground.job)?;
        Ok(landing::holds_it(&ground.job.state.job, onto, &line))
    };
    // As its steps were made: what was built on them since may not take them once more.
    if repo.store.descends(commit.as_str(), ground.last().commit.as_str()) {
        return holds_it().map(Err);
    }
    let begins = repo.store.tree_of_commit(&commit)?;
    let (mut before, mut at) = (plan.from.clone(), begins.clone());
    let mut commits: Vec<Planned> = Vec::new();
    for one in plan.commits {
        let tree = match repo.store.replay(&before, &at, &one.tree)? {
            Replayed::Tree(tree) => tree,
            Replayed::Conflict(paths) => {
                return collides(repo, ground, asked, onto, &paths).map(Err);
            }
        };
        before.clone_from(&one.tree);
        if tree != at || one.message.is_none() {
            at = tree.clone();
            commits.push(Planned { tree, ..one });
        }
    }
    let Some(last) = commits.iter().rev().find(|one| one.message.is_some()) else {
        return holds_it().map(Err);
    };
    let memory = plan.memory && last.subject == commits[commits.len() - 1].subject;
    let but = repo.without_memory();
    let ours = repo.store.change_id(&plan.from, &before, &but)?;
    let same = ours == repo.store.change_id(&begins, &at, &but)?;
    // The other commit may have some of it already.
    let whole = at == before && plan.whole;
    let identical = plan.differs.is_empty() && (same || at == before && plan.identical);
    let onto = Some(commit);
    Ok(Ok(Plan { onto, from: begins, commits, memory, identical, whole, ..plan }))
}

/// What is in the way there, and the way past it where that is memory alone.
fn collides(
    repo: &Repo,
    ground: &Ground,
    asked: &Asked,
    onto: &str,
    paths: &[String],
) -> Result<Refusal> {
    let job = &ground.job.state.job;
    let of_memory = !asked.without_memory && paths.iter().all(|path| repo.is_memory(path));
    let without = Asked { without_memory: true, ..asked.clone() };
    // Commits of others hold memory, too, and there may be nothing else.
    if !of_memory || plan(repo, ground, &without, false)?.is_err() {
        return Ok(landing::collides(job, onto, paths, &asked.alone(repo, &ground.job)?));
    }
    let merged = repo.store.config_text(SWITCH).as_deref() == Some("true");
    Ok(landing::memory_collides(job, onto, paths, &without.line(&job.id), merged))
}

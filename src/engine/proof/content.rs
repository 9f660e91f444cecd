//! Commits known by what they hold: which steps of a job a commit stands for, whatever its name.
//!
//! Content alone vouches: the same tree, else the same change, of a step, a cycle, a landing or the
//! whole job. A change is git's patch-id with memory left out; of a single step also the whole one.
//! What landed is written down in the chain, so it is known where its commits are not here.

use std::collections::BTreeMap;

use crate::engine::contents::{Changes, Contents, Ids};
use crate::engine::proof::chain::{OfStep, Steps, TakenStep};
use crate::engine::repo::{Repo, Result};
use crate::format::landing::{LabCommit, LandedCommit};
use crate::store::{ChangeId, CommitId};

/// What each of these commits changes.
pub(crate) fn changes(repo: &Repo, commits: &[CommitId]) -> Result<BTreeMap<CommitId, Changes>> {
    let mut found: BTreeMap<CommitId, Changes> = BTreeMap::new();
    for (commit, change) in repo.store.patch_ids(commits, &repo.without_memory())? {
        found.entry(commit).or_default().product = change;
    }
    for (commit, change) in repo.store.patch_ids(commits, &[])? {
        found.entry(commit).or_default().whole = change;
    }
    Ok(found)
}

/// What the steps of `made`, oldest first, hold, as far as trees say it, and what the chain has
/// written down of those and others.
pub(crate) fn contents(repo: &Repo, made: &[OfStep], steps: &Steps) -> Result<Contents> {
    let mut contents = Contents::new(places(steps));
    for step in made {
        let tree = repo.store.tree_of_commit(&step.commit)?;
        if !step.undone || contents.lacks_tree(tree.as_str()) {
            contents.add_tree(tree.as_str(), [&*step.id]);
        }
        if let Some(before) = repo.store.tree_before(&step.commit)? {
            contents.add_base(before.as_str(), [&*step.id]);
        }
    }
    for some in groups(made) {
        let Some(last) = some.last() else { continue };
        let tree = repo.store.tree_of_commit(&last.commit)?;
        contents.add_tree(tree.as_str(), some.iter().map(|step| step.id.as_str()));
    }
    take_in_landings(repo, &mut contents, steps)?;
    let mut by_then = Ids::new();
    for cycle in &steps.cycles {
        by_then.extend(cycle.ids().map(str::to_owned));
        let change = written(&cycle.change, &cycle.verbatim);
        take_in_written(&mut contents, &cycle.tree, &change, cycle.ids());
        if let Some(job) = &cycle.job {
            let (job, ids) = (written(job, &cycle.job_verbatim), by_then.iter());
            take_in_written(&mut contents, &cycle.tree, &job, ids.map(String::as_str));
        }
        take_in_labs(&mut contents, &cycle.commits);
    }
    let labs = steps.cycles.iter().flat_map(|cycle| &cycle.commits);
    for (one, next) in labs.clone().zip(labs.skip(1)) {
        contents.add_base(&one.tree, [&*next.id]);
    }
    Ok(contents)
}

/// A change as it was written down.
fn written(by_git: &str, verbatim: &str) -> ChangeId {
    ChangeId { by_git: by_git.to_owned(), verbatim: verbatim.to_owned() }
}

fn of_lab(lab: &LabCommit) -> ChangeId {
    written(&lab.change, &lab.verbatim)
}

/// The place in the chain of each step that made a commit, by the Seed-Id in that.
fn places(steps: &Steps) -> BTreeMap<String, usize> {
    let carried = |(id, taken): (&String, &TakenStep)| {
        (taken.said.carries.as_ref().unwrap_or(id).clone(), taken.n)
    };
    steps.by_id.iter().map(carried).collect()
}

/// What landed stands for steps as far as its commits of phases are theirs. Where one of them was
/// written anew the trees hold what stands below it, too, so that only changes count.
fn take_in_landings(repo: &Repo, contents: &mut Contents, steps: &Steps) -> Result<()> {
    for landing in &steps.landings {
        let of = |commit: &LandedCommit| of_steps(repo, steps, &commit.stands_for);
        let found = landing.commits.iter().map(of).collect::<Result<Vec<OfSteps>>>()?;
        let mut as_made = found.iter().all(|of| *of == OfSteps::AsMade);
        if as_made {
            let change = written(&landing.change, &landing.verbatim);
            take_in_written(contents, &landing.tree, &change, landing.ids());
        }
        // Where it is not here, its name stands for what it holds: another job may have landed it.
        let base = landing.base.parse::<CommitId>().ok();
        let base = base.filter(|base| repo.store.has_object(base.as_str()));
        let base = base.map(|base| repo.store.tree_of_commit(&base)).transpose()?;
        let mut before = base.map_or_else(|| landing.base.clone(), |tree| tree.to_string());
        for (commit, of) in landing.commits.iter().zip(found) {
            as_made &= of == OfSteps::AsMade;
            if of == OfSteps::Otherwise {
                continue;
            }
            let ids = || commit.stands_for.iter().map(|lab| lab.id.as_str());
            contents.add_landed(&commit.commit, ids());
            let labs = &commit.stands_for;
            let (tree, base) = if as_made { (&*commit.tree, &*before) } else { ("", "") };
            contents.add_base(base, ids());
            take_in_written(contents, tree, &written(&commit.change, &commit.verbatim), ids());
            for lab in labs {
                let tree = if as_made { lab.tree.as_str() } else { "" };
                take_in_written(contents, tree, &of_lab(lab), [&*lab.id]);
            }
            before.clone_from(&commit.tree);
        }
    }
    Ok(())
}

/// What commits of phases in a landing are to the steps whose Seed-Ids they bear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OfSteps {
    /// They hold something else: whoever makes commits may write any Seed-Id into them.
    Otherwise,
    /// They were written anew, with the same content, as far as that is known.
    Alike,
    /// The steps made them.
    AsMade,
}

/// The worst of them.
fn of_steps(repo: &Repo, steps: &Steps, labs: &[LabCommit]) -> Result<OfSteps> {
    labs.iter().try_fold(OfSteps::AsMade, |worst, lab| Ok(worst.min(of_step(repo, steps, lab)?)))
}

fn of_step(repo: &Repo, steps: &Steps, lab: &LabCommit) -> Result<OfSteps> {
    let recorded = steps.taken(&lab.id).and_then(|taken| taken.said.commit.as_deref());
    let Some(recorded) = recorded.filter(|_| !lab.differs) else { return Ok(OfSteps::Otherwise) };
    if recorded == lab.commit {
        return Ok(OfSteps::AsMade);
    }
    let alike = |is: bool| if is { OfSteps::Alike } else { OfSteps::Otherwise };
    let same = |tree: &str, change: &ChangeId| {
        let known = [&change.verbatim, &lab.verbatim].iter().all(|one| !one.is_empty());
        let to_the_letter = !known || change.verbatim == lab.verbatim;
        tree == lab.tree || !change.is_empty() && change.by_git == lab.change && to_the_letter
    };
    let mut labs = steps.cycles.iter().flat_map(|cycle| &cycle.commits);
    let ours = labs.find(|one| one.id == lab.id);
    // A person may have made one of several.
    let mut whole = steps.cycles.iter().flat_map(|cycle| {
        let job = cycle.job.as_ref().map(|job| written(job, &cycle.job_verbatim));
        [Some(written(&cycle.change, &cycle.verbatim)), job]
    });
    if ours.is_some_and(|one| same(&one.tree, &of_lab(one)))
        || whole.any(|change| change.is_some_and(|change| same("", &change)))
    {
        return Ok(OfSteps::Alike);
    }
    let old = recorded.parse::<CommitId>().ok().filter(|_| repo.store.has_object(recorded));
    // Where nothing was written down, as before there were such files, it stands as it was.
    let Some(old) = old else { return Ok(alike(ours.is_none())) };
    let changes = repo.store.known_changes(std::slice::from_ref(&old), &repo.without_memory())?;
    let change = changes.get(&old).cloned().unwrap_or_default();
    Ok(alike(same(repo.store.tree_of_commit(&old)?.as_str(), &change)))
}

fn take_in_labs(contents: &mut Contents, labs: &[LabCommit]) {
    for lab in labs {
        take_in_written(contents, &lab.tree, &of_lab(lab), [&*lab.id]);
    }
}

fn take_in_written<'a>(
    contents: &mut Contents,
    tree: &str,
    change: &ChangeId,
    ids: impl IntoIterator<Item = &'a str>,
) {
    let ids: Vec<&str> = ids.into_iter().collect();
    contents.add_tree(tree, ids.iter().copied());
    contents.add_change(change, ids.iter().copied());
    // What changes memory alone is written down whole.
    contents.add_whole(change, ids);
}

/// Takes in what these steps change, each by itself, by cycles, and all together.
pub(crate) fn take_in_changes(
    repo: &Repo,
    contents: &mut Contents,
    steps: &[OfStep],
) -> Result<()> {
    let commits: Vec<CommitId> = steps.iter().map(|step| step.commit.clone()).collect();
    let each = changes(repo, &commits)?;
    for step in steps {
        let Some(change) = each.get(&step.commit) else { continue };
        if !step.undone || contents.lacks_change(&change.product) {
            contents.add_change(&change.product, [&*step.id]);
        }
        if !step.undone || contents.lacks_whole(&change.whole) {
            contents.add_whole(&change.whole, [&*step.id]);
        }
    }
    groups(steps).try_for_each(|some| take_in_range(repo, contents, some))
}

/// Takes in what steps that follow each other change together.
pub(crate) fn take_in_range(repo: &Repo, contents: &mut Contents, steps: &[OfStep]) -> Result<()> {
    let [first, .., last] = steps else { return Ok(()) };
    // A shallow clone has not got it.
    let Some(from) = repo.store.tree_before(&first.commit)? else { return Ok(()) };
    let to = repo.store.tree_of_commit(&last.commit)?;
    let change = repo.store.change_id(&from, &to, &repo.without_memory())?;
    contents.add_change(&change, steps.iter().map(|step| step.id.as_str()));
    Ok(())
}

/// The steps of each cycle, and all of them, but for those that a person undid.
fn groups(steps: &[OfStep]) -> impl Iterator<Item = &[OfStep]> {
    let steps = &steps[..steps.partition_point(|step| !step.undone)];
    let cycles = steps.chunk_by(|one, next| (one.run, one.cycle) == (next.run, next.cycle));
    cycles.chain([steps]).filter(|some| some.len() > 1)
}

//! Where the ref of one job is to turn: the step that takes it to a state that it was in.

use std::collections::BTreeSet;

use crate::engine::ops::meant::{BranchTurn, Noted, Turn};
use crate::engine::record::led_back::{self, Toward};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{fence, record};
use crate::format::fold::JournalLines;
use crate::format::landing::Landing;
use crate::format::names;
use crate::format::ops::{as_it_was, standing, withdrawn};
use crate::format::trailers::StepTrailers;
use crate::jobs::{JobId, Status};
use crate::store::{CommitId, Tip};
use crate::voice::{Notice, tell};

/// Where a job is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Open, as at this step.
    Open(CommitId),
    /// In the archive, as at this step.
    Closed(CommitId),
    /// It was not there.
    Gone,
}

/// What is to be done for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobTurn {
    pub turn: Option<Turn>,
    /// It goes into the archive.
    pub closes: bool,
    pub branches: Vec<BranchTurn>,
    /// The landings that do not stand then.
    pub landings: Vec<Landing>,
    pub noted: Vec<Noted>,
}

/// Plans it for the job `id`. `last` is where it stood when its ref went, where it has none and
/// lies in no archive; `here` says that this worktree is to have it in focus.
pub(crate) fn planned(
    repo: &Repo,
    id: &JobId,
    wanted: &Wanted,
    last: Option<CommitId>,
    word: &'static str,
    here: bool,
) -> Result<JobTurn> {
    let chain = names::job_chain(id);
    let live = repo.store.tip(&chain)?;
    let from = live.as_ref().map(|tip| tip.commit.to_string());
    let archived = repo.archived_row(id)?.is_some();
    let now = match (live, last) {
        (Some(tip), _) => repo.load(chain.clone(), tip)?,
        (None, _) if archived => repo.job(id)?,
        (None, Some(last)) => repo.load(chain.clone(), repo.store.tip_of(&last)?)?,
        (None, None) => return Ok(JobTurn::default()),
    };
    let to = match wanted {
        Wanted::Gone if may_vanish(repo, id, &now, archived)? => {
            let turn = Turn { chain, from, to: None };
            return Ok(JobTurn { turn: Some(turn), ..JobTurn::default() });
        }
        Wanted::Gone => return dropped(repo, &now, from, word),
        Wanted::Open(at) | Wanted::Closed(at) => repo.store.tip_of(at)?,
    };
    let closes = matches!(wanted, Wanted::Closed(_));
    if to.commit == now.tip.commit && from.is_none() == closes {
        return Ok(JobTurn::default());
    }
    let then = stepped(repo, &now, &to, word, here)?;
    let turn = Turn { chain, from, to: Some(then.tip.commit.to_string()) };
    let (branches, landings) = branches(repo, &now.tip, &to)?;
    let noted = noted(repo, &now, &to)?;
    Ok(JobTurn { turn: Some(turn), closes, branches, landings, noted })
}

/// Nothing names the job: no commit, no archive, no remote.
fn may_vanish(repo: &Repo, id: &JobId, job: &LoadedJob, archived: bool) -> Result<bool> {
    let said = led_back::said(repo, &job.tip)?;
    let there = repo.store.ref_names("refs/seed-remote/");
    let end = format!("/jobs/{id}");
    Ok(!archived
        && said.iter().all(|step| step.commit.is_none())
        && !there.iter().any(|name| name.ends_with(&end)))
}

/// The step that drops a job instead of withdrawing it.
fn dropped(
    repo: &Repo,
    now: &LoadedJob,
    from: Option<String>,
    word: &'static str,
) -> Result<JobTurn> {
    let mut history = repo.store.history_from(&now.tip.commit, usize::MAX)?;
    // Its birth; a chain has a step.
    let Some(birth) = history.pop() else { return Ok(JobTurn::default()) };
    let birth = repo.store.tip_of(&birth.commit)?;
    let first = repo.state(&now.chain, &birth)?;
    let is_so = from.is_none() && now.state.job.status == Status::Voided;
    if is_so
        && led_back::said(repo, &now.tip)?
            .last()
            .is_some_and(|last| last.back.as_ref() == Some(&first.step))
    {
        return Ok(JobTurn::default());
    }
    let since = since(repo, now)?;
    let (of, tree) = (first.step.clone(), &birth.tree);
    let state = withdrawn(&now.state, &first);
    let toward = Toward { word, state, tree, of: &of, edits: Vec::new() };
    let then = led_back::written(repo, now, &since, toward)?;
    let (branches, landings) = branches(repo, &now.tip, &birth)?;
    let noted = noted(repo, now, &birth)?;
    let chain = now.chain.clone();
    let turn = Turn { chain, from, to: Some(then.tip.commit.to_string()) };
    let turn = Some(turn);
    Ok(JobTurn { turn, closes: true, branches, landings, noted })
}

/// What the journal holds of the job; it is folded as any step folds it. One that does not read
/// begins anew.
fn since(repo: &Repo, job: &LoadedJob) -> Result<JournalLines> {
    let empty = JournalLines { last: job.state.folded.clone(), ..JournalLines::default() };
    if repo.store.focus()?.as_deref() != Some(job.chain.as_str()) {
        return Ok(JournalLines::default());
    }
    Ok(repo.read_since(job).unwrap_or(empty))
}

/// The step that takes it there.
fn stepped(
    repo: &Repo,
    now: &LoadedJob,
    to: &Tip,
    word: &'static str,
    here: bool,
) -> Result<LoadedJob> {
    let since = since(repo, now)?;
    let mut stands = now.state.clone();
    stands.take_in(&since);
    let then = repo.state(&now.chain, to)?;
    let fence = led_back::newest_fence(repo, now)?;
    let toward = |state, edits| Toward { word, state, tree: &to.tree, of: &then.step, edits };
    let state = as_it_was(&stands, &then, &fence);
    let step = led_back::written(repo, now, &since, toward(state.clone(), Vec::new()))?;
    let open = matches!(step.state.job.status, Status::Active | Status::Completed);
    if !here || !open || step.state.fence.tree.is_empty() {
        return Ok(step);
    }
    // What the agent wrote and has not committed may be closed in the phase that opens again: it
    // is the person's from then on, like all that lay there.
    let row = repo.row(Some(&step));
    let survey = fence::survey::survey(repo, &step, &JournalLines::default(), row)?;
    if survey.strays.is_empty() {
        return Ok(step);
    }
    let taken = fence::restore::taken_over(repo, &step, &survey.strays)?;
    let mut state = state;
    if let Some(tree) = taken.tree {
        state.fence.tree = tree.to_string();
    }
    state.fence.strays.retain(|stray| !survey.strays.contains(stray));
    led_back::written(repo, now, &since, toward(state, taken.edits))
}

/// Commits whose steps no longer stand, or stand again.
fn noted(repo: &Repo, now: &LoadedJob, to: &Tip) -> Result<Vec<Noted>> {
    let said = led_back::said(repo, &now.tip)?;
    let then = repo.state(&now.chain, to)?.step;
    let (stand, stood) = (standing(&said, None), standing(&said, Some(&then)));
    let of = |step: &StepTrailers, undone: bool| {
        step.commit.clone().map(|commit| Noted {
            commit,
            id: step.carries.clone().unwrap_or_else(|| step.id.clone()),
            job: step.job.clone(),
            undone,
        })
    };
    let each = said.iter().filter_map(|step| match (stand.contains(&step.id), &stood) {
        (true, stood) if !stood.contains(&step.id) => of(step, true),
        (false, stood) if stood.contains(&step.id) => of(step, false),
        _ => None,
    });
    Ok(each.collect())
}

/// Branches of landings that are not landed then, or are landed again; and the former landings.
fn branches(repo: &Repo, now: &Tip, then: &Tip) -> Result<(Vec<BranchTurn>, Vec<Landing>)> {
    let (now, then) =
        (record::landing::landings(repo, now)?, record::landing::landings(repo, then)?);
    let tips = |all: &[Landing]| all.iter().map(|one| one.tip.clone()).collect::<BTreeSet<_>>();
    let (is, was) = (tips(&now), tips(&then));
    let before = |one: &Landing| Some(one.replaced.clone()).filter(|tip| !tip.is_empty());
    let back = now.iter().rev().filter(|one| !was.contains(&one.tip)).map(|one| BranchTurn {
        branch: one.branch.clone(),
        from: Some(one.tip.clone()),
        to: before(one),
    });
    let on = then.iter().filter(|one| !is.contains(&one.tip)).map(|one| BranchTurn {
        branch: one.branch.clone(),
        from: before(one),
        to: Some(one.tip.clone()),
    });
    let turns = back.chain(on).collect();
    let gone = now.iter().rev().filter(|one| !was.contains(&one.tip)).cloned().collect();
    Ok((turns, gone))
}

/// What remotes still have of landings that are taken back, as far as this clone saw it, with what
/// takes it off there. `turning` are the branches that turn here; one that stays says so itself.
pub(crate) fn still_there(
    repo: &Repo,
    mut landings: Vec<&Landing>,
    turning: &[BranchTurn],
) -> Result<Vec<String>> {
    let (mut left, mut pushes) = (Vec::new(), BTreeSet::new());
    // The newest of each branch comes first: what takes it off takes off those below it.
    landings.sort_by_key(|one| turning.iter().all(|turn| turn.from.as_ref() != Some(&one.tip)));
    for landing in landings {
        let turns = turning.iter().find(|turn| turn.branch == landing.branch);
        let Ok(tip) = landing.tip.parse::<CommitId>() else { continue };
        if turns.is_none() && stands(repo, &landing.branch)?.is_some() {
            continue;
        }
        for (remote, branch, at) in repo.store.seen_with(&tip)? {
            let there = format!("{remote}/{branch}");
            let commit: String = landing.tip.chars().take(12).collect();
            let of_landing = landing.commits.iter().rev().filter(|one| !one.stands_for.is_empty());
            let each = of_landing.map(|one| one.commit.chars().take(12).collect::<String>());
            let commits = each.collect::<Vec<_>>().join(" ");
            let before = Some(landing.replaced.clone()).filter(|tip| !tip.is_empty());
            let to = turns.map_or(before, |turn| turn.to.clone());
            let own = branch == landing.branch && at == tip;
            let how = match (own, &to) {
                (false, _) => Notice::UndoMerged,
                (true, None) => Notice::UndoPushed,
                (true, Some(_)) => Notice::UndoPushedOver,
            };
            if own {
                pushes.insert(there.clone());
            } else if branch == landing.branch && pushes.contains(&there) {
                continue;
            }
            let facts = [
                ("ref", there.as_str()),
                ("commit", &commit),
                ("commits", &commits),
                ("remote", &remote),
                ("branch", &branch),
                ("from", &landing.tip),
                ("to", to.as_deref().unwrap_or_default()),
            ];
            left.push(tell(how, &facts));
        }
    }
    Ok(left)
}

/// The turns of each branch as one: jobs that landed on the same one turn it one behind the other,
/// from where it stands. What leads from elsewhere stays by itself, for that branch moved on.
pub(crate) fn in_order(
    repo: &Repo,
    turns: impl Iterator<Item = BranchTurn>,
) -> Result<Vec<BranchTurn>> {
    let mut left: Vec<BranchTurn> = turns.collect();
    let (mut ordered, mut begun) = (Vec::new(), BTreeSet::new());
    for branch in left.iter().map(|turn| turn.branch.clone()).collect::<BTreeSet<_>>() {
        let from = stands(repo, &branch)?;
        let mut to = from.clone();
        while let Some(next) = left.iter().position(|one| one.branch == branch && one.from == to) {
            to = left.remove(next).to;
            begun.insert(branch.clone());
        }
        if begun.contains(&branch) {
            ordered.push(BranchTurn { branch, from, to });
        }
    }
    left.retain(|turn| !begun.contains(&turn.branch));
    ordered.extend(left);
    Ok(ordered)
}

fn stands(repo: &Repo, branch: &str) -> Result<Option<String>> {
    Ok(repo.store.stands_at(&format!("refs/heads/{branch}"))?.map(|at| at.to_string()))
}

/// What becomes of the branch of a landing.
pub(crate) enum BranchFate {
    /// It moves, is made or goes.
    Turns,
    /// It stays as it is, with what is to be said of that.
    Stays(String),
    /// It is so already.
    IsSo,
}

/// What becomes of a branch. One that a person deleted is made again where it is landed again, as
/// any other one is, and never where it would only go back.
pub(crate) fn fate(repo: &Repo, turn: &BranchTurn) -> Result<BranchFate> {
    let stands = stands(repo, &turn.branch)?;
    let says = |what| Ok(BranchFate::Stays(tell(what, &[("branch", turn.branch.as_str())])));
    let has = |at: &String| repo.store.has_commit(at);
    match (&turn.from, &turn.to, &stands) {
        (_, to, stands) if to == stands && turn.from != *stands => match to {
            None => says(Notice::UndoBranchGone),
            Some(_) => Ok(BranchFate::IsSo),
        },
        (Some(_), Some(_), None) => says(Notice::UndoBranchDeleted),
        (from, _, stands) if from != stands => says(Notice::UndoBranchMoved),
        (_, Some(to), _) if !has(to) => says(Notice::UndoBranchLost),
        (Some(_), None, _) if repo.store.is_on_branch(&turn.branch)? => {
            says(Notice::UndoBranchInUse)
        }
        _ => Ok(BranchFate::Turns),
    }
}

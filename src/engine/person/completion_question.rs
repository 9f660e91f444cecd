//! What a person sees beside the question whether a job is complete: the claim, the runs, the
//! share of commits that a ruling stands behind, and what is open; in ten lines at most.

use crate::claims::record::RecordKind;
use crate::claims::{Inquiry, Ran};
use crate::engine::claims;
use crate::engine::claims::records::Recorded;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// The most lines.
const LINES: usize = 10;

/// The most characters of a line.
const WIDTH: usize = 200;

/// How many records back the job's own are looked for.
const RECENT: usize = 50;

/// The most commits that the share is taken of.
const COMMITS: usize = 500;

/// The most gaps that are named.
const GAPS: usize = 4;

/// What was seen of the work of `focused`, for the person who is asked.
pub(crate) fn seen_of(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let mut lines = vec![tell(Notice::SeenHead, &[("job", &focused.state.job.name)])];
    let claim = last_claim(repo, focused)?;
    lines.push(told_of_claim(claim.as_ref()));
    lines.push(told_of_runs(repo, focused)?);
    lines.push(told_of_coverage(repo, focused)?);
    let mut gaps: Vec<String> = claim.as_ref().map(gaps).unwrap_or_default();
    let ruled = claims::required::ruled(focused);
    if ruled.without > 0 {
        let acts = repo::text::count(ruled.without as usize, "act");
        gaps.push(tell(Notice::SeenWithout, &[("acts", &acts)]));
    }
    let unclaimed = &focused.state.fence.unclaimed;
    if !unclaimed.is_empty() {
        let paths: Vec<String> =
            unclaimed.iter().map(|one| format!("{} ({})", one.path, one.blob)).collect();
        gaps.insert(0, tell(Notice::SeenUnclaimed, &[("paths", &paths.join(", "))]));
    }
    let more = gaps.len().saturating_sub(GAPS);
    lines.extend(gaps.iter().take(GAPS).map(|gap| tell(Notice::SeenOpen, &[("gap", gap)])));
    if more > 0 {
        lines.push(tell(Notice::SeenMore, &[("more", &more.to_string())]));
    }
    lines.push(tell(Notice::SeenLook, &[]));
    lines.truncate(LINES);
    Ok(lines.iter().map(|line| shortened(line)).collect::<Vec<_>>().join("\n"))
}

/// The last claim of the job's run that the gate ruled on.
fn last_claim(repo: &Repo, focused: &LoadedJob) -> Result<Option<Recorded>> {
    let (id, run) = (focused.state.job.id.to_string(), focused.state.job.run);
    let own = |one: &Recorded| {
        one.record.kind == RecordKind::VerifyClaim
            && one.record.run == run
            && one.record.job.as_ref() == Some(&id)
    };
    Ok(claims::records::records(repo, Some(RECENT))?.into_iter().find(own))
}

fn told_of_runs(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let all = claims::receipts::ran(repo, focused)?;
    // What ran before the last run of the job was over says nothing of this one.
    // Never completed: every run of it counts.
    let began = focused.state.job.last_completed_at.unwrap_or_default();
    let of_run = |(_, ran): &&(String, Ran)| ran.run.is_some() && ran.at >= began;
    let runs: Vec<&(String, Ran)> = all.iter().filter(of_run).collect();
    let Some((id, last)) = runs.last() else {
        return Ok(tell(Notice::SeenNoRun, &[]));
    };
    // Over a journal that does not hold, what the last step knew is told.
    let counts = focused.activity.as_ref().ok().and_then(|counts| counts.activity.proved);
    let ended = match last.status {
        Some(status) => tell(Notice::SeenStatus, &[("status", &status.to_string())]),
        None => tell(Notice::SeenNoStatus, &[]),
    };
    let fresh = counts.unwrap_or(focused.state.proved);
    let since = if fresh { String::new() } else { tell(Notice::SeenStale, &[]) };
    let facts = [
        ("runs", &*runs.len().to_string()),
        ("command", &*one_line(&last.command)),
        ("ended", &*ended),
        ("since", &*since),
        ("receipt", &**id),
    ];
    Ok(tell(Notice::SeenRuns, &facts))
}

/// Walks the first parents from HEAD to where the run began.
fn told_of_coverage(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    // Empty in a job of an older git seed: counted as far back as is looked.
    let base = focused.state.home.base.parse::<CommitId>().ok();
    let passing = claims::records::passing_trees(repo)?;
    let (mut commits, mut covered) = (0, 0);
    let mut at = repo.store.head()?.commit;
    while let Some(commit) = at.filter(|commit| Some(commit) != base.as_ref() && commits < COMMITS)
    {
        commits += 1;
        let tree = repo.store.tree_of_commit(&commit)?;
        covered += usize::from(passing.contains_key(tree.as_str()));
        at = repo.store.parent_of(&commit)?;
    }
    let of = repo::text::count(commits, "commit");
    let facts = [("covered", &*covered.to_string()), ("commits", &*of)];
    Ok(tell(Notice::SeenCoverage, &facts))
}

fn told_of_claim(claim: Option<&Recorded>) -> String {
    let Some(one) = claim else { return tell(Notice::SeenNoClaim, &[]) };
    let said = match &one.record.inquiry {
        Some(Inquiry::VerifyClaim(case)) => one_line(&case.claim.text),
        _ => String::new(),
    };
    let directive = one.record.directive.map(claims::gate::word).unwrap_or_default();
    let id = one.id.to_string();
    let record = &id[..12.min(id.len())];
    tell(Notice::SeenClaim, &[("directive", &directive), ("said", &said), ("record", record)])
}

/// What the ruling found open: its gaps, and its reasons where it did not let the claim stand.
fn gaps(one: &Recorded) -> Vec<String> {
    let listed = |key: &str| {
        let list = one.record.ruling.as_ref().and_then(|ruling| ruling.get(key)?.as_array());
        list.into_iter().flatten().filter_map(|gap| gap.as_str().map(one_line)).collect::<Vec<_>>()
    };
    let mut gaps = listed("gaps");
    if !one.record.opens {
        gaps.extend(one.record.reasons.iter().map(|reason| one_line(reason)));
    }
    gaps.dedup();
    gaps
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let head: String = line.chars().take(WIDTH - 1).collect();
    format!("{head}…")
}

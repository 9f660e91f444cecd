//! What a person sees who is asked whether a job is complete, counted by git seed and not by the
//! agent. The card has ten lines at most: what changed, the claim, the runs, the share of commits
//! that a ruling stands behind, and what is open. Hosts show it after the answer, or never; so the
//! question itself has to hold one line of it.

use serde_json::Value;

use super::cost::Cost;
use super::counted;
use super::last_claim;
use super::words::Judged;
use crate::claims::gate::Ruling;
use crate::claims::{ClaimCase, Inquiry, Ran, gate};
use crate::engine::left_out;
use crate::engine::records::{self, Recorded};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{claims, fence, judge, record, voices};
use crate::format::state::State;
use crate::jobs::shortword::SaidLane;
use crate::jobs::{Status, questions};
use crate::phases::Size;
use crate::phases::criteria::{Answer, Answered};
use crate::phases::deeds::runs_work;
use crate::store::{CommitId, LinesChanged, TreeId};
use crate::voice::{Notice, tell};

/// The most lines.
const LINES: usize = 10;

/// The most characters of a line.
const WIDTH: usize = 200;

/// The most commits that the share is taken of.
const COMMITS: usize = 500;

/// The most gaps that are named.
const GAPS: usize = 4;

/// The most words of a command in the one line, and their most characters.
const COMMAND: (usize, usize) = (3, 40);

/// Files and lines that the job changed; pages and other memory are not the work.
#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    files: usize,
    added: usize,
    removed: usize,
    /// Files that changed beside them: no commit of the job's has those.
    by_hand: usize,
    /// Files that calls of the agent changed and that no commit has, nor the next one will have.
    open: usize,
}

/// The runs of tests that were seen in this run of the job.
struct Runs {
    /// Each with the name of its receipt, oldest first.
    seen: Vec<(String, Ran)>,
    /// Nothing changed since the last one.
    fresh: bool,
    /// Where the last one was of, or took code from, if git holds nothing of that.
    beside: Option<String>,
}

/// The whole card for the person who is asked about `focused`, with its head. What asks is a claim,
/// and `asked` is the ruling on it, where hooks rule.
pub(crate) fn shown(repo: &Repo, focused: &LoadedJob, asked: Option<&Judged>) -> Result<String> {
    let mut lines = vec![tell(Notice::SeenHead, &[("job", &focused.state.job.name)])];
    let cost = tell(Notice::SeenCost, &[("cost", &Cost::of(focused).told())]);
    lines.extend(with_claim(repo, focused, asked, Some(cost))?);
    Ok(lines.join("\n"))
}

/// The lines of the card, before anybody asks.
pub(crate) fn lines_of(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    with_claim(repo, focused, None, None)
}

/// `cost` stands in it unless whoever shows the card tells that beside it.
fn with_claim(
    repo: &Repo,
    focused: &LoadedJob,
    asked: Option<&Judged>,
    cost: Option<String>,
) -> Result<Vec<String>> {
    let (claim, open) = standing_claim(repo, focused)?;
    let claim = last_claim::of_cycle(repo, focused, claim, asked.is_some())?;
    let changed = changed(repo, focused)?;
    let mut gaps: Vec<String> = asked.and_then(Judged::points).into_iter().collect();
    gaps.extend(open_points(repo, focused, open)?);
    gaps.extend(beyond_the_lane(repo, focused, changed.as_ref())?);
    gaps.extend(voices(repo, focused)?);
    let mut lines = vec![
        tell(Notice::SeenChanged, &[("changed", &Changed::told(changed))]),
        match (claim, asked) {
            (None, Some(asked)) => told_of_question(asked),
            (claim, _) => claim.unwrap_or_else(|| tell(Notice::SeenNoClaim, &[])),
        },
        runs(repo, focused)?.told(),
    ];
    lines.extend(told_of_criteria(&judge::criteria::answered(repo, focused)?));
    lines.extend(told_of_scope(repo, focused)?);
    lines.extend(told_of_coverage(repo, focused)?);
    lines.extend(cost);
    // The head is one more. Of what does not fit all is counted.
    let room = (LINES - 1).saturating_sub(lines.len());
    let fits = gaps.len() <= room.min(GAPS);
    let named = if fits { gaps.len() } else { GAPS.min(room.saturating_sub(1)) };
    lines.extend(gaps.iter().take(named).map(|gap| tell(Notice::SeenOpen, &[("gap", gap)])));
    let more = gaps.len() - named;
    if more > 0 {
        lines.push(tell(Notice::SeenMore, &[("more", &more.to_string())]));
    }
    if lines.len() < LINES - 1 {
        lines.push(tell(Notice::SeenLook, &[]));
    }
    Ok(lines.iter().map(|line| shortened(line)).collect())
}

/// The card in one line of at most 25 words, which the question has to hold.
pub(crate) fn line(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let changed = changed(repo, focused)?;
    let beyond = beyond_the_lane(repo, focused, changed.as_ref())?;
    let changed = Changed::told(changed);
    let mut ran = runs(repo, focused)?.brief();
    let answered = judge::criteria::answered(repo, focused)?;
    let unshown = judge::criteria::count(&answered, Answer::NotShown);
    if unshown > 0 {
        let facts = [("unshown", &*unshown.to_string()), ("all", &*answered.len().to_string())];
        ran.push_str(&tell(Notice::CardCriteria, &facts));
    }
    let open = open_points(repo, focused, standing_claim(repo, focused)?.1)?;
    let open = match open.len() + usize::from(beyond.is_some()) {
        0 => String::new(),
        n => tell(Notice::CardOpen, &[("points", &repo::text::count(n, "point"))]),
    };
    Ok(tell(Notice::Card, &[("changed", &changed), ("ran", &ran), ("open", &open)]))
}

/// `text` without that line, wherever it is quoted whole: it is git seed's own, and no word of who
/// quotes it. One that was changed is theirs.
pub(crate) fn without_line(repo: &Repo, focused: &LoadedJob, text: String) -> Result<String> {
    let bare = tell(Notice::Card, &[("changed", ""), ("ran", ""), ("open", "")]);
    let head = bare.split(':').next().unwrap_or_default();
    // Git counts lines for it.
    if !questions::shows(&text, head) {
        return Ok(text);
    }
    Ok(questions::without_line(&text, &line(repo, focused)?))
}

/// Work that a person's `[QUICK]` let grow beyond what the small lane is for.
fn beyond_the_lane(
    repo: &Repo,
    focused: &LoadedJob,
    changed: Option<&Changed>,
) -> Result<Option<String>> {
    let lane = repo.map(&focused.state.stand).lane.as_ref();
    let (Some(lane), Some(Changed { files, added, removed, .. })) = (lane, changed) else {
        return Ok(None);
    };
    let size = Size { files: *files, lines: added + removed, directories: 0 };
    if !lane.is_outgrown(size) || focused.state.said_lane != SaidLane::Quick {
        return Ok(None);
    }
    let files = repo::text::count(*files, "file");
    let lines = repo::text::count(size.lines, "line");
    Ok(Some(tell(Notice::SeenBeyond, &[("files", &files), ("lines", &lines)])))
}

/// Sentences of git seed's that the work words anew.
fn voices(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(None) };
    let Some(began) = began(repo, &focused.state) else { return Ok(None) };
    let changed = voices::changed(repo, &began, &head)?;
    let sentences = repo::text::count(changed, "sentence");
    Ok((changed > 0).then(|| tell(Notice::SeenVoices, &[("sentences", &sentences)])))
}

/// What no ruling, no claim and no commit accounts for; `gaps` are those of the claim.
fn open_points(repo: &Repo, focused: &LoadedJob, mut gaps: Vec<String>) -> Result<Vec<String>> {
    let ruled = claims::required::ruled(focused);
    if ruled.without > 0 {
        let acts = repo::text::count(ruled.without as usize, "act");
        gaps.push(tell(Notice::SeenWithout, &[("acts", &acts)]));
    }
    let unclaimed = fence::shown::unclaimed_now(repo, focused, &repo.read_since(focused)?)?;
    if !unclaimed.is_empty() {
        let paths: Vec<String> =
            unclaimed.iter().map(|one| format!("{} ({})", one.path, one.blob)).collect();
        gaps.insert(0, tell(Notice::SeenUnclaimed, &[("paths", &paths.join(", "))]));
    }
    gaps.extend(falls(repo, focused)?);
    Ok(gaps)
}

/// Commits of the job that stay on the branch and that no landing takes.
fn falls(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let left = left_out::on_head(repo, focused, COMMITS)?;
    let named = left.iter().take(GAPS);
    let named = named.map(|one| format!("{:.7} {}", one.commit, one.subject));
    let named = named.collect::<Vec<_>>().join("; ");
    Ok((!left.is_empty()).then(|| tell(Notice::SeenLeftOut, &[("commits", &named)])))
}

/// The line of the last claim, where there is one, and the points of its ruling that are open now:
/// a run since may show what it only said, and so may work.
fn standing_claim(repo: &Repo, focused: &LoadedJob) -> Result<(Option<String>, Vec<String>)> {
    let Some(claim) = last_claim::last_claim(repo, focused)? else { return Ok((None, Vec::new())) };
    let mut open = gaps(&claim);
    let record = &claim.record;
    let of_words = record.inquiry.as_ref().filter(|_| !open.is_empty());
    let Some(Inquiry::VerifyClaim(case)) = of_words else {
        return Ok((Some(told_of_claim(&claim, false)), open));
    };
    let tree = fence::tree_now::tree_now(repo, Some(focused))?;
    if case.claim.as_said && record.tree != tree.as_str() {
        let again = judge::words::rule_on_tree(repo, Some(focused), &case.claim.text, tree)?;
        open = of_the_same(&open, points_of(&again.ruling));
        let passes = !record.opens && !again.sends_back();
        return Ok((Some(told_of_claim(&claim, passes)), open));
    }
    let receipts = claims::receipts::receipts_of(repo, focused, &tree)?;
    if receipts.iter().any(|now| !record.receipts.contains(&now.id)) {
        let table = claims::gate::gate_table(repo)?;
        let case = ClaimCase { receipts, ..case.clone() };
        let now = points_of(&gate::judge(&Inquiry::VerifyClaim(case).masked(), &table));
        open.retain(|point| now.contains(point));
    }
    Ok((Some(told_of_claim(&claim, false)), open))
}

/// Of the points of now those that say of something what one of `before` said: what they name
/// behind it may be more by now, or less.
fn of_the_same(before: &[String], now: Vec<String>) -> Vec<String> {
    fn head(point: &str) -> &str {
        point.split_once(": ").map_or(point, |(head, _)| head)
    }
    now.into_iter().filter(|now| before.iter().any(|one| head(one) == head(now))).collect()
}

fn points_of(ruling: &Ruling) -> Vec<String> {
    let reasons = if ruling.opens() { &[] } else { ruling.reasons() };
    points(serde_json::to_value(ruling).ok().as_ref(), reasons)
}

impl Changed {
    fn told(changed: Option<Self>) -> String {
        let Some(Self { files, added, removed, by_hand, open }) = changed else {
            return tell(Notice::CardUncounted, &[]);
        };
        if files == 0 && open > 0 {
            return tell(Notice::CardOpenFiles, &[("files", &repo::text::count(open, "file"))]);
        }
        if files == 0 {
            let by_hand = by_hand > 0;
            return tell(if by_hand { Notice::CardByHand } else { Notice::CardNothing }, &[]);
        }
        let files = repo::text::count(files, "file");
        let (added, removed) = (added.to_string(), removed.to_string());
        tell(Notice::CardChanged, &[("files", &files), ("added", &added), ("removed", &removed)])
    }
}

/// Compares HEAD with where the run of the job began; none where that is not in this repository.
/// Where the question is asked before the commit, with what that will hold.
fn changed(repo: &Repo, focused: &LoadedJob) -> Result<Option<Changed>> {
    let now = match repo.store.head()?.commit {
        Some(head) => repo.store.tree_of_commit(&head)?,
        None => repo.store.no_tree(),
    };
    let Some(began) = began(repo, &focused.state) else { return Ok(None) };
    let mut files = repo.store.lines_changed(&began, &now)?;
    let all = files.len();
    keep_own(repo, focused, &mut files)?;
    let by_hand = all - files.len();
    let row = repo.row(Some(focused));
    let mut last = now;
    if repo.map(&focused.state.stand).asks_ahead(row) {
        let survey = fence::survey::survey(repo, focused, &repo.read_since(focused)?, row)?;
        if let Some(tree) = survey.tree.filter(|_| !survey.own.is_empty()) {
            files.retain(|file| !survey.own.contains(&file.path));
            let waiting = repo.store.lines_changed(&began, &tree)?.into_iter();
            files.extend(waiting.filter(|file| survey.own.contains(&file.path)));
            last = tree;
        }
    }
    counted::as_moves(repo, (&began, &last), &mut files)?;
    let mut changed = Changed { by_hand, ..Changed::default() };
    for file in files {
        if repo.place_named(&file.path.to_string(), Some(&focused.state)).is_memory() {
            continue;
        }
        changed.files += 1;
        changed.added = changed.added.saturating_add(file.added);
        changed.removed = changed.removed.saturating_add(file.removed);
    }
    if changed.files == 0 {
        changed.open = counted::open_files(repo, focused)?;
    }
    Ok(Some(changed))
}

/// What the run of a job changed by its last commit, file by file, pages and all; none where its
/// beginning or that commit is not in this repository.
pub(crate) fn files_changed(repo: &Repo, job: &LoadedJob) -> Result<Option<Vec<LinesChanged>>> {
    let run = job.state.job.run;
    let steps = record::history::log(repo, job, usize::MAX)?;
    let mut of_run = steps.iter().filter(|step| step.run == run && step.rejected.is_none());
    let Some(last) = of_run.find_map(|step| step.commit.as_deref()) else {
        return Ok(Some(Vec::new()));
    };
    let last = last.parse::<CommitId>().ok().filter(|last| repo.store.has_object(last.as_str()));
    let (Some(last), Some(began)) = (last, began(repo, &job.state)) else { return Ok(None) };
    let last = repo.store.tree_of_commit(&last)?;
    let mut files = repo.store.lines_changed(&began, &last)?;
    keep_own(repo, job, &mut files)?;
    counted::as_moves(repo, (&began, &last), &mut files)?;
    Ok(Some(files))
}

/// Leaves those that a commit of the job's run changed: what a person committed in between is
/// theirs. Where one of its commits is not in this repository, nobody can tell, and all stay.
fn keep_own(repo: &Repo, job: &LoadedJob, files: &mut Vec<LinesChanged>) -> Result<()> {
    if let Some(own) = record::history::own_paths(repo, job)? {
        files.retain(|file| own.contains(&file.path.to_string()));
    }
    Ok(())
}

/// The tree that the run began with; of a job without a base (it began before the first commit,
/// or an older git seed wrote it), and where the base is not here (history was rewritten and
/// swept, or this clone is shallow), the tree that the cycle began with.
fn began(repo: &Repo, state: &State) -> Option<TreeId> {
    let base = state.home.base.parse::<CommitId>().ok();
    // What is not here cannot be compared, and the cycle's own tree is pinned.
    let of_run = base.and_then(|base| repo.store.tree_of_commit(&base).ok());
    of_run.or_else(|| {
        let tree = state.fence.began.parse::<TreeId>().ok()?;
        repo.store.has_object(tree.as_str()).then_some(tree)
    })
}

fn runs(repo: &Repo, focused: &LoadedJob) -> Result<Runs> {
    let mut seen = claims::receipts::ran(repo, focused)?;
    // What ran before the last run of the job was over says nothing of this one. One that was
    // approved is still this one; never completed: every run of it counts.
    let began = match focused.state.job.status {
        Status::Completed => last_claim::completed_before(repo, focused)?,
        _ => focused.state.job.last_completed_at,
    };
    let began = began.unwrap_or_default();
    // Nor does one of which no test began.
    seen.retain(|(_, ran)| ran.at >= began && ran.absent.is_none());
    // Where no run of tests is known, what else ran well stands for it, as it does at a boundary.
    if seen.iter().any(|(_, ran)| ran.run.is_some()) {
        seen.retain(|(_, ran)| ran.run.is_some());
    } else {
        seen.retain(|(_, ran)| ran.status.is_some() && runs_work(&ran.line()));
    }
    if let Some((_, last)) = seen.last_mut() {
        last.part = claims::receipts::part_of(repo, last).cloned();
    }
    // Over a journal that does not hold, what the last step knew is told.
    let counts = focused.activity.as_ref().ok().and_then(|counts| counts.activity.proved);
    let mut fresh = counts.unwrap_or(focused.state.proved);
    // A run that did not end well proves nothing, and nothing has to have changed since.
    if let Some((_, last)) = seen.last().filter(|_| !fresh) {
        fresh = claims::receipts::is_as_then(repo, focused, last)?.unwrap_or(false);
    }
    let beside = match seen.last() {
        Some((_, last)) => {
            let dir = repo.store.work_tree().join(&last.dir);
            claims::places::not_in_git(repo, &last.line(), &dir)?
        }
        None => None,
    };
    Ok(Runs { seen, fresh, beside })
}

impl Runs {
    fn told(&self) -> String {
        let Some((id, last)) = self.seen.last() else {
            return tell(Notice::SeenNoRun, &[]);
        };
        let ended = match last.status {
            Some(status) => tell(Notice::SeenStatus, &[("status", &status.to_string())]),
            None => tell(Notice::SeenNoStatus, &[]),
        };
        let since = if self.fresh { String::new() } else { tell(Notice::SeenStale, &[]) };
        let unknown = || tell(Notice::CountsUnknown, &[]);
        let counts = last.counts.map_or_else(unknown, |counts| counts.to_string());
        let part = last.part.as_ref().map(|part| one_line(&part.told()));
        let part = part.map(|part| tell(Notice::SeenPart, &[("part", &part)]));
        let part = part.or_else(|| last.run.is_none().then(|| tell(Notice::SeenNoTests, &[])));
        let beside = self.beside.as_ref().map(|place| one_line(place));
        let beside = beside.map(|place| tell(Notice::SeenNotInGit, &[("place", &place)]));
        let facts = [
            ("runs", &*self.counted()),
            ("command", &*one_line(&last.command)),
            ("ended", &*ended),
            ("counts", &*tell(Notice::SeenCounts, &[("counts", &counts)])),
            ("part", &*(part.unwrap_or_default() + &beside.unwrap_or_default())),
            ("since", &*since),
            ("receipt", &**id),
        ];
        tell(Notice::SeenRuns, &facts)
    }

    /// How many there were, and how many of those before the last one failed.
    fn counted(&self) -> String {
        let all = self.seen.len().to_string();
        let before = self.seen.iter().rev().skip(1);
        let failed = before.filter(|(_, ran)| {
            ran.status.is_some_and(|status| status != 0)
                || ran.counts.is_some_and(|counts| counts.failed > 0)
        });
        match failed.count() {
            0 => all,
            failed => tell(Notice::SeenFailed, &[("runs", &all), ("failed", &failed.to_string())]),
        }
    }

    /// The same in at most sixteen words.
    fn brief(&self) -> String {
        let Some((_, last)) = self.seen.last() else {
            return tell(Notice::CardNoRun, &[]);
        };
        let status = last.status.map_or_else(|| "?".to_owned(), |status| status.to_string());
        let since = if self.fresh { String::new() } else { tell(Notice::CardStale, &[]) };
        let passed = last.counts.map(|counts| counts.passed.to_string());
        let mut counts = passed.map(|passed| tell(Notice::CardCounts, &[("passed", &passed)]));
        // One that is counted where no status is told stands for the status.
        let failed = last.counts.map(|counts| counts.failed).filter(|failed| *failed > 0);
        if let (Some(told), Some(failed)) = (&mut counts, failed) {
            told.push_str(&tell(Notice::CardFailed, &[("failed", &failed.to_string())]));
        }
        let part = last.part.as_ref().map(|_| tell(Notice::CardPart, &[]));
        let part = part.or_else(|| last.run.is_none().then(|| tell(Notice::CardNoTests, &[])));
        let beside = self.beside.as_ref().map(|_| tell(Notice::CardNotInGit, &[]));
        let facts = [
            ("runs", &*repo::text::count(self.seen.len(), "run")),
            ("command", &*brief(&last.command)),
            ("status", &*status),
            ("counts", &*counts.unwrap_or_default()),
            ("part", &*(part.unwrap_or_default() + &beside.unwrap_or_default())),
            ("since", &*since),
        ];
        tell(Notice::CardRuns, &facts)
    }
}

/// The first words of a command; it is the agent's text, so nothing but plain letters and signs
/// of it stands in a line of git seed's.
fn brief(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let mut head = words.iter().take(COMMAND.0).copied().collect::<Vec<_>>().join(" ");
    head.retain(|letter| letter.is_ascii_graphic() && letter != '`' || letter == ' ');
    let cut = head.chars().count() > COMMAND.1;
    let mut head: String = head.chars().take(COMMAND.1).collect();
    if cut || words.len() > COMMAND.0 {
        head.push('…');
    }
    head
}

/// What was answered to the plan's criteria, and which of them nothing showed.
fn told_of_criteria(answered: &[Answered]) -> Option<String> {
    if answered.is_empty() {
        return None;
    }
    let count = |answer| judge::criteria::count(answered, answer).to_string();
    let open = answered.iter().filter(|one| one.answer == Answer::NotShown);
    let open: Vec<String> = open.map(|one| one_line(&one.text)).collect();
    let open = match open.as_slice() {
        [] => String::new(),
        open => tell(Notice::SeenUnshown, &[("criteria", &open.join("; "))]),
    };
    let facts = [
        ("met", &*count(Answer::Met)),
        ("unmet", &*count(Answer::NotMet)),
        ("unshown", &*count(Answer::NotShown)),
        ("open", &*open),
    ];
    Some(tell(Notice::SeenCriteria, &facts))
}

/// How many directories were open, where a line of the contract opened those below one.
fn told_of_scope(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let scope = repo.scope(focused)?;
    let deep: Vec<&str> = scope.deep().collect();
    let Some(head) = repo.store.head()?.commit.filter(|_| !deep.is_empty()) else {
        return Ok(None);
    };
    let tree = repo.store.tree_of_commit(&head)?;
    // One that lies in another is counted there.
    let outer = deep.iter().filter(|dir| !scope.covers(dir));
    let below = outer.map(|dir| repo.store.directories_in(&tree, dir)).sum::<Result<usize, _>>()?;
    let alone = scope.dirs().filter(|dir| !deep.contains(dir) && !scope.covers(dir)).count();
    let dirs = match below + alone {
        1 => "1 directory".to_owned(),
        all => format!("{all} directories"),
    };
    let lines: Vec<String> =
        deep.iter().map(|dir| format!("{}/", repo::rows::to_line(dir))).collect();
    let facts = [("dirs", dirs.as_str()), ("lines", &*lines.join(", "))];
    Ok(Some(tell(Notice::SeenScope, &facts)))
}

/// Walks the first parents from HEAD to where the run began; says nothing where no commit is.
fn told_of_coverage(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    // Empty in a job of an older git seed: counted as far back as is looked.
    let base = focused.state.home.base.parse::<CommitId>().ok();
    let passing = records::passing_trees(repo)?;
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
    Ok((commits > 0).then(|| tell(Notice::SeenCoverage, &facts)))
}

fn told_of_question(asked: &Judged) -> String {
    let directive = asked.ruling.directive().map(claims::gate::word).unwrap_or_default();
    tell(Notice::SeenAsked, &[("directive", &directive)])
}

/// A claim as it was ruled on; or, where words went back over other work and `passes` says that
/// they do not over this one, as that.
fn told_of_claim(one: &Recorded, passes: bool) -> String {
    let said = match &one.record.inquiry {
        Some(Inquiry::VerifyClaim(case)) => one_line(&case.claim.text),
        _ => String::new(),
    };
    let directive = one.record.directive.map(claims::gate::word).unwrap_or_default();
    let id = one.id.to_string();
    let record = &id[..12.min(id.len())];
    if one.record.inquiry.is_none() && one.record.text.is_some() {
        let facts = [("directive", &*directive), ("record", record)];
        return tell(Notice::SeenClaimWithoutWords, &facts);
    }
    if passes {
        return tell(Notice::SeenClaimNow, &[("said", &said), ("record", record)]);
    }
    tell(Notice::SeenClaim, &[("directive", &directive), ("said", &said), ("record", record)])
}

/// What the ruling found open: its gaps, and its reasons where it did not let the claim stand.
fn gaps(one: &Recorded) -> Vec<String> {
    let record = &one.record;
    points(record.ruling.as_ref(), if record.opens { &[] } else { &record.reasons })
}

/// The gaps that a ruling names, and `reasons`, each once.
fn points(ruling: Option<&Value>, reasons: &[String]) -> Vec<String> {
    let list = ruling.and_then(|ruling| ruling.get("gaps")?.as_array());
    let gaps = list.into_iter().flatten().filter_map(Value::as_str);
    let mut points: Vec<String> = Vec::new();
    for point in gaps.chain(reasons.iter().map(String::as_str)).map(one_line) {
        if !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let head: String = line.chars().take(WIDTH - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_stands_there_once() {
        let ruling = serde_json::json!({ "gaps": ["no run", "no  count", "no run"] });
        let reasons = ["no count".to_owned(), "no file".to_owned()];
        assert_eq!(points(Some(&ruling), &reasons), ["no run", "no count", "no file"]);
        assert_eq!(points(None, &[]), [""; 0]);
    }

    #[test]
    fn a_point_is_the_same_whatever_it_names_by_now() {
        let text = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        let before = text(&["the last run failed: make", "not run: a.rs", "no change"]);
        let now = text(&["not run: a.rs, b.rs", "no count", "no change"]);
        assert_eq!(of_the_same(&before, now), ["not run: a.rs, b.rs", "no change"]);
    }
}

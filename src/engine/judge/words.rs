//! What the hooks rule on by themselves, where the rules say `judge`: words of the agent about its
//! work, and acts that let the work out.
//!
//! Nothing is declared to them. What was affected is what the difference shows, what was tested is
//! what receipts show, and no command of git seed's has to be given for it.

use std::path::Path;
use std::sync::Arc;

use super::carried;
use super::past::Past;
use crate::claims::gate::{self, GateTable, Ruling};
use crate::claims::hooks::{self, Spoken};
use crate::claims::in_force::InForce;
use crate::claims::languages::shipped_languages;
use crate::claims::past::tells_a_result;
use crate::claims::table::Finding;
use crate::claims::{Claim, ClaimCase, Directive, Inquiry, Receipt, Truth, past, told};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{claims, fence, git_mark, said_there};
use crate::phases::git_acts::{GitAct, Ruling as GitRuling};
use crate::phases::mcp::Leaving;
use crate::store::TreeId;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::{secrets, shell};

/// The most sentences of a text that are looked at one by one.
const SENTENCES: usize = 32;

/// The most bytes of a text that are judged. A host waits some seconds for the answer to last
/// words; a longer text goes back for its length, and no words pass because they are too many.
const JUDGED: usize = 128 << 10;
/// So much of it is kept then.
const HEAD: usize = 2 << 10;

/// The most points that a person is told by name.
const POINTS: usize = 3;

/// How many closed jobs are looked at for the one that words without a job are about.
const CLOSED: usize = 4;

/// A ruling on words, and what it rests on.
#[derive(Debug)]
pub(crate) struct Judged {
    pub case: ClaimCase,
    pub tree: TreeId,
    pub ruling: Ruling,
    table: Arc<InForce>,
    /// There are more words than are judged.
    cut: bool,
}

/// Rules on `text`, which the agent says of the work of `job`; nothing is recorded.
pub(crate) fn rule_on(repo: &Repo, job: Option<&LoadedJob>, text: &str) -> Result<Judged> {
    let tree = fence::tree_now::tree_now(repo, job)?;
    rule_on_tree(repo, job, text, tree)
}

/// The same of the newest job of `session`, which is in focus no more, by what ran behind its end,
/// too.
pub(crate) fn rule_on_rest(
    repo: &Repo,
    job: &LoadedJob,
    session: &str,
    text: &str,
) -> Result<Judged> {
    let tree = fence::tree_now::tree_now(repo, Some(job))?;
    let since = job.state.job.updated_at;
    let behind = claims::loose::receipts_since(repo, session, since, &tree)?;
    rule_with(repo, Some(job), text, (tree, behind))
}

/// The same over a work tree that was looked at already.
pub(crate) fn rule_on_tree(
    repo: &Repo,
    job: Option<&LoadedJob>,
    text: &str,
    tree: TreeId,
) -> Result<Judged> {
    rule_with(repo, job, text, (tree, Vec::new()))
}

fn rule_with(
    repo: &Repo,
    job: Option<&LoadedJob>,
    text: &str,
    (tree, behind): (TreeId, Vec<Receipt>),
) -> Result<Judged> {
    let text = &*secrets::mask(text);
    let table = claims::gate::gate_table(repo)?;
    let mut truth = claims::gate::truth_at(repo, job, &tree)?;
    if let Some(job) = job {
        // Words are about the job's own files, where it has some, and not about what the person
        // has beside them.
        let mut own = truth.files.clone();
        claims::proving::keep_own(repo, job, &mut own)?;
        if !own.is_empty() {
            truth.files = own;
        }
    }
    let mut receipts = match job {
        Some(job) => claims::receipts::receipts_of(repo, job, &tree)?,
        None => Vec::new(),
    };
    receipts.extend(behind);
    let judged = judged(repo, text, (truth, tree, receipts), table)?;
    without_past(repo, job, judged)
}

/// The same where no job is kept: of the work of `session`, by what ran in it.
pub(crate) fn rule_on_session(repo: &Repo, session: &str, text: &str) -> Result<Judged> {
    let table = claims::gate::gate_table(repo)?;
    let (truth, tree) = claims::loose::truth_of(repo, session)?;
    let receipts = claims::loose::receipts_of(repo, session, &tree)?;
    let judged = judged(repo, text, (truth, tree, receipts), table)?;
    without_past(repo, None, judged)
}

fn judged(
    repo: &Repo,
    text: &str,
    (mut truth, tree, receipts): (Truth, TreeId, Vec<Receipt>),
    table: Arc<InForce>,
) -> Result<Judged> {
    let cut = text.len() > JUDGED;
    let text = if cut { &text[..text.floor_char_boundary(HEAD)] } else { text };
    claims::turned_tests::mark(repo, &mut truth, &tree, &receipts)?;
    let claim = Claim::from_words(text, &truth, &receipts, &table);
    truth.held = said_there::held(repo, &gate::unmatched(&claim, &truth), &tree)?;
    truth.still = said_there::still(repo, &told::said_gone(text, &table), &truth, &tree)?;
    let of_tests = told::said_of_tests(text, &table);
    truth.not_in_tests = said_there::not_in_tests(repo, &of_tests, &truth, &tree)?;
    let case = ClaimCase { claim, truth, receipts, opened: None, drift: 0.0 };
    let ruling = ruled(&case, &table);
    Ok(Judged { case, tree, ruling, table, cut })
}

/// The ruling on what is left of words that go back, without the sentences that work of before
/// shows: that work is not what the job shows. The ruling is kept with what is left.
fn without_past(repo: &Repo, job: Option<&LoadedJob>, judged: Judged) -> Result<Judged> {
    if judged.cut || !judged.sends_back() {
        return Ok(judged);
    }
    let case = &judged.case;
    let past = Past::of(repo, job, (&judged.tree, &case.truth, &case.receipts), &judged.table);
    let alone = |text: &str, truth: &Truth, receipts: &[Receipt]| {
        let claim = Claim::from_words(text, truth, receipts, &judged.table);
        let truth = Truth { held: case.truth.held.clone(), ..truth.clone() };
        let receipts = receipts.to_vec();
        goes_back(&ruled(&ClaimCase { claim, truth, receipts, ..case.clone() }, &judged.table))
    };
    let all: Vec<&str> = past::units(&case.claim.text).collect();
    let back = |at: &usize| alone(all[*at], &case.truth, &case.receipts);
    let at_fault: Vec<usize> = (0..all.len().min(SENTENCES)).filter(back).collect();
    let is_told = |said: &[&str], text: &str| -> Result<bool> {
        let grounds = past.under(said)?;
        Ok(grounds.iter().any(|ground| !alone(text, ground.truth(), &ground.receipts)))
    };
    let mut told = Vec::new();
    for at in &at_fault {
        if is_told(&all[*at..=*at], all[*at])? {
            told.push(*at);
        }
    }
    // Words that go back only together are told together.
    if at_fault.is_empty() && is_told(&all, &case.claim.text)? {
        told.extend(0..all.len());
    }
    if told.is_empty() {
        return Ok(judged);
    }
    let rest = (0..all.len()).filter(|at| !told.contains(at)).map(|at| all[at]);
    let rest: Vec<&str> = rest.collect();
    let (text, truth) = (rest.join("\n"), case.truth.clone());
    let (tree, receipts) = (judged.tree.clone(), case.receipts.clone());
    let mut again = self::judged(repo, &text, (truth, tree, receipts), Arc::clone(&judged.table))?;
    // Who only looked is heard more mildly than who claims work: not beside such a claim.
    if case.truth.files.is_empty() && !again.sends_back() {
        let mut work = Vec::new();
        for one in rest {
            if past::tells_of_work(one, &judged.table) && !is_told(&[one], one)? {
                work.push(one);
            }
        }
        if !work.is_empty() {
            again.case.claim.text = work.join("\n");
            again.ruling = judged.ruling.clone();
        }
    }
    Ok(again)
}

fn goes_back(ruling: &Ruling) -> bool {
    // What does not say whether the way is open does not open it.
    ruling.directive().unwrap_or(Directive::Reject) > Directive::Damp
}

fn ruled(case: &ClaimCase, table: &GateTable) -> Ruling {
    gate::judge(&Inquiry::VerifyClaim(case.clone()), table)
}

impl Judged {
    /// The words have to be said anew.
    pub(crate) fn sends_back(&self) -> bool {
        self.cut || goes_back(&self.ruling)
    }

    fn directive(&self) -> Directive {
        // What does not say whether the way is open does not open it.
        self.ruling.directive().unwrap_or(Directive::Reject)
    }

    /// What of it the person is told by name, in one line; none where nothing is worth it.
    pub(crate) fn points(&self) -> Option<String> {
        let Ruling::Claim(answer) = &self.ruling else { return None };
        let named: Vec<&str> = answer.points.iter().take(POINTS).map(String::as_str).collect();
        let more = answer.points.len() - named.len();
        let count = repo::text::count(answer.points.len(), "point");
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        let facts = [("points", &*count), ("named", &*named.join("; ")), ("more", &*more)];
        (!named.is_empty()).then(|| tell(Notice::JudgedPoints, &facts))
    }

    /// They tell how the work is since now, and nothing was changed: who approves them takes it
    /// for done.
    pub(crate) fn tells_what_is_not_there(&self) -> bool {
        let Ruling::Claim(answer) = &self.ruling else { return false };
        let row = self.table.finding(Finding::NothingChangedNamed);
        row.is_some_and(|row| answer.points.contains(&row.say))
    }

    /// The words are no claim about work that changed, so nothing is to be shown for them.
    pub(crate) fn changed_nothing(&self) -> bool {
        self.case.truth.files.iter().all(|file| file.prose)
    }

    /// The refusal of these words.
    pub(crate) fn refusal(&self, spoken: Spoken) -> Refusal {
        if self.cut {
            let most = (JUDGED >> 10).to_string();
            let why = tell(Notice::JudgedTooLong, &[("most", &most)]);
            let next = tell(Notice::JudgedShorter, &[("most", &most)]);
            return hooks::not_shown(spoken, &self.case.claim.text, &why, &next);
        }
        hooks::not_shown(spoken, &self.at_fault(), &because(&self.ruling), &self.next())
    }

    /// The same where nothing may run, because of `why`: nobody is sent to run something.
    pub(crate) fn refusal_at_rest(&self, spoken: Spoken, why: &str) -> Refusal {
        if self.cut {
            return self.refusal(spoken);
        }
        let next = tell(Notice::JudgedAtRest, &[("why", why)]);
        hooks::not_shown(spoken, &self.at_fault(), &because(&self.ruling), &next)
    }

    /// What helps is a run, and not other words alone.
    pub(crate) fn wants_a_run(&self) -> bool {
        !self.cut && self.next().starts_with("run ")
    }

    /// The refusal of words that a run would show, where `next` leads to a place for it.
    pub(crate) fn refusal_until(&self, spoken: Spoken, next: &str) -> Refusal {
        hooks::not_shown(spoken, &self.at_fault(), &because(&self.ruling), next)
    }

    /// The one step that helps.
    fn next(&self) -> String {
        let (next, tool) = match &self.ruling {
            Ruling::Claim(answer) => (answer.next.clone(), answer.require_tool.tool.clone()),
            _ => (None, None),
        };
        let tool = tool.map(|tool| tell(Notice::JudgedTool, &[("tool", &tool)]));
        next.or(tool).unwrap_or_else(|| tell(Notice::JudgedSayLess, &[]))
    }

    /// The sentence that is sent back by itself for as much: of several the first for which the
    /// same is said, where there is one. What is said of a run is said of who tells its result.
    /// Words that go back only together are named together.
    pub(crate) fn at_fault(&self) -> String {
        let all = sentences(&self.case.claim.text);
        let ruled: Vec<(&String, Ruling)> = all
            .iter()
            .take(SENTENCES)
            .map(|text| {
                let (truth, receipts) = (&self.case.truth, &self.case.receipts);
                let claim = Claim::from_words(text, truth, receipts, &self.table);
                (text, ruled(&ClaimCase { claim, ..self.case.clone() }, &self.table))
            })
            .filter(|(_, one)| one.directive().is_some_and(|one| one >= self.directive()))
            .collect();
        let why = because(&self.ruling);
        let same = || ruled.iter().filter(|(_, one)| because(one) == why);
        let of_a_run = self.case.receipts.iter().any(|run| why.contains(run.command.as_str()));
        let result = same().find(|(text, _)| of_a_run && tells_a_result(text, &self.table));
        let found = result.or_else(|| same().next()).or(ruled.first());
        found.map_or_else(|| all.join(" "), |(text, _)| (*text).clone())
    }

    /// Keeps the ruling among the records.
    pub(crate) fn keep(self, repo: &Repo, job: Option<&LoadedJob>) -> Result<()> {
        // That of the beginning alone would stand for words which nobody judged.
        if self.cut {
            return Ok(());
        }
        let inquiry = Inquiry::VerifyClaim(self.case);
        claims::gate::rule(repo, inquiry, job, self.tree, &self.table, &|_, _| {}).map(drop)
    }
}

/// Why words go back: what the step helps against, which is told beside it.
fn because(ruling: &Ruling) -> String {
    let named = match ruling {
        Ruling::Claim(answer) => answer.because.clone(),
        _ => None,
    };
    named.or_else(|| ruling.reasons().first().cloned()).unwrap_or_default()
}

/// The sentences of a text, without code.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut code = false;
    let mut all = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            code = !code;
        } else if !code && !line.is_empty() {
            all.extend(crate::claims::answers::sentences(line).map(|one| one.trim().to_owned()));
        }
    }
    all.retain(|one| one.chars().any(char::is_alphanumeric));
    all
}

/// What stands in the way of an act that lets work out, where no job is kept.
pub(crate) fn act_of_session(
    repo: &Repo,
    line: (&str, &Path, &shell::Reading),
    session: &str,
    git: Option<&(Vec<GitAct>, GitRuling)>,
) -> Result<Option<Refusal>> {
    // Within the bounds acts that stay in this clone are open: nobody opened this one.
    let opened = is_opened(git) && git_mark::read(repo)?.is_some();
    lets_out(repo, line, &|said| rule_on_session(repo, session, said), opened)
}

/// The same of a call of an MCP server.
pub(crate) fn tool_of_session(
    repo: &Repo,
    leaving: Leaving,
    session: &str,
    git: Option<&(Vec<GitAct>, GitRuling)>,
) -> Result<Option<Refusal>> {
    let rule_on = |said: &str| rule_on_session(repo, session, said);
    goes_out(repo, (&leaving.name, leaving.said), &rule_on, is_opened(git))
}

pub(super) fn is_opened(git: Option<&(Vec<GitAct>, GitRuling)>) -> bool {
    matches!(git, Some((_, GitRuling::Opened)))
}

pub(super) fn lets_out(
    repo: &Repo,
    (command, dir, reading): (&str, &Path, &shell::Reading),
    rule_on: &dyn Fn(&str) -> Result<Judged>,
    opened: bool,
) -> Result<Option<Refusal>> {
    match hooks::lets_out(&hooks::deeds(reading)) {
        Some(part) => {
            goes_out(repo, (&part, carried::carried(repo, command, dir)), rule_on, opened)
        }
        None => Ok(None),
    }
}

/// What stands in the way of `part`, which lets work out with the words `said`.
pub(super) fn goes_out(
    repo: &Repo,
    (part, said): (&str, Option<String>),
    rule_on: &dyn Fn(&str) -> Result<Judged>,
    opened: bool,
) -> Result<Option<Refusal>> {
    let bare = said.is_none();
    let said = said.unwrap_or_else(|| tell(Notice::JudgedBare, &[]));
    let judged = rule_on(&said)?;
    // Without words of its own the act says that there is work, and there is none.
    if bare && judged.changed_nothing() {
        return Ok(None);
    }
    if judged.sends_back() {
        return Ok(Some(judged.refusal(Spoken::Act).with("part", part)));
    }
    let not_run = judged.ruling.requires_tool() && !judged.changed_nothing();
    if !not_run || opened || !has_tests(repo, &judged.case.receipts, &judged.tree)? {
        return Ok(None);
    }
    Ok(Some(hooks::unrun(part)))
}

/// A run of tests fits the repository: one was seen, or files that runners collect lie in it.
fn has_tests(repo: &Repo, receipts: &[Receipt], tree: &TreeId) -> Result<bool> {
    if receipts.iter().any(|receipt| receipt.run.is_some()) {
        return Ok(true);
    }
    Ok(repo.store.paths_of(tree)?.iter().any(|path| shipped_languages().is_collected(path)))
}

/// The job that words without a job in focus are about: the last one that this session drove in
/// this worktree, whether it rests or is over.
pub(crate) fn last_job(repo: &Repo, session: &str) -> Result<Option<LoadedJob>> {
    let here = repo.store.worktree_name();
    // One that was put down or dropped is at home nowhere; its session was here all the same.
    let own = |job: &LoadedJob| {
        let home = &job.state.home.worktree;
        (*home == here || home.is_empty()) && job.state.driver.session == session
    };
    let rests = repo.jobs()?.into_iter().filter(own).max_by_key(|job| job.state.job.updated_at);
    let over = crate::engine::record::archive::closed_last(repo, CLOSED)?;
    let over = over.into_iter().filter(own);
    let newest = rests.into_iter().chain(over).max_by_key(|job| job.state.job.updated_at);
    Ok(newest.filter(|_| !session.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_outside_of_code() {
        let text = "# Done\n\nFixed it. Ran all tests!\n```\nno.\n```\n- ok";
        assert_eq!(sentences(text), ["# Done", "Fixed it.", "Ran all tests!", "- ok"]);
    }
}

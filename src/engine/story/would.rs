//! What would have been refused where git seed only watches, by rule, and how that work ended: what
//! is recorded of it, and no more.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::record;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{Repo, Result};
use crate::event::UnixSeconds;
use crate::format::watched::{Happened, Watched};
use crate::store::{LaterCommit, RepoPath};
use crate::verdict::Refusal;
use crate::voice;

/// The newest examples that are shown of each rule.
const EXAMPLES: usize = 3;

/// `stats --would --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Would {
    pub mode: &'static str,
    /// From when on things are counted; absent where all are.
    pub since: Option<String>,
    /// When the oldest line that is counted was written.
    pub watched_since: Option<String>,
    /// Older lines went at that time, for the record was full.
    pub dropped_at: Option<String>,
    pub sessions: usize,
    /// What would have stood in the way most often first.
    pub rules: Vec<WouldRule>,
}

/// All that one rule would have said.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct WouldRule {
    pub rule: String,
    /// The least mode in which it says so: `fence` or `full`.
    pub mode: &'static str,
    pub refused: usize,
    pub asked: usize,
    /// Last words that would have been sent back.
    pub sent_back: usize,
    pub sessions: usize,
    /// How many of them ran all the same, and of how many a later commit has a file.
    pub ran: usize,
    pub committed: usize,
    pub examples: Vec<Example>,
}

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Example {
    pub at: String,
    pub session: String,
    pub tool: String,
    pub paths: Vec<String>,
    /// What shows it: a path, a line, a sentence.
    pub what: String,
    pub why: String,
    pub ended: Ending,
}

/// What is recorded after it. What is absent was not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Ending {
    /// The call ended well, or not.
    pub ran: Option<bool>,
    /// The first later commit with one of its files.
    pub commit: Option<String>,
    /// Without such a commit: its files are as HEAD has them again (`undone`), or not (`changed`).
    pub tree: Option<&'static str>,
    /// How the next run of tests of the session ended: `passed`, `failed` or `unknown`.
    pub tests: Option<&'static str>,
    /// What came first of the session: the person's next `prompt`, or its `end`.
    pub next: Option<&'static str>,
}

/// The sums since `from`, or over all.
pub(crate) fn would(repo: &Repo, from: Option<UnixSeconds>) -> Result<Would> {
    let mut lines = record::watched::all(repo)?;
    let dropped =
        lines.iter().rev().find(|line| line.what == Happened::Dropped).map(|line| line.at);
    lines.retain(|line| line.what != Happened::Dropped && from.is_none_or(|from| line.at >= from));
    let first = lines.first().map(|line| line.at);
    let commits = match first {
        Some(first) => repo.store.later_commits(first)?,
        None => Vec::new(),
    };
    let head = repo.store.head()?.commit;
    let tree = head.map(|head| repo.store.tree_of_commit(&head)).transpose()?;
    let undone = |path: &str| {
        // A path outside the work tree is in no tree.
        let (tree, path) = (tree.as_ref()?, RepoPath::try_from(path).ok()?);
        // What cannot be compared is not told.
        repo.store.is_as_in(tree, &path).ok()
    };
    let session = |line: &Watched| Some(line.session.clone()).filter(|id| !id.is_empty());
    let sessions: BTreeSet<String> = lines.iter().filter_map(session).collect();
    Ok(Would {
        mode: repo.rules.mode.word(),
        since: from.map(rfc3339),
        watched_since: first.map(rfc3339),
        dropped_at: dropped.map(rfc3339),
        sessions: sessions.len(),
        rules: by_rule(&lines, &commits, &undone),
    })
}

/// The lines that are a no, by rule.
fn by_rule(
    lines: &[Watched],
    commits: &[LaterCommit],
    undone: &dyn Fn(&str) -> Option<bool>,
) -> Vec<WouldRule> {
    let mut rules: BTreeMap<(String, bool), (WouldRule, BTreeSet<&str>)> = BTreeMap::new();
    for (n, line) in lines.iter().enumerate().filter(|(_, line)| line.what.is_a_no()) {
        let Some(refused) = &line.refusal else { continue };
        let key = (refused.by.clone(), line.of_phases);
        let (rule, sessions) = rules.entry(key).or_default();
        rule.rule.clone_from(&refused.by);
        rule.mode = if line.of_phases { "full" } else { "fence" };
        let count = match line.what {
            Happened::Asked => &mut rule.asked,
            Happened::Words => &mut rule.sent_back,
            _ => &mut rule.refused,
        };
        *count += 1;
        // git's own hooks know of no session.
        sessions.extend(Some(line.session.as_str()).filter(|id| !id.is_empty()));
        rule.sessions = sessions.len();
        let ended = ending(line, &lines[n + 1..], commits, undone);
        rule.ran += usize::from(ended.ran.is_some());
        rule.committed += usize::from(ended.commit.is_some());
        rule.examples.insert(0, example(line, ended));
        rule.examples.truncate(EXAMPLES);
    }
    let mut rules: Vec<WouldRule> = rules.into_values().map(|(rule, _)| rule).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.refused + rule.asked + rule.sent_back));
    rules
}

fn example(line: &Watched, ended: Ending) -> Example {
    let fact = |key: &str| line.refusal.as_ref()?.facts.get(key).map(str::to_owned);
    let keys = ["line", "said", "part", "command", "path", "what"];
    let shown = keys.iter().find_map(|key| fact(key).filter(|fact| !fact.is_empty()));
    let why = line.refusal.as_ref().map(|refused| {
        let refusal = Refusal { by: "guard", wants: refused.wants, facts: refused.facts.clone() };
        voice::say(&refusal, &refused.phase).why
    });
    Example {
        at: rfc3339(line.at),
        session: line.session.clone(),
        tool: line.tool.clone(),
        paths: line.paths.clone(),
        what: if line.paths.is_empty() { shown.unwrap_or_default() } else { line.paths.join(" ") },
        why: why.unwrap_or_default(),
        ended,
    }
}

/// How the work of `line` ended, by the lines behind it.
fn ending(
    line: &Watched,
    later: &[Watched],
    commits: &[LaterCommit],
    undone: &dyn Fn(&str) -> Option<bool>,
) -> Ending {
    let own = || later.iter().filter(|next| next.session == line.session);
    let same = |next: &&Watched| {
        next.what == Happened::Ran && !line.call.is_empty() && next.call == line.call
    };
    let ran = own().find(same).map(|next| next.well.unwrap_or(true));
    let has = |commit: &&LaterCommit| {
        commit.at >= line.at && commit.paths.iter().any(|path| line.paths.contains(path))
    };
    let commit = commits.iter().rev().find(has).filter(|_| ran == Some(true));
    let commit = commit.map(|commit| commit.commit.to_string());
    let file = line.paths.first().filter(|_| commit.is_none() && ran == Some(true));
    let tree = file.and_then(|path| undone(path)).map(|is| if is { "undone" } else { "changed" });
    let tests = own().find(|next| next.what == Happened::Tests).map(|run| match run.well {
        Some(true) => "passed",
        Some(false) => "failed",
        None => "unknown",
    });
    let next = own().find_map(|next| match next.what {
        Happened::Prompt => Some("prompt"),
        Happened::Ended => Some("end"),
        _ => None,
    });
    Ending { ran, commit, tree, tests, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::Refused;
    use crate::verdict::{Case, Wants};

    fn line(at: i64, what: Happened, session: &str, call: &str) -> Watched {
        let (session, call) = (session.to_owned(), call.to_owned());
        Watched { at, what, session, call, ..Watched::default() }
    }

    fn no(at: i64, session: &str, call: &str, path: &str) -> Watched {
        let refusal = Refusal::new("place", Wants::Declaration).case(Case::ShutRule);
        let refusal = Some(Refused::of(&refusal.with("path", path), "fence"));
        Watched {
            paths: vec![path.to_owned()],
            refusal,
            ..line(at, Happened::Refused, session, call)
        }
    }

    #[test]
    fn what_is_recorded_after_a_refusal_is_how_it_ended() {
        use Happened::{Ended, Prompt, Ran, Tests};
        let well = |line: Watched, well: bool| Watched { well: Some(well), ..line };
        let ran = |session: &str, call: &str| well(line(11, Ran, session, call), true);
        let tests = |ended: bool| well(line(12, Tests, "s", "t"), ended);
        let id: crate::store::CommitId = "a".repeat(40).parse().expect("an id");
        let commit = |at: i64, path: &str| LaterCommit {
            commit: id.clone(),
            at,
            paths: vec![path.to_owned()],
        };
        let of = |later: &[Watched], commits: &[LaterCommit]| {
            ending(&no(10, "s", "c", "a.rs"), later, commits, &|_| Some(true))
        };
        let none = Ending::default();
        let undone = Ending { ran: Some(true), tree: Some("undone"), ..Ending::default() };
        assert_eq!(of(&[], &[]), none, "nothing is recorded after it");
        assert_eq!(of(&[ran("s", "c")], &[]), undone);
        assert_eq!(of(&[ran("x", "c"), ran("s", "d")], &[]), none, "another call");
        assert_eq!(of(&[], &[commit(20, "a.rs")]), none, "what did not run is in no commit");
        let kept = of(&[ran("s", "c")], &[commit(20, "a.rs")]);
        assert_eq!((kept.commit, kept.tree), (Some(id.to_string()), None));
        for other in [commit(9, "a.rs"), commit(20, "b.rs")] {
            assert_eq!(of(&[ran("s", "c")], &[other]), undone, "another commit");
        }
        assert_eq!(of(&[tests(false), tests(true)], &[]).tests, Some("failed"), "the next run");
        let said = [line(12, Prompt, "x", ""), line(13, Prompt, "s", ""), line(14, Ended, "s", "")];
        assert_eq!(of(&said, &[]).next, Some("prompt"));
        assert_eq!(of(&said[2..], &[]).next, Some("end"));
    }

    #[test]
    fn rules_are_counted_with_their_sessions_and_their_newest_examples() {
        let mut lines: Vec<Watched> =
            (0..5).map(|n| no(n, if n < 3 { "a" } else { "b" }, "", &format!("{n}.rs"))).collect();
        lines.push(Watched { of_phases: true, ..no(9, "a", "", "x.rs") });
        lines.push(Watched { what: Happened::Asked, ..no(9, "a", "", "x.rs") });
        let rules = by_rule(&lines, &[], &|_| None);
        let told: Vec<_> = rules
            .iter()
            .map(|rule| (rule.mode, rule.refused, rule.asked, rule.sessions, rule.examples.len()))
            .collect();
        assert_eq!(told, [("fence", 5, 1, 2, 3), ("full", 1, 0, 1, 1)]);
        assert_eq!(rules[0].examples[1].what, "4.rs", "the newest first");
    }
}

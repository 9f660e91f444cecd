//! Ways past the rules: what a person did so and no step of a job says, in a chain of its own, one
//! commit each; and how often there were any.
//!
//! It stays in this clone, as operations do. What a step says (paths that a person opened or took
//! over, the size of a job) and what the chain of the rules says is not written twice.

use std::collections::BTreeMap;

use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::secrets::Masked;
use crate::store::TreeEdit;

/// Steps that are one, counted by their name.
const STEPS: [&str; 2] = ["allow", "accept"];

/// A way past the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bypass {
    /// Enforcement was paused.
    Off,
    /// Paths were opened where no job is kept.
    Allow,
    /// One call of git was opened.
    AllowGit,
    /// A command at a terminal that does not tell who types got its word.
    Ok,
    /// The answer of a session without a person counted, because the rules say so.
    Unattended,
}

impl Bypass {
    /// As it is counted.
    fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Allow => "allow",
            Self::AllowGit => "allow-git",
            Self::Ok => "ok",
            Self::Unattended => "unattended",
        }
    }
}

/// Writes one down, with its words.
pub(crate) fn keep(repo: &Repo, what: Bypass, words: &str) -> Result<()> {
    const MOST: usize = 120;
    let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = Masked::new(&words).into_string().chars().take(MOST).collect();
    let line = format!("{}: {words}", what.word());
    let _lock = repo.store.lock()?;
    let tip = repo.store.tip(names::BYPASSES)?;
    let put = TreeEdit::Put { path: "last".to_owned(), bytes: format!("{line}\n").into_bytes() };
    let after = tip.map(|tip| tip.commit);
    repo.store.append(names::BYPASSES, after.as_ref(), &[put], &line, repo.now)?;
    Ok(())
}

/// Each kind, with how often it happened: by the names of steps that were looked at, by the jobs
/// that a person called small, by the chain of the rules, and by what was written down here.
pub(crate) fn counted<'a>(
    repo: &Repo,
    steps: impl Iterator<Item = &'a str>,
    small: usize,
) -> BTreeMap<String, u32> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut add = |word: &str| *counts.entry(word.to_owned()).or_default() += 1;
    steps.filter(|step| STEPS.contains(step)).for_each(&mut add);
    (0..small).for_each(|_| add("quick"));
    // What does not read is damage by its own finding.
    let rules = repo.store.history(names::RULES, usize::MAX).unwrap_or_default();
    let applied = |message: &str| message.trim() == record::rules::APPLIED;
    rules.iter().filter(|step| applied(&step.message)).for_each(|_| add("rules-apply"));
    // The same.
    let kept = repo.store.history(names::BYPASSES, usize::MAX).unwrap_or_default();
    let word = |message: &str| message.split(':').next().unwrap_or_default().trim().to_owned();
    for step in &kept {
        add(&word(&step.message));
    }
    counts
}

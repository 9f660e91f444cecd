//! The file of what a person said of paths and of git, below `.git/seed/said`: one for each
//! worktree, by session, and by job where one is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::own_state::{self, Unread};
use crate::memory::scope::{Scope, Turn, Word};
use crate::phases::said_scope::{Said as Kind, SaidOfPaths};
use crate::store::Store;
use crate::voice::{Notice, tell};

/// What was said in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SaidInSession {
    /// Of paths, oldest first.
    #[serde(default)]
    pub paths: Vec<SaidOfPaths>,
    /// Sentences that name acts of git.
    #[serde(default)]
    pub git: Vec<String>,
    /// The agent has made its first change: what only phases would have refused is written down
    /// once.
    #[serde(default)]
    pub begun: bool,
    /// The commit at which the session began.
    #[serde(default)]
    pub base: String,
    /// What the agent said by its last stop that was refused in this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedWords>,
}

/// Words that were judged: how many bytes, and their hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedWords {
    pub length: usize,
    pub hash: String,
}

/// With what the keys of jobs begin; ids of sessions have no blank.
pub(crate) const JOB: &str = "job ";

/// What was said, by session and by job.
pub(crate) type Said = BTreeMap<String, SaidInSession>;

/// The key of the job of a chain.
pub(crate) fn key_of(chain: &str) -> String {
    format!("{JOB}{chain}")
}

pub(crate) fn file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("said").join(format!("{}.json", store.worktree_name()))
}

pub(crate) fn read(store: &Store) -> Result<Said, Unread> {
    Ok(own_state::from_json(&file(store))?.unwrap_or_default())
}

/// Puts what a person said of paths in prompts of the job of a chain into its scope.
pub(crate) fn into_scope(store: &Store, chain: &str, scope: &mut Scope) -> Result<(), Unread> {
    let said = read(store)?.remove(&key_of(chain)).unwrap_or_default();
    said.paths.into_iter().for_each(|one| scope.hear(word(one)));
    Ok(())
}

/// Takes the sentences that stand in `texts` out of what is kept of the job of a chain; says
/// whether there was one. What they closed stays closed.
pub(crate) fn blank(said: &mut Said, chain: &str, texts: &[String]) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
    let mut found = false;
    for one in said.get_mut(&key_of(chain)).into_iter().flat_map(|said| &mut said.paths) {
        let words = plain(&one.words);
        if !words.is_empty() && texts.iter().any(|text| text.contains(&words)) {
            one.words = tell(Notice::TextRedacted, &[]);
            found = true;
        }
    }
    found
}

fn word(said: SaidOfPaths) -> Word {
    let kind = match said.kind {
        Kind::Never => Turn::Closes,
        Kind::Only => Turn::ClosesElse,
        Kind::Allow | Kind::Again => Turn::Opens,
    };
    Word { kind, paths: said.paths, said: said.words }
}

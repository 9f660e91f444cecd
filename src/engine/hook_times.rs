//! How long each git hook took in the last phase commit of this clone, as git told it.
//!
//! `doctor` and `init` say by it what the hooks of the person cost at each boundary. A hook that
//! may change files is never run for a trial, so there is no figure before the first commit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::world;

/// What the hooks of one commit took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HookTimes {
    pub commit: String,
    #[serde(default)]
    pub hook: Vec<HookTime>,
}

/// One hook of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HookTime {
    pub name: String,
    pub ms: u64,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("hook-times.toml")
}

/// Keeps what git said of the hooks of `commit`. The commit is made: where the figure cannot be
/// written, only `doctor` lacks it.
pub(crate) fn keep(repo: &Repo, commit: &str, hooks: &[(String, u64)]) {
    let hook = hooks.iter().map(|(name, ms)| HookTime { name: name.clone(), ms: *ms }).collect();
    if let Ok(text) = toml::to_string(&HookTimes { commit: commit.to_owned(), hook }) {
        let _ = world::write_whole(&file(repo), text.as_bytes());
    }
}

/// What the hooks of the last phase commit took; nothing before there is one.
pub(crate) fn read(repo: &Repo) -> Result<Option<HookTimes>> {
    Ok(own_state::from_toml(&file(repo))?)
}

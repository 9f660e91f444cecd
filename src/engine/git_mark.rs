//! What a person lets git do for one call: the words that they opened, and the call that was let
//! through.
//!
//! The file lies below `.git/seed`, one for each worktree. The next prompt ends it, and so does the
//! end of the call. Until then git's own hooks know by it that somebody answers for the commit.

use std::io;

use serde::{Deserialize, Serialize};

use crate::claims::sent::Sent;
use crate::engine::own_state;
use crate::engine::pushed;
use crate::engine::repo::{Repo, Result, journal};
use crate::event::{Act, Outcome, ToolCall};
use crate::secrets::mask;
use crate::world;

/// A person's leave for one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GitMark {
    /// The words of `[ALLOW git …]`, masked; none where the host asked.
    #[serde(default)]
    pub opened: Vec<String>,
    /// The call that was let through; empty before it.
    #[serde(default)]
    pub call: String,
    /// The verbs of its acts.
    #[serde(default)]
    pub verbs: Vec<String>,
}

impl GitMark {
    /// A call with this verb is under way, and a person answers for it.
    pub(crate) fn covers(&self, verb: &str) -> bool {
        !self.call.is_empty() && self.verbs.iter().any(|known| known == verb)
    }
}

fn file(repo: &Repo) -> std::path::PathBuf {
    let name = format!("{}.toml", repo.store.worktree_name());
    repo.store.seed_dir().join("consent").join(name)
}

/// What stands there now.
pub(crate) fn read(repo: &Repo) -> Result<Option<GitMark>> {
    Ok(own_state::from_toml(&file(repo))?)
}

fn write(repo: &Repo, mark: &GitMark) -> Result<()> {
    let opened = mark.opened.iter().map(|word| mask(word).into_owned()).collect();
    let mark = GitMark { opened, ..mark.clone() };
    let text = toml::to_string(&mark).map_err(io::Error::other)?;
    let file = file(repo);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(world::write_whole(&file, text.as_bytes())?)
}

/// Opens one call of exactly these words.
pub(crate) fn open(repo: &Repo, words: Vec<String>) -> Result<()> {
    write(repo, &GitMark { opened: words, ..GitMark::default() })
}

/// Nothing is opened any more.
pub(crate) fn close(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// The call goes ahead, and somebody answers for it.
pub(crate) fn begin(repo: &Repo, call: &ToolCall, verbs: Vec<String>, by_word: bool) -> Result<()> {
    let known = read(repo)?.unwrap_or_default();
    let opened = if by_word { known.opened } else { Vec::new() };
    write(repo, &GitMark { opened, call: id_of(call), verbs })
}

/// The call has ended; says what it was let through with, where it was. A push that sent nothing
/// uses up no leave.
pub(crate) fn end(repo: &Repo, call: &ToolCall, outcome: &Outcome) -> Result<Option<GitMark>> {
    if !matches!(call.act, Act::Shell { .. } | Act::Foreign { .. }) {
        return Ok(None);
    }
    let mark = read(repo)?.filter(|mark| !mark.call.is_empty() && mark.call == id_of(call));
    match &mark {
        Some(mark) if !mark.opened.is_empty() && is_unsent(repo, call, outcome) => {
            open(repo, mark.opened.clone())?;
        }
        Some(_) => close(repo)?,
        None => {}
    }
    Ok(mark)
}

/// Whether the call was a push, and no ref of the remote moved with it.
pub(crate) fn is_unsent(repo: &Repo, call: &ToolCall, outcome: &Outcome) -> bool {
    pushed::sent(repo, call, outcome) == Some(Sent::Nothing)
}

/// What a call is told from others by: its id, or its line where the host gives none.
pub(crate) fn id_of(call: &ToolCall) -> String {
    match &call.act {
        Act::Shell { command, .. } if call.id.is_empty() => journal::text_hash(command),
        Act::Foreign { .. } if call.id.is_empty() => journal::text_hash(&call.tool),
        _ => call.id.clone(),
    }
}

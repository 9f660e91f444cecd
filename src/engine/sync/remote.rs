//! With whom a clone syncs: which remote is meant, whose it is, and that a person agreed to it.

use std::collections::BTreeSet;

use crate::engine::fence::fingerprints;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::sync::carrier::Transport;
use crate::format::names;
use crate::format::sync::{Whose, whose};
use crate::jobs::syncing;
use crate::secrets;
use crate::voice::{Notice, tell};
use crate::world;

/// Git's setting that names the owners that a person agreed to.
const OWNER: &str = "seed.owner";

/// What a person sees before the first sync.
#[derive(Clone, Debug)]
pub(crate) struct First {
    pub remote: String,
    /// Where it goes, without what a URL hides.
    pub urls: Vec<String>,
    pub owners: Vec<String>,
    /// Open jobs that go.
    pub jobs: usize,
    /// The closed ones go with the archive.
    pub archive: bool,
    pub words: Words,
    /// The repository is carried over to the newest format first, which older binaries refuse.
    pub carries: bool,
}

/// Whether what people and agents said goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Stay,
    /// A rule says so.
    Go,
}

/// The remote that is meant.
pub(crate) fn which(repo: &Repo, named: Option<&str>) -> Answered<String> {
    let remotes = repo.store.remotes();
    if let Some(name) = named {
        let known = remotes.iter().any(|known| known == name);
        let facts = [("remote", name)];
        let unknown = || EngineError::Usage(tell(Notice::SyncUnknownRemote, &facts));
        return if known { Ok(Ok(name.to_owned())) } else { Err(unknown()) };
    }
    let set = repo.store.set_remote().filter(|name| remotes.contains(name));
    let origin = || remotes.iter().find(|name| *name == "origin").cloned();
    let only = || remotes.first().filter(|_| remotes.len() == 1).cloned();
    Ok(set.or_else(origin).or_else(only).ok_or_else(|| syncing::which(&remotes)))
}

/// Whose the remote is, by every URL that a push to it goes to.
pub(crate) fn owners(repo: &Repo, urls: &[String]) -> Result<Vec<String>> {
    let mut owners = BTreeSet::new();
    for url in urls {
        owners.insert(match whose(url) {
            Whose::Of(owner) => owner,
            Whose::Path(path) => {
                let path = repo.store.work_tree().join(path);
                let uid = world::owner_of(&path).map_err(|error| {
                    let facts =
                        [("path", &*path.display().to_string()), ("why", &*error.to_string())];
                    EngineError::Remote(tell(Notice::SyncNoPath, &facts))
                })?;
                format!("uid/{uid}")
            }
        });
    }
    Ok(owners.into_iter().collect())
}

/// The owners that a person agreed to.
pub(crate) fn agreed(repo: &Repo) -> Vec<String> {
    repo.store.config_texts(OWNER)
}

/// Whether a person agreed to sync with these owners; asks the first time. Owners that are `named`
/// on the command line are agreed to.
pub(crate) fn agree(
    repo: &Repo,
    remote: &str,
    named: &[String],
    agrees: &mut dyn FnMut(&First) -> Result<bool>,
) -> Answered<Vec<String>> {
    let urls = repo.store.push_urls(remote)?;
    let owners = owners(repo, &urls)?;
    let known = agreed(repo);
    let fresh: Vec<String> =
        owners.iter().filter(|owner| !known.contains(owner)).cloned().collect();
    if fresh.is_empty() && named.iter().all(|owner| owners.contains(owner)) {
        return Ok(Ok(owners));
    }
    if let Some(other) =
        owners.iter().find(|owner| !known.contains(owner) && !named.contains(owner))
        && !(known.is_empty() && named.is_empty())
    {
        let named = if named.is_empty() { &known } else { named };
        return Ok(Err(syncing::other_owner(remote, other, named)));
    }
    if let Some(wrong) = named.iter().find(|owner| !owners.contains(owner)) {
        return Ok(Err(syncing::other_owner(
            remote,
            &owners.join(", "),
            std::slice::from_ref(wrong),
        )));
    }
    if named.is_empty() {
        let first = first(repo, remote, &urls, &owners)?;
        if !agrees(&first)? {
            return Ok(Err(syncing::not_agreed(remote, &owners)));
        }
    }
    fingerprints::as_our_own(repo, || agree_to(repo, &fresh))?;
    Ok(Ok(owners))
}

/// Keeps that a person agreed to these owners.
pub(crate) fn agree_to(repo: &Repo, owners: &[String]) -> Result<()> {
    let known = agreed(repo);
    for owner in owners.iter().filter(|owner| !known.contains(owner)) {
        repo.store.set_config(OWNER, owner, true)?;
    }
    Ok(())
}

fn first(repo: &Repo, remote: &str, urls: &[String], owners: &[String]) -> Result<First> {
    let words = if repo.rules.syncs_prompts { Words::Go } else { Words::Stay };
    Ok(First {
        remote: remote.to_owned(),
        urls: urls.iter().map(|url| without_password(url)).collect(),
        owners: owners.to_vec(),
        jobs: repo.store.chains(names::JOBS)?.len(),
        archive: repo.store.stands_at(names::ARCHIVE)?.is_some(),
        words,
        carries: !repo.keeps_texts_apart()?,
    })
}

/// A URL as it may be shown.
pub(crate) fn without_password(url: &str) -> String {
    let shown = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (at, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = at.rsplit_once('@').map_or(at, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    };
    secrets::mask(&shown).into_owned()
}

/// The setting that remembers how refs travel to `remote`.
fn transport_key(remote: &str) -> String {
    format!("remote.{remote}.seedTransport")
}

/// How refs travel to `remote`: as asked for, or as it was remembered.
pub(crate) fn transport(repo: &Repo, remote: &str, asked: Option<Transport>) -> Transport {
    let remembered = repo.store.config_text(&transport_key(remote));
    let is_branch = remembered.as_deref() == Some(Transport::Branch.word());
    asked.unwrap_or(if is_branch { Transport::Branch } else { Transport::Refs })
}

/// Remembers how refs travel to `remote`.
pub(crate) fn remember(repo: &Repo, remote: &str, transport: Transport) -> Result<()> {
    let key = transport_key(remote);
    let known = repo.store.config_text(&key);
    if known.as_deref().unwrap_or(Transport::Refs.word()) == transport.word() {
        return Ok(());
    }
    fingerprints::as_our_own(repo, || Ok(repo.store.set_config(&key, transport.word(), false)?))
}

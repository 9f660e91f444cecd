//! Takes into our refs what another clone published, and says what it lacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::names;
use crate::store::CommitId;

/// What another clone published: our refs there, each with a commit that is here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published(pub BTreeMap<String, CommitId>);

/// How it came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    Server,
    Bundle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Came {
    New,
    Pulled,
    Pushed,
    Merged,
    Same,
    SetAside,
}

impl Came {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Pulled => "pulled",
            Self::Pushed => "pushed",
            Self::Merged => "merged",
            Self::Same => "same",
            Self::SetAside => "set aside",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Rejected {
    pub id: String,
    pub step: String,
    pub why: String,
}

#[derive(Clone, Debug)]
pub(crate) struct JoinedJob {
    pub id: String,
    pub result: Came,
    pub rejected: Vec<Rejected>,
    pub why: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub name: String,
    pub seen: Option<CommitId>,
    pub to: Option<CommitId>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Joined {
    pub jobs: Vec<JoinedJob>,
    pub moves: Vec<Push>,
}

pub(crate) fn join(
    repo: &Repo,
    published: &Published,
    _served: Served,
    dry_run: bool,
) -> Result<Joined> {
    let mut all: BTreeSet<String> = published.0.keys().cloned().collect();
    all.extend(repo.store.chains(names::JOBS)?.into_iter().map(|(name, _)| name));
    all.extend([names::ARCHIVE, names::CLAIMS, names::COMMIT_NOTES].map(str::to_owned));
    all.remove(names::TEXTS);
    let mut joined = Joined::default();
    for name in all {
        let (ours, theirs) = (repo.store.stands_at(&name)?, published.0.get(&name).cloned());
        let is_job = names::job_of(&name);
        let result = match (&ours, &theirs) {
            (None, None) => continue,
            (ours, theirs) if ours == theirs => Came::Same,
            (Some(ours), None) => {
                joined.moves.push(Push { name: name.clone(), seen: None, to: Some(ours.clone()) });
                Came::Pushed
            }
            (ours, Some(theirs))
                if ours
                    .as_ref()
                    .is_none_or(|ours| repo.store.descends(theirs.as_str(), ours.as_str())) =>
            {
                if !dry_run {
                    let _lock = repo.store.lock()?;
                    repo.store.turn(&name, ours.as_ref(), theirs, "sync", repo.now)?;
                }
                if ours.is_none() { Came::New } else { Came::Pulled }
            }
            (Some(ours), Some(theirs)) if repo.store.descends(ours.as_str(), theirs.as_str()) => {
                joined.moves.push(Push {
                    name: name.clone(),
                    seen: Some(theirs.clone()),
                    to: Some(ours.clone()),
                });
                Came::Pushed
            }
            _ => return Err(EngineError::Elsewhere(format!("{name} grew on both sides"))),
        };
        if let Some(id) = is_job {
            joined.jobs.push(JoinedJob {
                id: id.to_string(),
                result,
                rejected: Vec::new(),
                why: None,
            });
        }
    }
    Ok(joined)
}

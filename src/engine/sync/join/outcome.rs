//! What joining came to, for whoever pushes and for whoever tells of it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::store::CommitId;

/// What another clone published: our refs there by their own names (`refs/seed/jobs/…`,
/// `refs/seed/archive`, `refs/seed/claims`, `refs/notes/seed`), each with the commit that was
/// fetched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub refs: BTreeMap<String, CommitId>,
    /// What lies there beside them and is left there.
    pub odd: Vec<Odd>,
}

impl Published {
    /// What lies there in the place of the ref `name`, or in the way of it. Nothing is pushed over
    /// it.
    pub(crate) fn in_the_way(&self, name: &str) -> Option<&Odd> {
        self.odd.iter().find(|odd| odd.is_in_the_way_of(name))
    }
}

/// A ref that is set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    pub name: String,
    pub why: String,
}

impl Odd {
    fn is_in_the_way_of(&self, name: &str) -> bool {
        self.name == name || is_below(&self.name, name) || is_below(name, &self.name)
    }
}

/// Whether git could not keep both: the one name is a directory of the other.
pub(crate) fn is_below(name: &str, dir: &str) -> bool {
    name.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// How it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// By a server, which has one state for all: that one counts as published.
    Server,
    /// In a bundle, which may cross another one: both clones must come to the same.
    Bundle,
}

/// What came of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Came {
    /// It was not here.
    New,
    /// The other side had more.
    Pulled,
    /// This side has more.
    Pushed,
    /// Both had something that the other one lacked.
    Merged,
    Same,
    /// It is left alone.
    SetAside,
}

/// A step that fell where two chains were joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Rejected {
    pub id: String,
    pub step: String,
    /// One word.
    pub why: String,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct JoinedJob {
    /// Its id; the end of its ref's name where that is none.
    pub id: String,
    pub result: Came,
    pub rejected: Vec<Rejected>,
    /// Why it was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
}

/// A ref that all jobs share and that was left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aside {
    pub name: String,
    pub why: String,
    /// What lies there is at fault, and not what is here.
    pub theirs: bool,
}

/// A ref that is to move there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Push {
    pub name: String,
    /// Where it stood when it was fetched.
    pub seen: Option<CommitId>,
    /// Where it is to stand; none where it is to go: its job is closed.
    pub to: Option<CommitId>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Joined {
    /// By id.
    pub jobs: Vec<JoinedJob>,
    /// Other refs that were left alone.
    pub aside: Vec<Aside>,
    /// What is to be pushed, in an order in which it may break off anywhere. None in a dry run,
    /// which writes no commit that could go out.
    pub moves: Vec<Push>,
    /// A pack that git made holds words that were taken away.
    pub packed: bool,
}

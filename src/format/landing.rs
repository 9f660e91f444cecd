//! `landed/<nnnn>.json` in a job's tree: what a landing made, and which commits it stands for; and
//! `made/<run>-<cycle>.json`: what the commits of a closed cycle hold.
//!
//! Trees and changes are written down, so that a commit which was squashed, rebased or picked is
//! known by its content where the commits of the phases are not. A change is what
//! `git patch-id --stable` says of it, memory left out; of memory where it is nothing else. That
//! leaves white space out; `verbatim` is a hash with it, which older files lack.

use serde::{Deserialize, Serialize};

/// One landing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Landing {
    /// The branch that it made or replaced.
    pub branch: String,
    /// The commit that it begins on; empty where the work began without one.
    #[serde(default)]
    pub base: String,
    pub tip: String,
    /// Where a branch stood that was there already; empty for a new one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub replaced: String,
    pub tree: String,
    /// What all of it changes.
    pub change: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbatim: String,
    pub commits: Vec<LandedCommit>,
}

/// One commit of a landing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LandedCommit {
    pub commit: String,
    pub tree: String,
    pub change: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbatim: String,
    pub stands_for: Vec<LabCommit>,
}

/// The commits of a cycle, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub commits: Vec<LabCommit>,
    /// The tree of the last one.
    pub tree: String,
    /// What all of them change.
    pub change: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbatim: String,
    /// What the job has changed by then; absent in its first cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub job_verbatim: String,
}

/// The bytes of one of these files: a line of JSON.
fn line(file: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(file)?;
    bytes.push(b'\n');
    Ok(bytes)
}

impl Made {
    pub(crate) fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        line(self)
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The steps that they are of.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.commits.iter().map(|lab| lab.id.as_str())
    }
}

/// A commit of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LabCommit {
    /// The Seed-Id in its message.
    pub id: String,
    pub commit: String,
    pub tree: String,
    pub change: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verbatim: String,
    /// It is not what its step recorded, and what lands of it stands for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

impl Landing {
    pub(crate) fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        line(self)
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The steps that it stands for.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.commits.iter().flat_map(|one| &one.stands_for).map(|lab| lab.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let lab = |id: &str| LabCommit {
            id: id.to_owned(),
            commit: "c".to_owned(),
            tree: "t".to_owned(),
            change: String::new(),
            verbatim: String::new(),
            differs: id == "2",
        };
        let commit = LandedCommit {
            commit: "n".to_owned(),
            tree: "t".to_owned(),
            change: "p".to_owned(),
            verbatim: "v".to_owned(),
            stands_for: vec![lab("1"), lab("2")],
        };
        let landing = Landing {
            branch: "main-landed".to_owned(),
            base: "b".to_owned(),
            tip: "n".to_owned(),
            replaced: String::new(),
            tree: "t".to_owned(),
            change: "p".to_owned(),
            verbatim: "v".to_owned(),
            commits: vec![commit],
        };
        let bytes = landing.write().expect("writes");
        assert_eq!(Landing::read(&bytes).expect("reads"), landing);
        assert_eq!(landing.ids().collect::<Vec<_>>(), ["1", "2"]);
        assert!(Landing::read(b"{}").is_err(), "half a landing is none");
        let made = Made {
            commits: vec![lab("1"), lab("2")],
            tree: "t".to_owned(),
            change: "p".to_owned(),
            verbatim: "v".to_owned(),
            job: None,
            job_verbatim: String::new(),
        };
        let bytes = made.write().expect("writes");
        assert_eq!(Made::read(&bytes).expect("reads"), made);
        assert_eq!(made.ids().collect::<Vec<_>>(), ["1", "2"]);
    }
}

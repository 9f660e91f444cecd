//! What is kept of a ruling: all that it rested on, what it said, and the record before.
//!
//! Records stand in one chain. Each names the one before it, so none can be changed, taken
//! away or put elsewhere without all that came later changing too.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Directive, Inquiry};
use crate::event::UnixSeconds;

/// The newest format of records. One that holds all that it says itself is of [`WHOLE`].
pub(crate) const FORMAT: u32 = 2;
/// The format of a record without a text beside it.
const WHOLE: u32 = 1;

/// What a record is about.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RecordKind {
    VerifyClaim,
    ResponseGate,
    CausalTrace,
    /// A reviewing subagent's verdict.
    Review,
    /// A commit that landed, and the record that backs it.
    Attest,
    /// A signature over all that came before.
    Seal,
}

impl RecordKind {
    /// The word that stands in records.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// A verdict of this kind may back a commit: it was asked of a tree. A causal chain
    /// speaks of none.
    pub(crate) fn may_back(self) -> bool {
        matches!(self, Self::VerifyClaim | Self::ResponseGate)
    }

    /// The kind of record that an inquiry gets.
    pub(crate) fn of(inquiry: &Inquiry) -> Self {
        match inquiry {
            Inquiry::VerifyClaim(_) => Self::VerifyClaim,
            Inquiry::ResponseGate(_) => Self::ResponseGate,
            Inquiry::CausalTrace(_) => Self::CausalTrace,
        }
    }
}

/// How a record's commit was signed, as the writer tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signed {
    Ssh,
    Gpg,
    X509,
    #[default]
    Unsigned,
}

/// One record of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: u32,
    /// 1 for the first one.
    pub n: u64,
    /// Id of the record before.
    pub prev: Option<String>,
    pub kind: RecordKind,
    pub at: UnixSeconds,
    /// The job that had the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(default)]
    pub run: u32,
    #[serde(default)]
    pub cycle: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The session's trace id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace: String,
    /// The work tree that it is bound to, as a git tree.
    pub tree: String,
    /// The commit that HEAD was at; absent on an unborn branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Digest of what the repository showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<String>,
    /// Ids of the receipts that were looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inquiry: Option<Inquiry>,
    /// The ruling as the gate gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    /// The agent may go on as it said it would.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Key of the text, beside those of the job, in which inquiry, ruling and reasons stand: what
    /// was said to somebody is no record's to hand on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attest: Option<Attest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// A person's approval, which this record seals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approves: Option<Approval>,
    /// A commit that a person takes as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts: Option<Acceptance>,
    pub signed: Signed,
    /// Why it is not signed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Record {
    /// Each time in it, its receipts' among them, as `dated` gives it.
    pub(crate) fn each_time(&mut self, dated: impl Fn(UnixSeconds) -> UnixSeconds) {
        self.at = dated(self.at);
        for receipt in self.inquiry.iter_mut().flat_map(Inquiry::receipts_mut) {
            receipt.at = dated(receipt.at);
        }
    }

    /// A record of `kind`, bound to `tree`, with nothing else in it yet.
    pub(crate) fn new(kind: RecordKind, at: UnixSeconds, tree: String) -> Self {
        Self {
            format: WHOLE,
            n: 1,
            prev: None,
            kind,
            at,
            job: None,
            run: 0,
            cycle: 0,
            phase: String::new(),
            session: String::new(),
            trace: String::new(),
            tree,
            head: None,
            truth: None,
            receipts: Vec::new(),
            inquiry: None,
            ruling: None,
            directive: None,
            opens: false,
            reasons: Vec::new(),
            text: None,
            attest: None,
            review: None,
            approves: None,
            accepts: None,
            signed: Signed::Unsigned,
            why: String::new(),
        }
    }

    /// A ruling that lets work on this tree go on.
    pub(crate) fn passes(&self) -> bool {
        self.kind.may_back() && self.opens
    }
}

/// A commit that landed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attest {
    pub commit: String,
    /// The commit's tree.
    pub tree: String,
    /// The passing record for that very tree; absent where there is none.
    pub record: Option<String>,
}

/// A person's approval of a job, as its chain has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub job: String,
    /// The Seed-Id of the step that it is.
    pub step: String,
    /// The commit of that step in the job's chain: all before it hangs on it.
    pub at: String,
}

/// What a person says of a commit that nothing vouches for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub commit: String,
    /// Name and address, as git is configured.
    pub by: String,
    pub why: String,
}

/// What a reviewing subagent said of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub agent: String,
    pub commit: String,
    /// Hash of its last words.
    pub words: String,
    pub verdict: String,
}

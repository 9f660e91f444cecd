//! What an agent says of its work, and what it is worth: claims, evidence, the gate.
//!
//! Three sources of different trust meet in a pure function: what the agent declares
//! ([`Claim`]), what the repository shows ([`Truth`]), and what hooks saw run
//! ([`Receipt`]). An [`Inquiry`] holds all of them, so the same inquiry gets the same
//! ruling on any machine, at any time; that is what a replay checks.

pub(crate) mod absent;
pub(crate) mod acts;
pub(crate) mod again;
pub(crate) mod answers;
mod arithmetic;
pub mod audit;
pub(crate) mod checks;
mod clauses;
pub mod counts;
pub(crate) mod empty;
pub mod ended;
mod extent;
pub mod figures;
pub mod gate;
mod history;
pub mod hooks;
pub(crate) mod in_force;
mod items;
pub mod languages;
mod named;
mod objects;
pub(crate) mod past;
mod phrases;
mod receipts;
pub(crate) mod record;
mod renamed;
pub(crate) mod reread;
mod results;
mod ruling;
pub mod runs;
mod said;
mod selection;
pub mod sent;
pub(crate) mod session;
mod state;
mod sure;
mod surface;
pub(crate) mod table;
mod thinned;
pub(crate) mod told;
pub(crate) mod trace;
pub mod truth;
mod turned;
mod untold;
mod weaker;
pub(crate) mod whole;
mod words;

use serde::{Deserialize, Serialize};

use crate::event::UnixSeconds;
use crate::secrets;

pub use absent::Absent;
pub use counts::Counts;
pub use selection::Part;

/// What the gate answers, mildest first; the most severe that applies wins.
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
pub enum Directive {
    /// The claim stands.
    Pass,
    /// It stands, with less weight than it was said with.
    Damp,
    /// It has to be said differently.
    Rewrite,
    /// It has to be made anew, with other evidence.
    Regenerate,
    /// It does not stand.
    Reject,
}

impl Directive {
    /// True where the agent may go on as it said it would.
    pub(crate) fn opens(self) -> bool {
        self <= Self::Damp
    }

    /// The word that stands in answers and records.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// What kind of evidence a claim rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceType {
    BrowserTest,
    ManualRepro,
    IntegrationTest,
    EndpointTest,
    LogInspection,
    UnitTest,
    CodeReview,
    None,
}

/// What a response is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    ClaimFixed,
    ClaimWorking,
    Deploy,
    Commit,
    Push,
    AskQuestion,
    MakeClaim,
    Refactor,
    Investigate,
    Other,
}

impl ActionType {
    /// Says that work is done, or lets it out of this work tree.
    pub(crate) fn is_act(self) -> bool {
        matches!(
            self,
            Self::ClaimFixed | Self::ClaimWorking | Self::Deploy | Self::Commit | Self::Push
        )
    }
}

/// What the agent says it did: low trust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    #[serde(rename = "claim")]
    pub text: String,
    pub evidence: String,
    pub evidence_type: EvidenceType,
    /// Paths, ends of paths, or names of functions that it tested.
    pub code_paths_tested: Vec<String>,
    /// The same for what it says the change touches.
    pub code_paths_affected: Vec<String>,
    /// Artifacts that the claim speaks of, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referenced_sources: Option<Vec<String>>,
    /// Artifacts that it says it opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_paths: Option<Vec<String>>,
    /// It is a message as it was said ([`Claim::from_words`]): nobody declared anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_said: bool,
}

/// What the repository shows: the difference between the base and the work tree, committed,
/// staged, unstaged and untracked together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// The commit that the work began from; empty on an unborn branch.
    pub base: String,
    /// The work tree as a git tree.
    pub tree: String,
    pub files: Vec<ChangedFile>,
    /// Tests that the difference takes away or switches off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_gone: Vec<TestGone>,
    /// What tests check less of than before, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_weaker: Vec<String>,
    /// Dependencies that a manifest has otherwise since, each as `name version`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<String>,
    /// Numbers on lines that came or went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// Values that others took the place of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<ValuesTurned>,
    /// Names on lines that went, which no changed file has any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Of what the claim names and nothing changed of ([`gate::unmatched`]): what the
    /// repository holds all the same, as the claim wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// Of what the claim says is gone ([`told::said_gone`]): what is there all the same, each as
    /// `name (path)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still: Vec<String>,
    /// Of the values that the claim says a new test has ([`told::said_of_tests`]): those that no
    /// changed file has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_tests: Vec<String>,
    /// How many commits were made since the session began, where no job makes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<u32>,
}

/// Numbers of one file that went, and those that came with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesTurned {
    pub path: String,
    pub was: Vec<String>,
    pub now: Vec<String>,
}

/// One file of the difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Where it lies now; where it lay, if it was deleted.
    pub path: String,
    /// Where it lay before, if it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    pub how: How,
    /// Functions whose lines changed, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// Nothing that runs: prose, notes, pages of git seed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prose: bool,
    /// It holds tests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Nothing changed but comments and white space that means nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layout: bool,
    /// The change is in a commit already, and product beside it is in none yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Added,
    #[default]
    Modified,
    Deleted,
    Renamed,
}

/// A test that is not run any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestGone {
    pub path: String,
    /// Its name; the file's own name where the whole file went.
    pub name: String,
    pub how: Gone,
}

/// Why it is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gone {
    Deleted,
    /// Skipped, ignored, commented out, or made to check nothing.
    Disabled,
}

/// The most receipts that a claim is judged by, newest first.
pub(crate) const MOST_RECEIPTS: usize = 64;

/// A run that a hook saw, as the gate looks at it now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Its id: the name of its file in the job's tree.
    pub id: String,
    pub at: UnixSeconds,
    /// The command line as it ran.
    pub command: String,
    /// Name of the row that recognised a run of tests; absent for any other command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How it ended, where that says something about the run itself: one command, in the
    /// foreground, and a host that tells. Absent otherwise.
    pub status: Option<i32>,
    /// The host said that the call failed, which may have been something else on its line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Nothing of how its tests ended was to be seen: it shows no more than where none ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The work tree when it had run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// What changed between that tree and the one that is asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_since: Vec<String>,
    /// What changed since cannot be told: the run's tree is not known or not there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The program is not the one that ran under this name earlier in the job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_program: bool,
    /// Where no status is told, the closing lines of the runner say how it ended: nothing else on
    /// the line could have printed them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shown: bool,
    /// How many tests it was, where its runner says so in a way that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Numbers that it printed ([`figures::printed`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// What it counted beside what is well ([`figures::beside`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// It printed words of failure ([`figures::complains`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complains: bool,
    /// It printed what runners of tests print ([`figures::tells_tests`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_tests: bool,
    /// What its push sent, where that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<sent::Sent>,
    /// Its runner was not there, or found nothing to run: no test began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    /// The part of the tests that it was; absent where it was all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// A receipt as the hook writes it, before anybody asks what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    pub at: UnixSeconds,
    /// Its place among the receipts of its job: the step that kept it, and which of those it was.
    /// Set when it becomes a file; with it they stand in their order where only days are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(u32, u32)>,
    pub session: String,
    /// The host's id of the call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Tells two runs of one day apart that are alike, where no call does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub salt: String,
    pub command: String,
    /// The directory it ran in, from the top of the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    /// Name of the row that recognised a run of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// As in [`Receipt::status`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// The host said that the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// As in [`Receipt::shown`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shown: bool,
    /// As in [`Receipt::hidden`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// SHA-256 of what it printed, as far as the host told; first 16 digits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// As in [`Receipt::counts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// What was not there, so that no test began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<Absent>,
    /// As in [`Receipt::figures`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// As in [`Receipt::beside`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// As in [`Receipt::complains`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complains: bool,
    /// As in [`Receipt::tells_tests`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_tests: bool,
    /// As in [`Receipt::sent`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<sent::Sent>,
    /// As in [`Receipt::part`], as the line has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The stay in which it ran, by run, cycle and phase.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stay: String,
    /// It ran where one only looks: it shows what happened then, and proves nothing later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reproduced: bool,
    /// What the kernel did not hold of a run that reproduces: `files`, `network`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheld: Vec<String>,
}

impl Ran {
    /// Takes likely secrets out of the command line, and of what is kept of its words. A masked
    /// one is not run again.
    pub(crate) fn mask(&mut self) {
        let Self { command, dir, program, part, .. } = self;
        let words = part.iter_mut().flat_map(|Part { by, paths }| by.iter_mut().chain(paths));
        let path = program.iter_mut().map(|program| &mut program.path);
        [command, dir].into_iter().chain(path).chain(words).for_each(secrets::mask_in);
    }

    /// The command line, for who reads it as one.
    pub(crate) fn line(&self) -> std::borrow::Cow<'_, str> {
        secrets::as_line(&self.command)
    }
}

/// The file that a command ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub path: String,
    /// First 16 digits of its SHA-256.
    pub hash: String,
}

/// All that a ruling rests on. Recorded with it, and enough to repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum Inquiry {
    VerifyClaim(ClaimCase),
    ResponseGate(ResponseCase),
    CausalTrace(TraceCase),
}

impl Inquiry {
    /// The receipts that it rests on.
    pub(crate) fn receipts_mut(&mut self) -> &mut [Receipt] {
        match self {
            Self::VerifyClaim(case) => &mut case.receipts,
            Self::ResponseGate(case) => &mut case.receipts,
            Self::CausalTrace(_) => &mut [],
        }
    }

    /// The same without likely secrets in what was said; a ruling on it is recorded with it.
    pub(crate) fn masked(mut self) -> Self {
        let said: Vec<&mut String> = match &mut self {
            Self::VerifyClaim(case) => {
                let claim = &mut case.claim;
                let lists = [
                    Some(&mut claim.code_paths_tested),
                    Some(&mut claim.code_paths_affected),
                    claim.referenced_sources.as_mut(),
                    claim.read_paths.as_mut(),
                    case.opened.as_mut(),
                ];
                let lists = lists.into_iter().flatten().flatten();
                [&mut claim.text, &mut claim.evidence].into_iter().chain(lists).collect()
            }
            Self::ResponseGate(case) => {
                let lists = [
                    case.artifact_references.as_mut(),
                    case.artifact_paths_read.as_mut(),
                    case.opened.as_mut(),
                ];
                let lists = lists.into_iter().flatten().flatten();
                case.claim_authority.as_mut().into_iter().chain(lists).collect()
            }
            Self::CausalTrace(case) => {
                std::iter::once(&mut case.symptom).chain(&mut case.links).collect()
            }
        };
        said.into_iter().for_each(secrets::mask_in);
        self
    }
}

/// A claim before the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimCase {
    pub claim: Claim,
    pub truth: Truth,
    pub receipts: Vec<Receipt>,
    /// Paths that were opened in this turn, as hooks saw it; absent where none listens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Vec<String>>,
    /// How often recent claims were turned down or contradicted, 0 to 1.
    pub drift: f64,
}

/// A response before the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseCase {
    pub action_type: ActionType,
    /// 0 to 1.
    pub confidence: f64,
    pub evidence_count: u32,
    pub evidence_type: EvidenceType,
    pub affects_user_facing: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_references: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_paths_read: Option<Vec<String>>,
    /// Whose claim it is, where it is not the speaker's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_authority: Option<String>,
    pub truth: Truth,
    pub receipts: Vec<Receipt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Vec<String>>,
    pub drift: f64,
}

/// A causal chain before the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceCase {
    pub symptom: String,
    /// The steps, from the cause to the symptom.
    pub links: Vec<String>,
    /// Files of the repository that the steps may name.
    pub known_paths: Vec<String>,
}

//! The rows of the gate: weights, thresholds, phrases, findings.
//!
//! A table is recorded with each verdict, so it reads and writes as JSON without loss; an
//! old verdict is repeated by the rows that it was given by. [`GateTable::check`] says what is
//! wrong with rows, each by its name.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use thiserror::Error;

use super::clauses::ClauseRows;
use super::extent::ExtentRows;
use super::objects::ObjectRows;
use super::runs::Runs;
use super::{ActionType, Directive, EvidenceType};
use crate::shipped;

/// What is wrong with a table.
#[derive(Debug, Error)]
pub enum TableError {
    #[error("claims/gate.toml: {0}")]
    Read(#[from] toml::de::Error),
    #[error("claims/gate.toml: {0}")]
    Row(String),
    #[error(transparent)]
    Runs(#[from] super::runs::RunsError),
}

/// What has to have been seen for evidence to count as what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backing {
    /// A passing run of tests since the last change.
    Run,
    /// Where tests passed since the last change, a run of all of them: a part shows no whole.
    Whole,
    /// Any command since the last change that did not fail.
    Command,
    /// The act itself: a command of one of its rows that ended well.
    Act,
    /// Nothing.
    Words,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceRow {
    pub kind: EvidenceType,
    pub weight: f64,
    pub backing: Backing,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntropyLimits {
    pub damp: f64,
    pub rewrite: f64,
    pub reject: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceLimits {
    pub regenerate: f64,
    pub rewrite: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    pub action: ActionType,
    pub entropy: EntropyLimits,
    pub phi: f64,
    pub confidence: ConfidenceLimits,
    pub drift: f64,
}

/// Words by which a claim says what kind of claim it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaysRow {
    pub action: ActionType,
    pub phrases: Vec<String>,
}

/// A fact that somebody has to have looked at in this turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactRow {
    pub fact: String,
    pub backing: Backing,
    #[serde(default)]
    pub commands: Vec<String>,
    /// Rows of acts, any of which shows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<String>,
    /// What says it may speak of other things, too: a message is never sent back for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// Of a fact that a command backs: it is sent back where no command may have shown it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sure: bool,
    pub phrases: Vec<String>,
    pub tool: String,
    pub why: String,
}

/// A command that lets work out of this work tree, or changes something outside of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActRow {
    pub act: String,
    /// How its lines begin, as in `runs.toml`.
    pub runs: Vec<String>,
    /// Words with which it does nothing.
    #[serde(default)]
    pub dry: Vec<String>,
    /// How lines begin that end it where it could not end by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// Words of which it has to have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// What a message says of itself, as phrases in the languages that agents write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidRows {
    /// That not everything was run.
    pub not_run: Vec<String>,
    /// That more than a part which stands beside it was run.
    #[serde(default)]
    pub beyond: Vec<String>,
    /// That a part is not all.
    #[serde(default)]
    pub more: Vec<String>,
    /// That what is beyond a part was left out.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// That a run is one before the last change.
    #[serde(default)]
    pub older: Vec<String>,
    /// That something is one of an earlier time.
    #[serde(default)]
    pub before: Vec<String>,
    /// That it is one of a time before this work, whenever that began.
    #[serde(default)]
    pub then: Vec<String>,
    /// That something is now as it was at such a time.
    #[serde(default)]
    pub likens: Vec<String>,
    /// What a history is told with.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Words of a path or a subject that name nothing by themselves.
    #[serde(default)]
    pub common: Vec<String>,
    /// That nothing was changed.
    pub unchanged: Vec<String>,
    /// That something failed, or is not met.
    pub failed: Vec<String>,
    /// That it is about layout or comments.
    pub layout: Vec<String>,
    /// Words of command lines that lay out text.
    #[serde(default)]
    pub formatters: Vec<String>,
    /// A result.
    pub results: Vec<String>,
    /// A result that may be one of another kind: none where it is said that nothing ran.
    #[serde(default)]
    pub vague: Vec<String>,
    /// A result by a sign: as `vague`.
    pub signs: Vec<String>,
    /// That a goal is met.
    pub met: Vec<String>,
    /// What is to be met.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// That work was done.
    pub deeds: Vec<String>,
    /// That a name is mentioned, and not changed.
    pub passing: Vec<String>,
    /// That something is still to be done, asked or told about: no act of this turn.
    #[serde(default)]
    pub open: Vec<String>,
    /// Texts that are spoken of as texts.
    #[serde(default)]
    pub pages: Vec<String>,
    /// What a file is said to be like.
    #[serde(default)]
    pub states: Vec<String>,
    /// What a text is said to say.
    #[serde(default)]
    pub tells: Vec<String>,
    /// That it is so since this work.
    #[serde(default)]
    pub now: Vec<String>,
    /// That it was so all along, or is named beside.
    #[serde(default)]
    pub aside: Vec<String>,
    /// Words that may stand before the name that leads a clause.
    #[serde(default)]
    pub leads: Vec<String>,
    /// That something fails in what is named behind it.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Names of advisories: a sentence beside one tells of releases of others.
    #[serde(default)]
    pub advisories: Vec<String>,
    /// That somebody speaks of an act of its own.
    #[serde(default)]
    pub own: Vec<String>,
    /// Kinds of files that are called by a word.
    #[serde(default)]
    pub things: Vec<ThingRow>,
    /// That a test is new.
    #[serde(default)]
    pub new_tests: Vec<String>,
    /// That what is named beside it passes.
    #[serde(default)]
    pub passes: Vec<String>,
    /// That the new tests pass.
    #[serde(default)]
    pub new_passes: Vec<String>,
    /// Endings of files that may hold tests beside the code.
    #[serde(default)]
    pub tests_inside: Vec<String>,
    /// Kinds of tests, each with its words.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// That a command shows something.
    #[serde(default)]
    pub shows: Vec<String>,
    /// That something ran more than once.
    #[serde(default)]
    pub times: Vec<String>,
    /// That a failure is older than the work.
    #[serde(default)]
    pub history: Vec<String>,
    /// Places outside of this work tree.
    pub outside: Vec<String>,
    /// Groups of words for one target, parted by `|`: of an act and of what is said of it.
    pub targets: Vec<String>,
    /// Names that end as files do, and are none.
    pub no_files: Vec<String>,
    /// Commands whose failing says only that something was not found.
    pub looks: Vec<String>,
    /// Programs that do many things: a text names them with what they do.
    #[serde(default)]
    pub tools: Vec<String>,
    /// That something was made, which a command that ended well and says `build` shows.
    #[serde(default)]
    pub made: Vec<String>,
    /// Words for a test, in the sentence that tells of a removal.
    pub tests: Vec<String>,
    /// Words of command lines that may be runs of tests no row knows.
    #[serde(default)]
    pub maybe_tests: Vec<String>,
    /// That somebody tried or looked at it.
    #[serde(default)]
    pub tried: Vec<String>,
    /// That something stays as it was, or is so again.
    #[serde(default)]
    pub kept: Vec<String>,
    /// That something is only thought of, wished for or expected.
    #[serde(default)]
    pub unreal: Vec<String>,
    /// Words of one thing that is as another, or as it was.
    #[serde(default)]
    pub same: Vec<String>,
    /// That something was put back.
    #[serde(default)]
    pub back: Vec<String>,
    /// That something could not be done.
    #[serde(default)]
    pub hindered: Vec<String>,
    /// That nothing else was changed.
    #[serde(default)]
    pub alone: Vec<String>,
    /// How commands begin that put something back.
    #[serde(default)]
    pub put_back: Vec<String>,
    /// Words of command lines with which an act is only tried.
    #[serde(default)]
    pub trials: Vec<String>,
    /// That an act was only tried.
    #[serde(default)]
    pub trial: Vec<String>,
    /// Words for files, where a number stands before them.
    #[serde(default)]
    pub of_files: Vec<String>,
    /// Programs that show something by themselves, as texts call them.
    #[serde(default)]
    pub programs: Vec<String>,
    /// How commands begin that have such a word and are none.
    #[serde(default)]
    pub no_tests: Vec<String>,
    /// What becomes of a job, which shows in no difference.
    #[serde(default)]
    pub of_jobs: Vec<String>,
    /// Runners by the words that texts name them with, which stand in the command that starts them.
    #[serde(default)]
    pub runners: Vec<String>,
    /// The same of those that a script may start.
    #[serde(default)]
    pub inner_runners: Vec<String>,
    /// Programs that start what a script says.
    #[serde(default)]
    pub scripts: Vec<String>,
    /// That a run ended well, beside `results`.
    #[serde(default)]
    pub ended_well: Vec<String>,
    /// That a push was forced.
    #[serde(default)]
    pub forced: Vec<String>,
    /// That it was not.
    #[serde(default)]
    pub unforced: Vec<String>,
    /// That a failure is over.
    #[serde(default)]
    pub over: Vec<String>,
    /// That a run was one on a part of the work, where the rest is said not to have run.
    #[serde(default)]
    pub partly: Vec<String>,
    /// That all of the changes were tested.
    #[serde(default)]
    pub all_tested: Vec<String>,
    /// That tests were what showed it.
    #[serde(default)]
    pub by_tests: Vec<String>,
    /// That something is so from now on.
    #[serde(default)]
    pub since_now: Vec<String>,
    /// That what is named beside it is gone.
    #[serde(default)]
    pub taken_out: Vec<String>,
    /// That nothing of it is left anywhere.
    #[serde(default)]
    pub nowhere: Vec<String>,
    /// That work is in a commit.
    #[serde(default)]
    pub committed: Vec<String>,
    /// In how many.
    #[serde(default)]
    pub commits_made: Vec<String>,
    /// That nothing warned.
    #[serde(default)]
    pub no_warnings: Vec<String>,
    /// Files by the names that people call them by.
    #[serde(default)]
    pub called: Vec<String>,
    /// What other people did, what happened on other machines, and what other programs showed.
    #[serde(default)]
    pub elsewhere: Vec<String>,
}

/// Files that are called by a word instead of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThingRow {
    pub words: Vec<String>,
    /// What their paths are like, in small letters.
    pub paths: Vec<String>,
}

/// What the gate can find beside the arithmetic.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    TooShort,
    NoDeed,
    NothingChanged,
    FailingRun,
    /// The same where the message claims no success.
    FailingRunNamed,
    FailedUnrepeated,
    TestsGone,
    TestsGoneNamed,
    Phantom,
    Untouched,
    PhantomTest,
    Missed,
    Denied,
    Untested,
    NotRun,
    Unshown,
    /// The same where a run hides what it came to.
    HiddenRun,
    /// The same where no code changed: settings and data are shown by other commands.
    UnshownNamed,
    PartOnly,
    NothingChangedNamed,
    OnlyLayout,
    LayoutNamed,
    FailedAsSaid,
    FailedCommand,
    FailedCommandNamed,
    Complained,
    NotThere,
    NamedBeside,
    CriteriaNamed,
    OutsideNamed,
    OnlyTried,
    Untold,
    GoneAsSame,
    OtherTarget,
    ForcedPush,
    /// The same where the message does not speak of it.
    ForcedUntold,
    TestsWeaker,
    NamedUntouched,
    OtherProgram,
    OtherProgramNamed,
    StaleRun,
    UnknownTree,
    UnheardRun,
    EmptyRun,
    Miscounted,
    /// The same where another run may have had them.
    MiscountedNamed,
    RequireTool,
    Unopened,
    NoEvidence,
    StillThere,
    NotInTests,
    Uncommitted,
    CommitsMiscounted,
    WarningsDenied,
    CalledUnchanged,
    Elsewhere,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingRow {
    pub name: Finding,
    /// The least severe answer that it leaves.
    pub least: Directive,
    /// The same where the claim says that something is fixed or that tests pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Directive>,
    pub say: String,
    /// The step that helps.
    #[serde(rename = "do")]
    pub step: String,
    /// A person who is asked about the work is told of it by name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub card: bool,
}

/// Reasons of the arithmetic, one for each criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criteria {
    pub entropy: String,
    pub entropy_response: String,
    pub phi: String,
    pub confidence: String,
    pub confidence_response: String,
    pub drift: String,
    /// The step that helps where no finding names one.
    #[serde(rename = "do")]
    pub step: String,
    #[serde(rename = "do_response")]
    pub step_response: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fused {
    pub phi: f64,
    pub coverage: f64,
    pub evidence: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustShares {
    pub declared: f64,
    pub risk: f64,
    pub certainty: f64,
}

/// Constants of the arithmetic; `arithmetic.rs` says where each stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    pub tested_floor: f64,
    pub declared_share: f64,
    pub entropy: [f64; 2],
    pub valence: f64,
    pub valence_without: f64,
    pub arousal_rest: f64,
    pub arousal_drift: f64,
    pub arousal: [f64; 2],
    pub phi_inner: f64,
    pub phi_arousal: f64,
    pub phi_gain: f64,
    pub phi_slope: f64,
    pub phi_decay: f64,
    pub phi_floor: f64,
    pub worth: [f64; 2],
    pub penalty: [f64; 3],
    pub penalty_from: f64,
    pub fused: Fused,
    pub trust: TrustShares,
    pub entropy_fixed_without: f64,
    pub entropy_facing_without: f64,
    /// What evidence weighs whose backing was not seen.
    pub unbacked: EvidenceType,
    /// The fewest characters of a claim.
    pub characters: usize,
    /// How many verdicts drift looks back over, and how much the last one weighs.
    pub drift_window: usize,
    pub drift_weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub changes: Vec<String>,
    pub looks: Vec<String>,
    pub forms: Vec<String>,
    pub negations: Vec<String>,
    /// The same behind what they take back: "die Tests laufen hier nicht".
    #[serde(default)]
    pub negations_behind: Vec<String>,
    /// The same inside a word, where a script has no blanks.
    #[serde(default)]
    pub negations_within: Vec<String>,
    pub negation_reach: usize,
    pub conditions: Vec<String>,
    pub condition_reach: usize,
    /// What leaves open all that its clause says behind it: "whether", "I expect".
    #[serde(default)]
    pub suppositions: Vec<String>,
    /// What leaves open a phrase in whose gap it stands: "tests should still pass".
    #[serde(default)]
    pub expectations: Vec<String>,
    pub joints: Vec<String>,
    pub adjectives: Vec<String>,
    pub removals: Vec<String>,
    pub counted: Vec<String>,
    /// Numbers of runs before this work, beside one that is told of it.
    #[serde(default)]
    pub counted_before: Vec<String>,
    /// Numbers that are the name of something, such as a run of CI.
    #[serde(default)]
    pub numbered: Vec<String>,
    /// That a count is one over several runs.
    #[serde(default)]
    pub over_runs: Vec<String>,
    pub replaced: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    pub prose: Vec<String>,
    pub passive: Vec<String>,
    pub source: Vec<String>,
    pub test_marks: Vec<String>,
}

/// What a causal chain has to be, and what is said of one that is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRows {
    pub links: usize,
    pub long: usize,
    pub specific: f64,
    pub vague: Vec<String>,
    pub short_link: String,
    pub vague_link: String,
    pub repeated: String,
    pub few: String,
    pub many: String,
    pub unspecific: String,
    pub no_symptom: String,
    pub no_end: String,
    pub suggest_few: String,
    pub suggest_many: String,
    pub suggest_name: String,
    pub suggest_guess: String,
    pub suggest_end: String,
}

/// All rows of the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateTable {
    pub evidence: Vec<EvidenceRow>,
    pub threshold: Vec<Thresholds>,
    pub says: Vec<SaysRow>,
    pub fact: Vec<FactRow>,
    pub finding: Vec<FindingRow>,
    pub criterion: Criteria,
    pub figures: Figures,
    pub words: Words,
    #[serde(default)]
    pub said: SaidRows,
    #[serde(default = "ClauseRows::shipped")]
    pub clauses: ClauseRows,
    #[serde(default = "ExtentRows::shipped")]
    pub extent: ExtentRows,
    #[serde(default = "ObjectRows::shipped")]
    pub objects: ObjectRows,
    #[serde(default)]
    pub act: Vec<ActRow>,
    pub files: Files,
    pub trace: TraceRows,
    /// Which evidence a run of tests backs, by the name of its row in `runs.toml`.
    #[serde(default)]
    pub backs: BTreeMap<String, Vec<EvidenceType>>,
}

impl SaidRows {
    /// The lists of phrases, by name.
    fn lists(&self) -> [(&'static str, &Vec<String>); 53] {
        [
            ("said.not_run", &self.not_run),
            ("said.beyond", &self.beyond),
            ("said.more", &self.more),
            ("said.left_out", &self.left_out),
            ("said.before", &self.before),
            ("said.then", &self.then),
            ("said.likens", &self.likens),
            ("said.commits", &self.commits),
            ("said.unchanged", &self.unchanged),
            ("said.failed", &self.failed),
            ("said.layout", &self.layout),
            ("said.results", &self.results),
            ("said.vague", &self.vague),
            ("said.met", &self.met),
            ("said.criteria", &self.criteria),
            ("said.deeds", &self.deeds),
            ("said.passing", &self.passing),
            ("said.outside", &self.outside),
            ("said.tests", &self.tests),
            ("said.open", &self.open),
            ("said.pages", &self.pages),
            ("said.states", &self.states),
            ("said.tells", &self.tells),
            ("said.now", &self.now),
            ("said.aside", &self.aside),
            ("said.leads", &self.leads),
            ("said.kept", &self.kept),
            ("said.back", &self.back),
            ("said.alone", &self.alone),
            ("said.hindered", &self.hindered),
            ("said.tried", &self.tried),
            ("said.trial", &self.trial),
            ("said.older", &self.older),
            ("said.new_tests", &self.new_tests),
            ("said.passes", &self.passes),
            ("said.new_passes", &self.new_passes),
            ("said.shows", &self.shows),
            ("said.times", &self.times),
            ("said.history", &self.history),
            ("said.forced", &self.forced),
            ("said.unforced", &self.unforced),
            ("said.over", &self.over),
            ("said.partly", &self.partly),
            ("said.all_tested", &self.all_tested),
            ("said.by_tests", &self.by_tests),
            ("said.since_now", &self.since_now),
            ("said.taken_out", &self.taken_out),
            ("said.nowhere", &self.nowhere),
            ("said.committed", &self.committed),
            ("said.commits_made", &self.commits_made),
            ("said.no_warnings", &self.no_warnings),
            ("said.called", &self.called),
            ("said.elsewhere", &self.elsewhere),
        ]
    }
}

impl GateTable {
    /// The rows that git seed brings, with its runs of tests.
    ///
    /// # Errors
    ///
    /// Says which row is wrong. A test reads the table: in a binary that passed it, none is.
    pub fn shipped() -> Result<Self, TableError> {
        // A server asks for it with each call.
        static SHIPPED: OnceLock<GateTable> = OnceLock::new();
        if let Some(known) = SHIPPED.get() {
            return Ok(known.clone());
        }
        let table: Self = shipped::read(shipped::shipped!("gate"))?;
        let table = table.with_runs(&Runs::shipped());
        table.check()?;
        Ok(SHIPPED.get_or_init(|| table).clone())
    }

    /// Reads rows from TOML; runs of tests are added with [`GateTable::with_runs`].
    #[cfg(test)]
    pub(crate) fn parse(toml: &str) -> Result<Self, TableError> {
        let table: Self = toml::from_str(toml)?;
        table.check()?;
        Ok(table)
    }

    /// The same table, where receipts are read by `runs`.
    #[must_use]
    pub(crate) fn with_runs(mut self, runs: &Runs) -> Self {
        self.backs = runs.backs();
        self
    }

    /// The row of an evidence type.
    pub(super) fn evidence(&self, kind: EvidenceType) -> Option<&EvidenceRow> {
        self.evidence.iter().find(|row| row.kind == kind)
    }

    pub(super) fn weight(&self, kind: EvidenceType) -> f64 {
        self.evidence(kind).map_or(0.0, |row| row.weight)
    }

    /// The thresholds of an action; those of `other` where it has none of its own.
    pub(super) fn thresholds(&self, action: ActionType) -> Option<&Thresholds> {
        let of = |action| self.threshold.iter().find(|row| row.action == action);
        of(action).or_else(|| of(ActionType::Other))
    }

    pub(crate) fn finding(&self, name: Finding) -> Option<&FindingRow> {
        self.finding.iter().find(|row| row.name == name)
    }

    /// Says what is wrong with the rows, naming the row.
    pub(crate) fn check(&self) -> Result<(), TableError> {
        self.faults().map_or(Ok(()), |fault| Err(TableError::Row(fault)))
    }

    fn faults(&self) -> Option<String> {
        self.evidence_fault()
            .or_else(|| self.threshold_fault())
            .or_else(|| self.finding_fault())
            .or_else(|| self.phrase_fault())
            .or_else(|| self.word_fault())
            .or_else(|| self.act_fault())
            .or_else(|| self.figure_fault())
    }

    fn evidence_fault(&self) -> Option<String> {
        for kind in KINDS {
            let rows = self.evidence.iter().filter(|row| row.kind == kind).count();
            if rows != 1 {
                return Some(format!("evidence {}: wants exactly one row, has {rows}", word(kind)));
            }
        }
        let of_facts = [Backing::Whole, Backing::Act];
        let whole = self.evidence.iter().find(|row| of_facts.contains(&row.backing));
        if let Some(row) = whole {
            return Some(format!(
                "evidence {}: its backing is one of: run, command, words",
                word(row.kind)
            ));
        }
        let bad = self.evidence.iter().find(|row| !share(row.weight));
        bad.map(|row| format!("evidence {}: its weight is not between 0 and 1", word(row.kind)))
    }

    fn threshold_fault(&self) -> Option<String> {
        if !self.threshold.iter().any(|row| row.action == ActionType::Other) {
            return Some(
                "threshold: the row `other` is missing, which stands for every action without one"
                    .into(),
            );
        }
        for (at, row) in self.threshold.iter().enumerate() {
            let name = word(row.action);
            if self.threshold[..at].iter().any(|other| other.action == row.action) {
                return Some(format!("threshold {name}: stands twice"));
            }
            let (entropy, confidence) = (row.entropy, row.confidence);
            let all = [entropy.damp, entropy.rewrite, entropy.reject, row.phi, row.drift];
            if !all.into_iter().chain([confidence.regenerate, confidence.rewrite]).all(share) {
                return Some(format!("threshold {name}: a limit is not between 0 and 1"));
            }
            if entropy.damp > entropy.rewrite || entropy.rewrite > entropy.reject {
                return Some(format!(
                    "threshold {name}: entropy has to rise from damp over rewrite to reject"
                ));
            }
            if confidence.regenerate > confidence.rewrite {
                return Some(format!(
                    "threshold {name}: confidence has to rise from regenerate to rewrite"
                ));
            }
        }
        None
    }

    fn finding_fault(&self) -> Option<String> {
        Finding::VARIANTS.iter().copied().find_map(|name| {
            let rows = self.finding.iter().filter(|row| row.name == name).count();
            (rows != 1)
                .then(|| format!("finding {}: wants exactly one row, has {rows}", word(name)))
        })
    }

    /// Lists of words that are no phrases.
    fn word_fault(&self) -> Option<String> {
        let mut lists =
            self.clauses.lists().into_iter().chain(self.extent.lists()).chain(self.objects.lists());
        lists.find_map(|(name, list)| {
            let large = |word: &&String| word.is_empty() || word.chars().any(char::is_uppercase);
            let bad = list.iter().find(large);
            let bad = bad.map(|word| format!("{name}: `{word}` is no word in small letters"));
            if list.is_empty() { Some(format!("{name}: has no words")) } else { bad }
        })
    }

    fn phrase_fault(&self) -> Option<String> {
        let says = self.says.iter().map(|row| (word(row.action), &row.phrases));
        let facts = self.fact.iter().map(|row| (row.fact.clone(), &row.phrases));
        let said = self.said.lists().into_iter().map(|(name, list)| (name.to_owned(), list));
        for (name, phrases) in says.chain(facts).chain(said) {
            if phrases.is_empty() {
                return Some(format!("{name}: has no phrases"));
            }
            let bad = phrases.iter().find(|phrase| {
                phrase.trim().is_empty()
                    || phrase.chars().any(char::is_uppercase)
                    || phrase.contains("  ")
                    // A star stands for an end of a word, and never for its middle.
                    || phrase
                        .split([' ', '|'])
                        .any(|one| one.trim_matches('*').contains('*'))
            });
            if let Some(phrase) = bad {
                return Some(format!(
                    "{name}: `{phrase}` is no phrase: small letters, one blank \
                     between words, a star at an end"
                ));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        self.fact.iter().find_map(|row| {
            if !seen.insert(&row.fact) {
                return Some(format!("fact {}: stands twice", row.fact));
            }
            if row.sure && row.backing != Backing::Command {
                return Some(format!(
                    "fact {}: `sure` stands with the backing `command`",
                    row.fact
                ));
            }
            let words = row.backing == Backing::Words;
            words.then(|| {
                format!("fact {}: its backing is one of: run, whole, command, act", row.fact)
            })
        })
    }

    fn act_fault(&self) -> Option<String> {
        let known: Vec<&str> = self.act.iter().map(|row| row.act.as_str()).collect();
        let empty = self.act.iter().find(|row| row.runs.iter().all(|run| run.trim().is_empty()));
        if let Some(row) = empty {
            return Some(format!("act {}: `runs` says how such a line begins", row.act));
        }
        self.fact.iter().find_map(|row| {
            if (row.backing == Backing::Act) == row.acts.is_empty() {
                return Some(format!("fact {}: `acts` stand with the backing `act`", row.fact));
            }
            let unknown = row.acts.iter().find(|act| !known.contains(&act.as_str()))?;
            Some(format!(
                "fact {}: there is no act `{unknown}`; known: {}",
                row.fact,
                known.join(", ")
            ))
        })
    }

    fn figure_fault(&self) -> Option<String> {
        let figures = &self.figures;
        let pairs = [("entropy", figures.entropy), ("arousal", figures.arousal)];
        if let Some((name, _)) =
            pairs.into_iter().find(|(_, [low, high])| low.is_nan() || high.is_nan() || low > high)
        {
            return Some(format!("figures.{name}: the first has to be below the second"));
        }
        (figures.drift_window == 0 || !share(figures.drift_weight)).then(|| {
            "figures.drift_window and drift_weight: at least one verdict, a weight between 0 and 1"
                .into()
        })
    }
}

/// Every kind of evidence, the strongest first.
pub(crate) const KINDS: [EvidenceType; 8] = [
    EvidenceType::BrowserTest,
    EvidenceType::ManualRepro,
    EvidenceType::IntegrationTest,
    EvidenceType::EndpointTest,
    EvidenceType::LogInspection,
    EvidenceType::UnitTest,
    EvidenceType::CodeReview,
    EvidenceType::None,
];

/// The word of an enum, as tables and answers write it.
pub(super) fn word<T: Serialize>(value: T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn share(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> GateTable {
        GateTable::shipped().expect("the shipped rows")
    }

    #[test]
    fn the_shipped_rows_are_sound_and_come_back_from_json() {
        let table = shipped();
        let json = serde_json::to_string(&table).expect("json");
        let again: GateTable = serde_json::from_str(&json).expect("the same");
        assert!(again == table, "JSON loses something");
        assert_eq!(serde_json::to_string(&again).expect("json"), json);
        let toml = GateTable::parse(include_str!("gate.toml")).expect("the TOML");
        assert!(toml.with_runs(&Runs::shipped()) == table, "TOML and JSON differ");
    }

    #[test]
    fn a_bad_row_is_named() {
        let bad = |change: fn(&mut GateTable)| {
            let mut table = shipped();
            change(&mut table);
            table.check().expect_err("bad").to_string()
        };
        for (said, change) in [
            (
                "evidence unit_test: wants",
                (|t| t.evidence.retain(|row| row.kind != EvidenceType::UnitTest))
                    as fn(&mut GateTable),
            ),
            ("evidence none: its weight", |t| t.evidence[7].weight = 2.0),
            ("threshold: the row `other`", |t| {
                t.threshold.retain(|row| row.action != ActionType::Other);
            }),
            ("threshold deploy: entropy has to rise", |t| t.threshold[2].entropy.damp = 0.9),
            ("threshold deploy: stands twice", |t| t.threshold.push(t.threshold[2].clone())),
            ("finding missed: wants exactly one row, has 0", |t| {
                t.finding.retain(|row| row.name != Finding::Missed);
            }),
            ("tests_pass: `Tests` is no phrase", |t| t.fact[0].phrases.push("Tests".into())),
            ("fact tests_pass: its backing", |t| t.fact[0].backing = Backing::Words),
            ("clauses.joins: has no words", |t| t.clauses.joins.clear()),
            ("extent.doing: `Changing` is no word", |t| t.extent.doing.push("Changing".into())),
            ("extent.apart: `` is no word", |t| t.extent.apart.push(String::new())),
            ("said.beyond: has no phrases", |t| t.said.beyond.clear()),
            ("figures.arousal", |t| t.figures.arousal = [0.9, 0.1]),
        ] {
            let error = bad(change);
            assert!(error.contains(said), "{error}");
        }
        let error =
            GateTable::parse("[[evidence]]\nkind = \"guess\"\nweight = 1.0\nbacking = \"run\"")
                .expect_err("bad");
        assert!(error.to_string().contains("`unit_test`"), "{error}");
    }
}

//! The words for "no": [`Verdict`], [`Refusal`], [`Wants`], [`Case`].
//!
//! Rules are many, kinds of wanted work are few. A rule says *which* work would
//! make it say yes; `voice.toml` turns that word into sentences. So no rule holds
//! prose, and a person who asks `git seed why` sees the same refusal with its facts.

mod case;

use std::collections::BTreeMap;

pub(crate) use case::Case;

/// What a rule says about one event.
pub(crate) type Verdict = Result<(), Refusal>;

/// A rule said no.
///
/// An answer, not a failure: it does not implement [`std::error::Error`], so
/// `?` cannot turn one into the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the guard or gate that spoke, as written in the tables.
    pub by: &'static str,
    /// The work that would make it say yes.
    pub wants: Wants,
    /// What the sentence needs to name: paths, directories, section titles.
    pub facts: Facts,
}

/// The rule that git seed's own state has to read.
pub(crate) const STATE: &str = "state";

impl Refusal {
    /// A refusal without facts.
    pub(crate) fn new(by: &'static str, wants: Wants) -> Self {
        Self { by, wants, facts: Facts::default() }
    }

    /// What a rule looks at does not read, and is mended first; `what` says what was found.
    pub(crate) fn broken(by: &'static str, what: &dyn std::fmt::Display) -> Self {
        Self::new(by, Wants::Repair).with("what", what.to_string())
    }

    /// The same refusal, in the words that `voice.toml` has for `case`.
    #[must_use]
    pub(crate) fn case(self, case: Case) -> Self {
        self.with(CASE, case.word())
    }

    /// The same refusal, told by the row of the map where it was said. Repositories name rows, so
    /// such a name is no [`Case`]: it is kept beside the refusal, and chooses no sentence.
    #[must_use]
    pub(crate) fn in_row(self, name: &str) -> Self {
        self.with(CASE, name)
    }

    /// The same refusal, naming one more thing.
    #[must_use]
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.facts.set(key, value);
        self
    }
}

/// The fact that holds the case of a refusal.
const CASE: &str = "case";

/// The fact that holds what the track of the job calls its phases (`voice/roles.rs`).
pub(crate) const NAMES: &str = "names";

/// The things a refusal names, by the placeholder that stands for them in `voice.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Facts(BTreeMap<String, String>);

impl Facts {
    /// Names `value` under `key`; the last one said wins.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// The value named `key`, if there is one.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// The word of the case, or the name of the row where the refusal was said.
    pub(crate) fn case(&self) -> Option<&str> {
        self.get(CASE)
    }

    /// Changes each value.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut String)) {
        self.0.values_mut().for_each(change);
    }
}

/// The kinds of work a refusal can ask for. Closed: a new rule picks one of these words.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Wants {
    /// The first step of a cycle.
    Begin,
    /// The size of this phase, said before anything else.
    Dial,
    /// Looking instead of acting: this act is closed here.
    Looking,
    /// Words on a page instead of a changed file.
    Notes,
    /// A directory declared before it is written in.
    Declaration,
    /// Words in the section of this phase, not above it.
    Section,
    /// Anchors whole, single and in order.
    Anchors,
    /// A commit made by git seed instead of by hand.
    Checkpoint,
    /// A person who answers for an act of git.
    Git,
    /// Fingers off git seed's own state and its hooks.
    HandsOff,
    /// A person's word.
    Person,
    /// The session that drives the job.
    Driver,
    /// The branch where the job lives.
    Home,
    /// A step that the map has.
    Edge,
    /// A boundary message with its sections.
    Message,
    /// A name and an objective.
    Objective,
    /// A page updated in this phase.
    Page,
    /// A tree that holds nothing foreign of the agent's making.
    Clean,
    /// A decision about the plan document.
    Decision,
    /// Footers that shrink.
    Shrinking,
    /// A session log that holds what is to go.
    Archive,
    /// A question of the registered shape.
    Question,
    /// Open ends tied up: notes, dependencies.
    Settled,
    /// Broken state mended first.
    Repair,
    /// The work of the phase, instead of the end of the turn.
    Work,
    /// More of what the phase is for, before it hands over or writes down.
    Depth,
    /// A subagent for this piece, or room for one.
    Delegation,
    /// What is known, written down for the session that comes after.
    Summary,
    /// A claim that holds before the gate.
    Claim,
    /// A lane as large as the work.
    Lane,
}

impl Wants {
    /// The word as tables and JSON spell it.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// It is the job's own state that is wanted otherwise, a turn that goes on among it, and
    /// nothing about the repository.
    pub(crate) fn is_about_the_job(self) -> bool {
        matches!(
            self,
            Self::Begin
                | Self::Dial
                | Self::Work
                | Self::Driver
                | Self::Home
                | Self::Edge
                | Self::Message
                | Self::Objective
                | Self::Decision
                | Self::Question
                | Self::Settled
                | Self::Depth
                | Self::Summary
        )
    }
}

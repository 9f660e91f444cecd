//! Lines of the record that is kept where no job is: what was refused, or would have been, and
//! what is needed to say how that work ended.

use serde::{Deserialize, Serialize};

use super::journal::{Refused, is_at_once, kept_path};
use crate::jobs::UnixSeconds;
use crate::jobs::mode::Mode;

/// What a line tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Happened {
    /// A call, or a commit, was refused; in the mode `watch` it would have been.
    #[default]
    Refused,
    /// The person was asked about it, or would have been.
    Asked,
    /// The last words of a turn were sent back, or would have been.
    Words,
    /// A call of which a line tells has run.
    Ran,
    /// Tests ran.
    Tests,
    /// A prompt came in.
    Prompt,
    /// The agent gave this text to a scheduling tool.
    Scheduled,
    /// Older lines went, for the record was full.
    Dropped,
    /// A session began, or ended.
    Begun,
    Ended,
}

impl Happened {
    /// Something that stands, or would have stood, in the agent's way.
    pub(crate) fn is_a_no(self) -> bool {
        matches!(self, Self::Refused | Self::Asked | Self::Words)
    }
}

/// One line. What a kind has no use for is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Watched {
    pub at: UnixSeconds,
    pub what: Happened,
    pub mode: Mode,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The host's id of the call; of a prompt the hash of its text, of words that of theirs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refused>,
    /// Only a job that goes through phases would have refused it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_phases: bool,
    /// It ended well; absent where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub well: Option<bool>,
}

impl Watched {
    /// `bytes` are a line of the same refusal: the host handed its event over twice. One that does
    /// not read tells of nothing.
    pub(crate) fn is_the_call_of(&self, bytes: &[u8]) -> bool {
        if self.call.is_empty() || !matches!(self.what, Happened::Refused | Happened::Asked) {
            return false;
        }
        let Ok(known) = serde_json::from_slice::<Self>(bytes) else { return false };
        let of = |line: &Self| (line.what, line.of_phases, line.session.clone(), line.call.clone());
        // Without an id of the host's only what comes at once is the same.
        of(&known) == of(self) && (!self.call.starts_with('~') || is_at_once(known.at, self.at))
    }

    /// The line as it is kept: without likely secrets and the way to what lies outside, and with no
    /// more than `paths` paths, and `letters` letters of a text.
    pub(crate) fn kept(mut self, paths: usize, letters: usize) -> Self {
        self.paths.truncate(paths);
        self.paths.iter_mut().for_each(kept_path);
        if let Some(refusal) = &mut self.refusal {
            refusal.mask();
        }
        // Behind the masks: what a cut leaves of a secret is told by no row.
        let cut = |text: &mut String| *text = text.chars().take(letters).collect();
        cut(&mut self.tool);
        self.paths.iter_mut().for_each(cut);
        if let Some(refusal) = &mut self.refusal {
            refusal.facts.each(cut);
        }
        self
    }
}

//! What surrounds one simple command of a line: what arrives at its input, and where it runs.

use super::GitFlag;
use super::stand::Here;

/// What words arrive, from the tamest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    /// Numbers, or nothing.
    #[default]
    Numbers,
    /// Names of files and refs, ids, numbers.
    Names,
    /// Lines of text, each behind a number and a colon.
    Counted,
    /// Lines, each behind a number and blanks.
    Tallied,
    /// Lines of text, each behind a name and a colon.
    Headed,
    /// Lines of text, each behind an id and a blank.
    Listed,
    /// Anything that somebody wrote.
    Text,
}

impl Flow {
    /// Whether a flag may be among the words.
    pub(crate) fn is_open(self) -> bool {
        self > Self::Names
    }

    /// The first words of the lines, where `end` is what ends one.
    pub(crate) fn heads(self, end: char) -> Self {
        match (self, end) {
            (Self::Numbers, _) | (Self::Counted, ':') | (Self::Tallied, ' ') => Self::Numbers,
            (Self::Names | Self::Headed, _) | (Self::Counted | Self::Listed, ' ') => Self::Names,
            _ => Self::Text,
        }
    }
}

/// What arrives at a command's standard input.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    /// Another command writes it.
    pub piped: bool,
    /// What its words are.
    pub flow: Flow,
    /// A here-document or here-string holds it.
    pub text: Option<String>,
    /// To the letter: nothing in it is expanded or joined.
    pub exact: bool,
    /// The words of the `echo` that writes it.
    pub printed: Option<String>,
    /// It may hold names of git seed's state.
    pub lists_state: bool,
    /// The files that its lines name, or with a slash the directories around them.
    pub files: Option<Vec<String>>,
}

impl Input {
    /// Nothing arrives.
    pub(super) const fn nothing() -> Self {
        Self {
            piped: false,
            flow: Flow::Numbers,
            text: None,
            exact: false,
            printed: None,
            lists_state: false,
            files: None,
        }
    }

    /// Whether anything arrives.
    pub(super) fn arrives(&self) -> bool {
        self.piped || self.text.is_some() || self.flow > Flow::Numbers
    }
}

/// What surrounds one simple command.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// The command as written, for the reader of a refusal.
    pub part: String,
    pub input: Input,
    /// A program without a row is code of the project.
    pub foreign: bool,
    /// `GIT_…=` assignments before the command.
    pub taints: Vec<GitFlag>,
    /// The variables that are set are given to programs.
    pub given: bool,
    pub here: Here,
}

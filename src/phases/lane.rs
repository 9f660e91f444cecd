//! The small lane: how a job comes onto it, and what leads off it again.
//!
//! The work begins as small as it is and grows when it is more: the first step may go straight into
//! the work, and what would make it larger than the lane takes is refused before it is made, with
//! the step up as the way on. Pure.

use serde::{Deserialize, Serialize};

use super::PhaseName;
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// What makes a track small: a step forward goes on through every phase whose exit is met, and the
/// person's answer closes the job. Its numbers are those of the rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// The track where work goes on that is larger than the lane takes.
    pub beyond: String,
    /// The most files that the work may change.
    #[serde(default)]
    pub files: usize,
    /// The most lines that it may add and remove.
    #[serde(default)]
    pub lines: usize,
    /// The most directories that it may change files of.
    #[serde(default)]
    pub directories: usize,
    /// Words that the question for completion has at least.
    #[serde(default)]
    pub question: usize,
}

/// What rules say of the small lane, where they say it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LaneRows {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directories: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<usize>,
}

/// The size of a piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub files: usize,
    pub lines: usize,
    pub directories: usize,
}

impl Lane {
    /// The work is larger than the lane takes.
    pub(crate) fn is_outgrown(&self, size: Size) -> bool {
        size.files > self.files || size.lines > self.lines || size.directories > self.directories
    }

    /// It takes `files`, `lines` and `directories` as rules say.
    pub(super) fn lay(&mut self, rows: LaneRows) {
        let LaneRows { files, lines, directories, question } = rows;
        self.files = files.unwrap_or(self.files);
        self.lines = lines.unwrap_or(self.lines);
        self.directories = directories.unwrap_or(self.directories);
        self.question = question.unwrap_or(self.question);
    }
}

/// How a job may take its first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstStep {
    /// Into the first of all phases.
    #[default]
    Whole,
    /// As the agent says: into all phases, or onto the small lane.
    Either,
    /// Onto the small lane.
    Small,
}

/// The step onto the small lane, as far as it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening<'a> {
    /// Where the job stands.
    pub phase: &'a PhaseName,
    /// It has not taken its first step, or only the one that opens the lane.
    pub begins: bool,
    /// It is on the small lane.
    pub on_lane: bool,
    pub first: FirstStep,
    /// The directories that it would change files of, from the top of the work tree.
    pub dirs: &'a [String],
    /// One of them of which nothing was opened yet, though it holds files.
    pub unseen: Option<&'a str>,
    /// One of them that small jobs changed much in since memory was condensed last.
    pub worn: Option<&'a str>,
    /// The message says something.
    pub says: bool,
}

impl Opening<'_> {
    /// Whether the small lane opens.
    pub(crate) fn judge(&self) -> Verdict {
        let no = |case: Case| Refusal::new("lane", Wants::Lane).case(case);
        let phase = self.phase.as_str();
        match (self.begins, self.on_lane) {
            (false, true) => return Err(no(Case::LaneOpen).with("phase", phase)),
            (false, false) => return Err(no(Case::LaneLate).with("phase", phase)),
            (true, _) => {}
        }
        if self.first == FirstStep::Whole {
            return Err(no(Case::LaneShut));
        }
        let Some(dir) = self.dirs.first() else { return Err(no(Case::LaneNowhere)) };
        if !self.says {
            return Err(no(Case::LaneSilent).with("dir", dir.as_str()));
        }
        if let Some(dir) = self.unseen {
            return Err(no(Case::LaneUnseen).with("dir", dir));
        }
        match self.worn {
            Some(dir) => Err(no(Case::LaneWorn).with("dir", dir)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening<'a>(phase: &'a PhaseName, dirs: &'a [String]) -> Opening<'a> {
        Opening {
            phase,
            begins: true,
            on_lane: false,
            first: FirstStep::Either,
            dirs,
            unseen: None,
            worn: None,
            says: true,
        }
    }

    fn case(opening: &Opening<'_>) -> Option<String> {
        let refusal = opening.judge().err()?;
        assert_eq!((refusal.by, refusal.wants), ("lane", Wants::Lane));
        refusal.facts.get("case").map(str::to_owned)
    }

    #[test]
    fn the_small_lane_opens_at_the_beginning_and_for_what_was_looked_at() {
        let (idle, execute) = (PhaseName::idle(), PhaseName::from("execute"));
        let dirs = ["src".to_owned()];
        let good = opening(&idle, &dirs);
        let refused = |opening: Opening<'_>| case(&opening).unwrap_or_default();
        assert_eq!(case(&good), None);
        assert_eq!(case(&Opening { first: FirstStep::Small, on_lane: true, ..good }), None);
        assert_eq!(refused(Opening { first: FirstStep::Whole, ..good }), "lane-shut");
        assert_eq!(refused(Opening { dirs: &[], ..good }), "lane-nowhere");
        assert_eq!(refused(Opening { says: false, ..good }), "lane-silent");
        assert_eq!(refused(Opening { unseen: Some("src"), ..good }), "lane-unseen");
        assert_eq!(refused(Opening { worn: Some("src"), ..good }), "lane-worn");
        let late = Opening { phase: &execute, begins: false, ..good };
        assert_eq!(refused(late), "lane-late");
        assert_eq!(refused(Opening { on_lane: true, ..late }), "lane-open");
    }

    #[test]
    fn rules_say_what_the_lane_takes_key_by_key() {
        let mut lane =
            Lane { beyond: "opevc".into(), files: 3, lines: 60, directories: 1, question: 25 };
        lane.lay(LaneRows { lines: Some(9), directories: Some(2), ..LaneRows::default() });
        let size = Size { files: 3, lines: 9, directories: 2 };
        assert!(!lane.is_outgrown(size) && lane.question == 25);
        for larger in
            [Size { files: 4, ..size }, Size { lines: 10, ..size }, Size { directories: 3, ..size }]
        {
            assert!(lane.is_outgrown(larger), "{larger:?}");
        }
    }
}

//! The small lane: how a job comes onto it, and what leads off it again.
//!
//! The work begins as small as it is and grows when it is more: the first step may go straight into
//! the work, and what would make it larger than the lane takes is refused before it is made, with
//! the step up as the way on. Pure.

use std::collections::BTreeSet;

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

/// So many times the lane's size may small jobs change in one directory before memory is worked
/// through once.
const TOGETHER: usize = 3;

/// So many lines of tests and lock files weigh as one of the work.
const RIDES_ALONG: usize = 4;

/// A file that changed, for the size of the work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangedFile<'a> {
    pub path: &'a str,
    /// Lines that came and went.
    pub lines: usize,
    /// A test or a lock file: it counts neither as a file nor as a directory, its lines four to
    /// one.
    pub along: bool,
}

impl Size {
    /// The size of what changed; a file in which no line did is no work.
    pub(crate) fn of<'a>(changed: impl Iterator<Item = ChangedFile<'a>>) -> Self {
        let (mut size, mut directories, mut along) = (Self::default(), BTreeSet::new(), 0_usize);
        for file in changed.filter(|file| file.lines > 0) {
            if file.along {
                along = along.saturating_add(file.lines);
                continue;
            }
            size.files += 1;
            size.lines = size.lines.saturating_add(file.lines);
            directories.insert(file.path.rsplit_once('/').map_or("", |(dir, _)| dir));
        }
        size.lines = size.lines.saturating_add(along / RIDES_ALONG);
        size.directories = directories.len();
        size
    }

    /// It is larger than `other` in something.
    fn exceeds(self, other: Self) -> bool {
        let Self { files, lines, directories } = other;
        self.files > files || self.lines > lines || self.directories > directories
    }
}

impl Lane {
    /// The work is larger than the lane takes.
    pub(crate) fn is_outgrown(&self, size: Size) -> bool {
        let Self { files, lines, directories, .. } = *self;
        size.exceeds(Size { files, lines, directories })
    }

    /// A change from `before` to `after` leads out of the lane; one that makes smaller what has
    /// grown too large does not.
    pub(crate) fn is_left_by(&self, before: Size, after: Size) -> bool {
        self.is_outgrown(after) && after.exceeds(before)
    }

    /// Jobs that were small each have together changed more than `TOGETHER` of them may.
    pub(crate) fn is_added_up(&self, size: Size) -> bool {
        let Self { files, lines, .. } = *self;
        size.files > files.saturating_mul(TOGETHER) || size.lines > lines.saturating_mul(TOGETHER)
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

/// What the words that opened the lane say will change. They are three: what was seen, what will
/// change, and the run that shows it, on a line each or parted by semicolons; fewer say only that.
pub(crate) fn what_changes(opening: &str) -> Option<&str> {
    let lines: Vec<&str> = said_in(opening.lines()).collect();
    let parts =
        if let [one] = lines.as_slice() { said_in(one.split(';')).collect() } else { lines };
    let labelled = |part: &&&str| label_of(part).is_some_and(|(label, _)| label.contains("chang"));
    let middle = if let [_, change, _] = parts.as_slice() { Some(change) } else { parts.first() };
    let change = parts.iter().find(labelled).or(middle)?;
    Some(label_of(change).map_or(*change, |(_, said)| said)).filter(|said| !said.is_empty())
}

fn said_in<'a>(parts: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    // `-q` is no mark of a list.
    let bare = |part: &'a str| {
        let part = part.trim();
        let marked = part.strip_prefix(['-', '*']).filter(|rest| rest.starts_with(' '));
        marked.unwrap_or(part).trim_start()
    };
    parts.map(bare).filter(|part| !part.is_empty())
}

/// `Change: …`, `What changes: …`: the label, in small letters, and what stands behind it.
fn label_of(part: &str) -> Option<(String, &str)> {
    let (label, said) = part.split_once(": ")?;
    let label = label.to_lowercase();
    let words = ["saw", "seen", "chang", "run"];
    let is_label = label.split_whitespace().count() <= 3
        && words.iter().any(|word| label.split_whitespace().any(|said| said.starts_with(word)));
    is_label.then_some((label, said.trim()))
}

/// The refusal of a step that declares `dir`, for which the lane has no room beside the rest.
pub(crate) fn no_room(dir: &str) -> Refusal {
    Refusal::new("lane", Wants::Lane).case(Case::LaneWider).with("dir", dir)
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
pub struct Opening<'a> {
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
    /// One of them that is more than the lane has room for.
    pub too_many: Option<&'a str>,
    /// One of them in which small jobs have changed so much that memory comes first.
    pub added_up: Option<&'a str>,
    /// The message says something.
    pub says: bool,
}

impl Opening<'_> {
    /// Whether the small lane opens.
    ///
    /// # Errors
    ///
    /// The refusal says what is missing, or which track the job is on.
    pub fn judge(&self) -> Verdict {
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
        if let Some(dir) = self.too_many {
            return Err(no(Case::LaneWide).with("dir", dir));
        }
        match (self.unseen, self.added_up) {
            (Some(dir), _) => Err(no(Case::LaneUnseen).with("dir", dir)),
            (None, Some(dir)) => Err(no(Case::LaneAdded).with("dir", dir)),
            (None, None) => Ok(()),
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
            too_many: None,
            added_up: None,
            says: true,
        }
    }

    fn case(opening: &Opening<'_>) -> Option<String> {
        let refusal = opening.judge().err()?;
        assert_eq!((refusal.by, refusal.wants), ("lane", Wants::Lane));
        refusal.facts.get("case").map(str::to_owned)
    }

    #[test]
    fn what_will_change_is_the_middle_of_three() {
        for (opening, change) in [
            ("keep escapes", Some("keep escapes")),
            ("it prints\n-q makes it quiet\nmake test", Some("-q makes it quiet")),
            ("it prints\n* -q makes it quiet\nmake test", Some("-q makes it quiet")),
            ("lex() drops them\nkeep escapes\ncargo test", Some("keep escapes")),
            ("lex() drops them; keep escapes; cargo test", Some("keep escapes")),
            (
                "- Saw: lex() drops them\n- Change: keep escapes\n- Run: cargo test",
                Some("keep escapes"),
            ),
            ("Seen: a\n\nWhat will change: keep a: b\n", Some("keep a: b")),
            ("keep escapes; no more", Some("keep escapes")),
            ("fix(lexer): keep escapes", Some("fix(lexer): keep escapes")),
            ("Fix the lexer: it drops escapes", Some("Fix the lexer: it drops escapes")),
            ("note: src/lex.rs\nlex: keep\nrun: x", Some("lex: keep")),
            ("change:", Some("change:")),
            (" \n; ;", None),
        ] {
            assert_eq!(what_changes(opening), change, "{opening:?}");
        }
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
        assert_eq!(refused(Opening { too_many: Some("src"), ..good }), "lane-wide");
        let late = Opening { phase: &execute, begins: false, ..good };
        assert_eq!(refused(late), "lane-late");
        assert_eq!(refused(Opening { on_lane: true, ..late }), "lane-open");
    }

    #[test]
    fn tests_and_lock_files_ride_along() {
        let file = |path, lines, along| ChangedFile { path, lines, along };
        let changed = [
            file("src/a.rs", 5, false),
            file("src/b.rs", 1, false),
            file("same.rs", 0, false),
            file("tests/a.rs", 40, true),
            file("Cargo.lock", 3, true),
        ];
        let size = Size::of(changed.into_iter());
        assert_eq!(size, Size { files: 2, lines: 16, directories: 1 });
        assert_eq!(Size::of(std::iter::empty()), Size::default());
    }

    #[test]
    fn what_has_grown_too_large_may_become_smaller() {
        let lane =
            Lane { beyond: "opevc".into(), files: 2, lines: 10, directories: 1, question: 25 };
        let large = Size { files: 3, lines: 40, directories: 1 };
        assert!(!lane.is_left_by(large, Size { lines: 20, ..large }));
        assert!(!lane.is_left_by(large, large));
        assert!(lane.is_left_by(large, Size { lines: 41, ..large }));
        assert!(lane.is_left_by(Size::default(), large));
        assert!(!lane.is_left_by(Size::default(), Size { files: 2, lines: 10, directories: 1 }));
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

//! What `git seed rules check --search` found of one track, in words and as JSON.

use serde::Serialize;

use crate::phases::search::{DeadEnd, Found};
use crate::voice::{self, Notice, tell};

#[derive(Debug, Serialize)]
pub(super) struct Searched {
    track: String,
    /// States that a job can be in, as far as a rule tells them apart.
    states: usize,
    /// There were more than are searched.
    cut: bool,
    dead: Vec<Dead>,
    /// Phases that no job comes to.
    never: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Dead {
    phase: String,
    /// The acts and commands that lead there from a prompt.
    path: Vec<String>,
    /// Why each step forward is refused.
    refused: Vec<String>,
}

impl From<(String, Found)> for Searched {
    fn from((track, found): (String, Found)) -> Self {
        Self {
            track,
            states: found.states,
            cut: found.cut,
            dead: found.dead.into_iter().map(Dead::from).collect(),
            never: found.never.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<DeadEnd> for Dead {
    fn from(dead: DeadEnd) -> Self {
        let phase = dead.phase.to_string();
        let said =
            |no: &crate::verdict::Refusal| format!("{}: {}", no.by, voice::say(no, &phase).why);
        let mut refused: Vec<String> = dead.refused.iter().map(said).collect();
        refused.dedup();
        Self { refused, path: dead.path, phase }
    }
}

impl Searched {
    pub(super) fn is_clear(&self) -> bool {
        self.dead.is_empty() && self.never.is_empty() && !self.cut
    }

    pub(super) fn told(&self) -> Vec<String> {
        let (track, states) = (self.track.as_str(), self.states.to_string());
        let facts = [("track", track), ("states", states.as_str())];
        if self.is_clear() {
            return vec![tell(Notice::SearchClear, &facts)];
        }
        let mut lines = Vec::new();
        if self.cut {
            lines.push(tell(Notice::SearchCut, &facts));
        }
        for phase in &self.never {
            lines.push(tell(Notice::SearchNever, &[("track", track), ("phase", phase)]));
        }
        for dead in &self.dead {
            lines.push(tell(Notice::SearchDead, &[("track", track), ("phase", &dead.phase)]));
            lines.extend(dead.path.iter().map(|step| format!("    {step}")));
            lines.extend(dead.refused.iter().map(|why| format!("    refused by {why}")));
        }
        lines
    }
}

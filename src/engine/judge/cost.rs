//! What a cycle costs: calls, words that git seed put before the agent, refusals, commits.

use serde::Serialize;

use crate::engine::repo::LoadedJob;
use crate::engine::repo::text::count;

/// What the cycle cost so far.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Cost {
    pub calls: u32,
    pub words: u32,
    /// Words of the person, of pages and of knowledge; they are not in `words`.
    pub quoted: u32,
    pub refusals: u32,
    pub commits: u32,
}

impl Cost {
    /// The cycle that `focused` is in.
    pub(crate) fn of(focused: &LoadedJob) -> Self {
        // Over a journal that does not hold, what the job itself counts is told.
        let since = focused.activity.clone().unwrap_or_default();
        let cost = &focused.state.cost;
        Self {
            calls: cost.calls + since.calls,
            words: cost.words + since.words,
            quoted: cost.quoted + since.quoted,
            refusals: cost.refusals + since.refusals,
            commits: cost.commits,
        }
    }

    /// In one line.
    pub(crate) fn told(&self) -> String {
        let counted = [
            (self.calls, "call"),
            (self.words, "word"),
            (self.quoted, "quoted word"),
            (self.refusals, "refusal"),
            (self.commits, "commit"),
        ];
        let counted: Vec<String> = counted
            .into_iter()
            .filter(|(n, what)| *n > 0 || *what != "quoted word")
            .map(|(n, what)| count(n as usize, what))
            .collect();
        counted.join(" · ")
    }
}

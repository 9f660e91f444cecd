//! The steps of a job, oldest first, each with the journal lines that were folded into it.

use std::collections::HashMap;

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::UnixSeconds;
use crate::format::journal::{Line, What};
use crate::format::names;
use crate::format::trailers::{self, StepTrailers};
use crate::store::CommitId;

/// One step, as its chain tells it.
#[derive(Clone, Debug)]
pub(crate) struct PastStep {
    /// The commit of the chain.
    pub commit: CommitId,
    pub at: UnixSeconds,
    pub said: StepTrailers,
    pub subject: String,
    pub body: String,
    /// What happened since the step before.
    pub lines: Vec<Line>,
}

impl PastStep {
    /// Where the step leads, from and to, if it leaves a phase.
    pub(crate) fn way(&self) -> Option<(&str, &str)> {
        self.said.step.split_once(" -> ")
    }
}

/// What is known of a job's past.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pub steps: Vec<PastStep>,
    /// What happened since the last step.
    pub since: Vec<Line>,
    /// Journal lines were folded into it: an older job, or one that came from elsewhere, has none.
    pub traced: bool,
}

/// Something that happened, in its order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    Line(&'a Line),
    Step(&'a PastStep),
}

impl Deed<'_> {
    pub(crate) fn at(&self) -> UnixSeconds {
        match self {
            Self::Line(line) => line.at,
            Self::Step(step) => step.at,
        }
    }
}

impl Past {
    pub(crate) fn of(repo: &Repo, job: &LoadedJob) -> Result<Self> {
        let mut traces = traces(repo, job)?;
        let is_known = !traces.is_empty();
        let mut steps: Vec<PastStep> = Vec::new();
        let mut before = String::new();
        for step in repo.store.history_from(&job.tip.commit, usize::MAX)?.into_iter().rev() {
            let Some(said) = StepTrailers::read(&step.message) else { continue };
            let first = step.message.lines().next().unwrap_or_default();
            let subject = first.strip_prefix(&format!("{}: ", said.step)).unwrap_or(first);
            let body = trailers::body(&step.message);
            let body = if body == subject { String::new() } else { body.to_owned() };
            let lines = traces.remove(&before).unwrap_or_default();
            before.clone_from(&said.id);
            let (commit, subject) = (step.commit, subject.to_owned());
            steps.push(PastStep { commit, at: step.at, said, subject, body, lines });
        }
        let since = repo.read_since(job)?.lines;
        let since = since.iter().map(|linked| linked.line.clone());
        let since = since.filter(|line| line.what != What::Step).collect();
        Ok(Self { steps, since, traced: is_known })
    }

    /// All that happened, oldest first.
    pub(crate) fn deeds(&self) -> Vec<Deed<'_>> {
        let mut deeds = Vec::new();
        for step in &self.steps {
            deeds.extend(step.lines.iter().map(Deed::Line));
            deeds.push(Deed::Step(step));
        }
        deeds.extend(self.since.iter().map(Deed::Line));
        deeds
    }
}

/// The folded lines of a job, by the Seed-Id of the step that they came after.
fn traces(repo: &Repo, job: &LoadedJob) -> Result<HashMap<String, Vec<Line>>> {
    let mut traces: HashMap<String, Vec<Line>> = HashMap::new();
    for name in repo.store.names(&job.tip, names::TRACE)? {
        let here = repo.counted_text(job, &format!("{}/{name}", names::TRACE))?.here();
        let Some(bytes) = here else { continue };
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            // A line of another git seed is passed over: nothing decides by what is shown here.
            if let Ok(line) = serde_json::from_slice::<Line>(line) {
                traces.entry(line.base.clone()).or_default().push(line);
            }
        }
    }
    Ok(traces)
}

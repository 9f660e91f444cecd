//! All jobs: an index with the edges between them, the newest stories, and the sums.

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{Repo, Result};
use crate::engine::story::job::{JobStory, story_of};
use crate::engine::story::past::Past;
use crate::engine::story::rulings;
use crate::engine::story::stats::{self, Known, Stats};

/// The most jobs whose whole story is told: the newest.
const STORIES: usize = 40;

/// `report --all --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AllStories {
    /// Every job, newest first.
    pub index: Vec<IndexRow>,
    /// The newest of them.
    pub jobs: Vec<JobStory>,
    pub stats: Stats,
}

/// One line of the index.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IndexRow {
    pub id: String,
    pub name: String,
    pub status: &'static str,
    pub run: u32,
    pub cycle: u32,
    pub steps: usize,
    pub depends_on: Vec<String>,
    /// Jobs that wait, or waited, for it.
    pub needed_by: Vec<String>,
    pub updated_at: String,
    /// Its story is told, too.
    pub told: bool,
}

/// All jobs of this repository.
pub(crate) fn all(repo: &Repo) -> Result<AllStories> {
    let rulings = rulings::since(repo, 0)?;
    let mut known = Vec::new();
    for job in stats::jobs(repo)? {
        let past = Past::of(repo, &job)?;
        known.push(Known { job, past });
    }
    let stats = stats::stats_of(repo, &known, &rulings, None)?;
    let (mut index, mut jobs) = (Vec::new(), Vec::new());
    for Known { job, past } in known.iter().rev() {
        let head = &job.state.job;
        let needs = |other: &&Known| other.job.state.job.depends_on.contains(&head.id);
        let told = jobs.len() < STORIES;
        index.push(IndexRow {
            id: head.id.to_string(),
            name: head.name.clone(),
            status: head.status.word(),
            run: head.run,
            cycle: job.state.stand.cycle,
            steps: past.steps.len(),
            depends_on: head.depends_on.iter().map(ToString::to_string).collect(),
            needed_by: known
                .iter()
                .filter(needs)
                .map(|it| it.job.state.job.id.to_string())
                .collect(),
            updated_at: rfc3339(head.updated_at),
            told,
        });
        if told {
            jobs.push(story_of(repo, job, past, &rulings)?);
        }
    }
    Ok(AllStories { index, jobs, stats })
}

//! All jobs: an index with the edges between them, the newest stories, and the sums.

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::story::job::{JobStory, story_of};
use crate::engine::story::past::Past;
use crate::engine::story::rulings;
use crate::engine::story::stats::{self, Stats, Sums};
use crate::voice::{Notice, tell};
use crate::world::progress;

/// The most jobs whose whole story is told: the newest.
const STORIES: usize = 40;

/// `report --all --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AllStories {
    /// Every job, newest first.
    pub index: Vec<IndexRow>,
    /// The newest of them.
    pub jobs: Vec<JobStory>,
    /// Absent where no figures are handed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<Stats>,
    /// What is left out, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
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
    let known = stats::jobs(repo)?;
    let (mut index, mut jobs, mut sums) = (Vec::new(), Vec::new(), Sums::since(None));
    progress::begin(&tell(Notice::DoesStories, &[]), known.len());
    for (n, job) in known.iter().enumerate() {
        progress::step();
        let past = Past::of(repo, job)?;
        sums.add(repo, job, &past)?;
        let told = n + STORIES >= known.len();
        index.push(row(job, &past, &known, told));
        if told {
            jobs.push(story_of(repo, job, &past, &rulings)?);
        }
    }
    index.reverse();
    jobs.reverse();
    let stats = Some(sums.end(&rulings));
    Ok(AllStories { index, jobs, stats, missing: Vec::new() })
}

fn row(job: &LoadedJob, past: &Past, known: &[LoadedJob], told: bool) -> IndexRow {
    let head = &job.state.job;
    let needs = |other: &&LoadedJob| other.state.job.depends_on.contains(&head.id);
    IndexRow {
        id: head.id.to_string(),
        name: head.name.clone(),
        status: head.status.word(),
        run: head.run,
        cycle: job.state.stand.cycle,
        steps: past.steps.len(),
        depends_on: head.depends_on.iter().map(ToString::to_string).collect(),
        needed_by: known.iter().filter(needs).map(|it| it.state.job.id.to_string()).collect(),
        updated_at: rfc3339(head.updated_at),
        told,
    }
}

//! What was known to have run when words or an act were sent back: `git seed why` tells it beside
//! the refusal.

use serde::Serialize;

use super::card::one_line;
use crate::claims::{Part, Ran};
use crate::engine::claims;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::UnixSeconds;
use crate::voice::{Notice, tell};

/// The most runs that are named, newest first.
const NAMED: usize = 3;

/// One run of tests, by its receipt, as `git seed show` knows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunShown {
    pub receipt: String,
    pub command: String,
    /// Exit status; `None` where the host did not tell it or the line hides it.
    pub status: Option<i32>,
    /// What the runner's closing lines say; `None` where no row reads them.
    pub counts: Option<String>,
    /// Which part of the tests it was; `None` for all of them.
    pub part: Option<String>,
}

impl RunShown {
    fn of(repo: &Repo, (id, ran): &(String, Ran)) -> Self {
        Self {
            receipt: id.clone(),
            command: ran.command.clone(),
            status: ran.status,
            counts: ran.counts.map(|counts| counts.to_string()),
            part: claims::receipts::part_of(repo, ran).map(Part::told),
        }
    }

    /// The same in one line, for people.
    pub(crate) fn told(&self) -> String {
        let ended = match self.status {
            Some(status) => tell(Notice::SeenStatus, &[("status", &status.to_string())]),
            None => tell(Notice::SeenNoStatus, &[]),
        };
        let counts = self.counts.clone().unwrap_or_else(|| tell(Notice::CountsUnknown, &[]));
        let part = self.part.as_ref();
        let part = part.map(|part| tell(Notice::SeenPart, &[("part", &one_line(part))]));
        let facts = [
            ("command", &*one_line(&self.command)),
            ("ended", &*ended),
            ("counts", &*tell(Notice::SeenCounts, &[("counts", &counts)])),
            ("part", &*part.unwrap_or_default()),
            ("receipt", &*self.receipt),
        ];
        tell(Notice::WhyRan, &facts)
    }
}

/// The last runs of tests of `job` that were over at `at` (seconds), newest first.
pub(crate) fn runs_until(repo: &Repo, job: &LoadedJob, at: UnixSeconds) -> Result<Vec<RunShown>> {
    let ran = claims::receipts::ran(repo, job)?;
    let before = ran.iter().rev().filter(|(_, ran)| ran.run.is_some() && ran.at <= at);
    Ok(before.take(NAMED).map(|one| RunShown::of(repo, one)).collect())
}

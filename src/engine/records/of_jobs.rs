//! What the records have of jobs' words.

use std::collections::BTreeMap;

use crate::engine::records::gist;
use crate::engine::repo::{Repo, Result};
use crate::format::merge::is_join;
use crate::format::names;

/// What the records have of one job's.
#[derive(Debug, Default)]
pub(crate) struct OfJob {
    /// Keys of texts that they name.
    pub keys: Vec<String>,
    /// One of them holds words itself, or may.
    pub holds_words: bool,
}

/// What the records here have, by job.
#[derive(Debug, Default)]
pub(crate) struct OfJobs {
    found: BTreeMap<String, OfJob>,
    /// Some do not read: whose words they have is not known.
    unread: bool,
}

impl OfJobs {
    /// Reads all records. One that does not read is `git seed verify`'s to name, and keeps nobody
    /// from taking words away that others have.
    ///
    /// # Errors
    ///
    /// The ref of the records does not read.
    pub(crate) fn read(repo: &Repo) -> Result<Self> {
        let mut all = Self::default();
        let Some(tip) = repo.store.stands_at(names::CLAIMS)? else { return Ok(all) };
        // As above, of a chain that does not lead down.
        let line = repo.store.line_to(&tip).unwrap_or_else(|_| {
            all.unread = true;
            Vec::new()
        });
        for step in line.iter().filter(|step| !is_join(&step.message)) {
            // As above.
            let Ok(gist) = gist(repo, &step.commit) else {
                all.unread = true;
                continue;
            };
            let Some(job) = &gist.job else { continue };
            let of = all.found.entry(job.clone()).or_default();
            of.keys.extend(gist.text().map(str::to_owned));
            of.holds_words |= gist.holds_words();
        }
        Ok(all)
    }

    /// What they have of the job `id`.
    pub(crate) fn of(mut self, id: &str) -> OfJob {
        let found = self.found.remove(id).unwrap_or_default();
        OfJob { holds_words: found.holds_words || self.unread, ..found }
    }

    /// A record names words, or may.
    pub(crate) fn name_words(&self) -> bool {
        self.unread || self.found.values().any(|of| !of.keys.is_empty())
    }
}

//! Where the work stands, at a glance: for a line that is drawn all the time.

use std::path::Path;

use serde::Serialize;

use crate::engine::judge::cost::Cost;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::report;

/// `statusline --json`: where the work stands, as one look at the job tells.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Glance {
    pub enabled: bool,
    pub phase: String,
    pub cycle: u32,
    pub job: String,
    pub track: Option<String>,
    pub cost: Cost,
}

/// Where the work around `cwd` stands; nothing without a job, without git seed, and outside a
/// repository. Reads only, and starts no process.
///
/// # Errors
///
/// The job is there and does not read.
pub(crate) fn glance(cwd: &Path) -> Result<Option<Glance>> {
    let repo = match Repo::discover(cwd) {
        Err(EngineError::NotOpen(_)) => return Ok(None),
        opened => opened?,
    };
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let state = &focused.state;
    Ok(Some(Glance {
        enabled: repo.is_on(),
        phase: state.stand.phase.to_string(),
        cycle: state.stand.cycle,
        job: state.job.name.clone(),
        track: report::track_of(state),
        cost: Cost::of(&focused),
    }))
}

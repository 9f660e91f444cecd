//! `refs/seed/archive`: where a closed job lies, and the line that the index keeps of it.
//!
//! A job's last tree lies at `<aa>/<id>/`, spread by a hash. Beside them stands the index,
//! one file for the jobs of a day, one line for each, so that listing walks no chain and
//! opens no tree. A line is JSON and begins with the id.

use serde::{Deserialize, Serialize};

use super::short_hash;
use super::state::State;
use crate::jobs::{JobId, Status, UnixSeconds};
use crate::phases::PhaseName;

/// The directory of the index.
pub(crate) const INDEX: &str = "index";
/// How many lines the index has, as a number in a file of its own.
pub(crate) const COUNT: &str = "index/count";
/// Hashes of texts that closed jobs gave to scheduling tools, one a line: they are still
/// nobody's prompt when they come.
pub(crate) const SCHEDULED: &str = "index/scheduled";
/// Ids that do not begin with a day.
const OTHER: &str = "other";

/// A closed job, as far as a list needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClosedRow {
    pub id: JobId,
    /// The last commit of its chain.
    pub tip: String,
    pub name: String,
    pub status: Status,
    pub run: u32,
    pub cycle: u32,
    pub phase: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_completed_at: Option<UnixSeconds>,
    /// Hours; 0 for a job that does not repeat.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeating_interval: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<JobId>,
    pub updated_at: UnixSeconds,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl ClosedRow {
    /// The line of a job whose chain ends at `tip`.
    pub(crate) fn of(state: &State, tip: String) -> Self {
        let job = &state.job;
        Self {
            id: job.id.clone(),
            tip,
            name: job.name.clone(),
            status: job.status,
            run: job.run,
            cycle: state.stand.cycle,
            phase: state.stand.phase.to_string(),
            last_completed_at: job.last_completed_at,
            repeating_interval: job.repeating_interval,
            depends_on: job.depends_on.clone(),
            updated_at: job.updated_at,
        }
    }

    /// The whole line, with its end.
    pub(crate) fn write(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// True where nothing is left to do for a job: parked, or completed and back between cycles. No
/// map is at hand where closed jobs are told apart, so the reserved name stands for the kind of
/// its row, see [`PhaseName::idle`].
pub(crate) fn is_closed(state: &State) -> bool {
    match state.job.status {
        Status::Voided => true,
        Status::Completed => state.stand.phase.is_idle(),
        Status::Pending | Status::Active | Status::Awaiting => false,
    }
}

/// The same, of a line that was read.
pub(crate) fn is_closed_row(row: &ClosedRow) -> bool {
    match row.status {
        Status::Voided => true,
        Status::Completed => PhaseName::from(row.phase.as_str()).is_idle(),
        Status::Pending | Status::Active | Status::Awaiting => false,
    }
}

/// The place of a job's last tree.
pub(crate) fn place(id: &JobId) -> String {
    let id = id.to_string();
    format!("{}/{id}", short_hash(id.as_bytes(), 2))
}

/// The file of the index that has the line of `id`: by the day it was born.
pub(crate) fn index_file(id: &JobId) -> String {
    let id = id.to_string();
    match id.get(..8) {
        Some(day) if day.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{INDEX}/{}/{}", &day[..6], &day[6..])
        }
        _ => format!("{INDEX}/{OTHER}"),
    }
}

/// All lines of one file of the index.
pub(crate) fn rows(bytes: &[u8]) -> Result<Vec<ClosedRow>, serde_json::Error> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(serde_json::from_slice).collect()
}

/// The line of `id` in its file of the index; the others are not read.
pub(crate) fn row(bytes: &[u8], id: &JobId) -> Result<Option<ClosedRow>, serde_json::Error> {
    let begins = format!("{{\"id\":\"{id}\"");
    let line = bytes.split(|byte| *byte == b'\n').find(|line| line.starts_with(begins.as_bytes()));
    line.map(serde_json::from_slice).transpose()
}

/// `bytes` with `new` in it, each job once, in the order of their ids; and by how many
/// lines it grew.
pub(crate) fn with_rows(
    bytes: &[u8],
    new: &[ClosedRow],
) -> Result<(Vec<u8>, usize), serde_json::Error> {
    let mut all = rows(bytes)?;
    let before = all.len();
    all.retain(|row| !new.iter().any(|new| new.id == row.id));
    all.extend(new.iter().cloned());
    all.sort_by(|one, other| one.id.cmp(&other.id));
    let text: String = all.iter().map(ClosedRow::write).collect::<Result<_, _>>()?;
    Ok((text.into_bytes(), all.len() - before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Job;

    fn state(id: &str) -> State {
        State::new(Job::created(id.parse().expect("an id"), "name", 7), "opevc", "main")
    }

    #[test]
    fn a_line_is_found_by_its_id_and_replaced_by_it() {
        let row_of = |id: &str, tip: &str| ClosedRow::of(&state(id), tip.to_owned());
        let (b, a) = (row_of("20261121t205612-7f3b", "t1"), row_of("20261121t205612-7f3a", "t2"));
        let (bytes, grew) = with_rows(b"", &[b.clone(), a.clone()]).expect("writes");
        assert_eq!((rows(&bytes).expect("reads"), grew), (vec![a.clone(), b.clone()], 2));
        assert_eq!(row(&bytes, &b.id).expect("reads"), Some(b));
        let other = "20261121t205612-7f3".parse().expect("an id");
        assert_eq!(row(&bytes, &other).expect("reads"), None, "a shorter id is another one");
        let again = row_of("20261121t205612-7f3a", "t3");
        let (bytes, grew) = with_rows(&bytes, std::slice::from_ref(&again)).expect("writes");
        assert_eq!((row(&bytes, &a.id).expect("reads"), grew), (Some(again), 0));
        assert!(rows(b"{}\n").is_err(), "half a line is no line");
    }

    #[test]
    fn files_of_the_index_are_days() {
        for (id, file) in [
            ("20261121t205612-7f3a", "index/202611/21"),
            ("j", "index/other"),
            ("2026112x-1", "index/other"),
        ] {
            assert_eq!(index_file(&id.parse().expect("an id")), file);
        }
    }

    #[test]
    fn closed_is_parked_or_completed_in_idle() {
        let mut state = state("j");
        assert!(!is_closed(&state));
        for (status, closed) in
            [(Status::Completed, true), (Status::Awaiting, false), (Status::Voided, true)]
        {
            state.job.status = status;
            assert_eq!(is_closed(&state), closed, "{status:?}");
        }
        (state.job.status, state.stand.phase) = (Status::Completed, "condense".into());
        assert!(!is_closed(&state));
    }
}

//! What was said, and a ruling that quotes it: beside the record that names it, among the texts of
//! its job. So it travels where texts travel, and goes where they are taken away.

use crate::claims::audit::Standing;
use crate::claims::record::Record;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::texts::NewText;
use crate::format::{claim, names};
use crate::store::{CommitId, Laid, StoreError};
use crate::voice::{Notice, tell};
use crate::world;

/// The record as it is kept, and the text that it names. One that no job can be asked about, and
/// each in a repository of the older format, holds its words itself.
pub(super) fn apart(repo: &Repo, record: Record) -> Result<(Record, Option<NewText>)> {
    if record.job.is_none() || !repo.keeps_texts_apart()? {
        return Ok((record, None));
    }
    let Some(said) = claim::said(&record).map_err(unwritten)? else { return Ok((record, None)) };
    let text = NewText::new(&world::new_salt(&said)?, &said);
    Ok((claim::named(record, &text.key), Some(text)))
}

/// The record with the words that it names, where they are here.
pub(super) fn joined(repo: &Repo, id: &CommitId, record: Record) -> Result<Record> {
    let Some(place) = claim::place(&record) else { return Ok(record) };
    let Some(file) = repo.store.text_file(&place)? else { return Ok(record) };
    claim::with_text(record, &file).map_err(|bad| {
        let what = format!("{}: the words of record {id}", names::TEXTS);
        StoreError::Invalid { what, why: bad.to_string() }.into()
    })
}

/// A record as a walk finds it.
pub(crate) enum Read {
    Whole(Record),
    /// The words that it names are not here.
    WithoutWords(Record),
}

impl Read {
    pub(crate) fn record(self) -> Record {
        match self {
            Self::Whole(record) | Self::WithoutWords(record) => record,
        }
    }
}

/// Reads the record of a commit, with its words; else why it does not read.
pub(crate) fn read(laid: &Laid<'_>) -> std::result::Result<Read, String> {
    let bytes = laid.record.as_ref().map_err(Clone::clone)?;
    let record = claim::read(bytes).map_err(|bad| bad.to_string())?;
    if record.text.is_none() {
        return Ok(Read::Whole(record));
    }
    let place = claim::place(&record).ok_or_else(|| tell(Notice::RecordHalf, &[]))?;
    match laid.text(&place) {
        None => Ok(Read::WithoutWords(record)),
        Some(file) => {
            let read = claim::with_text(record, &file?);
            read.map(Read::Whole).map_err(|bad| bad.to_string())
        }
    }
}

/// Of a record whose words are not here nothing can be ruled on again.
pub(super) fn not_here() -> Standing {
    Standing::NotMeasured(tell(Notice::RecordWithoutWords, &[]))
}

/// A record, or what stands beside it, cannot be written as JSON.
pub(super) fn unwritten(error: serde_json::Error) -> EngineError {
    StoreError::Invalid { what: claim::RECORD.to_owned(), why: error.to_string() }.into()
}

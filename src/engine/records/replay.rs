//! Rulings made again from what their records hold.

use crate::claims::audit::{Findings, Standing};
use crate::claims::gate::{self, GateTable};
use crate::claims::record::{Record, RecordKind};
use crate::claims::{Directive, Inquiry};
use crate::engine::records::words::{self, Read, unwritten};
use crate::engine::records::{RecordId, grounds};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::{claim, names};
use crate::store::Laid;
use crate::voice::{Notice, tell};
use crate::world::progress;

/// Rulings, made again from their records: by the tables that are known here.
pub(crate) struct Replay {
    /// Each with its bytes as they stand beside a record.
    tables: Vec<(Vec<u8>, GateTable)>,
}

/// The gate's tables that a ruling may rest on: the shipped one, and the one that knows the
/// runs of tests which a person named in the rules.
pub(crate) fn replay_rows(repo: &Repo) -> Result<Replay> {
    let shipped = GateTable::shipped().map_err(|error| EngineError::Proposal(error.to_string()))?;
    let in_force = shipped.clone().with_runs(repo.rules.runs());
    let mut tables = Vec::new();
    for table in [shipped, in_force] {
        tables.push((serde_json::to_vec(&table).map_err(unwritten)?, table));
    }
    Ok(Replay { tables })
}

/// Makes every ruling again, or that of one record, and compares.
///
/// # Errors
///
/// There is no record `one`, or the rows by which rulings are made again do not read. A ruling
/// that comes out otherwise is a finding, not an error.
pub fn replay(repo: &Repo, one: Option<&RecordId>) -> Result<Findings> {
    let rows = replay_rows(repo)?;
    let mut findings = Findings::default();
    let Some(tip) =
        one.cloned().map_or_else(|| repo.store.stands_at(names::CLAIMS), |id| Ok(Some(id)))?
    else {
        return Ok(findings.summed(&tell(Notice::NothingToReplay, &[])));
    };
    progress::begin(&tell(Notice::DoesRecords, &[]), 0);
    let each = |laid: Laid<'_>| {
        progress::step();
        let standing = match words::read(&laid) {
            // What holds no ruling has nothing to be made again.
            Ok(Read::Whole(record)) => {
                record.inquiry.is_some().then(|| rows.again(&record, laid.table.as_ref()))
            }
            Ok(Read::WithoutWords(_)) => Some(words::not_here()),
            Err(why) => Some(Standing::Broken(why)),
        };
        (laid.id.to_string(), standing)
    };
    let walked = repo.store.walk_records(&tip, &each)?;
    if let Some((id, why)) = walked.ended {
        findings.add(id.as_str(), &Standing::Broken(why));
    }
    for (id, standing) in walked.links {
        if one.is_none_or(|one| one.as_str() == id)
            && let Some(standing) = standing
        {
            findings.add(&id, &standing);
        }
    }
    Ok(findings.summed(&tell(Notice::NothingToReplay, &[])))
}

impl Replay {
    /// Whether a record's ruling comes out again, byte for byte, and the record says what it
    /// rests on.
    pub(crate) fn again(&self, record: &Record, table: Option<&(String, Vec<u8>)>) -> Standing {
        let (Some(inquiry), Some(ruling)) = (&record.inquiry, &record.ruling) else {
            return match (record.kind, &record.inquiry, &record.ruling) {
                (RecordKind::Review | RecordKind::Attest | RecordKind::Seal, None, None)
                    if !record.opens =>
                {
                    Standing::Verified
                }
                _ => Standing::Broken(tell(Notice::RecordHalf, &[])),
            };
        };
        let Some(table) = table else {
            return Standing::Broken(tell(Notice::RecordNoTable, &[]));
        };
        // Another git seed may have kept more of what it saw than can be read here: before its
        // rows are known nothing is said of its grounds.
        let Some((_, known)) = self.tables.iter().find(|(bytes, _)| *bytes == table.1) else {
            return Standing::NotMeasured(tell(Notice::RecordOtherRows, &[]));
        };
        if let Err(why) = says_its_grounds(record, inquiry) {
            return Standing::Broken(why);
        }
        let again = gate::judge(inquiry, known);
        // What cannot be written down is the same as nothing else.
        let same = serde_json::to_value(&again).is_ok_and(|again| {
            matches!((serde_json::to_vec(&again), serde_json::to_vec(ruling)),
                (Ok(again), Ok(ruling)) if again == ruling)
        });
        if !same {
            return Standing::Broken(tell(Notice::RecordOtherRuling, &[]));
        }
        let says = again.directive().unwrap_or(Directive::Reject);
        if record.directive != Some(says)
            || record.reasons != again.reasons()
            || record.opens != again.opens()
        {
            return Standing::Broken(tell(Notice::RecordOtherDirective, &[]));
        }
        Standing::Verified
    }
}

/// Whether kind, truth and receipts are those of the inquiry.
fn says_its_grounds(record: &Record, inquiry: &Inquiry) -> std::result::Result<(), String> {
    let (truth, receipts) = grounds(inquiry);
    let digest = truth.map(claim::truth_digest).transpose().map_err(|error| error.to_string())?;
    if record.kind != RecordKind::of(inquiry) {
        return Err(tell(Notice::RecordOtherKind, &[]));
    }
    if record.truth != digest {
        return Err(tell(Notice::RecordOtherTruth, &[]));
    }
    if record.receipts != receipts {
        return Err(tell(Notice::RecordOtherReceipts, &[]));
    }
    Ok(())
}

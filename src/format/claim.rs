//! Records of the gate: bytes and types, and the line that a commit's note carries.
//!
//! The bytes of a record follow from it: fields in their order, no spaces, shortest
//! numbers. So what is read and written again is the same file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claims::record::{FORMAT, Record, RecordKind};
use crate::claims::{Directive, Inquiry, Truth};
use crate::event::UnixSeconds;
use crate::format::{notes, texts};

/// The record in its commit's tree.
pub(crate) const RECORD: &str = "record.json";
/// The gate's table as it was used, beside it.
pub(crate) const TABLE: &str = "gate.json";

/// Why bytes are no record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadRecord {
    #[error("it does not read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a newer git-seed wrote it (format {0})")]
    Newer(u32),
}

/// The bytes of `record.json`.
pub(crate) fn write(record: &Record) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(record)
}

/// Reads `record.json`.
pub(crate) fn read(bytes: &[u8]) -> Result<Record, BadRecord> {
    #[derive(serde::Deserialize)]
    struct Version {
        format: u32,
    }
    match serde_json::from_slice::<Record>(bytes) {
        Ok(record) if record.format <= FORMAT => Ok(record),
        Ok(record) => Err(BadRecord::Newer(record.format)),
        // A newer format may have other fields.
        Err(error) => match serde_json::from_slice::<Version>(bytes) {
            Ok(version) if version.format > FORMAT => Err(BadRecord::Newer(version.format)),
            _ => Err(error.into()),
        },
    }
}

/// What of a record is words, or quotes some.
#[derive(Serialize, Deserialize)]
struct Said {
    inquiry: Inquiry,
    ruling: Value,
    reasons: Vec<String>,
}

/// Why what a record names is not what it was made with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadText {
    #[error("it is not the text of that key")]
    OtherKey,
    #[error("it does not read: {0}")]
    Json(#[from] serde_json::Error),
}

/// The bytes of what a record says of a message as it was said; nothing where it is about anything
/// else. [`named`] takes them out of it.
pub(crate) fn said(record: &Record) -> Result<Option<Vec<u8>>, serde_json::Error> {
    let Some(inquiry @ Inquiry::VerifyClaim(case)) = &record.inquiry else { return Ok(None) };
    if !case.claim.as_said {
        return Ok(None);
    }
    let ruling = record.ruling.clone().unwrap_or_default();
    let said = Said { inquiry: inquiry.clone(), ruling, reasons: record.reasons.clone() };
    serde_json::to_vec(&said).map(Some)
}

/// The record with the key of the text that has what it says.
pub(crate) fn named(record: Record, key: &str) -> Record {
    let text = Some(format!("{}{key}", texts::MARK));
    Record { format: FORMAT, inquiry: None, ruling: None, reasons: Vec::new(), text, ..record }
}

/// Where the text lies that a record names.
pub(crate) fn place(record: &Record) -> Option<String> {
    Some(format!("{}/{}", record.job.as_ref()?, key(record.text.as_ref()?)?))
}

fn key(text: &str) -> Option<&str> {
    text.strip_prefix(texts::MARK).filter(|key| texts::is_key(key))
}

/// The record with what the file of its text says in it.
pub(crate) fn with_text(record: Record, file: &[u8]) -> Result<Record, BadText> {
    let key = record.text.as_deref().and_then(key).ok_or(BadText::OtherKey)?;
    let text = texts::text_in(file, key).ok_or(BadText::OtherKey)?;
    let Said { inquiry, ruling, reasons } = serde_json::from_slice(text)?;
    Ok(Record { inquiry: Some(inquiry), ruling: Some(ruling), reasons, ..record })
}

/// What of a record says how a ruling went, without all that it rested on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Gist {
    format: u32,
    pub n: u64,
    kind: RecordKind,
    pub at: UnixSeconds,
    pub tree: String,
    #[serde(default)]
    pub directive: Option<Directive>,
    #[serde(default)]
    opens: bool,
    #[serde(default)]
    pub job: Option<String>,
    /// Key of the text that has its words.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    inquiry: Option<serde::de::IgnoredAny>,
}

impl Gist {
    /// A ruling that lets work on this tree go on.
    pub(crate) fn passes(&self) -> bool {
        self.kind.may_back() && self.opens
    }

    /// Key of the text that has what it says.
    pub(crate) fn text(&self) -> Option<&str> {
        key(self.text.as_ref()?)
    }

    /// It holds the words that it ruled on itself.
    pub(crate) fn holds_words(&self) -> bool {
        self.inquiry.is_some()
    }
}

/// Reads that much of `record.json`.
pub(crate) fn gist(bytes: &[u8]) -> Result<Gist, BadRecord> {
    match serde_json::from_slice::<Gist>(bytes) {
        Ok(gist) if gist.format <= FORMAT => Ok(gist),
        // Whoever reads it whole says what is wrong.
        _ => read(bytes).map(|record| Gist {
            format: record.format,
            n: record.n,
            kind: record.kind,
            at: record.at,
            directive: record.directive,
            opens: record.opens,
            tree: record.tree,
            job: record.job,
            text: record.text,
            inquiry: record.inquiry.map(|_| serde::de::IgnoredAny),
        }),
    }
}

/// Digest of what the repository showed.
pub(crate) fn truth_digest(truth: &Truth) -> Result<String, serde_json::Error> {
    Ok(super::short_hash(&serde_json::to_vec(truth)?, 64))
}

/// The message of a record's commit. It repeats what a search looks for; the record counts.
pub(crate) fn message(record: &Record) -> String {
    let said =
        record.directive.map_or(String::new(), |directive| format!(": {}", directive.word()));
    let mut text = format!(
        "{}{said}\n\nSeed-Record: {}\nSeed-Tree: {}\n",
        record.kind.word(),
        record.n,
        record.tree
    );
    if record.passes() {
        text.push_str("Seed-Opens: yes\n");
    }
    if let Some(attest) = &record.attest {
        text.push_str(&format!("Seed-Attests: {}\n", attest.commit));
    }
    text
}

/// What a commit's message says of its record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heading {
    pub n: u64,
    pub tree: String,
    pub attests: Option<String>,
    /// It is a verdict that may back a commit, and one that opens.
    pub passes: bool,
}

/// Reads what [`message`] wrote.
pub(crate) fn heading(message: &str) -> Option<Heading> {
    let value =
        |key: &str| message.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    Some(Heading {
        n: value("Seed-Record")?.parse().ok()?,
        tree: value("Seed-Tree")?.to_owned(),
        attests: value("Seed-Attests").map(str::to_owned),
        passes: value("Seed-Opens") == Some("yes"),
    })
}

/// The word of a note's line that carries a record.
const WORD: &str = "claim";

/// What the note of an attested commit carries in a line; `None` for other records. It
/// follows from the record, so that a check can write it anew.
pub(crate) fn note_of(id: &str, record: &Record) -> Option<notes::Record> {
    let attest = record.attest.as_ref()?;
    let said = serde_json::json!({
        "record": id, "n": record.n, "commit": attest.commit, "tree": attest.tree,
        "backed": attest.record,
    });
    Some(notes::Record::new(id, WORD, said))
}

/// The id of the record that a note's line names, if it is one of ours.
pub(crate) fn noted(line: &str) -> Option<String> {
    let record = notes::Record::read(line).filter(|record| record.kind == WORD)?;
    record.word("record").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::record::Attest;
    use crate::claims::{Inquiry, TraceCase};

    fn record() -> Record {
        let trace = TraceCase {
            symptom: "it hangs".to_owned(),
            links: vec!["a".to_owned(), "b".to_owned()],
            known_paths: Vec::new(),
        };
        Record {
            n: 7,
            prev: Some("e".repeat(40)),
            inquiry: Some(Inquiry::CausalTrace(trace)),
            ruling: Some(serde_json::json!({ "z": 0.1 + 0.2, "a": 1e-7, "m": [1, null] })),
            directive: Some(Directive::Damp),
            opens: true,
            ..Record::new(
                RecordKind::VerifyClaim,
                1_790_000_000,
                "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(),
            )
        }
    }

    #[test]
    fn what_is_read_and_written_again_is_the_same() {
        let bytes = write(&record()).expect("writes");
        let read = read(&bytes).expect("reads");
        assert_eq!(read, record());
        assert_eq!(write(&read).expect("writes"), bytes);
        // Numbers come back to the last bit, and keys in their order.
        assert!(
            String::from_utf8(bytes)
                .expect("UTF-8")
                .contains(r#"{"z":0.30000000000000004,"a":1e-7,"m":[1,null]}"#)
        );
    }

    /// A ruling on a message of `as_said` or a claim that somebody filed.
    fn of_words(as_said: bool) -> Record {
        let claim = serde_json::json!({
            "claim": "the walrus counts", "evidence": "", "evidence_type": "none",
            "code_paths_tested": [], "code_paths_affected": [], "as_said": as_said,
        });
        let case = serde_json::json!({
            "claim": claim, "truth": { "base": "", "tree": "", "files": [] }, "receipts": [],
            "drift": 0.0,
        });
        Record {
            job: Some("20261121t213312-2a6a".to_owned()),
            inquiry: Some(Inquiry::VerifyClaim(serde_json::from_value(case).expect("a case"))),
            ruling: Some(serde_json::json!({ "gaps": ["`walrus` is not shown"] })),
            reasons: vec!["not shown: the walrus".to_owned()],
            ..record()
        }
    }

    #[test]
    fn a_message_as_it_was_said_stands_in_a_text_that_the_record_names() {
        assert!(said(&of_words(false)).expect("writes").is_none(), "a claim that was filed");
        assert!(said(&record()).expect("writes").is_none(), "no claim");
        let whole = of_words(true);
        let text = said(&whole).expect("writes").expect("it was said");
        let text = texts::NewText::new(&"0".repeat(texts::SALT), &text);
        let kept = named(whole.clone(), &text.key);
        let bytes = write(&kept).expect("writes");
        assert!(!String::from_utf8_lossy(&bytes).contains("walrus"));
        assert_eq!(place(&kept), Some(format!("20261121t213312-2a6a/{}", text.key)));
        let gist = gist(&bytes).expect("reads");
        assert_eq!((gist.text(), gist.holds_words()), (Some(&*text.key), false));
        let kept = read(&bytes).expect("reads");
        let read = with_text(kept.clone(), &text.file).expect("it is its text");
        let (format, named) = (read.format, read.text.clone());
        assert_eq!((format, read.inquiry.is_some()), (2, true));
        assert_eq!(Record { format: whole.format, text: None, ..read }, whole);
        assert_eq!(named, Some(format!("sha256:{}", text.key)));
        let mut other = text.file.clone();
        other.push(b'.');
        assert!(matches!(with_text(kept, &other), Err(BadText::OtherKey)));
    }

    #[test]
    fn a_newer_record_says_so() {
        let newer = r#"{"format":3,"n":1,"what":"else"}"#;
        assert!(matches!(read(newer.as_bytes()), Err(BadRecord::Newer(3))));
        assert!(matches!(read(b"{}"), Err(BadRecord::Json(_))));
    }

    #[test]
    fn the_gist_is_that_of_the_whole() {
        let whole = record();
        let said = gist(&write(&whole).expect("writes")).expect("reads");
        assert_eq!((said.n, said.at, said.directive), (whole.n, whole.at, whole.directive));
        assert_eq!((said.tree.as_str(), said.passes()), (whole.tree.as_str(), whole.passes()));
        let newer = r#"{"format":3,"n":1,"kind":"seal","at":1,"tree":"t"}"#;
        assert!(matches!(gist(newer.as_bytes()), Err(BadRecord::Newer(3))));
        assert!(matches!(gist(b"{}"), Err(BadRecord::Json(_))));
    }

    #[test]
    fn the_heading_says_what_the_message_wrote() {
        let mut one = record();
        let said = heading(&message(&one)).expect("reads");
        assert_eq!((said.n, said.tree.as_str(), said.passes), (7, one.tree.as_str(), true));
        one.opens = false;
        assert!(!heading(&message(&one)).expect("reads").passes);
        one = Record { kind: RecordKind::Attest, directive: None, ..one };
        one.attest = Some(Attest { commit: "c".to_owned(), tree: one.tree.clone(), record: None });
        assert_eq!(heading(&message(&one)).expect("reads").attests.as_deref(), Some("c"));
        assert_eq!(heading("a person's commit\n"), None);
    }

    #[test]
    fn a_note_names_its_record_first() {
        let mut one = record();
        let id = "f339f3f02bb820641360536914b609f43330b27d";
        assert_eq!(note_of(id, &one), None);
        one.attest = Some(Attest { commit: "c".to_owned(), tree: "t".to_owned(), record: None });
        let line = note_of(id, &one).expect("it attests").line();
        let said = r#""n":7,"commit":"c","tree":"t","backed":null}"#;
        assert_eq!(line, format!(r#"f339f3f02bb8 99 {{"kind":"claim","record":"{id}",{said}"#));
        assert_eq!(noted(&line).as_deref(), Some(id));
        assert_eq!(noted(&format!("{id} claim {{{said}")).as_deref(), Some(id), "an older line");
        assert_eq!(noted("id step {}"), None);
    }
}

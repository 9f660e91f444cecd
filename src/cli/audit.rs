//! `git seed audit …`

use crate::engine::proof;
use clap::Subcommand;

use super::{Context, Outcome, report, report::Report, width::shortened};
use crate::claims::record::Signed;
use crate::engine::claims::gate::word;
use crate::engine::proof::export::Format;
use crate::engine::records::{self, Recorded};
use crate::engine::repo::text::rfc3339;
use crate::voice::{self, Notice};

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// List the records, newest first, or show one record in full
    Show {
        /// The record to show: its id, the start of its id, or its number
        record: Option<String>,
        /// List at most this many records
        #[arg(short = 'n', value_name = "number", default_value_t = 50)]
        number: usize,
    },
    /// Make every ruling again from its record, and compare the results
    ///
    /// The exit codes are those of `git seed verify`.
    Replay {
        /// Replay only this record: its id, the start of its id, or its number
        record: Option<String>,
    },
    /// Print records for other tools, one JSON value per line
    Export {
        /// The format: in-toto statements or Agent Trace records
        #[arg(long, value_enum, default_value_t = Written::InToto)]
        format: Written,
        /// One record, or a range `<after>..<last>`; all records when omitted
        records: Option<String>,
    },
    /// Add one record that signs all records before it
    ///
    /// The signature is made as git is configured here.
    Sign,
}

/// The formats that records are exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Written {
    InToto,
    AgentTrace,
}

pub(super) fn run(
    command: &AuditCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    match command {
        AuditCommand::Show { record: Some(record), .. } => {
            one(&proof::export::named_record(&repo, record)?, out);
        }
        AuditCommand::Show { record: None, number } => {
            list(&records::records(&repo, Some(*number))?, out);
        }
        AuditCommand::Replay { record } => {
            let id = record
                .as_deref()
                .map(|name| proof::export::named_record(&repo, name))
                .transpose()?
                .map(|one| one.id);
            return Ok(super::verify::told(&records::replay(&repo, id.as_ref())?, 0, out));
        }
        AuditCommand::Export { format, records } => {
            let format = match format {
                Written::InToto => Format::InToto,
                Written::AgentTrace => Format::AgentTrace,
            };
            for record in proof::export::named_records(&repo, records.as_deref())? {
                out.raw(&format!("{}\n", proof::export::export(&repo, &record, format)?));
            }
        }
        AuditCommand::Sign => {
            let sealed = records::seal_records(&repo)?;
            one(&sealed, out);
            if sealed.record.signed == Signed::Unsigned {
                return Ok(Outcome::Failed);
            }
        }
    }
    Ok(Outcome::Yes)
}

fn json(one: &Recorded) -> serde_json::Value {
    let mut value = serde_json::json!({ "id": one.id });
    if let (Some(value), Ok(serde_json::Value::Object(fields))) =
        (value.as_object_mut(), serde_json::to_value(&one.record))
    {
        value.extend(fields);
        value.insert("at".to_owned(), rfc3339(one.record.at).into());
    }
    value
}

fn list(records: &[Recorded], out: &mut Report) {
    out.json(&records.iter().map(json).collect::<Vec<_>>());
    for one in records {
        let record = &one.record;
        let said = record.directive.map_or("", crate::claims::Directive::word);
        let signed = if record.signed == Signed::Unsigned { "unsigned" } else { "signed" };
        let (at, id) = (report::clock(record.at), &one.id.as_str()[..12]);
        let line =
            format!("{id}  {at}  {:<14}{said:<11}{signed:<9} {}", record.kind.word(), about(one));
        out.line(line.trim_end());
    }
    if records.is_empty() {
        out.line("No records yet.");
    }
}

/// What a record is about, on one line.
fn about(one: &Recorded) -> String {
    use crate::claims::Inquiry;
    let record = &one.record;
    let text = match (&record.inquiry, &record.attest, &record.review) {
        (Some(Inquiry::VerifyClaim(case)), ..) => case.claim.text.clone(),
        (Some(Inquiry::CausalTrace(case)), ..) => case.symptom.clone(),
        (Some(Inquiry::ResponseGate(case)), ..) => format!("before: {}", word(case.action_type)),
        (_, Some(attest), _) => match &attest.record {
            Some(backing) => {
                format!("commit {} backed by {}", short(&attest.commit), short(backing))
            }
            None => format!("commit {} without a record", short(&attest.commit)),
        },
        _ if record.approves.is_some() => {
            let job = record.approves.as_ref().map_or("", |approves| &approves.job);
            format!("approval of job {job}")
        }
        _ if record.accepts.is_some() => {
            let commit = record.accepts.as_ref().map_or("", |accepts| &accepts.commit);
            format!("acceptance of commit {}", short(commit))
        }
        (_, _, Some(review)) => {
            format!("{} of commit {}: {}", review.agent, short(&review.commit), review.verdict)
        }
        _ if record.text.is_some() => voice::tell(Notice::RecordWithoutWords, &[]),
        _ => String::new(),
    };
    shortened(text.lines().next().unwrap_or_default(), 60)
}

fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

fn one(recorded: &Recorded, out: &mut Report) {
    out.json(&json(recorded));
    let record = &recorded.record;
    out.pair("record", format_args!("{} ({})", recorded.id, record.n));
    out.pair("kind", record.kind.word());
    out.pair("at", rfc3339(record.at));
    if let Some(directive) = record.directive {
        out.pair("said", directive.word());
    }
    for reason in &record.reasons {
        out.pair("", reason);
    }
    let about = about(recorded);
    if !about.is_empty() {
        out.pair("about", about);
    }
    if let Some(job) = &record.job {
        out.pair(
            "job",
            format_args!("{job} · run {} · cycle {} · {}", record.run, record.cycle, record.phase),
        );
    }
    out.pair("tree", &record.tree);
    for (key, value) in [("head", &record.head), ("before", &record.prev)] {
        if let Some(value) = value {
            out.pair(key, value);
        }
    }
    if !record.receipts.is_empty() {
        out.pair("receipts", record.receipts.join(" "));
    }
    let signed = match record.signed {
        Signed::Unsigned => format!("no: {}", record.why),
        Signed::Ssh => "with an ssh key".to_owned(),
        Signed::Gpg => "with a gpg key".to_owned(),
        Signed::X509 => "with an x509 key".to_owned(),
    };
    out.pair("signed", signed);
    out.pair("check", format_args!("git seed audit replay {}", short(recorded.id.as_str())));
}

//! `git seed summary …`

use crate::engine::{jobs, memory};
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::log::which;
use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::engine::repo::Repo;
use crate::engine::repo::text::rfc3339;
use crate::jobs::summary::SECTIONS;

#[derive(Debug, Subcommand)]
pub(super) enum SummaryCommand {
    /// Show the summaries, what was said since the last one, and the newest hand-off
    Show {
        /// Id of the job; when omitted, the focused job, or the newest one
        id: Option<String>,
    },
    /// Add a summary of what was said since the last one
    ///
    /// The text has five sections, in this order: ## User Requests, ## Questions & Decisions,
    /// ## Design Choices, ## Corrections & Feedback, ## Current State. Prompts and answers are
    /// kept unchanged; `git seed job show` prints them all.
    Submit {
        #[command(flatten)]
        text: TextArgs,
    },
}

pub(super) fn run(
    command: &SummaryCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    match command {
        SummaryCommand::Show { id } => show(&repo, id.as_deref(), out),
        SummaryCommand::Submit { text } => submit(&repo, &text.read()?, out),
    }
}

fn show(repo: &Repo, id: Option<&str>, out: &mut Report) -> crate::cli::Result<Outcome> {
    let job = which(repo, id)?;
    let chain = jobs::summary::summaries(repo, &job)?;
    let open = chain.open.iter().map(|(n, one)| {
        serde_json::json!({ "n": n, "kind": one.kind.word(), "text": one.text,
            "at": rfc3339(one.at) })
    });
    let handed_on = memory::recall::handed_on(repo, &job);
    out.json(&serde_json::json!({
        "summaries": chain.kept, "due": chain.due, "sections": SECTIONS,
        "open": open.collect::<Vec<_>>(), "hand_off": handed_on,
    }));
    for kept in &chain.kept {
        let [first, last] = kept.covers;
        out.line(format_args!("summary {} · interactions {first} to {last} · {}", kept.n, kept.at));
        out.line(&kept.text);
        out.line("");
    }
    for (n, one) in &chain.open {
        out.line(format_args!("{} {n} · {}", one.kind.word(), rfc3339(one.at)));
        out.line(&one.text);
        out.line("");
    }
    if let Some(text) = handed_on {
        out.line(format_args!("hand-off\n{text}\n"));
    }
    match chain.due {
        Some(due) => {
            out.line(voice::tell(Notice::SummaryDue, &[("due", &due.to_string())]));
        }
        None if chain.open.is_empty() => out.line(voice::tell(Notice::SummaryAll, &[])),
        None => out.line(voice::tell(Notice::SummaryNotDue, &[])),
    }
    // Whoever was refused is sent here for them.
    if !chain.open.is_empty() {
        for section in SECTIONS {
            out.line(format_args!("## {section}"));
        }
    }
    Ok(Outcome::Yes)
}

fn submit(repo: &Repo, text: &str, out: &mut Report) -> crate::cli::Result<Outcome> {
    match jobs::summary::submit_summary(repo, text)? {
        Ok(kept) => {
            let [first, last] = kept.covers;
            out.json(&kept);
            let facts = [
                ("n", &*kept.n.to_string()),
                ("first", &first.to_string()),
                ("last", &last.to_string()),
            ];
            out.line(voice::tell(Notice::SummaryKept, &facts));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

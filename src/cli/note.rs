//! `git seed note …`

use crate::engine::memory;
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::{Context, Outcome, TextArgs, report::Report};
use crate::engine::memory::pages::NoteAt;
use crate::memory::notes::Standing;

#[derive(Debug, Subcommand)]
pub(super) enum NoteCommand {
    /// List the notes in the footers of the cycle's pages, with their numbers
    List,
    /// Mark a note as resolved, and say what proves it
    ///
    /// The breadcrumb must name something that exists: a commit, the id of a job, or a file,
    /// depending on the kind of the note.
    Resolve {
        /// Number of the note in `git seed note list`
        n: usize,
        /// What proves that the note was acted on
        #[arg(long)]
        breadcrumb: String,
    },
    /// Carry a note into the next cycle
    ///
    /// The note counts how many cycles it was carried.
    Carry {
        /// Number of the note in `git seed note list`
        n: usize,
        /// Why the note cannot be resolved now
        #[arg(long, conflicts_with_all = ["message", "file"])]
        why: Option<String>,
        #[command(flatten)]
        text: TextArgs,
    },
}

pub(super) fn run(
    command: &NoteCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let ended = match command {
        NoteCommand::List => {
            let focused = repo.require_focused()?;
            let notes = memory::notes::show_notes(&repo, &focused)?;
            list(&notes, out);
            return Ok(Outcome::Yes);
        }
        NoteCommand::Resolve { n, breadcrumb } => {
            memory::notes::note_resolve(&repo, *n, breadcrumb)?
        }
        NoteCommand::Carry { n, why, text } => {
            let why = why.clone().map_or_else(|| text.read(), Ok)?;
            memory::notes::note_carry(&repo, *n, &why)?
        }
    };
    match ended {
        Ok(marked) => {
            out.json(&json(&marked));
            out.line(format_args!("{} {}", marked.place(), said(&marked)));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(super::refuse(&repo, &refusal, out)),
    }
}

fn list(notes: &[NoteAt], out: &mut Report) {
    out.json(&serde_json::Value::Array(notes.iter().map(json).collect()));
    for marked in notes {
        let n = marked.n.to_string();
        out.line(format_args!("{n:>3}  {}  {}", marked.place(), said(marked)));
    }
    let waits = |one: &&NoteAt| {
        one.note.kind == "PENDING-JOB"
            && matches!(one.note.standing, Standing::Live | Standing::HandedBack)
    };
    if let Some(one) = notes.iter().find(waits) {
        let depends = one.note.content.contains("dep:");
        let way = if depends { Notice::NoteToDependent } else { Notice::NoteToJob };
        out.line(voice::tell(way, &[("n", &one.n.to_string())]));
    }
    if notes.is_empty() {
        out.line(voice::tell(Notice::NoNotes, &[]));
    }
}

fn json(marked: &NoteAt) -> serde_json::Value {
    let note = &marked.note;
    let content = if note.standing == Standing::Resolved { &note.crumb } else { &note.content };
    serde_json::json!({
        "n": marked.n, "page": marked.page, "line": note.line, "kind": note.kind,
        "state": note.standing.word(), "content": content, "extra": note.extra.first(),
        "carries": note.carries,
    })
}

/// `KNOWLEDGE  live  lexers`, and what a person asks next: why, since when, where to.
fn said(marked: &NoteAt) -> String {
    let note = &marked.note;
    let what = match note.standing {
        Standing::Live if note.content.is_empty() => voice::tell(Notice::NoteSaysNothing, &[]),
        Standing::Live => note.content.clone(),
        Standing::HandedBack => {
            format!("{}   (handed back: {})", note.content, note.extra.join("; "))
        }
        Standing::Resolved => note.crumb.clone(),
        Standing::Carried => {
            let cycles = crate::engine::repo::text::count(note.carries as usize, "cycle");
            format!("{}   ({cycles}: {})", note.content, note.extra.join("; "))
        }
    };
    format!("{}  {}  {what}", note.kind, note.standing.word())
}

//! `git seed compact …`

use crate::engine::{jobs, memory};
use crate::voice::{self, Notice};
use clap::Subcommand;
use strum::VariantArray as _;

use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::engine::memory::compaction::Written;
use crate::engine::repo::{EngineError, Repo};
use crate::memory::compaction::{Fill, Section};

#[derive(Debug, Subcommand)]
pub(super) enum CompactCommand {
    /// Add text to a section of the compaction file
    ///
    /// The first text or boundary of a session creates the file. The next session creates a new
    /// file, which starts with the Prior Summary of the last one. The sections are forward-state,
    /// open-threads, assumptions, process-insight and prior-summary. git seed itself writes the
    /// list of commits, and below it one line for each phase that ended. The file enters the work
    /// tree with the commit that closes the cycle.
    Append {
        /// The section: its short name or its title
        section: String,
        #[command(flatten)]
        text: TextArgs,
        /// Replace the whole section; the steps of the job keep the old text
        #[arg(long)]
        replace: bool,
    },
    /// Show the newest compaction file
    Read,
    /// Close the compaction file, so that the next session starts from it
    ///
    /// Every section except the list of commits must have text. git seed folds repeated text
    /// and, in a long file, the oldest commits.
    Seal,
}

pub(super) fn run(
    command: &CompactCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    match command {
        CompactCommand::Append { section, text, replace } => {
            append(&repo, named(section)?, &text.read()?, *replace, out)
        }
        CompactCommand::Read => read(&repo, out),
        CompactCommand::Seal => seal(&repo, out),
    }
}

/// The section that the agent may write and that is called `name`.
fn named(name: &str) -> Result<Section, EngineError> {
    let known = || {
        let own = Section::VARIANTS
            .iter()
            .copied()
            .filter(|section| *section != Section::GitCommitMessages);
        own.map(Section::slug).collect::<Vec<_>>().join(", ")
    };
    match Section::named(name) {
        Some(Section::GitCommitMessages) => {
            Err(EngineError::Usage(voice::tell(Notice::CompactOwnList, &[("known", &known())])))
        }
        Some(section) => Ok(section),
        None => Err(EngineError::Usage(format!("unknown section `{name}`; known: {}", known()))),
    }
}

fn append(
    repo: &Repo,
    section: Section,
    text: &str,
    replace: bool,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let written = match memory::compaction::compact_append(repo, section, text, replace)? {
        Ok(written) => written,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    let most = repo.rules.compaction.words;
    out.json(&serde_json::json!({
        "path": written.path, "section": section.slug(), "words": written.words, "most": most,
        "opened": written.opened, "left": written.left,
    }));
    let verb = if written.opened { "Created" } else { "Updated" };
    out.line(format_args!(
        "{verb} {}: {}, {} words of {most}.",
        written.path,
        section.title(),
        written.words
    ));
    told_of_others(&written, out);
    if written.left > 0 {
        out.line(voice::tell(Notice::CompactWordsLeft, &[("words", &written.left.to_string())]));
    }
    match written.fill {
        Fill::Free => {}
        Fill::Filling => {
            out.aside(&voice::tell(Notice::CompactFilling, &[]));
        }
        Fill::Long | Fill::Full => {
            out.aside(&voice::tell(Notice::CompactTooLong, &[]));
        }
    }
    Ok(Outcome::Yes)
}

fn told_of_others(written: &Written, out: &mut Report) {
    if written.foreign {
        out.line(voice::tell(Notice::CompactForeign, &[]));
    }
}

fn read(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let Some(shown) = memory::compaction::compact_shown(repo)? else {
        out.json(&serde_json::Value::Null);
        out.line(voice::tell(Notice::CompactNone, &[]));
        return Ok(Outcome::Yes);
    };
    let (file, front) = (&shown.file, &shown.file.front);
    let sections = Section::VARIANTS.iter().copied().map(|section| {
        serde_json::json!({ "section": section.slug(), "title": section.title(),
            "text": file.text(section) })
    });
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    out.json(&serde_json::json!({
        "path": shown.path, "version": front.version, "last_finalized": said(&front.last_finalized),
        "phase_at_seal": said(&front.phase_at_seal), "gmode_prepped": front.gmode_prepped,
        "sealed": file.is_sealed(), "words": file.words(), "most": repo.rules.compaction.words,
        "sections": sections.collect::<Vec<_>>(),
    }));
    out.line(file.write().trim_end());
    Ok(Outcome::Yes)
}

fn seal(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let (written, sealed) = match memory::compaction::compact_seal(repo)? {
        Ok(done) => done,
        Err(refusal) => return Ok(refuse(repo, &refusal, out)),
    };
    // A seal is where the work pauses: repeating jobs that are due begin their next run.
    let due = jobs::next_run::scan_due(repo);
    let folded = sealed.folded.iter();
    out.json(&serde_json::json!({
        "path": written.path, "words": sealed.words, "commits_folded": sealed.commits,
        "due": due.as_deref().unwrap_or_default(),
        "folded": folded.clone()
        .map(|(section,
            n)| serde_json::json!({ "section": section.slug(), "repeats": n })).collect::<Vec<_>>(),
    }));
    out.line(format_args!("Sealed {}, {} words.", written.path, sealed.words));
    told_of_others(&written, out);
    for (section, n) in folded {
        out.line(format_args!(
            "{}: {} folded.",
            section.title(),
            crate::engine::repo::text::count(*n, "repeat")
        ));
    }
    if sealed.commits > 0 {
        let commits = crate::engine::repo::text::count(sealed.commits, "commit");
        out.line(voice::tell(Notice::CompactCommits, &[("commits", &commits)]));
    }
    match &due {
        Ok(due) => super::job::tell_due(due, out),
        Err(error) => {
            out.aside(&voice::tell(Notice::DueNotLooked, &[("error", &error.to_string())]));
        }
    }
    Ok(Outcome::Yes)
}

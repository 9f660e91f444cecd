//! `git seed memory …`

use std::collections::BTreeMap;

use clap::Subcommand;

use super::report::{Report, Tint};
use super::width::{padded, width};
use super::{Context, Outcome};
use crate::engine::memory;
use crate::engine::repo::Repo;
use crate::engine::repo::text::count;
use crate::format::shown;
use crate::memory::knowledge::Level;
use crate::memory::lint::Found;
use crate::memory::raw::RawFile;
use crate::voice::{self, Notice};

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// Find stale pointers, duplicates and files that nothing leads to
    ///
    /// Reads every page, knowledge file and plan document that git tracks or does not ignore.
    /// Exits with 1 when it finds errors; advice alone does not change the exit code.
    /// git-seed-memory(7) describes pages and knowledge files.
    Lint,
    /// Delete session logs, compaction files and ledgers of jobs that closed long ago°
    ///
    /// The rule `memory.keep` says which stay. It deletes them from the work tree and stages that;
    /// you commit it. Where `memory.raw` is `ref`, it takes them out of the jobs themselves, by a
    /// step of each. A file stays that no commit and no job has as it is. Pages, knowledge, plan
    /// documents and history stay.
    Prune {
        /// Show what would go, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

impl MemoryCommand {
    /// Nothing is changed, so anybody may ask.
    pub(super) fn only_shows(&self) -> bool {
        match self {
            Self::Lint => true,
            Self::Prune { dry_run } => *dry_run,
        }
    }
}

pub(super) fn run(
    command: &MemoryCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    if let MemoryCommand::Prune { dry_run } = command {
        return prune(&repo, *dry_run, out);
    }
    let found = memory::lint::lint_memory(&repo)?;
    out.json(&found);
    show(&found, out);
    let errors = found.iter().any(|one| one.level == Level::Error);
    Ok(if errors { Outcome::Failed } else { Outcome::Yes })
}

/// One line for each finding, then what mends the first of the heaviest.
fn show(found: &[Found], out: &mut Report) {
    let place = |one: &Found| format!("{}:{}", one.file, one.line);
    let wide = found.iter().map(|one| width(&place(one))).max().unwrap_or_default();
    for one in found {
        let tint = if one.level == Level::Error { Tint::Bad } else { Tint::Dim };
        let rule = out.tint(tint, format_args!("{:<13}", one.rule.word()));
        out.line(format_args!("{}  {rule}  {}", padded(&place(one), wide), one.detail));
    }
    match found.iter().min_by_key(|one| one.level) {
        Some(worst) => out.line(format_args!("hint: {} ({})", worst.fix, place(worst))),
        None => out.line("memory is in order"),
    }
}

/// What went by job, what stays, and how the rest is committed.
fn prune(repo: &Repo, dry_run: bool, out: &mut Report) -> crate::cli::Result<Outcome> {
    let done = memory::prune::prune(repo, dry_run)?;
    out.json(&done);
    let all = done.files.iter().chain(&done.kept_in_jobs);
    let mut jobs: BTreeMap<String, usize> = BTreeMap::new();
    for file in all.filter_map(|named| RawFile::read(named)) {
        *jobs.entry(file.job).or_default() += 1;
    }
    let files = count(done.files.len() + done.kept_in_jobs.len(), "file");
    let of = count(jobs.len(), "job");
    let facts = [("files", files.as_str()), ("jobs", of.as_str()), ("keep", done.keep.as_str())];
    out.line(voice::tell(
        match (jobs.is_empty(), dry_run) {
            (true, _) => Notice::PruneNothing,
            (false, true) => Notice::PruneDry,
            (false, false) => Notice::PruneDone,
        },
        &facts,
    ));
    for (job, files) in &jobs {
        out.pair("job", format_args!("{job}   {}", count(*files, "file")));
    }
    for left in &done.left {
        out.pair("left", format_args!("{}: {}", shown::on_one_line(&left.path), left.why));
    }
    if !done.staged.is_empty() {
        // Where something else is staged, only the deletions are committed, from any directory.
        let named = done.staged.iter().map(|path| format!(" :/{path}")).collect::<String>();
        let paths = if done.beside { format!(" --{named}") } else { String::new() };
        out.pair("next", voice::tell(Notice::PruneCommit, &[("paths", &paths)]));
    }
    Ok(Outcome::Yes)
}

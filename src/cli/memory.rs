//! `git seed memory …`

use crate::engine::memory;
use clap::Subcommand;

use super::report::{Report, Tint};
use super::{Context, Outcome};
use crate::memory::knowledge::Level;
use crate::memory::lint::Found;

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// Find stale pointers, duplicates and files that nothing leads to
    ///
    /// Reads every page, knowledge file and plan document that git tracks or does not ignore.
    /// Exits with 1 when it finds errors; advice alone does not change the exit code.
    /// git-seed-memory(7) describes pages and knowledge files.
    Lint,
}

pub(super) fn run(
    command: &MemoryCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let MemoryCommand::Lint = command;
    let repo = context.repo()?;
    let found = memory::lint::lint_memory(&repo)?;
    out.json(&found);
    show(&found, out);
    let errors = found.iter().any(|one| one.level == Level::Error);
    Ok(if errors { Outcome::Failed } else { Outcome::Yes })
}

/// One line for each finding, then what mends the first of the heaviest.
fn show(found: &[Found], out: &mut Report) {
    let place = |one: &Found| format!("{}:{}", one.file, one.line);
    let wide = found.iter().map(|one| place(one).chars().count()).max().unwrap_or_default();
    for one in found {
        let tint = if one.level == Level::Error { Tint::Bad } else { Tint::Dim };
        let rule = out.tint(tint, format_args!("{:<13}", one.rule.word()));
        out.line(format_args!("{:<wide$}  {rule}  {}", place(one), one.detail));
    }
    match found.iter().min_by_key(|one| one.level) {
        Some(worst) => out.line(format_args!("hint: {} ({})", worst.fix, place(worst))),
        None => out.line("memory is in order"),
    }
}

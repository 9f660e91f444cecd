//! `git seed op`

use super::{
    Context, Outcome,
    report::{self, Report},
};
use crate::engine::ops::log::{self, OpRow};
use crate::voice::{self, Notice};

#[derive(Debug, clap::Subcommand)]
pub(super) enum OpCommand {
    /// List the operations of this clone, newest first
    ///
    /// `git seed undo` takes the newest one of this worktree back. One that is undone is marked;
    /// `git seed undo --to <id>` reaches it. One that `undo` steps over, as `job redact`, is marked
    /// as well.
    Log {
        /// Show at most this many operations
        #[arg(short = 'n', value_name = "number", default_value_t = 50,
              value_parser = clap::value_parser!(u32).range(1..))]
        number: u32,
    },
}

/// As much of an id as a person reads; `--to` takes it.
pub(super) fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

pub(super) fn run(
    command: &OpCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let OpCommand::Log { number } = command;
    let repo = context.repo()?;
    let rows = log::rows(&repo, usize::try_from(*number).unwrap_or(usize::MAX))?;
    out.json(&rows);
    let here = repo.store.worktree_name();
    for row in &rows {
        let place = match row.worktree.as_str() {
            place if place == here => String::new(),
            place => format!("   {place}"),
        };
        let marked = match row {
            OpRow { undone: true, .. } => "   undone".to_owned(),
            OpRow { stepped_over: true, .. } => {
                format!("   {}", voice::tell(Notice::OpSteppedOver, &[]))
            }
            _ => String::new(),
        };
        let (id, at) = (short(&row.id), report::clock(report::seconds(&row.at)));
        let line = format!("{id}  {at}  {:<24} {}{place}{marked}", row.command, row.jobs.join(" "));
        out.line(line.trim_end());
    }
    if rows.is_empty() {
        out.line(voice::tell(Notice::NoOps, &[]));
    }
    Ok(Outcome::Yes)
}

//! `git seed agents`

use super::report::{Report, Tint};
use super::width::{padded, row, width};
use super::{Context, Outcome};
use crate::engine::quote::brief;
use crate::engine::repo::subagents::{Subagent, Whose};
use crate::hosts;
use crate::voice::{self, Notice};

/// The subagents that hosts find here: for which phase, whose, what for
///
/// init puts in some for each phase, in this clone only. Those count for no gate, also where
/// somebody changed one; a definition that is committed, or that others put there, is the
/// repository's own and does.
#[derive(Debug, clap::Args)]
pub(super) struct AgentsArgs {}

/// The most characters of what one is for.
const ABOUT: usize = 60;

pub(super) fn run(
    _: &AgentsArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    let found = repo.subagents()?;
    out.json(&found);
    show(&found, out);
    Ok(Outcome::Yes)
}

/// One line for each, below the name of the host that finds them.
fn show(found: &[Subagent], out: &mut Report) {
    if found.is_empty() {
        out.line(voice::tell(Notice::NoSubagents, &[]));
    }
    let wide = found.iter().map(|one| width(&one.name)).max().unwrap_or_default();
    for host in hosts::names() {
        let mut own = found.iter().filter(|one| one.host == host).peekable();
        if let (Some(_), Ok(row)) = (own.peek(), hosts::row(host)) {
            let folder = row.agents.as_deref().unwrap_or_default();
            out.line(out.tint(Tint::Dim, format_args!("{}, {folder}", row.title)));
        }
        for one in own {
            let phase = one.phase.as_deref().unwrap_or("any");
            let whose = match one.origin {
                Whose::GitSeed => "git seed's",
                Whose::Changed => "changed",
                Whose::Repository => "repository's",
            };
            let about = brief(&one.about, ABOUT);
            let cells = format!("{} {}  {whose:<12}", padded(phase, 8), padded(&one.name, wide));
            out.line(row(&cells, &about));
        }
    }
}

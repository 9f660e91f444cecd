//! `git seed doctor`

use std::io::IsTerminal as _;

use super::{Context, Outcome};
use crate::cli::report::{Report, Tint};
use crate::cli::width::{padded, width};
use crate::engine::memory::host_notes::NoteFinding;
use crate::engine::{memory, setup};
use crate::memory::schema::Level;
use crate::voice::{self, Notice};

/// Check the installation, and prove that the hooks refuse what they should
///
/// Sends a forbidden call through the installed hook line of each host and expects a
/// refusal. Also checks git hooks, journal, objects, memory and the way to git-seed. Exits with
/// 1 when a check fails. `??` marks what nothing has shown yet, such as a host that has never run
/// a hook here. At a terminal it also asks your login shell for git-seed, and each host for its
/// version, for two seconds each.
#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Repair what can be rebuilt, and keep a copy of what is taken out
    #[arg(long)]
    fix: bool,
    /// Check only memory notes: those that hosts keep for this repository, and those in the
    /// directories that the rules name
    #[arg(long, conflicts_with = "fix")]
    memory: bool,
}

pub(super) fn run(
    args: &DoctorArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    if args.memory {
        return Ok(memory(&memory::host_notes::examine_notes(&*context.repo()?), out));
    }
    let repo = context.repo_over_damage()?;
    let at_a_terminal = std::io::stdin().is_terminal();
    let mut found = setup::doctor::examine(&repo, args.fix)?;
    if repo.require_seeded().is_ok() {
        // Programs of the person's are asked only where one waits for the answer.
        found.extend(setup::reach::findings(at_a_terminal));
        found.extend(setup::heartbeat::versions(&repo, at_a_terminal));
    }
    out.json(&found);
    for finding in &found {
        let mark = match (finding.ok, finding.open) {
            (true, true) => out.tint(Tint::Dim, "?? "),
            (true, false) => out.tint(Tint::Good, "ok "),
            (false, _) => out.tint(Tint::Bad, "NO "),
        };
        out.line(format_args!("{mark} {:<12} {}", finding.check, finding.detail));
        if let Some(fix) = finding.fix.as_deref().filter(|_| !finding.ok) {
            out.line(format_args!("                 fix: {fix}"));
        }
    }
    Ok(if found.iter().all(|finding| finding.ok) { Outcome::Yes } else { Outcome::Failed })
}

/// One line for each finding of a memory note. Warnings leave the exit code as it is.
fn memory(found: &[NoteFinding], out: &mut Report) -> Outcome {
    out.json(&found);
    let place = |one: &NoteFinding| format!("{}:{}", one.file, one.line);
    let wide = found.iter().map(|one| width(&place(one))).max().unwrap_or_default();
    for one in found {
        let tint = if one.level == Level::Error { Tint::Bad } else { Tint::Dim };
        let rule = out.tint(tint, format_args!("{:<13}", one.rule.word()));
        out.line(format_args!("{}  {rule}  {}", padded(&place(one), wide), one.what));
    }
    if found.is_empty() {
        out.line(voice::tell(Notice::MemoryInOrder, &[]));
    }
    if found.iter().any(|one| one.level == Level::Error) { Outcome::Failed } else { Outcome::Yes }
}

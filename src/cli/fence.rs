//! `git seed fence …`

use clap::Subcommand;

use super::{Context, Outcome, report::Report};
use crate::seed::fence::{Restored, Survey};
use crate::seed::{Seed, SeedError};

#[derive(Debug, Subcommand)]
pub(super) enum FenceCommand {
    /// Changes outside the fence: the agent's, and those that nobody claims
    Status,
    /// Put the agent's changes outside the fence back
    ///
    /// Only changes of the agent's own making are touched; what is taken away is kept in
    /// the job and named.
    Restore {
        /// Paths; all of them when none is given
        paths: Vec<String>,
    },
    /// Take changes outside the fence over as your own°
    Accept {
        /// Paths, from the top of the work tree
        #[arg(required = true)]
        paths: Vec<String>,
    },
}

pub(super) fn run(command: &FenceCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    seed.require_seeded()?;
    // Fingerprints are compared with or without a job; the tree has nothing to say without one.
    let focused = seed.focused()?;
    match command {
        FenceCommand::Status => {
            let mut strays = seed.print_strays();
            if focused.is_none() && strays.is_empty() {
                seed.require_focused()?;
            }
            let survey = match &focused {
                Some(focused) => seed.survey(focused, &seed.read_since(focused)?, seed.row(Some(focused)))?,
                None => Survey::default(),
            };
            strays.extend(survey.strays);
            strays.sort();
            strays.dedup();
            let unclaimed: Vec<&str> = survey.unclaimed.iter().map(|one| one.path.as_str()).collect();
            out.json(&serde_json::json!({ "strays": strays, "unclaimed": unclaimed }));
            if strays.is_empty() && unclaimed.is_empty() {
                out.line("Clean.");
            }
            for path in &strays {
                out.line(format_args!("stray      {path}"));
            }
            for path in unclaimed {
                out.line(format_args!("unclaimed  {path}"));
            }
            Ok(Outcome::Yes)
        }
        FenceCommand::Accept { paths } => {
            if let Some(refusal) = super::require_person(&seed, "fence accept")? {
                return Ok(out.refusal(&refusal, seed.row(focused.as_ref()).name.as_str()));
            }
            let rest = seed.accept_prints(paths)?;
            if !rest.is_empty() {
                seed.accept(&rest)?;
            }
            out.json(&serde_json::json!({ "accepted": paths }));
            out.line(format_args!("Yours now, in no commit of this cycle: {}", paths.join(", ")));
            Ok(Outcome::Yes)
        }
        FenceCommand::Restore { paths } => {
            let restored = restore(&seed, focused.is_some(), paths)?;
            out.json(&serde_json::json!({ "restored": restored.kept, "left": restored.left }));
            for (path, kept) in &restored.kept {
                let kept = if kept.is_empty() { String::new() } else { format!("   kept as {kept}") };
                out.line(format_args!("{path} is as it was{kept}"));
            }
            for path in &restored.left {
                out.line(format_args!(
                    "{path} is as before: no change of the agent's, or nothing that can be put back"
                ));
            }
            if restored.kept.is_empty() && restored.left.is_empty() {
                out.line("Nothing to put back.");
            }
            Ok(if restored.left.is_empty() { Outcome::Yes } else { Outcome::Failed })
        }
    }
}

/// Puts fingerprinted files back, then what the tree fence knows.
fn restore(seed: &Seed, focused: bool, paths: &[String]) -> Result<Restored, SeedError> {
    let (mut restored, rest) = seed.restore_prints(paths)?;
    let done = !restored.kept.is_empty() || !restored.left.is_empty();
    if (paths.is_empty() || !rest.is_empty()) && (focused || !done) {
        let in_tree = seed.restore_strays(&rest)?;
        restored.kept.extend(in_tree.kept);
        restored.left.extend(in_tree.left);
    }
    Ok(restored)
}

//! `git seed rules …`

use clap::Subcommand;

use super::{Context, Outcome, report::Report};
use crate::rules::Rules;
use crate::seed::SeedError;

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// The rules in force
    Show,
    /// Check seed.toml in the work tree
    Check,
    /// Put seed.toml into force°
    Apply,
}

pub(super) fn run(command: &RulesCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    match command {
        RulesCommand::Show => {
            let applied = seed.applied_rules()?;
            out.json(&serde_json::json!({ "shipped": Rules::shipped_text(), "applied": applied }));
            match applied {
                Some(text) => {
                    out.line("# applied on top of the shipped rules (refs/seed/rules)");
                    out.line(text.trim_end());
                }
                None => out.line(Rules::shipped_text().trim_end()),
            }
            Ok(Outcome::Yes)
        }
        RulesCommand::Check => {
            let text = seed.proposed_rules()?;
            Rules::with(&text).map_err(|bad| SeedError::Usage(format!("seed.toml: {bad}")))?;
            out.json(&serde_json::json!({ "ok": true }));
            out.line("seed.toml is sound; git seed rules apply puts it into force.");
            Ok(Outcome::Yes)
        }
        RulesCommand::Apply => {
            if let Some(refusal) = super::require_person("rules apply")? {
                return Ok(out.refusal(&refusal, "none"));
            }
            let text = seed.proposed_rules()?;
            seed.apply_rules(&text)?;
            out.json(&serde_json::json!({ "applied": true }));
            out.line("seed.toml is in force.");
            Ok(Outcome::Yes)
        }
    }
}

//! `git seed rules …`

use clap::Subcommand;
use similar::TextDiff;

use super::{Context, Outcome, report::Report};
use crate::rules::{Change, Rules};
use crate::seed::{Seed, SeedError};

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// The rules in force
    Show,
    /// Check seed.toml in the work tree
    Check,
    /// What seed.toml says differently from the rules in force
    Diff,
    /// Put seed.toml into force°
    Apply,
}

pub(super) fn run(command: &RulesCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = match context.seed() {
        // Rules that do not hold are mended with these commands.
        Err(SeedError::Rules(_)) => Seed::open_under_shipped(&context.cwd)?,
        seed => seed?,
    };
    match command {
        RulesCommand::Show => show(&seed, out),
        RulesCommand::Check => check(&seed, out),
        RulesCommand::Diff => diff(&seed, out),
        RulesCommand::Apply => apply(&seed, out),
    }
}

/// In an agent's session the rules are shown without the tables that pace it; the JSON form,
/// which holds them all, is the person's.
fn for_people_only(command: &str, out: &mut Report) -> Option<Outcome> {
    if !out.is_json() || !crate::seed::githook::agent_is_above() {
        return None;
    }
    let refusal = crate::verdict::Refusal::new("rules", crate::verdict::Wants::Person)
        .with("case", "figures")
        .with("command", command);
    Some(out.refusal(&refusal, "none"))
}

/// A text of rules as this session may see it.
fn shown(text: String) -> String {
    if crate::seed::githook::agent_is_above() { without_pace(&text) } else { text }
}

/// Leaves out the tables that pace a phase.
fn without_pace(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let key = line.trim_start();
        if key.starts_with('[') {
            inside = key.starts_with("[phase.pace");
        }
        let own = key.starts_with("pace ") || key.starts_with("pace=") || key.starts_with("pace.");
        if !inside && !own {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn show(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    if let Some(refused) = for_people_only("git seed rules show --json", out) {
        return Ok(refused);
    }
    let applied = seed.applied_rules()?.map(shown);
    let in_force = Rules::in_force(applied.as_deref());
    let wrong = in_force
        .as_ref()
        .err()
        .map(|bad| bad.told("the applied rules", applied.as_deref().unwrap_or_default()));
    out.json(&serde_json::json!({
        "shipped": Rules::shipped_text(), "applied": applied, "in_force": in_force.ok(), "wrong": wrong,
    }));
    if let Some(text) = applied {
        out.line(
            "# Applied by a person (refs/seed/rules): each key here stands before the shipped one below.",
        );
        if let Some(wrong) = wrong {
            out.line(format_args!("# They do not hold: {wrong}"));
        }
        out.line("");
        out.line(text.trim_end());
        out.line("");
        out.line("# ------------------------------------------------------------------------------");
    }
    out.line(Rules::shipped_text().trim_end());
    Ok(Outcome::Yes)
}

fn check(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    seed.check_rules(&seed.proposed_rules()?)?;
    out.json(&serde_json::json!({ "ok": true }));
    out.line("seed.toml is sound; git seed rules apply puts it into force.");
    Ok(Outcome::Yes)
}

fn diff(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    if let Some(refused) = for_people_only("git seed rules diff --json", out) {
        return Ok(refused);
    }
    let proposed = shown(seed.proposed_rules()?);
    let applied = seed.applied_rules()?.map(shown);
    // A proposal names what shall differ; beside the whole shipped text all else would seem to go.
    let (name, in_force, before) = match &applied {
        Some(text) => ("refs/seed/rules (in force)", text.as_str(), text.as_str()),
        None => ("the shipped rules (in force)", Rules::shipped_text(), ""),
    };
    let text = TextDiff::from_lines(before, &proposed).unified_diff().header(name, "seed.toml").to_string();
    out.json(&serde_json::json!({ "in_force": in_force, "proposed": proposed, "diff": text }));
    if text.is_empty() {
        out.line("seed.toml says what is in force.");
        return Ok(Outcome::Yes);
    }
    out.diff(&text);
    // What it comes to, where it holds; what paces an agent is not told to it.
    if let Ok(mut changes) = Rules::changes(applied.as_deref(), &proposed) {
        changes.retain(|change| !change.key.contains("pace") || !crate::seed::githook::agent_is_above());
        out.line("");
        tell(&changes, out);
    }
    out.line("\nWhat seed.toml leaves out is as it was shipped.");
    Ok(Outcome::Yes)
}

fn apply(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    if let Some(refusal) = super::require_person(seed, "rules apply")? {
        return Ok(out.refusal(&refusal, "none"));
    }
    let text = seed.proposed_rules()?;
    seed.check_rules(&text)?;
    let applied = seed.applied_rules()?;
    let changes = Rules::changes(applied.as_deref(), &text).map_err(SeedError::Rules)?;
    if applied.as_deref() != Some(text.as_str()) {
        seed.apply_rules(&text)?;
    }
    let told: Vec<_> = changes
        .iter()
        .map(|Change { key, was, now }| serde_json::json!({ "key": key, "was": was, "now": now }))
        .collect();
    out.json(&serde_json::json!({ "applied": true, "changes": told }));
    tell(&changes, out);
    out.line(if changes.is_empty() {
        "seed.toml is in force; no rule differs from before."
    } else {
        "seed.toml is in force."
    });
    Ok(Outcome::Yes)
}

/// What changed, one key in a line; a whole row that came or went in one line.
fn tell(changes: &[Change], out: &mut Report) {
    let row = |change: &Change| change.key.rsplit_once(": ").map(|(row, _)| row.to_owned());
    let whole =
        |change: &Change| change.key.ends_with(": kind") && (change.was.is_none() || change.now.is_none());
    let rows: Vec<String> = changes.iter().filter(|change| whole(change)).filter_map(row).collect();
    for change in changes {
        let own = row(change).filter(|row| rows.contains(row));
        match (own, &change.was, &change.now) {
            (Some(row), None, _) if whole(change) => out.line(format_args!("{row}  is new")),
            (Some(row), ..) if whole(change) => out.line(format_args!("{row}  is gone")),
            (Some(_), ..) => {}
            (None, was, now) => {
                let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
                out.line(format_args!("{}  {} -> {}", change.key, said(was), said(now)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_sees_the_rules_without_what_paces_it() {
        let text = "idle = \"open\"\n[[phase]]\nname = \"plan\"\npace.least = 4\n[phase.pace]\nmost = 30\npays = { read = 9 }\n\n[commit]\nsubject = \"x\"\n";
        let shown = without_pace(text);
        assert_eq!(shown, "idle = \"open\"\n[[phase]]\nname = \"plan\"\n[commit]\nsubject = \"x\"\n");
    }
}

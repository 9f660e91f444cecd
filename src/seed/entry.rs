//! What the agent is told when a phase opens: what it is for, what is open, what to do first.

use super::{Focused, Seed};
use crate::memory::scope::Scope;
use crate::phases::{Kind, Phase, Write, gates};

/// The most characters of an entry text; hosts show a little more.
pub const MOST: usize = 9_000;

impl Seed {
    /// The text that opens the phase where `focused` stands.
    pub fn entry_text(&self, focused: &Focused) -> String {
        let state = &focused.state;
        let row = self.row(Some(focused));
        let mut text = format!("{} · cycle {} · job \"{}\"\n", row.name, state.stand.cycle, state.job.name);
        if !row.purpose.is_empty() {
            text.push_str(&row.purpose);
            text.push('\n');
        }
        if row.dial && state.stand.entry.multiplier.is_none() {
            text.push_str("First: git seed phase multiplier <0.5|1|1.5|2|2.5|3>, larger for smaller work.\n");
        }
        text.push_str(&self.writes_text(row, &self.scope(focused)));
        text.push_str(&leaving_text(row, focused));
        crop(text)
    }

    fn writes_text(&self, row: &Phase, scope: &Scope) -> String {
        let dirs: Vec<String> = scope.dirs().map(super::scene::to_line).collect();
        if row.write.contains(&Write::Scope) {
            return match dirs.as_slice() {
                [] => "Declared: nothing; going back to plan declares directories.\n".to_owned(),
                dirs => format!("Declared: {}.\n", dirs.join(", ")),
            };
        }
        if row.write.contains(&Write::ScopedPage) && !dirs.is_empty() {
            return format!("Pages of: {}.\n", dirs.join(", "));
        }
        String::new()
    }
}

fn leaving_text(row: &Phase, focused: &Focused) -> String {
    if !row.is_in_cycle() {
        return String::new();
    }
    let mut text = String::new();
    let stand = &focused.state.stand;
    if row.exit.iter().any(|gate| gate == "objective") && stand.cycle <= 1 && focused.state.job.provisional {
        text.push_str("Before it ends: git seed job update --name \"…\" --objective \"…\".\n");
    }
    if row.exit.iter().any(|gate| gate == "decision") && focused.state.plan.pointer.stage() == 0 {
        text.push_str(
            "Before it ends: git seed plan set-plan-file false, or <name>.md for several cycles.\n",
        );
    }
    if row.kind == Kind::Consolidation {
        text.push_str(
            "git seed condense status shows what is left; a [JOB-COMPLETE] question ends the job.\n",
        );
    }
    let sections: Vec<String> = row.sections.iter().map(|title| format!("## {title}")).collect();
    if !sections.is_empty() {
        let floor = stand.entry.multiplier.map(|multiplier| gates::message_floor(Some(multiplier)));
        let words = floor.map_or(String::new(), |floor| format!(", {floor} words or more"));
        text.push_str(&format!(
            "It ends with git seed phase advance -F - and the sections {}{words}.\n",
            sections.join(", ")
        ));
    }
    text
}

/// Cuts a text at a line that fits.
fn crop(text: String) -> String {
    if text.chars().count() <= MOST {
        return text;
    }
    let mut short = String::new();
    for line in text.lines() {
        if short.chars().count() + line.chars().count() + 1 > MOST {
            break;
        }
        short.push_str(line);
        short.push('\n');
    }
    short
}

//! Definitions of subagents, skills and commands, as far as they are settings of the host: hooks,
//! permissions and servers in their front matter run, grant and start things as a settings file
//! does. Those that git seed put in are its own. Reads only.

use crate::engine::repo::paths::{self, Resolved};
use crate::engine::repo::{Repo, Result};
use crate::event::{Change, FileEdit};
use crate::front_matter;
use crate::memory::edit;
use crate::phases::place::{Lock, Place, SETTINGS};

/// Where hosts look for such files, from the top of a work tree.
const PLACES: [&str; 3] = [".claude/agents/", ".claude/skills/", ".claude/commands/"];

/// Keys of front matter by which the host runs, grants or starts something.
const KEYS: [&str; 3] = ["hooks", "permissionMode", "mcpServers"];

/// The place of a file that is edited: a protected one where the edit changes settings in it, or
/// it is a definition that git seed put in.
pub(crate) fn judged(repo: &Repo, resolved: Resolved, file: &FileEdit) -> Resolved {
    let of_memory = matches!(resolved.place, Place::AgentDefinition | Place::Project { .. });
    let named = PLACES.iter().any(|place| resolved.shown.starts_with(place));
    if !of_memory || !named {
        return resolved;
    }
    // An installation that does not read put nothing in that is known.
    let own = is_own(repo, &resolved).unwrap_or(false);
    if !own && !changes_settings(&resolved, file) {
        return resolved;
    }
    let place = Place::Surface { name: SETTINGS.to_owned(), test: false, lock: Lock::Closed };
    Resolved { place, ..resolved }
}

/// Whether `init` put this file in.
fn is_own(repo: &Repo, resolved: &Resolved) -> Result<bool> {
    let known = repo.installation()?;
    Ok(known.agents.iter().any(|own| paths::real(&own.path) == resolved.real))
}

/// Whether an edit leaves other settings than there are; one that does not show its text changes
/// none that can be seen.
fn changes_settings(resolved: &Resolved, file: &FileEdit) -> bool {
    if matches!(file.change, Change::Opaque | Change::Delete) {
        return false;
    }
    // A file that is no text has no settings.
    let old = paths::text_of(&resolved.real).unwrap_or_default();
    let current = resolved.exists.then_some(old.as_str());
    // What does not fit is refused by the tool itself.
    let new = edit::apply(current, &file.change).ok().flatten().unwrap_or_default();
    settings_of(&new) != settings_of(&old)
}

/// The lines of front matter that are settings.
fn settings_of(text: &str) -> Vec<&str> {
    let Ok(found) = front_matter::find(text) else { return Vec::new() };
    let mut taken = false;
    let lines = text[found.lines].lines().filter(|line| !line.trim().is_empty());
    lines
        .filter(|line| {
            if !line.starts_with([' ', '\t', '-', '}', ']']) {
                let key = line.split(':').next().unwrap_or_default().trim_matches(['"', '\'', ' ']);
                taken = KEYS.contains(&key);
            }
            taken
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_the_lines_below_their_keys() {
        let text = "---\nname: a\nhooks:\n  Stop:\n    - x\ntools: Bash\n\"mcpServers\": {}\n---\n\
                    hooks: no\n";
        assert_eq!(settings_of(text), ["hooks:", "  Stop:", "    - x", "\"mcpServers\": {}"]);
        assert!(settings_of("hooks:\n").is_empty());
    }
}

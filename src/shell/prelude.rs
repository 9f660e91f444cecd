//! What stands around the commands of a line and changes none of them: what is set before them
//! (`export CI=1; npm test`), files that are entered, flags of a shell, the number of processors.

use super::line::{Line, Simple};

/// Takes commands that only set variables for those behind them out of the line, and gives each of
/// those behind them what was set.
pub(super) fn taken_out(line: &mut Line) {
    let mut sets: Vec<String> = Vec::new();
    let mut at = 0;
    while at < line.commands.len() {
        // A line that is nothing else stays what it is.
        let last = at + 1 == line.commands.len();
        if let Some(more) = set_by(&line.commands[at]).filter(|_| !last) {
            sets.extend(more);
            line.commands.remove(at);
            line.heard = line.heard.map(|from| if from > at { from - 1 } else { from });
        } else {
            line.commands[at].sets.splice(..0, sets.iter().cloned());
            at += 1;
        }
    }
}

/// What a command sets for all behind it; nothing where it does anything else.
fn set_by(command: &Simple) -> Option<Vec<String>> {
    let (name, rest) = command.words.split_first()?;
    if !command.literal || !command.sets.is_empty() {
        return None;
    }
    let is_set = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let is_name = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match name.as_str() {
        "export" if !rest.is_empty() && rest.iter().all(is_set) => Some(rest.to_vec()),
        "unset" if !rest.is_empty() && rest.iter().all(is_name) => Some(Vec::new()),
        "ulimit" => Some(Vec::new()),
        _ => None,
    }
}

/// A file that only puts programs of its kind on `PATH`: that of a virtual environment, or one of
/// those that lie in a home.
pub(super) fn is_entered(file: &str) -> bool {
    let homes = ["~/", "$HOME/", "${HOME}/", "$NVM_DIR/", "${NVM_DIR}/"];
    let at_home = homes.iter().any(|home| file.starts_with(home));
    let known = ["/.cargo/env", "/nvm.sh", "/asdf.sh"];
    file.ends_with("/bin/activate") || at_home && known.iter().any(|end| file.ends_with(end))
}

/// `-c`, `-lc`, `-euo pipefail -c`: the last word is a line to run, and nothing else changes.
pub(super) fn reads_a_word(flags: &[String]) -> bool {
    let plain = |flag: &String| {
        let letters = flag.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|one| matches!(one, 'c' | 'l' | 'e' | 'u' | 'o'))
            || flag == "pipefail"
    };
    flags.iter().all(plain) && flags.last().is_some_and(|flag| flag.ends_with('c'))
}

/// How lines ask for the number of processors, behind `-j`.
pub(super) const PROCESSORS: [&str; 4] =
    ["-j$(nproc)", "-j\"$(nproc)\"", "-j$(sysctl -n hw.ncpu)", "-j$(getconf _NPROCESSORS_ONLN)"];

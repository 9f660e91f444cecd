//! What a call of the main session counts as: the kinds of act that rows pay for.

use super::pacing::Deed;
use super::place::Place;
use crate::event::Act;
use crate::shell::{self, Effect, Found, Reading, Tag};

/// The deeds of `act`. `places` are those of its files; `roster` says whether a type of subagent
/// belongs to the phase.
pub fn deeds(act: &Act, places: &[(String, Place)], roster: impl Fn(&str) -> bool) -> Vec<Deed> {
    match act {
        Act::Read { .. } => places.iter().filter_map(|(_, place)| read_deed(place)).collect(),
        Act::Edit(_) => places.iter().filter_map(|(_, place)| edit_deed(place)).collect(),
        Act::Search { .. } => vec![Deed::Search],
        Act::Web { .. } => vec![Deed::Web],
        Act::Shell { command, .. } => shell_deed(command).into_iter().collect(),
        Act::Delegate { agent, .. } if roster(agent) => vec![Deed::Launch],
        Act::Delegate { .. } => vec![Deed::Delegate],
        Act::Ask(_) => vec![Deed::Ask],
        Act::Housekeeping | Act::Schedule { .. } | Act::Foreign { .. } | Act::Unknown => Vec::new(),
    }
}

fn read_deed(place: &Place) -> Option<Deed> {
    match place {
        Place::Scratch | Place::OwnState => None,
        Place::HostMemory => Some(Deed::Recall),
        place if place.is_memory() => Some(Deed::Recall),
        _ => Some(Deed::Read),
    }
}

fn edit_deed(place: &Place) -> Option<Deed> {
    match place {
        Place::Page { .. } => Some(Deed::Page),
        Place::Plan { .. } => Some(Deed::Plan),
        Place::Knowledge | Place::AgentDefinition => Some(Deed::Knowledge),
        Place::HostMemory => Some(Deed::Memory),
        Place::Scratch => None,
        _ => Some(Deed::Edit),
    }
}

/// Commands that look at no file and run nothing, whatever stands behind them.
const IDLE: [&str; 16] = [
    ":", "true", "false", "echo", "printf", "pwd", "sleep", "date", "exit", "export", "unset",
    "set", "wait", "whoami", "hostname", "seq",
];

/// Commands that look at nothing but what the one before them printed, where they name no file; so
/// many words that are no flags name none.
const FILTERS: [(&str, usize); 14] = [
    ("cat", 0),
    ("head", 0),
    ("tail", 0),
    ("wc", 0),
    ("sort", 0),
    ("uniq", 0),
    ("nl", 0),
    ("tac", 0),
    ("tr", 2),
    ("cut", 0),
    ("grep", 1),
    ("egrep", 1),
    ("sed", 1),
    ("awk", 1),
];

/// A line that only gives git seed's own commands is no act of the phase, and neither is one that
/// looks at nothing and runs nothing.
pub(crate) fn shell_deed(command: &str) -> Option<Deed> {
    deed_of(command, &shell::read(command))
}

fn deed_of(command: &str, reading: &Reading) -> Option<Deed> {
    if reading.found.iter().all(|found| found.seed || is_idle(command, found)) {
        return None;
    }
    Some(match reading.worst() {
        _ if reading.is(Tag::Test) => Deed::Test,
        Effect::Read => Deed::Shell,
        _ => Deed::Run,
    })
}

/// A piece of a line that has nothing of the repository before it, nor anything else to look at.
fn is_idle(line: &str, found: &Found) -> bool {
    if found.effect != Effect::Read || found.own_state || line.contains('<') {
        return false;
    }
    let Some(mut line) = shell::simple(&found.part) else { return false };
    let Some(one) = line.commands.pop().filter(|_| line.commands.is_empty()) else {
        // Nothing but variables that are set.
        return line.commands.is_empty();
    };
    let Some((name, rest)) = one.words.split_first() else { return true };
    // A pattern lists files, and a substitution is a piece of its own.
    let lists = |word: &String| word.contains(['*', '?', '[', '{', '$']) && word != "$?";
    if IDLE.contains(&name.as_str()) {
        return !rest.iter().any(lists);
    }
    let Some((_, most)) = FILTERS.iter().find(|(known, _)| known == name) else { return false };
    // A flag may name a file, or make a search one of the whole tree; a number names none.
    let plain = |word: &&String| {
        word.strip_prefix('-').is_some_and(|flags| flags.chars().all(is_plain_flag))
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    rest.iter().filter(|word| !plain(word)).count() <= *most
}

/// Flags of the filters that neither take a file nor search for files.
fn is_plain_flag(letter: char) -> bool {
    letter.is_ascii_digit() || "EFPivncowqhlLs".contains(letter)
}

/// A line that runs code which it does not show.
pub(crate) fn runs_code(command: &str) -> bool {
    matches!(shell_deed(command), Some(Deed::Test | Deed::Run))
}

/// Programs that change files as the line says, and run nothing of the work.
const EDITS: [&str; 22] = [
    "apply_patch",
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "gcp",
    "gmv",
    "install",
    "link",
    "ln",
    "mkdir",
    "mv",
    "patch",
    "rename",
    "rm",
    "rmdir",
    "sed",
    "tee",
    "touch",
    "trash",
    "truncate",
    "unlink",
];

/// The same, but for lines that only edit: they move, delete or rewrite files, or lay out code, and
/// nothing of the work runs.
pub(crate) fn runs_work(command: &str) -> bool {
    let reading = shell::read(command);
    let runs = matches!(deed_of(command, &reading), Some(Deed::Test | Deed::Run));
    runs && !reading.found.iter().all(only_edits)
}

/// Looks, is git's own, or changes files as it says.
fn only_edits(found: &Found) -> bool {
    let first = found.part.split(' ').next().unwrap_or_default();
    let edits = || found.part.starts_with(['>', '&']) || EDITS.contains(&first);
    match found.effect {
        Effect::Read | Effect::GitWrite => true,
        Effect::Write => found.tag == Some(Tag::Formatter) || edits(),
        _ => false,
    }
}

/// A line that runs code, and whose end says how that code ended: nothing masks its exit status,
/// turns it round, or runs it where its end is not heard. `tells` says that of any line.
pub(crate) fn is_proof(command: &str, tells: &dyn Fn(&str) -> bool) -> bool {
    runs_work(command) && tells(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_count_by_what_they_do() {
        for (command, deed) in [
            ("cargo test", Some(Deed::Test)),
            ("git log -1", Some(Deed::Shell)),
            ("python3 x.py", Some(Deed::Run)),
            ("git seed status", None),
            ("git seed status && git seed phase current", None),
            ("git seed status | grep missing", None),
            ("echo hi", None),
            ("true", None),
            ("true; echo \"looks good\" | cat", None),
            ("FOO=1", None),
            ("export FOO=1 && date", None),
            ("sleep 1 && pwd", None),
            ("echo src/*", Some(Deed::Shell)),
            ("echo $(cat src/lib.rs)", Some(Deed::Shell)),
            ("echo \"$(git log -1)\"", Some(Deed::Shell)),
            ("cat README.md", Some(Deed::Shell)),
            ("cat < README.md", Some(Deed::Shell)),
            ("echo hi; ls", Some(Deed::Shell)),
            ("git log | head -5", Some(Deed::Shell)),
            ("head -5 README.md", Some(Deed::Shell)),
            ("grep -rn lex", Some(Deed::Shell)),
            ("grep -n lex src/lib.rs", Some(Deed::Shell)),
            ("test -f README.md", Some(Deed::Shell)),
            ("for f in src/*; do echo $f; done", Some(Deed::Shell)),
            ("true && cargo test", Some(Deed::Test)),
            ("echo hi > notes.txt", Some(Deed::Run)),
        ] {
            assert_eq!(shell_deed(command), deed, "{command}");
            assert_eq!(
                runs_code(command),
                matches!(deed, Some(Deed::Test | Deed::Run)),
                "{command}"
            );
            assert!(!is_proof(command, &|_| false), "{command}");
        }
    }

    #[test]
    fn a_line_that_only_edits_runs_nothing_of_the_work() {
        for (command, runs) in [
            ("git mv a.md b.md", false),
            ("rm x", false),
            ("sed -i s/a/b/ src/x.py", false),
            ("cp a b && git add b", false),
            ("mkdir -p dist; touch dist/a", false),
            ("echo hi > notes.txt", false),
            ("cat <<'E' > a.py\nx = 1\nE", false),
            ("cargo fmt", false),
            ("python3 x.py", true),
            ("rm -rf out && make", true),
            ("./check.sh > log", true),
            ("cargo build", true),
            ("cargo test", true),
            ("pandoc a.md -o a.html", true),
        ] {
            assert_eq!(runs_work(command), runs, "{command}");
            assert_eq!(is_proof(command, &|_| true), runs, "{command}");
        }
    }

    #[test]
    fn files_count_by_where_they_lie() {
        let project = Place::Project { dir: "src".to_owned() };
        let page = Place::Page { dir: String::new() };
        for (place, read, edit) in [
            (&project, Some(Deed::Read), Some(Deed::Edit)),
            (&page, Some(Deed::Recall), Some(Deed::Page)),
            (&Place::Plan { own: true }, Some(Deed::Recall), Some(Deed::Plan)),
            (&Place::Knowledge, Some(Deed::Recall), Some(Deed::Knowledge)),
            (&Place::HostMemory, Some(Deed::Recall), Some(Deed::Memory)),
            (&Place::Scratch, None, None),
        ] {
            let places = [("a".to_owned(), place.clone())];
            let of = |act: &Act| deeds(act, &places, |_| false);
            assert_eq!(
                of(&Act::Read { path: "a".into() }),
                read.into_iter().collect::<Vec<_>>(),
                "{place:?}"
            );
            assert_eq!(
                of(&Act::Edit(Vec::new())),
                edit.into_iter().collect::<Vec<_>>(),
                "{place:?}"
            );
        }
    }

    #[test]
    fn a_launch_counts_by_its_roster() {
        let launch = Act::Delegate { agent: "execute-a".to_owned(), prompt: String::new() };
        assert_eq!(deeds(&launch, &[], |agent| agent.starts_with("execute-")), [Deed::Launch]);
        assert_eq!(deeds(&launch, &[], |agent| agent.starts_with("verify-")), [Deed::Delegate]);
    }
}

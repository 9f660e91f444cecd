//! A shell line that reads git seed's state by a name that the reader of lines does not know: from
//! inside of the git directory, or through one that is not called `.git`, as that of a bare
//! repository, of a submodule, or one that stands apart; and one that would change git seed's own
//! program, without which no hook says anything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::engine::named_dirs::INTO;
use crate::engine::repo::Repo;
use crate::engine::repo::paths::Resolved;
use crate::phases::place::Place;
use crate::shell::{self, Effect, Found, Reading};

/// Directories of git's that one line may name; one that names more is taken for one that looks
/// for ours.
const ENTERED: usize = 16;

/// How a line asks where the program lies, and hands that on.
const ASKS: [&str; 4] =
    ["which git-seed", "command -v git-seed", "type -p git-seed", "type -P git-seed"];
/// Programs that leave what lies in a directory as it is, where they are given that.
const KEEPS: [&str; 2] = ["mkdir", "touch"];

/// Whether `path` is git seed's own program, or a link of its name that leads to it.
pub(crate) fn is_program(path: &Path) -> bool {
    // By its name first: of other files the disk need not be asked.
    let named = path.file_name().and_then(|name| name.to_str());
    named.is_some_and(|name| name.starts_with("git-seed")) && {
        let own = crate::world::own_binary();
        path == own || crate::world::real(path).is_ok_and(|real| real == own)
    }
}

/// Whether what `found` writes at `resolved` takes git seed's own program along: the file itself, a
/// pattern beside it, a directory above it that lies outside of the work tree.
pub(crate) fn takes_program(resolved: &Resolved, found: &Found) -> bool {
    if is_program(&resolved.real) {
        return true;
    }
    if !matches!(resolved.place, Place::Outside | Place::Scratch | Place::HostMemory) {
        return false;
    }
    let own = crate::world::own_binary();
    let (Some(dir), Some(name)) = (own.parent(), own.file_name()) else { return false };
    let mut words = found.part.split_whitespace();
    let program = words.next().unwrap_or_default();
    let all = resolved.real.ends_with("*");
    let place = if all { resolved.real.parent() } else { Some(resolved.real.as_path()) };
    match place {
        Some(place) if INTO.contains(&program) && place == dir && found.paths.len() < 2 => {
            words.any(|word| Path::new(word.trim_matches(['"', '\''])).file_name() == Some(name))
        }
        Some(place) if all => {
            let deep = |word: &str| word.starts_with('-') && word.contains(['r', 'R']);
            place == dir || own.starts_with(place) && (program == "mv" || words.any(deep))
        }
        Some(place) => own.starts_with(place) && !KEEPS.contains(&program),
        None => false,
    }
}

/// What of the line names git seed's own program to something that is not known to leave it alone:
/// `strip`, `patchelf`, `mount --bind`. To run it is another thing.
pub(crate) fn program_in(reading: &Reading, command: &str, cwd: &Path) -> Option<String> {
    let may_change = |found: &&Found| {
        let unseen = found.effect == Effect::Write && found.paths.is_empty();
        !found.seed && (unseen || found.effect == Effect::Unknown)
    };
    let mut found = reading.found.iter().filter(may_change).peekable();
    if found.peek().is_some() && ASKS.iter().any(|asks| command.contains(asks)) {
        return Some("git-seed".to_owned());
    }
    let words = found.flat_map(|found| found.part.split_whitespace().skip(1));
    let bare = words.map(|word| {
        let word = word.trim_matches(['"', '\'']);
        word.rsplit_once('=').map_or(word, |(_, value)| value)
    });
    let mut named = bare.filter(|word| is_program(&cwd.join(word)));
    named.next().map(str::to_owned)
}

/// What of the line, which begins in `cwd`, leads there; `place` says whose a path is.
pub(crate) fn named(
    repo: &Repo,
    command: &str,
    cwd: &Path,
    place: &dyn Fn(&Path) -> Resolved,
) -> Option<String> {
    if works_inside_git(command, cwd, place) {
        return Some(cwd.display().to_string());
    }
    if repo.store.common_dir().ends_with(".git") {
        return None;
    }
    // A directory of git's that a word names may be where the line goes on.
    let mut from: Vec<PathBuf> = vec![cwd.to_owned()];
    let mut seen = BTreeSet::new();
    let parts = |c: char| c.is_whitespace() || "\"'`;|&()<>=,:".contains(c);
    for word in command.split(parts).filter(|word| !word.is_empty()) {
        // The same word leads elsewhere only from where the line went meanwhile.
        if !seen.insert(word) {
            continue;
        }
        let found: Vec<_> = from.iter().map(|dir| place(&dir.join(word))).collect();
        let ours = found.iter().any(|found| found.place == Place::OwnState);
        if ours || from.len() > ENTERED {
            return Some(word.to_owned());
        }
        let entered = found.into_iter().filter(|found| found.place == Place::Git);
        for dir in entered.map(|found| found.real).filter(|dir| dir.is_dir()) {
            if !from.contains(&dir) {
                from.push(dir);
                seen.clear();
            }
        }
    }
    None
}

/// Whether the line runs in the git directory: there, no word of it shows whose file it names.
/// A line that first leaves it is like any other.
fn works_inside_git(command: &str, cwd: &Path, place: &dyn Fn(&Path) -> Resolved) -> bool {
    let inside = |dir: &Path| matches!(place(dir).place, Place::Git | Place::OwnState);
    // The directory may have another name, but then it is a rare one that is asked about.
    if !inside(cwd) {
        return false;
    }
    let leaves = shell::simple(command).and_then(|line| line.dirs.into_iter().next().flatten());
    leaves.is_none_or(|to| inside(&cwd.join(to)))
}

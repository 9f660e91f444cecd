//! Memory as it lies in the work tree: which files it is, and what lint says of them.
//!
//! Reads only, one child process for the list of files.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Read as _;
use std::path::PathBuf;

use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{memory, voices};
use crate::event::{Act, ToolCall};
use crate::memory::knowledge::{self, Finding, Level};
use crate::memory::lint::{self, File, Found, Memory};
use crate::phases::place::Place;
use crate::verdict::Facts;
use crate::voice::{self, Line};
use crate::world;

/// The most knowledge files that a hook reads, and the most whose names it lists.
const READ: usize = 200;

const LISTED: usize = 20_000;

/// How deep knowledge is looked for.
const DEPTH: usize = 4;

/// What lint says of the memory in the work tree.
pub(crate) fn lint_memory(repo: &Repo) -> Result<Vec<Found>> {
    let paths = paths_of_work_tree(repo)?;
    let files = memory_among(repo, &paths)?;
    let known: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let mut asked: HashMap<String, bool> = HashMap::new();
    // A pointer may lead to a directory, to what git ignores, or to what a job alone has.
    let lies = |path: &str| {
        repo.store.work_tree().join(path).symlink_metadata().is_ok()
            || memory::raw::is_kept(repo, path)
    };
    let mut exists = |path: &str| {
        known.contains(path) || *asked.entry(path.to_owned()).or_insert_with(|| lies(path))
    };
    let pages = page_names(repo);
    let anchors = repo.rules.maps.anchors();
    let kinds = match repo.focused()? {
        Some(focused) => repo.kinds(&focused.state),
        None => repo.rules.kinds().clone(),
    };
    let budgets = repo.rules.budgets;
    let memory = Memory { files: &files, pages: &pages, anchors: &anchors, kinds: &kinds, budgets };
    let mut found = lint::lint(&memory, &mut exists);
    let voices = voices::faults(repo)?;
    found.extend(voices.iter().map(|bad| lint::of_voice(voices::FILE, bad.to_string())));
    Ok(found)
}

/// Knowledge files whose front matter is at fault, as `file:line`. For a hook: no child
/// process, and no more than so many files.
pub(crate) fn faulty_knowledge(repo: &Repo) -> Vec<String> {
    let (paths, known) = knowledge_on_disk(repo);
    let faults = |path: &String| {
        // A word, not a ruling: `git seed memory lint` fails over a file that does not read.
        let text = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok()?;
        let fault = fault_of(path, &String::from_utf8_lossy(&text), &known)?;
        Some(format!("{path}:{}", fault.line))
    };
    paths.iter().take(READ).filter_map(faults).collect()
}

/// What is said of the first knowledge file of a call that was written with a fault in
/// its front matter. A word, never a refusal.
pub(crate) fn word_on_knowledge(
    repo: &Repo,
    focused: &LoadedJob,
    call: &ToolCall,
    places: &[(String, Place)],
) -> Option<String> {
    let written = places.iter().filter(|(_, place)| *place == Place::Knowledge);
    let written = written.filter(|(path, _)| knowledge::is_knowledge(path));
    let mut written = written.filter(|_| matches!(call.act, Act::Edit(_))).peekable();
    written.peek()?;
    let (_, known) = knowledge_on_disk(repo);
    let (file, fault) = written.find_map(|(path, _)| {
        // As in [`faulty_knowledge`]; the edit itself may have taken the file away.
        let text = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok()?;
        Some((path, fault_of(path, &String::from_utf8_lossy(&text), &known)?))
    })?;
    let mut facts = Facts::default();
    facts.set("file", file.as_str());
    facts.set("line", fault.line.to_string());
    facts.set("what", fault.detail);
    Some(voice::open(Line::Fault, repo.row(Some(focused)).name.as_str(), &facts))
}

/// What is wrong with the front matter of a knowledge file, first.
pub(crate) fn front_fault(repo: &Repo, path: &str) -> Option<Finding> {
    // A file that is gone or does not read: where the note leads is judged beside this.
    let text = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok()?;
    let (_, known) = knowledge_on_disk(repo);
    fault_of(path, &String::from_utf8_lossy(&text), &known)
}

/// The index with a line for a knowledge file, where it has none.
pub(crate) fn index_with(repo: &Repo, path: &str) -> Result<Option<String>> {
    let text = repo::paths::text_of(repo.store.work_tree().join(path))?;
    let said = knowledge::front(&text).description.map(|said| said.text.to_owned());
    let index = repo.store.work_tree().join(knowledge::INDEX);
    let now = match world::read_if_there(&index)? {
        Some(bytes) => String::from_utf8(bytes).map_err(std::io::Error::other)?,
        None => String::new(),
    };
    let new =
        knowledge::with_line(&now, path, &knowledge::name_of(path), &said.unwrap_or_default());
    Ok((new != now).then_some(new))
}

/// Paths of knowledge files in the work tree, and the names that they go by.
fn knowledge_on_disk(repo: &Repo) -> (Vec<String>, BTreeSet<String>) {
    let mut paths = Vec::new();
    let mut ahead = vec![(knowledge::HOME.trim_end_matches('/').to_owned(), 0)];
    while let Some((dir, depth)) = ahead.pop().filter(|_| paths.len() < LISTED) {
        // A repository without knowledge has no such directory.
        let Ok(entries) = std::fs::read_dir(repo.store.work_tree().join(&dir)) else { continue };
        for entry in entries.flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = format!("{dir}/{name}");
            if kind.is_dir() && depth < DEPTH {
                ahead.push((path, depth + 1));
            } else if kind.is_file() && knowledge::is_knowledge(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort_unstable();
    let names = paths.iter().map(|path| knowledge::name_of(path)).collect();
    (paths, names)
}

fn page_names(repo: &Repo) -> Vec<&str> {
    repo.rules.pages.iter().map(String::as_str).collect()
}

pub(crate) fn paths_of_work_tree(repo: &Repo) -> Result<Vec<String>> {
    let files = repo.store.files()?;
    // A name that is no text is nobody's page, and no pointer could say it.
    let mut paths: Vec<String> =
        files.iter().filter_map(|file| file.to_str().map(str::to_owned)).collect();
    paths.sort_unstable();
    Ok(paths)
}

fn memory_among(repo: &Repo, paths: &[String]) -> Result<Vec<File>> {
    let pages = page_names(repo);
    let top = repo.store.work_tree();
    let paths = paths.iter().filter(|path| lint::is_memory(path, &pages));
    let (paths, files): (Vec<&String>, Vec<PathBuf>) = paths
        .map(|path| (path, top.join(path)))
        .filter(|(_, at)| at.symlink_metadata().is_ok_and(|data| data.is_file()))
        .unzip();
    let texts = read_each(&files, |bytes| String::from_utf8_lossy(bytes).into_owned())?;
    Ok(paths.into_iter().cloned().zip(texts).map(|(path, text)| File { path, text }).collect())
}

/// What `take` makes of each file, in their order. Most of the time goes into the kernel's
/// opening and reading, so many files are shared out among a few threads.
///
/// # Errors
///
/// Fails where a file cannot be read.
pub fn read_each<T: Send>(
    files: &[PathBuf],
    take: impl Fn(&[u8]) -> T + Sync,
) -> std::io::Result<Vec<T>> {
    /// Files for which another thread pays, and the most threads.
    const SHARE: usize = 64;
    const THREADS: usize = 8;
    let read = |files: &[PathBuf]| {
        let mut bytes = Vec::new();
        let one = |file: &PathBuf| {
            bytes.clear();
            std::fs::File::open(file)?.read_to_end(&mut bytes)?;
            Ok(take(&bytes))
        };
        files.iter().map(one).collect::<std::io::Result<Vec<T>>>()
    };
    let threads =
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS);
    let share = files.len().div_ceil(threads).max(SHARE);
    if files.len() <= share {
        return read(files);
    }
    let read = &read;
    std::thread::scope(|scope| {
        let running: Vec<_> =
            files.chunks(share).map(|files| scope.spawn(move || read(files))).collect();
        let mut all = Vec::with_capacity(files.len());
        for thread in running {
            all.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(all)
    })
}

/// The first error of a knowledge file.
fn fault_of(path: &str, text: &str, known: &BTreeSet<String>) -> Option<Finding> {
    knowledge::check(path, text, known).into_iter().find(|fault| fault.level == Level::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_come_in_their_order_and_a_missing_one_is_an_error() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut files: Vec<PathBuf> = (0..300).map(|n| dir.path().join(format!("{n}"))).collect();
        for (n, file) in files.iter().enumerate() {
            std::fs::write(file, "x".repeat(n)).expect("written");
        }
        let lengths = read_each(&files, <[u8]>::len).expect("all are there");
        assert_eq!(lengths, (0..300).collect::<Vec<_>>());
        assert_eq!(read_each(&files[..3], <[u8]>::len).expect("they are there"), [0, 1, 2]);
        files[299] = dir.path().join("none");
        assert!(read_each(&files, <[u8]>::len).is_err());
    }
}

//! Memory as it lies in the work tree: which files it is, and what lint says of them.
//!
//! Reads only, one child process for the list of files.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Focused, Result, Seed};
use crate::event::{Act, ToolCall};
use crate::memory::knowledge::{self, Finding, Level};
use crate::memory::lint::{self, File, Found, Memory};

use crate::phases::place::Place;
use crate::verdict::Facts;
use crate::voice::{self, Line};

/// The most knowledge files that a hook reads, and the most whose names it lists.
const READ: usize = 200;
const LISTED: usize = 20_000;
/// How deep knowledge is looked for.
const DEPTH: usize = 4;

impl Seed {
    /// Every file of memory that git knows or does not ignore, by its path. A link is no
    /// file of its own: what it leads to is looked at once, under its own name.
    pub fn memory_files(&self) -> Result<Vec<File>> {
        self.memory_among(&self.paths_of_work_tree()?)
    }

    /// What lint says of the memory in the work tree.
    pub fn lint_memory(&self) -> Result<Vec<Found>> {
        let paths = self.paths_of_work_tree()?;
        let files = self.memory_among(&paths)?;
        let known: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let mut asked: HashMap<String, bool> = HashMap::new();
        // A pointer may lead to a directory, or to what git ignores.
        let mut exists = |path: &str| {
            known.contains(path)
                || *asked
                    .entry(path.to_owned())
                    .or_insert_with(|| self.store.work_tree().join(path).symlink_metadata().is_ok())
        };
        let pages = self.page_names();
        let anchors = self.rules.maps.anchors();
        let kinds = match self.focused()? {
            Some(focused) => self.kinds(&focused.state),
            None => self.rules.kinds().clone(),
        };
        let budgets = self.rules.budgets;
        let memory = Memory { files: &files, pages: &pages, anchors: &anchors, kinds: &kinds, budgets };
        Ok(lint::lint(&memory, &mut exists))
    }

    /// Knowledge files whose front matter is at fault, as `file:line`. For a hook: no child
    /// process, and no more than so many files.
    pub(super) fn faulty_knowledge(&self) -> Vec<String> {
        let (paths, known) = self.knowledge_on_disk();
        let faults = |path: &String| {
            let text = std::fs::read(self.store.work_tree().join(path)).ok()?;
            let fault = fault_of(path, &String::from_utf8_lossy(&text), &known)?;
            Some(format!("{path}:{}", fault.line))
        };
        paths.iter().take(READ).filter_map(faults).collect()
    }

    /// What is said of the first knowledge file of a call that was written with a fault in
    /// its front matter. A word, never a refusal.
    pub(super) fn word_on_knowledge(
        &self,
        focused: &Focused,
        call: &ToolCall,
        places: &[(String, Place)],
    ) -> Option<String> {
        let written = places.iter().filter(|(_, place)| *place == Place::Knowledge);
        let written = written.filter(|(path, _)| knowledge::is_knowledge(path));
        let mut written = written.filter(|_| matches!(call.act, Act::Edit(_))).peekable();
        written.peek()?;
        let (_, known) = self.knowledge_on_disk();
        let (file, fault) = written.find_map(|(path, _)| {
            let text = std::fs::read(self.store.work_tree().join(path)).ok()?;
            Some((path, fault_of(path, &String::from_utf8_lossy(&text), &known)?))
        })?;
        let mut facts = Facts::default();
        facts.set("file", file.as_str());
        facts.set("line", fault.line.to_string());
        facts.set("what", fault.detail);
        Some(voice::open(Line::Fault, self.row(Some(focused)).name.as_str(), &facts))
    }

    /// What is wrong with the front matter of a knowledge file, first.
    pub(super) fn front_fault(&self, path: &str) -> Option<Finding> {
        let text = std::fs::read(self.store.work_tree().join(path)).ok()?;
        let (_, known) = self.knowledge_on_disk();
        fault_of(path, &String::from_utf8_lossy(&text), &known)
    }

    /// Gives a knowledge file its line in the index, where it has none; says whether it did.
    pub(super) fn list_knowledge(&self, path: &str) -> Result<bool> {
        let text = std::fs::read_to_string(self.store.work_tree().join(path))?;
        let said = knowledge::front(&text).description.map(|said| said.text.to_owned());
        let index = self.store.work_tree().join(knowledge::INDEX);
        let now = std::fs::read_to_string(&index).unwrap_or_default();
        let new = knowledge::with_line(&now, path, &knowledge::name_of(path), &said.unwrap_or_default());
        if new != now {
            self.replace_file(&index, new.as_bytes())?;
        }
        Ok(new != now)
    }

    /// Paths of knowledge files in the work tree, and the names that they go by.
    fn knowledge_on_disk(&self) -> (Vec<String>, BTreeSet<String>) {
        let mut paths = Vec::new();
        let mut ahead = vec![(knowledge::HOME.trim_end_matches('/').to_owned(), 0)];
        while let Some((dir, depth)) = ahead.pop().filter(|_| paths.len() < LISTED) {
            let Ok(entries) = std::fs::read_dir(self.store.work_tree().join(&dir)) else { continue };
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

    pub(super) fn page_names(&self) -> Vec<&str> {
        self.rules.pages.iter().map(String::as_str).collect()
    }

    pub(super) fn paths_of_work_tree(&self) -> Result<Vec<String>> {
        let files = self.store.files()?;
        // A name that is no text is nobody's page, and no pointer could say it.
        let mut paths: Vec<String> =
            files.iter().filter_map(|file| file.to_str().map(str::to_owned)).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    fn memory_among(&self, paths: &[String]) -> Result<Vec<File>> {
        let pages = self.page_names();
        let mut files = Vec::new();
        for path in paths.iter().filter(|path| lint::is_memory(path, &pages)) {
            let at = self.store.work_tree().join(path);
            if at.symlink_metadata().is_ok_and(|data| data.is_file()) {
                let text = String::from_utf8_lossy(&std::fs::read(at)?).into_owned();
                files.push(File { path: path.clone(), text });
            }
        }
        Ok(files)
    }
}

/// The first error of a knowledge file.
fn fault_of(path: &str, text: &str, known: &BTreeSet<String>) -> Option<Finding> {
    knowledge::check(path, text, known).into_iter().find(|fault| fault.level == Level::Error)
}

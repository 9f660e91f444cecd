//! Memory as it lies in the work tree: which files it is, and what lint says of them.
//!
//! Reads only, one child process for the list of files.

use std::collections::{HashMap, HashSet};

use super::{Result, Seed};
use crate::memory::lint::{self, File, Found, Memory};

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
        let memory = Memory { files: &files, pages: &pages, anchors: &anchors, budgets: self.rules.budgets };
        Ok(lint::lint(&memory, &mut exists))
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

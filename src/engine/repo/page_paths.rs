//! Which paths are pages, and what a page says now.

use std::path::Path;

use crate::engine::own_state;
use crate::engine::repo::{self, EngineError, Repo, Result};
use crate::format::state::State;
use crate::memory::notes::Kinds;
use crate::memory::scope::of_below;

/// Directories of memory, beside pages.
const MEMORY: [&str; 2] = [".claude/knowledge/", ".claude/jobs/"];

/// A letter as a pathspec takes it literally.
fn escaped(letter: char) -> impl Iterator<Item = char> {
    let sign = matches!(letter, '*' | '?' | '[' | ']' | '\\').then_some('\\');
    sign.into_iter().chain([letter])
}

impl Repo {
    /// The page of a directory, given as a line of the scope; `None` where it is not there.
    pub(crate) fn page_text(&self, line: &str) -> Result<Option<String>> {
        let page = self.page_path(line);
        match repo::paths::text_of(self.store.work_tree().join(&page)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if repo::paths::is_nothing(&error) => Ok(None),
            // A directory or a pipe is no page: the fence names it, and puts the page back.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(None),
            // Its notes would be settled, and its footer empty, by a byte that is no text.
            Err(error) => Err(EngineError::WorkFile(own_state::unread(Path::new(&page), &error))),
        }
    }

    /// The path of the page of a directory, given as a line of the scope.
    pub(crate) fn page_path(&self, line: &str) -> String {
        let dir = if line == "." { "" } else { line };
        crate::memory::pages::page_of_dir(dir, self.rules.page_name())
    }

    /// The pages of the directories that a job's list names.
    pub(crate) fn pages_of(&self, list: &[u8]) -> Vec<String> {
        let lines = crate::format::state::read_lines(list);
        let dirs = lines.iter().filter(|line| of_below(line).is_none());
        dirs.map(|line| self.page_path(line)).collect()
    }

    /// The kinds of notes that hold in the job: the rules', and those that it brought.
    pub(crate) fn kinds(&self, state: &State) -> Kinds {
        self.rules.kinds().clone().with_own(state.kinds.iter().map(String::as_str))
    }

    pub(crate) fn is_page(&self, path: &str) -> bool {
        self.rules.pages.iter().any(|page| page == crate::memory::pages::name_of(path))
    }

    /// The path is memory: a page, knowledge, or a file of a job's directory.
    pub(crate) fn is_memory(&self, path: &str) -> bool {
        self.is_page(path) || MEMORY.iter().any(|dir| path.starts_with(dir))
    }

    /// Pathspecs that leave memory out.
    pub(crate) fn without_memory(&self) -> Vec<String> {
        let dirs = MEMORY.iter().map(|dir| format!(":(exclude){dir}"));
        let pages = self.rules.pages.iter().map(|page| {
            let plain: String = page.chars().flat_map(escaped).collect();
            format!(":(exclude,glob)**/{plain}")
        });
        dirs.chain(pages).collect()
    }
}

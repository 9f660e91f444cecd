//! Which paths are pages, and what a page says now.

use crate::engine::repo;
use crate::engine::repo::Repo;
use crate::format::state::State;
use crate::memory::notes::Kinds;

impl Repo {
    /// The page of a directory, given as a line of the scope.
    pub(crate) fn page_text(&self, line: &str) -> Option<String> {
        repo::paths::text_of(self.store.work_tree().join(self.page_path(line))).ok()
    }

    /// The path of the page of a directory, given as a line of the scope.
    pub(crate) fn page_path(&self, line: &str) -> String {
        let dir = if line == "." { "" } else { line };
        crate::memory::pages::page_of_dir(dir, self.rules.page_name())
    }

    /// The kinds of notes that hold in the job: the rules', and those that it brought.
    pub(crate) fn kinds(&self, state: &State) -> Kinds {
        self.rules.kinds().clone().with_own(state.kinds.iter().map(String::as_str))
    }

    pub(crate) fn is_page(&self, path: &str) -> bool {
        self.rules.pages.iter().any(|page| page == crate::memory::pages::name_of(path))
    }
}

//! Notes at work: what proves that one was acted on, and the commands that bring one to rest.

use super::Seed;
use crate::format::names;
use crate::jobs::JobId;
use crate::memory::notes::{Crumb, Kind};
use crate::store::RepoPath;

/// Where knowledge lies.
const KNOWLEDGE: &str = ".claude/knowledge/";
/// The fewest digits of a shortened commit id.
const SHORT: usize = 7;

impl Seed {
    /// Whether `crumb` leads to something that exists, of the sorts that prove this kind.
    pub(super) fn leads_somewhere(&self, kind: &Kind, crumb: &str) -> bool {
        kind.crumbs.iter().any(|sort| self.is_there(*sort, crumb))
    }

    /// Each word of a breadcrumb may be the reference: `job <id> created` is one.
    fn is_there(&self, sort: Crumb, crumb: &str) -> bool {
        let words =
            crumb.split_whitespace().map(|word| word.trim_matches(['`', ',', ';', '.', ':', '(', ')']));
        match sort {
            Crumb::Commit => words.clone().any(|word| self.is_commit(word)),
            Crumb::Job => words.clone().any(|word| self.is_job(word)),
            Crumb::File => self.is_file(crumb.trim(), "") || words.clone().any(|word| self.is_file(word, "")),
            Crumb::Knowledge => words.clone().any(|word| self.is_file(word, KNOWLEDGE)),
        }
    }

    /// A full or shortened id of a commit that is here. Names of branches move, and prove nothing.
    fn is_commit(&self, word: &str) -> bool {
        let hex = word.len() >= SHORT && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex && self.store.has_commit(word)
    }

    fn is_job(&self, word: &str) -> bool {
        let Ok(id) = word.parse::<JobId>() else { return false };
        matches!(self.store.tip(&names::job_chain(&id)), Ok(Some(_)))
    }

    /// A file of the work tree below `folder`, by its path from the top.
    fn is_file(&self, path: &str, folder: &str) -> bool {
        let plain = path.starts_with(folder) && !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        let file = RepoPath::try_from(path).ok().and_then(|path| path.below(self.store.work_tree()).ok());
        plain && file.is_some_and(|file| file.metadata().is_ok_and(|data| data.is_file() && data.len() > 0))
    }
}

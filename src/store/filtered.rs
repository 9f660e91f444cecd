//! What git's filters make of paths of the work tree, and which paths the fence may store: see
//! [`super::filters`].

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::filters::Sorted;
use super::path::nul_terminated;
use super::pins::{Lens, records};
use super::worktree::repo_path;
use super::{RepoPath, Store};

impl Store {
    /// The programs of the filters that configuration defines now. One whose name a `-c` cannot
    /// carry is left out.
    pub(super) fn filters_now(&self) -> Vec<(String, [String; 2])> {
        let config = self.repo.config_snapshot();
        let sections = config.plumbing().sections_by_name("filter").into_iter().flatten();
        let names: BTreeSet<String> = sections
            .filter_map(|section| Some(section.header().subsection_name()?.to_string()))
            .filter(|name| !name.contains(['=', '\n']))
            .collect();
        let value = |name: &str, key: &str| {
            let value = config.string(format!("filter.{name}.{key}").as_str());
            value.map(|value| value.to_string()).unwrap_or_default()
        };
        let with_programs = |name: String| {
            let programs = ["clean", "process"].map(|key| value(&name, key));
            (name, programs)
        };
        names.into_iter().map(with_programs).collect()
    }

    /// Sorts `paths` by their filters.
    pub(super) fn by_filter(
        &self,
        lens: &Lens,
        paths: Vec<RepoPath>,
    ) -> Result<Sorted, StoreError> {
        let filters = &lens.filters;
        let mut sorted = Sorted::default();
        if paths.is_empty() || (filters.now.is_empty() && filters.run.is_empty()) {
            sorted.plain = paths;
            return Ok(sorted);
        }
        let now = self.filter_of(&paths, None)?;
        let pinned = self.filter_of(&paths, Some(lens))?;
        for path in paths {
            let is_file = |path: &RepoPath| {
                let file = path.below(&self.work_tree).ok();
                file.and_then(|file| file.symlink_metadata().ok()).is_some_and(|it| it.is_file())
            };
            let now = now.get(&path).filter(|name| filters.now.contains(*name));
            let runs = pinned.get(&path).filter(|name| filters.run.contains(*name));
            match (now, runs) {
                (None, None) => sorted.plain.push(path),
                // What is gone, or no file, goes through no filter.
                _ if !is_file(&path) => sorted.plain.push(path),
                (None, Some(_)) => sorted.filtered.push(path),
                (Some(now), Some(runs)) if now == runs && filters.same.contains(now) => {
                    sorted.filtered.push(path);
                }
                _ => sorted.left.push(path),
            }
        }
        Ok(sorted)
    }

    /// The filter that attributes give to each of `paths`: those of now, or those of a lens.
    fn filter_of(
        &self,
        paths: &[RepoPath],
        lens: Option<&Lens>,
    ) -> Result<BTreeMap<RepoPath, String>, StoreError> {
        let settings: Vec<_> = lens.into_iter().flat_map(Lens::settings).collect();
        let args =
            settings.into_iter().chain(["check-attr", "-z", "--stdin", "filter"].map(Into::into));
        let variable = lens.and_then(Lens::variable);
        let printed = self.git(args).envs(variable).input(nul_terminated(paths)).run()?;
        let mut found = BTreeMap::new();
        let mut fields = records(&printed);
        while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next())
        {
            // A filter may have the name of one of these words; git then means the word, too.
            if !matches!(value, b"unspecified" | b"unset" | b"set") {
                found.insert(repo_path(path)?, String::from_utf8_lossy(value).into_owned());
            }
        }
        Ok(found)
    }

    /// The bytes at `path` as git would store them now: of a file, through its filter, or where a
    /// link leads; `None` where neither is there.
    ///
    /// # Errors
    ///
    /// Its filter does not work. What it would hide is stored nowhere then.
    pub(crate) fn stored_form(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(bytes) = self.content_now(path) else { return Ok(None) };
        let drivers = self.filters_now();
        let filters = if drivers.is_empty() {
            BTreeMap::new()
        } else {
            self.filter_of(std::slice::from_ref(path), None)?
        };
        let acts = |name: &&String| {
            drivers.iter().any(|(known, programs)| {
                known == *name && programs.iter().any(|program| !program.is_empty())
            })
        };
        let is_file = path
            .below(&self.work_tree)
            .is_ok_and(|file| file.symlink_metadata().is_ok_and(|data| data.is_file()));
        let Some(name) = filters.get(path).filter(acts).filter(|_| is_file) else {
            return Ok(Some(bytes));
        };
        let required = format!("filter.{name}.required=true");
        let at = gix::path::from_byte_slice(path.as_bytes()).map_err(|_| StoreError::Invalid {
            what: path.to_string(),
            why: "no path here".to_owned(),
        })?;
        let mut how = std::ffi::OsString::from("--path=");
        how.push(at);
        let args = ["-c", required.as_str(), "hash-object", "-w", "--stdin"].map(Into::into);
        let printed = self.git(args.into_iter().chain([how])).input(bytes).run()?;
        let id = String::from_utf8_lossy(&printed).trim().to_owned();
        self.git(["cat-file", "blob", &id]).run().map(Some)
    }
}

//! What a policy asks of git: settings that only the person or the machine may make, the default
//! branches of the remotes by their names, and who signed the last commit that changed a file.

use std::path::Path;
use std::time::{Duration, Instant};

use gix::config::Source;
use gix::refs::Target;

use super::error::StoreError;
use super::origin::USUAL;
use super::{Checked, CommitId, RepoPath, Store};

/// Where the default branch of a remote is, as it was fetched last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteBranch {
    pub remote: String,
    /// The whole name of the ref.
    pub name: String,
    pub commit: CommitId,
}

/// What is here of a file in a commit; no remote is asked for the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Here {
    Bytes(Vec<u8>),
    /// The commit has no such file.
    None,
    /// A partial clone, or a shallow one, left it with its remote.
    Missing,
}

/// Who stands behind a file of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// A commit that an allowed key signed.
    Signed(CommitId),
    Unsigned(CommitId),
    /// A signature that is not of an allowed key, or none over this commit; and why.
    Foreign(CommitId, String),
    /// The commit is not known, because the history is cut off or looking took too long.
    Untold(String),
}

impl Store {
    /// Values of `key` in the configuration of the person and of the machine, without those of this
    /// repository, of the environment and of a command line. Values are as they were written: git
    /// would fail on one that it cannot read as a path, in whichever scope it is.
    pub(crate) fn wider_settings(&self, key: &str) -> Result<Vec<String>, StoreError> {
        let asked = ["config", "--show-scope", "-z", "--get-all", key];
        let outcome = self.git(asked).outcome()?;
        if !matches!(outcome.code, Some(0 | 1)) {
            return Err(outcome.failed());
        }
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let mut fields = text.split('\0');
        let mut found = Vec::new();
        while let (Some(scope), Some(value)) = (fields.next(), fields.next()) {
            if matches!(scope, "global" | "system") && !value.is_empty() {
                found.push(value.to_owned());
            }
        }
        Ok(found)
    }

    /// Whether this repository's own configuration has `name` in `section`.
    pub(crate) fn sets_itself(&self, section: &str, name: &str) -> bool {
        let config = self.repo.config_snapshot();
        let own = |one: &gix::config::file::SectionRef<'_>| {
            matches!(one.meta().source, Source::Local | Source::Worktree)
        };
        let sections = config.plumbing().sections_by_name(section);
        sections.into_iter().flatten().any(|one| own(&one) && one.contains_value_name(name))
    }

    /// The default branches of the remotes, `origin` first.
    pub(crate) fn named_default_branches(&self) -> Result<Vec<RemoteBranch>, StoreError> {
        let mut remotes = self.remotes();
        remotes.sort_by_key(|name| name != "origin");
        let mut found = Vec::new();
        for remote in remotes {
            let head = format!("refs/remotes/{remote}/HEAD");
            // A remote that was added by hand has no HEAD until somebody sets it.
            let names = match self.target(&head)? {
                Some(Target::Symbolic(to)) => vec![to.as_bstr().to_string()],
                _ => USUAL.map(|branch| format!("refs/remotes/{remote}/{branch}")).to_vec(),
            };
            for name in names {
                if let Some(commit) = self.commit_of_ref(&name)? {
                    found.push(RemoteBranch { remote: remote.clone(), name, commit });
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The file `path`, at the top of a commit, as far as it is here.
    pub(crate) fn here_at(&self, commit: &CommitId, path: &RepoPath) -> Result<Here, StoreError> {
        if !self.has_object(commit.as_str()) {
            return Ok(Here::Missing);
        }
        let tree = self.as_written(commit)?.tree;
        let empty = gix::ObjectId::empty_tree(self.repo.object_hash());
        if tree.object()? != empty && !self.has_object(tree.as_str()) {
            return Ok(Here::Missing);
        }
        let what = format!("`{path}` of {commit}");
        Ok(match self.entry_in(&tree, path.as_bytes(), &what)? {
            Some((mode, id)) if mode.is_blob_or_symlink() => {
                if !self.has_object(&id.to_string()) {
                    return Ok(Here::Missing);
                }
                Here::Bytes(self.object(id, &what)?.detach().data)
            }
            _ => Here::None,
        })
    }

    /// Who stands behind the file `path` of the branch that ends at `tip`: the last commit that
    /// changed it, held against the allowed signers in `keys`. Takes no longer than `most`, twice,
    /// and fetches nothing.
    pub(crate) fn behind(
        &self,
        tip: &CommitId,
        path: &RepoPath,
        keys: &Path,
        most: Duration,
    ) -> Result<Behind, StoreError> {
        let slow = || Behind::Untold("looking for its last commit took too long".to_owned());
        let asked = ["rev-list", "-1", tip.as_str(), "--", &path.to_string()];
        let child = self.git(asked).without_prompts().without_fetches();
        let Some(said) = child.outcome_until(Instant::now() + most)? else {
            return Ok(slow());
        };
        let id = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let Ok(commit) = id.parse::<CommitId>() else {
            return Ok(Behind::Untold("no commit of its branch is known to change it".to_owned()));
        };
        // A shallow clone, or a graft, calls a commit the first one that is not.
        let here = self.here_at(&commit, path)?;
        if here == Here::Missing {
            return Ok(Behind::Untold(format!("what {commit} holds is not here")));
        }
        if here != self.here_at(tip, path)? {
            return Ok(Behind::Untold("its history does not lead to its text".to_owned()));
        }
        for parent in &self.as_written(&commit)?.parents {
            let before = self.here_at(parent, path)?;
            if before == Here::Missing {
                return Ok(Behind::Untold(format!("the history before {commit} is not here")));
            }
            if before == here {
                return Ok(Behind::Untold(format!("{commit} is not the commit that changed it")));
            }
        }
        match self.is_signed_with_ssh(&commit)? {
            Some(true) => {}
            None => return Ok(Behind::Unsigned(commit)),
            // Only keys of that kind can stand among allowed signers.
            Some(false) => {
                let why = "it is not an SSH signature".to_owned();
                return Ok(Behind::Foreign(commit, why));
            }
        }
        Ok(match self.check_within(&commit, Some(keys), most)? {
            Checked::Good => Behind::Signed(commit),
            Checked::Foreign => Behind::Foreign(commit, "its key is not an allowed one".to_owned()),
            Checked::Bad(why) => Behind::Foreign(commit, why),
            Checked::Unmeasured(why) => Behind::Untold(why),
        })
    }

    /// The id that these bytes have as a file.
    pub(crate) fn blob_id(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let kind = gix::objs::Kind::Blob;
        let id = gix::objs::compute_hash(self.repo.object_hash(), kind, bytes);
        let id = id.map_err(|err| StoreError::odd("the rules".to_owned(), &err.to_string()))?;
        Ok(id.to_string())
    }

    /// Whether `tree` holds the file `name` with these bytes and nothing else; it is not read.
    pub(crate) fn is_tree_of(
        &self,
        tree: &super::TreeId,
        name: &str,
        bytes: &[u8],
    ) -> Result<bool, StoreError> {
        let hash = self.repo.object_hash();
        let odd = |err: &dyn std::fmt::Display| StoreError::odd(name.to_owned(), &err.to_string());
        let blob = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, bytes);
        let mut entry = format!("100644 {name}\0").into_bytes();
        entry.extend(blob.map_err(|err| odd(&err))?.as_slice());
        let wanted = gix::objs::compute_hash(hash, gix::objs::Kind::Tree, &entry);
        Ok(super::TreeId::from(wanted.map_err(|err| odd(&err))?) == *tree)
    }

    /// The text of a blob; nothing where it is not here, or is none.
    pub(crate) fn text_of_blob(&self, id: &str) -> Result<Option<String>, StoreError> {
        let Ok(id) = gix::ObjectId::from_hex(id.as_bytes()) else { return Ok(None) };
        if !self.repo.has_object(id) {
            return Ok(None);
        }
        let object = self.object(id, "a text of rules")?;
        let text = (object.kind == gix::objs::Kind::Blob).then(|| object.detach().data);
        Ok(text.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// When a commit was made, as it says.
    pub(crate) fn committed_at(&self, commit: &CommitId) -> Result<i64, StoreError> {
        let unread =
            |err: gix::Error| StoreError::unreadable(format!("the commit ({commit})"), &err);
        let object = self.commit_object(commit.object()?, "the commit")?;
        let decoded = object.decode().map_err(unread)?;
        Ok(decoded.committer().map_err(unread)?.seconds())
    }

    /// Whether the one signature in the head of a commit is of an SSH key; nothing without any.
    fn is_signed_with_ssh(&self, commit: &CommitId) -> Result<Option<bool>, StoreError> {
        let object = self.commit_object(commit.object()?, "the commit")?.detach();
        let text = String::from_utf8_lossy(&object.data).into_owned();
        let head = text.split("\n\n").next().unwrap_or_default();
        let signed: Vec<&str> = head.lines().filter(|line| line.starts_with("gpgsig")).collect();
        Ok(match signed[..] {
            [] => None,
            [one] => Some(one.ends_with("-----BEGIN SSH SIGNATURE-----")),
            _ => Some(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn a_setting_of_the_repository_is_none_of_the_person_s() {
        let bed = Testbed::new();
        assert!(!bed.store().sets_itself("seed", "policyKeys"));
        bed.git(&["config", "seed.policyKeys", "/keys"]);
        assert!(bed.store().sets_itself("seed", "policyKeys"));
        assert_eq!(bed.store().wider_settings("seed.policyKeys").expect("asks"), [""; 0]);
    }

    #[test]
    fn a_text_has_the_id_that_git_gives_it() {
        let bed = Testbed::new();
        bed.commit("rules", "idle = \"open\"\n");
        let id = bed.git(&["rev-parse", "HEAD:rules"]);
        let store = bed.store();
        assert_eq!(store.blob_id(b"idle = \"open\"\n").expect("hashes"), id.trim());
        let text = store.text_of_blob(id.trim()).expect("reads");
        assert_eq!(text.as_deref(), Some("idle = \"open\"\n"));
        assert_eq!(store.text_of_blob(&"1".repeat(40)).expect("asks"), None);
        assert_eq!(store.text_of_blob("shipped").expect("asks"), None);
    }

    #[test]
    fn a_remote_has_one_default_branch_and_origin_comes_first() {
        let bed = Testbed::new();
        bed.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
        for remote in ["fork", "origin"] {
            bed.git(&["remote", "add", remote, "../hub"]);
            bed.git(&["update-ref", &format!("refs/remotes/{remote}/main"), "HEAD"]);
            bed.git(&["update-ref", &format!("refs/remotes/{remote}/master"), "HEAD"]);
        }
        let found = bed.store().named_default_branches().expect("they read");
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["refs/remotes/origin/main", "refs/remotes/fork/main"]);
    }
}

//! Where a push of this branch goes, as git's settings have it.

use super::{CommitId, Store, StoreError};

impl Store {
    /// The branches of remotes that were seen with `commit` in them, each with its remote, its name
    /// there, and where it stood.
    pub(crate) fn seen_with(
        &self,
        commit: &CommitId,
    ) -> Result<Vec<(String, String, CommitId)>, StoreError> {
        if !self.has_commit(commit.as_str()) {
            return Ok(Vec::new());
        }
        // One that is another's name, such as origin/HEAD, has a third word.
        let form = "--format=%(objectname) %(refname) %(symref)";
        let args = ["for-each-ref", form, "--contains", commit.as_str(), "refs/remotes"];
        let printed = self.git(args).run()?;
        let remotes = self.remotes();
        let seen = |line: &str| {
            let (at, name) = line.trim().split_once(' ')?;
            let name = name.strip_prefix("refs/remotes/").filter(|name| !name.contains(' '))?;
            let own = remotes.iter().filter_map(|remote| {
                Some((remote.clone(), name.strip_prefix(remote)?.strip_prefix('/')?.to_owned()))
            });
            let (remote, branch) = own.max_by_key(|(remote, _)| remote.len())?;
            Some((remote, branch, at.parse().ok()?))
        };
        Ok(String::from_utf8_lossy(&printed).lines().filter_map(seen).collect())
    }

    /// Where a push to the remote `name` goes: all of its addresses, as git turns them round. What
    /// is no remote's name is an address itself.
    pub(crate) fn pushes_to(&self, name: &str) -> Vec<String> {
        let own = self.values(&format!("remote.{name}.pushUrl"));
        if !own.is_empty() {
            return own.iter().map(|url| self.turned(url, false)).collect();
        }
        let urls = self.values(&format!("remote.{name}.url"));
        let urls = if urls.is_empty() { vec![name.to_owned()] } else { urls };
        urls.iter().map(|url| self.turned(url, true)).collect()
    }

    /// Where a fetch from the remote `name` asks.
    pub(crate) fn fetch_url(&self, name: &str) -> String {
        let urls = self.values(&format!("remote.{name}.url"));
        self.turned(urls.first().map_or(name, String::as_str), false)
    }

    /// The refs that a fetch from the remote `name` brings which names none.
    pub(crate) fn fetched_refs(&self, name: &str) -> Vec<String> {
        self.values(&format!("remote.{name}.fetch"))
    }

    /// The refs that a push to the remote `name` sends which names none; empty where git sends
    /// nothing then.
    pub(crate) fn pushed_refs(&self, name: &str) -> Vec<String> {
        let (mirror, specs) = self.push_settings(name);
        if mirror {
            return vec!["refs/*".to_owned()];
        }
        if !specs.is_empty() {
            return specs.into_iter().flat_map(|spec| self.spelled(spec)).collect();
        }
        let Some(branch) = self.branch().ok().flatten() else { return Vec::new() };
        let own = format!("refs/heads/{branch}");
        let central = self.value(&format!("branch.{branch}.remote")).is_some_and(|r| r == name);
        let merge = self.value(&format!("branch.{branch}.merge")).filter(|_| central);
        let default = self.value("push.default").unwrap_or_default();
        match (default.to_lowercase().as_str(), merge) {
            ("nothing", _) => Vec::new(),
            ("matching", _) => self.ref_names("refs/heads/"),
            ("upstream" | "tracking", Some(merge)) if merge != own => {
                vec![format!("{own}:{merge}")]
            }
            // `simple` sends to the same name alone, and refuses any other.
            _ => vec![own],
        }
    }

    /// A refspec as it is to be read: what stands for several refs is spelled out by name, and
    /// HEAD with the branch that it is.
    pub(crate) fn spelled(&self, spec: String) -> Vec<String> {
        let plain = spec.strip_prefix('+').unwrap_or(&spec);
        match plain {
            ":" => self.ref_names("refs/heads/"),
            "HEAD" | "@" => match self.branch().ok().flatten() {
                Some(branch) => vec![format!("HEAD:refs/heads/{branch}")],
                None => vec![spec],
            },
            _ => {
                let (source, target) = plain.split_once(':').unwrap_or((plain, plain));
                match source.strip_suffix('*') {
                    Some(prefix) if source == target && prefix.starts_with("refs/") => {
                        self.ref_names(prefix)
                    }
                    _ => vec![spec],
                }
            }
        }
    }

    /// The upstream of this branch as a person writes it, such as `origin/main`.
    pub(crate) fn upstream_shown(&self) -> Option<String> {
        let (_, remote, merge) = self.upstream()?;
        Some(format!("{remote}/{}", merge.strip_prefix("refs/heads/").unwrap_or(&merge)))
    }

    /// This branch, the remote of its upstream, and the ref there.
    fn upstream(&self) -> Option<(String, String, String)> {
        let branch = self.branch().ok().flatten()?;
        let of_branch = |key: &str| self.value(&format!("branch.{branch}.{key}"));
        let (remote, merge) = of_branch("remote").zip(of_branch("merge"))?;
        Some((branch, remote, merge))
    }

    /// A push that names nothing sends this branch to its own upstream, and nothing else.
    pub(crate) fn pushes_to_upstream(&self) -> bool {
        let Some((branch, remote, merge)) = self.upstream() else { return false };
        let (mirror, specs) = self.push_settings(&remote);
        let default = self.value("push.default").unwrap_or_default().to_lowercase();
        let same = match default.as_str() {
            "nothing" | "matching" => false,
            "current" => merge == format!("refs/heads/{branch}"),
            _ => true,
        };
        let inner = self.value("push.recurseSubmodules").unwrap_or_default();
        let more = self.is_set("push.followTags") || ["on-demand", "only"].contains(&&*inner);
        // An address in the place of a name is nobody's upstream that a person spoke of.
        let is_named = !self.values(&format!("remote.{remote}.url")).is_empty();
        self.push_remote().is_some_and(|to| to == remote)
            && is_named
            && same
            && !mirror
            && specs.is_empty()
            && !more
    }

    /// The address that git uses for `url`; another one where it is for a push that the remote
    /// gives no address of its own for.
    fn turned(&self, url: &str, pushes: bool) -> String {
        let config = self.repo.config_snapshot();
        let sections = || config.plumbing().sections_by_name("url").into_iter().flatten();
        let by = |key: &str| {
            let found = sections().filter_map(|section| {
                let base = section.header().subsection_name()?.to_string();
                let values = section.values(key).into_iter().map(|value| value.to_string());
                let longest = values.filter(|value| url.starts_with(value.as_str()));
                Some((longest.map(|value| value.len()).max()?, base))
            });
            let (length, base) = found.max_by_key(|(length, _)| *length)?;
            Some(format!("{base}{}", &url[length..]))
        };
        let own = pushes.then(|| by("pushInsteadOf")).flatten();
        own.or_else(|| by("insteadOf")).unwrap_or_else(|| url.to_owned())
    }

    fn value(&self, key: &str) -> Option<String> {
        self.repo.config_snapshot().string(key).map(|value| value.to_string())
    }

    fn values(&self, key: &str) -> Vec<String> {
        let config = self.repo.config_snapshot();
        let values = config.plumbing().strings(key).into_iter().flatten();
        values.map(|value| value.to_string()).filter(|value| !value.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn a_push_that_names_no_refs_is_told_as_git_does_it() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        let branch = bed.git(&["symbolic-ref", "--short", "HEAD"]).trim().to_owned();
        let own = format!("refs/heads/{branch}");
        let pushed = |name: &str| bed.store().pushed_refs(name);
        let set = |key: &str, value: &str| drop(bed.git(&["config", key, value]));
        let upstream = || bed.store().pushes_to_upstream();
        assert_eq!((pushed("origin"), upstream()), (vec![own.clone()], false), "no upstream");
        set("remote.origin.url", "../there.git");
        set(&format!("branch.{branch}.remote"), "../other.git");
        set(&format!("branch.{branch}.merge"), &own);
        assert!(!upstream(), "an address is no remote of this repository");
        set(&format!("branch.{branch}.remote"), "origin");
        assert_eq!((pushed("origin"), upstream()), (vec![own.clone()], true));
        for (default, stays) in [("simple", true), ("current", true), ("upstream", true)] {
            set("push.default", default);
            assert_eq!((pushed("other"), upstream()), (vec![own.clone()], stays), "{default}");
        }
        set(&format!("branch.{branch}.merge"), "refs/heads/far");
        assert_eq!(pushed("origin"), [format!("{own}:refs/heads/far")]);
        bed.git(&["branch", "side"]);
        set("push.default", "matching");
        assert_eq!((pushed("origin").len(), upstream()), (2, false));
        set("push.default", "nothing");
        assert_eq!((pushed("origin").len(), upstream()), (0, false));
        set("push.default", "simple");
        set("push.followTags", "true");
        assert!(!upstream(), "tags go, too");
        set("push.followTags", "false");
        set("remote.pushDefault", "other");
        assert!(!upstream());
        set("remote.origin.push", "refs/heads/*:refs/heads/*");
        assert_eq!(pushed("origin").len(), 2, "each by its name");
        assert_eq!(bed.store().spelled("HEAD".to_owned()), [format!("HEAD:{own}")]);
        assert_eq!(bed.store().spelled("main:release".to_owned()), ["main:release"]);
    }

    #[test]
    fn the_addresses_of_a_push_are_those_that_git_contacts() {
        let bed = Testbed::new();
        let set = |key: &str, value: &str| drop(bed.git(&["config", "--add", key, value]));
        set("remote.origin.url", "gh:a/b.git");
        let urls = || bed.store().pushes_to("origin");
        assert_eq!(urls(), ["gh:a/b.git"]);
        set("url.https://example.org/.insteadOf", "gh:");
        assert_eq!(urls(), ["https://example.org/a/b.git"]);
        set("url.ssh://git@example.org/.pushInsteadOf", "gh:");
        assert_eq!(urls(), ["ssh://git@example.org/a/b.git"]);
        assert_eq!(bed.store().fetch_url("origin"), "https://example.org/a/b.git");
        set("remote.origin.pushUrl", "/one");
        set("remote.origin.pushUrl", "gh:two");
        assert_eq!(urls(), ["/one", "https://example.org/two"]);
        assert_eq!(bed.store().pushes_to("../elsewhere"), ["../elsewhere"]);
    }
}

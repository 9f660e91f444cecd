//! What git itself says where people expect its words: times as it reads them, differences as it
//! prints them, and the pager that it shows them in.

use super::error::StoreError;
use super::git::clean_git;
use super::{CommitId, Store, UnixSeconds};

impl Store {
    /// The moment that a person means by `said`, such as `2 days ago`, as `git log --since` reads
    /// it: words that git does not know are now, so who asks looks at them first.
    pub(crate) fn moment_said(&self, said: &str) -> Result<UnixSeconds, StoreError> {
        let asked = format!("--since={said}");
        let printed = self.git(["rev-parse", &asked]).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let at = printed.trim().strip_prefix("--max-age=").and_then(|at| at.parse().ok());
        at.ok_or_else(|| StoreError::Git {
            command: format!("git rev-parse {asked}"),
            output: printed.trim().to_owned(),
        })
    }

    /// What `commit` changes, as `git show` prints it; nothing where it is not in this clone.
    pub(crate) fn patch_of(&self, commit: &str) -> Result<Option<String>, StoreError> {
        let known = commit.parse::<CommitId>().ok().filter(|id| self.has_object(id.as_str()));
        let Some(commit) = known else { return Ok(None) };
        // No program of the repository's is started for what is only read.
        let plain =
            ["show", "--format=", "--patch", "--no-color", "--no-ext-diff", "--no-textconv"];
        let words = plain.into_iter().chain(["--no-show-signature", commit.as_str(), "--"]);
        let printed = self.git(words).without_fetches().run()?;
        Ok(Some(String::from_utf8_lossy(&printed).into_owned()))
    }
}

/// The pager that git uses: a command line of the shell's. None where it uses none.
///
/// The repository's own configuration is not asked: what an agent's code can write there would be
/// started at a person's terminal, where git seed takes it for the person.
pub(crate) fn pager() -> Option<String> {
    let mut command = clean_git(None);
    command.envs(given());
    let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let said = command.env("GIT_DIR", nowhere).args(["var", "GIT_PAGER"]).output().ok()?;
    let pager = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (said.status.success() && !pager.is_empty() && pager != "cat").then_some(pager)
}

/// What `git -c core.pager=… seed …` gives along. Children do not have it where nobody hands it on.
pub(super) fn given() -> Option<(&'static str, String)> {
    const GIVEN: &str = "GIT_CONFIG_PARAMETERS";
    let given = std::env::var_os(GIVEN)?.into_string().ok()?;
    Some((GIVEN, given))
}

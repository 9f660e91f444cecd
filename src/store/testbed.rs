//! A real repository in a temporary directory, for the tests of this module.
//!
//! Hermetic: children read no configuration but the repository's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use super::{CommitId, RepoPath, Store};

/// Where git lies. A name that is looked up in a `PATH` of its own makes the standard library fork,
/// which costs ten times a spawn from a process as large as the tests.
static GIT: LazyLock<PathBuf> =
    LazyLock::new(|| crate::world::on_path("git").expect("git is installed"));

pub(crate) struct Testbed {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl Testbed {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with_format("sha1")
    }

    /// An empty repository with this object format.
    pub(crate) fn with_format(format: &str) -> Self {
        let bed = Self::bare_ground();
        bed.git(&["init", "-q", "-b", "main", &format!("--object-format={format}"), "."]);
        for (key, value) in [("user.name", "A Person"), ("user.email", "person@example.invalid")] {
            bed.git(&["config", key, value]);
        }
        bed
    }

    /// A directory without a repository.
    pub(crate) fn bare_ground() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = crate::world::real(dir.path()).expect("it is there").join("repo");
        std::fs::create_dir(&path).expect("it is ours");
        Self { _dir: dir, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn store(&self) -> Store {
        Store::discover(&self.path).expect("it opens")
    }

    pub(crate) fn run_in(dir: &Path, args: &[&str]) -> Output {
        let home = dir.parent().expect("below a temporary directory");
        Command::new(&*GIT)
            .current_dir(dir)
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("GIT_CEILING_DIRECTORIES", home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git is installed")
    }

    /// Runs `git` here and gives what it printed, without the last newline.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Self::run_in(&self.path, args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        std::fs::create_dir_all(path.parent().expect("below the top")).expect("creates");
        std::fs::write(path, text).expect("writes");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path.join(path)).expect("reads")
    }

    /// Commits one file as a person would.
    pub(crate) fn commit(&self, path: &str, text: &str) -> CommitId {
        self.write(path, text);
        self.git(&["add", path]);
        self.git(&["commit", "-q", "-m", path]);
        self.git(&["rev-parse", "HEAD"]).parse().expect("full")
    }

    /// Adds a linked worktree beside this one.
    pub(crate) fn linked(&self, id: &str) -> PathBuf {
        let path = self.path.parent().expect("below a temporary directory").join(id);
        self.git(&["worktree", "add", "-q", "--detach", path.to_str().expect("UTF-8")]);
        path
    }

    /// Installs an executable hook.
    #[cfg(unix)]
    pub(crate) fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path.join(".git/hooks").join(name);
        std::fs::create_dir_all(path.parent().expect("below the top")).expect("creates");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
    }

    /// Everything git can check about the repository holds.
    pub(crate) fn is_sound(&self) {
        let output = Self::run_in(&self.path, &["fsck", "--strict", "--no-dangling"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !said.contains("warning"), "{said}");
    }
}

pub(crate) fn path(path: &str) -> RepoPath {
    RepoPath::try_from(path).expect("inside")
}

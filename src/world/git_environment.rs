//! The variables by which a git tells the programs that it starts where they are.
//!
//! One that git seed starts must find that out anew: a hook of a commit in one work tree looks
//! at another, and a child that inherits the commit's index would write into it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::on_path;

/// A variable that git reads.
struct Variable {
    name: &'static str,
    kind: VariableKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VariableKind {
    /// Says which repository, index and objects are meant.
    Place,
    /// Says how to go about it: settings of a `git -c`, how paths are read, other programs. What
    /// a person gave along for a whole command holds for their own hooks and checks too, so it
    /// is taken from those children only that have to do exactly what git seed means.
    Manner,
}

/// What `git rev-parse --local-env-vars` prints, and what would change how paths are read.
const VARIABLES: [Variable; 24] = {
    const fn place(name: &'static str) -> Variable {
        Variable { name, kind: VariableKind::Place }
    }
    const fn manner(name: &'static str) -> Variable {
        Variable { name, kind: VariableKind::Manner }
    }
    [
        place("GIT_ALTERNATE_OBJECT_DIRECTORIES"),
        place("GIT_CONFIG"),
        manner("GIT_CONFIG_PARAMETERS"),
        manner("GIT_CONFIG_COUNT"),
        place("GIT_OBJECT_DIRECTORY"),
        place("GIT_DIR"),
        place("GIT_WORK_TREE"),
        place("GIT_IMPLICIT_WORK_TREE"),
        place("GIT_GRAFT_FILE"),
        place("GIT_INDEX_FILE"),
        place("GIT_NO_REPLACE_OBJECTS"),
        place("GIT_REPLACE_REF_BASE"),
        place("GIT_PREFIX"),
        manner("GIT_INTERNAL_SUPER_PREFIX"),
        place("GIT_SHALLOW_FILE"),
        place("GIT_COMMON_DIR"),
        manner("GIT_NAMESPACE"),
        manner("GIT_LITERAL_PATHSPECS"),
        manner("GIT_GLOB_PATHSPECS"),
        manner("GIT_NOGLOB_PATHSPECS"),
        manner("GIT_ICASE_PATHSPECS"),
        manner("GIT_EXTERNAL_DIFF"),
        manner("GIT_REFLOG_ACTION"),
        manner("GIT_ATTR_SOURCE"),
    ]
};

/// All that a git above us may have said.
pub(crate) fn git_variables() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|variable| variable.name)
}

/// What a git above us says about the place it stands in; cleared for every program we start
/// that may call git.
pub(crate) fn git_place_variables() -> impl Iterator<Item = &'static str> {
    VARIABLES
        .iter()
        .filter(|variable| variable.kind == VariableKind::Place)
        .map(|variable| variable.name)
}

/// The git that a session's children are, and what they are told: as the first hook of the session
/// saw it. What the agent's own shell says counts for its own programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GitEnvironment {
    /// The file that `git` was then; empty where there was none.
    #[serde(default)]
    pub program: PathBuf,
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

impl GitEnvironment {
    /// That of this process, without what a git or a host above it gave along for one command.
    pub(crate) fn of_this_process() -> Self {
        let set = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let kept = counts(&name) && !is_passing(&name);
            kept.then_some((name, value))
        });
        Self { program: on_path("git").unwrap_or_default(), set: set.collect() }
    }

    /// That without what a host sets itself, with these values.
    pub(crate) fn without(mut self, of_host: &BTreeMap<String, String>) -> Self {
        self.set.retain(|name, value| of_host.get(name) != Some(value));
        self
    }

    /// Gives it to a child, and takes out what else this process has of the kind.
    pub(crate) fn give(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(counts) {
                command.env_remove(name);
            }
        }
        command.envs(&self.set);
    }

    /// Whether a child that it is given to finds the configuration and attributes that this process
    /// finds.
    pub(crate) fn reads_as_here(&self) -> bool {
        let tells = |name: &str| {
            matches!(name, "HOME" | "XDG_CONFIG_HOME")
                || ["GIT_CONFIG", "GIT_ATTR"].iter().any(|start| name.starts_with(start))
        };
        let here = Self::of_this_process().set;
        let names = self.set.keys().chain(here.keys()).filter(|name| tells(name));
        names.into_iter().all(|name| self.set.get(name) == here.get(name))
    }

    /// The git to start; one that is gone since is looked for anew, on the path of then.
    pub(crate) fn git(&self) -> &Path {
        if self.program.is_file() { &self.program } else { Path::new("git") }
    }
}

/// Whether git goes by it. When something is dated is no matter of who runs git; what looks like
/// a secret of another program's is not kept in a file.
fn counts(name: &str) -> bool {
    let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
    let secrets = ["TOKEN", "PASSWORD", "SECRET", "KEY"];
    matches!(name, "HOME" | "XDG_CONFIG_HOME" | "PATH")
        || (name.starts_with("GIT_")
            && !name.starts_with("GIT_SEED_")
            && !dates.contains(&name)
            && !secrets.iter().any(|end| name.ends_with(end)))
}

/// What is said for one command alone: where it stands, and settings of a `git -c`.
fn is_passing(name: &str) -> bool {
    let numbered = ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];
    git_variables().any(|known| known == name)
        || numbered.iter().any(|start| name.starts_with(start))
}

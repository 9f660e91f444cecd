//! The variables by which a git tells the programs that it starts where they are.
//!
//! One that git seed starts must find that out anew: a hook of a commit in one work tree looks
//! at another, and a child that inherits the commit's index would write into it.

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

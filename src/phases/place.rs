//! Where a path lies, as far as phases care: page, memory, project, or none of their business.
//!
//! A path comes in resolved and relative to the work tree; what lies outside comes in
//! as [`Place::Outside`] or one of its friends, which only the joint can know.

use serde::{Deserialize, Serialize};

/// The name of the surface that the plain list of paths makes.
pub(crate) const SETTINGS: &str = "settings";

/// A protected surface: paths that no phase changes until a person has unlocked them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    pub name: String,
    /// Paths and folders (with a trailing `/`).
    pub paths: Vec<String>,
    /// Its tests, spelled alike; they are locked apart.
    #[serde(default)]
    pub tests: Vec<String>,
    /// A command line that says by its exit code whether the surface may stay as it is.
    #[serde(default)]
    pub check: Option<String>,
}

/// The surface that a person has unlocked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    pub surface: String,
    /// The commit that it goes back to if its check fails.
    pub checkpoint: String,
    /// The one test that is unlocked with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// How far a path of a surface is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Closed,
    /// The surface is unlocked, and this test of it is not.
    Ajar,
    Open,
}

/// What kind of place a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A memory page; `dir` is its directory, empty for the root.
    Page { dir: String },
    /// A file below `.claude/knowledge/`, or the rules that the focused job proposes for itself.
    Knowledge,
    /// A subagent definition, `.claude/agents/*.md`.
    AgentDefinition,
    /// A plan document; `own` when it is the focused job's.
    Plan { own: bool },
    /// A file of a job's directory that only boundaries write.
    JobFile,
    /// A path of a protected surface: host settings, hook lines, `seed.toml`, and what the
    /// rules add.
    Surface { name: String, test: bool, lock: Lock },
    /// Anything below `.git`.
    Git,
    /// Git seed's own state below `.git/seed`, or its refs.
    OwnState,
    /// A file of the project; `dir` is its directory, empty for the root.
    Project { dir: String },
    /// The host's own memory directory, outside the work tree.
    HostMemory,
    /// Scratch places that the rules name, outside the work tree.
    Scratch,
    /// Anywhere else outside the work tree.
    Outside,
}

impl Place {
    /// A file whose reading and writing may be delegated: no memory, nothing below the
    /// host's own folder.
    pub fn is_direct(&self, path: &str) -> bool {
        let deliverable =
            matches!(self, Self::Project { .. } | Self::Surface { .. } | Self::Outside);
        deliverable && !path.starts_with(".claude/")
    }

    /// Memory of the repository: what is read here was settled before.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(
            self,
            Self::Page { .. }
                | Self::Knowledge
                | Self::AgentDefinition
                | Self::Plan { .. }
                | Self::JobFile
        )
    }
}

/// The names that decide about places.
#[derive(Clone, Debug)]
pub(crate) struct Names<'a> {
    /// File names of pages, such as `CLAUDE.md`.
    pub pages: &'a [String],
    /// The protected surfaces; the first that holds a path has it.
    pub surfaces: &'a [Surface],
    /// The one that is unlocked.
    pub unlocked: Option<&'a Unlocked>,
    /// The focused job's id, whose plan document is its own.
    pub job: Option<&'a str>,
    /// The path of the document that the job decided on, once it has.
    pub plan: Option<&'a str>,
    /// Where a document of earlier days may lie instead of it.
    pub old_plan: Option<&'a str>,
    /// The disk does not tell large letters from small ones.
    pub ignore_case: bool,
}

impl Names<'_> {
    fn is_same(&self, a: &str, b: &str) -> bool {
        a == b || self.ignore_case && a.to_lowercase() == b.to_lowercase()
    }

    /// What of `path` lies below `folder`.
    fn below<'p>(&self, path: &'p str, folder: &str) -> Option<&'p str> {
        let (head, rest) = path.split_at_checked(folder.len())?;
        self.is_same(head, folder).then_some(rest)
    }
}

/// True for every spelling of `.git` that some disk takes for it: git itself refuses to
/// check out a file of such a name.
pub(crate) fn is_git(component: &str) -> bool {
    let ignorable = |c: &char| {
        matches!(c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
    };
    let bare: String = component.chars().filter(|c| !ignorable(c)).collect();
    let bare = bare.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    bare.eq_ignore_ascii_case(".git") || bare.eq_ignore_ascii_case("git~1")
}

/// True for a path that only Windows reads as one: a drive, a device, a share. Elsewhere it
/// would be an odd name in the directory at hand.
pub(crate) fn is_of_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = matches!(bytes, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let lower = path.to_ascii_lowercase();
    drive
        || path.starts_with(r"\\")
        || lower.starts_with("//wsl$/")
        || lower.starts_with("//wsl.localhost/")
}

/// Whether what lies there in a git directory is git seed's: its files, its refs, their logs.
pub(crate) fn is_own_state(below: &[&str]) -> bool {
    let lower: Vec<String> = below.iter().map(|part| part.to_ascii_lowercase()).collect();
    let parts: Vec<&str> =
        lower.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    // A linked work tree has a git directory of its own in there.
    let parts = match parts.as_slice() {
        ["worktrees", _, rest @ ..] => rest,
        all => all,
    };
    match parts.strip_prefix(&["logs"]).unwrap_or(parts) {
        [first, ..] if first.starts_with("seed") => true,
        ["refs", "seed", ..] | ["refs", "notes" | "worktree", "seed", ..] => true,
        _ => false,
    }
}

/// Says what kind of place `path` is; `path` is relative to the work tree, with `/`.
pub(crate) fn of(path: &str, names: &Names<'_>) -> Place {
    let mut parts = path.split(['/', '\\']);
    let first = parts.next().unwrap_or_default();
    if is_git(first) {
        let below: Vec<&str> = parts.collect();
        return if is_own_state(&below) { Place::OwnState } else { Place::Git };
    }
    if parts.any(is_git) {
        return Place::Git;
    }
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    let page = names.pages.iter().any(|page| names.is_same(page, file));
    if let Some(place) = surface(path, page, names) {
        return place;
    }
    // What counts as the document is nobody's memory, wherever it lies.
    if names.old_plan.is_some_and(|old| names.is_same(old, path)) {
        return Place::Plan { own: true };
    }
    if page {
        return Place::Page { dir: dir.to_owned() };
    }
    if names.below(path, ".claude/knowledge/").is_some() {
        return Place::Knowledge;
    }
    if names.below(path, ".claude/agents/").is_some() && has_ending(path, "md") {
        return Place::AgentDefinition;
    }
    if let Some(rest) = names.below(path, ".claude/jobs/") {
        return job_place(rest, path, names);
    }
    Place::Project { dir: dir.to_owned() }
}

/// The surface that `path` belongs to. A page below a surface of the rules stays a page:
/// memory is no part of what governs the agent.
fn surface(path: &str, page: bool, names: &Names<'_>) -> Option<Place> {
    let lower = path.to_ascii_lowercase();
    let holds =
        |paths: &[String]| paths.iter().any(|own| covers(&own.to_ascii_lowercase(), &lower));
    let found = |surface: &&Surface| {
        (holds(&surface.tests) || holds(&surface.paths)) && !(page && surface.name != SETTINGS)
    };
    // No row of the rules takes a path from the one that is never opened.
    let (never, rows): (Vec<_>, Vec<_>) =
        names.surfaces.iter().partition(|surface| surface.name == SETTINGS);
    let surface = never.into_iter().chain(rows).find(found)?;
    let test = holds(&surface.tests);
    let lock = match names.unlocked.filter(|unlocked| unlocked.surface == surface.name) {
        None => Lock::Closed,
        Some(unlocked) if test && unlocked.test.as_deref() != Some(path) => Lock::Ajar,
        Some(_) => Lock::Open,
    };
    Some(Place::Surface { name: surface.name.clone(), test, lock })
}

/// Whether `path` belongs to the surface that is never opened, whatever other rows say of it.
pub(crate) fn is_never_opened(path: &str, surfaces: &[Surface]) -> bool {
    let lower = path.trim_end_matches('/').to_ascii_lowercase();
    let of = |surface: &Surface| {
        surface.paths.iter().any(|own| covers(&own.to_ascii_lowercase(), &lower))
    };
    surfaces.iter().any(|surface| surface.name == SETTINGS && of(surface))
}

fn covers(own: &str, path: &str) -> bool {
    match own.strip_suffix('/') {
        Some(folder) => path == folder || path.starts_with(own),
        None => path == own,
    }
}

fn has_ending(path: &str, ending: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn job_place(rest: &str, path: &str, names: &Names<'_>) -> Place {
    let is_plan =
        |file: &str| ["plan.md", "plan.yaml"].iter().any(|plan| names.is_same(plan, file));
    match rest.split_once('/') {
        Some((id, file)) if is_plan(file) => {
            let own =
                names.job == Some(id) && names.plan.is_some_and(|plan| names.is_same(plan, path));
            Place::Plan { own }
        }
        Some((id, file)) if names.job == Some(id) && names.is_same(file, "seed.toml") => {
            Place::Knowledge
        }
        _ => Place::JobFile,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_one_place() {
        let pages = ["CLAUDE.md".to_owned()];
        let paths =
            [".claude/settings.json".to_owned(), ".husky/".to_owned(), "seed.toml".to_owned()];
        let settings = Surface {
            name: SETTINGS.to_owned(),
            paths: paths.into(),
            tests: Vec::new(),
            check: None,
        };
        let hooks = Surface {
            name: "hooks".to_owned(),
            paths: [".husky/", "hooks/", "run.sh", "seed.toml"].map(str::to_owned).into(),
            tests: vec!["hooks/tests/".to_owned(), "tests/hooks.sh".to_owned()],
            check: None,
        };
        let surfaces = [hooks, settings];
        let names = Names {
            pages: &pages,
            surfaces: &surfaces,
            unlocked: None,
            job: Some("j1"),
            plan: Some(".claude/jobs/j1/plan.md"),
            old_plan: Some(".claude/knowledge/plans/p.md"),
            ignore_case: false,
        };
        let of_surface = |name: &str, test: bool, lock: Lock| Place::Surface {
            name: name.to_owned(),
            test,
            lock,
        };
        let closed = || of_surface(SETTINGS, false, Lock::Closed);
        let project = |dir: &str| Place::Project { dir: dir.to_owned() };
        let page = |dir: &str| Place::Page { dir: dir.to_owned() };
        let cases = [
            ("CLAUDE.md", page("")),
            ("src/parser/CLAUDE.md", page("src/parser")),
            ("src/claude.md", project("src")),
            (".claude/CLAUDE.md", page(".claude")),
            ("README.md", project("")),
            ("src/a.rs", project("src")),
            (".claude/knowledge/x/INDEX.md", Place::Knowledge),
            (".claude/agents/mover.md", Place::AgentDefinition),
            (".claude/agents/mover.sh", project(".claude/agents")),
            (".claude/jobs/j1/plan.md", Place::Plan { own: true }),
            (".claude/jobs/j2/plan.yaml", Place::Plan { own: false }),
            (".claude/knowledge/plans/p.md", Place::Plan { own: true }),
            (".claude/knowledge/plans/q.md", Place::Knowledge),
            (".claude/jobs/j1/run-1/session-log-1.md", Place::JobFile),
            (".claude/settings.json", closed()),
            (".Claude/Settings.json", closed()),
            (".husky/pre-commit", closed()),
            ("seed.toml", closed()),
            (".husky/CLAUDE.md", closed()),
            ("hooks/pre.sh", of_surface("hooks", false, Lock::Closed)),
            ("Hooks/pre.sh", of_surface("hooks", false, Lock::Closed)),
            ("hooks", of_surface("hooks", false, Lock::Closed)),
            ("hooks/tests/pre.sh", of_surface("hooks", true, Lock::Closed)),
            ("tests/hooks.sh", of_surface("hooks", true, Lock::Closed)),
            ("hooks/CLAUDE.md", page("hooks")),
            ("hooksmith/a", project("hooksmith")),
            (".git/config", Place::Git),
            (".GIT/config", Place::Git),
            ("sub/.git/config", Place::Git),
            (".git/seed/journal/main.jsonl", Place::OwnState),
            ("CLAUDE.MD", project("")),
            (".CLAUDE/knowledge/x.md", project(".CLAUDE/knowledge")),
        ];
        for (path, place) in cases {
            assert_eq!(of(path, &names), place, "{path}");
        }
        let blind = Names { ignore_case: true, ..names };
        let cases = [
            ("src/claude.MD", page("src")),
            (".CLAUDE/Knowledge/x.md", Place::Knowledge),
            (".Claude/Agents/mover.MD", Place::AgentDefinition),
            (".claude/JOBS/j1/Plan.md", Place::Plan { own: true }),
            (".claude/Jobs/j1/run-1/x.md", Place::JobFile),
            ("src/claudia.md", project("src")),
        ];
        for (path, place) in cases {
            assert_eq!(of(path, &blind), place, "{path}");
        }
    }

    #[test]
    fn every_spelling_of_the_git_directory_is_it() {
        let names = Names {
            pages: &[],
            surfaces: &[],
            unlocked: None,
            job: None,
            plan: None,
            old_plan: None,
            ignore_case: false,
        };
        for path in [
            ".git",
            ".GIT/config",
            ".git./config",
            ".git /config",
            ".git. . /x",
            "git~1/config",
            "GIT~1",
            ".git::$INDEX_ALLOCATION/config",
            ".git:stream",
            ".g\u{200c}it/config",
            "\u{feff}.git/config",
            ".gi\u{202e}t",
            r".git\hooks\x",
            r"sub\.Git\x",
            "sub/.git./x",
            "sub/.git",
        ] {
            assert_eq!(of(path, &names), Place::Git, "{path}");
        }
        for path in [".git/seed/x", ".GIT./seed", r".git\seed\x", "git~1/SEED/x"] {
            assert_eq!(of(path, &names), Place::OwnState, "{path}");
        }
        for path in [
            ".gitignore",
            "git",
            ".gitx/a",
            "a.git/x",
            "git~2/x",
            ". git/x",
            ".git-blame/x",
            "x.git",
        ] {
            assert!(matches!(of(path, &names), Place::Project { .. }), "{path}");
        }
    }

    #[test]
    fn paths_of_windows_are_known() {
        for (path, known) in [
            (r"C:\Users\a", true),
            ("c:/Users/a", true),
            (r"\\?\C:\a", true),
            (r"\\wsl$\Ubuntu\home", true),
            (r"\\wsl.localhost\Ubuntu", true),
            ("//wsl$/Ubuntu/home", true),
            ("/mnt/c/Users", false),
            ("C:", false),
            ("ab:/x", false),
            (r"a\b", false),
            ("//srv/x", false),
        ] {
            assert_eq!(is_of_windows(path), known, "{path}");
        }
    }

    #[test]
    fn one_surface_is_open_and_of_its_tests_one() {
        let row = |name: &str| Surface {
            name: name.to_owned(),
            paths: vec![format!("{name}/")],
            tests: vec![format!("{name}/tests/")],
            check: None,
        };
        let surfaces = [row("hooks"), row("data")];
        let lock = |unlocked: Option<&Unlocked>, path: &str| {
            let names = Names {
                pages: &[],
                surfaces: &surfaces,
                unlocked,
                job: None,
                plan: None,
                old_plan: None,
                ignore_case: false,
            };
            match of(path, &names) {
                Place::Surface { lock, .. } => lock,
                place => panic!("{place:?}"),
            }
        };
        let hooks = Unlocked { surface: "hooks".to_owned(), ..Unlocked::default() };
        let tested = Unlocked { test: Some("hooks/tests/a".to_owned()), ..hooks.clone() };
        for (path, none, open, with_test) in [
            ("hooks/a", Lock::Closed, Lock::Open, Lock::Open),
            ("hooks/tests/a", Lock::Closed, Lock::Ajar, Lock::Open),
            ("hooks/tests/b", Lock::Closed, Lock::Ajar, Lock::Ajar),
            ("hooks/Tests/A", Lock::Closed, Lock::Ajar, Lock::Ajar),
            ("data/a", Lock::Closed, Lock::Closed, Lock::Closed),
        ] {
            let found = [lock(None, path), lock(Some(&hooks), path), lock(Some(&tested), path)];
            assert_eq!(found, [none, open, with_test], "{path}");
        }
    }
}

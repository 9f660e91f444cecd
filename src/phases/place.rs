//! Where a path lies, as far as phases care: page, memory, project, or none of their business.
//!
//! A path comes in resolved and relative to the work tree; what lies outside comes in
//! as [`Place::Outside`] or one of its friends, which only the joint can know.

/// What kind of place a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A memory page; `dir` is its directory, empty for the root.
    Page { dir: String },
    /// A file below `.claude/knowledge/`.
    Knowledge,
    /// A subagent definition, `.claude/agents/*.md`.
    AgentDefinition,
    /// A plan document; `own` when it is the focused job's.
    Plan { own: bool },
    /// A file of a job's directory that only boundaries write.
    JobFile,
    /// Host settings, hook lines, `seed.toml`: what governs the agent.
    Surface,
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
        let deliverable = matches!(self, Self::Project { .. } | Self::Surface | Self::Outside);
        deliverable && !path.starts_with(".claude/")
    }

    /// Memory of the repository: what is read here was settled before.
    pub fn is_memory(&self) -> bool {
        matches!(
            self,
            Self::Page { .. } | Self::Knowledge | Self::AgentDefinition | Self::Plan { .. } | Self::JobFile
        )
    }
}

/// The names that decide about places.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    /// File names of pages, such as `CLAUDE.md`.
    pub pages: &'a [String],
    /// Paths and folders (with a trailing `/`) that govern the agent.
    pub surfaces: &'a [String],
    /// The focused job's id, whose plan document is its own.
    pub job: Option<&'a str>,
}

/// Says what kind of place `path` is; `path` is relative to the work tree, with `/`.
pub fn of(path: &str, names: &Names<'_>) -> Place {
    let lower = path.to_ascii_lowercase();
    if lower == ".git" || lower.starts_with(".git/") || lower.contains("/.git/") {
        return if lower.starts_with(".git/seed") { Place::OwnState } else { Place::Git };
    }
    if names.surfaces.iter().any(|surface| is_surface(&lower, &surface.to_ascii_lowercase())) {
        return Place::Surface;
    }
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    if names.pages.iter().any(|page| page == file) {
        return Place::Page { dir: dir.to_owned() };
    }
    if path.starts_with(".claude/knowledge/") {
        return Place::Knowledge;
    }
    if path.starts_with(".claude/agents/") && has_ending(path, "md") {
        return Place::AgentDefinition;
    }
    if let Some(rest) = path.strip_prefix(".claude/jobs/") {
        return job_place(rest, names.job);
    }
    Place::Project { dir: dir.to_owned() }
}

fn is_surface(path: &str, surface: &str) -> bool {
    match surface.strip_suffix('/') {
        Some(folder) => path == folder || path.starts_with(surface),
        None => path == surface,
    }
}

fn has_ending(path: &str, ending: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn job_place(rest: &str, job: Option<&str>) -> Place {
    let plan = ["plan.md", "plan.yaml"];
    match rest.split_once('/') {
        Some((id, file)) if plan.contains(&file) => Place::Plan { own: job == Some(id) },
        _ => Place::JobFile,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_one_place() {
        let pages = ["CLAUDE.md".to_owned()];
        let surfaces = [".claude/settings.json".to_owned(), ".husky/".to_owned(), "seed.toml".to_owned()];
        let names = Names { pages: &pages, surfaces: &surfaces, job: Some("j1") };
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
            (".claude/jobs/j1/run-1/session-log-1.md", Place::JobFile),
            (".claude/settings.json", Place::Surface),
            (".Claude/Settings.json", Place::Surface),
            (".husky/pre-commit", Place::Surface),
            ("seed.toml", Place::Surface),
            (".git/config", Place::Git),
            (".GIT/config", Place::Git),
            ("sub/.git/config", Place::Git),
            (".git/seed/journal/main.jsonl", Place::OwnState),
        ];
        for (path, place) in cases {
            assert_eq!(of(path, &names), place, "{path}");
        }
    }
}

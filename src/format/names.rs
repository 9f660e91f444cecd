//! Names of refs and files, in one place.

use crate::jobs::JobId;

/// Open jobs: `refs/seed/jobs/<id>`.
pub(crate) const JOBS: &str = "refs/seed/jobs/";
/// Phase commits kept alive, never synced: `refs/seed/keep/<id>`.
pub(crate) const KEEP: &str = "refs/seed/keep/";
/// The pins of closed jobs, in one chain.
pub(crate) const KEEP_CLOSED: &str = "refs/seed/keep/closed";
/// Chains as they were before their texts left them; they go with the first redaction.
pub(crate) const KEEP_FORMAT_1: &str = "refs/seed/keep/format-1/";
/// Closed jobs.
pub(crate) const ARCHIVE: &str = "refs/seed/archive";
/// What people and agents said, by keys that chains name.
pub(crate) const TEXTS: &str = "refs/seed/texts";
/// Format and readers.
pub(crate) const META: &str = "refs/seed/meta";
/// The rules in force.
pub(crate) const RULES: &str = "refs/seed/rules";
/// What was done, one commit per operation; of this clone alone, never synced.
pub(crate) const OPS: &str = "refs/seed/ops";
/// What a person did past the rules and no step says; of this clone alone, never synced.
pub(crate) const BYPASSES: &str = "refs/seed/bypasses";
/// What a worktree works on: a symbolic ref of its own.
pub(crate) const FOCUS: &str = "refs/worktree/seed/focus";
/// The records of the gate.
pub(crate) const CLAIMS: &str = "refs/seed/claims";
/// What commits meant, one line per record.
pub(crate) const COMMIT_NOTES: &str = "refs/notes/seed";
/// The branch in which our refs travel where a server takes only branches.
pub(crate) const CARRIER: &str = "refs/heads/git-seed";
/// What was fetched from remotes: `refs/seed-remote/<remote>/…`.
pub(crate) const FETCHED: &str = "refs/seed-remote/";
/// The state of a job in its tree.
pub(crate) const STATE: &str = "job.toml";
/// Paths that the fence remembers, where they are too many for the state.
pub(crate) const FENCE: &str = "fence.toml";
/// The declared directories of the cycle, one a line.
pub(crate) const SCOPE: &str = "scope";
/// What a person opened beside the declared directories: files, and directories with a
/// trailing `/`, one a line. It holds until the cycle is closed.
pub(crate) const ALLOWED: &str = "allowed";
/// What belonged to the person when the cycle began, one path a line.
pub(crate) const PERSONS: &str = "persons";
/// Paths that a person took over, one a line: what lets a hook of theirs commit them.
pub(crate) const ACCEPTED: &str = "accepted";
/// Paths that the agent touched since the last boundary, one a line.
pub(crate) const TOUCHED: &str = "touched";
/// Git's excludes and settings when the cycle began, as one file of patterns.
pub(crate) const EXCLUDES: &str = "excludes";
/// The person's attributes for all repositories, when the cycle began.
pub(crate) const ATTRIBUTES: &str = "attributes";
/// Footer words at the beginning of condense, by page.
pub(crate) const BASELINE: &str = "condense.toml";
/// The plan document as it was accepted, byte by byte.
pub(crate) const PLAN: &str = "plan";
/// Words of the plan document for the phase where the job stands.
pub(crate) const INJECTION: &str = "injection.toml";
/// Rules that bind this job alone, as a person approved them.
pub(crate) const JOB_RULES: &str = "rules.toml";
/// What a job proposes as rules of its own, in its directory.
pub(crate) const PROPOSED_RULES: &str = "seed.toml";
/// The notes that condense found when it began.
pub(crate) const NOTES: &str = "notes.toml";

/// Folds of the journal.
pub(crate) const TRACE: &str = "trace";
/// Receipts of what ran: `evidence/<aa>/<id>.toml`.
pub(crate) const EVIDENCE: &str = "evidence";

/// What the footers said at the beginning of condense, as a session log keeps them.
pub(crate) const FOOTERS: &str = "footers.md";

/// Landings of a job.
pub(crate) const LANDED: &str = "landed";

/// Landing `n` of a job.
pub(crate) fn landing(n: usize) -> String {
    format!("{LANDED}/{n:04}.json")
}

/// What the commits of closed cycles hold.
pub(crate) const MADE: &str = "made";

/// What the commits of a cycle hold.
pub(crate) fn made(run: u32, cycle: u32) -> String {
    format!("{MADE}/{run:04}-{cycle:04}.json")
}

/// The chain of a job.
pub(crate) fn job_chain(id: &JobId) -> String {
    format!("{JOBS}{id}")
}

/// The pins of a job's phase commits.
pub(crate) fn keep_chain(id: &JobId) -> String {
    format!("{KEEP}{id}")
}

/// The job that a chain belongs to.
pub(crate) fn job_of(chain: &str) -> Option<JobId> {
    chain.strip_prefix(JOBS)?.parse().ok()
}

/// Whether git seed keeps something in a ref of this name below `refs/seed/`.
pub(crate) fn is_own(name: &str) -> bool {
    [ARCHIVE, TEXTS, META, RULES, OPS, BYPASSES, CLAIMS, KEEP_CLOSED].contains(&name)
        || job_of(name).is_some()
        || name.starts_with(KEEP_FORMAT_1)
        || name.strip_prefix(KEEP).is_some_and(|id| id.parse::<JobId>().is_ok())
}

/// Whether what others did to this ref is merged into ours.
pub(crate) fn is_merged(name: &str) -> bool {
    [ARCHIVE, CLAIMS, COMMIT_NOTES].contains(&name) || job_of(name).is_some()
}

/// Whether a ref of this name is ever fetched.
pub(crate) fn travels(name: &str) -> bool {
    is_merged(name) || [RULES, META, TEXTS].contains(&name)
}

/// Where a ref of the remote `remote` is kept here.
pub(crate) fn fetched(remote: &str, name: &str) -> String {
    // The one that does not begin so is the notes, which git keeps elsewhere.
    let below = name.strip_prefix("refs/seed/").unwrap_or("notes");
    format!("{FETCHED}{remote}/{below}")
}

/// Where the branch is kept here in which the refs of the remote `remote` travel.
pub(crate) fn fetched_branch(remote: &str) -> String {
    format!("{FETCHED}{remote}/branch")
}

/// The directory of a job in the work tree, with a trailing `/`.
pub(crate) fn job_dir(id: &JobId) -> String {
    format!(".claude/jobs/{id}/")
}

/// A file of a run, below the job's directory and in the job's tree alike.
pub(crate) fn of_run(run: u32, name: &str) -> String {
    format!("run-{run}/{name}")
}

/// The session log of a cycle.
pub(crate) fn session_log(cycle: u32) -> String {
    format!("session-log-{cycle}.md")
}

/// The file of interaction `n`.
pub(crate) fn interaction(n: u32) -> String {
    format!("interactions/{n:04}.md")
}

/// Summary `n` of a job's interactions.
pub(crate) fn summary(n: u32) -> String {
    format!("summaries/{n:04}.md")
}

/// Why a cycle was added, the `n`th over all runs.
pub(crate) fn context(n: u32) -> String {
    format!("contexts/{n:04}.md")
}

/// The compaction file `seq` of a run.
pub(crate) fn compaction(seq: u32) -> String {
    format!("compaction-{seq}.md")
}

/// The file that a fold of the journal goes to; `n` counts the steps of the job.
pub(crate) fn trace(cycle: u32, phase: &str, n: u32) -> String {
    format!("trace/{cycle}-{phase}-{n}.jsonl")
}

/// Whether a file of a job's tree holds words of people and agents: prompts and answers, what
/// they came to, why cycles were added, and the journal.
pub(crate) fn is_text(path: &str) -> bool {
    let top = path.split_once('/').map_or("", |(top, _)| top);
    TEXT_DIRS.contains(&top)
}

/// The directories of a job's tree that hold texts.
pub(crate) const TEXT_DIRS: [&str; 4] = ["interactions", "summaries", "contexts", TRACE];

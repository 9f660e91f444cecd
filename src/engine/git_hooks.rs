//! Git's own hooks: a second fence, for the agent only.
//!
//! Without an agent host among the processes above they say nothing and pass. A commit
//! that git seed itself is making is recognised by `pending` and passes as well.

mod amend;

use crate::engine::git_consent;
use crate::engine::git_mark::{self, GitMark};
use crate::engine::records;
use crate::engine::repo::installation::agents;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{boundary, fence, merge_mark, note_lines, record, taken_back};
use crate::event::{Event, ToolCall};
use crate::format::journal::{Refused, What};
use crate::format::trailers::{put_last, seed_lines};
use crate::format::watched::Happened;
use crate::format::{names, notes};
use crate::githooks;
use crate::hosts::Host;
use crate::jobs::mode::Mode;
use crate::phases::git_acts::{self, GitAct, Ruling, Stages};
use crate::phases::guard::{self, Staged};
use crate::phases::{Phase, own_refs, said_scope};
use crate::shell::Reading;
use crate::store::RepoPath;
use crate::verdict::{Refusal, Verdict};
use crate::voice::{Notice, tell};
use crate::world;

/// The hooks that git seed has something to say in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitHook {
    PreCommit,
    CommitMsg,
    PostCommit,
    PostRewrite,
    PrePush,
}

impl GitHook {
    /// The hook of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "pre-commit" => Some(Self::PreCommit),
            "commit-msg" => Some(Self::CommitMsg),
            "post-commit" => Some(Self::PostCommit),
            "post-rewrite" => Some(Self::PostRewrite),
            "pre-push" => Some(Self::PrePush),
            _ => None,
        }
    }
}

/// Answers a hook of git; `arguments` are those that git gave.
pub(crate) fn git_hook(repo: &Repo, hook: GitHook, arguments: &[String]) -> Result<Verdict> {
    if !repo.is_seeded()? || !repo.is_on() {
        return Ok(Ok(()));
    }
    if !repo.rules.mode.keeps_jobs() {
        return without_jobs(repo, hook, arguments);
    }
    if hook == GitHook::PostRewrite {
        return record::rewritten::relink(repo).map(Ok);
    }
    // The one moment before a person's commit takes what the index says, and the first one after
    // the commit of a boundary that was stopped meanwhile.
    if matches!(hook, GitHook::PreCommit | GitHook::PostCommit) {
        boundary::pending::mend_index(repo)?;
    }
    if is_own_commit(repo)? {
        match (hook, arguments.first()) {
            (GitHook::PostCommit, _) => attest_head(repo)?,
            // Theirs have run: what they put behind the trailers would hide those from git.
            (GitHook::CommitMsg, Some(file)) => trailers_last(std::path::Path::new(file))?,
            _ => {}
        }
        return Ok(Ok(()));
    }
    if !has_agent_above(repo) {
        return Ok(Ok(()));
    }
    match hook {
        GitHook::PreCommit => pre_commit(repo),
        GitHook::CommitMsg => commit_msg(repo, arguments.first().map_or("", String::as_str)),
        GitHook::PostCommit => {
            attest_head(repo)?;
            post_commit(repo).map(Ok)
        }
        // The one is answered above; the other warns and refuses nothing: see `unproven`.
        GitHook::PostRewrite | GitHook::PrePush => Ok(Ok(())),
    }
}

/// The same where no job is kept: what is staged, and forged trailers. Whoever only watches writes
/// down what would have been refused.
fn without_jobs(repo: &Repo, hook: GitHook, arguments: &[String]) -> Result<Verdict> {
    let judges = matches!(hook, GitHook::PreCommit | GitHook::CommitMsg);
    if !judges || !has_agent_above(repo) {
        return Ok(Ok(()));
    }
    let file = arguments.first().map_or("", String::as_str);
    let verdict = match hook {
        GitHook::PreCommit => staged_is_open(repo)?,
        _ => trailers_are_ours(repo, &std::fs::read_to_string(file)?)?,
    };
    Ok(said_or_watched(repo, verdict))
}

/// What is staged lies in the scope that rules and prompts leave open.
fn staged_is_open(repo: &Repo) -> Result<Verdict> {
    let (row, said) = (repo.row(None), record::said::of_all(repo)?);
    let (mut first, mut closed) = (None, Vec::new());
    for staged in repo.store.staged()? {
        let path = staged.to_string();
        let place = repo.place_named(&path, None);
        let shut = said_scope::shut(&path, &said, &repo.rules.fence_scope);
        let (declared, shut) = (shut.is_none(), shut.as_ref());
        let place = &place;
        let staged = Staged { path: &path, place, cycle: 0, declared, put_back: false, shut };
        if let Err(refusal) = guard::is_committed(row, &staged) {
            closed.extend(shut.is_some().then(|| path.clone()));
            first.get_or_insert(refusal);
        }
    }
    Ok(first.map_or(Ok(()), |refusal| Err(guard::all_staged(refusal, &closed))))
}

/// A refusal that the mode lets be said; whoever only watches keeps it.
pub(crate) fn said_or_watched(repo: &Repo, verdict: Verdict) -> Verdict {
    let Err(refusal) = verdict else { return Ok(()) };
    if repo.rules.mode.keeps_jobs() {
        return Err(refusal);
    }
    // What cannot be written down is refused, or passes, all the same.
    let _ = record::watched::keep(repo, Happened::Refused, |line| {
        line.tool = format!("git {}", refusal.by);
        line.paths.extend(refusal.facts.get("path").map(str::to_owned));
        line.refusal = Some(Refused::of(&refusal, "fence"));
    });
    if repo.rules.mode == Mode::Watch { Ok(()) } else { Err(refusal) }
}

/// Where what was told last of our hooks is kept, below the clone's own directory.
const TOLD: &str = "hooks-told";

/// What a person hears where another tool took our hooks out, once for each way they are out. A
/// session begins whatever goes wrong here: `doctor` says what that is.
pub(crate) fn word_on_hooks(repo: &Repo) -> Option<String> {
    // Which hooks are ours is not known without the record: `doctor` names what it cannot read.
    let record = repo.installation().ok()?.hooks?;
    let (dirs, told_at) = (repo.hook_repo(), repo.store.seed_dir().join(TOLD));
    let out = || {
        // What cannot be compared is told by `doctor`, with its reason.
        let states = githooks::state(&dirs, &world::own_binary(), &record).ok()?;
        let out: Vec<_> = states.into_iter().filter(|hook| !hook.ok).collect();
        (!out.is_empty()).then_some(out)
    };
    let sound = record.is_untouched(&dirs, repo.store.hooks_path().as_deref());
    let Some(out) = (if sound { None } else { out() }) else {
        // The next time is another one. Most often it is not there.
        let _ = std::fs::remove_file(&told_at);
        return None;
    };
    let names: Vec<&str> = out.iter().map(|hook| hook.name.as_str()).collect();
    let facts = [("hooks", &*names.join(", ")), ("said", &*out[0].detail)];
    let told = tell(Notice::HooksOut, &facts);
    if std::fs::read(&told_at).is_ok_and(|before| before == told.as_bytes()) {
        return None;
    }
    // Where it cannot be kept it is told again.
    let _ = world::write_whole(&told_at, told.as_bytes());
    Some(told)
}

/// An agent's host is above: one that is known by name, or one that a session recorded.
pub(crate) fn has_agent_above(repo: &Repo) -> bool {
    if world::is_played_person() {
        return false;
    }
    // The tour plays the host and the person in one process, which is no agent.
    let mut hosts = repo.host_processes();
    hosts.retain(|host| !world::is_own_program(host));
    let recorded = |up: &world::Process| hosts.iter().any(|host| repo::sessions::is_same(host, up));
    agent_is_above() || world::ancestors().iter().any(recorded)
}

/// The commit is one that a boundary or a landing is making right now.
fn is_own_commit(repo: &Repo) -> Result<bool> {
    let Some(told) = world::variable("GIT_SEED_PENDING") else { return Ok(false) };
    if record::landing::is_building(repo, &told) {
        return Ok(true);
    }
    Ok(record::pending_file::pending(repo)?.is_some_and(|pending| pending.id == told))
}

/// What a person answers for that is under way: see [`crate::engine::git_mark`].
fn answered(repo: &Repo) -> Result<Option<GitMark>> {
    Ok(git_mark::read(repo)?.filter(|mark| !mark.call.is_empty()))
}

fn pre_commit(repo: &Repo) -> Result<Verdict> {
    let focused = repo.focused()?;
    let row = repo.row(focused.as_ref());
    if let Some(merging) = merge_mark::under_way(repo)? {
        let staged = |path: &&String| {
            // One that was taken out has no sides.
            let bytes = repo.store.staged_bytes(path).unwrap_or_default();
            merge_mark::holds_a_sign(&bytes)
        };
        if let Some(path) = merging.files.iter().find(staged) {
            return Ok(Err(git_acts::marked(path)));
        }
        // What is merged is no work of the job's, and a person let it begin.
        if answered(repo)?.is_some_and(|mark| mark.covers("commit") || mark.covers("merge")) {
            return Ok(Ok(()));
        }
    }
    if let Some(mark) = answered(repo)?.filter(|mark| mark.covers("commit")) {
        let at_work = focused.as_ref().filter(|focused| !focused.state.is_closing());
        let at_work = at_work.filter(|_| row.is_in_cycle() && mark.opened.is_empty());
        return at_work.map_or(Ok(Ok(())), |focused| only_the_persons(repo, focused));
    }
    let scope =
        focused.as_ref().map(|focused| repo.scope(focused)).transpose()?.unwrap_or_default();
    let cycle = focused.as_ref().map_or(0, |focused| focused.state.stand.cycle);
    for staged in repo.store.staged()? {
        let path = staged.to_string();
        let put_back = focused
            .as_ref()
            .map(|focused| fence::surfaces::is_put_back(repo, &focused.state, &staged));
        let place = repo.place_named(&path, focused.as_ref().map(|focused| &focused.state));
        let declared = repo.is_declared(&path, &place, &scope);
        let put_back = put_back.transpose()?.unwrap_or(false);
        let staged = Staged { path: &path, place: &place, cycle, declared, put_back, shut: None };
        if let Err(refusal) = guard::is_committed(row, &staged) {
            return Ok(Err(refusal));
        }
    }
    Ok(Ok(()))
}

/// What the rule says of acts of git, where nobody is asked about a commit that our hook would
/// refuse: at work one that takes changes along which are not the person's own.
pub(crate) fn ruling(
    repo: &Repo,
    said: (&Host, &Event, &ToolCall),
    row: &Phase,
    focused: Option<&LoadedJob>,
    reading: &Reading,
) -> Result<Option<(Vec<GitAct>, Ruling)>> {
    let ruled = git_consent::ruling(repo, said, row, focused, reading)?;
    let focused = focused.filter(|focused| row.is_in_cycle() && !focused.state.is_closing());
    let Some(focused) = focused else { return Ok(ruled) };
    let (acts, asked) = match ruled {
        Some((acts, Ruling::Refused(no))) => {
            let no = taken_back::refused(repo, said, focused, &acts, no)?;
            return Ok(Some((acts, Ruling::Refused(no))));
        }
        Some((ref acts, Ruling::Asked(ref asked))) => (acts, asked),
        _ => return Ok(ruled),
    };
    if !asked.iter().any(|act| act.is_gits() && act.verb() == "commit") {
        return Ok(ruled);
    }
    let persons = fence::tree::persons(repo, focused)?;
    let other = taken_along(repo, acts)?.into_iter().find(|path| !persons.contains(path));
    let refused = |path: String| (acts.clone(), Ruling::Refused(git_acts::takes_along(&path)));
    Ok(other.map(refused).or(ruled))
}

/// The paths that acts of a line which ends in a commit would put into it: what is staged, what
/// the line stages, and with `-a` what git knows and changed.
fn taken_along(repo: &Repo, acts: &[GitAct]) -> Result<Vec<String>> {
    let mut paths: Vec<String> = repo.store.staged()?.iter().map(ToString::to_string).collect();
    let head = match repo.store.head()?.commit {
        Some(head) => Some(repo.store.tree_of_commit(&head)?),
        None => None,
    };
    let of_git = acts.iter().filter(|act| act.is_gits());
    let stages: Vec<Stages> = of_git.filter_map(git_acts::stages).collect();
    for path in fence::tree::dirty_now(repo)? {
        let known = || match (&head, RepoPath::try_from(path.as_str())) {
            (Some(head), Ok(path)) => repo.store.holds_path(head, &path),
            _ => Ok(false),
        };
        for stages in &stages {
            if stages.takes(&path) && (stages.new || known()?) {
                paths.push(path.clone());
                break;
            }
        }
    }
    Ok(paths)
}

/// At work the agent's changes are committed by its steps: what the host asked about is a commit of
/// the person's own changes.
fn only_the_persons(repo: &Repo, focused: &LoadedJob) -> Result<Verdict> {
    let persons = fence::tree::persons(repo, focused)?;
    let staged = repo.store.staged()?;
    let other = staged.iter().map(ToString::to_string).find(|path| !persons.contains(path));
    Ok(other.map_or(Ok(()), |path| Err(guard::staged_by_agent(&path))))
}

fn commit_msg(repo: &Repo, file: &str) -> Result<Verdict> {
    // Bytes that are no text hide no line from what is looked for.
    let bytes = std::fs::read(file)?;
    let message = String::from_utf8_lossy(&bytes);
    // What `git commit -v` shows below its scissors is no part of the message.
    let written = message.split("------------------------ >8 -").next().unwrap_or_default();
    let verdict = boundary::secrets::in_message(repo, "commit-msg", written);
    let verdict = match verdict {
        Ok(()) => trailers_are_ours(repo, &message)?,
        refused => refused,
    };
    // Commits that are only being replayed keep the subject that they have.
    let replays = matches!(repo.store.in_progress(), Some("rebase" | "am"));
    let aside = repo.focused()?.is_some_and(|focused| repo.is_aside(&focused.state.stand));
    let is_text = matches!(message, std::borrow::Cow::Borrowed(_));
    if let (Ok(()), true, false, true, Some(told)) =
        (&verdict, aside, replays, is_text, told_aside(&message))
    {
        world::write_whole(std::path::Path::new(file), told.as_bytes())?;
    }
    Ok(verdict)
}

/// Keeps the trailers of a phase commit that is replaced without an editor (`git commit --amend -m
/// …`); true where they were missing.
///
/// # Errors
///
/// Fails where HEAD or the message does not read, or the message cannot be written.
pub(crate) fn keep_trailers(repo: &Repo, file: &std::path::Path) -> Result<bool> {
    let works = repo.is_seeded()? && repo.is_on() && !is_own_commit(repo)?;
    if works { amend::keep_trailers(repo, file) } else { Ok(false) }
}

fn trailers_last(file: &std::path::Path) -> Result<()> {
    // A message that is no text holds no trailers that anybody could find.
    let Ok(message) = String::from_utf8(std::fs::read(file)?) else { return Ok(()) };
    match put_last(&message) {
        Some(put) => Ok(world::write_whole(file, put.as_bytes())?),
        None => Ok(()),
    }
}

fn trailers_are_ours(repo: &Repo, message: &str) -> Result<Verdict> {
    let claimed: Vec<&str> = seed_lines(message).collect();
    if claimed.is_empty() {
        return Ok(Ok(()));
    }
    // A rebase rewords what it has just put there.
    let replays = matches!(repo.store.in_progress(), Some("rebase" | "am"));
    let known = match repo.store.head()?.commit.filter(|_| replays) {
        Some(head) => repo.store.commit_message(&head)?,
        None => amend::replaced(repo)?.map(|head| head.text()).unwrap_or_default(),
    };
    let known: Vec<&str> = seed_lines(&known).collect();
    Ok(guard::trailers_are_ours(&claimed, &known))
}

/// Binds the commit that just landed to the record that backs it.
fn attest_head(repo: &Repo) -> Result<()> {
    match repo.store.head()?.commit {
        Some(head) => {
            records::attest_commit(repo, &head)?;
            note_lines::mend_near(repo)
        }
        None => Ok(()),
    }
}

/// The refusal of a push by an agent that takes git seed's own refs along, whatever began it;
/// `pushed` are the lines that git tells the hook.
pub(crate) fn own_refs_pushed(repo: &Repo, pushed: &str) -> Option<Refusal> {
    // Where that does not read, what git tells is refused by its names.
    let seeded = repo.is_seeded().unwrap_or(true);
    if !seeded || !repo.is_on() || !has_agent_above(repo) {
        return None;
    }
    let prefixes = ["refs/seed/", "refs/notes/", "refs/worktree/seed/"];
    let names = prefixes.iter().flat_map(|prefix| repo.store.ref_names(prefix));
    let ours = names.filter(|name| own_refs::are_in(name));
    // A tip that does not read is nothing that git could send.
    let tips = ours.filter_map(|name| repo.store.stands_at(&name).ok().flatten());
    let tips: Vec<String> = tips.map(|commit| commit.to_string()).collect();
    own_refs::refused_push(pushed, &tips)
}

/// How many of the commits that an agent is about to push carry no passing record for
/// their tree, and of how many; `pushed` are the lines that git tells the hook. Nothing
/// where a person pushes, or no record was ever made.
pub(crate) fn unproven(repo: &Repo, pushed: &str) -> Result<Option<(usize, usize)>> {
    let asked = repo.is_seeded()? && repo.is_on() && has_agent_above(repo);
    if !asked || repo.store.stands_at(names::CLAIMS)?.is_none() {
        return Ok(None);
    }
    let local = |line: &str| line.split(' ').nth(1)?.parse::<crate::store::CommitId>().ok();
    let tips: Vec<_> = pushed.lines().filter_map(local).collect();
    let trees = repo.store.unpushed_trees(&tips)?;
    let passing = records::passing_trees(repo)?;
    let bare = trees.iter().filter(|tree| !passing.contains_key(tree.as_str())).count();
    Ok(Some((bare, trees.len())).filter(|(bare, _)| *bare > 0))
}

fn post_commit(repo: &Repo) -> Result<()> {
    // It is the person's own, and no part of the job.
    if answered(repo)?.is_some() {
        return Ok(());
    }
    let (Some(focused), Some(head)) = (repo.focused()?, repo.store.head()?.commit) else {
        return Ok(());
    };
    let line = notes::attest_line(&focused.state.step, head.as_str());
    repo.store.note_add(&head, &[line], repo.now)?;
    if let Some(id) = names::job_of(&focused.chain) {
        repo.store.keep(&names::keep_chain(&id), &head, repo.now)?;
    }
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Commit;
        line.call = head.to_string();
    })
}

/// The message with the side lane's prefix before its subject; `None` where it bears it,
/// or where git finds another commit by it.
fn told_aside(message: &str) -> Option<String> {
    const PREFIX: &str = "gmode:";
    let subject = message.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    let kept = [PREFIX, "fixup! ", "squash! ", "amend! "];
    if kept.iter().any(|kept| subject.starts_with(kept)) {
        return None;
    }
    let at = subject.as_ptr().addr() - message.as_ptr().addr();
    Some(format!("{}{PREFIX} {}", &message[..at], &message[at..]))
}

/// True when an agent host, or the mark of one, is above this process.
pub(crate) fn agent_is_above() -> bool {
    if world::is_played_person() {
        return false;
    }
    let agents = agents();
    agents.markers.iter().any(|marker| world::variable(marker).is_some())
        || world::ancestors()
            .iter()
            .any(|process| agents.programs.iter().any(|name| world::is_program(process, name)))
}

#[cfg(test)]
mod tests {
    use super::told_aside;

    #[test]
    fn the_subject_bears_the_prefix_once() {
        for (message, told) in [
            ("mend the build\n\nbody\n", Some("gmode: mend the build\n\nbody\n")),
            ("\n# a comment\nmend it\n", Some("\n# a comment\ngmode: mend it\n")),
            ("gmode: mend it\n", None),
            ("fixup! gmode: mend it\n", None),
            ("# nothing\n", None),
            ("", None),
        ] {
            assert_eq!(told_aside(message).as_deref(), told, "{message}");
        }
    }
}

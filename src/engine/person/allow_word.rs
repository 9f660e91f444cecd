//! `[ALLOW …]`: a person opens paths for the cycle, or one call of git.

use std::path::Path;

use crate::engine::bypasses::{self, Bypass};
use crate::engine::person::spoken::{Spoken, Told, hand_on};
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::step::TOUCHED;
use crate::engine::repo::rows::{from_line, to_line};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{closed_paths, git_mark, record};
use crate::format::names;
use crate::format::state::{self, State};
use crate::hosts::Answer;
use crate::jobs::shortword::{self, ShortWord};
use crate::memory::scope::Scope;
use crate::phases::place::Place;
use crate::phases::{Write, git_acts};
use crate::shell;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};

/// Opens what one of these words says, or several.
pub(crate) fn opened(
    repo: &Repo,
    spoken: &Spoken<'_>,
    short: &ShortWord,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    match short {
        ShortWord::Allow(paths) => allow_word(repo, spoken, paths, rest, focused),
        ShortWord::AllowGit(line) => allow_git(repo, spoken, line, rest, focused),
        ShortWord::Allows { paths, lines } => {
            let told = open_first(repo, lines, focused)?;
            let answer = match paths.as_slice() {
                [] => hand_on(repo, spoken, rest, focused)?,
                paths => allow_word(repo, spoken, paths, rest, focused)?,
            };
            Ok(told.into_iter().rev().fold(answer, |answer, told| told.before(answer)))
        }
        _ => Ok(Answer::silence()),
    }
}

fn allow_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    paths: &[String],
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    if paths.is_empty() {
        let told = Told::person(tell(Notice::AllowAlone, &[]));
        return hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer));
    }
    let open = |focused: &&LoadedJob| focused.state.job.status.is_open();
    if let Some(focused) = focused.filter(open) {
        let told = allow(repo, spoken, focused, paths)?;
        return hand_on(repo, spoken, rest, Some(focused)).map(|answer| told.before(answer));
    }
    // The prompt bears the job that the paths are opened for.
    let answer = hand_on(repo, spoken, rest, focused)?;
    let told = match repo.focused()?.as_ref().filter(open) {
        Some(created) => allow(repo, spoken, created, paths)?,
        None => Told::person(tell(Notice::AllowWithoutJob, &[])),
    };
    Ok(told.before(answer))
}

/// Opens one call of git; the words behind it go where a prompt goes.
pub(crate) fn allow_git(
    repo: &Repo,
    spoken: &Spoken<'_>,
    line: &str,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let told = open_call(repo, line, focused)?;
    // Without further words nothing is asked of the agent but this: no job is born of it.
    let open = focused.is_some_and(|focused| focused.state.job.status.is_open());
    if rest.is_empty() && !open {
        return Ok(told.alone());
    }
    hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer))
}

/// Opens the first of several calls of git; the others are told to wait for a prompt of their own.
pub(crate) fn open_first(
    repo: &Repo,
    lines: &[String],
    focused: Option<&LoadedJob>,
) -> Result<Vec<Told>> {
    let Some((first, more)) = lines.split_first() else { return Ok(Vec::new()) };
    let later = |line: &String| Told::person(tell(Notice::GitOneCall, &[("line", line)]));
    let first = open_call(repo, first, focused)?;
    Ok([first].into_iter().chain(more.iter().map(later)).collect())
}

fn open_call(repo: &Repo, line: &str, focused: Option<&LoadedJob>) -> Result<Told> {
    let acts = git_acts::acts(&shell::read(line));
    let tool = line.starts_with(shortword::OF_TOOLS).then(|| vec![line.to_owned()]);
    let commits = focused.is_some_and(|focused| !focused.state.home.commit.is_empty());
    let opened = match acts.as_slice() {
        [act] if !(act.bends || act.takes && commits) => Some((act.words.clone(), act.line())),
        _ => None,
    };
    let Some((words, line)) = tool.map(|words| (words, line.to_owned())).or(opened) else {
        return Ok(Told::person(tell(Notice::GitNotOpened, &[("line", line)])));
    };
    git_mark::open(repo, words)?;
    // It is open by now: where the record does not take it, it lacks it.
    let _ = bypasses::keep(repo, Bypass::AllowGit, &line);
    Ok(Told::both(
        tell(Notice::GitOpened, &[("line", &line)]),
        tell(Notice::GitOpenedToAgent, &[("line", &line)]),
    ))
}

/// Opens `paths` for the cycle; what may not be opened is told with its reason.
fn allow(repo: &Repo, spoken: &Spoken<'_>, focused: &LoadedJob, paths: &[String]) -> Result<Told> {
    let opening = open_paths(repo, focused, paths, &spoken.event.cwd)?;
    if let Some(agent) = &opening.told.agent {
        record::journal_line::count_injected(repo, focused, agent)?;
    }
    Ok(opening.told)
}

/// What a person opened, and what is said of it.
pub(crate) struct Opening {
    /// Lines of the list of what is open; none where all stayed shut.
    pub(crate) opened: Vec<String>,
    /// What stayed shut, each with its reason.
    pub(crate) shut: Vec<String>,
    pub(crate) told: Told,
}

/// Opens `paths`, as they are written in `cwd`, for the cycle of `focused`.
pub(crate) fn open_paths(
    repo: &Repo,
    focused: &LoadedJob,
    paths: &[String],
    cwd: &Path,
) -> Result<Opening> {
    let mut opened: Vec<String> = Vec::new();
    let mut shut = Vec::new();
    for path in paths {
        match place_to_open(repo, path, cwd, Some(&focused.state)) {
            Ok(line) => opened.push(line),
            Err(why) => shut.push(format!("{path} ({why})")),
        }
    }
    let named = shut.join(", ");
    if opened.is_empty() {
        let told = Told::person(tell(Notice::AllowedNothing, &[("shut", &named)]));
        return Ok(Opening { opened, shut, told });
    }
    widen(repo, &focused.chain, &opened)?;
    closed_paths::allow(repo, focused, &opened)?;
    let listed = opened.join(", ");
    let map = repo.map(&focused.state.stand);
    let writes = map.phases().find(|row| row.write.contains(&Write::Scope));
    let here = repo.row(Some(focused)).write.contains(&Write::Scope);
    let effect = match writes {
        Some(row) if !here => tell(Notice::AllowedLater, &[("phase", row.name.as_str())]),
        _ => String::new(),
    };
    let but = if shut.is_empty() {
        String::new()
    } else {
        tell(Notice::AllowedNotAll, &[("shut", &named)])
    };
    let told = Told::both(
        tell(Notice::Allowed, &[("paths", &listed), ("effect", &effect), ("but", &but)]),
        tell(Notice::AllowedToAgent, &[("paths", &listed), ("effect", &effect)]),
    );
    Ok(Opening { opened, shut, told })
}

/// The line of the list that `written` means, or why it stays shut.
pub(crate) fn place_to_open(
    repo: &Repo,
    written: &str,
    cwd: &Path,
    state: Option<&State>,
) -> std::result::Result<String, String> {
    let top = repo.store.work_tree();
    let is_there = |base: &Path| base.join(written).symlink_metadata().is_ok();
    let base = if !is_there(top) && is_there(cwd) { cwd } else { top };
    let found = repo.resolve(Path::new(written), base, state, &[]);
    match &found.place {
        _ if written.starts_with('~') => Err(tell(Notice::ShutOutside, &[])),
        Place::Outside | Place::HostMemory | Place::Scratch => Err(tell(Notice::ShutOutside, &[])),
        Place::Git => Err(tell(Notice::ShutGit, &[])),
        Place::OwnState => Err(tell(Notice::ShutOwnState, &[])),
        Place::Surface { .. } => Err(tell(Notice::ShutSurface, &[])),
        // Where no job is kept these are files like any other.
        Place::Page { .. }
        | Place::Knowledge
        | Place::AgentDefinition
        | Place::Plan { .. }
        | Place::JobFile
            if state.is_none() =>
        {
            Ok(found.shown)
        }
        Place::Page { dir } => Err(tell(Notice::ShutPage, &[("dir", &to_line(dir))])),
        Place::Knowledge | Place::AgentDefinition | Place::Plan { .. } | Place::JobFile => {
            Err(tell(Notice::ShutMemory, &[]))
        }
        Place::Project { .. }
            if found.real.is_dir() || (written.ends_with('/') && !found.exists) =>
        {
            Ok(format!("{}/", to_line(&found.shown)))
        }
        Place::Project { .. } if !found.exists && written.contains(['*', '?']) => {
            Err(tell(Notice::ShutPattern, &[]))
        }
        Place::Project { .. } => Ok(found.shown),
    }
}

/// Adds `lines` to what is open. Changes of the agent's that lie there now belong to
/// its work, and no longer stand outside the fence.
fn widen(repo: &Repo, chain: &str, lines: &[String]) -> Result<()> {
    let mut allowed = repo.lines(chain, names::ALLOWED)?;
    allowed.extend(lines.iter().cloned());
    let mut scope = repo.lines(chain, names::SCOPE)?;
    let known = scope.len();
    scope.extend(lines.iter().filter_map(|line| line.strip_suffix('/')).map(str::to_owned));
    let mut open: Scope = scope[known..].iter().map(|line| from_line(line)).collect();
    lines.iter().filter(|line| !line.ends_with('/')).for_each(|file| open.open(file.as_str()));
    let touched_before = repo.lines(chain, TOUCHED)?;
    let put = |path: &str, lines: &[String]| TreeEdit::Put {
        path: path.to_owned(),
        bytes: state::write_lines(lines.iter().map(String::as_str)).into_bytes(),
    };
    let widened = record::step::step(repo, chain, Journaling::Read, |state, since| {
        let subject = format!("the person opened {}", lines.join(", "));
        let mut draft =
            StepDraft::new(state, "allow", subject, By::Person).with(put(names::ALLOWED, &allowed));
        if !repo.rests(&state.stand) && scope.len() > known {
            draft = draft.with(put(names::SCOPE, &scope));
        }
        let (inside, strays) = state.fence.strays.drain(..).partition(|path| open.holds(path));
        let inside: Vec<String> = inside;
        state.fence.strays = strays;
        state.fence.unclaimed.retain(|unclaimed| !open.holds(&unclaimed.path));
        if !inside.is_empty() {
            let mut touched = touched_before.clone();
            touched.extend(since.touched().map(str::to_owned));
            touched.extend(inside);
            draft = draft.with(put(TOUCHED, &touched));
        }
        Ok(Ok(draft))
    })?;
    debug_assert!(widened.is_ok(), "a person's word is never refused");
    Ok(())
}

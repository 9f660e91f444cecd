//! What a boundary declares: the directories whose pages were edited, and `--scope`.

use crate::engine::boundary::step::Judged;
use crate::engine::memory::pages::{declared_dir, dir_line};
use crate::engine::record::transition::Transition;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{boundary, fence, memory};
use crate::format::names;
use crate::format::state::State;
use crate::format::transition::Declared;
use crate::memory::heal;
use crate::memory::scope::of_below;
use crate::phases::gates::{self, BadLine};
use crate::phases::{Move, Phase, Position, Within};
use crate::verdict::{Refusal, Verdict};
use crate::voice::{Notice, tell};

/// What the step would declare reads, and is this phase's to declare.
pub(crate) fn scope_is_sound(
    repo: &Repo,
    focused: &LoadedJob,
    row: &Phase,
    toward: &Transition,
    step: Option<&Move>,
) -> Result<std::result::Result<(), Refusal>> {
    let no = |line: BadLine, what: String| Ok(Err(gates::misdeclared(line, &what)));
    let Transition::Forward { scope, .. } = toward else { return Ok(Ok(())) };
    // What is declared already is nothing new to say.
    let known = repo.lines(&focused.chain, names::SCOPE)?;
    let is_known = |dir: &&String| {
        declared_dir(dir).is_ok_and(|lines| lines.iter().all(|line| known.contains(line)))
    };
    let news = scope.iter().find(|dir| row.declares || !is_known(dir));
    // By itself it would read as the end of the sentence.
    let news = news.map(|dir| if dir == "." { "./" } else { dir.as_str() });
    if let Err(refusal) = gates::declares(row, news) {
        return Ok(Err(refusal));
    }
    if let Err(refusal) = dirs_are_sound(repo, &focused.state, scope) {
        return Ok(Err(refusal));
    }
    if let Err(refusal) = boundary::size::has_room(repo, focused, scope)? {
        return Ok(Err(refusal));
    }
    if freezes(repo, &focused.state.stand, step) {
        let mut dirs = repo.lines(&focused.chain, names::SCOPE)?;
        let since = repo.read_since(focused)?;
        dirs.extend(since.touched().filter(|path| repo.is_page(path)).map(dir_line));
        let named = match memory::pages::scope_lines(repo, &dirs, row) {
            Ok(named) => named,
            Err(bad) => return no(BadLine::Scope, bad),
        };
        // What a page elsewhere would open stays shut. Where nothing else is declared, it is said.
        let beyond = |dir: &String| beyond_the_track(repo, &focused.state, dir);
        let none = scope.is_empty() && dirs.iter().chain(&named).all(|dir| beyond(dir).is_some());
        if let Some(bad) = dirs.iter().find_map(beyond).filter(|_| none) {
            return no(BadLine::Scope, bad);
        }
        if let Err(bad) = memory::pages::kinds_brought(repo, &dirs, row) {
            return no(BadLine::Kind, bad);
        }
    }
    Ok(Ok(()))
}

/// Each of these directories reads as a line of the scope, and the job's track is for it.
pub(crate) fn dirs_are_sound(repo: &Repo, state: &State, dirs: &[String]) -> Verdict {
    let bad = dirs.iter().find_map(|dir| match declared_dir(dir) {
        Err(bad) => Some(bad),
        Ok(_) => beyond_the_track(repo, state, dir),
    });
    bad.map_or(Ok(()), |bad| Err(gates::misdeclared(BadLine::Scope, &bad)))
}

/// The list of a job's declared directories, without what its rules do not open; of one that its
/// track is not for as a whole, the files that are.
pub(crate) fn open_lines(repo: &Repo, job: &LoadedJob) -> Result<Vec<String>> {
    let mut open: Vec<String> = Vec::new();
    for line in repo.lines(&job.chain, names::SCOPE)? {
        match repo.within(&job.state.stand, &line) {
            Within::Files(files) => open.extend(files),
            Within::Whole if repo.rules.deep_scope || of_below(&line).is_none() => open.push(line),
            Within::Whole => {}
        }
    }
    Ok(open)
}

/// What is wrong with a directory that the track of the job is not for.
fn beyond_the_track(repo: &Repo, state: &State, dir: &str) -> Option<String> {
    let track = state.stand.bounds();
    let paths = repo.rules.maps.paths_of(track).join(", ");
    let outside = repo.within(&state.stand, dir) == Within::Files(Vec::new());
    outside.then(|| {
        tell(Notice::ScopeBeyondTrack, &[("dir", dir), ("track", track), ("paths", &paths)])
    })
}

/// Pages that the next phase finds without their anchors: those that the agent has written in,
/// and of the ones that are near the work those that had anchors before.
pub(crate) fn pages_to_heal(
    repo: &Repo,
    judged: &Judged,
    chain: &str,
) -> Result<Vec<(String, String)>> {
    let map = repo.map(&repo.require_focused()?.state.stand);
    let enters = match &judged.step {
        Some(Move::Forward(to) | Move::Back(to)) => {
            map.phase(to).is_some_and(|to| to.anchor.is_some())
        }
        Some(Move::Onto { track, to }) => {
            repo.rules.maps.get(track).phase(to).is_some_and(|to| to.anchor.is_some())
        }
        _ => false,
    };
    if !enters {
        return Ok(Vec::new());
    }
    let mut pages = vec![repo.page_path(".")];
    pages.extend(repo.lines(chain, names::SCOPE)?.iter().map(|dir| repo.page_path(dir)));
    let focused = repo.require_focused()?;
    let persons = fence::tree::persons(repo, &focused)?;
    let dirty: Vec<String> =
        if repo.rests(&focused.state.stand) { fence::tree::dirty_now(repo)? } else { Vec::new() };
    let since = repo.read_since(&focused)?;
    let written: Vec<String> =
        fence::survey::touched(repo, &focused, &since)?.into_iter().collect();
    let near = written.iter().map(String::as_str).chain(since.looked_at());
    pages.extend(near.filter(|path| repo.is_page(path)).map(str::to_owned));
    pages.sort();
    pages.dedup();
    pages.retain(|page| !persons.contains(page) && !dirty.contains(page));
    let anchors = repo.rules.maps.anchors();
    // A page that does not read is not healed; the gate that reads it says so.
    let text = |page: &String| repo::paths::text_of(repo.store.work_tree().join(page)).ok();
    Ok(pages
        .iter()
        .filter_map(|page| Some((page.clone(), heal::heal(&text(page)?, &anchors).ok()?)))
        .filter(|(page, healed)| {
            let had_some = healed.inserted.len() < anchors.len();
            !healed.is_unchanged() && (had_some || written.contains(page))
        })
        .map(|(page, healed)| (page, healed.text))
        .collect())
}

/// What this stay adds to the cycle's scope, and the kinds that freeze with it.
pub(crate) fn declared(
    repo: &Repo,
    chain: &str,
    state: &State,
    toward: &Transition,
    judged: &Judged,
) -> Result<Declared> {
    let row = repo.row_of(state);
    let mut kinds = None;
    let mut lines = repo.lines(chain, names::SCOPE)?;
    let known = lines.len();
    if row.declares {
        lines.extend(judged.survey.pages.iter().map(|page| dir_line(page)));
    }
    let freezes = freezes(repo, &state.stand, judged.step.as_ref());
    // Both were judged before the commit; what does not read now has changed since.
    if freezes {
        kinds = Some(memory::pages::kinds_brought(repo, &lines, row).map_err(EngineError::Usage)?);
        lines.extend(memory::pages::scope_lines(repo, &lines, row).map_err(EngineError::Usage)?);
    }
    if let Transition::Forward { scope, .. } = toward {
        if let Some(focused) = repo.focused()?.filter(|job| row.declares && job.chain == chain) {
            boundary::size::make_room(repo, &focused, scope, &mut lines)?;
        }
        for dir in scope {
            let named = declared_dir(dir).map_err(EngineError::Usage)?;
            lines.extend(
                named
                    .into_iter()
                    .filter(|line| row.declares || !lines.contains(line))
                    .collect::<Vec<_>>(),
            );
        }
    }
    let scope = (lines.len() != known || freezes).then_some(lines);
    Ok(Declared { scope, kinds })
}

fn freezes(repo: &Repo, stand: &Position, step: Option<&Move>) -> bool {
    match step {
        Some(Move::Forward(to)) => repo.map(stand).phase(to).is_some_and(|to| to.freezes),
        _ => false,
    }
}

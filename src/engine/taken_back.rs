//! Work that the agent takes back with git: `git restore <file>`, `git checkout -- <file>`.
//!
//! Git puts back what the index has, or a commit, and keeps no copy of what it writes over. What
//! lies in the file may be a person's as well, from before the job or from meanwhile. So the agent
//! is led to `git seed fence restore`, which puts back what the last step found and keeps the rest.

use crate::engine::fence;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Act, Event, ToolCall};
use crate::hosts::Host;
use crate::phases::Write;
use crate::phases::git_acts::{self, GitAct, PutsBack};
use crate::phases::place::Place;
use crate::shell;
use crate::verdict::{Case, Refusal, Wants};

/// The most files that the way on names.
const NAMED: usize = 8;

/// Why `act`, which writes files out of git, is refused where work is done; `refusal` as it was
/// where it writes none, or where nothing of the project is written.
pub(crate) fn refused(
    repo: &Repo,
    said: (&Host, &Event, &ToolCall),
    focused: &LoadedJob,
    acts: &[GitAct],
    refusal: Refusal,
) -> Result<Refusal> {
    let generic =
        refusal.wants == Wants::Checkpoint && refusal.facts.get("case") == Some(Case::Git.word());
    let row = repo.row(Some(focused));
    let line = refusal.facts.get("line").unwrap_or_default();
    let act = acts.iter().find(|act| act.line() == line);
    let Some(puts) = act.and_then(git_acts::puts_back).filter(|_| generic) else {
        return Ok(refusal);
    };
    if !row.write.contains(&Write::Scope) {
        return Ok(refusal);
    }
    let no = |case: Case| git_acts::told_as(&refusal, case);
    let named = named(repo, said, focused, &puts);
    let (own, others) = changed(repo, focused, &named)?;
    Ok(match (own.as_slice(), others) {
        _ if puts.other => no(Case::GitFiles),
        ([], Some(path)) => no(Case::NotYours).with("path", path),
        ([], None) if puts.sure => no(Case::GitFiles),
        ([], None) => refusal,
        (own, _) => {
            let words: Vec<_> =
                own.iter().take(NAMED).map(|path| shell::quoted_word(path)).collect();
            no(Case::TakesBack).with("files", words.join(" "))
        }
    })
}

/// The paths that it names, from the top of the work tree; the top itself is the empty one.
fn named(
    repo: &Repo,
    (host, event, call): (&Host, &Event, &ToolCall),
    focused: &LoadedJob,
    puts: &PutsBack,
) -> Vec<String> {
    let Act::Shell { command, cwd, .. } = &call.act else { return Vec::new() };
    let mut dir = cwd.as_deref().unwrap_or(&event.cwd).to_owned();
    // Where it goes elsewhere than shows, nothing is named.
    for to in shell::simple(command).map(|line| line.dirs).unwrap_or_default() {
        let Some(to) = to else { return Vec::new() };
        dir.push(to);
    }
    let place = |word: &String| repo.place(host, event, &dir.join(word), Some(focused));
    puts.paths.iter().map(|word| place(word).shown).collect()
}

/// What differs there from the last step: files that the agent changed, and the first of the rest.
fn changed(
    repo: &Repo,
    focused: &LoadedJob,
    named: &[String],
) -> Result<(Vec<String>, Option<String>)> {
    let since = repo.read_since(focused)?;
    let survey = fence::survey::survey(repo, focused, &since, repo.row(Some(focused)))?;
    let touched = fence::survey::touched(repo, focused, &since)?;
    let takes = |path: &String| {
        named.iter().any(|named| {
            let below = || path.strip_prefix(named.as_str()).is_some_and(|it| it.starts_with('/'));
            matches!(named.as_str(), "" | ".") || path == named || below()
        })
    };
    let works = |path: &String| {
        let place = fence::survey::place_of(repo, path, &focused.state);
        touched.contains(path) && !matches!(place, Place::Page { .. } | Place::JobFile)
    };
    let own = survey.own.iter().map(ToString::to_string);
    let own = own.chain(survey.strays.iter().cloned()).filter(|path| takes(path) && works(path));
    let dirty = fence::tree::dirty_now(repo)?;
    let own: Vec<String> = own.collect();
    let other = dirty.into_iter().find(|path| takes(path) && !own.contains(path));
    Ok((own, other))
}

//! Which track of the repository's own a prompt speaks of, and a track that the rules lack by now.

use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::state::State;
use crate::phases::BadMap;
use crate::rules::AUTO;
use crate::voice::{Notice, tell};

/// Words of a prompt that are looked up as paths, at most.
const WORDS: usize = 400;

/// The rules in force have that track, or leave it to the first step of each job.
pub(crate) fn is_known(repo: &Repo, track: &str) -> Result<()> {
    let maps = &repo.rules.maps;
    if track == AUTO || maps.has(track) {
        return Ok(());
    }
    let known = format!("{AUTO}, {}", maps.names().join(", "));
    Err(EngineError::Usage(BadMap::Track { track: track.to_owned(), known }.to_string()))
}

/// The track that is for all paths of the work tree that a prompt names, where it names some.
pub(crate) fn named_by_paths(repo: &Repo, prompt: &str) -> Option<String> {
    if !repo.rules.maps.bounds_some() {
        return None;
    }
    let top = repo.store.work_tree();
    let bare = |word: &'_ str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"._-/".contains(c));
        word.trim_start_matches("./").trim_end_matches(['.', '/', ':']).to_owned()
    };
    let is_path = |word: &String| {
        word.contains(['/', '.']) && !word.starts_with('/') && top.join(word).exists()
    };
    let paths: Vec<String> =
        prompt.split_whitespace().take(WORDS).map(bare).filter(is_path).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    repo.rules.maps.for_paths(&paths).map(str::to_owned)
}

/// The same of the job in focus.
pub(crate) fn gone_of_focused(repo: &Repo) -> Result<Option<String>> {
    Ok(repo.focused()?.and_then(|focused| gone(repo, &focused.state)))
}

/// A sentence for a job whose track the rules lack by now: it goes on on that of new jobs.
pub(crate) fn gone(repo: &Repo, state: &State) -> Option<String> {
    let (maps, track) = (&repo.rules.maps, state.stand.track.as_str());
    if maps.has(track) {
        return None;
    }
    let known = maps.names().join(", ");
    let facts = [("track", track), ("now", maps.home_name()), ("known", &known)];
    Some(tell(Notice::TrackGone, &facts))
}

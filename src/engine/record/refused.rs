//! What an agent was refused: in a stay, for the record of its session; and most often in a cycle,
//! for what the next one might be spared.

use std::collections::BTreeMap;

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::journal::{Line, Refused};
use crate::verdict::Refusal;
use crate::voice;

/// So often something is refused before it is worth a word.
const OFTEN: usize = 3;

/// The reason that stood in the way most often in this cycle; nothing where none did often.
///
/// # Errors
///
/// The lines of the cycle do not read.
pub(crate) fn most_often(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let cycle = format!("{}-", focused.state.stand.cycle);
    let lines = traced(repo, focused, |name| name.starts_with(&cycle))?;
    // How a job stands helps no later one.
    let is_lesson = |refused: &Refused| !refused.wants.is_about_the_job();
    let lessons = lines.iter().filter(|line| line.own_refusal().is_some_and(is_lesson));
    let most = by_kind(lessons).into_iter().next();
    Ok(most.filter(|(_, times)| *times >= OFTEN).map(|(why, _)| why))
}

/// Lines of the journal that steps took in, of the files of the trace that `keeps` names.
///
/// # Errors
///
/// One of the files does not read.
pub(crate) fn traced(
    repo: &Repo,
    focused: &LoadedJob,
    keeps: impl Fn(&str) -> bool,
) -> Result<Vec<Line>> {
    let mut names = repo.store.names(&focused.tip, "trace")?;
    names.retain(|name| keeps(name));
    names.sort_by_key(|name| super::interactions::trace_number(name));
    let mut lines = Vec::new();
    for name in names {
        let here = repo.counted_text(focused, &format!("trace/{name}"))?.here();
        let Some(bytes) = here else { continue };
        let text = String::from_utf8_lossy(&bytes);
        // A line of another git seed is passed over: nothing decides by it.
        lines.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }
    Ok(lines)
}

/// Why something was refused in `lines`, in the words of the last time, and how often; most often
/// first.
pub(crate) fn by_kind<'l>(lines: impl Iterator<Item = &'l Line>) -> Vec<(String, usize)> {
    let mut kinds: BTreeMap<(&str, &str, &str), (usize, &Refused)> = BTreeMap::new();
    for refused in lines.filter_map(Line::own_refusal) {
        let case = refused.facts.get("case").unwrap_or_default();
        let kind = kinds.entry((&refused.by, refused.wants.word(), case)).or_insert((0, refused));
        *kind = (kind.0 + 1, refused);
    }
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    let said = |(times, refused): (usize, &Refused)| {
        let Refused { wants, phase, facts, .. } = refused;
        let refusal = Refusal { by: "trace", wants: *wants, facts: facts.clone() };
        (voice::say(&refusal, phase).why, times)
    };
    kinds.into_iter().map(said).collect()
}

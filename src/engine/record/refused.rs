//! What an agent was refused most often in a cycle: what the next one might be spared.

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
    let mut kinds: BTreeMap<(String, String, String), (usize, Refused)> = BTreeMap::new();
    let cycle = format!("{}-", focused.state.stand.cycle);
    let names = repo.store.names(&focused.tip, "trace")?;
    for name in names.iter().filter(|name| name.starts_with(&cycle)) {
        let bytes = repo.counted_file(focused, &format!("trace/{name}"))?;
        let text = String::from_utf8_lossy(&bytes);
        // A line of another git seed is passed over: nothing decides by it.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        for refused in lines.filter_map(|line| line.refusal) {
            let case = refused.facts.get("case").unwrap_or_default().to_owned();
            let kind = (refused.by.clone(), refused.wants.word().to_owned(), case);
            let (times, last) = kinds.entry(kind).or_insert_with(|| (0, refused.clone()));
            *times += 1;
            *last = refused;
        }
    }
    let most = kinds.into_values().max_by_key(|(times, _)| *times);
    Ok(most.filter(|(times, _)| *times >= OFTEN).map(|(_, refused)| {
        let Refused { wants, phase, facts, .. } = refused;
        voice::say(&Refusal { by: "trace", wants, facts }, &phase).why
    }))
}

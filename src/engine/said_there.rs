//! What of a message's words the repository answers: whether a thing that it names is there.

use std::collections::BTreeSet;

use crate::claims::told::SaidGone;
use crate::claims::{How, Truth};
use crate::engine::repo::{Repo, Result};
use crate::store::TreeId;

/// Of what a claim names and nothing changed of: what the tree holds all the same.
pub(crate) fn held(repo: &Repo, items: &[String], tree: &TreeId) -> Result<Vec<String>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let paths = repo.store.paths_of(tree)?;
    let is_path = |item: &str| {
        let item = item.trim_start_matches("./").trim_end_matches('/');
        let below = format!("{item}/");
        paths.iter().any(|path| {
            let ends =
                path.strip_suffix(item).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            ends || path.starts_with(&below) || path.contains(&format!("/{below}"))
        })
    };
    let (there, others): (Vec<&String>, Vec<&String>) =
        items.iter().partition(|item| !item.is_empty() && is_path(item));
    let names: Vec<String> =
        others.iter().filter_map(|item| name_in(item)).map(str::to_owned).collect();
    let words: BTreeSet<String> = repo.store.words_in(tree, &names)?;
    let called =
        others.into_iter().filter(|item| name_in(item).is_some_and(|name| words.contains(name)));
    Ok(there.into_iter().chain(called).cloned().collect())
}

/// The most files that are searched for what is said to be nowhere.
const SEARCHED: usize = 20_000;

/// Of what a message says is gone: what is there all the same, each as `name (path)`. What went
/// from one place of a changed file and stands in another went.
pub(crate) fn still(
    repo: &Repo,
    gone: &[SaidGone],
    truth: &Truth,
    tree: &TreeId,
) -> Result<Vec<String>> {
    let changed = truth.files.iter().filter(|file| file.how != How::Deleted);
    let now: Vec<String> = changed.clone().map(|file| file.path.clone()).collect();
    let was = changed.map(|file| file.was.as_ref().unwrap_or(&file.path).clone());
    let was: Vec<String> = was.collect();
    // What a log of changes tells of is over.
    let told = |path: &str| {
        let lower = path.to_lowercase();
        ["changelog", "changes", "history", "news"].iter().any(|name| lower.contains(name))
    };
    // A file that went is told of in the difference; what names it elsewhere is another matter.
    let is_file = |name: &str| {
        let ends = |path: &String| path.ends_with(name);
        truth.files.iter().any(|file| ends(&file.path) || file.was.as_ref().is_some_and(ends))
    };
    let mut found = Vec::new();
    for SaidGone { name, anywhere } in gone.iter().filter(|gone| !is_file(&gone.name)) {
        if !anywhere && (now.is_empty() || truth.base.is_empty()) {
            continue;
        }
        // The host waits for the answer.
        if *anywhere && repo.store.paths_of(tree)?.len() > SEARCHED {
            continue;
        }
        let below: &[String] = if *anywhere { &[] } else { &now };
        let mut here = repo.store.places_of(tree.as_str(), name, below)?;
        here.retain(|path, _| !told(path) && !repo.is_memory(path));
        let Some(path) = here.keys().next() else { continue };
        let before = || repo.store.places_of(&truth.base, name, &was);
        let left = *anywhere || {
            let before: u64 = before()?.values().sum();
            before > 0 && here.values().sum::<u64>() >= before
        };
        found.extend(left.then(|| format!("{name} ({path})")));
    }
    Ok(found)
}

/// Of the values that a message says a new test has, those that no changed file has.
pub(crate) fn not_in_tests(
    repo: &Repo,
    said: &[String],
    truth: &Truth,
    tree: &TreeId,
) -> Result<Vec<String>> {
    let changed = truth.files.iter().filter(|file| file.how != How::Deleted);
    let changed: Vec<String> = changed.map(|file| file.path.clone()).collect();
    let mut found = Vec::new();
    for value in said.iter().filter(|_| !changed.is_empty()) {
        if repo.store.places_of(tree.as_str(), value, &changed)?.is_empty() {
            found.push(value.clone());
        }
    }
    Ok(found)
}

/// The name of a function, where an item of a list is one: `Parser.parse()` is `parse`.
fn name_in(item: &str) -> Option<&str> {
    let name = item.trim().trim_end_matches("()").rsplit(['.', ':', '#']).next()?;
    let fits = name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.chars().count() > 1;
    fits.then_some(name)
}

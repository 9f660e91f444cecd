//! The commit that the one under way replaces: `git commit --amend`.
//!
//! Git tells its hooks of no amend. The words of the `git commit` above say it; where none are to
//! be read (an alias, another system), the author does, which an amend keeps to the second.

use std::path::Path;

use crate::engine::repo::{Repo, Result};
use crate::format::trailers::{Trailers, with_own};
use crate::shell::{self, GitFlag};
use crate::store::Written;
use crate::world;

/// HEAD's commit, where the commit under way replaces it.
pub(super) fn replaced(repo: &Repo) -> Result<Option<Written>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(None) };
    let head = repo.store.as_written(&head)?;
    let replaces = said_above().unwrap_or_else(|| {
        let told = |what: &str| world::variable(&format!("GIT_AUTHOR_{what}"));
        let author = (told("NAME"), told("EMAIL"), told("DATE"));
        matches!(author, (Some(name), Some(email), Some(date))
            if head.author.is_written(&name, &email, &date))
    });
    Ok(replaces.then_some(head))
}

/// Whether the nearest `git commit` above amends, by its own words.
fn said_above() -> Option<bool> {
    let above = world::ancestors();
    let words = above.iter().filter(|up| world::is_program(up, "git"));
    words.filter_map(world::arguments_of).find_map(|words| amends(&words))
}

/// Whether these words of a `git` amend; nothing where they are no `git commit`.
fn amends(words: &[String]) -> Option<bool> {
    let rest = words.get(1..)?.iter().map(|word| shell::quoted_word(word));
    let line: Vec<String> = std::iter::once("git".to_owned()).chain(rest).collect();
    let reading = shell::read(&line.join(" "));
    let commit = reading.git_verbs().find(|git| git.verb == "commit")?;
    Some(commit.has(GitFlag::Amend))
}

/// Puts the trailers of HEAD's step into a message that replaces its own without an editor: nobody
/// took them out. True where it did.
pub(super) fn keep_trailers(repo: &Repo, file: &Path) -> Result<bool> {
    // Git says so where no editor was open; what is replayed brings its message along.
    let unedited = world::variable("GIT_EDITOR").is_some_and(|editor| editor == ":");
    if !unedited || repo.store.in_progress().is_some_and(|doing| doing != "bisect") {
        return Ok(false);
    }
    // A message that is no text is left as it is, and so is none: git refuses that.
    let Ok(message) = String::from_utf8(std::fs::read(file)?) else { return Ok(false) };
    let Some(head) = replaced(repo)?.filter(|_| !message.trim().is_empty()) else {
        return Ok(false);
    };
    let before = head.text();
    let trailers = Trailers::of(&before);
    if trailers.get("Seed-Id").is_none() {
        return Ok(false);
    }
    let ours = trailers.iter().filter(|(key, _)| key.starts_with("Seed-"));
    let ours: Vec<String> = ours.map(|(key, value)| format!("{key}: {value}")).collect();
    let kept = with_own(&message, &ours);
    if kept == message.trim_end() {
        return Ok(false);
    }
    world::write_whole(file, format!("{kept}\n").as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::amends;

    #[test]
    fn the_words_of_git_say_whether_it_amends() {
        let cases: [(&[&str], Option<bool>); 12] = [
            (&["git", "commit", "--amend", "-m", "x"], Some(true)),
            (&["git", "commit", "-m", "x", "--amend"], Some(true)),
            (&["/usr/lib/git-core/git", "-C", "a b", "commit", "--am", "-m", "x"], Some(true)),
            (&["git", "commit", "-n", "--amend", "-F", "it's", "-e"], Some(true)),
            (&["git", "commit", "-m", "x"], Some(false)),
            (&["git", "commit", "-m", "--amend"], Some(false)),
            (&["git", "commit", "-m", "a; git commit --amend"], Some(false)),
            (&["git", "commit", "-am", "--amend"], Some(false)),
            (&["git", "commit", "--", "--amend"], Some(false)),
            (&["git", "ci", "--amend"], None),
            (&["git", "rebase", "-i", "HEAD~2"], None),
            (&["git"], None),
        ];
        for (words, amend) in cases {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(amends(&words), amend, "{words:?}");
        }
    }
}

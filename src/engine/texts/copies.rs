//! Copies of redacted words below `.git/seed`: blanked where they stand, byte for byte, so that the
//! files stay what they are.

use std::fs;
use std::path::Path;

use crate::engine::repo::{Repo, Result};
use crate::world;

/// A shorter line says too little to be known again.
const LEAST: usize = 12;
/// A larger file is none of ours that holds words.
const MOST: u64 = 16 << 20;
/// What is made again from what is left, and may hold words.
const MADE_AGAIN: [&str; 3] = ["list", "events", "reports"];
/// What holds no words and is compared byte by byte.
const EXACT: [&str; 7] = ["index", "packs", "lock", "looks", "packed", "prints", "identity.toml"];
/// Lines that are chained by their hashes: a change would be damage.
const CHAINED: &str = "journal";

/// Blanks `words` in the files of this clone's own state. Gives the files that hold them still.
pub(crate) fn blank(repo: &Repo, words: &[String]) -> Result<Vec<String>> {
    let lines = needles(words);
    let (seed, mut left) = (repo.store.seed_dir(), Vec::new());
    for name in MADE_AGAIN {
        remove(&seed.join(name))?;
    }
    for file in files(&seed)? {
        let below = file.strip_prefix(&seed).unwrap_or(&file);
        let top = below.components().next().map(|part| part.as_os_str().to_string_lossy());
        let top = top.unwrap_or_default().into_owned();
        if EXACT.contains(&top.as_str()) {
            continue;
        }
        let bytes = world::read_plain(&file)?;
        let Some(blanked) = without(&bytes, &lines) else { continue };
        if top == CHAINED {
            left.push(format!(".git/seed/{}", below.display()));
        } else {
            world::Whole::private().write(&file, &blanked)?;
        }
    }
    Ok(left)
}

/// Some of `words` stand in these bytes.
pub(super) fn holds(bytes: &[u8], words: &[String]) -> bool {
    needles(words).iter().any(|line| find(bytes, line).is_some())
}

/// The lines by which words are known again, also as JSON and TOML write them.
fn needles(words: &[String]) -> Vec<Vec<u8>> {
    let lines = words.iter().flat_map(|text| text.lines()).map(str::trim);
    let long = lines.filter(|line| line.chars().count() >= LEAST);
    let mut all: Vec<Vec<u8>> = Vec::new();
    for line in long {
        all.push(line.as_bytes().to_vec());
        let quoted = serde_json::Value::from(line).to_string();
        all.push(quoted.trim_matches('"').as_bytes().to_vec());
    }
    // The longest first: a line may be the beginning of another.
    all.sort_by_key(|line| std::cmp::Reverse(line.len()));
    all.dedup();
    all
}

/// The bytes with blanks in the place of each line; `None` where there is none.
fn without(bytes: &[u8], lines: &[Vec<u8>]) -> Option<Vec<u8>> {
    let (mut out, mut found) = (bytes.to_vec(), false);
    for line in lines {
        let mut from = 0;
        while let Some(at) = find(&out[from..], line) {
            out[from + at..from + at + line.len()].fill(b' ');
            (from, found) = (from + at + line.len(), true);
        }
    }
    found.then_some(out)
}

fn find(bytes: &[u8], line: &[u8]) -> Option<usize> {
    bytes.windows(line.len()).position(|window| window == line)
}

/// All plain files below `dir` that are not too large.
fn files(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    let (mut found, mut ahead) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = ahead.pop() {
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                ahead.push(entry.path());
            } else if kind.is_file() && entry.metadata()?.len() <= MOST {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

fn remove(path: &Path) -> Result<()> {
    let done = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match done {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_blanked_where_they_stand_also_in_json() {
        let words = ["say \"hello\" to the parser\nyes".to_owned()];
        let file = br#"{"text":"say \"hello\" to the parser","more":"yes"}"#;
        let blanked = without(file, &needles(&words)).expect("it stands there");
        assert_eq!(blanked.len(), file.len());
        let read: serde_json::Value = serde_json::from_slice(&blanked).expect("it reads");
        assert_eq!(read["text"].as_str().map(str::trim), Some(""));
        assert_eq!(read["more"], "yes", "a short line is left");
        assert_eq!(without(b"nothing of it", &needles(&words)), None);
    }
}

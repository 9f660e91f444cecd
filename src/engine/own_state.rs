//! Files below `.git/seed`, which no ref holds and only this clone has.
//!
//! One that is not there is empty. One that is there and does not read is damage: what it
//! granted, forbade or recorded is unknown, and nobody goes on as if it had said nothing.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::world;

/// A file below `.git/seed` that is there and does not read.
#[derive(Debug, thiserror::Error)]
#[error("{} does not read: {why}", .file.display())]
pub struct Unread {
    file: PathBuf,
    why: String,
}

type Result<T> = std::result::Result<T, Unread>;

/// The bytes of `file`; `None` where it is not there.
pub(crate) fn bytes(file: &Path) -> Result<Option<Vec<u8>>> {
    world::read_if_there(file).map_err(|error| unread(file, &error))
}

/// The text of `file`; `None` where it is not there.
pub(crate) fn text(file: &Path) -> Result<Option<String>> {
    let read = |bytes| String::from_utf8(bytes).map_err(|error| unread(file, &error));
    bytes(file)?.map(read).transpose()
}

/// What `file` says in TOML; `None` where it is not there.
pub(crate) fn from_toml<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    let read = |text: String| toml::from_str(&text).map_err(|error| unread(file, &error.message()));
    text(file)?.map(read).transpose()
}

/// What `file` says in JSON; `None` where it is not there.
pub(crate) fn from_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>> {
    let read =
        |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| unread(file, &error));
    bytes(file)?.map(read).transpose()
}

/// The damage of `file`, for who has read it another way.
pub(crate) fn unread(file: &Path, why: &dyn std::fmt::Display) -> Unread {
    Unread { file: file.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Said {
        word: String,
    }

    #[test]
    fn what_is_missing_is_empty_and_what_does_not_read_is_damage() {
        let dir = tempfile::tempdir().expect("a place");
        let file = dir.path().join("said");
        assert!(from_toml::<Said>(&file).expect("not there").is_none());
        assert!(from_json::<Said>(&file).expect("not there").is_none());
        std::fs::write(&file, "word = 'a'").expect("written");
        assert_eq!(from_toml::<Said>(&file).expect("read").expect("there").word, "a");
        let damaged: [&[u8]; 3] = [b"", b"wor", b"word = '\xff'"];
        for bytes in damaged {
            std::fs::write(&file, bytes).expect("written");
            let error = crate::engine::repo::EngineError::from(
                from_toml::<Said>(&file).expect_err("damaged"),
            );
            let hint = error.hint();
            assert!(error.is_damage(), "{error}");
            assert_eq!(hint.as_deref(), Some("git seed doctor --fix"), "{error}");
            assert!(from_json::<Said>(&file).expect_err("damaged").to_string().contains("said"));
        }
        assert!(text(dir.path()).is_err(), "a directory");
    }
}

//! Why a command ended early.
//!
//! No backtrace is taken. A library that takes one where `RUST_BACKTRACE` is set, as it is for
//! many who build Rust, sorts the unwinder's whole table in a static binary: four times the
//! time that the command itself needs.

use std::error::Error;
use std::fmt;

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error with its causes, and what the command was at when it came.
///
/// It is no [`Error`] itself: then every error becomes one by `?`.
#[derive(Debug)]
pub(crate) struct Failure {
    at: Option<String>,
    error: Box<dyn Error + Send + Sync>,
}

impl Failure {
    /// What failed, in a sentence of the command's own.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { at: None, error: what.into().into() }
    }

    /// The error where it is an `E`.
    pub(crate) fn kind<E: Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// What the causes of what [`fmt::Display`] says say, nearest first.
    pub(crate) fn causes(&self) -> Vec<String> {
        let mut next =
            if self.at.is_some() { Some(&*self.error as &dyn Error) } else { self.error.source() };
        let mut said = Vec::new();
        while let Some(cause) = next {
            said.push(cause.to_string());
            next = cause.source();
        }
        said
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { at: None, error: error.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(at) => out.write_str(at),
            None => self.error.fmt(out),
        }
    }
}

/// Says what a command was at when an error came.
pub(crate) trait While<T> {
    fn at(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Error + Send + Sync + 'static> While<T> for std::result::Result<T, E> {
    fn at(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure { at: Some(what()), error: error.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_it_was_at_and_then_its_causes() {
        let lost = || std::io::Error::other("the disk is gone");
        let bare = Failure::from(lost());
        assert_eq!(bare.to_string(), "the disk is gone");
        assert!(bare.causes().is_empty());
        assert!(bare.kind::<std::io::Error>().is_some());
        let told = Err::<(), _>(lost()).at(|| "notes.md".to_owned()).expect_err("it failed");
        assert_eq!(told.to_string(), "notes.md");
        assert_eq!(told.causes(), ["the disk is gone"]);
        assert!(told.kind::<std::io::Error>().is_some());
        assert!(Failure::new("no").kind::<std::io::Error>().is_none());
    }
}

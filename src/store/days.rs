//! How chains that travel are dated, and which exact times were read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::event::UnixSeconds;

#[derive(Debug, Default)]
pub(super) struct Days {
    /// They have the day as their dates.
    by_day: Cell<bool>,
    /// What is known of moments by their keys; nothing until somebody asks.
    known: RefCell<Option<HashMap<String, UnixSeconds>>>,
}

impl Days {
    pub(super) fn set(&self, by_day: bool) {
        self.by_day.set(by_day);
    }

    pub(super) fn is_set(&self) -> bool {
        self.by_day.get()
    }

    /// Takes in one that was written, where they were read.
    pub(super) fn learn(&self, key: &str, at: UnixSeconds) {
        if let Some(known) = self.known.borrow_mut().as_mut() {
            known.insert(key.to_owned(), at);
        }
    }

    /// When `key` was; `read` gives all of them, the first time.
    pub(super) fn of(
        &self,
        key: &str,
        read: impl FnOnce() -> HashMap<String, UnixSeconds>,
    ) -> Option<UnixSeconds> {
        self.known.borrow_mut().get_or_insert_with(read).get(key).copied()
    }
}

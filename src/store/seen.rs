//! Commits of chains that were read: whoever joins two chains asks for each of them many times.
//! One is named by what it says, so none of them is ever out of date.

use std::cell::RefCell;
use std::collections::HashMap;

use gix::ObjectId;

/// As many are kept in mind.
const MOST: usize = 20_000;

/// What a commit says of itself.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub message: String,
    pub at: i64,
    pub parents: Vec<ObjectId>,
}

#[derive(Debug, Default)]
pub(super) struct Seen(RefCell<HashMap<ObjectId, Said>>);

impl Seen {
    pub(super) fn get(&self, id: &ObjectId) -> Option<Said> {
        self.0.borrow().get(id).cloned()
    }

    pub(super) fn keep(&self, id: ObjectId, said: Said) {
        let mut known = self.0.borrow_mut();
        if known.len() < MOST {
            known.insert(id, said);
        }
    }
}

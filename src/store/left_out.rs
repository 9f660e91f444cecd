//! Paths that an index leaves out of the work tree, and what it says of them: see
//! `skipped.rs`, which reads them.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::SystemTime;

use super::index::Plain;

/// Where the mode stands among an entry's numbers.
const MODE: usize = 6;

/// Paths that an index leaves out of the work tree, in order, and what it says of them.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    names: Vec<u8>,
    entries: Vec<LeftOut>,
}

#[derive(Debug)]
struct LeftOut {
    /// Where its name ends in all names; it begins where the one before ends.
    end: usize,
    mode: u32,
    id: gix::ObjectId,
}

impl Skipped {
    pub(super) fn add(&mut self, name: &[u8], mode: u32, id: gix::ObjectId) {
        self.names.extend(name);
        self.entries.push(LeftOut { end: self.names.len(), mode, id });
    }

    /// The path with that number.
    pub(super) fn name(&self, at: usize) -> &[u8] {
        let begin = at.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.names[begin..self.entries[at].end]
    }

    /// The number of this path.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the path with that number is there as `mode` and `id` say.
    pub(super) fn is(&self, at: usize, mode: u32, id: &gix::ObjectId) -> bool {
        self.entries[at].mode == mode && self.entries[at].id == *id
    }

    /// Whether the index leaves this path out.
    pub(super) fn holds(&self, name: &[u8]) -> bool {
        self.find(name).is_some()
    }

    /// Whether what an index of ours knows at `entry` is left out, where it is missing: it never
    /// was there, or was as the person's index has it. What was there with another content, and is
    /// gone, was deleted.
    pub(super) fn keeps(&self, index: &Plain, entry: usize) -> bool {
        self.find(index.name(entry)).is_some_and(|at| {
            is_unseen(index, entry) || index.id(entry) == self.entries[at].id.as_slice()
        })
    }

    /// A line of `git update-index --index-info -z`.
    pub(super) fn line(&self, at: usize) -> Vec<u8> {
        let LeftOut { mode, id, .. } = &self.entries[at];
        [format!("{mode:o} {id}\t").as_bytes(), self.name(at), b"\0"].concat()
    }

    /// Those of which `index` says something else, or nothing, or that it knows a file of; but none
    /// of which it knows a file with another content.
    pub(super) fn told_otherwise(&self, index: &Plain) -> Vec<usize> {
        let mut entry = 0;
        let mut differing = Vec::new();
        for (at, left) in self.entries.iter().enumerate() {
            // Both are in order.
            while entry < index.len() && index.name(entry) < self.name(at) {
                entry += 1;
            }
            if entry >= index.len() || index.name(entry) != self.name(at) {
                differing.push(at);
                continue;
            }
            let same =
                index.id(entry) == left.id.as_slice() && index.number(entry, MODE) == left.mode;
            if same != is_unseen(index, entry) {
                differing.push(at);
            }
        }
        differing
    }

    /// Whether `index` says the same of all of these, and never saw what is none of them: then
    /// what it never saw is what is left out.
    pub(super) fn is_followed_by(&self, index: &Plain) -> bool {
        let unseen = (0..index.len()).filter(|entry| is_unseen(index, *entry));
        // Both are in order.
        let mut at = 0;
        self.told_otherwise(index).is_empty()
            && unseen.into_iter().all(|entry| {
                while at < self.entries.len() && self.name(at) < index.name(entry) {
                    at += 1;
                }
                at < self.entries.len() && self.name(at) == index.name(entry)
            })
    }
}

/// Whether an entry knows of no file: nothing was there when it was written.
pub(super) fn is_unseen(index: &Plain, entry: usize) -> bool {
    let numbers = index.numbers(entry);
    numbers.iter().enumerate().all(|(place, number)| place == MODE || *number == 0)
}

/// What an index left out, and what the file was like then: two that were written one after the
/// other are two files, with times of their own.
#[derive(Debug, Default)]
pub(super) struct Known(pub(super) RefCell<Option<(SystemTime, u64, Rc<Skipped>)>>);

//! A locked file of git seed's own, and what its holder names in it.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Write as _};

/// How a store has the lock.
#[derive(Debug, Default)]
pub(super) struct HeldLock {
    pub depth: Cell<u32>,
    pub file: RefCell<Option<Named>>,
}

/// A locked file that names the refs which its holder moves.
#[derive(Debug)]
pub(crate) struct Named {
    file: File,
    wrote: bool,
}

impl Named {
    /// One that names nothing yet.
    pub(super) fn of(file: File) -> Self {
        Self { file, wrote: false }
    }

    /// Names what is about to be moved.
    pub(super) fn name(&mut self, line: &str) -> io::Result<()> {
        self.wrote = true;
        self.file.write_all(line.as_bytes())
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if self.wrote {
            // Names that stay do no harm: the next holder finds no lock behind them.
            let _ = self.file.set_len(0);
        }
    }
}

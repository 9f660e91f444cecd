//! What models read and wrote for jobs of this clone: `.git/seed/tokens`.
//!
//! One file, written whole: how far a transcript was read and what was counted of it stand or fall
//! together, so a crash counts nothing twice. Memory and no truth: what does not read begins anew.

use super::error::StoreError;
use super::lock::hold;
use super::{SEED_DIR, Store};
use crate::format::tokens::TokenBook;
use crate::world::{Whole, read_if_there};

const FILE: &str = "tokens";

impl Store {
    fn tokens_file(&self) -> std::path::PathBuf {
        self.common_dir.join(SEED_DIR).join(FILE)
    }

    /// What is known.
    pub(crate) fn tokens(&self) -> Result<TokenBook, StoreError> {
        let bytes = read_if_there(&self.tokens_file())?.unwrap_or_default();
        // Memory and no truth, as above.
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Changes it; what stays the same is not written.
    pub(crate) fn change_tokens(
        &self,
        change: impl FnOnce(&mut TokenBook),
    ) -> Result<(), StoreError> {
        let file = self.tokens_file();
        if let Some(dir) = file.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let _lock = hold(&file.with_extension("lock"))?;
        let was = self.tokens()?;
        let mut book = was.clone();
        change(&mut book);
        if book == was {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&book).map_err(std::io::Error::other)?;
        Ok(Whole::private().write(&file, &bytes)?)
    }
}

//! The difference that was read last: a server is asked of the same work again and again.
//!
//! What a difference says is known of its pieces, texts and all, and of nothing else.

use std::sync::{Mutex, PoisonError};

use super::Truth;
use super::languages::shipped_languages;
use super::truth::{self, Piece};

/// The most bytes of texts that are kept in mind.
const BYTES: usize = 4 << 20;

/// What `pieces` say by the shipped languages; `base` and `tree` are what they lie between.
pub(crate) fn read(base: &str, tree: &str, pieces: Vec<Piece>) -> Truth {
    static LAST: Mutex<Option<(Vec<Piece>, Truth)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = last.as_ref().filter(|(of, _)| *of == pieces) {
        return Truth { base: base.to_owned(), tree: tree.to_owned(), ..known.clone() };
    }
    let read = truth::read(base, tree, &pieces, shipped_languages());
    let texts = pieces.iter().flat_map(|piece| [&piece.before, &piece.after]).flatten();
    let small = texts.map(Vec::len).sum::<usize>() <= BYTES;
    *last = small.then(|| (pieces, read.clone()));
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_not_taken_for_another_one() {
        let piece = |path: &str, after: &str| Piece {
            path: path.to_owned(),
            before: Some(b"fn a() { 1 }\n".to_vec()),
            after: Some(after.as_bytes().to_vec()),
            ..Piece::default()
        };
        let changed = || vec![piece("src/a.rs", "fn a() { 2 }\n")];
        let cases = [
            changed(),
            changed(),
            vec![piece("src/a.rs", "fn a() { 3 }\n")],
            Vec::new(),
            changed(),
        ];
        for (nth, pieces) in cases.into_iter().enumerate() {
            let tree = format!("t{nth}");
            let fresh = truth::read("b", &tree, &pieces, shipped_languages());
            assert_eq!(read("b", &tree, pieces), fresh, "{nth}");
        }
    }
}

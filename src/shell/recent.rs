//! Answers about texts that were asked about last: a hook asks of one line what it is again and
//! again, and each answer costs as much as opening the repository's objects. An answer depends on
//! its text alone.

use std::cell::RefCell;

/// How many answers are kept: of a line, and of the texts that it brings to other shells.
const KEPT: usize = 4;
/// A longer text is not kept.
const LONGEST: usize = 64 << 10;

/// The last answers of one thread, the newest behind.
pub(super) struct Recent<T>(RefCell<Vec<(String, T)>>);

impl<T: Clone> Recent<T> {
    pub(super) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// The answer about `text`: the one of before, or what `ask` says.
    pub(super) fn answer(&self, text: &str, ask: impl FnOnce() -> T) -> T {
        let known = self.0.borrow().iter().find(|(known, _)| known == text).cloned();
        if let Some((_, answer)) = known {
            return answer;
        }
        // Asking may ask of other texts: nothing is borrowed meanwhile.
        let answer = ask();
        if text.len() <= LONGEST {
            let mut kept = self.0.borrow_mut();
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push((text.to_owned(), answer.clone()));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_last_few_answers_are_given_again() {
        let (recent, asked) = (Recent::new(), Cell::new(0));
        let of = |text: &str| {
            recent.answer(text, || {
                asked.set(asked.get() + 1);
                text.len()
            })
        };
        for text in ["a", "bb", "a", "ccc", "dddd", "a", "bb"] {
            assert_eq!(of(text), text.len());
        }
        assert_eq!(asked.get(), 4);
        assert_eq!((of("eeeee"), of("a"), asked.get()), (5, 1, 6), "the oldest went");
        let long = "x".repeat(LONGEST + 1);
        assert_eq!((of(&long), of(&long), asked.get()), (long.len(), long.len(), 8));
    }

    #[test]
    fn who_answers_may_ask_of_another_text() {
        let recent = Recent::new();
        assert_eq!(recent.answer("a", || recent.answer("b", || 1) + 1), 2);
        assert_eq!((recent.answer("b", || 9), recent.answer("a", || 9)), (1, 2));
    }
}

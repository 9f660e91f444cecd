//! The last answer to a question that is asked again: a server asks of the same place call by call.

use std::sync::{Mutex, PoisonError};

/// What was asked last, and the answer.
#[derive(Debug)]
pub(crate) struct Last<Q, A>(Mutex<Option<(Q, A)>>);

impl<Q: PartialEq, A: Clone> Last<Q, A> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The answer to `question`: the last one where the same was asked, else what `ask` says. It
    /// says as well whether the answer may be given again.
    pub(crate) fn answer<E>(
        &self,
        question: Q,
        ask: impl FnOnce(&Q) -> Result<(A, bool), E>,
    ) -> Result<A, E> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = last.as_ref().filter(|(asked, _)| *asked == question) {
            return Ok(answer.clone());
        }
        let (answer, stays) = ask(&question)?;
        *last = stays.then(|| (question, answer.clone()));
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_answer_that_stays_is_given_again() {
        let last = Last::new();
        let says = |answer: i32, stays| move |_: &i32| Ok::<_, &str>((answer, stays));
        assert_eq!(last.answer(1, says(10, true)), Ok(10));
        assert_eq!(last.answer(1, says(11, true)), Ok(10));
        assert_eq!(last.answer(2, says(20, false)), Ok(20));
        assert_eq!(last.answer(2, says(21, true)), Ok(21));
        assert_eq!(last.answer(1, says(12, true)), Ok(12));
        // An error is no answer.
        assert_eq!(last.answer(3, |_| Err("no")), Err("no"));
        assert_eq!(last.answer(3, |_| Ok::<_, &str>((30, true))), Ok(30));
        assert_eq!(last.answer(3, |_| Err("not asked")), Ok(30));
    }
}

//! The last answer to a question that is asked again: a server asks of the same place call by call.

use std::cell::{Cell, RefCell};
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

/// The last answer, given again while somebody holds it: what it is about stays as it is meanwhile.
#[derive(Debug)]
pub(crate) struct WhileHeld<Q, A> {
    held: Cell<bool>,
    last: RefCell<Option<(Q, A)>>,
}

/// While this lives answers are given again.
#[derive(Debug)]
pub(crate) struct Holding<'h, Q, A>(&'h WhileHeld<Q, A>);

impl<Q: PartialEq, A: Clone> WhileHeld<Q, A> {
    pub(crate) const fn new() -> Self {
        Self { held: Cell::new(false), last: RefCell::new(None) }
    }

    #[must_use = "answers are asked anew once it is gone"]
    pub(crate) fn hold(&self) -> Holding<'_, Q, A> {
        self.held.set(true);
        Holding(self)
    }

    /// The answer to `question`: the one of before while it is held, else what `ask` says.
    pub(crate) fn answer<E>(
        &self,
        question: Q,
        ask: impl FnOnce() -> Result<A, E>,
    ) -> Result<A, E> {
        if let Some((_, answer)) =
            self.last.borrow().as_ref().filter(|(asked, _)| *asked == question)
        {
            return Ok(answer.clone());
        }
        let answer = ask()?;
        if self.held.get() {
            *self.last.borrow_mut() = Some((question, answer.clone()));
        }
        Ok(answer)
    }
}

impl<Q, A> Drop for Holding<'_, Q, A> {
    fn drop(&mut self) {
        self.0.held.set(false);
        *self.0.last.borrow_mut() = None;
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

    #[test]
    fn an_answer_is_given_again_while_it_is_held() {
        let last = WhileHeld::new();
        let says = |answer: i32| move || Ok::<_, &str>(answer);
        assert_eq!((last.answer(1, says(10)), last.answer(1, says(11))), (Ok(10), Ok(11)));
        let holding = last.hold();
        assert_eq!((last.answer(1, says(12)), last.answer(1, says(13))), (Ok(12), Ok(12)));
        assert_eq!(last.answer(2, says(20)), Ok(20));
        drop(holding);
        assert_eq!(last.answer(2, says(21)), Ok(21));
    }
}

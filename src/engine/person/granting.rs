//! Whether an answer is the one by which its question grants something.

use crate::event::Answer;
use crate::jobs::questions::Registered;

/// Such an answer uses its question up where a host's calls have no ids.
pub(super) fn grants(answer: &Answer) -> bool {
    let row = Registered::of(&answer.question);
    row.is_some_and(|row| row.granted(&answer.answer).is_some())
}

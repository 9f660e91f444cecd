//! Words that speak of all tests there are, of which a part shows nothing.

use super::phrases::Text;
use super::table::{Backing, GateTable};

/// Whether `text` says something of all tests, by the facts that only a run of all of them shows.
pub(crate) fn speaks_of_all(text: &str, table: &GateTable) -> bool {
    let read = Text::of(text);
    let facts = table.fact.iter().filter(|row| row.backing == Backing::Whole);
    facts.into_iter().any(|row| read.says(&row.phrases, &table.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_shows_nothing_of_all() {
        let table = GateTable::shipped().expect("the shipped table holds");
        for (text, all) in [
            ("all tests pass (make test)", true),
            ("the whole suite passes", true),
            ("no regressions", true),
            ("keine Regressionen", true),
            ("escapes survive", false),
            ("tests of the lexer pass", false),
        ] {
            assert_eq!(speaks_of_all(text, &table), all, "{text}");
        }
    }
}

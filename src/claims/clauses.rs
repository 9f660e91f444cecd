//! The clauses of a sentence, by the rows that say what parts them.

use serde::{Deserialize, Serialize};

use super::table::GateTable;

/// What parts clauses, each as it stands in a sentence, with its blanks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClauseRows {
    /// What joins nothing but clauses.
    pub parts: Vec<String>,
    /// What adds something to a clause: a clause of its own, or more words of that one
    /// (`the suite is green (2 passed)`).
    pub asides: Vec<String>,
    /// What joins names as well: `core.py and cli.py`.
    pub joins: Vec<String>,
}

impl ClauseRows {
    /// Those of this build, by which an answer is repeated whose own rows have none.
    pub(super) fn shipped() -> Self {
        GateTable::shipped().map_or_else(|error| unreachable!("{error}"), |table| table.clauses)
    }

    /// The lists, by name.
    pub(super) fn lists(&self) -> [(&'static str, &[String]); 3] {
        [
            ("clauses.parts", &self.parts),
            ("clauses.asides", &self.asides),
            ("clauses.joins", &self.joins),
        ]
    }

    /// All that may be a clause of `sentence`, each with its asides.
    pub(super) fn all<'t>(&self, sentence: &'t str) -> Vec<&'t str> {
        split(split(vec![sentence], &self.parts), &self.joins)
    }

    /// The same, with asides as clauses of their own.
    pub(super) fn each<'t>(&self, sentence: &'t str) -> Vec<&'t str> {
        split(self.all(sentence), &self.asides)
    }

    /// The clauses that are ones for sure: of what a word joins that may join names, the first.
    pub(super) fn sure<'t>(&self, sentence: &'t str) -> Vec<&'t str> {
        let end = |clause: &str| self.joins.iter().filter_map(|join| clause.find(join)).min();
        let parts = split(split(vec![sentence], &self.parts), &self.asides).into_iter();
        parts.map(|clause| &clause[..end(clause).unwrap_or(clause.len())]).collect()
    }
}

fn split<'t>(clauses: Vec<&'t str>, by: &[String]) -> Vec<&'t str> {
    by.iter().fold(clauses, |all, join| {
        all.into_iter().flat_map(|clause| clause.split(join.as_str())).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_told_from_joined_names() {
        let rows = ClauseRows::shipped();
        let said = "a.py and b.py changed, so c.py did (and d.py), while e.py, with 1,000 lines, \
                    stayed";
        let all = "a.py|b.py changed|so c.py did (and d.py)|while e.py|with 1,000 lines|stayed";
        assert_eq!(rows.all(said).join("|"), all);
        let each = "a.py|b.py changed|so c.py did|and d.py)|while e.py|with 1,000 lines|stayed";
        assert_eq!(rows.each(said).join("|"), each);
        let sure = "a.py|so c.py did|and d.py)|while e.py|with 1,000 lines|stayed";
        assert_eq!(rows.sure(said).join("|"), sure);
    }
}

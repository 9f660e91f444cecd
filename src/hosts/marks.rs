//! What tells that a process is a host's: read from each row alone, since every command asks for
//! it and few need the rest of eight rows.

use std::sync::OnceLock;

use serde::Deserialize;

use super::tables;
use crate::shipped;

/// By what a host is known from inside its processes.
#[derive(Debug, Deserialize)]
pub(crate) struct Marks {
    /// As [`processes`](super::Host::processes).
    pub processes: Vec<String>,
    /// As [`markers`](super::Host::markers).
    pub markers: Vec<String>,
    /// Programs that run this host and open the person's own terminals, too: editors, and what
    /// stands in for them on another machine. One with a dot is looked for in the command line.
    pub shares_terminal: Vec<String>,
    /// As [`hands_over`](super::Host::hands_over).
    #[serde(default)]
    pub hands_over: bool,
}

/// Those of every host, in the order of the list; a row that does not read has none.
pub(crate) fn marks() -> &'static [Marks] {
    static MARKS: OnceLock<Vec<Marks>> = OnceLock::new();
    MARKS.get_or_init(|| tables().filter_map(|table| shipped::read(table).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts;

    #[test]
    fn they_are_what_the_whole_rows_say() {
        let rows: Vec<_> = hosts::names().map(|name| hosts::row(name).expect("a row")).collect();
        assert_eq!(rows.len(), marks().len());
        for (row, marks) in rows.iter().zip(marks()) {
            assert_eq!(row.processes, marks.processes, "{}", row.name);
            assert_eq!(row.markers, marks.markers, "{}", row.name);
            assert_eq!(row.hands_over, marks.hands_over, "{}", row.name);
        }
        assert!(marks().iter().any(|marks| marks.hands_over));
    }
}

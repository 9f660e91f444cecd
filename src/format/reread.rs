//! Journal lines, read once each: the journal grows by a line at a time and is asked for again and
//! again, within one call and in a server for each.
//!
//! What is known of a line is known of its bytes, and nothing else: whoever asks hands them over.

use std::sync::{Arc, Mutex, PoisonError};

use super::journal::Linked;

/// The most bytes of lines that are kept in mind.
const BYTES: usize = 1 << 20;

/// A line as it was read, and what it says; nothing where it does not read.
type Known = (Vec<u8>, Option<Arc<Linked>>);

/// Reads each of `lines`, and leaves out those that do not read.
pub(crate) fn read(lines: Vec<Vec<u8>>) -> Vec<Arc<Linked>> {
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = known.iter().zip(&lines).take_while(|((bytes, _), line)| bytes == *line).count();
    // What follows is another journal.
    known.truncate(same);
    known.extend(lines.into_iter().skip(same).map(|line| {
        let linked = Linked::read(&line).ok().map(Arc::new);
        (line, linked)
    }));
    let read = known.iter().filter_map(|(_, linked)| linked.clone()).collect();
    if known.iter().map(|(line, _)| line.len()).sum::<usize>() > BYTES {
        known.clear();
    }
    read
}

#[cfg(test)]
mod tests {
    use super::super::journal::Line;
    use super::*;

    fn lines(tools: &[&str]) -> Vec<Vec<u8>> {
        let line = |tool: &&str| Line { tool: (*tool).to_owned(), ..Line::default() }.link("0");
        tools.iter().map(line).collect()
    }

    #[test]
    fn a_line_that_was_read_is_not_taken_for_another_one() {
        for tools in [vec!["a", "b"], vec!["a", "b", "c"], vec!["a", "x", "c"], vec![], vec!["b"]] {
            let mut all = lines(&tools);
            // One that does not hold is left out, wherever it stands, and each time.
            all.insert(tools.len().min(1), b"{}\t0\t0".to_vec());
            for _ in 0..2 {
                let read = read(all.clone());
                let read: Vec<&str> = read.iter().map(|linked| linked.line.tool.as_str()).collect();
                assert_eq!(read, tools);
            }
        }
    }
}

//! A compaction that no event of the host tells, as its transcript shows it.
//!
//! Pure: bytes come in, a yes or a no goes out.

use serde::Deserialize;

use super::Host;

/// What line of a transcript a compaction leaves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompactionRow {
    /// The payload's field with the path of the transcript.
    pub(super) path: String,
    /// How the line begins.
    begins: String,
    /// What it holds.
    holds: String,
}

impl CompactionRow {
    /// One of these lines tells of a compaction.
    pub(crate) fn is_told(&self, lines: &[u8]) -> bool {
        let holds = memchr::memmem::Finder::new(&self.holds);
        lines
            .split(|byte| *byte == b'\n')
            .any(|line| line.starts_with(self.begins.as_bytes()) && holds.find(line).is_some())
    }
}

impl Host {
    /// How its transcript tells a compaction; `None` where an event does, or nobody knows how.
    pub(crate) fn compaction(&self) -> Option<&CompactionRow> {
        self.compaction.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use crate::hosts::row;

    #[test]
    fn the_summary_in_a_new_history_tells_a_compaction_and_nothing_else_does() {
        let row = row("gemini").expect("it loads").compaction().expect("it tells");
        let begins =
            r#"{"$set":{"messages":[{"id":"d0","type":"user","content":[{"text":"hello"}]"#;
        let summary = r#",{"type":"user","content":[{"text":"<state_snapshot>what was said"}]}]}}"#;
        let compacted = format!("{begins}{summary}");
        for (lines, told) in [
            (format!("{{}}\n{compacted}\n"), true),
            (format!("{compacted}\n{begins}]}}}}\n"), true),
            // A session that begins has a history, too.
            (format!("{begins}]}}}}\n"), false),
            // Somebody speaks of one.
            (r#"{"id":"1","type":"gemini","content":"<state_snapshot>"}"#.to_owned(), false),
            (format!("{{}} {compacted}"), false),
            (format!("{begins}]}}}}\n<state_snapshot>"), false),
            (String::new(), false),
        ] {
            assert_eq!(row.is_told(lines.as_bytes()), told, "{lines}");
        }
    }
}

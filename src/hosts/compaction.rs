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
    /// The summary of the last compaction that these lines tell of.
    ///
    /// A host writes its history anew for other reasons, too, and the summary of an older
    /// compaction is in it still: only one that was not told yet is news.
    pub(crate) fn summary<'l>(&self, lines: &'l [u8]) -> Option<&'l [u8]> {
        let holds = memchr::memmem::Finder::new(&self.holds);
        let mut told = lines.rsplit(|byte| *byte == b'\n').filter_map(|line| {
            let at = holds.find(line.strip_prefix(self.begins.as_bytes())?)?;
            Some(up_to_a_quote(&line[self.begins.len() + at..]))
        });
        told.next()
    }
}

/// The rest of a JSON string.
fn up_to_a_quote(rest: &[u8]) -> &[u8] {
    let mut escaped = false;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    &rest[..end.unwrap_or(rest.len())]
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
        let said = Some("<state_snapshot>what was said");
        for (lines, told) in [
            (format!("{{}}\n{compacted}\n"), said),
            (format!("{compacted}\n{begins}]}}}}\n"), said),
            // The newest is what counts, and an escaped quote does not end it.
            (
                format!("{compacted}\n{}\n", compacted.replace("what was said", r#"a \"b\\"#)),
                Some(r#"<state_snapshot>a \"b\\"#),
            ),
            // A session that begins has a history, too.
            (format!("{begins}]}}}}\n"), None),
            // Somebody speaks of one.
            (r#"{"id":"1","type":"gemini","content":"<state_snapshot>"}"#.to_owned(), None),
            (format!("{{}} {compacted}"), None),
            (format!("{begins}]}}}}\n<state_snapshot>"), None),
            (String::new(), None),
        ] {
            let found = row.summary(lines.as_bytes()).map(String::from_utf8_lossy);
            assert_eq!(found.as_deref(), told, "{lines}");
        }
    }
}

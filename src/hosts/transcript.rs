//! What a host's transcript tells of tokens: JSON lines, read by the host's row.
//!
//! Pure: bytes come in, sums go out. A line that is no JSON, or tells of something else, is passed
//! over; of a line nothing is kept but its numbers.

use serde::Deserialize;
use serde_json::Value;

use super::{Host, Sign};
use crate::format::short_hash;
use crate::format::tokens::{Reading, Tokens};

/// Where a host writes down what it does, and how it tells tokens there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct TranscriptRow {
    /// The payload's field with the path of the session's own.
    pub(super) path: String,
    /// The one with the path of a subagent's.
    pub(super) agent: Option<String>,
    /// What a line shows that tells tokens.
    lines: Vec<Sign>,
    /// Where its message is named, of which several lines may tell. Without it each line tells the
    /// sum of its transcript so far.
    message: Option<String>,
    /// All that the model was given, in parts.
    input: Vec<String>,
    /// How much of that came from a cache.
    cached: Vec<String>,
    output: Vec<String>,
}

impl TranscriptRow {
    /// Its places inside a line.
    pub(super) fn pointers(&self) -> impl Iterator<Item = &str> {
        let signs = self.lines.iter().map(|sign| sign.at.as_str());
        let told = self.input.iter().chain(&self.cached).chain(&self.output);
        signs.chain(self.message.iter().chain(told).map(String::as_str))
    }

    /// It says where to find what it tells.
    pub(super) fn is_whole(&self) -> bool {
        !(self.path.is_empty() || self.input.is_empty() || self.output.is_empty())
    }

    /// What these lines add to what was read before them.
    pub(crate) fn read(&self, lines: &[u8], reading: &mut Reading) -> Tokens {
        let mut sum = Tokens::default();
        let word = self.output.first().and_then(|at| at.rsplit('/').next()).unwrap_or_default();
        let finder = memchr::memmem::Finder::new(word);
        let lines = lines.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| finder.find(line).is_some()) {
            // Whatever else stands there tells nothing.
            let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
            if let Some(more) = self.line(&line, reading) {
                sum.add(more);
            }
        }
        sum
    }

    fn line(&self, line: &Value, reading: &mut Reading) -> Option<Tokens> {
        if !self.lines.iter().all(|sign| sign.shows(line)) {
            return None;
        }
        let number = |at: &String| line.pointer(at).and_then(Value::as_u64);
        let all = |places: &[String]| places.iter().filter_map(number).fold(0, u64::saturating_add);
        // A line without numbers, as before the first answer, tells nothing.
        self.input.iter().chain(&self.output).find_map(number)?;
        let tokens = Tokens {
            input: all(&self.input),
            cached: all(&self.cached),
            output: all(&self.output),
        };
        Some(match &self.message {
            None => reading.sum(tokens),
            Some(at) => match line.pointer(at).and_then(Value::as_str) {
                Some(message) => reading.message(short_hash(message.as_bytes(), 16), tokens),
                // It has no name, so no other line tells of it.
                None => tokens,
            },
        })
    }
}

impl Host {
    /// How its transcripts tell tokens; `None` where they do not, or nobody knows how.
    pub(crate) fn transcript(&self) -> Option<&TranscriptRow> {
        self.transcript.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::row;
    use super::*;

    fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
        Tokens { input, cached, output }
    }

    fn read(host: &str, lines: &str) -> Tokens {
        let row = row(host).expect("it loads").transcript().expect("it tells");
        row.read(lines.as_bytes(), &mut Reading::from(0))
    }

    #[test]
    fn claude_tells_by_message_and_only_in_the_lines_of_its_model() {
        let said = |kind: &str, id: &str, output: Value| {
            let usage = json!({ "input_tokens": 3, "cache_creation_input_tokens": 40,
                "cache_read_input_tokens": 500, "output_tokens": output });
            format!("{}\n", json!({ "type": kind, "message": { "id": id, "usage": usage } }))
        };
        let one = tokens(543, 500, 9);
        let lines = [said("assistant", "a", json!(1)), said("assistant", "a", json!(9))].concat();
        assert_eq!(read("claude", &lines), one, "two blocks of one message");
        let foreign = [
            said("user", "b", json!(70)),
            r#"{"type":"assistant","message":{"content":"output_tokens"}}"#.to_owned() + "\n",
            r#"{"type":"assistant","message":{"usage":{"output_tokens":"7"}}}"#.to_owned() + "\n",
            r#"{"type":"assistant","message":{"usage":{"output_tokens":-7}}}"#.to_owned() + "\n",
            "output_tokens { [\n\u{0}\n[\"output_tokens\"]\nnull\n".to_owned(),
            format!("{}\"output_tokens\"{}\n", "[".repeat(9_000), "]".repeat(9_000)),
        ];
        assert_eq!(read("claude", &[&lines[..], &foreign.concat()].concat()), one);
    }

    #[test]
    fn codex_tells_sums_and_cached_tokens_are_among_its_input() {
        let line = |info: Value| {
            let payload = json!({ "type": "token_count", "info": info, "output_tokens": 0 });
            format!("{}\n", json!({ "type": "event_msg", "payload": payload }))
        };
        let told = |input: u64, output: u64| {
            line(json!({ "total_token_usage": { "input_tokens": input, "cached_input_tokens": 100,
                    "output_tokens": output, "reasoning_output_tokens": 4, "total_tokens": 0 },
                "last_token_usage": { "input_tokens": 1, "output_tokens": 1 } }))
        };
        let untold = line(Value::Null);
        let lines = [untold, told(1000, 50), told(1000, 50), told(2100, 90)].concat();
        assert_eq!(read("codex", &lines), tokens(2100, 100, 90));
    }

    #[test]
    fn other_hosts_tell_nothing() {
        let told: Vec<&str> = super::super::names()
            .filter(|name| row(name).expect("it loads").transcript().is_some())
            .collect();
        assert_eq!(told, ["claude", "codex"]);
    }
}

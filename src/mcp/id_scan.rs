//! The id of a message that is not read as a whole: one that is too long to be kept, or is no JSON.
//!
//! Byte by byte: strings, depth, and the value of the key `id` at depth one.

use serde_json::Value;

/// The most bytes of a key or an id that are kept.
const KEPT: usize = 256;

/// Where a scan stands.
#[derive(Debug, Default)]
pub(super) struct IdScan {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// The text or number that is being read at depth one, quotes and all.
    piece: Vec<u8>,
    /// It is longer than what is kept.
    cut: bool,
    /// The last whole text at depth one: a key, where a colon follows.
    key: Vec<u8>,
    /// What is read now is the value of `id`.
    of_id: bool,
    id: Option<Value>,
}

impl IdScan {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.id.is_some() {
                return;
            }
            self.take(*byte);
        }
    }

    fn take(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.begin();
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.ends();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.piece);
                self.of_id = self.key == b"\"id\"";
            }
            b',' => self.ends(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn begin(&mut self) {
        if self.depth == 1 {
            self.piece.clear();
            self.cut = false;
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.piece.len() < KEPT {
            self.piece.push(byte);
        } else if self.depth == 1 {
            self.cut = true;
        }
    }

    /// A value at depth one has ended.
    fn ends(&mut self) {
        if self.depth != 1 {
            return;
        }
        let piece = std::mem::take(&mut self.piece);
        let whole = !std::mem::take(&mut self.cut);
        if std::mem::take(&mut self.of_id) && whole {
            let value = serde_json::from_slice::<Value>(&piece).ok();
            self.id = value.filter(|id| id.is_string() || id.is_i64() || id.is_u64());
        }
    }

    /// The id; `null` where there is none.
    pub(super) fn found(self) -> Value {
        self.id.unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(line: &str) -> Value {
        let mut scan = IdScan::default();
        line.as_bytes().chunks(3).for_each(|piece| scan.feed(piece));
        scan.found()
    }

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"#, json!(7)),
            (r#"{"id" : "a\"b","x":1"#, json!("a\"b")),
            (r#"{"params":{"id":3,"s":"\"id\":4"},"id":5}"#, json!(5)),
            (r#"{"params":[1,{"id":2}],"method":"id","id":-6 }"#, json!(-6)),
            (r#"{"claim":"\ud83d","id":9}"#, json!(9)),
            (r#"{"id":1.5}"#, json!(null)),
            (r#"{"id":{"a":1}}"#, json!(null)),
            (r#"{"id":true,"x":2}"#, json!(null)),
            ("id: 7", json!(null)),
            ("", json!(null)),
        ] {
            assert_eq!(of(line), id, "{line}");
        }
        assert_eq!(of(&format!(r#"{{"id":"{}","x":1}}"#, "i".repeat(KEPT))), json!(null));
    }

    proptest! {
        #[test]
        fn a_message_of_any_kind_keeps_its_id(id in any::<i64>(), text in any::<String>()) {
            let line = json!({"params": {"id": 0, "text": text, "list": [text]}, "id": id});
            prop_assert_eq!(of(&line.to_string()), json!(id));
            prop_assert!(of(&text).is_null() || text.contains("id"));
        }
    }
}

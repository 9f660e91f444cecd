//! A settings text that is JSON, comments aside, and the place of every value in it.
//!
//! Says which bytes to put in or to cut, in the manner of what is there; every other byte
//! stays as its author wrote it. `serde_json` judges whether a text is JSON, `jsonc-parser`
//! only finds places: its own way to edit lays things out anew. Which values to put in and
//! which are ours is `install`'s matter.

use std::borrow::Cow;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::{Value, json};

/// Settings that we do not touch because we cannot read them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub(crate) struct BadSettings {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    pub why: String,
}

/// What is said of a comment where the host reads none.
pub(super) const NO_COMMENTS: &str =
    "a comment, which the host does not read in this file: take it out";

pub(super) const BOM: char = '\u{feff}';

pub(super) fn is_blank(text: &str) -> bool {
    text.trim_start_matches(BOM).trim().is_empty()
}

/// The text with a blank for each byte of a comment, so that every place in it stays. A comment
/// that does not end stays as it is.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut plain = text.to_owned();
    for range in comments(text) {
        let blanks = |c: char| {
            if c == '\n' || c == '\r' { String::from(c) } else { " ".repeat(c.len_utf8()) }
        };
        let blank: String = text[range.clone()].chars().map(blanks).collect();
        plain.replace_range(range, &blank);
    }
    Cow::Owned(plain)
}

/// Where comments stand: `//` to the end of a line, and `/* … */`, outside of strings.
pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        match (in_string, rest) {
            (true, [b'\\', ..]) => at += 2,
            (quoted, [b'"', ..]) => {
                in_string = !quoted;
                at += 1;
            }
            (false, [b'/', b'/', ..]) => {
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                let end = at + end.unwrap_or(rest.len());
                found.push(at..end);
                at = end;
            }
            (false, [b'/', b'*', ..]) => {
                let Some(length) = rest[2..].windows(2).position(|two| two == b"*/") else {
                    return found;
                };
                found.push(at..at + length + 4);
                at += length + 4;
            }
            _ => at += 1,
        }
    }
    found
}

/// What a JSON text of a host's says; comments count as blanks where `comments` is true.
pub(super) fn value_of(text: &str, comments: bool) -> Option<Value> {
    let text = text.trim_start_matches(BOM);
    let plain = if comments { without_comments(text) } else { Cow::Borrowed(text) };
    serde_json::from_str(&plain).ok()
}

/// A change to one place of a text.
pub(super) struct Edit {
    pub at: Range<usize>,
    pub text: String,
    /// What it was put into; `None` for a change within a line of ours.
    pub into: Option<String>,
}

/// The text with all edits, which do not overlap.
pub(super) fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.at.start);
    let mut new = text.to_owned();
    for edit in edits.iter().rev() {
        new.replace_range(edit.at.clone(), &edit.text);
    }
    new
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar,
}

#[derive(Debug)]
pub(super) struct Member {
    pub name: String,
    /// From the key's first quote to the value's end.
    span: Range<usize>,
    pub value: Node,
}

impl Node {
    /// `value`, in a text that goes on `before` bytes earlier.
    fn new(value: ast::Value<'_>, before: usize) -> Self {
        let place = |range: Range<usize>| range.start + before..range.end + before;
        let span = place(value.start()..value.end());
        let shape = match value {
            ast::Value::Object(object) => {
                let member = |member: ast::ObjectProp<'_>| Member {
                    span: place(member.start()..member.end()),
                    name: member.name.into_string(),
                    value: Node::new(member.value, before),
                };
                Shape::Object(object.properties.into_iter().map(member).collect())
            }
            ast::Value::Array(array) => Shape::Array(
                array.elements.into_iter().map(|element| Node::new(element, before)).collect(),
            ),
            _ => Shape::Scalar,
        };
        Node { span, shape }
    }

    /// The last member of this name, which is the one that counts.
    pub(crate) fn member(&self, name: &str) -> Option<&Node> {
        self.members().iter().rfind(|member| member.name == name).map(|member| &member.value)
    }

    pub(crate) fn members(&self) -> &[Member] {
        if let Shape::Object(members) = &self.shape { members } else { &[] }
    }

    pub(crate) fn elements(&self) -> &[Node] {
        if let Shape::Array(elements) = &self.shape { elements } else { &[] }
    }

    /// Where the members or elements stand.
    pub(crate) fn items(&self) -> Vec<&Range<usize>> {
        let members = self.members().iter().map(|member| &member.span);
        members.chain(self.elements().iter().map(|element| &element.span)).collect()
    }

    /// The bytes to cut so that item `at` and one comma go; the rest stays as it stands.
    pub(crate) fn without(&self, at: usize) -> Range<usize> {
        let items = self.items();
        match (at.checked_sub(1).and_then(|before| items.get(before)), items.get(at + 1)) {
            (Some(before), _) => before.end..items[at].end,
            (None, Some(next)) => items[at].start..next.start,
            (None, None) => self.span.start + 1..self.span.end - 1,
        }
    }
}

/// A settings text that is JSON, comments aside.
pub(super) struct Document<'t> {
    text: &'t str,
    /// The same without its comments, byte for byte in the same places.
    plain: Cow<'t, str>,
    pub root: Node,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Self, BadSettings> {
        let start = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let plain = without_comments(text);
        serde_json::from_str::<Value>(&plain[start..]).map_err(|error| BadSettings {
            line: error.line(),
            column: error.column(),
            why: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
        })?;
        // Read behind the BOM, so that no place depends on how a parser counts one.
        let options = (CollectOptions::default(), ParseOptions::default());
        let read = jsonc_parser::parse_to_ast(&plain[start..], &options.0, &options.1);
        let root = read.ok().and_then(|read| read.value).map(|value| Node::new(value, start));
        let unread = || BadSettings { line: 1, column: 1, why: "not a JSON document".to_owned() };
        Ok(Self { text, root: root.ok_or_else(unread)?, plain })
    }

    /// The error of the first comment, for a host that reads none.
    pub(crate) fn refuse_comments(&self, why: &str) -> Result<(), BadSettings> {
        let Some(first) = comments(self.text).into_iter().next() else { return Ok(()) };
        Err(self.bad(&Node { span: first, shape: Shape::Scalar }, why.to_owned()))
    }

    /// The change that takes item `at` of `holder` out with one comma; comments stay.
    pub(crate) fn cut(&self, holder: &Node, at: usize) -> Edit {
        let range = holder.without(at);
        let item = holder.items()[at].clone();
        let gap = |range: Range<usize>| {
            let (text, plain) = (&self.text[range.clone()], &self.plain[range]);
            if text == plain {
                return String::new();
            }
            let comma = plain.find(',');
            text.char_indices().filter(|(at, _)| Some(*at) != comma).map(|(_, c)| c).collect()
        };
        let all = comments(self.text);
        let inside = all.iter().filter(|found| item.start <= found.start && found.end <= item.end);
        // Each on a line of its own: one that ends with its line closes nothing behind it.
        let kept =
            inside.map(|found| format!("{}{}", newline(self.text), &self.text[found.clone()]));
        let mut kept: String = kept.collect();
        if !kept.is_empty() {
            kept.push_str(newline(self.text));
        }
        let text = gap(range.start..item.start) + &kept + &gap(item.end..range.end);
        Edit { at: range, text, into: None }
    }

    pub(crate) fn value(&self, node: &Node) -> Value {
        serde_json::from_str(&self.plain[node.span.clone()]).unwrap_or(Value::Null)
    }

    pub(crate) fn object<'d>(&self, node: &'d Node, name: &str) -> Result<&'d Node, BadSettings> {
        let is_object = matches!(node.shape, Shape::Object(_));
        is_object.then_some(node).ok_or_else(|| self.bad(node, format!("{name} must be an object")))
    }

    pub(crate) fn bad(&self, node: &Node, why: String) -> BadSettings {
        let before = &self.text[..node.span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[line_start..].trim_start_matches(BOM).chars().count() + 1;
        BadSettings { line: before.matches('\n').count() + 1, column, why }
    }

    /// Puts items at the end of an object or a list, in the manner of what is there.
    pub(crate) fn put(&self, holder: &Node, items: &[(Option<String>, Value)], into: &str) -> Edit {
        let style = self.style();
        let there = holder.items();
        let (at, gap, tail) = if let (Some(first), Some(last)) = (there.first(), there.last()) {
            (last.end, self.gap_between(holder, first, there.get(1)), String::new())
        } else {
            let (gap, tail) = self.gap_in_empty(holder, &style);
            (holder.span.start + 1, gap, tail)
        };
        let indent = gap.rsplit_once('\n').map(|(_, indent)| indent);
        let spelled = items.iter().map(|item| format!("{gap}{}", style.item(item, indent)));
        let comma = if there.is_empty() { "" } else { "," };
        let text = format!("{comma}{}{tail}", spelled.collect::<Vec<_>>().join(","));
        Edit { at: at..at, text, into: Some(into.to_owned()) }
    }

    /// What stands before each item: a new line and its indentation, a blank, or nothing.
    fn gap_between(
        &self,
        holder: &Node,
        first: &Range<usize>,
        second: Option<&&Range<usize>>,
    ) -> String {
        let lead = &self.text[holder.span.start + 1..first.start];
        if let Some((_, indent)) = lead.rsplit_once('\n') {
            return format!("{}{}", newline(self.text), blanks_of(indent));
        }
        let spaced = second.is_some_and(|second| self.text[first.end..second.start].ends_with(' '));
        if spaced { " ".to_owned() } else { String::new() }
    }

    /// What to put before the items of an empty holder, and after them.
    fn gap_in_empty(&self, holder: &Node, style: &Style) -> (String, String) {
        if style.compact {
            return (String::new(), String::new());
        }
        let line_start = self.text[..holder.span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[line_start..holder.span.start];
        let base = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let open = &self.text[holder.span.start + 1..holder.span.end - 1];
        let tail =
            if open.contains('\n') { String::new() } else { format!("{}{base}", style.newline) };
        (format!("{}{base}{}", style.newline, style.unit), tail)
    }

    fn style(&self) -> Style {
        let lead = self
            .root
            .items()
            .first()
            .map(|first| &self.text[self.root.span.start + 1..first.start]);
        let unit = lead.and_then(|lead| lead.rsplit_once('\n')).map(|(_, line)| blanks_of(line));
        Style {
            newline: newline(self.text),
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned(),
            compact: lead.is_some_and(|lead| !lead.contains('\n')),
        }
    }
}

/// The blanks at the head of a line; a comment may follow.
fn blanks_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t', '\r']).len()]
}

pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// How a text lays out its JSON.
pub(super) struct Style {
    pub newline: &'static str,
    pub unit: String,
    /// All on one line.
    pub compact: bool,
}

impl Style {
    /// An element, or a member with its key; `indent` is that of its line, if it has its own.
    fn item(&self, (key, value): &(Option<String>, Value), indent: Option<&str>) -> String {
        let value = indent.map_or_else(|| value.to_string(), |indent| self.spelled(value, indent));
        let colon = if indent.is_some() { ": " } else { ":" };
        key.as_ref().map_or_else(|| value.clone(), |key| format!("{}{colon}{value}", json!(key)))
    }

    /// A value over several lines; lists of plain values stay on one.
    pub(crate) fn spelled(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let block = |open, items: Vec<String>, close| {
            let lines = items.iter().map(|item| format!("{}{inner}{item}", self.newline));
            format!("{open}{}{}{indent}{close}", lines.collect::<Vec<_>>().join(","), self.newline)
        };
        match value {
            Value::Object(members) => {
                let line =
                    |(key, value)| format!("{}: {}", json!(key), self.spelled(value, &inner));
                block('{', members.iter().map(line).collect(), '}')
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                block('[', items.iter().map(|item| self.spelled(item, &inner)).collect(), ']')
            }
            Value::Array(items) => {
                format!("[{}]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
            }
            plain => plain.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// JSON texts in many layouts: blanks and new lines wherever JSON allows them.
    fn texts() -> impl Strategy<Value = String> {
        let blank = || "[ \t\r\n]{0,3}".boxed();
        let string =
            || r#""([a-zé😀 {}\[\],:/]|\\["\\/bfnrt]|\\u00e9|\\ud83d\\ude00){0,8}""#.boxed();
        let plain = prop_oneof![
            string(),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?".boxed(),
            "true|false|null".boxed(),
        ];
        let value = plain.prop_recursive(4, 24, 4, move |inner| {
            let item = || (blank(), inner.clone(), blank()).prop_map(|(a, b, c)| a + &b + &c);
            let member = (blank(), string(), blank(), item())
                .prop_map(|(a, b, c, d)| a + &b + &c + ":" + &d);
            let joined = |open, items: Vec<String>, blank: String, close| {
                let inside = if items.is_empty() { blank } else { items.join(",") };
                format!("{open}{inside}{close}")
            };
            prop_oneof![
                (prop::collection::vec(item(), 0..4), blank())
                    .prop_map(move |(i, b)| joined('[', i, b, ']')),
                (prop::collection::vec(member, 0..4), blank())
                    .prop_map(move |(i, b)| joined('{', i, b, '}')),
            ]
        });
        ("\u{feff}?", blank(), value, blank()).prop_map(|(bom, a, b, c)| bom + &a + &b + &c)
    }

    /// The value of a node and all below, made of nothing but its places.
    fn built(text: &str, node: &Node) -> Value {
        match &node.shape {
            Shape::Object(members) => members
                .iter()
                .map(|member| (member.name.clone(), built(text, &member.value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Shape::Array(elements) => elements.iter().map(|element| built(text, element)).collect(),
            Shape::Scalar => serde_json::from_str(&text[node.span.clone()]).expect("a plain value"),
        }
    }

    fn all<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
        found.push(node);
        node.members().iter().for_each(|member| all(&member.value, found));
        node.elements().iter().for_each(|element| all(element, found));
    }

    proptest! {
        #[test]
        fn every_value_is_found_where_it_stands(text in texts()) {
            let document = Document::parse(&text).expect("it is JSON");
            let whole: Value = serde_json::from_str(text.trim_start_matches(BOM))
                .expect("it is JSON");
            prop_assert_eq!(built(&text, &document.root), whole);
            prop_assert_eq!(&text[document.root.span.clone()], text.trim_start_matches(BOM).trim());
        }

        #[test]
        fn what_is_put_in_comes_out_byte_for_byte(text in texts(), key in ".{0,6}") {
            let document = Document::parse(&text).expect("it is JSON");
            let mut nodes = Vec::new();
            all(&document.root, &mut nodes);
            for node in nodes {
                let key = match node.shape {
                    Shape::Object(_) => Some(key.clone()),
                    Shape::Array(_) => None,
                    Shape::Scalar => continue,
                };
                let edit = document.put(node, &[(key, json!({"a": [1, {"b": "é"}]}))], "");
                let (at, length) = (edit.at.clone(), edit.text.len());
                let mut new = applied(&text, vec![edit]);
                prop_assert!(Document::parse(&new).is_ok(), "{new}");
                new.replace_range(at.start..at.start + length, &text[at]);
                prop_assert_eq!(&new, &text);
            }
        }

        #[test]
        fn what_serde_json_does_not_read_is_not_edited(text in "[\\[\\]{}:,\"a1 /*\n'#-]{0,16}") {
            let judged = serde_json::from_str::<Value>(&without_comments(&text));
            prop_assert_eq!(Document::parse(&text).is_ok(), judged.is_ok());
        }
    }

    #[test]
    fn a_comment_is_blank_and_stays_where_it_is() {
        for (text, plain) in [
            ("{} // a", "{}     "),
            ("{ /* é */ \"a\": 1 }", "{          \"a\": 1 }"),
            ("{ \"a\": \"// no\" }", "{ \"a\": \"// no\" }"),
            ("{ \"a\": \"\\\"/*\" } // x\r\n", "{ \"a\": \"\\\"/*\" }     \r\n"),
            ("{} /* open", "{} /* open"),
            ("/**/{}", "    {}"),
        ] {
            assert_eq!(without_comments(text), plain, "{text}");
        }
        assert!(Document::parse("{ \"a\": 1, }").is_err(), "hosts strip comments alone");
    }
}

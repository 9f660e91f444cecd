//! Texts that the chains name and do not hold: `refs/seed/texts`.
//!
//! What people and agents said lies in a file `<job id>/<key>` there: 32 random hex digits, a line
//! end, the text. Its key is the SHA-256 of the whole file, so a short text cannot be guessed from
//! it. In the job's tree a stub stands in the old place, in TOML: what the text's head said, how
//! many words it has, and `text = "sha256:<key>"`. Pure: the digits are brought by the caller.
//!
//! ```text
//! at = 1790000000
//! kind = "prompt"
//! provenance = "attended"
//! text = "sha256:…"
//! words = 12
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::names;
use super::trailers::Trailers;
use crate::jobs::JobId;

/// How many random digits stand in front of a text.
pub(crate) const SALT: usize = 32;
const KEY: usize = 64;
pub(super) const MARK: &str = "sha256:";
/// The trailer of a chain's commit that names a text which is to be nowhere.
const REDACTS: &str = "Seed-Redacts";
/// The trailer that names the chain whose next commit names a text, where that is no job's.
const CHAIN: &str = "Seed-Chain";

/// A text on its way out of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewText {
    pub key: String,
    /// All bytes of its file.
    pub file: Vec<u8>,
}

/// What stands in the place of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stub {
    /// What the head of the text said, besides words and key.
    pub head: toml::Table,
    pub words: u64,
    pub key: String,
}

/// 64 hex digits in small letters.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == KEY && text.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
}

/// Where the text `key` of a job lies.
pub(crate) fn place(job: &JobId, key: &str) -> String {
    format!("{job}/{key}")
}

impl NewText {
    pub(crate) fn new(salt: &str, text: &[u8]) -> Self {
        let mut file = format!("{salt}\n").into_bytes();
        file.extend_from_slice(text);
        Self { key: super::short_hash(&file, KEY), file }
    }
}

/// The text in a file, if the file is the one that `key` names.
pub(crate) fn text_in<'f>(file: &'f [u8], key: &str) -> Option<&'f [u8]> {
    if super::short_hash(file, KEY) != key || file.get(SALT) != Some(&b'\n') {
        return None;
    }
    file.get(SALT + 1..)
}

impl Stub {
    pub(crate) fn write(&self) -> String {
        let mut table = self.head.clone();
        let words = i64::try_from(self.words).unwrap_or(i64::MAX);
        table.insert("words".to_owned(), words.into());
        table.insert("text".to_owned(), format!("{MARK}{}", self.key).into());
        table.to_string()
    }

    /// Reads one; `None` for whatever else stands there, a text itself among it.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        if text.starts_with("---\n") || text.starts_with('{') || !text.contains(MARK) {
            return None;
        }
        let mut head: toml::Table = text.parse().ok()?;
        let toml::Value::String(key) = head.remove("text")? else { return None };
        let key = key.strip_prefix(MARK).filter(|key| is_key(key))?.to_owned();
        let words = u64::try_from(head.remove("words")?.as_integer()?).ok()?;
        Some(Self { head, words, key })
    }

    /// A value of the head as the text itself would write it.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        Some(match self.head.get(key)? {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}

/// Whether what stands at `path` of a job's tree is kept compressed: lines of a journal.
pub(crate) fn is_deflated(path: &str) -> bool {
    path.strip_prefix(names::TRACE).is_some_and(|rest| rest.starts_with('/'))
}

/// A file of a job's tree, taken apart: what its stub says, and the text. `at` is the time of the
/// step where the file itself names none.
pub(crate) fn apart<'f>(path: &str, file: &'f [u8], at: i64) -> (toml::Table, &'f [u8]) {
    let mut head = toml::Table::new();
    if is_deflated(path) {
        head.insert("kind".to_owned(), "journal".into());
        head.insert("at".to_owned(), at.into());
        return (head, file);
    }
    let read = std::str::from_utf8(file).ok().and_then(super::headed);
    let Some((lines, text)) = read else {
        head.insert("at".to_owned(), at.into());
        return (head, file);
    };
    for (key, value) in lines.0.lines().filter_map(|line| line.split_once(": ")) {
        let number = value.parse::<i64>().ok().filter(|number| number.to_string() == value);
        let value = number.map_or_else(|| value.into(), toml::Value::from);
        head.insert(key.to_owned(), value);
    }
    head.insert("headed".to_owned(), true.into());
    (head, text.as_bytes())
}

/// The file again, from its stub and its text.
pub(crate) fn together(stub: &Stub, text: &[u8]) -> Vec<u8> {
    if stub.head.get("headed") != Some(&true.into()) {
        return text.to_vec();
    }
    let mut file = "---\n".to_owned();
    for key in stub.head.keys().filter(|key| *key != "headed") {
        let value = stub.value(key).unwrap_or_default();
        file.push_str(&format!("{key}: {value}\n"));
    }
    file.push_str("---\n");
    let mut file = file.into_bytes();
    file.extend_from_slice(text);
    file.push(b'\n');
    file
}

/// The keys that the commit of a step says are to be nowhere.
pub(crate) fn redacted_by(message: &str) -> impl Iterator<Item = &str> {
    let all = Trailers::of(message);
    let keys: Vec<&str> = all
        .iter()
        .filter(|(name, key)| name.eq_ignore_ascii_case(REDACTS) && is_key(key))
        .map(|(_, key)| key)
        .collect();
    keys.into_iter()
}

/// The lines by which the commit of a step says so; they join its trailers.
pub(crate) fn redacts(keys: &[String]) -> String {
    keys.iter().map(|key| format!("{REDACTS}: {key}\n")).collect()
}

/// The texts of one tree by their places, and what they hold, joined with those of another; less
/// those whose key is among `without`.
pub(crate) fn union<T: Clone>(
    trees: &[BTreeMap<String, T>],
    without: &BTreeSet<String>,
) -> BTreeMap<String, T> {
    let key = |place: &str| place.rsplit('/').next().unwrap_or(place).to_owned();
    let all = trees.iter().flatten().filter(|(place, _)| !without.contains(&key(place)));
    all.map(|(place, held)| (place.clone(), held.clone())).collect()
}

/// What the commit of the texts says of the write that made it, so that the next one can tell
/// whether the step came, or the record: the job, where the chain stood, the last operation, and
/// the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub job: String,
    /// Empty where there was no ref.
    pub after: String,
    pub op: String,
    /// What is to name them is a record: `after` is where the chain of records stood.
    pub of_record: bool,
    pub keys: Vec<String>,
}

impl Written {
    pub(crate) fn message(&self) -> String {
        let mut text = format!(
            "texts\n\nSeed-Job: {}\nSeed-After: {}\nSeed-Op: {}\n",
            self.job,
            named(&self.after),
            named(&self.op)
        );
        if self.of_record {
            text.push_str(&format!("{CHAIN}: {}\n", names::CLAIMS));
        }
        self.keys.iter().for_each(|key| text.push_str(&format!("Seed-Text: {key}\n")));
        text
    }

    pub(crate) fn read(message: &str) -> Option<Self> {
        let trailers = Trailers::of(message);
        let value = |key: &str| trailers.get(key).map(|value| unnamed(value).to_owned());
        let keys = trailers.iter().filter(|(name, key)| *name == "Seed-Text" && is_key(key));
        Some(Self {
            job: value("Seed-Job")?,
            after: value("Seed-After")?,
            op: value("Seed-Op")?,
            of_record: value(CHAIN).is_some_and(|chain| chain == names::CLAIMS),
            keys: keys.map(|(_, key)| key.to_owned()).collect(),
        })
    }
}

const NONE: &str = "none";

fn named(id: &str) -> &str {
    if id.is_empty() { NONE } else { id }
}

fn unnamed(id: &str) -> &str {
    if id == NONE { "" } else { id }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIGITS: &str = "0123456789abcdef0123456789abcdef";

    const STUB: &[u8] = include_bytes!("../../fixtures/format/v2/stub.toml");
    const TEXT: &[u8] = include_bytes!("../../fixtures/format/v2/text");

    #[test]
    fn the_frozen_sample_of_version_two_reads() {
        let stub = Stub::read(STUB).expect("it reads");
        let text = text_in(TEXT, &stub.key).expect("it is the text");
        let file = String::from_utf8(together(&stub, text)).expect("a text");
        let said = crate::format::interaction::Interaction::read(&file).expect("it reads");
        assert_eq!(&*said.text, "quoted strings lose their escape");
        assert_eq!((said.at, stub.words), (1_795_294_572, 5));
        assert_eq!(stub.write().as_bytes(), STUB, "and is written so");
    }

    #[test]
    fn a_key_is_the_hash_of_the_whole_file_and_tells_another_file_apart() {
        let new = NewText::new(DIGITS, b"fix the lexer");
        // printf '0123456789abcdef0123456789abcdef\nfix the lexer' | sha256sum
        assert_eq!(new.key, super::super::short_hash(&new.file, 64));
        assert_eq!(text_in(&new.file, &new.key), Some(b"fix the lexer".as_slice()));
        assert_eq!(text_in(b"another", &new.key), None);
        let other = NewText::new(&"0".repeat(32), b"fix the lexer");
        assert_ne!(new.key, other.key, "equal texts cannot be told by their keys");
        assert!(is_key(&new.key) && !is_key("../x") && !is_key(&new.key.to_uppercase()));
    }

    #[test]
    fn a_stub_says_what_the_head_said_and_no_word() {
        let file = "---\nkind: prompt\nat: 7\nprovenance: attended\n---\nfix the lexer\n";
        let (head, text) = apart("interactions/0001.md", file.as_bytes(), 9);
        assert_eq!(text, b"fix the lexer");
        let stub = Stub { head, words: 3, key: "a".repeat(64) };
        let written = stub.write();
        assert!(written.contains("kind = \"prompt\"") && written.contains("at = 7"), "{written}");
        assert!(!written.contains("lexer") && written.contains("words = 3"), "{written}");
        assert_eq!(Stub::read(written.as_bytes()), Some(stub.clone()));
        let again = String::from_utf8(together(&stub, text)).expect("a text");
        let read = crate::format::interaction::Interaction::read(&again).expect("it reads");
        assert_eq!((read.at, &*read.text), (7, "fix the lexer"));
        assert_eq!(Stub::read(file.as_bytes()), None, "a text is no stub");
    }

    #[test]
    fn what_has_no_head_comes_back_as_it_was() {
        for (path, file) in [("trace/1-idle-2.jsonl", "{}\n"), ("summaries/hand-off-3.md", "# x")] {
            let (head, text) = apart(path, file.as_bytes(), 9);
            let stub = Stub { head, words: 1, key: "b".repeat(64) };
            let read = Stub::read(stub.write().as_bytes()).expect("it reads");
            assert_eq!(together(&read, text), file.as_bytes());
        }
    }

    #[test]
    fn a_union_holds_each_text_once_and_none_that_is_to_be_nowhere() {
        let tree = |places: &[&str]| -> BTreeMap<String, u8> {
            places.iter().map(|place| ((*place).to_owned(), 1)).collect()
        };
        let both = [tree(&["j/a", "j/b"]), tree(&["j/b", "k/c"])];
        let without = BTreeSet::from(["b".to_owned()]);
        assert_eq!(union(&both, &without), tree(&["j/a", "k/c"]));
    }

    #[test]
    fn a_write_says_what_it_was_for() {
        let keys = vec!["c".repeat(64)];
        let one = Written {
            job: "j".into(),
            after: String::new(),
            op: "1f".into(),
            of_record: false,
            keys,
        };
        for of_record in [true, false] {
            let one = Written { of_record, ..one.clone() };
            assert_eq!(Written::read(&one.message()), Some(one));
        }
        assert_eq!(Written::read("texts: joined\n"), None);
        let message = format!("redact: one\n\nSeed-Job: j\n{}", redacts(&one.keys));
        assert_eq!(redacted_by(&message).collect::<Vec<_>>(), one.keys);
    }

    proptest! {
        #[test]
        fn any_file_is_a_stub_or_not(bytes in any::<Vec<u8>>()) {
            let _ = Stub::read(&bytes);
        }

        #[test]
        fn every_text_comes_back(text in any::<Vec<u8>>()) {
            let new = NewText::new(DIGITS, &text);
            prop_assert_eq!(text_in(&new.file, &new.key), Some(text.as_slice()));
        }
    }
}

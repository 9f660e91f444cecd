//! A plan document: how many cycles it declares, what is wrong with it, and the words that
//! it has for phases.
//!
//! In Markdown the front matter says it; in YAML the whole document does ([`super::yaml`]).
//! Whatever is wrong is a [`Fault`] with its line, never a guess. Pure.

use std::collections::BTreeMap;
use std::fmt;

use super::{Pointer, yaml};
use crate::front_matter::{self, NoFrontMatter};

/// The most bytes of a document.
pub(crate) const MOST_BYTES: usize = 256 * 1024;
/// The most cycles that a document may declare.
pub(crate) const MOST_CYCLES: u32 = 1_000;
/// The most faults that are told at once.
pub(super) const MOST_FAULTS: usize = 20;

/// One thing that is wrong with a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub line: usize,
    pub column: usize,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.what)
    }
}

/// What a document must say of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    /// The job's id.
    pub job: &'a str,
    /// The texts that may be added to.
    pub voices: &'a Voices,
}

/// The texts that an agent hears, phase by phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Voices {
    pub phases: Vec<(String, Vec<Voice>)>,
}

/// One text that an agent hears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Voice {
    pub id: String,
    /// What may stand between `{{` and `}}`.
    pub variables: Vec<String>,
    /// The document's words may stand in its place.
    pub replaceable: bool,
}

/// How a document's words stand to git seed's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    #[default]
    Append,
    Prepend,
    Replace,
}

impl Mode {
    /// All of them, as a document spells them.
    pub(crate) const ALL: [(&'static str, Self); 3] =
        [("append", Self::Append), ("prepend", Self::Prepend), ("replace", Self::Replace)];
}

/// Words of a document for one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub mode: Mode,
    pub text: String,
}

/// A document as far as it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// The cycles that it declares.
    pub total: Option<u32>,
    pub faults: Vec<Fault>,
    /// Words by cycle, phase and text.
    pub words: BTreeMap<(u32, String, String), Words>,
}

impl Document {
    /// Reads what `pointer` points to.
    pub(crate) fn read(pointer: &Pointer, bytes: &[u8], expected: Expected<'_>) -> Self {
        let mut document = match (text(bytes), pointer) {
            (Err(fault), _) => Self { faults: vec![fault], ..Self::default() },
            (Ok(text), Pointer::Markdown(name)) => markdown(text, name, expected.job),
            (Ok(text), Pointer::Yaml(name)) => yaml::document(text, name, expected),
            (Ok(_), Pointer::Undecided | Pointer::No) => Self::default(),
        };
        document.faults.sort_by_key(|fault| (fault.line, fault.column));
        document.faults.truncate(MOST_FAULTS);
        document
    }

    /// The total of a document without a fault.
    pub(crate) fn sound(&self) -> Option<u32> {
        self.total.filter(|_| self.faults.is_empty())
    }

    /// Its words for the texts of `phase` in `cycle`.
    pub(crate) fn words_for<'a>(
        &'a self,
        cycle: u32,
        phase: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Words)> + 'a {
        let here = self.words.iter().filter(move |((n, name, _), _)| *n == cycle && name == phase);
        here.map(|((_, _, id), words)| (id.as_str(), words))
    }
}

pub(super) fn fault(line: usize, column: usize, what: impl Into<String>) -> Fault {
    Fault { line, column, what: what.into() }
}

fn text(bytes: &[u8]) -> Result<&str, Fault> {
    if bytes.len() > MOST_BYTES {
        let what = format!("the document has {} bytes; {MOST_BYTES} is the most", bytes.len());
        return Err(fault(1, 1, what));
    }
    std::str::from_utf8(bytes).map_err(|bad| {
        let before = &bytes[..bad.valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        fault(line, 1, "the document is no text in UTF-8 here")
    })
}

/// A key of the front matter, its value, and the line of both.
struct Key<'a> {
    line: usize,
    name: &'a str,
    value: &'a str,
}

fn markdown(text: &str, name: &str, job: &str) -> Document {
    let mut document = Document::default();
    let keys = match front_matter(text) {
        Ok(keys) => keys,
        Err(fault) => return Document { faults: vec![fault], ..document },
    };
    for (n, key) in keys.iter().enumerate() {
        if let Some(first) = keys[..n].iter().find(|first| first.name == key.name) {
            let what = format!("`{}` stands twice; line {} has it first", key.name, first.line);
            document.faults.push(fault(key.line, 1, what));
        }
    }
    for key in &keys {
        let wrong = match key.name {
            "job" => names(key, job),
            "plan_file" => names(key, name),
            "total_cycles" => match total(key.value) {
                Ok(total) => {
                    document.total = document.total.or(Some(total));
                    None
                }
                Err(what) => Some(what),
            },
            _ => None,
        };
        document.faults.extend(wrong.map(|what| fault(key.line, 1, what)));
    }
    if !keys.iter().any(|key| key.name == "total_cycles") {
        document.faults.push(fault(1, 1, "the front matter has no `total_cycles: <n>`"));
    }
    document
}

/// Says what is wrong where `key` does not name `own`.
fn names(key: &Key<'_>, own: &str) -> Option<String> {
    let said = key.value.trim_matches(['"', '\'']);
    (said != own).then(|| format!("`{}: {said}` is not this one; here it is `{own}`", key.name))
}

fn front_matter(text: &str) -> Result<Vec<Key<'_>>, Fault> {
    let found = front_matter::find(text).map_err(|none| {
        let what = match none {
            NoFrontMatter::Absent => {
                "the document has no front matter; begin it with `---`, `total_cycles: <n>`, `---`"
            }
            NoFrontMatter::Unclosed { .. } => {
                "the front matter that begins here has no closing `---`"
            }
        };
        fault(1, 1, what)
    })?;
    let mut keys = Vec::new();
    // The first of them is the text's second line.
    for (line, n) in text[found.lines].lines().zip(2..) {
        // Deeper lines belong to the key above them, and comments to nobody.
        if line.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        if let Some((name, value)) = line.split_once(':') {
            let value = value.split(" #").next().unwrap_or_default().trim();
            keys.push(Key { line: n, name: name.trim_end(), value });
        }
    }
    Ok(keys)
}

/// A positive whole number of cycles, or what is wrong with it.
pub(super) fn total(value: &str) -> Result<u32, String> {
    let said = format!("`total_cycles: {value}`");
    if value.is_empty() {
        return Err("`total_cycles` has no value; it wants the number of cycles".to_owned());
    }
    if value.starts_with(['"', '\'']) {
        return Err(format!("{said} is quoted; it wants the bare number"));
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        return match value.parse::<u32>() {
            Ok(0) => Err(format!("{said} is none; a job has at least one cycle")),
            Ok(total) if total <= MOST_CYCLES => Ok(total),
            _ if value.starts_with('-') => Err(format!("{said} is negative; it wants 1 or more")),
            _ => Err(format!("{said} is too many; {MOST_CYCLES} is the most")),
        };
    }
    if value.parse::<f64>().is_ok() {
        return Err(format!(
            "{said} is a fraction or a spelling of its own; it wants plain digits"
        ));
    }
    Err(format!("{said} is no number; it wants plain digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        let expected = Expected { job: "j1", voices: &Voices::default() };
        Document::read(&Pointer::Markdown("plan_x.md".into()), text.as_bytes(), expected)
    }

    #[test]
    fn the_total_is_read_from_the_front_matter() {
        for (text, total) in [
            ("---\njob: j1\nplan_file: \"plan_x.md\"\njob_name: x\ntotal_cycles: 3\n---\nbody", 3),
            ("\u{feff}---\r\ntotal_cycles: 12\r\n---\r\n", 12),
            (
                "---\ntotal_cycles: 2   # so far\nwho:\n  total_cycles: 9\n---\n---\n\
                 total_cycles: 4\n",
                2,
            ),
        ] {
            assert_eq!(read(text).sound(), Some(total), "{text:?}: {:?}", read(text).faults);
        }
    }

    /// What is wrong is one sentence with its line.
    #[test]
    fn each_fault_of_a_front_matter_has_its_line() {
        let matter = |keys: &str| format!("---\n{keys}\n---\n# Plan\n");
        let cases = [
            (String::new(), "1:1: the document has no front matter"),
            ("total_cycles: 3".to_owned(), "1:1: the document has no front matter"),
            (
                "---\ntotal_cycles: 3\n".to_owned(),
                "1:1: the front matter that begins here has no closing",
            ),
            (matter("job: j1"), "1:1: the front matter has no `total_cycles"),
            (matter("job: j2\ntotal_cycles: 1"), "2:1: `job: j2` is not this one; here it is `j1`"),
            (matter("plan_file: x.md\ntotal_cycles: 1"), "2:1: `plan_file: x.md` is not this one"),
            (matter("total_cycles:"), "2:1: `total_cycles` has no value"),
            (matter("total_cycles: 0"), "2:1: `total_cycles: 0` is none"),
            (matter("total_cycles: -2"), "2:1: `total_cycles: -2` is negative"),
            (matter("total_cycles: 1.5"), "2:1: `total_cycles: 1.5` is a fraction"),
            (matter("total_cycles: 1e3"), "2:1: `total_cycles: 1e3` is a fraction or a spelling"),
            (matter("total_cycles: \"3\""), "2:1: `total_cycles: \"3\"` is quoted"),
            (matter("total_cycles: many"), "2:1: `total_cycles: many` is no number"),
            (matter("total_cycles: 1001"), "2:1: `total_cycles: 1001` is too many"),
            (
                matter("total_cycles: 99999999999999999999"),
                "2:1: `total_cycles: 99999999999999999999` is too",
            ),
            (
                matter("total_cycles: 3\ntotal_cycles: 4"),
                "3:1: `total_cycles` stands twice; line 2 has it",
            ),
        ];
        for (text, says) in cases {
            let document = read(&text);
            let told = document.faults.first().map(ToString::to_string).unwrap_or_default();
            assert!(told.starts_with(says), "{text:?}: {told:?}");
            assert_eq!(document.sound(), None, "{text:?}");
        }
        let expected = Expected { job: "j1", voices: &Voices::default() };
        for (bytes, says) in
            [(vec![b'x'; MOST_BYTES + 1], "1:1: "), (b"---\na: \xff\n".to_vec(), "2:1: ")]
        {
            let document = Document::read(&Pointer::Markdown("p.md".into()), &bytes, expected);
            assert!(document.faults[0].to_string().starts_with(says), "{:?}", document.faults);
        }
    }
}

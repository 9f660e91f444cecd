//! The one door to shipped tables: none is parsed when git seed runs.
//!
//! The TOML files are the source. `build.rs` writes each of them in a form that reads fast
//! (`shipped/form.rs`), and the binary carries that. Every hook reads some of them at its
//! start, where TOML would cost a third of its time. Of a table with many rows one row is
//! read at a time: [`Rows`]. What is wrong is said with the list and the row; tests read every
//! table both ways.

mod form;
pub(crate) mod text;
#[cfg(test)]
mod write;

use std::sync::OnceLock;

use serde::de::{Deserialize, DeserializeOwned, Error as _};

/// A shipped table, as the build wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table(pub(crate) &'static str);

/// The shipped table of that name; it stands in `TABLES` of `build.rs`.
macro_rules! shipped {
    ($name:literal) => {
        $crate::shipped::Table(include_str!(concat!(env!("OUT_DIR"), "/", $name, ".table")))
    };
}
pub(crate) use shipped;

/// The rows of a list of a shipped table; it stands in `ROWS` of `build.rs`.
macro_rules! rows {
    ($name:literal) => {{
        // A build script writes its places as they are.
        #[allow(clippy::unreadable_literal)]
        const INDEX: $crate::shipped::Index =
            include!(concat!(env!("OUT_DIR"), "/", $name, ".index"));
        $crate::shipped::Rows::new(
            include_str!(concat!(env!("OUT_DIR"), "/", $name, ".rows")),
            INDEX,
        )
    }};
}
pub(crate) use rows;

/// Reads a shipped table.
pub(crate) fn read<T: Deserialize<'static>>(table: Table) -> Result<T, toml::de::Error> {
    read_at(table.0, 0)
}

/// Reads the value that begins at `at`.
fn read_at<T: Deserialize<'static>>(form: &'static str, at: usize) -> Result<T, toml::de::Error> {
    T::deserialize(&mut form::Reader::new(form, at)).map_err(toml::de::Error::custom)
}

/// Where the rows of a list begin, and which names lead to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    pub at: &'static [u32],
    /// Sorted; a name of several rows has them in the order of the table.
    pub names: &'static [(&'static str, u16)],
}

/// A row, once it was asked for; none is one that does not read.
type Slot<T> = OnceLock<Option<Box<T>>>;

/// The rows of a list, each read when it is first asked for.
#[derive(Debug)]
pub(crate) struct Rows<T: 'static> {
    form: &'static str,
    index: Index,
    kept: OnceLock<Box<[Slot<T>]>>,
}

impl<T: DeserializeOwned> Rows<T> {
    pub(crate) const fn new(form: &'static str, index: Index) -> Self {
        Self { form, index, kept: OnceLock::new() }
    }

    /// The rows that `name` leads to, in the order of the table.
    ///
    /// One that does not read is not there; a test reads them all.
    pub(crate) fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.numbered(name).map(|(_, row)| row)
    }

    /// The same, each with its place in the table.
    pub(crate) fn numbered<'a>(
        &'a self,
        name: &str,
    ) -> impl Iterator<Item = (usize, &'a T)> + use<'a, T> {
        let names = self.index.names;
        let first = names.partition_point(|(known, _)| *known < name);
        let rest = names.get(first..).unwrap_or_default();
        let count = rest.iter().take_while(|(known, _)| *known == name).count();
        let rows = rest.iter().take(count).map(|(_, row)| usize::from(*row));
        rows.filter_map(|row| Some((row, self.row(row)?)))
    }

    /// The last row.
    pub(crate) fn last(&self) -> Option<&T> {
        self.row(self.index.at.len().checked_sub(1)?)
    }

    /// The rows of which a name is how `text` begins, each with that name; the longest first. Names
    /// of such a list have two bytes at least.
    pub(crate) fn heading<'a, 't>(
        &'a self,
        text: &'t str,
    ) -> impl Iterator<Item = (&'static str, &'a T)> + use<'a, 't, T> {
        let names = self.index.names;
        let behind = names.partition_point(|(known, _)| *known <= text);
        let head = |name: &str| name.as_bytes().first_chunk::<2>().copied();
        let near = names[..behind].iter().rev();
        near.take_while(move |(known, _)| head(known) == head(text))
            .filter(|(known, _)| text.starts_with(known))
            .filter_map(|(known, row)| Some((*known, self.row(usize::from(*row))?)))
    }

    /// The names that lead to rows.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.index.names.iter().map(|(known, _)| *known)
    }

    /// The whole list.
    ///
    /// # Errors
    ///
    /// Says which row does not read.
    #[cfg(test)]
    pub(crate) fn whole(&self) -> Result<Vec<T>, String> {
        let named = |(row, read): (usize, Result<T, toml::de::Error>)| {
            read.map_err(|bad| format!("row {}: {}", row + 1, bad.message()))
        };
        let rows = (0..self.index.at.len()).map(|row| (row, self.read(row)));
        rows.map(named).collect()
    }

    /// All rows, in the order of the table.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> + Clone {
        (0..self.index.at.len()).filter_map(|row| self.row(row))
    }

    fn row(&self, row: usize) -> Option<&T> {
        let rows =
            self.kept.get_or_init(|| self.index.at.iter().map(|_| OnceLock::new()).collect());
        rows.get(row)?.get_or_init(|| self.read(row).ok().map(Box::new)).as_deref()
    }

    /// Reads a row anew, for who makes another one of it.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it; a test reads them all.
    pub(crate) fn read(&self, row: usize) -> Result<T, toml::de::Error> {
        let at = self.index.at.get(row).map_or(self.form.len(), |at| *at as usize);
        read_at(self.form, at)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    fn built(value: &Value) -> &'static str {
        write::written(value).expect("it is a table").leak()
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter("a number", |number| number.is_finite()).prop_map(Value::from),
            ".{0,80}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((".{0,9}", inner), 0..8)
                    .prop_map(|keys| Value::Object(keys.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_with_its_keys_in_order(value in value()) {
            let read: Value = read(Table(built(&value))).expect("it reads");
            prop_assert_eq!(read.to_string(), value.to_string());
        }

        #[test]
        fn a_broken_form_is_an_error_or_another_table(value in value(), cut in any::<usize>()) {
            let form = built(&value);
            let cut = (0..=cut % form.len()).rev().find(|at| form.is_char_boundary(*at));
            let cut = cut.unwrap_or_default();
            prop_assert!(read::<Value>(Table(&form[..cut])).is_err());
            let _ = read::<Value>(Table(&form[cut..]));
            let mut torn = form.to_owned();
            torn.insert(cut, '\u{7f}');
            let _ = read::<Value>(Table(torn.leak()));
        }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Act {
        Rest,
        Read { path: String },
        Ask(Asked),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        list: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Flag(bool),
        Words(Vec<String>),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Flat {
        name: String,
        #[serde(flatten)]
        more: BTreeMap<String, Either>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        act: Act,
        #[serde(default)]
        share: f64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        row: Vec<Row>,
        flat: Option<Flat>,
    }

    #[test]
    fn rows_take_the_shapes_that_toml_gives_them() {
        let toml = r#"
            flat = { name = "a", b = true, c = ["d", "e"] }
            row = [
                { act = "rest", share = 1 },
                { act = { read = { path = "p" } }, share = 0.25 },
                { act = { ask = { list = "l" } }, share = -3 },
            ]
        "#;
        let value: Value = toml::from_str(toml).expect("it is TOML");
        let whole: Whole = read(Table(built(&value))).expect("it reads");
        assert_eq!(whole, toml::from_str(toml).expect("so does TOML"));
    }

    #[test]
    fn a_wrong_row_is_named_with_what_is_known() {
        let cases = [
            (
                json!({ "row": [{ "act": "rest" }, { "act": "rust" }] }),
                "`row` row 2: unknown variant",
            ),
            (json!({ "row": [{ "act": { "rest": {} } }] }), "`row` row 1: invalid type"),
            (json!({ "row": [{ "act": "read" }] }), "`row` row 1: invalid type: unit variant"),
            (
                json!({ "row": [{ "act": "rest", "shore": 1 }] }),
                "`row` row 1: unknown field `shore`",
            ),
            (json!({ "row": [{}] }), "`row` row 1: missing field `act`"),
            (json!({ "row": [], "flat": { "name": 3 } }), "`flat` invalid type: integer `3`"),
            (json!({ "row": [], "rows": [] }), "unknown field `rows`, expected `row` or `flat`"),
        ];
        for (table, says) in cases {
            let bad = read::<Whole>(Table(built(&table))).expect_err(says);
            assert!(bad.message().starts_with(says), "{says}: {}", bad.message());
        }
    }

    #[test]
    fn rows_are_found_by_how_a_text_begins() {
        let one = built(&json!({ "act": "rest" }));
        let at = Vec::from([0, 0, 0, 0]).leak();
        let names = &[("aa", 0), ("aab", 1), ("aabd", 2), ("bb", 3)];
        let rows: Rows<Row> = Rows::new(one, Index { at, names });
        let heads = |text: &str| rows.heading(text).map(|(head, _)| head).collect::<Vec<_>>();
        assert_eq!(heads("aabc"), ["aab", "aa"]);
        assert_eq!(heads("aabd"), ["aabd", "aab", "aa"]);
        assert_eq!((heads("bb"), heads("a"), heads("")), (vec!["bb"], vec![], vec![]));
    }

    #[test]
    fn a_name_leads_to_its_rows_and_no_other_is_read() {
        let (one, two) = (built(&json!({ "act": "rest" })), built(&json!({ "act": "rust" })));
        let form = format!("{one}{two}{one}").leak();
        let at = [0, one.len(), one.len() + two.len()].map(|at| u32::try_from(at).expect("small"));
        let names = &[("a", 0), ("a", 2), ("b", 1), ("c", 2)];
        let rows: Rows<Row> = Rows::new(form, Index { at: Vec::from(at).leak(), names });
        let count = |name: &str| rows.named(name).count();
        assert_eq!((count("a"), count("c"), count("0"), count("aa")), (2, 1, 0, 0));
        assert_eq!(
            (count("b"), rows.all().count()),
            (0, 2),
            "a row that does not read is not there"
        );
        let bad = rows.whole().expect_err("one is wrong");
        assert!(bad.starts_with("row 2: `act` unknown variant `rust`"), "{bad}");
    }
}

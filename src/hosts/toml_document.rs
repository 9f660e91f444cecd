//! A settings text that is TOML, and the place of a table in it.
//!
//! As with JSON, places are found and bytes are cut; every other byte stays as its author
//! wrote it. Places come from the reader of the crate `toml`. `toml_edit` would write the
//! whole text anew, without its BOM and its carriage returns.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::{BOM, BadSettings};

/// A settings text that is TOML.
pub(super) struct Document<'t> {
    text: &'t str,
    root: DeTable<'t>,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Self, BadSettings> {
        let read = DeTable::parse(text).map_err(|bad| {
            let before = &text[..bad.span().map_or(0, |span| span.start.min(text.len()))];
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            BadSettings {
                line: before.matches('\n').count() + 1,
                column,
                why: bad.message().to_owned(),
            }
        })?;
        Ok(Self { text, root: read.into_inner() })
    }

    /// Where the value stands that `keys` lead to.
    pub(crate) fn place(&self, keys: &[impl AsRef<str>]) -> Option<Range<usize>> {
        self.find(keys).map(|(_, value)| value.span())
    }

    /// The text without the table that `keys` lead to, and the tables below it. `None` where
    /// it cannot be cut by whole lines, such as out of the midst of an inline table.
    pub(crate) fn without(&self, keys: &[impl AsRef<str>]) -> Option<String> {
        let (key, value) = self.find(keys)?;
        let mut places = Vec::new();
        self.places(key, value, &mut places);
        let bom = self.text.len() - self.text.trim_start_matches(BOM).len();
        let (bom, lines) = self.text.split_at(bom);
        let mut rest = bom.to_owned();
        let (mut at, mut cut) = (bom.len(), false);
        for line in lines.split_inclusive('\n') {
            let here = at..at + line.len();
            at = here.end;
            // Blank lines below the table were put there for what comes after it.
            cut = places.iter().any(|place| place.start < here.end && here.start < place.end)
                || (cut && line.trim().is_empty());
            rest.push_str(if cut { "" } else { line });
        }
        let table =
            |text: &str| text.parse::<toml::Table>().ok().map(|table| forgotten(table, keys));
        (table(&rest)? == table(self.text)?).then_some(rest)
    }

    fn find(&self, keys: &[impl AsRef<str>]) -> Option<(Range<usize>, &Spanned<DeValue<'t>>)> {
        let (last, before) = keys.split_last()?;
        let entry = |table: &'_ DeTable<'t>, name: &str| {
            table.iter().find(|(key, _)| key.as_ref() == name).map(|(key, _)| key.clone())
        };
        let mut table = &self.root;
        for name in before {
            table = table.get(&entry(table, name.as_ref())?)?.get_ref().as_table()?;
        }
        let key = entry(table, last.as_ref())?;
        Some((key.span(), table.get(&key)?))
    }

    /// What a key and its value take up, piece by piece.
    fn places(
        &self,
        key: Range<usize>,
        value: &Spanned<DeValue<'_>>,
        found: &mut Vec<Range<usize>>,
    ) {
        let header = self.has_header(value);
        // The key of a header may stand in another, of a table below: `[a.b.c]` before `[a.b]`.
        let mut own = value.span();
        if !header {
            own = key.start.min(own.start)..key.end.max(own.end);
        }
        let mut inside = Vec::new();
        for (key, value) in value.get_ref().as_table().into_iter().flatten() {
            let places = if self.has_header(value) { &mut *found } else { &mut inside };
            self.places(key.span(), value, places);
        }
        if header {
            // What stands between its header and its last value is the table's own.
            own.end = inside.iter().map(|place| place.end).fold(own.end, usize::max);
        } else {
            found.append(&mut inside);
        }
        found.push(own);
    }

    /// The value is a table below a header, and not one in braces or of dotted keys.
    fn has_header(&self, value: &Spanned<DeValue<'_>>) -> bool {
        value.get_ref().is_table() && self.text[value.span().start..].starts_with('[')
    }
}

/// The table without what `keys` lead to, nor the tables above that hold nothing then.
fn forgotten(mut table: toml::Table, keys: &[impl AsRef<str>]) -> toml::Table {
    match keys {
        [] => {}
        [last] => drop(table.remove(last.as_ref())),
        [first, rest @ ..] => {
            if let Some(toml::Value::Table(inner)) = table.remove(first.as_ref()) {
                let inner = forgotten(inner, rest);
                if !inner.is_empty() {
                    table.insert(first.as_ref().to_owned(), inner.into());
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 2] = ["mcp", "seed"];

    fn cut(text: &str) -> Option<String> {
        Document::parse(text).expect("TOML").without(&KEYS)
    }

    #[test]
    fn a_table_goes_however_it_is_spelled() {
        let cases = [
            ("a = 1\n\n[mcp.seed]\nb = 2\n", "a = 1\n\n"),
            ("[mcp.seed]\nb = 2\n\n[z]\nc = 3\n", "[z]\nc = 3\n"),
            ("[ mcp . \"seed\" ] # ours\nb = [\n  2,\n]\n# of z\n[z]\n", "# of z\n[z]\n"),
            ("[mcp.seed]\r\n# why\r\nb = 2\r\n\r\n[mcp.seed.env]\r\nc = 3\r\n[z]\r\n", "[z]\r\n"),
            ("[mcp.seed.env]\nc = 3\n[y]\n[mcp.seed]\nb = 2\n[z]\n", "[y]\n[z]\n"),
            ("mcp.seed.b = 2\nz = 1\nmcp.seed.c = 3", "z = 1\n"),
            ("[mcp]\nother = 1\nseed = { b = 2 }\n", "[mcp]\nother = 1\n"),
            ("[mcp]\nseed.b = '''\n[z]\n'''\n[mcp.other]\n", "[mcp]\n[mcp.other]\n"),
            (
                "t = \"\"\"\n[mcp.seed]\n\"\"\"\n[mcp.seed]\nb = 2",
                "t = \"\"\"\n[mcp.seed]\n\"\"\"\n",
            ),
            ("\u{feff}[mcp.seed]\nb = 2\n[z]\n", "\u{feff}[z]\n"),
            ("[mcp.seed]\nb.c = 1\nb.d.e = 2\n[z]\n", "[z]\n"),
        ];
        for (text, rest) in cases {
            assert_eq!(cut(text).as_deref(), Some(rest), "{text}");
        }
    }

    #[test]
    fn what_whole_lines_cannot_take_out_stays() {
        assert_eq!(cut("mcp = { seed = { b = 2 }, other = 1 }\n"), None);
        assert_eq!(cut("a = 1\n"), None);
        assert_eq!(cut("mcp = 1\n"), None);
    }

    #[test]
    fn a_value_is_found_where_it_stands() {
        let text = "[other]\nb = 'x'\n[mcp.seed]\nb = 'y'\n";
        let place =
            Document::parse(text).expect("TOML").place(&["mcp", "seed", "b"]).expect("it is there");
        assert_eq!((&text[place.clone()], place.start), ("'y'", 31));
        let bad = Document::parse("a = 1\nb = = 2\n").err().expect("no TOML");
        assert_eq!((bad.line, bad.column), (2, 5), "{bad}");
    }
}

//! A test that stands there under another name, where its words differ by nothing but names that
//! the change gave to other things: `mean` is called `average`, and `test_mean` with it.

use std::collections::{BTreeMap, BTreeSet};

use super::languages::Definition;

/// Names of what a change defines, tests aside: those that went, and those that came.
#[derive(Debug, Default)]
pub(super) struct Names<'r> {
    went: BTreeSet<&'r [u8]>,
    came: BTreeSet<&'r [u8]>,
}

impl<'r> Names<'r> {
    /// `before` and `after` are all definitions of the two sides that are no tests.
    pub(super) fn of(
        before: impl Iterator<Item = &'r str>,
        after: impl Iterator<Item = &'r str>,
    ) -> Self {
        let before: BTreeSet<&[u8]> = before.map(str::as_bytes).collect();
        let after: BTreeSet<&[u8]> = after.map(str::as_bytes).collect();
        let went = before.difference(&after).copied().collect();
        Self { went, came: after.difference(&before).copied().collect() }
    }

    /// Whether `new` is `old` with other names, each put for one, and nothing else changed.
    pub(super) fn rename(&self, old: &Definition, new: &Definition) -> bool {
        if old.checks != new.checks {
            return false;
        }
        let own = (old.name.as_bytes(), new.name.as_bytes());
        let is_name = |pair: (&[u8], &[u8])| {
            pair == own || self.went.contains(pair.0) && self.came.contains(pair.1)
        };
        let (mut there, mut back) = (BTreeMap::new(), BTreeMap::new());
        let (mut olds, mut news) = (Tokens(&old.text), Tokens(&new.text));
        loop {
            match (olds.next(), news.next()) {
                (None, None) => return true,
                (Some(one), Some(other)) => {
                    let known = *there.entry(one).or_insert(other) == other
                        && *back.entry(other).or_insert(one) == one;
                    if !known || one != other && !is_name((one, other)) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }
}

/// The words of a text, and each sign between them by itself; spaces tell nothing.
struct Tokens<'t>(&'t [u8]);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let text = self.0.trim_ascii_start();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
        let word = text.iter().take_while(|byte| is_word(byte)).count();
        let (token, rest) = text.split_at_checked(word.max(1))?;
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::languages::Sort;

    fn test(name: &str, text: &str) -> Definition {
        Definition {
            name: name.into(),
            whole: name.into(),
            sort: Sort::Test,
            text: text.into(),
            live: true,
            checks: 1,
            full: true,
        }
    }

    #[test]
    fn a_test_is_renamed_with_what_it_is_of_and_by_nothing_else() {
        let old =
            test("test_mean", "def test_mean(self):\n    self.assertEqual(mean([1, 3]), 2)\n");
        let names = Names::of(["mean", "add"].into_iter(), ["average", "add"].into_iter());
        for (is, new) in [
            (true, "def test_average(self):\n    self.assertEqual(average([1, 3]), 2)\n"),
            (true, "def test_average(self):\n        self.assertEqual(average([1,\n 3]), 2)\n"),
            // Another value, another check, one more, one less.
            (false, "def test_average(self):\n    self.assertEqual(average([1, 3]), 3)\n"),
            (false, "def test_average(self):\n    self.assertTrue(average([1, 3]), 2)\n"),
            (false, "def test_average(self):\n    self.assertEqual(add([1, 3]), 2)\n"),
            (false, "def test_average(self):\n    self.assertEqual(average([1, 3]), 2)\n    x\n"),
            (false, "def test_average(self):\n    self.assertEqual(average([1, 3]))\n"),
            (false, ""),
        ] {
            assert_eq!(names.rename(&old, &test("test_average", new)), is, "{new}");
        }
        let fewer = Definition { checks: 0, ..test("test_average", "") };
        assert!(!names.rename(&Definition { text: Vec::new(), ..old.clone() }, &fewer));
        // A name stands for one other alone.
        let two = Names::of(["a", "b"].into_iter(), ["c"].into_iter());
        let (old, new) = (test("t", "assert a == b"), test("t", "assert c == c"));
        assert!(!two.rename(&old, &new));
    }
}

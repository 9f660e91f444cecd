//! Where raw memory lies, put into a text of rules: one value changes, every other byte stays.

use toml::de::{DeTable, DeValue};

use super::usual_track::{Key, put};
use super::{BadRules, Rules, value};
use crate::memory::raw::Raw;

impl Rules {
    /// Whether `text` says where raw memory lies. One that does not read says nothing.
    pub(crate) fn places_raw(text: &str) -> bool {
        DeTable::parse(text).is_ok_and(|table| {
            let memory = value(table.get_ref(), "memory");
            let keys = memory.map(toml::Spanned::get_ref);
            matches!(keys, Some(DeValue::Table(keys)) if value(keys, "raw").is_some())
        })
    }

    /// `applied` with `raw` as the place of raw memory, checked as a whole.
    ///
    /// # Errors
    ///
    /// `applied` does not hold.
    pub(crate) fn with_raw(applied: &str, raw: Raw) -> Result<String, BadRules> {
        let text = put(applied, &Key { table: "memory", name: "raw", older: None }, raw.word())?;
        Self::with(&text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_changes_and_every_other_byte_stays() {
        for (before, after) in [
            ("", "[memory]\nraw = \"ref\"\n"),
            ("[memory]\npage = 9 # ours\n", "[memory]\nraw = \"ref\"\npage = 9 # ours\n"),
            ("memory = { page = 9 }\n", "memory = { raw = \"ref\", page = 9 }\n"),
            ("memory = {}\n", "memory = { raw = \"ref\" }\n"),
            ("[memory]\nraw = 'tree' # ours\n", "[memory]\nraw = \"ref\" # ours\n"),
            ("idle = \"closed\"", "idle = \"closed\"\n\n[memory]\nraw = \"ref\"\n"),
        ] {
            let put = Rules::with_raw(before, Raw::Ref).expect(before);
            assert_eq!(put, after, "{before}");
            assert_eq!(Rules::with(&put).expect("they hold").raw, Raw::Ref);
            assert_eq!(Rules::places_raw(before), before.contains("raw"), "{before}");
            assert!(Rules::places_raw(&put));
            let back = Rules::with_raw(&put, Raw::Tree).expect("they hold");
            assert_eq!(Rules::with(&back).expect("they hold").raw, Raw::Tree);
        }
        assert!(!Rules::places_raw("memory = 1") && !Rules::places_raw("[memory"));
    }

    #[test]
    fn what_is_no_place_and_no_number_is_named() {
        let told = |text: &str| Rules::with(text).expect_err(text).told("seed.toml", text);
        let bad = told("idle = \"open\"\n[memory]\nraw = \"disk\"\n");
        assert!(bad.starts_with("seed.toml:3: "), "{bad}");
        assert!(bad.contains("`disk`, expected `tree` or `ref`"), "{bad}");
        for keep in ["90", "three days", "", "-1 days"] {
            let bad = told(&format!("[memory]\nkeep = \"{keep}\"\n"));
            assert!(bad.starts_with("seed.toml:2: `memory.keep` is `"), "{bad}");
            assert!(bad.contains("such as `90 days` or `50 jobs`"), "{bad}");
        }
        for text in ["[memory]\nraw = \"ref\"", "[memory]\nkeep = \"1 job\""] {
            Rules::for_job(None, text).expect_err("it is for the whole repository to say");
        }
    }
}

//! The mode of a clone, put into a text of rules: one value changes, every other byte stays.

use super::usual_track::{Key, put};
use super::{BadRules, Rules};
use crate::jobs::mode::Mode;

impl Rules {
    /// `applied` with `mode` as the mode of the clone, checked as a whole. A text that says so
    /// already comes back as it is.
    ///
    /// # Errors
    ///
    /// `applied` does not hold.
    pub(crate) fn with_mode(applied: &str, mode: Mode) -> Result<String, BadRules> {
        let key = Key { table: "mode", name: "default", older: None };
        let text = put(applied, &key, mode.word())?;
        Self::with(&text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn one_value_changes_and_every_other_byte_stays() {
        for (before, after) in [
            ("", "[mode]\ndefault = \"watch\"\n"),
            ("idle = \"closed\"\n", "idle = \"closed\"\n\n[mode]\ndefault = \"watch\"\n"),
            ("[mode]\ndefault = 'full' # ours\n", "[mode]\ndefault = \"watch\" # ours\n"),
            ("mode = { default = \"fence\" }\n", "mode = { default = \"watch\" }\n"),
            ("[mode]\n# why\n", "[mode]\ndefault = \"watch\"\n# why\n"),
        ] {
            let put = Rules::with_mode(before, Mode::Watch).expect(before);
            assert_eq!(put, after, "{before}");
            assert_eq!(Rules::with(&put).expect("they hold").mode, Mode::Watch);
            for mode in Mode::VARIANTS {
                let moved = Rules::with_mode(&put, *mode).expect("they hold");
                assert_eq!(Rules::with(&moved).expect("they hold").mode, *mode);
            }
        }
    }

    #[test]
    fn a_mode_that_nobody_knows_is_named_with_those_that_are_and_no_job_has_one() {
        let told = |text: &str| Rules::with(text).expect_err(text).told("seed.toml", text);
        let bad = told("idle = \"open\"\n[mode]\ndefault = \"loud\"\n");
        assert!(bad.starts_with("seed.toml:3: "), "{bad}");
        assert!(bad.contains("`loud`, expected one of `watch`, `fence`, `full`"), "{bad}");
        assert!(told("[mode]\nusual = \"full\"").contains("unknown field `usual`"));
        for scope in ["\"../a\"", "\"/a\"", "\"src/**\"", "\"a//b\""] {
            let bad = told(&format!("[fence]\nscope = [{scope}]"));
            assert!(bad.contains("`fence.scope` has `"), "{bad}");
        }
        let rules = Rules::with("[fence]\nscope = [\"src/\", \".\", \"a.rs\"]").expect("they hold");
        assert_eq!(rules.fence_scope, ["src/", ".", "a.rs"]);
        for text in ["[mode]\ndefault = \"watch\"", "[fence]\nscope = []"] {
            Rules::for_job(None, text).expect_err("it is for the whole repository to say");
        }
    }
}

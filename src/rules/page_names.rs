//! What pages are called, put into a text of rules that does not say it: a line comes before all
//! others, and every other byte stays.

use toml::de::DeTable;

use super::{BadRules, Rules, value};

impl Rules {
    /// Whether `text` says what pages are called. One that does not read says nothing.
    pub(crate) fn names_pages(text: &str) -> bool {
        DeTable::parse(text).is_ok_and(|table| value(table.get_ref(), "pages").is_some())
    }

    /// `applied` with `page` as the name of pages, checked as a whole.
    ///
    /// # Errors
    ///
    /// `applied` names pages already, or it is not sound.
    pub(crate) fn with_page(applied: &str, page: &str) -> Result<String, BadRules> {
        let name = toml::Value::from(page);
        let text = format!("pages = [{name}]\n{applied}");
        Self::with(&text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_names_no_pages_gets_their_name_first() {
        for text in ["", "# ours\n[tracks]\ndefault = \"opevc\"\n", "idle = \"closed\"\n"] {
            assert!(!Rules::names_pages(text), "{text}");
            let named = Rules::with_page(text, "AGENTS.md").expect("they hold");
            assert!(Rules::names_pages(&named) && named.ends_with(text), "{named}");
            assert_eq!(Rules::with(&named).expect("they hold").page_name(), "AGENTS.md");
            let bad = Rules::with_page(&named, "GEMINI.md").expect_err("they are named");
            assert!(bad.to_string().contains("duplicate"), "{bad}");
        }
        assert!(!Rules::names_pages("pages = ["), "it does not read");
        assert!(Rules::with_page("", "a/b.md").is_err(), "a name, and no path");
    }
}

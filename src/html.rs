//! Text on its way into HTML.
//!
//! [`Escaped`] grows by markup that stands in our source, and by foreign text that is escaped on
//! the way in. Nothing else can be put into it, so text that is not escaped does not compile. What
//! a reader would not see, or what would turn a line around, becomes a sign that they see.

use std::fmt::Write as _;

/// HTML in which everything foreign is escaped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Escaped(String);

impl Escaped {
    /// Markup of our own. Only what is part of the binary is `'static`.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text of anybody's, for the content of an element or for a quoted attribute.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        let plain = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t');
        let special = |byte: u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'' | b'`');
        if text.bytes().all(|byte| plain(byte) && !special(byte)) {
            self.0.push_str(text);
            return self;
        }
        for letter in text.chars() {
            self.letter(letter);
        }
        self
    }

    pub(crate) fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{}", number.into());
        self
    }

    /// An element of `tag`, which is markup, around a text.
    pub(crate) fn element(&mut self, open: &'static str, text: &str, close: &'static str) {
        self.raw(open).text(text).raw(close);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn letter(&mut self, letter: char) {
        match letter {
            '&' => self.0.push_str("&amp;"),
            '<' => self.0.push_str("&lt;"),
            '>' => self.0.push_str("&gt;"),
            '"' => self.0.push_str("&#34;"),
            '\'' => self.0.push_str("&#39;"),
            '`' => self.0.push_str("&#96;"),
            '\n' | '\t' => self.0.push(letter),
            // The pictures of control characters.
            '\0'..='\x1f' => self.0.extend(char::from_u32(0x2400 + u32::from(letter))),
            '\x7f' => self.0.push('\u{2421}'),
            letter if is_unseen(letter) => {
                let _ = write!(self.0, "\u{27e8}U+{:04X}\u{27e9}", u32::from(letter));
            }
            letter => self.0.push(letter),
        }
    }
}

/// What has no look of its own: controls, what turns text around, what has no width, what is no
/// character.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'
        | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(letter) & 0xfffe == 0xfffe
        || matches!(letter, '\u{fdd0}'..='\u{fdef}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escaped(text: &str) -> String {
        let mut html = Escaped::default();
        html.text(text);
        html.as_str().to_owned()
    }

    #[test]
    fn what_is_foreign_opens_nothing_and_is_seen() {
        for (text, shown) in [
            ("plain words, 1\n\t2", "plain words, 1\n\t2"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\"onload='x'`", "&#34;onload=&#39;x&#39;&#96;"),
            ("]]>&amp;", "]]&gt;&amp;amp;"),
            ("a\0b\x1b[31m\r\n", "a\u{2400}b\u{241b}[31m\u{240d}\n"),
            ("x\u{202e}txt.exe", "x\u{27e8}U+202E\u{27e9}txt.exe"),
            ("\u{feff}\u{200b}\u{85}\u{7f}", "⟨U+FEFF⟩⟨U+200B⟩⟨U+0085⟩\u{2421}"),
            ("schön, 日本, שלום, 👩\u{200d}👧", "schön, 日本, שלום, 👩\u{200d}👧"),
            (&String::from_utf8_lossy(b"\xff\xfe"), "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(escaped(text), shown, "{text:?}");
        }
    }

    #[test]
    fn markup_stands_beside_it_as_it_is() {
        let mut html = Escaped::default();
        html.element("<p title=\"a\">", "<b>", "</p>");
        html.number(7_u32);
        assert_eq!(html.as_str(), "<p title=\"a\">&lt;b&gt;</p>7");
    }

    proptest! {
        #[test]
        fn no_sign_of_markup_and_nothing_unseen_comes_through(text in any::<String>()) {
            let shown = escaped(&text);
            prop_assert!(!shown.contains(['<', '>', '"', '\'', '`']), "{}", shown);
            prop_assert!(!shown.chars().any(is_unseen), "{}", shown);
            let controls = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
            prop_assert!(!shown.contains(controls), "{}", shown);
        }
    }
}

//! Words of others as people see them: nothing turns the text around, stands in it unseen or
//! begins a line of its own. Pure.

use std::borrow::Cow;

/// The most characters of a subject, behind the name of the step.
const SUBJECT: usize = 120;

/// What a step says of itself in one line: the first one of `text`.
pub(crate) fn subject(text: &str) -> Cow<'_, str> {
    cut_at_word(text.lines().next().unwrap_or_default().trim_start_matches("- "), SUBJECT)
}

/// The beginning of a line that has at most `most` characters, cut at a word where it has one.
fn cut_at_word(line: &str, most: usize) -> Cow<'_, str> {
    let Some((end, _)) = line.char_indices().nth(most.saturating_sub(1)) else {
        return Cow::Borrowed(line);
    };
    if line.chars().count() <= most {
        return Cow::Borrowed(line);
    }
    let word = line[..end].rfind(char::is_whitespace).filter(|at| *at * 2 > end);
    Cow::Owned(format!("{}…", line[..word.unwrap_or(end)].trim_end()))
}

/// A character that changes how its neighbours look, and is not to be seen itself: the
/// format controls of Unicode.
fn is_unseen(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Whether `char` is to be shown as its number, where it stands between `before` and `next`:
/// between letters of other scripts, and between the pictures of one, a joiner is spelling.
pub(crate) fn hides(char: char, before: char, next: Option<char>) -> bool {
    let spells = matches!(char, '\u{200c}' | '\u{200d}')
        && !before.is_ascii()
        && next.is_some_and(|next| !next.is_ascii());
    is_unseen(char) && !spells
}

/// A name of a file, or another word of others, in one line: what would begin a line, move a
/// cursor or stand there unseen is written as git writes it in such names (`a\nb`), or as its
/// number (`\u{202e}`).
pub(crate) fn on_one_line(word: &str) -> Cow<'_, str> {
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_unseen(c);
    if !word.chars().any(odd) {
        return word.into();
    }
    let mut shown = String::with_capacity(word.len() + 8);
    let mut chars = word.chars().peekable();
    let mut before = ' ';
    while let Some(char) = chars.next() {
        match char {
            _ if char.is_ascii_control() => shown.extend(char.escape_default()),
            '\u{2028}' | '\u{2029}' => shown.extend(char.escape_unicode()),
            _ if char.is_control() || hides(char, before, chars.peek().copied()) => {
                shown.extend(char.escape_unicode());
            }
            _ => shown.push(char),
        }
        before = char;
    }
    shown.into()
}

/// Several of them.
pub(crate) fn all_on_one_line<W: AsRef<str>>(words: &[W], between: &str) -> String {
    words.iter().map(|word| on_one_line(word.as_ref())).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_names_are_written_as_git_writes_them_and_usual_ones_as_they_are() {
        for (word, wanted) in [
            ("src/a b.rs", "src/a b.rs"),
            ("src/\u{e9}.rs", "src/\u{e9}.rs"),
            ("a\nfence    clean", r"a\nfence    clean"),
            ("a\r\tb\x1b[31m", r"a\r\tb\u{1b}[31m"),
            ("a\u{202e}yp.c", r"a\u{202e}yp.c"),
            ("a\u{85}b\u{2028}c", r"a\u{85}b\u{2028}c"),
            ("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\u{200d}\u{1f469}"),
            ("a\u{200d}b", r"a\u{200d}b"),
        ] {
            assert_eq!(on_one_line(word), wanted, "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_name_is_it_stays_in_its_line(word in any::<String>()) {
            let shown = on_one_line(&word);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert!(shown.lines().count() <= 1);
            prop_assert_eq!(on_one_line(&shown), shown.clone());
        }
    }
}

//! Words of others in Markdown: shown as they are, and read as nothing else.
//!
//! A name comes from whoever wrote a job. In the summary of a merge request it could begin a line
//! of its own, link somewhere, call somebody by `@`, or hide what stands behind it.

/// What no reader sees, and what turns the direction of what they see.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// As Markdown that shows `text` and does nothing: no HTML, link, mention, code, table or emphasis.
pub(super) fn plain(text: &str) -> String {
    let letters: Vec<char> = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let mut out = String::new();
    for (n, letter) in letters.iter().enumerate() {
        let beside = |at: Option<usize>| {
            at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric())
        };
        let inside = beside(n.checked_sub(1)) && beside(n.checked_add(1));
        match letter {
            '\\' | '`' | '<' | '>' | '&' | '[' | ']' | '|' | '*' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(*letter);
            }
            // Within a word it is a letter like any other.
            '_' if !inside => out.push_str("\\_"),
            // Nobody is called and no issue is linked by what stands behind a joiner of no width.
            '@' | '#' => {
                out.push(*letter);
                out.push('\u{2060}');
            }
            // Bare addresses become links by their scheme, or by `www.`.
            ':' if letters[n..].starts_with(&[':', '/', '/']) => out.push_str(":\u{2060}"),
            '.' if n >= 3 && letters[n - 3..n].iter().all(|c| c.eq_ignore_ascii_case(&'w')) => {
                out.push_str("\u{2060}.");
            }
            letter => out.push(*letter),
        }
    }
    out
}

/// The same of a sentence of ours, which may hold words of others in backticks: these stay code.
pub(super) fn sentence(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let whole = parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(|it| !it.is_empty());
    if !whole || text.contains("``") {
        return plain(text);
    }
    let each = |(n, part): (usize, &&str)| if n % 2 == 1 { code(part) } else { plain(part) };
    parts.iter().enumerate().map(each).collect()
}

/// The same as code, for an id or a path.
pub(super) fn code(text: &str) -> String {
    let sign = |c: char| {
        if c == '`' {
            '\''
        } else if is_hidden(c) {
            ' '
        } else {
            c
        }
    };
    format!("`{}`", text.chars().map(sign).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_shown_and_do_nothing() {
        for (text, shown) in [
            ("fix the lexer", "fix the lexer"),
            ("src/parser/lex_test.rs", "src/parser/lex_test.rs"),
            ("<img src=x>", "\\<img src=x\\>"),
            ("a\n\n# 0 broken", "a  #\u{2060} 0 broken"),
            ("[x](http://y)", "\\[x\\](http:\u{2060}//y)"),
            ("www.evil.example", "www\u{2060}.evil.example"),
            ("@ada `x` a|b", "@\u{2060}ada \\`x\\` a\\|b"),
            ("_em_ *x* ~~y~~ &lt;", "\\_em\\_ \\*x\\* \\~\\~y\\~\\~ \\&lt;"),
            ("a\u{202e}b\u{1b}[31m", "a b \\[31m"),
            ("#12", "#\u{2060}12"),
        ] {
            assert_eq!(plain(text), shown, "{text:?}");
        }
        assert_eq!(code("a`b\nc"), "`a'b c`");
        assert_eq!(sentence("`sh <x>` ended as <y>"), "`sh <x>` ended as \\<y\\>");
        assert_eq!(sentence("a ` b"), "a \\` b");
        assert_eq!(sentence("``a``"), "\\`\\`a\\`\\`");
    }
}

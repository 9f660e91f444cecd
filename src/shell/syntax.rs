//! The one door to the shell grammar.
//!
//! The parser behind it is written for well-meant scripts: it may panic on absurd
//! numbers and takes exponential time on absurd nesting. What it is handed is bounded
//! here first, and a refused text is simply not understood.

use std::rc::Rc;

use brush_parser::{ParserOptions, Token, TokenizerOptions, ast, word};

use super::LONGEST;
use super::recent::Recent;

/// Deepest nesting of subshells that is parsed; each level may double the work.
const PARENTHESES: usize = 10;
/// Deepest nesting of `case`; each level may double the work.
const CASES: usize = 5;
/// Deepest nesting of anything else with a keyword.
const KEYWORDS: usize = 24;
/// Most `coproc` and most words of one `[[ … ]]`: both are parsed by recursion.
const COPROCESSES: usize = 4;
const TESTED: usize = 400;
/// Most operators of one text: each begins a command, a redirection or a subshell, and
/// costs a walk of its own.
const OPERATORS: usize = 400;
/// Most words and operators of one text.
const TOKENS: usize = 2_000;
/// Most `$` and backquotes of one here-document.
const EXPANSIONS: usize = 400;
/// Deepest nesting of brackets in the raw text, prose and quotes included.
const BRACKETS: usize = 60;

thread_local! {
    static PARSED: Recent<Option<Rc<ast::Program>>> = const { Recent::new() };
}

/// Parses `text`; `None` means that it is not understood.
pub(super) fn parse(text: &str) -> Option<Rc<ast::Program>> {
    PARSED.with(|parsed| parsed.answer(text, || parsed_anew(text).map(Rc::new)))
}

fn parsed_anew(text: &str) -> Option<ast::Program> {
    if !fits(text) || escapes_a_dollar_before_a_quote(text) {
        return None;
    }
    if pieces_before_documents(text) > TOKENS {
        return None;
    }
    let tokens = brush_parser::uncached_tokenize_str(text, &TokenizerOptions::default()).ok()?;
    let operators = tokens.iter().filter(|token| matches!(token, Token::Operator(..))).count();
    if tokens.len() > TOKENS || operators > OPERATORS || !shallow(&tokens) || !pairs(&tokens) {
        return None;
    }
    if (text.contains("<<") || text.contains("\\\n")) && !stand_as_written(&tokens, text) {
        return None;
    }
    brush_parser::parse_tokens(&tokens, &ParserOptions::default()).ok()
}

/// The pieces of a word that holds quotes and expansions.
pub(super) fn pieces(text: &str) -> Option<Vec<word::WordPieceWithSource>> {
    if !fits(text) || text.matches("$(").count() + text.matches("${").count() > 40 {
        return None;
    }
    word::parse(text, &ParserOptions::default()).ok()
}

/// The pieces of a here-document's body.
pub(super) fn heredoc_pieces(text: &str) -> Option<Vec<word::WordPieceWithSource>> {
    if !fits(text) || text.matches(['$', '`']).count() > EXPANSIONS {
        return None;
    }
    word::parse_heredoc(text, &ParserOptions::default()).ok()
}

fn fits(text: &str) -> bool {
    text.len() <= LONGEST
        && !text.contains('\0')
        && !has_absurd_number(text)
        && bracket_depth(text) <= BRACKETS
}

/// `\$'`: to bash an escaped sign and a plain quote, to the parser the begin of `$'…'`, where a
/// backslash hides the quote's end. What follows is a word to the one and commands to the other.
///
/// Inside of single quotes it is nothing but text, as in `grep 'end\$'`. Behind what may hold a
/// quote that is none (a comment, a here-document, a substitution), it counts anywhere.
fn escapes_a_dollar_before_a_quote(text: &str) -> bool {
    if !text.contains("\\$'") {
        return false;
    }
    let bytes = text.as_bytes();
    let (mut at, mut quote) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        match (quote, byte) {
            (b'\'', b'\'') | (b'"', b'"') => quote = 0,
            (0, b'\'' | b'"') => quote = byte,
            (0, b'\\') if bytes[at..].starts_with(b"\\$'") => return true,
            (0, b'#') | (0 | b'"', b'`') => return true,
            (0 | b'"', b'$') if matches!(next, b'(' | b'{') => return true,
            (0, b'<') if matches!(next, b'<' | b'(') => return true,
            (0, b'>') if next == b'(' => return true,
            // The end of `$'…'` is not looked for here.
            (0, b'$') if next == b'\'' => return true,
            (0 | b'"', b'\\') => at += 1,
            _ => {}
        }
        at += 1;
    }
    false
}

/// A descriptor or a `~N` that overflows the parser's integers.
fn has_absurd_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits >= 9 {
            let before = text[..start].trim_end_matches(['+', '-']);
            if before.ends_with('~') || matches!(bytes.get(start + digits), Some(b'<' | b'>')) {
                return true;
            }
        }
        start += digits.max(1);
        while start < bytes.len() && !text.is_char_boundary(start) {
            start += 1;
        }
    }
    false
}

/// About how many words and operators stand outside quotes, up to the first here-document:
/// a look that is far cheaper than the tokens themselves.
fn pieces_before_documents(text: &str) -> usize {
    let mut count = 0_usize;
    let mut quote = None;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') if quote != Some(b'\'') => {
                bytes.next();
            }
            (Some(open), _) if open == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'<') if bytes.peek() == Some(&b'<') => return count,
            (None, b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(') => count += 1,
            _ => {}
        }
    }
    count
}

fn bracket_depth(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text with its lines joined where a backslash ends them: not within `'…'` and `$'…'`.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut dollar = false;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        let ansi = std::mem::replace(&mut dollar, char == '$' && quote.is_none());
        match (quote, char) {
            (Some('\''), '\\') => out.push(char),
            (_, '\\') => match chars.next() {
                Some('\n') if quote != Some('$') => {}
                next => out.extend(std::iter::once('\\').chain(next)),
            },
            _ => {
                quote = match (quote, char) {
                    (None, '\'') if ansi => Some('$'),
                    (None, '\'' | '"') => Some(char),
                    (Some('$'), '\'') => None,
                    (Some(open), _) if open == char && open != '$' => None,
                    _ => quote,
                };
                out.push(char);
            }
        }
    }
    out
}

/// Whether each word is what stands at its place. Behind a here-document on the same line the
/// parser takes expansions apart: `cat <<E $(rm x)` comes out as the words `rm`, `x` and `$()`.
/// And behind `\$` it takes a quote for one of `$'…'`, and joins the lines in it.
fn stand_as_written(tokens: &[Token], text: &str) -> bool {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let stands = |token: &Token| {
        let Token::Word(word, place) = token else { return true };
        let at = |index: usize| starts.get(index).copied().unwrap_or(text.len());
        let written = text.get(at(place.start.index)..at(place.end.index)).unwrap_or_default();
        let (written, word) = (joined(written), joined(word));
        written.trim_start_matches([' ', '\t']) == word.trim_start_matches([' ', '\t'])
    };
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        match token {
            // Its name stands there; its body and its end come from the lines below.
            Token::Operator(sign, _) if sign == "<<" || sign == "<<-" => {
                if !rest.next().is_none_or(stands) {
                    return false;
                }
                rest.next();
                rest.next();
            }
            token if !stands(token) => return false,
            _ => {}
        }
    }
    true
}

/// Whether every `((` closes with a `))` of its own. Where it does not, a shell reads commands
/// in two pairs of brackets, and the parser here an arithmetic text.
fn pairs(tokens: &[Token]) -> bool {
    let adjacent =
        |left: &Token, right: &Token| left.location().end.index == right.location().start.index;
    let is = |token: &Token, sign: &str| matches!(token, Token::Operator(text, _) if text == sign);
    tokens.windows(2).enumerate().all(|(at, pair)| {
        if !is(&pair[0], "(") || !is(&pair[1], "(") || !adjacent(&pair[0], &pair[1]) {
            return true;
        }
        let mut depth = 0_usize;
        let mut rest = tokens[at + 1..].windows(2);
        let close = rest.find(|pair| {
            depth += usize::from(is(&pair[0], "("));
            depth -= usize::from(is(&pair[0], ")"));
            depth == 0
        });
        close.is_some_and(|pair| is(&pair[1], ")") && adjacent(&pair[0], &pair[1]))
    })
}

fn shallow(tokens: &[Token]) -> bool {
    let (mut parentheses, mut cases, mut keywords) = (0_usize, 0_usize, 0_usize);
    let (mut coprocesses, mut tested) = (0_usize, 0_usize);
    for token in tokens {
        tested += usize::from(tested > 0);
        match token {
            Token::Operator(text, _) if text == "(" => parentheses += 1,
            Token::Operator(text, _) if text == ")" => parentheses = parentheses.saturating_sub(1),
            Token::Word(text, _) => match text.as_str() {
                "[[" => tested = tested.max(1),
                "]]" => tested = 0,
                "coproc" => coprocesses += 1,
                "case" => cases += 1,
                "esac" => cases = cases.saturating_sub(1),
                "if" | "while" | "until" | "for" | "{" => keywords += 1,
                "fi" | "done" | "}" => keywords = keywords.saturating_sub(1),
                _ => {}
            },
            Token::Operator(..) => {}
        }
        let nested = parentheses > PARENTHESES || cases > CASES || keywords > KEYWORDS;
        if nested || coprocesses > COPROCESSES || tested > TESTED {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_escaped_dollar_before_a_quote_is_not_read() {
        for line in [
            r"echo \$'\' ; rm lex.rs #'",
            r"echo a\$'\' && rm lex.rs && echo '",
            r#"echo "x" \$'\'; rm lex.rs; echo ''"#,
            r"cat $(echo \$'\'; rm lex.rs; echo '')",
            r#"echo "`echo \$'\'; rm lex.rs; echo ''`""#,
            "cat <<x\n'\nx\necho \\$'\\'; rm lex.rs; echo ''",
            r"echo $'\'' \$'\'; rm lex.rs; echo '",
        ] {
            assert!(parse(line).is_none(), "{line}");
        }
        for line in [
            r"grep 'end\$' lex.rs",
            r#"grep "end\$" 'a b'"#,
            r"echo \$HOME 'x'",
            r"echo $'a\'b'",
            r"git seed phase advance -m 'the `#` of ${x} << ends\$'",
        ] {
            assert!(parse(line).is_some(), "{line}");
        }
    }
}

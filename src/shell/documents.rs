//! Whether the end of a here-document is where the parser found it.
//!
//! A body that ends elsewhere hides commands in it, or makes commands of it. So only plain
//! forms are taken: one name, as a whole quoted or not, and a body in which no line is
//! nearly that name.

use brush_parser::ast;

/// Whether every shell ends the document where the parser does.
pub(super) fn is_sure(document: &ast::IoHereDocument) -> bool {
    let Some((name, quoted)) = name(&document.here_end.value) else { return false };
    if quoted == document.requires_expansion {
        return false;
    }
    let body = document.doc.value.as_str();
    let nearly = |line: &str| {
        let line = line.trim_matches(['\t', '\r', ' ']);
        // In a substitution, some shells take `END)` for an end.
        line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([')', '`']))
    };
    if quoted {
        return !body.lines().any(nearly);
    }
    // Unquoted, a backslash joins a line to the next one before it is compared.
    let odd = |line: &str| (line.len() - line.trim_end_matches('\\').len()) % 2 == 1;
    let mut joined = String::new();
    for line in body.lines() {
        joined.push_str(line);
        if odd(&joined) {
            joined.pop();
            continue;
        }
        if nearly(&joined) {
            return false;
        }
        joined.clear();
    }
    // What is left was to be joined to the end itself.
    joined.is_empty() && !body.lines().last().is_some_and(odd)
}

/// The name that ends the document, and whether quotes keep its body as it is.
fn name(written: &str) -> Option<(&str, bool)> {
    let inside = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote);
    let (name, quoted) = match (inside('\''), inside('"'), written.strip_prefix('\\')) {
        (Some(name), _, _) | (_, Some(name), _) | (_, _, Some(name)) => (name, true),
        _ => (written, false),
    };
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+');
    (!name.is_empty() && name.bytes().all(plain)).then_some((name, quoted))
}

//! Finds what a memory file points to: links, paths in code spans, and `[[names]]`.
//!
//! Only what a reader sees counts: code blocks, HTML and comments show pointers and make
//! none. As with anchors, lines give candidates and Markdown is asked only where something
//! could hide them. What a target leads to is the caller's question.

use super::footers::{Cover, hiding_blocks, lines, may_hide};
use super::pages;

/// What kind of pointer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointerKind {
    /// The target of a Markdown link, as it stands there.
    Link,
    /// A path in a code span.
    Path,
    /// The name of a knowledge file, without its brackets.
    Name,
}

/// One pointer, and the line it stands on, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer<'a> {
    pub line: usize,
    pub kind: PointerKind,
    pub target: &'a str,
}

/// Every pointer of `text`, in its order.
pub(crate) fn pointers(text: &str) -> Vec<Pointer<'_>> {
    let blocks = if may_hide(text) { hiding_blocks(text) } else { Vec::new() };
    let mut blocks = Cover::new(&blocks);
    let mut found = Vec::new();
    for line in lines(text) {
        // Most lines hold none of the three signs that a pointer can begin with.
        if line.text.contains(['[', '`', ']']) && blocks.over(line.start).is_none() {
            of_line(line.text, line.number, &mut found);
        }
    }
    found
}

fn of_line<'a>(line: &'a str, number: usize, found: &mut Vec<Pointer<'a>>) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '[', ']']) {
        let here = &rest[at..];
        let (kind, target, after) = if here.starts_with('`') {
            let (inner, after) = code_span(here);
            (PointerKind::Path, inner.filter(|inner| is_path(inner)), after)
        } else if let Some(inner) = here.strip_prefix("[[") {
            match inner.split_once("]]").filter(|(name, _)| is_name(name)) {
                Some((name, after)) => (PointerKind::Name, Some(name), after),
                None => (PointerKind::Name, None, inner),
            }
        } else if let Some(inner) = here.strip_prefix("](") {
            let target = link_target(inner);
            (PointerKind::Link, target, target.map_or(inner, |target| &inner[target.len()..]))
        } else {
            (PointerKind::Link, None, &here[1..])
        };
        found.extend(target.map(|target| Pointer { line: number, kind, target }));
        rest = after;
    }
}

/// What stands in the code span that `text` begins with, and what follows it; a run of
/// backticks that nothing closes is text.
fn code_span(text: &str) -> (Option<&str>, &str) {
    let run = text.len() - text.trim_start_matches('`').len();
    let inner = &text[run..];
    let mut from = 0;
    while let Some(at) = inner[from..].find('`').map(|at| at + from) {
        let close = inner[at..].len() - inner[at..].trim_start_matches('`').len();
        if close == run {
            return (Some(inner[..at].trim()), &inner[at + close..]);
        }
        from = at + close;
    }
    (None, inner)
}

/// The target of a link, from behind its opening parenthesis.
fn link_target(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix('<') {
        return inner.split_once('>').map(|(target, _)| target);
    }
    let end = text.find(|c: char| c == ')' || c.is_whitespace())?;
    Some(&text[..end]).filter(|target| !target.is_empty())
}

/// Says whether `text` may be the name of a knowledge file: `[a-z][a-z0-9-]*`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
}

/// Says whether a code span reads as the path of a file: plain characters, at least one
/// slash, an ending, and no host name in front. A line number may follow it.
fn is_path(text: &str) -> bool {
    let text = without_line(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let Some((first, _)) = text.split_once('/') else { return false };
    let host = first.contains('.') && !first.starts_with('.');
    let ending = pages::name_of(text).rsplit_once('.').map(|(stem, ending)| (stem.len(), ending));
    let ends = ending.is_some_and(|(stem, ending)| {
        stem > 0
            && (1..=8).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    !first.is_empty() && !host && ends && text.chars().all(plain)
}

/// `src/a.rs` of `src/a.rs:12` or `src/a.rs:12:4`.
fn without_line(path: &str) -> &str {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let mut path = path;
    while let Some((front, _)) = path.rsplit_once(':').filter(|(_, line)| digits(line)) {
        path = front;
    }
    path
}

/// The repository path that the link `target` of the file `from` leads to; nothing for
/// what leads elsewhere: to another site, within the page, or out of the repository.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let scheme = target.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if scheme || path.is_empty() || target.starts_with("//") {
        return None;
    }
    let path = decoded(path)?;
    match path.strip_prefix('/') {
        Some(rooted) => joined("", rooted),
        None => joined(pages::dir_of(from), &path),
    }
}

/// Where the path `target` of a code span in the file `from` may lead: it is written from the
/// top, from the page's directory or from one in between.
pub(crate) fn candidates(from: &str, target: &str) -> Vec<String> {
    let target = without_line(target);
    let mut found = Vec::new();
    let mut dir = pages::dir_of(from);
    loop {
        found.extend(joined(dir, target));
        if dir.is_empty() {
            return found;
        }
        dir = pages::dir_of(dir);
    }
}

/// `path` seen from `dir`, with `.` and `..` resolved; nothing where it leads out.
fn joined(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `%20` and its like as the bytes they stand for.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let hex =
            |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, after) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                bytes.push(hex(*high)? * 16 + hex(*low)?);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row<'a> = (usize, PointerKind, &'a str);

    fn found(text: &str) -> Vec<Row<'_>> {
        pointers(text).into_iter().map(|one| (one.line, one.kind, one.target)).collect()
    }

    #[test]
    fn links_paths_and_names_are_found_where_a_reader_sees_them() {
        use PointerKind::{Link, Name, Path};
        let cases: [(&str, &[Row<'_>]); 15] = [
            ("see [a](b.md) and ![x](<c d.png>)\n", &[(1, Link, "b.md"), (1, Link, "c d.png")]),
            ("[a](b.md \"title\")\n\n[[lexers]]\n", &[(1, Link, "b.md"), (3, Name, "lexers")]),
            (
                "`src/lex.rs:12` and `src/a.rs`",
                &[(1, Path, "src/lex.rs:12"), (1, Path, "src/a.rs")],
            ),
            ("`` a ` src/b.rs ``", &[]),
            ("`[a](b.md)` `[[x]]`", &[]),
            ("`unclosed [a](b.md)", &[(1, Link, "b.md")]),
            ("```\n[a](b.md)\n```\n[c](d.md)", &[(4, Link, "d.md")]),
            ("<!-- [a](b.md) -->\n", &[]),
            ("[[ $x == 1 ]] [[Upper]] [[-a]]", &[]),
            ("`cargo test` `a/b` `.a/b.rs` `/abs/a.rs` `~/a.rs`", &[(1, Path, ".a/b.rs")]),
            ("`github.com/x/y.git` `a/*.rs` `a/.rs` `crate::a/b.rs`", &[]),
            ("[a]() [b](#top)", &[(1, Link, "#top")]),
            ("[a][b] ]( x", &[]),
            ("[[a](b.md)]", &[(1, Link, "b.md")]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_target_leads_to_a_path_of_the_repository_or_nowhere_of_ours() {
        for (from, target, path) in [
            ("CLAUDE.md", "docs/a.md", Some("docs/a.md")),
            ("src/p/CLAUDE.md", "../x.md#top", Some("src/x.md")),
            ("src/p/CLAUDE.md", "./a%20b.md?x", Some("src/p/a b.md")),
            ("src/CLAUDE.md", "/docs/a.md", Some("docs/a.md")),
            ("src/CLAUDE.md", "../../out.md", None),
            ("src/CLAUDE.md", "#top", None),
            ("src/CLAUDE.md", "https://x.y/z", None),
            ("src/CLAUDE.md", "mailto:a@b", None),
            ("src/CLAUDE.md", "//x.y/z", None),
            ("src/CLAUDE.md", "%ff.md", None),
        ] {
            assert_eq!(resolve(from, target).as_deref(), path, "{from} {target}");
        }
        assert_eq!(candidates("a/b/CLAUDE.md", "c/d.rs:3"), ["a/b/c/d.rs", "a/c/d.rs", "c/d.rs"]);
        assert_eq!(candidates("CLAUDE.md", "../d.rs"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC*|[\\[\\]()`<>#a-z/.\n ]{0,200}") {
            for pointer in pointers(&text) {
                prop_assert!(text.contains(pointer.target));
                let _ = resolve("a/b.md", pointer.target);
                let _ = candidates("a/b.md", pointer.target);
            }
        }
    }
}

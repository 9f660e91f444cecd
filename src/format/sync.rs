//! What sync reads and writes as text: whose a URL is, the file `refs` of the branch in which refs
//! travel, and the hash by which two clones see that they have the same.

use std::collections::BTreeMap;

use super::{names, short_hash};

/// The file of that branch.
pub(crate) const REFS: &str = "refs";

/// Where a URL says whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// By host and first part of the path: `github.com/ada`.
    Of(String),
    /// By who owns this path.
    Path(String),
}

/// Whose the repository at `url` is, as git reads URLs.
pub(crate) fn whose(url: &str) -> Whose {
    let first = |path: &str| {
        let path = path.trim_start_matches('/');
        path.split('/').next().unwrap_or_default().to_owned()
    };
    let host = |part: &str| {
        let host = part.rsplit_once('@').map_or(part, |(_, host)| host);
        host.to_ascii_lowercase()
    };
    if let Some((scheme, rest)) = url.split_once("://") {
        if scheme.eq_ignore_ascii_case("file") {
            let path = rest.find('/').map_or("", |at| &rest[at..]);
            return Whose::Path(path.to_owned());
        }
        let (at, path) = rest.split_once('/').unwrap_or((rest, ""));
        return Whose::Of(format!("{}/{}", host(at), first(path)));
    }
    // A helper of its own (`ext::…`) says nothing that could be compared but all of it.
    if url.split_once("::").is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric)) {
        return Whose::Of(url.to_owned());
    }
    match url.split_once(':') {
        Some((at, path)) if !at.contains('/') && !at.is_empty() => {
            Whose::Of(format!("{}/{}", host(at), first(path)))
        }
        _ => Whose::Path(url.to_owned()),
    }
}

/// Refs with their commits as the file has them, by name.
pub(crate) fn write_refs<'r>(refs: impl IntoIterator<Item = (&'r str, &'r str)>) -> String {
    let sorted: BTreeMap<&str, &str> = refs.into_iter().collect();
    sorted.into_iter().map(|(name, id)| format!("{id} {name}\n")).collect()
}

/// The refs that the file names, as far as they are ours; lines that say nothing are left out.
pub(crate) fn read_refs(text: &str) -> BTreeMap<String, String> {
    let one = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_id && names::travels(name)).then(|| (name.to_owned(), id.to_owned()))
    };
    text.lines().filter_map(one).collect()
}

/// The hash over what is merged both ways: equal where two clones have the same.
pub(crate) fn state<'r>(refs: impl IntoIterator<Item = (&'r str, &'r str)>) -> String {
    let mut lines: Vec<String> = refs
        .into_iter()
        .filter(|(name, _)| names::is_merged(name))
        .map(|(name, id)| format!("{name} {id}\n"))
        .collect();
    lines.sort();
    short_hash(lines.concat().as_bytes(), 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_whose_it_is() {
        let of = |owner: &str| Whose::Of(owner.to_owned());
        for (url, owner) in [
            ("https://github.com/ada/lexer.git", of("github.com/ada")),
            ("https://ada:secret@GitHub.com/ada/lexer", of("github.com/ada")),
            ("ssh://git@host.example:2222/ada/lexer", of("host.example:2222/ada")),
            ("git@github.com:ada/lexer.git", of("github.com/ada")),
            ("github.com:/ada/lexer.git", of("github.com/ada")),
            ("git://host/lexer.git", of("host/lexer.git")),
            ("https://host", of("host/")),
            ("ext::sh -c cat", of("ext::sh -c cat")),
            ("/srv/git/lexer.git", Whose::Path("/srv/git/lexer.git".to_owned())),
            ("../lexer.git", Whose::Path("../lexer.git".to_owned())),
            ("./a:b", Whose::Path("./a:b".to_owned())),
            ("file:///srv/lexer.git", Whose::Path("/srv/lexer.git".to_owned())),
            ("file://host/srv/lexer.git", Whose::Path("/srv/lexer.git".to_owned())),
        ] {
            assert_eq!(whose(url), owner, "{url}");
        }
    }

    #[test]
    fn the_file_of_refs_names_only_what_travels() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let job = "refs/seed/jobs/20261121t205612-7f3a";
        let refs = [("refs/seed/rules", two.as_str()), (job, one.as_str())];
        let text = write_refs(refs);
        assert_eq!(text, format!("{one} {job}\n{two} refs/seed/rules\n"));
        let odd = ["refs/heads/main", "refs/seed/keep/x", "refs/seed/ops", "refs/seed/jobs/../x"];
        let more: String = odd.iter().map(|name| format!("{one} {name}\n")).collect();
        let read = read_refs(&format!("{text}{more}zz {job}\n\n"));
        assert_eq!(read, refs.map(|(name, id)| (name.to_owned(), id.to_owned())).into());
    }

    #[test]
    fn only_what_is_merged_counts_for_the_state() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let merged = [("refs/seed/archive", one.as_str()), ("refs/notes/seed", two.as_str())];
        let more = [("refs/seed/rules", one.as_str()), ("refs/seed/texts", two.as_str())];
        let before = state(merged);
        assert_eq!(before, state(merged.into_iter().rev().chain(more)));
        assert_ne!(before, state([("refs/seed/archive", two.as_str())]));
        assert_eq!(before.len(), 64);
    }
}

//! What the words of a push, pull or fetch name: the remote, and the refs.

/// Options of these verbs that take the word behind them.
const VALUES: [&str; 14] = [
    "-o",
    "--push-option",
    "--server-option",
    "--receive-pack",
    "--exec",
    "--upload-pack",
    "-j",
    "--jobs",
    "--depth",
    "--deepen",
    "--shallow-since",
    "--refmap",
    "--filter",
    "--repo",
];

/// What the words behind the program say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub remote: Option<String>,
    /// The refs, as they are written; those that it deletes as `:name`.
    pub specs: Vec<String>,
    /// All branches of this clone go.
    pub branches: bool,
    /// All tags of this clone go.
    pub tags: bool,
    /// Tags of what goes, go, too.
    pub follows: bool,
}

/// Reads `words`, which begin with the program and the verb.
pub(crate) fn said(words: &[String]) -> Said {
    let mut said = Said::default();
    let (mut operands, mut deletes, mut dashes) = (Vec::new(), false, false);
    let mut rest = words.iter().skip(2);
    while let Some(word) = rest.next() {
        // Git takes a beginning of an option for the whole of it.
        let is = |name: &str| word == name || word.len() > 4 && name.starts_with(word.as_str());
        if dashes || !word.starts_with('-') || word == "-" {
            operands.push(word.clone());
        } else if word == "--" {
            dashes = true;
        } else if let Some(remote) = word.strip_prefix("--repo=") {
            said.remote = Some(remote.to_owned());
        } else if VALUES.contains(&word.as_str()) {
            let value = rest.next().cloned();
            if word == "--repo" {
                said.remote = value;
            }
        } else {
            said.branches |= is("--all") || is("--branches");
            said.tags |= is("--tags");
            said.follows |= is("--follow-tags");
            let letters = word.strip_prefix('-').filter(|word| !word.starts_with('-'));
            deletes |= is("--delete") || letters.is_some_and(|letters| letters.contains('d'));
        }
    }
    let mut operands = operands.into_iter();
    said.remote = operands.next().or(said.remote);
    let mut specs = operands;
    while let Some(spec) = specs.next() {
        // `tag v1` is one ref in two words.
        let spec = match (spec.as_str(), deletes) {
            ("tag", false) => specs.next().map_or(spec, |name| format!("refs/tags/{name}")),
            (_, true) => format!(":{spec}"),
            _ => spec,
        };
        said.specs.push(spec);
    }
    said
}

/// A URL without the name and the password in it.
pub(crate) fn without_login(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{}", &rest[end..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Option<String>, Vec<String>) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let said = said(&words);
        (said.remote, said.specs)
    }

    #[test]
    fn the_remote_and_the_refs_are_told_from_the_options() {
        for (line, remote, specs) in [
            ("git push", None, &[][..]),
            ("git push -q other", Some("other"), &[][..]),
            ("git push origin main:release v1", Some("origin"), &["main:release", "v1"]),
            ("git push -o ci.skip origin main", Some("origin"), &["main"]),
            ("git push origin main --force", Some("origin"), &["main"]),
            ("git push --repo=far", Some("far"), &[]),
            ("git push --repo far -- x", Some("x"), &[]),
            ("git push origin --delete old", Some("origin"), &[":old"]),
            ("git push -d origin old", Some("origin"), &[":old"]),
            ("git push origin tag v1", Some("origin"), &["refs/tags/v1"]),
            ("git fetch --depth 1 other a:b", Some("other"), &["a:b"]),
        ] {
            let specs = specs.iter().map(|spec| (*spec).to_owned()).collect();
            assert_eq!(read(line), (remote.map(str::to_owned), specs), "{line}");
        }
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        assert!(said(&words("git push --tag origin")).tags);
        assert!(said(&words("git push --all")).branches);
        assert!(said(&words("git push --branch x")).branches);
    }

    #[test]
    fn a_url_shows_no_login() {
        for (url, shown) in [
            ("https://me:secret@example.org/a/b.git", "https://example.org/a/b.git"),
            ("https://example.org/a@b", "https://example.org/a@b"),
            ("git@example.org:a/b.git", "git@example.org:a/b.git"),
            ("/srv/git/a.git", "/srv/git/a.git"),
        ] {
            assert_eq!(without_login(url), shown);
        }
    }
}

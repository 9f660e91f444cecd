//! Which searches could come up with git seed's state: `find . -name main.jsonl`.
//!
//! Only a pattern that fits files below `.git/seed` counts. A search without a pattern,
//! or for names that nothing there has, is an ordinary one.

use super::own;
use super::words::{Target, Term};

/// A file below the git directory, as a search meets it.
const SAMPLE: &str = ".git/seed/journal/main.jsonl";
/// Names of files and directories there.
const NAMES: &[&str] = &["main.jsonl", "x.jsonl", "journal", "seed", "clone"];
/// Stars beyond this make a pattern that fits anything.
const STARS: usize = 6;

/// What a pattern of `find` is matched against.
#[derive(Clone, Copy, Debug)]
enum PatternKind {
    Name,
    Path,
    Regex,
}

/// Patterns that must all fit.
type Group = Vec<(PatternKind, Vec<String>)>;

/// Whether `find` with these words could come up with git seed's state.
pub(super) fn finds_state(words: &[Term]) -> bool {
    let is_root = |word: &&Term| !word.text.starts_with('-') && !is_operator(&word.text);
    let roots: Vec<&Term> = words.iter().take_while(is_root).collect();
    let (groups, spares) = groups(&words[roots.len()..]);
    if spares {
        return false;
    }
    let deep = !is_shallow(words);
    let in_git_dir = roots.iter().any(|root| own::reach(root, false) >= own::Reach::GitDir);
    if in_git_dir && groups.iter().all(Vec::is_empty) {
        return true;
    }
    let above = roots.is_empty() || roots.iter().any(|root| may_hold_git_dir(root));
    (in_git_dir || (above && deep)) && groups.iter().any(|group| fits(group, in_git_dir))
}

/// The alternatives of a search, and whether it leaves the git directory out.
fn groups(words: &[Term]) -> (Vec<Group>, bool) {
    let (mut done, mut group, mut outer) = (Vec::new(), Group::new(), Vec::new());
    let (mut negated, mut spares) = (false, false);
    let prunes = words.iter().any(|word| word.text == "-prune");
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match (word.text.as_str(), kind(&word.text)) {
            ("!" | "-not", _) => {
                negated = true;
                continue;
            }
            ("(", _) => outer.push(group.clone()),
            (")", _) => {
                outer.pop();
            }
            ("-o" | "-or" | ",", _) => {
                let start = outer.last().cloned().unwrap_or_default();
                done.push(std::mem::replace(&mut group, start));
            }
            (_, Some(kind)) => {
                let Some(patterns) = rest.next().map(texts) else { break };
                if (negated || prunes) && patterns.iter().any(|pattern| is_git_dir(pattern)) {
                    spares = true;
                } else if !negated && !patterns.is_empty() {
                    group.push((kind, patterns));
                }
            }
            _ => {}
        }
        negated = false;
    }
    done.push(group);
    (done, spares)
}

fn kind(flag: &str) -> Option<PatternKind> {
    match flag {
        "-name" | "-iname" => Some(PatternKind::Name),
        "-path" | "-ipath" | "-wholename" | "-iwholename" => Some(PatternKind::Path),
        "-regex" | "-iregex" => Some(PatternKind::Regex),
        _ => None,
    }
}

fn is_operator(word: &str) -> bool {
    matches!(word, "!" | "(" | ")" | ",")
}

/// What a pattern can be; nothing where the text does not show it.
fn texts(pattern: &Term) -> Vec<String> {
    let shown = match pattern.target() {
        Target::Files(texts) => texts,
        Target::Below(_) | Target::Hidden if !pattern.expands => vec![pattern.text.clone()],
        Target::Below(_) | Target::Hidden => Vec::new(),
    };
    shown.iter().map(|text| text.to_ascii_lowercase()).collect()
}

/// `./.git/*`, `.git`, `*/.git/*`.
fn is_git_dir(pattern: &str) -> bool {
    let start = pattern.trim_start_matches(['*', '.', '/']);
    let name = start.trim_end_matches(['*', '/']);
    name == "git" && pattern.contains(".git")
}

/// `-maxdepth 2` from above does not come down to the state.
fn is_shallow(words: &[Term]) -> bool {
    words
        .windows(2)
        .filter(|pair| pair[0].text == "-maxdepth")
        .any(|pair| matches!(pair[1].text.as_str(), "0" | "1" | "2"))
}

/// `.`, `..`, a path from the root, or one that is not in the text.
fn may_hold_git_dir(root: &Term) -> bool {
    let above = |path: &str| {
        path.starts_with('/') || path.split('/').all(|part| matches!(part, "" | "." | ".."))
    };
    match root.target() {
        Target::Files(paths) => paths.iter().any(|path| above(path)),
        Target::Below(_) => false,
        Target::Hidden => true,
    }
}

fn fits(group: &Group, in_git_dir: bool) -> bool {
    let into_git_dir =
        |text: &String| text.split('/').any(|part| part.trim_start_matches('*') == ".git");
    let mentioned = in_git_dir
        || group.iter().any(|(kind, texts)| {
            matches!(kind, PatternKind::Path) && texts.iter().any(into_git_dir)
        });
    let fits = |(kind, texts): &(PatternKind, Vec<String>)| {
        texts.iter().any(|text| match kind {
            PatternKind::Name => {
                NAMES.iter().any(|name| matches(text, name)) || (mentioned && text.contains('*'))
            }
            PatternKind::Path => {
                into_git_dir(text) || matches(text, SAMPLE) || matches(text, &format!("./{SAMPLE}"))
            }
            PatternKind::Regex => {
                ["jsonl", "journal", ".git/", "seed/"].iter().any(|sign| text.contains(sign))
            }
        })
    };
    !group.is_empty() && group.iter().all(fits)
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.matches('*').count() > STARS || own::matches(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_that_fit_our_files_count() {
        let cases = [
            (". -name main.jsonl", true),
            ("-name *.jsonl", true),
            ("/home/me/repo -iname *JOURNAL*", true),
            (". -path *seed*", true),
            (". ( -name *.rs -o -name *.jsonl )", true),
            (". -path ./.git/* -name *.toml", true),
            (".git -type f", true),
            (". -regex .*jsonl", true),
            (". -name *.rs", false),
            (". -type f", false),
            (". -name *.toml", false),
            ("src -name *.jsonl", false),
            (". -name *.jsonl -not -path ./.git/*", false),
            (". ! -path */.git/* -name *.jsonl", false),
            (". -name .git -prune -o -name *.jsonl -print", false),
            (". -maxdepth 1 -name *.jsonl", false),
            (". -path ./src/* -name *.jsonl", false),
            (". -path ./.github/* -name *.yml", false),
            (".git -name index.lock", false),
        ];
        for (line, expected) in cases {
            let words: Vec<Term> = line.split(' ').map(Term::literal).collect();
            assert_eq!(finds_state(&words), expected, "{line}");
        }
    }
}

//! The words that an act takes along: the message of a commit or a tag, the text of a pull request
//! or a release, wherever the line has it from.

use std::path::Path;

use crate::engine::repo::{Repo, plan_file};
use crate::shell;

/// Where a program's line has its words.
struct Carries {
    program: &'static str,
    /// Words of which one makes the line such an act.
    verbs: &'static [&'static str],
    /// Options that a text follows.
    texts: &'static [&'static str],
    /// Options that the name of a file with the text follows.
    files: &'static [&'static str],
}

const CARRIES: [Carries; 3] = [
    Carries {
        program: "git",
        verbs: &["commit", "tag"],
        texts: &["-m", "--message"],
        files: &["-F", "--file"],
    },
    Carries {
        program: "gh",
        verbs: &["pr", "release", "issue"],
        texts: &["-t", "--title", "-b", "--body", "-n", "--notes", "-s", "--subject", "-c"],
        files: &["-F", "--body-file", "--notes-file"],
    },
    Carries {
        program: "glab",
        verbs: &["mr", "release", "issue"],
        texts: &["-t", "--title", "-d", "--description", "-m", "--message", "-n", "--notes"],
        files: &["-F", "--notes-file"],
    },
];

/// A piece of what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// What the file of this name says.
    File(String),
}

/// What a line says with its act, read in `dir`; `None` where it says nothing, or nothing that
/// can be read before it runs.
pub(super) fn carried(repo: &Repo, command: &str, dir: &Path) -> Option<String> {
    let line = shell::simple(command)?;
    let dir = match line.dirs.first() {
        Some(Some(to)) => dir.join(to),
        _ => dir.to_owned(),
    };
    let said: Vec<String> = line
        .commands
        .iter()
        .flat_map(pieces)
        .filter_map(|piece| match piece {
            Piece::Text(text) => Some(text),
            // One that is written only by the line itself is not there yet.
            Piece::File(name) => text_of(repo, &dir.join(name)),
        })
        .collect();
    let said = said.join("\n\n");
    (!said.trim().is_empty()).then_some(said)
}

/// A plain file's text; git seed's own files are no message.
fn text_of(repo: &Repo, file: &Path) -> Option<String> {
    if file.starts_with(repo.store.git_dir()) {
        return None;
    }
    let bytes = plan_file::read_plain(file).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn pieces(simple: &shell::Simple) -> Vec<Piece> {
    let named = |carries: &&Carries| {
        let program = simple.words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
        program == Some(carries.program)
            && simple.words.iter().any(|word| carries.verbs.contains(&word.as_str()))
    };
    let Some(carries) = CARRIES.iter().find(named) else { return Vec::new() };
    let mut said = Vec::new();
    let mut words = simple.words.iter().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let is_text =
            carries.texts.contains(&name) || (carries.program == "git" && ends_in_m(name));
        if !is_text && !carries.files.contains(&name) {
            continue;
        }
        let Some(value) = value.or_else(|| words.next().cloned()) else { break };
        said.push(match (is_text, value.as_str()) {
            (true, _) => Piece::Text(shell::printed_by_cat(&value).unwrap_or(value)),
            (false, "-") => Piece::Text(simple.input.clone().unwrap_or_default()),
            (false, _) => Piece::File(value),
        });
    }
    said
}

/// `-m` behind others in one word (`-am`).
fn ends_in_m(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| {
        flags.ends_with('m') && flags.bytes().all(|flag| flag.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_its_message_says() {
        for (line, said) in [
            ("git commit -m 'fixed and tested'", "fixed and tested"),
            ("git commit -am \"a\" -m b", "a|b"),
            ("git commit --message=all", "all"),
            ("git add . && git commit --message 'two words'", "two words"),
            ("git commit -m \"$(cat <<'EOF'\nFix it.\n\nTested.\nEOF\n)\"", "Fix it.\n\nTested.\n"),
            ("git commit -F - <<'EOF'\nFix it.\nEOF", "Fix it.\n"),
            ("git commit --file=note.txt", "<note.txt>"),
            ("git commit -q -F note.txt && git push", "<note.txt>"),
            ("git tag -a v1 -m 'all green'", "all green"),
            ("gh pr create --title Fix --body 'all tests pass'", "Fix|all tests pass"),
            ("gh pr create -t Fix -F body.md", "Fix|<body.md>"),
            ("gh release create v1 --notes-file -<<<done", "done"),
            ("glab mr create -t Fix -d 'it works'", "Fix|it works"),
            ("git commit", ""),
            ("git push -u origin main", ""),
            ("echo git commit -m x", ""),
            ("grep -m 1 commit f", ""),
        ] {
            let read = shell::simple(line).expect(line);
            let found: Vec<String> = read
                .commands
                .iter()
                .flat_map(pieces)
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    Piece::File(name) => format!("<{name}>"),
                })
                .collect();
            assert_eq!(found.join("|"), said, "{line}");
        }
    }
}

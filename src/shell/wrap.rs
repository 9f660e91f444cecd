//! A line of the agent's put into another one that confines it, and out again.
//!
//! The host's shell still reads the outer line: it keeps the directory that a leading `cd`
//! leads to, and hands the rest, as it stands, to a shell of its own kind.

use std::borrow::Cow;

/// The shell that reads the line: the host's own kind, where it says which.
const SHELL: &str = "\"${BASH:-${ZSH_NAME:-sh}}\" -c ";
/// What parts words and ends no command.
const BLANK: [char; 2] = [' ', '\t'];
/// Between our binary and the shell.
const EXEC: &str = " exec -- ";

/// The line that runs `command` confined by the git-seed at `program`.
///
/// `None` where the line would not mean the same in a shell of its own: it goes to another
/// directory anywhere but at its head, for the host may keep that for the next call.
pub(crate) fn wrapped(program: &str, command: &str) -> Option<String> {
    if command.contains('\0') {
        return None;
    }
    let (lead, rest) = behind_cd(command);
    if rest.trim().is_empty() || goes_elsewhere(rest) {
        return None;
    }
    Some(format!("{lead}{}{EXEC}{SHELL}{}", quoted(program), quoted(rest)))
}

/// `command` as words of one command, which another one can be given to run.
pub(crate) fn as_one_command(command: &str) -> String {
    format!("sh -c {}", quoted(command))
}

/// The line that `command` confines, if it is one that [`wrapped`] made for the git-seed at
/// `program`; else `command`.
pub(crate) fn unwrapped<'c>(program: &str, command: &'c str) -> Cow<'c, str> {
    read(program, command).map_or(Cow::Borrowed(command), Cow::Owned)
}

fn read(own: &str, command: &str) -> Option<String> {
    let (lead, rest) = behind_cd(command);
    let (program, rest) = unquoted(rest)?;
    let (line, end) = unquoted(rest.strip_prefix(EXEC)?.strip_prefix(SHELL)?)?;
    (program == own && end.is_empty()).then(|| format!("{lead}{line}"))
}

/// `cd dir && ` at the head of a line, and what stands behind it.
fn behind_cd(command: &str) -> (&str, &str) {
    let plain = |char: char| {
        char.is_alphanumeric() || matches!(char, '/' | '.' | '_' | '-' | '~' | '+' | ',' | '@')
    };
    let none = ("", command);
    let Some(word) = command.trim_start_matches(BLANK).strip_prefix("cd ") else { return none };
    let word = word.trim_start_matches(BLANK);
    let end = word.find(|char| !plain(char)).unwrap_or(word.len());
    let behind = word[end..].trim_start_matches(BLANK);
    if end == 0 || word.starts_with('-') || !behind.starts_with("&&") {
        return none;
    }
    let rest = behind[2..].trim_start_matches(BLANK);
    command.split_at(command.len() - rest.len())
}

/// Whether a word of the line could be a command that changes the directory.
fn goes_elsewhere(line: &str) -> bool {
    let words =
        line.split(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/')));
    words.into_iter().any(|word| matches!(word, "cd" | "pushd" | "popd" | "chdir" | "z" | "zoxide"))
}

/// A word as a shell reads it as itself: in quotes where it needs them.
pub(crate) fn quoted_word(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@%+,".contains(char);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { quoted(word) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A text in single quotes at the head of `line`, and what stands behind it.
fn unquoted(line: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut rest = line.strip_prefix('\'')?;
    loop {
        let (part, behind) = rest.split_once('\'')?;
        text.push_str(part);
        match behind.strip_prefix("\\''") {
            Some(more) => {
                text.push('\'');
                rest = more;
            }
            None => return Some((text, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BIN: &str = "/opt/it's/git-seed";

    #[test]
    fn a_line_is_wrapped_behind_its_own_cd() {
        for (line, wanted) in [
            ("cargo test", Some("cargo test")),
            ("cd a/b && cargo test", Some("cargo test")),
            ("cd ~/x  &&  make", Some("make")),
            ("cd $X && make", None),
            ("cd - && make", None),
            ("make; cd b", None),
            ("(cd b && make)", None),
            ("cd a && cd b && make", None),
            ("cd a", None),
            ("cd \nfrob && true", None),
            ("cd a &&\nmake", Some("\nmake")),
            ("", None),
            ("echo 'it''s'", Some("echo 'it''s'")),
        ] {
            let wrap = wrapped(BIN, line);
            let inner = wrap.as_ref().map(|wrap| {
                let (_, rest) = behind_cd(wrap);
                unquoted(
                    rest.strip_prefix(&format!("{}{EXEC}{SHELL}", quoted(BIN))).expect("our form"),
                )
                .expect("quoted")
                .0
            });
            assert_eq!(inner.as_deref(), wanted, "{line}");
            if let Some(wrap) = wrap {
                assert_eq!(unwrapped(BIN, &wrap), line, "{wrap}");
            }
        }
    }

    #[test]
    fn only_our_own_form_is_taken_apart() {
        for line in [
            "cargo test",
            "'git-seed' exec -- \"${BASH:-${ZSH_NAME:-sh}}\" -c 'rm x'",
            "'/bin/git-seed' exec -- \"${BASH:-${ZSH_NAME:-sh}}\" -c 'rm x' y",
            "'/bin/git-seed' exec -- sh -c 'rm x'",
            "'/bin/other' exec -- \"${BASH:-${ZSH_NAME:-sh}}\" -c 'rm x'",
        ] {
            assert_eq!(unwrapped("/bin/git-seed", line), line);
        }
    }

    proptest! {
        #[test]
        fn what_is_wrapped_comes_out_as_it_was(line in "\\PC{0,60}") {
            if let Some(wrap) = wrapped(BIN, &line) {
                prop_assert_eq!(unwrapped(BIN, &wrap), line);
            }
        }
    }
}

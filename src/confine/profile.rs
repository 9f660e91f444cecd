//! What [`Open`] says, in the words of `sandbox-exec` of macOS: a later rule wins over an earlier
//! one. Pure: what lies at a path is the caller's to say.

use std::path::{Path, PathBuf};

use super::Open;

/// The profile. `is_dir` says what lies at a path; `None` is nothing.
///
/// # Errors
///
/// The path that is to be kept and that no profile can name. One that is to be open stays closed.
pub(super) fn profile(
    open: &Open,
    is_dir: impl Fn(&Path) -> Option<bool>,
) -> Result<String, PathBuf> {
    let mut rules = vec!["(version 1)".to_owned(), "(allow default)".to_owned()];
    if open.all_but.is_empty() {
        rules.push("(deny file-write*)".to_owned());
        // Terminals that a program opens for itself, as `/dev/pts` is elsewhere.
        rules.push(r#"(allow file-write* (regex #"^/dev/ttys[0-9]+$"))"#.to_owned());
    }
    for path in &open.all_but {
        rules.push(format!("(deny file-write* (subpath {}))", kept(path)?));
        // A directory above it that is renamed would take it elsewhere.
        for above in path.ancestors().skip(1).filter(|above| above.parent().is_some()) {
            rules.push(format!("(deny file-write-unlink (literal {}))", kept(above)?));
        }
    }
    for path in &open.paths {
        let Some((is_dir, name)) = is_dir(path).zip(quoted(path)) else { continue };
        let which = if is_dir { "subpath" } else { "literal" };
        rules.push(format!("(allow file-write* ({which} {name}))"));
    }
    for path in &open.hidden {
        rules.push(format!("(deny file-read* (subpath {}))", kept(path)?));
    }
    if open.offline {
        rules.push("(deny network-outbound (remote ip))".to_owned());
    }
    Ok(rules.join("\n"))
}

fn kept(path: &Path) -> Result<String, PathBuf> {
    quoted(path).ok_or_else(|| path.to_owned())
}

/// A path as a profile names it; `None` where it holds what no text of one does.
fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control))?;
    Some(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn all(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    /// Directories end with a slash here; `gone` is not there.
    fn said(open: &Open) -> Result<String, PathBuf> {
        profile(open, |path| {
            let text = path.to_string_lossy();
            (!text.contains("gone")).then(|| !text.contains('.') && !text.starts_with("/dev"))
        })
    }

    const HEAD: &str = "(version 1)\n(allow default)\n";
    const CLOSED: &str = "(deny file-write*)\n(allow file-write* (regex #\"^/dev/ttys[0-9]+$\"))";

    #[test]
    fn a_profile_says_what_is_open_and_what_is_not() {
        let plain =
            Open { paths: all(&["/w/src", "/w/a.lock", "/gone", "/dev/null"]), ..Open::default() };
        let looking = Open { offline: true, hidden: all(&["/home/u/.ssh"]), ..Open::default() };
        let odd = Open { paths: all(&["/w/a \"b\" \\c", "/w/a\nb"]), ..Open::default() };
        let one =
            Open { all_but: all(&["/w/repo"]), paths: all(&["/w/repo/out"]), ..Open::default() };
        for (open, rules) in [
            (Open::default(), CLOSED.to_owned()),
            (
                plain,
                format!(
                    "{CLOSED}\n(allow file-write* (subpath \"/w/src\"))\n\
                     (allow file-write* (literal \"/w/a.lock\"))\n\
                     (allow file-write* (literal \"/dev/null\"))"
                ),
            ),
            (
                looking,
                format!(
                    "{CLOSED}\n(deny file-read* (subpath \"/home/u/.ssh\"))\n\
                     (deny network-outbound (remote ip))"
                ),
            ),
            // One that a profile cannot name stays closed.
            (odd, format!("{CLOSED}\n(allow file-write* (subpath \"/w/a \\\"b\\\" \\\\c\"))")),
            (
                one,
                "(deny file-write* (subpath \"/w/repo\"))\n\
                 (deny file-write-unlink (literal \"/w\"))\n\
                 (allow file-write* (subpath \"/w/repo/out\"))"
                    .to_owned(),
            ),
        ] {
            assert_eq!(said(&open), Ok(format!("{HEAD}{rules}")), "{open:?}");
        }
    }

    #[test]
    fn what_cannot_be_kept_is_no_profile() {
        let odd = PathBuf::from("/home/a\nb/.ssh");
        let hidden = Open { hidden: vec![odd.clone()], ..Open::default() };
        assert_eq!(said(&hidden), Err(odd.clone()));
        assert_eq!(said(&Open { all_but: vec![odd.clone()], ..Open::default() }), Err(odd));
    }
}

//! What a path of a tool call means, by its spelling: another process, or another system, may read
//! it otherwise than this one.

use std::path::{Component, Path, PathBuf};

use super::place;

/// What a path of a tool call means.
pub(crate) enum Meant {
    Path(PathBuf),
    /// Nothing that this process could look at in the tool's place.
    Elsewhere,
}

/// Takes what means another thing to every process, and to other systems, by its spelling.
pub(crate) fn meant(path: &Path, cwd: &Path) -> Meant {
    // A host's payload was joined to its directory already.
    let spelled = path.strip_prefix(cwd).unwrap_or(path).to_string_lossy();
    if cfg!(unix) && place::is_of_windows(&spelled) {
        return Meant::Elsewhere;
    }
    let mut path = cwd.join(path);
    for _ in 0..8 {
        match next_magic(&path, cwd) {
            None => return Meant::Path(path),
            Some(Meant::Path(further)) => path = further,
            Some(Meant::Elsewhere) => break,
        }
    }
    Meant::Elsewhere
}

/// Where the first part of `path` leads that is another to every process, and what follows it.
fn next_magic(path: &Path, cwd: &Path) -> Option<Meant> {
    let mut parts = path.components();
    let mut names: Vec<String> = Vec::new();
    while let Some(part) = parts.next() {
        match part {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(names.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => continue,
        }
        let so_far: Vec<&str> = names.iter().map(String::as_str).collect();
        match so_far.as_slice() {
            ["proc", "self" | "thread-self", "cwd"] => {
                return Some(Meant::Path(cwd.join(parts.as_path())));
            }
            ["proc", "self" | "thread-self", "root"] => {
                return Some(Meant::Path(Path::new("/").join(parts.as_path())));
            }
            ["proc", who, _] if matches!(*who, "self" | "thread-self") || is_number(who) => {
                return Some(Meant::Elsewhere);
            }
            ["dev", "fd", _] => return Some(Meant::Elsewhere),
            _ => {}
        }
    }
    None
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path without its `..`, from the root.
    fn plain(path: &Path) -> PathBuf {
        let mut plain = PathBuf::from("/");
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::Normal(name) => plain.push(name),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        plain
    }

    #[test]
    fn what_each_process_reads_otherwise_is_the_calls_or_nobodys() {
        let cwd = Path::new("/r/sub");
        for (given, path) in [
            ("a.rs", Some("/r/sub/a.rs")),
            ("/r/a.rs", Some("/r/a.rs")),
            ("/proc/self/cwd/a.rs", Some("/r/sub/a.rs")),
            ("/proc/self/cwd/../a.rs", Some("/r/a.rs")),
            ("/proc/./self//cwd/a.rs", Some("/r/sub/a.rs")),
            ("/proc/thread-self/cwd/a.rs", Some("/r/sub/a.rs")),
            ("/proc/self/root/etc/x", Some("/etc/x")),
            ("/proc/self/root/proc/self/cwd/a.rs", Some("/r/sub/a.rs")),
            ("../../proc/self/cwd/a.rs", Some("/r/sub/a.rs")),
            ("/proc/self/fd/3", None),
            ("/proc/12/cwd/a.rs", None),
            ("/proc/12/root/x", None),
            ("/proc/self/task/12/cwd/a.rs", None),
            ("/dev/fd/3", None),
            (r"C:\r\a.rs", None),
            (r"/r/sub/C:\r\a.rs", None),
            (r"\\wsl$\U\r\a.rs", None),
            ("/proc/sys/x", Some("/proc/sys/x")),
        ] {
            let found = match meant(Path::new(given), cwd) {
                Meant::Path(found) => Some(plain(&found)),
                Meant::Elsewhere => None,
            };
            assert_eq!(found.as_deref(), path.map(Path::new), "{given}");
        }
    }
}

//! What can go wrong at the door to git, named so that a reader knows where to look.
//!
//! [`NotOpen`] says why a directory cannot be worked in and what to do about it.
//! [`StoreError`] names the ref, object or file and, where one exists, the command
//! that repairs it. The object library's own errors end here as text.

use std::io;
use std::path::PathBuf;

/// Why there is no store here.
#[derive(Debug, thiserror::Error)]
pub enum NotOpen {
    /// No repository in this directory or above it.
    #[error("`{}` is not inside a git repository; run `git init` or go to one", path.display())]
    NotARepository { path: PathBuf },
    /// A linked worktree whose repository is not where it was.
    #[error("the repository of this worktree is no longer at `{}`; if it was moved, run `git \
        worktree repair '{}'` there", git_dir.display(), path.display())]
    Adrift { path: PathBuf, git_dir: PathBuf },
    /// A repository without a work tree.
    #[error("`{}` is a bare repository; git seed works in a work tree: make one with `git \
        worktree add <dir>`", path.display())]
    Bare { path: PathBuf },
    /// A repository that does not keep its refs in files.
    #[error(
        "`{}` stores its refs as `{format}`, which git seed cannot read safely; `git refs migrate \
         --ref-format=files` converts it (git 2.46 or later)",
        path.display()
    )]
    Reftable { path: PathBuf, format: String },
    /// A repository of somebody else; git refuses it too.
    #[error("`{}` belongs to another user; if you trust it, run `git config --global --add \
        safe.directory '{}'`", path.display(), path.display())]
    Foreign { path: PathBuf },
    /// Something else than a file lies in the place of one that git keeps.
    #[error("{}: this is no plain file; take it away and put git's own file back", path.display())]
    NotPlain { path: PathBuf },
    /// A repository that is there but cannot be opened.
    #[error("the repository at `{}` cannot be opened: {why}; `git -C '{}' status` may say more",
        path.display(), path.display())]
    Unreadable { path: PathBuf, why: String },
}

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else wrote first. Nothing was changed: read again, decide again.
    #[error("`{chain}` moved meanwhile; nothing was changed")]
    Moved { chain: String },
    /// A ref or object that must be there is not.
    #[error("{what} is missing; `{repair}` tells more")]
    Missing { what: String, repair: &'static str },
    /// History ends before it: the clone is shallow.
    #[error("{what} is not here, because this clone is shallow")]
    CutOff { what: String },
    /// An object that another repository lent, which took it away.
    #[error(
        "this clone borrows objects from another repository, and {what} went there: run git \
             seed sync there, then here"
    )]
    Borrowed { what: String },
    /// A ref or object is there and makes no sense.
    #[error("{what} cannot be read: {why}; `{repair}` tells more")]
    Unreadable { what: String, why: String, repair: &'static str },
    /// A name, path or text that git could not store as given.
    #[error("`{what}` cannot be stored: {why}")]
    Invalid { what: String, why: String },
    /// A lock that somebody held for too long.
    #[error("`{}` is held by another program; wait for it, or remove the file if no git command \
        is running", path.display())]
    Held { path: PathBuf },
    /// The chain is the focus of a worktree, so it must stay.
    #[error("`{chain}` is the focus of worktree `{worktree}` and cannot be deleted")]
    Focused { chain: String, worktree: String },
    /// A remote that did not answer in time.
    #[error("`{remote}` did not answer within {seconds} s; nothing is left running")]
    Late { remote: String, seconds: u64 },
    /// A child `git` failed.
    #[error("`{command}` failed: {output}")]
    Git { command: String, output: String },
    /// The disk said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl StoreError {
    /// Whether reading and deciding again may help.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self, Self::Moved { .. })
    }

    pub(super) fn missing(what: String) -> Self {
        Self::Missing { repair: repair_of(&what), what }
    }

    pub(super) fn unreadable(what: String, why: &gix::Error) -> Self {
        Self::Unreadable { repair: repair_of(&what), what, why: reason(why) }
    }

    pub(super) fn odd(what: String, why: &str) -> Self {
        Self::Unreadable { repair: repair_of(&what), what, why: why.to_owned() }
    }
}

/// The command that repairs `what`, which starts with the name of a ref.
fn repair_of(what: &str) -> &'static str {
    let ours = ["refs/seed", "refs/worktree/seed", "refs/notes/seed"];
    if ours.iter().any(|prefix| what.starts_with(prefix)) {
        "git seed doctor --fix"
    } else {
        "git fsck"
    }
}

/// What happened and, where it differs, the cause below it.
pub(super) fn reason(err: &gix::Error) -> String {
    let (outer, cause) = (format!("{err:#}"), format!("{:#}", err.probable_cause()));
    let said = if outer.contains(&cause) { outer } else { format!("{outer}: {cause}") };
    in_words(&said)
}

/// The library shows some errors as Rust does for debugging: what they say to people is quoted in
/// there, and takes the place of the rest.
fn in_words(said: &str) -> String {
    const BEGINS: [&str; 2] = ["Message { message: \"", "Os { code: "];
    const QUOTED: &str = "message: \"";
    let mut told = String::new();
    let mut rest = said;
    while let Some(at) = BEGINS.iter().filter_map(|begin| rest.find(begin)).min() {
        let Some((_, behind)) = rest[at..].split_once(QUOTED) else { break };
        let mut escaped = false;
        let end = behind.find(|sign| {
            let ends = sign == '"' && !escaped;
            escaped = sign == '\\' && !escaped;
            ends
        });
        let Some(end) = end else { break };
        told.extend([&rest[..at], &behind[..end].replace("\\\"", "\"")]);
        // Other fields may stand behind it.
        let after = &behind[end + 1..];
        let (fields, beyond) = after.split_once('}').unwrap_or(("", after));
        let is_fields = fields.chars().all(|sign| sign.is_alphanumeric() || " ,:_".contains(sign));
        rest = if is_fields { beyond } else { after };
    }
    told.push_str(rest);
    told.replace("\n\nCaused by:\n    0: ", ": ")
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn no_error_is_shown_as_rust_debugs_it() {
        let said = concat!(
            "Message { message: \"Failed to access a directory: \\\"/x\\\"\" }\n\nCaused by:\n",
            "    0: Os { code: 2, kind: NotFound, message: \"No such file\" }: No such file",
        );
        assert_eq!(
            in_words(said),
            "Failed to access a directory: \"/x\": No such file: No such file"
        );
        let fields = "Message { message: \"\\\"/x\\\" is none\", class: NotFound }: it is gone";
        assert_eq!(in_words(fields), "\"/x\" is none: it is gone");
        for plain in ["an object is missing", ""] {
            assert_eq!(in_words(plain), plain);
        }
    }
}

//! `git seed exec`: a command that the kernel confines.

use super::handed;
use crate::engine::{claims, fence, unhooked};
use crate::voice::{self, Notice};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::engine::claims::receipts::Watched;
use crate::engine::fence::confinement::Confinement;
use crate::engine::repo::Repo;
use crate::{confine, world};

/// Run a command that can write only where the phase allows
///
/// On Linux the kernel enforces this; on macOS `sandbox-exec` does, which nobody has tried yet.
/// The command can change files below the declared directories (in execute), in build directories
/// and files that git ignores, in scratch directories, and in the caches that the rules name. It
/// cannot change `.git` or the files that govern the agent. Reading is not restricted. In phases
/// that run no code it cannot open TCP connections either.
///
/// The command replaces this process, so its output, signals and exit code are its own. A test
/// run is started as a child process instead and leaves a receipt, which `git seed show` prints.
/// So is a command for which a build directory had to be made; the directory is removed if it is
/// empty afterwards.
///
/// Exit code 126 means that the command could not be run, 127 that it was not found, as in a
/// shell. Exit code 1 means that the kernel cannot confine the command; then it was not run.
#[derive(Debug, clap::Args)]
pub(super) struct ExecArgs {
    /// Only confine the command; the process that started this one watches how it ends
    #[arg(long, hide = true)]
    bare: bool,
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "command"
    )]
    command: Vec<OsString>,
}

/// The plain form, read without building the whole command line: a confined command is to
/// start as soon as a bare one.
pub(super) fn plain(mut arguments: impl Iterator<Item = OsString>) -> Option<ExecArgs> {
    let _program = arguments.next()?;
    if arguments.next()? != "exec" {
        return None;
    }
    let mut next = arguments.next()?;
    let bare = next == BARE;
    if bare {
        next = arguments.next()?;
    }
    let command: Vec<OsString> = arguments.collect();
    (next == "--" && !command.is_empty()).then_some(ExecArgs { bare, command })
}

/// The flag of a command that is watched.
const BARE: &str = "--bare";

/// Becomes the command; comes back only where that failed.
pub(super) fn run(args: &ExecArgs, cwd: &Path) -> ExitCode {
    let told = |code: u8, what: &dyn std::fmt::Display, hint: &str| {
        let _ = writeln!(io::stderr(), "error: {what}\nhint: {hint}");
        ExitCode::from(code)
    };
    let repo = Repo::governing(cwd, None);
    if let Ok(repo) = &repo
        && !args.bare
        && confine::check().is_ok()
        && let Some(run) = claims::receipts::run_of_words(repo, &args.command, cwd)
    {
        return watch(repo, &run, args, cwd)
            .unwrap_or_else(|error| told(1, &error, "git seed doctor"));
    }
    if args.bare {
        world::end_with_parent();
    }
    let confined = |repo: Repo| {
        let confinement = fence::confinement::confinement(&repo, cwd)?;
        let made = made_in(&repo, &confinement);
        Ok((confinement, made))
    };
    let (confinement, made) = match repo.and_then(confined) {
        Ok(confined) => confined,
        Err(error) => return told(1, &error, "git seed doctor"),
    };
    // What was made for the command goes again where the command leaves it empty: somebody has to
    // be there when it ends. Below that, it is there already.
    if let Some(made) = &made
        && !args.bare
        && confine::check().is_ok()
    {
        let code = below(args, cwd).map(|(code, _)| ExitCode::from(code));
        clear(made);
        return code.unwrap_or_else(|error| told(1, &error, "git seed doctor"));
    }
    let through = match confine::enter(&confinement.open) {
        Ok(through) => through,
        Err(error) => return told(1, &error, &voice::tell(Notice::ExecWithout, &[])),
    };
    let words = [through, args.command.clone()].concat();
    let Some((program, arguments)) = words.split_first() else { return ExitCode::from(64) };
    let error = world::become_program(
        program,
        arguments,
        confinement.scratch.as_deref(),
        &confinement.dropped,
    );
    let found = error.kind() != io::ErrorKind::NotFound;
    let what = format!("{}: {error}", program.to_string_lossy());
    told(if found { 126 } else { 127 }, &what, "git seed exec -- <command> [<argument>…]")
}

/// Runs the command confined below this process, which is confined no more than it was; gives how
/// it ended, and what it printed where that was kept.
fn below(args: &ExecArgs, cwd: &Path) -> io::Result<(u8, String)> {
    let mut words: Vec<OsString> = ["exec", BARE, "--"].map(OsString::from).into();
    words.extend(args.command.iter().cloned());
    world::run_below(&world::own_binary(), &words, cwd)
}

/// Directories of the work tree that were made for the command, where there are any.
fn made_in(repo: &Repo, confinement: &Confinement) -> Option<Vec<PathBuf>> {
    let top = world::real(repo.store.work_tree()).ok()?;
    let made = confinement.made.iter().filter(|dir| dir.starts_with(&top));
    Some(made.cloned().collect::<Vec<_>>()).filter(|made| !made.is_empty())
}

/// Takes those away that were left empty.
fn clear(made: &[PathBuf]) {
    for dir in made {
        // One that came into use is not empty, and stays.
        let _ = std::fs::remove_dir(dir);
    }
}

/// Runs tests below this process, which is confined no more than it was, and leaves the
/// receipt. How the tests end is how this ends.
fn watch(repo: &Repo, run: &Watched, args: &ExecArgs, cwd: &Path) -> crate::cli::Result<ExitCode> {
    // What cannot be heard of now is with the next step.
    let _ = unhooked::changes::hear(repo, cwd.to_owned());
    let before = claims::receipts::tree_of_now(repo);
    let made = made_in(repo, &fence::confinement::confinement(repo, cwd)?);
    let ran = below(args, cwd);
    clear(&made.unwrap_or_default());
    let (code, printed) = ran?;
    let code_told = i32::from(code);
    let ended = (code_told, printed.as_str());
    let left = before.and_then(|before| claims::receipts::leave_run(repo, run, cwd, ended, before));
    if let Err(error) = left {
        let told = if handed::is_left_to_the_hook(repo) {
            voice::tell(Notice::ExecReceiptLater, &[])
        } else {
            voice::tell(Notice::ExecNoReceipt, &[("error", &error.to_string())])
        };
        let _ = writeln!(io::stderr(), "{told}");
    }
    let line = format!("git seed exec -- {}", run.line);
    // As above: the receipt lies there.
    let _ = unhooked::changes::ran(repo, cwd.to_owned(), line, (code_told, printed));
    Ok(ExitCode::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plain_form_is_read_without_the_whole_command_line() {
        for (line, command) in [
            ("git-seed exec -- ls -l", Some("ls -l")),
            ("git-seed exec -- git-seed exec -- ls", Some("git-seed exec -- ls")),
            ("git-seed exec --bare -- ls -l", Some("ls -l")),
            ("git-seed exec --bare ls", None),
            ("git-seed exec ls", None),
            ("git-seed exec --", None),
            ("git-seed exec --help", None),
            ("git-seed hook claude", None),
        ] {
            let read = plain(line.split(' ').map(OsString::from))
                .map(|args| args.command.join(" ".as_ref()));
            assert_eq!(read, command.map(OsString::from), "{line}");
        }
    }
}

//! `git seed exec`: a command that the kernel confines.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::seed::Seed;
use crate::{confine, world};

/// Run a command that can write only where the phase may
///
/// On Linux the kernel holds it: changing files is open below the declared directories
/// in execute, in build directories and files that git ignores, in scratch places, and in
/// the caches that the rules name; `.git` and what governs the agent stay closed. Reading
/// is not restricted. Where the phase runs no code, no TCP connection can be made either.
///
/// The command takes this process's place: its output, signals and exit code are its own.
/// 126 and 127 say, as a shell does, that it could not be run or was not found; 1, that
/// the kernel cannot confine it, and then it was not run.
#[derive(Debug, clap::Args)]
pub(super) struct ExecArgs {
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "command")]
    command: Vec<OsString>,
}

/// The plain form, read without building the whole command line: a confined command is to
/// start as soon as a bare one.
pub(super) fn plain(mut arguments: impl Iterator<Item = OsString>) -> Option<ExecArgs> {
    let _program = arguments.next()?;
    if arguments.next()? != "exec" || arguments.next()? != "--" {
        return None;
    }
    let command: Vec<OsString> = arguments.collect();
    (!command.is_empty()).then_some(ExecArgs { command })
}

/// Becomes the command; comes back only where that failed.
pub(super) fn run(args: &ExecArgs, cwd: &Path) -> ExitCode {
    let told = |code: u8, what: &dyn std::fmt::Display, hint: &str| {
        let _ = writeln!(io::stderr(), "error: {what}\nhint: {hint}");
        ExitCode::from(code)
    };
    let confinement = match Seed::governing(cwd, None).and_then(|seed| seed.confinement(cwd)) {
        Ok(confinement) => confinement,
        Err(error) => return told(1, &error, "git seed doctor"),
    };
    if let Err(error) = confine::enter(&confinement.open) {
        return told(1, &error, "without it, run the command as it is; the tree fence looks afterwards");
    }
    let Some((program, arguments)) = args.command.split_first() else { return ExitCode::from(64) };
    let error = world::become_program(program, arguments, confinement.scratch.as_deref());
    let found = error.kind() != io::ErrorKind::NotFound;
    let what = format!("{}: {error}", program.to_string_lossy());
    told(if found { 126 } else { 127 }, &what, "git seed exec -- <command> [<argument>…]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plain_form_is_read_without_the_whole_command_line() {
        for (line, command) in [
            ("git-seed exec -- ls -l", Some("ls -l")),
            ("git-seed exec -- git-seed exec -- ls", Some("git-seed exec -- ls")),
            ("git-seed exec ls", None),
            ("git-seed exec --", None),
            ("git-seed exec --help", None),
            ("git-seed hook claude", None),
        ] {
            let read = plain(line.split(' ').map(OsString::from)).map(|args| args.command.join(" ".as_ref()));
            assert_eq!(read, command.map(OsString::from), "{line}");
        }
    }
}

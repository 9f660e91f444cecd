//! A command that cannot write `.git` from an agent's sandbox: handed to the hook after the tool.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::engine::hook::handed::{self, Found};
use crate::engine::repo::Repo;
use crate::voice::{Notice, tell};
use crate::{hosts, shell, world};

/// How this command ends without running here; `None` where it runs here.
pub(super) fn instead(cwd: &Path) -> Option<ExitCode> {
    if world::variable(world::HANDED).is_some() || !is_in_a_sandbox() {
        return None;
    }
    let words = std::env::args_os().skip(1).map(|word| word.into_string().ok());
    let words = words.collect::<Option<Vec<String>>>()?;
    if !shell::can_be_handed_over(&words) {
        return None;
    }
    // A repository that does not open is told of by the command itself.
    let repo = Repo::governing(cwd, None).ok().filter(|repo| !repo.store.is_writable())?;
    let (key, handed) = match handed::find(&repo, &words) {
        Found::Waits => (Notice::HandedOver, true),
        Found::Unheard => (Notice::HandedUnheard, false),
        Found::Unknown => (Notice::HandedUnknown, false),
    };
    let told = tell(key, &[]);
    let printed =
        if handed { writeln!(io::stdout(), "{told}") } else { writeln!(io::stderr(), "{told}") };
    Some(if handed && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// This process runs in the shell of a host whose sandbox may leave `.git` read-only.
fn is_in_a_sandbox() -> bool {
    let rows = hosts::marks().iter();
    rows.filter(|row| row.hands_over)
        .flat_map(|row| &row.markers)
        .any(|marker| world::variable(marker).is_some())
}

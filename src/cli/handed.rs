//! A command that cannot write `.git` from an agent's sandbox: handed to the hook after the tool.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::engine::hook::handed::{self, Found};
use crate::engine::repo::Repo;
use crate::engine::setup::heartbeat;
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
    sandboxes().next().is_some()
}

/// The hosts with such a shell, of which this may be one.
fn sandboxes() -> impl Iterator<Item = &'static str> {
    let rows = hosts::names().zip(hosts::marks()).filter(|(_, row)| row.hands_over);
    let is_there = |marker: &String| world::variable(marker).is_some();
    rows.filter(move |(_, row)| row.markers.iter().any(is_there)).map(|(name, _)| name)
}

/// Nothing can be stored here, and hooks of such a host, which ran in this clone before, can.
pub(super) fn is_left_to_the_hook(repo: &Repo) -> bool {
    sandboxes().any(|host| heartbeat::last(repo, host).is_some()) && !repo.store.is_writable()
}

//! git's pager, for what is longer than the terminal that it is printed to.

use std::io::{self, Write as _};

/// Shows `text` in git's pager. False where it fits the terminal, where none
/// is to be used or to be found, and in an agent's session, where nobody would end it.
pub(super) fn shows(text: &[u8]) -> io::Result<bool> {
    let lines = text.split(|byte| *byte == b'\n').count();
    if super::width::rows().is_none_or(|rows| lines < rows)
        || crate::engine::setup::git_hooks::agent_is_above()
    {
        return Ok(false);
    }
    match crate::store::pager() {
        Some(pager) => piped(&pager, text),
        None => Ok(false),
    }
}

/// Whether the pager took the text.
#[cfg(unix)]
fn piped(pager: &str, text: &[u8]) -> io::Result<bool> {
    use std::process::{Command, Stdio};
    /// What a shell says of a program that it does not find, or may not run.
    const NOT_RUN: [Option<i32>; 2] = [Some(127), Some(126)];
    // Ctrl-C is the pager's while it runs: it would be left at the terminal without us.
    let heard = std::sync::Arc::default();
    let ours = signal_hook::flag::register(signal_hook::consts::SIGINT, heard)?;
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    // One that was closed has shown what its reader wanted to see.
    let _ = child.stdin.take().map(|mut input| input.write_all(text));
    let ended = child.wait()?;
    signal_hook::low_level::unregister(ours);
    Ok(!NOT_RUN.contains(&ended.code()))
}

#[cfg(not(unix))]
fn piped(_: &str, _: &[u8]) -> io::Result<bool> {
    Ok(false)
}

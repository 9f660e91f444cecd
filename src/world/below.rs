//! A program that runs below this one: what it prints goes on as it comes, and its end is kept.

use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The most bytes that are kept of what a program prints, the last ones.
const TAIL: usize = 256 * 1024;

/// How long the output of a program that has ended is waited for: what it left running may
/// hold it open.
const LEFT_OPEN: Duration = Duration::from_millis(200);

/// Runs a program below this one and waits for it: its exit code as a shell tells it, and the
/// end of what it printed, which goes on to where this one prints. At a terminal the program
/// prints by itself, and nothing is kept.
pub(crate) fn run_below(
    program: &std::path::Path,
    arguments: &[std::ffi::OsString],
    dir: &std::path::Path,
) -> std::io::Result<(u8, String)> {
    use std::io::IsTerminal as _;
    let mut command = std::process::Command::new(program);
    command.args(arguments).current_dir(dir);
    if std::io::stdout().is_terminal() || std::io::stderr().is_terminal() {
        return Ok((exit_code(command.status()?), String::new()));
    }
    let kept = Arc::new(Mutex::new(Vec::new()));
    let (output, out) = std::io::pipe()?;
    // One pipe for both where both go to one place: the order of lines stays.
    let errors = if super::system::print_to_one_place() {
        command.stderr(out.try_clone()?);
        None
    } else {
        let (errors, err) = std::io::pipe()?;
        command.stderr(err);
        Some(errors)
    };
    command.stdout(out);
    let mut child = command.spawn()?;
    // The command holds the pipes' ends for writing: without them, reading ends.
    drop(command);
    let (done, ended) = std::sync::mpsc::channel();
    let mut readers = vec![copied(output, std::io::stdout(), &kept, &done)];
    readers.extend(errors.map(|errors| copied(errors, std::io::stderr(), &kept, &done)));
    let code = exit_code(child.wait()?);
    for _ in &readers {
        // One that does not end in time is left: what holds it open is not the program.
        let _ = ended.recv_timeout(LEFT_OPEN);
    }
    let tail = kept.lock().map(|kept| kept.clone()).unwrap_or_default();
    Ok((code, String::from_utf8_lossy(&tail).into_owned()))
}

fn exit_code(status: std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Copies a program's output as it comes, and keeps its end.
fn copied(
    mut from: std::io::PipeReader,
    mut to: impl std::io::Write + Send + 'static,
    kept: &Arc<Mutex<Vec<u8>>>,
    done: &std::sync::mpsc::Sender<()>,
) -> std::thread::JoinHandle<()> {
    use std::io::Read as _;
    let (kept, done) = (Arc::clone(kept), done.clone());
    std::thread::spawn(move || {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            // Nobody listens any more: the program hears of it when this end is closed.
            if to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_err() {
                break;
            }
            if let Ok(mut kept) = kept.lock() {
                kept.extend_from_slice(&bytes[..count]);
                let over = kept.len().saturating_sub(TAIL);
                kept.drain(..over);
            }
        }
        // Whoever waited is gone where this fails.
        let _ = done.send(());
    })
}

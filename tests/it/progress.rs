//! What a long command says at a terminal while it works.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::servers::Server;
use super::sync::machine;
use super::world::World;

/// What a command of a person's prints on standard error, which is a terminal of kind `term`.
fn on_a_terminal(world: &World, line: &str, term: &str) -> String {
    let master: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("it opens");
    let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let open = || File::options().read(true).write(true).open(&name).expect("its other side");
    let held = open();
    let mut command = world.beside("sh");
    command.args(["-c", line]).env("GIT_SEED_TEST_PERSON", "1").env("TERM", term);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(open());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    let reading = std::thread::spawn(move || {
        let (mut shown, mut from) = (Vec::new(), File::from(master));
        // A terminal whose other side is closed reads as an error.
        let _ = from.read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    });
    child.wait().expect("it ends");
    drop(held);
    reading.join().expect("it was read")
}

#[test]
fn what_takes_long_says_so_on_a_terminal_and_is_gone_when_it_ends() {
    let world = machine();
    let silent = Server::silent();
    let url = silent.url("git", "x.git");
    let owner = url.split("//").nth(1).expect("a host").to_owned();
    world.git(&format!("remote add slow {url}"));
    let line = format!("git seed sync slow --owner {owner} --timeout 2");
    let shown = on_a_terminal(&world, &line, "xterm");
    let (before, error) = shown.split_once("error: ").unwrap_or_else(|| panic!("{shown:?}"));
    assert!(before.contains("asking slow"), "{shown:?}");
    assert!(before.ends_with("\x1b[2K"), "the line is taken off before anything else: {shown:?}");
    assert!(error.contains("did not answer within 2 s"), "{shown:?}");
    // Nothing moves where a cursor cannot, nor where a command is quick.
    let shown = on_a_terminal(&world, &line, "dumb");
    assert!(shown.starts_with("error: "), "{shown:?}");
    assert_eq!(on_a_terminal(&world, "git seed job list", "xterm"), "");
}

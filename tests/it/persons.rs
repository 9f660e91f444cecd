//! The person's commands under what gives an agent a terminal, with real processes, and
//! hosts that an agent starts out of sight.

#![expect(clippy::disallowed_macros, reason = "it tells which tool is missing")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::World;

/// A clean environment, as `env -i` leaves it, with what git and git seed need.
const CLEAN: &str = "env -i HOME=\"$HOME\" PATH=\"$PATH\" TERM=dumb GIT_CONFIG_GLOBAL=/dev/null \
    GIT_CONFIG_NOSYSTEM=1";

fn has(tool: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {tool}")])
        .stdout(Stdio::null())
        .status();
    let has = found.is_ok_and(|status| status.success());
    if !has {
        println!("not tried: there is no {tool} here");
    }
    has
}

/// Waits for what a detached command leaves behind.
fn left(world: &World, file: &str) -> String {
    let path = world.root().join(file);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        match fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("{file} never came")
}

/// A script that gives a person's command at a terminal, and keeps what was said and how it
/// ended.
fn tries(world: &World) -> String {
    let text = "#!/bin/sh\nscript -qfec 'git seed off -m tried' ../told >/dev/null </dev/null; \
        echo $? >../code\n";
    executable(world, "try.sh", text)
}

fn executable(world: &World, name: &str, text: &str) -> String {
    let file = world.root().join(name);
    fs::create_dir_all(file.parent().expect("a directory")).expect("made");
    fs::write(&file, text).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    file.to_string_lossy().into_owned()
}

/// Tries it in this way; gives the exit code and what was said.
fn tried(world: &World, way: &str) -> (String, String) {
    begins(world, way);
    ended(world)
}

fn begins(world: &World, way: &str) {
    for file in ["told", "code"] {
        let _ = fs::remove_file(world.root().join(file));
    }
    world.tries(&way.replace("CLEAN", CLEAN).replace("TRY", &tries(world)));
}

fn ended(world: &World) -> (String, String) {
    let code = left(world, "code");
    (code, told(world).replace(['\r', '\n'], " "))
}

fn told(world: &World) -> String {
    fs::read_to_string(world.root().join("told")).unwrap_or_default()
}

/// Tries it in this way, which asks for a word; gives the word that it shows.
fn asked(world: &World, way: &str) -> String {
    begins(world, way);
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        let told = told(world);
        let shown = told.split_once("[OK ").and_then(|(_, rest)| rest.split_once(']'));
        if let Some((shown, _)) = shown {
            return format!("[OK {shown}]");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{way} asked for no word: {}", told(world))
}

/// The way is refused for this reason.
#[track_caller]
fn refused(world: &World, way: &str, why: &str) {
    // Where it leaves the host's processes, a busy machine may look before it has: it is refused
    // for the host then, and tries again.
    let leaves = way.contains("setsid -f");
    for last in [false, false, false, true] {
        let (code, told) = tried(world, way);
        assert_eq!(code, "2", "{way}: {told}");
        if told.contains(why) {
            break;
        }
        let early = leaves && told.contains("is among the processes above");
        assert!(early && !last, "{way}\nlacks {why:?}: {told}");
    }
    assert_eq!(world.json("status")["enabled"], true, "{way}");
}

/// A multiplexer of its own, ended with the test.
struct Tmux<'a>(&'a World, &'static str);

impl<'a> Tmux<'a> {
    /// Starts a server whose environment has these variables, too.
    fn start(world: &'a World, name: &'static str, variables: &str) -> Self {
        world.sh(&format!("{CLEAN} {variables} tmux -S ../{name} -f /dev/null new-session -d"));
        Self(world, name)
    }

    /// What runs `TRY` in a window of it.
    fn window(&self, before: &str) -> String {
        format!("{CLEAN} tmux -S ../{} new-window '{before} TRY'", self.1)
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.0.tries(&format!("tmux -S ../{} kill-server", self.1));
    }
}

#[test]
fn no_terminal_of_an_agents_making_is_a_persons() {
    if !has("script") || !has("setsid") {
        return;
    }
    let world = World::seeded();
    // The host itself is above, whatever it is called, and however clean the environment.
    refused(&world, "CLEAN TRY", "is among the processes above");
    refused(&world, "CLEAN script -qec TRY /dev/null", "is among the processes above");
    let astray = "do not lead to a login";
    refused(&world, "CLEAN setsid -f script -qec TRY /dev/null", astray);
    refused(&world, "CLEAN setsid -f sh -c 'script -qec TRY /dev/null'", astray);
    if has("python3") {
        refused(&world, "CLEAN setsid -f python3 -c 'import pty; pty.spawn([\"TRY\"])'", astray);
    }
    // Programs that only sound like a login.
    let sh = "#!/bin/sh\nscript -qec \"$1\" /dev/null; true\n";
    for name in ["supervisord", "codexx", "su", "sudo", "loginx"] {
        let path = executable(&world, &format!("bin/{name}"), sh);
        refused(&world, &format!("CLEAN setsid -f {path} TRY"), astray);
    }
    for name in ["tmux", "login", "sshd", "xterm"] {
        let path = executable(&world, &format!("bin/{name}"), sh);
        refused(
            &world,
            &format!("CLEAN setsid -f {path} TRY"),
            &format!("`{name}` is no login program"),
        );
        let copy = world.root().join("copies").join(name);
        fs::create_dir_all(copy.parent().expect("a directory")).expect("made");
        world.sh(&format!("cp \"$(command -v script)\" {}", copy.display()));
        let way = format!("CLEAN setsid -f {} -qec TRY /dev/null", copy.display());
        refused(&world, &way, &format!("`{name}` is no login program"));
    }
}

/// A message comes through a pipe: the terminal beside it tells as much as one at the input does.
#[test]
fn a_message_through_a_pipe_makes_nobody_of_a_person_and_a_person_of_nobody() {
    if !has("script") || !has("setsid") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let pipes = |name: &str, line: &str| {
        let text = format!(
            "#!/bin/sh\nscript -qfec '{line}' ../told >/dev/null </dev/null; echo $? >../code\n"
        );
        executable(&world, name, &text)
    };
    let through = pipes("piped.sh", "echo tried | git seed off -F -");
    let tries = |way: &str| {
        for file in ["told", "code"] {
            let _ = fs::remove_file(world.root().join(file));
        }
        world.tries(&way.replace("CLEAN", CLEAN).replace("TRY", &through));
        ended(&world)
    };
    // No terminal is beside the pipe, or no message comes through it.
    let bare = pipes("bare.sh", "echo tried | setsid -w git seed off -F -");
    let mute = pipes("mute.sh", "echo tried | git seed off -m tried");
    let tmux = Tmux::start(&world, "own", "");
    for other in [&bare, &mute] {
        let (code, told) = tries(&tmux.window("").replace("TRY", other));
        assert!(code == "2" && told.contains("no terminal"), "{code}: {told}");
    }
    let (code, told) = tries(&tmux.window(""));
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
    world.person("on").succeeds();
    // The pipe of code that an agent detached is nobody's.
    let host = AHost::start(&world);
    host.sends("SessionStart", &json!({ "source": "startup" }));
    let (code, told) = tries("CLEAN setsid -f TRY");
    assert!(code == "2" && told.contains("do not lead to a login"), "{code}: {told}");
    assert_eq!(world.json("status")["enabled"], true);
}

#[test]
fn a_terminal_that_is_younger_than_the_session_acts_on_a_persons_word() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::seeded();
    let tmux = Tmux::start(&world, "young", "");
    // The agent opens it, and reads what it shows.
    let code_word = asked(&world, &tmux.window(""));
    world.runs(&format!("echo '{code_word}'"));
    let (code, told) = ended(&world);
    assert_eq!(code, "2", "{told}");
    assert!(told.contains("the agent has seen the code"), "{told}");
    assert_eq!(world.json("status")["enabled"], true);
    // Three wrong codes, whoever types them.
    let code_word = asked(&world, &tmux.window(""));
    for wrong in ["[OK on 000000]", "[OK off 000000]", &code_word.replace("off", "on")] {
        world.prompt(wrong);
    }
    // The command may have ended already, or is about to.
    let told = world.prompt(&code_word);
    let told = told.to_person().expect("a sentence");
    assert!(told.contains("no longer waits") || told.contains("no command waits"), "{told}");
    let (code, told) = ended(&world);
    assert_eq!(code, "2", "{told}");
    assert!(told.contains("three wrong codes"), "{told}");
    // The person says it, once. Two commands wait at once, each with a code of its own.
    let code_word = asked(&world, &tmux.window(""));
    let reply = world.prompt(&code_word);
    let told = reply.to_person().expect("one sentence");
    assert!(told.contains("git seed off -m tried"), "{told}");
    let (code, told) = ended(&world);
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
    // Also the one that switches it on again, which is heard while all else is silent.
    let mut on = world.new_terminal("git seed on", "abc123");
    assert!(on.says().contains("[OK on abc123]"));
    world.prompt("[OK on ABC123]");
    assert_eq!(on.ends().code, 0);
    assert_eq!(world.json("status")["enabled"], true);
    // One that was ended leaves nothing that waits.
    let mut killed = world.new_terminal("exec git-seed off -m x", "k7m2qx");
    killed.says();
    killed.kill();
    let told = world.prompt("[OK off k7m2qx]");
    assert!(told.to_person().is_some_and(|told| told.contains("no command waits")), "{told:?}");
    assert_eq!(world.json("status")["enabled"], true);
}

/// A pause that nobody can tell from the agent's would be undone by it.
#[test]
fn a_pause_where_nobody_can_tell_who_types_is_a_persons_by_their_word() {
    let world = World::seeded();
    world.to("execute");
    let mut pauses = world.new_terminal("git seed job pause", "k7m2qx");
    assert!(pauses.says().contains("[OK pause k7m2qx]"));
    assert_eq!(world.phase(), "execute", "it waits");
    let job = world.job();
    world.prompt("[OK pause k7m2qx]");
    assert_eq!(pauses.ends().code, 0);
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "the person's pause lets the turn end");
    world.prompt("[RESUME]");
    let log = world.git(&format!("log -2 --format=%B refs/seed/jobs/{job}"));
    assert_eq!(log.matches("Seed-By: person").count(), 2, "{log}");
}

#[test]
fn a_window_that_the_agent_left_behind_is_no_persons() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let host = AHost::start(&world);
    host.sends("SessionStart", &json!({ "source": "startup" }));
    let tmux = Tmux::start(&world, "left", "");
    // It waits in its window until the session is over.
    let waits = "while [ ! -e ../over ]; do sleep 0.05; done;";
    world.sh(&tmux.window(waits).replace("CLEAN", CLEAN).replace("TRY", &tries(&world)));
    std::thread::sleep(Duration::from_millis(300));
    host.sends("SessionEnd", &json!({ "reason": "exit" }));
    drop(host);
    fs::write(world.root().join("over"), "").expect("written");
    let (code, told) = ended(&world);
    assert_eq!(code, "2", "{told}");
    assert!(told.contains("open a new terminal"), "{told}");
    // A window that is opened now is a person's.
    let (code, told) = tried(&world, &tmux.window(""));
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
}

/// A host that ends without a word is seen to be gone by the next command: the terminal of that one
/// is no person's, and nobody says that a session lived when it was opened.
#[test]
fn a_window_of_before_an_end_that_nobody_saw_is_told_as_that() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let host = AHost::start(&world);
    host.sends("SessionStart", &json!({ "source": "startup" }));
    drop(host);
    std::thread::sleep(Duration::from_millis(300));
    let tmux = Tmux::start(&world, "after", "");
    let (code, told) = tried(&world, &tmux.window(""));
    assert_eq!(code, "2", "{told}");
    assert!(told.contains("ended without a word, and this terminal was opened before"), "{told}");
    assert!(told.contains("open a new terminal") && !told.contains("session lived"), "{told}");
    let (code, told) = tried(&world, &tmux.window(""));
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
}

#[test]
fn while_a_client_without_hooks_lives_a_younger_terminal_is_told_to_end_it_first() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    // It has no prompt to say a code in. A shell that starts the server stands for the client.
    let server = format!("{} mcp --phases; true\n", env!("CARGO_BIN_EXE_git-seed"));
    let file = executable(&world, "client.sh", &server);
    let mut client = Command::new("sh");
    client.arg(file).current_dir(world.repo()).stdin(Stdio::piped()).stdout(Stdio::null());
    client.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut client = client.env("HOME", world.root().join("home")).spawn().expect("a shell");
    let sessions = world.repo().join(".git/seed/sessions");
    let began = Instant::now();
    while fs::read_dir(&sessions).map_or(0, Iterator::count) == 0 {
        assert!(began.elapsed() < Duration::from_secs(20), "no session was recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
    let tmux = Tmux::start(&world, "young", "");
    let (code, told) = tried(&world, &tmux.window(""));
    assert_eq!(code, "2", "{told}");
    assert!(told.contains("end sh, and run git seed off in a new terminal"), "{told}");
    drop(client.stdin.take());
    client.wait().expect("it ends");
    // When a process began is known to a hundredth of a second: one that begins right behind the
    // end may count as older than it.
    let began = Instant::now();
    loop {
        let (code, told) = tried(&world, &tmux.window(""));
        if code == "0" {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{code}: {told}");
    }
    assert_eq!(world.json("status")["enabled"], false);
}

#[test]
fn a_session_below_a_younger_multiplexer_works_and_grants_nothing() {
    if !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let first = AHost::start(&world);
    first.sends("SessionStart", &json!({ "source": "startup" }));
    let tmux = Tmux::start(&world, "mine", "");
    let event = |name: &str, fields: serde_json::Value| {
        let mut payload =
            json!({ "session_id": "0d0d", "cwd": world.repo(), "hook_event_name": name });
        for (key, value) in fields.as_object().expect("fields") {
            payload[key] = value.clone();
        }
        fs::write(world.root().join(name), payload.to_string()).expect("written");
        format!("git-seed hook claude {name} <../{name} >>../answers\n")
    };
    let script = [
        "#!/bin/sh\n".to_owned(),
        event("SessionStart", json!({ "source": "startup" })),
        event("UserPromptSubmit", json!({ "prompt": "[OFF] now" })),
        "echo 0 >../code\n".to_owned(),
    ];
    let script = executable(&world, "second", &script.concat());
    world.sh(&format!("{CLEAN} tmux -S ../{} new-window {script}", tmux.1));
    left(&world, "code");
    let answers = fs::read_to_string(world.root().join("answers")).expect("there");
    assert!(answers.contains("nobody can tell who types"), "{answers}");
    assert!(answers.contains("short words do nothing here"), "{answers}");
    assert!(answers.contains("a new job. Read and answer freely"), "{answers}");
    assert_eq!(world.json("status")["enabled"], true);
    assert_eq!(world.json("status")["job"]["status"], "active");
}

#[test]
fn a_multiplexer_from_an_agents_shell_keeps_its_mark() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let tmux = Tmux::start(&world, "marked", "CLAUDECODE=1");
    refused(&world, &tmux.window("env -u CLAUDECODE"), "marks an agent's shell");
    let tmux = Tmux::start(&world, "loop", "SSH_CONNECTION='127.0.0.1 5 127.0.0.1 22'");
    refused(&world, &tmux.window("env -u SSH_CONNECTION"), "over ssh from this very machine");
    refused(&world, &tmux.window(""), "over ssh from this very machine");
}

#[test]
fn a_person_in_a_multiplexer_is_one() {
    if !has("script") || !has("tmux") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    let tmux = Tmux::start(&world, "mine", "");
    let (code, told) = tried(&world, &tmux.window(""));
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
    world.person("on").succeeds();
    // And stays one while an agent's session runs that began later.
    std::thread::sleep(Duration::from_millis(50));
    let host = AHost::start(&world);
    host.sends("SessionStart", &json!({ "source": "startup" }));
    // But a multiplexer takes keys from anybody, so the person says so.
    let code_word = asked(&world, &tmux.window(""));
    host.sends("UserPromptSubmit", &json!({ "prompt": code_word }));
    let (code, told) = ended(&world);
    assert_eq!(code, "0", "{told}");
    assert_eq!(world.json("status")["enabled"], false);
}

/// A host process of its own, which hands events to the hook until it is dropped.
struct AHost<'a> {
    world: &'a World,
    child: std::process::Child,
}

impl<'a> AHost<'a> {
    fn start(world: &'a World) -> Self {
        let binary = env!("CARGO_BIN_EXE_git-seed");
        let text = format!(
            "while read event; do {binary} hook claude \"$event\" <../event >../answer; echo \
             >../done; done\n"
        );
        let file = executable(world, "host.sh", &text);
        let mut command = Command::new("sh");
        command.arg(file).current_dir(world.repo()).stdin(Stdio::piped());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", world.root().join("home")).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        Self { world, child: command.spawn().expect("a shell") }
    }

    fn sends(&self, event: &str, fields: &serde_json::Value) {
        let mut payload =
            json!({ "session_id": "0c0c", "cwd": self.world.repo(), "hook_event_name": event });
        for (key, value) in fields.as_object().expect("fields") {
            payload[key] = value.clone();
        }
        let _ = fs::remove_file(self.world.root().join("done"));
        fs::write(self.world.root().join("event"), payload.to_string()).expect("written");
        let mut stdin = self.child.stdin.as_ref().expect("a pipe");
        writeln!(stdin, "{event}").expect("it reads");
        left(self.world, "done");
    }
}

impl Drop for AHost<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Events of a host that is nobody's child any more: a session starts and a person speaks.
fn detached(world: &World, environment: &str) {
    let _ = fs::remove_file(world.root().join("code"));
    let event = |name: &str, fields: serde_json::Value| {
        let mut payload =
            json!({ "session_id": "0d0d", "cwd": world.repo(), "hook_event_name": name });
        for (key, value) in fields.as_object().expect("fields") {
            payload[key] = value.clone();
        }
        fs::write(world.root().join(name), payload.to_string()).expect("written");
        format!("git-seed hook claude {name} <../{name}\n")
    };
    // On a busy machine it may begin before the process that detached it is gone; until then it is
    // below the one that started it.
    let waits = "n=0; while [ $PPID != 1 ] && [ $n -lt 100 ] && kill -0 $PPID 2>/dev/null; do \
                 sleep 0.02; n=$((n + 1)); done\n";
    let text = [
        format!("#!/bin/sh\n{waits}"),
        event("SessionStart", json!({ "source": "startup" })),
        event("UserPromptSubmit", json!({ "prompt": "[OFF] now" })),
        "echo 0 >../code\n".to_owned(),
    ]
    .concat();
    let script = executable(world, "claude", &text);
    world.tries(&format!("{CLEAN} {environment} setsid -f {script}"));
    left(world, "code");
}

#[test]
fn a_host_that_an_agent_started_out_of_sight_is_nobody() {
    if !has("setsid") {
        return;
    }
    for environment in ["", "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_SESSION_ATTENDED=0"] {
        let world = World::seeded();
        detached(&world, environment);
        assert_eq!(world.json("status")["enabled"], true, "{environment}");
    }
}

/// Code may take the records of sessions away. A host that nobody's terminal leads to is nobody
/// then, until a person has seen it.
#[test]
fn a_host_out_of_sight_is_nobody_where_the_record_of_a_session_is_lost() {
    if !has("setsid") {
        return;
    }
    for lost in [".git/seed/sessions", ".git/seed/sessions .git/seed/lives.toml"] {
        let world = World::prompted();
        world.sh(&format!("rm -rf {lost}"));
        for _ in 0..2 {
            detached(&world, "CLAUDE_CODE_SESSION_ATTENDED=1");
            assert_eq!(world.json("status")["enabled"], true, "{lost}");
        }
        let said = world.seed("doctor --fix").said();
        assert!(said.out.contains("the record of the session"), "{lost}: {said:?}");
        detached(&world, "CLAUDE_CODE_SESSION_ATTENDED=1");
        assert_eq!(world.json("status")["enabled"], true, "{lost}: the agent mends nothing");
        let said = world.person("doctor --fix").said();
        assert!(said.out.contains("counts as over"), "{lost}: {said:?}");
        detached(&world, "CLAUDE_CODE_SESSION_ATTENDED=1");
        assert_eq!(world.json("status")["enabled"], false, "{lost}");
    }
}

#[test]
fn a_host_without_a_login_is_heard_where_nobody_else_is() {
    if !has("setsid") {
        return;
    }
    let world = World::new();
    world.person("init").succeeds();
    detached(&world, "CLAUDE_CODE_SESSION_ATTENDED=0");
    assert_eq!(world.json("status")["enabled"], false);
    // Beside another one that nobody attends, too.
    world.person("on").succeeds();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.starts();
    detached(&world, "CLAUDE_CODE_SESSION_ATTENDED=0");
    assert_eq!(world.json("status")["enabled"], false);
}

#[test]
fn a_tool_call_that_looks_like_a_hook_line_is_nobodys() {
    let world = World::seeded();
    fs::write(
        world.root().join("event"),
        json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "UserPromptSubmit", "prompt": "[OFF] now",
        })
        .to_string(),
    )
    .expect("written");
    for line in [
        "git-seed hook claude UserPromptSubmit <../event",
        "bash -c '# seed hook \n git-seed hook claude UserPromptSubmit <../event'",
        "bash -c 'true; git-seed hook claude UserPromptSubmit <../event; true'",
        "env A=1 bash -c 'exec git-seed hook claude UserPromptSubmit <../event'",
    ] {
        world.agents_shell(line, "");
        assert_eq!(world.json("status")["enabled"], true, "{line}");
    }
}

#[test]
fn code_that_takes_a_hooks_place_below_the_host_is_nobodys() {
    let world = World::seeded();
    fs::write(
        world.root().join("event"),
        json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "UserPromptSubmit", "prompt": "[OFF] now",
        })
        .to_string(),
    )
    .expect("written");
    let mut lines = vec!["exec git-seed hook claude UserPromptSubmit <../event".to_owned()];
    if has("setsid") && has("bash") {
        // A pipe, as the host's own, in a session of processes as an agent's shell has it.
        lines.push(
            "exec setsid bash -c 'exec git-seed hook claude UserPromptSubmit < <(cat ../event)'"
                .to_owned(),
        );
    }
    for line in lines {
        world.agents_shell(&line, "");
        assert_eq!(world.json("status")["enabled"], true, "{line}");
    }
    // The same text from the host itself counts.
    world.prompt("[OFF] now");
    assert_eq!(world.json("status")["enabled"], false);
}

/// The system lets a program number processes anew, and lay files over `/proc`.
fn has_namespaces() -> bool {
    let mut tried = Command::new("unshare");
    let done = tried.args(["-Urmpf", "--mount-proc", "true"]).stderr(Stdio::null()).status();
    let has = done.is_ok_and(|status| status.success());
    if !has {
        super::skip::not_here("unshare with a user's own namespaces");
    }
    has
}

/// Where the recorded host cannot be seen it is not gone: what speaks there is nobody's, whether
/// it takes the session's name or a new one, and the person is heard afterwards.
#[test]
fn code_that_sees_no_host_is_nobodys() {
    if !has_namespaces() {
        return;
    }
    let world = World::seeded();
    let event = |file: &str, session: &str| {
        let payload = json!({
            "session_id": session, "cwd": world.repo(), "hook_event_name": "UserPromptSubmit",
            "prompt": "[OFF] now",
        });
        fs::write(world.root().join(file), payload.to_string()).expect("written");
    };
    event("known", "e2fc06a6-4aaf-49f6-8712-117cd08f9339");
    event("new", "0e0e");
    let hook = "git-seed hook claude UserPromptSubmit";
    // A parent that is said to be the host's child, and so what handed the event on.
    let made = "mkdir ../p && sed \"s/) [A-Z] [0-9]*/) S $PPID/\" /proc/$$/stat >../p/stat && \
                mount --bind ../p/stat /proc/$$/stat";
    let mut lines = Vec::new();
    for file in ["known", "new"] {
        let said = format!("{hook} <../{file}; true");
        lines.extend([
            format!("unshare -Urpf --mount-proc sh -c '{said}'"),
            format!("unshare -Urpf sh -c '{said}'"),
            format!("unshare -Urm sh -c 'mount -t tmpfs none /proc && {said}'"),
            format!("unshare -Urm sh -c 'mount --bind /sys /proc && {said}'"),
            format!("rm -rf ../p; unshare -Urm sh -c '{made} && {said}'"),
        ]);
        if has("script") {
            let said = format!("script -qec \"{hook} <../{file}\" /dev/null");
            lines.push(format!("unshare -Urpf --mount-proc {said}"));
        }
    }
    for line in &lines {
        world.agents_shell(&format!("env -u CLAUDECODE {line}"), "");
        assert_eq!(world.json("status")["enabled"], true, "{line}");
    }
    for way in ["CLEAN unshare -Urpf --mount-proc script -qec TRY /dev/null"] {
        if has("script") {
            let (code, told) = tried(&world, way);
            assert_eq!(code, "2", "{way}: {told}");
        }
    }
    world.prompt("[OFF] now");
    assert_eq!(world.json("status")["enabled"], false, "the person is heard");
}

#[cfg(unix)]
#[test]
fn a_host_that_speaks_through_sockets_is_heard() {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let world = World::new();
    world.person("init").succeeds();
    let sends = |event: &str, fields: serde_json::Value| {
        let mut payload =
            json!({ "session_id": "s", "cwd": world.repo(), "hook_event_name": event });
        for (key, value) in fields.as_object().expect("fields") {
            payload[key] = value.clone();
        }
        let (mut ours, theirs) = UnixStream::pair().expect("a pair");
        ours.write_all(payload.to_string().as_bytes()).expect("it takes it");
        drop(ours);
        world.sends_through(event, OwnedFd::from(theirs));
    };
    sends("SessionStart", json!({ "source": "startup" }));
    sends("UserPromptSubmit", json!({ "prompt": "[OFF] now" }));
    assert_eq!(world.json("status")["enabled"], false);
}

/// `claude -p "[APPROVE]"` prints the agent's last words alone.
#[test]
fn where_nobody_sits_the_agent_says_what_only_the_person_was_told() {
    let world = World::seeded();
    let told = "perhaps nobody saw it";
    let reply = world.prompt("[APPROVE]");
    assert!(reply.context().is_none_or(|text| !text.contains(told)), "somebody sits there");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.hears("claude", "SessionStart", &json!({ "source": "startup", "session_id": "night" }));
    for word in ["[APPROVE]", "[PAUSE]", "[RESUME]"] {
        let fields = json!({ "prompt": word, "session_id": "night" });
        let reply = world.hears("claude", "UserPromptSubmit", &fields);
        let person = reply.to_person().expect("the person is told").to_owned();
        reply.tells(told);
        reply.tells(&person);
    }
    let fields = json!({ "prompt": "Fix the lexer", "session_id": "night" });
    let reply = world.hears("claude", "UserPromptSubmit", &fields);
    assert!(reply.context().is_none_or(|text| !text.contains(told)), "{reply:?}");
}

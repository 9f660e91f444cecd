//! The tool `run` of `git seed mcp --phases`: one run of tests, held by the kernel, with its
//! receipt. It opens nothing that the client's own sandbox closes, but what the phase may write.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::mcp::Client;
use super::mcp_phases::{client, confines, greeting, into_execute, no, says, yes};
use super::world::World;

fn runs(client: &mut Client, command: &[&str]) -> (bool, String) {
    says(client, "run", &json!({ "command": command }))
}

/// The receipts of the job, oldest first.
fn receipts(world: &World) -> Vec<Value> {
    let journal = world.sh("cat .git/seed/journal/*.jsonl");
    let lines = journal.lines().filter_map(|line| line.split('\t').next());
    let read = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    read.filter(|line| line["ran"].is_object()).map(|line| line["ran"].clone()).collect()
}

/// A makefile whose tests do what `recipe` says.
fn tests_that(world: &World, recipe: &str) {
    world.puts("Makefile", &format!("test:\n\t{recipe}\n"));
}

/// A client in execute, with tests that do what `recipe` says.
fn testing(recipe: &str) -> (World, Client) {
    let world = greeting();
    tests_that(&world, recipe);
    world.git("commit -qam tests");
    let mut client = client(&world);
    into_execute(&mut client);
    (world, client)
}

#[test]
fn a_job_is_proved_by_a_run_of_the_server() {
    if !confines() {
        return;
    }
    let world = greeting();
    let mut client = client(&world);
    into_execute(&mut client);
    let (well, told) = runs(&mut client, &["make", "test"]);
    assert!(!well && told.contains("make test: exit code 2 after "), "{told}");
    world.puts("src/a.txt", "beta\n");
    let done = json!({ "message": "The greeting in src/a.txt says beta; make test passes." });
    // Nothing that passed is recorded yet: the job stays open.
    says(&mut client, "complete", &done);
    assert_eq!(world.json("status")["awaiting"], json!([]));
    let told = yes(&mut client, "run", &json!({ "command": ["make", "test"], "seconds": 40 }));
    assert!(told.starts_with("make test: exit code 0 after "), "{told}");
    assert!(told.contains("The receipt is recorded.\nrunning 1 test\n"), "{told}");
    assert!(told.contains("1 passed; 0 failed"), "{told}");
    let receipts = receipts(&world);
    let of = |key: &str| receipts.iter().map(|ran| ran[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("status"), [2, 0]);
    assert_eq!(of("command"), ["git seed exec -- make test"; 2]);
    assert_eq!(of("run"), ["make"; 2]);
    let told = yes(&mut client, "complete", &done);
    assert!(told.contains("awaits the person: git seed job approve "), "{told}");
    client.leaves();
    // Nothing is broken; that nobody signs is not measured.
    world.person("verify").ends(3, "");
    let id = world.json("status")["awaiting"][0]["id"].as_str().expect("an id").to_owned();
    world.person(&format!("job approve {id}")).succeeds();
    // Where a job was approved, a run shows what happens before the first step, and proves nothing.
    let mut client = self::client(&world);
    yes(&mut client, "start", &json!({ "objective": "Let the greeting say gamma" }));
    yes(&mut client, "run", &json!({ "command": ["make", "test"] }));
    assert_eq!(self::receipts(&world).last().expect("a receipt")["reproduced"], true);
    client.leaves();
}

#[test]
fn a_run_writes_where_the_phase_may_and_nowhere_else() {
    if !confines() {
        return;
    }
    let home = tempfile::tempdir().expect("a directory");
    let at_home = home.path().join("no").display().to_string();
    let tried = [
        ".git/hooks/post-commit",
        ".git/seed/no",
        ".claude/settings.json",
        "elsewhere.txt",
        "/tmp/git-seed-no",
        "/dev/shm/git-seed-no",
        "$$HOME/.cache/no",
        "$$HOME/.cargo/registry/no",
        &at_home,
    ];
    let each = |path: &str| format!("(echo no >{path}) 2>/dev/null && echo WROTE {path};");
    let closed: String = tried.iter().map(|path| each(path)).collect();
    let open = "echo yes >src/made.txt && echo yes >$$TMPDIR/made && mkdir -p \
                $$XDG_CACHE_HOME && echo OPEN; true";
    let (world, mut client) = testing(&format!("@{closed} {open}"));
    world.sh("mkdir -p \"$HOME/.cache\" \"$HOME/.cargo/registry\" .claude");
    let (well, told) = runs(&mut client, &["make", "test"]);
    assert!(well && told.contains("OPEN") && !told.contains("WROTE"), "{told}");
    assert_eq!(world.text("src/made.txt"), "yes\n");
    // What the run made is the agent's, as what it edits is.
    yes(&mut client, "checkpoint", &json!({ "message": "made" }));
    assert_eq!(world.files_of_head(), ["src/made.txt"]);
    client.leaves();
}

#[test]
fn a_run_reaches_no_network_no_other_program_and_no_secret() {
    if !confines() {
        return;
    }
    let Ok(_) = std::process::Command::new("python3").arg("--version").output() else {
        return super::skip::not_here("python3");
    };
    let socket = tempfile::tempdir().expect("a directory");
    let path = socket.path().join("s");
    let _listens = std::os::unix::net::UnixListener::bind(&path).expect("it binds");
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = tcp.local_addr().expect("it has one").port();
    let (world, mut client) = testing("@python3 src/tries.py");
    world.sh("mkdir -p \"$HOME/.ssh\"; echo secret >\"$HOME/.ssh/id\"");
    let own = std::process::id();
    world.puts(
        "src/tries.py",
        &format!(
            r#"
import fcntl, os, signal, socket, termios
def tries(name, act):
    try:
        act()
        print("REACHED", name)
    except OSError as error:
        print("no", name, error.errno)
def pair(kind):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    one.send(b"x")
    assert other.recv(1) == b"x"
    print("pair")
def named():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"x", "{path}")
tries("tcp", lambda: socket.create_connection(("127.0.0.1", {port})))
tries("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
tries("unix", lambda: socket.socket(socket.AF_UNIX).connect("{path}"))
tries("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
tries("named", named)
tries("signal", lambda: os.kill({own}, 0))
tries("secret", lambda: open(os.path.expanduser("~/.ssh/id")).read())
tries("typed", lambda: fcntl.ioctl(os.open("/dev/null", os.O_RDONLY), termios.TIOCSTI, b"x"))
pair(socket.SOCK_STREAM)
print("TOKEN" if "A_TOKEN" in os.environ else "no token")
"#,
            path = path.display()
        ),
    );
    let (well, told) = runs(&mut client, &["make", "test"]);
    assert!(well && told.contains("\npair\nno token"), "{told}");
    assert!(!told.contains("REACHED"), "{told}");
    for refused in ["tcp", "udp", "unix", "netlink", "named", "signal", "typed"] {
        assert!(told.contains(&format!("no {refused} 1\n")), "{refused}: {told}");
    }
    assert!(told.contains("no secret 13\n"), "{told}");
    client.leaves();
}

#[test]
fn only_a_run_that_the_rules_know_is_run_and_only_where_the_phase_opens_it() {
    if !confines() {
        return;
    }
    let world = greeting();
    let mut client = client(&world);
    let test = json!({ "command": ["make", "test"] });
    no(&mut client, "run", &test, "begin with the tool start");
    yes(&mut client, "start", &json!({ "objective": "Let the greeting say beta" }));
    // Nobody has approved anything here yet, so the first run waits for a person.
    no(&mut client, "run", &test, "nobody can be asked");
    yes(&mut client, "look", &json!({ "path": "src/a.txt" }));
    yes(&mut client, "declare", &json!({ "directories": ["src"] }));
    let small = "saw alpha in src/a.txt\nsrc/a.txt says beta\nmake test shows it";
    yes(&mut client, "advance", &json!({ "small": true, "message": small }));
    world.sh("printf '#!/bin/sh\\ntouch src/ran\\n' >src/evil; chmod +x src/evil");
    for command in [
        &["touch", "src/ran"][..],
        &["sh", "-c", "make test"],
        &["bash", "-lc", "make test; touch src/ran"],
        &["make test"],
        &["make", "test;touch", "src/ran"],
        &["make", "test", "&&", "touch", "src/ran"],
        &["make", "test", "$(touch src/ran)"],
        &["src/evil"],
        &["./src/evil", "make", "test"],
        &["git", "push"],
        &["git", "seed", "exec", "--", "touch", "src/ran"],
        &["git-seed", "off", "-m", "x"],
        &["make", "-C", "/", "test"],
        &["make", "--version", "test"],
        &["--", "make", "test"],
        &["-h"],
    ] {
        let (well, told) = runs(&mut client, command);
        assert!(!well, "{command:?}: {told}");
        assert!(!world.path("src/ran").exists(), "{command:?}: {told}");
    }
    for dir in ["..", "/", ".git", "src/a.txt", "nowhere"] {
        no(&mut client, "run", &json!({ "command": ["make", "test"], "directory": dir }), "");
    }
    let refused = |client: &mut Client, arguments: &Value| {
        let answer = client.calls("run", arguments);
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    for command in [
        json!("make test"),
        json!([]),
        json!([""]),
        json!([" "]),
        json!(["make", 1]),
        json!(["make", "te\0st"]),
        json!(vec!["x"; 201]),
        json!(["x".repeat(3000)]),
        json!({ "0": "make" }),
    ] {
        let said = refused(&mut client, &json!({ "command": command }));
        assert!(said.contains("a list of 1 to 200 texts"), "{said}");
    }
    for seconds in [json!(0), json!(-1), json!(1.5), json!(3601), json!("50")] {
        let said = refused(&mut client, &json!({ "command": ["make"], "seconds": seconds }));
        assert!(said.contains("a whole number from 1 to 3600"), "{said}");
    }
    assert!(receipts(&world).iter().all(|ran| ran["status"] != 0), "nothing that passed");
    client.leaves();
}

/// Runs of which the last line is written to this file while they go on.
const GOES_ON: &str = "@echo began >src/began; sleep 600 & echo $$! >src/below; wait";

/// Waits until tests have begun, and gives a process of theirs.
fn begun(world: &World) -> u32 {
    waits_for(|| world.text("src/below").trim().parse().ok())
}

fn waits_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let patience = Instant::now() + Duration::from_mins(1);
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < patience, "it did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_over(pid: u32) {
    waits_for(|| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let over = stat.is_empty() || stat.contains(") Z ");
        over.then_some(())
    });
}

#[test]
fn a_run_that_takes_too_long_is_ended_and_leaves_no_receipt() {
    if !confines() {
        return;
    }
    let (world, mut client) = testing(GOES_ON);
    let call = json!({
        "name": "run", "arguments": { "command": ["make", "test"], "seconds": 2 },
        "_meta": { "progressToken": "p" },
    });
    let answer = client.asks("tools/call", &call);
    let told = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(told.contains("make test was ended after 2 s; no receipt is recorded"), "{answer}");
    assert_eq!(answer["result"]["isError"], true);
    is_over(begun(&world));
    assert_eq!(receipts(&world), Vec::<Value>::new());
    let news = client.news();
    let of = |key: &str| news.iter().map(|one| one["params"][key].clone()).collect::<Vec<_>>();
    assert_eq!(of("progress")[0], 1.0, "{news:?}");
    assert_eq!(of("message")[0], "make test: 1 s");
    assert_eq!(of("progressToken")[0], "p");
    client.leaves();
}

#[test]
fn a_run_ends_with_its_request_and_with_the_clients_last_word() {
    if !confines() {
        return;
    }
    let (world, mut client) = testing(GOES_ON);
    let call = json!({ "name": "run", "arguments": { "command": ["make", "test"] } });
    let id = client.asks_for_later("tools/call", &call);
    let below = begun(&world);
    client.cancels(id);
    is_over(below);
    // The desk is free again, and nothing is proved.
    yes(&mut client, "look", &json!({}));
    assert_eq!(receipts(&world), Vec::<Value>::new());
    world.sh("rm src/below");
    client.asks_for_later("tools/call", &call);
    let below = begun(&world);
    let ended = Instant::now();
    assert_eq!(client.leaves().0, Some(0));
    assert!(ended.elapsed() < Duration::from_secs(20), "{:?}", ended.elapsed());
    is_over(below);
    assert_eq!(receipts(&world), Vec::<Value>::new());
}

#[test]
fn what_a_run_leaves_behind_ends_with_it_and_what_it_prints_is_cut() {
    if !confines() {
        return;
    }
    let recipe = "@sleep 600 & echo $$! >src/below; seq 1 100000; echo '# last \\033[31m\\377'";
    let (world, mut client) = testing(recipe);
    let began = Instant::now();
    let (well, told) = runs(&mut client, &["make", "test"]);
    assert!(well, "{told}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    is_over(begun(&world));
    assert!(told.contains("(the last lines of what it printed)\n99"), "{told}");
    assert!(told.len() < 10_000 && told.contains("# last"), "{told}");
    client.leaves();
}

#[test]
fn the_tool_says_what_it_does() {
    let world = greeting();
    let mut client = client(&world);
    let listed = client.asks("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let run = tools.iter().find(|tool| tool["name"] == "run").expect("it is there");
    assert_eq!(run["annotations"]["readOnlyHint"], false);
    assert_eq!(run["annotations"]["openWorldHint"], false);
    assert_eq!(run["inputSchema"]["required"], json!(["command"]));
    assert_eq!(run["inputSchema"]["properties"]["command"]["type"], "array");
    client.leaves();
}

/// As on a kernel without Landlock, for this thread and all that it starts.
#[cfg(target_os = "linux")]
fn without_landlock() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    let rules = [(libc::SYS_landlock_create_ruleset, Vec::new())].into();
    let refuse = SeccompAction::Errno(libc::EOPNOTSUPP.unsigned_abs());
    let target = std::env::consts::ARCH.try_into().expect("it is known");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, target);
    let program: BpfProgram = filter.expect("rules").try_into().expect("a program");
    seccompiler::apply_filter(&program).expect("the kernel filters");
}

#[test]
#[cfg(target_os = "linux")]
fn where_the_kernel_confines_nothing_nothing_is_run() {
    let alone = std::thread::spawn(|| {
        let world = greeting();
        without_landlock();
        let mut client = client(&world);
        into_execute(&mut client);
        let test = json!({ "command": ["make", "test"] });
        no(&mut client, "run", &test, "nothing is run here: the kernel cannot confine it (");
        assert_eq!(receipts(&world), Vec::<Value>::new());
        client.leaves();
    });
    alone.join().expect("it holds");
}

use super::*;

/// An agent session runs since then.
const AGENT: i64 = 1_000_000;

fn up(pid: u32, name: &str, exe: &str) -> Ancestor {
    Ancestor {
        pid,
        parent: pid - 1,
        started: pid.to_string(),
        started_ms: Some(AGENT - 500),
        name: name.to_owned(),
        line: name.to_owned(),
        exe: Some(exe.to_owned()),
        exe_ms: Some(AGENT - 900),
        tty: 7,
        ..Ancestor::default()
    }
}

fn shell() -> Ancestor {
    up(50, "bash", "/usr/bin/bash")
}

fn around(above: Vec<Ancestor>) -> Surroundings {
    Surroundings { above, terminals: true, tty: 7, ..Surroundings::default() }
}

fn agents() -> Agents {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    Agents {
        programs: words(&["claude", "codex"]),
        markers: Vec::new(),
        shares_terminal: words(&["code", "server-main", "com.intellij.idea.Main"]),
    }
}

/// One session lives since `AGENT`.
fn one() -> Lives {
    let process = Process {
        pid: 40,
        started: "40".to_owned(),
        name: "renamed".to_owned(),
        line: String::new(),
        detached: false,
    };
    Lives { live: vec![HostProcess { process, since: AGENT }], over: Vec::new() }
}

/// None lives; the last two were there from `AGENT` on, with a while between them.
fn ended() -> Lives {
    let over = [(AGENT, AGENT + 100), (AGENT + 200, AGENT + 300)];
    Lives { live: Vec::new(), over: over.map(|(from, to)| Life { from, to }).to_vec() }
}

fn verdict(around: &Surroundings) -> Result<Typist, NotAPerson> {
    who(around, &agents(), &one())
}

fn at(up: Ancestor, after: i64) -> Ancestor {
    Ancestor { started_ms: Some(AGENT + after), ..up }
}

fn others(up: Ancestor) -> Ancestor {
    Ancestor { exe: None, exe_ms: None, others: true, ..up }
}

#[test]
fn people_are_let_through() {
    let outside = Ancestor { parent: 0, ..up(77, "bash", "/usr/bin/bash") };
    for chain in [
        vec![shell(), up(9, "login", "/usr/bin/login")],
        vec![shell(), others(up(9, "login", ""))],
        vec![shell(), others(up(9, "sshd", ""))],
        vec![shell(), others(up(9, "sshd: ada@pts/0", ""))],
        vec![shell(), up(9, "sshd-session", "/usr/lib/ssh/sshd-session")],
        vec![shell(), up(9, "gnome-terminal-", "/usr/libexec/gnome-terminal-server")],
        vec![shell(), others(up(9, "Relay(50)", ""))],
        vec![shell(), up(9, "SessionLeader", "/init")],
        vec![
            shell(),
            up(9, "-su", "/usr/bin/bash"),
            others(up(8, "su", "")),
            up(7, "xterm", "/usr/bin/xterm"),
        ],
        // A script that the old shell runs now.
        vec![at(up(60, "sh", "/usr/bin/dash"), 9), shell(), up(9, "xterm", "/usr/bin/xterm")],
        vec![shell(), up(9, "kitty", "/nix/store/x/bin/.kitty-wrapped")],
        vec![shell(), up(9, "mosh-server", "/usr/bin/mosh-server")],
        vec![Ancestor { parent: 0, ..up(1, "bash", "/usr/bin/bash") }],
        vec![shell(), outside],
    ] {
        assert_eq!(verdict(&around(chain.clone())), Ok(Typist::Person), "{chain:#?}");
    }
}

#[test]
fn while_a_session_lives_a_new_terminal_and_a_multiplexer_leave_it_open() {
    let entered = |up: Ancestor| Ancestor { parent: 0, ..up };
    let editor = |line: &str| Ancestor { line: line.to_owned(), ..up(9, "node", "/n") };
    let here = || Ancestor { from_here: true, ..others(up(9, "sshd", "")) };
    for (chain, by) in [
        // Its window, or the whole terminal, is younger than the session.
        (vec![at(shell(), 9), up(9, "alacritty", "/usr/bin/alacritty")], "alacritty"),
        // As code opens one by `wsl.exe`, too.
        (vec![at(shell(), 9), others(up(9, "Relay(50)", ""))], "init"),
        (vec![at(shell(), 0), up(9, "login", "/usr/bin/login")], "login"),
        (vec![shell(), at(others(up(9, "sshd", "")), 5)], "sshd"),
        (vec![at(shell(), 9), at(up(9, "xterm", "/usr/bin/xterm"), 8)], "xterm"),
        (vec![at(shell(), 9), at(up(9, "mosh-server", "/usr/bin/mosh-server"), 8)], "mosh-server"),
        // Anybody may type into these, however old.
        (vec![shell(), up(9, "tmux: server", "/usr/bin/tmux")], "tmux"),
        (vec![at(shell(), 9), at(up(9, "tmux: server", "/usr/bin/tmux"), 8)], "tmux"),
        (vec![shell(), up(9, "SCREEN", "/usr/bin/screen")], "screen"),
        (vec![shell(), up(9, "zellij", "/usr/bin/zellij")], "zellij"),
        (vec![shell(), up(8, "zellij", "/z/zellij"), up(7, "xterm", "/usr/bin/xterm")], "zellij"),
        // The command itself is all that the multiplexer or the terminal started.
        (vec![up(9, "xterm", "/usr/bin/xterm")], "xterm"),
        // A session ago.
        (vec![entered(at(up(77, "bash", "/usr/bin/bash"), 3))], "bash"),
        (vec![shell(), here()], "ssh"),
        // Editors that hold the agent and the person's shells, here and on another machine.
        (vec![shell(), up(9, "code", "/usr/share/code/code")], "code"),
        (vec![shell(), editor("/v/node /v/out/server-main.js --port=0")], "node"),
        (vec![shell(), editor("/jbr/bin/java -cp x com.intellij.idea.Main")], "node"),
    ] {
        let found = verdict(&around(chain.clone()));
        assert_eq!(found, Ok(Typist::Untold(by.to_owned())), "{chain:#?}");
    }
    let looped =
        Surroundings { from_here: true, ..around(vec![shell(), others(up(9, "sshd", ""))]) };
    assert_eq!(verdict(&looped), Ok(Typist::Untold("ssh".to_owned())));
}

#[test]
fn agents_are_not() {
    let name = |text: &str| text.to_owned();
    let young_file = Ancestor { exe_ms: Some(AGENT + 1), ..up(9, "tmux: server", "/tmp/tmux") };
    let marked =
        Ancestor { markers: vec![name("CLAUDECODE")], ..up(9, "tmux: server", "/usr/bin/tmux") };
    let other_tty = Ancestor { parent: 0, tty: 8, ..up(77, "bash", "/usr/bin/bash") };
    let node = Ancestor {
        line: name("node --max-old-space-size=9 /usr/bin/claude -p x"),
        ..up(9, "node", "/n")
    };
    for (chain, why) in [
        (vec![shell()], NotAPerson::NoLogin),
        (vec![shell(), up(9, "supervisord", "/usr/bin/python3")], NotAPerson::NoLogin),
        (vec![shell(), up(9, "su", "/usr/bin/su")], NotAPerson::NoLogin),
        (vec![shell(), up(9, "sudo", "/usr/bin/sudo")], NotAPerson::NoLogin),
        (vec![shell(), up(9, "codexec", "/usr/bin/codexec")], NotAPerson::NoLogin),
        (vec![shell(), up(9, "script", "/usr/bin/script")], NotAPerson::NoLogin),
        (vec![shell(), up(9, "loginctl", "/usr/bin/loginctl")], NotAPerson::NoLogin),
        (vec![shell(), up(1, "systemd", "/usr/lib/systemd/systemd")], NotAPerson::NoLogin),
        (vec![shell(), Ancestor { tty: 0, ..up(1, "bash", "/bin/bash") }], NotAPerson::NoLogin),
        (vec![shell(), Ancestor { tty: 8, ..up(1, "bash", "/bin/bash") }], NotAPerson::NoLogin),
        (vec![shell(), other_tty], NotAPerson::NoLogin),
        (vec![shell(), up(9, "tmux", "/usr/bin/bash")], NotAPerson::Disguised(name("tmux"))),
        (
            vec![shell(), Ancestor { exe: None, ..up(9, "tmux", "") }],
            NotAPerson::Disguised(name("tmux")),
        ),
        (vec![shell(), young_file], NotAPerson::Disguised(name("tmux: server"))),
        (
            vec![shell(), up(40, "renamed", "/x"), up(9, "login", "/usr/bin/login")],
            NotAPerson::AgentAbove(name("renamed")),
        ),
        (
            vec![shell(), up(30, "codex", "/x"), up(9, "login", "/usr/bin/login")],
            NotAPerson::AgentAbove(name("codex")),
        ),
        (
            vec![shell(), node, up(8, "login", "/usr/bin/login")],
            NotAPerson::AgentAbove(name("node")),
        ),
        (
            vec![shell(), marked],
            NotAPerson::MarkedAbove { name: name("tmux: server"), marker: name("CLAUDECODE") },
        ),
    ] {
        assert_eq!(verdict(&around(chain.clone())), Err(why), "{chain:#?}");
    }
    let login = || vec![shell(), up(9, "login", "/usr/bin/login")];
    let bare = Surroundings { terminals: false, ..around(login()) };
    assert_eq!(verdict(&bare), Err(NotAPerson::NoTerminal));
    let marked = Surroundings { markers: vec![name("CLAUDECODE")], ..around(login()) };
    assert_eq!(verdict(&marked), Err(NotAPerson::AgentMarker(name("CLAUDECODE"))));
}

#[test]
fn while_no_session_lives_a_shell_from_between_them_is_nobodys() {
    let terminal = || up(9, "xterm", "/usr/bin/xterm");
    let tmux = || up(9, "tmux: server", "/usr/bin/tmux");
    let code = || up(9, "code", "/usr/share/code/code");
    let shared = || Err(NotAPerson::Shared("code".to_owned()));
    for (chain, found) in [
        (vec![shell(), terminal()], Ok(Typist::Person)),
        (vec![shell(), tmux()], Ok(Typist::Person)),
        (vec![at(shell(), 301), tmux()], Ok(Typist::Person)),
        // A window that the agent left behind, one of the time between, and their neighbours.
        (vec![at(shell(), 50), tmux()], Err(NotAPerson::LeftBehind)),
        (vec![at(shell(), 50), at(tmux(), 40)], Err(NotAPerson::LeftBehind)),
        (vec![at(shell(), 150), terminal()], Err(NotAPerson::LeftBehind)),
        (vec![at(shell(), 0), terminal()], Err(NotAPerson::LeftBehind)),
        (vec![at(shell(), 300), terminal()], Err(NotAPerson::LeftBehind)),
        (vec![at(shell(), -1), terminal()], Ok(Typist::Person)),
        (vec![shell(), code()], Ok(Typist::Person)),
        (vec![at(shell(), 301), code()], shared()),
        // However old the terminal is that the editor was started from.
        (vec![at(up(60, "bash", "/b"), 301), code(), shell(), terminal()], shared()),
    ] {
        let who = who(&around(chain.clone()), &agents(), &ended());
        assert_eq!(who, found, "{chain:#?}");
    }
    let here = Ancestor { from_here: true, ..others(up(9, "sshd", "")) };
    let found = who(&around(vec![shell(), here]), &agents(), &ended());
    assert_eq!(found, Err(NotAPerson::FromHere));
}

#[test]
fn without_a_session_age_says_nothing() {
    let young = at(up(9, "tmux: server", "/usr/bin/tmux"), 1);
    let young = Ancestor { exe_ms: Some(AGENT + 1), ..young };
    let nobody = Lives::default();
    assert_eq!(who(&around(vec![shell(), young]), &agents(), &nobody), Ok(Typist::Person));
    let editor = at(up(9, "code", "/usr/share/code/code"), 1);
    assert_eq!(who(&around(vec![shell(), editor]), &agents(), &nobody), Ok(Typist::Person));
}

#[test]
fn a_host_is_started_by_whom_its_own_chain_leads_to() {
    let started = |above: &[Ancestor]| who_started(above, &agents(), &one());
    let detached = [up(3, "systemd", "/usr/lib/systemd/systemd")];
    assert_eq!(started(&detached), Err(NotAPerson::NoLogin));
    let young = |up: Ancestor| at(up, 5);
    let login = [young(shell()), young(up(9, "xterm", "/usr/bin/xterm"))];
    assert_eq!(started(&login), Ok(Typist::Person));
    // An editor's server that was there before; the same one started later; a new tmux.
    let init = || up(1, "init", "/sbin/init");
    let editor = [young(shell()), up(9, "node", "/opt/server/node"), init()];
    assert_eq!(started(&editor), Ok(Typist::Person));
    let later = [young(shell()), young(up(9, "node", "/opt/server/node")), init()];
    assert_eq!(started(&later), Err(NotAPerson::NoLogin));
    let untold = |by: &str| Ok(Typist::Untold(by.to_owned()));
    let tmux = [young(shell()), young(up(9, "tmux: server", "/usr/bin/tmux")), init()];
    assert_eq!(started(&tmux), untold("tmux"));
    let code = [young(up(9, "code", "/usr/share/code/code")), init()];
    assert_eq!(started(&code), untold("code"));
    let here = [shell(), Ancestor { from_here: true, ..others(up(9, "sshd", "")) }];
    assert_eq!(started(&here), untold("sshd"));
}

#[test]
fn an_agent_is_known_by_its_program_or_its_script() {
    for (name, line, known) in [
        ("claude", "claude -p x", true),
        ("node", "node /usr/bin/claude --resume", true),
        ("node", "node --max-old-space-size=8192 /usr/bin/claude", true),
        ("node", "node --no-warnings -r dotenv/config --import tsx /opt/claude.mjs", true),
        ("MainThread", "/usr/local/bin/node --trace /usr/bin/claude", true),
        ("bun", "bun run --bun claude", true),
        ("python3.12", "/usr/bin/python3.12 -I -m claude", true),
        ("env", "env A=1 claude", true),
        ("renamed", "/opt/x/claude", true),
        ("vim", "vim claude.md", false),
        ("grep", "grep -r x claude", false),
        ("node", "node server.js claude", false),
        ("claudette", "claudette", false),
    ] {
        assert_eq!(runs_program(name, line, "claude"), known, "{line}");
    }
}

#[test]
fn both_ends_of_a_connection_are_compared() {
    for (connection, here) in [
        ("127.0.0.1 50000 127.0.0.1 22", true),
        ("::1 50000 ::1 22", true),
        ("::ffff:127.0.0.1 1 ::ffff:127.0.0.1 22", true),
        ("192.168.1.4 50000 192.168.1.4 22", true),
        ("fe80::1%eth0 5 fe80::1%lo 22", true),
        ("192.168.1.9 50000 192.168.1.4 22", false),
        ("", false),
    ] {
        assert_eq!(is_from_here(connection), here, "{connection}");
    }
}

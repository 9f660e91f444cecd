//! Whether a person sits behind a process: what speaks for it is gathered in one place and
//! judged in another.
//!
//! An agent runs as the person's own user and can give its code a terminal (`script`, a new
//! `tmux`, `ssh localhost`, a pty of Python's). What it cannot do is to put that code below
//! a login that was there before it. So a chain of processes has to lead to a program that
//! people log in through, whose file and, for one that outlives its terminal, whose process
//! is older than every agent session that runs here.

use super::Process;

/// Why a command that is a person's may not act here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAPerson {
    #[error("no terminal")]
    NoTerminal,
    #[error("the agent host `{0}` is among the processes above")]
    AgentAbove(String),
    #[error("the variable `{0}` marks an agent's shell")]
    AgentMarker(String),
    #[error("`{name}` above was started with `{marker}`, which marks an agent's shell")]
    MarkedAbove { name: String, marker: String },
    #[error("this terminal was opened over ssh from this very machine")]
    FromHere,
    #[error(
        "`{0}` was started after the agent's session. Use a terminal from before it or outside of \
         `{0}`, or a short word in the prompt"
    )]
    Younger(String),
    #[error("`{0}` is no login program: its file is another or too new")]
    Disguised(String),
    #[error("the processes above do not lead to a login, a terminal or a multiplexer")]
    NoLogin,
}

/// A process above, with all that speaks for or against a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ancestor {
    pub pid: u32,
    pub parent: u32,
    pub started: String,
    /// When it started, in milliseconds; absent where the system does not tell.
    pub started_ms: Option<i64>,
    pub name: String,
    pub line: String,
    /// The file that it runs, and when that file's inode changed.
    pub exe: Option<String>,
    pub exe_ms: Option<i64>,
    /// It belongs to another user.
    pub others: bool,
    /// The number of its terminal; 0 for none.
    pub tty: i64,
    /// Marks of agents in the environment that it was started with.
    pub markers: Vec<String>,
    /// That environment says: over ssh, from this machine.
    pub from_here: bool,
}

/// What is known about a process and those above it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// Nearest first.
    pub above: Vec<Ancestor>,
    /// Marks of agents in the environment of this process.
    pub markers: Vec<String>,
    pub from_here: bool,
    /// Input and errors are terminals.
    pub terminals: bool,
    pub tty: i64,
}

/// A recorded host process of an agent session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostProcess {
    pub process: Process,
    pub started_ms: Option<i64>,
}

/// Programs that a person's shell hangs below, as the system names their processes (15
/// letters at most there), and what the file may be called.
const LOGINS: [(&str, &str); 30] = [
    ("login", "login"),
    ("sshd", "sshd"),
    ("sshd-session", "sshd-session"),
    ("tmux: server", "tmux"),
    ("tmux: client", "tmux"),
    ("tmux", "tmux"),
    ("screen", "screen"),
    ("SCREEN", "screen"),
    ("zellij", "zellij"),
    ("dtach", "dtach"),
    ("abduco", "abduco"),
    ("mosh-server", "mosh-server"),
    ("gnome-terminal-", "gnome-terminal-server"),
    ("xfce4-terminal", "xfce4-terminal"),
    ("konsole", "konsole"),
    ("xterm", "xterm"),
    ("alacritty", "alacritty"),
    ("kitty", "kitty"),
    ("wezterm", "wezterm"),
    ("wezterm-gui", "wezterm-gui"),
    ("wezterm-mux-ser", "wezterm-mux-server"),
    ("foot", "foot"),
    ("ghostty", "ghostty"),
    ("tilix", "tilix"),
    ("ptyxis-agent", "ptyxis-agent"),
    ("code", "code"),
    ("getty", "getty"),
    ("agetty", "agetty"),
    ("Terminal", "Terminal"),
    ("iTerm2", "iTerm2"),
];

/// Those that outlive the terminal they were started from: whoever starts one is no longer
/// above it.
const OUTLIVES: [&str; 9] = [
    "tmux: server",
    "tmux",
    "screen",
    "SCREEN",
    "zellij",
    "dtach",
    "abduco",
    "mosh-server",
    "wezterm-mux-ser",
];

const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "fish", "dash", "ash", "ksh"];

/// Says whether a person may be assumed behind a command. `agents` are the names of hosts,
/// `hosts` the recorded ones that run here.
///
/// # Errors
///
/// Says what speaks against it.
pub(crate) fn who(
    around: &Surroundings,
    agents: &[String],
    hosts: &[HostProcess],
) -> Result<(), NotAPerson> {
    if let Some(marker) = around.markers.first() {
        return Err(NotAPerson::AgentMarker(marker.clone()));
    }
    no_agent_above(&around.above, agents, hosts)?;
    if around.from_here {
        return Err(NotAPerson::FromHere);
    }
    if !around.terminals {
        return Err(NotAPerson::NoTerminal);
    }
    leads_to_a_login(&around.above, Some(around.tty), hosts)
}

/// Programs that take over what lost its parent, or that start things for anybody.
const REAPERS: [&str; 17] = [
    "systemd",
    "init",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "conmon",
    "runsvdir",
    "s6-svscan",
    "launchd",
    "cron",
    "crond",
    "anacron",
    "atd",
    "dbus-daemon",
    "dbus-broker",
    "containerd-shim",
];

/// Says whether a host process was started by a person while other sessions run: its own
/// chain has to lead to a login, or to something that no agent made: a program that was
/// there before every session, such as an editor's, and that does not take in orphans.
///
/// # Errors
///
/// Says what speaks against it.
pub(crate) fn started_by_a_person(
    above: &[Ancestor],
    agents: &[String],
    hosts: &[HostProcess],
) -> Result<(), NotAPerson> {
    no_agent_above(above, agents, hosts)?;
    let oldest = hosts.iter().filter_map(|host| host.started_ms).min();
    let before = |up: &Ancestor| {
        let takes_in = up.pid == 1
            || REAPERS.iter().any(|reaper| up.name == *reaper)
            || login_file(&up.name).is_some();
        !takes_in && up.started_ms.zip(oldest).is_some_and(|(at, oldest)| at < oldest)
    };
    if above.iter().any(before) { Ok(()) } else { leads_to_a_login(above, None, hosts) }
}

fn no_agent_above(
    above: &[Ancestor],
    agents: &[String],
    hosts: &[HostProcess],
) -> Result<(), NotAPerson> {
    for up in above {
        let recorded = hosts
            .iter()
            .any(|host| host.process.pid == up.pid && host.process.started == up.started);
        if recorded || agents.iter().any(|agent| runs_program(&up.name, &up.line, agent)) {
            return Err(NotAPerson::AgentAbove(up.name.clone()));
        }
        if let Some(marker) = up.markers.first() {
            return Err(NotAPerson::MarkedAbove { name: up.name.clone(), marker: marker.clone() });
        }
        if up.from_here {
            return Err(NotAPerson::FromHere);
        }
    }
    Ok(())
}

fn leads_to_a_login(
    above: &[Ancestor],
    tty: Option<i64>,
    hosts: &[HostProcess],
) -> Result<(), NotAPerson> {
    // Where the system names no process at all, the terminal has to do.
    if above.is_empty() && !cfg!(target_os = "linux") {
        return Ok(());
    }
    let oldest = hosts.iter().filter_map(|host| host.started_ms).min();
    let mut against = None;
    for up in above {
        let Some(file) = login_file(&up.name) else { continue };
        if !is_itself(up, file, oldest) {
            against.get_or_insert(NotAPerson::Disguised(up.name.clone()));
            continue;
        }
        let young = OUTLIVES.contains(&bare(&up.name))
            && oldest.is_some_and(|oldest| up.started_ms.is_none_or(|at| at >= oldest));
        if young {
            let name = file.to_owned();
            against.get_or_insert(NotAPerson::Younger(name));
            continue;
        }
        return Ok(());
    }
    // A container's first process may itself be the person's shell, and one may be entered
    // from outside. Whatever is orphaned there hangs below the first one, too: so it has to
    // be on this very terminal.
    let entered = |up: &Ancestor| {
        let first = up.pid == 1 && SHELLS.contains(&bare(&up.name));
        let outside = up.parent == 0 && up.pid != 1;
        (first || outside) && up.tty != 0 && tty.is_none_or(|tty| tty == up.tty)
    };
    if above.last().is_some_and(entered) {
        Ok(())
    } else {
        Err(against.unwrap_or(NotAPerson::NoLogin))
    }
}

fn bare(name: &str) -> &str {
    name.trim_start_matches('-')
}

/// What the file of this login program is called; nothing where it is none.
fn login_file(name: &str) -> Option<&'static str> {
    let name = bare(name);
    if name.starts_with("sshd: ") {
        return Some("sshd");
    }
    LOGINS.iter().find(|(known, _)| *known == name).map(|(_, file)| *file)
}

/// The process runs the file that its name says, and that file was there before the agent.
fn is_itself(up: &Ancestor, file: &str, oldest: Option<i64>) -> bool {
    let Some(exe) = &up.exe else {
        // What belongs to another user was not put there by this one; elsewhere nobody tells.
        return up.others || !cfg!(target_os = "linux");
    };
    let found = exe.rsplit('/').next().unwrap_or(exe);
    let found = found.strip_suffix(" (deleted)").unwrap_or(found);
    // Some systems wrap programs: `.kitty-wrapped`.
    let found = found.trim_start_matches('.');
    let found = found.strip_suffix("-wrapped").unwrap_or(found);
    let named = found == file || file == "sshd" && found == "sshd-session";
    let young = oldest.zip(up.exe_ms).is_some_and(|(oldest, at)| at >= oldest);
    named && !young
}

/// Interpreters, whose first word that is no flag is the program.
const INTERPRETERS: [&str; 15] = [
    "node", "nodejs", "bun", "deno", "python", "python3", "ruby", "perl", "env", "npx", "npm",
    "pnpm", "uv", "uvx", "tsx",
];
/// Their flags that take the next word for themselves.
const TAKES_A_WORD: [&str; 14] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "--env-file",
    "-X",
    "-W",
    "-u",
    "--unset",
    "-p",
    "--package",
];
/// Words between an interpreter and the program.
const BETWEEN: [&str; 6] = ["run", "exec", "x", "tool", "dlx", "start"];

/// True when a process of this name and command line runs the program `wanted`, also as a
/// script of an interpreter.
pub(crate) fn runs_program(name: &str, line: &str, wanted: &str) -> bool {
    let file = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or(word).to_owned();
    let is_wanted = |word: &str| {
        let file = file(word);
        let stem = ["js", "mjs", "cjs", "ts", "py"]
            .iter()
            .find_map(|end| file.strip_suffix(&format!(".{end}")));
        file == wanted || stem == Some(wanted)
    };
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    if name == wanted || is_wanted(program) {
        return true;
    }
    let bare = file(program.trim_start_matches('-'));
    let interpreter = INTERPRETERS.iter().any(|known| {
        bare.strip_prefix(known)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    });
    if !interpreter {
        // A script with an interpreter of its own, or a wrapper like `nice`.
        return words.next().is_some_and(is_wanted);
    }
    while let Some(word) = words.next() {
        if TAKES_A_WORD.contains(&word) {
            words.next();
        } else if is_wanted(word) {
            return true;
        } else if !word.starts_with('-') && !word.contains('=') && !BETWEEN.contains(&word) {
            return false;
        }
    }
    false
}

/// True when `SSH_CONNECTION` says that both ends are this machine.
pub(crate) fn is_from_here(connection: &str) -> bool {
    let words: Vec<&str> = connection.split_whitespace().collect();
    let [client, _, server, ..] = words.as_slice() else { return false };
    let plain = |address: &str| {
        let address = address.split('%').next().unwrap_or(address).to_ascii_lowercase();
        address.strip_prefix("::ffff:").map_or(address.clone(), str::to_owned)
    };
    let (client, server) = (plain(client), plain(server));
    client.starts_with("127.") || client == "::1" || client == server
}

#[cfg(test)]
mod tests {
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

    fn hosts() -> Vec<HostProcess> {
        let process = Process {
            pid: 40,
            started: "40".to_owned(),
            name: "renamed".to_owned(),
            line: String::new(),
            detached: false,
        };
        vec![HostProcess { process, started_ms: Some(AGENT) }]
    }

    fn verdict(around: &Surroundings) -> Result<(), NotAPerson> {
        who(around, &["claude".to_owned(), "codex".to_owned()], &hosts())
    }

    #[test]
    fn people_are_let_through() {
        let others = |mut up: Ancestor| {
            (up.exe, up.exe_ms, up.others) = (None, None, true);
            up
        };
        let later = |mut up: Ancestor| {
            up.started_ms = Some(AGENT + 9);
            up
        };
        let outside = Ancestor { parent: 0, ..up(77, "bash", "/usr/bin/bash") };
        for chain in [
            vec![shell(), up(9, "tmux: server", "/usr/bin/tmux")],
            vec![shell(), up(9, "screen", "/usr/bin/screen")],
            vec![shell(), up(9, "login", "/usr/bin/login")],
            vec![shell(), others(up(9, "login", ""))],
            vec![shell(), others(up(9, "sshd", ""))],
            vec![shell(), others(up(9, "sshd: ada@pts/0", ""))],
            vec![shell(), up(9, "sshd-session", "/usr/lib/ssh/sshd-session")],
            vec![shell(), up(9, "gnome-terminal-", "/usr/libexec/gnome-terminal-server")],
            vec![
                shell(),
                up(9, "-su", "/usr/bin/bash"),
                others(up(8, "su", "")),
                up(7, "xterm", "/usr/bin/xterm"),
            ],
            // A window may be younger than the session; what outlives its terminal may not.
            vec![shell(), later(up(9, "alacritty", "/usr/bin/alacritty"))],
            vec![shell(), up(9, "kitty", "/nix/store/x/bin/.kitty-wrapped")],
            vec![shell(), up(9, "code", "/usr/share/code/code")],
            vec![Ancestor { parent: 0, ..up(1, "bash", "/usr/bin/bash") }],
            vec![shell(), outside],
        ] {
            assert_eq!(verdict(&around(chain.clone())), Ok(()), "{chain:#?}");
        }
    }

    #[test]
    fn agents_are_not() {
        let name = |text: &str| text.to_owned();
        let young_file = Ancestor { exe_ms: Some(AGENT + 1), ..up(9, "tmux: server", "/tmp/tmux") };
        let young =
            Ancestor { started_ms: Some(AGENT + 1), ..up(9, "tmux: server", "/usr/bin/tmux") };
        let mosh = Ancestor {
            started_ms: Some(AGENT + 1),
            ..up(9, "mosh-server", "/usr/bin/mosh-server")
        };
        let marked = Ancestor {
            markers: vec![name("CLAUDECODE")],
            ..up(9, "tmux: server", "/usr/bin/tmux")
        };
        let here = Ancestor { from_here: true, ..up(9, "sshd", "/usr/sbin/sshd") };
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
            (vec![shell(), young], NotAPerson::Younger(name("tmux"))),
            (vec![shell(), mosh], NotAPerson::Younger(name("mosh-server"))),
            (vec![shell(), here], NotAPerson::FromHere),
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
        let looped = Surroundings { from_here: true, ..around(login()) };
        assert_eq!(verdict(&looped), Err(NotAPerson::FromHere));
    }

    #[test]
    fn without_a_session_age_says_nothing() {
        let young = Ancestor {
            started_ms: Some(AGENT + 1),
            exe_ms: Some(AGENT + 1),
            ..up(9, "tmux: server", "/usr/bin/tmux")
        };
        assert_eq!(who(&around(vec![shell(), young]), &[], &[]), Ok(()));
    }

    #[test]
    fn a_host_is_started_by_whom_its_own_chain_leads_to() {
        let detached = [up(3, "systemd", "/usr/lib/systemd/systemd")];
        assert_eq!(started_by_a_person(&detached, &[], &hosts()), Err(NotAPerson::NoLogin));
        let young = |up: Ancestor| Ancestor { started_ms: Some(AGENT + 5), ..up };
        let login = [young(shell()), young(up(9, "xterm", "/usr/bin/xterm"))];
        assert_eq!(started_by_a_person(&login, &[], &hosts()), Ok(()));
        // An editor's server that was there before; the same one started later; a new tmux.
        let init = || up(1, "init", "/sbin/init");
        let editor = [young(shell()), up(9, "node", "/opt/server/node"), init()];
        assert_eq!(started_by_a_person(&editor, &[], &hosts()), Ok(()));
        let later = [young(shell()), young(up(9, "node", "/opt/server/node")), init()];
        assert_eq!(started_by_a_person(&later, &[], &hosts()), Err(NotAPerson::NoLogin));
        let tmux = [young(shell()), young(up(9, "tmux: server", "/usr/bin/tmux")), init()];
        let why = NotAPerson::Younger("tmux".to_owned());
        assert_eq!(started_by_a_person(&tmux, &[], &hosts()), Err(why));
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
}

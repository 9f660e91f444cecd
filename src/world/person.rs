//! Who types at a terminal: what speaks for a person is gathered in one place and judged in
//! another.
//!
//! An agent runs as the person's own user and can give its code a terminal (`script`, a new
//! `tmux`, `ssh localhost`, a pty of Python's). What it cannot do is to put that code below
//! a shell that was there before it. So a chain of processes has to lead to a program that
//! people log in through, by a shell that began while no agent session lived here. Where it
//! does not, who types cannot be told, and a person says so in a session; where no session
//! lives to say it in, nobody types.

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
        "who types here cannot be told: `{0}` above began while an agent session lived in this \
         repository, or takes keys from any program"
    )]
    Untold(String),
    #[error(
        "this terminal was opened while an agent session lived in this repository; open a new \
         terminal"
    )]
    LeftBehind,
    #[error(
        "an agent session of this repository ended without a word, and this terminal was opened \
         before git seed saw that it was over; open a new terminal"
    )]
    EndUnseen,
    #[error(
        "the agent's programs open terminals below `{0}`, too; open a terminal outside of it, or \
         say it in a session's prompt"
    )]
    Shared(String),
    #[error("`{0}` is no login program: its file is another or too new")]
    Disguised(String),
    #[error("the system's list of processes cannot be seen from here")]
    Unseen,
    #[error(
        "a session of this repository runs where its processes cannot be seen from here, such as \
         in another container; end it, or remove its file below .git/seed/sessions"
    )]
    OutOfView,
    #[error("the processes above do not lead to a login, a terminal or a multiplexer")]
    NoLogin,
}

impl NotAPerson {
    /// The same where a host said nothing as the last session ended: nobody saw when, so nobody
    /// says that it lived as the terminal was opened.
    pub(crate) fn where_the_end_is_late(self, late: bool) -> Self {
        match self {
            Self::LeftBehind if late => Self::EndUnseen,
            why => why,
        }
    }

    /// It is an agent's process that asks, as far as can be told.
    pub(crate) fn is_agent(&self) -> bool {
        matches!(self, Self::AgentAbove(_) | Self::AgentMarker(_) | Self::MarkedAbove { .. })
    }
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
    /// Errors go to a terminal, and the input is one; or this process has one, and a message comes
    /// through its input.
    pub terminals: bool,
    pub tty: i64,
}

/// A recorded host process of an agent session that lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostProcess {
    pub process: Process,
    /// Since when, in milliseconds.
    pub since: i64,
}

/// A session that is over, from when to when it lived, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    pub from: i64,
    pub to: i64,
}

/// The agent sessions of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lives {
    pub live: Vec<HostProcess>,
    pub over: Vec<Life>,
}

impl Lives {
    /// A session lived at `at`; where nobody can tell, while one lives.
    fn at(&self, at: Option<i64>) -> bool {
        let Some(at) = at else { return !self.live.is_empty() };
        self.live.iter().any(|host| host.since <= at)
            || self.over.iter().any(|life| life.from <= at && at <= life.to)
    }

    /// `at` lies between the beginning of the first session and the end of the last one, of
    /// those that are over.
    fn spanned(&self, at: Option<i64>) -> bool {
        let first = self.over.iter().map(|life| life.from).min();
        let last = self.over.iter().map(|life| life.to).max();
        // Where the system does not tell, the terminal has to do.
        let found = at.zip(first).zip(last);
        found.is_some_and(|((at, first), last)| first <= at && at <= last)
    }
}

/// What may be said of who types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typist {
    Person,
    /// A person or the agent; this program above leaves it open.
    Untold(String),
}

/// The programs and marks of agent hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agents {
    /// Names of their processes.
    pub programs: Vec<String>,
    /// Variables that only an agent's process has.
    pub markers: Vec<String>,
    /// Programs that are above a host and above the person's own shells.
    pub shares_terminal: Vec<String>,
}

impl Agents {
    fn shared<'a>(&self, above: &'a [Ancestor]) -> Option<&'a Ancestor> {
        above.iter().find(|up| self.shares(up))
    }

    /// One that has a dot is looked for in the whole command line: a class, a directory.
    fn shares(&self, up: &Ancestor) -> bool {
        let inside = |program: &String| program.contains('.') && up.line.contains(program.as_str());
        self.is_editor(up) || self.shares_terminal.iter().any(inside)
    }

    /// It runs one of those programs. A host may lie in an editor's directory and is none.
    fn is_editor(&self, up: &Ancestor) -> bool {
        self.shares_terminal.iter().any(|program| runs_program(&up.name, &up.line, program))
    }
}

/// Programs that a person's shell hangs below, as the system names their processes (15
/// letters at most there), and what the file may be called.
const LOGINS: [(&str, &str); 29] = [
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
    ("getty", "getty"),
    ("agetty", "agetty"),
    ("Terminal", "Terminal"),
    ("iTerm2", "iTerm2"),
];

/// The same on Windows, where names end before `.exe`.
const WINDOWS_LOGINS: [(&str, &str); 4] = [
    ("WindowsTerminal", "WindowsTerminal"),
    ("explorer", "explorer"),
    ("mintty", "mintty"),
    ("sshd", "sshd"),
];

/// Those that outlive the terminal they were started from: whoever starts one is no longer
/// above it.
const OUTLIVES: [&str; 7] =
    ["tmux", "screen", "zellij", "dtach", "abduco", "mosh-server", "wezterm-mux-server"];

/// Those that take keys from other programs of the same user, so that even an old shell of a
/// person's may be typed into.
const MULTIPLEXERS: [&str; 9] = [
    "tmux",
    "screen",
    "zellij",
    "dtach",
    "abduco",
    "wezterm",
    "wezterm-gui",
    "wezterm-mux-server",
    "konsole",
];

const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "fish", "dash", "ash", "ksh"];

/// Says who types a command.
///
/// # Errors
///
/// Says what speaks against a person.
pub(crate) fn who(
    around: &Surroundings,
    agents: &Agents,
    lives: &Lives,
) -> Result<Typist, NotAPerson> {
    if let Some(marker) = around.markers.first() {
        return Err(NotAPerson::AgentMarker(marker.clone()));
    }
    no_agent_above(&around.above, agents, lives)?;
    if !around.terminals {
        return Err(NotAPerson::NoTerminal);
    }
    let shared = agents.shared(&around.above);
    let way = match shared {
        Some(editor) => Way::through(&around.above, editor, bare(&editor.name)),
        None => leads_to_a_login(&around.above, Some(around.tty), lives)?,
    };
    let looped = around.from_here || around.above.iter().any(|up| up.from_here);
    if lives.live.is_empty() {
        return while_none_lives(&way, shared.is_some(), looped, lives);
    }
    let multiplexer = around.above.iter().filter_map(|up| login_file(&up.name));
    let open = shared
        .map(|_| way.name.clone())
        .or_else(|| multiplexer.clone().find(|file| MULTIPLEXERS.contains(file)).map(str::to_owned))
        .or_else(|| looped.then(|| "ssh".to_owned()))
        .or_else(|| (lives.at(way.shell) || lives.at(way.login)).then(|| way.name.clone()));
    Ok(open.map_or(Typist::Person, Typist::Untold))
}

/// While no session lives, a shell is a person's that was not opened between the first and the
/// last of them.
fn while_none_lives(
    way: &Way,
    shared: bool,
    looped: bool,
    lives: &Lives,
) -> Result<Typist, NotAPerson> {
    let first = lives.over.iter().map(|life| life.from).min();
    let before_all = first.is_none_or(|first| way.shell.is_some_and(|at| at < first));
    if looped {
        Err(NotAPerson::FromHere)
    } else if shared && !before_all {
        Err(NotAPerson::Shared(way.name.clone()))
    } else if lives.spanned(way.shell) {
        Err(NotAPerson::LeftBehind)
    } else {
        Ok(Typist::Person)
    }
}

/// How a chain of processes leads to where people log in.
struct Way {
    /// What that is called.
    name: String,
    /// When it began.
    login: Option<i64>,
    /// When the shell right below it began; now, where it started the command itself.
    shell: Option<i64>,
}

impl Way {
    fn through(above: &[Ancestor], login: &Ancestor, name: &str) -> Self {
        let at = above.iter().position(|up| up.pid == login.pid).unwrap_or(0);
        let shell = at.checked_sub(1).map(|below| &above[below]);
        Self {
            name: name.to_owned(),
            login: login.started_ms,
            shell: shell.map_or_else(|| Some(super::system_ms()), |shell| shell.started_ms),
        }
    }
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

/// Says who started a host process while other sessions run: its own chain has to lead to a
/// login, or to something that no agent made: a program that was there before every session,
/// such as an editor's, and that does not take in orphans.
///
/// # Errors
///
/// Says what speaks against a person.
pub(crate) fn who_started(
    above: &[Ancestor],
    agents: &Agents,
    lives: &Lives,
) -> Result<Typist, NotAPerson> {
    no_agent_above(above, agents, lives)?;
    if let Some(up) = above.iter().find(|up| up.from_here) {
        return Ok(Typist::Untold(up.name.clone()));
    }
    let over = lives.over.iter().map(|life| life.from);
    let oldest = lives.live.iter().map(|host| host.since).chain(over).min();
    let before = |up: &Ancestor| {
        let takes_in = up.pid == 1
            || REAPERS.iter().any(|reaper| up.name == *reaper)
            || login_file(&up.name).is_some();
        !takes_in && up.started_ms.zip(oldest).is_some_and(|(at, oldest)| at < oldest)
    };
    if above.iter().any(before) {
        return Ok(Typist::Person);
    }
    if let Some(editor) = agents.shared(above) {
        return Ok(Typist::Untold(bare(&editor.name).to_owned()));
    }
    let way = leads_to_a_login(above, None, lives)?;
    let young = oldest.is_some_and(|oldest| way.login.is_none_or(|at| at >= oldest));
    Ok(if young && OUTLIVES.contains(&way.name.as_str()) {
        Typist::Untold(way.name)
    } else {
        Typist::Person
    })
}

fn no_agent_above(above: &[Ancestor], agents: &Agents, lives: &Lives) -> Result<(), NotAPerson> {
    for up in above {
        let recorded = lives
            .live
            .iter()
            .any(|host| host.process.pid == up.pid && host.process.started == up.started);
        let named = agents.programs.iter().any(|agent| runs_program(&up.name, &up.line, agent));
        if (recorded || named) && !agents.is_editor(up) {
            return Err(NotAPerson::AgentAbove(up.name.clone()));
        }
        if let Some(marker) = up.markers.first() {
            return Err(NotAPerson::MarkedAbove { name: up.name.clone(), marker: marker.clone() });
        }
    }
    Ok(())
}

fn leads_to_a_login(
    above: &[Ancestor],
    tty: Option<i64>,
    lives: &Lives,
) -> Result<Way, NotAPerson> {
    // Where the system names no process at all, the terminal has to do.
    if above.is_empty() && !cfg!(target_os = "linux") {
        return Ok(Way { name: "terminal".to_owned(), login: None, shell: None });
    }
    let mut against = None;
    for up in above {
        let Some(file) = login_file(&up.name) else { continue };
        if is_itself(up, file, lives) {
            return Ok(Way::through(above, up, file));
        }
        against.get_or_insert(NotAPerson::Disguised(up.name.clone()));
    }
    // A container's first process may itself be the person's shell, and one may be entered
    // from outside. Whatever is orphaned there hangs below the first one, too: so it has to
    // be on this very terminal.
    let entered = |up: &&Ancestor| {
        let first = up.pid == 1 && SHELLS.contains(&bare(&up.name));
        let outside = up.parent == 0 && up.pid != 1;
        (first || outside) && up.tty != 0 && tty.is_none_or(|tty| tty == up.tty)
    };
    match above.last().filter(entered) {
        Some(up) => Ok(Way { shell: up.started_ms, ..Way::through(above, up, bare(&up.name)) }),
        None => Err(against.unwrap_or(NotAPerson::NoLogin)),
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
    // What WSL puts above a shell that Windows opens in it.
    if name == "SessionLeader" || name.starts_with("Relay(") {
        return Some("init");
    }
    let windows = WINDOWS_LOGINS.iter().filter(|_| cfg!(windows));
    LOGINS.iter().chain(windows).find(|(known, _)| *known == name).map(|(_, file)| *file)
}

/// The process runs the file that its name says, and no agent can have put it there.
fn is_itself(up: &Ancestor, file: &str, lives: &Lives) -> bool {
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
    named && !up.exe_ms.is_some_and(|at| lives.at(Some(at)))
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

/// The program of this name reads another one, and may have its own version in its name.
pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.iter().any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    })
}

/// True when a process of this name and command line runs the program `wanted`, also as a
/// script of an interpreter.
pub(crate) fn runs_program(name: &str, line: &str, wanted: &str) -> bool {
    fn file(word: &str) -> &str {
        word.rsplit(['/', '\\']).next().unwrap_or(word)
    }
    let is_wanted = |word: &str| {
        file(word).strip_prefix(wanted).is_some_and(|end| {
            end.is_empty() || matches!(end, ".js" | ".mjs" | ".cjs" | ".ts" | ".py")
        })
    };
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    if name == wanted || is_wanted(program) {
        return true;
    }
    if !is_interpreter(file(program.trim_start_matches('-'))) {
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
mod tests;

//! What `init` wrote down of what it put where.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use crate::engine::installed::{AgentFile, Installation, MAIN, Merging, SettingsFile};
use crate::engine::own_state;
use crate::engine::repo::paths::real;
use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::format::prints::Prints;
use crate::hosts::servers::NAME;
use crate::hosts::{self, Host, Marks, install};
use crate::store::StoreError;
use crate::{githooks, world};

/// What the gate can be asked, as a client of `git seed mcp` calls it.
pub(crate) const FUNCTIONS: [&str; 6] = [
    "verify_claim",
    "verify_paths",
    "causal_trace",
    "response_gate",
    "checkpoint",
    "session_report",
];

/// Put before a name it makes another one for the same function.
pub(crate) const ALIAS: &str = "phionyx_";

/// Whether a function answers to `name`.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name.strip_prefix(ALIAS).unwrap_or(name))
}

/// The programs and the marks of all agent hosts.
pub(crate) fn agents() -> world::Agents {
    let rows = hosts::marks().iter();
    let all = |of: fn(&Marks) -> &Vec<String>| rows.clone().flat_map(of).cloned().collect();
    world::Agents {
        programs: all(|row| &row.processes),
        markers: all(|row| &row.markers),
        shares_terminal: all(|row| &row.shares_terminal),
    }
}

impl Repo {
    pub(crate) fn prints_dir(&self) -> PathBuf {
        self.store.seed_dir().join("prints")
    }

    pub(crate) fn prints_file(&self) -> PathBuf {
        self.prints_dir().join(format!("{}.json", self.store.worktree_name()))
    }

    /// The prints of this worktree; none before its first session.
    pub(crate) fn prints(&self) -> Result<Option<Prints>> {
        Ok(own_state::from_json(&self.prints_file())?)
    }

    /// Whether a call of `tool` at `host` goes to our own server.
    ///
    /// A name is not enough: anybody may call a server so. `init` has to have told this host
    /// of it, and the entry has to stand there and run this binary; hosts let an entry of
    /// their local scope win over others of its name.
    pub(crate) fn is_own_server(&self, host: &Host, server: &str, tool: &str) -> bool {
        if server != NAME {
            return false;
        }
        let called = [format!("mcp__{NAME}__"), format!("mcp_{NAME}_")];
        let Some(function) = called.iter().find_map(|start| tool.strip_prefix(start.as_str()))
        else {
            return false;
        };
        let Some(row) = host.server.as_ref().filter(|_| is_function(function)) else {
            return false;
        };
        let binary = world::own_binary().to_string_lossy().into_owned();
        // A record that does not read told no host of our server, and settings that do not read
        // have no entry of ours: the call is then judged as one to a foreign server.
        let told = self.installation().unwrap_or_default().servers;
        told.iter().filter(|file| file.host == host.name).any(|file| {
            // As above.
            let text = fs::read_to_string(&file.path).unwrap_or_default();
            row.has(&text, &self.project(), &binary)
        })
    }

    /// The text of a host's file as its row names it: below the work tree, or from `~`.
    pub(crate) fn host_file(&self, file: &str) -> Option<String> {
        // One that does not read sets nothing, for us as for the host; `doctor` names it.
        own_state::text(&self.host_place(file)?).ok()?
    }

    /// Where what a row names lies.
    pub(crate) fn host_place(&self, path: &str) -> Option<PathBuf> {
        let in_home = |rest: &str| Some(self.persons_home()?.join(rest));
        path.strip_prefix("~/").map_or_else(|| Some(self.store.work_tree().join(path)), in_home)
    }

    /// The work tree, as hosts call a project.
    pub(crate) fn project(&self) -> String {
        self.store.work_tree().to_string_lossy().into_owned()
    }

    pub(crate) fn record_file(&self) -> PathBuf {
        self.store.seed_dir().join("install.toml")
    }

    /// What was installed here, with the paths of files as they are now.
    pub(crate) fn installation(&self) -> Result<Installation> {
        Ok(self.installation_as_written()?.relocated(&self.tops()))
    }

    fn installation_as_written(&self) -> Result<Installation> {
        let mut read: Installation = own_state::from_toml(&self.record_file())?.unwrap_or_default();
        if read.tops.is_empty()
            && let Some(top) = read.top_by_files()
            && !self.store.worktrees()?.contains(&top)
        {
            read.tops.insert(MAIN.to_owned(), top);
        }
        Ok(read)
    }

    /// Where the main worktree lies, and this one.
    pub(crate) fn tops(&self) -> Vec<(String, PathBuf)> {
        let common = self.store.common_dir();
        let main = common.parent().filter(|_| common.ends_with(".git"));
        let own = (self.store.worktree_name(), self.store.work_tree().to_owned());
        let main = main.map(|main| (MAIN.to_owned(), main.to_owned()));
        main.into_iter().filter(|(name, _)| *name != own.0).chain([own.clone()]).collect()
    }

    /// Where this repository lay when `init` wrote its record, if that was elsewhere.
    pub(crate) fn was_at(&self) -> Result<Option<PathBuf>> {
        let written = self.installation_as_written()?;
        let Some((name, now)) = self.tops().into_iter().next() else { return Ok(None) };
        let then = written.tops.get(&name).filter(|_| name == MAIN).cloned();
        Ok(then.filter(|then| real(then) != real(&now)))
    }

    /// How long what a hook of `host` starts for the event `name` may take: three quarters of what
    /// the host waits for that hook.
    pub(crate) fn patience(&self, host: &Host, name: &str) -> Duration {
        // A record that does not read says nothing of the host's time.
        let settings = self.installation().unwrap_or_default().settings;
        let asked = settings.iter().filter(|file| file.host == host.name).filter_map(|file| {
            // Settings that are gone ask for nothing.
            let text = std::fs::read_to_string(&file.path).ok()?;
            install::time_out(&text, host, name)
        });
        asked.min().unwrap_or_else(|| host.time_of(name)) * 3 / 4
    }

    /// The hook installer's view of this repository.
    pub(crate) fn hook_repo(&self) -> githooks::RepoDirs {
        githooks::RepoDirs::new(
            self.store.git_dir(),
            self.store.common_dir(),
            self.store.work_tree(),
        )
    }

    /// The rules that a person has applied here.
    pub(crate) fn applied_rules(&self) -> Result<Option<String>> {
        let Some(tip) = self.store.tip(names::RULES)? else { return Ok(None) };
        let what = format!("seed.toml of {}", names::RULES);
        let missing = || StoreError::Missing { what, repair: "git seed rules apply" };
        let bytes = self.store.file(&tip, "seed.toml")?.ok_or_else(missing)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use crate::world::{Ancestor, HostProcess, Lives, Process, Surroundings, Typist, who};

    use super::*;

    /// Above a person's shell as its program or its script: an editor, or its server in a
    /// container, in WSL and on another machine.
    const ABOVE: [(&str, &str); 14] = [
        ("code", "/usr/share/code/code --ms-enable-electron-run-as-node"),
        ("Electron", "/Applications/Visual Studio Code.app/Contents/MacOS/Electron"),
        // A dev container.
        (
            "node",
            "/vscode/vscode-server/bin/linux-x64/1/node /vscode/1/out/server-main.js --port=0",
        ),
        // WSL, and a machine behind ssh.
        ("node", "/home/u/.vscode-server/bin/1/node /home/u/.vscode-server/bin/1/out/vs.js"),
        (
            "node",
            "/home/u/.vscode-server/cli/servers/1/server/node x/out/bootstrap-fork --type=ptyHost",
        ),
        ("code-tunnel", "/usr/local/bin/code-tunnel tunnel"),
        ("code-server", "/usr/lib/code-server/lib/node /usr/lib/code-server"),
        ("node", "/home/u/.cursor-server/bin/1/node /home/u/.cursor-server/bin/1/out/x.js"),
        ("Cursor", "/Applications/Cursor.app/Contents/MacOS/Cursor"),
        ("windsurf", "/usr/share/windsurf/windsurf"),
        ("zed-remote-serv", "/home/u/.zed_server/zed-remote-server run"),
        ("zed-editor", "/home/u/.local/zed.app/libexec/zed-editor"),
        ("java", "/opt/jbr/bin/java -cp /opt/lib/x.jar com.intellij.idea.Main remoteDevHost"),
        ("rustrover", "/opt/rustrover/bin/rustrover"),
    ];

    #[test]
    fn nobody_is_taken_for_a_person_below_what_an_agents_terminals_hang_below_too() {
        let agent = Process {
            pid: 40,
            started: "40".to_owned(),
            name: "claude".to_owned(),
            line: String::new(),
            detached: false,
        };
        let lives = Lives { live: vec![HostProcess { process: agent, since: 1000 }], over: vec![] };
        for (name, line) in ABOVE {
            let up = |pid: u32, name: &str, line: &str| Ancestor {
                pid,
                parent: pid - 1,
                started: pid.to_string(),
                started_ms: Some(500),
                name: name.to_owned(),
                line: line.to_owned(),
                tty: 7,
                ..Ancestor::default()
            };
            // The shell is older than the session, so age says nothing against it.
            let above = vec![up(50, "bash", "bash"), up(9, name, line)];
            let around = Surroundings { above, terminals: true, tty: 7, ..Surroundings::default() };
            let found = who(&around, &agents(), &lives);
            assert!(matches!(found, Ok(Typist::Untold(_))), "{name} {line}: {found:?}");
        }
    }
}

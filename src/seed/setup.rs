//! `init` and `uninstall`: what is written, and how every byte of it is taken back.
//!
//! Everything that is written is recorded in `.git/seed/install.toml` before or as it
//! is written, so that an interrupted `init` can be undone. No commit is made and no
//! tracked file is touched unless `--shared` asks for it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::servers::ServerFile;
use super::{Result, Seed, SeedError};
use crate::format::{meta, names, short_hash};
use crate::hosts::{self, Host, install};
use crate::store::TreeEdit;
use crate::{githooks, world};

/// What `init` was asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Names of hosts; empty means every host that is found, or Claude Code.
    pub hosts: Vec<String>,
    /// Write the settings that are committed, with a bare `git-seed`.
    pub shared: bool,
    /// Tell the hosts of our MCP server.
    pub mcp: bool,
    /// Put in advice as well: rules to read, skills, a reviewer.
    pub governance: bool,
}

/// What `init` wrote, for `uninstall`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Installation {
    #[serde(default)]
    pub settings: Vec<SettingsFile>,
    /// `.git/info/exclude` as it was before our lines; absent when it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_before: Option<String>,
    /// `.git/info` was not there before.
    #[serde(default)]
    pub made_info: bool,
    /// Lines of ours in `.git/info/exclude`.
    #[serde(default)]
    pub excluded: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<githooks::Record>,
    /// Subagent definitions of ours, and other Markdown that is put in beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentFile>,
    /// Hosts that were told of our MCP server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerFile>,
}

/// A subagent definition that was put in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentFile {
    pub path: PathBuf,
    /// Hash of what was written; one that was changed since is the person's.
    pub hash: String,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    pub made_dirs: Vec<PathBuf>,
}

/// One settings file of a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SettingsFile {
    pub host: String,
    pub path: PathBuf,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    pub made_dirs: Vec<PathBuf>,
    /// What [`install::remove`] needs.
    #[serde(default)]
    pub undo: String,
}

/// One line of what `init` or `uninstall` did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub verb: &'static str,
    pub what: String,
    pub detail: String,
}

impl Told {
    pub(super) fn new(verb: &'static str, what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { verb, what: what.into(), detail: detail.into() }
    }
}

impl Seed {
    fn record_file(&self) -> PathBuf {
        self.store.seed_dir().join("install.toml")
    }

    /// What was installed here.
    pub fn installation(&self) -> Installation {
        let text = std::fs::read_to_string(self.record_file()).unwrap_or_default();
        toml::from_str(&text).unwrap_or_default()
    }

    pub(super) fn save(&self, installation: &Installation) -> Result<()> {
        let text = toml::to_string(installation).map_err(|error| SeedError::Usage(error.to_string()))?;
        // It holds bytes of the person's configuration: nobody else may read it.
        Ok(world::Whole::private().write(&self.record_file(), text.as_bytes())?)
    }

    /// The hook installer's view of this repository.
    pub fn hook_repo(&self) -> githooks::Repo {
        githooks::Repo::new(self.store.git_dir(), self.store.common_dir(), self.store.work_tree())
    }

    /// Installs git seed in this repository. Doing it again updates what is there.
    pub fn install(&self, wanted: &Wanted) -> Result<Vec<Told>> {
        self.as_our_own(|| self.install_all(wanted))
    }

    fn install_all(&self, wanted: &Wanted) -> Result<Vec<Told>> {
        let rows = self.wanted_hosts(wanted)?;
        let mut told = Vec::new();
        let titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
        told.push(Told::new("found", titles.join(", "), ""));
        let mut installation = self.installation();
        for row in rows {
            self.install_host(row, wanted.shared, &mut installation, &mut told)?;
            self.install_agents(row, wanted.shared, &mut installation, &mut told)?;
            if wanted.mcp {
                self.install_server(row, wanted.shared, &mut installation, &mut told)?;
            }
            if wanted.governance {
                self.install_governance(row, wanted.shared, &mut installation, &mut told)?;
            }
        }
        self.install_hooks(&mut installation, &mut told)?;
        if self.store.tip(names::META)?.is_none() {
            let bytes = meta::Meta::current().write().into_bytes();
            let put = TreeEdit::Put { path: meta::FILE.to_owned(), bytes };
            self.store.append(names::META, None, &[put], "git seed init", self.now, &[])?;
        }
        self.clone_id()?;
        told.push(Told::new("kept", "no commit, git status unchanged", ""));
        Ok(told)
    }

    fn wanted_hosts(&self, wanted: &Wanted) -> Result<Vec<&'static Host>> {
        let known = |name: &str| hosts::row(name).map_err(|bad| SeedError::Usage(bad.to_string()));
        if !wanted.hosts.is_empty() {
            return wanted.hosts.iter().map(|name| known(name)).collect();
        }
        let mut found = Vec::new();
        for name in hosts::names() {
            let row = known(name)?;
            let folder = row.settings.shared.split('/').next().unwrap_or_default();
            if name == "claude" || self.store.work_tree().join(folder).is_dir() {
                found.push(row);
            }
        }
        Ok(found)
    }

    fn install_host(
        &self,
        row: &'static Host,
        shared: bool,
        installation: &mut Installation,
        told: &mut Vec<Told>,
    ) -> Result<()> {
        let name = if shared { &row.settings.shared } else { &row.settings.local };
        let path = self.store.work_tree().join(name);
        if !shared && self.store.is_tracked(name)? {
            let text = format!("{name} is tracked; git seed init --shared writes tracked settings");
            return Err(SeedError::Usage(text));
        }
        let existing = read_if_there(&path)?;
        let binary = world::own_binary();
        let binary = if shared { "git-seed".to_owned() } else { binary.to_string_lossy().into_owned() };
        let added = install::add(existing.as_deref(), row, &binary)
            .map_err(|bad| SeedError::Usage(format!("{name}:{}:{}: {}", bad.line, bad.column, bad.why)))?;
        let at = installation.settings.iter().position(|file| file.path == path);
        let at = at.unwrap_or_else(|| {
            let made_dirs = missing_dirs(&path, self.store.work_tree());
            let (host, undo) = (row.name.clone(), String::new());
            installation.settings.push(SettingsFile { host, path: path.clone(), made_dirs, undo });
            installation.settings.len() - 1
        });
        installation.settings[at].undo.push_str(&added.undo);
        self.save(installation)?;
        if added.changed {
            self.replace_file(&path, added.text.as_bytes())?;
        }
        told.push(Told::new(
            "wrote",
            name,
            if added.changed { "hook lines" } else { "hook lines (there already)" },
        ));
        if !shared && !self.store.is_ignored(name)? {
            self.exclude(name, installation)?;
            told.push(Told::new("wrote", ".git/info/exclude", format!("1 line for {name}")));
        }
        Ok(())
    }

    /// Puts in the subagents that act on notes, where none of their names is taken.
    fn install_agents(
        &self,
        row: &'static Host,
        shared: bool,
        installation: &mut Installation,
        told: &mut Vec<Told>,
    ) -> Result<()> {
        let Some(folder) = &row.agents else { return Ok(()) };
        let wrote = self.install_files(folder, &hosts::AGENTS, shared, installation, told)?;
        if wrote > 0 {
            let what = super::boundary::count(wrote, "subagent");
            told.push(Told::new("wrote", folder, format!("{what} for notes")));
        }
        Ok(())
    }

    /// Puts in advice, where the host has a place for it: it binds nobody.
    fn install_governance(
        &self,
        row: &'static Host,
        shared: bool,
        installation: &mut Installation,
        told: &mut Vec<Told>,
    ) -> Result<()> {
        let kinds: [(&Option<String>, &[_], &str); 3] = [
            (&row.rules, &hosts::RULES, "rule text"),
            (&row.skills, &hosts::SKILLS, "skill"),
            (&row.agents, &hosts::REVIEWERS, "reviewer"),
        ];
        for (folder, files, what) in kinds {
            let Some(folder) = folder else {
                told.push(Told::new("left", &row.title, format!("has no place for a {what}")));
                continue;
            };
            let wrote = self.install_files(folder, files, shared, installation, told)?;
            if wrote > 0 {
                let what = super::boundary::count(wrote, what);
                told.push(Told::new("wrote", folder, format!("{what}, advice only")));
            }
        }
        Ok(())
    }

    /// Writes files of ours below `folder`, where none of their names is taken; gives how
    /// many.
    fn install_files(
        &self,
        folder: &str,
        files: &[(&str, &str)],
        shared: bool,
        installation: &mut Installation,
        told: &mut Vec<Told>,
    ) -> Result<usize> {
        let mut wrote = 0;
        for (name, text) in files {
            let shown = format!("{folder}{name}");
            let path = self.store.work_tree().join(&shown);
            let hash = short_hash(text.as_bytes(), 32);
            let now = read_if_there(&path)?.map(|text| short_hash(text.as_bytes(), 32));
            let known = installation.agents.iter_mut().find(|file| file.path == path);
            match (known, now) {
                (Some(file), now) if now.as_ref().is_none_or(|now| *now == file.hash) => file.hash = hash,
                // Changed since, or somebody else's: theirs.
                (Some(_), _) | (None, Some(_)) => {
                    told.push(Told::new("left", shown, "a file of this name is there"));
                    continue;
                }
                (None, None) => {
                    let made_dirs = missing_dirs(&path, self.store.work_tree());
                    installation.agents.push(AgentFile { path: path.clone(), hash, made_dirs });
                }
            }
            self.save(installation)?;
            self.replace_file(&path, text.as_bytes())?;
            if !shared && !self.store.is_ignored(&shown)? {
                self.exclude(&shown, installation)?;
            }
            wrote += 1;
        }
        Ok(wrote)
    }

    /// Takes our subagents out again; one that was changed since stays.
    fn remove_agents(&self, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
        for AgentFile { path, hash, .. } in &installation.agents {
            let shown = path.strip_prefix(self.store.work_tree()).unwrap_or(path).display().to_string();
            match read_if_there(path)? {
                Some(text) if short_hash(text.as_bytes(), 32) == *hash => {
                    std::fs::remove_file(path)?;
                    told.push(Told::new("took out", shown, "as it was written"));
                }
                Some(_) => told.push(Told::new("left", shown, "it was changed: yours now")),
                None => {}
            }
        }
        let mut dirs: Vec<&PathBuf> = installation.agents.iter().flat_map(|file| &file.made_dirs).collect();
        dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
        for dir in dirs {
            // Only an empty one goes: others may have put files there since.
            let _ = std::fs::remove_dir(dir);
        }
        Ok(())
    }

    /// Keeps `name` out of `git status`, in this clone only.
    pub(super) fn exclude(&self, name: &str, installation: &mut Installation) -> Result<()> {
        let file = self.store.common_dir().join("info").join("exclude");
        let before = read_if_there(&file)?;
        if installation.excluded.is_empty() {
            installation.exclude_before.clone_from(&before);
            installation.made_info = file.parent().is_some_and(|dir| !dir.exists());
        }
        let line = format!("/{name}");
        installation.excluded.push(line.clone());
        self.save(installation)?;
        let before = before.unwrap_or_default();
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        Ok(world::write_whole(&file, format!("{before}{gap}{line}\n").as_bytes())?)
    }

    fn install_hooks(&self, installation: &mut Installation, told: &mut Vec<Told>) -> Result<()> {
        let repo = self.hook_repo();
        let old = installation.hooks.take();
        let keep = installation.clone();
        let save = |record: &githooks::Record| {
            let keep = Installation { hooks: Some(record.clone()), ..keep };
            self.save(&keep).map_err(|error| std::io::Error::other(error.to_string()))
        };
        let done = githooks::install(&repo, &world::own_binary(), old.as_ref(), save).map_err(hook_error)?;
        let trial = githooks::try_commit_msg(&repo, Some(&done.record), TRIAL).ok();
        installation.hooks = Some(done.record);
        self.save(installation)?;
        let shown = |path: &Path| {
            path.strip_prefix(self.store.work_tree()).unwrap_or(path).to_string_lossy().into_owned()
        };
        for (path, what) in &done.wrote {
            told.push(Told::new("wrote", shown(path), what.clone()));
        }
        for (path, why) in &done.left {
            told.push(Told::new("left", shown(path), why.clone()));
        }
        if let Some(trial) = trial.filter(|trial| trial.hook.is_some()) {
            told.push(self.tell_trial(&trial));
        }
        Ok(())
    }

    fn tell_trial(&self, trial: &githooks::Trial) -> Told {
        if trial.accepted {
            let detail = format!("accepts phase messages ({} ms per commit)", trial.took_ms);
            return Told::new("found", "a commit-msg hook", detail);
        }
        let hint = "refuses `observe: …`; propose in seed.toml  [commit] subject = \"chore({phase}): {subject}\"  and run git seed rules apply";
        Told::new("found", "a commit-msg hook", hint)
    }

    /// The rules that a person has applied here.
    pub fn applied_rules(&self) -> Result<Option<String>> {
        let Some(tip) = self.store.tip(names::RULES)? else { return Ok(None) };
        let bytes = self.store.file(&tip, "seed.toml")?.unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The rules that the work tree proposes.
    pub fn proposed_rules(&self) -> Result<String> {
        let file = self.store.work_tree().join("seed.toml");
        read_if_there(&file)?.ok_or(SeedError::NoProposal)
    }

    /// Checks rules that the work tree proposes.
    pub fn check_rules(&self, text: &str) -> Result<()> {
        let sound = crate::rules::Rules::with(text);
        sound.map(drop).map_err(|bad| SeedError::Proposal(bad.told("seed.toml", text)))
    }

    /// Puts rules into force, if they are sound.
    pub fn apply_rules(&self, text: &str) -> Result<()> {
        self.check_rules(text)?;
        let _lock = self.store.lock()?;
        let tip = self.store.tip(names::RULES)?;
        let put = TreeEdit::Put { path: "seed.toml".to_owned(), bytes: text.as_bytes().to_vec() };
        let after = tip.map(|tip| tip.commit);
        self.store.append(names::RULES, after.as_ref(), &[put], "rules applied", self.now, &[])?;
        self.remember_applied(text)
    }

    /// Takes out all that [`Seed::install`] and the hooks wrote; pages, knowledge and
    /// commits stay. `history` false leaves refs and notes. Gives what was done, and
    /// what was left because somebody changed it.
    pub fn remove(&self, history: bool, bundle: Option<&Path>) -> Result<Vec<Told>> {
        let installation = self.installation();
        let mut told = Vec::new();
        if let (true, Some(file)) = (history, bundle) {
            if let Some(dir) = file.parent() {
                std::fs::create_dir_all(dir)?;
            }
            if self.store.bundle(file)? {
                told.push(Told::new(
                    "kept",
                    file.display().to_string(),
                    "every step and note, as a git bundle",
                ));
            }
        }
        self.remove_agents(&installation, &mut told)?;
        self.remove_servers(&installation, &mut told)?;
        for file in &installation.settings {
            told.push(self.remove_settings(file)?);
        }
        self.remove_excludes(&installation, &mut told)?;
        if let Some(record) = &installation.hooks {
            let done = githooks::remove(&self.hook_repo(), record).map_err(hook_error)?;
            for path in done.restored {
                told.push(Told::new("took out", path.display().to_string(), "as it was"));
            }
            for (path, why) in done.left {
                told.push(Told::new("left", path.display().to_string(), why));
            }
        }
        self.forget_own_scratch()?;
        self.store.forget_refs(history)?;
        self.store.forget_files()?;
        told.push(Told::new(
            "took out",
            ".git/seed",
            if history { "and refs/seed" } else { "refs/seed stays" },
        ));
        Ok(told)
    }

    fn remove_settings(&self, file: &SettingsFile) -> Result<Told> {
        let shown =
            file.path.strip_prefix(self.store.work_tree()).unwrap_or(&file.path).display().to_string();
        let Some(text) = read_if_there(&file.path)? else {
            return Ok(Told::new("left", shown, "it is gone already"));
        };
        let row = hosts::row(&file.host).map_err(|bad| SeedError::Usage(bad.to_string()))?;
        let undo = Some(file.undo.as_str()).filter(|undo| !undo.is_empty());
        let removed = match install::remove(&text, row, undo) {
            Ok(removed) => removed,
            Err(bad) => {
                let why = format!(
                    "it does not read ({}:{}: {}); take the git-seed lines out by hand",
                    bad.line, bad.column, bad.why
                );
                return Ok(Told::new("left", shown, why));
            }
        };
        match removed.text {
            Some(text) => self.replace_file(&file.path, text.as_bytes())?,
            None => std::fs::remove_file(&file.path)?,
        }
        for dir in &file.made_dirs {
            // Only an empty one goes: others may have put files there since.
            let _ = std::fs::remove_dir(dir);
        }
        Ok(Told::new("took out", shown, "hook lines"))
    }

    fn remove_excludes(&self, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
        if installation.excluded.is_empty() {
            return Ok(());
        }
        let file = self.store.common_dir().join("info").join("exclude");
        let Some(now) = read_if_there(&file)? else { return Ok(()) };
        let before = installation.exclude_before.clone().unwrap_or_default();
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let ours: String = installation.excluded.iter().map(|line| format!("{line}\n")).collect();
        if now == format!("{before}{gap}{ours}") {
            match &installation.exclude_before {
                Some(before) => world::write_whole(&file, before.as_bytes())?,
                None => std::fs::remove_file(&file)?,
            }
            if let (true, Some(dir)) = (installation.made_info, file.parent()) {
                // Only when it is empty: others may have put files there since.
                let _ = std::fs::remove_dir(dir);
            }
        } else {
            let keep = |line: &&str| !installation.excluded.iter().any(|own| own == line.trim_end());
            let text: String = now.split_inclusive('\n').filter(keep).collect();
            world::write_whole(&file, text.as_bytes())?;
        }
        told.push(Told::new("took out", ".git/info/exclude", "our lines"));
        Ok(())
    }

    /// What [`Seed::remove`] would do, without doing it.
    pub fn removal_plan(&self) -> Result<Vec<Told>> {
        let installation = self.installation();
        let mut told = Vec::new();
        for file in &installation.settings {
            let shown =
                file.path.strip_prefix(self.store.work_tree()).unwrap_or(&file.path).display().to_string();
            let there = read_if_there(&file.path)?.is_some();
            told.push(Told::new(
                "would take out",
                shown,
                if there { "hook lines" } else { "nothing: it is gone" },
            ));
        }
        for server in self.servers() {
            told.push(Told::new("would take out", server.shown, "MCP server seed"));
        }
        let agents = installation.agents.iter().filter(|file| file.path.is_file()).count();
        if agents > 0 {
            let what = super::boundary::count(agents, "Markdown file");
            told.push(Told::new("would take out", what, "those that nobody changed"));
        }
        if !installation.excluded.is_empty() {
            told.push(Told::new("would take out", ".git/info/exclude", "our lines"));
        }
        if let Some(record) = &installation.hooks {
            for hook in
                githooks::state(&self.hook_repo(), &world::own_binary(), record).map_err(hook_error)?
            {
                told.push(Told::new("would take out", format!("git hook {}", hook.name), hook.detail));
            }
        }
        let refs = self.store.our_refs()?;
        told.push(Told::new("would bundle", super::boundary::count(refs.len(), "ref"), "then delete them"));
        told.push(Told::new("would take out", ".git/seed", ""));
        Ok(told)
    }
}

/// The message that the repository's own commit-msg hook is asked about.
const TRIAL: &str = "observe: settle how quoted strings lex\n\n## What I Observed\nthe lexer drops escapes\n";

fn hook_error(error: githooks::HookError) -> SeedError {
    SeedError::Usage(error.to_string())
}

/// Where the bundle of a removed installation goes: outside the repository.
pub fn bundle_file(work_tree: &Path, at: i64) -> PathBuf {
    let data = world::variable("XDG_DATA_HOME").map(PathBuf::from);
    let home = world::variable("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let dir = data.or(home).unwrap_or_else(std::env::temp_dir).join("git-seed");
    let name = work_tree.file_name().map_or_else(|| "repository".into(), std::ffi::OsStr::to_string_lossy);
    dir.join(format!("{name}-{at}.bundle"))
}

pub(super) fn read_if_there(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Directories above `path`, below `top`, that are not there; innermost first.
pub(super) fn missing_dirs(path: &Path, top: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| *dir != top);
    above.filter(|dir| !dir.exists()).map(Path::to_owned).collect()
}

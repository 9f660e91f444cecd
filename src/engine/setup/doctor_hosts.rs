//! What `doctor` says of each host: its hook line refuses what it should, and the host has run it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::engine::finding::Finding;
use crate::engine::repo::installation::SettingsFile;
use crate::engine::repo::{self, Repo};
use crate::engine::{self, record, setup};
use crate::hosts::{self, Distrust, Host, Linked, Place, install};
use crate::jobs::mode::Mode;
use crate::voice::Found;

/// Adds what is found of each host that has our hook line.
pub(crate) fn examine_hosts(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    let Ok(installation) = repo.installation() else { return };
    let (mut files, elsewhere): (Vec<_>, Vec<_>) =
        installation.settings.into_iter().partition(|file| is_of_here(repo, file));
    // A row that does not read is named below, where `init` wrote for it.
    for row in hosts::names().filter_map(|name| hosts::row(name).ok()) {
        let places = setup::host_settings::registrations(repo, row);
        if let [one, other, ..] = &places[..] {
            let (title, one, other) = (row.title.as_str(), &*one.shown, &*other.shown);
            let facts = [("title", title), ("one", one), ("other", other)];
            found.push(Finding::of(Found::HostTwice, &facts));
        }
        for Place { path, .. } in places {
            let known = files.iter().any(|file| file.path == path);
            if !known && setup::host_settings::is_found_by_name(row, &path) {
                let (host, undo) = (row.name.clone(), String::new());
                files.push(SettingsFile { host, path, made_dirs: Vec::new(), undo });
            }
        }
    }
    let plugins = setup::plugins::findings(repo, &files);
    if files.is_empty() && plugins.is_empty() && elsewhere.is_empty() {
        found.push(Finding::of(Found::NoHost, &[]));
    }
    found.extend(plugins);
    let is_here = |host: &str| files.iter().any(|file| file.host == host);
    found.extend(lacking(repo, &elsewhere, is_here));
    for file in &files {
        examine_host(repo, file, found);
    }
}

/// The file lies where its host looks for it in this worktree.
fn is_of_here(repo: &Repo, file: &SettingsFile) -> bool {
    // Of a row that does not read no name is known: the file is named, with what is wrong.
    let Ok(row) = hosts::row(&file.host) else { return true };
    let real = |path: &Path| repo::paths::real(path);
    let places = setup::host_settings::places(repo, row);
    places.iter().any(|place| real(&place.path) == real(&file.path))
}

/// The hosts that have hook lines in this clone, and none that they read in this worktree.
fn lacking(
    repo: &Repo,
    elsewhere: &[SettingsFile],
    is_here: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut names: Vec<&str> = elsewhere.iter().map(|file| file.host.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let rows = names.into_iter().filter_map(|name| hosts::row(name).ok());
    let without = rows.filter(|row| !is_here(&row.name));
    let of = |row: &Host| {
        let of_main = row.settings.linked == Linked::Main
            && setup::host_settings::main_checkout(repo).is_some();
        let key = if of_main { Found::HostReadsMain } else { Found::HostElsewhere };
        let dir = ("dir", row.settings.dir());
        Finding::of(key, &[("title", row.title.as_str()), ("host", row.name.as_str()), dir])
    };
    without.map(of).collect()
}

/// Adds what is found of one host, by its settings file.
fn examine_host(repo: &Repo, file: &SettingsFile, found: &mut Vec<Finding>) {
    let row = match hosts::row(&file.host) {
        Ok(row) => row,
        Err(bad) => {
            found.push(Finding::trouble(Found::HostTrouble, &bad));
            return;
        }
    };
    let text = match crate::engine::own_state::text(&file.path) {
        // Settings that are not there have no hook line.
        Ok(text) => text.unwrap_or_default(),
        Err(unread) => {
            found.push(Finding::trouble(Found::SettingsTrouble, &unread));
            return;
        }
    };
    let shown = file.path.strip_prefix(repo.store.work_tree()).unwrap_or(&file.path);
    let shown = shown.display().to_string();
    if let Some(off) = kept_from_running(repo, row) {
        found.push(off.finding(row));
        return;
    }
    found.push(try_host(repo, row, &text, &shown));
    found.extend(engine::host_sandbox::finding(repo, row));
    let missing = install::missing_events(&text, row);
    if !missing.is_empty() && missing.len() < row.install_events() {
        let facts = [("shown", shown.as_str()), ("events", &*missing.join(", "))];
        found.push(Finding::of(Found::NoEventLines, &facts));
    }
    found.push(setup::heartbeat::finding(repo, row));
    if row.tried.is_none() {
        found.push(Finding::of(Found::HostUntried, &[("title", &row.title)]));
    }
}

/// What keeps a host from running hook lines that stand in its settings.
pub(crate) enum Kept<'h> {
    /// A setting, and the file that holds it.
    Off(&'h str, &'h str),
    /// A person's word on this folder.
    Distrust(Distrust),
}

impl Kept<'_> {
    /// The same as `doctor` says it.
    fn finding(&self, row: &Host) -> Finding {
        let title = ("title", row.title.as_str());
        match self {
            Self::Off(key, file) => {
                Finding::of(Found::HooksOff, &[title, ("shown", file), ("key", key)])
            }
            Self::Distrust(said) => Finding::of(
                Found::HookDistrust,
                &[title, ("shown", &said.file), ("of", &said.of), ("word", &said.word)],
            ),
        }
    }

    /// The same as `init` says it, with what a person can do.
    pub(crate) fn told(&self, row: &Host) -> String {
        self.finding(row).told()
    }
}

/// What keeps `row` from running hooks here, as its own files say.
pub(crate) fn kept_from_running(repo: &Repo, row: &'static Host) -> Option<Kept<'static>> {
    if let Some((key, file)) = row.switched_off(|file| repo.host_file(file)) {
        return Some(Kept::Off(key, file));
    }
    let top = repo.store.work_tree();
    // A host goes by the repository in which the worktree is linked, too.
    let mut tops = vec![top.to_owned(), repo::paths::real(top)];
    tops.extend(repo.store.common_dir().parent().map(Path::to_owned));
    row.distrust(&tops, |file| repo.host_file(file)).map(Kept::Distrust)
}

/// Sends a forbidden event through the installed hook line and expects a refusal.
fn try_host(repo: &Repo, row: &'static Host, settings: &str, shown: &str) -> Finding {
    let Some((program, arguments)) = hosts::before_tool_line(settings, row) else {
        return Finding::of(Found::NoHookLine, &[("shown", shown)]);
    };
    if !repo.is_on() {
        return Finding::of(Found::NotTried, &[("shown", shown)]);
    }
    let Some(payload) = hosts::canary(row, repo.store.work_tree(), &repo.store.seed_dir()) else {
        return Finding::of(Found::NothingToTry, &[("shown", shown)]);
    };
    let replied = run(&program, &arguments, &payload);
    if repo.rules.mode == Mode::Watch
        && let Ok(reply) = &replied
    {
        return watches(repo, row, shown, reply);
    }
    // A trial is no work: where it cannot be taken out of the record it is counted.
    let _ = record::watched::forget(repo, hosts::CANARY);
    match replied {
        Ok(reply) if hosts::is_refusal(row, &reply) => {
            Finding::of(Found::HostRefuses, &[("title", &row.title), ("shown", shown)])
        }
        Ok(reply) => {
            let said = if reply.trim().is_empty() { "nothing".to_owned() } else { reply };
            Finding::of(Found::HostPasses, &[("shown", shown), ("said", &said)])
        }
        Err(error) => {
            let facts = [("program", program.as_str()), ("error", &*error.to_string())];
            Finding::of(Found::HookFails, &facts)
        }
    }
}

/// Whoever only watches lets the forbidden call pass, without a word, and writes it down.
fn watches(repo: &Repo, row: &Host, shown: &str, reply: &str) -> Finding {
    // A record that does not read has no line of it.
    let lines = record::watched::all(repo).unwrap_or_default();
    let kept = lines.iter().any(|line| line.session == hosts::CANARY);
    // Where it cannot be taken out it is counted with the others.
    let _ = record::watched::forget(repo, hosts::CANARY);
    if kept && reply.trim().is_empty() {
        return Finding::of(Found::HostWatches, &[("title", &row.title), ("shown", shown)]);
    }
    let said = if reply.trim().is_empty() { "nothing" } else { reply };
    Finding::of(Found::HostWatchesNot, &[("shown", shown), ("said", said)])
}

/// Runs a hook line with this event, and returns what it printed.
pub(crate) fn run(program: &str, arguments: &[String], payload: &[u8]) -> std::io::Result<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(payload)?;
    }
    let out = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

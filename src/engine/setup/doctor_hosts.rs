//! What `doctor` says of each host: its hook line refuses what it should, and the host has run it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::engine::repo::installation::SettingsFile;
use crate::engine::repo::{self, Repo};
use crate::engine::setup::finding::Finding;
use crate::engine::{record, setup};
use crate::hosts::{self, Host};
use crate::jobs::mode::Mode;
use crate::voice::Found;

/// Adds what is found of each host that has our hook line.
pub(crate) fn examine_hosts(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    let Ok(installation) = repo.installation() else { return };
    let mut files = installation.settings;
    // A row that does not read is named below, where `init` wrote for it.
    for row in hosts::names().filter_map(|name| hosts::row(name).ok()) {
        let names = setup::host_settings::registrations(repo, row);
        if let [one, other] = names[..] {
            let facts = [("title", row.title.as_str()), ("one", one), ("other", other)];
            found.push(Finding::of(Found::HostTwice, &facts));
        }
        for name in names {
            let path = repo.store.work_tree().join(name);
            let known = files.iter().any(|file| file.path == path);
            if !known && setup::host_settings::is_found_by_name(repo, row, name) {
                let (host, undo) = (row.name.clone(), String::new());
                files.push(SettingsFile { host, path, made_dirs: Vec::new(), undo });
            }
        }
    }
    let plugins = setup::plugins::findings(repo, &files);
    if files.is_empty() && plugins.is_empty() {
        found.push(Finding::of(Found::NoHost, &[]));
    }
    found.extend(plugins);
    for file in &files {
        let row = match hosts::row(&file.host) {
            Ok(row) => row,
            Err(bad) => {
                found.push(Finding::trouble(Found::HostTrouble, &bad));
                continue;
            }
        };
        let text = match repo::own_state::text(&file.path) {
            // Settings that are not there have no hook line.
            Ok(text) => text.unwrap_or_default(),
            Err(unread) => {
                found.push(Finding::trouble(Found::SettingsTrouble, &unread));
                continue;
            }
        };
        let shown = file
            .path
            .strip_prefix(repo.store.work_tree())
            .unwrap_or(&file.path)
            .display()
            .to_string();
        if let Some((key, file)) = row.switched_off(|file| repo.host_file(file)) {
            let facts = [("title", row.title.as_str()), ("shown", file), ("key", key)];
            found.push(Finding::of(Found::HooksOff, &facts));
            continue;
        }
        found.push(try_host(repo, row, &text, &shown));
        found.push(setup::heartbeat::finding(repo, row));
        if row.tried.is_none() {
            found.push(Finding::of(Found::HostUntried, &[("title", &row.title)]));
        }
    }
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

//! `doctor`: is everything in place, and does the fence really answer?
//!
//! The proof is an event, not a file: a forbidden call is sent through the very hook
//! line that the host would run, and a refusal is expected back. `--fix` mends what can
//! be rebuilt without losing anything: the journal from the job's tip, a focus that
//! points nowhere, a chain whose tip does not read.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::engine::repo::{self, EngineError, JournalTrouble, LoadedJob, Repo, Result};
use crate::engine::{boundary, claims, fence, jobs, record, setup};
use crate::format::fold::opening;
use crate::format::journal::Linked;
use crate::format::{names, state};
use crate::hosts::{self, Host};
use crate::rules::Confining;
use crate::store::Tip;
use crate::{confine, githooks, world};

/// What helps where a host's settings do not read: `init` writes into no file that it cannot.
const MEND_SETTINGS: &str = "a person mends the file, then git seed init";

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    pub check: &'static str,
    pub ok: bool,
    pub detail: String,
    /// The command or the act that mends it.
    pub fix: Option<String>,
}

impl Finding {
    fn good(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, ok: true, detail: detail.into(), fix: None }
    }

    fn bad(check: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, ok: false, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything; mends what it can when `fix` is true.
pub(crate) fn examine(repo: &Repo, fix: bool) -> Result<Vec<Finding>> {
    let mut found = vec![Finding::good("git", repo.store.git_version()?)];
    match repo.require_seeded() {
        Ok(()) => found.push(Finding::good("installed", "refs/seed/meta")),
        Err(error) => {
            found.push(Finding::bad("installed", error.to_string(), "git seed init"));
            return Ok(found);
        }
    }
    let mended = if fix { Some(mend(repo, &mut found)?) } else { None };
    let repo = mended.as_ref().unwrap_or(repo);
    found.push(if repo.is_on() {
        Finding::good("switch", "on")
    } else {
        Finding::bad("switch", "off in this worktree", "git seed on")
    });
    examine_state(repo, &mut found);
    examine_own_files(repo, &mut found);
    examine_archive(repo, &mut found);
    examine_hosts(repo, &mut found);
    examine_servers(repo, &mut found);
    examine_hooks(repo, &mut found);
    examine_confinement(repo, &mut found);
    found.push(examine_prints(repo));
    examine_memory(repo, &mut found)?;
    examine_commands(repo, &mut found);
    Ok(found)
}

fn examine_state(repo: &Repo, found: &mut Vec<Finding>) {
    let repair = "git seed doctor --fix";
    match repo.focused() {
        Ok(None) => found.push(Finding::good("job", "none is focused")),
        Ok(Some(focused)) => {
            let detail = format!("{} in {}", focused.state.job.name, focused.state.stand.phase);
            found.push(Finding::good("job", detail));
            if let Err(error) = job_files(repo, &focused) {
                found.push(Finding::bad("job", error.to_string(), repair));
            }
            found.push(match chain_of_journal(repo, &focused) {
                Ok(lines) => Finding::good("journal", repo::text::count(lines, "line")),
                Err(error) => Finding::bad("journal", error.to_string(), repair),
            });
        }
        Err(error) => found.push(Finding::bad("job", error.to_string(), repair)),
    }
    match repo.store.fsck() {
        Ok(None) => found.push(Finding::good("objects", "git fsck --strict is content")),
        Ok(Some(said)) => {
            let first = said.lines().next().unwrap_or_default().to_owned();
            found.push(Finding::bad("objects", first, "git fsck"));
        }
        Err(error) => found.push(Finding::bad("objects", error.to_string(), "git fsck")),
    }
}

/// What the job's tree says beside `job.toml`, and what only this clone knows of it.
fn job_files(repo: &Repo, focused: &LoadedJob) -> Result<()> {
    read_lists(repo, &focused.tip)?;
    repo.words_of_plan(focused, &[], |_| None)?;
    repo.is_foreign(&focused.state).map(drop)
}

/// The files below `.git/seed` that no ref holds, and why one of them does not read.
fn unread_own_files(repo: &Repo) -> Vec<(std::path::PathBuf, EngineError)> {
    let sessions = repo.store.seed_dir().join("sessions");
    let sessions =
        std::fs::read_dir(&sessions).into_iter().flatten().flatten().map(|file| file.path());
    let drafts =
        |file: &std::path::PathBuf| file.extension().is_some_and(|ending| ending == "toml");
    let mut read: Vec<(std::path::PathBuf, Result<()>)> = vec![
        (repo.record_file(), repo.installation().map(drop)),
        (repo.prints_file(), repo.prints().map(drop)),
        (record::pending_file::pending_file(repo), record::pending_file::pending(repo).map(drop)),
        (
            repo::clone_file::clone_file(&repo.store),
            repo::clone_file::known_clone(&repo.store).map(drop).map_err(Into::into),
        ),
    ];
    read.extend(sessions.filter(drafts).map(|file| {
        let read = repo::own_state::from_toml::<repo::sessions::Session>(&file);
        (file, read.map(drop).map_err(Into::into))
    }));
    read.into_iter().filter_map(|(file, read)| Some((file, read.err()?))).collect()
}

fn examine_own_files(repo: &Repo, found: &mut Vec<Finding>) {
    for (_, error) in unread_own_files(repo) {
        found.push(Finding::bad("state", error.to_string(), "git seed doctor --fix"));
    }
}

/// Sets files that do not read aside, beside their place: what they said is a person's to read.
fn set_aside(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    let binding = unread_own_files(repo);
    if binding.is_empty() {
        return Ok(());
    }
    if let Err(why) = repo.is_person() {
        // They could have held a no of a person's, or the trace of an act of the agent's.
        let detail = format!("{}; only a person sets it aside: {why}", binding[0].1);
        found.push(Finding::bad(
            "state",
            detail,
            "a person runs git seed doctor --fix in a terminal",
        ));
        return Ok(());
    }
    for (file, _) in binding {
        let mut aside = file.clone().into_os_string();
        aside.push(".unread");
        std::fs::rename(&file, &aside)?;
        let (file, aside) = (file.display(), std::path::Path::new(&aside).display());
        found.push(Finding::good("mended", format!("{file} did not read; it is kept as {aside}")));
    }
    Ok(())
}

/// Closed jobs lie in the archive, and its index says which.
fn examine_archive(repo: &Repo, found: &mut Vec<Finding>) {
    let (check, repair) = ("jobs", "git seed doctor --fix");
    found.push(
        match (record::archive::archive_reads(repo), jobs::archive_check::not_put_away(repo)) {
            (Ok(closed), Ok(0)) => {
                let open = record::archive::live_ids(repo).map_or(0, |ids| ids.len());
                Finding::good(check, format!("{open} open, {closed} in the archive"))
            }
            (Ok(_), Ok(waiting)) => {
                let detail =
                    format!("{} closed and not in the archive", repo::text::count(waiting, "job"));
                Finding::bad(check, detail, repair)
            }
            (Err(error), _) | (_, Err(error)) => Finding::bad(check, error.to_string(), repair),
        },
    );
}

fn chain_of_journal(repo: &Repo, focused: &LoadedJob) -> Result<usize> {
    focused.activity.clone()?;
    let lines = repo.store.journal().all()?;
    let linked = Linked::chain(&lines).map_err(|_| JournalTrouble::Changed)?;
    Ok(linked.len())
}

fn examine_hosts(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    let Ok(installation) = repo.installation() else { return };
    if installation.settings.is_empty() {
        found.push(Finding::bad("host", "no host has our hook lines", "git seed init"));
    }
    for file in &installation.settings {
        let row = match hosts::row(&file.host) {
            Ok(row) => row,
            Err(bad) => {
                found.push(Finding::bad(
                    "host",
                    bad.to_string(),
                    "use another git-seed, then git seed init",
                ));
                continue;
            }
        };
        let text = match repo::own_state::text(&file.path) {
            // Settings that are not there have no hook line.
            Ok(text) => text.unwrap_or_default(),
            Err(unread) => {
                found.push(Finding::bad("host", unread.to_string(), MEND_SETTINGS));
                continue;
            }
        };
        let shown = file
            .path
            .strip_prefix(repo.store.work_tree())
            .unwrap_or(&file.path)
            .display()
            .to_string();
        if hosts::switches_hooks_off(&text) {
            found.push(Finding::bad(
                "host",
                format!("{shown} switches all hooks off"),
                "remove disableAllHooks",
            ));
            continue;
        }
        found.push(try_host(repo, row, &text, &shown));
    }
}

/// Sends a forbidden event through the installed hook line and expects a refusal.
fn try_host(repo: &Repo, row: &'static Host, settings: &str, shown: &str) -> Finding {
    let Some((program, arguments)) = hosts::before_tool_line(settings, row) else {
        return Finding::bad("host", format!("{shown} has no hook line of ours"), "git seed init");
    };
    if !repo.is_on() {
        return Finding::good(
            "host",
            format!("{shown} has our hook lines (switched off, so not tried)"),
        );
    }
    let Some(payload) = hosts::canary(row, repo.store.work_tree(), &repo.store.seed_dir()) else {
        return Finding::good(
            "host",
            format!("{shown} has our hook lines (this host has no event to try)"),
        );
    };
    match run(&program, &arguments, &payload) {
        Ok(reply) if hosts::is_refusal(row, &reply) => Finding::good(
            "host",
            format!("{}: a forbidden call was refused through {shown}", row.title),
        ),
        Ok(reply) => {
            let said = if reply.trim().is_empty() { "nothing".to_owned() } else { reply };
            Finding::bad(
                "host",
                format!("{shown}: a forbidden call was answered with {said}"),
                "git seed init",
            )
        }
        Err(error) => {
            Finding::bad("host", format!("{program} does not run: {error}"), "git seed init")
        }
    }
}

/// The entries of `init --mcp`: a host that lost one starts no server, or another.
fn examine_servers(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    for server in setup::mcp_servers::servers(repo).unwrap_or_default() {
        let (title, shown) = (&server.title, &server.shown);
        found.push(match server.there {
            Ok(true) => Finding::good("mcp", format!("{title} finds the server seed in {shown}")),
            Ok(false) => {
                let detail = format!("{shown} has no entry of ours that runs this git-seed");
                Finding::bad("mcp", detail, "git seed init --mcp")
            }
            Err(unread) => Finding::bad("mcp", unread.to_string(), MEND_SETTINGS),
        });
    }
}

fn examine_hooks(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    let Ok(installation) = repo.installation() else { return };
    let Some(record) = installation.hooks else {
        found.push(Finding::bad("git hooks", "not installed", "git seed init"));
        return;
    };
    match githooks::state(&repo.hook_repo(), &world::own_binary(), &record) {
        Ok(states) => {
            for hook in states {
                let said =
                    if hook.detail.is_empty() { "git runs it" } else { hook.detail.as_str() };
                let detail = format!("{}: {said}", hook.name);
                found.push(if hook.ok {
                    Finding::good("git hooks", detail)
                } else {
                    Finding::bad("git hooks", detail, "git seed init")
                });
            }
        }
        Err(error) => found.push(Finding::bad("git hooks", error.to_string(), "git seed init")),
    }
}

/// Does the kernel hold a command that git seed exec starts, and which hosts let a hook
/// start one so?
fn examine_confinement(repo: &Repo, found: &mut Vec<Finding>) {
    match confine::check() {
        Err(why) => {
            let detail = format!("none here: {why}; the tree fence alone looks, afterwards");
            found.push(Finding::good("confinement", detail));
            return;
        }
        Ok(()) => found.push(try_confinement(repo)),
    }
    if repo.rules.confining == Confining::Off {
        found.push(Finding::good("rewriting", "off in the rules (shell.confine)"));
        return;
    }
    // A record that does not read has its own finding.
    for file in repo.installation().unwrap_or_default().settings {
        let Ok(row) = hosts::row(&file.host) else { continue };
        let title = &row.title;
        let detail = if !row.rewrites() {
            format!(
                "{title} does not let a hook replace a line; git seed exec -- <command> confines \
                 by hand"
            )
        } else if fence::rewrite::has_seen_rewrite(repo, &row.name) {
            format!(
                "{title} was seen to run a replaced line; code runs confined where it would run \
                 unasked"
            )
        } else {
            format!(
                "{title}: not seen yet; have the agent run git seed doctor by itself in a session"
            )
        };
        found.push(Finding::good("rewriting", detail));
    }
}

/// Starts a confined command that tries to write where it must not.
fn try_confinement(repo: &Repo) -> Finding {
    let file = repo.store.seed_dir().join("probe");
    let line = ["echo ran; : > \"$0\"".to_owned(), file.display().to_string()];
    let arguments: Vec<String> =
        ["exec", "--", "sh", "-c"].map(str::to_owned).into_iter().chain(line).collect();
    let program = world::own_binary().display().to_string();
    let ran = run(&program, &arguments, b"");
    let written = std::fs::remove_file(&file).is_ok();
    match ran {
        Ok(said) if said == "ran" && !written => {
            Finding::good("confinement", "the kernel kept a confined command from writing to .git")
        }
        Ok(_) if written => {
            Finding::bad("confinement", "a confined command wrote to .git", "use another git-seed")
        }
        Ok(_) => {
            Finding::bad("confinement", "git seed exec starts no command", "git seed exec -- true")
        }
        Err(error) => {
            Finding::bad("confinement", format!("{program} does not run: {error}"), "git seed init")
        }
    }
}

/// Is what holds the fence up still as it was when the session began?
fn examine_prints(repo: &Repo) -> Finding {
    let check = "fingerprints";
    let told = fence::fingerprint_restore::prints_told(repo);
    let ((count, changed), strays) = match (told, fence::fingerprint_restore::print_strays(repo)) {
        (Ok(Some(told)), Ok(strays)) => (told, strays),
        (Ok(None), _) => return Finding::good(check, "they are taken when a session starts"),
        (Err(error), _) | (_, Err(error)) => {
            return Finding::bad(check, error.to_string(), "git seed doctor --fix");
        }
    };
    if let Some(first) = strays.first() {
        let detail = format!("a call of the agent changed {}", strays.join(", "));
        let fix =
            format!("git seed fence restore {first}, or yours: git seed fence accept {first}");
        return Finding::bad(check, detail, fix);
    }
    let files = repo::text::count(count, "file");
    Finding::good(
        check,
        match changed.as_slice() {
            [] => format!("{files} as they were seen last"),
            changed => format!("{files}; changed by no call: {}", changed.join(", ")),
        },
    )
}

/// Commands that the rules name run only where a person applied those rules.
fn examine_commands(repo: &Repo, found: &mut Vec<Finding>) {
    let check = "commands";
    if claims::checkers::has_foreign_commands(repo) {
        let detail =
            "the rules in force came from elsewhere: their checks and tests run nothing here";
        found.push(Finding::bad(check, detail, "git seed rules show, then git seed rules apply"));
    }
    if repo.rules.commands.has_tests() {
        // A record that does not read has its own finding.
        for title in claims::checkers::short_stops(repo).unwrap_or_default() {
            let detail = format!("{title} waits too briefly for tests at the end of a turn");
            found.push(Finding::bad(
                check,
                detail,
                "git seed uninstall --keep-history, then git seed init",
            ));
        }
    }
}

fn examine_memory(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    if repo.store.is_ignored(".claude/knowledge/x.md")? {
        found.push(Finding::good(
            "memory",
            ".claude is ignored: what is kept there does not travel",
        ));
    }
    let page = repo.page_path(".");
    let there = repo.store.work_tree().join(&page).exists();
    if there && repo.store.is_ignored(&page)? {
        found.push(Finding::bad(
            "memory",
            format!("{page} is ignored: memory does not travel"),
            "track it",
        ));
    } else {
        found.push(Finding::good(
            "memory",
            if there { page } else { format!("{page} is not there yet") },
        ));
    }
    Ok(())
}

/// Mends what can be rebuilt from what the chains say. Gives the repository as it is then.
fn mend(repo: &Repo, found: &mut Vec<Finding>) -> Result<Repo> {
    set_aside(repo, found)?;
    mend_chains(repo, found)?;
    // What the job in focus allows was read when the repository was opened.
    let repo = Repo::open(repo.store.work_tree())?;
    mend_around(&repo, found)?;
    Ok(repo)
}

fn mend_chains(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    for (chain, _) in repo.store.chains(names::JOBS)? {
        match reads(repo, &chain) {
            Err(error) if error.is_damage() => found.push(set_back_chain(repo, &chain)?),
            // A newer binary wrote it: it is whole, only not ours to read.
            Err(error) => {
                found.push(Finding::bad("job", error.to_string(), "use a newer git-seed"))
            }
            Ok(()) => mend_lists(repo, &chain, found)?,
        }
    }
    Ok(())
}

/// Sets a job back whose lists or rules are lost, in a person's hands: what it may do and what
/// a person closed are in them, and steps go with them.
fn mend_lists(repo: &Repo, chain: &str, found: &mut Vec<Finding>) -> Result<()> {
    let Some(tip) = repo.store.tip(chain)? else { return Ok(()) };
    let Err(error) = read_lists(repo, &tip) else { return Ok(()) };
    found.push(match repo.is_person() {
        Ok(()) => set_back_chain(repo, chain)?,
        Err(why) => Finding::bad(
            "job",
            format!("{error}; only a person sets the job back: {why}"),
            "a person runs git seed doctor --fix in a terminal",
        ),
    });
    Ok(())
}

/// Mends what stands beside the chains: the archive, the focus, the journal.
fn mend_around(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    let repaired = |detail: String| Finding::good("mended", detail);
    if record::archive::archive_reads(repo).is_err_and(|error| error.is_damage()) {
        let jobs = repo::text::count(record::archive::rebuild_archive(repo)?, "job");
        found.push(repaired(format!("the index of the archive was written anew: {jobs}")));
    }
    match record::archive::put_all_away(repo)? {
        0 => {}
        n => found.push(repaired(format!(
            "{} went into the archive",
            repo::text::count(n, "closed job")
        ))),
    }
    if repo.store.focus().is_err() {
        repo.store.clear_focus()?;
        found.push(repaired(
            "the focus pointed to a job that is gone; nothing is focused now".to_owned(),
        ));
    }
    // A job that still does not read is among the findings; nothing of it can be mended here.
    let Ok(Some(focused)) = repo.focused() else { return Ok(()) };
    if chain_of_journal(repo, &focused).is_err() {
        repo.store.journal().restart(Some(&opening(&focused.state, repo.now)))?;
        found.push(repaired("the journal was rebuilt from the job's tip".to_owned()));
    }
    boundary::cross::finish_pending(repo)?;
    Ok(())
}

pub(crate) fn reads(repo: &Repo, chain: &str) -> Result<()> {
    let tip = repo.store.tip(chain)?.ok_or(EngineError::NoJob)?;
    repo.state(chain, &tip).map(drop)
}

/// Files of a job's tree that every decision is taken by; a job may lack any of them.
const LISTS: [&str; 4] = [names::SCOPE, names::ALLOWED, names::JOB_RULES, names::INJECTION];

/// Reads them: one whose bytes git has lost is not the same as none.
fn read_lists(repo: &Repo, tip: &Tip) -> Result<()> {
    LISTS.iter().try_for_each(|file| repo.store.file(tip, file).map(drop)).map_err(Into::into)
}

/// Sets a chain that does not read back to its newest commit that does.
fn set_back_chain(repo: &Repo, chain: &str) -> Result<Finding> {
    for id in repo.store.reflog(chain) {
        let Ok(commit) = id.parse() else { continue };
        // A commit that does not read is no step to go back to.
        if let Ok(bytes) = repo.store.file_of_commit(&commit, names::STATE)
            && bytes.is_some_and(|bytes| state::read(&bytes).is_ok())
            && LISTS.iter().all(|file| repo.store.file_of_commit(&commit, file).is_ok())
        {
            repo.store.set_back(chain, &id)?;
            return Ok(Finding::good(
                "mended",
                format!("{chain} is back at {id}, its newest step that reads"),
            ));
        }
    }
    let fix = format!("git update-ref -d {chain}");
    Ok(Finding::bad("job", format!("{chain} does not read, and no earlier step of it does"), fix))
}

fn run(program: &str, arguments: &[String], payload: &[u8]) -> std::io::Result<String> {
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

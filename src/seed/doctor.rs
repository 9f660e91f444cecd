//! `doctor`: is everything in place, and does the fence really answer?
//!
//! The proof is an event, not a file: a forbidden call is sent through the very hook
//! line that the host would run, and a refusal is expected back. `--fix` mends what can
//! be rebuilt without losing anything: the journal from the job's tip, a focus that
//! points nowhere, a chain whose tip does not read.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde::Serialize;

use super::{Focused, Result, Seed, SeedError, steps};
use crate::format::journal::Linked;
use crate::format::{names, state};
use crate::hosts::{self, Host};
use crate::rules::Confining;
use crate::{confine, githooks, world};

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
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

impl Seed {
    /// Looks at everything; mends what it can when `fix` is true.
    pub fn examine(&self, fix: bool) -> Result<Vec<Finding>> {
        let mut found = vec![Finding::good("git", self.store.git_version()?)];
        match self.require_seeded() {
            Ok(()) => found.push(Finding::good("installed", "refs/seed/meta")),
            Err(error) => {
                found.push(Finding::bad("installed", error.to_string(), "git seed init"));
                return Ok(found);
            }
        }
        if fix {
            self.mend(&mut found)?;
        }
        found.push(if self.is_on() {
            Finding::good("switch", "on")
        } else {
            Finding::bad("switch", "off in this worktree", "git seed on")
        });
        self.examine_state(&mut found);
        self.examine_archive(&mut found);
        self.examine_hosts(&mut found);
        self.examine_servers(&mut found);
        self.examine_hooks(&mut found);
        self.examine_confinement(&mut found);
        found.push(self.examine_prints());
        self.examine_memory(&mut found)?;
        self.examine_commands(&mut found);
        Ok(found)
    }

    fn examine_state(&self, found: &mut Vec<Finding>) {
        let repair = "git seed doctor --fix";
        match self.focused() {
            Ok(None) => found.push(Finding::good("job", "none is focused")),
            Ok(Some(focused)) => {
                let detail = format!("{} in {}", focused.state.job.name, focused.state.stand.phase);
                found.push(Finding::good("job", detail));
                found.push(match self.chain_of_journal(&focused) {
                    Ok(lines) => Finding::good("journal", super::boundary::count(lines, "line")),
                    Err(error) => Finding::bad("journal", error.to_string(), repair),
                });
            }
            Err(error) => found.push(Finding::bad("job", error.to_string(), repair)),
        }
        match self.store.fsck() {
            Ok(None) => found.push(Finding::good("objects", "git fsck --strict is content")),
            Ok(Some(said)) => {
                let first = said.lines().next().unwrap_or_default().to_owned();
                found.push(Finding::bad("objects", first, "git fsck"));
            }
            Err(error) => found.push(Finding::bad("objects", error.to_string(), "git fsck")),
        }
    }

    /// Closed jobs lie in the archive, and its index says which.
    fn examine_archive(&self, found: &mut Vec<Finding>) {
        let (check, repair) = ("jobs", "git seed doctor --fix");
        found.push(match (self.archive_reads(), self.not_put_away()) {
            (Ok(closed), Ok(0)) => {
                let open = self.live_ids().map_or(0, |ids| ids.len());
                Finding::good(check, format!("{open} open, {closed} in the archive"))
            }
            (Ok(_), Ok(waiting)) => {
                let detail =
                    format!("{} closed and not in the archive", super::boundary::count(waiting, "job"));
                Finding::bad(check, detail, repair)
            }
            (Err(error), _) | (_, Err(error)) => Finding::bad(check, error.to_string(), repair),
        });
    }

    fn chain_of_journal(&self, focused: &Focused) -> Result<usize> {
        focused.since.clone()?;
        let lines = self.store.journal().all()?;
        let linked = Linked::chain(&lines).map_err(|_| super::JournalTrouble::Changed)?;
        Ok(linked.len())
    }

    fn examine_hosts(&self, found: &mut Vec<Finding>) {
        let installation = self.installation();
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
            let text = std::fs::read_to_string(&file.path).unwrap_or_default();
            let shown =
                file.path.strip_prefix(self.store.work_tree()).unwrap_or(&file.path).display().to_string();
            if hosts::switches_hooks_off(&text) {
                found.push(Finding::bad(
                    "host",
                    format!("{shown} switches all hooks off"),
                    "remove disableAllHooks",
                ));
                continue;
            }
            found.push(self.try_host(row, &text, &shown));
        }
    }

    /// Sends a forbidden event through the installed hook line and expects a refusal.
    fn try_host(&self, row: &'static Host, settings: &str, shown: &str) -> Finding {
        let Some((program, arguments)) = hosts::before_tool_line(settings, row) else {
            return Finding::bad("host", format!("{shown} has no hook line of ours"), "git seed init");
        };
        if !self.is_on() {
            return Finding::good("host", format!("{shown} has our hook lines (switched off, so not tried)"));
        }
        let Some(payload) = hosts::canary(row, self.store.work_tree(), &self.store.seed_dir()) else {
            return Finding::good(
                "host",
                format!("{shown} has our hook lines (this host has no event to try)"),
            );
        };
        match run(&program, &arguments, &payload) {
            Ok(reply) if hosts::is_refusal(row, &reply) => {
                Finding::good("host", format!("{}: a forbidden call was refused through {shown}", row.title))
            }
            Ok(reply) => {
                let said = if reply.trim().is_empty() { "nothing".to_owned() } else { reply };
                Finding::bad(
                    "host",
                    format!("{shown}: a forbidden call was answered with {said}"),
                    "git seed init",
                )
            }
            Err(error) => Finding::bad("host", format!("{program} does not run: {error}"), "git seed init"),
        }
    }

    /// The entries of `init --mcp`: a host that lost one starts no server, or another.
    fn examine_servers(&self, found: &mut Vec<Finding>) {
        for server in self.servers() {
            found.push(if server.there {
                let detail = format!("{} finds the server seed in {}", server.title, server.shown);
                Finding::good("mcp", detail)
            } else {
                let detail = format!("{} has no entry of ours that runs this git-seed", server.shown);
                Finding::bad("mcp", detail, "git seed init --mcp")
            });
        }
    }

    fn examine_hooks(&self, found: &mut Vec<Finding>) {
        let Some(record) = self.installation().hooks else {
            found.push(Finding::bad("git hooks", "not installed", "git seed init"));
            return;
        };
        match githooks::state(&self.hook_repo(), &world::own_binary(), &record) {
            Ok(states) => {
                for hook in states {
                    let said = if hook.detail.is_empty() { "git runs it" } else { hook.detail.as_str() };
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
    fn examine_confinement(&self, found: &mut Vec<Finding>) {
        match confine::check() {
            Err(why) => {
                let detail = format!("none here: {why}; the tree fence alone looks, afterwards");
                found.push(Finding::good("confinement", detail));
                return;
            }
            Ok(()) => found.push(self.try_confinement()),
        }
        if self.rules.confining == Confining::Off {
            found.push(Finding::good("rewriting", "off in the rules (shell.confine)"));
            return;
        }
        for file in self.installation().settings {
            let Ok(row) = hosts::row(&file.host) else { continue };
            let title = &row.title;
            let detail = if !row.rewrites() {
                format!(
                    "{title} does not let a hook replace a line; git seed exec -- <command> confines by hand"
                )
            } else if self.has_seen_rewrite(&row.name) {
                format!(
                    "{title} was seen to run a replaced line; code runs confined where it would run unasked"
                )
            } else {
                format!("{title}: not seen yet; have the agent run git seed doctor by itself in a session")
            };
            found.push(Finding::good("rewriting", detail));
        }
    }

    /// Starts a confined command that tries to write where it must not.
    fn try_confinement(&self) -> Finding {
        let file = self.store.seed_dir().join("probe");
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
            Ok(_) => Finding::bad("confinement", "git seed exec starts no command", "git seed exec -- true"),
            Err(error) => {
                Finding::bad("confinement", format!("{program} does not run: {error}"), "git seed init")
            }
        }
    }

    /// Is what holds the fence up still as it was when the session began?
    fn examine_prints(&self) -> Finding {
        let check = "fingerprints";
        let Some((count, changed)) = self.prints_told() else {
            return Finding::good(check, "they are taken when a session starts");
        };
        let strays = self.print_strays();
        if let Some(first) = strays.first() {
            let detail = format!("a call of the agent changed {}", strays.join(", "));
            let fix = format!("git seed fence restore {first}, or yours: git seed fence accept {first}");
            return Finding::bad(check, detail, fix);
        }
        let files = super::boundary::count(count, "file");
        Finding::good(
            check,
            match changed.as_slice() {
                [] => format!("{files} as they were seen last"),
                changed => format!("{files}; changed by no call: {}", changed.join(", ")),
            },
        )
    }

    /// Commands that the rules name run only where a person applied those rules.
    fn examine_commands(&self, found: &mut Vec<Finding>) {
        let check = "commands";
        if self.has_foreign_commands() {
            let detail = "the rules in force came from elsewhere: their checks and tests run nothing here";
            found.push(Finding::bad(check, detail, "git seed rules show, then git seed rules apply"));
        }
        if self.rules.commands.has_tests() {
            for title in self.short_stops() {
                let detail = format!("{title} waits too briefly for tests at the end of a turn");
                found.push(Finding::bad(
                    check,
                    detail,
                    "git seed uninstall --keep-history, then git seed init",
                ));
            }
        }
    }

    fn examine_memory(&self, found: &mut Vec<Finding>) -> Result<()> {
        if self.store.is_ignored(".claude/knowledge/x.md")? {
            found.push(Finding::good("memory", ".claude is ignored: what is kept there does not travel"));
        }
        let page = self.page_path(".");
        let there = self.store.work_tree().join(&page).exists();
        if there && self.store.is_ignored(&page)? {
            found.push(Finding::bad(
                "memory",
                format!("{page} is ignored: memory does not travel"),
                "track it",
            ));
        } else {
            found
                .push(Finding::good("memory", if there { page } else { format!("{page} is not there yet") }));
        }
        Ok(())
    }

    /// Mends what can be rebuilt from what the chains say.
    fn mend(&self, found: &mut Vec<Finding>) -> Result<()> {
        let repaired = |detail: String| Finding::good("mended", detail);
        for (chain, _) in self.store.chains(names::JOBS)? {
            match self.reads(&chain) {
                Err(error) if error.is_damage() => found.push(self.set_back_chain(&chain)?),
                // A newer binary wrote it: it is whole, only not ours to read.
                Err(error) => found.push(Finding::bad("job", error.to_string(), "use a newer git-seed")),
                Ok(()) => {}
            }
        }
        if self.archive_reads().is_err_and(|error| error.is_damage()) {
            let jobs = super::boundary::count(self.rebuild_archive()?, "job");
            found.push(repaired(format!("the index of the archive was written anew: {jobs}")));
        }
        match self.put_all_away()? {
            0 => {}
            n => found
                .push(repaired(format!("{} went into the archive", super::boundary::count(n, "closed job")))),
        }
        if self.store.focus().is_err() {
            self.store.clear_focus()?;
            found
                .push(repaired("the focus pointed to a job that is gone; nothing is focused now".to_owned()));
        }
        let Ok(Some(focused)) = self.focused() else { return Ok(()) };
        if self.chain_of_journal(&focused).is_err() {
            self.store.journal().restart(Some(&steps::opening(&focused.state, self.now)))?;
            found.push(repaired("the journal was rebuilt from the job's tip".to_owned()));
        }
        self.finish_pending()?;
        Ok(())
    }

    fn reads(&self, chain: &str) -> Result<()> {
        let tip = self.store.tip(chain)?.ok_or(SeedError::NoJob)?;
        self.state(chain, &tip).map(drop)
    }

    /// Sets a chain that does not read back to its newest commit that does.
    fn set_back_chain(&self, chain: &str) -> Result<Finding> {
        for id in self.store.reflog(chain) {
            let Ok(commit) = id.parse() else { continue };
            if let Ok(bytes) = self.store.file_of_commit(&commit, names::STATE)
                && bytes.is_some_and(|bytes| state::read(&bytes).is_ok())
            {
                self.store.set_back(chain, &id)?;
                return Ok(Finding::good(
                    "mended",
                    format!("{chain} is back at {id}, its newest step that reads"),
                ));
            }
        }
        let fix = format!("git update-ref -d {chain}");
        Ok(Finding::bad("job", format!("{chain} does not read, and no earlier step of it does"), fix))
    }
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

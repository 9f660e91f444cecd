//! `doctor`: is everything in place, and does the fence really answer?
//!
//! The proof is an event, not a file: a forbidden call is sent through the very hook
//! line that the host would run, and a refusal is expected back. `--fix` mends what can
//! be rebuilt without losing anything: the journal from the job's tip, a focus that
//! points nowhere, refs of its own that do not read; in a person's hands also files that are
//! set aside, and a job that goes back to the newest step whose lists and rules it has.

use crate::engine::finding::Finding;
use crate::engine::repo::{self, EngineError, JournalTrouble, LoadedJob, Repo, Result};
use crate::engine::setup::doctor_hosts;
use crate::engine::setup::merging::{self, Standing};
use crate::engine::{
    boundary, claims, fence, hook_costs, job_refs, jobs, moved, note_lines, own_refs, policy,
    record, ref_locks, rewrite, setup, signing, starter, texts, traces,
};
use crate::format::fold::opening;
use crate::format::journal::Linked;
use crate::format::names;
use crate::hosts;
use crate::jobs::mode::Mode;
use crate::rules::Confining;
use crate::store::Tip;
use crate::voice::Found;
use crate::{confine, githooks, world};

/// Looks at everything; mends what it can when `fix` is true.
pub(crate) fn examine(repo: &Repo, fix: bool) -> Result<Vec<Finding>> {
    let mut found = vec![Finding::of(Found::Git, &[("version", &repo.store.git_version()?)])];
    let read_anew = fix && own_refs::mend(repo, &mut found)?;
    if found.iter().any(|one| !one.ok) {
        // The rest is read by these, and waits for the person who decides on them.
        return Ok(found);
    }
    let mended = if read_anew { Some(Repo::open(repo.store.work_tree())?) } else { None };
    let repo = mended.as_ref().unwrap_or(repo);
    match repo.require_seeded() {
        Ok(()) => found.push(Finding::of(Found::Installed, &[])),
        Err(error) => {
            if fix && matches!(error, EngineError::NotSeeded) {
                traces::mend_focus(repo, &mut found)?;
            }
            let is_there = error.is_damage();
            let key = if is_there { Found::StateTrouble } else { Found::NotInstalled };
            found.push(Finding::trouble(key, &error));
            return Ok(found);
        }
    }
    let mended = if fix { Some(mend(repo, &mut found)?) } else { None };
    let repo = mended.as_ref().unwrap_or(repo);
    found.push(if repo.is_on() {
        Finding::of(Found::On, &[])
    } else {
        Finding::of(Found::Off, &[])
    });
    found.extend(mode_of(repo));
    examine_state(repo, &mut found);
    examine_own_files(repo, &mut found);
    if starter::has_lost_one(repo) {
        found.push(Finding::of(Found::SessionLost, &[]));
    }
    examine_archive(repo, &mut found);
    if traces::lost_record(repo)? {
        found.push(Finding::of(Found::RecordLost, &[]));
    }
    ref_locks::examine(repo, &mut found);
    own_refs::examine(repo, &mut found);
    moved::examine(repo, &mut found);
    doctor_hosts::examine_hosts(repo, &mut found);
    examine_servers(repo, &mut found);
    found.extend(setup::grants::findings(repo));
    examine_hooks(repo, &mut found);
    found.extend(examine_merging(repo));
    examine_confinement(repo, &mut found);
    found.push(examine_prints(repo));
    examine_memory(repo, &mut found)?;
    examine_commands(repo, &mut found);
    let unsigned = signing::standing(repo)?;
    found.extend(unsigned.iter().map(|said| Finding::of(Found::Unsigned, &[("said", said)])));
    let policy = policy::standing(repo)?;
    found.extend(policy.iter().map(|said| Finding::of(Found::Policy, &[("said", said)])));
    Ok(found)
}

/// The mode, where it is not the one that does all.
fn mode_of(repo: &Repo) -> Option<Finding> {
    match repo.rules.mode {
        Mode::Watch => Some(Finding::of(Found::ModeWatch, &[])),
        Mode::Fence => Some(Finding::of(Found::ModeFence, &[])),
        Mode::Full => None,
    }
}

fn examine_state(repo: &Repo, found: &mut Vec<Finding>) {
    match repo.focused() {
        Ok(None) => found.push(Finding::of(Found::NoJob, &[])),
        Ok(Some(focused)) => {
            let state = &focused.state;
            let facts = [("name", state.job.name.as_str()), ("phase", state.stand.phase.as_str())];
            found.push(Finding::of(Found::Job, &facts));
            if let Err(error) = job_files(repo, &focused) {
                found.push(Finding::trouble(Found::JobTrouble, &error));
            }
            found.push(match chain_of_journal(repo, &focused) {
                Ok(lines) => {
                    Finding::of(Found::Journal, &[("lines", &repo::text::count(lines, "line"))])
                }
                Err(error) => Finding::trouble(Found::JournalTrouble, &error),
            });
        }
        Err(error) => found.push(Finding::trouble(Found::JobTrouble, &error)),
    }
    match repo.store.fsck() {
        Ok(None) => found.push(Finding::of(Found::Objects, &[])),
        Ok(Some(said)) => {
            let first = said.lines().next().unwrap_or_default();
            found.push(Finding::trouble(Found::ObjectsTrouble, &first));
        }
        Err(error) => found.push(Finding::trouble(Found::ObjectsTrouble, &error)),
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
        (record::pending_file::behind_file(repo), record::pending_file::behind(repo).map(drop)),
        (record::meant_files::file(repo), record::meant_files::reads(repo).map_err(Into::into)),
        (
            repo::clone_file::clone_file(&repo.store),
            repo::clone_file::known_clone(&repo.store).map(drop).map_err(Into::into),
        ),
    ];
    read.extend(sessions.filter(drafts).map(|file| {
        let read = crate::engine::own_state::from_toml::<repo::sessions::Session>(&file);
        (file, read.map(drop).map_err(Into::into))
    }));
    read.into_iter().filter_map(|(file, read)| Some((file, read.err()?))).collect()
}

fn examine_own_files(repo: &Repo, found: &mut Vec<Finding>) {
    for (_, error) in unread_own_files(repo) {
        found.push(Finding::trouble(Found::StateTrouble, &error));
    }
    if let Err(error) = texts::redact::finish(repo) {
        found.push(Finding::trouble(Found::RedactTrouble, &error));
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
        let facts = [("error", &*binding[0].1.to_string()), ("why", &*why.to_string())];
        found.push(Finding::of(Found::SetsAside, &facts));
        return Ok(());
    }
    for (file, _) in binding {
        let mut aside = file.clone().into_os_string();
        aside.push(".unread");
        std::fs::rename(&file, &aside)?;
        let facts = [("file", &*file.to_string_lossy()), ("aside", &*aside.to_string_lossy())];
        found.push(Finding::of(Found::SetAside, &facts));
    }
    Ok(())
}

/// Closed jobs lie in the archive, and its index says which.
fn examine_archive(repo: &Repo, found: &mut Vec<Finding>) {
    found.push(
        match (record::archive::archive_reads(repo), jobs::archive_check::not_put_away(repo)) {
            (Ok(closed), Ok(0)) => {
                let open = record::archive::live_ids(repo).map_or(0, |ids| ids.len());
                let facts = [("open", &*open.to_string()), ("closed", &*closed.to_string())];
                Finding::of(Found::Archive, &facts)
            }
            (Ok(_), Ok(waiting)) => {
                let jobs = repo::text::count(waiting, "job");
                Finding::of(Found::NotPutAway, &[("jobs", &jobs)])
            }
            (Err(error), _) | (_, Err(error)) => Finding::trouble(Found::ArchiveTrouble, &error),
        },
    );
}

fn chain_of_journal(repo: &Repo, focused: &LoadedJob) -> Result<usize> {
    focused.activity.clone()?;
    let lines = repo.store.journal().all()?;
    let linked = Linked::chain(&lines).map_err(|_| JournalTrouble::Changed)?;
    Ok(linked.len())
}

/// The entries of `init --mcp`: a host that lost one starts no server, or another.
fn examine_servers(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    for server in setup::mcp_servers::servers(repo).unwrap_or_default() {
        let shown = ("shown", server.shown.as_str());
        found.push(match server.there {
            Ok(true) => Finding::of(Found::Server, &[("title", &server.title), shown]),
            Ok(false) => Finding::of(Found::NoServer, &[shown]),
            Err(unread) => Finding::trouble(Found::ServerTrouble, &unread),
        });
    }
}

fn examine_hooks(repo: &Repo, found: &mut Vec<Finding>) {
    // A record that does not read has its own finding.
    let Ok(installation) = repo.installation() else { return };
    let Some(record) = installation.hooks else {
        found.push(Finding::of(Found::NoGitHooks, &[]));
        return;
    };
    let dirs = repo.hook_repo().of_session(repo.git_environment());
    match githooks::state(&dirs, &world::own_binary(), &record) {
        Ok(states) => {
            let (sound, out): (Vec<_>, Vec<_>) = states.into_iter().partition(|hook| hook.ok);
            for hook in sound {
                let empty = hook.detail.is_empty();
                let key = if empty { Found::GitHookRuns } else { Found::GitHook };
                let facts = [("name", hook.name.as_str()), ("said", hook.detail.as_str())];
                found.push(Finding::of(key, &facts));
            }
            // What one hook manager took out is one finding.
            for alike in out.chunk_by(|one, next| one.detail == next.detail) {
                let names: Vec<&str> = alike.iter().map(|hook| hook.name.as_str()).collect();
                let facts = [("name", &*names.join(", ")), ("said", alike[0].detail.as_str())];
                found.push(Finding::of(Found::GitHookNot, &facts));
            }
        }
        Err(error) => found.push(Finding::trouble(Found::GitHooksTrouble, &error)),
    }
    found.extend(hook_costs::findings(repo, &record));
}

/// Whether git merges pages as a person said.
fn examine_merging(repo: &Repo) -> Option<Finding> {
    Some(match merging::standing(repo) {
        Ok(Standing::Off) => return None,
        Ok(Standing::Sound) => Finding::of(Found::Merging, &[]),
        Ok(Standing::NoDriver) => Finding::of(Found::MergingNoDriver, &[]),
        Ok(Standing::Other(line)) => Finding::of(Found::MergingOther, &[("line", &line)]),
        Ok(Standing::NoLines) => Finding::of(Found::MergingNoLines, &[]),
        Err(error) => Finding::trouble(Found::MergingTrouble, &error),
    })
}

/// Does the kernel hold a command that git seed exec starts, and which hosts let a hook
/// start one so?
fn examine_confinement(repo: &Repo, found: &mut Vec<Finding>) {
    match confine::check() {
        Err(why) => {
            found.push(Finding::of(Found::NoConfinement, &[("why", &why.to_string())]));
            return;
        }
        Ok(()) => found.push(try_confinement(repo)),
    }
    if repo.rules.confining == Confining::Off {
        found.push(Finding::of(Found::NoRewriting, &[]));
        return;
    }
    // A record that does not read has its own finding.
    for file in repo.installation().unwrap_or_default().settings {
        let Ok(row) = hosts::row(&file.host) else { continue };
        let key = if !row.rewrites() {
            Found::RewritesNever
        } else if rewrite::has_seen_rewrite(repo, &row.name) {
            Found::Rewrites
        } else if let Some(start) = row.unasked_start() {
            let told = [("title", row.title.as_str()), ("start", &start.example())];
            found.push(Finding::of(Found::RewritesUnseenStart, &told));
            continue;
        } else {
            Found::RewritesUnseen
        };
        found.push(Finding::of(key, &[("title", &row.title)]));
    }
}

/// Starts a confined command that tries to write where it must not.
fn try_confinement(repo: &Repo) -> Finding {
    let file = repo.store.seed_dir().join("probe");
    let line = ["echo ran; : > \"$0\"".to_owned(), file.display().to_string()];
    let top = repo.store.work_tree().display().to_string();
    let arguments: Vec<String> =
        ["-C", &top, "exec", "--", "sh", "-c"].map(str::to_owned).into_iter().chain(line).collect();
    let program = world::own_binary().display().to_string();
    // Made here, so that what the probe leaves empty can go again. Where it cannot be told, the
    // probe fails and says why.
    let confined = fence::confinement::confinement(repo, repo.store.work_tree());
    let ran = doctor_hosts::run(&program, &arguments, b"");
    let written = std::fs::remove_file(&file).is_ok();
    // The same error is the probe's own finding.
    for dir in confined.unwrap_or_default().made {
        // One that came into use meanwhile is not empty, and stays.
        let _ = std::fs::remove_dir(dir);
    }
    match ran {
        Ok(said) if said == "ran" && !written => Finding::of(Found::Confined, &[]),
        Ok(_) if written => Finding::of(Found::NotConfined, &[]),
        Ok(_) => Finding::of(Found::ExecFails, &[]),
        Err(error) => {
            let facts = [("program", program.as_str()), ("error", &*error.to_string())];
            Finding::of(Found::ConfinementTrouble, &facts)
        }
    }
}

/// Is what holds the fence up still as it was when the session began?
fn examine_prints(repo: &Repo) -> Finding {
    let told = fence::fingerprint_restore::prints_told(repo);
    let ((count, changed), strays) = match (told, fence::fingerprint_restore::print_strays(repo)) {
        (Ok(Some(told)), Ok(strays)) => (told, strays),
        (Ok(None), _) => return Finding::of(Found::NoPrints, &[]),
        (Err(error), _) | (_, Err(error)) => {
            return Finding::trouble(Found::PrintsTrouble, &error);
        }
    };
    if let Some(first) = strays.first() {
        let facts = [("paths", &*strays.join(", ")), ("first", &**first)];
        return Finding::of(Found::PrintsChanged, &facts);
    }
    let files = repo::text::count(count, "file");
    let key = if changed.is_empty() { Found::Prints } else { Found::PrintsUnclaimed };
    Finding::of(key, &[("files", &files), ("paths", &changed.join(", "))])
}

/// Commands that the rules name run only where a person applied those rules.
fn examine_commands(repo: &Repo, found: &mut Vec<Finding>) {
    if claims::checkers::has_foreign_commands(repo) {
        found.push(Finding::of(Found::RulesFromElsewhere, &[]));
    }
    if repo.rules.commands.has_tests() {
        // A record that does not read has its own finding.
        for title in claims::checkers::short_stops(repo).unwrap_or_default() {
            found.push(Finding::of(Found::BriefStop, &[("title", title)]));
        }
    }
}

fn examine_memory(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    if repo.store.is_ignored(".claude/knowledge/x.md")? {
        found.push(Finding::of(Found::KnowledgeIgnored, &[]));
    }
    let page = repo.page_path(".");
    let there = repo.store.work_tree().join(&page).exists();
    if there && repo.store.is_ignored(&page)? {
        found.push(Finding::of(Found::PageIgnored, &[("page", &page)]));
    } else {
        let key = if there { Found::PageThere } else { Found::PageNotYet };
        found.push(Finding::of(key, &[("page", &page)]));
    }
    Ok(())
}

/// Mends what can be rebuilt from what the chains say. Gives the repository as it is then.
fn mend(repo: &Repo, found: &mut Vec<Finding>) -> Result<Repo> {
    if record::own_clone::put_back(repo)? {
        found.push(Finding::of(Found::CloneMended, &[]));
    }
    if traces::lost_record(repo)? {
        setup::own_record::save(repo, &traces::installation(repo)?)?;
        found.push(Finding::of(Found::RecordMended, &[]));
    }
    set_aside(repo, found)?;
    ref_locks::mend(repo, found)?;
    if let Some(of) = moved::renewed(repo)? {
        setup::own_record::save(repo, &repo.installation()?)?;
        found.push(Finding::of(Found::CopyMended, &[("of", &of)]));
    }
    mend_chains(repo, found)?;
    // What the job in focus allows was read when the repository was opened.
    let repo = Repo::open(repo.store.work_tree())?;
    mend_around(&repo, found)?;
    if starter::settle_lost(&repo)? {
        found.push(Finding::of(Found::SessionMended, &[]));
    }
    Ok(repo)
}

fn mend_chains(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    job_refs::put_back(repo, found)?;
    for chain in repo.store.torn_refs(names::JOBS) {
        repo.store.drop_torn_ref(&chain)?;
        found.push(set_back_chain(repo, &chain)?);
    }
    for (chain, _) in repo.store.chains(names::JOBS)? {
        match reads(repo, &chain) {
            Err(error) if error.is_damage() => found.push(set_back_chain(repo, &chain)?),
            // A newer binary wrote it: it is whole, only not ours to read.
            Err(error) => found.push(Finding::trouble(Found::JobNewer, &error)),
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
        Err(why) => {
            let facts = [("error", &*error.to_string()), ("why", &*why.to_string())];
            Finding::of(Found::SetsBack, &facts)
        }
    });
    Ok(())
}

/// Mends what stands beside the chains: the archive, the focus, the journal.
fn mend_around(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    if record::archive::archive_reads(repo).is_err_and(|error| error.is_damage()) {
        let jobs = repo::text::count(record::archive::rebuild_archive(repo)?, "job");
        found.push(Finding::of(Found::ArchiveMended, &[("jobs", &jobs)]));
    }
    match record::archive::put_all_away(repo)? {
        0 => {}
        n => {
            let jobs = repo::text::count(n, "closed job");
            found.push(Finding::of(Found::PutAway, &[("jobs", &jobs)]));
        }
    }
    // Records that do not read are told by `verify`.
    if let Ok(lines @ 1..) = note_lines::mend_all(repo) {
        let lines = repo::text::count(lines, "line");
        found.push(Finding::of(Found::NotesMended, &[("lines", &lines)]));
    }
    traces::mend_focus(repo, found)?;
    // A job that still does not read is among the findings; nothing of it can be mended here.
    let Ok(Some(focused)) = repo.focused() else { return Ok(()) };
    if chain_of_journal(repo, &focused).is_err() {
        repo.store.journal().restart(Some(&opening(&focused.state, repo.now)))?;
        found.push(Finding::of(Found::JournalMended, &[]));
    }
    boundary::cross::finish_pending(repo)?;
    Ok(())
}

pub(crate) fn reads(repo: &Repo, chain: &str) -> Result<()> {
    let tip = repo.store.tip(chain)?.ok_or(EngineError::NoJob)?;
    repo.state(chain, &tip).map(drop)
}

/// Reads the files that decisions are taken by: one whose bytes git has lost is not the same as
/// none.
fn read_lists(repo: &Repo, tip: &Tip) -> Result<()> {
    let read = |file| repo.store.file(tip, file).map(drop);
    job_refs::LISTS.into_iter().try_for_each(read).map_err(Into::into)
}

/// Sets a chain that does not read back to its newest commit that does.
fn set_back_chain(repo: &Repo, chain: &str) -> Result<Finding> {
    for id in repo.store.reflog(chain) {
        if job_refs::is_sound(repo, &id) {
            repo.store.set_back(chain, &id)?;
            let facts = [("chain", chain), ("step", &id)];
            return Ok(Finding::of(Found::ChainMended, &facts));
        }
    }
    // Nothing of it can be read: without its ref the other jobs go on. A person decides that.
    let there = repo.store.stands_at(chain).is_ok_and(|stands| stands.is_some());
    match repo.is_person() {
        Err(_) if there => Ok(Finding::of(Found::ChainLost, &[("chain", chain)])),
        _ => {
            if there {
                repo.store.forget_chain(chain)?;
            }
            // A focus that does not read is mended with what stands beside the chains.
            if repo.store.focus().ok().flatten().as_deref() == Some(chain) {
                repo.store.clear_focus()?;
            }
            Ok(Finding::of(Found::ChainForgotten, &[("chain", chain)]))
        }
    }
}

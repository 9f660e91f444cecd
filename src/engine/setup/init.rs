//! `init` and `uninstall`: what is written, and how every byte of it is taken back.
//!
//! Everything that is written is recorded in `.git/seed/install.toml` before or as it
//! is written, so that an interrupted `init` can be undone. No commit is made and no
//! tracked file is touched unless `--shared` asks for it.

use std::path::{Path, PathBuf};

use crate::engine::finding::Finding;
use crate::engine::hosts_here::{self, Chosen};
use crate::engine::repo::installation::{AgentFile, Installation};
use crate::engine::repo::{self, EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, missing_dirs, read_if_there};
use crate::engine::{self, fence, hook_costs, jobs, record, setup, signing, starter, traces};
use crate::format::{meta, names, short_hash};
use crate::hosts::{self, Host};
use crate::jobs::mode::Mode;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};
use crate::{githooks, world};

/// What `init` was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Names of hosts; empty means those that the repository and the person's home show.
    pub hosts: Vec<String>,
    /// Write the settings that are committed, with a bare `git-seed`.
    pub shared: bool,
    /// Tell the hosts of our MCP server.
    pub mcp: bool,
    /// Put in advice as well: rules to read, skills, a reviewer.
    pub governance: bool,
    /// The track of all jobs, put into force as a rule of this clone.
    pub track: Option<String>,
    /// The mode of the clone, put into force as well.
    pub mode: Option<String>,
    /// Have git merge pages and knowledge by item.
    pub merge_pages: bool,
    /// A person waits at a terminal, so programs of theirs may be asked.
    pub terminal: bool,
    /// Whoever calls asks the person what is proposed; else it is told.
    pub asks: bool,
}

/// Installs git seed in this repository. Doing it again updates what is there.
pub(crate) fn install(repo: &Repo, wanted: &Wanted) -> Result<Vec<Told>> {
    // Before anything is written.
    refuse_other_than_text(repo)?;
    let told = fence::fingerprints::as_our_own(repo, || install_all(repo, wanted))?;
    // Where a job stayed behind an `uninstall`, the sessions that knew it went with the record.
    starter::settle_lost(repo)?;
    Ok(told)
}

/// Refuses a place whose path is not UTF-8: settings of hosts, git's configuration and the record
/// of what is put in here are text, and name it.
fn refuse_other_than_text(repo: &Repo) -> Result<()> {
    let places = [repo.store.work_tree(), repo.store.git_dir(), repo.store.common_dir()];
    match places.into_iter().find(|place| place.to_str().is_none()) {
        None => Ok(()),
        Some(place) => {
            let place = place.display().to_string();
            Err(EngineError::not_now(Notice::PlaceNoText, &[("place", &place)]))
        }
    }
}

fn install_all(repo: &Repo, wanted: &Wanted) -> Result<Vec<Told>> {
    let chosen = Chosen::of(repo, &wanted.hosts)?;
    let rows = &chosen.rows;
    // Before anything is written.
    setup::host_settings::refuse_linked_dirs(repo, rows)?;
    if let Some(track) = &wanted.track {
        // Before anything is written.
        jobs::tracks::is_known(repo, track)?;
    }
    let mode = wanted.mode.as_deref().map(known_mode).transpose()?;
    let mut told = Vec::new();
    told.push(Told::new(chosen.verb(), hosts_here::titles(rows), chosen.note(repo)));
    told.extend(setup::own_record::of_copy(repo)?);
    record::own_clone::put_back(repo)?;
    let mut installation = traces::installation(repo)?;
    if installation.hooks.is_none() {
        installation.anchored = setup::anchors::already_there(repo)?;
    }
    let keeps_jobs = mode.unwrap_or(repo.rules.mode).keeps_jobs();
    for row in rows {
        setup::host_settings::install_host(repo, row, wanted.shared, &mut installation, &mut told)?;
        if keeps_jobs {
            install_agents(repo, row, &mut installation, &mut told)?;
        }
        install_more(repo, row, wanted, &mut installation, &mut told)?;
    }
    install_hooks(repo, &mut installation, &mut told)?;
    if wanted.merge_pages || setup::merging::is_on(repo) {
        told.extend(setup::merging::put(repo, &mut installation)?);
    }
    if repo.store.tip(names::META)?.is_none() {
        let bytes = meta::Meta::current().write().into_bytes();
        let put = TreeEdit::Put { path: meta::FILE.to_owned(), bytes };
        repo.store.append(names::META, None, &[put], "git seed init", repo.now)?;
    }
    repo.store.note_begin()?;
    record::own_clone::clone_id(repo)?;
    record::identity::keep(repo)?;
    if let Some(track) = &wanted.track {
        told.extend(setup::in_force::apply_usual_track(repo, track)?);
    }
    if let Some(mode) = mode {
        told.extend(setup::in_force::apply_mode(repo, mode)?);
    }
    told.extend(setup::pages::choose(repo, &installation)?);
    if let Some((well, said)) = signing::at_init(repo)? {
        told.push(Told::new(if well { "found" } else { "note" }, "commit.gpgSign", said));
    }
    if keeps_jobs && !wanted.asks {
        told.extend(setup::raw_memory::proposal(repo)?.map_or_else(
            // One at a time: what init says stays short.
            || setup::merging::proposal(repo),
            |proposal| Ok(Some(proposal)),
        )?);
    }
    told.push(Told::new("kept", left_alone(wanted.shared), ""));
    told.extend(first_starts(repo, rows));
    told.extend(setup::reach::told(wanted.terminal));
    Ok(told)
}

/// What `init` says that it did not do.
pub(crate) fn left_alone(shared: bool) -> String {
    tell(if shared { Notice::KeptForYou } else { Notice::KeptNoCommit }, &[])
}

/// What a person meets, or has to do, at the first start of each host.
fn first_starts(repo: &Repo, rows: &[&'static Host]) -> Vec<Told> {
    let note = |row: &&'static Host| Some(Told::new("note", &row.title, row.first_start()?));
    let kept = rows.iter().flat_map(|row| {
        let kept = setup::doctor_hosts::kept_from_running(repo, row).map(|kept| kept.told(row));
        let still = engine::host_sandbox::finding(repo, row).map(Finding::told);
        kept.into_iter().chain(still).map(|said| Told::new("note", &row.title, said))
    });
    rows.iter().filter_map(note).chain(kept).collect()
}

/// What is put in for a host only where it is asked for, and what is there beside it.
fn install_more(
    repo: &Repo,
    row: &'static Host,
    wanted: &Wanted,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    told.extend(setup::plugins::beside(repo, row));
    if wanted.mcp {
        setup::mcp_servers::install_server(repo, row, wanted.shared, installation, told)?;
    }
    if wanted.governance {
        install_governance(repo, row, wanted.shared, installation, told)?;
    }
    Ok(())
}

fn known_mode(name: &str) -> Result<Mode> {
    let unknown = || EngineError::Usage(tell(Notice::ModeUnknown, &[("mode", name)]));
    Mode::named(name).ok_or_else(unknown)
}

/// Puts in the subagents for the phases and for notes, where none of their names is taken. They
/// are this clone's also with `--shared`: one that is committed counts for gates, and nobody
/// commits one by the way.
fn install_agents(
    repo: &Repo,
    row: &'static Host,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    let Some(folder) = &row.agents else { return Ok(()) };
    let wrote = install_files(repo, folder, &hosts::AGENTS, false, installation, told)?;
    if wrote > 0 {
        let what = repo::text::count(wrote, "subagent");
        told.push(Told::new("wrote", folder, format!("{what}, see git seed agents")));
    }
    Ok(())
}

/// Puts in advice, where the host has a place for it: it binds nobody.
fn install_governance(
    repo: &Repo,
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
        let wrote = install_files(repo, folder, files, shared, installation, told)?;
        if wrote > 0 {
            let what = repo::text::count(wrote, what);
            told.push(Told::new("wrote", folder, format!("{what}, advice only")));
        }
    }
    Ok(())
}

/// Writes files of ours below `folder`, where none of their names is taken; gives how
/// many.
fn install_files(
    repo: &Repo,
    folder: &str,
    files: &[(&str, &str)],
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<usize> {
    let mut ours = Vec::new();
    for (name, text) in files {
        let shown = format!("{folder}{name}");
        let path = repo.store.work_tree().join(&shown);
        let hash = short_hash(text.as_bytes(), 32);
        let now = read_if_there(&path)?.map(|text| short_hash(text.as_bytes(), 32));
        let known = installation.agents.iter_mut().find(|file| file.path == path);
        match (known, &now) {
            (Some(file), now) if now.as_ref().is_none_or(|now| *now == file.hash) => {
                file.hash.clone_from(&hash);
            }
            // Changed since, or somebody else's: theirs.
            (Some(_), _) | (None, Some(_)) => {
                told.push(Told::new("left", shown, tell(Notice::AgentFileThere, &[])));
                continue;
            }
            (None, None) => {
                let made_dirs = missing_dirs(&path, repo.store.work_tree());
                let hash = hash.clone();
                installation.agents.push(AgentFile { path: path.clone(), hash, made_dirs });
            }
        }
        ours.push((shown, path, *text, now == Some(hash)));
    }
    setup::own_record::save(repo, installation)?;
    if !shared {
        keep_out_of_status(repo, &ours, installation)?;
    }
    for (_, path, text, _) in ours.iter().filter(|(.., as_it_is)| !as_it_is) {
        record::replace::replace_file(repo, path, text.as_bytes())?;
    }
    Ok(ours.len())
}

/// Excludes those files of ours that nothing ignores yet.
fn keep_out_of_status(
    repo: &Repo,
    ours: &[(String, PathBuf, &str, bool)],
    installation: &mut Installation,
) -> Result<()> {
    let shown: Vec<String> = ours.iter().map(|(shown, ..)| shown.clone()).collect();
    let ignored = repo.store.excluded(&shown)?;
    let open: Vec<&str> =
        shown.iter().map(String::as_str).filter(|shown| !ignored.contains(shown)).collect();
    if open.is_empty() { Ok(()) } else { setup::own_record::exclude(repo, &open, installation) }
}

fn install_hooks(repo: &Repo, installation: &mut Installation, told: &mut Vec<Told>) -> Result<()> {
    let dirs = repo.hook_repo();
    let old = installation.hooks.take();
    let keep = installation.clone();
    let save = |record: &githooks::Record| {
        let keep = Installation { hooks: Some(record.clone()), ..keep };
        setup::own_record::save(repo, &keep)
            .map_err(|error| std::io::Error::other(error.to_string()))
    };
    let done =
        githooks::install(&dirs, &world::own_binary(), old.as_ref(), save).map_err(hook_error)?;
    // A trial that could not run proves nothing, and says nothing.
    let trial = hook_costs::try_message(repo, &done.record).ok();
    let cost = hook_costs::cost(repo, &done.record);
    installation.hooks = Some(done.record);
    setup::own_record::save(repo, installation)?;
    let shown = |path: &Path| {
        path.strip_prefix(repo.store.work_tree()).unwrap_or(path).to_string_lossy().into_owned()
    };
    for (path, what) in &done.wrote {
        told.push(Told::new("wrote", shown(path), what.clone()));
    }
    for (path, why) in &done.left {
        told.push(Told::new("left", shown(path), why.clone()));
    }
    if let Some(trial) = trial.filter(|trial| trial.hook.is_some()) {
        let (_, said) = hook_costs::told(repo, &trial);
        told.push(Told::new("found", "a commit-msg hook", said));
    }
    told.extend(cost.map(|said| Told::new("found", "git hooks", said)));
    Ok(())
}

pub(crate) fn hook_error(error: githooks::HookError) -> EngineError {
    EngineError::Setup(error.to_string())
}

/// Where the bundle of a removed installation goes: outside the repository.
pub(crate) fn bundle_file(work_tree: &Path, at: i64) -> PathBuf {
    let data = world::variable("XDG_DATA_HOME").map(PathBuf::from);
    let home = world::variable("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    // It may hold prompts: without a home it stays beside the work tree, and not where all write.
    let beside = || work_tree.parent().unwrap_or(work_tree).to_owned();
    let dir = data.or(home).unwrap_or_else(beside).join("git-seed");
    let name =
        work_tree.file_name().map_or_else(|| "repository".into(), std::ffi::OsStr::to_string_lossy);
    dir.join(format!("{name}-{at}.bundle"))
}

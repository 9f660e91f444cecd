//! Takes out what `init` and the hooks wrote; the person's own files come out as they were.

use std::path::{Path, PathBuf};

use crate::engine::repo::installation::{AgentFile, Installation};
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, Repo, Result, clone_file};
use crate::engine::setup::init::hook_error;
use crate::engine::setup::own_record::{Told, read_if_there};
use crate::engine::{fence, moved, own_refs, setup, traces};
use crate::format::short_hash;
use crate::voice::{Notice, tell};
use crate::{githooks, world};

/// Takes our subagents out again; one that was changed since stays.
fn remove_agents(repo: &Repo, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
    let mut gone: Vec<(String, usize)> = Vec::new();
    let mut left = Vec::new();
    for AgentFile { path, hash, .. } in &installation.agents {
        let shown = path.strip_prefix(repo.store.work_tree()).unwrap_or(path);
        match read_if_there(path)? {
            Some(text) if short_hash(text.as_bytes(), 32) == *hash => {
                std::fs::remove_file(path)?;
                let folder = shown.parent().unwrap_or(shown).display();
                let folder = format!("{folder}/");
                match gone.iter_mut().find(|(known, _)| *known == folder) {
                    Some((_, files)) => *files += 1,
                    None => gone.push((folder, 1)),
                }
            }
            Some(_) => left.push(Told::new(
                "left",
                shown.display().to_string(),
                tell(Notice::YoursNow, &[]),
            )),
            None => {}
        }
    }
    told.extend(gone.into_iter().map(|(folder, files)| {
        Told::new("took out", folder, format!("{}, as written", count(files, "file")))
    }));
    told.append(&mut left);
    let mut dirs: Vec<&PathBuf> =
        installation.agents.iter().flat_map(|file| &file.made_dirs).collect();
    dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    for dir in dirs {
        // Only an empty one goes: others may have put files there since.
        let _ = std::fs::remove_dir(dir);
    }
    Ok(())
}

/// Names the worktrees that are away: what was put into them stays.
fn away(repo: &Repo, installation: &Installation, verb: &'static str) -> Vec<Told> {
    let away = traces::away(repo, installation).into_iter();
    let why = tell(Notice::WorktreeAway, &[]);
    away.map(|top| Told::new(verb, top.display().to_string(), &*why)).collect()
}

/// Takes out all that `setup::init::install` and the hooks wrote; pages, knowledge and
/// commits stay. `history` false leaves refs and notes. Gives what was done, and
/// what was left because somebody changed it.
pub(crate) fn remove(repo: &Repo, history: bool, bundle: Option<&Path>) -> Result<Vec<Told>> {
    let installation = traces::installation(repo)?;
    let mut told = Vec::new();
    if traces::lost_record(repo)? {
        told.push(Told::new("note", "git seed's files", tell(Notice::NotPutBack, &[])));
    }
    if let (true, Some(file)) = (history, bundle)
        && bundle_refs(repo, file)?
    {
        told.push(Told::new("kept", file.display().to_string(), tell(Notice::KeptBundle, &[])));
    }
    remove_agents(repo, &installation, &mut told)?;
    told.extend(away(repo, &installation, "left"));
    setup::anchors::take_out(repo, &installation, &mut told)?;
    setup::mcp_servers::remove_servers(repo, &installation, &mut told)?;
    setup::grants::remove(repo, &installation, &mut told)?;
    for file in &installation.settings {
        told.push(setup::host_settings::remove_settings(repo, file)?);
    }
    // The one that made `.git/info` may not be the one that empties it.
    let merging = setup::merging::remove(repo, &installation)?;
    remove_excludes(repo, &installation, &mut told)?;
    told.extend(merging);
    let made = installation.merging.as_ref().is_some_and(|merging| merging.made_info);
    if installation.made_info || made {
        // Only an empty one goes: others may have put files there since.
        let _ = std::fs::remove_dir(repo.store.common_dir().join("info"));
    }
    // What came last goes first: the hooks then find the configuration as they left it.
    repo.store.forget_config()?;
    if let Some(record) = &installation.hooks {
        let done = githooks::remove(&repo.hook_repo(), record).map_err(hook_error)?;
        for path in done.restored {
            told.push(Told::new("took out", path.display().to_string(), "as it was"));
        }
        for (path, why) in done.left {
            told.push(Told::new("left", path.display().to_string(), why));
        }
    }
    fence::confinement::forget_own_scratch(repo)?;
    traces::sweep(repo, &installation, bundle);
    // Objects do nobody harm: where they cannot be told apart, the rest goes all the same.
    let ours = history.then(|| repo.store.objects_of_ours());
    repo.store.forget_refs(history)?;
    if let Some(ours) = ours {
        let gone = ours.and_then(|ours| repo.store.forget_objects(ours));
        told.push(match gone {
            Ok(gone) => Told::new("took out", count(gone, "object"), "that nothing else held"),
            Err(failed) => Told::new("left", "objects", failed.to_string()),
        });
    }
    Ok(told)
}

/// Takes `.git/seed` out. It is the last to go: as long as the record in it is there, whoever was
/// killed on the way can begin again.
pub(crate) fn remove_last(repo: &Repo, history: bool) -> Result<Told> {
    let id = (!history).then(|| moved::id_that_stays(repo).unwrap_or_default()); // It may lack one.
    let kept = clone_file::leave(&repo.store, id.as_deref())?; // Before the clone's own file goes.
    repo.store.forget_files(&repo.record_file(), kept)?;
    let refs = if history { "and refs/seed".to_owned() } else { tell(Notice::KeptClone, &[]) };
    Ok(Told::new("took out", ".git/seed", refs))
}

/// Saves our refs in `file`. Where that cannot be, nothing was taken out yet: refs can stay.
fn bundle_refs(repo: &Repo, file: &Path) -> Result<bool> {
    own_refs::all_read(repo)?;
    let failed = |why: String| {
        let file = file.display().to_string();
        EngineError::not_now(Notice::NoBundle, &[("file", &file), ("why", &why)])
    };
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(|error| failed(error.to_string()))?;
    }
    repo.store.bundle(file).map_err(|error| failed(error.to_string()))
}

fn remove_excludes(repo: &Repo, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
    if installation.excluded.is_empty() {
        return Ok(());
    }
    let file = repo.store.common_dir().join("info").join("exclude");
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

/// What `setup::uninstall::remove` would do, without doing it.
pub(crate) fn removal_plan(repo: &Repo) -> Result<Vec<Told>> {
    let installation = traces::installation(repo)?;
    let mut told = Vec::new();
    for file in &installation.settings {
        let shown = file
            .path
            .strip_prefix(repo.store.work_tree())
            .unwrap_or(&file.path)
            .display()
            .to_string();
        let there = read_if_there(&file.path)?.is_some();
        told.push(Told::new(
            "would take out",
            shown,
            if there { "hook lines" } else { "nothing: it is gone" },
        ));
    }
    for server in setup::mcp_servers::servers(repo)? {
        told.push(Told::new("would take out", server.shown, "MCP server seed"));
    }
    let agents = installation.agents.iter().filter(|file| file.path.is_file()).count();
    if agents > 0 {
        let what = count(agents, "Markdown file");
        told.push(Told::new("would take out", what, "those that nobody changed"));
    }
    told.extend(away(repo, &installation, "would leave"));
    if !installation.excluded.is_empty() {
        told.push(Told::new("would take out", ".git/info/exclude", "our lines"));
    }
    told.extend(setup::grants::plan(repo, &installation)?);
    told.extend(setup::merging::plan(&installation));
    if let Some(record) = &installation.hooks {
        for hook in
            githooks::state(&repo.hook_repo(), &world::own_binary(), record).map_err(hook_error)?
        {
            told.push(Told::new("would take out", format!("git hook {}", hook.name), hook.detail));
        }
    }
    told.extend(setup::anchors::plan(repo, &installation)?);
    let refs = repo.store.our_refs()?;
    let refs = count(refs.len(), "ref");
    told.push(Told::new("would bundle", refs, "then delete, objects too"));
    told.push(Told::new("would take out", ".git/seed", ""));
    Ok(told)
}

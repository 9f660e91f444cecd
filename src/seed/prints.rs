//! Fingerprints of what holds the fence up: host settings, hooks, the binary, git's
//! configuration. Taken when a session starts, compared after calls and at boundaries.
//!
//! Most of it lies outside the work tree or is ignored there, so the tree fence does not
//! see it. What a call of the agent changed stays named until it is put back or a person
//! takes it over; what no call claims is told to the person once and counts from then on.
//! No child process is asked, and a file is read only where the system says that it changed.

use std::path::{Path, PathBuf};

use super::fence::Restored;
use super::looks::Window;
use super::{Focused, Result, Seed, SeedError};
use crate::format::looks::{FirstLook, Stood};
use crate::format::prints::{Content, Look, Print, Prints, Role, tame};
use crate::format::short_hash;
use crate::hosts;
use crate::phases::place::{Lock, Place};
use crate::store::RepoPath;
use crate::verdict::Refusal;
use crate::world;

/// The longest file whose bytes are kept, so that it can be put back.
const KEPT: u64 = 64 * 1024;
/// The longest file that is read; a longer one is known by what the system says of it.
const READ: u64 = 1024 * 1024;
/// The most files of one directory that are looked at.
const FILES: usize = 256;

/// What a comparison found; all paths as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Changed by the call that just ran.
    pub strays: Vec<String>,
    /// Changed, and no call claims it.
    pub unclaimed: Vec<String>,
    /// Of the strays one cannot be put back; it stands first.
    pub stuck: bool,
    /// Sentences about what no longer holds the agent.
    pub disarmed: Vec<String>,
    /// The prints themselves were gone.
    pub gone: bool,
    /// Why they could not be compared.
    pub trouble: Option<String>,
}

impl Compared {
    /// What the person hears of it.
    pub fn to_person(&self) -> Option<String> {
        let mut told = Vec::new();
        if let Some(why) = &self.trouble {
            told.push(format!("git seed: the fingerprints could not be compared: {why}"));
        }
        if self.gone {
            told.push("git seed: the fingerprints of this session were gone; they are taken anew, and what changed before counts as yours.".to_owned());
        }
        if !self.strays.is_empty() {
            told.push(format!(
                "git seed: a call of the agent changed {}. No step is taken until git seed fence restore puts it back, or you take it over: git seed fence accept",
                self.strays.join(", ")
            ));
        }
        if !self.unclaimed.is_empty() {
            told.push(format!(
                "git seed: {} changed, and no call claims it; it counts as yours.",
                self.unclaimed.join(", ")
            ));
        }
        for what in &self.disarmed {
            told.push(format!(
                "git seed: WARNING: {what} git seed init puts it right; git seed doctor says more."
            ));
        }
        (!told.is_empty()).then(|| told.join("\n"))
    }
}

impl Seed {
    fn prints_dir(&self) -> PathBuf {
        self.store.seed_dir().join("prints")
    }

    fn prints_file(&self) -> PathBuf {
        self.prints_dir().join(format!("{}.json", self.store.worktree_name()))
    }

    /// The prints of this worktree; none before its first session, and where they do not read.
    pub fn prints(&self) -> Option<Prints> {
        serde_json::from_slice(&std::fs::read(self.prints_file()).ok()?).ok()
    }

    fn save_prints(&self, prints: &Prints) -> Result<()> {
        let bytes = serde_json::to_vec(prints).map_err(|error| SeedError::Usage(error.to_string()))?;
        write_privately(&self.prints_file(), &bytes)
    }

    /// Takes the prints of a session that begins. What a call of the agent changed before
    /// stays named: no new session makes it anybody else's.
    pub(super) fn take_prints(&self) -> Result<()> {
        let _lock = self.store.lock()?;
        let old = self.prints().unwrap_or_default();
        let dirs = self.hook_dirs();
        let mut prints = Prints { taken: self.now, dirs, files: Vec::new() };
        for (path, role) in self.printed(&prints.dirs) {
            let known = old.files.iter().find(|print| Path::new(&print.path) == path);
            let (now, seen) = self.content(&path, role, true);
            let print = match known.filter(|print| print.stray.is_some()) {
                Some(print) if print.look(&now) != Look::Back => {
                    Print { stray: Some(now), seen, ..print.clone() }
                }
                _ => match path.to_str() {
                    Some(text) => Print {
                        path: text.to_owned(),
                        shown: self.shown_print(&path),
                        role,
                        was: now,
                        seen,
                        stray: None,
                    },
                    None => continue,
                },
            };
            prints.files.push(print);
        }
        let lost = old.strays().filter(|stray| !prints.files.iter().any(|print| print.path == stray.path));
        let lost: Vec<Print> = lost.cloned().collect();
        prints.files.extend(lost);
        self.save_prints(&prints)
    }

    /// Does what git seed itself writes; what differs afterwards is as it should be.
    pub(super) fn as_our_own<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = self.prints().map(|prints| self.sums(&prints)).unwrap_or_default();
        let done = act();
        let Some(mut prints) = self.prints() else { return done };
        let _lock = self.store.lock()?;
        prints.dirs = self.hook_dirs();
        for (path, role) in self.printed(&prints.dirs) {
            self.add(&mut prints, &path, role);
        }
        for print in &mut prints.files {
            let (now, seen) = self.content(Path::new(&print.path), print.role, true);
            let was = before.iter().find(|(path, _)| *path == print.path).map(|(_, content)| content);
            if !was.is_some_and(|was| was.is_same(&now, print.role)) {
                (print.was, print.seen, print.stray) = (now, seen, None);
            }
        }
        self.save_prints(&prints)?;
        done
    }

    fn sums(&self, prints: &Prints) -> Vec<(String, Content)> {
        let now = |print: &Print| self.content(Path::new(&print.path), print.role, false).0;
        prints.files.iter().map(|print| (print.path.clone(), now(print))).collect()
    }

    // ---- what is printed

    /// Every file whose print is taken.
    fn printed(&self, dirs: &[String]) -> Vec<(PathBuf, Role)> {
        let top = self.store.work_tree();
        let home = home();
        let installation = self.installation();
        let mut found: Vec<(PathBuf, Role)> = Vec::new();
        for file in &installation.settings {
            found.push((file.path.clone(), Role::Settings));
            let Ok(row) = hosts::row(&file.host) else { continue };
            for surface in &row.surfaces {
                let path = match (surface.strip_prefix("~/"), &home) {
                    (Some(_), None) => continue,
                    (Some(below), Some(home)) => home.join(below),
                    (None, _) => top.join(surface),
                };
                found.push((path, Role::Settings));
            }
        }
        found.extend(dirs.iter().flat_map(|dir| files_in(Path::new(dir))).map(|file| (file, Role::Hook)));
        let configs = self.store.config_files(home.as_deref(), &wider_configs(home.as_deref()));
        found.extend(configs.own.into_iter().map(|file| (file, Role::Config)));
        found.extend(configs.wider.into_iter().map(|file| (file, Role::Wider)));
        let info = self.store.common_dir().join("info");
        found.extend(["exclude", "attributes", "sparse-checkout"].map(|name| (info.join(name), Role::Info)));
        found.push((world::own_binary(), Role::Binary));
        let mut known = std::collections::BTreeSet::new();
        found.retain(|(path, _)| !path.starts_with("/dev") && known.insert(path.clone()));
        found
    }

    /// Directories whose files git runs, or our hooks hand on to. Those in the work tree are
    /// the tree fence's.
    fn hook_dirs(&self) -> Vec<String> {
        let (top, common) = (self.store.work_tree(), self.store.common_dir());
        let home = home();
        let configs = self.store.config_files(home.as_deref(), &wider_configs(home.as_deref()));
        let led = configs.hooks.iter().map(|path| match (path.strip_prefix("~/"), &home) {
            (Some(below), Some(home)) => home.join(below),
            _ => top.join(path),
        });
        let all = [common.join("hooks"), common.join("seed").join("hooks")].into_iter().chain(led);
        let real = |dir: &Path| std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let apart = |dir: &PathBuf| dir.starts_with(common) || !real(dir).starts_with(real(top));
        let mut dirs: Vec<String> =
            all.filter(apart).filter_map(|dir| dir.to_str().map(str::to_owned)).collect();
        dirs.sort();
        dirs.dedup();
        dirs
    }

    fn add_new_hooks(&self, prints: &mut Prints) {
        for file in prints.dirs.clone().iter().flat_map(|dir| files_in(Path::new(dir))) {
            self.add(prints, &file, Role::Hook);
        }
    }

    /// Adds a file that was not there.
    fn add(&self, prints: &mut Prints, file: &Path, role: Role) {
        let Some(path) = file.to_str() else { return };
        if prints.files.iter().any(|print| print.path == path) {
            return;
        }
        let (path, shown, seen) = (path.to_owned(), self.shown_print(file), NOTHING.to_owned());
        prints.files.push(Print { path, shown, role, was: Content::default(), seen, stray: None });
    }

    /// How a printed file is called.
    fn shown_print(&self, path: &Path) -> String {
        let below = |dir: &Path, word: &str| {
            let rest = path.strip_prefix(dir).ok()?;
            Some(format!("{word}{}", rest.display()))
        };
        below(self.store.common_dir(), ".git/")
            .or_else(|| below(self.store.work_tree(), ""))
            .or_else(|| below(&home()?, "~/"))
            .unwrap_or_else(|| path.display().to_string())
    }

    /// What lies at `path`, and what the system says of it. With `keep` its bytes are kept.
    fn content(&self, path: &Path, role: Role, keep: bool) -> (Content, String) {
        let seen = seen(path);
        let Ok(entry) = path.symlink_metadata() else { return (Content::default(), seen) };
        let link = std::fs::read_link(path).ok().map(|target| target.to_string_lossy().into_owned());
        let mut content = Content { mode: mode_of(&entry), link, ..Content::default() };
        let data = path.metadata();
        content.sum = match &data {
            Ok(data) if data.is_file() && role != Role::Binary && data.len() <= READ => {
                content.mode = mode_of(data);
                match std::fs::read(path) {
                    Ok(bytes) => {
                        if keep && data.len() <= KEPT {
                            content.kept = self.keep(&bytes);
                        }
                        let counts = if role == Role::Config { tame(&bytes) } else { bytes };
                        short_hash(&counts, 32)
                    }
                    Err(_) => "unreadable".to_owned(),
                }
            }
            Ok(data) if data.is_file() => format!("seen {seen}"),
            Ok(_) => "no file".to_owned(),
            Err(_) => "leads nowhere".to_owned(),
        };
        (content, seen)
    }

    /// Keeps bytes below `.git/seed`, where no push takes them; gives their name, or nothing
    /// where they could not be kept.
    fn keep(&self, bytes: &[u8]) -> String {
        let name = short_hash(bytes, 32);
        let file = self.prints_dir().join("kept").join(&name);
        if file.exists() || write_privately(&file, bytes).is_ok() { name } else { String::new() }
    }

    // ---- comparing

    /// The look before a call: whether there are prints, and the files that differ from how they
    /// were seen last. Nothing is taken over yet; their bytes are kept, so that what a person
    /// changed is what the agent's change is put back to.
    pub(super) fn prints_before(&self) -> (bool, Vec<Stood>) {
        let Some(mut prints) = self.prints() else { return (false, Vec::new()) };
        if !is_worth_a_look(&prints) {
            return (true, Vec::new());
        }
        self.add_new_hooks(&mut prints);
        let differs = prints.files.into_iter().filter(|print| seen(Path::new(&print.path)) != print.seen);
        let stood = differs.map(|print| {
            let (content, seen) = self.content(Path::new(&print.path), print.role, true);
            Stood { path: print.path, seen, content }
        });
        (true, stood.collect())
    }

    /// Compares after a call; nothing is written where nothing changed. `window` is what the
    /// look before it knew; `edited` are the files that an edit tool names.
    pub(super) fn compare_prints(
        &self,
        focused: Option<&Focused>,
        session: &str,
        window: Option<&Window>,
        edited: &[PathBuf],
    ) -> Result<Compared> {
        let Some(prints) = self.prints() else {
            let gone = self.session(session).is_some();
            self.take_prints()?;
            return Ok(Compared { gone, ..Compared::default() });
        };
        if !is_worth_a_look(&prints) {
            return Ok(Compared::default());
        }
        let others = self.calls_under_way();
        let _lock = self.store.lock()?;
        let mut prints = self.prints().unwrap_or(prints);
        self.add_new_hooks(&mut prints);
        let mut compared = Compared::default();
        for print in &mut prints.files {
            if let Some(stood) = window.and_then(|window| window.look.stood(&print.path)) {
                self.take_as_found(print, stood, focused, &mut compared)?;
            }
            let path = Path::new(&print.path);
            let by_call = window.is_some_and(|window| window.look.printed && window.is_tied_to(path))
                || edited.iter().any(|file| *file == path || *file == super::paths::real(path));
            // Another call is under way that may have done it: its own second look tells.
            let moved = |look: &FirstLook| {
                look.printed && look.stood(&print.path).is_none_or(|stood| stood.seen != seen(path))
            };
            if by_call || print.stray.is_some() || !others.iter().any(moved) {
                self.compare_one(print, focused, by_call, &mut compared)?;
            }
        }
        if !compared.strays.is_empty() || !compared.unclaimed.is_empty() {
            compared.disarmed = self.disarmed(&prints);
        }
        self.save_prints(&prints)?;
        Ok(compared)
    }

    /// Takes over what somebody changed before the call began: it is how the file may be.
    fn take_as_found(
        &self,
        print: &mut Print,
        stood: &Stood,
        focused: Option<&Focused>,
        compared: &mut Compared,
    ) -> Result<()> {
        if print.stray.is_some() || print.seen == stood.seen {
            return Ok(());
        }
        print.seen.clone_from(&stood.seen);
        if print.look(&stood.content) == Look::Changed {
            print.was = stood.content.clone();
            if !self.is_open_surface(Path::new(&print.path), focused) {
                compared.unclaimed.push(print.shown.clone());
            }
        }
        Ok(())
    }

    fn compare_one(
        &self,
        print: &mut Print,
        focused: Option<&Focused>,
        by_call: bool,
        compared: &mut Compared,
    ) -> Result<()> {
        let path = PathBuf::from(&print.path);
        if seen(&path) == print.seen {
            return Ok(());
        }
        let (now, seen) = self.content(&path, print.role, false);
        print.seen = seen;
        match print.look(&now) {
            Look::Same => {}
            Look::Back => print.stray = None,
            Look::Changed => {
                let allowed = self.is_open_surface(&path, focused);
                let committed = !allowed && self.is_as_in_head(&path)?;
                if (by_call || print.stray.is_some()) && !allowed && !committed {
                    print.stray = Some(now);
                    let stuck = !print.can_be_put_back();
                    compared.stuck |= stuck;
                    let at = if stuck { 0 } else { compared.strays.len() };
                    compared.strays.insert(at, print.shown.clone());
                    return Ok(());
                }
                (print.was, print.seen) = self.content(&path, print.role, true);
                print.stray = None;
                if !allowed && !compared.unclaimed.contains(&print.shown) {
                    compared.unclaimed.push(print.shown.clone());
                }
            }
        }
        Ok(())
    }

    /// A person has unlocked it, so the agent may change it.
    fn is_open_surface(&self, path: &Path, focused: Option<&Focused>) -> bool {
        let Ok(below) = path.strip_prefix(self.store.work_tree()) else { return false };
        let place = self.place_named(&below.to_string_lossy(), focused.map(|focused| &focused.state));
        matches!(place, Place::Surface { lock: Lock::Open, .. })
    }

    /// It is what the commit at HEAD says: a merge or a checkout brought it.
    fn is_as_in_head(&self, path: &Path) -> Result<bool> {
        let below = path.strip_prefix(self.store.work_tree()).ok();
        let below = below.and_then(|below| RepoPath::try_from(below.to_str()?).ok());
        let (Some(below), Some(head)) = (below, self.store.head()?.commit) else { return Ok(false) };
        let blob = self.store.blob_at(&self.store.tree_of_commit(&head)?, &below)?;
        Ok(blob.is_some() && blob == std::fs::read(path).ok())
    }

    /// What no longer holds the agent, as sentences.
    fn disarmed(&self, prints: &Prints) -> Vec<String> {
        let installation = self.installation();
        let mut found = Vec::new();
        for print in prints.files.iter().filter(|print| print.role == Role::Settings) {
            let text = std::fs::read_to_string(&print.path).unwrap_or_default();
            if hosts::switches_hooks_off(&text) {
                found.push(format!("{} switches all hooks of the agent off.", print.shown));
            }
        }
        for file in &installation.settings {
            let text = std::fs::read_to_string(&file.path).unwrap_or_default();
            let line = hosts::row(&file.host).ok().and_then(|row| hosts::before_tool_line(&text, row));
            if line.is_none() {
                found
                    .push(format!("{} has no hook line of git seed any more.", self.shown_print(&file.path)));
            }
        }
        let Some(record) = &installation.hooks else { return found };
        let repo = self.hook_repo();
        for hook in record.scripts(&repo) {
            if !crate::githooks::runs(&hook) {
                found.push(format!("git does not run {} any more.", self.shown_print(&hook)));
            }
        }
        if let Some(path) = self.store.hooks_path().filter(|path| !record.is_reached_by(&repo, path)) {
            found.push(format!("core.hooksPath leads to {path}, past git seed's hooks."));
        }
        found
    }

    /// Prints that a call of the agent changed, as far as they are still changed: those that
    /// are known, and those that the call changed in which this command runs.
    fn standing_strays(&self) -> Vec<Print> {
        let Some(mut prints) = self.prints() else { return Vec::new() };
        self.add_new_hooks(&mut prints);
        let around = self.calls_around();
        let mut strays = Vec::new();
        for mut print in prints.files {
            let path = PathBuf::from(&print.path);
            let now_seen = seen(&path);
            if print.stray.is_none() && now_seen == print.seen {
                continue;
            }
            let (now, _) = self.content(&path, print.role, false);
            if print.stray.is_none() {
                let changed = |window: &&Window| {
                    let stood = window.look.stood(&print.path);
                    let moved = stood.is_none_or(|stood| stood.seen != now_seen);
                    window.look.printed && moved && window.is_tied_to(&path)
                };
                let Some(window) = around.iter().find(changed) else { continue };
                // What somebody changed before the call stays.
                if let Some(stood) = window.look.stood(&print.path) {
                    print.was = stood.content.clone();
                }
            }
            if !now.is_same(&print.was, print.role) {
                strays.push(Print { stray: Some(now), ..print });
            }
        }
        strays
    }

    /// Changed fingerprints as they are shown, for status and the boundary.
    pub fn print_strays(&self) -> Vec<String> {
        self.standing_strays().into_iter().map(|print| print.shown).collect()
    }

    /// Refuses a step while the agent's changes to what holds the fence up stand.
    pub(super) fn prints_hold(&self) -> std::result::Result<(), Refusal> {
        let strays = self.standing_strays();
        let stuck = strays.iter().find(|print| !print.can_be_put_back());
        let first = strays.first().map(|print| print.shown.as_str());
        crate::phases::gates::prints_hold(first, stuck.map(|print| print.shown.as_str()))
    }

    // ---- putting back, taking over

    /// Puts back what the agent changed, out of `paths` or all of it; what is taken away is
    /// kept below `.git/seed`. Gives the words of `paths` that mean no print, too.
    pub fn restore_prints(&self, paths: &[String]) -> Result<(Restored, Vec<String>)> {
        let mut restored = Restored::default();
        let strays = self.standing_strays();
        let known = self.prints().unwrap_or_default();
        let mut rest = Vec::new();
        for word in paths {
            let named = |print: &Print| {
                print.is_named(word) || self.store.work_tree().join(word) == Path::new(&print.path)
            };
            if !strays.iter().any(named) {
                let outside = known.files.iter().any(|print| named(print) && !self.is_in_tree(print));
                if outside { restored.left.push(word.clone()) } else { rest.push(word.clone()) }
            }
        }
        let _lock = self.store.lock()?;
        for print in strays {
            let asked = paths.is_empty()
                || paths.iter().any(|word| {
                    print.is_named(word) || self.store.work_tree().join(word) == Path::new(&print.path)
                });
            if !asked {
                continue;
            }
            let taken = self.take_away(&print)?;
            if print.can_be_put_back() && self.put_back(&print).is_ok() && self.is_back(&print) {
                restored.kept.push((print.shown, taken));
            } else {
                restored.left.push(print.shown);
            }
        }
        if let Some(mut prints) = self.prints() {
            for print in &mut prints.files {
                let (now, seen) = self.content(Path::new(&print.path), print.role, false);
                if print.stray.is_some() && now.is_same(&print.was, print.role) {
                    (print.stray, print.seen) = (None, seen);
                }
            }
            self.save_prints(&prints)?;
        }
        Ok((restored, rest))
    }

    fn is_in_tree(&self, print: &Print) -> bool {
        let path = Path::new(&print.path);
        path.starts_with(self.store.work_tree()) && !path.starts_with(self.store.common_dir())
    }

    fn is_back(&self, print: &Print) -> bool {
        self.content(Path::new(&print.path), print.role, false).0.is_same(&print.was, print.role)
    }

    /// Keeps what lies there now; gives the name of the copy.
    fn take_away(&self, print: &Print) -> Result<String> {
        let path = Path::new(&print.path);
        let small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= READ);
        let Some(bytes) = small.then(|| std::fs::read(path).ok()).flatten() else { return Ok(String::new()) };
        let name = format!("taken/{}", short_hash(&bytes, 12));
        write_privately(&self.store.seed_dir().join(&name), &bytes)?;
        Ok(format!(".git/seed/{name}"))
    }

    fn put_back(&self, print: &Print) -> Result<()> {
        let path = PathBuf::from(&print.path);
        let entry = path.symlink_metadata();
        let link = std::fs::read_link(&path).ok().map(|target| target.to_string_lossy().into_owned());
        if entry.is_ok() && (!print.was.is_there() || link != print.was.link) {
            std::fs::remove_file(&path)?;
        }
        if !print.was.is_there() {
            return Ok(());
        }
        let target = match &print.was.link {
            Some(target) => {
                if link != print.was.link {
                    make_link(target, &path)?;
                }
                super::paths::real(&path)
            }
            None => path,
        };
        let bytes = std::fs::read(self.prints_dir().join("kept").join(&print.was.kept))?;
        write_with_mode(&target, &bytes, print.was.mode)
    }

    /// Takes the files that `paths` name as they are now; gives the words that name none.
    pub fn accept_prints(&self, paths: &[String]) -> Result<Vec<String>> {
        let Some(mut prints) = self.prints() else { return Ok(paths.to_vec()) };
        let _lock = self.store.lock()?;
        self.add_new_hooks(&mut prints);
        let mut rest = Vec::new();
        for word in paths {
            let named = |print: &&mut Print| {
                print.is_named(word) || self.store.work_tree().join(word) == Path::new(&print.path)
            };
            let Some(print) = prints.files.iter_mut().find(named) else {
                rest.push(word.clone());
                continue;
            };
            let was_stray = print.stray.is_some();
            (print.was, print.seen) = self.content(Path::new(&print.path), print.role, true);
            print.stray = None;
            // One that the tree fence sees as well is taken over there, too.
            if self.is_in_tree(print) && (!was_stray || !self.store.is_ignored(&print.shown)?) {
                rest.push(word.clone());
            }
        }
        self.save_prints(&prints)?;
        Ok(rest)
    }

    /// How many prints there are, and which differ from how the session began.
    pub(super) fn prints_told(&self) -> Option<(usize, Vec<String>)> {
        let prints = self.prints()?;
        let differs = |print: &&Print| {
            print.stray.is_none() && seen(Path::new(&print.path)) != print.seen && !self.is_back(print)
        };
        let changed = prints.files.iter().filter(differs).map(|print| print.shown.clone()).collect();
        Some((prints.files.len(), changed))
    }
}

/// What [`seen`] says of nothing.
const NOTHING: &str = "-";

/// True when some file is not as it was seen last, or a directory of hooks holds a new one.
fn is_worth_a_look(prints: &Prints) -> bool {
    let known = |file: &PathBuf| prints.files.iter().any(|print| Path::new(&print.path) == file);
    prints.files.iter().any(|print| seen(Path::new(&print.path)) != print.seen)
        || prints.dirs.iter().flat_map(|dir| files_in(Path::new(dir))).any(|file| !known(&file))
}

/// Files that git may run as hooks; the samples it ships are none.
fn files_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().take(FILES);
    let files = entries.filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_none_or(|ending| ending != "sample"));
    files.sort();
    files
}

fn home() -> Option<PathBuf> {
    world::variable("HOME").map(PathBuf::from)
}

/// Configuration that the environment names beside the usual places.
fn wider_configs(home: Option<&Path>) -> Vec<PathBuf> {
    let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(world::variable);
    let xdg = world::variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let xdg = xdg.or_else(|| home.map(|home| home.join(".config")));
    named.map(PathBuf::from).chain(xdg.map(|dir| dir.join("git").join("config"))).collect()
}

/// What the system says of a path and of what it leads to, in one word.
pub(super) fn seen(path: &Path) -> String {
    let Ok(entry) = path.symlink_metadata() else { return NOTHING.to_owned() };
    let mut word = stat_word(&entry);
    if entry.file_type().is_symlink() {
        word.push('>');
        word.push_str(&path.metadata().map_or_else(|_| NOTHING.to_owned(), |data| stat_word(&data)));
    }
    word
}

#[cfg(unix)]
fn stat_word(data: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()];
    format!("{}.{}.{:x}.{times:?}", data.size(), data.ino(), data.mode()).replace(' ', "")
}

#[cfg(not(unix))]
fn stat_word(data: &std::fs::Metadata) -> String {
    format!("{}.{:?}", data.len(), data.modified().ok())
}

#[cfg(unix)]
pub(super) fn mode_of(data: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
pub(super) fn mode_of(_: &std::fs::Metadata) -> u32 {
    0
}

pub(super) fn write_privately(file: &Path, bytes: &[u8]) -> Result<()> {
    write_with_mode(file, bytes, 0o600)
}

/// Writes a file whole or not at all.
fn write_with_mode(file: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    Ok(world::Whole::new().mode(mode).over_links().write(file, bytes)?)
}

#[cfg(unix)]
fn make_link(target: &str, path: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(target, path)?)
}

#[cfg(not(unix))]
fn make_link(_: &str, path: &Path) -> Result<()> {
    Err(SeedError::Usage(format!("{} was a link; make it again by hand", path.display())))
}

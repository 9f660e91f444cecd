//! Receipts: what hooks saw run, how it ended, and on which tree.
//!
//! The after-tool hook leaves one for each shell command in its journal line. Those of
//! code that ran also become files of the job's tree with the next step, where they stay.
//! A receipt is a fact; what it proves is asked each time, against the tree of then.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::claims::absent::Absent;
use crate::claims::ended::{Ended, closing};
use crate::claims::figures;
use crate::claims::languages::shipped_languages;
use crate::claims::runs::Recognised;
use crate::claims::{Counts, MOST_RECEIPTS, Part, Program, Ran, Receipt};
use crate::engine::claims::places::{self, By};
use crate::engine::claims::swapped;
use crate::engine::record::aftermath::ShellEffects;
use crate::engine::repo::sessions::{Session, speaks_for};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{fence, pushed, record};
use crate::event::{Act, Event, Outcome, ToolCall};
use crate::format::journal::{What, kept_path};
use crate::format::state::State;
use crate::format::{evidence, names, short_hash};
use crate::phases::deeds::runs_code;
use crate::store::TreeId;
use crate::{shell, world};

/// A program of more bytes is known by its size, its head and its tail.
const WHOLE: u64 = 4 * 1024 * 1024;

/// Bytes of the head and of the tail.
const END: u64 = 1024 * 1024;

/// The receipt of a shell call that `after` tells of, and the tree that it leaves; `known` is
/// what [`Self::known_tree`] said before the fence looked.
///
/// The tree is taken where code ran; for other commands it is known only while nothing
/// changes. What a call changes itself belongs to its tree.
pub(crate) fn receipt(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
    (after, known): (&ShellEffects, Option<String>),
    focused: &LoadedJob,
) -> Result<Option<Ran>> {
    let Act::Shell { command, cwd, background } = &call.act else { return Ok(None) };
    if has_left_its_own(repo, command, focused)? || is_of_no_host(repo, event)? {
        return Ok(None);
    }
    let (dir, read) = (cwd.as_deref().unwrap_or(&event.cwd), repo.rules.runs().recognise(command));
    let is_here = || places::is_of_this_tree(repo, By::Job(focused), command, dir);
    let here = read.run().is_none() || is_here()?;
    let ends = here && !background && !outcome.background;
    // In talk, in idle and in gmode no fence looks, and its index says nothing of the files.
    let looked = focused.state.fence.tree.parse::<TreeId>().is_ok();
    let tree_after = match &known {
        Some(tree) if looked && !after.moved => Some(tree.clone()),
        _ if ends && runs_code(command) && looked => Some(tree_of_index(repo, focused)?),
        _ if ends && runs_code(command) => {
            Some(fence::tree_now::tree_now(repo, Some(focused))?.to_string())
        }
        _ => None,
    };
    let end = end_of(repo, (command, dir), &read, outcome)?;
    let unchanged = looked && (!after.moved || !after.changed);
    let tree_before = if unchanged { tree_after.clone() } else { known.filter(|_| looked) };
    let (program, absent) = what_ran(&read, (command, dir), end.counts, outcome);
    Ok(Some(Ran {
        at: repo.store.dated(repo.now),
        place: None,
        session: event.session.clone(),
        call: call.id.clone(),
        salt: salt(repo, &call.id, command)?,
        command: evidence::cut(command),
        dir: shown_dir(repo, dir),
        status: end.status.filter(|_| ends),
        failed: !outcome.ok,
        shown: ends && end.shown,
        hidden: end.hidden,
        output: outcome.output.clone(),
        program,
        counts: end.counts,
        absent: absent.filter(|_| ends),
        figures: figures::printed(&outcome.printed),
        beside: figures::beside(&outcome.printed),
        complains: figures::complains(&outcome.printed),
        tells_tests: figures::tells_tests(&outcome.printed),
        sent: pushed::sent(repo, call, outcome),
        part: repo.rules.runs().part(command),
        run: read.run().filter(|_| ends).map(str::to_owned),
        tree_before,
        tree_after,
        stay: stay_of(&focused.state),
        reproduced: read.run().is_some() && repo.row(Some(focused)).reproduces,
        unheld: unheld(repo, focused, read.run().is_some()),
    }))
}

/// Whether `event` came from another than the host that the session of it was recorded with: a
/// shell of the agent's, or what left it behind, may say that anything ran. A host within a host
/// has a session.
pub(super) fn is_of_no_host(repo: &Repo, event: &Event) -> Result<bool> {
    let above = world::ancestors();
    let known = repo.session(&event.session)?.filter(Session::runs);
    let speaks = known.as_ref().map(|session| speaks_for(session, &above));
    if repo.is_below_another(&above) {
        return Ok(speaks != Some(true));
    }
    // Where the host cannot be seen from here nobody can say.
    let seen = known.is_some_and(|session| session.is_in_view() && session.process.is_some());
    Ok(seen && speaks == Some(false))
}

/// How a line ended that runs in `dir`, as far as that shows how tests of this work did.
pub(super) fn end_of(
    repo: &Repo,
    (line, dir): (&str, &Path),
    read: &Recognised,
    outcome: &Outcome,
) -> Result<Ended> {
    if swapped::is_of_other_work(repo, line, dir)? {
        return Ok(Ended { hidden: true, ..Ended::default() });
    }
    let end = Ended::of(repo.rules.runs(), (line, read), &outcome.printed, outcome.status);
    // What was not let end says nothing by the lines that it printed until then.
    let cut = !outcome.ok && outcome.status.is_none() && read.tells();
    Ok(Ended { shown: end.shown && !cut, ..end })
}

/// Of a run of tests: the program, and what was not there for it.
pub(super) fn what_ran(
    read: &Recognised,
    (line, dir): (&str, &Path),
    counts: Option<Counts>,
    outcome: &Outcome,
) -> (Option<Program>, Option<Absent>) {
    let program = read.run().and_then(|_| program(&places::program_name(line), dir));
    let told = (read.status(outcome.status), outcome.printed.as_str());
    let absent = Absent::of((read.run(), line), program.is_some(), counts, told);
    (program, absent)
}

/// What the kernel does not hold of a run of tests where one only looks.
fn unheld(repo: &Repo, focused: &LoadedJob, is_run: bool) -> Vec<String> {
    let reproduces = is_run && repo.row(Some(focused)).reproduces;
    if reproduces { crate::confine::unheld().map(str::to_owned).collect() } else { Vec::new() }
}

/// The stay in which `state` stands, as receipts name it.
pub(crate) fn stay_of(state: &State) -> String {
    let stand = &state.stand;
    format!("{}.{} {}", state.job.run, stand.cycle, stand.phase)
}

/// The outcome of a run of tests that failed, where only the runner's own closing lines tell so:
/// the host tells of no status, or something on the line hides it.
pub(crate) fn failed_by_its_lines(
    repo: &Repo,
    call: &ToolCall,
    outcome: &Outcome,
) -> Option<Outcome> {
    let Act::Shell { command, .. } = &call.act else { return None };
    if !outcome.ok || outcome.printed.is_empty() {
        return None;
    }
    let read = repo.rules.runs().recognise(command);
    let run = read.run().filter(|_| outcome.status.is_none() || !read.tells())?;
    let heard = read.status(outcome.status);
    let failed = closing(run, command, &outcome.printed, heard)?.failed > 0;
    failed.then(|| Outcome { ok: false, status: None, ..outcome.clone() })
}

/// The command is one that git seed started itself, whose receipt lies there already.
fn has_left_its_own(repo: &Repo, command: &str, focused: &LoadedJob) -> Result<bool> {
    if !command.contains(" exec -- ") {
        return Ok(false);
    }
    let since = repo.read_since(focused)?;
    let last = since.lines.iter().rev().find(|linked| linked.line.ran.is_some());
    let own = last
        .filter(|linked| linked.line.what == What::Ran)
        .and_then(|linked| linked.line.ran.as_ref());
    Ok(own.is_some_and(|ran| {
        ran.command.split_once(" -- ").is_some_and(|(_, inner)| command.ends_with(inner))
    }))
}

/// The tree of the fence's index, where a receipt took it and that index is still the same.
pub(crate) fn known_tree(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    // Only saves a look: without it the tree is taken anew.
    let counts = focused.activity.as_ref().ok()?;
    let known = counts.tree.as_ref().or(focused.state.fence.seen.as_ref())?;
    let (tree, mark) = known.split_once(' ')?;
    let holds = index_mark(repo).as_deref() == Some(mark) && repo.store.has_object(tree);
    holds.then(|| tree.to_owned())
}

/// What the journal keeps of a tree that was taken: which index it is of, too.
pub(crate) fn seen_tree(repo: &Repo, ran: &Ran) -> String {
    let seen = ran.tree_after.as_ref().zip(index_mark(repo));
    seen.map_or_else(String::new, |(tree, mark)| format!("{tree} {mark}"))
}

/// Tells the fence's index from any other that took its place: whoever writes it makes a
/// new file.
fn index_mark(repo: &Repo) -> Option<String> {
    // An index that is not there, or has no time, is no known one: the tree is taken anew.
    let data = repo.private_index().metadata().ok()?;
    let at = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", at.as_nanos(), data.len()))
}

/// The tree of the fence's index, which the look after a call brought up to date.
/// Where a gc took what only that index held, the files are read anew for another one.
fn tree_of_index(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let tree = repo.store.tree_of_index(&repo.private_index());
    Ok(tree.map_or_else(|_| fence::tree_now::tree_now(repo, Some(focused)), Ok)?.to_string())
}

/// A directory as it is told: from the top of the repository, or by its name outside of it.
pub(super) fn shown_dir(repo: &Repo, dir: &Path) -> String {
    let top = repo::paths::real(repo.store.work_tree());
    let dir = repo::paths::real(dir);
    kept(dir.strip_prefix(&top).unwrap_or(&dir))
}

fn kept(path: &Path) -> String {
    let mut path = path.display().to_string();
    kept_path(&mut path);
    path
}

/// What tells a run from others of its day that are alike, where its call does not.
fn salt(repo: &Repo, call: &str, command: &str) -> Result<String> {
    if !call.is_empty() || !repo.rules.detail.is_day() {
        return Ok(String::new());
    }
    Ok(world::new_salt(format!("{} {command}", repo.now).as_bytes())?)
}

/// Leaves a receipt of a run that no hook saw: git seed ran it itself.
pub(crate) fn leave_receipt(repo: &Repo, ran: Ran) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    if ran.run.is_some() {
        record::answered::keep_run(repo);
    }
    let salt = salt(repo, &ran.call, &ran.command)?;
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Ran;
        line.session.clone_from(&ran.session);
        let is_run = ran.run.is_some();
        line.ran = Some(Ran {
            stay: stay_of(&focused.state),
            reproduced: is_run && repo.row(Some(&focused)).reproduces,
            unheld: unheld(repo, &focused, is_run),
            salt,
            ..ran
        });
    })
}

/// What `words` are as one command: a run of tests whose end is its own, where a job could
/// keep the receipt.
pub(crate) fn run_of_words(
    repo: &Repo,
    words: &[std::ffi::OsString],
    dir: &Path,
) -> Option<Watched> {
    // Without a job that reads there is nowhere to keep a receipt; the command itself runs.
    let focused = repo.focused().ok().flatten()?;
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let line: Vec<String> = words?.into_iter().map(shell::quoted_word).collect();
    let line = line.join(" ");
    let read = repo.rules.runs().recognise(&line);
    // An act beyond this work tree is shown by its receipt, too.
    let known = read.tells() && (read.run().is_some() || crate::claims::acts::is_known(&line));
    // Where nobody can tell what it is of, its receipt is not kept.
    let here = || places::is_of_this_tree(repo, By::Job(&focused), &line, dir).unwrap_or(false);
    (known && here()).then_some(())?;
    let run = read.run().map(str::to_owned);
    let part = repo.rules.runs().part(&line);
    Some(Watched { line, run, part })
}

/// The work tree as it is, as a tree; the fence's own index stays as it is.
pub(crate) fn tree_of_now(repo: &Repo) -> Result<String> {
    Ok(fence::tree_now::tree_now(repo, repo.focused()?.as_ref())?.to_string())
}

/// Leaves the receipt of a run that git seed started itself.
pub(crate) fn leave_run(
    repo: &Repo,
    watched: &Watched,
    dir: &Path,
    (code, printed): (i32, &str),
    before: String,
) -> Result<()> {
    let (run, line) = (watched.run.as_deref(), watched.line.as_str());
    let program = program(&places::program_name(line), dir);
    let counts = run.and_then(|run| closing(run, line, printed, Some(code)));
    let absent = Absent::of((run, line), program.is_some(), counts, (Some(code), printed));
    leave_receipt(
        repo,
        Ran {
            at: repo.store.dated(world::now()),
            session: repo
                .focused()?
                .map(|focused| focused.state.driver.session)
                .unwrap_or_default(),
            command: evidence::cut(&format!("git seed exec -- {}", watched.line)),
            dir: shown_dir(repo, dir),
            run: watched.run.clone(),
            status: Some(code),
            failed: code != 0,
            tree_before: Some(before),
            tree_after: Some(tree_of_now(repo)?),
            program,
            counts,
            absent,
            figures: figures::printed(printed),
            beside: figures::beside(printed),
            complains: figures::complains(printed),
            tells_tests: figures::tells_tests(printed),
            part: watched.part.clone(),
            ..Ran::default()
        },
    )
}

/// All receipts of the focused job, as they were written, oldest first.
pub(crate) fn ran(repo: &Repo, focused: &LoadedJob) -> Result<Vec<(String, Ran)>> {
    let mut all = Vec::new();
    for dir in repo.store.names(&focused.tip, names::EVIDENCE)? {
        let dir = format!("{}/{dir}", names::EVIDENCE);
        for file in repo.store.names(&focused.tip, &dir)? {
            let Some(id) = file.strip_suffix(".toml") else { continue };
            let bytes = repo.counted_file(focused, &evidence::path(id))?;
            // A receipt of another git seed proves nothing here.
            let read = evidence::read(&bytes);
            all.extend(read.map(|ran| (id.to_owned(), repo.store.ran_at(id, ran))));
        }
    }
    all.sort_by_key(|(_, ran)| evidence::order(ran));
    // What no step has kept yet is the newest.
    let since = repo.read_since(focused)?;
    let new = since.lines.iter().filter_map(|linked| {
        let (at, ran) = (linked.line.at, linked.line.ran.clone()?);
        Some((evidence::id(&ran), Ran { at, ..ran }))
    });
    all.extend(new);
    Ok(all)
}

/// The receipts of the focused job as they count for the work tree `tree`, oldest first.
pub(crate) fn receipts(repo: &Repo, tree: &TreeId) -> Result<Vec<Receipt>> {
    match repo.focused()? {
        Some(focused) => receipts_of(repo, &focused, tree),
        None => Ok(Vec::new()),
    }
}

/// The same of `job`, whether it is in focus or over.
pub(crate) fn receipts_of(repo: &Repo, job: &LoadedJob, tree: &TreeId) -> Result<Vec<Receipt>> {
    // What git seed writes itself takes nothing from a run.
    let own = |path: &str| record::own_files::is_own_file(repo, &job.chain, &job.state, path);
    as_they_count(repo, ran(repo, job)?, (&stay_of(&job.state), tree), &own)
}

/// Receipts as they count for the work tree `tree` in the stay `now`; of a change that is `own`
/// nothing follows.
pub(crate) fn as_they_count(
    repo: &Repo,
    all: Vec<(String, Ran)>,
    (now, tree): (&str, &TreeId),
    own: &dyn Fn(&str) -> Result<bool>,
) -> Result<Vec<Receipt>> {
    let mut programs: BTreeMap<String, String> = BTreeMap::new();
    let mut others = Vec::with_capacity(all.len());
    for (_, ran) in &all {
        others.push(ran.program.as_ref().is_some_and(|program| {
            let first =
                programs.entry(places::program_name(&ran.line())).or_insert_with(|| told(program));
            *first != told(program)
        }));
    }
    let mut since: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
    let tests = Tests { repo, tree, paths: OnceCell::new() };
    // What ran where one only looks is heard only while one looks.
    let heard = |ran: &Ran| !ran.reproduced || ran.stay == now;
    let counts = |ran: &Ran| {
        heard(ran) && (ran.run.is_some() || ran.status.is_some() || runs_code(&ran.line()))
    };
    let mut receipts: Vec<Receipt> = Vec::new();
    let counted = all.into_iter().zip(others).rev().filter(|((_, ran), _)| counts(ran));
    for ((id, ran), other_program) in counted.take(MOST_RECEIPTS) {
        let changed = match &ran.tree_after {
            Some(after) if since.contains_key(after) => since[after].clone(),
            Some(after) => {
                let changed = changed_since(repo, own, after, tree)?;
                since.entry(after.clone()).or_insert(changed).clone()
            }
            None => None,
        };
        receipts.push(Receipt {
            id,
            at: ran.at,
            command: ran.command,
            run: ran.run,
            status: ran.status,
            failed: ran.failed,
            hidden: ran.hidden,
            tree: ran.tree_after,
            stale: changed.is_none(),
            changed_since: changed.unwrap_or_default(),
            other_program,
            shown: ran.shown,
            counts: ran.counts,
            figures: ran.figures,
            beside: ran.beside,
            complains: ran.complains,
            tells_tests: ran.tells_tests,
            sent: ran.sent,
            absent: ran.absent.is_some(),
            part: ran.part.filter(|part| !tests.are_all_in(part, &ran.dir)),
        });
    }
    receipts.reverse();
    Ok(receipts)
}

/// The part of the tests that a run selected; none where that is all the tests that there were.
pub(crate) fn part_of<'r>(repo: &Repo, ran: &'r Ran) -> Option<&'r Part> {
    let part = ran.part.as_ref()?;
    let tree = ran.tree_after.as_ref().and_then(|tree| tree.parse::<TreeId>().ok());
    let all = tree.is_some_and(|tree| {
        let tree = &tree;
        Tests { repo, tree, paths: OnceCell::new() }.are_all_in(part, &ran.dir)
    });
    (!all).then_some(part)
}

/// The tests of a work tree, listed when somebody asks.
struct Tests<'r> {
    repo: &'r Repo,
    tree: &'r TreeId,
    paths: OnceCell<Vec<String>>,
}

impl Tests<'_> {
    /// Whether a part that a run in `dir` selected is all the tests there are.
    fn are_all_in(&self, part: &Part, dir: &str) -> bool {
        if part.paths.is_empty() {
            return false;
        }
        let listed = || {
            // Where they cannot be listed, a part stays a part.
            let mut paths = self.repo.store.paths_of(self.tree).unwrap_or_default();
            paths.retain(|path| shipped_languages().is_collected(path));
            paths
        };
        let from = |path: &'_ String| -> Option<String> {
            if dir.is_empty() {
                return Some(path.clone());
            }
            Some(path.strip_prefix(dir)?.strip_prefix('/')?.to_owned())
        };
        let paths: Option<Vec<String>> = self.paths.get_or_init(listed).iter().map(from).collect();
        paths.is_some_and(|paths| {
            !paths.is_empty() && part.holds_all(paths.iter().map(String::as_str))
        })
    }
}

/// Whether the work is what it was when `ran` had run; none where that cannot be told.
pub(crate) fn is_as_then(repo: &Repo, job: &LoadedJob, ran: &Ran) -> Result<Option<bool>> {
    let Some(then) = &ran.tree_after else { return Ok(None) };
    let tree = fence::tree_now::tree_now(repo, Some(job))?;
    let own = |path: &str| record::own_files::is_own_file(repo, &job.chain, &job.state, path);
    let work = |path: &String| fence::survey::place_of(repo, path, &job.state).is_direct(path);
    let changed = changed_since(repo, &own, then, &tree)?;
    Ok(changed.map(|changed| !changed.iter().any(work)))
}

/// What differs between the tree of a run and `tree`; `None` where that tree is gone.
fn changed_since(
    repo: &Repo,
    own: &dyn Fn(&str) -> Result<bool>,
    after: &str,
    tree: &TreeId,
) -> Result<Option<Vec<String>>> {
    let Ok(after) = after.parse::<TreeId>() else { return Ok(None) };
    if !repo.store.has_object(after.as_str()) {
        return Ok(None);
    }
    // A gc may have taken a part of it: what cannot be compared shows nothing.
    let Ok(all) = repo.store.diff_trees(&after, tree) else { return Ok(None) };
    let mut changed = Vec::with_capacity(all.len());
    for path in all.into_iter().map(|change| change.path.to_string()) {
        if !own(&path)? {
            changed.push(path);
        }
    }
    Ok(Some(changed))
}

/// The receipt `id` of the focused job, or of any open one.
pub(crate) fn find_receipt(repo: &Repo, id: &str) -> Result<Option<Ran>> {
    if let Some(focused) = repo.focused()?
        && let Some((_, ran)) = ran(repo, &focused)?.into_iter().find(|(known, _)| known == id)
    {
        return Ok(Some(ran));
    }
    for (chain, _) in repo.store.chains(names::JOBS)? {
        let Some(tip) = repo.store.tip(&chain)? else { continue };
        if let Some(bytes) = repo.store.file(&tip, &evidence::path(id))? {
            return Ok(evidence::read(&bytes).map(|ran| repo.store.ran_at(id, ran)));
        }
    }
    // The job that was over last is still spoken of.
    let Some(over) = record::archive::newest(repo)? else { return Ok(None) };
    Ok(ran(repo, &over)?.into_iter().find(|(known, _)| known == id).map(|(_, ran)| ran))
}

/// A run of tests, or an act beyond this work tree, that git seed starts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watched {
    /// The command as a shell would be given it.
    pub line: String,
    /// Name of the row that knows it as a run of tests; absent for another act.
    pub run: Option<String>,
    /// As in [`Ran::part`].
    pub part: Option<Part>,
}

fn told(program: &Program) -> String {
    format!("{} {}", program.path, program.hash)
}

/// The file that `name` means to a shell in `dir`, and what it holds.
pub(crate) fn program(name: &str, dir: &Path) -> Option<Program> {
    let path: PathBuf = if name.contains('/') {
        // What is not there was no program: the receipt names none.
        crate::world::real(dir.join(name)).ok()?
    } else {
        world::on_path(name)?
    };
    // Programs may be executable and not readable. Such a one has no hash, and no receipt says
    // that it was another one.
    let hash = content(&path).ok()?;
    Some(Program { hash, path: kept(&path) })
}

/// A hash of a file's content; of a long one, of its size, head and tail.
fn content(path: &Path) -> std::io::Result<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= WHOLE {
        file.take(WHOLE).read_to_end(&mut bytes)?;
    } else {
        bytes.extend(size.to_be_bytes());
        file.by_ref().take(END).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(size.saturating_sub(END)))?;
        file.take(END).read_to_end(&mut bytes)?;
    }
    Ok(short_hash(&bytes, 16))
}

//! Which runs stand for the tests of the work where a phase asks for one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::claims::absent::{self, Absent, Tried};
use crate::claims::ended::Ended;
use crate::claims::languages::shipped_languages;
use crate::claims::{ChangedFile, Counts, How, Ran, Truth, empty};
use crate::engine::claims::places::{self, By};
use crate::engine::claims::{self, swapped};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{earlier_runs, fence, record, unclaimed};
use crate::event::{Event, Outcome};
use crate::format::journal::{Line, What};
use crate::phases::Write;
use crate::phases::gates::Instead;
use crate::store::TreeId;
use crate::voice::{Notice, tell};
use crate::{shell, world};

/// Whether a line that ended well may stand for the tests. A run that found none does not, nor a
/// question for a version. A program in the line itself, a build, and what lies in another place do
/// not where code changed and tests are known; where none are, what ran well is all there is.
pub(crate) fn may_stand(
    repo: &Repo,
    focused: &LoadedJob,
    (line, dir): (&str, &Path),
    (event, outcome): (&Event, &Outcome),
) -> bool {
    // Who sent it is asked of the system; what that does not tell stands for nothing.
    if claims::receipts::is_of_no_host(repo, event).unwrap_or(true) {
        return false;
    }
    let (by, read) = (By::Job(focused), repo.rules.runs().recognise(line));
    if read.run().is_some() {
        // The host says that the line ended well, with or without its status.
        let runs = repo.rules.runs();
        let end = Ended::of(runs, (line, &read), &outcome.printed, outcome.status);
        let unseen = end.counts.is_none() && runs.hides(line);
        // What cannot be told of the files is not to stand for the tests.
        let other = || swapped::is_of_other_work(repo, line, dir).unwrap_or(true);
        let here = || places::is_of_this_tree(repo, by, line, dir).unwrap_or(false);
        return !unseen && !end.counts.is_some_and(Counts::is_nothing) && here() && !other();
    }
    if empty::only_asks_version(line) {
        return false;
    }
    // Where the tree does not read, nothing stands for it: a run of tests does in any case.
    let elsewhere = || places::runs_elsewhere(repo, by, line, dir).unwrap_or(true);
    !empty::shows_nothing(line) && !elsewhere() || !wants_tests(repo, focused).unwrap_or(true)
}

/// Code changed, and tests are known: files that runners collect, or a run that found some.
fn wants_tests(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let (mut truth, tree) = claims::gate::truth_of(repo, Some(focused))?;
    keep_own(repo, focused, &mut truth.files)?;
    if truth.files.iter().all(|file| file.prose) {
        return Ok(false);
    }
    let found = |ran: &crate::claims::Ran| {
        ran.run.is_some() && ran.counts.is_some_and(|counts| !counts.is_nothing())
    };
    if repo.store.paths_of(&tree)?.iter().any(|path| shipped_languages().is_collected(path)) {
        return Ok(true);
    }
    Ok(claims::receipts::ran(repo, focused)?.iter().any(|(_, ran)| found(ran)))
}

/// Leaves of what differs the files of the job: what a person has in the work tree, or committed
/// meanwhile, asks the agent for no run.
pub(crate) fn keep_own(
    repo: &Repo,
    focused: &LoadedJob,
    files: &mut Vec<ChangedFile>,
) -> Result<()> {
    // Where a commit of the job's is not here nobody can tell, and all stay.
    let Some(own) = record::history::own_paths(repo, focused)? else { return Ok(()) };
    let since = repo.read_since(focused)?;
    let touched = fence::survey::touched(repo, focused, &since)?;
    let others = fence::tree::persons(repo, focused)?;
    let others: BTreeSet<String> =
        others.into_iter().chain(unclaimed::named(&focused.state, &since)).collect();
    let head = repo.store.head()?.commit;
    let head = head.map(|head| repo.store.tree_of_commit(&head)).transpose()?;
    let scope = repo.scope(focused)?;
    let whole = repo.row(Some(focused)).write.contains(&Write::All);
    // What nobody has named yet is the job's only where it may write.
    let may_be = |path: &str| {
        let place = fence::survey::place_of(repo, path, &focused.state);
        whole || place.is_memory() || repo::rows::declared(path, &place, &scope)
    };
    files.retain(|file| {
        let named = |paths: &BTreeSet<String>| {
            paths.contains(&file.path) || file.was.as_ref().is_some_and(|was| paths.contains(was))
        };
        let is_in_head =
            |tree: &TreeId| !fence::tree::is_still_changed(repo, tree, file.path.as_str());
        let known = named(&own) || named(&touched);
        known || may_be(&file.path) && !(named(&others) || head.as_ref().is_some_and(is_in_head))
    });
    Ok(())
}

/// What stands for a run that proves the work, where there was none since the last change: a look,
/// where only words changed, and the agent's word `text`, where the tests cannot run.
pub(crate) fn instead(repo: &Repo, focused: &LoadedJob, text: &str) -> Result<Option<Instead>> {
    let (mut truth, tree) = claims::gate::truth_of(repo, Some(focused))?;
    keep_own(repo, focused, &mut truth.files)?;
    if truth.files.is_empty() {
        // What was put back leaves nothing that a run could show, and a small job that tried may
        // end so.
        let small = repo.map(&focused.state.stand).lane.is_some();
        return Ok((small && has_tried(repo, focused)?).then_some(Instead::Seen));
    }
    if earlier_runs::stand(repo, focused, &tree, || claims::receipts::ran(repo, focused))? {
        return Ok(Some(Instead::Seen));
    }
    // Notes about the work are looked at where nothing else was written.
    let memory =
        |file: &ChangedFile| repo.place_named(&file.path, Some(&focused.state)).is_memory();
    if !truth.files.iter().all(memory) {
        truth.files.retain(|file| !memory(file));
    }
    let needs = Needs::of(repo, &tree)?;
    let languages = shipped_languages();
    let is_words = |file: &&ChangedFile| {
        let data = needs.languages.is_empty() && languages.of(&file.path).is_none();
        let expected = languages.is_test_path(&file.path) || languages.is_expected(&file.path);
        (file.prose || data) && !expected
    };
    if truth.files.iter().all(|file| is_words(&file)) {
        let is_gone = |file: &&ChangedFile| file.how == How::Deleted;
        let shown = truth.files.iter().find(|file| !is_gone(file)).or(truth.files.first());
        let Some(shown) = shown else { return Ok(None) };
        let (path, gone) = (shown.path.clone(), is_gone(&shown));
        let seen = is_looked_at(repo, focused, &truth)?;
        return Ok(Some(if seen { Instead::Seen } else { Instead::Look { path, gone } }));
    }
    let Some(why) = needs.cannot_run(repo, focused, &truth)? else { return Ok(None) };
    // The question holds the line of the card, which is git seed's own.
    let said = absent::admits(&text.replace(&tell(Notice::CardNoRun, &[]), ""));
    Ok(Some(Instead::Word { why, said }))
}

/// The job ran its tests. Where they failed and no call ever changed a file, that shows no more
/// than that the work is still to do.
fn has_tried(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let all = claims::receipts::ran(repo, focused)?;
    let last = all.iter().rev().map(|(_, ran)| ran).find(|ran| ran.run.is_some());
    let Some(last) = last else { return Ok(false) };
    let fell = match last.counts {
        Some(counts) => counts.failed > 0,
        None => last.failed || last.status.is_some_and(|status| status != 0),
    };
    let mut changed = false;
    if fell {
        claims::turn::each_line_since(repo, focused, 0, |line| {
            changed |=
                line.what == What::After && !(line.paths.is_empty() && line.strays.is_empty());
        })?;
    }
    Ok(changed || !fell)
}

/// Whether it is plain without a look at the work tree that nothing stands for a run: code changed,
/// and tests can run, as far as commits and the journal tell. A step asks [`instead`] all the same.
pub(crate) fn needs_a_run(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let since = repo.read_since(focused)?;
    let again = earlier_runs::is_further(repo, focused) && since.touched().next().is_none();
    let Some(head) = repo.store.head()?.commit.filter(|_| !again) else { return Ok(false) };
    let head = repo.store.tree_of_commit(&head)?;
    let is_code = |path: &str| {
        shipped_languages().of(path).is_some()
            && fence::survey::place_of(repo, path, &focused.state).is_direct(path)
    };
    let began: Option<TreeId> = focused.state.fence.tree.parse().ok();
    let stays = |path: &str| {
        began.as_ref().is_some_and(|tree| fence::tree::is_still_changed(repo, tree, path))
    };
    if !since.touched().any(|path| is_code(path) && stays(path)) {
        let Some(base) = claims::gate::base(repo, Some(focused))? else { return Ok(false) };
        let base = repo.store.tree_of_commit(&base)?;
        let mut paths = repo.store.paths_between(&base, &head, usize::MAX)?;
        if let Some(own) = record::history::own_paths(repo, focused)? {
            paths.retain(|path| own.contains(path));
        }
        if !paths.iter().any(|path| is_code(path)) {
            return Ok(false);
        }
    }
    let all = claims::receipts::ran(repo, focused)?;
    let mut runs = all.iter().map(|(_, ran)| ran).filter(|ran| ran.run.is_some());
    if runs.clone().any(|ran| ran.absent.is_none()) || repo.rules.has_own_runs() {
        return Ok(true);
    }
    Ok(runs.next().is_none() && !Needs::of(repo, &head)?.languages.is_empty())
}

/// A command or a tool that looks at what changed ended well since the last change.
fn is_looked_at(repo: &Repo, focused: &LoadedJob, truth: &Truth) -> Result<bool> {
    let mut seen = false;
    // A note about it changes nothing of it.
    let touches = |paths: &[String]| {
        paths.iter().any(|path| truth.files.iter().any(|file| file.path == *path))
    };
    claims::turn::each_line_since(repo, focused, 0, |line| match line.what {
        What::After if touches(&line.paths) || touches(&line.strays) => seen = false,
        What::Late => seen = false,
        What::After | What::Looked => seen |= looks(line, truth),
        _ => {}
    })?;
    Ok(seen)
}

/// Whether a call looked at what changed: a tool that read such a file, or a command that names
/// one, or asks git for the difference.
fn looks(line: &Line, truth: &Truth) -> bool {
    let names = line.opened.iter().any(|path| truth.files.iter().any(|file| file.path == *path));
    let Some(ran) = &line.ran else { return names };
    let line = ran.line();
    let command = line.split_once(" exec -- ").map_or(&*line, |(_, inner)| inner);
    let first = shell::simple(command).and_then(|line| line.commands.into_iter().next());
    let words = first.map(|first| first.words).unwrap_or_default();
    let git = matches!(words.as_slice(), [git, verb, rest @ ..]
        if git == "git" && matches!(verb.as_str(), "diff" | "show") && shows_work(rest, truth));
    let contents = words.first().is_none_or(|name| empty::shows_contents(name));
    let well = !ran.failed && ran.status.is_none_or(|status| status == 0);
    let thrown = command.replace("2>/dev/null", "").replace("2> /dev/null", "");
    let thrown = thrown.contains("/dev/null");
    let gone = || truth.files.iter().all(|file| file.how == How::Deleted) && lists(&words);
    well && !thrown && (git || names && contents && !empty::shows_nothing(command) || gone())
}

/// Whether a command says which files are there: all that a file leaves that is gone.
fn lists(words: &[String]) -> bool {
    const LISTS: [&str; 7] = ["ls", "find", "fd", "tree", "test", "[", "stat"];
    const OF_GIT: [&str; 4] = ["status", "diff", "ls-files", "show"];
    match words {
        [git, verb, ..] if git == "git" => OF_GIT.contains(&verb.as_str()),
        [name, ..] => LISTS.contains(&name.as_str()),
        [] => false,
    }
}

/// Whether what `git diff` or `git show` is given leaves some of the work in: no summary alone, and
/// no other places.
fn shows_work(words: &[String], truth: &Truth) -> bool {
    const SUMMARIES: [&str; 7] =
        ["--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--quiet", "-s"];
    let summary = |word: &String| SUMMARIES.iter().any(|one| word.starts_with(one));
    let patch = |word: &String| matches!(word.as_str(), "-p" | "-u" | "--patch");
    let has = |place: &str| {
        let place = place.trim_start_matches("./").trim_end_matches('/');
        let below = |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
        matches!(place, "" | "." | ":")
            || place.contains(['*', '?', '[', ':'])
            || truth.files.iter().any(|file| file.path == place || below(&file.path))
    };
    let mut at_revision = words.iter().filter_map(|word| word.split_once(':'));
    let behind = words.iter().position(|word| word == "--").map(|at| &words[at + 1..]);
    let places = behind.unwrap_or_default();
    (!words.iter().any(summary) || words.iter().any(patch))
        && (places.is_empty() || places.iter().any(|place| has(place)))
        && at_revision.all(|(revision, place)| revision.is_empty() || has(place))
}

/// What the tests of a repository need, as far as its files and the rules say.
struct Needs {
    /// By the names of [`absent::shown_by`].
    languages: BTreeSet<&'static str>,
    /// Paths that say where else tests may run from.
    environments: Vec<&'static str>,
    /// Tests of Python that need no runner besides it.
    bare: bool,
}

impl Needs {
    fn of(repo: &Repo, tree: &TreeId) -> Result<Self> {
        let mut needs = Self { languages: BTreeSet::new(), environments: Vec::new(), bare: false };
        let top = repo.store.work_tree();
        // A file that does not read says nothing of tests.
        let text = |path: &str| std::fs::read_to_string(top.join(path)).unwrap_or_default();
        let script = |path: &str| {
            let run = repo.rules.runs().recognise(&format!("./{path}"));
            matches!(run.run(), Some("script"))
        };
        for path in repo.store.paths_of(tree)? {
            let shown = absent::shown_by(&path, &|| text(&path), &script);
            needs.bare |= shown == Some("python") && text(&path).contains("TestCase");
            needs.languages.extend(shown);
            needs.environments.extend(absent::environment(&path));
        }
        Ok(needs)
    }

    /// Why no test of the work can run; none where one may.
    fn cannot_run(
        &self,
        repo: &Repo,
        focused: &LoadedJob,
        truth: &Truth,
    ) -> Result<Option<String>> {
        let all = claims::receipts::ran(repo, focused)?;
        let of_tests = |ran: &&Ran| ran.run.is_some();
        let mut runs = all.iter().map(|(_, ran)| ran).filter(of_tests);
        // What ran once can run again, and whose rules name a run of their own has one.
        if runs.clone().any(|ran| ran.absent.is_none()) || repo.rules.has_own_runs() {
            return Ok(None);
        }
        if self.languages.is_empty() {
            return Ok(Some(tell(Notice::UntestedNone, &[])));
        }
        let without = all.iter().filter(|(_, ran)| ran.absent == Some(Absent::Runner));
        let lines: Vec<(&str, Cow<'_, str>, bool)> = without
            .filter_map(|(_, ran)| Some((ran.run.as_deref()?, ran.line(), ran.program.is_some())))
            .collect();
        let tried =
            lines.iter().map(|(run, line, is_there)| Tried { run, line, is_there: *is_there });
        let tried: Vec<Tried<'_>> = tried.collect();
        let there = |name: &str| self.is_there(repo, name);
        if !self.needed(truth).all(|language| absent::cannot_run(language, &tried, &there)) {
            return Ok(None);
        }
        let command = runs.next_back().map(Ran::line).unwrap_or_default();
        Ok(Some(tell(Notice::UntestedRunner, &[("command", &command)])))
    }

    /// The languages whose tests concern the work: those that changed, or all of them where no test
    /// is of such a one; what calls tests by a name of its own may run any.
    fn needed<'n>(&'n self, truth: &'n Truth) -> impl Iterator<Item = &'static str> + 'n {
        let changes = |language: &str| {
            let of = |path: &str| shipped_languages().of(path).map(|row| row.name.as_str());
            truth.files.iter().any(|file| of(&file.path) == Some(language))
        };
        let any = self.languages.iter().any(|language| changes(language));
        let needed = move |language: &&'static str| {
            !any || changes(language) || absent::is_by_name(language)
        };
        self.languages.iter().copied().filter(needed)
    }

    /// Whether a program is there, by git seed's own look, or another way to the tests.
    fn is_there(&self, repo: &Repo, name: &str) -> bool {
        let top = repo.store.work_tree();
        let runner = name == "pytest";
        world::on_path(name).is_some()
            || absent::places().iter().any(|place| top.join(place).join(name).is_file())
            || runner && self.bare
            || runner && self.environments.iter().any(|program| world::on_path(program).is_some())
    }
}

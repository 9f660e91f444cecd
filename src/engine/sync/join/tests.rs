//! Clones that go on by themselves and join, in every order.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::claims::Ran;
use crate::claims::record::Acceptance;
use crate::engine::proof;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::interactions::add_interaction;
use crate::engine::record::step::{self, created};
use crate::engine::records;
use crate::engine::repo::sessions::Sender;
use crate::format::{evidence, short_hash};
use crate::jobs::Status;
use crate::jobs::routing::InteractionKind;
use crate::phases::PhaseName;
use crate::store::TreeEdit;
use crate::store::testbed::Testbed;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }
}

/// A clone; all of a test have one directory of objects, so a fetch is only a name.
struct Clone {
    bed: Testbed,
    repo: Repo,
}

/// What a server has.
type Server = BTreeMap<String, CommitId>;

fn clones(count: usize) -> Vec<Clone> {
    let mut all: Vec<Clone> = Vec::new();
    for n in 0..count {
        let bed = Testbed::new();
        bed.git(&["config", "core.fsync", "none"]);
        if let Some(first) = all.first() {
            let objects = bed.path().join(".git/objects");
            std::fs::remove_dir_all(&objects).expect("it is ours");
            let shared = first.bed.path().join(".git/objects");
            std::os::unix::fs::symlink(shared, &objects).expect("a link");
        }
        let mut repo = Repo::discover(bed.path()).expect("it opens");
        repo.now = 1_790_000_000 + i64::try_from(n).expect("few");
        all.push(Clone { bed, repo });
    }
    all
}

impl Clone {
    fn new_job(&self, id: &str) {
        let job = created(id.parse().expect("an id"), "fix the lexer", "opevc", self.repo.now, "");
        step::create(&self.repo, job, "born", By::Person, Vec::new(), false).expect("it is born");
    }

    fn say(&self, id: &str, text: &str) {
        let chain = format!("{}{id}", names::JOBS);
        let (kind, sender) = (InteractionKind::Prompt, Sender::Attended);
        add_interaction(&self.repo, &chain, kind, text, sender, "words").expect("kept");
    }

    /// Takes a step that is decided by `change`.
    fn takes(
        &self,
        id: &str,
        name: &str,
        mut change: impl FnMut(&mut crate::format::state::State) -> Vec<TreeEdit>,
    ) -> CommitId {
        let chain = format!("{}{id}", names::JOBS);
        let taken = step::step(&self.repo, &chain, Journaling::Skip, |state, _| {
            let before = state.clone();
            let edits = change(state);
            let mut draft = StepDraft::new(&before, name, "a step", By::Agent);
            draft.edits = edits;
            draft.cycle = state.stand.cycle;
            Ok(Ok(draft))
        });
        taken.expect("it is taken").expect("nobody refuses").focused.tip.commit
    }

    /// Takes the step that the map has next.
    fn advances(&self, id: &str) {
        let state = self.state(id);
        let map = self.repo.map(&state.stand);
        let step = state.stand.forward(map, None).expect("the map goes on");
        let to = state.stand.take(map, &step);
        let name = format!("{} -> {}", state.stand.phase, to.phase);
        self.takes(id, &name, |state| {
            state.stand = to.clone();
            Vec::new()
        });
    }

    fn completes(&self, id: &str) {
        self.takes(id, "completion", |state| {
            state.job.status = Status::Completed;
            state.job.user_approval = true;
            Vec::new()
        });
    }

    fn state(&self, id: &str) -> crate::format::state::State {
        self.repo.job(&id.parse().expect("an id")).expect("it reads").state
    }

    fn tip(&self, id: &str) -> CommitId {
        self.repo.job(&id.parse().expect("an id")).expect("it reads").tip.commit
    }

    /// What is said to the job, in order.
    fn said(&self, id: &str) -> Vec<String> {
        let job = self.repo.job(&id.parse().expect("an id")).expect("it reads");
        let read = |n: u32| {
            let entry = self.repo.counted_entry(&job, n).expect("it reads").expect("it is there");
            assert!(entry.gone.is_none(), "its words are here");
            entry.said.text.to_string()
        };
        (1..=job.state.job.interactions).map(read).collect()
    }

    /// The refs that travel.
    fn refs(&self) -> Server {
        let mut all: Server =
            self.repo.store.chains(names::JOBS).expect("reads").into_iter().collect();
        for name in SHARED.into_iter().chain([names::TEXTS]) {
            all.extend(
                self.repo.store.stands_at(name).expect("reads").map(|at| (name.to_owned(), at)),
            );
        }
        all
    }

    /// What both sides of a sync show to be the same.
    fn hash(&self) -> String {
        let lines: String = self.refs().iter().map(|(name, at)| format!("{name} {at}\n")).collect();
        short_hash(lines.as_bytes(), 64)
    }

    fn joins(&self, there: &Server, served: Served) -> Joined {
        join(&self.repo, &Published { refs: there.clone(), ..Published::default() }, served, false)
            .expect("it joins")
    }

    /// Fetches, joins and pushes.
    fn syncs(&self, server: &mut Server) -> Joined {
        let joined = self.joins(server, Served::Server);
        for push in &joined.moves {
            assert_eq!(server.get(&push.name), push.seen.as_ref(), "{}", push.name);
            match (&push.to, &push.seen) {
                (Some(to), seen) => {
                    // Texts have no past.
                    if let Some(seen) = seen.as_ref().filter(|_| push.name != names::TEXTS) {
                        assert!(
                            self.repo.store.is_in_line(seen, to).expect("reads"),
                            "{}",
                            push.name
                        );
                    }
                    server.insert(push.name.clone(), to.clone());
                }
                (None, _) => drop(server.remove(&push.name)),
            }
        }
        assert_eq!(joined.aside, [], "nothing is set aside");
        for job in &joined.jobs {
            assert_eq!(job.aside, None, "{}", job.id);
        }
        joined
    }

    fn is_sound(&self) {
        for (chain, _) in self.repo.store.chains(names::JOBS).expect("reads") {
            let id = names::job_of(&chain).expect("a job");
            let steps = proof::chain::steps(&self.repo, &id).expect("reads").expect("it is here");
            assert_eq!(steps.broken, None, "{chain}");
        }
        record::archive::archive_reads(&self.repo).expect("the archive reads");
    }
}

const JOB: &str = "20261121t205612-7f3a";

#[test]
fn the_one_that_lies_in_the_other_goes_on() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    assert_eq!(a.syncs(&mut server).jobs[0].result, Came::Pushed);
    assert_eq!(b.syncs(&mut server).jobs[0].result, Came::New);
    assert_eq!(b.syncs(&mut server).jobs[0].result, Came::Same);
    b.say(JOB, "one");
    assert_eq!(b.syncs(&mut server).jobs[0].result, Came::Pushed);
    assert_eq!(a.syncs(&mut server).jobs[0].result, Came::Pulled);
    assert_eq!((a.said(JOB), a.hash()), (vec!["one".to_owned()], b.hash()));
}

#[test]
fn words_of_both_stand_and_are_numbered_anew() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.say(JOB, "zero");
    a.syncs(&mut server);
    b.syncs(&mut server);
    for text in ["a one", "a two"] {
        a.say(JOB, text);
    }
    b.say(JOB, "b one");
    a.syncs(&mut server);
    let joined = b.syncs(&mut server);
    assert_eq!((joined.jobs[0].result, joined.jobs[0].rejected.len()), (Came::Merged, 0));
    a.syncs(&mut server);
    assert_eq!(a.said(JOB), ["zero", "a one", "a two", "b one"]);
    assert_eq!(a.hash(), b.hash());
    // The log has each step once, the published side first.
    let tip = a.tip(JOB);
    let steps = a.repo.store.history_from(&tip, 99).expect("reads");
    assert_eq!(steps.len(), 6, "born, four words, merged");
    a.is_sound();
}

#[test]
fn a_phase_step_stands_where_the_job_still_was() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.advances(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    // Both leave the phase: the published one did.
    a.advances(JOB);
    b.say(JOB, "words");
    b.advances(JOB);
    b.advances(JOB);
    a.syncs(&mut server);
    let joined = b.syncs(&mut server);
    let told: Vec<(&str, &str)> =
        joined.jobs[0].rejected.iter().map(|one| (one.step.as_str(), one.why.as_str())).collect();
    assert_eq!(told, [("observe -> plan", "phase"), ("plan -> execute", "behind")]);
    assert_eq!(b.state(JOB).stand.phase, PhaseName::from("plan"));
    assert_eq!(b.said(JOB), ["words"]);
    let line = b.repo.store.line_to(&b.tip(JOB)).expect("reads");
    assert_eq!(line.iter().filter(|step| step.rejected.is_some()).count(), 2);
    let stands = b.repo.store.history_from(&b.tip(JOB), 99).expect("reads");
    assert_eq!(stands.len(), line.len() - 2, "what fell is not read as a step");
    // Words alone do not move the job: a step of the phase stands beside them.
    a.syncs(&mut server);
    a.say(JOB, "more");
    b.advances(JOB);
    a.syncs(&mut server);
    assert_eq!(b.syncs(&mut server).jobs[0].rejected, []);
    assert_eq!(b.state(JOB).stand.phase, PhaseName::from("execute"));
    b.is_sound();
}

#[test]
fn an_end_stands_only_where_nothing_came_meanwhile() {
    for (published_first, name) in [(true, "completion"), (false, "completion")] {
        let all = clones(2);
        let (a, b) = (&all[0], &all[1]);
        let mut server = Server::new();
        a.new_job(JOB);
        a.syncs(&mut server);
        b.syncs(&mut server);
        a.completes(JOB);
        record::archive::put_away(&a.repo, &JOB.parse().expect("an id")).expect("away");
        b.say(JOB, "one more thing");
        let (first, second) = if published_first { (a, b) } else { (b, a) };
        first.syncs(&mut server);
        let joined = second.syncs(&mut server);
        first.syncs(&mut server);
        let fell: Vec<&str> = joined.jobs[0].rejected.iter().map(|one| one.step.as_str()).collect();
        assert_eq!(fell, [name], "published first: {published_first}");
        for clone in [a, b] {
            let job = clone.repo.job(&JOB.parse().expect("an id")).expect("it reads");
            assert!(!job.archived, "it is open again");
            assert_ne!(job.state.job.status, Status::Completed);
            assert!(!job.state.job.user_approval);
            assert_eq!(clone.said(JOB), ["one more thing"]);
            clone.is_sound();
        }
        assert_eq!(a.hash(), b.hash());
    }
}

#[test]
fn the_closed_one_wins_where_the_other_did_not_grow() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    a.completes(JOB);
    assert!(record::archive::put_away(&a.repo, &JOB.parse().expect("an id")).expect("away"));
    b.takes(JOB, "driver", |state| {
        "s".clone_into(&mut state.driver.session);
        Vec::new()
    });
    b.syncs(&mut server);
    let joined = a.syncs(&mut server);
    assert_eq!((joined.jobs[0].result, joined.jobs[0].rejected.len()), (Came::Merged, 0));
    assert!(!server.contains_key(&format!("{}{JOB}", names::JOBS)), "its ref goes there");
    b.syncs(&mut server);
    for clone in [a, b] {
        let job = clone.repo.job(&JOB.parse().expect("an id")).expect("it reads");
        assert!(job.archived);
        assert_eq!(job.state.job.status, Status::Completed);
    }
    assert_eq!(a.hash(), b.hash());
}

#[test]
fn a_name_that_was_said_last_counts_and_the_other_is_named() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    for (clone, name) in [(a, "of a"), (b, "of b")] {
        clone.takes(JOB, "update", |state| {
            name.clone_into(&mut state.job.name);
            Vec::new()
        });
    }
    a.syncs(&mut server);
    b.syncs(&mut server);
    assert_eq!(b.state(JOB).job.name, "of b");
    let message = b.repo.store.commit_message(&b.tip(JOB)).expect("reads");
    assert!(message.contains("Seed-Over: name of a"), "{message}");
}

#[test]
fn a_joining_commit_that_was_made_otherwise_is_broken() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    a.say(JOB, "of a");
    b.say(JOB, "of b");
    a.syncs(&mut server);
    b.syncs(&mut server);
    b.is_sound();
    let tip = b.repo.job(&JOB.parse().expect("an id")).expect("reads").tip;
    let bytes = b.repo.store.file(&tip, "interactions/0002.md").expect("reads").expect("there");
    let mut other = bytes;
    let last = other.len() - 2;
    other[last] ^= 1;
    let edits = [TreeEdit::Put { path: "interactions/0002.md".to_owned(), bytes: other }];
    let line = b.repo.store.line_to(&tip.commit).expect("reads");
    let joint = line.last().expect("the tip");
    let forged = b
        .repo
        .store
        .write_loose(
            &crate::store::Loose {
                on: Some(&tip.tree),
                parents: &joint.parents,
                step: crate::store::NewStep {
                    edits: &edits,
                    message: &joint.message,
                    at: joint.at,
                },
            },
            "forged",
        )
        .expect("it is written");
    let id = JOB.parse().expect("an id");
    let steps = proof::chain::steps_to(&b.repo, &id, &forged.commit).expect("reads");
    assert!(steps.broken.expect("it is broken").contains("joins two chains"));
    // Nobody takes it, either.
    let mut theirs = server.clone();
    theirs.insert(format!("{}{JOB}", names::JOBS), forged.commit);
    let joined = a.joins(&theirs, Served::Server);
    assert_eq!(joined.jobs[0].result, Came::SetAside);
}

#[test]
fn what_git_seed_does_not_write_is_set_aside_and_others_go_on() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    let other = "20261122t205612-7f3a";
    for path in ["hooks/pre-push", "run-1/../x", "trace/a.sh"] {
        let bytes = b"x".to_vec();
        if RepoPathLike(path).is_one() {
            a.takes(JOB, "note", |_| {
                vec![TreeEdit::Put { path: path.to_owned(), bytes: bytes.clone() }]
            });
        }
    }
    a.new_job(other);
    let mut server = a.refs();
    server.insert(format!("{}no id", names::JOBS), a.tip(other));
    let joined = b.joins(&server, Served::Server);
    let told: Vec<(&str, Came)> =
        joined.jobs.iter().map(|job| (job.id.as_str(), job.result)).collect();
    assert_eq!(told, [(JOB, Came::SetAside), (other, Came::New), ("no id", Came::SetAside)]);
    assert!(joined.jobs[0].aside.as_ref().expect("why").contains("hooks/pre-push"));
    let mut here = b.refs();
    // Words wait for their job: what is pushed later holds them still.
    here.remove(names::TEXTS);
    assert_eq!(here.len(), 1);
    assert_eq!(joined.moves, [], "what was set aside is not pushed over");
    // The same id, born twice.
    b.new_job(JOB);
    let joined = b.joins(&server, Served::Server);
    assert_eq!(joined.jobs[0].result, Came::SetAside);
}

/// A path that a tree edit takes.
struct RepoPathLike<'a>(&'a str);

impl RepoPathLike<'_> {
    fn is_one(&self) -> bool {
        !self.0.contains("..")
    }
}

#[test]
fn a_job_in_focus_keeps_its_journal_and_goes_on() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    let chain = format!("{}{JOB}", names::JOBS);
    let id: JobId = JOB.parse().expect("an id");
    step::focus(&a.repo, &a.repo.job(&id).expect("reads")).expect("focused");
    let focused = a.repo.focused().expect("reads");
    record::journal_line::note(&a.repo, focused.as_ref(), |line| {
        line.what = crate::format::journal::What::Looked;
        line.paths = vec!["CLAUDE.md".to_owned()];
    })
    .expect("noted");
    b.say(JOB, "of b");
    b.syncs(&mut server);
    let joined = a.syncs(&mut server);
    assert_eq!(joined.jobs[0].result, Came::Merged, "what the journal held was a step");
    let job = a.repo.focused().expect("reads").expect("in focus");
    assert!(job.activity.is_ok(), "{:?}", job.activity);
    assert_eq!(a.said(JOB), ["of b"]);
    let traces = a.repo.store.names(&job.tip, names::TRACE).expect("reads");
    assert_eq!(traces.len(), 1, "the line is kept");
    // Killed between the ref and the journal, the next command gives it the journal.
    b.syncs(&mut server);
    b.say(JOB, "more");
    let there = b.tip(JOB);
    let here = a.tip(JOB);
    std::fs::create_dir_all(a.repo.store.seed_dir().join("joining")).expect("made");
    let mark = a.repo.store.seed_dir().join("joining").join(a.repo.store.worktree_name());
    std::fs::write(&mark, &chain).expect("written");
    a.repo.store.turn(&chain, Some(&here), &there, "sync", a.repo.now).expect("turned");
    assert!(a.repo.focused().expect("reads").expect("one").activity.is_err());
    journal::finish(&a.repo).expect("finished");
    assert!(a.repo.focused().expect("reads").expect("one").activity.is_ok());
    assert!(!mark.exists());
    assert_eq!(a.syncs(&mut server).jobs[0].result, Came::Pushed);
}

#[test]
fn what_another_clone_granted_opens_nothing_here() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    b.takes(JOB, "allow", |state| {
        state.job.plugin_lock_approval = true;
        vec![TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: b"src/\n".to_vec() }]
    });
    b.syncs(&mut server);
    a.syncs(&mut server);
    let job = a.repo.job(&JOB.parse().expect("an id")).expect("it reads");
    assert!(!job.state.job.plugin_lock_approval);
    assert_eq!(a.repo.lines(&job.chain, names::ALLOWED).expect("reads"), [""; 0]);
    // What this clone granted itself stays.
    a.takes(JOB, "allow", |_| {
        vec![TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: b"doc/\n".to_vec() }]
    });
    b.syncs(&mut server);
    b.say(JOB, "words");
    b.syncs(&mut server);
    a.syncs(&mut server);
    assert_eq!(a.repo.lines(&job.chain, names::ALLOWED).expect("reads"), ["doc/"]);
    b.syncs(&mut server);
    assert_eq!(a.hash(), b.hash());
}

#[test]
fn records_that_were_joined_are_verified_and_go_on() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    for (clone, why) in [(a, "mine"), (b, "yours")] {
        let (commit, by) = ("0".repeat(40), "A Person".to_owned());
        let accepts = Acceptance { commit, by, why: why.to_owned() };
        records::record_acceptance(&clone.repo, accepts).expect("kept");
    }
    a.syncs(&mut server);
    b.syncs(&mut server);
    records::seal_records(&b.repo).expect("sealed");
    b.syncs(&mut server);
    a.syncs(&mut server);
    assert_eq!(a.hash(), b.hash());
    let kept = records::records(&a.repo, None).expect("reads");
    let numbers: Vec<u64> = kept.iter().map(|one| one.record.n).collect();
    assert_eq!(numbers, [2, 1, 1], "both sides, and what came behind them");
    let found = proof::verify::verify(&a.repo, &proof::verify::Asked::default()).expect("reads");
    assert_eq!(found.broken, [], "{found:?}");
}

/// Everything that was added, and every step that was taken.
#[derive(Default)]
struct Added {
    words: BTreeMap<String, BTreeSet<String>>,
    steps: BTreeMap<String, BTreeSet<CommitId>>,
    receipts: BTreeSet<(String, String)>,
    lines: BTreeSet<String>,
}

/// One random legal step in one clone.
fn random_step(clone: &Clone, n: usize, dice: &mut Dice, added: &mut Added, noted: &CommitId) {
    let open: Vec<String> = clone
        .repo
        .store
        .chains(names::JOBS)
        .expect("reads")
        .iter()
        .filter_map(|(chain, _)| names::job_of(chain))
        .map(|id| id.to_string())
        .collect();
    if open.is_empty() || dice.below(if open.len() < 4 { 12 } else { 60 }) == 0 {
        let id = format!("20261121t{:06}-{:04x}", added.steps.len(), n % 65_536);
        clone.new_job(&id);
        added.steps.entry(id.clone()).or_default().insert(clone.tip(&id));
        return;
    }
    let id = open[dice.below(open.len())].clone();
    let state = clone.state(&id);
    match dice.below(12) {
        0..=2 => {
            let text = format!("words {n}");
            clone.say(&id, &text);
            added.words.entry(id.clone()).or_default().insert(text);
        }
        4 => {
            let ran = Ran { command: format!("cargo test {n}"), ..Ran::default() };
            let path = evidence::path(&evidence::id(&ran));
            let put =
                TreeEdit::Put { path: path.clone(), bytes: evidence::write(&ran).into_bytes() };
            clone.takes(&id, "note", |_| vec![put.clone()]);
            added.receipts.insert((id.clone(), path));
        }
        5 => drop(clone.takes(&id, "update", |state| {
            state.job.name = format!("name {n}");
            Vec::new()
        })),
        6 if state.job.status == Status::Pending && state.stand.is_talk() => {
            clone.completes(&id);
            added.steps.entry(id.clone()).or_default().insert(clone.tip(&id));
            record::archive::put_away(&clone.repo, &id.parse().expect("an id")).expect("away");
            return;
        }
        7 => {
            let line = format!("{n:012} words of {n}");
            let lines = std::slice::from_ref(&line);
            clone.repo.store.note_add(noted, lines, clone.repo.now).expect("noted");
            added.lines.insert(line);
            return;
        }
        8 => {
            records::seal_records(&clone.repo).expect("sealed");
            return;
        }
        _ => clone.advances(&id),
    }
    added.steps.entry(id.clone()).or_default().insert(clone.tip(&id));
}

/// Nothing that was added is lost, and no step is there twice.
fn is_whole(clone: &Clone, added: &Added, noted: &CommitId) {
    for (id, steps) in &added.steps {
        let line = clone.repo.store.line_to(&clone.tip(id)).expect("reads");
        let here: Vec<&CommitId> = line.iter().map(|step| &step.commit).collect();
        let once: BTreeSet<&CommitId> = here.iter().copied().collect();
        assert_eq!(once.len(), here.len(), "{id}: a step is there twice");
        for step in steps {
            assert!(once.contains(step), "{id}: step {step} is lost");
        }
        let said = clone.said(id);
        let once: BTreeSet<String> = said.iter().cloned().collect();
        assert_eq!(once.len(), said.len(), "{id}: {said:?}");
        let wanted = added.words.get(id).cloned().unwrap_or_default();
        assert_eq!(once, wanted, "{id}");
    }
    for (id, path) in &added.receipts {
        let job = clone.repo.job(&id.parse().expect("an id")).expect("it reads");
        assert!(clone.repo.store.file(&job.tip, path).expect("reads").is_some(), "{id}: {path}");
    }
    let lines: BTreeSet<String> = clone
        .repo
        .store
        .note_lines(noted)
        .expect("reads")
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(lines, added.lines);
    clone.is_sound();
}

#[test]
fn clones_that_diverge_a_hundred_times_come_to_the_same() {
    for (count, rounds) in [(2, 100), (3, 100)] {
        let all = clones(count);
        let noted = all[0].bed.commit("a", "1");
        let mut dice = Dice(u64::try_from(count).expect("few") * 7_919);
        let (mut server, mut added, mut n) = (Server::new(), Added::default(), 0);
        let mut fell = 0;
        for round in 0..rounds {
            for clone in &all {
                for _ in 0..dice.below(4) {
                    n += 1;
                    random_step(clone, n, &mut dice, &mut added, &noted);
                }
            }
            let mut order: Vec<usize> = (0..count).collect();
            for at in (1..count).rev() {
                order.swap(at, dice.below(at + 1));
            }
            // Each once, and all but the last once more.
            for at in order.iter().chain(&order[..count - 1]) {
                let joined = all[*at].syncs(&mut server);
                fell += joined.jobs.iter().map(|job| job.rejected.len()).sum::<usize>();
            }
            let hashes: BTreeSet<String> = all.iter().map(Clone::hash).collect();
            assert_eq!(hashes.len(), 1, "{count} clones, round {round}");
            assert_eq!(all[0].refs(), server, "{count} clones, round {round}");
        }
        for clone in &all {
            is_whole(clone, &added, &noted);
        }
        assert!(fell > 3, "only {fell} steps fell: the test tells nothing of them");
    }
}

#[test]
fn bundles_that_cross_come_to_the_same() {
    let all = clones(2);
    let noted = all[0].bed.commit("a", "1");
    let mut dice = Dice(77);
    let (mut added, mut n) = (Added::default(), 0);
    for round in 0..100 {
        for clone in &all {
            for _ in 0..dice.below(4) {
                n += 1;
                random_step(clone, n, &mut dice, &mut added, &noted);
            }
        }
        // Both are written before either is read.
        for _ in 0..2 {
            let bundles = [all[0].refs(), all[1].refs()];
            all[0].joins(&bundles[1], Served::Bundle);
            all[1].joins(&bundles[0], Served::Bundle);
        }
        assert_eq!(all[0].refs(), all[1].refs(), "round {round}");
    }
    for clone in &all {
        is_whole(clone, &added, &noted);
    }
}

#[test]
fn a_hundred_steps_of_each_side_are_joined_and_none_is_lost() {
    let all = clones(2);
    let (a, b) = (&all[0], &all[1]);
    let mut server = Server::new();
    a.new_job(JOB);
    a.syncs(&mut server);
    b.syncs(&mut server);
    for n in 0..100 {
        a.say(JOB, &format!("of a, {n}"));
        b.say(JOB, &format!("of b, {n}"));
    }
    a.syncs(&mut server);
    let joined = b.syncs(&mut server);
    assert_eq!(joined.jobs[0].result, Came::Merged);
    assert_eq!(b.said(JOB).len(), 200);
    a.syncs(&mut server);
    assert_eq!(a.refs(), b.refs());
}

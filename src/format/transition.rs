//! What a boundary that is crossed makes of a job: its state, and the files beside it.
//!
//! Pure: whoever crosses it gathers the facts under the lock and hands them over. What a
//! phase that measures takes with it is measured afterwards, on the state as it is then.

use super::names;
use super::state::{Cost, Fence, State, Unclaimed, write_lines};
use crate::jobs::{BadStatus, Status, UnixSeconds};
use crate::phases::review::Review;
use crate::phases::{Map, Move};
use crate::plans::Lies;

/// A file of the job's tree, and the bytes that it has from now on.
pub(crate) type Written = (String, Vec<u8>);

/// What is known of a boundary once it was judged, and its commit made where it has one.
#[derive(Clone, Debug)]
pub(crate) struct Crossed<'a> {
    /// The step; absent where the phase stays.
    pub step: Option<&'a Move>,
    /// The map that the job stands on.
    pub map: &'a Map,
    pub at: UnixSeconds,
    pub declared: Declared,
    /// The plan document as it lies in the work tree, where the step looks at it.
    pub plan: Option<Document>,
    /// What a person opened beside the declared directories, as lines of that file.
    pub allowed: Vec<String>,
    /// The job is finished, and rests with this step until a person approves it.
    pub rests: bool,
    /// The last planned cycle closes with this step, whether or not the person was asked.
    pub last: bool,
    /// The track where the next cycle takes up what the person said of the work.
    pub onto: Option<&'a str>,
    pub home: Here,
    pub commit: Option<Committed>,
    /// The look at the work tree that it was judged by; absent before the first step.
    pub look: Option<Look<'a>>,
    /// The work tree where the step begins a cycle.
    pub begins: Option<Beginning<'a>>,
}

/// What the step declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The cycle's directories, where they change or freeze.
    pub scope: Option<Vec<String>>,
    /// The kinds of notes that the job brings, where they freeze.
    pub kinds: Option<Vec<String>>,
}

/// The plan document on disk.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub lies: Lies,
    /// Absent where it is no plain file.
    pub bytes: Option<Vec<u8>>,
}

/// Where HEAD is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Here {
    pub worktree: String,
    /// Empty on a detached HEAD.
    pub branch: String,
    /// Empty while the branch is unborn.
    pub commit: String,
    /// How many bytes HEAD's log has.
    pub logged: u64,
}

/// The phase commit of the boundary.
#[derive(Clone, Debug)]
pub(crate) struct Committed {
    pub id: String,
    /// A commit in between was asked for.
    pub checkpoint: bool,
    /// Files that it holds.
    pub files: usize,
}

/// What the fence found in the work tree.
#[derive(Clone, Debug)]
pub(crate) struct Look<'a> {
    pub tree: String,
    pub strays: &'a [String],
    pub unclaimed: &'a [Unclaimed],
    /// A `.gitignore` changed in this cycle.
    pub loose: bool,
}

/// The work tree when a cycle begins, and git's rules of then.
#[derive(Clone, Debug)]
pub(crate) struct Beginning<'a> {
    pub tree: &'a str,
    /// What differs from HEAD: the person's.
    pub persons: &'a [String],
    pub excludes: &'a [u8],
    pub attributes: &'a [u8],
}

/// What came of it besides the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The cycle that the step belongs to: the one that begins a cycle is its first.
    pub cycle: u32,
    pub files: Vec<Written>,
}

impl State {
    /// Crosses a boundary.
    ///
    /// # Errors
    ///
    /// [`BadStatus`] if the status of a job that comes to rest cannot change; from active it can.
    pub(crate) fn cross(&mut self, crossed: &Crossed<'_>) -> Result<Change, BadStatus> {
        let mut files = Vec::new();
        self.declare(&crossed.declared, &mut files);
        let cycle = match crossed.step {
            Some(step) => self.take_step(step, crossed, &mut files)?,
            None => self.stand.cycle,
        };
        self.unlocked = None;
        self.put_back = None;
        self.come_home(&crossed.home, crossed.commit.as_ref());
        if let Some(look) = &crossed.look {
            self.remember(look);
            files.push(emptied(names::TOUCHED));
        }
        if let Some(beginning) = &crossed.begins {
            self.begin(beginning, crossed, &mut files);
        }
        Ok(Change { cycle, files })
    }

    fn declare(&mut self, declared: &Declared, files: &mut Vec<Written>) {
        if let Some(kinds) = &declared.kinds {
            self.kinds.clone_from(kinds);
        }
        if let Some(scope) = &declared.scope {
            files.push(listed(names::SCOPE, scope));
        }
    }

    /// Goes where the step leads; gives the cycle that it belongs to.
    fn take_step(
        &mut self,
        step: &Move,
        crossed: &Crossed<'_>,
        files: &mut Vec<Written>,
    ) -> Result<u32, BadStatus> {
        let (begins, cycle) = (crossed.map.rests(&self.stand.phase), self.stand.cycle);
        let closes = crossed.map.ends_cycle(Some(step));
        if closes {
            files.extend(self.accept_plan(crossed.plan.as_ref()));
        }
        self.stand = self.stand.take(crossed.map, step);
        self.finished = closes && crossed.last && self.job.status == Status::Active;
        match crossed.onto {
            Some(track) => track.clone_into(&mut self.stand.track),
            // A side lane comes back to where the question stands.
            None if !matches!(step, Move::Aside | Move::Return) => self.forget_review(begins),
            None => {}
        }
        if !matches!(step, Move::Aside | Move::Return) {
            self.by_word.clear();
        }
        if begins && self.stand.cycle != cycle {
            files.extend(self.look_at_plan(crossed.plan.as_ref()));
        }
        if closes && !crossed.allowed.is_empty() {
            files.push(emptied(names::ALLOWED));
        }
        if crossed.rests && self.job.status == Status::Active {
            self.job.become_(Status::Awaiting, crossed.at)?;
        }
        Ok(if begins { self.stand.cycle } else { cycle })
    }

    /// The question was asked in the phase that is left. What opens the next cycle goes with it
    /// until that has begun.
    fn forget_review(&mut self, begins: bool) {
        if !begins {
            self.review = Review::Unasked;
        }
    }

    /// The end of a first cycle: the document that was proved is the one that counts.
    fn accept_plan(&mut self, plan: Option<&Document>) -> Option<Written> {
        let Document { lies: Lies::Sound { hash, total }, bytes: Some(bytes) } = plan? else {
            return None;
        };
        let accepted = self.plan.accept(self.stand.cycle, hash.clone(), *total);
        accepted.then(|| (names::PLAN.to_owned(), bytes.clone()))
    }

    /// A further cycle has begun: what lies there now was changed by a person, or not at all.
    fn look_at_plan(&mut self, plan: Option<&Document>) -> Option<Written> {
        let Document { lies, bytes } = plan?;
        let taken = self.plan.find(self.stand.cycle, lies.clone());
        bytes.as_ref().filter(|_| taken).map(|bytes| (names::PLAN.to_owned(), bytes.clone()))
    }

    fn come_home(&mut self, here: &Here, commit: Option<&Committed>) {
        self.home.branch.clone_from(&here.branch);
        self.home.logged = here.logged;
        if let Some(Committed { id, checkpoint, files }) = commit {
            self.home.commit.clone_from(id);
            self.cost.commits += 1;
            self.stand.entry.checkpoints += u32::from(*checkpoint);
            if *checkpoint {
                self.stand.entry.changed += u32::try_from(*files).unwrap_or(u32::MAX);
            }
        }
    }

    /// The fence measures from this look on; what the last receipt saw is older.
    fn remember(&mut self, look: &Look<'_>) {
        self.fence.tree.clone_from(&look.tree);
        self.fence.seen = None;
        self.fence.strays = look.strays.to_vec();
        self.fence.unclaimed = look.unclaimed.to_vec();
        self.fence.loose = look.loose;
    }

    /// The fence begins anew with the cycle. What a person opened before a cycle's first
    /// phase is its scope from the start.
    fn begin(
        &mut self,
        beginning: &Beginning<'_>,
        crossed: &Crossed<'_>,
        files: &mut Vec<Written>,
    ) {
        let tree = beginning.tree.to_owned();
        self.fence = Fence { tree: tree.clone(), began: tree, ..Fence::default() };
        files.push((names::EXCLUDES.to_owned(), beginning.excludes.to_vec()));
        files.push((names::ATTRIBUTES.to_owned(), beginning.attributes.to_vec()));
        self.proved = false;
        if self.stand.cycle <= 1 || self.home.base.is_empty() {
            self.home.base.clone_from(&crossed.home.commit);
        }
        self.home.worktree.clone_from(&crossed.home.worktree);
        files.push(listed(names::PERSONS, beginning.persons));
        files.push(emptied(names::TOUCHED));
        let reopened = std::mem::take(&mut self.review) == Review::Spoken;
        if crossed.map.rests(&self.stand.entry.from) && self.stand.shelved.is_empty() {
            // The talk before it belongs to the first cycle: its texts and looks are paid, too.
            if self.stand.cycle > 1 {
                self.cost = Cost::default();
            }
            // What a person says of finished work is about the directories where it was done.
            if !reopened {
                let opened: Vec<&str> =
                    crossed.allowed.iter().filter_map(|line| line.strip_suffix('/')).collect();
                files.push(listed(names::SCOPE, &opened));
            }
        }
    }
}

fn listed(path: &str, lines: &[impl AsRef<str>]) -> Written {
    (path.to_owned(), write_lines(lines.iter().map(AsRef::as_ref)).into_bytes())
}

fn emptied(path: &str) -> Written {
    (path.to_owned(), Vec::new())
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{OPEVC, PhaseName};

    const FROZEN: &str = include_str!("../../fixtures/format/v1/job.toml");

    fn map() -> Map {
        Map::read(OPEVC).expect("the shipped map is sound")
    }

    /// The frozen job, standing in `phase` of `cycle`.
    fn stands_in(phase: &str, cycle: u32) -> State {
        let mut state =
            super::super::state::read(FROZEN.as_bytes()).expect("the frozen sample reads");
        state.stand.phase = phase.into();
        state.stand.cycle = cycle;
        state
    }

    fn facts<'a>(map: &'a Map, step: Option<&'a Move>) -> Crossed<'a> {
        Crossed {
            step,
            map,
            at: 1_795_300_000,
            declared: Declared::default(),
            plan: None,
            allowed: Vec::new(),
            rests: false,
            last: false,
            onto: None,
            home: Here {
                worktree: "side".into(),
                branch: "main".into(),
                commit: "c0".into(),
                logged: 7,
            },
            commit: None,
            look: None,
            begins: None,
        }
    }

    fn to(phase: &str) -> PhaseName {
        phase.into()
    }

    fn paths(change: &Change) -> Vec<&str> {
        change.files.iter().map(|(path, _)| path.as_str()).collect()
    }

    #[test]
    fn each_way_has_its_cycle_and_its_files() {
        let map = map();
        let sound = || Document {
            lies: Lies::Sound { hash: "h".into(), total: 3 },
            bytes: Some(b"plan".to_vec()),
        };
        let look = Look { tree: "aa".into(), strays: &[], unclaimed: &[], loose: true };
        let persons = ["todo.txt".to_owned()];
        let beginning =
            Beginning { tree: "bb", persons: &persons, excludes: b"x", attributes: b"y" };
        let (forward, back) = (Move::Forward(to("verify")), Move::Back(to("plan")));
        let (opens, ends) = (Move::Forward(to("observe")), Move::Forward(PhaseName::idle()));
        let begun = ["touched", "excludes", "attributes", "persons", "touched", "scope"];
        for (from, cycle, crossed, is_in, files) in [
            ("execute", 1, facts(&map, None), ("execute", 1), &[][..]),
            ("execute", 1, facts(&map, Some(&forward)), ("verify", 1), &[]),
            ("execute", 2, facts(&map, Some(&back)), ("plan", 2), &[]),
            (
                "plan",
                1,
                Crossed {
                    declared: Declared { scope: Some(vec!["src/".into()]), kinds: None },
                    look: Some(look.clone()),
                    ..facts(&map, Some(&forward))
                },
                ("verify", 1),
                &["scope", "touched"],
            ),
            // What was opened is closed with the cycle, and the plan that was proved counts.
            (
                "condense",
                1,
                Crossed {
                    plan: Some(sound()),
                    allowed: vec!["doc/".into()],
                    look: Some(look.clone()),
                    ..facts(&map, Some(&ends))
                },
                ("idle", 1),
                &["plan", "allowed", "touched"],
            ),
            // A later cycle keeps the plan that was accepted, whatever lies there at its end.
            ("condense", 1, Crossed { plan: None, ..facts(&map, Some(&ends)) }, ("idle", 1), &[]),
            // The first step belongs to the cycle that it begins.
            (
                "idle",
                1,
                Crossed {
                    plan: Some(Document { lies: Lies::Gone, bytes: None }),
                    look: Some(look.clone()),
                    begins: Some(beginning.clone()),
                    ..facts(&map, Some(&opens))
                },
                ("observe", 2),
                &begun,
            ),
        ] {
            let mut state = stands_in(from, cycle);
            let change = state.cross(&crossed).expect("it is active");
            let label = format!("{from} {cycle} {:?}", crossed.step);
            assert_eq!((state.stand.phase.as_str(), change.cycle), is_in, "{label}");
            assert_eq!(paths(&change), files, "{label}");
            assert_eq!((state.home.branch.as_str(), state.home.logged), ("main", 7), "{label}");
        }
    }

    #[test]
    fn a_beginning_forgets_what_was_proved_and_measured() {
        let (map, opens) = (map(), Move::Forward(to("observe")));
        let look =
            Look { tree: "aa".into(), strays: &["stray".to_owned()], unclaimed: &[], loose: true };
        let begins = Beginning { tree: "bb", persons: &[], excludes: b"", attributes: b"" };
        let allowed = vec!["doc/".to_owned(), "one.txt".to_owned()];
        let facts = facts(&map, Some(&opens));
        let facts = Crossed { look: Some(look), begins: Some(begins), allowed, ..facts };
        let mut state = stands_in("idle", 0);
        let talked = Cost { calls: 2, words: 50, ..Cost::default() };
        (state.proved, state.cost) = (true, talked.clone());
        let change = state.cross(&facts).expect("it is active");
        let fence = Fence { tree: "bb".into(), began: "bb".into(), ..Fence::default() };
        assert_eq!((&state.fence, state.proved, &state.cost), (&fence, false, &talked));
        assert_eq!((state.home.base.as_str(), state.home.worktree.as_str()), ("c0", "side"));
        // Directories that were opened before are declared; files are not.
        assert_eq!(change.files.last(), Some(&("scope".to_owned(), b"doc\n".to_vec())));
        // A later cycle is measured from where the first one began.
        let mut state = stands_in("idle", 1);
        (state.home.base, state.cost) = ("b0".into(), talked);
        state.cross(&facts).expect("it is active");
        assert_eq!((state.home.base.as_str(), &state.cost), ("b0", &Cost::default()));
    }

    #[test]
    fn a_commit_counts_and_in_between_twice() {
        let map = map();
        for (checkpoint, wanted) in [(false, 1), (true, 2)] {
            let commit = Some(Committed { id: "c1".into(), checkpoint, files: 2 });
            let mut state = stands_in("execute", 1);
            let before = state.cost.commits;
            state.cross(&Crossed { commit, ..facts(&map, None) }).expect("it is active");
            let home =
                (state.home.commit.as_str(), state.cost.commits, state.stand.entry.checkpoints);
            assert_eq!(home, ("c1", before + 1, wanted));
        }
    }

    #[test]
    fn only_an_active_job_comes_to_rest() {
        let (map, ends) = (map(), Move::Forward(PhaseName::idle()));
        for (status, wanted) in [
            (Status::Active, Status::Awaiting),
            (Status::Awaiting, Status::Awaiting),
            (Status::Completed, Status::Completed),
        ] {
            let mut state = stands_in("condense", 1);
            state.job.status = status;
            let crossed = Crossed { rests: true, ..facts(&map, Some(&ends)) };
            state.cross(&crossed).expect("the machine has the step");
            assert_eq!(state.job.status, wanted);
        }
    }
}

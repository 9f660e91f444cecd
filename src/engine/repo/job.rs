//! Jobs as they stand: the focused one, one by id, all that are open.

use crate::engine::repo::Repo;
use crate::engine::repo::{self, EngineError, Focus, JournalTrouble, LoadedJob, Result};
use crate::format::journal::{Counts, Linked};
use crate::format::state::{self, BadState, State};
use crate::format::{archive, names};
use crate::jobs::JobId;
use crate::store::{StoreError, Tail, Tip};
use crate::voice::{Notice, tell};

impl Repo {
    /// The focused job of this worktree. In a mode that keeps none, one that was in focus rests.
    pub(crate) fn focused(&self) -> Result<Option<LoadedJob>> {
        if !self.rules.mode.keeps_jobs() {
            return Ok(None);
        }
        match self.store.focused()? {
            Some((chain, tip)) => {
                self.rules_read()?;
                self.load(chain, tip).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Refuses to go on under looser rules where those of the focused job did not read.
    fn rules_read(&self) -> Result<()> {
        self.unread.clone().map_or(Ok(()), |why| Err(EngineError::JobRules(why)))
    }

    /// The same for a decision, which comes right after the opening. It reads no text: where the
    /// name is the head of a prompt, [`Repo::name_in`] puts it in.
    pub(crate) fn focused_at_opening(&self) -> Result<Option<LoadedJob>> {
        if !self.rules.mode.keeps_jobs() {
            return Ok(None);
        }
        match self.focus.clone() {
            Focus::On(chain, tip) => {
                self.rules_read()?;
                self.load_unnamed(chain, tip).map(Some)
            }
            Focus::Nothing => Ok(None),
            Focus::Unread => self.focused(),
        }
    }

    /// The focused job, which a command needs.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotSeeded`] before `init`, [`EngineError::NoJob`] where no job is in focus;
    /// others where the state of the job does not read.
    pub fn require_focused(&self) -> Result<LoadedJob> {
        self.require_seeded()?;
        self.focused()?.ok_or(EngineError::NoJob)
    }

    /// The job `id`, focused or not, open or closed.
    pub(crate) fn job(&self, id: &JobId) -> Result<LoadedJob> {
        let chain = names::job_chain(id);
        match self.store.tip(&chain)? {
            Some(tip) => self.load(chain, tip),
            None => self.archived_job(id)?.ok_or_else(|| {
                EngineError::Usage(tell(Notice::JobUnknown, &[("job", id.as_str())]))
            }),
        }
    }

    pub(crate) fn load(&self, chain: String, tip: Tip) -> Result<LoadedJob> {
        let mut job = self.load_unnamed(chain, tip)?;
        self.name_in(&mut job.state, &job.tip)?;
        Ok(job)
    }

    fn load_unnamed(&self, chain: String, tip: Tip) -> Result<LoadedJob> {
        let state = self.state(&chain, &tip)?;
        let activity = self.since(&state);
        if activity == Err(JournalTrouble::Changed) {
            // Tip and journal are read one after the other: a step may have landed between.
            if let Some(now) = self.store.tip(&chain)?.filter(|now| *now != tip) {
                let state = self.state(&chain, &now)?;
                let activity = self.since(&state);
                return Ok(LoadedJob { chain, tip: now, state, activity, archived: false });
            }
        }
        Ok(LoadedJob { chain, tip, state, activity, archived: false })
    }

    /// The state of a job, with what this clone knows of it besides.
    pub(crate) fn state(&self, chain: &str, tip: &Tip) -> Result<State> {
        let mut state = self.state_as_stored(chain, tip)?;
        self.store.put_exact(&mut state);
        Ok(state)
    }

    /// The same as all clones have it.
    pub(crate) fn state_as_stored(&self, chain: &str, tip: &Tip) -> Result<State> {
        // A command asks for the same one several times.
        let place = (chain.to_owned(), tip.commit.clone(), tip.tree.clone());
        self.states.answer(place, |_| Ok((self.read_state(chain, tip)?, true)))
    }

    fn read_state(&self, chain: &str, tip: &Tip) -> Result<State> {
        let what = || format!("{chain} ({})", tip.commit);
        let bytes = self.store.file(tip, names::STATE)?;
        let Some(bytes) = bytes else {
            let repair = "git seed doctor --fix";
            return Err(
                StoreError::Missing { what: format!("job.toml of {}", what()), repair }.into()
            );
        };
        let mut state =
            state::read(&bytes).map_err(|bad| EngineError::State { chain: what(), bad })?;
        if state.fence.spilled {
            let repair = "git seed doctor --fix";
            let missing =
                || StoreError::Missing { what: format!("{} of {}", names::FENCE, what()), repair };
            let bytes = self.store.file(tip, names::FENCE)?.ok_or_else(missing)?;
            let spilled = toml::from_slice(&bytes).map_err(|error| EngineError::State {
                chain: what(),
                bad: BadState::Toml(error),
            })?;
            state.take_back(spilled);
        }
        Ok(state)
    }

    /// A file of a job's tree that its state counts, so it has to be there.
    pub(crate) fn counted_file(&self, job: &LoadedJob, path: &str) -> Result<Vec<u8>> {
        let repair = "git seed doctor --fix";
        let missing = || StoreError::Missing { what: format!("{path} of {}", job.chain), repair };
        Ok(self.store.file(&job.tip, path)?.ok_or_else(missing)?)
    }

    /// All jobs that have a ref, oldest first: the open ones. Closed ones are in
    /// `record::archive::closed`.
    pub(crate) fn jobs(&self) -> Result<Vec<LoadedJob>> {
        let mut jobs = Vec::new();
        for (chain, _) in self.store.chains(names::JOBS)? {
            if let Some(tip) = self.store.tip(&chain)? {
                jobs.push(self.load(chain, tip)?);
            }
        }
        Ok(jobs)
    }

    /// Counts since the last step, from the journal's last line alone.
    fn since(&self, state: &State) -> Result<Counts, JournalTrouble> {
        let tail = self.store.journal().tail().map_err(|_| JournalTrouble::Missing)?;
        let Tail::Line(bytes) = tail else { return Err(JournalTrouble::Missing) };
        let linked = Linked::read(&bytes).map_err(|_| JournalTrouble::Changed)?;
        repo::journal::counts_over(state, &linked)
    }

    /// A job as it lies in the archive.
    fn archived_job(&self, id: &JobId) -> Result<Option<LoadedJob>> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(None) };
        let Some(row) = self.row_in(&archived, id)? else { return Ok(None) };
        let chain = names::job_chain(id);
        let tree = self.store.subtree(&archived, &archive::place(id))?;
        let (Some(tree), Ok(commit)) = (tree, row.tip.parse()) else {
            let what = format!("the tree of {id} in {}", names::ARCHIVE);
            return Err(StoreError::Missing { what, repair: "git seed doctor --fix" }.into());
        };
        let tip = Tip { commit, tree };
        let mut state = self.state(&chain, &tip)?;
        self.name_in(&mut state, &tip)?;
        Ok(Some(LoadedJob {
            chain,
            tip,
            state,
            activity: Err(JournalTrouble::Missing),
            archived: true,
        }))
    }
}

//! What was said to a job, read through the stubs that its tree holds: the one way to a text.
//!
//! A text may be elsewhere, in a clone that keeps its own, or nowhere: then its stub still says
//! what it was, when, and how long. A job of an older record holds its texts itself; both are read
//! alike.

use std::collections::BTreeSet;

use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::archive::ClosedRow;
use crate::format::interaction::Interaction;
use crate::format::state::State;
use crate::format::texts::{self, Stub};
use crate::format::{meta, names};
use crate::jobs::routing::{self, InteractionKind};
use crate::jobs::{Job, JobId};
use crate::secrets::Masked;
use crate::store::{self, StoreError, Tip};
use crate::voice::{Notice, tell};

/// Why a text is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// A person took it away; it comes from nowhere again.
    Redacted,
    /// It was never sent here.
    Withheld,
}

/// What stands at a place of a job's tree that holds words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Text {
    /// The whole file, as if the tree held it.
    Here(Vec<u8>),
    Gone(Stub, Gone),
}

impl Text {
    /// The file, where it is here.
    pub(crate) fn here(self) -> Option<Vec<u8>> {
        match self {
            Self::Here(bytes) => Some(bytes),
            Self::Gone(..) => None,
        }
    }
}

/// One interaction, and why its words are not here if they are not: they are empty then.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub said: Interaction,
    pub gone: Option<Gone>,
    /// How many words it has, here or not.
    pub words: usize,
}

/// What the texts of a job are keyed by: the job, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Of<'a> {
    pub id: &'a JobId,
    pub tip: &'a Tip,
}

impl LoadedJob {
    pub(crate) fn texts(&self) -> Of<'_> {
        Of { id: &self.state.job.id, tip: &self.tip }
    }
}

impl Repo {
    /// What stands at `path` of a job's tree, through its stub.
    pub(crate) fn text(&self, of: Of<'_>, path: &str) -> Result<Option<Text>> {
        let Some(bytes) = self.store.file(of.tip, path)? else { return Ok(None) };
        let Some(stub) = Stub::read(&bytes) else { return Ok(Some(Text::Here(bytes))) };
        let place = texts::place(of.id, &stub.key);
        let Some(file) = self.store.text_file(&place)? else {
            let redacted = self.redacted(of.tip)?.contains(&stub.key);
            let gone = if redacted { Gone::Redacted } else { Gone::Withheld };
            return Ok(Some(Text::Gone(stub, gone)));
        };
        let damaged = || {
            let why = tell(Notice::TextOtherKey, &[]);
            StoreError::Invalid { what: format!("{}: {}", names::TEXTS, stub.key), why }
        };
        let text = texts::text_in(&file, &stub.key).ok_or_else(damaged)?;
        Ok(Some(Text::Here(if texts::is_deflated(path) {
            texts::together(&stub, &store::inflated(text).ok_or_else(damaged)?)
        } else {
            texts::together(&stub, text)
        })))
    }

    /// The same of a file that the state counts, so it has to be there.
    pub(crate) fn counted_text(&self, job: &LoadedJob, path: &str) -> Result<Text> {
        let missing = || StoreError::Missing {
            what: format!("{path} of {}", job.chain),
            repair: "git seed doctor --fix",
        };
        Ok(self.text(job.texts(), path)?.ok_or_else(missing)?)
    }

    /// The words at `path`, where they are here.
    pub(crate) fn words(&self, of: Of<'_>, path: &str) -> Result<Option<String>> {
        let here = self.text(of, path)?.and_then(Text::here);
        Ok(here.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The `n`-th interaction of a job; absent where nothing that reads as one stands there.
    pub(crate) fn entry(&self, of: Of<'_>, n: u32) -> Result<Option<Entry>> {
        Ok(match self.text(of, &names::interaction(n))? {
            None => None,
            Some(Text::Here(bytes)) => {
                let said = Interaction::read(&String::from_utf8_lossy(&bytes));
                said.map(|said| Entry {
                    words: said.text.split_whitespace().count(),
                    said,
                    gone: None,
                })
            }
            Some(Text::Gone(stub, gone)) => {
                let head = String::from_utf8_lossy(&texts::together(&stub, b"")).into_owned();
                let words = usize::try_from(stub.words).unwrap_or(usize::MAX);
                Interaction::read(&head).map(|said| {
                    let said = Interaction { text: Masked::default(), ..said };
                    Entry { said, gone: Some(gone), words }
                })
            }
        })
    }

    /// The same of one that the state counts.
    pub(crate) fn counted_entry(&self, job: &LoadedJob, n: u32) -> Result<Option<Entry>> {
        let path = names::interaction(n);
        let missing = || StoreError::Missing {
            what: format!("{path} of {}", job.chain),
            repair: "git seed doctor --fix",
        };
        if self.store.file(&job.tip, &path)?.is_none() {
            return Err(missing().into());
        }
        self.entry(job.texts(), n)
    }

    /// When the `n`-th interaction was, whose file says `said`.
    pub(crate) fn said_at(&self, job: &LoadedJob, n: u32, said: i64) -> Result<i64> {
        let bytes = self.store.file(&job.tip, &names::interaction(n))?;
        let stub = bytes.and_then(|bytes| Stub::read(&bytes));
        Ok(stub.map_or(said, |stub| self.store.moment(&stub.key, said)))
    }

    /// The keys that steps of this chain took away, on all ways down from `tip`.
    pub(crate) fn redacted(&self, tip: &Tip) -> Result<BTreeSet<String>> {
        if let Some((at, keys)) = &*self.redacted.borrow()
            && *at == tip.commit
        {
            return Ok(keys.clone());
        }
        let mut keys = BTreeSet::new();
        for message in self.store.messages_below(&tip.commit)? {
            keys.extend(texts::redacted_by(&message).map(str::to_owned));
        }
        self.redacted.replace(Some((tip.commit.clone(), keys.clone())));
        Ok(keys)
    }

    /// A job that was named by the head of its prompt has that name where the prompt is.
    pub(crate) fn name_in(&self, state: &mut State, tip: &Tip) -> Result<()> {
        if state.job.provisional && state.job.name == state.job.id.stand_in() {
            let id = state.job.id.clone();
            let name = self.named_by_prompt(Of { id: &id, tip })?;
            state.job.name = name.unwrap_or_else(|| id.stand_in());
        }
        Ok(())
    }

    /// What a job is called by the head of its first prompt beyond a greeting, where that is here.
    pub(crate) fn named_by_prompt(&self, of: Of<'_>) -> Result<Option<String>> {
        let mut first = None;
        for n in 1.. {
            let Some(entry) = self.entry(of, n)?.filter(|it| it.gone.is_none()) else { break };
            let text = self.rules.without_track(&entry.said.text);
            if entry.said.kind == InteractionKind::Prompt && !routing::is_small_talk(text) {
                return Ok(Some(Job::named_by(text)));
            }
            first.get_or_insert_with(|| Job::named_by(text));
        }
        Ok(first)
    }

    /// The line of a job with that name in it.
    pub(crate) fn named(&self, row: ClosedRow) -> ClosedRow {
        let mut row = self.store.row_at(row);
        // A name is all that is lost: whoever needs the text says why it does not read.
        let tip = || self.store.tip_of(&row.tip.parse().ok()?).ok();
        if row.name == row.id.stand_in()
            && let Some(tip) = tip()
            // As above.
            && let Ok(Some(name)) = self.named_by_prompt(Of { id: &row.id, tip: &tip })
        {
            row.name = name;
        }
        row
    }

    /// The format of what is kept here, as far as this binary knows formats.
    pub(crate) fn format(&self) -> Result<u32> {
        Ok(self.formats()?.0)
    }

    /// The format that steps are written in here. Where only a newer binary may write, this one
    /// must not: what it cannot read it would leave out.
    pub(crate) fn format_to_write(&self) -> Result<u32> {
        match self.formats()? {
            (format, None) => Ok(format),
            (_, Some(newer)) => Err(EngineError::Newer(newer)),
        }
    }

    /// The format, and that of a newer binary which alone may write.
    fn formats(&self) -> Result<(u32, Option<u32>)> {
        if let Some(known) = self.format.get() {
            return Ok(known);
        }
        let known = match self.store.tip(names::META)? {
            // Nothing is installed: what is written here is ours alone.
            None => (crate::format::FORMAT, None),
            Some(tip) => {
                // As where it is asked whether git seed is installed: nothing does not read.
                let bytes = self.store.file(&tip, meta::FILE)?.unwrap_or_default();
                let meta = meta::Meta::read(&bytes).map_err(super::unread_meta)?;
                let newer = (!meta.is_writable()).then_some(meta.format);
                (meta.format.min(crate::format::FORMAT), newer)
            }
        };
        self.format.set(Some(known));
        Ok(known)
    }

    /// Texts lie beside the chains here, and steps name the clone that took them.
    pub(crate) fn keeps_texts_apart(&self) -> Result<bool> {
        Ok(self.format()? > 1)
    }
}

//! The story of a job, and of all jobs: what `report` draws and `stats` counts.
//!
//! Everything here is read and nothing is worked out that is not recorded: steps from the job's
//! chain, acts and refusals from the folded journals in its tree, words from its interactions,
//! runs from its receipts, rulings from their records, changes, footers and notes from the phase
//! commits. Where a clone or an older job lacks one of them, the story says so.
//!
//! ```text
//! past      the steps of a job with the journal lines before each: what all others read
//! refusals  what was refused, what became of it, how long it held the work up
//! changes   what a phase commit changes, cut to a bound
//! footers   footers over the phase commits, and the notes in them
//! rulings   claims, what they rest on and how they were ruled
//! said      prompts, questions and answers
//! job       one job: its stays in the phases, and all of the above in its place
//! stats     sums over the jobs and runs of this clone
//! all       an index of all jobs with their edges, the newest stories, and the sums
//! watching  what goes on now, for `watch`
//! by_day    the same as it may be handed on
//! ```
//!
//! Values only; `cli` draws them. No value is a score or a threshold of pacing: a refusal is kept
//! here with the words that its agent was told, and without its facts.

pub(crate) mod all;
pub(crate) mod by_day;
pub(crate) mod changes;
pub(crate) mod footers;
pub(crate) mod job;
pub(crate) mod past;
pub(crate) mod refusals;
pub(crate) mod rulings;
pub(crate) mod said;
pub(crate) mod stats;
pub(crate) mod tokens;
pub(crate) mod watching;
pub(crate) mod would;

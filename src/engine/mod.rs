//! The joint: gather, ask, record.
//!
//! The engine brings the pure domains and the store together. It gathers what a rule may look
//! at, asks it, and records the answer; what a rule *says* lives in the domains, what a sentence
//! says in `voice.toml`, what git does in `store`. Before a tool it only reads. Writing is
//! always: lock, read, decide again, write, compare-and-swap.
//!
//! What it does are free functions over a [`repo::Repo`], so each call between rooms is a path
//! that a reader and a test can see. The rooms, from the top; arrows go down only:
//!
//! ```text
//! unhooked    the session of a client that works over MCP alone: its words, looks and changes
//! modes       one event of a host, by the mode of the clone: to hook, or answered without a job
//! hook        one event of a host: before a tool, after it, a session's ends, a stop
//! setup       init, uninstall, doctor
//! hook_costs  what git hooks of the person's make of a phase commit
//! git_hooks   git's own hooks: a second fence, for the agent only
//! moved       a repository that was moved or copied since init
//! ref_locks   locks that a killed git left
//! scope_words what `--scope` says, wherever the command is given
//! traces      what init left, told by what lies there
//! own_refs    refs of ours that do not read, and those that git seed did not write
//! host_sandbox a host's own sandbox in which its agents can change nothing
//! finding     one thing that doctor looked at
//! glance      what statusline tells
//! story       what report draws and stats counts
//! report      what status, log, why and show tell
//! cut_short   a person's prompt that does several things, over a kill
//! person      what a person says: prompts, short words, answers
//! unheard     last words that went back, where the host let the turn end and ended with it
//! approving   an approval that closes its job as well, over a kill
//! boundary    the step from one phase to the next, and its commit
//! subjects    the words of a phase commit, and another form where a hook wants one
//! vetoes      what the person's own hooks refused last, and whether that stands
//! resting     what is told where the person wants the work to rest
//! signing     whether a phase commit is signed
//! untold      a step whose command was killed before it could print
//! briefing    the text that opens a phase
//! sync        two clones come to have the same jobs
//! ops         what was done, and taking it back: undo, redo, op log
//! landing     a closed job as clean commits on a branch
//! texts       words that were said: out of the chains of an older format, and away
//! policy      a team's signed rules: what tightens comes into force, the rest waits
//! jobs        a job's life: birth, focus, dependencies, runs, plan, completion
//! memory      pages, notes, condense, recall, what is left for the next session
//! note_lines  lines of notes that lead to a record and that a kill left out
//! judge       words and criteria held against what was seen; the card
//! claims      claims, receipts, rulings
//! said_there  whether what a message names is there
//! earlier_runs  runs of the cycle before, which stand for one that changed nothing
//! proof       what anybody can verify of the records of rulings, and of the steps
//! records     the records of rulings: written, found again, ruled on again
//! contents    what a job's commits hold, and what stands for them
//! beside      memory in what stands for a job's commits, and whose it is
//! merge       what two clones have of one thing, as one commit
//! left_out    commits that bear a job's trailers and are no steps of it any more
//! refs_moved  refs that moved while a call ran
//! other_line  how a client shows that it takes another line than the agent's
//! taken_back  work that the agent takes back with git, and where it is led instead
//! absence     a time in which nobody watched: whose work is whose behind it
//! fence       what changed in the work tree, and whose it is
//! lost_pages  pages of the cycle that are gone, with words in HEAD
//! hook_times  what git hooks took in the last phase commit
//! bypasses    what a person did past the rules, and how often
//! rewrite     what the hook replaces: lines, so that they run confined, and the text of an edit
//! record      the only writer of a job: steps, journal lines, archive
//! put_files   files that a boundary writes into the work tree before its commit, over a kill
//! unclaimed   changes that no call accounts for, kept over the steps between two boundaries
//! git_consent who answers for what leaves this clone, or moves git in it
//! merge_mark  a merge that a person let the agent begin, and that stopped in conflicts
//! git_mark    what a person lets git do for one call
//! closings    jobs on their way into the archive, over a kill
//! tokens      what models read and wrote for a job, out of the host's transcript
//! aside       what a step writes of words: out of its chain, into the texts beside it
//! guests      which session gives a command, where another one drives the job
//! no_prompt   sessions in which nobody can say a word: clients without hooks
//! repeats     the same refusal again and again, with nothing accepted in between
//! repo        the repository at one moment; it only reads
//! installed   the record of what init put where
//! quote       words of others, as quotations
//! ```

pub(crate) mod absence;
pub(crate) mod acts_of_line;
pub(crate) mod agent_settings;
pub(crate) mod approving;
pub(crate) mod aside;
pub(crate) mod beside;
pub(crate) mod boundary;
pub(crate) mod briefing;
pub(crate) mod bypasses;
pub(crate) mod claims;
pub(crate) mod clone_file;
pub(crate) mod closed_paths;
pub(crate) mod closings;
pub(crate) mod contents;
pub(crate) mod cut_short;
pub(crate) mod earlier_runs;
pub(crate) mod fence;
pub(crate) mod finding;
pub(crate) mod git_consent;
pub(crate) mod git_hooks;
pub(crate) mod git_mark;
pub(crate) mod glance;
pub(crate) mod guests;
pub(crate) mod hook;
pub(crate) mod hook_costs;
pub(crate) mod hook_times;
pub(crate) mod host_sandbox;
pub(crate) mod hosts_here;
pub(crate) mod installed;
pub(crate) mod job_refs;
pub(crate) mod jobs;
pub(crate) mod judge;
pub(crate) mod landing;
pub(crate) mod left_out;
pub(crate) mod links;
pub(crate) mod lost_pages;
pub(crate) mod memory;
pub(crate) mod merge;
pub(crate) mod merge_mark;
pub(crate) mod modes;
pub(crate) mod moved;
pub(crate) mod named_dirs;
pub(crate) mod no_prompt;
pub(crate) mod note_lines;
pub(crate) mod ops;
pub(crate) mod other_line;
pub(crate) mod own_dir;
pub(crate) mod own_refs;
pub(crate) mod own_state;
pub(crate) mod person;
pub(crate) mod policy;
pub(crate) mod proof;
pub(crate) mod pushed;
pub(crate) mod put_files;
pub(crate) mod quote;
pub(crate) mod record;
pub mod records;
pub(crate) mod ref_locks;
pub(crate) mod refs_moved;
pub(crate) mod repeats;
pub(crate) mod repo;
pub(crate) mod report;
pub(crate) mod resting;
pub(crate) mod rewrite;
pub(crate) mod said_file;
pub(crate) mod said_there;
pub(crate) mod scope_words;
pub(crate) mod setup;
pub(crate) mod signing;
pub(crate) mod starter;
pub(crate) mod story;
pub(crate) mod subjects;
pub(crate) mod sync;
pub(crate) mod taken_back;
pub(crate) mod texts;
pub(crate) mod tokens;
pub(crate) mod traces;
pub(crate) mod unclaimed;
pub(crate) mod unheard;
pub(crate) mod unhooked;
pub(crate) mod untold;
pub(crate) mod vetoes;
pub(crate) mod voices;

pub use memory::lint::read_each;
pub use proof::{export, verify};
pub use record::draft::{By, Journaling, Redacting, StepDraft, Taken};
pub use record::step::step;
pub use repo::{EngineError, JournalTrouble, LoadedJob, Repo, Result};
pub use setup::in_force::apply_rules;

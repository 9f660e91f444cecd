//! The command line: parse, one call, print.
//!
//! Exit codes: 0 yes, 1 it failed, 2 a rule said no (the reason is on stderr), 64 wrong
//! usage. The doc comments of the commands are their help and their man pages.

mod agents;
mod audit;
mod ci_summary;
mod claim;
mod compact;
mod completions;
mod condense;
mod doctor;
mod exec;
mod failure;
mod fence;
mod githook;
mod gmode;
mod handed;
mod help;
mod hook;
mod init;
mod job;
mod land;
mod log;
mod man;
mod man_places;
mod manual;
mod markdown;
mod mcp;
mod memory;
mod merge_pages;
mod note;
mod one;
mod op;
mod pager;
mod phase;
mod plain_page;
mod plan;
mod plugin;
mod redact;
mod reflect;
pub(crate) mod report;
mod rewritten;
mod rules;
mod searched;
mod show;
mod since;
mod stats;
mod status;
mod statusline;
mod story;
mod summary;
mod switch;
mod sync;
mod tour;
mod undo;
mod uninstall;
mod upgrade;
mod verify;
mod watch;
mod why;
mod width;
mod would;

use crate::engine;
use crate::engine::{boundary, jobs, no_prompt, person, record};
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};

use crate::engine::repo::{EngineError, Repo};
use crate::jobs::mode::Mode;
use crate::phases::commands;
use crate::verdict::Refusal;
use crate::voice::{self, Notice};
use crate::world::{Typist, progress};
use failure::{Failure, Result, While as _};
use report::{Colour, Report};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Yes,
    Failed,
    Refused,
    /// Nothing is broken, and something was not measured: `verify` alone says this.
    Open,
}

/// Lead coding agents through fixed phases of work in a git repository
///
/// `git seed` turns each of your prompts into a job. A job goes through five phases: observe,
/// plan, execute, verify and condense. Each phase limits which files the agent may change, and
/// ends with a commit on your branch. The agent may not stop, or call the job complete, without
/// proof. In condense it writes what it learned into memory pages. git seed keeps its state in
/// `refs/seed` and in git notes. No process runs in the background.
///
/// Commands marked with a degree sign (°) run only at a person's terminal.
#[derive(Debug, Parser)]
#[command(name = "git-seed", bin_name = "git seed", version, disable_help_subcommand = true)]
#[command(after_help = "To start: git seed init. To see a demonstration: git seed tour.")]
struct Arguments {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

// No doc comment: it would be the help of the program.
#[derive(Debug, clap::Args)]
struct Globals {
    /// Run as if git seed was started in this directory
    #[arg(short = 'C', value_name = "dir", global = true)]
    directory: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
    /// When to use colours
    #[arg(long, value_name = "when", default_value = "auto", global = true)]
    color: Colour,
    /// Set the multiplier before the command runs, as `git seed phase multiplier` does
    #[arg(long, value_name = "value", global = true)]
    multiplier: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Uninstall(uninstall::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Tour(tour::TourArgs),
    Status(status::StatusArgs),
    Statusline(statusline::StatuslineArgs),
    Log(log::LogArgs),
    Show(show::ShowArgs),
    Why(why::WhyArgs),
    Watch(watch::WatchArgs),
    Report(story::ReportArgs),
    Stats(stats::StatsArgs),
    /// List, show, create, change and focus jobs
    Job {
        #[command(subcommand)]
        command: job::JobCommand,
    },
    /// Show the phase of the job, and move to another phase
    Phase {
        #[command(subcommand)]
        command: phase::PhaseCommand,
    },
    /// Choose, show and check the plan document
    Plan {
        #[command(subcommand)]
        command: plan::PlanCommand,
    },
    /// Show, undo and accept changes that the phase does not allow
    Fence {
        #[command(subcommand)]
        command: fence::FenceCommand,
    },
    /// List, resolve and carry the notes on the pages of the cycle
    Note {
        #[command(subcommand)]
        command: note::NoteCommand,
    },
    /// Archive and shorten the page footers before the cycle closes
    Condense {
        #[command(subcommand)]
        command: condense::CondenseCommand,
    },
    /// Check memory pages and knowledge files
    Memory {
        #[command(subcommand)]
        command: memory::MemoryCommand,
    },
    /// Show and write summaries of what was said to a job
    Summary {
        #[command(subcommand)]
        command: summary::SummaryCommand,
    },
    /// Show and write the compaction file, which a session leaves for the next one
    Compact {
        #[command(subcommand)]
        command: compact::CompactCommand,
    },
    /// Show, replay, export and sign the records of rulings
    Audit {
        #[command(subcommand)]
        command: audit::AuditCommand,
    },
    Verify(verify::VerifyArgs),
    Land(land::LandArgs),
    Sync(sync::SyncArgs),
    Upgrade(upgrade::UpgradeArgs),
    Undo(undo::UndoArgs),
    Redo(undo::RedoArgs),
    /// Show what was done in this clone, and what of it is undone
    Op {
        #[command(subcommand)]
        command: op::OpCommand,
    },
    /// Check claims about the work against the repository and the recorded runs
    Claim {
        #[command(subcommand)]
        command: claim::ClaimCommand,
    },
    /// Enter and leave gmode, the side lane for repairing what blocks the work
    Gmode {
        #[command(subcommand)]
        command: gmode::GmodeCommand,
    },
    Reflect(reflect::ReflectArgs),
    Agents(agents::AgentsArgs),
    /// Show, check and apply the rules
    Rules {
        #[command(subcommand)]
        command: rules::RulesCommand,
    },
    Off(switch::OffArgs),
    On(switch::OnArgs),
    Exec(exec::ExecArgs),
    Hook(hook::HookArgs),
    Githook(githook::GithookArgs),
    Mcp(mcp::McpArgs),
    Plugin(plugin::PluginArgs),
    #[command(hide = true)]
    MergePages(merge_pages::MergePagesArgs),
    #[command(hide = true)]
    Rewritten(rewritten::RewrittenArgs),
    Help(help::HelpArgs),
    Man(man::ManArgs),
    Completions(completions::CompletionsArgs),
    /// Print the version of git seed
    Version,
}

/// Whose a command is to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// Anyone's, here; some of these go on in another way where a person gives them.
    Anyones,
    /// A person's; the name is what the refusal calls it.
    Persons { command: &'static str, first: First },
}

/// Commands that no word in a session confirms: they change who judges, or cannot be taken back.
const TAKE_NO_CODE: [&str; 7] = [
    "rules apply",
    "job approve-plugin",
    "job redact",
    "uninstall",
    "init --track",
    "init --mode",
    "init --grant",
];

/// What is found out before anybody is asked who gives a person's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// The repository opens.
    Open,
    /// It opens, whatever its rules are like: the command mends them.
    OpenUnderAnyRules,
    /// Where git seed is not installed yet, anyone may give it.
    Installed,
    /// Git seed is installed.
    Seeded,
    /// A job is focused.
    Job,
}

impl Command {
    /// Whose each command is. A test holds this against the degree signs in their help.
    fn whose(&self) -> Whose {
        use First::{Installed, Job, Open, OpenUnderAnyRules, Seeded};
        use fence::FenceCommand as Fence;
        use gmode::GmodeCommand as Gmode;
        use job::JobCommand as OfJob;
        use rules::RulesCommand as Rules;
        let (command, first) = match self {
            Self::Init(args) if args.grants() => ("init --grant", Open),
            Self::Init(args) if args.track.is_some() => ("init --track", Open),
            Self::Init(args) if args.mode.is_some() => ("init --mode", Installed),
            Self::Init(_) => ("init", Installed),
            Self::Uninstall(args) if !args.check => ("uninstall", OpenUnderAnyRules),
            Self::Off(_) => ("off", OpenUnderAnyRules),
            Self::On(_) => ("on", Open),
            Self::Rules { command: Rules::Apply { .. } } => ("rules apply", OpenUnderAnyRules),
            Self::Gmode { command: Gmode::Enter { .. } } => ("gmode enter", Job),
            Self::Fence { command: Fence::Accept { .. } } => ("fence accept", Seeded),
            Self::Fence { command: Fence::Allow { .. } } => ("fence allow", Job),
            Self::Land(args) if !args.only_shows() => ("land", Seeded),
            Self::Memory { command } if !command.only_shows() => ("memory prune", Seeded),
            Self::Upgrade(args) if !args.only_shows() => ("upgrade", Seeded),
            Self::Verify(args) if args.accepts() => ("verify --accept", Seeded),
            Self::Sync(_) => ("sync", Seeded),
            Self::Undo(_) => ("undo", Seeded),
            Self::Redo(_) => ("redo", Seeded),
            Self::Job { command } => match command {
                OfJob::Complete => ("job complete", Seeded),
                OfJob::Approve { .. } => ("job approve", Seeded),
                OfJob::Drop { .. } => ("job drop", Seeded),
                OfJob::ApprovePlugin => ("job approve-plugin", Seeded),
                OfJob::Reactivate { .. } => ("job reactivate", Seeded),
                OfJob::Repeat { .. } => ("job repeat", Seeded),
                OfJob::Move { .. } => ("job move", Seeded),
                OfJob::Redact(args) if !args.only_shows() => ("job redact", Seeded),
                _ => return Whose::Anyones,
            },
            _ => return Whose::Anyones,
        };
        Whose::Persons { command, first }
    }
}

impl Command {
    /// What a person at a terminal may have to wait for; a line then says how far it is.
    fn may_take_long(&self) -> bool {
        use job::JobCommand as OfJob;
        match self {
            Self::Init(_)
            | Self::Doctor(_)
            | Self::Log(_)
            | Self::Report(_)
            | Self::Stats(_)
            | Self::Memory { .. }
            | Self::Audit { .. }
            | Self::Verify(_)
            | Self::Land(_)
            | Self::Sync(_)
            | Self::Upgrade(_)
            | Self::Undo(_)
            | Self::Redo(_) => true,
            Self::Job { command } => matches!(
                command,
                OfJob::List { .. } | OfJob::Redact(_) | OfJob::Drop { pending: true, .. }
            ),
            _ => false,
        }
    }

    /// What it prints may be longer than a terminal, and nobody waits for it to go on.
    fn may_be_long(&self) -> bool {
        use job::JobCommand as OfJob;
        match self {
            Self::Log(_)
            | Self::Show(_)
            | Self::Why(_)
            | Self::Stats(_)
            | Self::Doctor(_)
            | Self::Audit { .. }
            | Self::Verify(_)
            | Self::Op { .. } => true,
            Self::Job { command } => matches!(command, OfJob::List { .. } | OfJob::Show { .. }),
            _ => false,
        }
    }

    /// The name of a command that is about a job under way, which only mode full has.
    fn needs_jobs(&self) -> Option<&'static str> {
        use compact::CompactCommand as Compact;
        use condense::CondenseCommand as Condense;
        use job::JobCommand as OfJob;
        use note::NoteCommand as Note;
        use phase::PhaseCommand as Phase;
        use plan::PlanCommand as Plan;
        use summary::SummaryCommand as Summary;
        match self {
            Self::Phase { command: Phase::Current | Phase::Cycle | Phase::List }
            | Self::Note { command: Note::List }
            | Self::Condense { command: Condense::Status }
            | Self::Compact { command: Compact::Read }
            | Self::Summary { command: Summary::Show { .. } }
            | Self::Job {
                command:
                    OfJob::List { .. }
                    | OfJob::Show { .. }
                    | OfJob::Focused
                    | OfJob::Complete
                    | OfJob::Approve { .. }
                    | OfJob::Drop { .. }
                    | OfJob::Redact { .. }
                    | OfJob::ScanDue,
            } => None,
            Self::Phase { .. } => Some("phase"),
            Self::Gmode { .. } => Some("gmode"),
            Self::Reflect(_) => Some("reflect"),
            Self::Plan { command: Plan::SetPlanFile { .. } } => Some("plan set-plan-file"),
            Self::Note { .. } => Some("note"),
            Self::Condense { .. } => Some("condense"),
            Self::Compact { .. } => Some("compact"),
            Self::Summary { .. } => Some("summary"),
            Self::Job { .. } => Some("job"),
            Self::Fence { command: fence::FenceCommand::Allow { .. } } => Some("fence allow"),
            _ => None,
        }
    }

    /// The words that a person's command brings along.
    fn message(&self) -> Option<&TextArgs> {
        match self {
            Self::Land(args) => Some(&args.text),
            Self::Off(args) => Some(&args.text),
            Self::Verify(args) => Some(&args.why),
            _ => None,
        }
    }
}

/// Refuses a command about a job where the mode keeps none.
fn keep_for_jobs(
    command: &Command,
    context: &Context,
    out: &mut Report,
) -> Result<Option<Outcome>> {
    let Some(name) = command.needs_jobs() else { return Ok(None) };
    let repo = context.repo()?;
    if repo.rules.mode.keeps_jobs() || !repo.is_seeded()? {
        context.opened.replace(Some(repo));
        return Ok(None);
    }
    let refusal = commands::needs_jobs(name, repo.rules.mode == Mode::Watch);
    Ok(Some(out.refusal(&refusal, "none")))
}

/// Refuses a person's command where no person can be seen.
fn keep_for_a_person(
    command: &Command,
    context: &Context,
    out: &mut Report,
) -> Result<Option<Outcome>> {
    let Whose::Persons { command: name, first } = command.whose() else { return Ok(None) };
    let repo = match first {
        First::OpenUnderAnyRules | First::Installed => context.repo_over_damage()?,
        _ => context.repo()?,
    };
    // A person has said yes to just this.
    if let Command::Land(args) = command
        && args.is_granted(&repo)?
    {
        return Ok(None);
    }
    match first {
        First::Installed if !repo.is_seeded()? => return Ok(None),
        First::Open | First::OpenUnderAnyRules | First::Installed => {}
        First::Seeded => repo.require_seeded()?,
        First::Job => drop(repo.require_focused()?),
    }
    if command.message().is_some_and(TextArgs::comes_through_input) {
        crate::world::message_comes_through_input();
    }
    Ok(require_person(&repo, name, out)?.map(|refusal| refuse(&repo, &refusal, out)))
}

/// What every command is given.
pub(crate) struct Context {
    pub(crate) cwd: PathBuf,
    /// Opened for what is asked before the command, which goes on with it.
    opened: RefCell<Option<Rc<Repo>>>,
    /// What was opened last, for what is written once the command is over.
    last: RefCell<Option<Rc<Repo>>>,
}

impl Context {
    /// The repository around the working directory, where a boundary that was stopped
    /// between its commit and its step has been finished.
    pub(crate) fn repo(&self) -> Result<Rc<Repo>, EngineError> {
        if let Some(repo) = self.opened.take() {
            return Ok(repo);
        }
        let repo = Rc::new(self.own_repo()?);
        self.last.replace(Some(Rc::clone(&repo)));
        Ok(repo)
    }

    /// The same for a command that keeps it to itself.
    pub(crate) fn own_repo(&self) -> Result<Repo, EngineError> {
        let repo = Repo::open_for_command(&self.cwd)?;
        // What was begun is ended by a command that can store something; a look sees it as it is.
        if repo.store.is_closed() {
            return Ok(repo);
        }
        if record::pending_file::is_there(&repo) && repo.is_seeded()? {
            boundary::cross::finish_pending(&repo)?;
        }
        engine::texts::carry::finish(&repo)?;
        // What stands in its way is told by doctor, and stops nothing else.
        let _ = engine::texts::redact::finish(&repo);
        record::landing::finish(&repo)?;
        engine::ops::carry::finish(&repo)?;
        engine::sync::join::journal::finish(&repo)?;
        record::rewritten::relink(&repo)?;
        // What stands in its way is told by doctor, and stops nothing else.
        let _ = jobs::archive_check::finish(&repo);
        // The next job may have rules of its own.
        let closed = engine::approving::finish(&repo)?;
        if boundary::cross::finish_closing(&repo)? || closed {
            Repo::open_for_command(&self.cwd)
        } else {
            Ok(repo)
        }
    }

    /// The same for `off`, `doctor` and `uninstall`, which have to work over rules and state that
    /// do not read.
    fn repo_over_damage(&self) -> Result<Rc<Repo>, EngineError> {
        match self.repo() {
            Err(error) if !matches!(error, EngineError::NotOpen(_)) => {
                let opened = Repo::open_for_command(&self.cwd);
                opened.or_else(|_| Repo::open_under_shipped(&self.cwd)).map(Rc::new)
            }
            opened => opened,
        }
    }

    /// The same for the commands that mend rules: where those in force do not hold, the shipped
    /// ones are.
    fn seed_under_any_rules(&self) -> Result<Rc<Repo>, EngineError> {
        match self.repo() {
            Err(EngineError::Rules(_)) => Repo::open_under_shipped(&self.cwd).map(Rc::new),
            repo => repo,
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    crate::shell::knows_itself_by(crate::world::is_own_path);
    if let Some(args) = hook::plain(std::env::args_os()) {
        return hook::run(&args);
    }
    if let Some(args) = exec::plain(std::env::args_os()) {
        return exec::run(&args, &current_dir());
    }
    commanded()
}

/// Any other command. A function of its own: what it keeps on the stack is more than a hook needs
/// in all, and would be touched by each.
#[inline(never)]
fn commanded() -> ExitCode {
    let (arguments, name) = match parsed() {
        Ok(parsed) => parsed,
        Err(error) => return wrong_usage(&error),
    };
    if let Command::Help(args) = &arguments.command {
        return help::answer(args).map_or(ExitCode::SUCCESS, |answer| said(&answer));
    }
    if let Command::Hook(args) = &arguments.command {
        // Hosts read anything but 0 as a crash, and a crash lets the tool run.
        return hook::run(args);
    }
    let mut out = Report::new(arguments.globals.json, arguments.globals.color);
    let cwd = arguments.globals.directory.clone().unwrap_or_else(current_dir);
    if let Some(code) = handed::instead(&cwd) {
        return code;
    }
    if arguments.command.may_be_long() {
        out.page();
    }
    let context = Context { cwd, opened: RefCell::default(), last: RefCell::default() };
    let set = set_the_multiplier(arguments.globals.multiplier.as_deref(), &context, &mut out);
    if let (Command::Exec(args), Ok(Outcome::Yes)) = (&arguments.command, &set) {
        engine::ops::settle::everywhere(&name, context.last.take().as_deref());
        return exec::run(args, &context.cwd);
    }
    if arguments.command.may_take_long() {
        progress::show(&format!("git seed {name}"));
    }
    let done = match set {
        Ok(Outcome::Yes) => run(&arguments.command, &context, &mut out),
        not_set => not_set,
    };
    let last = context.last.take();
    if !matches!(arguments.command, Command::Uninstall(_)) {
        engine::ops::settle::everywhere(&name, last.as_deref());
    }
    let code = match done {
        Ok(Outcome::Yes) => 0,
        Ok(Outcome::Failed) => 1,
        Ok(Outcome::Refused) => 2,
        Ok(Outcome::Open) => 3,
        Err(error) => failed(&context, &error, &mut out),
    };
    if let Err(error) = out.finish() {
        out.unheard(&error);
        return ExitCode::from(1);
    }
    if let (Command::Phase { .. }, Some(repo)) = (&arguments.command, last) {
        // What is left of it is told once more, with the next event.
        let _ = engine::untold::has_printed(&repo);
    }
    ExitCode::from(code)
}

/// The command line of this process, and the words of its command.
fn parsed() -> clap::error::Result<(Arguments, String)> {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(parsed) = one::parsed(&words) {
        return Ok(parsed);
    }
    let found = definition().try_get_matches_from(words)?;
    Ok((Arguments::from_arg_matches(&found)?, name(&found)))
}

/// The words of a command, without its arguments.
fn name(found: &clap::ArgMatches) -> String {
    let mut words = Vec::new();
    let mut at = found.subcommand();
    while let Some((word, below)) = at {
        words.push(word);
        at = below.subcommand();
    }
    words.join(" ")
}

/// The stay's multiplier, where the command brings it along and the job is its session's to move.
fn set_the_multiplier(value: Option<&str>, context: &Context, out: &mut Report) -> Result<Outcome> {
    if let Some(refused) = of_a_guest(context, out) {
        return Ok(refused);
    }
    match value {
        None => Ok(Outcome::Yes),
        Some(value) => phase::bring_multiplier(&*context.repo()?, value, out),
    }
}

/// Refuses a command that changes something, where a session gives it that drives nothing here. Its
/// hooks have refused it before; a client whose hooks are not heard is seen by its processes alone.
fn of_a_guest(context: &Context, out: &mut Report) -> Option<Outcome> {
    let words = std::env::args_os().skip(1).map(|word| word.into_string().ok());
    if !crate::shell::changes_something(&words.collect::<Option<Vec<String>>>()?) {
        return None;
    }
    // Where nothing opens, or a session does not read, the command says why.
    let repo = context.repo().ok()?;
    let told = engine::guests::refused(&repo).ok().flatten();
    context.opened.replace(Some(repo));
    told.map(|told| out.refused(&told))
}

fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Tells what a command ended with, and gives its exit code. What the state does not allow is an
/// answer like any other refusal.
fn failed(context: &Context, error: &Failure, out: &mut Report) -> u8 {
    let code = error.kind::<EngineError>().map_or(1, EngineError::exit_code);
    if code != 2 {
        out.error(error);
        return code;
    }
    let repo = Repo::open_for_command(&context.cwd);
    let error_of_engine = error.kind::<EngineError>();
    let paused = match (error_of_engine, &repo) {
        (Some(EngineError::NoJob), Ok(repo)) => to_the_paused(repo),
        _ => None,
    };
    let next = paused.or_else(|| error_of_engine.and_then(EngineError::hint));
    let next = next.unwrap_or_else(|| voice::tell(Notice::NextStatus, &[]));
    let refusal = commands::not_now(error.to_string(), next);
    match repo {
        Ok(repo) => drop(refuse(&repo, &refusal, out)),
        // What does not read keeps no line of it.
        Err(_) => drop(out.refusal(&refusal, "none")),
    }
    code
}

/// What goes on with the job that a person paused here, for who needs one: a prompt would begin
/// another.
fn to_the_paused(repo: &Repo) -> Option<String> {
    // One that does not read is told by `status`.
    let paused = engine::jobs::birth::newest_paused_here(repo).ok()??;
    let job = &paused.state.job;
    let facts = [("job", job.name.as_str()), ("id", job.id.as_str())];
    Some(voice::tell(Notice::HintPaused, &facts))
}

/// Help is shown with examples, which no other command puts together.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let helps = matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand);
    let answer = if helps { help::answer_here() } else { None };
    said(answer.as_ref().unwrap_or(error))
}

/// clap says 2 for wrong usage, which hosts read as a refusal.
fn said(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
    let fine = matches!(error.kind(), DisplayHelp | DisplayVersion);
    report::help(error);
    if fine { ExitCode::SUCCESS } else { ExitCode::from(64) }
}

fn run(command: &Command, context: &Context, out: &mut Report) -> Result<Outcome> {
    if let Some(refused) = keep_for_jobs(command, context, out)? {
        return Ok(refused);
    }
    if let Some(refused) = keep_for_a_person(command, context, out)? {
        return Ok(refused);
    }
    match command {
        Command::Init(args) => init::run(args, context, out),
        Command::Uninstall(args) => uninstall::run(args, context, out),
        Command::Doctor(args) => doctor::run(args, context, out),
        Command::Tour(args) => tour::run(args, out),
        Command::Status(args) => status::run(args, context, out),
        Command::Log(args) => log::run(args, context, out),
        Command::Show(args) => show::run(args, context, out),
        Command::Watch(args) => watch::run(args, context, out),
        Command::Why(args) => why::run(args, context, out),
        Command::Report(args) => story::run(args, context, out),
        Command::Stats(args) => stats::run(args, context, out),
        Command::Job { command } => job::run(command, context, out),
        Command::Phase { command } => phase::run(command, context, out),
        Command::Plan { command } => plan::run(command, context, out),
        Command::Fence { command } => fence::run(command, context, out),
        Command::Note { command } => note::run(command, context, out),
        Command::Condense { command } => condense::run(command, context, out),
        Command::Memory { command } => memory::run(command, context, out),
        Command::Summary { command } => summary::run(command, context, out),
        Command::Compact { command } => compact::run(command, context, out),
        Command::Audit { command } => audit::run(command, context, out),
        Command::Verify(args) => verify::run(args, context, out),
        Command::Land(args) => land::run(args, context, out),
        Command::Sync(args) => sync::run(args, context, out),
        Command::Upgrade(args) => upgrade::run(args, context, out),
        Command::Undo(args) => undo::undo(args, context, out),
        Command::Redo(args) => undo::redo(args, context, out),
        Command::Op { command } => op::run(command, context, out),
        Command::Claim { command } => claim::run(command, context, out),
        Command::Gmode { command } => gmode::run(command, context, out),
        Command::Reflect(args) => reflect::run(args, context, out),
        Command::Agents(args) => agents::run(args, context, out),
        Command::Statusline(args) => statusline::run(args, context, out),
        Command::Rules { command } => rules::run(command, context, out),
        Command::Off(args) => switch::off(args, context, out),
        Command::On(args) => switch::on(args, context, out),
        // Answered before a report exists.
        Command::Hook(_) | Command::Exec(_) | Command::Help(_) => Ok(Outcome::Yes),
        Command::Githook(args) => githook::run(args, context, out),
        Command::Mcp(args) => mcp::run(args, context),
        Command::Plugin(args) => plugin::run(args, out),
        Command::MergePages(args) => Ok(merge_pages::run(args, context, out)),
        Command::Rewritten(args) => rewritten::run(args, context),
        Command::Man(args) => man::run(args, out),
        Command::Completions(args) => completions::run(args, out),
        Command::Version => Ok(out.version(env!("CARGO_PKG_VERSION"))),
    }
}

/// The whole command line, for help, man pages and completions.
fn definition() -> clap::Command {
    Arguments::command()
}

/// Says a refusal and keeps it for `why`, where there are jobs.
fn refuse(repo: &Repo, refusal: &Refusal, out: &mut Report) -> Outcome {
    let focused = repo.focused().ok().flatten();
    let row = repo.row(focused.as_ref());
    let (phase, refusal) = (row.name.clone(), &row.names.put_in(refusal.clone()));
    if !repo.rules.mode.keeps_jobs() || !repo.is_seeded().unwrap_or(false) {
        return out.refusal(refusal, phase.as_str());
    }
    let said = engine::repeats::remember_refusal(repo, focused.as_ref(), refusal);
    let outcome = out.refused(&repo.say(focused.as_ref(), refusal, phase.as_str()));
    match said {
        Ok(example) => example.iter().for_each(|example| out.aside(example)),
        Err(error) => out.error(&error.into()),
    }
    outcome
}

/// The refusal of a command that is a person's when no person may be assumed here. Where who
/// types cannot be told, it waits for a person's word first.
fn require_person(repo: &Repo, command: &str, out: &mut Report) -> Result<Option<Refusal>> {
    // Where nothing can be written, the ends of sessions are found anew by each look.
    let _ = person::sender::settle(repo);
    let why = match repo.typist() {
        Ok(Typist::Person) => return Ok(None),
        Ok(Typist::Untold(by)) if TAKE_NO_CODE.contains(&command) => {
            return Ok(Some(commands::takes_no_code(command, &by)));
        }
        Ok(Typist::Untold(_)) => {
            if let Some(client) = no_prompt::alone(repo) {
                return Ok(Some(commands::client_ends_first(command, &client)));
            }
            let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
            let line = words.fold("git seed".to_owned(), |line, word| format!("{line} {word}"));
            let given = person::at_terminal::GivenCommand {
                name: command,
                line: line.chars().take(LINE).collect(),
                does: help_of(command),
            };
            match person::at_terminal::wait_for_word(repo, &given, |told| out.aside(told))? {
                None => return Ok(None),
                Some(why) => return Ok(Some(commands::was_not_said(command, &why))),
            }
        }
        Err(why) => why.to_string(),
    };
    Ok(Some(commands::persons_only(command, &why)))
}

/// Whether a person who was asked at a terminal said yes.
fn is_yes(said: &str) -> bool {
    matches!(said.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// The most characters of a command line that a person is told in a session.
const LINE: usize = 120;

/// What a command does, as its help says it.
fn help_of(command: &str) -> String {
    let all = definition();
    let (name, option) = command.split_once(" --").unwrap_or((command, ""));
    let found = name.split(' ').try_fold(&all, |all, word| all.find_subcommand(word));
    let named = |found: &clap::Command| {
        let option = found.get_arguments().find(|one| one.get_long() == Some(option));
        option.and_then(clap::Arg::get_help).map(ToString::to_string)
    };
    let about = |found: &clap::Command| found.get_about().map(ToString::to_string);
    let help = found.and_then(|found| if option.is_empty() { about(found) } else { named(found) });
    let help = help.unwrap_or_default();
    let help = help.trim_end_matches('\u{b0}');
    let mut letters = help.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A text argument: given as is, from a file, or from standard input with `-`.
#[derive(Clone, Debug, Default, clap::Args)]
struct TextArgs {
    /// The text of the message
    #[arg(short = 'm', long = "message", value_name = "text")]
    message: Option<String>,
    /// Read the text from a file, or from standard input with `-`
    #[arg(short = 'F', long = "file", value_name = "file", conflicts_with = "message")]
    file: Option<OsString>,
}

impl TextArgs {
    /// No text was given.
    fn is_absent(&self) -> bool {
        self.message.is_none() && self.file.is_none()
    }

    /// It stands at the standard input.
    fn comes_through_input(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file == "-")
    }

    /// The most bytes that are read.
    const MOST: u64 = 1024 * 1024;

    /// The text, where one was given.
    fn given(&self) -> Result<Option<String>> {
        (!self.is_absent()).then(|| self.read()).transpose()
    }

    fn read(&self) -> Result<String> {
        match (&self.message, &self.file) {
            (Some(message), _) => Ok(message.clone()),
            (None, Some(_)) if self.comes_through_input() => {
                progress::end();
                Self::whole(std::io::stdin(), || "cannot read standard input".to_owned())
            }
            (None, Some(file)) => {
                let at = || format!("cannot read `{}`", file.display());
                Self::whole(std::fs::File::open(file).at(at)?, at)
            }
            (None, None) => Ok(String::new()),
        }
    }

    /// All of a text; one that is longer is not taken in part.
    fn whole(from: impl std::io::Read, at: impl Fn() -> String + Copy) -> Result<String> {
        use std::io::Read as _;
        let mut text = String::new();
        from.take(Self::MOST + 1).read_to_string(&mut text).at(at)?;
        if text.len() as u64 > Self::MOST {
            return Err(EngineError::Usage(voice::tell(Notice::TextTooLong, &[])).into());
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        definition().debug_assert();
    }

    /// Each command that has no further ones below it, with the least that parses.
    fn leaves(command: &clap::Command, words: &[String], found: &mut Vec<(Vec<String>, bool)>) {
        if command.has_subcommands() {
            for below in command.get_subcommands() {
                let words: Vec<String> =
                    words.iter().cloned().chain([below.get_name().to_owned()]).collect();
                leaves(below, &words, found);
            }
            return;
        }
        let mut line = words.to_vec();
        for argument in command.get_arguments().filter(|argument| argument.is_required_set()) {
            line.extend(argument.get_long().map(|long| format!("--{long}")));
            let known = argument.get_possible_values();
            line.push(
                known.first().map_or_else(|| "1".to_owned(), |value| value.get_name().to_owned()),
            );
        }
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        found.push((line, about.ends_with('\u{b0}')));
    }

    #[test]
    fn the_degree_sign_marks_what_is_a_persons() {
        let mut found = Vec::new();
        leaves(&definition(), &["git-seed".to_owned()], &mut found);
        assert_eq!(found.iter().filter(|(_, marked)| *marked).count(), 22, "{found:?}");
        for (line, marked) in found {
            // Some want one of several arguments, which no single one tells; none of those is a
            // person's.
            let Ok(parsed) = Arguments::try_parse_from(&line) else {
                assert!(!marked, "{line:?} does not parse");
                continue;
            };
            assert_eq!(parsed.command.whose() != Whose::Anyones, marked, "{line:?}");
        }
        let track = Arguments::try_parse_from(["git-seed", "init", "--track", "auto"]);
        let whose = track.expect("it parses").command.whose();
        // A rule is a person's, also where git seed is not installed yet.
        assert_eq!(whose, Whose::Persons { command: "init --track", first: First::Open });
        let check =
            Arguments::try_parse_from(["git-seed", "uninstall", "--check"]).expect("it parses");
        assert_eq!(check.command.whose(), Whose::Anyones, "it only shows");
    }
}

//! The command line: parse, one call, print.
//!
//! Exit codes: 0 yes, 1 it failed, 2 a rule said no (the reason is on stderr), 64 wrong
//! usage. The doc comments of the commands are their help and their man pages.

mod audit;
mod claim;
mod compact;
mod condense;
mod doctor;
mod exec;
mod fence;
mod githook;
mod gmode;
mod hook;
mod init;
mod job;
mod log;
mod man;
mod manual;
mod mcp;
mod memory;
mod note;
mod phase;
mod plan;
mod reflect;
pub mod report;
mod rewritten;
mod rules;
mod show;
mod status;
mod summary;
mod switch;
mod tour;
mod uninstall;
mod verify;
mod why;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::seed::{Seed, SeedError};
use crate::verdict::Refusal;
use report::{Colour, Report};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Yes,
    Failed,
    Refused,
}

/// A disciplined working life for coding agents, inside an ordinary git repository
///
/// `git seed` turns each prompt of an agent's person into a job and leads it through
/// observe, plan, execute, verify and condense, with a write scope for each. It commits
/// every phase on your branch, refuses to stop or to be done without proof, and makes
/// the agent settle what it learned in memory pages. State lives in `refs/seed` and in
/// git notes; nothing runs in the background.
///
/// Commands marked with a degree sign act only at a person's terminal.
#[derive(Debug, Parser)]
#[command(name = "git-seed", bin_name = "git seed", version, disable_help_subcommand = true)]
#[command(after_help = "Begin with: git seed init. See it first: git seed tour.")]
struct Arguments {
    /// Run as if started in this directory
    #[arg(short = 'C', value_name = "dir", global = true)]
    directory: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
    /// When to colour verdicts
    #[arg(long, value_name = "when", default_value = "auto", global = true)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Uninstall(uninstall::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    Tour(tour::TourArgs),
    Status(status::StatusArgs),
    Log(log::LogArgs),
    Show(show::ShowArgs),
    Why(why::WhyArgs),
    /// Jobs: list, show, create, update, move the focus
    Job {
        #[command(subcommand)]
        command: job::JobCommand,
    },
    /// Phases: where the job stands, and the steps on the map
    Phase {
        #[command(subcommand)]
        command: phase::PhaseCommand,
    },
    /// The plan document: decide, show
    Plan {
        #[command(subcommand)]
        command: plan::PlanCommand,
    },
    /// What changed outside the fence, and putting it back
    Fence {
        #[command(subcommand)]
        command: fence::FenceCommand,
    },
    /// Notes on the cycle's pages, and how they come to rest
    Note {
        #[command(subcommand)]
        command: note::NoteCommand,
    },
    /// Where condense stands
    Condense {
        #[command(subcommand)]
        command: condense::CondenseCommand,
    },
    /// Pages and knowledge: what leads nowhere, stands twice or is lost
    Memory {
        #[command(subcommand)]
        command: memory::MemoryCommand,
    },
    /// What was said to a job, summed up
    Summary {
        #[command(subcommand)]
        command: summary::SummaryCommand,
    },
    /// What a session leaves to the one that comes after
    Compact {
        #[command(subcommand)]
        command: compact::CompactCommand,
    },
    /// The records of the gate: shown, judged again, exported, signed
    Audit {
        #[command(subcommand)]
        command: audit::AuditCommand,
    },
    Verify(verify::VerifyArgs),
    /// What is said of the work, and what it rests on
    Claim {
        #[command(subcommand)]
        command: claim::ClaimCommand,
    },
    /// The side lane, for mending what blocks the work
    Gmode {
        #[command(subcommand)]
        command: gmode::GmodeCommand,
    },
    Reflect(reflect::ReflectArgs),
    /// The rules in force
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
    #[command(hide = true)]
    Rewritten(rewritten::RewrittenArgs),
    Man(man::ManArgs),
    Completions(man::CompletionsArgs),
    /// The version of this binary
    Version,
}

/// What every command is given.
pub(crate) struct Context {
    pub(crate) cwd: PathBuf,
}

impl Context {
    /// The repository around the working directory, where a boundary that was stopped
    /// between its commit and its step has been finished.
    pub(crate) fn seed(&self) -> Result<Seed, SeedError> {
        let seed = Seed::open(&self.cwd)?;
        if seed.pending().is_some() && seed.is_seeded()? {
            seed.finish_pending()?;
        }
        Ok(seed)
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    if let Some(args) = hook::plain(std::env::args_os()) {
        return hook::run(&args);
    }
    if let Some(args) = exec::plain(std::env::args_os()) {
        return exec::run(&args, &current_dir());
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return wrong_usage(&error),
    };
    if let Command::Hook(args) = &arguments.command {
        // Hosts read anything but 0 as a crash, and a crash lets the tool run.
        return hook::run(args);
    }
    let mut out = Report::new(arguments.json, arguments.color);
    let cwd = match &arguments.directory {
        Some(dir) => dir.clone(),
        None => current_dir(),
    };
    if let Command::Exec(args) = &arguments.command {
        return exec::run(args, &cwd);
    }
    let context = Context { cwd };
    let done = run(&arguments.command, &context, &mut out);
    let code = match done {
        Ok(Outcome::Yes) => 0,
        Ok(Outcome::Failed) => 1,
        Ok(Outcome::Refused) => 2,
        Err(error) => {
            out.error(&error);
            exit_code(&error)
        }
    };
    if out.finish().is_err() {
        return ExitCode::from(1);
    }
    ExitCode::from(code)
}

fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<SeedError>() {
        Some(SeedError::Usage(_)) => 64,
        Some(SeedError::Closed { .. }) => 2,
        _ => 1,
    }
}

/// clap says 2 for wrong usage, which hosts read as a refusal.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};
    let fine = matches!(error.kind(), DisplayHelp | DisplayVersion);
    // A closed pipe is no reason to fail here.
    let _ = error.print();
    if fine { ExitCode::SUCCESS } else { ExitCode::from(64) }
}

fn run(command: &Command, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    match command {
        Command::Init(args) => init::run(args, context, out),
        Command::Uninstall(args) => uninstall::run(args, context, out),
        Command::Doctor(args) => doctor::run(args, context, out),
        Command::Tour(args) => tour::run(args, out),
        Command::Status(args) => status::run(args, context, out),
        Command::Log(args) => log::run(args, context, out),
        Command::Show(args) => show::run(args, context, out),
        Command::Why(args) => why::run(args, context, out),
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
        Command::Claim { command } => claim::run(command, context, out),
        Command::Gmode { command } => gmode::run(command, context, out),
        Command::Reflect(args) => reflect::run(args, context, out),
        Command::Rules { command } => rules::run(command, context, out),
        Command::Off(args) => switch::off(args, context, out),
        Command::On(args) => switch::on(args, context, out),
        // Answered before a report exists.
        Command::Hook(_) | Command::Exec(_) => Ok(Outcome::Yes),
        Command::Githook(args) => githook::run(args, context, out),
        Command::Mcp(args) => mcp::run(args, context),
        Command::Rewritten(args) => rewritten::run(args, context),
        Command::Man(args) => man::man(args, out),
        Command::Completions(args) => man::completions(args, out),
        Command::Version => Ok(out.version(env!("CARGO_PKG_VERSION"))),
    }
}

/// The whole command line, for man pages and completions.
fn definition() -> clap::Command {
    Arguments::command()
}

/// Says a refusal and keeps it for `why`.
fn refuse(seed: &Seed, refusal: &Refusal, out: &mut Report) -> Outcome {
    let focused = seed.focused().ok().flatten();
    let phase = seed.row(focused.as_ref()).name.clone();
    let said = seed.remember_refusal(focused.as_ref(), refusal);
    let outcome = out.refused(&seed.say(focused.as_ref(), refusal, phase.as_str()));
    match said {
        Ok(example) => example.iter().for_each(|example| out.aside(example)),
        Err(error) => out.error(&error.into()),
    }
    outcome
}

/// Refuses a command that is a person's when no person may be assumed here.
fn require_person(seed: &Seed, command: &str) -> Result<Option<Refusal>, SeedError> {
    Ok(seed.is_person().err().map(|why| crate::phases::commands::persons_only(command, &why.to_string())))
}

/// A text argument: given as is, from a file, or from standard input with `-`.
#[derive(Clone, Debug, Default, clap::Args)]
struct TextArgs {
    /// The text
    #[arg(short = 'm', long = "message", value_name = "text")]
    message: Option<String>,
    /// Read the text from a file, or from standard input with `-`
    #[arg(short = 'F', long = "file", value_name = "file", conflicts_with = "message")]
    file: Option<OsString>,
}

impl TextArgs {
    /// The most bytes that are read.
    const MOST: u64 = 1024 * 1024;

    fn read(&self) -> anyhow::Result<String> {
        use anyhow::Context as _;
        use std::io::Read as _;
        let mut text = String::new();
        match (&self.message, &self.file) {
            (Some(message), _) => text.clone_from(message),
            (None, Some(file)) if file == "-" => {
                std::io::stdin()
                    .take(Self::MOST)
                    .read_to_string(&mut text)
                    .context("reading standard input")?;
            }
            (None, Some(file)) => {
                let open = std::fs::File::open(file).with_context(|| file.to_string_lossy().into_owned())?;
                open.take(Self::MOST)
                    .read_to_string(&mut text)
                    .with_context(|| file.to_string_lossy().into_owned())?;
            }
            (None, None) => {}
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
}

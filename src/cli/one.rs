//! The command line with one command in it, for who already named one.
//!
//! To make the definition of every command, and to parse with it, took a quarter of the
//! instructions of a command that takes a step. A line that names its command plainly is parsed
//! with the definition of that command alone. Whatever that one does not take (wrong words, a
//! question for help) is parsed by the whole definition, so that each answer is from there.

use std::ffi::{OsStr, OsString};
use std::mem::ManuallyDrop;

use clap::{Args, FromArgMatches as _, Subcommand};

use super::*;

/// What `words`, the whole command line, say, and the words of their command; `None` where the
/// whole definition has to be asked.
pub(super) fn parsed(words: &[OsString]) -> Option<(Arguments, String)> {
    let bare = clap::Command::new("git-seed").bin_name("git seed").disable_help_subcommand(true);
    let all = Globals::augment_args(bare).subcommand_required(true).arg_required_else_help(true);
    // Taking the definition apart would take as long as making it.
    let mut all = ManuallyDrop::new(all.subcommand(alone(named(words)?)?));
    let found = all.try_get_matches_from_mut(words).ok()?;
    let globals = Globals::from_arg_matches(&found).ok()?;
    let command = Command::from_arg_matches(&found).ok()?;
    Some((Arguments { globals, command }, name(&found)))
}

/// The word that names the command: the first that is no option of every command's, nor the value
/// of one.
fn named(words: &[OsString]) -> Option<&str> {
    let mut words = words.iter().skip(1).map(OsString::as_os_str);
    loop {
        let word = words.next().and_then(OsStr::to_str)?;
        match word {
            "--json" => {}
            "-C" | "--color" | "--multiplier" => drop(words.next()?),
            _ if word.starts_with("--color=") || word.starts_with("--multiplier=") => {}
            _ => return (!word.starts_with('-')).then_some(word),
        }
    }
}

/// The definition of one command; `None` where there is none, or where it is rarely given.
fn alone(name: &str) -> Option<clap::Command> {
    fn flat<A: Args>(name: &'static str) -> clap::Command {
        A::augment_args(clap::Command::new(name))
    }
    fn deep<S: Subcommand>(name: &'static str) -> clap::Command {
        let below = S::augment_subcommands(clap::Command::new(name));
        below.subcommand_required(true).arg_required_else_help(true)
    }
    Some(match name {
        "status" => flat::<status::StatusArgs>("status"),
        "statusline" => flat::<statusline::StatuslineArgs>("statusline"),
        "log" => flat::<log::LogArgs>("log"),
        "show" => flat::<show::ShowArgs>("show"),
        "why" => flat::<why::WhyArgs>("why"),
        "job" => deep::<job::JobCommand>("job"),
        "phase" => deep::<phase::PhaseCommand>("phase"),
        "plan" => deep::<plan::PlanCommand>("plan"),
        "fence" => deep::<fence::FenceCommand>("fence"),
        "note" => deep::<note::NoteCommand>("note"),
        "condense" => deep::<condense::CondenseCommand>("condense"),
        "memory" => deep::<memory::MemoryCommand>("memory"),
        "summary" => deep::<summary::SummaryCommand>("summary"),
        "compact" => deep::<compact::CompactCommand>("compact"),
        "audit" => deep::<audit::AuditCommand>("audit"),
        "verify" => flat::<verify::VerifyArgs>("verify"),
        "land" => flat::<land::LandArgs>("land"),
        "sync" => flat::<sync::SyncArgs>("sync"),
        "undo" => flat::<undo::UndoArgs>("undo"),
        "redo" => flat::<undo::RedoArgs>("redo"),
        "op" => deep::<op::OpCommand>("op"),
        "claim" => deep::<claim::ClaimCommand>("claim"),
        "gmode" => deep::<gmode::GmodeCommand>("gmode"),
        "reflect" => flat::<reflect::ReflectArgs>("reflect"),
        "agents" => flat::<agents::AgentsArgs>("agents"),
        "rules" => deep::<rules::RulesCommand>("rules"),
        "off" => flat::<switch::OffArgs>("off"),
        "on" => flat::<switch::OnArgs>("on"),
        "exec" => flat::<exec::ExecArgs>("exec"),
        "hook" => flat::<hook::HookArgs>("hook"),
        "githook" => flat::<githook::GithookArgs>("githook"),
        "mcp" => flat::<mcp::McpArgs>("mcp"),
        "merge-pages" => flat::<merge_pages::MergePagesArgs>("merge-pages"),
        "rewritten" => flat::<rewritten::RewrittenArgs>("rewritten"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both definitions make of a line, in words.
    fn both(line: &[&str]) -> (Option<String>, Option<String>) {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        let shown = |(arguments, name): (Arguments, String)| format!("{name}: {arguments:?}");
        let whole = definition()
            .try_get_matches_from(&words)
            .and_then(|found| Ok(shown((Arguments::from_arg_matches(&found)?, name(&found)))));
        (parsed(&words).map(shown), whole.ok())
    }

    /// Each command line below `command`, with the least that parses, and one with each option.
    fn lines(command: &clap::Command, words: &[String], found: &mut Vec<Vec<String>>) {
        for below in command.get_subcommands() {
            let words = [words, &[below.get_name().to_owned()]].concat();
            lines(below, &words, found);
        }
        let value = |argument: &clap::Arg| {
            let known = argument.get_possible_values();
            let first = known.first().map(|value| value.get_name().to_owned());
            let takes = argument.get_action().takes_values();
            takes.then(|| first.unwrap_or_else(|| "1".to_owned()))
        };
        let said = |argument: &clap::Arg| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            long.or(short).into_iter().chain(value(argument)).collect::<Vec<_>>()
        };
        let needed = command.get_arguments().filter(|argument| argument.is_required_set());
        let least: Vec<String> = words.iter().cloned().chain(needed.flat_map(said)).collect();
        for argument in command.get_arguments() {
            found.push(least.iter().cloned().chain(said(argument)).collect());
        }
        found.push(least);
    }

    #[test]
    fn one_command_is_read_as_all_of_them_read_it() {
        let mut found = Vec::new();
        lines(&definition(), &["git-seed".to_owned()], &mut found);
        let (mut taken, mut alike) = (0, 0);
        for line in found {
            let line: Vec<&str> = line.iter().map(String::as_str).collect();
            for before in [&[][..], &["--json", "-C", "status", "--color=never"]] {
                let line = [&line[..1], before, &line[1..]].concat();
                let (one, whole) = both(&line);
                taken += usize::from(one.is_some());
                alike += usize::from(whole.is_some());
                // What one definition does not take is asked of the other.
                assert!(one.is_none() || one == whole, "{line:?}\n{one:?}\n{whole:?}");
            }
        }
        assert!(taken > 300 && taken * 10 > alike * 8, "{taken} of {alike}");
    }

    #[test]
    fn what_names_no_command_plainly_is_left_to_the_whole_definition() {
        for line in [
            &["git-seed"][..],
            &["git-seed", "stat"],
            &["git-seed", "statu", "--json"],
            &["git-seed", "--", "status"],
            &["git-seed", "-h"],
            &["git-seed", "--version"],
            &["git-seed", "status", "--help"],
            &["git-seed", "status", "more"],
            &["git-seed", "job"],
            &["git-seed", "job", "update", "--nam", "x"],
            &["git-seed", "phase", "advance", "--help"],
            &["git-seed", "-C"],
            &["git-seed", "--colour", "status"],
            &["git-seed", "--color", "loud", "status"],
        ] {
            assert_eq!(both(line).0, None, "{line:?}");
        }
        for line in [
            &["git-seed", "job", "update", "--json", "--name", "--", "-C"][..],
            &["git-seed", "-Cx", "status"],
            &["git-seed", "--json", "--multiplier", "job", "phase", "current"],
            &["git-seed", "phase", "advance", "-m", "status", "--scope", "a", "--scope=b"],
            &["git-seed", "exec", "--", "status", "--json"],
            &["git-seed", "status", "--json", "--json"],
        ] {
            let (one, whole) = both(line);
            assert!(one.is_none() || one == whole, "{line:?}\n{one:?}\n{whole:?}");
        }
        let (one, whole) = both(&["git-seed", "--color", "never", "phase", "current", "--json"]);
        assert!(one.is_some() && one == whole, "{one:?}");
    }

    /// A command that is missing here is slower and nothing else, so these are named.
    #[test]
    fn only_commands_that_are_given_seldom_are_missing() {
        let all = definition();
        let names = all.get_subcommands().map(clap::Command::get_name);
        let missing: Vec<&str> = names.filter(|name| alone(name).is_none()).collect();
        let seldom = [
            "init",
            "uninstall",
            "doctor",
            "tour",
            "watch",
            "report",
            "stats",
            "upgrade",
            "plugin",
            "help",
            "man",
            "completions",
            "version",
        ];
        assert_eq!(missing, seldom);
        for name in all.get_subcommands().map(clap::Command::get_name) {
            let Some(mut one) = alone(name) else { continue };
            let whole = all.find_subcommand(name).expect("it is there").clone();
            // Neither has the sentence of the variant, which is help's.
            let arguments =
                |of: &clap::Command| format!("{:?}", of.get_arguments().collect::<Vec<_>>());
            assert_eq!(arguments(&one), arguments(&whole), "{name}");
            one.build();
        }
    }
}

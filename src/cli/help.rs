//! `git seed help`, and what every help shows beside the definitions: examples, and commands by
//! who uses them.
//!
//! The examples stand in `src/cli/examples.txt`, a block for each command. They are put in only
//! where help is shown, so that no other command pays for them.

use super::{definition, width};

/// Explain a command, or list all commands
///
/// `git seed help` prints the short list, and `git seed help <command>` what a command does, its
/// options and examples. `git seed man <command>` opens the man page.
#[derive(Debug, clap::Args)]
pub(super) struct HelpArgs {
    /// The command, such as `phase advance`; all of them when omitted
    #[arg(value_name = "command")]
    command: Vec<String>,
}

/// Commands by who uses them; a test wants each in one group.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Commands for people",
        &[
            "init",
            "status",
            "why",
            "watch",
            "report",
            "stats",
            "land",
            "sync",
            "undo",
            "redo",
            "upgrade",
            "off",
            "on",
            "tour",
            "doctor",
            "plugin",
            "uninstall",
        ],
    ),
    (
        "Commands for agents",
        &[
            "phase", "plan", "note", "condense", "memory", "summary", "compact", "claim", "gmode",
            "reflect", "exec",
        ],
    ),
    (
        "Commands for both",
        &[
            "log", "show", "job", "fence", "verify", "audit", "rules", "op", "agents", "help",
            "man", "version",
        ],
    ),
    ("Commands that programs run", &["statusline", "hook", "githook", "mcp", "completions"]),
];

/// Where what a command does begins, behind its name.
const BESIDE: usize = 15;

/// The answer to `git seed help`, as clap gives it: help, or why there is none.
pub(super) fn answer(args: &HelpArgs) -> Option<clap::Error> {
    let asked = if args.command.is_empty() { "-h" } else { "--help" };
    let words = args.command.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let line: Vec<&str> = ["git-seed"].into_iter().chain(words).chain([asked]).collect();
    with_examples().try_get_matches_from(line).err()
}

/// The answer to the arguments of this process, which asked for help.
pub(super) fn answer_here() -> Option<clap::Error> {
    with_examples().try_get_matches().err()
}

/// The definitions with what only help shows.
fn with_examples() -> clap::Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}\
         {{after-help}}",
        groups()
    );
    let all = exemplified(definition(), "").help_template(template);
    // Lines for a terminal are folded where they are printed, which keeps commands whole.
    if width::at_terminal().is_some() { all.term_width(0) } else { all }
}

fn exemplified(command: clap::Command, path: &str) -> clap::Command {
    let command = command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        exemplified(below, path.trim_start())
    });
    let lines: String = examples(path).map(|line| format!("  {line}\n")).collect();
    if lines.is_empty() {
        return command;
    }
    command.after_help(format!("Examples:\n{}", lines.trim_end_matches('\n')))
}

/// The lines of the block that belongs to `path`, such as `phase advance`.
pub(super) fn examples(path: &str) -> impl Iterator<Item = &'static str> {
    let head = format!("[{path}]");
    let mut lines = include_str!("examples.txt").lines();
    let found = lines.by_ref().any(|line| line == head);
    lines.take_while(move |line| found && !line.is_empty())
}

/// The groups with the commands in them and what these do, for lists and for git-seed(1).
pub(super) fn grouped() -> Vec<(&'static str, Vec<(String, String)>)> {
    let all = definition();
    let about = |name: &&str| {
        let command = all.find_subcommand(name)?;
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        Some(((*name).to_owned(), about))
    };
    GROUPS.iter().map(|(title, names)| (*title, names.iter().filter_map(about).collect())).collect()
}

fn groups() -> String {
    let columns = width::columns();
    let mut text = String::new();
    for (title, commands) in grouped() {
        text += &format!("{title}:\n");
        for (name, about) in commands {
            text += &width::beside(&name, &about, BESIDE, columns);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use std::collections::BTreeSet;

    /// Every command that is shown, by the words after `git seed`.
    fn paths(command: &clap::Command, above: &str, found: &mut Vec<String>) {
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            let path = format!("{above} {}", below.get_name()).trim_start().to_owned();
            paths(below, &path, found);
            found.push(path);
        }
    }

    /// A command by itself, with a word behind it, and with each of its options.
    fn with_options(name: &str, command: &clap::Command) -> Vec<String> {
        let options = command.get_arguments().filter_map(clap::Arg::get_long);
        let forms = options.map(|option| format!("{name} --{option}"));
        [name.to_owned(), format!("{name} word")].into_iter().chain(forms).collect()
    }

    /// The table by which lines of the shell are judged knows each command, and no other.
    #[test]
    fn the_table_of_the_guard_has_each_command() {
        let all = definition();
        let mut typed: Vec<String> = Vec::new();
        for command in all.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = command.get_name();
            let verbs: Vec<_> =
                command.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
            for verb in &verbs {
                typed.extend(with_options(&format!("{name} {}", verb.get_name()), verb));
            }
            if verbs.is_empty() {
                typed.extend(with_options(name, command));
            }
        }
        assert!(typed.iter().any(|line| line == "man --install"), "{typed:?}");
        let known = |line: &str| {
            let reading = crate::shell::read(&format!("git seed {line}"));
            !reading.found.iter().any(|one| one.no_command)
        };
        for line in &typed {
            assert!(known(line), "src/shell/seed.toml lacks {line}");
        }
        for line in ["frobnicate", "condense deflate", "plan status", "phase", "job depend x"] {
            assert!(!known(line), "{line}");
        }
        for line in ["phase --help", "help phase", "--version", "job approve x", "rules apply"] {
            assert!(known(line), "{line}");
        }
    }

    /// A line as a shell splits it, up to a comment, a redirection or a pipe.
    fn words(line: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '\'' => quoted = !quoted,
                '#' | '>' | '<' | '|' | '&' if !quoted => break,
                ' ' if !quoted => found.push(String::new()),
                c => found.last_mut().expect("one word").push(c),
            }
        }
        found.retain(|word| !word.is_empty());
        found
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let mut known = Vec::new();
        paths(&definition(), "", &mut known);
        assert!(known.len() > 80, "{}", known.len());
        for path in &known {
            let mut shown = 0;
            for line in examples(path) {
                assert!(line.chars().count() < 80, "{line}");
                let own = line.split("&& ").find(|part| {
                    part.replace("git-seed ", "git seed ").starts_with(&format!("git seed {path}"))
                });
                let own = own.unwrap_or_else(|| panic!("[{path}] shows another command: {line}"));
                let mut words = words(&own.replace("git-seed ", "git seed "));
                words.splice(..2, ["git-seed".to_owned()]);
                if let Err(bad) = super::super::Arguments::try_parse_from(&words) {
                    panic!("{line}\n{bad}");
                }
                shown += 1;
            }
            assert!(shown > 0, "src/cli/examples.txt has no [{path}]");
        }
        let heads = include_str!("examples.txt").lines().filter(|line| line.starts_with('['));
        let known: BTreeSet<String> = known.into_iter().map(|path| format!("[{path}]")).collect();
        let strange: Vec<_> = heads.filter(|head| !known.contains(*head)).collect();
        assert!(strange.is_empty(), "no command has this name: {strange:?}");
    }

    #[test]
    fn every_command_stands_in_one_group() {
        let all = definition();
        let shown = all.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = shown.map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names, "GROUPS in src/cli/help.rs");
    }

    #[test]
    fn help_of_a_command_shows_its_examples() {
        let args = |words: &[&str]| HelpArgs {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let told = answer(&args(&["phase", "back"])).expect("help").to_string();
        let example = "Examples:\n  git seed phase back execute -m 'a doubled backslash";
        assert!(told.contains(example), "{told}");
        let list = answer(&args(&[])).expect("help").to_string();
        for (title, _) in GROUPS {
            assert!(list.contains(&format!("\n{title}:\n  ")), "{list}");
        }
        assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
        let wrong = answer(&args(&["phase", "bakc"])).expect("an error");
        assert_eq!(wrong.kind(), clap::error::ErrorKind::InvalidSubcommand);
    }
}

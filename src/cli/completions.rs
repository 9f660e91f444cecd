//! `git seed completions`: bash from the definitions, other shells by `clap_complete`.
//!
//! git's own completion in bash calls `_git_seed` for `git seed …`, so that is the name of the
//! function; it also completes `git-seed …`. zsh's calls `_git-seed`, and fish's asks what
//! `git-seed …` would be completed to. Ids of jobs come from git's refs alone: nothing of git seed
//! runs while somebody types. Which arguments take one is told once, by [`known`], for bash, zsh
//! and fish.

use clap::ValueHint;
use clap_complete::Shell;

use super::{Outcome, definition, report::Report};

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell to print completions for
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    out.raw(&match args.shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
        other => generated(other, definition()),
    });
    Ok(Outcome::Yes)
}

/// What `clap_complete` makes of the definitions.
fn generated(shell: Shell, mut all: clap::Command) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut all, "git-seed", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Names of arguments that take the id of a job.
const OF_JOBS: [&str; 4] = ["id", "job", "dependency", "object"];

/// What an argument may be.
enum Known {
    Jobs,
    Values(Vec<String>),
}

/// What is known of an argument; nothing where it takes no value, or any.
fn known(argument: &clap::Arg) -> Option<Known> {
    if argument.is_positional() && OF_JOBS.contains(&argument.get_id().as_str()) {
        return Some(Known::Jobs);
    }
    let values = argument.get_possible_values();
    let values: Vec<String> = values.iter().map(|value| value.get_name().to_owned()).collect();
    let takes = argument.get_action().takes_values() && !values.is_empty();
    takes.then_some(Known::Values(values))
}

/// Commands below `command` that are shown.
fn below(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

// ---- bash

/// What may follow, by the words before it: lines of three `case`s.
#[derive(Default)]
struct Cases {
    words: String,
    options: String,
    values: String,
}

fn bash() -> String {
    let mut all = definition();
    all.build();
    let mut cases = Cases::default();
    cases.take(&all, "");
    let Cases { words, options, values } = cases;
    include_str!("completions.bash")
        .replace("    {{words}}\n", &words)
        .replace("    {{options}}\n", &options)
        .replace("    {{values}}\n", &values)
}

impl Cases {
    fn take(&mut self, command: &clap::Command, path: &str) {
        let names: Vec<&str> = below(command).map(clap::Command::get_name).collect();
        if !names.is_empty() {
            self.words += &case(path, &format!("echo {}", names.join(" ")));
        }
        let longs: Vec<String> = command
            .get_arguments()
            .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
            .collect();
        self.options += &case(path, &format!("echo {}", longs.join(" ")));
        let mut positional = false;
        for argument in command.get_arguments() {
            let answer = match known(argument) {
                Some(Known::Jobs) => "__git_seed_jobs".to_owned(),
                Some(Known::Values(values)) => format!("echo {}", values.join(" ")),
                None => continue,
            };
            if let Some(long) = argument.get_long() {
                self.values += &case(&format!("{path} --{long}"), &answer);
            } else if argument.is_positional() && !positional {
                positional = true;
                self.values += &case(path, &answer);
            }
        }
        for sub in below(command) {
            self.take(sub, format!("{path} {}", sub.get_name()).trim_start());
        }
    }
}

fn case(words: &str, answer: &str) -> String {
    format!("    \"{}\") {answer} ;;\n", words.trim_start())
}

// ---- zsh

/// What `clap_complete` has zsh call for this hint, which no argument of ours has; the function of
/// the jobs takes its place.
const HINT: (ValueHint, &str) = (ValueHint::EmailAddress, ":_email_addresses'");

fn zsh() -> String {
    let text = generated(Shell::Zsh, hinted(definition()));
    let text = text.replace(HINT.1, ":__git_seed_jobs'");
    // Where the file is read as a function, all of it is read before the last lines call it.
    let jobs = include_str!("completions.zsh");
    text.replacen("\n_git-seed() {\n", &format!("\n{jobs}\n_git-seed() {{\n"), 1)
}

/// The definitions with the hint on each argument that takes the id of a job.
fn hinted(command: clap::Command) -> clap::Command {
    let hint = |argument: clap::Arg| match known(&argument) {
        Some(Known::Jobs) => argument.value_hint(HINT.0),
        _ => argument,
    };
    command.mut_args(hint).mut_subcommands(hinted)
}

// ---- fish

/// `clap_complete` has nothing for fish behind a command but options: what else may stand there
/// follows.
fn fish() -> String {
    let mut all = definition();
    all.build();
    let mut text = generated(Shell::Fish, definition()) + include_str!("completions.fish");
    for command in below(&all) {
        let using = format!("__fish_git_seed_using_subcommand {}", command.get_name());
        if below(command).next().is_none() {
            text += &positional(command, &using);
        }
        for verb in below(command) {
            let seen = format!("{using}; and __fish_seen_subcommand_from {}", verb.get_name());
            text += &positional(verb, &seen);
        }
    }
    text
}

/// A line for what may stand behind a command; `when` is the condition.
fn positional(command: &clap::Command, when: &str) -> String {
    let answer = match command.get_positionals().find_map(known) {
        Some(Known::Jobs) => "(__git_seed_jobs)".to_owned(),
        Some(Known::Values(values)) => values.join(" "),
        None => return String::new(),
    };
    format!("complete -c git-seed -n \"{when}\" -f -a \"{answer}\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_bash_know_words_options_and_values() {
        let text = bash();
        assert!(!text.contains("{{"), "{text}");
        for line in [
            "    \"note\") echo list resolve carry ;;",
            "    \"--color\") echo auto always never ;;",
            "    \"job activate\") __git_seed_jobs ;;",
            "    \"completions\") echo bash elvish fish powershell zsh ;;",
        ] {
            assert!(text.lines().any(|known| known == line), "no {line:?} in\n{text}");
        }
        let tour = text.lines().find(|line| line.starts_with("    \"tour\") "));
        assert!(tour.is_some_and(|line| line.contains("--keep")), "{tour:?}");
        assert!(!text.contains("rewritten"), "a hidden command is nobody's to type");
    }

    /// Commands whose first argument is the id of a job, as each of the three scripts says it.
    #[test]
    fn the_three_shells_ask_for_jobs_behind_the_same_commands() {
        let mut all = definition();
        all.build();
        let mut wanted = Vec::new();
        for command in below(&all) {
            for verb in std::iter::once(command).chain(below(command)) {
                let jobs = |argument: &clap::Arg| matches!(known(argument), Some(Known::Jobs));
                if verb.get_positionals().any(jobs) {
                    let own = command.get_name() == verb.get_name();
                    let above = if own { "" } else { command.get_name() };
                    wanted.push((above.to_owned(), verb.get_name().to_owned()));
                }
            }
        }
        assert!(wanted.len() > 10, "{wanted:?}");
        let (bash, zsh, fish) = (bash(), zsh(), fish());
        for (above, name) in &wanted {
            let path = format!("{above} {name}");
            let line = format!("    \"{}\") __git_seed_jobs ;;", path.trim_start());
            assert!(bash.lines().any(|known| known == line), "bash: {line}");
            let using = if above.is_empty() { name } else { above };
            let mut when = format!("__fish_git_seed_using_subcommand {using}");
            if !above.is_empty() {
                when += &format!("; and __fish_seen_subcommand_from {name}");
            }
            let line = format!("complete -c git-seed -n \"{when}\" -f -a \"(__git_seed_jobs)\"");
            assert!(fish.lines().any(|known| known == line), "fish: {line}");
        }
        let ends = "__git_seed_jobs' \\";
        assert!(zsh.lines().filter(|line| line.ends_with(ends)).count() >= wanted.len(), "{zsh}");
        assert!(!zsh.contains("_email"), "each has its function");
        assert!(zsh.find("__git_seed_jobs() {") < zsh.find("\n_git-seed() {"), "{zsh}");
    }
}

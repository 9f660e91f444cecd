//! `git seed completions`: bash from the definitions, other shells by `clap_complete`.
//!
//! git's own completion in bash calls `_git_seed` for `git seed …`, so that is the name of the
//! function; it also completes `git-seed …`. Ids of jobs come from git's refs alone: nothing of
//! git seed runs while somebody types.

use clap_complete::Shell;

use super::{Outcome, definition, report::Report};

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell to print completions for
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    if args.shell == Shell::Bash {
        out.raw(&bash());
        return Ok(Outcome::Yes);
    }
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut definition(), "git-seed", &mut text);
    out.raw(&String::from_utf8_lossy(&text));
    Ok(Outcome::Yes)
}

/// Names of arguments that take the id of a job.
const OF_JOBS: [&str; 4] = ["id", "job", "dependency", "object"];

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
        let below: Vec<_> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
        let names: Vec<&str> = below.iter().map(|below| below.get_name()).collect();
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
            let values: Vec<String> = argument
                .get_possible_values()
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect();
            let takes = argument.get_action().takes_values();
            let ids = argument.is_positional() && OF_JOBS.contains(&argument.get_id().as_str());
            let known = match (ids, values.is_empty()) {
                (true, _) => "__git_seed_jobs".to_owned(),
                (false, false) if takes => format!("echo {}", values.join(" ")),
                _ => continue,
            };
            if let Some(long) = argument.get_long() {
                self.values += &case(&format!("{path} --{long}"), &known);
            } else if argument.is_positional() && !positional {
                positional = true;
                self.values += &case(path, &known);
            }
        }
        for sub in below {
            self.take(sub, format!("{path} {}", sub.get_name()).trim_start());
        }
    }
}

fn case(words: &str, answer: &str) -> String {
    format!("    \"{}\") {answer} ;;\n", words.trim_start())
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
}

//! `git seed man`: the pages, from the same definitions as the help, to read, to write and to
//! put where `man` finds them.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::failure::{Failure, While as _};
use super::man_places::{self, Put, User};
use super::{Outcome, definition, help, plain_page, report::Report, width};
use crate::voice::{self, Notice};
use crate::world;

/// Open a man page, or write the pages to a directory
///
/// Opens the page in `man` where there is a terminal, and prints it as plain text elsewhere.
/// Without a page it is git-seed(1). The pages of section 5 and 7 are `5 rules`, `formats`,
/// `plans` and `memory` (`7 memory`).
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// The page: a command such as `phase advance`, with the section before it where two have
    /// the name
    #[arg(value_name = "page", conflicts_with_all = ["to", "install", "remove"])]
    page: Vec<String>,
    /// Write all man pages to this directory
    #[arg(long, value_name = "dir", conflicts_with_all = ["install", "remove"])]
    to: Option<PathBuf>,
    /// Put all pages where `man` finds them: beside the program, or below ~/.local/share/man
    ///
    /// `init` does it too. Pages of this command stay until `--remove`, those of `init` until the
    /// last repository that has git seed is rid of it.
    #[arg(long, conflicts_with = "remove")]
    install: bool,
    /// Take out the pages that --install or `init` put there
    #[arg(long)]
    remove: bool,
}

pub(super) fn run(args: &ManArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    if let Some(dir) = &args.to {
        for (name, page) in pages()? {
            write(dir, &name, &page)?;
            out.line(dir.join(name).display());
        }
        return Ok(Outcome::Yes);
    }
    if args.install {
        return install(out);
    }
    if args.remove {
        return remove(out);
    }
    let (name, page) = asked_for(&args.page)?;
    if !(std::io::stdout().is_terminal() && !out.is_json() && reads_in_man(&name, &page)?) {
        let page = String::from_utf8_lossy(&page);
        out.raw(&plain_page::plain(&page, width::columns()));
    }
    Ok(Outcome::Yes)
}

/// The page that these words name, and its file's name.
fn asked_for(words: &[String]) -> crate::cli::Result<(String, Vec<u8>)> {
    let section = words.first().filter(|word| ["1", "5", "7"].contains(&word.as_str()));
    let rest = &words[usize::from(section.is_some())..];
    let name = rest.join("-");
    let name = name.trim_start_matches("git-seed").trim_start_matches('-');
    let name = if name.is_empty() { "git-seed".to_owned() } else { format!("git-seed-{name}") };
    let all = pages()?;
    let sections = section.map_or(vec!["1", "7", "5"], |section| vec![section.as_str()]);
    let mut files = sections.into_iter().map(|section| format!("{name}.{section}"));
    let found = files.find_map(|file| all.iter().find(|(known, _)| *known == file));
    let missing = || Failure::new(voice::tell(Notice::ManNoPage, &[("name", &words.join(" "))]));
    found.cloned().ok_or_else(missing)
}

/// True when `man` showed the page.
fn reads_in_man(name: &str, page: &[u8]) -> crate::cli::Result<bool> {
    let dir = tempfile::tempdir()?;
    write(dir.path(), name, page)?;
    let shown = Command::new("man").arg("-l").arg(dir.path().join(name)).status();
    Ok(shown.is_ok_and(|status| status.success()))
}

fn write(dir: &Path, name: &str, page: &[u8]) -> crate::cli::Result<()> {
    let file = dir.join(name);
    world::write_whole(&file, page).at(|| file.display().to_string())
}

fn install(out: &mut Report) -> crate::cli::Result<Outcome> {
    let Some(Put { place, pages }) = man_places::put(&User::Person)? else {
        return Err(Failure::new(voice::tell(Notice::ManNoPlace, &[])));
    };
    out.json(&serde_json::json!({ "dir": place, "pages": pages }));
    out.pair("wrote", format_args!("{pages} man pages   {}", place.display()));
    let looks = Command::new("man").args(["-w", "git-seed"]).output();
    if looks.is_ok_and(|looks| !looks.status.success()) {
        let dir = place.display().to_string();
        out.pair("note", voice::tell(Notice::ManElsewhere, &[("dir", &dir)]));
    }
    out.pair("try", "man git-seed");
    out.pair("undo", "git seed man --remove");
    Ok(Outcome::Yes)
}

fn remove(out: &mut Report) -> crate::cli::Result<Outcome> {
    let mut removed = 0;
    for Put { place, pages } in man_places::take_out()? {
        removed += pages;
        out.pair("removed", format_args!("{pages} man pages   {}", place.display()));
    }
    out.json(&serde_json::json!({ "removed": removed }));
    Ok(Outcome::Yes)
}

// ---- what they say

/// A page for the program, one for each command, one for `seed.toml`, for what is stored, for plans
/// and for memory.
pub(super) fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let command = definition().disable_help_flag(false);
    let mut pages = vec![("git-seed.1".to_owned(), page(command.clone().name("git-seed"), "")?)];
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let path = sub.get_name();
        let named = sub.clone().name(format!("git-seed-{path}"));
        let named = named.version(env!("CARGO_PKG_VERSION"));
        pages.push((format!("git-seed-{path}.1"), page(named, path)?));
        for verb in sub.get_subcommands() {
            let path = format!("{path} {}", verb.get_name());
            let name = format!("git-seed-{}", path.replace(' ', "-"));
            let named = verb.clone().name(name.clone()).version(env!("CARGO_PKG_VERSION"));
            pages.push((format!("{name}.1"), page(named, &path)?));
        }
    }
    pages.push(("git-seed-rules.5".to_owned(), super::manual::rules().into_bytes()));
    pages.push(("git-seed-formats.5".to_owned(), super::manual::formats().into_bytes()));
    pages.push(("git-seed-plans.7".to_owned(), super::manual::plans().into_bytes()));
    pages.push(("git-seed-memory.7".to_owned(), super::manual::memory().into_bytes()));
    Ok(pages)
}

/// The page of the command that `path` names; an empty one is git seed as a whole.
fn page(command: clap::Command, path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let has_verbs = command.has_subcommands();
    let synopsis = synopsis(&command, path);
    let man = clap_mangen::Man::new(command).date("2026-11");
    man.render_title(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    bytes.extend_from_slice(synopsis.as_bytes());
    man.render_description_section(&mut bytes)?;
    man.render_options_section(&mut bytes)?;
    if path.is_empty() {
        bytes.extend_from_slice(by_user().as_bytes());
    } else if has_verbs {
        man.render_subcommands_section(&mut bytes)?;
    }
    let examples: Vec<&str> = help::examples(path).collect();
    if !examples.is_empty() {
        bytes.extend_from_slice(super::manual::examples(&examples).as_bytes());
    }
    man.render_version_section(&mut bytes)?;
    Ok(marked(&begun_once(&String::from_utf8_lossy(&bytes))).into_bytes())
}

/// `clap_mangen` begins each section that it renders alone with the same two lines; the first of
/// them are enough.
fn begun_once(text: &str) -> String {
    let end = text.match_indices('\n').nth(1).map_or(0, |(end, _)| end + 1);
    let (head, rest) = text.split_at(end);
    format!("{head}{}", if head.is_empty() { rest.to_owned() } else { rest.replace(head, "") })
}

/// How a command is called: each option in the form that is shorter, with the name of its value.
fn synopsis(command: &clap::Command, path: &str) -> String {
    let dashed = |word: &str| word.replace('-', r"\-");
    let value = |arg: &clap::Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let names = names.iter().map(|name| format!(r"\fI<{}>\fR", dashed(&name.to_lowercase())));
        names.collect::<Vec<_>>().join(" ")
    };
    let mut words = vec![format!(r"\fB{}\fR", dashed(format!("git seed {path}").trim_end()))];
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let takes = arg.get_action().takes_values();
        let option = match (arg.get_short(), arg.get_long()) {
            (Some(short), _) => Some(format!("-{short}")),
            (None, Some(long)) => Some(format!("--{long}")),
            (None, None) => None,
        };
        let mut word = match option {
            Some(option) if takes => format!(r"\fB{}\fR {}", dashed(&option), value(arg)),
            Some(option) => format!(r"\fB{}\fR", dashed(&option)),
            None => value(arg),
        };
        if arg.get_num_args().is_some_and(|most| most.max_values() > 1) {
            word += r" \&.\|.\|.";
        }
        words.push(if arg.is_required_set() { word } else { format!("[{word}]") });
    }
    if command.has_subcommands() {
        words.push(r"\fI<command>\fR".to_owned());
    }
    format!(".SH SYNOPSIS\n{}\n", words.join("\n"))
}

/// What a text has between backticks is bold on paper.
fn marked(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let ticks = line.matches('`').count();
        if ticks == 0 || ticks % 2 == 1 || line.starts_with('.') {
            page.push_str(line);
            continue;
        }
        for (n, part) in line.split('`').enumerate() {
            page.push_str(if n == 0 {
                ""
            } else if n % 2 == 1 {
                r"\fB"
            } else {
                r"\fR"
            });
            page.push_str(part);
        }
    }
    page
}

/// All commands, by who uses them.
fn by_user() -> String {
    let mut text = String::new();
    for (title, commands) in help::grouped() {
        text += &format!(".SH {}\n", title.to_uppercase());
        text += &super::manual::commands(&commands);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_pages_are_current() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
        for (name, page) in pages().expect("pages") {
            let committed = std::fs::read(dir.join(&name)).unwrap_or_default();
            assert!(committed == page, "{name} is old: cargo run -- man --to man");
        }
        let committed = std::fs::read_dir(&dir).expect("man/").count();
        assert_eq!(committed, pages().expect("pages").len(), "man/ holds a page of no command");
    }

    #[test]
    fn a_page_is_found_by_the_words_of_its_command() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (asked, file) in [
            ("git-seed", "git-seed.1"),
            ("phase advance", "git-seed-phase-advance.1"),
            ("git-seed-phase", "git-seed-phase.1"),
            ("rules", "git-seed-rules.1"),
            ("5 rules", "git-seed-rules.5"),
            ("plans", "git-seed-plans.7"),
            ("formats", "git-seed-formats.5"),
        ] {
            assert_eq!(asked_for(&words(asked)).map(|(name, _)| name).ok().as_deref(), Some(file));
        }
        assert!(asked_for(&words("phase bakc")).is_err());
        assert_eq!(asked_for(&[]).map(|(name, _)| name).ok().as_deref(), Some("git-seed.1"));
    }
}

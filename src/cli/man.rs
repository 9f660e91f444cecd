//! `git seed man` and `git seed completions`

use std::path::{Path, PathBuf};

use super::failure::While as _;
use super::{Outcome, definition, report::Report};

/// Print git-seed(1), or write all man pages to a directory
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write all man pages to this directory
    #[arg(long, value_name = "dir")]
    to: Option<PathBuf>,
}

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell to print completions for
    shell: clap_complete::Shell,
}

pub(super) fn man(args: &ManArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    if let Some(dir) = &args.to {
        for (name, page) in pages()? {
            write(dir, &name, &page)?;
            out.line(dir.join(name).display());
        }
    } else {
        let all = pages()?;
        let page = all.iter().find(|(name, _)| name == "git-seed.1").map(|(_, page)| page.clone());
        out.raw(&String::from_utf8_lossy(&page.unwrap_or_default()));
    }
    Ok(Outcome::Yes)
}

fn write(dir: &Path, name: &str, page: &[u8]) -> crate::cli::Result<()> {
    let file = dir.join(name);
    crate::world::write_whole(&file, page).at(|| file.display().to_string())
}

pub(super) fn completions(args: &CompletionsArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut definition(), "git-seed", &mut text);
    out.raw(&String::from_utf8_lossy(&text));
    Ok(Outcome::Yes)
}

/// A page for the program, one for each command, one for `seed.toml` and one for memory.
pub(super) fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let command = definition().disable_help_flag(false);
    let mut pages = vec![("git-seed.1".to_owned(), page(command.clone().name("git-seed"))?)];
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = format!("git-seed-{}", sub.get_name());
        pages.push((
            format!("{name}.1"),
            page(sub.clone().name(name).version(env!("CARGO_PKG_VERSION")))?,
        ));
        for verb in sub.get_subcommands() {
            let name = format!("git-seed-{}-{}", sub.get_name(), verb.get_name());
            pages.push((
                format!("{name}.1"),
                page(verb.clone().name(name).version(env!("CARGO_PKG_VERSION")))?,
            ));
        }
    }
    pages.push(("git-seed-rules.5".to_owned(), super::manual::rules().into_bytes()));
    pages.push(("git-seed-plans.7".to_owned(), super::manual::plans().into_bytes()));
    pages.push(("git-seed-memory.7".to_owned(), super::manual::memory().into_bytes()));
    Ok(pages)
}

fn page(command: clap::Command) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command).date("2026-11").render(&mut bytes)?;
    Ok(bytes)
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
}

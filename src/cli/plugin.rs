//! `git seed plugin`

use std::path::{Path, PathBuf};

use super::failure::While as _;
use super::{Outcome, report::Report};
use crate::engine::repo::EngineError;
use crate::hosts::{self, plugin};
use crate::voice::{self, Notice};
use crate::world;

/// Write a host's plugin to a directory: hook lines, skills and commands that travel
///
/// For Claude Code it is a plugin with the manifest of a marketplace, for Gemini CLI an extension,
/// for opencode an npm package. The hook lines are those that init writes, with `git-seed` as the
/// bare command name; in a repository where git seed is not installed they say nothing. The
/// directory is new, empty, or holds just what would be written.
#[derive(Debug, clap::Args)]
pub(super) struct PluginArgs {
    /// The host that the plugin is for: claude, gemini or opencode
    #[arg(long = "for", value_name = "host")]
    host: String,
    /// The directory to write to
    #[arg(long, value_name = "dir")]
    to: PathBuf,
}

pub(super) fn run(args: &PluginArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    let row = hosts::row(&args.host).map_err(|bad| EngineError::Usage(bad.to_string()))?;
    let Some(files) = row.plugin_files(env!("CARGO_PKG_VERSION")) else {
        let known = plugin::hosts_with_plugins().join(", ");
        let facts = [("title", row.title.as_str()), ("known", &known)];
        return Err(EngineError::Usage(voice::tell(Notice::PluginNone, &facts)).into());
    };
    if let Some(other) = other_than(&args.to, &files)? {
        let file = other.display().to_string();
        return Err(EngineError::not_now(Notice::PluginDirTaken, &[("file", &file)]).into());
    }
    for (path, text) in &files {
        let file = args.to.join(path);
        world::write_whole(&file, text.as_bytes()).at(|| file.display().to_string())?;
        out.line(file.display());
    }
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    out.json(&serde_json::json!({ "host": row.name, "dir": args.to, "files": paths }));
    let read_on = args.to.join("README.md").display().to_string();
    out.line(format_args!("next      {}", voice::tell(Notice::PluginNext, &[("file", &read_on)])));
    Ok(Outcome::Yes)
}

/// The first thing in `dir` that is not what would be written there.
fn other_than(dir: &Path, files: &[plugin::PluginFile]) -> crate::cli::Result<Option<PathBuf>> {
    // Whatever stands in the place of a directory is in the way, links as well.
    let is_dir = |path: &Path| path.symlink_metadata().map(|found| found.is_dir());
    match is_dir(dir) {
        Ok(true) => {}
        Ok(false) => return Ok(Some(dir.to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at(|| dir.display().to_string()),
    }
    let mut ahead = vec![dir.to_owned()];
    while let Some(at) = ahead.pop() {
        for entry in std::fs::read_dir(&at).at(|| at.display().to_string())? {
            let path = entry.at(|| at.display().to_string())?.path();
            if is_dir(&path).at(|| path.display().to_string())? {
                ahead.push(path);
                continue;
            }
            let known = files.iter().find(|(name, _)| dir.join(name) == path);
            let same = known.is_some_and(|(_, text)| {
                let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
                // One that does not read is somebody else's.
                is_file && std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes())
            });
            if !same {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

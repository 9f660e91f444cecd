//! The record of what `init` wrote, by which `uninstall` takes it out byte for byte.

use std::path::{Path, PathBuf};

use crate::engine::moved;
use crate::engine::repo::installation::Installation;
use crate::engine::repo::{Repo, Result};
use crate::voice::{Notice, tell};
use crate::world;

/// One line of what `init` or `uninstall` did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub verb: &'static str,
    pub what: String,
    pub detail: String,
}

impl Told {
    pub(crate) fn new(
        verb: &'static str,
        what: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { verb, what: what.into(), detail: detail.into() }
    }
}

/// What is told of a copy, which gets a clone id of its own.
pub(crate) fn of_copy(repo: &Repo) -> Result<Option<Told>> {
    let of = moved::renewed(repo)?;
    let told = |of: String| tell(Notice::InitCopy, &[("of", &of)]);
    Ok(of.map(|of| Told::new("note", ".git/seed/clone", told(of))))
}

pub(crate) fn save(repo: &Repo, installation: &Installation) -> Result<()> {
    let mut written = installation.clone();
    written.tops.extend(repo.tops());
    let text = toml::to_string(&written)?;
    // It holds bytes of the person's configuration: nobody else may read it.
    Ok(world::Whole::private().write(&repo.record_file(), text.as_bytes())?)
}

/// Keeps `names` out of `git status`, in this clone only.
pub(crate) fn exclude(repo: &Repo, names: &[&str], installation: &mut Installation) -> Result<()> {
    let file = repo.store.common_dir().join("info").join("exclude");
    let before = read_if_there(&file)?;
    if installation.excluded.is_empty() {
        installation.exclude_before.clone_from(&before);
        installation.made_info = file.parent().is_some_and(|dir| !dir.exists());
    }
    let lines: Vec<String> = names.iter().map(|name| format!("/{name}")).collect();
    installation.excluded.extend(lines.iter().cloned());
    save(repo, installation)?;
    let before = before.unwrap_or_default();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let own = lines.join("\n");
    Ok(world::write_whole(&file, format!("{before}{gap}{own}\n").as_bytes())?)
}

/// The text of a person's file; `None` where nothing lies there.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<String>> {
    let text = |bytes| String::from_utf8(bytes).map_err(std::io::Error::other);
    Ok(world::read_if_there(path)?.map(text).transpose()?)
}

/// Directories above `path`, below `top`, that are not there; innermost first.
pub(crate) fn missing_dirs(path: &Path, top: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| *dir != top);
    above.filter(|dir| !dir.exists()).map(Path::to_owned).collect()
}

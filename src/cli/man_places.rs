//! Where `man` finds the pages: beside the program, or below `~/.local/share/man`.
//!
//! `init` puts them there for each repository and `git seed man --install` for the person. Who
//! has put them is kept beside them, so that the last one who leaves takes them out:
//!
//! ```text
//! <prefix>/share/man/man1/git-seed.1 …
//! <prefix>/share/git-seed/man-pages       the pages and directories that were made, a line each
//! <prefix>/share/git-seed/man-users/<id>  a clone's git directory, or nothing (a person)
//! ```

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::failure::While as _;
use crate::engine::record::own_clone;
use crate::engine::repo::Repo;
use crate::engine::repo::clone_file::known_clone;
use crate::world;

/// For whom pages are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// Who typed `git seed man --install`.
    Person,
    /// A repository: the id of its clone, which stays when it is moved, and its git directory
    /// (that of all worktrees).
    Repository { clone: String, git_dir: PathBuf },
}

impl User {
    pub(super) fn of(repo: &Repo) -> crate::cli::Result<Self> {
        let clone = own_clone::clone_id(repo)?;
        Ok(Self::Repository { clone, git_dir: repo.store.common_dir().to_owned() })
    }

    /// The same for one that leaves, whose id may be lost: its directory names it, too.
    pub(super) fn leaving(repo: &Repo) -> Self {
        let clone = known_clone(&repo.store).unwrap_or_default();
        Self::Repository { clone, git_dir: repo.store.common_dir().to_owned() }
    }

    /// True for the file `name` that holds `bytes`.
    fn is_of(&self, name: &OsStr, bytes: &[u8]) -> bool {
        let of_here = matches!(self, Self::Repository { .. }) && bytes == self.bytes();
        name == self.id() || of_here
    }

    fn id(&self) -> &str {
        match self {
            Self::Person => "person",
            Self::Repository { clone, .. } => clone,
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Person => b"",
            Self::Repository { git_dir, .. } => git_dir.as_os_str().as_encoded_bytes(),
        }
    }
}

/// Pages that were put somewhere, or taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Put {
    /// The directory above `man1`.
    pub place: PathBuf,
    /// How many pages.
    pub pages: usize,
}

impl Put {
    /// The place as a person writes it.
    pub(super) fn shown(&self) -> String {
        let home = home();
        let below = home.as_deref().and_then(|home| self.place.strip_prefix(home).ok());
        let place = below.unwrap_or(&self.place).display();
        format!("{}{place}/", if below.is_some() { "~/" } else { "" })
    }
}

fn home() -> Option<PathBuf> {
    world::variable("HOME").map(PathBuf::from)
}

/// Directories of man pages, the first choice first.
fn places() -> Vec<PathBuf> {
    let binary = world::own_binary();
    let bin = binary.parent().filter(|dir| dir.ends_with("bin"));
    let beside = bin.and_then(Path::parent).map(|prefix| prefix.join("share/man"));
    let own = home().map(|home| home.join(".local/share/man"));
    let mut places: Vec<PathBuf> = beside.into_iter().chain(own).collect();
    places.dedup();
    places
}

/// Puts the pages into the first of the places that can be written, for `user`: none where a
/// package has put its own. `None` where no place can be written.
pub(super) fn put(user: &User) -> crate::cli::Result<Option<Put>> {
    use ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
    for place in places() {
        let there = There::at(&place).at(|| place.display().to_string())?;
        if matches!(user, User::Repository { .. }) && there.is_packaged(&place) {
            return Ok(Some(Put { place, pages: 0 }));
        }
        let pages = match there.put(&place, user) {
            Err(error)
                if matches!(
                    error.kind(),
                    NotADirectory | PermissionDenied | ReadOnlyFilesystem
                ) =>
            {
                continue;
            }
            put => put.at(|| place.display().to_string())?,
        };
        return Ok(Some(Put { place, pages }));
    }
    Ok(None)
}

/// What becomes of the pages that a repository has put, when it leaves.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leaving {
    /// Nobody else needs them.
    pub going: Vec<Put>,
    /// Another repository or the person does.
    pub staying: Vec<Put>,
}

/// What would become of the pages if `user` left.
pub(super) fn leaving(user: &User) -> crate::cli::Result<Leaving> {
    let mut leaving = Leaving::default();
    for place in places() {
        let there = There::at(&place).at(|| place.display().to_string())?;
        if there.pages.is_empty() || own_user_files(&place, user)?.is_empty() {
            continue;
        }
        let stays = others(&place, user)? > 0;
        let put = Put { pages: there.pages.len(), place };
        if stays { leaving.staying.push(put) } else { leaving.going.push(put) }
    }
    Ok(leaving)
}

/// Takes out what nobody else needs, and `user` from those who need the rest.
pub(super) fn leave(user: &User) -> crate::cli::Result<Leaving> {
    let leaving = leaving(user)?;
    for Put { place, .. } in leaving.going.iter().chain(&leaving.staying) {
        for file in own_user_files(place, user)? {
            fs::remove_file(&file).at(|| file.display().to_string())?;
        }
    }
    for Put { place, .. } in &leaving.going {
        remove(place).at(|| place.display().to_string())?;
    }
    Ok(leaving)
}

/// Takes all pages out, whoever has put them.
pub(super) fn take_out() -> crate::cli::Result<Vec<Put>> {
    let mut gone = Vec::new();
    for place in places() {
        let pages = remove(&place).at(|| place.display().to_string())?;
        if pages > 0 {
            gone.push(Put { place, pages });
        }
    }
    Ok(gone)
}

/// The directory of what is remembered of `place`.
fn memory_of(place: &Path) -> PathBuf {
    place.with_file_name("git-seed")
}

fn list_of(place: &Path) -> PathBuf {
    memory_of(place).join("man-pages")
}

fn user_file(place: &Path, user: &User) -> PathBuf {
    memory_of(place).join("man-users").join(user.id())
}

/// The files that say `user` needs the pages: by the id, or by the directory of one that lost it.
fn own_user_files(place: &Path, user: &User) -> crate::cli::Result<Vec<PathBuf>> {
    let mut own = Vec::new();
    for (path, bytes) in user_files(place)? {
        if path.file_name().is_some_and(|name| user.is_of(name, &bytes)) {
            own.push(path);
        }
    }
    Ok(own)
}

/// Each file that names a user, and what it holds.
fn user_files(place: &Path) -> crate::cli::Result<Vec<(PathBuf, Vec<u8>)>> {
    let dir = memory_of(place).join("man-users");
    let entries = match fs::read_dir(&dir) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.at(|| dir.display().to_string())?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let bytes = world::read_if_there(&path)?.unwrap_or_default();
        files.push((path, bytes));
    }
    Ok(files)
}

/// How many others need the pages. A repository that is gone, or has no git seed, needs none.
fn others(place: &Path, user: &User) -> crate::cli::Result<usize> {
    let mut others = 0;
    for (path, bytes) in user_files(place)? {
        let name = path.file_name().unwrap_or_default();
        // Whoever cannot be told to be gone is there, and so is a person.
        let git_dir = std::str::from_utf8(&bytes).ok().filter(|dir| !dir.is_empty());
        let lives = git_dir.is_none_or(|dir| {
            let clone = fs::read_to_string(Path::new(dir).join("seed/clone"));
            clone.is_ok_and(|clone| name == clone.trim())
        });
        others += usize::from(lives && !user.is_of(name, &bytes));
    }
    Ok(others)
}

/// What git seed has made at a place.
#[derive(Debug, Default, PartialEq, Eq)]
struct There {
    /// By their paths below the place.
    pages: BTreeSet<String>,
    /// Directories that were not there before.
    made: BTreeSet<String>,
}

impl There {
    const MADE: &'static str = "made ";

    fn at(place: &Path) -> io::Result<Self> {
        let list = match world::read_if_there(&list_of(place)) {
            // Below a file there is no place, and nothing of ours.
            Err(error) if error.kind() == ErrorKind::NotADirectory => None,
            read => read?,
        };
        let list = list.unwrap_or_default();
        let mut there = Self::default();
        for line in String::from_utf8_lossy(&list).lines() {
            if let Some(dir) = line.strip_prefix(Self::MADE) {
                there.made.insert(dir.to_owned());
            } else if line.starts_with("man") && line.contains("/git-seed") && !line.contains("..")
            {
                there.pages.insert(line.to_owned());
            }
        }
        Ok(there)
    }

    /// True when the first page is somebody else's: packages have them compressed, too.
    fn is_packaged(&self, place: &Path) -> bool {
        let first = "man1/git-seed.1";
        let lies = |name: &str| place.join(name).exists();
        !self.pages.contains(first) && (lies(first) || lies(&format!("{first}.gz")))
    }

    /// Writes the pages and says how many; a page that somebody else put there stays. They are
    /// not synced: the next `init` writes them again.
    fn put(mut self, place: &Path, user: &User) -> io::Result<usize> {
        let mut put = Vec::new();
        for (name, page) in super::man::pages()? {
            let section = name.rsplit('.').next().unwrap_or_default();
            let path = format!("man{section}/{name}");
            if self.pages.contains(&path) || !place.join(&path).exists() {
                put.push((path, page));
            }
        }
        let files = put.iter().map(|(path, _)| place.join(path));
        for file in files.chain([user_file(place, user)]) {
            let missing = file.ancestors().skip(1).take_while(|dir| !dir.exists());
            self.made.extend(missing.map(|dir| dir.display().to_string()));
        }
        self.pages.extend(put.iter().map(|(path, _)| path.clone()));
        // The list is first: after a kill it names more than there is, and never less.
        let made = self.made.iter().map(|dir| format!("{}{dir}\n", Self::MADE));
        let list = self.pages.iter().map(|path| format!("{path}\n")).chain(made);
        world::write_whole(&list_of(place), list.collect::<String>().as_bytes())?;
        world::write_whole(&user_file(place, user), user.bytes())?;
        for (path, page) in &put {
            world::Whole::new().unsynced().write(&place.join(path), page)?;
        }
        Ok(put.len())
    }
}

/// Takes out what was made at `place`, and says how many pages it was.
fn remove(place: &Path) -> io::Result<usize> {
    let there = There::at(place)?;
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    for page in &there.pages {
        gone(fs::remove_file(place.join(page)))?;
    }
    gone(fs::remove_dir_all(memory_of(place).join("man-users")))?;
    gone(fs::remove_file(list_of(place)))?;
    // The inner ones first. Directories that hold something else stay.
    for dir in there.made.iter().rev() {
        let _ = fs::remove_dir(dir);
    }
    Ok(there.pages.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_beside_a_program_goes_again_and_nothing_else_does() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = dir.path().join("share/man");
        world::write_whole(&place.join("man5/git-seed-rules.5"), b"a packager's").expect("written");
        let all = crate::cli::man::pages().expect("pages").len();
        let there = || There::at(&place).expect("a list");
        for _ in 0..2 {
            assert_eq!(there().put(&place, &User::Person).expect("put"), all - 1);
            let kept = fs::read(place.join("man5/git-seed-rules.5")).expect("it stays");
            assert_eq!(kept, b"a packager's");
        }
        let ours = there().pages;
        assert!(ours.contains("man1/git-seed.1"), "{ours:?}");
        assert!(!ours.contains("man5/git-seed-rules.5"), "{ours:?}");
        assert!(ours.iter().all(|page| place.join(page).is_file()));
        assert_eq!(remove(&place).expect("removed"), all - 1);
        assert_eq!(there(), There::default());
        let left: Vec<_> = fs::read_dir(dir.path().join("share")).expect("a directory").collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(!place.join("man1").exists() && place.join("man5").exists());
        world::write_whole(&list_of(&place), b"../../x\nman1/../../git-seed\n").expect("written");
        assert_eq!(there(), There::default());
    }

    #[test]
    fn the_last_repository_that_leaves_takes_the_pages_along() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = dir.path().join("share/man");
        let repos = ["one", "two", "gone"].map(|name| {
            let git_dir = dir.path().join(name);
            let clone = format!("{name}\n");
            world::write_whole(&git_dir.join("seed/clone"), clone.as_bytes()).expect("a clone");
            User::Repository { clone: name.to_owned(), git_dir }
        });
        for repo in repos.iter().chain(&repos) {
            There::at(&place).expect("a list").put(&place, repo).expect("put");
        }
        fs::remove_dir_all(dir.path().join("gone")).expect("a repository that somebody deletes");
        let others = |repo: &User| others(&place, repo).expect("users");
        assert_eq!((others(&repos[0]), others(&repos[1])), (1, 1));
        fs::remove_file(user_file(&place, &repos[0])).expect("it leaves");
        assert_eq!(others(&repos[1]), 0);
        There::at(&place).expect("a list").put(&place, &User::Person).expect("put");
        assert_eq!(others(&repos[1]), 1, "the person wants them, too");
    }
}

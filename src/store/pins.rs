//! What the fence looks by: excludes, attributes and settings as they were when the
//! cycle began.
//!
//! Git's rules on what it shows lie in files that an agent can write: `.gitignore`,
//! `info/exclude`, the person's own excludes, configuration. So they are compiled once,
//! into one file of patterns from the top of the work tree, and the fence asks by that
//! file alone. Git reads such a file from the last line up, as it reads its own from the
//! deepest directory up; patterns keep the order that this needs. Format: gitignore(5).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::filters::{self, Filters};
use super::worktree::{PRIVATE, repo_path};
use super::{RepoPath, Store, TreeId};

/// Settings that change what counts as changed, and git's own defaults for them.
const SETTINGS: [(&str, &str); 6] = [
    ("core.filemode", "true"),
    ("core.symlinks", "true"),
    ("core.ignorecase", "false"),
    ("core.precomposeunicode", "false"),
    ("core.autocrlf", "false"),
    ("core.eol", "native"),
];
/// Begins a line that holds a setting; no pattern begins so, as comments are left out.
const SETTING: &[u8] = b"#= ";
const IGNORE: &[u8] = b".gitignore";

/// Git's rules at one moment, to be kept with a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Settings, then patterns anchored at the top of the work tree, weakest first.
    pub excludes: Vec<u8>,
    /// The person's own attributes for all repositories.
    pub attributes: Vec<u8>,
}

/// How the fence looks at the work tree: by pinned rules, or by those of now.
#[derive(Clone, Debug, Default)]
pub struct Lens {
    /// The compiled patterns; `None` for git's rules of now.
    excludes: Option<PathBuf>,
    /// What that file says.
    pub(super) patterns: Option<Vec<u8>>,
    /// What the person's own file of attributes says.
    pub(super) attributes: Vec<u8>,
    settings: Vec<String>,
    /// The tree whose `.gitattributes` hold.
    pub(super) base: Option<TreeId>,
    /// Files that the rules of now show belong to it too: `.gitignore` files have changed.
    pub(super) loose: bool,
    pub(super) filters: Filters,
}

impl Lens {
    /// The same, which also sees what git's rules of now show.
    #[must_use]
    pub(crate) fn loose(mut self, loose: bool) -> Self {
        self.loose = loose;
        self
    }

    /// The arguments before the command.
    pub(super) fn settings(&self) -> impl Iterator<Item = OsString> + '_ {
        let pinned = self.settings.iter().flat_map(|setting| ["-c", setting.as_str()]);
        PRIVATE.into_iter().chain(pinned).map(Into::into)
    }

    /// The value of a pinned setting, by its name in lower case.
    pub(super) fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find_map(|setting| setting.strip_prefix(name)?.strip_prefix('='))
    }

    /// The argument that says what is not shown.
    pub(super) fn excludes(&self) -> OsString {
        match &self.excludes {
            Some(file) => {
                let mut argument = OsString::from("--exclude-from=");
                argument.push(file);
                argument
            }
            None => "--exclude-standard".into(),
        }
    }

    /// What a child is told by its environment. A git before 2.41 does not know it, and
    /// reads the attributes of now.
    pub(super) fn variable(&self) -> Option<(&'static str, &str)> {
        self.base.as_ref().map(|tree| ("GIT_ATTR_SOURCE", tree.as_str()))
    }
}

impl Store {
    /// Git's rules as they are now.
    ///
    /// # Errors
    ///
    /// The configuration, or a file that it names, does not read.
    pub fn pins(&self) -> Result<Pins, StoreError> {
        let config = self.config_that_counts()?;
        let mut excludes = Vec::new();
        for (name, default) in SETTINGS {
            let value =
                config.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
            excludes.extend(SETTING);
            excludes.extend(format!("{name}={}\n", value.unwrap_or(default)).bytes());
        }
        for driver in drivers(&config) {
            for key in filters::KEYS {
                let name = format!("filter.{driver}.{key}");
                let value = config
                    .iter()
                    .rev()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.as_str());
                // A key that is not there is left out: an empty one is something else to git.
                if let Some(value) = value.filter(|value| !value.contains('\n')) {
                    excludes.extend(SETTING);
                    excludes.extend(format!("{name}={value}\n").bytes());
                }
            }
        }
        let own = |name: &str, file: &str| self.persons_file(&config, name, file);
        let global = own("core.excludesfile", "ignore")?;
        for patterns in [global, patterns_in(&self.common_dir.join("info/exclude"))?] {
            compile(&patterns, b"", &mut excludes);
        }
        for file in self.ignore_files()? {
            let on_disk = file.below(&self.work_tree).map_err(|_| lost(&file))?;
            // Git follows no link here.
            if on_disk.symlink_metadata().is_ok_and(|data| data.is_file()) {
                let dir = file.as_bytes().strip_suffix(IGNORE).unwrap_or_default();
                compile(&fs::read(on_disk)?, dir, &mut excludes);
            }
        }
        Ok(Pins { excludes, attributes: own("core.attributesfile", "attributes")? })
    }

    /// Looks by `pins` from here on; the attributes are those of `base`.
    ///
    /// The files that git reads them from are written where they do not say this.
    ///
    /// # Errors
    ///
    /// The files cannot be read or written.
    pub fn lens(&self, pins: &Pins, base: Option<&TreeId>) -> Result<Lens, StoreError> {
        let place = |what: &str| self.kept_dir().join(what).join(self.worktree_name());
        let (excludes, attributes) = (place("excludes"), place("attributes"));
        let said = |line: &[u8]| String::from_utf8(line.strip_prefix(SETTING)?.to_vec()).ok();
        let mut settings: Vec<String> =
            pins.excludes.split(|byte| *byte == b'\n').map_while(said).collect();
        write_where_it_differs(&excludes, &pins.excludes)?;
        let attributes = if pins.attributes.is_empty() {
            "/dev/null".to_owned()
        } else {
            write_where_it_differs(&attributes, &pins.attributes)?;
            attributes.to_string_lossy().into_owned()
        };
        settings.push(format!("core.attributesFile={attributes}"));
        let (filters, run) = Filters::of(&settings, &self.filters_now());
        settings.retain(|setting| !setting.starts_with("filter."));
        settings.extend(run);
        Ok(Lens {
            excludes: Some(excludes),
            patterns: Some(pins.excludes.clone()),
            attributes: pins.attributes.clone(),
            settings,
            base: base.cloned(),
            loose: false,
            filters,
        })
    }

    /// Which of `paths` git ignores now. A path that the person's index holds is not ignored.
    pub(crate) fn ignored(&self, paths: &[RepoPath]) -> Result<BTreeSet<RepoPath>, StoreError> {
        self.check_ignore(&[], paths)
    }

    fn check_ignore(
        &self,
        more: &[&str],
        paths: &[RepoPath],
    ) -> Result<BTreeSet<RepoPath>, StoreError> {
        /// It knows no literal pathspecs; a path that begins so is none of the magic ones.
        const HERE: &[u8] = b"./";
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let args = ["check-ignore", "-z", "--stdin"].into_iter().chain(more.iter().copied());
        // It dies of a path behind a link or in another repository; none of those is ignored here.
        let paths = paths.iter().filter(|path| self.lies_here(path));
        let input = paths.flat_map(|path| [HERE, path.as_bytes(), b"\0"].concat()).collect();
        let outcome = self.plain_git(args).input(input).outcome()?;
        let path = |record: &[u8]| repo_path(record.strip_prefix(HERE).unwrap_or(record));
        match outcome.code {
            Some(0 | 1) => records(&outcome.stdout).map(path).collect(),
            _ => Err(outcome.failed()),
        }
    }

    /// Every `.gitignore` that git reads, and perhaps some below what it ignores whole, which
    /// say nothing; parents before what lies in them.
    fn ignore_files(&self) -> Result<Vec<RepoPath>, StoreError> {
        let is_ignore = |path: &RepoPath| name_of(path.as_bytes()) == IGNORE;
        let shown = self
            .git(["ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate"])
            .run()?;
        let hidden = ["ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"];
        let hidden = self.git(hidden).run()?;
        let mut files = BTreeSet::new();
        for path in records(&shown).filter(|path| !path.ends_with(b"/")) {
            files.insert(repo_path(path)?);
        }
        files.retain(is_ignore);
        let mut ahead = Vec::new();
        for path in records(&hidden) {
            let is_dir = path.ends_with(b"/");
            let path = repo_path(path)?;
            match is_dir {
                true => ahead.push(path),
                false if is_ignore(&path) => drop(files.insert(path)),
                false => {}
            }
        }
        // A directory whose own file ignores all of it is listed like one that is ignored from
        // above; only in the first kind is there anything to read.
        while !ahead.is_empty() {
            let over = self.check_ignore(&["--no-index"], &ahead)?;
            let mut below = Vec::new();
            for dir in ahead.iter().filter(|dir| !over.contains(dir)) {
                let file = [dir.as_bytes(), b"/", IGNORE].concat();
                let on_disk = dir.below(&self.work_tree).map_err(|_| lost(dir))?;
                if on_disk.join(".git").exists() {
                    continue;
                }
                for entry in fs::read_dir(&on_disk)?.flatten() {
                    let name = entry.file_name();
                    if entry.file_type().is_ok_and(|kind| kind.is_dir())
                        && let Ok(name) = gix::path::os_str_into_bstr(&name)
                        && let Ok(path) =
                            RepoPath::new([dir.as_bytes(), b"/", name.as_ref()].concat())
                    {
                        below.push(path);
                    }
                }
                if on_disk.join(".gitignore").exists() {
                    files.insert(repo_path(&file)?);
                }
            }
            ahead = below;
        }
        let mut files: Vec<RepoPath> = files.into_iter().collect();
        files.sort_by_key(|path| path.as_bytes().split(|byte| *byte == b'/').count());
        Ok(files)
    }

    /// Names in lower case and values of `core.*`, the strongest last.
    fn config_that_counts(&self) -> Result<Vec<(String, String)>, StoreError> {
        let outcome = self.git(["config", "-z", "--get-regexp", "^(core|filter)\\."]).outcome()?;
        if !matches!(outcome.code, Some(0 | 1)) {
            return Err(outcome.failed());
        }
        let pair = |record: &[u8]| {
            let record = String::from_utf8_lossy(record).into_owned();
            // A name without a value is a switch that is on.
            match record.split_once('\n') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => (record, "true".to_owned()),
            }
        };
        Ok(records(&outcome.stdout).map(pair).collect())
    }

    /// What a file of the person's for all repositories says: the one that is set, or git's own.
    fn persons_file(
        &self,
        config: &[(String, String)],
        setting: &str,
        default: &str,
    ) -> Result<Vec<u8>, StoreError> {
        use crate::world::variable;
        let path = if config.iter().any(|(name, _)| name == setting) {
            let printed = self.git(["config", "-z", "--type=path", "--get", setting]).run()?;
            let path = printed.strip_suffix(b"\0").unwrap_or(&printed);
            gix::path::from_byte_slice(path).ok().map(|path| self.work_tree.join(path))
        } else {
            let set =
                |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
            let home = || set("HOME").map(|home| home.join(".config"));
            set("XDG_CONFIG_HOME").or_else(home).map(|dir| dir.join("git").join(default))
        };
        path.map_or(Ok(Vec::new()), |path| patterns_in(&path))
    }
}

fn lost(path: &RepoPath) -> StoreError {
    StoreError::Invalid { what: path.to_string(), why: "it has no name on this system".to_owned() }
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

pub(super) fn records(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    printed.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// The bytes of a file that git looks for; empty where it goes on without.
fn patterns_in(file: &Path) -> Result<Vec<u8>, StoreError> {
    match crate::world::read_if_there(file) {
        Ok(bytes) => Ok(bytes.unwrap_or_default()),
        // Git, too, goes on without a file in whose place something else lies, or nothing can.
        Err(_) if !file.is_file() => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn write_where_it_differs(file: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let same = file.symlink_metadata().is_ok_and(|data| data.is_file())
        && fs::read(file).is_ok_and(|old| old == bytes);
    if same {
        return Ok(());
    }
    Ok(crate::world::Whole::private().over_links().write(file, bytes)?)
}

/// Adds what an exclude file in `dir` (empty, or ending in `/`) says, seen from the top.
fn compile(file: &[u8], dir: &[u8], out: &mut Vec<u8>) {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    for line in file.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#")) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
        let line = without_trailing_spaces(line);
        let (sign, pattern) =
            line.strip_prefix(b"!").map_or((&b""[..], line), |rest| (&b"!"[..], rest));
        let name = pattern.strip_suffix(b"/").unwrap_or(pattern);
        if name.is_empty() {
            continue;
        }
        out.extend(sign);
        match (dir.is_empty(), name.contains(&b'/')) {
            (true, _) => {}
            (false, anchored) => {
                out.push(b'/');
                out.extend(literal(dir));
                if !anchored {
                    out.extend(b"**/");
                }
            }
        }
        let at_top = dir.is_empty();
        out.extend(if at_top { pattern } else { pattern.strip_prefix(b"/").unwrap_or(pattern) });
        // One return before the line's end belongs to the end.
        if pattern.ends_with(b"\r") {
            out.push(b'\r');
        }
        out.push(b'\n');
    }
}

/// Cuts spaces at the end that no backslash keeps, as git does.
pub(super) fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let (mut at, mut end) = (0, None);
    while at < line.len() {
        match line[at] {
            b' ' => drop(end.get_or_insert(at)),
            b'\\' if at + 1 == line.len() => return line,
            b'\\' => {
                at += 1;
                end = None;
            }
            _ => end = None,
        }
        at += 1;
    }
    &line[..end.unwrap_or(line.len())]
}

/// A directory's name as a pattern that means just it.
fn literal(dir: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(dir.len());
    for byte in dir {
        match byte {
            b'\\' | b'*' | b'?' | b'[' | b']' => out.extend([b'\\', *byte]),
            // No line can hold one; this is the narrowest that can stand for it.
            b'\n' => out.extend(b"[[:cntrl:]]"),
            byte => out.push(*byte),
        }
    }
    out
}

/// The names of the filters among these settings, each once.
fn drivers(config: &[(String, String)]) -> BTreeSet<&str> {
    let names =
        config.iter().filter_map(|(name, _)| name.strip_prefix("filter.")?.rsplit_once('.'));
    names.map(|(driver, _)| driver).filter(|driver| !driver.contains(['=', '\n'])).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::testbed::{Testbed, path};

    fn compiled(file: &str, dir: &str) -> String {
        let mut out = Vec::new();
        compile(file.as_bytes(), dir.as_bytes(), &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn a_pattern_means_below_its_directory_what_it_meant_there() {
        for (line, dir, said) in [
            ("*.o", "", "*.o\n"),
            ("a/b", "", "a/b\n"),
            ("*.o", "d/", "/d/**/*.o\n"),
            ("!/keep", "d/", "!/d/keep\n"),
            ("a/b/", "d/e/", "/d/e/a/b/\n"),
            ("out/", "d/", "/d/**/out/\n"),
            ("\\#x", "d/", "/d/**/\\#x\n"),
            ("# x", "d/", ""),
            ("/", "d/", ""),
            ("x  ", "d/", "/d/**/x\n"),
            ("x\\  ", "d/", "/d/**/x\\ \n"),
            ("x\r", "d/", "/d/**/x\n"),
            ("x\r\r", "d/", "/d/**/x\r\r\n"),
            ("x", "a[1]*/", "/a\\[1\\]\\*/**/x\n"),
        ] {
            assert_eq!(compiled(line, dir), said, "{line:?} in {dir:?}");
        }
    }

    /// The files that git lists as untracked.
    fn others(bed: &Testbed, excludes: &str) -> String {
        bed.git(&["ls-files", "-o", excludes])
    }

    #[test]
    fn rules_that_come_later_hide_nothing() {
        let bed = Testbed::new();
        bed.commit(".gitignore", "*.log\nvenv/\n");
        bed.write(".git/info/exclude", "private\n");
        bed.write(".venv/.gitignore", "*\n");
        bed.write(".venv/lib/deep/x", "1");
        bed.write("sub/.gitignore", "!kept.log\n");
        for file in ["a.log", "sub/kept.log", "sub/b.log", "private", "venv/x", "plain"] {
            bed.write(file, "1");
        }
        let store = bed.store();
        let pins = store.pins().expect("compiles");
        let lens = store.lens(&pins, None).expect("writes");
        let pinned = lens.excludes().into_string().expect("UTF-8");
        assert_eq!(others(&bed, &pinned), others(&bed, "--exclude-standard"));
        assert_eq!(others(&bed, &pinned), "plain\nsub/.gitignore\nsub/kept.log");
        bed.write("sub/.gitignore", "*\n");
        bed.write(".git/info/exclude", "plain\n");
        assert_eq!(others(&bed, "--exclude-standard"), "private");
        assert_eq!(others(&bed, &pinned), "plain\nsub/.gitignore\nsub/kept.log");
        let asked = ["plain", "private", ".gitignore"].map(path);
        let ignored = store.ignored(&asked).expect("asks");
        assert_eq!(ignored, BTreeSet::from([path("plain")]), "now");
        // The file that git reads is mended where somebody wrote in it.
        fs::write(bed.path().join(".git/seed/excludes/main"), "*\n").expect("ours");
        store.lens(&pins, None).expect("mends");
        assert_eq!(others(&bed, &pinned), "plain\nsub/.gitignore\nsub/kept.log");
    }

    #[test]
    fn the_persons_own_files_count_too() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        bed.write("../mine", "*.tmp\n");
        bed.write("../attributes", "*.x -text\n");
        bed.git(&["config", "core.excludesFile", "~/mine"]);
        bed.git(&[
            "config",
            "core.attributesFile",
            bed.path().with_file_name("attributes").to_str().expect("UTF-8"),
        ]);
        let home = bed.path().with_file_name("mine");
        bed.git(&["config", "core.excludesFile", home.to_str().expect("UTF-8")]);
        bed.git(&["config", "core.fileMode", "false"]);
        let pins = bed.store().pins().expect("compiles");
        let said = String::from_utf8(pins.excludes).expect("UTF-8");
        assert!(said.contains("\n*.tmp\n") && said.contains("#= core.filemode=false\n"), "{said}");
        assert_eq!(pins.attributes, b"*.x -text\n");
    }

    /// Directories and names that patterns have something to say of.
    fn names() -> impl Strategy<Value = Vec<String>> {
        let name =
            prop::sample::select(vec!["a", "b", "ab", "a.o", "x y ", "[a]", "#a", "!b", "é"]);
        prop::collection::vec(
            prop::collection::vec(name, 1..4).prop_map(|parts| parts.join("/")),
            1..14,
        )
    }

    fn patterns() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a", "b", "*", "**", "?", "a*", "*.o", "[ab]", "[!a]", "\\[a\\]", "\\#a", "\\!b",
            "x y\\ ", "x y ", "é",
        ]);
        let line = (any::<bool>(), any::<bool>(), prop::collection::vec(part, 1..4), any::<bool>())
            .prop_map(|(not, anchored, parts, dir)| {
                let sign = if not { "!" } else { "" };
                let head = if anchored { "/" } else { "" };
                format!("{sign}{head}{}{}", parts.join("/"), if dir { "/" } else { "" })
            });
        let simple = prop::sample::select(vec![
            "*", "!a", "b/", "!*/", "# a", "", "a.o", "!a.o", " ", "a \r",
        ]);
        prop::collection::vec(prop_oneof![line, simple.prop_map(str::to_owned)], 1..5)
            .prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
        #[test]
        fn the_compiled_file_ignores_what_git_does(
            files in names(),
            rules in prop::collection::vec((any::<prop::sample::Index>(), patterns()), 1..5),
            global in patterns(),
        ) {
            let bed = Testbed::new();
            bed.write(".git/info/exclude", &global);
            for file in &files {
                let at = bed.path().join(file);
                let _ = fs::create_dir_all(at.parent().expect("below"));
                let _ = fs::write(at, "1");
            }
            for (index, rule) in &rules {
                let dir = index.get(&files).rsplit_once('/').map_or("", |(dir, _)| dir);
                let _ = fs::write(bed.path().join(dir).join(".gitignore"), rule);
            }
            let store = bed.store();
            let lens = store.lens(&store.pins().expect("compiles"), None).expect("writes");
            let pinned = lens.excludes().into_string().expect("UTF-8");
            let (mine, gits) = (others(&bed, &pinned), others(&bed, "--exclude-standard"));
            let said =
                String::from_utf8_lossy(&fs::read(bed.path().join(".git/seed/excludes/main"))
                    .expect("there")).into_owned();
            prop_assert_eq!(mine, gits, "{}", said);
        }
    }
}

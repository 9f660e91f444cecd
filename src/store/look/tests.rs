//! The look beside git's own answer, on trees and edits of all kinds.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::store::TreeId;
use crate::store::index;
use crate::store::testbed::Testbed;
use crate::store::worktree::{Changed, ToolDir};

/// Directories with this name are a tool's.
fn build(path: &RepoPath) -> Option<ToolDir> {
    let text = path.to_str()?;
    let end = match text.find("/out/") {
        Some(at) => at + 4,
        None if text.starts_with("out/") => 3,
        None => return None,
    };
    Some(ToolDir { dir: RepoPath::try_from(&text[..end]).ok()?, cache: false })
}

fn no_build(_: &RepoPath) -> Option<ToolDir> {
    None
}

/// What a person, an agent or a tool may do to a work tree.
#[derive(Clone, Debug)]
enum Edit {
    Write(String, &'static str),
    /// Other bytes of the same length, with the time that the file had.
    Disguise(String),
    Touch(String),
    Remove(String),
    Swap(String),
    Link(String, &'static str),
    Executable(String, bool),
    Ignore(String, String),
    Exclude(String),
}

fn names() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a", "b", "a.o", "a-b", "x y", "é", "out", ".hidden", "sub", "deep",
    ]);
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"))
}

fn texts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "1", "2", "1\r\n", "22", "$Id$\n", "a\nb\n", "a\r\nb\r\n"])
}

fn patterns() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "*", "!a", "b/", "!*/", "/a", "sub/", "a/b", "**/deep", "a**/b", "*.o", "!a.o", "x y\\ ",
        "[ab]", "out/", "sub/**", "/sub/*", "!/sub/a", "?", "*-b", "é", "",
    ]);
    prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"))
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let to = prop::sample::select(vec!["a", "sub", "nowhere", ".."]);
    let edit = prop_oneof![
        6 => (names(), texts()).prop_map(|(path, text)| Edit::Write(path, text)),
        3 => names().prop_map(Edit::Disguise),
        2 => names().prop_map(Edit::Touch),
        3 => names().prop_map(Edit::Remove),
        2 => names().prop_map(Edit::Swap),
        2 => (names(), to).prop_map(|(path, to)| Edit::Link(path, to)),
        2 => (names(), any::<bool>()).prop_map(|(path, on)| Edit::Executable(path, on)),
        1 => (names(), patterns()).prop_map(|(dir, text)| Edit::Ignore(dir, text)),
        1 => patterns().prop_map(Edit::Exclude),
    ];
    prop::collection::vec(edit, 1..9)
}

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path).expect("ours"),
        Ok(_) => fs::remove_file(path).expect("ours"),
        Err(_) => {}
    }
}

/// Makes the directories above `path`, through whatever stands in their way.
fn room_for(top: &Path, path: &str) -> PathBuf {
    let mut at = top.to_owned();
    for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
        at.push(part);
        if !at.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            remove(&at);
            fs::create_dir(&at).expect("made");
        }
    }
    top.join(path)
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file())
}

fn apply(top: &Path, edit: &Edit) {
    let old = SystemTime::UNIX_EPOCH + Duration::from_hours(10_000);
    let date = |path: &Path, time: SystemTime| {
        fs::File::options()
            .append(true)
            .open(path)
            .expect("opens")
            .set_modified(time)
            .expect("ours");
    };
    match edit {
        Edit::Write(path, text) => {
            let file = room_for(top, path);
            if !is_file(&file) {
                remove(&file);
            }
            fs::write(file, text).expect("written");
        }
        Edit::Disguise(path) => {
            let file = top.join(path);
            if is_file(&file) {
                let time = file.metadata().expect("there").modified().expect("has one");
                let bytes = fs::read(&file).expect("reads");
                let other: Vec<u8> = bytes.iter().map(|byte| byte ^ 1).collect();
                fs::write(&file, other).expect("written");
                date(&file, time);
            }
        }
        Edit::Touch(path) => {
            if is_file(&top.join(path)) {
                date(&top.join(path), old);
            }
        }
        Edit::Remove(path) => remove(&top.join(path)),
        Edit::Swap(path) => {
            let at = room_for(top, path);
            let was_dir = at.is_dir();
            remove(&at);
            if was_dir {
                fs::write(at, "swapped").expect("written");
            } else {
                fs::create_dir(&at).expect("made");
                fs::write(at.join("a"), "swapped").expect("written");
            }
        }
        Edit::Link(path, to) => {
            let at = room_for(top, path);
            remove(&at);
            symlink(to, at).expect("linked");
        }
        Edit::Executable(path, on) => {
            if is_file(&top.join(path)) {
                let mode = if *on { 0o755 } else { 0o644 };
                fs::set_permissions(top.join(path), fs::Permissions::from_mode(mode))
                    .expect("ours");
            }
        }
        Edit::Ignore(dir, text) => {
            let file = room_for(top, &format!("{dir}/.gitignore"));
            remove(&file);
            fs::write(file, text).expect("written");
        }
        Edit::Exclude(text) => fs::write(top.join(".git/info/exclude"), text).expect("written"),
    }
}

/// A copy of an index, with its time.
fn copy(index: &Path, name: &str) -> PathBuf {
    let to = index.with_file_name(name);
    fs::copy(index, &to).expect("copied");
    let time = index.metadata().expect("there").modified().expect("has one");
    fs::File::options().write(true).open(&to).expect("opens").set_modified(time).expect("ours");
    to
}

/// The tree that git makes of the work tree, with an index that knows nothing of its files; what
/// stood in `before` is known, whatever the patterns say.
fn gits_tree(bed: &Testbed, lens: &Lens, before: &TreeId) -> String {
    let index = bed.path().join(".git/seed/truth");
    let store = bed.store();
    let _ = fs::remove_file(&index);
    let git = |args: &[&str]| {
        let args = lens.settings().chain(args.iter().map(Into::into));
        let child = store.git(args).index(&index).envs(lens.variable());
        String::from_utf8(child.run().expect("runs")).expect("text")
    };
    git(&["read-tree", before.as_str()]);
    let excludes = lens.excludes().into_string().expect("text");
    let others = git(&["ls-files", "-z", "-o", &excludes]);
    git(&["add", "-u"]);
    let args = lens
        .settings()
        .chain(["update-index", "--add", "--replace", "-z", "--stdin"].map(Into::into));
    store.git(args).index(&index).input(others.into_bytes()).run().expect("adds");
    git(&["write-tree"]).trim().to_owned()
}

fn sorted(seen: Seen) -> (BTreeMap<RepoPath, ChangeKind>, Vec<RepoPath>) {
    let mut builds = seen.builds;
    builds.sort();
    (seen.changed, builds)
}

/// Whether something lies there that is left to git.
fn is_for_git(top: &Path) -> bool {
    let mut ahead = vec![top.to_owned()];
    while let Some(dir) = ahead.pop() {
        for entry in fs::read_dir(dir).expect("reads").flatten() {
            let kind = entry.file_type().expect("known");
            if kind.is_symlink() {
                return true;
            }
            if kind.is_dir() && entry.file_name() != ".git" {
                ahead.push(entry.path());
            }
        }
    }
    false
}

/// A repository whose work tree stands in a private index.
struct Stood {
    bed: Testbed,
    store: Store,
    lens: Lens,
    index: PathBuf,
}

impl Stood {
    /// With these files, as git's settings of now have it.
    fn with(files: &[(&str, &str)], settings: &[(&str, &str)]) -> Self {
        let bed = Testbed::new();
        for (name, value) in settings {
            bed.git(&["config", name, value]);
        }
        for (file, text) in files {
            bed.write(file, text);
        }
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-q", "--allow-empty", "-m", "files"]);
        let store = bed.store();
        let (lens, index) = stand(&bed, &store);
        Self { bed, store, lens, index }
    }

    fn look(&self) -> Option<Vec<(String, ChangeKind)>> {
        let seen = self.store.look(&self.index, &self.lens, &no_build)?;
        Some(seen.changed.into_iter().map(|(path, kind)| (path.to_string(), kind)).collect())
    }

    /// Git's own answer, from which the look may not differ.
    fn git(&self) -> Vec<(String, ChangeKind)> {
        let index = copy(&self.index, "gits");
        let seen = self.store.ask_git(&index, &self.lens, &no_build).expect("git says");
        seen.changed.into_iter().map(|(path, kind)| (path.to_string(), kind)).collect()
    }

    fn kept(&self) -> (index::Plain, (u32, u32)) {
        let bytes = fs::read(&self.index).expect("there");
        let time = self.index.metadata().and_then(|data| data.modified()).expect("has one");
        (index::Plain::of(bytes, 20).expect("plain"), index::time_of(time))
    }

    /// No entry's file has to be read to tell whether it changed.
    fn is_settled(&self) -> bool {
        let (plain, time) = self.kept();
        (0..plain.len()).all(|entry| plain.numbers(entry)[9] != 0 && plain.is_settled(entry, time))
    }
}

fn stand(bed: &Testbed, store: &Store) -> (Lens, PathBuf) {
    let tree = bed.git(&["rev-parse", "HEAD^{tree}"]).parse::<TreeId>().expect("full");
    let lens = store.lens(&store.pins().expect("pins"), Some(&tree)).expect("writes");
    let index = store.seed_dir().join("index/main");
    store.snapshot(&index, &lens, Some(&tree), &no_build).expect("stands");
    (lens, index)
}

const MODIFIED: ChangeKind = ChangeKind::Modified;

#[test]
fn files_as_young_as_the_index_are_read_once() {
    let stood = Stood::with(&[("a", "1"), ("dir/b", "2")], &[]);
    assert_eq!(stood.look(), Some(Vec::new()));
    assert!(stood.is_settled());
    // One that was only touched, too.
    apply(stood.bed.path(), &Edit::Touch("a".to_owned()));
    assert_eq!(stood.look(), Some(Vec::new()));
    let (plain, _) = stood.kept();
    let data = stood.bed.path().join("a").metadata().expect("there");
    let second = std::os::unix::fs::MetadataExt::ctime(&data);
    assert_eq!(i64::from(plain.numbers(0)[0]), second);
    assert!(plain.numbers(0)[2] == 36_000_000, "the time that it was given");
    // An index of zeros, as after `git read-tree`, is settled by one look.
    let tree = stood.bed.git(&["rev-parse", "HEAD^{tree}"]);
    fs::remove_file(&stood.index).expect("ours");
    let begin = stood.store.git(["read-tree", tree.as_str()]);
    begin.index(&stood.index).run().expect("reads");
    assert!(!stood.is_settled());
    assert_eq!(stood.look(), Some(Vec::new()));
    // The file system's clock may not have moved on since `a` was touched; it has by then.
    assert_eq!(stood.look(), Some(Vec::new()));
    assert!(stood.is_settled());
}

#[test]
fn a_file_that_changed_is_seen_until_it_is_taken_in_and_no_file_is_read_again_for_it() {
    let stood = Stood::with(&[("a", "1"), ("b", "2")], &[]);
    apply(stood.bed.path(), &Edit::Disguise("a".to_owned()));
    for _ in 0..3 {
        assert_eq!(stood.look(), Some(vec![("a".to_owned(), MODIFIED)]));
        assert_eq!(stood.git(), [("a".to_owned(), MODIFIED)]);
    }
    let changed = stood.store.changes_since_index(&stood.index, &stood.lens, &no_build);
    let changed = changed.expect("compares");
    stood.store.catch_up(&stood.index, &stood.lens, &changed).expect("takes it in");
    assert_eq!(stood.look(), Some(Vec::new()));
    assert!(stood.is_settled());
}

#[test]
fn what_changed_is_taken_in_and_its_trees_are_written_without_git() {
    for format in ["sha1", "sha256"] {
        let bed = Testbed::with_format(format);
        let files = ["a", "a-b/c", "a/b/c", "a/b/d/e", "a.b", "z/only", "run"];
        for file in files.iter().filter(|file| **file != "a") {
            bed.write(file, "1");
        }
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-q", "-m", "files"]);
        let store = bed.store();
        let (lens, index) = stand(&bed, &store);
        let top = bed.path();
        for (path, text) in [("a/b/c", "22"), ("a/new/deep/x", "1"), ("a-", "1"), ("zz", "")] {
            apply(top, &Edit::Write(path.to_owned(), text));
        }
        apply(top, &Edit::Executable("run".to_owned(), true));
        apply(top, &Edit::Link("a.b".to_owned(), "nowhere"));
        remove(&top.join("z"));
        bed.write("a-b/.gitignore", "x\n");
        let changed = store.changes_since_index(&index, &lens, &no_build).expect("compares");
        let own = copy(&index, "own");
        assert_eq!(store.take_in(&own, &lens, &changed), Some(()));
        let tree = store.tree_from(&own).expect("all is here");
        let at = own.to_str().expect("text");
        let before = bed.git(&["rev-parse", "HEAD^{tree}"]).parse().expect("full");
        assert_eq!(tree.to_string(), gits_tree(&bed, &lens, &before));
        // The trees are kept with the index, and git reads both.
        assert_eq!(store.write_tree(&own).expect("kept"), tree);
        let git = |args: &[&str]| {
            let child = store.git(args).index(Path::new(at)).run().expect("git takes it");
            String::from_utf8(child).expect("text").trim().to_owned()
        };
        assert_eq!(git(&["write-tree"]), tree.to_string());
        assert_eq!(git(&["ls-files", "-m", "-d"]), "");
        assert!(store.look(&own, &lens, &no_build).expect("plain").changed.is_empty());
        // Only some of what changed, and one path that would lie below another.
        let some = [changed[0].clone()];
        let own = copy(&index, "own");
        assert_eq!(store.take_in(&own, &lens, &some), Some(()));
        let seen = store.look(&own, &lens, &no_build).expect("plain");
        assert_eq!(seen.changed.len(), changed.len() - 1);
        remove(&top.join("a-b"));
        bed.write("a-b", "1");
        let file = Changed { path: RepoPath::try_from("a-b").expect("inside"), kind: MODIFIED };
        assert_eq!(store.take_in(&copy(&index, "own"), &lens, &[file]), None);
        bed.is_sound();
    }
}

#[test]
fn what_git_might_refuse_or_convert_is_not_taken_in() {
    for (name, is_link, ordinary) in [
        ("a/b", false, true),
        (".gitignore", false, true),
        (".github/x", false, true),
        (".gitmodules", true, false),
        (".git ", false, false),
        ("x/.Git.", false, false),
        ("GIT~1", false, false),
        ("a\\b", false, false),
        ("a:b", false, false),
        (".g\u{200c}it", false, false),
        ("\u{e9}", true, true),
        ("gitmod~1", true, false),
    ] {
        assert_eq!(take::is_ordinary(name.as_bytes(), is_link), ordinary, "{name}");
    }
    let files = [(".gitattributes", "*.up filter=up\nwide working-tree-encoding=latin-1\n")];
    let stood = Stood::with(&files, &[("filter.up.clean", "tr a-z A-Z")]);
    for (path, text) in [("a.up", "a"), ("wide", "1"), ("dir/plain", "1")] {
        stood.bed.write(path, text);
        let path = RepoPath::try_from(path).expect("inside");
        let takes = path.to_string().ends_with("plain");
        let changed = [Changed { path, kind: ChangeKind::Added }];
        let own = copy(&stood.index, "own");
        assert_eq!(stood.store.take_in(&own, &stood.lens, &changed).is_some(), takes, "{text}");
    }
    // Nor is it where the rule stands in the person's index alone.
    let nested = "dir/.gitattributes";
    stood.bed.write(nested, "plain filter=up\n");
    stood.bed.git(&["add", nested]);
    remove(&stood.bed.path().join(nested));
    let path = RepoPath::try_from("dir/plain").expect("inside");
    let plain = [Changed { path, kind: ChangeKind::Added }];
    assert_eq!(stood.store.take_in(&copy(&stood.index, "own"), &stood.lens, &plain), None);
    stood.bed.git(&["rm", "-q", "--cached", nested]);
    assert!(stood.store.take_in(&copy(&stood.index, "own"), &stood.lens, &plain).is_some());
    // Rules of now count as well: what a filter of now would hide is not stored.
    stood.bed.write(".gitattributes", "* filter=up\n");
    let own = copy(&stood.index, "own");
    assert_eq!(stood.store.take_in(&own, &stood.lens, &plain), None);
}

#[test]
fn an_index_that_another_look_has_written_stays() {
    let stood = Stood::with(&[("a", "1")], &[]);
    apply(stood.bed.path(), &Edit::Touch("a".to_owned()));
    let (mut kept, plain) = content::Kept::read(&stood.store, &stood.index).expect("reads");
    let excludes = excludes::Excludes::of(b"").expect("few");
    let ground =
        walk::Ground { index: &plain, excludes: &excludes, trusted: kept.time, modes: true };
    let mut found = walk::Found::default();
    kept.tell(&stood.store, &stood.lens, &ground, vec![0], &mut found).expect("tells");
    let other = copy(&stood.index, "other");
    fs::rename(&other, &stood.index).expect("ours");
    let before = fs::read(&stood.index).expect("reads");
    kept.write(&stood.store, &stood.index, plain);
    assert_eq!(fs::read(&stood.index).expect("reads"), before);
    assert_eq!(stood.look(), Some(Vec::new()));
    assert_ne!(fs::read(&stood.index).expect("reads"), before, "alone it is written");
}

#[test]
fn many_files_are_gone_through_by_many_threads_and_none_is_left_out() {
    let bed = Testbed::new();
    for number in 0..2_400 {
        bed.write(&format!("{}/{}/{number}", number % 7, number % 90), "1");
    }
    bed.git(&["add", "-A"]);
    bed.git(&["commit", "-q", "-m", "many"]);
    let store = bed.store();
    let (lens, index) = stand(&bed, &store);
    let stood = Stood { bed, store, lens, index };
    assert_eq!(stood.look(), Some(Vec::new()));
    stood.bed.write("3/3/new", "1");
    stood.bed.write("6/6/6", "22");
    fs::remove_dir_all(stood.bed.path().join("0/0")).expect("ours");
    let seen = stood.look().expect("plain");
    assert_eq!((seen.len(), &seen), (6, &stood.git()));
    symlink("../3", stood.bed.path().join("0/0")).expect("linked");
    assert_eq!(stood.look(), None, "one thread that gives up ends all");
}

/// A name, settings, and what is done to the work tree.
type Spoilt<'a> = (&'a str, &'a [(&'a str, &'a str)], fn(&Testbed));

#[test]
fn what_is_not_plain_goes_to_git() {
    let cases: [Spoilt<'_>; 9] = [
        ("link", &[], |bed| {
            fs::rename(bed.path().join("dir"), bed.path().join("moved")).expect("ours");
            symlink("moved", bed.path().join("dir")).expect("linked");
        }),
        ("repository", &[], |bed| {
            bed.write("inner/a", "1");
            Testbed::run_in(&bed.path().join("inner"), &["init", "-q"]);
        }),
        ("name", &[], |bed| bed.write("dir/.GIT/a", "1")),
        ("case", &[("core.ignoreCase", "true")], |_| {}),
        ("links", &[("core.symlinks", "false")], |_| {}),
        ("returns", &[("core.autocrlf", "input")], |bed| {
            bed.write("text", "1\r\n");
            bed.git(&["-c", "core.safecrlf=false", "add", "text"]);
        }),
        ("ident", &[], |bed| bed.write("dollar", "$Id$\n")),
        ("encoding", &[], |bed| apply(bed.path(), &Edit::Touch("wide".to_owned()))),
        ("filter", &[("filter.up.clean", "tr a-z A-Z")], |bed| {
            apply(bed.path(), &Edit::Touch("upper".to_owned()));
        }),
    ];
    let attributes = "dollar ident\nwide working-tree-encoding=latin-1\nupper filter=up\n";
    for (name, settings, spoil) in cases {
        let files = [
            ("dir/a", "1"),
            ("text", "1\n"),
            ("dollar", "$Id$\n"),
            ("wide", "1"),
            ("upper", "A"),
            (".gitattributes", attributes),
        ];
        let stood = Stood::with(&files, settings);
        spoil(&stood.bed);
        if matches!(name, "returns" | "ident") {
            // The index knows nothing of the files, so that content alone can tell.
            let tree = stood.bed.git(&["rev-parse", "HEAD^{tree}"]);
            fs::remove_file(&stood.index).expect("ours");
            let begin = stood.store.git(["read-tree", tree.as_str()]);
            begin.index(&stood.index).run().expect("reads");
        }
        assert_eq!(stood.look(), None, "{name}");
        let said = stood.store.changes_since_index(&stood.index, &stood.lens, &no_build);
        let said: Vec<_> =
            said.expect("asks").into_iter().map(|it| (it.path.to_string(), it.kind)).collect();
        assert_eq!(said, stood.git(), "{name}");
    }
}

#[test]
fn an_index_with_marks_and_rules_that_are_not_pinned_go_to_git() {
    let stood = Stood::with(&[("a", "1"), ("b", "1")], &[]);
    assert!(stood.look().is_some());
    assert!(stood.store.look(&stood.index, &Lens::default(), &no_build).is_none());
    let loose = stood.lens.clone().loose(true);
    assert!(stood.store.look(&stood.index, &loose, &no_build).is_none());
    for mark in [
        &["--assume-unchanged", "a"][..],
        &["--skip-worktree", "a"],
        &["--index-version", "4"],
        &["--split-index"],
    ] {
        let index = copy(&stood.index, "marked");
        let args = ["update-index"].iter().chain(mark);
        stood.store.git(args).index(&index).run().expect("marks");
        assert!(stood.store.look(&index, &stood.lens, &no_build).is_none(), "{mark:?}");
    }
}

#[test]
fn a_repository_inside_this_one_is_known_by_its_commit() {
    let bed = Testbed::new();
    bed.commit("a", "1");
    bed.write("inner/a", "1");
    let inner = bed.path().join("inner");
    let run = |args: &[&str]| {
        let who = ["-c", "user.name=x", "-c", "user.email=x@invalid"];
        assert!(Testbed::run_in(&inner, &[&who[..], args].concat()).status.success(), "{args:?}");
    };
    run(&["init", "-q"]);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "inside"]);
    let store = bed.store();
    let (lens, index) = stand(&bed, &store);
    let stood = Stood { bed, store, lens, index };
    assert_eq!(stood.look(), Some(Vec::new()));
    stood.bed.write("inner/b", "1");
    assert_eq!(stood.look(), Some(Vec::new()), "what is not committed there is its own");
    run(&["commit", "-q", "--allow-empty", "-m", "further"]);
    assert_eq!(stood.look(), None);
    assert_eq!(stood.git(), [("inner".to_owned(), MODIFIED)]);
    fs::remove_dir_all(&inner).expect("ours");
    assert_eq!(stood.look(), Some(vec![("inner".to_owned(), ChangeKind::Deleted)]));
    assert_eq!(stood.look(), Some(stood.git()));
}

#[test]
fn what_takes_a_files_place_is_told_as_git_tells_it() {
    let stood = Stood::with(
        &[("a", "1"), ("b", "1"), ("dir/c", "1"), ("out/kept", "1"), (".gitignore", "hid*\n")],
        &[],
    );
    let top = stood.bed.path();
    for place in ["a", "dir"] {
        remove(&top.join(place));
        let made = std::process::Command::new("mkfifo").arg(top.join(place)).status();
        assert!(made.expect("it is there").success());
    }
    remove(&top.join("b"));
    stood.bed.write("b/hidden", "1");
    stood.bed.write("b/shown/x", "1");
    stood.bed.write("hide/x", "1");
    assert_eq!(stood.look(), Some(stood.git()));
    let changed = stood.look().expect("plain");
    assert!(changed.contains(&("b/shown/x".to_owned(), ChangeKind::Added)), "{changed:?}");
    // A directory that is a tool's by its name is not gone through.
    stood.bed.write("out/new/deep", "1");
    let build = |path: &RepoPath| {
        let dir = RepoPath::try_from("out/new").ok()?;
        path.to_str()?.starts_with("out/new/").then_some(ToolDir { dir, cache: false })
    };
    let seen = stood.store.look(&stood.index, &stood.lens, &build);
    let seen = seen.expect("plain");
    assert_eq!(seen.builds, [RepoPath::try_from("out/new").expect("inside")]);
    assert!(!seen.changed.keys().any(|path| path.to_string().starts_with("out/new/")));
}

/// What took a file's place is told as git tells it, whether or not the patterns hide it.
#[test]
fn a_hidden_build_directory_in_a_files_place_is_one() {
    for pattern in ["out/", "*.o"] {
        let bed = Testbed::new();
        bed.git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
        bed.write("out", "");
        bed.write(".git/info/exclude", pattern);
        let store = bed.store();
        let pins = store.pins().expect("pins");
        let index = store.seed_dir().join("index/main");
        let lens = store.lens(&pins, None).expect("writes");
        store.snapshot(&index, &lens, None, &no_build).expect("stands");
        fs::remove_file(bed.path().join("out")).expect("ours");
        bed.write("out/a", "");
        let gits = store.ask_git(&copy(&index, "gits"), &lens, &build).expect("git says");
        assert_eq!(gits.builds, [RepoPath::try_from("out").expect("inside")], "{pattern}");
        let seen = store.look(&copy(&index, "mine"), &lens, &build).expect("plain");
        assert_eq!(sorted(seen), sorted(gits), "{pattern}");
    }
}

/// So many cases, the same ones each time.
fn sampled(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(20_261_126), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(sampled(24))]
    #[test]
    fn it_is_gits_own_answer(
        first in edits(),
        later in prop::collection::vec(edits(), 1..4),
        attributes in prop::sample::select(vec![None, None, Some("* text=auto\n"),
            Some("*.o text\na ident\n"), Some("sub/* eol=crlf\n")]),
        modes in any::<bool>(),
        committed in any::<bool>(),
    ) {
        let bed = Testbed::new();
        let top = bed.path();
        bed.git(&["config", "core.fileMode", if modes { "true" } else { "false" }]);
        bed.git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
        for edit in &first {
            apply(top, edit);
        }
        if let Some(attributes) = attributes {
            remove(&top.join(".gitattributes"));
            bed.write(".gitattributes", attributes);
        }
        if committed {
            bed.git(&["add", "-A"]);
            bed.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
        }
        let store = bed.store();
        let head = bed.git(&["rev-parse", "HEAD^{tree}"]).parse::<TreeId>().expect("full");
        let pins = store.pins().expect("pins");
        let index = store.seed_dir().join("index/main");
        let lens = store.lens(&pins, None).expect("writes");
        let begun = store.snapshot(&index, &lens, Some(&head), &no_build).expect("stands");
        prop_assert_eq!(begun.tree.to_string(), gits_tree(&bed, &lens, &head), "at first");
        let lens = store.lens(&pins, Some(&begun.tree)).expect("writes");
        let mut before = begun.tree;
        for (round, edits) in later.iter().enumerate() {
            for edit in edits {
                apply(top, edit);
            }
            // What is not settled yet is not trusted twice, either.
            for look in 0..2 {
                let (mine, gits) = (copy(&index, "mine"), copy(&index, "gits"));
                let said = store.ask_git(&gits, &lens, &build).expect("git says");
                match store.look(&mine, &lens, &build) {
                    Some(seen) => prop_assert_eq!(sorted(seen), sorted(said), "{} {}", round, look),
                    None => prop_assert!(is_for_git(top) || attributes.is_some(), "{}", round),
                }
                fs::rename(mine, &index).expect("ours");
            }
            let taken = store.snapshot(&index, &lens, Some(&before), &no_build).expect("stands");
            prop_assert_eq!(taken.tree.to_string(), gits_tree(&bed, &lens, &before), "{}", round);
            let seen = store.ask_git(&copy(&index, "gits"), &lens, &no_build).expect("git says");
            prop_assert_eq!(seen.changed, BTreeMap::new(), "{}", round);
            before = taken.tree;
        }
    }
}

proptest! {
    #![proptest_config(sampled(40))]
    #[test]
    fn the_patterns_hide_what_git_hides(files in prop::collection::vec(names(), 1..12),
        given in patterns()) {
        let bed = Testbed::new();
        for file in &files {
            apply(bed.path(), &Edit::Write(file.clone(), "1"));
        }
        bed.write(".git/info/exclude", &given);
        let pins = bed.store().pins().expect("compiles");
        let excludes = excludes::Excludes::of(&pins.excludes).expect("few stars");
        let mut shown = Vec::new();
        let mut ahead = vec![String::new()];
        while let Some(dir) = ahead.pop() {
            for entry in fs::read_dir(bed.path().join(&dir)).expect("reads").flatten() {
                let name = entry.file_name().into_string().expect("text");
                let path = if dir.is_empty() { name.clone() } else { format!("{dir}/{name}") };
                let is_dir = entry.file_type().expect("known").is_dir();
                if name == ".git" || excludes.hide(path.as_bytes(), is_dir) {
                    continue;
                }
                if is_dir { &mut ahead } else { &mut shown }.push(path);
            }
        }
        shown.sort();
        let gits = bed.git(&["-c", "core.quotePath=false", "ls-files", "-o", "--exclude-standard"]);
        let mut gits: Vec<String> = gits.lines().map(str::to_owned).collect();
        gits.sort();
        prop_assert_eq!(shown, gits, "{}", given);
    }
}

/// All that differs from HEAD and git does not ignore.
fn changed_paths(bed: &Testbed) -> Vec<RepoPath> {
    let said = bed.git(&["status", "--porcelain", "-z", "-uall", "--no-renames"]);
    let paths = said.split('\0').filter_map(|record| record.get(3..));
    paths.map(|path| RepoPath::new(path.as_bytes()).expect("inside")).collect()
}

fn inode(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&path.symlink_metadata().expect("there"))
}

proptest! {
    #![proptest_config(sampled(24))]
    #[test]
    fn a_commit_is_staged_as_git_stages_it(
        first in edits(),
        later in prop::collection::vec(edits(), 1..3),
        attributes in prop::sample::select(vec![None, None, Some("* text=auto\n"),
            Some("*.o text\na ident\n"), Some("a filter=turned\n")]),
        modes in any::<bool>(),
    ) {
        let bed = Testbed::new();
        bed.git(&["config", "core.fileMode", if modes { "true" } else { "false" }]);
        bed.git(&["config", "filter.turned.clean", "rev"]);
        for edit in &first {
            apply(bed.path(), edit);
        }
        if let Some(attributes) = attributes {
            remove(&bed.path().join(".gitattributes"));
            bed.write(".gitattributes", attributes);
        }
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
        for edits in &later {
            for edit in edits {
                apply(bed.path(), edit);
            }
            let (store, paths) = (bed.store(), changed_paths(&bed));
            let (mine, gits) = ("mine", "gits");
            let [mine, gits] = [mine, gits].map(|name| bed.path().join(".git").join(name));
            let head = store.head().expect("reads").commit;
            let base = store.tree_of_commit(head.as_ref().expect("one")).expect("reads");
            let said = store.stage_by_git(&gits, head.as_ref(), &paths).expect("git stages");
            match store.stage_in(&mine, &base, &paths) {
                Some(staged) => prop_assert_eq!(staged.tree, said),
                None => prop_assert!(attributes.is_some() || paths.is_empty()
                    || is_for_git(bed.path())),
            }
            let _ = fs::remove_file(mine);
            let made = store.commit(&paths, b"one\n", "p").expect("commits");
            prop_assert_eq!(made.is_some(), said_differs(&bed, &base));
            prop_assert_eq!(changed_paths(&bed), Vec::new());
            prop_assert_eq!(bed.git(&["diff-index", "--cached", "HEAD"]), "");
            bed.git(&["fsck", "--strict"]);
        }
    }
}

fn said_differs(bed: &Testbed, base: &TreeId) -> bool {
    bed.git(&["rev-parse", "HEAD^{tree}"]) != base.to_string()
}

/// The index of a commit takes the place of the person's where that holds nothing of its own.
#[test]
fn an_index_takes_the_persons_place_where_nothing_in_it_is_lost() {
    type Turn = fn(&Testbed);
    let nothing: Turn = |_| {};
    let marked: Turn = |bed| drop(bed.git(&["update-index", "--assume-unchanged", "other"]));
    let cases: [(&str, bool, Turn); 7] = [
        ("as HEAD has it", true, nothing),
        ("something is staged", false, |bed| {
            bed.write("other", "staged");
            bed.git(&["add", "other"]);
        }),
        ("something is to be added", false, |bed| {
            bed.write("new", "1");
            bed.git(&["add", "-N", "new"]);
        }),
        ("a mark", false, marked),
        ("a cache of what is not tracked", false, |bed| {
            bed.git(&["update-index", "--force-untracked-cache"]);
        }),
        ("version 4", false, |bed| drop(bed.git(&["update-index", "--index-version", "4"]))),
        ("shared with a group", false, |bed| {
            bed.git(&["config", "core.sharedRepository", "group"]);
        }),
    ];
    for (kind, replaced, turn) in cases {
        let bed = Testbed::new();
        for file in ["a", "dir/b", "other"] {
            bed.commit(file, "1");
        }
        turn(&bed);
        let (index, before) = (bed.path().join(".git/index"), bed.git(&["status", "--porcelain"]));
        bed.write("a", "changed");
        let store = bed.store();
        let staged = store.stage(&[RepoPath::try_from("a").expect("inside")], true);
        let staged = staged.expect("stages").expect("differs");
        let made = store.commit_staged(&staged, b"one\n", "p").expect("commits");
        store.refresh_index(&staged, &made.commit).expect("refreshes");
        let own = inode(&bed.path().join(".git/seed").join(stage_of(&bed)).join("index"));
        assert_eq!(inode(&index) == own, replaced, "{kind}");
        assert_eq!(bed.git(&["status", "--porcelain"]), before, "{kind}");
        assert_eq!(bed.git(&["diff-index", "--cached", "HEAD", "--", "a"]), "", "{kind}");
        let marks = bed.git(&["ls-files", "-v", "other"]);
        assert_eq!(marks.starts_with('h'), kind == "a mark", "{kind}: {marks}");
        drop(staged);
        bed.git(&["fsck", "--strict"]);
        assert!(!bed.path().join(".git/index.lock").exists());
        // And once more, on top of what the first has left.
        bed.write("dir/b", "changed");
        let path = RepoPath::try_from("dir/b").expect("inside");
        store.commit(&[path], b"two\n", "p").expect("commits").expect("differs");
        assert_eq!(bed.git(&["status", "--porcelain"]), before, "{kind}");
    }
}

fn stage_of(bed: &Testbed) -> String {
    let entries = fs::read_dir(bed.path().join(".git/seed")).expect("reads").flatten();
    let names = entries.map(|entry| entry.file_name().into_string().expect("text"));
    names.into_iter().find(|name| name.starts_with("stage-")).expect("one is at work")
}

#[test]
fn what_is_staged_while_a_commit_is_made_stays_staged() {
    for hook in ["pre-commit", "post-commit"] {
        let bed = Testbed::new();
        for file in ["a", "other"] {
            bed.commit(file, "1");
        }
        bed.write("other", "staged");
        bed.hook(hook, "env -u GIT_INDEX_FILE git add other");
        bed.write("a", "changed");
        let path = RepoPath::try_from("a").expect("inside");
        bed.store().commit(&[path], b"one\n", "p").expect("commits").expect("differs");
        assert_eq!(bed.git(&["status", "--porcelain"]), "M  other", "{hook}");
    }
}

#[test]
fn what_a_hook_adds_to_the_commit_is_in_the_persons_index() {
    let bed = Testbed::new();
    for file in ["a", "other"] {
        bed.commit(file, "1");
    }
    bed.hook("pre-commit", "echo formatted > other; git add other");
    bed.write("a", "changed");
    let path = RepoPath::try_from("a").expect("inside");
    bed.store().commit(&[path], b"one\n", "p").expect("commits").expect("differs");
    assert_eq!(bed.git(&["show", "HEAD:other"]), "formatted");
    assert_eq!(bed.git(&["status", "--porcelain"]), "");
}

/// A lock that is ours, of a process that is gone, goes; another git's stays, and stops us.
#[test]
fn a_lock_that_was_left_in_the_middle_goes_and_anothers_stays() {
    let bed = Testbed::new();
    for file in ["a", "other"] {
        bed.commit(file, "1");
    }
    let (store, lock) = (bed.store(), bed.path().join(".git/index.lock"));
    bed.write("a", "changed");
    let path = RepoPath::try_from("a").expect("inside");
    let staged = store.stage(&[path], true).expect("stages").expect("differs");
    let own = bed.path().join(".git/seed").join(stage_of(&bed)).join("index");
    fs::hard_link(&own, &lock).expect("linked");
    store.unlock_staged().expect("unlocks");
    assert!(!lock.exists());
    store.unlock_staged().expect("nothing to do");
    fs::write(&lock, "of another git").expect("written");
    store.unlock_staged().expect("nothing to do");
    assert!(lock.exists());
    let before = fs::read(bed.path().join(".git/index")).expect("there");
    let made = store.commit_staged(&staged, b"one\n", "p").expect("commits");
    store.refresh_index(&staged, &made.commit).expect_err("another git has it");
    assert_eq!(fs::read(bed.path().join(".git/index")).expect("there"), before);
    fs::remove_file(&lock).expect("ours");
    store.refresh_index(&staged, &made.commit).expect("refreshes");
    assert_eq!(bed.git(&["status", "--porcelain"]), "");
}

/// What an index says of its own trees is no proof: nothing but the paths that were asked for comes
/// into a commit.
#[test]
fn an_index_that_lies_about_its_trees_brings_nothing_into_a_commit() {
    type Lie = fn(&Testbed);
    let at_the_top: Lie = |bed| {
        let blob = bed.git(&["hash-object", "-w", "lib/b"]);
        let listed = bed.git(&["ls-tree", "HEAD"]);
        let other = listed.lines().map(|line| match line.split_once('\t') {
            Some((_, "Makefile")) => format!("100644 blob {blob}\tMakefile\n"),
            _ => format!("{line}\n"),
        });
        bed.write(".git/listed", &other.collect::<String>());
        let top = bed.path();
        let mut made = std::process::Command::new("git");
        made.arg("-C").arg(top).arg("mktree").env("GIT_CONFIG_GLOBAL", "/dev/null");
        made.stdin(fs::File::open(top.join(".git/listed")).expect("there"));
        let made = String::from_utf8(made.output().expect("runs").stdout).expect("an id");
        bed.git(&["replace", "-f", "HEAD^{tree}", made.trim()]);
        bed.git(&["read-tree", "HEAD"]);
        let tree = bed.git(&["replace", "-l"]);
        bed.git(&["replace", "-d", &tree]);
    };
    let below: Lie = |bed| {
        let lib = bed.git(&["rev-parse", "HEAD:lib"]);
        let empty = bed.git(&["hash-object", "-w", "-t", "tree", "/dev/null"]);
        let [lib, empty] =
            [lib, empty].map(|id| gix::ObjectId::from_hex(id.as_bytes()).expect("id"));
        let index = bed.path().join(".git/index");
        let mut bytes = fs::read(&index).expect("there");
        let at = gix::bstr::ByteSlice::rfind(bytes.as_slice(), lib.as_slice()).expect("kept");
        bytes[at..at + 20].copy_from_slice(empty.as_slice());
        bytes.truncate(bytes.len() - 20);
        let bytes = crate::store::own::sealed(gix::hash::Kind::Sha1, bytes).expect("sealed");
        fs::write(index, bytes).expect("written");
    };
    for (kind, lie) in [("at the top", at_the_top), ("below", below)] {
        let bed = Testbed::new();
        for file in ["Makefile", "lib/b", "src/a"] {
            bed.commit(file, file);
        }
        bed.git(&["reset", "-q", "--hard"]);
        bed.git(&["read-tree", "HEAD"]);
        lie(&bed);
        bed.write("src/a", "changed");
        let path = RepoPath::try_from("src/a").expect("inside");
        bed.store().commit(&[path], b"one\n", "p").expect("commits").expect("differs");
        let changed = bed.git(&["show", "--format=", "--name-only", "HEAD"]);
        assert_eq!(changed, "src/a", "{kind}");
    }
}

//! The promises of install, remove, state and trial, on real clones of every kind.
//!
//! Each kind of clone is a row of [`CLONES`]; [`World`] gives it a home of its own and a
//! stand-in for the binary that logs how it was called.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};

use pretty_assertions::assert_eq;

use super::*;

/// A clone with its own home and a stand-in for the binary that logs its calls.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().expect("a directory") };
        fs::create_dir(world.path("clone")).expect("a clone");
        fs::write(world.path("gitconfig"), "").expect("a global config");
        world.git("init -q -b main .");
        world.git("config user.name A");
        world.git("config user.email a@example.org");
        world.git("commit -q --allow-empty -m first");
        let log = world.path("log");
        let refuse = world.path("refuse");
        world.script(
            "git seed's",
            &format!(
                "#!/bin/sh\necho \"ours $*\" >>'{}'\n[ \"$2\" != \"$(cat '{}' 2>&-)\" ] || exit \
                 2\n",
                log.display(),
                refuse.display()
            ),
        );
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        // A canonical root: the paths git answers with are.
        crate::world::real(self.dir.path()).expect("a root").join(name)
    }

    fn binary(&self) -> PathBuf {
        self.path("git seed's")
    }

    fn repo(&self) -> RepoDirs {
        self.seen(RepoDirs::new(
            self.path("clone/.git"),
            self.path("clone/.git"),
            self.path("clone"),
        ))
    }

    fn seen(&self, repo: RepoDirs) -> RepoDirs {
        repo.with_env("HOME", self.path("."))
            .with_env("GIT_CONFIG_NOSYSTEM", "1")
            .with_env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, text).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// A hook of theirs that logs its name, arguments, what lies on stdin, and ends with `code`.
    fn theirs(&self, name: &str, code: u8) {
        let log = self.path("log");
        let body = format!(
            "echo \"theirs $(basename \"$0\") $* in=$(cat)\" >>'{}'\nexit {code}\n",
            log.display()
        );
        self.script(name, &format!("#!/bin/sh\n{body}"));
    }

    fn run_in(&self, dir: &str, line: &str) -> Output {
        let mut git = self.seen(RepoDirs::new("", "", self.path(dir))).git();
        git.env_remove("GIT_SEED_INTERNAL").args(line.split_whitespace());
        git.output().expect("git starts")
    }

    fn git(&self, line: &str) -> String {
        let output = self.run_in("clone", line);
        assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits and says what the hooks logged, and whether the commit came to be.
    fn commit_in(&self, dir: &str) -> (bool, String) {
        let _ = fs::remove_file(self.path("log"));
        let done = self.run_in(dir, "commit -q --allow-empty -m more").status.success();
        (done, fs::read_to_string(self.path("log")).unwrap_or_default())
    }

    fn commit(&self) -> (bool, String) {
        self.commit_in("clone")
    }

    fn install(&self) -> Record {
        self.install_again(None)
    }

    fn install_again(&self, old: Option<&Record>) -> Record {
        install(&self.repo(), &self.binary(), old, |_| Ok(())).expect("it installs").record
    }

    /// Bytes, modes and link targets of the clone, without what commits and looking write.
    fn snapshot(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path("clone")];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(&dir).expect("a directory").flatten() {
                let path = entry.path();
                let meta = path.symlink_metadata().expect("its kind");
                let bytes = if meta.is_symlink() {
                    fs::read_link(&path).expect("a target").into_os_string().into_encoded_bytes()
                } else if meta.is_dir() {
                    open.push(path.clone());
                    Vec::new()
                } else {
                    fs::read(&path).expect("its bytes")
                };
                found.insert(path, (meta.permissions().mode(), bytes));
            }
        }
        let git = self.path("clone/.git");
        let kept = ["hooks", "seed", "config", "config.worktree", "config.lock", "info"]
            .map(|name| git.join(name));
        found.retain(|path, _| {
            !path.starts_with(&git) || kept.iter().any(|name| path.starts_with(name))
        });
        found
    }
}

type SetUp = fn(&World);

/// Every kind of clone, how it comes to be, and what its own hooks log on a commit.
const CLONES: [(&str, SetUp, [&str; 3]); 13] = [
    ("no hooks", |_| {}, ["", "", ""]),
    ("no hooks directory", no_hooks_directory, ["", "", ""]),
    ("plain", plain, ["pre-commit", "commit-msg", "post-commit"]),
    ("python", python, ["pre-commit", "", ""]),
    ("link", link, ["pre-commit", "", ""]),
    ("dangling link", dangling_link, ["", "", ""]),
    ("not executable", not_executable, ["", "", ""]),
    ("no shebang", no_shebang, ["pre-commit", "", ""]),
    ("tracked hooks", tracked, ["pre-commit", "commit-msg", ""]),
    ("generated stubs", stubs, ["pre-commit", "", ""]),
    ("global hooks", global, ["", "commit-msg", ""]),
    ("hooks of this work tree", worktree_scope, ["pre-commit", "", ""]),
    ("included hooks", included, ["pre-commit", "", ""]),
];

fn no_hooks_directory(world: &World) {
    fs::remove_dir_all(world.path("clone/.git/hooks")).expect("it goes");
}

fn plain(world: &World) {
    for name in ["pre-commit", "commit-msg", "post-commit"] {
        world.theirs(&format!("clone/.git/hooks/{name}"), 0);
    }
}

fn python(world: &World) {
    world.script("interpreter", "#!/bin/sh\nread -r first <\"$1\"\nexec /bin/sh \"$@\"\n");
    let shebang = format!("#!{}\n", world.path("interpreter").display());
    world.theirs("body", 0);
    let body = fs::read_to_string(world.path("body")).expect("a body");
    world.script("clone/.git/hooks/pre-commit", &body.replace("#!/bin/sh\n", &shebang));
}

fn link(world: &World) {
    world.theirs("clone/scripts/pre-commit", 0);
    symlink("../../scripts/pre-commit", world.path("clone/.git/hooks/pre-commit")).expect("a link");
    world.git("add .");
    world.git("commit -q -m scripts");
}

fn dangling_link(world: &World) {
    symlink("../nowhere", world.path("clone/.git/hooks/pre-commit")).expect("a link");
}

fn not_executable(world: &World) {
    fs::write(world.path("clone/.git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").expect("a hook");
}

fn no_shebang(world: &World) {
    world.theirs("body", 0);
    let body = fs::read_to_string(world.path("body")).expect("a body");
    world.script("clone/.git/hooks/pre-commit", body.trim_start_matches("#!/bin/sh\n"));
}

fn tracked(world: &World) {
    world.theirs("clone/.husky/pre-commit", 0);
    world.theirs("clone/.husky/commit-msg", 0);
    world.git("add .");
    world.git("commit -q -m hooks");
    world.git("config core.hooksPath .husky");
}

fn stubs(world: &World) {
    world.theirs("clone/.husky/pre-commit", 0);
    world.git("add .");
    world.git("commit -q -m hooks");
    fs::create_dir(world.path("clone/.husky/_")).expect("a directory");
    fs::write(world.path("clone/.husky/_/.gitignore"), "*").expect("an ignore file");
    let h = "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\
        [ ! -f \"$s\" ] || sh -e \"$s\" \"$@\"\n";
    fs::write(world.path("clone/.husky/_/h"), h).expect("the runner");
    for (name, _) in OURS {
        world.script(&format!("clone/.husky/_/{name}"), "#!/usr/bin/env sh\n. \"${0%/*}/h\"\n");
    }
    world.git("config core.hooksPath .husky/_");
}

fn global(world: &World) {
    world.theirs("my hooks/commit-msg", 0);
    fs::write(world.path("gitconfig"), "[core]\n\thooksPath = ~/my hooks\n")
        .expect("a global config");
}

fn worktree_scope(world: &World) {
    world.theirs("clone/.git/mine/pre-commit", 0);
    world.git("config extensions.worktreeConfig true");
    world.git("config --worktree core.hooksPath .git/mine");
}

fn included(world: &World) {
    world.theirs("clone/.git/mine/pre-commit", 0);
    fs::write(world.path("clone/.git/info/team"), "[core]\n\thooksPath = .git/mine\n")
        .expect("a config");
    world.git("config include.path info/team");
}

/// What a commit logs: for each hook in turn theirs and ours, in the promised order.
fn promised(theirs: [&str; 3]) -> Vec<String> {
    let message = ".git/COMMIT_EDITMSG";
    let theirs = theirs.map(|name| match name {
        "" => None,
        "commit-msg" => Some(format!("theirs {name} {message} in=")),
        _ => Some(format!("theirs {name}  in=")),
    });
    let [pre, msg, post] = theirs;
    let ours = |line: &str| Some(format!("ours githook {line}"));
    let lines = [
        ours("pre-commit"),
        pre,
        msg,
        ours(&format!("commit-msg {message}")),
        post,
        ours("post-commit"),
    ];
    lines.into_iter().flatten().collect()
}

#[test]
fn both_hooks_run_and_every_byte_comes_back() {
    for (kind, set_up, theirs) in CLONES {
        let world = World::new();
        set_up(&world);
        let before = world.snapshot();
        let head = world.git("rev-parse HEAD");
        let seen = world.git("status --porcelain");

        let record = world.install();
        assert_eq!(world.git("status --porcelain"), seen, "{kind}: status");
        assert_eq!(world.git("rev-parse HEAD"), head, "{kind}: HEAD");
        let (done, log) = world.commit();
        assert!(done, "{kind}: a commit passes");
        assert_eq!(log.lines().collect::<Vec<_>>(), promised(theirs), "{kind}");
        let states = state(&world.repo(), &world.binary(), &record).expect("a state");
        assert!(states.iter().all(|state| state.ok), "{kind}: {states:?}");

        let removed = remove(&world.repo(), &record).expect("it goes");
        assert_eq!(removed.left, [], "{kind}");
        assert_eq!(world.snapshot(), before, "{kind}: every byte");
        assert!(
            remove(&world.repo(), &record).expect("twice is once").restored.is_empty(),
            "{kind}"
        );
    }
}

#[test]
fn what_is_theirs_keeps_its_place_and_bytes_while_ours_are_in() {
    for (kind, set_up, _) in CLONES {
        let world = World::new();
        set_up(&world);
        let before = world.snapshot();
        world.install();
        let after = world.snapshot();
        let config = |path: &Path| {
            path.starts_with(world.path("clone/.git"))
                && path.is_file()
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("config"))
        };
        for (path, was) in before.iter().filter(|(path, _)| !config(path)) {
            assert_eq!(after.get(path), Some(was), "{kind}: {}", path.display());
        }
    }
}

#[test]
fn a_second_install_changes_nothing_and_a_moved_binary_is_followed() {
    for (kind, set_up, theirs) in CLONES {
        let world = World::new();
        set_up(&world);
        let before = world.snapshot();
        let first = world.install();
        let once = world.snapshot();
        let second = world.install_again(Some(&first));
        assert_eq!((world.snapshot(), &second), (once, &first), "{kind}");

        fs::rename(world.binary(), world.path("elsewhere")).expect("it moves");
        let moved = install(&world.repo(), &world.path("elsewhere"), Some(&second), |_| Ok(()));
        let moved = moved.expect("it installs").record;
        assert_eq!(world.commit().1.lines().collect::<Vec<_>>(), promised(theirs), "{kind}");
        remove(&world.repo(), &moved).expect("it goes");
        assert_eq!(world.snapshot(), before, "{kind}");
    }
}

#[test]
fn without_the_binary_commits_pass_and_their_hooks_run() {
    for (kind, set_up, theirs) in CLONES {
        for rest in ["nothing", "a broken file", "a directory"] {
            let world = World::new();
            set_up(&world);
            world.install();
            fs::remove_file(world.binary()).expect("it goes");
            match rest {
                "a broken file" => world.script("git seed's", "#!/nowhere/sh\n"),
                "a directory" => fs::create_dir(world.binary()).expect("a directory"),
                _ => {}
            }
            let expected: Vec<_> =
                promised(theirs).into_iter().filter(|line| line.starts_with("theirs")).collect();
            let (done, log) = world.commit();
            assert!(done, "{kind}, {rest}");
            assert_eq!(log.lines().collect::<Vec<_>>(), expected, "{kind}, {rest}");
        }
    }
}

#[test]
fn a_refusal_of_either_side_stops_the_commit() {
    let cases = [
        // theirs that fails   ours that refuses   what is asked until then
        ("pre-commit", "", "ours githook pre-commit\ntheirs pre-commit  in=\n"),
        ("", "pre-commit", "ours githook pre-commit\n"),
    ];
    for (theirs, ours, asked) in cases {
        let world = World::new();
        plain(&world);
        world.install();
        if !theirs.is_empty() {
            world.theirs(&format!("clone/.git/hooks/{theirs}"), 3);
        }
        fs::write(world.path("refuse"), ours).expect("a refusal");
        assert_eq!(world.commit(), (false, asked.to_owned()), "{theirs}/{ours}");
    }
    for (theirs, ours, last) in
        [("commit-msg", "", "theirs commit-msg"), ("", "commit-msg", "ours githook commit-msg")]
    {
        let world = World::new();
        plain(&world);
        world.install();
        if !theirs.is_empty() {
            world.theirs(&format!("clone/.git/hooks/{theirs}"), 3);
        }
        fs::write(world.path("refuse"), ours).expect("a refusal");
        let (done, log) = world.commit();
        assert!(!done, "{theirs}/{ours}");
        assert!(log.lines().last().is_some_and(|line| line.starts_with(last)), "{log}");
    }
}

#[test]
fn stdin_arguments_and_exit_code_are_those_git_gives() {
    for name in ["pre-commit", "post-commit", "pre-push", "reference-transaction"] {
        let world = World::new();
        world.theirs("clone/.git/hooks/pre-commit", 0);
        world.theirs(&format!("clone/.git/hooks/{name}"), 7);
        world.install();
        let hook = world.path("clone/.git/seed/hooks").join(name);
        let _ = fs::remove_file(world.path("log"));
        let input = fs::File::open(world.path("gitconfig")).expect("an input");
        fs::write(world.path("gitconfig"), "some words").expect("an input");
        let mut run = Command::new(hook);
        let run = run.args(["one two", "*"]).stdin(input).env_clear().env("PATH", "/usr/bin:/bin");
        assert_eq!(run.status().expect("it runs").code(), Some(7), "{name} without HOME");
        let log = fs::read_to_string(world.path("log")).expect("a log");
        assert!(log.contains(&format!("theirs {name} one two * in=some words\n")), "{name}: {log}");
    }
}

#[test]
fn linked_work_trees_run_the_hooks_of_their_own_tree() {
    for (kind, set_up, theirs) in
        CLONES.iter().filter(|(kind, ..)| *kind != "hooks of this work tree")
    {
        let world = World::new();
        set_up(&world);
        let before = world.snapshot();
        world.git("worktree add -q ../linked");
        let tree_log = |log: &str| -> Vec<String> {
            let dir = world.path("clone/.git/worktrees/linked/").display().to_string();
            log.lines().map(|line| line.replace(&dir, ".git/")).collect()
        };
        let (_, untouched) = world.commit_in("linked");
        let repo = RepoDirs::new(
            world.path("clone/.git/worktrees/linked"),
            world.path("clone/.git"),
            world.path("linked"),
        );
        let repo = world.seen(repo);
        let record = install(&repo, &world.binary(), None, |_| Ok(())).expect("it installs").record;
        let (done, log) = world.commit_in("linked");
        assert!(done, "{kind}");
        let only_theirs: Vec<_> =
            tree_log(&log).into_iter().filter(|line| line.starts_with("theirs")).collect();
        assert_eq!(only_theirs, tree_log(&untouched), "{kind}: theirs as before");
        assert_eq!(log.lines().filter(|line| line.starts_with("ours")).count(), 3, "{kind}: ours");
        assert_eq!(world.commit().1.lines().collect::<Vec<_>>(), promised(*theirs), "{kind}: main");
        remove(&repo, &record).expect("it goes");
        assert_eq!(world.snapshot(), before, "{kind}");
    }
}

#[test]
fn hooks_outlive_a_move_of_the_clone() {
    for set_up in [plain, tracked, stubs] {
        let world = World::new();
        set_up(&world);
        let before = world.commit().1;
        world.install();
        fs::rename(world.path("clone"), world.path("moved")).expect("it moves");
        let (_, log) = world.commit_in("moved");
        let theirs: Vec<_> = log.lines().filter(|line| line.starts_with("theirs")).collect();
        assert_eq!(theirs, before.lines().collect::<Vec<_>>());
        assert_eq!(log.lines().count(), theirs.len() + 3);
    }
}

#[test]
fn a_hook_they_add_or_edit_later_runs() {
    let world = World::new();
    plain(&world);
    world.install();
    world.theirs("clone/.git/hooks/prepare-commit-msg", 0);
    world.theirs("clone/.git/hooks/pre-commit", 1);
    assert!(!world.commit().0, "the edited hook decides");
    world.theirs("clone/.git/hooks/pre-commit", 0);
    assert!(world.commit().1.contains("theirs prepare-commit-msg"));
}

#[test]
fn others_changes_to_config_stay_when_ours_go() {
    for (kind, set_up, _) in CLONES {
        let world = World::new();
        set_up(&world);
        let record = world.install();
        world.git("config remote.origin.url https://example.org/x.git");
        let expected = world.git("config --local --list");
        let removed = remove(&world.repo(), &record).expect("it goes");
        assert_eq!(removed.left, [], "{kind}");
        let now = world.git("config --local --list");
        assert!(now.contains("remote.origin.url="), "{kind}");
        assert!(!now.contains("seed"), "{kind}: {now}");
        let lost: Vec<_> = expected.lines().filter(|line| !now.contains(line)).collect();
        assert!(
            lost.iter().all(|line| line.contains("seed") || line.contains("cat_sort_uniq")),
            "{kind}: {lost:?}"
        );
    }
}

#[test]
fn their_own_notes_settings_come_back() {
    let world = World::new();
    world.git("config notes.rewriteRef refs/notes/commits");
    world.git("config notes.rewriteMode overwrite");
    let before = world.snapshot();
    let record = world.install();
    assert_eq!(
        world.git("config --get-all notes.rewriteRef"),
        "refs/notes/commits\nrefs/notes/seed\n"
    );
    remove(&world.repo(), &record).expect("it goes");
    assert_eq!(world.snapshot(), before);

    let record = world.install();
    world.git("config x.y z");
    remove(&world.repo(), &record).expect("it goes");
    assert_eq!(world.git("config --get-all notes.rewriteRef"), "refs/notes/commits\n");
    assert_eq!(world.git("config --get-all notes.rewriteMode"), "overwrite\n");
}

#[test]
fn an_edited_hook_of_ours_is_kept_and_told() {
    for (set_up, hook) in
        [(no_hooks_directory as SetUp, "hooks/pre-commit"), (plain, "seed/hooks/pre-commit")]
    {
        let world = World::new();
        set_up(&world);
        let record = world.install();
        let path = world.path("clone/.git").join(hook);
        let mut text = fs::read_to_string(&path).expect("our hook");
        text.push_str("echo mine\n");
        fs::write(&path, &text).expect("an edit");
        let states = state(&world.repo(), &world.binary(), &record).expect("a state");
        assert_eq!(states.iter().filter(|state| !state.ok).count(), 1, "{states:?}");

        let again = install(&world.repo(), &world.binary(), Some(&record), |_| Ok(()))
            .expect("it installs");
        assert_eq!(again.left.len(), 1, "{:?}", again.left);
        assert_eq!(fs::read_to_string(&again.left[0].0).expect("it is there"), text);
        let removed = remove(&world.repo(), &again.record).expect("it goes");
        assert_eq!(removed.left, []);
        assert_eq!(fs::read_to_string(&again.left[0].0).expect("it is there"), text);
    }
}

#[test]
fn state_names_hooks_that_git_no_longer_reaches() {
    let world = World::new();
    let record = world.install();
    stubs(&world);
    let states = state(&world.repo(), &world.binary(), &record).expect("a state");
    assert!(
        states.iter().all(|state| !state.ok && state.detail.contains("git seed init")),
        "{states:?}"
    );
    let again = world.install_again(Some(&record));
    let states = state(&world.repo(), &world.binary(), &again).expect("a state");
    assert!(states.iter().all(|state| state.ok), "{states:?}");
    world.theirs("clone/.husky/_/reference-transaction", 0);
    let states = state(&world.repo(), &world.binary(), &again).expect("a state");
    assert_eq!(
        states.last().map(|state| (state.name.as_str(), state.ok)),
        Some(("reference-transaction", false))
    );
}

#[test]
fn a_tool_that_moves_our_hook_aside_does_not_keep_it_alive() {
    let world = World::new();
    let record = world.install();
    let hook = world.path("clone/.git/hooks/pre-commit");
    fs::rename(&hook, hook.with_extension("legacy")).expect("it moves");
    world.theirs("clone/.git/hooks/pre-commit", 0);
    let record = world.install_again(Some(&record));
    assert!(!hook.with_extension("legacy").exists());
    assert_eq!(world.commit().1.lines().filter(|line| line.contains("pre-commit")).count(), 2);
    remove(&world.repo(), &record).expect("it goes");
    assert!(hook.exists() && !world.path("clone/.git/seed").exists());
}

#[test]
fn an_install_that_cannot_keep_its_record_writes_nothing() {
    let world = World::new();
    plain(&world);
    let before = world.snapshot();
    let failed = install(&world.repo(), &world.binary(), None, |_| Err(io::Error::other("full")));
    assert!(matches!(failed, Err(HookError::Record(_))), "{failed:?}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_locked_config_is_left_alone() {
    let world = World::new();
    plain(&world);
    fs::write(world.path("clone/.git/config.lock"), "").expect("a lock");
    let before = world.snapshot();
    let failed = install(&world.repo(), &world.binary(), None, |_| Ok(()));
    assert!(matches!(failed, Err(HookError::Busy { .. })), "{failed:?}");
    assert_eq!(world.snapshot(), before);
}

#[test]
fn a_record_survives_toml() {
    for (kind, set_up, _) in CLONES {
        let world = World::new();
        set_up(&world);
        let config = world.path("clone/.git/config");
        let mut bytes = fs::read(&config).expect("a config");
        bytes.extend(b"# \xff \r\n");
        fs::write(&config, bytes).expect("foreign bytes");
        let before = world.snapshot();
        let record = world.install();
        let text = toml::to_string(&record).expect("it writes");
        let read: Record = toml::from_str(&text).expect("it reads");
        assert_eq!(read, record, "{kind}");
        remove(&world.repo(), &read).expect("it goes");
        assert_eq!(world.snapshot(), before, "{kind}");
    }
}

#[test]
fn a_trial_asks_their_rule_and_leaves_nothing() {
    let world = World::new();
    let rule = "#!/bin/sh\n[ \"$GIT_SEED_TRIAL\" ] && [ -f scripts ] || exit 9\n\
        grep -q '^chore' \"$1\" || { echo 'type must be chore'; exit 1; }\n";
    fs::write(world.path("clone/scripts"), "").expect("a mark of the top");
    let nothing = try_commit_msg(&world.repo(), None, "observe: look").expect("a trial");
    assert_eq!((nothing.accepted, nothing.hook), (true, None));
    world.script("clone/.git/hooks/commit-msg", rule);
    let before = world.snapshot();
    let head = world.git("rev-parse HEAD");
    for installed in [false, true] {
        let record = installed.then(|| world.install());
        let no = try_commit_msg(&world.repo(), record.as_ref(), "observe: look").expect("a trial");
        assert_eq!((no.accepted, no.output.as_str()), (false, "type must be chore\n"));
        assert_eq!(no.hook, Some(world.path("clone/.git/hooks/commit-msg")));
        let yes = try_commit_msg(&world.repo(), record.as_ref(), "chore(observe): look")
            .expect("a trial");
        assert!(yes.accepted, "{}", yes.output);
        record.map(|record| remove(&world.repo(), &record).expect("it goes"));
    }
    assert_eq!((world.snapshot(), world.git("rev-parse HEAD")), (before, head));
    assert!(!world.path("log").exists(), "ours was not asked");
    let leftover = fs::read_dir(world.path("clone/.git")).expect("a directory").flatten();
    assert_eq!(
        leftover
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("COMMIT_EDITMSG."))
            .count(),
        0
    );
}

#[test]
fn a_trial_ends_in_time() {
    let world = World::new();
    world.script("clone/.git/hooks/commit-msg", "#!/bin/sh\nsleep 60\n");
    let hook = world.path("clone/.git/hooks/commit-msg");
    let began = Instant::now();
    let slow = run_trial(&world.repo(), &hook, "observe: look", Duration::from_millis(200));
    assert!(matches!(slow, Err(HookError::Slow { .. })), "{slow:?}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

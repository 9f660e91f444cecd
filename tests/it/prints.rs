//! Fingerprints: what holds the fence up is named when a call of the agent changes it, is
//! put back by one command, and stays a person's to change.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, Did, World, message};

const LOCAL: &str = ".claude/settings.local.json";
const HOME: &str = "~/.claude/settings.json";

/// A seeded world in `phase`, opened, with settings of the person's own at home.
fn at(phase: &str) -> World {
    let world = World::new();
    fs::create_dir_all(world.root().join("home/.claude")).expect("made");
    fs::write(world.root().join("home/.claude/settings.json"), "{ \"model\": \"x\" }\n")
        .expect("written");
    fs::write(world.root().join("home/.gitconfig"), "[user]\n\tname = Ada\n").expect("written");
    let world = world.installed();
    world.to(phase);
    world
}

fn file(world: &World, shown: &str) -> PathBuf {
    match shown.strip_prefix("~/") {
        Some(below) => world.root().join("home").join(below),
        None => world.path(shown),
    }
}

/// The person does something with no call under way.
fn person(world: &World, line: &str) {
    world.sh(line);
}

fn a_call(world: &World) -> Did {
    world.runs_and("cargo test", || {})
}

/// Changes of the agent's making, and what undoes each.
fn tampered(world: &World, shown: &str) {
    let path = file(world, shown);
    fs::create_dir_all(path.parent().expect("a directory")).expect("made");
    if shown.starts_with(".git/hooks/") && path.exists() {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("its bits are set");
        return;
    }
    let mut text = fs::read_to_string(&path).unwrap_or_default();
    text.push_str("\n# tampered\n");
    fs::write(&path, text).expect("written");
}

const GUARDED: [&str; 11] = [
    ".claude/agents/agent-updater.md",
    ".git/config",
    ".git/info/exclude",
    ".git/info/attributes",
    ".git/hooks/pre-commit",
    ".git/hooks/pre-push",
    LOCAL,
    HOME,
    "~/.gitconfig",
    "~/.config/git/ignore",
    "~/.config/git/attributes",
];

#[test]
fn what_a_call_changes_is_named_kept_out_and_put_back() {
    let world = at("plan");
    world.works("plan");
    world.leaves();
    // Much is done here.
    world.seed("phase multiplier 1").succeeds();
    world.works("execute");
    for shown in GUARDED {
        let path = file(&world, shown);
        let (bytes, mode) =
            (fs::read(&path).ok(), path.metadata().map(|data| data.permissions().mode()).ok());
        let did = world.runs_and("cargo test", || tampered(&world, shown));
        let told = did.after.context().unwrap_or_else(|| panic!("{shown}: {did:?}"));
        assert!(told.contains("NOTICED") && told.contains(shown), "{told}");
        assert!(told.contains(&format!("git seed fence restore {shown}")), "{told}");
        let heard = did.after.to_person().unwrap_or_default();
        assert!(heard.contains(shown) && heard.contains("git seed fence accept"), "{heard}");
        assert_eq!(world.json("fence status")["strays"], json!([shown]));
        assert_eq!(world.json("status")["fence"]["strays"], json!([shown]));
        world.person("status").tells(shown);
        world.person("doctor").fails("");
        let step = format!("git seed fence restore {shown}");
        world.changes_nothing(|| {
            world.seed("phase advance -F -").stdin(&message("execute")).refuses(&step)
        });
        world.changes_nothing(|| world.seed("phase back observe -m again").refuses(""));
        assert!(a_call(&world).after.is_silent(), "it is said once");
        world.runs(&step).passes();
        assert_eq!(fs::read(&path).ok(), bytes, "{shown}");
        assert_eq!(path.metadata().map(|data| data.permissions().mode()).ok(), mode, "{shown}");
        assert_eq!(world.json("fence status")["strays"], json!([]));
        world.reads(CODE).passes();
        world.notes("---Ex---", shown);
    }
    let kept = fs::read_dir(world.path(".git/seed/taken")).expect("what was taken away is kept");
    assert!(kept.count() >= 5);
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_step_in_the_same_command_is_refused_and_the_change_is_named_after_it() {
    let world = at("execute");
    world.works("execute");
    let head = world.git("rev-parse HEAD");
    // One shell does both, as in a host: the call began with it.
    let did = world.runs_and("cargo test", || {
        let line = "echo '# more' >> .git/config; git seed phase advance -F -";
        let said = world.agents_shell(line, &message("execute"));
        assert!(
            said.code == 2 && said.err.contains("git seed fence restore .git/config"),
            "{said:?}"
        );
    });
    did.after.tells(".git/config");
    assert_eq!(world.git("rev-parse HEAD"), head);
    let did = world.runs_and("cargo test", || {
        world.seed("fence restore .git/config").tells(".git/config is as it was");
    });
    assert!(did.after.is_silent(), "{did:?}");
    world.leaves();
}

#[test]
fn all_strays_are_put_back_at_once_and_only_strays() {
    let world = at("execute");
    let before = fs::read(world.path(".git/config")).expect("read");
    world.runs_and("cargo test", || {
        tampered(&world, ".git/config");
        tampered(&world, LOCAL);
        fs::write(world.path("todo.txt"), "x\n").expect("written");
    });
    assert_eq!(world.json("fence status")["strays"], json!([LOCAL, ".git/config", "todo.txt"]));
    world.seed("fence restore .git/hooks/pre-commit").ends(1, "");
    world.seed("fence restore").tells("todo.txt is as it was");
    assert_eq!(fs::read(world.path(".git/config")).expect("read"), before);
    assert_eq!(world.json("fence status")["strays"], json!([]));
    assert_eq!(world.text("todo.txt"), "a\nb\nc\n");
}

#[test]
fn a_replaced_hook_and_one_behind_a_link_are_put_back() {
    let world = at("execute");
    let hook = world.path(".git/hooks/commit-msg");
    let before = fs::read(&hook).expect("a hook");
    let elsewhere = world.root().join("elsewhere");
    fs::write(&elsewhere, "#!/bin/sh\nexit 0\n").expect("written");
    let did = world.runs_and("cargo test", || {
        fs::remove_file(&hook).expect("removed");
        symlink(&elsewhere, &hook).expect("linked");
    });
    did.after.tells(".git/hooks/commit-msg");
    assert!(
        did.after.to_person().is_some_and(|told| told.contains("WARNING: git no longer runs")),
        "{did:?}"
    );
    world.seed("fence restore .git/hooks/commit-msg").succeeds();
    assert!(hook.symlink_metadata().expect("there").is_file());
    assert_eq!(fs::read(&hook).expect("a hook"), before);
    assert_eq!(fs::read_to_string(&elsewhere).expect("there"), "#!/bin/sh\nexit 0\n");
}

#[test]
fn what_a_person_changes_is_told_once_and_stops_nothing() {
    let world = at("execute");
    world.works("execute");
    for (line, shown) in [
        ("git config user.nick ada", ".git/config"),
        ("git config --file ../home/.gitconfig user.nick ada", "~/.gitconfig"),
        ("echo '*.log' >> .git/info/exclude", ".git/info/exclude"),
        ("echo '{ \"model\": \"y\" }' > ../home/.claude/settings.json", HOME),
        (
            "printf '#!/bin/sh\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push",
            ".git/hooks/pre-push",
        ),
    ] {
        person(&world, line);
        let did = a_call(&world);
        assert_eq!(did.after.context(), None, "{line}");
        let told = did.after.to_person().unwrap_or_default().to_owned();
        assert!(told.contains(shown) && told.contains("no call accounts for it"), "{line}: {told}");
        assert!(!told.contains("WARNING"), "{told}");
        assert!(a_call(&world).after.is_silent(), "{line}: said once");
        assert_eq!(world.json("fence status")["strays"], json!([]));
    }
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_person_at_work_with_git_trips_nothing() {
    let world = at("execute");
    person(
        &world,
        "git checkout -q -b side && git commit -q --allow-empty -m x && git checkout -q main",
    );
    person(&world, "git branch -q --set-upstream-to=main side && git stash list && git tag v1");
    let did = a_call(&world);
    assert!(did.after.is_silent(), "{did:?}");
    // Nor does a call that tracks a branch.
    let did = world.runs_and("cargo test", || drop(world.sh("git branch -q --track other main")));
    assert!(did.after.is_silent(), "{did:?}");
}

/// Where the next push goes is no word that a call says.
#[test]
fn a_branch_that_tracks_an_address_is_named() {
    let world = at("execute");
    world.sh("git init -q --bare ../evil.git && git remote add origin ../there.git");
    a_call(&world);
    let did = world.runs_and("cargo test", || {
        drop(world.sh("git config branch.main.remote ../evil.git"));
    });
    did.after.tells(".git/config");
    world.runs("git seed fence restore .git/config").passes();
    for line in ["git config branch.main.remote origin", "git config branch.main.remote ."] {
        let did = world.runs_and("cargo test", || drop(world.sh(line)));
        assert!(did.after.is_silent(), "{line}: {did:?}");
    }
}

#[test]
fn a_host_that_writes_its_settings_anew_between_calls_stops_nothing() {
    let world = at("execute");
    world.works("execute");
    let text =
        world.text(LOCAL).replacen('{', "{ \"permissions\": { \"allow\": [\"Bash(ls)\"] },", 1);
    fs::write(world.path(LOCAL), text).expect("written");
    let did = a_call(&world);
    let told = did.after.to_person().unwrap_or_default();
    assert!(told.contains(LOCAL) && !told.contains("WARNING"), "{told}");
    world.leaves();
}

#[test]
fn what_disarms_is_told_loudly_whoever_did_it() {
    for (line, told) in [
        ("echo '{}' > .claude/settings.local.json", "no longer has git seed's hook line"),
        (
            "echo '{ \"disableAllHooks\": true }' > ../home/.claude/settings.json",
            "switches all hooks of the agent off",
        ),
        ("rm .git/hooks/pre-commit", "git no longer runs .git/hooks/pre-commit"),
        ("git config core.hooksPath /nowhere", "core.hooksPath is /nowhere"),
    ] {
        let world = at("execute");
        person(&world, line);
        let did = a_call(&world);
        let heard = did.after.to_person().unwrap_or_default();
        assert!(heard.contains("WARNING") && heard.contains(told), "{line}: {heard}");
        assert_eq!(did.after.context(), None);
    }
}

#[test]
fn a_person_takes_it_over_and_no_agent_does() {
    let world = at("execute");
    world.works("execute");
    for shown in [".git/config", HOME] {
        world.runs_and("cargo test", || tampered(&world, shown));
        world.seed(&format!("fence accept {shown}")).refuses("BLOCKED");
        world.runs(&format!("git seed fence accept {shown}")).refuses("BLOCKED");
        world.person(&format!("fence accept {shown}")).succeeds();
        assert_eq!(world.json("fence status")["strays"], json!([]));
        assert!(fs::read_to_string(file(&world, shown)).expect("there").contains("tampered"));
        assert!(a_call(&world).after.is_silent());
    }
    world.leaves();
}

#[test]
fn a_new_session_does_not_forget_what_the_agent_changed() {
    let world = at("execute");
    world.works("execute");
    world.runs_and("cargo test", || tampered(&world, ".git/config"));
    world.ends();
    world.session("0a0a0a0a-0000-4000-8000-000000000002");
    world.starts();
    world.prompt("go on");
    assert_eq!(world.json("fence status")["strays"], json!([".git/config"]));
    world
        .seed("phase advance -F -")
        .stdin(&message("execute"))
        .refuses("fence restore .git/config");
    world.seed("fence restore .git/config").succeeds();
    world.leaves();
}

#[test]
fn a_session_that_starts_inside_a_call_takes_no_new_prints() {
    let world = at("execute");
    let did = world.runs_and("cargo test", || {
        tampered(&world, ".git/config");
        world.event("SessionStart", &json!({ "source": "clear" }));
        world.event("SessionStart", &json!({ "source": "startup", "session_id": "0b0b" }));
    });
    did.after.tells(".git/config");
}

#[test]
fn what_changed_between_sessions_is_the_persons() {
    let world = at("execute");
    world.ends();
    person(&world, "git config user.nick ada");
    world.starts();
    let did = a_call(&world);
    assert!(did.after.is_silent(), "{did:?}");
}

#[test]
fn git_seeds_own_writes_are_no_tampering() {
    let world = at("execute");
    world.works("execute");
    world.runs_and("cargo test", || {
        fs::remove_file(world.path(".git/hooks/pre-commit")).expect("removed");
    });
    assert_eq!(world.json("fence status")["strays"], json!([".git/hooks/pre-commit"]));
    world.person("init").succeeds();
    assert_eq!(world.json("fence status")["strays"], json!([]));
    // Another host, other files: they count from the moment that they are written.
    world.person("init --host claude --host gemini").succeeds();
    world.person("off -m 'by hand'").succeeds();
    person(&world, "git config user.nick ada");
    world.person("on").succeeds();
    world.person("doctor --fix").succeeds();
    let did = a_call(&world);
    assert!(did.after.is_silent(), "{did:?}");
    world
        .runs_and("cargo test", || tampered(&world, ".gemini/settings.json"))
        .after
        .tells(".gemini/settings.json");
    world.seed("fence restore .gemini/settings.json").succeeds();
    world.tests();
    world.leaves();
}

#[test]
fn without_a_job_the_person_hears_of_it() {
    let world = World::seeded();
    // What only looks is not looked before: no call claims what came of it.
    let did = world.runs_and("ls", || tampered(&world, ".git/config"));
    let told = did.after.to_person().unwrap_or_default();
    assert!(told.contains(".git/config changed, and no call accounts for it"), "{did:?}");
    world.person("fence status").refuses("no job");
}

#[test]
fn prints_that_are_gone_are_told_and_taken_anew() {
    let world = at("execute");
    let did = world.runs_and("cargo test", || {
        fs::remove_dir_all(world.path(".git/seed/prints")).expect("removed");
    });
    assert!(did.after.to_person().is_some_and(|told| told.contains("taken again")), "{did:?}");
    assert!(a_call(&world).after.is_silent());
}

#[test]
fn what_cannot_be_compared_is_told_and_the_call_is_heard() {
    let world = at("execute");
    let did = world.runs_and("cargo test", || {
        fs::remove_dir_all(world.path(".git/seed/prints")).expect("removed");
        fs::write(world.path(".git/seed/prints"), "").expect("written");
    });
    assert!(did.after.to_person().is_some_and(|told| told.contains("cannot compare")), "{did:?}");
    world.sh("git seed log --json | grep -q rg || grep -q Bash .git/seed/journal/*.jsonl");
}

#[test]
fn after_the_way_out_nothing_is_written() {
    let world = World::seeded();
    world.person("uninstall").succeeds();
    world.runs_and("cargo test", || {
        fs::write(world.path(".git/info/attributes"), "x\n").expect("written");
    });
    assert!(!world.path(".git/seed").exists());
}

#[test]
fn doctor_tells_how_the_fingerprints_stand() {
    let world = World::new();
    world.person("init").succeeds();
    world.person("doctor").tells("git seed takes them when a session starts");
    world.starts();
    world.person("doctor").tells("unchanged");
    person(&world, "git config user.nick ada");
    world.person("doctor").tells("no call accounts for changes in: .git/config");
    world.to("execute");
    world.runs_and("cargo test", || tampered(&world, ".git/info/exclude"));
    let said = world.person("doctor").said();
    assert!(said.out.contains("fix: git seed fence restore .git/info/exclude"), "{said:?}");
}

/// The hooks call it: where it does not run, nothing is judged and nothing is seen.
#[test]
fn the_program_that_the_hooks_call_is_not_the_agents_to_change() {
    let binary = super::world::seed_binary();
    let dir = binary.parent().expect("a directory").to_owned();
    let above = dir.parent().expect("a directory").to_owned();
    let world = World::seeded();
    world.to("execute");
    let (binary, dir, above) = (binary.display(), dir.display(), above.display());
    let judged = |line: &str| {
        let input = json!({ "command": line });
        let reply = world.before("Bash", &input, &world.next_call());
        reply.refusal().map(str::to_owned)
    };
    for line in [
        format!("chmod -x {binary}"),
        format!("chmod 644 {dir}/*"),
        format!("chmod -R a-x {above}"),
        format!("mv {dir} {above}/elsewhere"),
        format!("mv {binary} /tmp/gone"),
        format!("rm -rf {above}"),
        format!("ln -sf /bin/true {binary}"),
        format!("cp /bin/true {binary}"),
        format!("cp /tmp/fake/git-seed {dir}"),
        format!("install -m 644 /bin/true {binary}"),
        format!("dd if=/bin/true of={binary}"),
        format!("truncate -s 0 {binary}"),
        format!("echo x | tee {binary}"),
        format!(": > {binary}"),
        format!("strip {binary}"),
        format!("patchelf --set-interpreter /none {binary}"),
        format!("mount --bind /bin/true {binary}"),
        format!("P={binary}; chmod 0 $P"),
        "chmod -x $(which git-seed)".to_owned(),
        "mount --bind /bin/true $(command -v git-seed)".to_owned(),
        format!("python3 -c 'import os; os.remove(\"{binary}\")'"),
    ] {
        let said = judged(&line).unwrap_or_default();
        assert!(said.contains("belongs to git seed"), "{line}: {said}");
    }
    let input = json!({ "file_path": binary.to_string(), "content": "x" });
    world.before("Write", &input, &world.next_call()).refuses("belongs to git seed");
    for line in [
        format!("ls -l {binary}"),
        format!("sha256sum {binary}"),
        format!("{binary} status"),
        "strip target/release/tool".to_owned(),
        "which git-seed".to_owned(),
        format!("chmod +x {CODE}"),
    ] {
        assert_eq!(judged(&line), None, "{line}");
    }
}

//! Git's own hooks: they bind the agent, never the person, and chain to what was there.

use super::world::{CODE, PAGE, World, message};

#[test]
fn an_agents_commit_outside_the_fence_is_refused() {
    let world = World::seeded();
    world.to("execute");
    world.puts("todo.txt", "changed\n");
    let head = world.git("rev-parse HEAD");
    let said = world.agents_shell("git commit -am x", "");
    assert!(said.code != 0 && said.err.contains("todo.txt"), "{said:?}");
    assert_eq!(world.git("rev-parse HEAD"), head);
}

#[test]
fn an_agents_commit_that_code_made_inside_the_fence_passes_and_is_attested() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex", "pub fn lex").passes();
    let said = world.agents_shell("git commit -qam 'by a script'", "");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(world.git("notes --ref=seed show HEAD").contains(&world.git("rev-parse HEAD")));
}

#[test]
fn a_person_commits_what_they_like() {
    let world = World::seeded();
    world.to("execute");
    world.puts("todo.txt", "changed\n");
    let said = world.tries("git commit -qam mine");
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
}

#[test]
fn forged_trailers_are_refused() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex", "pub fn lex").passes();
    let head = world.git("rev-parse HEAD");
    for (message, named) in [
        ("x\n\nSeed-Id: 0123456789ab", "Seed-Id: 0123456789ab"),
        ("x\n\nSeed-Step: verify -> condense\nSeed-Id: 0123456789ab", "Seed-Step: verify"),
        ("x\n\nSeed-Job: 20261121t205612-7f3a\nSeed-Phase: plan", "Seed-Job: 20261121t205612"),
        ("x\n\nCo-authored-by: A <a@b>\n  seed-mixed: src/a", "seed-mixed: src/a"),
        ("x\n\nSeed-By: person\n\nmore", "Seed-By: person"),
    ] {
        let said = world.agents_shell("git commit -qa -F -", message);
        assert!(said.code != 0, "{said:?}");
        assert!(said.err.contains("BLOCKED") && said.err.contains(named), "{said:?}");
    }
    assert_eq!(world.git("rev-parse HEAD"), head);
    let said = world.agents_shell("git commit -qa -F -", "seed: mine\n\nSeed-Id is a trailer");
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_persons_amend_keeps_the_trailers() {
    let world = World::seeded();
    world.to("execute");
    let id = world.trailer("Seed-Id");
    world.git("commit -q --amend --no-edit");
    assert_eq!(world.trailer("Seed-Id"), id);
    assert!(!world.git("notes --ref=seed show HEAD").is_empty(), "the note went along");
}

#[test]
fn an_amend_with_a_message_of_its_own_keeps_the_trailers() {
    let lines = [
        "git commit --amend -m 'better words'",
        "git commit -q --am -m better -m words",
        "git -c alias.again='commit --amend' again -m 'better words'",
        "printf 'better words\n\nReviewed-by: a <a@b>\n' | git commit -q --amend -F -",
        "git commit -q --amend --reset-author -m 'better words'",
    ];
    for line in lines {
        let world = World::seeded();
        world.to("execute");
        let trailers = world.git("log -1 --format='%(trailers:only)'");
        let (id, head) = (world.trailer("Seed-Id"), world.git("rev-parse HEAD"));
        let said = world.tries(line);
        assert_eq!(said.code, 0, "{line}: {said:?}");
        assert!(said.err.contains("trailers of this phase commit were kept"), "{line}: {said:?}");
        assert_eq!(world.trailer("Seed-Id"), id, "{line}");
        let now = world.git("log -1 --format='%(trailers:only)'");
        assert!(trailers.lines().all(|row| now.contains(row)), "{line}: {now}");
        assert!(world.git("log -1 --format=%s").starts_with("better"), "{line}");
        assert_ne!(world.git("rev-parse HEAD"), head, "{line}");
        world.works("execute");
        world.checkpoint("the next change of the lexer is in").succeeds();
        world.person("verify").succeeds();
    }
}

#[test]
fn only_what_replaces_the_phase_commit_takes_its_trailers() {
    let world = World::seeded();
    world.to("execute");
    let mine = "git commit -q --allow-empty -m 'mine --amend'";
    let deleted = "GIT_EDITOR='sed -i /^Seed-/d' git commit -q --amend";
    for line in [mine, "git commit -q --amend --allow-empty --no-edit"] {
        let said = world.tries(line);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}");
    }
    // HEAD is the person's own commit, which has none.
    assert_eq!(world.git("log -1 --format='%(trailers)'"), "");
    let world = World::seeded();
    world.to("execute");
    let said = world.tries(deleted);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(world.git("log -1 --format='%(trailers)'"), "", "taken out by hand");
}

#[test]
fn an_agents_new_commit_does_not_take_the_trailers_of_head() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex", "pub fn lex").passes();
    let known = world.git("log -1 --format='%(trailers:only)'");
    let head = world.git("rev-parse HEAD");
    for message in [format!("x\n\n{known}"), format!("git commit --amend\n\n{known}")] {
        let said = world.agents_shell("git commit -qa -F -", &message);
        assert!(said.code != 0 && said.err.contains("Seed-Job"), "{said:?}");
        let told = world.seed("why").succeeds();
        assert!(told.contains("Seed-Job"), "{told}");
    }
    assert_eq!(world.git("rev-parse HEAD"), head);
    let said = world.agents_shell("git commit -q --amend -F -", &format!("x\n\n{known}"));
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn hooks_that_were_there_still_run() {
    for place in [".git/hooks", ".husky"] {
        let world = World::new();
        world.sh(&format!(
            "mkdir -p {place} && printf '#!/bin/sh\\necho ran >> ../ran\\n' > {place}/pre-commit \
             && chmod +x {place}/pre-commit"
        ));
        if place != ".git/hooks" {
            world.git(&format!("config core.hooksPath {place}"));
            world.git("add -A");
            world.git("commit -qm hooks");
            world.sh("rm -f ../ran");
        }
        let before =
            world.sh(&format!("cat {place}/pre-commit .git/config; ls -l {place}/pre-commit"));
        let world = world.installed();
        world.puts("todo.txt", "x\n");
        world.git("commit -qam x");
        assert_eq!(world.text("../ran"), "ran\n", "{place}");
        assert!(world.git("status --porcelain").is_empty(), "{place}: no tracked hook is touched");
        world.to("plan");
        assert_eq!(world.text("../ran"), "ran\nran\n", "{place}: for phase commits too, once each");
        world.person("uninstall").succeeds();
        let after =
            world.sh(&format!("cat {place}/pre-commit .git/config; ls -l {place}/pre-commit"));
        assert_eq!(before, after, "{place}: byte for byte");
    }
}

#[test]
fn hooks_pass_when_the_binary_is_gone() {
    let world = World::new();
    let gone = world.root().join("bin");
    std::fs::create_dir_all(&gone).expect("a directory");
    let binary = gone.join("git-seed");
    std::fs::copy(env!("CARGO_BIN_EXE_git-seed"), &binary).expect("a copy");
    world.sh(&format!("GIT_SEED_TEST_PERSON=1 {} init", binary.display()));
    std::fs::remove_file(&binary).expect("it was there");
    world.puts("todo.txt", "x\n");
    let said = world.agents_shell("git commit -qam x", "");
    assert_eq!(said.code, 0, "{said:?}");
    world.sh("GIT_SEED_TEST_PERSON=1 git seed uninstall");
}

#[test]
fn a_phase_commit_is_kept_alive_by_its_own_ref() {
    let world = World::seeded();
    world.to("execute");
    let commit = world.git("rev-parse HEAD");
    world.git("reset -q --hard HEAD~2");
    world.git("reflog expire --expire=now --all");
    world.git("gc -q --prune=now");
    assert_eq!(world.git(&format!("cat-file -t {commit}")), "commit");
    world.git(&format!("reset -q --hard {commit}"));
    assert!(world.path(PAGE).exists());
}

#[test]
fn an_amend_right_after_init_is_warned_of_nothing() {
    let world = World::seeded();
    for line in ["git commit --amend -qm 'said better'", "git rebase -q --root"] {
        let said = world.tries(line);
        assert!(said.code == 0 && !said.err.contains("warning"), "{line}: {said:?}");
    }
    // A second init begins nothing anew, and what was begun goes with the rest.
    let begun = world.git("rev-parse refs/notes/seed");
    world.person("init").succeeds();
    assert_eq!(world.git("rev-parse refs/notes/seed"), begun);
    world.person("uninstall").succeeds();
    assert_eq!(world.git("for-each-ref refs/notes refs/seed").trim(), "");
}

/// A tool that installs hooks, as one of `fixtures/hook-managers` plays it.
fn installs(world: &World, tool: &str) -> super::world::Said {
    let fixture = format!("{}/fixtures/hook-managers/{tool}.sh", env!("CARGO_MANIFEST_DIR"));
    world.persons_terminal(&format!("sh '{fixture}'"), "")
}

/// What the person hears when a session starts.
fn hears(world: &World) -> String {
    world.starts().to_person().unwrap_or_default().to_owned()
}

/// An agent's commit by hand of a file outside the fence; git seed's pre-commit refuses it.
fn is_fenced(world: &World) -> bool {
    world.agents_shell("git commit -qam x", "").code != 0
}

#[test]
fn what_a_hook_manager_takes_out_is_told_once_and_init_puts_both_in_a_row() {
    for (tool, says) in
        [("lefthook", "lefthook replaced it"), ("husky", "husky set core.hooksPath")]
    {
        let world = World::seeded();
        world.to("plan");
        assert_eq!(installs(&world, tool).code, 0, "{tool}");
        let told = hears(&world);
        assert!(told.contains(says) && told.contains("git seed init"), "{tool}: {told}");
        assert!(!hears(&world).contains(says), "{tool}: told once");
        let doctor = world.person("doctor").said();
        assert!(doctor.out.contains(says), "{tool}: {doctor:?}");
        world.puts("todo.txt", "x\n");
        world.sh("rm -f ../ran");
        assert!(!is_fenced(&world), "{tool}: ours is out");
        assert_eq!(world.text("../ran"), format!("{tool} ran\n"), "{tool}: theirs works as before");
        // The remedy that was named.
        world.person("init").succeeds();
        assert!(!hears(&world).contains(says), "{tool}: in order again");
        world.sh("rm -f ../ran");
        world.puts("todo.txt", "y\n");
        assert!(is_fenced(&world), "{tool}: ours refuses again");
        world.git("commit -qam 'a persons own'");
        assert!(world.text("../ran").contains(&format!("{tool} ran")), "{tool}: theirs runs, too");
        world.person("uninstall").succeeds();
        world.sh("rm -f ../ran");
        world.puts("todo.txt", "z\n");
        world.git("commit -qam z");
        assert_eq!(world.text("../ran"), format!("{tool} ran\n"), "{tool}: alone again");
    }
}

#[test]
fn pre_commit_in_front_hands_on_and_nothing_is_amiss() {
    let world = World::seeded();
    world.to("plan");
    assert_eq!(installs(&world, "pre-commit").code, 0);
    assert!(!hears(&world).contains("no longer run"));
    let doctor = world.person("doctor").said();
    assert!(doctor.out.contains("pre-commit runs first"), "{doctor:?}");
    world.puts("todo.txt", "x\n");
    assert!(is_fenced(&world), "ours runs behind it");
    world.git("commit -qam x");
    assert_eq!(world.text("../ran"), "pre-commit ran\n");
    world.person("uninstall").succeeds();
    assert!(!world.path(".git/hooks/pre-commit.legacy").exists());
    world.puts("todo.txt", "z\n");
    world.git("commit -qam z");
    assert_eq!(world.text("../ran"), "pre-commit ran\npre-commit ran\n");
}

#[test]
fn pre_commit_that_refuses_a_hooks_path_installs_by_the_documented_way() {
    let world = World::new();
    world.sh("printf '#!/bin/sh\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit");
    let world = world.installed();
    assert!(installs(&world, "pre-commit").err.contains("Cowardly"), "core.hooksPath is ours");
    // docs/git.md: out, theirs in, in again.
    world.person("uninstall").succeeds();
    assert_eq!(installs(&world, "pre-commit").code, 0);
    world.person("init").succeeds();
    world.puts("todo.txt", "x\n");
    world.git("commit -qam x");
    assert_eq!(world.text("../ran"), "pre-commit ran\n");
    let doctor = world.person("doctor").said();
    assert!(!doctor.out.contains("put its own"), "{doctor:?}");
}

/// Git reads the last paragraph of a message alone.
#[test]
fn what_a_hook_appends_hides_no_trailer_from_git() {
    for appended in ["Change-Id: I1234", "[TICKET-12] see there", "Signed-off-by: A Person <a@b>"] {
        let world = World::new();
        world.puts(
            ".git/hooks/prepare-commit-msg",
            &format!("#!/bin/sh\nprintf '\\n%s\\n' '{appended}' >> \"$1\"\n"),
        );
        world.sh("chmod +x .git/hooks/prepare-commit-msg");
        let world = world.installed();
        world.to("plan");
        let found = world.sh("git log -1 --format=%B | git interpret-trailers --parse");
        for key in ["Seed-Job", "Seed-Run", "Seed-Cycle", "Seed-Phase", "Seed-Step", "Seed-Id"] {
            assert!(found.contains(&format!("{key}: ")), "{appended}: {found}");
        }
        assert_eq!(found.contains(appended), appended.contains(": "), "{found}");
        assert!(world.git("log -1 --format=%B").contains(appended), "nothing is lost");
        world.works("plan");
        world.leaves();
        let said = world.seed("verify").said();
        assert_ne!(said.code, 2, "{said:?}");
    }
}

#[test]
fn a_phase_commit_whose_message_a_hook_wrote_is_none_by_hand() {
    let world = World::new();
    world.puts(".git/hooks/commit-msg", "#!/bin/sh\necho rewritten > \"$1\"\n");
    world.sh("chmod +x .git/hooks/commit-msg");
    let world = world.installed();
    world.to("execute");
    world.works("execute");
    let told = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert_eq!(world.git("log -1 --format=%s"), "rewritten");
    assert!(!told.contains("by hand"), "{told}");
}

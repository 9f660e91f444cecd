//! A person rewrites the history of a branch on which a job is under way.

use super::world::{CODE, PAGE, World, message};

/// A job in its second phase, after two phase commits where `phase` is execute.
fn at(phase: &str) -> World {
    let world = World::seeded().installed();
    world.to(phase);
    world
}

fn id_of_head(world: &World) -> String {
    world.git("log -1 '--format=%(trailers:key=Seed-Id,valueonly)'")
}

/// The agent works on as if nothing had happened, and its step is the next one.
fn goes_on(world: &World, phase: &str) {
    world.works(phase);
    world.seed("phase advance -F -").stdin(&message(phase)).succeeds();
    world.person("verify").succeeds();
}

#[test]
fn an_amend_in_an_editor_keeps_every_line_and_the_job_goes_on() {
    for setting in ["", "core.commentChar ';'", "core.commentChar auto"] {
        let world = at("observe");
        if !setting.is_empty() {
            world.git(&format!("config {setting}"));
        }
        world.works("observe");
        let odd = "\n## Sources Consulted\n#12 is fixed\n; and this\n```md\n# a title\n```\n";
        let sent = message("observe").replace("\n## Sources Consulted\n", odd);
        world.seed("phase advance -F -").stdin(&sent).succeeds();
        let (old, id) = (world.git("rev-parse HEAD"), id_of_head(&world));
        let said = world.git("log -1 --format=%B");
        assert!(said.contains("What I Observed:") && said.contains(" #12 is fixed"), "{said}");
        assert!(!said.contains("##") && !said.contains("Outstanding"), "{said}");
        let note = world.git("notes --ref=seed show HEAD");
        assert!(note.contains("\"outstanding\":\"none\""), "{note}");
        world.sh("GIT_EDITOR='sed -i 1s/:/:_/' git commit -q --amend");
        assert_eq!(world.git("log -1 --format=%B"), said.replacen(':', ":_", 1), "{setting}");
        let new = world.git("rev-parse HEAD");
        assert_ne!(old, new);
        let note = world.git("notes --ref=seed show HEAD");
        assert!(
            note.contains(&format!("{id} 99 {{\"kind\":\"rewritten\"")) && note.contains(&old),
            "{note}"
        );
        assert!(note.contains(&format!("{id} 99 {{\"kind\":\"step\"")), "{note}");
        let kept = world.git(&format!("rev-list refs/seed/keep/{}", world.job()));
        assert!(kept.contains(&old) && kept.contains(&new), "{kept}");
        goes_on(&world, "plan");
    }
}

#[test]
fn a_rewrite_that_no_hook_saw_is_followed_by_the_next_call() {
    let world = at("plan");
    let id = id_of_head(&world);
    world.git("-c core.hooksPath=/nowhere -c notes.rewriteRef= commit -q --amend --no-edit -s");
    assert_eq!(id_of_head(&world), id);
    goes_on(&world, "plan");
    let note = world.git("notes --ref=seed show HEAD~1");
    assert!(note.contains(&format!("{id} 99 {{\"kind\":\"rewritten\"")), "{note}");
    assert!(note.contains(&format!("{id} 99 {{\"kind\":\"step\"")), "{note}");
}

#[test]
fn a_rebase_onto_upstream_is_none_of_the_agents_changes() {
    let world = at("execute");
    world.git("switch -q -c upstream HEAD~2");
    world.puts("UPSTREAM.md", "theirs\n");
    world.git("add UPSTREAM.md");
    world.git("commit -q -m theirs");
    world.git("switch -q -");
    world.git("rebase -q upstream");
    assert_eq!(world.git("rev-list --count upstream..HEAD"), "2");
    goes_on(&world, "execute");
    assert!(!world.files_of_head().contains(&"UPSTREAM.md".to_owned()));
    let status = world.seed("status").succeeds();
    assert!(!status.contains("UPSTREAM"), "{status}");
}

#[test]
fn two_phase_commits_squashed_into_one_are_both_found() {
    let world = at("execute");
    let squash = "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' GIT_EDITOR=true";
    world.sh(&format!("{squash} git rebase -q -i HEAD~2"));
    assert_eq!(world.git("log -1 --format=%B").matches("Seed-Id: ").count(), 2);
    let note = world.git("notes --ref=seed show HEAD");
    assert_eq!(note.matches("\"rewritten\"").count(), 2, "{note}");
    goes_on(&world, "execute");
    // And once more: what was squashed is reworded.
    let words = "GIT_EDITOR='sed -i 1s/:/:_/' git commit -q --amend --no-verify";
    world.sh(words);
    goes_on(&world, "verify");
}

#[test]
fn where_a_step_is_gone_work_waits_before_it_is_done() {
    let drops = "GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase -q -i HEAD~2 2>/dev/null || \
                 { git add -A && GIT_EDITOR=true git rebase --continue; }";
    let amends = "git commit -q --amend --no-verify -m mine";
    for rewrite in ["git reset -q --hard HEAD~1", drops, amends] {
        let world = at("execute");
        world.sh(rewrite);
        world.reads(CODE).passes();
        let code = world.text(CODE);
        world.changes_nothing(|| {
            world.edits(CODE, &code, "fn lex() { more(); }\n").refuses("git seed job move");
            world.runs("cargo test").refuses("git seed job move");
        });
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("git seed job move");
        let status = world.seed("status").succeeds();
        assert!(status.contains("missing from the history of this branch"), "{rewrite}: {status}");
        world.person("job move").succeeds();
        world.works("execute");
        world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    }
}

#[test]
fn a_commit_of_the_persons_on_top_is_no_rewrite() {
    let world = at("plan");
    world.puts("MINE.md", "mine\n");
    world.git("add MINE.md");
    world.git("commit -q -m mine");
    let page = world.text(PAGE);
    assert!(!page.is_empty());
    goes_on(&world, "plan");
    let notes = world.git("notes --ref=seed list");
    assert!(!notes.is_empty() && !world.git("log --format=%N --notes=seed").contains("rewritten"));
}

/// What a person commits to a page meanwhile is theirs, and the agent's notes below it are its own.
#[test]
fn a_page_that_the_person_committed_meanwhile_is_not_the_agents_change() {
    for change in [
        "sed -i '1i # The parser, by hand' {page} && git commit -qam 'mine: a title'",
        "sed -i 's/^contract: .*/contract: keep all escapes/' {page} && git commit -qam mine",
        "git revert --no-edit HEAD > /dev/null",
    ] {
        let world = at("execute");
        world.sh(&change.replace("{page}", PAGE));
        let page = world.git(&format!("show HEAD:{PAGE}"));
        goes_on(&world, "execute");
        let now = world.git(&format!("show HEAD:{PAGE}"));
        let without = now.replace("looked ahead one character", "");
        let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(bare(&without), bare(&page), "{change}: the person's words stay");
    }
}

/// A line of the agent's above its anchor is no better for a commit of the person's elsewhere.
#[test]
fn a_commit_of_the_persons_excuses_no_other_change_of_a_page() {
    let world = at("execute");
    world.puts("MINE.md", "mine\n");
    world.git("add MINE.md");
    world.git("commit -q -m mine");
    world.works("execute");
    let page = world.text(PAGE);
    world.runs_and("sh build.sh", || world.puts(PAGE, &format!("# another body\n{page}")));
    world.seed("phase advance -F -").stdin(&message("execute")).refuses("CLAUDE.md");
}

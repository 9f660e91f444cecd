//! Sessions in condense: what goes from a footer stands in the session log first.

use std::fs;

use serde_json::json;

use super::world::{CODE, PAGE, Reply, World, message};

/// The session log of the focused job's first cycle.
fn log(world: &World) -> String {
    format!(".claude/jobs/{}/run-1/session-log-1.md", world.job())
}

/// A world in condense, its page read.
fn condensing() -> World {
    let world = World::seeded();
    world.to("condense");
    world.reads(PAGE).passes();
    world
}

/// The page of `world` without its line `line`.
fn without(world: &World, line: &str) -> String {
    let text = world.text(PAGE);
    assert!(text.contains(line), "{text}");
    text.split_inclusive('\n').filter(|one| one.trim_end() != line).collect()
}

const SEEN: &str = "the lexer drops escapes inside quoted strings";

#[test]
fn no_edit_tool_takes_a_footers_words_before_they_are_archived() {
    let world = condensing();
    let says = "no session log holds it";
    let before = world.text(PAGE);
    world.edits(PAGE, SEEN, "").refuses(says);
    world.edits(PAGE, "drops escapes", "loses backslashes").refuses(says);
    world.writes(PAGE, &without(&world, SEEN)).refuses(says);
    let steps = json!([
        { "old_string": "drops escapes", "new_string": "drops  escapes" },
        { "old_string": "inside quoted", "new_string": "inside" },
    ]);
    let many = json!({ "file_path": world.path(PAGE), "edits": steps });
    world.tool("MultiEdit", &many, || json!({})).refuses(says);
    assert_eq!(world.text(PAGE), before);
    // Moving and adding is free.
    world.edits(PAGE, SEEN, &format!("one more word\n\n{SEEN}")).passes();

    world.seed("condense verify").ends(1, "no session log");
    world.seed("condense archive").tells("verified");
    world.seed("condense verify").tells("contains the footers");
    world.reads(CODE).passes();
    world.edits(PAGE, SEEN, "").passes();
}

#[test]
fn a_note_goes_into_the_log_before_it_goes() {
    let world = condensing();
    let note = "[KNOWLEDGE]{how escapes lex}";
    world.edits(PAGE, "---Ob---\n", &format!("---Ob---\n\n{note}\n")).passes();
    world.reads(CODE).passes();
    world.edits(PAGE, note, "").refuses("removes a note");
    world.changes_nothing(|| world.seed("condense archive").refuses("still open"));
    world.seed("condense absorb").refuses("still open");
    assert_eq!(world.json("condense status")["stage"], "address");
    world.puts(".claude/knowledge/lexers.md", "one character of lookahead\n");
    let ended = "[RESOLVED:KNOWLEDGE]{.claude/knowledge/lexers.md}";
    world.edits(PAGE, note, ended).passes();
    assert_eq!(world.json("condense status")["stage"], "archive");
    world.seed("condense archive").succeeds();
    assert!(world.text(&log(&world)).contains(ended));
    world.seed("condense absorb").tells("resolved dropped");
    assert!(!world.text(PAGE).contains(ended));
}

/// What stood in the way again and again is told where memory is written, and no other refusal.
#[test]
fn condense_hears_what_cost_the_cycle_refusals() {
    let world = World::seeded();
    world.to("execute");
    for _ in 0..3 {
        world.edits("todo.txt", "a\n", "A\n").refuses("outside the declared directories");
    }
    world.edits("CLAUDE.md", "# Root", "# Top").refuses("not declared");
    // How the job stands is no lesson about the repository, however often it is said.
    for _ in 0..3 {
        world.stops().refuses("[stop] BLOCKED");
    }
    world.does("execute");
    for _ in 0..2 {
        world.stops().refuses("[stop] BLOCKED");
    }
    world.leaves();
    world.works("verify");
    world.minute();
    let sent = super::world::message("verify");
    let told = world.seed("phase advance -F -").stdin(&sent).succeeds();
    let line = "\nRefused again and again in this cycle: todo.txt is outside the declared \
                directories. If the repository explains it, keep that in .claude/knowledge";
    assert!(told.contains(line), "{told}");
    assert_eq!(told.matches("again and again").count(), 1, "{told}");
    // Where nothing did, nothing is told.
    let calm = World::seeded();
    calm.enters("condense");
    let told = calm.seed("phase current").succeeds();
    assert!(!told.contains("again and again"), "{told}");
}

#[test]
fn a_cycle_is_condensed_by_archive_and_absorb() {
    let world = condensing();
    let lasts = "Escapes need one character of lookahead.";
    let tagged =
        format!("---Ob---\n\n[DURABLE] {lasts}\n\n[EPHEMERAL]\n{}\n\n", "scratch ".repeat(40));
    world.edits(PAGE, "---Ob---\n", &tagged).passes();
    world.seed("condense absorb").refuses("no session log");
    world.seed("condense archive").succeeds();
    let held = world.text(&log(&world));
    assert!(held.contains(SEEN) && held.contains(lasts), "{held}");
    world.seed("condense archive").tells("already");
    assert_eq!(world.text(&log(&world)), held);

    let before = world.text(PAGE);
    let shown = world.seed("condense absorb --dry-run").succeeds();
    assert!(shown.contains(&format!("+{lasts}")) && shown.contains("nothing written"), "{shown}");
    assert_eq!(world.text(PAGE), before);
    let index = world.git("ls-files -s");
    world.seed("condense absorb").tells("1 into the body, 1 ephemeral dropped");
    assert_eq!(world.git("ls-files -s"), index);
    let after = world.text(PAGE);
    let body = after.split("---Ob---").next().unwrap_or_default();
    assert!(body.contains(lasts) && !after.contains("scratch"), "{after}");
    assert_eq!(after.matches("Earlier cycles: session logs").count(), 1, "{after}");
    world.seed("condense absorb").succeeds();
    assert_eq!(world.text(PAGE), after, "what was absorbed is absorbed");
    assert_eq!(world.json("condense status")["archived"], true);
    world.works("condense");
    world.leaves();
    let files = world.files_of_head();
    assert!(files.contains(&log(&world)) && files.contains(&PAGE.to_owned()), "{files:?}");
}

#[test]
fn the_step_waits_until_four_fifths_are_gone() {
    let world = condensing();
    world.seed("condense archive").succeeds();
    let status = world.json("condense status");
    assert_eq!((&status["stage"], &status["archived"]), (&json!("deflate"), &json!(true)));
    world.is_heard();
    world.edits(PAGE, "---Ob---\n", "---Ob---\n\nmore\n").passes();
    world.seed("condense archive").succeeds();
    world.is_heard();
    let sent = message("condense");
    world.changes_nothing(|| world.seed("phase advance -F -").stdin(&sent).refuses("at most"));
    world.works("condense");
    world.leaves();
    assert_ne!(world.phase(), "condense");
}

#[test]
fn what_came_after_the_archive_needs_another() {
    let world = condensing();
    world.seed("condense archive").succeeds();
    let first = world.text(&log(&world));
    world.edits(PAGE, "---Ve---\n", "---Ve---\n\nseen too late\n").passes();
    assert_eq!(world.json("condense status")["stage"], "archive");
    world.reads(CODE).passes();
    world.edits(PAGE, "seen too late", "").refuses("no session log");
    world.edits(PAGE, SEEN, "").passes();
    world.seed("condense archive").tells("capture 2");
    assert!(world.text(&log(&world)).starts_with(&first), "a log only grows");
    world.reads(CODE).passes();
    world.edits(PAGE, "seen too late", "").passes();
}

#[test]
fn a_page_that_a_person_changed_is_left_alone() {
    let world = condensing();
    world.edits(PAGE, "---Ob---\n", "---Ob---\n\n[EPHEMERAL] scratch\n").passes();
    world.seed("condense archive").succeeds();
    let mine = world.text(PAGE).replace("---Ve---\n", "---Ve---\n\nI looked at this myself.\n");
    world.puts(PAGE, &mine);
    world.seed("condense absorb").refuses("no session log");
    assert_eq!(world.text(PAGE), mine);
    world.seed("condense archive").succeeds();
    world.seed("condense absorb").succeeds();
    assert!(world.text(PAGE).contains("I looked at this myself."));
}

#[test]
fn words_that_a_shell_took_are_named_and_come_back() {
    let world = condensing();
    let shorter = without(&world, SEEN);
    let did = world.tool("Bash", &json!({ "command": "cat src/lib.rs" }), || {
        world.puts(PAGE, &shorter);
        json!({ "stdout": "", "stderr": "", "interrupted": false })
    });
    did.passes();
    did.after.tells("NOTICED");
    did.after.tells(PAGE);
    // The line passed as one that looks, so no look before it proves whose change it is: no
    // command of the agent's takes it back, and the person may.
    world.person(&format!("fence restore {PAGE}")).succeeds();
    assert_ne!(world.text(PAGE), shorter);
    world.seed("condense archive").succeeds();
}

#[test]
fn a_log_that_was_lost_or_cut_off_is_put_back() {
    let world = condensing();
    world.seed("condense archive").succeeds();
    let held = world.text(&log(&world));
    fs::remove_file(world.path(&log(&world))).expect("it was there");
    world.seed("condense absorb").refuses("on disk differs from what git seed wrote");
    world.seed("condense verify").ends(1, "on disk differs");
    world.seed("condense archive").succeeds();
    assert_eq!(world.text(&log(&world)), held);
    world.puts(&log(&world), &held[..held.len() / 2]);
    assert_eq!(world.json("condense status")["archived"], false);
    world.seed("condense archive").succeeds();
    assert_eq!(world.text(&log(&world)), held, "one capture, as it was");
}

#[test]
fn a_page_with_windows_line_ends_keeps_them() {
    let world = condensing();
    let crlf = world
        .text(PAGE)
        .replace('\n', "\r\n")
        .replace("---Ob---\r\n", "---Ob---\r\n[DURABLE] It lasts.\r\n\r\n");
    world.writes(PAGE, &crlf).passes();
    world.seed("condense archive").succeeds();
    assert!(world.text(&log(&world)).contains("\r\n"), "byte for byte");
    world.seed("condense absorb").tells("1 into the body");
    let text = world.text(PAGE);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    assert!(text.contains("\r\nIt lasts.\r\n"), "{text:?}");
}

#[test]
fn elsewhere_there_is_nothing_to_archive() {
    let world = World::seeded();
    world.to("observe");
    world.seed("condense archive").refuses("only condense archives");
    world.seed("condense absorb --dry-run").refuses("only condense archives");
    assert_eq!(world.json("condense status")["stage"], "address", "condense has not begun");
}

#[test]
fn what_a_killed_command_left_undone_is_done_by_the_next() {
    // Killed before the log was on disk: the job has it, the work tree does not.
    let world = condensing();
    world.edits(PAGE, "---Ob---\n", "---Ob---\n\n[DURABLE] It lasts.\n").passes();
    world.seed("condense archive").succeeds();
    let (held, before) = (world.text(&log(&world)), world.text(PAGE));
    fs::remove_file(world.path(&log(&world))).expect("it was there");
    world.seed("condense archive").tells("already");
    assert_eq!(world.text(&log(&world)), held);
    // Killed behind the rename, before the page was counted: absorbing again finds it done.
    world.seed("condense absorb").succeeds();
    let absorbed = world.text(PAGE);
    world.seed("condense absorb").succeeds();
    assert_eq!(world.text(PAGE), absorbed);
    // Killed before the rename: the page is claimed, and as it was.
    world.puts(PAGE, &before);
    world.seed("condense absorb").tells("1 into the body");
    assert_eq!(world.text(PAGE), absorbed);
    world.works("condense");
    world.leaves();
    assert_ne!(world.phase(), "condense");
}

#[test]
fn an_absorbed_page_keeps_its_mode() {
    let world = condensing();
    world.edits(PAGE, "---Ob---\n", "---Ob---\n\n[EPHEMERAL] scratch\n").passes();
    world.sh(&format!("chmod 755 {PAGE}"));
    world.seed("condense archive").succeeds();
    world.seed("condense absorb").tells("1 ephemeral dropped");
    assert_eq!(world.sh(&format!("stat -c %a {PAGE}")).trim(), "755");
}

#[test]
fn notes_of_the_cycle_end_are_archived_and_go() {
    let world = World::seeded();
    world.enters("verify");
    world.opens();
    world.tests();
    let notes =
        "[KNOWLEDGE]{escapes}\n[KNOWLEDGE]{lookahead}\n[CARRIED:DRAFT-TERM:1]{trivia}{no home}";
    world.notes("---Ve---", notes);
    world.leaves();
    world.opens();
    let file = ".claude/knowledge/lexers.md";
    world.puts(
        file,
        "---\nname: lexers\ndescription: How they look ahead\ntype: user\n---\nOne\nTwo\nThree\n\
         Four\nFive\n",
    );
    for n in [1, 2, 3] {
        let crumb = if n == 3 { "todo.txt" } else { file };
        world.seed(&format!("note resolve {n} --breadcrumb {crumb}")).succeeds();
    }
    world.seed("condense archive").succeeds();
    world.seed("condense absorb").tells("3 resolved dropped");
    world.seed("condense verify").tells("contains the footers");
    assert!(!world.text(PAGE).contains("[RESOLVED"), "{}", world.text(PAGE));
    world.works("condense");
    world.leaves();
    assert_ne!(world.phase(), "condense");
}

#[test]
fn prose_does_not_become_a_carried_note_by_its_first_word() {
    let world = condensing();
    world.seed("condense archive").succeeds();
    world.is_heard();
    let prose = |line: &str| !line.is_empty() && !line.starts_with("---") && !line.starts_with('#');
    let text: Vec<String> = world
        .text(PAGE)
        .lines()
        .map(|line| if prose(line) { format!("[CARRIED: {line}") } else { line.to_owned() })
        .collect();
    world.writes(PAGE, &(text.join("\n") + "\n")).passes();
    world.seed("condense archive").succeeds();
    assert_eq!(world.json("condense status")["stage"], "deflate");
    world.minute();
    let sent = message("condense");
    world.changes_nothing(|| world.seed("phase advance -F -").stdin(&sent).refuses("at most"));
}

/// What the hook says to a patch with these sections.
fn patched(world: &World, sections: &str) -> Reply {
    let payload = json!({
        "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
        "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_use_id": "p1",
        "tool_input": { "command": format!("*** Begin Patch\n{sections}*** End Patch") },
    });
    fs::write(world.root().join("payload"), payload.to_string()).expect("written");
    Reply::read(&world.sh("git-seed hook codex PreToolUse < ../payload"))
}

#[test]
fn a_patch_that_takes_words_from_one_footer_is_refused_as_a_whole() {
    let world = condensing();
    let takes = format!("*** Update File: {PAGE}\n@@\n-{SEEN}\n+\n");
    let moves = format!("*** Update File: {PAGE}\n@@\n-{SEEN}\n+one more word\n+{SEEN}\n");
    let adds = "*** Add File: .claude/knowledge/lexers.md\n+---\n+name: lexers\n\
                +description: How they look ahead\n+---\n+One character is enough.\n";
    for sections in [format!("{takes}{adds}"), format!("{adds}{takes}")] {
        patched(&world, &sections).refuses("no session log holds it");
    }
    patched(&world, &format!("{adds}{moves}")).passes();
    world.seed("condense archive").succeeds();
    world.reads(CODE).passes();
    patched(&world, &format!("{adds}{takes}")).passes();
}

#[cfg(unix)]
#[test]
fn absorb_writes_what_a_page_leads_to() {
    let world = condensing();
    world.edits(PAGE, "---Ob---\n", "---Ob---\n\n[DURABLE] It lasts.\n").passes();
    world.sh(&format!("mv {PAGE} src/parser/notes.md && ln -s notes.md {PAGE}"));
    world.seed("condense archive").succeeds();
    assert!(world.text(&log(&world)).contains("It lasts."));
    world.seed("condense absorb").tells("1 into the body");
    let link = fs::read_link(world.path(PAGE)).expect("it is a link still");
    assert_eq!(link.to_string_lossy(), "notes.md");
    let text = world.text("src/parser/notes.md");
    assert!(text.split("---Ob---").next().is_some_and(|body| body.contains("It lasts.")), "{text}");
}

#[test]
fn what_somebody_else_took_from_a_page_is_archived_as_it_was() {
    let took: [fn(&World); 4] = [
        |world| world.puts(PAGE, "# a person wrote it anew\n"),
        |world| fs::remove_file(world.path(PAGE)).expect("it was there"),
        |world| drop(world.sh(&format!("git mv {PAGE} src/parser/NOTES.md"))),
        |world| {
            world.person("gmode enter -m 'mend it'").succeeds();
            world.puts(PAGE, &without(world, SEEN));
            world.sh(&format!("git commit -qm 'gmode: shorter' {PAGE}"));
            world.person("gmode exit").succeeds();
        },
    ];
    for take in took {
        let world = condensing();
        take(&world);
        let said = world.seed("condense verify").ends(1, "nothing holds it now");
        assert!(said.contains("Do: git seed condense archive"), "{said}");
        let page = fs::read(world.path(PAGE)).ok();
        world.seed("condense archive").succeeds();
        assert_eq!(fs::read(world.path(PAGE)).ok(), page);
        assert!(world.text(&log(&world)).contains(SEEN));
        world.seed("condense verify").tells("contains the footers");
        world.seed("condense absorb").succeeds();
    }
}

#[test]
fn a_note_that_somebody_else_took_is_written_back_and_ends() {
    let world = World::seeded();
    world.enters("verify");
    world.opens();
    world.tests();
    let note = "[DRAFT-TERM]{trivia | blanks}";
    world.notes("---Ve---", note);
    world.leaves();
    world.opens();
    fs::remove_file(world.path(PAGE)).expect("it was there");
    let said = world.seed("condense archive").refuses(note);
    assert!(said.contains("Do: write it back below an anchor"), "{said}");
    world.is_heard();
    let again =
        super::world::page("# parser\n").replace("---Ve---\n", &format!("---Ve---\n\n{note}\n"));
    world.writes(PAGE, &again).passes();
    world.seed("note carry 1 --why 'no home yet'").succeeds();
    world.seed("condense archive").succeeds();
    assert!(world.text(&log(&world)).contains(SEEN));
    world.seed("condense verify").tells("contains the footers");
}

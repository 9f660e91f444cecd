//! What a session leaves to the one that comes after, and what a full context closes.

use serde_json::json;

use super::world::{CODE, Reply, World};

/// The sections that the agent writes.
const OWN: [&str; 5] =
    ["forward-state", "open-threads", "assumptions", "process-insight", "prior-summary"];

/// A job in execute.
fn working() -> World {
    let world = World::seeded();
    world.to("execute");
    world
}

/// Writes a sentence into each section but `but`.
fn fills(world: &World, but: &str, what: &str) {
    for section in OWN.into_iter().filter(|section| *section != but) {
        world.seed(&format!("compact append {section} -m '{section} says {what}.'")).succeeds();
    }
}

/// Where the file lies, below the work tree.
fn file(world: &World, seq: u32) -> String {
    format!(".claude/jobs/{}/run-1/compaction-{seq}.md", world.job())
}

/// Another session begins, and its person says something.
fn next_session(world: &World, id: &str, source: &str) -> Reply {
    world.ends();
    world.session(id);
    let reply = world.event("SessionStart", &json!({ "source": source }));
    world.prompt("go on");
    reply
}

/// A call whose payload tells how many tokens the context holds.
fn reads_at(world: &World, tokens: u64) -> (Reply, Reply) {
    call_at(world, "Read", &json!({ "file_path": world.path(CODE) }), tokens)
}

fn call_at(world: &World, tool: &str, input: &serde_json::Value, tokens: u64) -> (Reply, Reply) {
    let call = world.next_call();
    let fields = json!({
        "tool_name": tool, "tool_input": input, "tool_use_id": call, "context_tokens": tokens,
        "tool_response": { "type": "text" }, "duration_ms": 3,
    });
    let before = world.event("PreToolUse", &fields);
    let after = if before.refusal().is_none() {
        world.event("PostToolUse", &fields)
    } else {
        Reply::default()
    };
    (before, after)
}

#[test]
fn each_section_is_filled_and_the_file_is_sealed() {
    let world = working();
    let seen = "- observe, cycle 1: settle what observe had to say. Changed: src/parser/CLAUDE.md.";
    world.seed("compact read").tells(seen);
    world.seed("compact seal").refuses(
        "these sections are empty: Forward State, Open Threads, Assumptions & Risks, Process \
         Insight, Prior Summary",
    );
    world
        .seed("compact append lessons -m x")
        .ends(64, "unknown section `lessons`; known: forward-state, open-threads");
    world
        .seed("compact append git-commit-messages -m x")
        .ends(64, "writes the list of commits itself");
    world.seed("compact append forward-state").ends(64, "nothing to add");
    fills(&world, "process-insight", "something");
    let text = "## Open Threads\r\n```\n## Forward State\n```\n- a thing\n- a thing\n";
    world.seed("compact append 'Open Threads' -F -").stdin(text).tells("Updated .claude/jobs/");
    world.seed("compact seal").refuses("(for process-insight)");
    let open = world.json("compact read");
    assert_eq!(
        (open["version"].as_u64(), open["sealed"].as_bool()),
        (Some(0), Some(false)),
        "{open}"
    );
    assert_eq!(
        open["sections"][1]["text"],
        "open-threads says something.\n\n## Open Threads\n```\n## Forward State\n```\n- a thing\n\
         - a thing",
        "what was given comes back, and no line of it is taken for a heading"
    );
    world.seed("compact append process-insight -m 'look first'").succeeds();
    world.seed("compact seal").tells("Open Threads: 1 repeat folded.");
    let sealed = world.json("compact read");
    assert_eq!(
        (sealed["version"].as_u64(), sealed["sealed"].as_bool()),
        (Some(1), Some(true)),
        "{sealed}"
    );
    assert_eq!(sealed["phase_at_seal"], "execute");
    let read = world.seed("compact read").succeeds();
    assert!(read.starts_with("---\nversion: 1\nlast_finalized: 2026-11-21T"), "{read}");
    assert!(!world.path(&file(&world, 1)).exists(), "it stands in the job until condense ends");
}

#[test]
fn the_file_lists_the_commits_and_enters_the_tree_with_condense() {
    let world = World::seeded();
    world.to("observe");
    world.seed("compact read").tells("There is no compaction file yet");
    world.seed("compact append open-threads -m 'why are escapes lost'").tells("Created");
    // In every phase, and the agent is not asked for it.
    assert!(
        world.runs("git seed compact append assumptions -m 'the test is right'").before.grants()
    );
    assert_eq!(world.json("fence status")["strays"], json!([]));
    world.works("observe");
    world.leaves();
    assert_eq!(world.files_of_head(), ["src/parser/CLAUDE.md"]);
    let observed = world.git("rev-parse --short=7 HEAD").trim().to_owned();
    world.to("execute");
    let planned = world.git("rev-parse --short=7 HEAD").trim().to_owned();
    let lines = format!(
        "## Git Commit Messages\n\n- {observed} observe: settle what observe had to say\n\
         - {planned} plan: settle what plan had to say\n\n### Seen by git seed\n\n- observe"
    );
    world.seed("compact read").tells(&lines);
    // The list is the same where the agent's own words come in.
    fills(&world, "none", "more");
    world.seed("compact read").tells(&lines);
    world.works("execute");
    world.leaves();
    let own = ["compaction-1.md", "sessions.jsonl"];
    let own = own.map(|name| format!(".claude/jobs/{}/run-1/{name}", world.job()));
    assert!(own.iter().all(|path| !world.path(path).exists()));
    world.to("condense");
    let executed = world.git("log -1 --skip=1 --format=%h --abbrev=7").trim().to_owned();
    world.works("condense");
    world.leaves();
    let files = world.files_of_head();
    assert!(own.iter().all(|path| files.contains(path)), "{files:?}");
    let text = world.text(&own[0]);
    assert!(text.contains(&format!("- {executed} execute: ")), "{text}");
    assert!(text.contains("- verify, cycle 1: ") && text.contains(": 1 passed"), "{text}");
    assert_eq!(world.git("status --porcelain"), "");
    assert_eq!(world.seed("compact read").succeeds().trim_end(), text.trim_end());
}

/// A session that wrote nothing down leaves what git seed saw of it, and holds nothing up.
#[test]
fn a_session_that_wrote_nothing_leaves_what_was_seen_of_it() {
    let world = World::seeded();
    world.to("plan");
    for _ in 0..2 {
        world.edits(CODE, "fn lex", "fn  lex").refuses("plan");
    }
    world.works("plan");
    world.leaves();
    for (id, source) in [("second", "clear"), ("second", "compact"), ("third", "startup")] {
        let told = next_session(&world, id, source);
        told.tells(
            "Recorded so far (compaction-1.md):\n> - observe, cycle 1: settle what \
             observe had to say. Changed: src/parser/CLAUDE.md.\n> - plan, cycle 1: settle what \
             plan had to say. Changed: src/parser/CLAUDE.md. Refused: ",
        );
        told.tells("(2 times)");
        assert!(!told.context().unwrap_or_default().contains("unsealed"), "{told:?}");
    }
    // The next session that works has a file of its own, and begins with nothing of the first.
    world.works("execute");
    world.leaves();
    let read = world.json("compact read");
    assert!(read["path"].as_str().is_some_and(|path| path.ends_with("compaction-2.md")), "{read}");
    let seen = read["sections"][4]["text"].as_str().unwrap_or_default();
    assert!(seen.contains("- execute, cycle 1: ") && !seen.contains("- plan, "), "{seen}");
    assert!(!seen.contains("times"), "{seen}");
    world.to("condense");
    world.works("condense");
    world.approved();
    let files = [1, 2].map(|seq| file(&world, seq));
    let text = world.seed("phase advance -F -").stdin(&super::world::message("condense"));
    let told = text.succeeds();
    assert!(!told.contains("compaction-"), "nothing was to be sealed: {told}");
    for file in files {
        assert!(world.text(&file).contains("### Seen by git seed"));
    }
}

#[test]
fn what_was_sealed_comes_back_after_a_clear_and_each_session_has_its_file() {
    let world = working();
    fills(&world, "none", "the first thing");
    let told = next_session(&world, "second", "clear");
    told.tells("compaction-1.md has unsealed text: git seed compact read");
    assert!(!told.context().unwrap_or_default().contains("says the first thing"));
    // It is still the newest one, and its words can be sealed.
    world.seed("compact seal").tells("compaction-1.md");
    let told = next_session(&world, "third", "clear");
    told.tells(
        "From the last session (compaction-1.md):\n> ## Forward State\n\
        > forward-state says the first thing.",
    );
    told.tells("> ## Prior Summary\n> prior-summary says the first thing.");
    assert!(!told.context().unwrap_or_default().contains("not sealed"));
    // The third session's file begins with the summary of the one before.
    fills(&world, "prior-summary", "the second thing");
    world.seed("compact read").tells("## Prior Summary\n\nprior-summary says the first thing.");
    let kept = format!("show refs/seed/jobs/{}:run-1/compaction-1.md", world.job());
    assert!(world.git(&kept).contains("forward-state says the first thing."), "it stays as it was");
    world.seed("compact seal").tells("compaction-2.md");
    let told = next_session(&world, "fourth", "startup");
    let text = told.context().unwrap_or_default();
    let prior =
        text.find("From the sessions before the last one:\n> prior-summary says the first thing.");
    let last = text.find(
        "From the last session (compaction-2.md):\n> ## Forward State\n\
        > forward-state says the second thing.",
    );
    assert!(prior.is_some() && prior < last, "{text}");
    assert!(text.chars().count() <= 9_000 + 40);
    let told = world.event("SessionStart", &json!({ "source": "resume" }));
    let text = told.context().unwrap_or_default();
    assert!(
        text.contains("a job is active") && !text.contains("From the last session"),
        "it remembers: {text}"
    );
    world.changes_nothing(|| world.seed("compact read").tells("says the second thing"));
}

#[test]
fn an_orientation_stays_within_what_hosts_show_and_says_where_the_rest_is() {
    let world = working();
    fills(&world, "none", "a thing");
    let long = "This sentence is one of very many that say nearly the same. ".repeat(110);
    world.seed("compact append open-threads -F -").stdin(&long).succeeds();
    world.seed("compact seal").succeeds();
    let told = world.event("SessionStart", &json!({ "source": "compact" }));
    let text = told.context().unwrap_or_default();
    assert!(
        text.contains("The rest: git seed compact read") && text.chars().count() <= 9_040,
        "{text}"
    );
    assert!(text.contains("git seed phase advance"), "git seed's own lines are never cut: {text}");
}

#[test]
fn a_full_context_is_told_once_a_tier_and_closes_reading_until_the_file_is_sealed() {
    let world = working();
    let (before, after) = reads_at(&world, 199_000);
    assert!(before.refusal().is_none() && after.context().is_none(), "{after:?}");
    let (_, after) = reads_at(&world, 200_000);
    after.tells("NOTICED: this session's context is filling up");
    assert!(reads_at(&world, 209_999).1.context().is_none(), "once in a tier");
    world.seed("compact append forward-state -m 'run the tests'").succeeds();
    assert!(reads_at(&world, 209_999).1.context().is_none(), "a step in between changes nothing");
    reads_at(&world, 231_000).1.tells("NOTICED");
    reads_at(&world, 250_000).0.refuses("git seed compact seal");
    let edit = json!({ "file_path": world.path(CODE), "old_string": "fn", "new_string": "fn",
            "replace_all": false });
    world.notes("---Ex---", "looked at the lexer");
    call_at(&world, "Edit", &edit, 299_999).0.passes();
    call_at(&world, "Edit", &edit, 300_000).0.refuses("context is full");
    call_at(&world, "Grep", &json!({ "pattern": "x" }), 300_000).0.passes();
    call_at(&world, "Bash", &json!({ "command": "git seed compact read" }), 300_000).0.passes();
    world.reads(CODE).passes();
    // A subagent has a context of its own.
    let (call, input) = (world.next_call(), json!({ "file_path": world.path(CODE) }));
    let fields = json!({
        "tool_name": "Read", "tool_input": input, "tool_use_id": call, "context_tokens": 400_000,
        "agent_id": "a1", "agent_type": "general-purpose",
    });
    world.event("PreToolUse", &fields).passes();
    fills(&world, "none", "enough");
    world.seed("compact seal").succeeds();
    reads_at(&world, 320_000).0.passes();
    for _ in 0..5 {
        world.minute();
    }
    reads_at(&world, 320_000).0.refuses("git seed compact seal");
    world.event("SessionStart", &json!({ "source": "compact" }));
    reads_at(&world, 320_000).0.passes();
    // Nothing was told of the new context yet.
    for _ in 0..5 {
        world.minute();
    }
    reads_at(&world, 201_000).1.tells("NOTICED");
}

#[test]
fn a_session_that_is_resumed_hears_that_it_is_full() {
    let world = working();
    let fields = json!({ "source": "resume", "context_tokens": 222_000 });
    world.event("SessionStart", &fields).tells("NOTICED: this session's context is filling up");
    assert!(reads_at(&world, 223_000).1.context().is_none(), "it was told");
}

#[test]
fn a_long_file_closes_reading_and_a_full_one_all_but_the_way_out() {
    let world = working();
    world.puts("seed.toml", "[compaction]\nwords = 240\n");
    world.git("add seed.toml");
    world.git("commit -qm rules");
    world.person("rules apply").succeeds();
    fills(&world, "none", "a thing");
    let words = |n: usize| (0..n).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    world.seed(&format!("compact append open-threads -m '{}'", words(125))).tells("words of 240");
    world.reads(CODE).passes();
    world.seed(&format!("compact append assumptions -m '{}'", words(30))).succeeds();
    world.reads(CODE).refuses("the compaction file is too long to be sealed");
    world.seed("compact seal").refuses("git seed compact append open-threads --replace -F -");
    world.runs("cargo test").before.passes();
    world.seed(&format!("compact append assumptions -m '{}'", words(40))).succeeds();
    world.runs("cargo test").refuses("the compaction file is full");
    world.edits(CODE, "fn lex", "fn  lex").refuses("the compaction file is full");
    world.runs("git seed status").passes();
    // The way that it names is open.
    let shorter = world
        .seed("compact append open-threads --replace -F -")
        .stdin("why escapes are lost")
        .succeeds();
    assert!(shorter.contains("129 words were removed from the section"), "{shorter}");
    world.seed("compact seal").succeeds();
    world.reads(CODE).passes();
    world.runs("cargo test").before.passes();
}

#[test]
fn words_of_another_hand_stay_and_a_file_that_is_gone_comes_back() {
    let world = working();
    fills(&world, "none", "a thing");
    let file = file(&world, 1);
    let ours = world.seed("compact read").succeeds();
    let theirs = ours.replace("open-threads says a thing.", "Ada asks about bytes.");
    world.puts(&file, &theirs);
    world
        .seed("compact append open-threads -m 'and of tabs'")
        .tells("was changed outside git seed");
    world.seed("compact read").tells("Ada asks about bytes.\n\nand of tabs");
    std::fs::remove_file(world.path(&file)).expect("it was there");
    world.seed("compact append open-threads -m 'and of blanks'").succeeds();
    world.seed("compact seal").succeeds();
    world.to("condense");
    world.works("condense");
    world.leaves();
    assert!(world.text(&file).contains("Ada asks about bytes.\n\nand of tabs\n\nand of blanks"));
}

#[test]
fn a_file_of_that_name_that_is_not_ours_is_left_alone() {
    let world = World::seeded();
    world.to("observe");
    let theirs = file(&world, 1);
    world.puts(&theirs, "Ada's own\n");
    fills(&world, "none", "a thing");
    world.seed("compact seal").tells("compaction-2.md");
    world.to("condense");
    world.works("condense");
    // One that is put in the place of ours before we write it out is left alone, too.
    let second = file(&world, 2);
    world.puts(&second, "Ada's second\n");
    world.leaves();
    assert_eq!(world.text(&theirs), "Ada's own\n");
    assert_eq!(world.text(&second), "Ada's second\n");
}

#[test]
fn the_person_hears_of_open_words_before_the_host_compacts() {
    let world = working();
    let compacts =
        || world.event("PreCompact", &json!({ "trigger": "auto", "custom_instructions": null }));
    assert!(compacts().is_silent());
    fills(&world, "none", "a thing");
    let told = compacts();
    assert!(
        told.to_person().is_some_and(|told| told.contains("compaction-1.md is not sealed")),
        "{told:?}"
    );
    assert!(told.refusal().is_none(), "it is never held up");
    world.seed("compact seal").succeeds();
    assert!(compacts().is_silent());
}

#[test]
fn small_talk_leaves_nothing_and_a_closed_job_says_what_goes_on() {
    let world = World::prompted();
    world.seed("compact append forward-state -m x").refuses("git seed phase advance");
    world.to("observe");
    world.git("switch -qc elsewhere");
    world.seed("compact append forward-state -m x").refuses("main");
    world.git("switch -q main");
    world.to("condense");
    fills(&world, "none", "a thing");
    world.seed("compact seal").succeeds();
    world.works("condense");
    world.approved();
    world.minute();
    let told =
        world.seed("phase advance -F -").stdin(&super::world::message("condense")).succeeds();
    assert!(
        told.contains("compaction-1.md: its Prior Summary carries over to the next run."),
        "{told}"
    );
}

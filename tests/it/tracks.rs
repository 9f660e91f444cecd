//! Tracks of a repository's own: the three of fixtures/tracks, each from the first prompt to the
//! approval, and what is said of those that cannot be.

use serde_json::json;

use super::world::{CODE, PAGE, PASSED, Reply, World, page, question};

pub(super) const DOCS: &str = include_str!("../../fixtures/tracks/docs.toml");
pub(super) const RESEARCH: &str = include_str!("../../fixtures/tracks/research.toml");
pub(super) const BUGFIX: &str = include_str!("../../fixtures/tracks/bugfix.toml");

pub(super) const GUIDE: &str = "docs/guide.md";

/// A project where a person has put `rules` into force.
pub(super) fn ruled(rules: &str) -> World {
    let world = World::new();
    world.puts("seed.toml", rules);
    world.puts(GUIDE, "# Guide\n\nEscapes are kept.\n");
    world.puts(PAGE, &page("# parser\n"));
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").tells("seed.toml is in force");
    world
}

/// The question that ends a small job.
pub(super) fn done(what: &str) -> serde_json::Value {
    let text = format!(
        "[JOB-COMPLETE] {what}: it says what was asked for now, in the words that were asked \
         for, and nothing else of the project was touched by this change at all, as its \
         difference shows.\n\n## Outstanding Items\n"
    );
    question(&text, &["Review", "Approve completion"])
}

/// Runs the tests, one of which fails.
fn fails(world: &World) {
    let told = "running 1 test\ntest keeps_escapes ... FAILED\n\nfailures:\n    keeps_escapes\n\n\
        test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished \
        in 0.00s\n";
    let error = format!("Exit code 101\n{told}");
    let (call, input) = (world.next_call(), json!({ "command": "cargo test" }));
    world.before("Bash", &input, &call).passes();
    world
        .event(
            "PostToolUseFailure",
            &json!({
                "tool_name": "Bash", "tool_input": input, "tool_use_id": call,
                "error": error, "is_interrupt": false,
            }),
        )
        .passes();
}

/// Runs the tests, which pass, and gives what the hook after them says.
fn passes(world: &World) -> Reply {
    let ran = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "cargo test" }), || ran).after
}

#[test]
fn a_docs_job_writes_below_docs_and_nowhere_else() {
    let world = ruled(DOCS);
    let words = world.json("status")["words"].clone();
    assert!(words.as_array().is_some_and(|all| all.contains(&json!("[DOCS]"))), "{words}");
    world.prompt("[DOCS] say in the guide when escapes are kept").tells("git seed phase advance");
    assert_eq!(world.json("job show")["name"], "say in the guide when escapes are kept");
    world.reads(GUIDE).passes();
    world.seed("phase advance -m 'look at the guide'").tells("idle -> look");
    assert_eq!(world.json("status")["track"], "docs");
    let listed = world.seed("phase list").succeeds();
    for phase in ["look", "write", "settle"] {
        assert!(listed.contains(phase), "{listed}");
    }
    assert!(!listed.contains("verify") && !listed.contains("execute"), "{listed}");
    world.reads(CODE).passes();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("[phase_look] BLOCKED");
    world
        .seed("phase advance --scope src/parser -m 'the lexer'")
        .refuses("src/parser is outside the paths of the track docs (docs/, README.md)");
    world.seed("phase advance --scope docs -m 'say when escapes are kept'").tells("look -> write");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("[phase_write] BLOCKED");
    world.runs("cargo test").refuses("[phase_write] BLOCKED");
    world.edits(GUIDE, "are kept.", "are kept in quoted strings.").passes();
    world.seed("phase advance -m 'say when escapes are kept'").tells("write -> settle");
    world.asks(&done("say in the guide when escapes are kept")).passes();
    let asked = world.asks(&done("say in the guide when escapes are kept")).passes();
    asked.answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "the turn may end");
    assert_eq!(world.files_of_head(), [GUIDE]);
    world.seed("log").tells("write -> settle");
    world.seed("verify").ends(3, "");
}

/// Every sentence that the agent hears on a track of the repository's own names its phases.
#[test]
fn no_sentence_names_a_phase_that_the_track_lacks() {
    let world = ruled(DOCS);
    let begun = world.prompt("[DOCS] mend the guide");
    let mut heard = vec![begun.context().unwrap_or_default().to_owned()];
    world.reads(GUIDE).passes();
    let mut hear = |said: String| heard.push(said);
    hear(world.edits(GUIDE, "are kept", "stay").before.refusal().unwrap_or_default().to_owned());
    hear(world.seed("phase advance -m look").succeeds());
    for line in ["rm docs/guide.md", "curl https://example.org", "npm publish", "python3 x.py"] {
        hear(world.runs(line).before.refusal().unwrap_or_default().to_owned());
    }
    hear(world.edits(GUIDE, "are kept", "stay").before.refusal().unwrap_or_default().to_owned());
    hear(world.seed("phase advance -m x").refuses(""));
    hear(world.seed("phase back settle -m x").refuses(""));
    hear(world.seed("phase checkpoint -m x").refuses(""));
    hear(world.seed("phase advance --add-cycle why -m x").refuses(""));
    hear(world.seed("phase current").succeeds());
    hear(world.seed("phase advance --scope docs -m 'mend it'").succeeds());
    hear(world.edits(CODE, "fn", "pub fn").before.refusal().unwrap_or_default().to_owned());
    hear(
        world.writes("docs/CLAUDE.md", "# docs\n").before.refusal().unwrap_or_default().to_owned(),
    );
    hear(world.stops().refusal().unwrap_or_default().to_owned());
    hear(world.seed("status").succeeds());
    world.edits(GUIDE, "are kept", "stay").passes();
    hear(world.seed("phase advance -m 'mend the guide'").succeeds());
    hear(world.edits(GUIDE, "stay", "are kept").before.refusal().unwrap_or_default().to_owned());
    hear(world.runs("cargo test").before.refusal().unwrap_or_default().to_owned());
    hear(world.stops().refusal().unwrap_or_default().to_owned());
    assert!(heard.iter().filter(|text| text.contains("Do: ")).count() > 8, "{heard:#?}");
    for text in &heard {
        for shipped in ["observe", "execute", "condense", " verify ", "in plan"] {
            let text = text.replace("git seed condense ", "");
            assert!(!text.contains(shipped), "`{shipped}` in: {text}");
        }
    }
}

#[test]
fn a_prompt_that_names_only_its_paths_goes_its_track() {
    for (prompt, track) in [
        ("mend the example in docs/guide.md", "docs"),
        ("mend `docs/guide.md`, please.", "docs"),
        ("bring docs/guide.md and src/parser/lex.rs together", "opevc"),
        ("mend the guide", "opevc"),
        ("[FULL] mend docs/guide.md", "opevc"),
    ] {
        let world = ruled(DOCS);
        world.prompt(prompt);
        assert_eq!(world.json("job show")["track"], json!(null), "{prompt}");
        world.reads(GUIDE).passes();
        world.seed("phase advance -m 'begin'").succeeds();
        assert_eq!(world.json("status")["track"], track, "{prompt}");
    }
}

#[test]
fn a_research_job_ends_in_memory_and_changes_no_code() {
    let world = ruled(RESEARCH);
    world.prompt("[RESEARCH] when does the lexer drop escapes?");
    world.seed("phase advance").tells("idle -> explore");
    world.seed("job update --name 'when escapes drop'").succeeds();
    world.reads(CODE).passes();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("[phase_explore] BLOCKED");
    // No phase of this track does what these want, so none is promised.
    for line in ["python3 x.py", "rm src/parser/lex.rs", "npm publish"] {
        let told = world.runs(line).before.refusal().unwrap_or_default().to_owned();
        assert!(told.contains("no phase of this job does that"), "{line}: {told}");
        assert!(!told.contains("Then: explore"), "{line}: {told}");
    }
    let told = world.writes(CODE, "fn lex() {}\n").before.refusal().unwrap_or_default().to_owned();
    assert!(told.contains("no phase of this job does that") && !told.contains(".."), "{told}");
    world.seed("plan set-plan-file false").refuses("no phase of this job decides");
    world.notes("---Ob---", "the lexer drops escapes inside quoted strings");
    let learned = "settle when escapes drop\n\n## What I Learned\nThe lexer drops an escape where \
        a quoted string holds one, because it looks at one character at a time and forgets it.\n\n\
        ## Sources Consulted\nThe lexer itself, in src/parser/lex.rs, and the page beside it, read \
        from top to bottom.\n\n## Outstanding Items\n";
    world.seed("phase advance -F -").stdin(learned).tells("explore -> conclude");
    world.reads(PAGE).passes();
    world.seed("condense archive").succeeds();
    world.writes(PAGE, &page("Escapes need one character of lookahead.\n")).passes();
    let words = "the question was answered in the page of the parser and no code was touched ";
    let text = format!(
        "[JOB-COMPLETE] when escapes drop: {} Nothing was changed.\n\n## Outstanding Items\n",
        words.repeat(8)
    );
    let asked = question(&text, &["Review", "Approve completion"]);
    world.asks(&asked).passes().answers("Approve completion");
    let answer = "answer when escapes drop\n\n## Answer\nAn escape is dropped inside quoted \
        strings, since the lexer keeps one character only; one more of lookahead is what it \
        would take, and the page of the parser says so now.\n\n## Outstanding Items\n";
    world.seed("phase advance -F -").stdin(answer).tells("conclude -> idle");
    assert!(world.stops().is_silent(), "the turn may end");
    assert!(!world.git("diff --stat HEAD~2 HEAD").contains("lex.rs"));
    world.person("report --all -o ../report.html").succeeds();
    assert!(world.text("../report.html").contains("explore"), "the report names the phases");
    world.seed("verify").ends(3, "");
}

#[test]
fn a_bug_is_mended_only_after_a_test_that_failed() {
    let world = ruled(BUGFIX);
    world.prompt("[BUGFIX] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance -m 'look at the lexer'").tells("idle -> observe");
    world.reads(CODE).passes();
    world
        .seed("phase advance --scope src/parser -m 'the lexer drops escapes'")
        .tells("observe -> reproduce");
    world
        .seed("phase advance -m 'nothing ran'")
        .refuses("no test run has failed in this phase.\nDo: write a test that shows the fault");
    passes(&world);
    world.seed("phase advance -m 'it passes'").refuses("no test run has failed in this phase");
    world.writes("src/parser/lex_test.rs", "#[test]\nfn keeps_escapes() {}\n").passes();
    fails(&world);
    world.seed("phase advance -m 'escapes are dropped'").tells("reproduce -> execute");
    assert_eq!(world.phase(), "execute", "it is not walked through");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    passes(&world);
    world.seed("phase advance -m 'keep escapes in quoted strings'").tells("execute -> verify");
    world.asks(&done("fix the lexer")).passes().answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "the turn may end");
    world.seed("verify").ends(3, "");
}

#[test]
fn a_track_may_be_the_one_of_all_jobs() {
    let world = ruled(&format!("[tracks]\ndefault = \"research\"\n\n{RESEARCH}"));
    world.prompt("when does the lexer drop escapes?");
    world.seed("phase advance").tells("idle -> explore");
    assert_eq!(world.json("status")["track"], "research");
    world.seed("status").tells("each job takes the track research");
}

/// Put into force without the file: `init --track` knows the tracks of the rules in force.
#[test]
fn init_makes_a_track_of_ones_own_the_one_of_all_jobs() {
    let world = ruled(DOCS);
    world.person("init --track docs").succeeds();
    world.person("init --track dogs").ends(64, "known tracks: auto, opevc, quick, docs");
    world.prompt("say in the guide when escapes are kept");
    world.seed("phase advance").tells("idle -> look");
    assert_eq!(world.json("status")["track"], "docs");
}

#[test]
fn a_job_whose_track_is_gone_hears_so_and_goes_on() {
    let world = ruled(RESEARCH);
    world.prompt("[RESEARCH] when does the lexer drop escapes?");
    world.seed("phase advance").tells("idle -> explore");
    world.puts("seed.toml", "idle = \"open\"\n");
    world.person("rules apply").tells("is gone");
    world.seed("status").tells("the rules no longer have the track research (known: opevc, quick)");
    world.reads(CODE).passes();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("BLOCKED");
    world.seed("phase list").tells("observe");
    world.seed("log").succeeds();
    world.seed("phase advance -m 'go on'").tells("explore -> observe");
    assert_eq!(world.phase(), "observe");
}

#[test]
fn a_word_moves_a_job_that_has_not_begun() {
    let world = ruled(RESEARCH);
    world.prompt("look at the lexer");
    world.prompt("[RESEARCH] it is a question").tells("git seed phase advance");
    world.seed("phase advance").tells("idle -> explore");
    let told = world.prompt("[RESEARCH] go on");
    assert!(told.to_person().is_some_and(|told| told.contains("already on the track")), "{told:?}");
}

#[test]
fn a_track_that_cannot_be_is_named_with_its_line() {
    let world = World::seeded();
    let track = |rest: &str| format!("[[track]]\nname = \"x\"\n{rest}");
    let row = |keys: &str| {
        track(&format!(
            "\n[[phase]]\ntrack = \"x\"\nname = \"a\"\nlike = \"observe\"\n{keys}\n\n\
             [[phase]]\ntrack = \"x\"\nname = \"b\"\nlike = \"condense\"\n"
        ))
    };
    for (rules, told) in [
        ("[[track]]\nname = \"drop\"\n".to_owned(), "seed.toml:2: track `drop`, `name`: [DROP] at"),
        (
            "[[track]]\nname = \"opevc\"\n".to_owned(),
            "`name`: the name is taken; taken: auto, opev",
        ),
        ("[[track]]\nname = \"Docs\"\n".to_owned(), "seed.toml:2: track `Docs`, `name`: a name is"),
        ("[[track]]\nnames = \"docs\"\n".to_owned(), "unknown field `names`, expected one of"),
        (
            track("from = \"opevq\"\n"),
            "seed.toml:3: track `x`, `from`: `opevq` is no shipped track",
        ),
        (track("from = \"opevc\"\nwithout = [\"plam\"]\n"), "seed.toml:4: track `x`, `without`"),
        (track("from = \"opevc\"\nwithout = [\"condense\"]\n"), "no phase of kind `consolidation`"),
        (track("paths = [\"../up\"]\n"), "seed.toml:3: track `x`, `paths`: has `../up`"),
        (track("[track.lane]\nbeyond = \"quick\"\nfiles = 3\n\n"), "seed.toml:"),
        (row("write = [\"all\"]"), "seed.toml:8: track `x`, phase `a`, `write`: `all` is for rows"),
        (row("write = [\"page\", \"scope\"]"), "phase `a`, `write`: `scope` needs"),
        (row("exit = [\"gone\"]"), "seed.toml:8: track `x`, phase `a`, `exit`: wants gate `gone`"),
        (
            row("next = [\"c\"]"),
            "seed.toml:8: track `x`, phase `a`, `next`: leads to `c`, which is",
        ),
        (row("acts = [\"seed\", \"shell-git\"]"), "`acts`: `shell-git` is for the side lane"),
        (row("anchor = \"---Zz---\""), "pages have no `---Zz---`"),
        (
            track("\n[[phase]]\ntrack = \"x\"\nname = \"a\"\nlike = \"obsrve\"\n"),
            "`like`: `obsrve` is no shipped phase; its phases: observe, plan",
        ),
        (
            "[[phase]]\nname = \"research\"\nlike = \"observe\"\n".to_owned(),
            "`like`: is for the rows of a track of your own",
        ),
        (
            row("").replace("name = \"b\"", "name = \"b\"\nexit = [\"message\"]"),
            "lacks gate `asked`",
        ),
    ] {
        world.puts("seed.toml", &rules);
        world.seed("rules check").fails(told);
        world.person("rules apply").fails(told);
    }
}

#[test]
fn the_search_shows_the_way_into_a_dead_end() {
    let world = World::seeded();
    for rules in [DOCS, RESEARCH, BUGFIX] {
        world.puts("seed.toml", rules);
        let told = world.seed("rules check --search").succeeds();
        assert_eq!(told.matches("no dead end").count(), 3, "{told}");
    }
    world.puts("seed.toml", &BUGFIX.replace("\"shell-code\", ", ""));
    let told = world.seed("rules check --search").said();
    let (code, told) = (told.code, told.out);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("bugfix: dead end in reproduce, which no job leaves"), "{told}");
    assert!(told.contains("    git seed phase advance: observe -> reproduce"), "{told}");
    assert!(told.contains("    refused by failed-run: no test run has failed"), "{told}");
    world.puts("seed.toml", "[[phase]]\nname = \"observe\"\nexit = [\"proof\"]\n");
    let told = world.seed("rules check --search --json").said().out;
    assert!(told.contains("\"ok\": false") || told.contains("\"ok\":false"), "{told}");
}

#[test]
fn a_track_of_ones_own_loosens_the_rules() {
    let world = World::seeded();
    world.puts("seed.toml", DOCS);
    let told = world.person("rules diff").succeeds();
    assert!(told.contains("docs: phases"), "{told}");
    let line = told.lines().find(|line| line.starts_with("docs: phases")).unwrap_or_default();
    assert!(line.ends_with("loosens"), "{line}");
}

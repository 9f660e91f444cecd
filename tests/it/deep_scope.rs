//! The rule `scope.deep`: one line opens a directory with all below it.

use serde_json::json;

use super::world::{World, completion};

/// A job in plan whose contract has this line, under rules that say `deep`.
fn planned(deep: bool, line: &str) -> World {
    let world = World::new();
    for dir in ["src/parser/tokens", "src/parser/tokens/ascii", "src/printer"] {
        world.puts(&format!("{dir}/x.rs"), "fn x() {}\n");
    }
    world.git("add -A");
    world.git("commit -qm more");
    let world = world.installed();
    world.puts("seed.toml", &format!("[scope]\ndeep = {deep}\n"));
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("it was there");
    world.prompt("fix the lexer");
    world.to("plan").works("plan");
    world.notes("---Pl---", line);
    world
}

#[test]
fn one_line_opens_all_below_where_the_rule_says_so() {
    for (deep, line, opens) in [
        (true, "scope: src/parser/", true),
        (true, "scope: src/parser", false),
        (false, "scope: src/parser/", false),
    ] {
        let world = planned(deep, line);
        let told = world.seed("phase current").succeeds();
        assert_eq!(told.contains("A line `scope: <dir>/` opens"), deep, "{told}");
        world.leaves();
        world.opens();
        let told = world.seed("phase current").succeeds();
        assert_eq!(told.contains("src/parser/**"), opens, "{told}");
        let status = world.seed("status").succeeds();
        assert_eq!(status.contains("src/parser/**"), opens, "{status}");
        for file in ["src/parser/tokens/x.rs", "src/parser/tokens/ascii/x.rs"] {
            world.reads(file).passes();
            let did = world.edits(file, "fn x() {}", "fn x() { y() }");
            if opens { did.passes() } else { did.refuses("outside the declared directories") }
        }
        world.reads("src/printer/x.rs").passes();
        world.edits("src/printer/x.rs", "fn x() {}", "fn x() { y() }").refuses("outside");
        // A page there would be condensed by nobody.
        world
            .writes("src/parser/tokens/CLAUDE.md", "# Tokens\n")
            .refuses("src/parser/tokens/CLAUDE.md");
        let shown = world.json("job show")["altered"].to_string();
        assert!(!shown.contains("**"), "{shown}");
    }
}

/// A line may name a file, there or to come: that one is open, and nothing beside it.
#[test]
fn a_line_that_names_a_file_opens_that_file() {
    for file in ["src/printer/x.rs", "src/printer/new.rs", "README.txt"] {
        let world = planned(false, &format!("scope: {file}"));
        world.leaves();
        world.opens();
        let declared = |told: &str| told.matches(file).count();
        let told = world.seed("phase current").succeeds();
        let head = told.lines().find(|line| line.starts_with("Declared: ")).expect("it is told");
        assert_eq!(declared(head), 1, "{head}");
        if world.path(file).is_file() {
            world.reads(file).passes();
            world.edits(file, "fn x() {}", "fn x() { y() }").passes();
        } else {
            world.writes(file, "fn x() {}\n").passes();
        }
        let beside =
            file.rsplit_once('/').map_or("z.rs".to_owned(), |(dir, _)| format!("{dir}/z.rs"));
        world.writes(&beside, "fn z() {}\n").refuses("outside the declared directories");
        world.to("condense").works("condense");
        assert!(!world.git(&format!("log -1 --format=%s -- {file}")).is_empty(), "{file}");
    }
}

#[test]
fn the_card_says_how_many_directories_were_open() {
    let world = planned(true, "scope: src/parser/");
    world.leaves();
    world.opens();
    world.reads("src/parser/tokens/x.rs").passes();
    world.edits("src/parser/tokens/x.rs", "fn x() {}", "fn x() { y() }").passes();
    world.works("execute");
    world.leaves();
    world.to("condense").works("condense");
    let asked = world.asks(&completion()).passes();
    let card = asked.reply.to_person().expect("a card").to_owned();
    // The parser, its tokens, and what is below those; the page's own is the first.
    let line = "scope     3 directories were open: all below src/parser/ as well";
    assert!(card.contains(line), "{card}");
    assert!(card.lines().count() <= 10, "{card}");
    asked.answers("Approve completion");
    world.leaves();
    assert_eq!(world.phase(), "none");
    let changed = world.git("log --format= --name-only -5");
    assert!(changed.contains("src/parser/tokens/x.rs"), "{changed}");
}

/// A rule that is taken back closes what it opened, in the middle of a cycle.
#[test]
fn the_rule_can_be_taken_back_and_loosens() {
    let world = planned(true, "scope: src/parser/");
    world.leaves();
    world.opens();
    world.puts("seed.toml", "[scope]\ndeep = false\n");
    let told = world.seed("rules diff").succeeds();
    assert!(told.contains("tightens") && told.contains("scope.deep"), "{told}");
    world.person("rules apply").succeeds();
    world.reads("src/parser/tokens/x.rs").passes();
    let edit = world.edits("src/parser/tokens/x.rs", "fn x() {}", "fn x() { y() }");
    edit.refuses("outside the declared directories");
    assert!(!world.seed("status").succeeds().contains("**"));
    world.puts("seed.toml", "[scope]\ndeep = true\n");
    let told = world.json("rules diff");
    assert!(told.to_string().contains("loosens"), "{told}");
    assert_eq!(world.json("rules show")["in_force"]["scope"], json!({ "deep": false }));
}

//! Branches that add to the same pages and knowledge, merged by real git with our driver.

use super::world::{PAGE, World, page, tree_of};

const INDEX: &str = ".claude/knowledge/INDEX.md";
const POINTER: &str = "Earlier cycles: session logs in `.claude/jobs/`.";

/// A page as condense leaves it, with these items in its body.
fn condensed(items: &str) -> String {
    format!(
        "# parser\n\n## Findings\n\n- it reads bytes\n{items}\n---Ob---\n\n{POINTER}\n\n\
         ---Pl---\n\n\
         ---Ex---\n\n---Ve---\n"
    )
}

fn note(n: usize) -> String {
    format!(
        "---\nname: note-{n}\ndescription: What branch {n} learned\ntype: feedback\n---\n\n\
         One {n}.\nTwo.\nThree.\nFour.\nFive.\n"
    )
}

/// A project with a condensed page and an index, and the driver in its clone.
fn seeded() -> World {
    let world = World::new();
    world.puts(PAGE, &condensed(""));
    world.puts(INDEX, "# Knowledge\n\n- [taxes](taxes.md): what the office asks for\n");
    world.git("add -A -f");
    world.git("commit -qm memory");
    let told = world.person("init --merge-pages").succeeds();
    assert!(told.contains("info/attributes"), "{told}");
    assert_eq!(world.git("status --porcelain"), "");
    world
}

/// A branch from `main` with these files.
fn branches(world: &World, name: &str, files: &[(&str, &str)]) {
    world.git(&format!("checkout -q -b {name} main"));
    for (path, text) in files {
        world.puts(path, text);
    }
    world.git("add -A -f");
    world.git(&format!("commit -qm {name}"));
    world.git("checkout -q main");
}

#[test]
fn a_hundred_branches_with_condensed_pages_merge_one_after_the_other() {
    let world = seeded();
    for n in 0..100 {
        // Each adds an item, some a paragraph or a section of their own, and a line to the index.
        let item = format!("- branch {n} saw this\n");
        let items = match n % 4 {
            0 => item,
            1 => format!("{item}\nA paragraph of branch {n}.\n"),
            2 => format!("{item}\n## Limits\n\n- branch {n} hits none\n"),
            _ => format!("{item}  with more of branch {n}\n"),
        };
        let index = format!(
            "# Knowledge\n\n- [taxes](taxes.md): what the office asks for\n\
             - [note-{n}](note-{n}.md): what branch {n} learned\n"
        );
        let (file, own) = (format!(".claude/knowledge/note-{n}.md"), note(n));
        branches(
            &world,
            &format!("b{n}"),
            &[(PAGE, &condensed(&items)), (INDEX, &index), (&file, &own)],
        );
    }
    for n in 0..100 {
        world.git(&format!("merge -q --no-edit b{n}"));
    }
    let (text, index) = (world.text(PAGE), world.text(INDEX));
    for n in 0..100 {
        assert!(text.contains(&format!("- branch {n} saw this\n")), "{n}: {text}");
        assert!(index.contains(&format!("- [note-{n}](note-{n}.md)")), "{n}: {index}");
        let more = match n % 4 {
            1 => format!("\nA paragraph of branch {n}.\n"),
            2 => format!("- branch {n} hits none\n"),
            3 => format!("- branch {n} saw this\n  with more of branch {n}\n"),
            _ => continue,
        };
        assert!(text.contains(&more), "{more}: {text}");
    }
    for once in ["# parser\n", "## Findings\n", "## Limits\n", POINTER, "---Ob---\n", "---Ve---\n"]
    {
        assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
    }
    assert_eq!(world.git("status --porcelain"), "");
    let linted = world.seed("memory lint").said();
    let of_page = linted.out.lines().filter(|line| line.starts_with(PAGE));
    for line in of_page {
        assert!(!line.contains(" anchors ") && !line.contains(" order "), "{linted:?}");
    }
}

#[test]
fn two_jobs_that_condensed_on_their_branches_merge() {
    let world = World::seeded();
    world.person("init --merge-pages").succeeds();
    world.git("checkout -q -b other");
    world.git("checkout -q main");
    for (branch, says) in [("main", "Escapes need lookahead."), ("other", "Tabs count as one.")] {
        world.git(&format!("checkout -q {branch}"));
        world.prompt("fix the lexer");
        world.to("condense");
        world.reads(PAGE).passes();
        world.edits(PAGE, "---Ob---\n", &format!("---Ob---\n\n[DURABLE] {says}\n")).passes();
        world.seed("condense archive").succeeds();
        world.writes(PAGE, &page(&format!("# parser\n\n## Findings\n\n{says}\n"))).passes();
        world.approved();
        world.leaves();
        assert_eq!(world.phase(), "none");
    }
    world.git("checkout -q main");
    // The code itself changed alike on both.
    world.git("merge -q --no-edit other");
    let text = world.text(PAGE);
    for says in ["Escapes need lookahead.", "Tabs count as one."] {
        assert_eq!(text.matches(says).count(), 1, "{text}");
    }
    assert_eq!(text.matches("---Ob---").count(), 1, "{text}");
    assert!(!text.contains("<<<<<<<"), "{text}");
}

#[test]
fn what_is_condensed_away_on_one_side_goes_and_a_real_conflict_stays() {
    let world = seeded();
    let with = |items: &str| condensed(items);
    world.puts(PAGE, &with("- it counts lines\n- it knows no tabs\n"));
    world.git("commit -qam more");
    branches(&world, "shorter", &[(PAGE, &with("- it knows no tabs\n"))]);
    branches(&world, "longer", &[(PAGE, &with("- it counts lines\n- it knows no tabs\n- new\n"))]);
    branches(&world, "one", &[(PAGE, &with("- it counts lines\n- it knows tabs now\n"))]);
    branches(&world, "two", &[(PAGE, &with("- it counts lines\n- it will know tabs\n"))]);
    world.git("merge -q --no-edit shorter");
    world.git("merge -q --no-edit longer");
    assert_eq!(world.text(PAGE), with("- it knows no tabs\n- new\n"));
    world.git("merge -q --no-edit one");
    let said = world.tries("git merge --no-edit two");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out.contains(&format!("CONFLICT (content): Merge conflict in {PAGE}")),
        "{said:?}"
    );
    assert!(world.git("status --porcelain").contains(&format!("UU {PAGE}")));
    let both = "<<<<<<< ours\n- it knows tabs now\n=======\n- it will know tabs\n>>>>>>> theirs\n";
    assert!(world.text(PAGE).contains(both), "{}", world.text(PAGE));
    world.git("merge --abort");
    // A rebase goes the same way.
    branches(&world, "late", &[(PAGE, &world.text(PAGE).replace("- new\n", "- new\n- late\n"))]);
    branches(&world, "early", &[(PAGE, &world.text(PAGE).replace("- new\n", "- new\n- early\n"))]);
    world.git("checkout -q late");
    world.git("rebase -q early");
    assert!(world.text(PAGE).contains("- new\n- early\n- late\n"), "{}", world.text(PAGE));
}

#[test]
fn the_driver_is_offered_where_several_commit_and_the_answer_is_kept() {
    let alone = World::new();
    let told = alone.persons_terminal("git seed init", "y\n");
    assert!(!told.err.contains("[y/N]"), "{told:?}");

    for (answer, says, is_in) in [
        ("y\n", "git joins pages and knowledge by item here", true),
        ("n\n", "git merges pages as before; git seed init --merge-pages", false),
    ] {
        let world = World::new();
        world.git("commit -q --allow-empty -m two --author 'Grace <grace@example.org>'");
        let told = world.seed("init").succeeds();
        assert!(told.contains("note      2 people commit here"), "{told}");
        assert!(told.lines().count() <= 9, "the offer is a line more: {told}");
        assert!(!world.path(".git/info/attributes").exists(), "never silently");
        let asked = world.persons_terminal("git seed init", "");
        assert!(asked.err.contains("[y/N]") && !asked.out.contains("2 people"), "{asked:?}");
        let asked = world.persons_terminal("git seed init", answer);
        assert!(asked.err.contains(says), "{asked:?}");
        assert_eq!(world.path(".git/info/attributes").exists(), is_in);
        let again = world.persons_terminal("git seed init", "");
        assert!(!again.err.contains("[y/N]"), "{again:?}");
        assert_eq!(world.git("check-attr merge -- CLAUDE.md").contains("seed-pages"), is_in);
    }
}

#[test]
fn it_goes_without_a_trace_and_leaves_what_is_theirs() {
    for before in [None, Some("*.png -text\n"), Some("*.png -text")] {
        let world = World::new();
        world.puts(".gitattributes", "CLAUDE.md merge=union\n");
        world.git("add .gitattributes");
        world.git("commit -qm attributes");
        if let Some(text) = before {
            world.puts(".git/info/attributes", text);
        }
        let stands = || {
            let ours = |path: &std::path::Path| {
                let path = path.to_string_lossy().into_owned();
                !["/config", "/info/attributes"].iter().any(|end| path.ends_with(end))
            };
            (
                std::fs::read(world.path(".git/config")).expect("a configuration"),
                std::fs::read(world.path(".git/info/attributes")).ok(),
                world.git("status --porcelain"),
                tree_of(&world.path(".git/info"), &ours).len(),
            )
        };
        let was = stands();
        let told = world.person("init --merge-pages").succeeds();
        assert!(told.contains("left      CLAUDE.md"), "{told}");
        assert!(told.contains("your attributes say merge=union"), "{told}");
        assert!(world.git("check-attr merge -- CLAUDE.md").ends_with(": union"));
        assert!(world.git(&format!("check-attr merge -- {INDEX}")).ends_with(": seed-pages"));
        // Again changes nothing more.
        let once = world.text(".git/info/attributes");
        world.person("init").succeeds();
        assert_eq!(world.text(".git/info/attributes"), once);
        let plan = world.person("uninstall --check").succeeds();
        assert!(plan.contains("attributes"), "{plan}");
        world.person("uninstall").succeeds();
        assert_eq!(stands(), was);
    }
    // Lines that came behind ours stay.
    let world = seeded();
    let text = world.text(".git/info/attributes");
    world.puts(".git/info/attributes", &format!("{text}*.bin binary\n"));
    world.person("uninstall").succeeds();
    assert_eq!(world.text(".git/info/attributes"), "*.bin binary\n");
}

#[test]
fn without_our_binary_git_merges_as_it_does_without_us() {
    let world = seeded();
    let driver = world.git("config merge.seed-pages.driver");
    let binary = driver.split_whitespace().nth(3).expect("test -x <binary>;").trim_end_matches(';');
    world.git(&format!(
        "config merge.seed-pages.driver \"{}\"",
        driver.replace(binary, "/gone/git-seed")
    ));
    branches(&world, "one", &[(PAGE, &condensed("- one\n"))]);
    branches(&world, "two", &[(PAGE, &condensed("- two\n"))]);
    world.git("merge -q --no-edit one");
    let said = world.tries("git merge --no-edit two");
    assert_eq!(said.code, 1, "{said:?}");
    let text = world.text(PAGE);
    assert!(text.contains("<<<<<<<") && text.contains("- one") && text.contains("- two"), "{text}");
}

#[test]
fn a_binary_that_fails_leaves_the_merge_to_git() {
    let world = seeded();
    branches(&world, "one", &[(PAGE, &condensed("- one\n"))]);
    branches(&world, "two", &[(PAGE, &condensed("- two\n"))]);
    world.git("merge -q --no-edit one");
    let own = world.git("config merge.seed-pages.driver");
    let binary = own.split_whitespace().nth(3).expect("test -x <binary>;").trim_end_matches(';');
    // An older one that knows no such command, one that is refused, a panic, a signal.
    for fails in ["exit 64", "exit 2", "exit 101", "kill -9 $$"] {
        world.puts("fails.sh", &format!("#!/bin/sh\n{fails}\n"));
        world.sh("chmod +x fails.sh");
        let fails = world.path("fails.sh");
        let driver = own.replace(binary, &fails.to_string_lossy());
        world.git(&format!("config merge.seed-pages.driver \"{}\"", driver.replace('$', "\\$")));
        assert!(world.git("config merge.seed-pages.driver").contains("s=$?"));
        let said = world.tries("git merge --no-edit two");
        assert_eq!(said.code, 1, "{said:?}");
        let text = world.text(PAGE);
        let both = "<<<<<<< ";
        assert!(
            text.contains(both) && text.contains("- one\n") && text.contains("- two\n"),
            "{text}"
        );
        world.git("merge --abort");
    }
    // What it cannot read is no conflict.
    let said = world.tries("git seed merge-pages gone gone gone");
    assert!(said.code > 1, "{said:?}");
}

#[test]
fn what_attributes_say_of_other_pages_stays_too() {
    let world = World::new();
    let odd = "src/a b/CLAUDE.md";
    for path in ["src/parser/CLAUDE.md", "src/CLAUDE.md", odd, ".claude/knowledge/own.md"] {
        world.puts(path, "# Page\n");
    }
    world.puts(
        ".gitattributes",
        "src/parser/CLAUDE.md merge=union\n\"src/a b/CLAUDE.md\" -merge\n\
         .claude/knowledge/own.md merge=ours\n",
    );
    world.git("add -A -f");
    world.git("commit -qm pages");
    let told = world.person("init --merge-pages").succeeds();
    assert!(told.contains("src/parser/CLAUDE.md"), "{told}");
    for (path, merged) in [
        ("CLAUDE.md", "seed-pages"),
        ("src/CLAUDE.md", "seed-pages"),
        ("src/parser/CLAUDE.md", "union"),
        (odd, "unset"),
        (".claude/knowledge/own.md", "ours"),
        (".claude/knowledge/new.md", "seed-pages"),
        (".claude/knowledge/deep/er.md", "seed-pages"),
        (".claude/knowledge/picture.png", "unspecified"),
    ] {
        let said = world.sh(&format!("git check-attr merge -- '{path}'"));
        assert!(said.trim_end().ends_with(&format!(": {merged}")), "{said}");
    }
    let once = world.text(".git/info/attributes");
    world.person("init").succeeds();
    assert_eq!(world.text(".git/info/attributes"), once);
}

#[test]
fn a_repository_without_info_has_none_after_us() {
    let world = World::new();
    std::fs::remove_dir_all(world.path(".git/info")).ok();
    world.person("init --merge-pages").succeeds();
    assert!(world.path(".git/info/attributes").exists());
    world.person("init").succeeds();
    world.person("uninstall").succeeds();
    assert!(!world.path(".git/info").exists());
}

/// What `doctor` says of page merges, where it says something.
fn page_merges(world: &World) -> Option<String> {
    let said = world.tries("git seed doctor").out;
    said.lines().find(|line| line.contains("page merges")).map(str::to_owned)
}

#[test]
fn doctor_says_where_pages_are_merged_by_lines_again_and_init_mends_it() {
    let world = World::new();
    world.person("init").succeeds();
    assert_eq!(page_merges(&world), None);
    world.person("init --merge-pages").succeeds();
    let sound = page_merges(&world).expect("a line");
    assert!(sound.contains("by item"), "{sound}");
    for (line, said) in [
        ("git config --remove-section merge.seed-pages", "is not set"),
        ("git config merge.seed-pages.driver 'other %A'", "another line than ours: other %A"),
        ("sed -i /seed-pages/d .git/info/attributes", "lost our lines"),
        ("rm .git/info/attributes", "lost our lines"),
        (": > .git/info/attributes", "lost our lines"),
    ] {
        world.sh(line);
        let told = page_merges(&world).expect(line);
        assert!(told.contains(said), "{line}: {told}");
        world.person("init").succeeds();
        assert_eq!(page_merges(&world).as_ref(), Some(&sound), "{line}");
    }
    // A directory in its place is no file that reads.
    world.sh("rm .git/info/attributes && mkdir .git/info/attributes");
    let told = page_merges(&world).expect("a line");
    assert!(!told.contains("by item"), "{told}");
    world.sh("rmdir .git/info/attributes");
    world.person("init").succeeds();
    assert_eq!(page_merges(&world), Some(sound));
}

//! Repositories whose files go through filters of git: a filter that hides what it is given hides
//! it from git seed's own objects, too.

use pretty_assertions::assert_eq;

use super::world::{World, completion, message};

/// Stands in for git-crypt and its like.
const HIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/filters/hide.sh");
/// A file in scope that is hidden, and what it says.
const SECRET: &str = "src/parser/key.txt";
const WORD: &str = "xenolith";

fn defines(world: &World, required: bool) {
    world.sh(&format!(
        "git config filter.hide.clean 'sh {HIDE} clean' && git config filter.hide.smudge 'sh \
         {HIDE} smudge' && git config filter.hide.required {required}"
    ));
}

/// A project with a hidden file in it.
fn hiding(required: bool) -> World {
    let world = World::new();
    defines(&world, required);
    world.puts(".gitattributes", "key.txt filter=hide\n");
    world.puts(SECRET, &format!("{WORD} one\n"));
    world.git("add -A");
    world.git("commit -qm secrets");
    assert!(world.git(&format!("show HEAD:{SECRET}")).starts_with("HIDDEN"));
    world.installed()
}

/// No object of the repository holds the word, reachable or not.
fn is_hidden(world: &World, when: &str) {
    let found = world.sh(&format!(
        "for id in $(git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)' \
         | sed -n 's/ blob$//p'); do git cat-file blob $id | grep -aq {WORD} && echo $id; done; \
         true"
    ));
    assert_eq!(found, "", "{when}: these objects say {WORD}");
}

#[test]
fn what_a_filter_hides_is_in_no_object_of_a_whole_cycle() {
    for required in [true, false] {
        let world = hiding(required);
        for phase in ["observe", "plan", "execute"] {
            world.to(phase);
            is_hidden(&world, phase);
        }
        world.works("execute");
        world.reads(SECRET).passes();
        world.edits(SECRET, "one", "two").passes();
        world.runs(&format!("sed -i s/two/three/ {SECRET}")).passes();
        world.tests();
        is_hidden(&world, "after a call");
        world.leaves();
        assert!(world.files_of_head().contains(&SECRET.to_owned()));
        assert!(world.git(&format!("show HEAD:{SECRET}")).starts_with("HIDDEN"), "{required}");
        assert_eq!(world.text(SECRET), format!("{WORD} three\n"));
        assert_eq!(world.git("status --porcelain"), "");
        world.opens();
        world.works("verify");
        world.leaves();
        world.opens();
        world.works("condense");
        world.minute();
        world.asks(&completion()).passes().answers("Approve completion");
        world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
        is_hidden(&world, "at the end");
        assert_eq!(world.phase(), "none");
    }
}

#[test]
fn a_filter_that_comes_in_the_middle_of_a_cycle_hides_too() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    // A person sets it up meanwhile, and the file is there before anything is committed.
    defines(&world, true);
    world.puts(".gitattributes", "key.txt filter=hide\n");
    world.puts(SECRET, &format!("{WORD} one\n"));
    world.runs("true").passes();
    is_hidden(&world, "beside a call");
    drop(world.edits(SECRET, "one", "two"));
    drop(world.runs(&format!("sed -i s/two/three/ {SECRET}")));
    is_hidden(&world, "after a call");
    world.seed("fence status").said();
    world.seed("phase advance -F -").stdin(&message("execute")).said();
    is_hidden(&world, "after a boundary");
}

#[test]
fn a_program_that_changes_in_the_middle_of_a_cycle_stores_nothing_open() {
    for changed in ["filter.hide.clean 'false'", "filter.hide.process 'false'"] {
        let world = hiding(false);
        world.to("execute");
        world.works("execute");
        world.sh(&format!("git config {changed}"));
        drop(world.runs(&format!("sed -i s/one/two/ {SECRET}")));
        is_hidden(&world, changed);
        world.seed("status").succeeds();
        world.seed("fence status").succeeds();
        is_hidden(&world, changed);
        // Set right again it goes on.
        world.sh("git config --unset filter.hide.process; true");
        defines(&world, false);
        world.tests();
        world.leaves();
        is_hidden(&world, changed);
    }
}

#[test]
fn what_the_fence_takes_away_is_kept_hidden() {
    let world = hiding(false);
    world.to("plan");
    drop(world.runs(&format!("echo '{WORD} two' > {SECRET}")));
    world.seed("fence restore").said();
    assert_eq!(world.text(SECRET), format!("{WORD} one\n"));
    is_hidden(&world, "restored");
}

#[test]
fn a_filter_that_drops_parts_of_a_file_leaves_a_clean_cycle() {
    let world = World::new();
    // As nbstripout does it: what is dropped is in the work tree alone.
    world.git("config filter.strip.clean \"sed /output/d\"");
    world.puts(".gitattributes", "*.nb filter=strip\n");
    world.puts("src/parser/a.nb", "code\noutput 1\n");
    world.git("add -A");
    world.git("commit -qm notebook");
    let world = world.installed();
    world.to("execute");
    world.works("execute");
    world.reads("src/parser/a.nb").passes();
    world.edits("src/parser/a.nb", "code", "more code").passes();
    world.runs("sed -i s/1/2/ src/parser/a.nb").passes();
    world.tests();
    world.leaves();
    assert_eq!(world.git("show HEAD:src/parser/a.nb"), "more code");
    assert_eq!(world.text("src/parser/a.nb"), "more code\noutput 2\n");
    assert_eq!(world.git("status --porcelain"), "");
}

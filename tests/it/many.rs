//! Many paths at once: what is remembered of them has bounds, and nothing stands still.

use super::world::{CODE, World};

/// Writes `n` files below `dir`.
fn strew(world: &World, dir: &str, n: usize) {
    for i in 0..n {
        world.puts(&format!("{dir}/a-file-with-a-rather-long-name-{i:04}.txt"), "x\n");
    }
}

#[test]
fn a_thousand_strays_are_put_back_at_once() {
    let world = World::seeded();
    world.to("execute");
    let did = world.runs_and("sh strew.sh ./strewn", || strew(&world, "strewn", 1000));
    did.after.tells("that command changed");
    world.seed("job update --name 'fix the lexer'").succeeds();
    world.seed("fence status").tells("strewn");
    world.seed("fence restore").succeeds();
    assert!(!world.path("strewn").exists(), "they are gone");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_thousand_files_of_a_persons_stop_nothing() {
    let world = World::seeded();
    world.to("observe");
    strew(&world, "persons", 1000);
    world.works("observe");
    world.leaves();
    world.works("plan");
    world.leaves();
    assert_eq!(world.phase(), "execute");
    world.seed("status").tells("persons/");
    world.opens();
    world.reads(CODE).passes();
    assert!(
        world.git("log --name-only --format= -3").lines().all(|line| !line.starts_with("persons/"))
    );
}

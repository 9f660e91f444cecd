//! What `docs/images/make` takes pictures of: reports of the tour's job and of a night of five, and
//! `git seed watch` in a terminal of 100 columns and 30 rows.
//!
//! `PICTURES_TO=<dir>` keeps them there. They are played by the binary, as everything else is.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use super::nights::Night;
use super::watch::Screen;
use super::world::{CODE, World};

/// Keeps `text` for the one who makes pictures, where somebody does.
fn keep(name: &str, text: &str) {
    let Some(dir) = std::env::var_os("PICTURES_TO").map(PathBuf::from) else { return };
    fs::create_dir_all(&dir).expect("a directory for them");
    fs::write(dir.join(name), text).expect("it takes a file");
}

#[test]
#[ignore = "for docs/images/make"]
fn the_report_of_the_tours_job() {
    let world = World::new();
    let place = world.root().join("tmp");
    fs::create_dir(&place).expect("ours");
    let told = world.sh(&format!("TMPDIR='{}' git seed tour --fast --keep", place.display()));
    let kept = told.lines().find_map(|line| line.strip_prefix("kept ")).expect("where it lies");
    let kept = kept.trim();
    // The tour ends with an uninstall, which leaves a bundle of what was there.
    let refs = "'+refs/seed/*:refs/seed/*' '+refs/notes/*:refs/notes/*'";
    world.sh(&format!("cd '{kept}' && git fetch -q ../kept.bundle {refs}"));
    // It is the clone that it was.
    let clones = world.git(&format!(
        "-C {kept} log '--format=%(trailers:key=Seed-Clone,valueonly,separator=)' refs/seed/archive"
    ));
    let clone = clones.lines().find(|line| !line.is_empty()).expect("a step of it");
    world.sh(&format!("mkdir {kept}/.git/seed && echo {clone} > {kept}/.git/seed/clone"));
    world.person(&format!("-C {kept} init")).succeeds();
    let jobs =
        world.git(&format!("-C {kept} log -1 '--format=%(trailers:key=Seed-Job,valueonly)'"));
    let page = world.person(&format!("-C {kept} report --full -o - {}", jobs.trim())).succeeds();
    for part in ["keep escapes in unquote", "observe", "condense"] {
        assert!(page.contains(part), "{part}");
    }
    keep("report-tour.html", &page);
}

#[test]
#[ignore = "for docs/images/make"]
fn the_report_of_a_night_of_five() {
    let night = Night::of_claude();
    let world = &night.world;
    world.puts("Makefile", "test:\n\t@echo ok\n");
    world.sh("git add -A && git commit -qm make");
    let names = [
        "keep escapes in strings",
        "count columns from one",
        "read raw strings",
        "end comments at a nul",
        "name the token in errors",
    ];
    for name in names {
        world.minute();
        world.person(&format!("job create '{name}'")).succeeds();
    }
    let list = world.json("job list");
    let mut queue: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(|job| job["id"].as_str()).collect();
    queue.sort_unstable();
    world.person(&format!("job activate {}", queue[0])).succeeds();
    for n in 1..=names.len() {
        night.works(n);
    }
    let page = world.person("report --full -o - --all").succeeds();
    for name in names {
        assert!(page.contains(name), "{name}");
    }
    keep("report-night.html", &page);
}

#[test]
#[ignore = "for docs/images/make"]
fn watch_in_a_terminal_of_100_by_30() {
    let world = World::seeded();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    world.to("observe");
    world.writes("src/parser/lex.rs", "fn lex() { early(); }\n").refuses("BLOCKED");
    world.does("observe");
    world.leaves();
    world.to("execute");
    let mut screen = Screen::of(&world, 100, 30);
    let mut drawn = screen.drawn_until("execute");
    world.writes("docs/outside.md", "out\n").refuses("docs/outside.md");
    world.edits(CODE, "fn lex() {", "fn lex() { escaped();").passes();
    world.runs("cargo test").passes();
    drawn += &screen.drawn_until("cargo test");
    // The picture shows a place that somebody could work at, as wide as the scratch directory.
    let place = world.repo().display().to_string();
    assert!(drawn.contains(&place), "{drawn:?}");
    let shown = format!("{:─>1$}", " ~/src/lexer", place.chars().count());
    keep("watch.ansi", &drawn.replace(&place, &shown));
}

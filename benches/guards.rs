//! What judging one call costs in process, with every guard asked: nanoseconds, and the
//! share of each guard.
//!
//! `cargo bench -p git-seed-benches --bench guards`
//! prints the time of whole verdicts, one per kind of call.
//! No scene here is refused, so each verdict asks all guards; the share is that time (of the
//! last sample) over their number.

#![expect(clippy::disallowed_macros, reason = "it prints each guard's share")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use git_seed::event::{Actor, PageChange};
use git_seed::phases::guard::{self, Call, FileChange, GUARDS, Scene};
use git_seed::phases::pacing::Stay;
use git_seed::phases::place::Place;
use git_seed::phases::room::Room;
use git_seed::phases::{Class, FirstStep, Map, OPEVC};

/// A call that no guard objects to, in `phase`.
fn scene<'a>(map: &'a Map, phase: &str) -> Scene<'a> {
    let row = map.phases().find(|row| row.name.as_str() == phase).expect("a shipped phase");
    let counts =
        |pairs: &[(&str, u32)]| pairs.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect();
    let stay = Stay {
        acts: counts(&[
            ("edit", 4),
            ("page", 2),
            ("read", 9),
            ("search", 5),
            ("shell", 3),
            ("test", 2),
        ]),
        since: counts(&[("edit", 1), ("read", 2), ("search", 1), ("test", 1)]),
        direct: 3,
        in_flight: 1,
        ..Stay::default()
    };
    let call = Call {
        tool: "Edit",
        classes: vec![(Class::Edit, "Edit".to_owned())],
        read: None,
        changes: Vec::new(),
        own_state: None,
        persons: None,
        no_command: false,
        moves: None,
        git: None,
        confinable: false,
        tests: false,
        unseen: None,
        untried: None,
        question: None,
        dispatch: None,
        unproven: None,
        outgrows: None,
    };
    Scene {
        unsummed: false,
        anchors: map.anchors(),
        phase: row,
        first: FirstStep::Whole,
        cycle: 1,
        by: &Actor::Main,
        dial_set: true,
        page: "CLAUDE.md",
        guest: false,
        away: None,
        gone: false,
        stay,
        delegates: true,
        uncommitted: false,
        helper: None,
        room: Room::default(),
        call,
    }
}

fn change(path: &str, place: Place, page: Option<PageChange>) -> FileChange {
    FileChange {
        path: path.to_owned(),
        place,
        declared: true,
        exists: true,
        missed: false,
        page,
        lost: None,
        lines: 0,
        shut: None,
        secret: None,
    }
}

fn judging(criterion: &mut Criterion) {
    let map = Map::read(OPEVC).expect("the shipped map is sound");
    let parser = "src/parser".to_owned();
    let mut code = scene(&map, "execute");
    code.call.changes =
        vec![change("src/parser/lex.rs", Place::Project { dir: parser.clone() }, None)];
    let mut note = scene(&map, "execute");
    let below = PageChange::Below { first_rank: 2 };
    note.call.changes =
        vec![change("src/parser/CLAUDE.md", Place::Page { dir: parser.clone() }, Some(below))];
    let mut read = scene(&map, "observe");
    read.call.classes = vec![(Class::Read, "Read".to_owned())];
    read.call.read = Some(("src/parser/lex.rs".to_owned(), Place::Project { dir: parser }));
    let mut shell = scene(&map, "verify");
    shell.call.classes = vec![(Class::ShellCode, "cargo test".to_owned())];
    let mut launch = scene(&map, "execute");
    launch.call.classes = vec![(Class::Delegate, "Agent".to_owned())];

    let mut group = criterion.benchmark_group(format!("judge, {} guards", GUARDS.len()));
    for (name, scene) in [
        ("an edit", &code),
        ("a note", &note),
        ("a read", &read),
        ("a run", &shell),
        ("a launch", &launch),
    ] {
        assert!(guard::judge(scene).is_ok(), "{name} passes, so every guard was asked");
        let mut each = 0;
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| {
                let began = Instant::now();
                for _ in 0..rounds {
                    let _ = black_box(guard::judge(black_box(scene)));
                }
                let took = began.elapsed();
                each = took.as_nanos() / u128::from(rounds.max(1));
                took
            });
        });
        println!("{name}: {each} ns, {} ns a guard", each / GUARDS.len() as u128);
    }
    group.finish();
}

criterion_group!(benches, judging);
criterion_main!(benches);

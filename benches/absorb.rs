//! What absorbing one large page costs in process: at most 20 ms for a page of 1 MB.
//!
//! `cargo bench -p git-seed-benches --bench absorb`
//! prints the time of a page with many titles and many tagged
//! groups, and of one where nothing is tagged.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use git_seed::memory::absorb::{HEADING, absorb};
use git_seed::memory::notes::Kinds;

const ANCHORS: [&str; 4] = ["---Ob---", "---Pl---", "---Ex---", "---Ve---"];
const SIZE: usize = 1024 * 1024;

/// A page of about [`SIZE`] bytes, half of it body.
fn page(tag: &str) -> String {
    let mut text = "# Page\n".to_owned();
    let mut n = 0;
    while text.len() < SIZE / 2 {
        n += 1;
        text.push_str(&format!(
            "\n## Part{n} of the lexer\n\nWhat part{n} does, and why.\n\n- one\n\n- two\n"
        ));
    }
    for anchor in ANCHORS {
        text.push_str(&format!("\n{anchor}\n"));
        let end = text.len() + SIZE / 8;
        while text.len() < end {
            n += 7;
            text.push_str(&format!(
                "\n{tag}part{} eats tabs, as was seen here.\n\n```\ncode\n\nmore\n```\n\n\
                 [CARRIED:KNOWLEDGE:1]{{x}}{{y}}\n",
                n % 4000
            ));
        }
    }
    text
}

fn absorbing(criterion: &mut Criterion) {
    let kinds = Kinds::shipped().expect("the shipped kinds read");
    let mut group = criterion.benchmark_group("absorb");
    group.sample_size(20);
    for (name, tag) in [("tagged", "[DURABLE] "), ("ephemeral", "[EPHEMERAL] "), ("untagged", "")] {
        let page = page(tag);
        group.bench_function(name, |bencher| {
            bencher.iter(|| absorb(black_box(&page), &ANCHORS, &kinds, HEADING).expect("in order"));
        });
    }
    group.finish();
}

criterion_group!(benches, absorbing);
criterion_main!(benches);

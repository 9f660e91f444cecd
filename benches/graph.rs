//! What the graph of 10,000 jobs costs in process: at most 20 ms to find a circle in it, or the
//! way that an edge would close.
//!
//! `cargo bench -p git-seed-benches --bench graph`
//! prints the times for a long line, for layers in which each job
//! waits for several of the next, and for drawing them.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use git_seed::jobs::graph::{Graph, Node};
use git_seed::jobs::{JobId, Status};

const JOBS: usize = 10_000;

fn id(n: usize) -> JobId {
    format!("20261121t{:06}-{n:04x}", n % 1_000_000).parse().expect("an id")
}

/// Each job waits for those that stand so far behind it.
fn jobs(behind: &[usize]) -> Graph {
    Graph::new((0..JOBS).map(|n| {
        let depends_on = behind.iter().map(|far| n + far).filter(|n| *n < JOBS).map(id).collect();
        Node { id: id(n), name: format!("job {n}"), status: Status::Pending, depends_on }
    }))
}

fn asking(criterion: &mut Criterion) {
    for (name, behind) in [("line", &[1][..]), ("layers", &[97, 98, 99, 100, 101])] {
        let graph = jobs(behind);
        criterion.bench_function(&format!("a circle in 10,000 jobs, {name}"), |bencher| {
            bencher.iter(|| assert!(black_box(&graph).circle().is_none()));
        });
        criterion.bench_function(
            &format!("the way to the last of 10,000 jobs, {name}"),
            |bencher| {
                bencher.iter(|| black_box(&graph).way(&id(0), &id(JOBS - 1)));
            },
        );
        criterion.bench_function(&format!("10,000 jobs drawn, {name}"), |bencher| {
            bencher.iter(|| black_box(&graph).draw());
        });
    }
}

criterion_group!(benches, asking);
criterion_main!(benches);

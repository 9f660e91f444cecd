//! Benchmarks of single functions, in nanoseconds: `cargo bench -p git-seed-benches`.

//! What reading a command line costs: typical ones, and long ones of several shapes.
//!
//! `cargo bench -p git-seed-benches --bench shell`
//! prints the times. A typical line is to stay below 50 µs and
//! one of 64 KB below 5 ms; the largest of each is compared with that at the end.

#![expect(clippy::disallowed_macros, reason = "it prints what the slowest of each took")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use git_seed::shell::{self, LONGEST};

const TYPICAL: &[(&str, &str)] = &[
    ("status", "git status --short"),
    ("test", "cargo test --lib parser:: 2>&1 | tail -40"),
    ("search", "rg -n --no-heading 'fn main' -g '*.rs' src | head -20"),
    ("chain", "cd src/parser && sed -n '1,80p' lex.rs && git diff --stat main...HEAD"),
    ("loop", "for f in src/*.rs; do echo \"== $f\"; wc -l \"$f\"; done"),
    ("heredoc", "cat > src/parser/new.rs <<'EOF'\nfn new() {}\nEOF"),
    ("python", "python3 - <<'EOF'\nimport json\nprint(json.load(open('data.json'))['a'])\nEOF"),
    ("wrapped", "timeout 60 bash -lc \"cd /tmp/x && npm test -- --watchAll=false | grep -v '^$'\""),
    (
        "substitution",
        "git diff $(git merge-base main HEAD) -- $(git ls-files 'src/*.rs' | head -3)",
    ),
    ("sed", "sed -i -e 's/a/b/g' -e '/x/d' src/parser/lex.rs"),
];

/// Lines close to the longest that is read.
fn long() -> Vec<(&'static str, String)> {
    let filled = |head: &str, piece: &dyn Fn(usize) -> String, tail: &str| {
        let mut line = head.to_owned();
        let mut at = 0;
        loop {
            let next = piece(at);
            if line.len() + next.len() + tail.len() > LONGEST {
                return line + tail;
            }
            line += &next;
            at += 1;
        }
    };
    vec![
        ("words", filled("rm", &|n| format!(" file-{n}.txt"), "")),
        ("long words", filled("rm", &|n| format!(" directory/{n:030}.txt"), "")),
        ("long commands", filled("ls", &|n| format!("; touch {}{n}", "directory/".repeat(16)), "")),
        ("long uses", filled("x=a; echo", &|_| format!(" \"{}$x\"", "directory/".repeat(17)), "")),
        ("quoted", filled("grep x", &|n| format!(" 'a b {n}'"), "")),
        ("pipes", filled("cat a", &|_| " | grep x".to_owned(), "")),
        ("commands", filled("ls", &|n| format!("; touch a{n}"), "")),
        ("nested", filled("", &|_| "(ls $(echo a `pwd`)); ".to_owned(), "ls")),
        ("deep", filled("(((((((((ls)))))))))", &|n| format!("; f{n}"), "")),
        (
            "heredoc",
            filled("cat > a <<'EOF'\n", &|n| format!("line {n} of a text, it's $HOME\n"), "EOF\n"),
        ),
        (
            "open heredoc",
            filled("cat > a <<EOF\n", &|n| format!("line {n} $HOME $(date)\n"), "EOF\n"),
        ),
        ("python", filled("python3 - <<'EOF'\n", &|n| format!("open('a{n}', 'w')\n"), "EOF\n")),
        ("variables", filled("", &|n| format!("v{n}=x; "), "echo $v1")),
        ("uses", filled("x=a; echo", &|_| " \"$x/$x\"".to_owned(), "")),
        ("one word", format!("echo {}", "a".repeat(LONGEST - 10))),
        ("one text", format!("echo '{}'", "a b ".repeat((LONGEST - 10) / 4))),
        ("substitutions", filled("echo", &|_| " $(ls)".to_owned(), "")),
        ("sums", filled("echo", &|n| format!(" $(( {n} + 1 ))"), "")),
        ("redirections", filled("ls", &|n| format!(" > a{n}"), "")),
        ("globs", filled("ls", &|n| format!(" */{n}*.rs"), "")),
        ("brackets", filled("echo '", &|_| "[(".to_owned(), "'")),
        ("sed", filled("sed '", &|n| format!("s/a{n}/b/;"), "' f")),
        ("git", filled("git add", &|n| format!(" src/{n}.rs"), "")),
        ("nothing known", filled("x", &|n| format!(" && y{n}"), "")),
    ]
}

fn reading(criterion: &mut Criterion) {
    let mut slowest = (Duration::ZERO, "");
    for (name, line) in TYPICAL {
        let line = (*line).to_owned();
        criterion.bench_function(&format!("typical/{name}"), |bencher| {
            bencher.iter(|| shell::read(black_box(&line)));
        });
        slowest = slowest.max((median(&line), name));
    }
    println!("typical: at most {:?} ({}), to stay below 50 µs", slowest.0, slowest.1);
    let mut slowest = (Duration::ZERO, "");
    for (name, line) in long() {
        assert!((LONGEST - 200..=LONGEST).contains(&line.len()), "{name}: {} bytes", line.len());
        criterion.bench_function(&format!("long/{name}"), |bencher| {
            bencher.iter_batched(
                || line.clone(),
                |line| shell::read(black_box(&line)),
                BatchSize::LargeInput,
            );
        });
        slowest = slowest.max((median(&line), name));
    }
    println!("64 KB: at most {:?} ({}), to stay below 5 ms", slowest.0, slowest.1);
}

/// The median of a few readings.
fn median(line: &str) -> Duration {
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let began = Instant::now();
            black_box(shell::read(black_box(line)));
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = reading
}
criterion_main!(benches);

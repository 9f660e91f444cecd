# The same commands everywhere.

ci:
    bash .ci/run

test:
    cargo test

bench *args:
    cargo bench --bench whole -- {{args}}

man:
    cargo run -- man --to man

deny:
    cargo deny check

tour:
    cargo run --release -- tour

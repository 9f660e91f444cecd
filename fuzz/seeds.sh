#!/bin/sh
# Fills fuzz/corpus from the fixtures: one file per command line, one per payload.
# Then: cargo +nightly fuzz run shell -- -max_total_time=60
#       cargo +nightly fuzz run payload -- -max_total_time=60
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/shell corpus/payload
grep -hv '^#' ../fixtures/commands/ordinary.tsv ../fixtures/bypass/attempts.tsv | cut -f2- |
    awk '{ gsub(/\\n/, "\n"); gsub(/\\t/, "\t"); file = sprintf("corpus/shell/%04d", NR); printf "%s", $0 > file; close(file) }'
sed -n 's/.*run = "\(.*\)"[,} ].*/\1/p' ../fixtures/bypass/sessions.toml |
    awk '{ file = sprintf("corpus/shell/s%04d", NR); printf "%s", $0 > file; close(file) }'
for host in ../fixtures/hooks/*; do
    for payload in "$host"/*.json; do
        [ -f "$payload" ] && cp "$payload" "corpus/payload/$(basename "$host")-$(basename "$payload")"
    done
done

//! Closing lines that a line let through in part: `node --test | grep pass`.
//!
//! What a search leaves of an output may be what passed alone, and then the counts that are read
//! from it say nothing of what failed. A search that would have let a failure through says as much
//! as the output itself.

use crate::shell::{self, Simple};

/// Programs that print some of the lines that they read.
const SEARCHES: [&str; 5] = ["grep", "egrep", "fgrep", "rg", "ag"];
/// Programs that print what they make of the lines that they read.
const OTHERS: [&str; 12] =
    ["sed", "gsed", "awk", "gawk", "cut", "head", "sort", "uniq", "tr", "jq", "column", "perl"];
/// Programs that only start the one behind them.
const STARTERS: [&str; 5] = ["command", "env", "stdbuf", "nice", "exec"];
/// Shells, which may do the same by a line of their own.
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];
/// Options of a search whose value is a word of its own, and no pattern.
const VALUED: [&str; 5] = ["-m", "-A", "-B", "-C", "-f"];
/// Words of a pattern that fit nothing but what went well.
const GOOD: [&str; 7] = ["ok", "succe", "✓", "✔", "✅", "green", "all"];
/// Words of what went wrong: a search that leaves lines with them out hides it.
const BAD: [&str; 9] = ["fail", "err", "not ok", "✗", "✖", "✘", "❌", "broken", "panic"];

/// Whether `line` lets what its run printed through in part, so that `output` may lack what failed.
pub(super) fn thins(line: &str, output: &str) -> bool {
    let Some(read) = shell::simple(line) else { return false };
    let own = |one: &'_ Simple| {
        let started = |word: &&String| {
            STARTERS.contains(&word.as_str()) || word.starts_with('-') || word.contains('=')
        };
        let starts = one.words.first().is_some_and(|first| STARTERS.contains(&first.as_str()));
        let skipped = if starts { one.words.iter().take_while(started).count() } else { 0 };
        one.words[skipped..].to_vec()
    };
    let mut filters = read.commands.iter().enumerate().filter_map(|(at, one)| {
        let words = own(one);
        let name = words.first().map_or("", String::as_str);
        let name = name.rsplit('/').next().unwrap_or(name);
        let searches = SEARCHES.contains(&name);
        // What lets words of failures through as well leaves nothing out.
        let names = || patterns(&words[1..]).join(" ").to_lowercase();
        if one.filters && (!searches || BAD.iter().any(|bad| names().contains(bad))) {
            return None;
        }
        let shell = at > 0 && SHELLS.contains(&name) && words.iter().any(|word| word == "-c");
        let known = searches || shell || OTHERS.contains(&name);
        known.then_some((words, searches, one.filters))
    });
    let mut some = false;
    let hides = filters.any(|(words, searches, both)| {
        some = true;
        if both {
            return false;
        }
        let rest = words.get(1..).unwrap_or_default();
        let said = if searches { patterns(rest).join(" ") } else { rest.join(" ") };
        let said = said.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let out = |word: &String| {
            word == "--invert-match"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
        };
        let counts = || said.contains(|one: char| one.is_ascii_digit());
        match (searches, rest.iter().any(out)) {
            (true, true) => has(&BAD),
            (true, false) => has(&GOOD) || counts(),
            (false, _) => has(&BAD) || has(&["pass"]),
        }
    });
    some && (hides || !is_whole(output))
}

/// What a search looks for: the first word that is no option, or what stands behind `-e`.
fn patterns(words: &[String]) -> Vec<&str> {
    let (mut named, mut first) = (Vec::new(), None);
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "-e" || word == "--regexp" {
            named.extend(words.next());
        } else if VALUED.contains(&word) {
            words.next();
        } else if let Some(pattern) = word.strip_prefix("--regexp=") {
            named.push(pattern);
        } else if !word.starts_with('-') && first.is_none() {
            first = Some(word);
        }
    }
    if named.is_empty() { first.into_iter().collect() } else { named }
}

/// A line that counts what passed says in the same breath, or another one beside it, what failed or
/// how many there were.
fn is_whole(output: &str) -> bool {
    // What a test is called counts nothing.
    let is_test = |line: &str| {
        ["ok ", "not ok ", "✓", "✔", "√", "test "].iter().any(|begins| line.starts_with(begins))
            && !line.starts_with("test result")
    };
    let counts = |line: &str| line.contains(|one: char| one.is_ascii_digit());
    let output = output.to_lowercase();
    let mut lines = output.lines().map(str::trim).filter(|line| counts(line) && !is_test(line));
    let timed = |line: &str| line.contains(" passed") && line.contains(" in ");
    lines.any(|line| line.contains("fail") || line.contains("total") || timed(line))
}

#[cfg(test)]
mod tests {
    use super::thins;

    #[test]
    fn what_a_search_left_out_is_not_counted_as_well() {
        let tap = "# tests 3\n# pass 2\n# fail 1\n";
        for (line, output, wanted) in [
            ("node --test", "# pass 2\n", false),
            ("node --test | tail -5", "# pass 2\n", false),
            ("python3 -m unittest -q", "Ran 3 tests in 0.001s\n\nOK\n", false),
            ("node --test | tee log", "# pass 2\n", false),
            ("node --test | grep pass", "# pass 2\n", true),
            ("node --test | grep -E '^# pass'", "# pass 2\n", true),
            ("node --test > log 2>&1; grep pass log", "# pass 2\n", true),
            ("node --test | grep '^# '", tap, false),
            ("node --test | grep -v '^# fail'", "# pass 2\n", true),
            ("node --test | grep -v duration_ms", tap, false),
            ("npx mocha | grep passing", "  2 passing (4ms)\n", true),
            ("npx mocha | head -3", "  2 passing (4ms)\n", true),
            ("npx mocha | sed -n 1,40p", "  2 passing (4ms)\n  1 failing\n", false),
            ("npx mocha | sed 's/failing/x/'", "  2 passing (4ms)\n  1 x\n", true),
            ("npx jest | grep Tests:", "Tests: 3 passed, 3 total\n", false),
            ("pytest | grep passed", "3 passed in 0.12s\n", false),
            ("node --test | grep -E '# pass|total'", "ok 1 - total is right\n# pass 2\n", true),
            ("node --test | command grep pass", "# pass 2\n", true),
            ("node --test | env LANG=C grep pass", "# pass 2\n", true),
            ("node --test | sh -c 'grep pass'", "# pass 2\n", true),
            ("node --test | perl -ne 'print if /pass/'", "# pass 2\n", true),
            ("node --test | grep -m 20 '^# '", tap, false),
            ("node --test > /tmp/tokio.log; grep '^# ' /tmp/tokio.log", tap, false),
            ("cargo test | grep ok", "test result: ok. 12 passed; 0 failed;\n", true),
            ("cargo test | grep '0 failed'", "test result: ok. 12 passed; 0 failed;\n", true),
            (
                "cargo test 2>&1 | grep 'test result'",
                "test result: ok. 2 passed; 0 failed\n",
                false,
            ),
        ] {
            assert_eq!(thins(line, output), wanted, "{line}");
        }
    }
}

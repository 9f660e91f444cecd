//! Closing lines that a line let through in part: `node --test | grep pass`.
//!
//! What a search leaves of an output may be what passed alone, and then the counts that are read
//! from it say nothing of what failed. A search that would have let a failure through says as much
//! as the output itself.

use crate::shell::{self, Simple};

/// Programs that print some of the lines that they read.
const SEARCHES: [&str; 5] = ["grep", "egrep", "fgrep", "rg", "ag"];
/// Programs that print what they make of the lines that they read.
const OTHERS: [&str; 11] =
    ["sed", "gsed", "awk", "gawk", "cut", "head", "sort", "uniq", "tr", "jq", "column"];
/// Words of a pattern that fit nothing but what went well.
const GOOD: [&str; 7] = ["ok", "succe", "✓", "✔", "✅", "green", "all"];
/// Words of what went wrong: a search that leaves lines with them out hides it.
const BAD: [&str; 9] = ["fail", "err", "not ok", "✗", "✖", "✘", "❌", "broken", "panic"];

/// Whether `line` lets what its run printed through in part, so that `output` may lack what failed.
pub(super) fn thins(line: &str, output: &str) -> bool {
    let Some(read) = shell::simple(line) else { return false };
    let named = |one: &Simple| {
        let name = one.words.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or(name).to_owned()
    };
    let mut filters = read.commands.iter().filter(|one| !one.filters).filter_map(|one| {
        let name = named(one);
        let searches = SEARCHES.contains(&name.as_str());
        (searches || OTHERS.contains(&name.as_str())).then_some((one, searches))
    });
    let mut some = false;
    let hides = filters.any(|(one, searches)| {
        some = true;
        let rest = one.words.get(1..).unwrap_or_default();
        let said = rest.join(" ").to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let out = |word: &String| {
            word == "--invert-match"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
        };
        let pattern = || rest.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
        let counts = || pattern().any(|word| word.contains(|one: char| one.is_ascii_digit()));
        match (searches, rest.iter().any(out)) {
            (true, true) => has(&BAD),
            (true, false) => has(&GOOD) || counts(),
            (false, _) => has(&BAD) || has(&["pass"]),
        }
    });
    some && (hides || !is_whole(output))
}

/// A line that counts what passed says in the same breath, or another one beside it, what failed or
/// how many there were.
fn is_whole(output: &str) -> bool {
    let output = output.to_lowercase();
    let timed = |line: &str| line.contains(" passed") && line.contains(" in ");
    output.contains("fail") || output.contains("total") || output.lines().any(timed)
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

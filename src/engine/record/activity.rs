//! What a stay has come to: counts of acts, from the job and the journal together.

use crate::claims::ended::closing;
use crate::claims::runs::{Recognised, Runs};
use crate::engine::repo::{LoadedJob, Repo};
use crate::event::{Act, ToolCall};
use crate::format::journal::Counts;
use crate::format::short_hash;
use crate::phases::deeds;
use crate::phases::mcp::Tool;
use crate::phases::pacing::{Deed, Stay};
use crate::phases::place::Place;
use crate::shell;

/// The stay of `focused`, as pacing sees it.
pub(crate) fn stay(repo: &Repo, focused: &LoadedJob) -> Stay {
    let none = Counts::default();
    let counts = focused.activity.as_ref().unwrap_or(&none);
    focused.state.stand.entry.stay(&counts.activity, repo.now, draw(focused))
}

/// True when `agent` belongs to the roster of the phase where `focused` stands: by its
/// name, or by any name where the repository defines no subagent for that phase.
fn is_of_roster(repo: &Repo, focused: &LoadedJob, agent: &str) -> bool {
    let phase = focused.state.stand.phase.as_str();
    // A repository without subagents of its own takes any for the phase's.
    agent.strip_prefix(phase).is_some_and(|rest| rest.starts_with('-'))
        || !repo.has_own_roster(phase)
}

/// What a call of the main session counts as. `places` are those of its files.
pub(crate) fn deeds(
    repo: &Repo,
    focused: &LoadedJob,
    call: &ToolCall,
    places: &[(String, Place)],
) -> Vec<Deed> {
    if let Act::Foreign { server, .. } = &call.act
        && repo.rules.tool_of(server, &call.tool) != Tool::Acts
    {
        return vec![Deed::Web];
    }
    deeds::deeds(&call.act, places, |agent| is_of_roster(repo, focused, agent))
}

/// The same for a stay whenever one asks, and different from stay to stay.
fn draw(focused: &LoadedJob) -> u32 {
    let (job, stand) = (&focused.state.job, &focused.state.stand);
    let text = format!("{}\n{}\n{}\n{}", job.id, job.run, stand.cycle, stand.phase);
    u32::from_str_radix(&short_hash(text.as_bytes(), 6), 16).unwrap_or(0)
}

/// This line, which ended well, says so of the code that it runs; `printed` is what it printed.
pub(crate) fn tells(runs: &Runs, command: &str, printed: &str) -> bool {
    let read = runs.recognise(command);
    match &read {
        Recognised::Run(_)
        | Recognised::Chained { .. }
        | Recognised::Command
        | Recognised::Commands => true,
        // What may end well without a test says no less than a command that is none, unless a flag
        // of it says that it may have found none.
        Recognised::Shown(run) => closing(run, command, printed, None).map_or_else(
            || {
                let whole = shell::simple(command).is_some_and(|line| line.whole);
                whole && !runs.may_find_none(command)
            },
            |counts| read.is_passed(None, Some(counts)),
        ),
        Recognised::Masked(_) | Recognised::Unclear => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unmasked_run_proves() {
        let runs = Runs::shipped();
        for (command, proves) in [
            ("cargo test", true),
            ("cd a && cargo test 2>&1", true),
            ("cargo test || true", false),
            ("cargo test | tail -5", false),
            ("cargo build && cargo test", true),
            ("cargo test && cargo clippy", true),
            ("cargo test; true", false),
            ("cargo test &", false),
            ("git log", false),
            ("! cargo test", false),
            ("(! cargo test)", false),
            ("echo $(cargo test)", false),
            ("x=`cargo test` true", false),
            ("cat <(cargo test)", false),
            ("cargo test --no-run", false),
            ("pytest --collect-only", false),
            ("make -n test", false),
            ("make test", true),
            ("sh tests/quote.sh", true),
            ("sh tests/quote.sh | tail -5", false),
            ("(cd a && cargo test -- --nocapture)", true),
            ("npm run tests --if-present", false),
            ("npm --if-present run test:ci", false),
            ("npx jest --passWithNoTests", false),
            ("cargo nextest run --no-tests=pass", false),
            ("npm run check", true),
            ("python3 -m doctest src/calc.py", false),
        ] {
            let tells = |line: &str| tells(&runs, line, "");
            assert_eq!(deeds::is_proof(command, &tells), proves, "{command}");
        }
    }

    #[test]
    fn a_run_that_may_have_found_no_test_proves_by_its_closing_lines() {
        let runs = Runs::shipped();
        for (command, printed, proves) in [
            ("npm run tests --if-present", "# tests 2\n# pass 2\n# fail 0\n", true),
            ("npm run tests --if-present", "", false),
            ("python3 -m doctest a.py", "", false),
            ("python3 -m doctest -v a.py", "0 tests in 1 items.\n0 passed and 0 failed.\n", false),
            ("python3 -m doctest -v a.py", "2 tests in 1 items.\n2 passed and 0 failed.\n", true),
        ] {
            assert_eq!(tells(&runs, command, printed), proves, "{command}: {printed}");
        }
    }
}

//! `git seed tour`: the whole story, told as it happens.

use crate::engine::setup;
use std::io::{IsTerminal as _, stdin, stdout};
use std::path::Path;

use super::failure::{Failure, While as _};
use super::{
    Outcome,
    report::{Report, Tint},
    width::shortened,
};
use crate::engine::repo::Repo;
use crate::jobs::questions::{APPROVE, REVIEW};
use crate::tour::{Came, Stage};
use crate::voice::{Notice, tell};
use crate::world;

/// Watch a demonstration in a temporary repository
///
/// Plays a session from the first prompt to an approved job, in about ten seconds. It sends real
/// events to the real hook, runs real commands and makes real commits. The repository is
/// deleted afterwards. On a terminal it waits for Enter between scenes; `q` and Enter end it, and
/// so does Ctrl-C.
#[derive(Debug, clap::Args)]
pub(super) struct TourArgs {
    /// Keep the repository
    #[arg(long)]
    keep: bool,
    /// Do not pause between scenes
    #[arg(long)]
    fast: bool,
    /// Tell every event, and not only those that show the most
    #[arg(long)]
    all: bool,
}

/// The events that are told without `--all`, by how they begin: less than a hundred lines of them.
const SHORT: [&str; 21] = [
    "git seed init",
    "the agent edits src/quote.sh and runs no test",
    "and ends its turn",
    "so it runs the tests: FAILED",
    "and runs them again: ok",
    "the agent says the very same",
    "git seed audit replay",
    "the side door",
    "the agent edits README.md",
    "the agent runs a script",
    "git commit",
    "the agent says \"All done.\"",
    "git seed phase back",
    "and says that 3 of 3 criteria hold",
    "so it runs the tests: three lines",
    "the agent deletes all footers",
    "git seed condense status",
    "the agent asks, and says what comes next",
    "the person writes [PAUSE]",
    "todo.md",
    "git seed uninstall",
];

/// The tour plays a real session: what does not come as it was told ends it.
fn wrong(at: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(format!("the tour failed at \"{at}\": {why}"))
}

pub(super) fn run(args: &TourArgs, out: &mut Report) -> crate::cli::Result<Outcome> {
    let dir = tempfile::Builder::new()
        .prefix("git-seed-tour-")
        .tempdir()
        .at(|| "cannot create a directory for the tour".to_owned())?;
    let pause = !args.fast && !out.is_json() && stdin().is_terminal() && stdout().is_terminal();
    if !args.keep {
        leave_nothing_behind(dir.path())?;
    }
    let home = if args.keep { dir.keep() } else { dir.path().to_owned() };
    let stage = Stage::new(&crate::world::real(&home)?, &world::own_binary())?;
    let mut tour = Tour { stage, out, pause, all: args.all, over: false, told: Vec::new() };
    match tour.play() {
        Err(_) if tour.over => return Ok(Outcome::Yes),
        played => played?,
    }
    tour.curtain(args.keep)?;
    Ok(Outcome::Yes)
}

/// Whoever ends the tour by a signal, as with Ctrl-C at a pause, finds no directory afterwards.
#[cfg(unix)]
fn leave_nothing_behind(dir: &Path) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    /// Programs of the play that the signal ends as well may still write for a moment.
    const TRIES: u32 = 20;
    const MOMENT: std::time::Duration = std::time::Duration::from_millis(20);
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let dir = dir.to_owned();
    let waits = move || {
        if let Some(signal) = signals.forever().next() {
            for _ in 0..TRIES {
                if std::fs::remove_dir_all(&dir).is_ok() {
                    break;
                }
                std::thread::sleep(MOMENT);
            }
            // Without one it could not have been heard.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    std::thread::Builder::new().spawn(waits).map(drop)
}

#[cfg(not(unix))]
fn leave_nothing_behind(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The person's half-finished change, in the index and on top of it.
const TODO: [&str; 3] = ["- tea\n", "- tea\n- milk\n", "- tea\n- milk\n- bread\n"];

const UNQUOTE: &str = "# Prints its argument without the quotes around it.\n\
    printf '%s\\n' \"$1\" | sed 's/^\"//; s/\"$//'\n";

const TESTS: &str = r#"# Each line: what goes in, what must come out.
check() {
  got=$(sh src/unquote.sh "$1")
  if [ "$got" = "$2" ]; then echo "ok      $1"; else echo "FAILED  $1 -> $got"; exit 1; fi
}
check '"plain"' 'plain'
check '"a\"b"' 'a"b'
check '"a\\b"' 'a\b'
"#;

/// Forgets the closing quote.
const QUOTE: &str = "# Prints its argument with quotes around it.\nprintf '\"%s\\n' \"$1\"\n";

const TESTS_OF_QUOTE: &str = r#"got=$(sh src/quote.sh plain)
if [ "$got" = '"plain"' ]; then echo "ok      plain"; else echo "FAILED  plain -> $got"; exit 1; fi
"#;

const TEST_OF_QUOTE: &str = "sh tests/quote.sh";

/// What the agent says in the first scene, word for word the same before and after the tests ran.
const CLAIM: &str = "Fixed and tested: quote.sh prints the closing quote.";

/// What a person would apply: the tests of this project are no program that everybody knows,
/// and here nobody sits at the keyboard to approve.
const RULES: &str = "\
[approval]
unattended = \"count\"

[[run]]
name = \"ours\"
runs = [\"sh tests/*\"]
backs = [\"unit_test\"]
";

/// The name of the job that the whole story is about.
/// What the commit in between tells.
const CHECKPOINT: &str = "escaped quotes survive\n\nOne more substitution in the sed script turns \
    an escaped quote into the quote; the doubled backslash is still to come.";

const JOB: &str = "keep escapes in unquote";

struct Tour<'a> {
    stage: Stage,
    out: &'a mut Report,
    /// Somebody at a terminal says when it goes on.
    pause: bool,
    /// Every event is told.
    all: bool,
    /// Its person has seen enough.
    over: bool,
    /// Each event with its verdict, for `--json`.
    told: Vec<serde_json::Value>,
}

impl Tour<'_> {
    fn play(&mut self) -> crate::cli::Result<()> {
        self.a_repository()?;
        self.a_lie()?;
        self.small_talk()?;
        self.observe()?;
        self.plan()?;
        self.execute()?;
        self.a_persons_own_commit()?;
        self.verify()?;
        self.the_next_morning()?;
        self.approval()?;
        self.nothing_was_lost()?;
        self.the_way_out()
    }

    // --- scenes ------------------------------------------------------------------

    fn a_repository(&mut self) -> crate::cli::Result<()> {
        self.scene("A small repository, and a person with unfinished work")?;
        let repo = self.stage.repo.clone();
        let write = |path: &str, text: &str| -> crate::cli::Result<()> {
            let file = repo.join(path);
            std::fs::create_dir_all(file.parent().unwrap_or(&repo))?;
            Ok(std::fs::write(file, text)?)
        };
        write("src/unquote.sh", UNQUOTE)?;
        write("src/quote.sh", QUOTE)?;
        write("tests/run.sh", TESTS)?;
        write("tests/quote.sh", TESTS_OF_QUOTE)?;
        write(
            "tools/tidy.sh",
            "sed -i.bak 's/ *$//; $a\\\n' README.md && rm -f README.md.bak\n\
             echo tidied >> README.md\n",
        )?;
        write("README.md", "# unquote\n\nTakes quotes off, and puts them on.\n")?;
        write("CLAUDE.md", "# unquote\n\nPlain sh. Tests: sh tests/run.sh, sh tests/quote.sh\n")?;
        write("todo.md", TODO[0])?;
        write(".claude/agents/reviewer.md", REVIEWER)?;
        self.sh("git init -q -b main && git config user.name Ada && git config user.email \
            ada@example.org")?;
        self.sh(
            "git config commit.gpgsign false && git add -A && git commit -q -m 'take quotes off'",
        )?;
        write("todo.md", TODO[1])?;
        self.sh("git add todo.md")?;
        write("todo.md", TODO[2])?;
        let before = self.stage.prints("git status --porcelain")?;
        self.stage("todo.md is half staged; git seed leaves it alone to the end")?;
        let done = self.stage.seed(&["init"], "")?;
        self.expect(
            done.status.success(),
            "git seed init",
            &String::from_utf8_lossy(&done.stderr),
        )?;
        let same = before == self.stage.prints("git status --porcelain")?;
        self.expect(same, "git seed init", "git status changed")?;
        self.good(
            "git seed init",
            "hook lines and git hooks are installed; git status is unchanged",
        )?;
        let seed = Repo::discover(&repo)?;
        setup::in_force::apply_rules(&seed, RULES)?;
        self.good(
            "git seed rules apply, typed by a person",
            "git seed now counts sh tests/… as a test run of this project",
        )?;
        self.stage.session_starts()?;
        Ok(())
    }

    /// A fix in the small lane, said to be done before anything showed it.
    fn a_lie(&mut self) -> crate::cli::Result<()> {
        self.scene(
            "\"Fixed and tested\": the lie is sent back; after a test run the same words pass",
        )?;
        let told = self.stage.prompt("[QUICK] quote.sh forgets the closing quote.")?;
        self.expect(told.is_some(), "the prompt", "no job was born")?;
        self.good(
            "the person writes [QUICK] before the prompt",
            "a small job: it starts with the first change and needs no multiplier and no page",
        )?;
        let came = self.stage.reads("src/quote.sh")?;
        self.passes("the agent reads src/quote.sh", came)?;
        self.agent(
            &["phase", "advance", "--scope", "src", "-m", "the closing quote is never printed"],
            "",
        )?;
        let came = self.stage.edits("src/quote.sh", "\"%s\\n", "\"%s\\n\"")?;
        self.passes("the agent edits src/quote.sh and runs no test", came)?;
        let sent_back = self.stage.stops_with(CLAIM)?.unwrap_or_default();
        self.expect(sent_back.contains(CLAIM), "the lie that ends the turn", &sent_back)?;
        self.sent_back(&format!("and ends its turn: \"{CLAIM}\""), &sent_back)?;
        let came = self.stage.runs(TEST_OF_QUOTE)?;
        let failed = matches!(&came, Came::Through { printed, .. } if printed.contains("FAILED"));
        self.expect(failed, "the first run of tests/quote.sh", "it should have failed")?;
        self.passes_quietly(
            "so it runs the tests: FAILED, the quote comes after the newline",
            came,
        )?;
        let came = self.stage.edits("src/quote.sh", "\\n\"", "\"\\n")?;
        self.passes("it fixes that", came)?;
        let came = self.stage.runs(TEST_OF_QUOTE)?;
        let passed = matches!(&came, Came::Through { printed, .. } if printed == "ok      plain");
        self.expect(passed, "the second run of tests/quote.sh", "it should have passed")?;
        self.passes_quietly("and runs them again: ok", came)?;
        self.agent(&["phase", "advance", "-m", "print the closing quote inside the line"], "")?;
        let question = self.with_card(&small_question())?;
        let came = self.stage.asks(&question, [REVIEW, APPROVE], APPROVE)?;
        self.passes(
            "the agent says the very same in its one question; the person answers: Approve \
             completion",
            came,
        )?;
        self.the_record()?;
        let stop = self.stage.stops()?;
        self.expect(stop.is_none(), "the stop", &stop.clone().unwrap_or_default())?;
        self.good("the agent stops", "it used no claim command, one question, one commit")
    }

    /// Both rulings, and the receipt that made the difference.
    fn the_record(&mut self) -> crate::cli::Result<()> {
        self.stage("the person can see the record: git seed audit show")?;
        let records = self.stage.prints("git seed audit show")?;
        let both = records.contains(" rewrite ") && records.contains(" pass ");
        self.expect(both, "git seed audit show", &records)?;
        self.lines(&records)?;
        let newest = self.stage.prints("git seed audit show --json")?;
        let newest: serde_json::Value = serde_json::from_str(&newest)?;
        let receipts = newest.pointer("/0/receipts").and_then(serde_json::Value::as_array);
        // Two runs of one second stand in no order: the one that went well made the difference.
        let (mut shown, mut looked) = (String::new(), String::new());
        for receipt in receipts.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            let told = self.stage.prints(&format!("git seed show {receipt}"))?;
            if told.contains("exit status 0") {
                (shown, looked) = (told, receipt.to_owned());
            }
        }
        self.stage(&format!("git seed show {looked}"))?;
        self.expect(shown.contains(TEST_OF_QUOTE), "git seed show", &shown)?;
        self.lines(&shown)?;
        let replayed = self.stage.prints("git seed audit replay")?;
        self.expect(replayed.contains("0 broken"), "git seed audit replay", &replayed)?;
        self.good(
            "git seed audit replay",
            &format!("git seed made each ruling again from its record: {replayed}"),
        )
    }

    fn small_talk(&mut self) -> crate::cli::Result<()> {
        self.scene(
            "A prompt becomes a job; before its first step the agent may only read and answer",
        )?;
        let told = self
            .stage
            .prompt("Quoted strings lose their escapes: \\\" and \\\\ must survive unquote.")?;
        self.expect(told.is_some(), "the prompt", "no job was born")?;
        self.good(
            "the person asks for a fix",
            "git seed creates a job, active and focused; the agent may read",
        )?;
        let came = self.stage.reads("src/unquote.sh")?;
        self.passes("the agent reads src/unquote.sh", came)?;
        let came = self.stage.edits("src/unquote.sh", "s/\"$//", "s/\"$//; s/x/y/")?;
        self.refused("the agent edits it right away", came)
    }

    fn observe(&mut self) -> crate::cli::Result<()> {
        self.scene("OBSERVE: read what the job touches; change no code")?;
        self.agent(&["phase", "advance"], "")?;
        let came = self.stage.reads("tests/run.sh")?;
        self.passes("the agent reads the tests", came)?;
        let came = self.stage.edits("src/unquote.sh", "s/\"$//", "s/\"$//; s/x/y/")?;
        self.refused("the agent edits src/unquote.sh", came)?;
        let came = self.stage.runs("sed -i 's/x/y/' src/unquote.sh")?;
        self.refused("the side door: sed -i in a shell", came)?;
        let page = page(
            "src",
            "The sed script takes the outer quotes off and leaves \\\" and \\\\ as they are.",
        );
        let came = self.stage.writes("src/CLAUDE.md", &page)?;
        self.passes("the agent writes what it saw below ---Ob--- in src/CLAUDE.md", came)?;
        let objective = "Unquoting keeps what the quotes protected. A backslash before a double \
            quote gives the quote, a backslash before a backslash gives one backslash, and \
            everything else stays as it is today. The change lies in src/unquote.sh alone, \
            which stays one small sed script without new dependencies, and the three lines of \
            tests/run.sh pass when they are run from the top of the repository.";
        self.boundary_with(
            &["--multiplier", "3"],
            &format!("name: {JOB}\nobjective: {objective}\n\nsettle where escapes are lost"),
            &[
                (
                    "What I Observed",
                    "src/unquote.sh strips the outer quotes with sed and never looks \
                at backslashes, so both kinds of escape come out as they went in.",
                ),
                ("Sources Consulted", "src/unquote.sh, tests/run.sh"),
                (
                    "Questions Resolved",
                    "The loss is in one place only, and the tests already name it.",
                ),
            ],
        )
    }

    fn plan(&mut self) -> crate::cli::Result<()> {
        self.scene("PLAN: what to build, and which directories execute may change")?;
        let contract = "---Pl---\n\nGoal: \\\" gives a quote and \\\\ gives a backslash.\n\
            Done when: sh tests/run.sh passes.\n";
        let came = self.stage.reads("src/CLAUDE.md")?;
        self.passes("the agent reads the notes of observe", came)?;
        let came = self.stage.edits("src/CLAUDE.md", "---Pl---\n", contract)?;
        self.passes("the agent writes goal and criteria below ---Pl---", came)?;
        self.agent(&["plan", "set-plan-file", "false", "--multiplier", "3"], "")?;
        self.boundary(
            "two substitutions in one sed script",
            &[
                (
                    "Plan This Cycle",
                    "Add the two substitutions to the sed script in \
                    src/unquote.sh.",
                ),
                ("Acceptance Criteria", CRITERIA),
                (
                    "Risks",
                    "The order of the substitutions matters when a backslash stands before \
                    a quote.",
                ),
                ("How VERIFY Will Test", "sh tests/run.sh, from the top of the repository."),
            ],
        )
    }

    fn execute(&mut self) -> crate::cli::Result<()> {
        self.scene("EXECUTE: change files in the declared directories only")?;
        self.agent(&["phase", "multiplier", "3"], "")?;
        let came =
            self.stage.edits("README.md", "Takes quotes off,", "Takes quotes off carefully,")?;
        self.refused("the agent edits README.md, which is outside the declared directories", came)?;
        let came = self.stage.edits("src/unquote.sh", "s/\"$//", "s/\"$//; s/\\\\\"/\"/g")?;
        self.passes("the agent edits src/unquote.sh", came)?;
        let came = self.stage.runs("sh tools/tidy.sh")?;
        self.named("the agent runs a script that also rewrites README.md", came)?;
        self.agent(&["fence", "restore"], "")?;
        self.agent(&["phase", "checkpoint", "-m", CHECKPOINT], "")?;
        let came = self.stage.edits(
            "src/CLAUDE.md",
            "---Ex---\n",
            "---Ex---\n\nFirst the quotes, then the escaped quote.\n",
        )?;
        self.passes("the agent writes a working note below ---Ex---", came)?;
        self.leave_execute(
            "escaped quotes survive",
            "One substitution was added to the sed script.",
        )
    }

    fn leave_execute(&mut self, subject: &str, what: &str) -> crate::cli::Result<()> {
        self.boundary(
            subject,
            &[
                ("What I Implemented", what),
                (
                    "Evidence",
                    "The checkpoint and the commits of this phase hold the change; nothing \
                outside src was touched, and the page says what the script does and in \
                    which order its parts have to stand.",
                ),
                (
                    "Plan Item Addressed",
                    "The substitutions in src/unquote.sh, as the plan of this \
                cycle names them.",
                ),
            ],
        )
    }

    fn a_persons_own_commit(&mut self) -> crate::cli::Result<()> {
        if crate::engine::setup::git_hooks::agent_is_above() {
            self.stage(
                "(an agent runs this tour, so it skips the scene of a person's own commit)",
            )?;
            return Ok(());
        }
        self.scene("Meanwhile the person makes a commit of their own")?;
        std::fs::write(self.stage.repo.join("LICENSE"), "as you like\n")?;
        self.sh("git commit -q -m 'a licence' -o -- LICENSE 2>/dev/null || { git add -N LICENSE \
            && git commit -q -m 'a licence' -o -- LICENSE; }")?;
        self.good(
            "git commit -m 'a licence'",
            "the commit succeeds; the hooks restrict only the agent",
        )?;
        // No person is quicker than this; what changes right before a call would be taken for the
        // call's.
        std::thread::sleep(std::time::Duration::from_millis(250));
        Ok(())
    }

    fn verify(&mut self) -> crate::cli::Result<()> {
        self.scene("VERIFY: prove the criteria; go back when one fails")?;
        let came = self.stage.runs("sh tests/run.sh")?;
        let failed = matches!(&came, Came::Through { printed, .. } if printed.contains("FAILED"));
        self.expect(
            failed,
            "the first run of the tests",
            "it should have failed on the backslash",
        )?;
        self.passes("the agent runs the tests: one line says FAILED", came)?;
        let stop = self.stage.stops()?;
        self.refused(
            "the agent says \"All done.\" and wants to stop",
            stop.map_or(through(), Came::Refused),
        )?;
        let came = self.stage.edits("src/unquote.sh", "s/^\"//", "s/^\"//; s/x/y/")?;
        self.refused("the agent edits the code in verify", came)?;
        let came = self.stage.edits(
            "src/CLAUDE.md",
            "---Ve---\n",
            "---Ve---\n\nFAILED: a doubled backslash stays doubled.\n",
        )?;
        self.passes("the agent writes the result below ---Ve---", came)?;
        let why = "a doubled backslash stays doubled";
        self.agent(&["phase", "back", "execute", "--multiplier", "3", "-m", why], "")?;
        self.agent(&["phase", "multiplier", "3"], "")?;
        self.mend()?;
        self.verify_again()
    }

    fn mend(&mut self) -> crate::cli::Result<()> {
        let came =
            self.stage.edits("src/unquote.sh", "s/\\\\\"/\"/g", "s/\\\\\\([\"\\\\]\\)/\\1/g")?;
        self.passes("back in execute, the agent fixes the substitution", came)?;
        let came = self.stage.edits(
            "src/CLAUDE.md",
            "then the escaped quote",
            "then both escapes at once",
        )?;
        self.passes("and its note", came)?;
        self.leave_execute(
            "both escapes at once",
            "One substitution takes both escapes, so their order no longer matters.",
        )
    }

    fn verify_again(&mut self) -> crate::cli::Result<()> {
        let came = self.stage.runs("sh src/unquote.sh hello")?;
        self.passes_quietly(
            "back in verify, the agent tries one word by hand, and not the tests",
            came,
        )?;
        let came = self.stage.edits(
            "src/CLAUDE.md",
            "FAILED: a doubled backslash stays doubled.",
            FOUND,
        )?;
        self.passes_quietly("writes a result and five notes below ---Ve---", came)?;
        let came = self
            .stage
            .runs(&command_line(&["phase", "advance", "-F", "-"], &story(HOLDS.0, HOLDS.1)))?;
        self.gate("and says that 3 of 3 criteria hold", came)?;
        let came = self.stage.runs("sh tests/run.sh")?;
        let passed = matches!(&came,
            Came::Through { printed, .. } if printed.lines().count() == 3
                && !printed.contains("FAILED"));
        self.expect(passed, "the second run of the tests", "it should have passed")?;
        self.passes("so it runs the tests: three lines say ok", came)?;
        self.boundary(HOLDS.0, HOLDS.1)
    }

    fn the_next_morning(&mut self) -> crate::cli::Result<()> {
        self.scene("CONDENSE: memory gets smaller and better")?;
        let came = self.stage.asks(QUESTION, [REVIEW, APPROVE], APPROVE)?;
        self.refused("the agent asks for completion right away", came)?;
        let came = self.stage.reads("src/CLAUDE.md")?;
        self.passes("the agent reads the page", came)?;
        let empty = format!("# src\n{}", anchors());
        let came = self.stage.writes("src/CLAUDE.md", &empty)?;
        self.refused("the agent deletes all footers of src/CLAUDE.md at once", came)?;
        self.notes_come_to_rest()?;
        self.agent(&["condense", "archive"], "")?;
        let diff = self.agent(&["condense", "absorb"], "")?;
        self.changed_lines(&diff)?;
        let came =
            self.stage.runs("git seed phase advance -F - <<'EOF'\nmemory is settled\nEOF\n")?;
        self.gate("git seed phase advance -F -", came)?;
        let came = self.stage.reads("src/CLAUDE.md")?;
        self.passes("the agent reads the rest of the page", came)?;
        let now = std::fs::read_to_string(self.stage.repo.join("src/CLAUDE.md"))?;
        let (body, footer) = now.split_once("---Ob---").unwrap_or((&now, ""));
        let carried = footer.lines().find(|line| line.starts_with("[CARRIED:")).unwrap_or_default();
        let rest = format!("{}{}\n{carried}\n", body.trim_end(), anchors());
        let came = self.stage.writes("src/CLAUDE.md", &rest.replace("\n\n\n", "\n\n"))?;
        self.passes_quietly(
            "the rest is archived, so the agent may delete it; the carried note stays",
            came,
        )?;
        let status = self.stage.seed(&["condense", "status"], "")?;
        let status = String::from_utf8_lossy(&status.stdout).into_owned();
        self.expect(status.contains("ready"), "git seed condense status", &status)?;
        let footers = status
            .lines()
            .find_map(|line| line.strip_prefix("footers"))
            .unwrap_or_default()
            .trim()
            .to_owned();
        self.good("git seed condense status", &format!("ready: {footers}"))
    }

    /// A live note of each kind, and how it ends.
    fn notes_come_to_rest(&mut self) -> crate::cli::Result<()> {
        let list = self.stage.seed(&["note", "list", "--multiplier", "3"], "")?;
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        let live = list.lines().filter(|line| line.contains("  live  ")).count();
        self.expect(live == 5, "git seed note list", &list)?;
        self.good("git seed note list --multiplier 3", "five notes of five kinds, all live")?;
        let came = self.stage.runs("git seed condense archive")?;
        self.gate("git seed condense archive", came)?;
        let (came, _) =
            self.stage.launches("knowledge-extractor", "Write down what matters.", |_| Ok(()))?;
        self.refused("the agent launches knowledge-extractor without a note", came)?;
        self.given("[KNOWLEDGE]{order-of-escapes}", "knowledge-extractor", |stage| {
            write_below(&stage.repo, ".claude/knowledge/shell/order-of-escapes.md", KNOWLEDGE)?;
            let index = "- [order-of-escapes](shell/order-of-escapes.md): Why two escapes are \
                taken in one substitution\n";
            write_below(&stage.repo, ".claude/knowledge/INDEX.md", index)?;
            Ok(".claude/knowledge/shell/order-of-escapes.md".to_owned())
        })?;
        self.given("[PENDING-JOB]{single-quotes}", "job-creator", |stage| {
            let text =
                "Single quotes are taken for words of their own; src/unquote.sh knows double \
                 quotes only.";
            let made = stage.seed(&["job", "create", "keep single quotes", "-m", text], "")?;
            let made = String::from_utf8_lossy(&made.stdout).into_owned();
            let id = made.split_whitespace().find(|word| word.contains('t') && word.contains('-'));
            Ok(format!("job {} created", id.unwrap_or_default()))
        })?;
        self.given(
            "[VOICE-UPDATE]{place.file | names no page | name the page}",
            "voice-updater",
            |stage| {
                write_below(&stage.repo, ".claude/knowledge/voices.md", VOICES)?;
                Ok(".claude/knowledge/voices.md".to_owned())
            },
        )?;
        self.given(
            "[AGENT-UPDATE]{reviewer | reads tests last | read them first}",
            "agent-updater",
            |stage| {
                write_below(
                    &stage.repo,
                    ".claude/agents/reviewer.md",
                    &REVIEWER.replace("last", "first"),
                )?;
                Ok(".claude/agents/reviewer.md".to_owned())
            },
        )?;
        self.agent(&["note", "list"], "")?;
        let carried =
            self.agent(&["note", "carry", "5", "--why", "the glossary has no home yet"], "")?;
        self.expect(carried.contains("carried"), "git seed note carry", &carried)
    }

    /// A subagent is given a note, is kept while the note stands as it stood, and writes its end.
    fn given(
        &mut self,
        note: &str,
        agent: &str,
        does: impl FnOnce(&Stage) -> std::io::Result<String>,
    ) -> crate::cli::Result<()> {
        let kind = note.trim_start_matches('[').split(']').next().unwrap_or_default();
        let mut end = String::new();
        let prompt = format!("Act on this note of src/CLAUDE.md: {note}");
        let (came, kept) = self.stage.launches(agent, &prompt, |stage| {
            end = format!("[RESOLVED:{kind}]{{{}}}", does(stage)?);
            let page = stage.repo.join("src/CLAUDE.md");
            let text = std::fs::read_to_string(&page)?;
            std::fs::write(&page, text.replace(note, &end))
        })?;
        if let Came::Refused(reason) = came {
            return Err(wrong(agent, reason));
        }
        let Some(kept) = kept else {
            return Err(Failure::new(format!(
                "the tour failed: {agent} was allowed to end at once"
            )));
        };
        if kind == "KNOWLEDGE" {
            self.bad(&format!("{agent} wants to end without doing anything"), "refused", &kept)?;
        }
        self.good(&format!("{agent} is given {note}"), &end)
    }

    /// A command that a gate refuses.
    fn gate(&mut self, what: &str, came: Came) -> crate::cli::Result<()> {
        match came {
            Came::Through { printed, .. } if printed.contains("BLOCKED") => {
                self.bad(what, "refused", &printed)
            }
            came => Err(wrong(what, format!("{came:?}"))),
        }
    }

    /// The lines that a diff adds and takes.
    fn changed_lines(&mut self, diff: &str) -> crate::cli::Result<()> {
        let changed = |line: &&str| {
            (line.starts_with('+') || line.starts_with('-'))
                && line.len() > 1
                && !line.starts_with("+++ ")
                && !line.starts_with("--- ")
        };
        for line in diff.lines().filter(changed).filter(|_| self.all) {
            let tint = if line.starts_with('+') { Tint::Good } else { Tint::Dim };
            let shown = self.out.tint(tint, line);
            self.out.line(format_args!("              {shown}"));
        }
        self.tells()
    }

    fn approval(&mut self) -> crate::cli::Result<()> {
        self.scene("Only a person ends a job")?;
        let list = self.stage.seed(&["job", "list", "--json"], "")?;
        let jobs: serde_json::Value = serde_json::from_slice(&list.stdout)?;
        let made =
            jobs.as_array().and_then(|jobs| jobs.iter().find(|job| job["status"] == "pending"));
        let next = made.and_then(|job| job["id"].as_str()).unwrap_or_default().to_owned();
        self.expect(!next.is_empty(), "git seed job list", "the job made of a note is not in it")?;
        let question = self.with_card(QUESTION)?;
        let question = format!("{question}\nNext: {next} keep single quotes\n");
        let came = self.stage.asks(&question, [REVIEW, APPROVE], APPROVE)?;
        self.passes(
            "the agent asks, and says what comes next; the person answers: Approve completion",
            came,
        )?;
        let stop = self.stage.stops()?;
        self.refused(
            "the agent wants to stop before the cycle is closed",
            stop.map_or(through(), Came::Refused),
        )?;
        self.boundary(
            "memory holds what the next one needs",
            &[
                (
                    "Waterfall Steps Completed",
                    "The one lasting finding moved into the body; the rest of the footers is in \
                     the session log.",
                ),
                (
                    "Knowledge Routed",
                    "Why both escapes are taken in one substitution has a file \
                    and an index line.",
                ),
                (
                    "Markers Consumed",
                    "Four of five notes are resolved; the word without a home is \
                    carried.",
                ),
            ],
        )?;
        let stop = self.stage.stops()?;
        self.refused(
            "the agent wants to stop; the new job is still waiting",
            stop.map_or(through(), Came::Refused),
        )?;
        self.agent(&["job", "activate", &next], "")?;
        self.stage.prompt("[PAUSE]")?;
        let stop = self.stage.stops()?;
        self.expect(stop.is_none(), "the last stop", &stop.clone().unwrap_or_default())?;
        self.good(
            "the person writes [PAUSE], and the agent stops",
            "one job is done, the next one is paused",
        )
    }

    fn nothing_was_lost(&mut self) -> crate::cli::Result<()> {
        let staged = self.stage.prints("git show :todo.md")?;
        let now = std::fs::read_to_string(self.stage.repo.join("todo.md"))?;
        let same = format!("{staged}\n") == TODO[1] && now == TODO[2];
        self.expect(same, "todo.md", "it is not half staged as it was")?;
        self.good("todo.md", "still half staged, byte for byte")?;
        let commits =
            self.stage.prints("git log --format=%H --diff-filter=AM -- todo.md | wc -l")?;
        self.expect(commits.trim() == "1", "todo.md", "a phase commit took it along")
    }

    /// A question with the line of git seed's own that its person sees before they answer.
    fn with_card(&mut self, question: &str) -> crate::cli::Result<String> {
        let status = self.stage.prints("git seed condense status --json")?;
        let status: serde_json::Value = serde_json::from_str(&status)?;
        let card = status["card"].as_str().unwrap_or_default();
        let last = "## Outstanding Items";
        Ok(question.replacen(last, &format!("{card}\n\n{last}"), 1))
    }

    fn the_way_out(&mut self) -> crate::cli::Result<()> {
        let list = self.stage.prints("git seed job list --json")?;
        let jobs: serde_json::Value = serde_json::from_str(&list)?;
        let done = jobs.as_array().and_then(|jobs| jobs.iter().find(|job| job["name"] == JOB));
        let id = done.and_then(|job| job["id"].as_str()).unwrap_or_default();
        let log = self.stage.prints(&format!("git seed log --graph {id}"))?;
        self.expect(log.contains("verify -> condense"), "git seed log --graph", &log)?;
        self.scene("The way out")?;
        let bundle = self.stage.home.join("kept.bundle");
        let told =
            setup::uninstall::remove(&Repo::discover(&self.stage.repo)?, true, Some(&bundle))?;
        setup::uninstall::remove_last(&Repo::discover(&self.stage.repo)?, true)?;
        // The page with the carried note keeps the anchor above it.
        let kept = |what: &str| what == "src/CLAUDE.md";
        let left: Vec<_> =
            told.iter().filter(|row| row.verb == "left" && !kept(&row.what)).collect();
        self.expect(left.is_empty(), "git seed uninstall", &format!("{left:?}"))?;
        let refs = self.stage.prints(
            "git for-each-ref refs/seed refs/notes; ls -d .git/seed 2>/dev/null; ls -A \
                .claude 2>/dev/null | grep -vxE 'agents|jobs|knowledge'",
        )?;
        self.expect(refs.is_empty(), "git seed uninstall", &refs)?;
        self.good(
            "git seed uninstall, typed by a person",
            "hook lines, git hooks, subagents, refs and .git/seed are removed; pages, knowledge, \
             session logs and commits stay",
        )?;
        self.scene("What stays: the history in git")?;
        if self.all {
            self.lines(&log)?;
            self.out.line("");
        }
        for line in self.stage.prints("git log --oneline")?.lines() {
            self.out.line(format_args!("  {line}"));
        }
        Ok(())
    }

    fn curtain(&mut self, keep: bool) -> crate::cli::Result<()> {
        self.out.line("");
        self.out.line("try       git seed init                 install it in your repository");
        self.out.line("          git seed status               show the state of the job");
        self.out
            .line("          git seed uninstall --check    show what an uninstall would remove");
        if !self.all {
            self.out.line("          git seed tour --all           tell every event of this tour");
        }
        if keep {
            let line = format!("kept      {}", self.stage.repo.display());
            self.out.line(line);
        }
        let told = std::mem::take(&mut self.told);
        self.out.json(&told);
        Ok(())
    }

    // --- how it is told ----------------------------------------------------------

    fn scene(&mut self, title: &str) -> crate::cli::Result<()> {
        self.waits()?;
        let title = self.out.tint(Tint::Bold, title);
        self.out.line(format_args!("\n{title}"));
        self.tells()
    }

    /// Until the person at the terminal has read the scene.
    fn waits(&mut self) -> crate::cli::Result<()> {
        if !self.pause || self.told.is_empty() {
            return Ok(());
        }
        self.out.aside(&tell(Notice::TourWaits, &[]));
        let mut said = String::new();
        let read = std::io::stdin().read_line(&mut said)?;
        // Whoever closes the terminal's input waits for nothing more.
        self.pause = read > 0;
        self.over = said.trim() == "q";
        if self.over { Err(wrong("the pause", "it was left")) } else { Ok(()) }
    }

    /// Whether this event is told.
    fn is_told(&self, what: &str) -> bool {
        self.all || SHORT.iter().any(|head| what.starts_with(head))
    }

    /// A stage direction.
    fn stage(&mut self, text: &str) -> crate::cli::Result<()> {
        if self.all {
            let text = self.out.tint(Tint::Dim, text);
            self.out.line(format_args!("  {text}"));
        }
        self.tells()
    }

    fn lines(&mut self, text: &str) -> crate::cli::Result<()> {
        if self.all {
            for line in text.lines() {
                self.out.line(format_args!("  {line}"));
            }
        }
        self.tells()
    }

    fn tells(&mut self) -> crate::cli::Result<()> {
        if !self.out.is_json() {
            self.out.flush().or_else(closed_pipe)?;
        }
        Ok(())
    }

    fn good(&mut self, what: &str, why: &str) -> crate::cli::Result<()> {
        self.told.push(serde_json::json!({ "event": what, "verdict": "passes", "told": why }));
        if !self.is_told(what) {
            return self.tells();
        }
        let (what, mark) = (self.out.tint(Tint::Dim, what), self.out.tint(Tint::Good, "passes "));
        if why.is_empty() {
            self.out.line(format_args!("  {what}  {}", mark.trim_end()));
        } else {
            self.out.line(format_args!("  {what}"));
            self.out.line(format_args!("      {mark} {why}"));
        }
        self.tells()
    }

    fn bad(&mut self, what: &str, verdict: &str, text: &str) -> crate::cli::Result<()> {
        self.told.push(serde_json::json!({ "event": what, "verdict": verdict, "told": text }));
        if !self.is_told(what) {
            return self.tells();
        }
        let (what, mark) = (self.out.tint(Tint::Dim, what), self.out.tint(Tint::Bad, verdict));
        let why = text
            .split_once("BLOCKED: ")
            .or(text.split_once("NOTICED: "))
            .map_or(text, |(_, rest)| rest);
        let mut lines = why.lines();
        self.out.line(format_args!("  {what}"));
        self.out.line(format_args!("      {mark} {}", lines.next().unwrap_or_default()));
        let next = lines.find(|line| line.starts_with("Do: "));
        if let Some(next) = next.filter(|_| self.all || verdict == "sent back") {
            self.out.line(format_args!("              {next}"));
        }
        self.tells()
    }

    fn passes(&mut self, what: &str, came: Came) -> crate::cli::Result<()> {
        match came {
            Came::Through { said, .. } => self.good(what, said.as_deref().unwrap_or_default()),
            Came::Refused(reason) => Err(wrong(what, reason)),
        }
    }

    /// It went ahead; what it was told does not matter here.
    fn passes_quietly(&mut self, what: &str, came: Came) -> crate::cli::Result<()> {
        match came {
            Came::Through { .. } => self.good(what, ""),
            Came::Refused(reason) => Err(wrong(what, reason)),
        }
    }

    fn refused(&mut self, what: &str, came: Came) -> crate::cli::Result<()> {
        match came {
            Came::Refused(reason) => self.bad(what, "refused", &reason),
            Came::Through { .. } => Err(wrong(what, "it was not refused")),
        }
    }

    /// A claim that the gate sends back: the first of its reasons, and the step that helps.
    fn sent_back(&mut self, what: &str, text: &str) -> crate::cli::Result<()> {
        let reason = text.lines().next().unwrap_or(text).trim();
        let reason = reason.split_once("BLOCKED: ").map_or(reason, |(_, said)| said);
        let next = text.lines().find(|line| line.starts_with("Do: ")).unwrap_or_default();
        self.bad(what, "sent back", &format!("{reason}\n{next}"))
    }

    /// It went ahead, and what it did was named at once.
    fn named(&mut self, what: &str, came: Came) -> crate::cli::Result<()> {
        match came {
            Came::Through { said: Some(said), .. } => self.bad(what, "named  ", &said),
            came => Err(wrong(what, format!("{came:?}"))),
        }
    }

    /// The agent runs one of git seed's commands, through its shell tool.
    fn agent(&mut self, arguments: &[&str], stdin: &str) -> crate::cli::Result<String> {
        let line = command_line(arguments, stdin);
        let came = self.stage.runs(&line)?;
        let Came::Through { printed, .. } = came else {
            return Err(wrong(&line, format!("{came:?}")));
        };
        if printed.contains("BLOCKED")
            || printed.contains("error: ")
            || printed.contains("not found")
        {
            return Err(wrong(&line, printed));
        }
        let first = printed.lines().next().unwrap_or_default().to_owned();
        let shown: String = arguments
            .iter()
            .map(|word| quoted(&shortened(first_line(word), 40)))
            .collect::<Vec<_>>()
            .join(" ");
        self.good(&format!("git seed {shown}"), &first)?;
        Ok(printed)
    }

    /// The agent takes a step forward with its story; the commit is shown.
    fn boundary(&mut self, subject: &str, sections: &[(&str, &str)]) -> crate::cli::Result<()> {
        self.boundary_with(&[], subject, sections)
    }

    /// The same with further options; `head` is what stands before the first section.
    fn boundary_with(
        &mut self,
        options: &[&str],
        head: &str,
        sections: &[(&str, &str)],
    ) -> crate::cli::Result<()> {
        let line = [&["phase", "advance", "-F", "-"], options].concat();
        let came = self.agent(&line, &story(head, sections))?;
        self.expect(came.contains("commit"), head, "the boundary made no commit")?;
        let commit = self.stage.prints("git log -1 --format='%h %s'")?;
        let mark = self.out.tint(Tint::Bold, "commit");
        self.out.line(format_args!("  {mark}  {commit}"));
        self.tells()
    }

    fn expect(&mut self, holds: bool, what: &str, otherwise: &str) -> crate::cli::Result<()> {
        if holds { Ok(()) } else { Err(wrong(what, otherwise)) }
    }

    fn sh(&mut self, line: &str) -> crate::cli::Result<()> {
        let output = self.stage.shell(line)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        self.expect(output.status.success(), line, &said)
    }
}

/// What the plan promises.
const CRITERIA: &str = "- plain words stay as they are\n\
    - a backslash and a quote give a quote\n\
    - two backslashes give one";

/// What verify ends with: refused while nothing showed it, heard once it was run.
const HOLDS: (&str, &[(&str, &str)]) = (
    "3 of 3 criteria hold",
    &[
        ("Acceptance Criteria Checked", "The three of the plan, by sh tests/run.sh."),
        (
            "Pass-Fail Per Criterion",
            "- plain words stay as they are: met\n\
            - a backslash and a quote give a quote: met\n\
            - two backslashes give one: met",
        ),
        ("Evidence", "sh tests/run.sh printed three lines that begin with ok and no other line."),
    ],
);

/// The message of a boundary.
fn story(subject: &str, sections: &[(&str, &str)]) -> String {
    let sections = sections.iter().map(|(title, body)| format!("\n## {title}\n{body}\n"));
    format!("{subject}\n{}\n## Outstanding Items\n", sections.collect::<String>())
}

/// The agent's command, with its text as a quoted here-document.
fn command_line(arguments: &[&str], stdin: &str) -> String {
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let line = format!("git seed {}", words.join(" "));
    if stdin.is_empty() { line } else { format!("{line} <<'EOF'\n{stdin}EOF\n") }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What verify found, tagged where its writer knows where it should go.
const FOUND: &str = "\
3 of 3 lines ok.

[DURABLE] unquote.sh takes both escapes in one substitution: two in a row would undo each other.

[EPHEMERAL]
The first run failed on the doubled backslash.

[KNOWLEDGE]{order-of-escapes}
[PENDING-JOB]{single-quotes}
[VOICE-UPDATE]{place.file | names no page | name the page}
[AGENT-UPDATE]{reviewer | reads tests last | read them first}
[DRAFT-TERM]{escape | a backslash and the character behind it | docs/glossary.md}";

const REVIEWER: &str = "\
---
name: reviewer
description: Reads a change before it is committed.
---
Read the code, then its callers; the tests last.
";

const KNOWLEDGE: &str = "\
---
name: order-of-escapes
description: Why two escapes are taken in one substitution
type: project
last_verified: 2026-11-22
---

A sed script runs its substitutions one after the other, each on what the last one left.
`\\\\` became `\\` first, and then took the quote behind it along.
src/unquote.sh takes both in one substitution; tests/run.sh has a line for each.
An escape that is added later belongs into the same substitution.
A tokenizer instead of sed would make this wrong.
";

const VOICES: &str = "\
---
name: voices
description: Sentences of git seed's that misled, and what they should say
type: reference
last_verified: 2026-11-22
---

## place.file

It says that the file lies in a directory that was not declared, and names no page.
That misled: the agent looked for a command that declares directories.
It should name the page whose edit declares the directory.
Met in verify of the first cycle.
";

/// Writes a file of the repository, with its directory.
fn write_below(repo: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let file = repo.join(path);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(file, text)
}

fn through() -> Came {
    Came::Through { said: None, printed: String::new() }
}

fn anchors() -> &'static str {
    "\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"
}

fn page(title: &str, seen: &str) -> String {
    format!("# {title}\n\n---Ob---\n\n{seen}\n\n---Pl---\n\n---Ex---\n\n---Ve---\n")
}

/// What the agent asks the person at the end.
const QUESTION: &str = "[JOB-COMPLETE] keep escapes in unquote

## Objective Met
Unquoting keeps what the quotes protected: a backslash before a double quote gives \
the quote, and a doubled backslash gives one backslash. Everything else stays as it was, \
and callers see no other change.

## Evidence
sh tests/run.sh was run in verify after the last change to src/unquote.sh and printed three lines \
that begin with ok; the first attempt had failed on the doubled backslash, which is why one step \
back to execute stands in the log.

## Verification Result
Three of three criteria hold.

## Knowledge Routed
src/CLAUDE.md says in its body why both escapes are taken in one substitution.

## Outstanding Items
";

/// What it asks at the end of a small job.
fn small_question() -> String {
    format!(
        "[JOB-COMPLETE] quote.sh forgets the closing quote: {CLAIM} It stands inside the line now, \
         its test was run after the last change and printed ok, and nothing else was touched.\n\n\
         ## Outstanding Items\n"
    )
}

/// Whoever closed the pipe has seen enough.
fn closed_pipe(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

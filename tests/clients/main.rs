//! Sessions in the real clients, with a scripted model on loopback.
//!
//! `cargo test --test clients -- --ignored` installs each client with npm, at the version that its
//! row was tried with, and plays it: docs/hosts.md says what is needed. Otherwise nothing runs.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "what is told of a path is for the tool itself")]

mod client;
mod model;
mod place;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;

use client::{Client, Start};
use model::{Call, Scripts, Turn};
use place::{Place, Session, Stands};

const PROMPT: &str = "Fix the greeting in src/a.txt: it says alpha, it should say beta.";

/// Clients are heavy: one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    // A test that failed leaves nothing behind.
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shell(line: &str) -> Turn {
    Turn::Calls(Call::Shell { line: line.to_owned() })
}

fn read() -> Turn {
    Turn::Calls(Call::Read { path: "src/a.txt" })
}

fn write(path: &'static str) -> Turn {
    Turn::Calls(Call::Write { path, text: "no\n".to_owned() })
}

fn edit() -> Turn {
    let (old, new) = ("alpha".to_owned(), "beta".to_owned());
    Turn::Calls(Call::Edit { path: "src/a.txt", old, new })
}

fn says(text: &str) -> Turn {
    Turn::Says(text.to_owned())
}

/// From the first look into execute, on the small lane.
fn begin(seed: &str) -> Vec<Turn> {
    let message = "seen: src/a.txt says alpha\nchange: it says beta\nrun: make test";
    let step = format!("{seed} phase advance --small --scope src -m \"{message}\"");
    vec![shell(&format!("{seed} status")), read(), shell(&step)]
}

/// From the change to the job that awaits the person.
fn end(seed: &str) -> Vec<Turn> {
    vec![
        shell("make test"),
        shell(&format!("{seed} phase advance -m 'src: the greeting says beta, as it should'")),
        shell(&format!("{seed} phase advance -m 'the greeting is mended'")),
        shell(&format!("{seed} status")),
        says("Done: src/a.txt says beta."),
    ]
}

fn main_script(turns: Vec<Turn>) -> Scripts {
    Scripts::from([("main", turns)])
}

/// The change is committed, the job awaits the person, and their approval ends it.
fn is_whole(place: &Place, session: &Session) {
    let shown = format!("{:#?}", session.results);
    let subjects = place.git("log --format=%s");
    assert!(
        subjects.starts_with("execute: ") && subjects.lines().count() == 2,
        "{subjects}{shown}"
    );
    assert_eq!(place.text("src/evil.txt"), None);
    approves(place, &shown);
}

/// The greeting is mended, and the person's approval ends the job that awaits it.
fn approves(place: &Place, shown: &str) {
    assert_eq!(place.text("src/a.txt").as_deref(), Some("beta\n"));
    assert_eq!(place.git("status --porcelain"), "", "{shown}");
    let awaiting = place.json("status")["awaiting"].clone();
    let id = awaiting[0]["id"].as_str().unwrap_or_else(|| panic!("{awaiting} {shown}"));
    place.person(&format!("job approve {id}"));
    assert_eq!(place.json(&format!("job show {id}"))["status"], "completed");
    let proved = place.sh("git seed verify || true");
    assert!(proved.contains(" 0 broken"), "{proved}");
}

/// A write before the first step is refused; then a small fix, up to the person's approval.
fn small_fix(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let turns = [vec![write("src/evil.txt")], begin("git seed"), vec![edit()], end("git seed")];
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(turns.concat()));
    session.shows(0, "[phase_idle] BLOCKED");
    assert!(session.words.contains("Anything larger: git seed phase advance"), "told at a prompt");
    assert!(!session.words.contains("&lt;"), "no sign of ours is changed: {}", session.words);
    is_whole(&place, &session);
    let job = place.json("job list --all");
    assert_eq!(job[0]["name"], "Fix the greeting in src/a.txt: it says alpha", "{job}");
}

/// What each phase asks for, from the first look to the end of condense.
fn all_phases() -> Vec<Turn> {
    const PAGE: &str = "src/CLAUDE.md";
    const EMPTY: [&str; 4] = ["---Ob---\n", "\n---Pl---\n", "\n---Ex---\n", "\n---Ve---\n"];
    let below = |anchor: &str, words: &str| {
        let (old, new) = (format!("{anchor}\n"), format!("{anchor}\n\n{words}\n"));
        Turn::Calls(Call::Edit { path: PAGE, old, new })
    };
    let told = "This was done with care, and here is the sentence that tells it, with what was \
        seen on the way, what shows it, and what somebody has to know before they change it again.";
    let step = |phase: &str, sections: &[(&str, &str)]| {
        let sections = sections.iter().map(|(title, head)| format!("## {title}\n{head}{told}\n\n"));
        let sections: String = sections.collect();
        let message = format!("settle what {phase} had to say\n\n{sections}## Outstanding Items\n");
        shell(&format!("git seed phase advance -F - <<'E'\n{message}E"))
    };
    let dial = || shell("git seed phase multiplier 3");
    let page = |rest: &str| format!("# src\n\n{rest}{}", EMPTY.concat());
    let objective = ["the greeting says beta and a test of its own shows it"; 8].join(", ");
    let objective = format!("git seed job update --name 'mend it' --objective '{objective}'");
    let whole = |text: String| Turn::Calls(Call::Write { path: PAGE, text });
    let look = |path| Turn::Calls(Call::Read { path });
    vec![
        read(),
        shell("git seed phase advance"),
        dial(),
        read(),
        look("Makefile"),
        whole(page("")),
        below("---Ob---", "The greeting says alpha, because nobody ever ran its test."),
        shell(&objective),
        step(
            "observe",
            &[("What I Observed", ""), ("Sources Consulted", ""), ("Questions Resolved", "")],
        ),
        dial(),
        look(PAGE),
        below("---Pl---", "contract: let it say beta, and show it"),
        shell("git seed plan set-plan-file false"),
        step(
            "plan",
            &[
                ("Plan This Cycle", ""),
                ("Acceptance Criteria", "- the greeting says beta\n\n"),
                ("Risks", ""),
                ("How VERIFY Will Test", ""),
            ],
        ),
        dial(),
        edit(),
        shell("make test"),
        below("---Ex---", "one word was changed"),
        step(
            "execute",
            &[("What I Implemented", ""), ("Evidence", ""), ("Plan Item Addressed", "")],
        ),
        dial(),
        shell("make test"),
        below("---Ve---", "ran it: the greeting says beta"),
        step(
            "verify",
            &[
                ("Acceptance Criteria Checked", ""),
                ("Pass-Fail Per Criterion", "- the greeting says beta: met\n\n"),
                ("Evidence", ""),
            ],
        ),
        dial(),
        look(PAGE),
        shell("git seed condense archive"),
        whole(page("The greeting is one word.\n\n")),
        shell("git seed condense status"),
        step(
            "condense",
            &[
                ("Waterfall Steps Completed", ""),
                ("Knowledge Routed", ""),
                ("Markers Consumed", ""),
            ],
        ),
        shell("git seed status"),
        says("Done."),
    ]
}

/// All phases of one cycle, up to the person's approval.
fn whole_cycle(client: Client) {
    let _alone = alone();
    let place = Place::new(client);
    place.puts("CLAUDE.md", "# Root\n");
    place.git("add -A");
    place.git("commit -q --amend --no-edit");
    place.seeds();
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(all_phases()));
    let shown = format!("{:#?}", session.results);
    let subjects = place.git("log --format=%s");
    let phases = ["condense", "verify", "execute", "plan", "observe"];
    let wanted = phases.map(|phase| format!("{phase}: settle what {phase} had to say\n")).concat();
    assert_eq!(subjects, format!("{wanted}init\n"), "{shown}");
    approves(&place, &shown);
}

/// The session ends in execute, and another one goes on with it.
fn resumed(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let stops = ["I stop.", "I stop here.", "I stop now.", "I stop for good."].map(says);
    let turns = [begin("git seed"), vec![edit()], stops.to_vec()].concat();
    let start = Start { prompt: PROMPT, ..Start::default() };
    let first = place.plays(start, main_script(turns));
    if client != Client::Opencode {
        assert!(first.words.contains("[stop] BLOCKED"), "the turn is held: {}", first.words);
        assert!(!first.words.contains("&lt;"), "no sign of ours is changed: {}", first.words);
    }
    let again = Start { prompt: "Go on.", resumes: true, ..Start::default() };
    let session = place.plays(again, main_script(end("git seed")));
    assert!(session.words.contains("git seed: a job is active."), "{}", session.words);
    is_whole(&place, &session);
}

/// In a linked worktree, or below the top directory: a refused write, and a small fix.
fn stands(client: Client, stands: Stands) {
    let _alone = alone();
    let place = Place::standing(client, stands);
    let turns = [vec![write("src/evil.txt")], begin("git seed"), vec![edit()], end("git seed")];
    let mut turns = turns.concat();
    if client == Client::Codex && stands == Stands::Below {
        // It names files from where it stands.
        turns.iter_mut().for_each(Turn::below_src);
    }
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(turns));
    session.shows(0, "[phase_idle] BLOCKED");
    assert!(session.words.contains("Anything larger: git seed phase advance"), "told at a prompt");
    is_whole(&place, &session);
}

/// Below the top it reads no settings of the repository: nothing is refused, and `doctor` says it.
fn hears_nothing_below(client: Client) {
    let _alone = alone();
    let place = Place::standing(client, Stands::Below);
    let turns = vec![write("src/evil.txt"), says("Done.")];
    let start = Start { prompt: PROMPT, ..Start::default() };
    place.plays(start, main_script(turns));
    assert_eq!(place.text("src/evil.txt").as_deref(), Some("no\n"), "no hook ran");
    let doctor = place.sh("git seed doctor || true");
    assert!(doctor.contains("has not run its hooks here yet"), "{doctor}");
}

/// A client that is started so that it asks nobody runs the line that the hook gives it, and
/// writes the text.
fn takes_other_lines(client: Client) {
    let _alone = alone();
    let place = Place::new(client);
    place.puts("CLAUDE.md", "# Root\n");
    place.puts("greet.sh", "echo greeted\necho 1 > src/b.txt\n");
    place.git("add -A");
    place.git("commit -q --amend --no-edit");
    place.seeds();
    // Up to the first run of verify, which changes no files.
    let mut turns = vec![shell("git seed doctor")];
    turns.extend(all_phases().into_iter().take(21));
    // A page without an anchor gets it from the hook, and the others at the boundary.
    let text = "# src\n\nIt says alpha.\n".to_owned();
    turns[6] = Turn::Calls(Call::Write { path: "src/CLAUDE.md", text });
    turns.remove(7);
    let stops = ["I stop.", "I stop here.", "I stop now.", "I stop for good."].map(says);
    turns.extend([vec![shell("sh greet.sh")], stops.to_vec()].concat());
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(turns));
    session.shows(0, "ran a rewritten command");
    session.shows(21, "greeted");
    session.shows(21, "src/b.txt: Permission denied");
    assert_eq!(place.text("src/b.txt"), None);
    let page = place.text("src/CLAUDE.md").unwrap_or_default();
    assert!(page.starts_with("# src\n\n---Ob---\n\nIt says alpha.\n"), "{page} {session:#?}");
}

/// With Codex's sandbox off: the agent's shell writes to `.git` itself, and nothing is handed over.
fn unconfined(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let turns = [vec![write("src/evil.txt")], begin("git seed"), vec![edit()], end("git seed")];
    let sandbox = Some("danger-full-access");
    let start = Start { prompt: PROMPT, sandbox, ..Start::default() };
    let session = place.plays(start, main_script(turns.concat()));
    session.shows(0, "[phase_idle] BLOCKED");
    session.shows(3, "idle -> observe -> execute");
    assert!(place.sh("git seed doctor || true").contains("ok  host"));
    is_whole(&place, &session);
}

/// In Codex's read-only sandbox a job is led, but nothing can be changed: `doctor` says so, and
/// what to do.
fn read_only(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let shells = ["echo beta > src/a.txt", "git seed exec -- make test"].map(shell);
    let stops = ["I stop.", "I stop here.", "I stop now.", "I stop for good."].map(says);
    let turns = [begin("git seed"), vec![edit()], shells.to_vec(), stops.to_vec()].concat();
    let start = Start { prompt: PROMPT, sandbox: Some("read-only"), ..Start::default() };
    let session = place.plays(start, main_script(turns));
    session.shows(2, "handed to the hook");
    session.shows(3, "writing is blocked by read-only sandbox");
    session.shows(4, "Read-only file system");
    assert_eq!(place.json("status")["phase"], "execute");
    assert_eq!(place.text("src/a.txt").as_deref(), Some("alpha\n"));
    assert_eq!(place.git("log --oneline").lines().count(), 1);
    let doctor = place.sh("git seed doctor || true");
    assert!(
        doctor.contains("can change no file: ~/.codex/config.toml sets sandbox_mode"),
        "{doctor}"
    );
    // As doctor says it, the job goes on.
    let again = Start { prompt: "Go on.", resumes: true, ..Start::default() };
    let session = place.plays(again, main_script([vec![edit()], end("git seed")].concat()));
    is_whole(&place, &session);
}

/// The client compacts the conversation in the middle, and the agent hears where it stands.
fn compacted(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let fills = Turn::Fills(Call::Shell { line: "make test".to_owned() });
    let look = shell("git seed status");
    // Gemini keeps all that came after the last prompt: a turn that is held is one.
    let held = (client == Client::Gemini).then(|| says("I stop."));
    let middle = std::iter::once(edit()).chain(held).chain([fills, look]).collect();
    let turns = [begin("git seed"), middle, end("git seed")].concat();
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(turns));
    let told = format!("{}{}", session.words, session.results.join("\n"));
    assert!(told.contains("git seed: a job is active."), "{told}");
    is_whole(&place, &session);
}

/// A subagent writes in the scope, and neither outside of it nor, where it is told apart, a step.
fn delegated(client: Client) {
    let _alone = alone();
    let place = Place::seeded(client);
    let marked = client != Client::Gemini;
    let mut part = vec![write("src/b.txt"), write("docs/evil.txt")];
    part.extend(marked.then(|| shell("git seed phase advance -m 'by a subagent'")));
    part.push(says("src/b.txt is there."));
    let delegate = Turn::Calls(Call::Delegate { script: "part" });
    let wait = (client == Client::Codex).then_some(Turn::Calls(Call::Wait));
    let part_done = std::iter::once(delegate).chain(wait).collect();
    let main = [begin("git seed"), part_done, vec![edit()], end("git seed")].concat();
    let plain_model = client == Client::Codex;
    let start = Start { prompt: PROMPT, plain_model, ..Start::default() };
    let session = place.plays(start, Scripts::from([("main", main), ("part", part)]));
    let told = session.results.join("\n");
    assert!(told.contains("docs/evil.txt is outside the declared directories"), "{told}");
    assert_eq!(told.contains("only the main session may run it"), marked, "{told}");
    assert_eq!(place.text("docs/evil.txt"), None);
    assert_eq!(place.text("src/b.txt").as_deref(), Some("no\n"));
    is_whole(&place, &session);
}

/// The phases as tools, in a client that runs no hook of git seed's.
fn phases(client: Client) {
    let _alone = alone();
    let place = Place::new(client);
    let other = if client == Client::Codex { "opencode" } else { "codex" };
    place.person(&format!("init --host {other}"));
    let tool = |name: &'static str, with| Turn::Calls(Call::Tool { name, with });
    let message = "saw alpha in src/a.txt\nsrc/a.txt says beta\nmake test shows it";
    let begun = json!({ "objective": "Let the greeting say beta" });
    let complete = json!({ "message": "The greeting in src/a.txt says beta; make test passes." });
    let done = [tool("complete", complete), says("Done.")];
    let mut turns = vec![
        tool("start", begun.clone()),
        tool("look", json!({ "path": "src/a.txt" })),
        tool("declare", json!({ "directories": ["src"] })),
        tool("advance", json!({ "small": true, "message": message })),
        read(),
        edit(),
        shell("git seed exec -- make test"),
    ];
    turns.extend(done.clone());
    let start = Start { prompt: PROMPT, phases: true, plain_model: true, ..Start::default() };
    let mut session = place.plays(start, main_script(turns));
    if client == Client::Codex {
        // In its sandbox a run leaves no receipt: the person's own one does.
        session.shows(6, "cannot store a receipt");
        session.shows(7, "no passing run since the last change was seen");
        place.person("exec -- make test");
        let turns = [vec![tool("start", begun)], done.to_vec()].concat();
        session = place.plays(start, main_script(turns));
    }
    let told = session.results.join("\n");
    assert!(told.contains("awaits the person"), "{told}");
    is_whole(&place, &session);
}

/// A plugin as the client installs it, in a repository that knows another host.
fn plugged(client: Client, puts_in: impl FnOnce(&Place, &str)) {
    let _alone = alone();
    let place = Place::new(client);
    place.person(&format!(
        "init --host {}",
        if client == Client::Gemini { "claude" } else { "codex" }
    ));
    place.unattended();
    let plugin = place.root().join("plugin").display().to_string();
    place.sh(&format!("git seed plugin --for {} --to {plugin}", client.host()));
    puts_in(&place, &plugin);
    let turns = [vec![write("src/evil.txt")], begin("git seed"), vec![edit()], end("git seed")];
    let start = Start { prompt: PROMPT, ..Start::default() };
    let session = place.plays(start, main_script(turns.concat()));
    session.shows(0, "[phase_idle] BLOCKED");
    is_whole(&place, &session);
}

macro_rules! sessions {
    ($($name:ident: $played:expr;)*) => {
        $(#[test]
        #[ignore = "installs a client with npm: cargo test --test clients -- --ignored"]
        fn $name() {
            $played;
        })*
    };
}

sessions! {
    claude_makes_a_small_fix: small_fix(Client::Claude);
    claude_goes_on_with_a_session: resumed(Client::Claude);
    claude_hears_after_a_compaction_where_it_stands: compacted(Client::Claude);
    claude_delegates: delegated(Client::Claude);
    claude_takes_the_phases_as_tools: phases(Client::Claude);
    claude_walks_through_all_phases: whole_cycle(Client::Claude);
    codex_walks_through_all_phases: whole_cycle(Client::Codex);
    gemini_walks_through_all_phases: whole_cycle(Client::Gemini);
    opencode_walks_through_all_phases: whole_cycle(Client::Opencode);
    codex_makes_a_small_fix: small_fix(Client::Codex);
    codex_works_without_its_sandbox: unconfined(Client::Codex);
    codex_changes_nothing_in_its_read_only_sandbox: read_only(Client::Codex);
    codex_goes_on_with_a_session: resumed(Client::Codex);
    codex_hears_after_a_compaction_where_it_stands: compacted(Client::Codex);
    codex_delegates: delegated(Client::Codex);
    codex_takes_the_phases_as_tools: phases(Client::Codex);
    gemini_makes_a_small_fix: small_fix(Client::Gemini);
    gemini_goes_on_with_a_session: resumed(Client::Gemini);
    gemini_hears_after_a_compaction_where_it_stands: compacted(Client::Gemini);
    gemini_delegates: delegated(Client::Gemini);
    gemini_takes_the_phases_as_tools: phases(Client::Gemini);
    opencode_makes_a_small_fix: small_fix(Client::Opencode);
    opencode_goes_on_with_a_session: resumed(Client::Opencode);
    opencode_hears_after_a_compaction_where_it_stands: compacted(Client::Opencode);
    opencode_delegates: delegated(Client::Opencode);
    opencode_takes_the_phases_as_tools: phases(Client::Opencode);
    claude_works_in_a_linked_worktree: stands(Client::Claude, Stands::Linked);
    codex_works_in_a_linked_worktree: stands(Client::Codex, Stands::Linked);
    gemini_works_in_a_linked_worktree: stands(Client::Gemini, Stands::Linked);
    opencode_works_in_a_linked_worktree: stands(Client::Opencode, Stands::Linked);
    claude_works_below_the_top: stands(Client::Claude, Stands::Below);
    codex_works_below_the_top: stands(Client::Codex, Stands::Below);
    opencode_works_below_the_top: stands(Client::Opencode, Stands::Below);
    gemini_runs_no_hook_below_the_top: hears_nothing_below(Client::Gemini);
    gemini_runs_the_line_that_it_is_given: takes_other_lines(Client::Gemini);
}

#[test]
#[ignore = "installs a client with npm: cargo test --test clients -- --ignored"]
fn claude_takes_the_plugin() {
    plugged(Client::Claude, |place, plugin| {
        place.client(&["plugin", "validate", plugin]);
        place.client(&["plugin", "marketplace", "add", plugin]);
        place.client(&["plugin", "install", "git-seed@git-seed"]);
    });
}

#[test]
#[ignore = "installs a client with npm: cargo test --test clients -- --ignored"]
fn gemini_takes_the_plugin() {
    plugged(Client::Gemini, |place, plugin| {
        place.home_has(".gemini/settings.json", "{}");
        place.client(&["extensions", "validate", plugin]);
        place.client(&["extensions", "install", plugin, "--consent"]);
    });
}

#[test]
#[ignore = "installs a client with npm: cargo test --test clients -- --ignored"]
fn opencode_takes_the_plugin() {
    plugged(Client::Opencode, |place, plugin| {
        let into = place.home().join(".config/opencode/plugins").display().to_string();
        place.sh(&format!("mkdir -p {into} && cp {plugin}/git-seed.js {into}/"));
    });
}

/// In the mode that asks, with nobody to answer: what the policy grants runs, all else does not.
#[test]
#[ignore = "installs a client with npm: cargo test --test clients -- --ignored"]
fn gemini_runs_what_its_policy_grants_and_nothing_else() {
    let _alone = alone();
    let place = Place::seeded(Client::Gemini);
    place.sh("echo y | GIT_SEED_TEST_PERSON=1 git seed init --host gemini --grant");
    let binary = std::fs::canonicalize(env!("CARGO_BIN_EXE_git-seed")).expect("it is there");
    let seed = binary.display().to_string();
    let asked = ["git seed status", &format!("{seed} exec -- true"), "make test"].map(shell);
    let turns = [begin(&seed), asked.to_vec(), vec![says("Stop."); 5]].concat();
    let start = Start { prompt: PROMPT, asks: true, ..Start::default() };
    let session = place.plays(start, main_script(turns));
    // The opening names the program as the policy does.
    assert!(session.words.contains(&format!("Anything larger: {seed} phase advance")));
    session.shows(0, "phase    idle");
    session.shows(2, "idle -> observe -> execute");
    for at in 3..6 {
        session.shows(at, "denied by policy");
    }
}

//! Hosts as their rows know them. Sessions that were recorded from real clients are played again,
//! from the prompt to the job that awaits the person, or that they approved: a small fix, all
//! phases, a first day with a job that is dropped, a session that is resumed or compacted in the
//! middle, subagents, a terminal that is typed into. Each event gets the same kind of answer as it
//! got there.

use std::fs;
use std::path::Path;

use git_seed::hosts;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::World;

/// A session that was recorded from a client.
pub struct Recorded {
    pub host: &'static str,
    /// The name of its file.
    pub name: &'static str,
    /// Where its events after a tool hold what a shell line printed.
    printed: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Subjects of the commits that it ends with, the newest first.
    subjects: &'static str,
    pub ends: Ends,
}

/// How a recorded session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Nobody sat there: the job awaits the person.
    Awaiting,
    /// The person answered the question, and the job is completed.
    Approved,
    /// The same, after a question that began no job and a job that they dropped.
    FirstDay,
    /// Nobody sat there, and the job is not done.
    Open,
    /// They were there, and the small talk ended with its session.
    Talk,
}

const GREETING: [(&str, &str); 2] =
    [("src/a.txt", "alpha\n"), ("Makefile", "test:\n\t@grep -q beta src/a.txt && echo ok\n")];

const LEXER: [(&str, &str); 3] = [
    ("src/parser/lex.rs", "fn lex() {}\n"),
    ("CLAUDE.md", "# Root\n"),
    (
        "Makefile",
        "test:\n\t@echo running 1 test; grep -q escapes src/parser/lex.rs && echo 'test result: \
         ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s'\n",
    ),
];

const COUNTED: [(&str, &str); 2] = [
    ("src/a.txt", "alpha\n"),
    (
        "Makefile",
        "test:\n\t@echo running 1 test; grep -q beta src/a.txt && echo 'test result: ok. 1 passed; \
         0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s'\n",
    ),
];

/// With a test in the directory that a client stands in, too.
const COUNTED_BELOW: [(&str, &str); 3] =
    [COUNTED[0], COUNTED[1], ("src/Makefile", "test:\n\t@$(MAKE) -s -C .. test\n")];

/// With code that writes, and a page.
const GREETED: [(&str, &str); 4] = [
    COUNTED[0],
    COUNTED[1],
    ("CLAUDE.md", "# Root\n"),
    ("greet.sh", "echo greeted\necho 1 > src/b.txt\n"),
];

const SMALL: &str = "execute: src: the greeting says beta, as it should\ninit";

const CYCLE: &str = "condense: settle what condense had to say\nverify: settle what verify had to \
                     say\nexecute: settle what execute had to say\nplan: settle what plan had to \
                     say\nobserve: settle what observe had to say\ninit";

const fn quick(host: &'static str) -> Recorded {
    let printed = printed(host);
    let ends = Ends::Awaiting;
    Recorded { host, name: "quick", printed, files: &GREETING, subjects: SMALL, ends }
}

/// A small fix with something in the middle.
const fn small(host: &'static str, name: &'static str) -> Recorded {
    Recorded { name, files: &COUNTED, ..quick(host) }
}

const fn printed(host: &'static str) -> &'static str {
    match host.as_bytes() {
        b"claude" => "/tool_response/stdout",
        b"gemini" => "/tool_response/llmContent",
        b"opencode" => "/tool_response/output",
        _ => "/tool_response",
    }
}

/// All phases, from the prompt to the job that awaits the person.
const fn cycle(host: &'static str) -> Recorded {
    Recorded { name: "opevc", files: &LEXER, subjects: CYCLE, ..quick(host) }
}

/// A person at the client's own screen, who answers the question.
const fn approved(host: &'static str) -> Recorded {
    Recorded { ends: Ends::Approved, ..small(host, "approved") }
}

/// A person at the client's own screen: they ask, drop what they did not mean, and approve.
const fn first_day(host: &'static str) -> Recorded {
    Recorded { ends: Ends::FirstDay, ..small(host, "first-day") }
}

/// A small fix by a client that was started in a linked worktree, or below the top directory.
const fn standing(host: &'static str, name: &'static str) -> Recorded {
    Recorded { files: &COUNTED_BELOW, ..small(host, name) }
}

/// A client that was given another line, and ran it; the answers are not played again.
pub const REWRITTEN: [Recorded; 2] = [
    Recorded { name: "rewritten", ..quick("claude") },
    Recorded { name: "rewritten", ..quick("codex") },
];

pub const SESSIONS: [Recorded; 38] = [
    small("claude", "quick"),
    quick("codex"),
    quick("gemini"),
    quick("opencode"),
    small("claude", "resumed"),
    small("codex", "resumed"),
    small("gemini", "resumed"),
    small("opencode", "resumed"),
    small("claude", "compacted"),
    small("codex", "compacted"),
    small("gemini", "compacted"),
    small("opencode", "compacted"),
    small("claude", "delegated"),
    small("codex", "delegated"),
    small("gemini", "delegated"),
    small("opencode", "delegated"),
    small("codex", "typed"),
    approved("claude"),
    approved("codex"),
    approved("gemini"),
    approved("opencode"),
    first_day("claude"),
    first_day("codex"),
    first_day("gemini"),
    first_day("opencode"),
    cycle("claude"),
    cycle("codex"),
    cycle("gemini"),
    cycle("opencode"),
    standing("claude", "linked"),
    standing("codex", "linked"),
    standing("gemini", "linked"),
    standing("opencode", "linked"),
    standing("claude", "below"),
    standing("codex", "below"),
    standing("opencode", "below"),
    Recorded {
        files: &GREETED,
        subjects: "execute: settle what execute had to say\nplan: settle what plan had to \
                   say\nobserve: settle what observe had to say\ninit",
        ends: Ends::Open,
        ..small("gemini", "rewritten")
    },
    // On its screen the client put the question, though its settings let the tool run.
    Recorded { ends: Ends::Talk, subjects: "init", ..small("claude", "asked") },
];

/// The events of a session as they were recorded: each with what the hook printed, and what the
/// client had written to its transcript since the one before. `home` stands where the repository
/// was.
pub fn recorded(session: &Recorded, home: &str) -> Vec<(Value, Value, String)> {
    let file = format!("fixtures/hooks/{}/_sequence-{}.jsonl", session.host, session.name);
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    let text = text.expect("it was recorded");
    let read = |line: &str| {
        let line: Value = {
            let line = line.replace("/home/u/project", home).replace("/home/u/linked", home);
            serde_json::from_str(&line).expect("JSON")
        };
        let printed = line["hook_stdout"].as_str().unwrap_or_default();
        let written = line["transcript"].as_str().unwrap_or_default().to_owned();
        (line["stdin"].clone(), serde_json::from_str(printed).unwrap_or_default(), written)
    };
    text.lines().map(read).collect()
}

/// A call that leaves a terminal open.
const TERMINAL: &str = "bash --norc -i";

/// What the agent typed into it, of which no event tells; it was open for too long to be laid to
/// the call.
const TYPED: &str = "sed -i s/alpha/beta/ src/a.txt; mkdir -p docs; echo no > docs/evil.txt";

/// What a call of the agent does, as its input shows it; what a shell line printed.
fn does(world: &World, host: &str, input: &Value) -> Option<String> {
    let text = |names: &[&str]| names.iter().find_map(|name| input[*name].as_str());
    // Where the client's models have no tool for it, they give the patch to the shell.
    if let Some(patch) = text(&["command"]).and_then(|line| line.strip_prefix("apply_patch <<")) {
        applies(world, patch);
        return None;
    }
    if text(&["command"]) == Some(TERMINAL) {
        return None;
    }
    if let Some(command) = text(&["command"]).filter(|command| !command.starts_with("***")) {
        // Codex starts its shell in a sandbox in which `.git` is read-only; it leaves no receipt.
        let held = format!("git seed exec --bare -- sh -c '{}'", command.replace('\'', r"'\''"));
        let said = world.agents_shell(if host == "codex" { &held } else { command }, "");
        return Some(format!("{}{}", said.out, said.err));
    }
    if let Some(patch) = text(&["command"]) {
        applies(world, patch);
        return None;
    }
    let file = text(&["file_path", "filePath"])?;
    let file = file.trim_start_matches(&*world.repo().to_string_lossy()).trim_matches('/');
    let pair = text(&["old_string", "oldString"]).zip(text(&["new_string", "newString"]));
    if let Some((old, new)) = pair {
        world.puts(file, &world.text(file).replace(old, new));
    } else if let Some(content) = text(&["content"]) {
        world.puts(file, content);
    }
    None
}

/// Does what a patch says, of one file and in one piece.
fn applies(world: &World, patch: &str) {
    let lines = |sign: &str| {
        let signed = patch.lines().filter_map(|line| line.strip_prefix(sign));
        signed.map(|line| format!("{line}\n")).collect::<String>()
    };
    let file = |head: &str| patch.lines().find_map(|line| line.strip_prefix(head));
    // It names files from where the client stands.
    let named = |head: &str| file(head).map(|file| world.stand().join(file));
    if let Some(file) = named("*** Add File: ") {
        world.puts(&file.to_string_lossy(), &lines("+"));
    } else if let Some(file) = named("*** Update File: ") {
        let file = &*file.to_string_lossy();
        let (text, old, new) = (world.text(file), lines("-"), lines("+"));
        // At the end of a file Codex forgives a missing blank line.
        let whole = text.contains(&old);
        let cut = |piece: &str| if whole { piece.len() } else { piece.trim_end().len() };
        world.puts(file, &text.replacen(&old[..cut(&old)], &new[..cut(&new)], 1));
    }
}

/// What the hook said, in kind: a refusal, a fact for the agent, a word to the person.
pub fn kind(reply: &Value) -> [bool; 3] {
    let specific = &reply["hookSpecificOutput"];
    let refused = reply["decision"] != Value::Null || specific["permissionDecision"] == "deny";
    let told = specific["additionalContext"].is_string();
    [refused, told, reply["systemMessage"].is_string()]
}

/// The person is asked about the call.
pub fn asks(reply: &Value) -> bool {
    reply["hookSpecificOutput"]["permissionDecision"] == "ask"
}

/// The input that the client is given instead of the agent's.
fn given(reply: &Value) -> Option<&Value> {
    let said = &reply["hookSpecificOutput"];
    ["updatedInput", "tool_input"].iter().map(|field| &said[*field]).find(|input| input.is_object())
}

/// Plays what was recorded from a client, from the prompt to the job that awaits the person.
fn recorded_sessions_of(host: &str) {
    for session in SESSIONS.iter().filter(|session| session.host == host) {
        if let (true, Err(why)) = (host == "codex", git_seed::confine::check()) {
            super::skip::not_here(&format!("a kernel that confines ({why})"));
            continue;
        }
        plays(session);
    }
}

#[test]
fn recorded_sessions_of_claude_end_as_they_ended_there() {
    recorded_sessions_of("claude");
}

#[test]
fn recorded_sessions_of_codex_end_as_they_ended_there() {
    recorded_sessions_of("codex");
}

#[test]
fn recorded_sessions_of_gemini_end_as_they_ended_there() {
    recorded_sessions_of("gemini");
}

#[test]
fn recorded_sessions_of_opencode_end_as_they_ended_there() {
    recorded_sessions_of("opencode");
}

fn plays(session: &Recorded) {
    let Recorded { host, name, .. } = session;
    let mut world = World::empty("git init -q -b main");
    for (file, text) in session.files {
        world.puts(file, text);
    }
    world.git("add -A");
    world.git("commit -qm init");
    if *host == "codex" && session.ends != Ends::Awaiting {
        // Without it there is no tool for questions outside of its plan mode.
        let asks = "[features]\ndefault_mode_request_user_input = true\n";
        world.puts("../home/.codex/config.toml", asks);
    }
    world.person(&format!("init --host {host}")).succeeds();
    if session.ends == Ends::Awaiting {
        world.puts("seed.toml", "approval = \"defer\"\n");
        world.person("rules apply").succeeds();
        fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    }
    if *name == "linked" {
        world.git("worktree add -q ../linked -b linked");
        world = world.elsewhere("linked");
        world.person(&format!("init --host {host}")).succeeds();
    }
    if *name == "below" {
        world.stands_in("src");
    }
    if *host == "codex" {
        world.host_has("CODEX_SESSION_ID", "the session");
    }
    if !matches!(session.ends, Ends::Awaiting | Ends::Open) {
        // A client that shows the person its questions.
        world.host_has("CLAUDE_CODE_ENTRYPOINT", "claude-vscode");
    }
    if *name == "rewritten" {
        world.host_has("GIT_SEED_TEST_STARTED", "gemini --approval-mode yolo -p fix");
    }
    let nobody = matches!(session.ends, Ends::Awaiting | Ends::Open);
    let mut ran = None;
    let mut took = None;
    let transcript = world.path(".git/transcript.jsonl");
    let mut anew = String::new();
    let events = recorded(session, &world.repo().to_string_lossy());
    for (n, (mut event, answer, mut written)) in events.into_iter().enumerate() {
        // After a request that was given up Gemini writes its history anew, the old summary in it.
        let summed = written.split_inclusive('\n').find(|line| line.contains("<state_snapshot>"));
        let summed = summed.map(str::to_owned);
        written.push_str(&anew);
        anew = summed.unwrap_or(anew);
        if !written.is_empty() {
            let text = fs::read_to_string(&transcript).unwrap_or_default() + &written;
            fs::write(&transcript, text).expect("it is written");
            event["transcript_path"] = json!(transcript);
        }
        let at = event["hook_event_name"].as_str().expect("a name").to_owned();
        if let (Some(ran), Some(place)) = (ran.take(), event.pointer_mut(session.printed)) {
            *place = json!(ran);
        }
        if let Some(input) = took.take() {
            // It names this program where the recorded one named its own.
            event["tool_input"] = input;
        }
        let before = at.to_lowercase().contains("before") || at == "PreToolUse";
        if !before && event["tool_input"]["command"] == TERMINAL {
            world.sh(TYPED);
            // Longer ago than what a short call takes.
            world.sh(r#"sed -i -E 's/"at":[0-9]+/"at":1/' .git/seed/looks/*/*"#);
        }
        // A client that says nothing of a person has a terminal where one sits there.
        let said = if nobody || *host == "claude" {
            world.hears(host, &at, &event)
        } else {
            world.hears_at_a_terminal(host, &at, &event)
        };
        let said = said.json().clone();
        assert_eq!(kind(&said), kind(&answer), "{host} {name} {n} {at}: {said} {event}");
        assert_eq!(asks(&said), asks(&answer), "{host} {name} {n} {at}: {said} {event}");
        let gives = given(&said).is_some();
        assert_eq!(gives, given(&answer).is_some(), "{host} {name} {n} {at}: {said} {event}");
        if before && event["tool_input"].is_object() && !kind(&said)[0] {
            took = given(&said).cloned();
            ran = does(&world, host, took.as_ref().unwrap_or(&event["tool_input"]));
        }
    }
    assert_eq!(world.git("log --format=%s").trim(), session.subjects, "{host} {name}");
    let awaits = world.json("status")["awaiting"].as_array().map_or(0, Vec::len);
    let jobs = world.json("job list --all");
    let statuses = jobs.as_array().into_iter().flatten().map(|job| &job["status"]);
    let ended = statuses.filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    let wanted = match session.ends {
        Ends::Awaiting => (1, "awaiting you"),
        Ends::Open => (0, "active"),
        Ends::Approved => (0, "completed"),
        Ends::FirstDay => (0, "voided completed"),
        Ends::Talk => (0, "voided"),
    };
    assert_eq!((awaits, ended.as_str()), wanted, "{host} {name}: {jobs}");
}

/// Gemini, started with these words, is given another line before `git seed doctor`; what the
/// work tree or the home has besides may forbid it.
fn proves(started: &str, file: Option<(&str, &str)>) -> bool {
    let world = World::empty("git init -q -b main");
    world.puts("src/a.txt", "alpha\n");
    world.git("add -A");
    world.git("commit -qm init");
    world.person("init --host gemini").succeeds();
    if let Some((file, text)) = file {
        world.puts(file, text);
    }
    if !started.is_empty() {
        world.host_has("GIT_SEED_TEST_STARTED", started);
    }
    world.hears("gemini", "SessionStart", &json!({ "source": "startup" }));
    world.hears("gemini", "BeforeAgent", &json!({ "prompt": "look into src/a.txt" })).passes();
    let input = json!({ "command": "git seed doctor", "description": "a look" });
    let fields = json!({ "tool_name": "run_shell_command", "tool_input": input });
    let reply = world.hears("gemini", "BeforeTool", &fields);
    reply.passes();
    let given = given(reply.json()).cloned();
    if let Some(given) = &given {
        let line = given["command"].as_str().unwrap_or_default();
        assert!(line.ends_with("; git seed doctor"), "{given}");
        assert_eq!(given["description"], "a look", "all of the input is repeated");
        world.agents_shell(line, "");
    }
    let told = world.person("doctor").said().out;
    let (ran, unseen) =
        ("Gemini CLI ran a rewritten command", "in a session started with --yolo -p");
    assert_eq!((told.contains(ran), told.contains(unseen)), (given.is_some(), given.is_none()));
    given.is_some()
}

#[test]
fn gemini_is_given_another_line_where_its_start_says_that_it_asks_nobody() {
    assert!(proves("node gemini.js --yolo -p look", None));
    assert!(proves("gemini --approval-mode=yolo --prompt look", None));
    for asks in
        ["", "gemini", "gemini -p look", "gemini --yolo", "gemini --approval-mode plan -p x"]
    {
        assert!(!proves(asks, None), "`{asks}`: somebody may be asked");
    }
    let unasked = "gemini -y -p look";
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"curl\"\n\
                decision = \"deny\"\npriority = 500\n";
    let excluded = r#"{"tools": {"exclude": ["run_shell_command(curl)"]}}"#;
    for (file, text) in [
        ("../home/.gemini/policies/mine.toml", rule),
        (".gemini/policies/team.toml", rule),
        ("../home/.gemini/settings.json", excluded),
    ] {
        assert!(!proves(unasked, Some((file, text))), "{file} is about the agent's own line");
    }
    assert!(proves(unasked, Some(("../home/.gemini/settings.json", "{}"))));
}

/// The head of a column of the table in `docs/hosts.md`, by the capability that it tells.
pub const COLUMNS: [(&str, &str); 12] = [
    ("run-hooks", "runs hooks"),
    ("refuse-tool", "refuses tools"),
    ("refuse-stop", "holds the turn"),
    ("inject-start", "told at start"),
    ("inject-prompt", "at a prompt"),
    ("ask-person", "asks you"),
    ("question-tool", "has questions"),
    ("grant", "asks nobody for git seed"),
    ("mark-subagents", "marks subagents"),
    ("tell-exits", "tells exits"),
    ("tell-tokens", "tells tokens"),
    ("replace-input", "confines by itself"),
];

/// The table as the rows have it.
fn table() -> String {
    let heads: Vec<&str> = COLUMNS.iter().map(|(_, head)| *head).collect();
    let line = "---|".repeat(COLUMNS.len() + 2);
    let mut table = format!("| host | tried | {} |\n|{line}\n", heads.join(" | "));
    for name in hosts::names().chain(["mcp"]) {
        let row = hosts::row(name).expect("it loads");
        let can: Vec<(&str, bool)> = row.capabilities().collect();
        assert_eq!(can.len(), COLUMNS.len(), "every capability has its column");
        let cell = |capability: &str| {
            let (_, can) = can.iter().find(|(name, _)| *name == capability).expect(capability);
            if *can { "yes" } else { "no" }
        };
        let cells: Vec<&str> = COLUMNS.iter().map(|(capability, _)| cell(capability)).collect();
        let tried = match (&row.tried, name) {
            (Some(version), _) => format!("{version}, Linux"),
            (None, "mcp") => "with the four above".to_owned(),
            (None, _) => "not tried".to_owned(),
        };
        table += &format!("| {} (`{name}`) | {tried} | {} |\n", row.title, cells.join(" | "));
    }
    table
}

#[test]
fn the_table_of_hosts_says_what_the_rows_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hosts.md");
    let text = fs::read_to_string(file).expect("it is there");
    let (_, rest) = text.split_once("<!-- table -->\n").expect("a table begins");
    let (told, _) = rest.split_once("<!-- /table -->").expect("it ends");
    assert_eq!(told, table(), "docs/hosts.md has another table");
    for name in hosts::names() {
        assert!(text.contains(&format!("| `{name}` |")), "what to do once for {name}");
    }
}

#[test]
fn each_host_is_put_in_refuses_a_forbidden_call_and_is_taken_out_without_a_trace() {
    for name in hosts::names() {
        let row = hosts::row(name).expect("it loads");
        let world = World::new();
        let settings = "cat .git/config .git/info/exclude; ls .git .git/hooks; ls -A; git status";
        let before = world.sh(settings);
        let told = world.person(&format!("init --host {name}")).succeeds();
        assert_eq!(world.git("status --porcelain"), "", "{name}");
        let untried = told.contains("not tried with the client");
        assert_eq!(untried, row.tried.is_none(), "{name}: {told}");
        let doctor = world.person("doctor").said();
        let refused = format!("{}: a forbidden call was refused through", row.title);
        assert!(doctor.out.contains(&refused), "{name}: {doctor:?}");
        assert_eq!(doctor.out.contains("was never tried"), row.tried.is_none(), "{name}");
        world.person("uninstall").succeeds();
        assert!(!world.path(&row.settings.local).exists(), "{name}: {}", row.settings.local);
        assert_eq!(world.sh(settings), before, "{name}");
    }
}

/// What somebody else has in the same settings stays as it is, byte for byte.
#[test]
fn settings_with_hooks_of_others_come_back_as_they_were() {
    for (name, theirs) in [
        ("cursor", "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"./mine.sh\"}]}}\n"),
        ("droid", "{\n  \"model\": \"x\"\n}\n"),
    ] {
        let file = hosts::row(name).expect("it loads").settings.local.clone();
        let world = World::new();
        world.puts(&file, theirs);
        world.person(&format!("init --host {name}")).succeeds();
        assert!(world.text(&file).contains("git-seed"), "{name}");
        world.person("uninstall").succeeds();
        assert_eq!(world.text(&file), theirs, "{name}");
    }
}

/// What `tests/clients` plays, host by host: the table in `docs/hosts.md` says live there alone.
#[test]
fn the_table_of_played_sessions_says_what_the_tests_play() {
    let read = |file: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        fs::read_to_string(file).expect("it is there")
    };
    let played = read("tests/clients/main.rs");
    let docs = read("docs/hosts.md");
    let (_, rest) = docs.split_once("<!-- played -->\n").expect("a table begins");
    let (told, _) = rest.split_once("<!-- /played -->").expect("it ends");
    let mut live = 0;
    for row in told.lines().skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let test = cells[0].rsplit('`').nth(1);
        for (host, cell) in ["claude", "codex", "gemini", "opencode"].iter().zip(&cells[1..]) {
            let name = test.map(|test| format!("{host}_{test}"));
            let there = name.is_some_and(|name| played.contains(&format!(" {name}")));
            assert_eq!(*cell == "live", there, "{host}: {row}");
            live += usize::from(there);
        }
    }
    let all = played.matches("fn claude_").count()
        + played.matches("fn gemini_").count()
        + played.matches("fn opencode_").count()
        + played
            .lines()
            .filter(|line| {
                line.trim_end().ends_with(");") && line.contains("(Client::") && line.contains(": ")
            })
            .count();
    assert_eq!(live, all, "each test stands in the table");
}

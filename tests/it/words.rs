//! Short words, nights, storms, guests: how a person steps in, and who may not.

use serde_json::{Value, json};

use super::attacks::{WAYS, script};
use super::world::{CODE, PAGE, Reply, World, completion, message};

const FIRST: &str = "e2fc06a6-4aaf-49f6-8712-117cd08f9339";
const SECOND: &str = "7e1d0f0a-0000-4000-8000-000000000002";

fn at(phase: &str) -> World {
    let world = World::seeded();
    world.to(phase);
    world
}

/// A job whose memory is settled, in condense.
fn ready() -> World {
    let world = at("condense");
    world.works("condense");
    world
}

/// A world whose rules let finished jobs rest.
fn night() -> World {
    let world = World::seeded();
    world.puts("seed.toml", "[approval]\nmode = \"defer\"\n");
    world.person("rules apply").succeeds();
    world
}

/// The person hears this, among other words.
#[track_caller]
fn told(reply: &Reply, expected: &str) {
    let told = reply.to_person().unwrap_or_else(|| panic!("no word to the person: {reply:?}"));
    assert!(told.contains(expected), "lacks {expected:?}: {told}");
}

fn jobs(world: &World) -> Vec<(String, String)> {
    let text = |job: &Value, key: &str| job[key].as_str().unwrap_or_default().to_owned();
    let list = world.json("job list");
    list.as_array()
        .expect("a list")
        .iter()
        .map(|job| (text(job, "name"), text(job, "status")))
        .collect()
}

fn last_words(world: &World, job: &str) -> (String, String, String) {
    let shown = world.json(&format!("job show {job}"));
    let said = shown["interactions"].as_array().and_then(|all| all.last()).expect("words").clone();
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
    (text("kind"), text("text"), text("provenance"))
}

// ---- [ALLOW]

/// Each of several words that open acts; a word that does not is told as not read.
#[test]
fn several_words_that_open_act_together() {
    for prompt in
        ["[ALLOW todo.txt] [ALLOW other.txt] go", "[ALLOW todo.txt]\n[ALLOW other.txt]\ngo"]
    {
        let world = at("execute");
        let reply = world.prompt(prompt);
        told(&reply, "opened todo.txt, other.txt");
        reply.tells("todo.txt, other.txt");
        world.edits("todo.txt", "a\n", "A\n").passes();
        world.writes("other.txt", "x").passes();
        world.writes("third.txt", "x").refuses("BLOCKED");
        assert_eq!(last_words(&world, &world.job()).1, prompt);
    }
    let world = at("execute");
    let reply = world.prompt("[ALLOW git tag v1] [ALLOW todo.txt] [ALLOW git tag v2] go");
    told(&reply, "opened todo.txt");
    told(&reply, "git tag v1");
    told(&reply, "not opened: git tag v2.");
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.runs_and("git tag v1", || _ = world.git("tag v1")).passes();
    world.runs_and("git tag v2", || {}).refuses("BLOCKED");
    // Another word behind a word does nothing, and says so; in a sentence it is no word.
    let reply = world.prompt("[ALLOW todo.txt] [FULL] go");
    told(&reply, "[FULL] stands behind another word and was not read");
    let reply = world.prompt("[ALLOW todo.txt] as [FULL] says");
    assert!(!format!("{reply:?}").contains("was not read"), "{reply:?}");
}

#[test]
fn a_person_opens_one_file_and_it_is_part_of_the_work() {
    let world = at("execute");
    world.edits("todo.txt", "a\n", "A\n").refuses("BLOCKED");
    let reply = world.prompt("[ALLOW todo.txt] and mend the list");
    told(&reply, "opened todo.txt");
    reply.tells("todo.txt");
    let words = last_words(&world, &world.job());
    assert_eq!(
        (words.0.as_str(), words.1.as_str()),
        ("prompt", "[ALLOW todo.txt] and mend the list")
    );
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.writes("other.txt", "x").refuses("BLOCKED");
    world.works("execute");
    world.leaves();
    assert!(world.files_of_head().contains(&"todo.txt".to_owned()), "{:?}", world.files_of_head());
}

#[test]
fn what_a_person_opened_holds_for_every_fence() {
    let world = at("execute");
    world.runs("printf 'A\\n' > todo.txt").refuses("BLOCKED");
    world.prompt("[ALLOW todo.txt]");
    world.runs("printf 'A\\n' > todo.txt").passes();
    assert_eq!(world.json("fence status")["strays"], json!([]));
    let staged = |path: &str| {
        world.agents_shell(
            &format!("git add {path} && git seed githook pre-commit; e=$?; git reset -q; exit $e"),
            "",
        )
    };
    world.sh("touch other.txt");
    assert_eq!(staged("other.txt").code, 2);
    world.sh("rm other.txt");
    let said = staged("todo.txt");
    assert_eq!(said.code, 0, "{said:?}");
    world.works("execute");
    world.leaves();
    assert!(world.files_of_head().contains(&"todo.txt".to_owned()));
}

#[test]
fn a_stray_that_a_person_opens_is_the_agents_work() {
    let world = at("execute");
    world.puts("../z.sh", "echo z > todo.txt\n");
    world.runs("sh ../z.sh");
    assert_eq!(world.json("fence status")["strays"], json!(["todo.txt"]));
    world.prompt("[ALLOW todo.txt]");
    assert_eq!(world.json("fence status")["strays"], json!([]));
    assert_eq!(world.json("status")["fence"]["strays"], json!([]));
    world.works("execute");
    world.leaves();
    assert!(world.files_of_head().contains(&"todo.txt".to_owned()));
}

#[test]
fn a_directory_opens_exactly_itself() {
    let world = at("execute");
    world.sh("mkdir -p docs/deep");
    told(&world.prompt("[ALLOW docs]"), "opened docs/");
    world.writes("docs/a.md", "x").passes();
    world.writes("docs/deep/a.md", "x").refuses("BLOCKED");
    world.writes("other.txt", "x").refuses("BLOCKED");
}

#[test]
fn a_path_may_be_named_from_where_the_host_works() {
    let world = at("execute");
    world.sh("mkdir -p docs && touch docs/guide.md");
    let reply = world.event(
        "UserPromptSubmit",
        &json!({ "cwd": world.path("docs"), "prompt": "[ALLOW guide.md]" }),
    );
    told(&reply, "opened docs/guide.md");
    world.writes("docs/guide.md", "x").passes();
    told(&world.prompt("[ALLOW new.txt]"), "opened new.txt");
    world.writes("new.txt", "x").passes();
}

#[test]
fn what_was_opened_is_shut_with_the_cycle() {
    let world = at("observe");
    told(&world.prompt("[ALLOW todo.txt docs/]"), "execute may write there");
    world.edits("todo.txt", "a\n", "A\n").refuses("BLOCKED");
    world.to("condense");
    world.works("condense");
    world.seed("phase advance --add-cycle 'one more' -F -").stdin(&message("condense")).succeeds();
    world.to("execute");
    world.edits("todo.txt", "a\n", "A\n").refuses("BLOCKED");
    world.writes("docs/a.md", "x").refuses("BLOCKED");
}

#[test]
fn a_path_may_be_opened_with_the_prompt_that_bears_the_job() {
    let world = World::seeded();
    let reply = world.prompt("[ALLOW todo.txt docs/] Fix the lexer");
    told(&reply, "opened todo.txt, docs/");
    reply.tells("a new job. Read and answer freely");
    assert_eq!(jobs(&world), [("Fix the lexer".to_owned(), "active".to_owned())]);
    world.to("execute");
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.writes("docs/a.md", "x").passes();
}

#[test]
fn what_may_not_be_opened_is_told_with_its_reason() {
    let world = at("execute");
    for (path, why) in [
        ("../x", "outside the work tree"),
        ("src/../../x", "outside the work tree"),
        ("/etc/passwd", "outside the work tree"),
        ("~/x", "outside the work tree"),
        (".git/hooks/x", "only git writes there"),
        (".git", "only git writes there"),
        (".git/seed/journal", "git seed's own state"),
        (".claude/settings.json", "controls the agent"),
        ("seed.toml", "controls the agent"),
        (PAGE, "[ALLOW src/parser]"),
        (".claude/knowledge/x.md", "memory"),
        ("src/*.rs", "pattern"),
    ] {
        let reply = world.prompt(&format!("[ALLOW {path}]"));
        told(&reply, "opened nothing");
        told(&reply, why);
        assert!(reply.context().is_none(), "{reply:?}");
    }
    told(&world.prompt("[ALLOW]"), "[ALLOW] needs paths");
    let reply = world.prompt("[ALLOW todo.txt .git/config]");
    told(&reply, "opened todo.txt");
    told(&reply, "not opened: .git/config (only git writes there)");
    let kept = world.git(&format!("show refs/seed/jobs/{}:allowed", world.job()));
    assert_eq!(kept, "todo.txt");
}

#[test]
fn a_link_out_of_the_work_tree_is_not_opened() {
    let world = at("execute");
    world.sh("ln -s /etc out && ln -s .git inside");
    told(&world.prompt("[ALLOW out/passwd]"), "outside the work tree");
    told(&world.prompt("[ALLOW inside/hooks]"), "only git writes there");
}

// ---- [PAUSE], [OFF], [ON]

#[test]
fn a_paused_job_goes_on_by_a_word() {
    for word in ["[RESUME] and keep it short", "[ON] and keep it short"] {
        let world = World::seeded();
        world.to("execute");
        let job = world.job();
        world.prompt("[PAUSE]");
        let status = world.json("status");
        assert!(status["next"].as_str().is_some_and(|next| next.contains("[RESUME]")), "{status}");
        assert!(status["words"].to_string().contains("[RESUME]"), "{status}");
        world.edits(CODE, "lex()", "lexer()").refuses("begins with [RESUME] continues the job");
        world.runs("cargo build").refuses("the person paused \"");
        world.reads(CODE).passes();
        let told = world.prompt(word);
        assert!(told.to_person().is_some_and(|told| told.contains("continues in execute")));
        told.tells("scope");
        assert_eq!((world.job(), world.phase().as_str()), (job.clone(), "execute"));
        assert_eq!(last_words(&world, &job).1, word);
        world.edits(CODE, "lex()", "lexer()").passes();
    }
}

/// Talk that rested and goes on holds no turn, as before it rested; work does.
#[test]
fn talk_that_rested_is_still_talk() {
    for words in [["[PAUSE]", "[RESUME]"], ["[PAUSE]", "[ON]"], ["[OFF]", "[ON]"]] {
        let world = World::seeded();
        world.prompt("the lexer is odd, I think");
        assert!(world.stops().is_silent(), "{words:?}");
        for word in words {
            world.prompt(word);
        }
        assert!(world.stops().is_silent(), "{words:?}");
        world.prompt("what is 2+2");
        assert!(world.stops().is_silent(), "{words:?}");
        assert_eq!(world.phase(), "idle", "{words:?}");
    }
    let world = World::seeded();
    world.to("execute");
    world.prompt("[PAUSE]");
    world.prompt("[RESUME]");
    world.stops().refuses("is open in execute");
}

#[test]
fn words_beside_a_paused_job_are_asked_about_once() {
    let world = World::seeded();
    world.to("observe");
    let job = world.job();
    world.prompt("[PAUSE]");
    let asked = world.prompt("and the parser, too");
    asked.tells("did not say whether these words continue it");
    assert!(asked.to_person().is_some_and(|told| told.contains("[RESUME]")), "{asked:?}");
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "the agent asks, and the turn may end");
    // They go on: the words are the job's.
    world.prompt("[RESUME]");
    assert_eq!(world.job(), job);
    let said = world.json("job show")["interactions"].to_string();
    assert!(said.contains("and the parser, too"), "{said}");

    // They do not: a job is born with all of them, and the next prompt without a job is one.
    world.prompt("[PAUSE]");
    world.prompt("look at the tests");
    world.prompt("a new one, please");
    let born = world.job();
    assert_ne!(born, job);
    let shown = world.json("job show");
    assert_eq!(shown["name"], "look at the tests");
    assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(2), "{shown}");
    world.prompt("[DROP]");
    world.prompt("write the manual");
    assert_eq!(world.json("job show")["name"], "write the manual");
    assert_eq!(world.json("job show")["interactions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn which_of_several_paused_jobs_goes_on_is_said_by_its_id() {
    let world = World::seeded();
    world.prompt("one");
    let one = world.job();
    world.prompt("[PAUSE]");
    world.prompt("[QUICK] two");
    let two = world.job();
    world.prompt("[PAUSE]");
    let both = world.prompt("[RESUME]");
    told(&both, &one);
    told(&both, &two);
    assert!(world.prompt("[RESUME] 20200101t000000-0000").to_person().is_some());
    assert_eq!(world.phase(), "none");
    world.prompt(&format!("[ON] {one}"));
    assert_eq!(world.job(), one);
    told(&world.prompt("[RESUME]"), "already active");
    // Nothing rests: the word says so, and bears no job.
    let world = World::seeded();
    told(&world.prompt("[RESUME]"), "no job is paused");
    assert_eq!(world.phase(), "none");
}

#[test]
fn a_person_pauses_in_any_phase_and_everything_waits() {
    for phase in ["observe", "plan", "execute", "verify", "condense"] {
        let world = at(phase);
        let job = world.job();
        let reply = world.prompt("[PAUSE] lunch");
        told(&reply, &format!("git seed job activate {job}"));
        reply.tells("paused the job");
        assert!(world.stops().is_silent(), "{phase}: the turn may end");
        assert_eq!(world.phase(), "none");
        world.edits(CODE, "fn", "fm").refuses("BLOCKED");
        assert_eq!(last_words(&world, &job).1, "[PAUSE] lunch");
        world.seed(&format!("job activate {job}")).succeeds();
        assert_eq!(world.phase(), phase);
        assert_eq!(
            world.json("phase current")["entry"]["multiplier"],
            json!(3.0),
            "{phase}: its dial too"
        );
    }
}

#[test]
fn off_and_on_by_prompt() {
    let world = at("observe");
    let job = world.job();
    told(&world.prompt("[OFF] by hand for a while"), "off in this worktree");
    assert_eq!(world.json("status")["enabled"], false);
    assert_eq!(world.sh("cat .git/seed/off/*").trim(), "by hand for a while");
    world.edits(CODE, "fn lex", "fn flex").passes();
    assert!(world.prompt("just words").is_silent());
    assert!(world.prompt("[PAUSE]").is_silent(), "only one word is heard");
    let reply = world.prompt("[ON] go on");
    told(&reply, "on again");
    reply.tells("observe");
    let opens = reply.context().unwrap_or_default();
    assert!(!opens.contains("by hand for a while"), "why it was off is no wish: {opens}");
    assert_eq!(world.json("status")["enabled"], true);
    world.edits(CODE, "fn flex", "fn lex").refuses("BLOCKED");
    assert_eq!(last_words(&world, &job).1, "[ON] go on");
    told(&world.prompt("[ON]"), "already on");
    world.prompt("[OFF]");
    assert_eq!(world.sh("cat .git/seed/off/*").trim(), "by prompt");
}

#[test]
fn words_without_a_job_bear_none() {
    let world = World::seeded();
    for text in ["[PAUSE]", "[ALLOW x]", "[APPROVE]", "[JOIN]", "[ON]", "[QUICK]", "[OFF]", "[ON]"]
    {
        assert!(world.prompt(text).to_person().is_some(), "{text}");
        assert_eq!(world.json("job list"), json!([]), "{text}");
    }
    world.prompt("[JOIN] Fix the lexer");
    assert_eq!(jobs(&world), [("Fix the lexer".to_owned(), "active".to_owned())]);
}

#[test]
fn what_is_nearly_a_word_is_said_to_be_none() {
    let world = at("execute");
    told(&world.prompt("[off]"), "[off] is no word of git seed and does nothing");
    assert_eq!(world.sh("ls .git/seed/off 2>/dev/null || true").trim(), "");
    told(&world.prompt("[Allow docs/] and go on"), "[ALLOW <path>]");
    let world = World::seeded();
    told(&world.prompt("[quick] fix the lexer"), "the word is written [QUICK]");
    assert_eq!(jobs(&world).len(), 1, "and it is a prompt like any other");
}

#[test]
fn the_mode_that_it_is_already_switches_on_again() {
    let world = at("execute");
    world.prompt("[OFF]");
    told(&world.prompt("[ON full]"), "on again");
    assert_eq!(world.sh("ls .git/seed/off 2>/dev/null || true").trim(), "");
    told(&world.prompt("[ON full]"), "the mode is full already");
}

// ---- [QUICK]

#[test]
fn quick_says_when_it_is_not_possible() {
    let world = at("condense");
    told(&world.prompt("[QUICK] and the typo"), "[QUICK] is not possible now");
    assert_eq!(world.phase(), "condense");
    let world = World::seeded();
    assert!(world.prompt("[QUICK] Fix the typo").to_person().is_some());
    assert_eq!(
        jobs(&world),
        [("Fix the typo".to_owned(), "active".to_owned())],
        "a job it is, in any case"
    );
}

// ---- [APPROVE]

#[test]
fn a_person_approves_where_the_question_could_be_asked() {
    let world = ready();
    let reply = world.prompt("[APPROVE] well done");
    told(&reply, "is approved");
    reply.tells("git seed phase advance");
    let shown = world.json("job show");
    assert_eq!((&shown["user_approval"], &shown["status"]), (&json!(true), &json!("completed")));
    assert_eq!(last_words(&world, &world.job()).1, "[APPROVE] well done");
    told(&world.prompt("[APPROVE]"), "approved nothing");
    world.leaves();
    assert_eq!(world.phase(), "none");
}

#[test]
fn an_approval_too_early_says_what_is_missing() {
    for phase in ["observe", "plan", "execute", "verify"] {
        let world = at(phase);
        told(&world.prompt("[APPROVE]"), "the work is not done");
        assert_eq!(world.json("job show")["user_approval"], false, "{phase}");
    }
    let world = at("condense");
    told(&world.prompt("[APPROVE]"), "memory is not settled");
    assert_eq!(world.json("job show")["user_approval"], false);
    let world = ready();
    world.seed("job create-dependent 'write the docs'").succeeds();
    told(&world.prompt("[APPROVE]"), "write the docs");
    assert_eq!(world.json("job show")["user_approval"], false);
}

#[test]
fn an_approval_of_a_session_without_a_person_does_not_count() {
    let world = ready();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    told(&world.prompt("[APPROVE]"), "does not count");
    assert_eq!(world.json("job show")["user_approval"], false);
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    told(&world.prompt("[APPROVE]"), "is approved");
}

#[test]
fn a_word_confirms_the_command_that_it_names() {
    let world = ready();
    assert!(!world.person("status").succeeds().contains("[OK "));
    let mut off = world.new_terminal("git seed off -m 'by hand'", "aaa111");
    let mut approve = world.new_terminal("git seed job approve", "k7m2qx");
    assert!(
        off.says().contains("[OK off aaa111]") && approve.says().contains("[OK approve k7m2qx]")
    );
    assert!(world.person("status").succeeds().contains("[OK <command> <code>]"));
    // Nobody sits there; then somebody does, and one of them goes on waiting.
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    told(&world.prompt("[OK approve k7m2qx]"), "no person was seen at this session");
    assert_eq!(world.json("job show")["user_approval"], false);
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    told(&world.prompt("[OK approve k7m2qx]"), "git seed job approve");
    let said = approve.ends();
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(world.json("job show")["user_approval"], true);
    // Its job has moved on by the approval.
    told(&world.prompt("[OK off aaa111]"), "has moved on");
    let said = off.ends();
    assert!(said.code == 2 && said.err.contains("has moved on"), "{said:?}");
    assert_eq!(world.json("status")["enabled"], true);
    // No tool makes a prompt: a subagent's, a scheduled one and the host's own say nothing.
    let mut off = world.new_terminal("git seed off -m 'by hand'", "bbb222");
    off.says();
    let said_word = "[OK off bbb222]";
    world.event("UserPromptSubmit", &json!({ "prompt": said_word, "agent_id": "a" }));
    world.prompt(&format!("<task-notification>{said_word}"));
    assert_eq!(world.json("status")["enabled"], true);
    world.prompt(said_word);
    let said = off.ends();
    assert!(said.code == 2 && said.err.contains("has seen the code"), "{said:?}");
}

/// A host that does not say whether a person is there, and that has no terminal, as `codex exec`
/// below a scheduler; the same with a terminal is a person's as far as can be told.
#[test]
fn a_host_without_mark_and_terminal_is_nobodys() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return;
    }
    for (host, prompt) in [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")] {
        for (terminal, approved) in [(false, false), (true, true)] {
            let world = World::new();
            world.person("init").succeeds();
            let cwd = world.repo().display().to_string();
            let puts = |name: &str, event: &str, fields: &Value| {
                let mut payload =
                    json!({ "session_id": "c", "cwd": cwd, "hook_event_name": event });
                for (key, value) in fields.as_object().expect("fields") {
                    payload[key] = value.clone();
                }
                std::fs::write(world.root().join(name), payload.to_string()).expect("written");
            };
            puts("start", "SessionStart", &json!({ "source": "startup" }));
            puts("prompt", prompt, &json!({ "prompt": "Fix the lexer" }));
            puts("approve", prompt, &json!({ "prompt": "[APPROVE]" }));
            let text = format!(
                "for event in start prompt approve; do git-seed hook {host} <../$event \
                 >../$event.out; done\n"
            );
            std::fs::write(world.root().join("host.sh"), text).expect("written");
            let line = if terminal {
                "script -qec 'sh ../host.sh' /dev/null </dev/null"
            } else {
                "setsid -w sh ../host.sh"
            };
            world.sh(line);
            let said = world.json("job show")["interactions"].clone();
            let told = std::fs::read_to_string(world.root().join("approve.out")).expect("there");
            assert_eq!(told.contains("no person was seen at this session"), !approved, "{told}");
            assert_eq!(said.as_array().map(Vec::len), Some(2), "{said}");
        }
    }
}

#[test]
fn a_mistyped_id_approves_no_other_job() {
    let world = ready();
    told(&world.prompt("[APPROVE] 20261121t205612-ffff"), "there is no job");
    told(&world.prompt("[APPROVE] 2026"), "there is no job");
    assert_eq!(world.json("job show")["user_approval"], false);
    let job = world.job();
    told(&world.prompt(&format!("[APPROVE] {job}")), "is approved");
}

// ---- who may not

#[test]
fn no_script_of_the_agents_says_a_short_word() {
    for way in WAYS {
        let world = ready();
        let prompt = |text: &str| ("UserPromptSubmit", json!({ "prompt": text }));
        let other =
            |text: &str| ("UserPromptSubmit", json!({ "prompt": text, "session_id": SECOND }));
        let words = ["[APPROVE]", "[ALLOW todo.txt]", "[PAUSE]", "[OFF]", "[JOIN]"];
        let mut events: Vec<_> = words.iter().map(|text| prompt(text)).collect();
        events.push(("SessionStart", json!({ "source": "startup", "session_id": SECOND })));
        events.extend(words.iter().map(|text| other(text)));
        script(&world, &events);
        world.agents_shell(way, "");
        unmoved(&world, way);
    }
}

/// Nothing that a short word does has happened.
#[track_caller]
fn unmoved(world: &World, after: &str) {
    assert_eq!(world.json("status")["enabled"], true, "{after}");
    let shown = world.json("job show");
    assert_eq!(
        (&shown["user_approval"], &shown["status"]),
        (&json!(false), &json!("active")),
        "{after}"
    );
    let tree = world.git(&format!("ls-tree --name-only refs/seed/jobs/{}", world.job()));
    assert!(!tree.lines().any(|name| name == "allowed"), "{after}: {tree}");
}

#[test]
fn words_that_are_no_persons_are_ordinary() {
    let words = ["[APPROVE]", "[ALLOW todo.txt]", "[PAUSE]", "[OFF]", "[JOIN]"];
    let world = ready();
    for text in words {
        world.event(
            "UserPromptSubmit",
            &json!({ "prompt": text, "agent_id": "a1", "agent_type": "helper" }),
        );
        unmoved(&world, "a subagent's event");
        world.prompt(&format!("<task-notification>{text}"));
        world.prompt(&format!("<task-notification>{text}</task-notification>\n{text}"));
        unmoved(&world, "a notification");
        world.prompt(&format!("please do not {text} yet"));
        world.prompt(&format!("> {text}"));
        world.prompt(&text.to_lowercase());
        unmoved(&world, "a word that does not stand at the head");
    }
    world.another_process_speaks();
    for text in words {
        world.prompt(text);
        unmoved(&world, "another process");
    }
}

#[test]
fn no_tool_makes_a_short_word() {
    let world = ready();
    let input = json!({ "cron": "* * * * *", "prompt": "[APPROVE] all is well" });
    world.before("CronCreate", &input, &world.next_call()).refuses("[APPROVE]");
    // A host that ran it all the same, or said so only afterwards.
    world.after("CronCreate", &input, &world.next_call(), &json!({ "id": "c1" }), 3);
    world.prompt("[APPROVE] all is well");
    unmoved(&world, "scheduled");
    let input = json!({ "cron": "* * * * *", "prompt": "[OFF]" });
    world.after("CronCreate", &input, &world.next_call(), &json!({ "id": "c2" }), 3);
    let job = world.job();
    world.prompt("[PAUSE]");
    assert_eq!(world.phase(), "none");
    world.prompt("[OFF]");
    assert_eq!(world.json("status")["enabled"], true, "scheduled by the job that rests now");
    world.seed(&format!("job activate {job}")).succeeds();
}

#[test]
fn a_scheduled_word_does_not_end_a_job_that_rests() {
    let world = night();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    let text = format!("[APPROVE] {job}");
    let input = json!({ "cron": "* * * * *", "prompt": text });
    world.after("CronCreate", &input, &world.next_call(), &json!({ "id": "c1" }), 3);
    world.leaves();
    world.prompt(&text);
    assert_eq!(world.json(&format!("job show {job}"))["status"], "awaiting you");
}

// ---- nights

#[test]
fn a_finished_job_rests_and_the_next_one_takes_the_focus() {
    let world = night();
    world.person("job create 'write the docs'").succeeds();
    world.to("condense");
    let first = world.job();
    world.works("condense");
    let out = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert!(out.contains("waits for the person's approval"), "{out}");
    assert!(out.contains("\"write the docs\" is now active and focused"), "{out}");
    assert_eq!(world.json("status")["job"]["name"], "write the docs");
    let rests = ("fix the lexer".to_owned(), "awaiting you".to_owned());
    assert!(jobs(&world).contains(&rests), "{:?}", jobs(&world));
    world.person("job list").tells(&format!("git seed job approve {first}"));
    assert_eq!(world.json(&format!("job show {first}"))["user_approval"], false);
    // The next one is driven by the same session, and goes its own way.
    world.seed("phase advance").succeeds();
    assert_eq!(world.phase(), "observe");
    world.stops().refuses("observe");
}

#[test]
fn a_job_that_rests_holds_up_no_stop_and_ends_by_a_persons_word_alone() {
    let world = night();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.leaves();
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent());
    let status = world.json("status");
    assert_eq!(
        (&status["awaiting"][0]["id"], &status["awaiting"][0]["status"]),
        (&json!(job), &json!("awaiting you"))
    );
    world.person("status").tells(&format!("git seed job approve {job}"));
    world.changes_nothing(|| world.seed(&format!("job approve {job}")).refuses("BLOCKED"));
    world.changes_nothing(|| world.seed(&format!("job activate {job}")).refuses("BLOCKED"));
    world.runs(&format!("git seed job approve {job}")).refuses("BLOCKED");
    told(&world.starts(), &format!("git seed job approve {job}"));
    told(&world.prompt(&format!("[APPROVE] {job} good work")), "is approved and completed");
    let shown = world.json(&format!("job show {job}"));
    assert_eq!((&shown["user_approval"], &shown["status"]), (&json!(true), &json!("completed")));
    assert_eq!(last_words(&world, &job).1, format!("[APPROVE] {job} good work"));
    told(&world.prompt(&format!("[APPROVE] {job}")), "does not await approval");
    assert_eq!(jobs(&world).len(), 1, "the words bore nothing");
}

#[test]
fn a_person_ends_a_job_that_rests_at_a_terminal_while_another_is_under_way() {
    let world = night();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.leaves();
    world.prompt("Now the parser");
    world.seed("phase advance").succeeds();
    world.person(&format!("job approve {job}")).tells("is approved and completed");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "completed");
    world.reads(CODE);
    assert_eq!(world.phase(), "observe");
}

#[test]
fn a_person_may_go_on_with_a_job_that_rests() {
    let world = night();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.leaves();
    world.person(&format!("job activate {job}")).succeeds();
    assert_eq!((world.job(), world.phase().as_str()), (job, "idle"));
    world.seed("phase advance").succeeds();
    assert_eq!(world.json("phase cycle"), 2);
}

#[test]
fn a_job_that_is_not_finished_does_not_rest() {
    let world = night();
    world.to("condense");
    world.works("condense");
    world.seed("phase advance --add-cycle 'one more' -F -").stdin(&message("condense")).succeeds();
    assert_eq!((world.phase().as_str(), jobs(&world)[0].1.as_str()), ("idle", "active"));
}

#[test]
fn a_rested_jobs_dependencies_are_settled_before_it_ends() {
    let world = night();
    world.to("condense");
    world.works("condense");
    let job = world.job();
    world.seed("job create-dependent 'write the docs'").succeeds();
    world.leaves();
    world.person(&format!("job approve {job}")).refuses("write the docs");
    told(&world.prompt(&format!("[APPROVE] {job}")), "approved nothing");
    assert_eq!(world.json(&format!("job show {job}"))["status"], "awaiting you");
}

#[test]
fn by_day_the_question_still_approves() {
    let world = night();
    world.to("condense");
    world.works("condense");
    world.asks(&completion()).passes().answers("Approve completion");
    world.leaves();
    assert_eq!(jobs(&world)[0].1, "completed");
}

#[test]
fn where_the_rules_ask_a_finished_job_does_not_rest() {
    let world = ready();
    world.leaves();
    assert_eq!((world.phase().as_str(), jobs(&world)[0].1.as_str()), ("idle", "active"));
}

// ---- storms

#[test]
fn the_fifth_refusal_of_a_kind_brings_an_example_and_one_line_to_the_person() {
    let world = at("observe");
    for n in 1..=6 {
        let did = world.edits(CODE, "fn lex", "fn flex");
        did.refuses("BLOCKED");
        let why = did.before.refusal().unwrap_or_default().to_owned();
        assert_eq!(why.contains("Example: "), n >= 5, "{n}: {why}");
        assert_eq!(did.before.to_person().is_some(), n == 5, "{n}: {did:?}");
    }
}

#[test]
fn an_accepted_act_in_between_calms_it() {
    let world = at("observe");
    for _ in 0..3 {
        for _ in 0..4 {
            let did = world.edits(CODE, "fn lex", "fn flex");
            assert!(did.before.to_person().is_none(), "{did:?}");
        }
        world.reads(CODE).passes();
    }
    let without = World::seeded();
    for _ in 0..3 {
        for _ in 0..4 {
            let did = without.edits(CODE, "fn lex", "fn flex");
            assert!(did.before.to_person().is_none(), "{did:?}");
        }
        without.reads(CODE).passes();
    }
}

#[test]
fn refused_boundaries_count_and_the_person_hears_with_the_commands_end() {
    let world = at("observe");
    world.is_heard();
    for n in 1..=6 {
        let did = world.runs("git seed phase advance -m nothing");
        let said = did.said.clone().expect("it ran");
        assert_eq!(said.code, 2, "{said:?}");
        assert_eq!(said.err.contains("Example: "), n >= 5, "{n}: {said:?}");
        assert_eq!(did.after.to_person().is_some(), n == 5, "{n}: {did:?}");
    }
}

// ---- guests

#[test]
fn a_guest_joins_and_the_driver_becomes_the_guest() {
    let world = at("execute");
    let job = world.job();
    let names_join = || world.seed("status").succeeds().contains("[JOIN]");
    assert!(!names_join(), "nobody else is there");
    world.session(SECOND);
    world.starts();
    assert!(names_join(), "a second session is");
    world.edits(CODE, "fn lex", "fn flex").refuses("another session");
    for word in ["[PAUSE]", "[ALLOW todo.txt]", "[APPROVE]", "[QUICK] x"] {
        told(&world.prompt(word), "[JOIN]");
    }
    world.changes_nothing(|| world.prompt("do my bidding"));
    let reply = world.prompt("[JOIN] I go on here");
    told(&reply, "this session now drives");
    reply.tells("execute");
    assert_eq!(last_words(&world, &job).1, "[JOIN] I go on here");
    world.edits(CODE, "fn lex", "fn flex").passes();
    world.session(FIRST);
    world.edits(CODE, "fn flex", "fn lex").refuses("another session");
    world.changes_nothing(|| world.prompt("and now?"));
    assert!(world.stops().is_silent());
    told(&world.prompt("[JOIN]"), "this session now drives");
    told(&world.prompt("[JOIN]"), "already");
    world.edits(CODE, "fn flex", "fn lex").passes();
}

#[test]
fn when_the_drivers_session_ended_the_next_prompt_takes_over() {
    let world = at("execute");
    let job = world.job();
    world.session(SECOND);
    world.starts();
    world.prompt("hello");
    assert_eq!(jobs(&world).len(), 1, "a guest's prompt bears no job");
    world.session(FIRST);
    world.ends();
    world.session(SECOND);
    world.prompt("go on with it");
    assert_eq!(last_words(&world, &job).1, "go on with it");
    world.edits(CODE, "fn lex", "fn flex").passes();
    world.session(FIRST);
    world.starts();
    world.edits(CODE, "fn flex", "fn lex").refuses("another session");
}

/// Where who types cannot be told, these are refused at once: nothing a session says opens them.
#[test]
fn what_changes_who_judges_or_cannot_be_taken_back_waits_for_no_code() {
    let world = World::prompted();
    let job = world.job();
    world.puts("seed.toml", "[mode]\ndefault = \"watch\"\n");
    for command in [
        "rules apply",
        &format!("rules apply --job {job}"),
        "job approve-plugin",
        &format!("job redact {job}"),
        &format!("job redact {job} 1"),
        "uninstall",
        "uninstall --keep-history",
        "init --mode watch",
        "init --track quick",
        "init --grant",
    ] {
        let line = format!("git seed {command}");
        let said = world.changes_nothing(|| world.new_terminal(&line, "k7m2qx").ends());
        assert_eq!(said.code, 2, "{said:?}");
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains("k7m2qx") && !all.contains("[OK "), "{all}");
        for part in ["takes no code", "Do: end the agent's sessions", "new terminal", "Then: "] {
            assert!(all.contains(part), "{command} lacks {part}: {all}");
        }
    }
    // What only shows asks nobody.
    world.new_terminal(&format!("git seed job redact {job} --dry-run"), "k7m2qx").ends();
}

//! "Commit and push": what an agent does with git, and who answers for it.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, Did, World, completion, question};

/// A person sits at the host, and the branch has an upstream.
fn attended(world: World) -> World {
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    world.sh("git init -q --bare ../upstream.git && git remote add origin ../upstream.git");
    world.sh("git push -qu origin main");
    world.session("a-person-sits-here");
    world.starts();
    world
}

#[track_caller]
fn asks(did: &Did, expected: &str) {
    let question = did.before.question();
    let question = question.unwrap_or_else(|| panic!("nobody is asked: {did:?}"));
    assert!(question.contains(expected), "lacks {expected:?}: {question}");
}

fn bash(line: &str) -> serde_json::Value {
    json!({ "command": line, "description": "scripted command" })
}

fn upstream(world: &World) -> String {
    world.git("--git-dir ../upstream.git log -1 --format=%s main").trim().to_owned()
}

#[test]
fn commit_and_push_are_asked_for_between_jobs() {
    let world = attended(World::seeded());
    world.puts("mine.txt", "by hand\n");
    let did = world.runs("git add -A && git commit -qm 'mine' && git push -q");
    // What was asked and allowed runs, past git's own hooks, and leaves nothing to explain.
    asks(&did, "git add -A");
    asks(&did, "git commit -qm 'mine'");
    asks(&did, "sends this branch to its own upstream");
    assert_eq!(did.after.context(), None, "{did:?}");
    assert_eq!(upstream(&world), "mine");
    // What the question let through is over with the call.
    world.puts("more.txt", "by hand\n");
    let said = world.agents_shell("git add -A && git commit -qm more", "");
    assert!(said.err.contains("more.txt"), "{said:?}");
    world.git("reset -q");
    // In talk alike; the work begins on what was committed.
    world.prompt("commit and push what I have, then fix the lexer");
    asks(&world.runs("git add -A && git commit -qm more"), "commits what is in the index");
    asks(&world.runs("git push -q"), "upstream");
    assert_eq!((world.git("status --porcelain").as_str(), upstream(&world).as_str()), ("", "more"));
    world.enters("observe");
    world.person("verify").succeeds();
}

#[test]
fn after_the_approval_the_work_is_pushed() {
    let world = attended(World::seeded());
    world.to("condense");
    world.works("condense");
    world.runs("git push").refuses("no prompt of this job asks for git push");
    world.runs("git push").refuses("after the job is approved, the host asks them");
    // Where the host puts no question, nobody is said to be asked later.
    let bypass = json!({ "tool_name": "Bash", "tool_input": { "command": "git push" },
        "tool_use_id": "bypass", "permission_mode": "bypassPermissions" });
    world.event("PreToolUse", &bypass).refuses("the host asks nobody here");
    world.asks(&completion()).passes().answers("Approve completion");
    asks(&world.runs("git push -q"), "git push -q");
    world.leaves();
    asks(&world.runs("git push -q origin HEAD:review"), "../upstream.git; refs: HEAD:review");
    assert!(upstream(&world).starts_with("verify:"), "pushed before the last step");
    let far = "git push https://me:secret@example.org/a.git main --force";
    let question = world.before("Bash", &bash(far), "far");
    let question = question.question().expect("it is asked").to_owned();
    assert!(question.contains("contacts https://example.org/a.git; refs: main"), "{question}");
}

#[test]
fn at_work_nobody_is_said_to_be_asked_where_nobody_is_there() {
    let world = World::seeded();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.sh("git init -q --bare ../upstream.git && git remote add origin ../upstream.git");
    world.to("execute");
    for line in ["git push origin HEAD", "git push --tags origin", "git fetch -q"] {
        let told = world.runs_and(line, || {});
        let text = told.before.refusal().expect("it is refused").to_owned();
        assert!(!text.contains("the host asks them"), "{line}: {text}");
    }
    world.runs("git push origin HEAD").refuses("the host asks nobody here");
    world.runs("git push --mirror origin").refuses("the person can allow that");
}

#[test]
fn where_nobody_can_be_asked_the_person_opens_one_call_by_its_words() {
    let world = World::seeded();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.sh("git init -q --bare ../upstream.git && git remote add origin ../upstream.git");
    world.runs("git push origin HEAD").refuses("[ALLOW git push origin HEAD]");
    let told = world.prompt("[ALLOW git push origin HEAD]");
    assert!(told.to_person().is_some_and(|told| told.contains("git push origin HEAD")), "{told:?}");
    assert_eq!(world.phase(), "none", "no job is born of it");
    world.runs("git push origin main").refuses("[ALLOW git push origin main]");
    for more in
        ["cd .. && git push origin HEAD", "git push origin HEAD; true", "X=1 git push origin HEAD"]
    {
        assert!(world.runs(more).before.refusal().is_some(), "{more} is more than was opened");
    }
    let first = world.before("Bash", &bash("git push origin HEAD"), "one");
    assert!(first.is_silent(), "{first:?}");
    // Told twice it is the same call; another one is another one.
    assert!(world.before("Bash", &bash("git push origin HEAD"), "one").is_silent());
    world
        .before("Bash", &bash("git push origin HEAD"), "two")
        .refuses("allowed git push origin HEAD once");
    world.after("Bash", &bash("git push origin HEAD"), "one", &json!({}), 40);
    world.before("Bash", &bash("git push origin HEAD"), "two").refuses("nobody can be asked");
    // The next prompt ends it.
    world.prompt("[ALLOW git push origin HEAD] and tell me what came of it");
    assert!(world.runs("git push -q origin HEAD").before.refusal().is_some());
    world.prompt("or rather not");
    world.runs("git push origin HEAD").refuses("nobody can be asked");
    for line in ["git push --no-verify", "git -c core.hooksPath=/x commit -m x", "rm -rf x", "gitk"]
    {
        let told = world.prompt(&format!("[ALLOW {line}]"));
        assert!(world.runs(line).before.refusal().is_some(), "{line}: {told:?}");
    }
}

/// A leave is for one push, and a push that sent nothing was none.
#[test]
fn a_push_that_sent_nothing_uses_up_no_leave() {
    let world = World::seeded();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.sh("git init -q --bare ../upstream.git && git remote add origin ../upstream.git");
    world.sh("git push -q origin HEAD");
    let pushes = |line: &str| {
        let did = world.runs(line);
        did.before.passes();
        let said = did.said.expect("it ran");
        format!("{}{}", said.out, said.err)
    };
    let commits = |text: &str| {
        world.puts("todo.txt", text);
        world.sh("git commit -qam more");
    };
    let push = "git push origin HEAD";
    world.prompt("[ALLOW git push origin HEAD]");
    assert!(pushes(push).contains("Everything up-to-date"));
    commits("more\n");
    assert!(pushes(push).contains(" -> "));
    commits("yet more\n");
    world.runs(push).refuses("nobody can be asked");
    // A quiet one is known by the logs of refs.
    world.prompt("[ALLOW git push -q origin HEAD]");
    assert_eq!(pushes("git push -q origin HEAD"), "");
    world.runs("git push -q origin HEAD").refuses("nobody can be asked");
    std::thread::sleep(std::time::Duration::from_secs(3));
    world.prompt("[ALLOW git push -q origin HEAD]");
    assert_eq!(pushes("git push -q origin HEAD"), "");
    assert_eq!(pushes("git push -q origin HEAD"), "", "it sent nothing, and is open still");
    // One that is turned down sent nothing, either.
    world.sh("git push -q -f origin HEAD~1:refs/heads/side");
    commits("other\n");
    world.sh("git push -q origin HEAD:side && git reset -q --hard HEAD~1");
    world.prompt("[ALLOW git push origin HEAD~1:side]");
    for _ in 0..2 {
        assert!(pushes("git push origin HEAD~1:side").contains("[rejected]"));
    }
}

/// A line that bends git is told what its plain one would be told, and the example is its own.
#[test]
fn a_bent_line_is_told_what_leads_on() {
    let world = World::seeded();
    world.prompt("Fix the lexer");
    world.to("execute");
    for line in ["git commit -qam fix --no-verify", "git -c core.hooksPath=/x commit -m x"] {
        let did = world.runs(line);
        did.refuses("git seed makes the commits of a job");
        assert!(!format!("{did:?}").contains("for example"), "{line}: {did:?}");
    }
    world.runs("git stash --no-verify").refuses("[ALLOW git stash");
    for (line, plain) in [
        ("git push --no-verify", "for example: git push\n"),
        ("git -c core.hooksPath=/x fetch", "for example: git fetch\n"),
    ] {
        world.runs(line).refuses(plain);
    }
}

#[test]
fn what_the_settings_would_answer_for_the_person_is_not_asked() {
    let world = attended(World::seeded());
    let local = world.text(".claude/settings.local.json");
    let mut settings: serde_json::Value = serde_json::from_str(&local).expect("it is JSON");
    settings["permissions"] = json!({ "allow": ["Bash(npm test:*)", "Bash(git push:*)"] });
    world.puts(".claude/settings.local.json", &settings.to_string());
    world.runs("git push").refuses("the host's rule Bash(git push:*) would answer");
    asks(&world.runs("git fetch -q"), "git fetch");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    world.runs("git fetch -q").refuses("nobody can be asked");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    for mode in ["plan", "bypassPermissions", "dontAsk", "auto"] {
        let payload = json!({ "tool_name": "Bash", "tool_input": bash("git fetch"),
            "tool_use_id": mode, "permission_mode": mode });
        world.event("PreToolUse", &payload).refuses("in this mode the host does not ask");
    }
    let subagent = json!({ "tool_name": "Bash", "tool_input": bash("git fetch"),
        "tool_use_id": "sub", "agent_id": "a1", "agent_type": "general" });
    world.event("PreToolUse", &subagent).refuses("nobody can be asked");
}

#[test]
fn during_the_work_the_persons_words_name_what_is_asked() {
    let world = attended(World::seeded());
    world.to("execute");
    world.runs("git push").refuses("no prompt of this job asks for git push");
    world.runs("git stash").refuses("a person can allow the command with [ALLOW git stash]");
    world.runs("git merge side").refuses("[ALLOW git merge side]");
    world.prompt("when the tests pass, push it");
    asks(&world.runs("git push -q"), "The job is in execute; nobody has approved it yet.");
    world.prompt("no, do not push before I have seen it");
    world.runs("git push").refuses("no, do not push before I have seen it");
    world.prompt("[ALLOW git push]");
    assert!(world.runs("git push").before.is_silent());
    // It had nothing to send, and used up nothing.
    assert!(world.runs("git push").before.is_silent());
    world.prompt("no, do not push before I have seen it");
    world.runs("git push").refuses("do not push");
    for line in ["git rebase main", "git commit --amend --no-edit", "git reset --hard HEAD~1"] {
        world.runs(line).refuses("would remove or replace commits of this job");
        world.prompt(&format!("[ALLOW {line}]"));
        world.runs(line).refuses("would remove or replace commits of this job");
    }
    // The work goes on as if nothing had been.
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

/// What goes beyond the row is told with where it goes and which refs, asked for or refused.
#[test]
fn a_push_beyond_its_row_is_told_with_address_and_refs() {
    let world = attended(World::seeded());
    world.sh("git init -q --bare ../far.git && git remote add other ../far.git");
    world.sh("git branch side && git tag v1 && git tag v2 && git tag v3 && git tag v4");
    let far = "../far.git; refs: ";
    let near = "../upstream.git; refs: ";
    let cases = [
        ("git push other", far, "refs/heads/main"),
        ("git push origin main:release", near, "main:release"),
        ("git push -o ci.skip origin HEAD", near, "HEAD:refs/heads/main"),
        ("git push --tags", near, "refs/tags/v1 refs/tags/v2 refs/tags/v3"),
        ("git push --all other", far, "refs/heads/main refs/heads/side"),
        ("git push origin --delete side", near, ":side"),
        ("git push --follow-tags", near, "refs/heads/main and the tags of these commits"),
        ("git push other 'refs/heads/*'", far, "refs/heads/main refs/heads/side"),
        ("git fetch other main:main", far, "main:main"),
    ];
    let asked = |line: &str| {
        let reply = world.before("Bash", &bash(line), &world.next_call());
        reply.question().unwrap_or_else(|| panic!("nobody is asked: {line}: {reply:?}")).to_owned()
    };
    for (line, to, refs) in cases {
        let told = asked(line);
        assert!(told.contains(&format!("contacts {to}{refs}")), "{line}: {told}");
        assert!(told.contains("does more than usual"), "{line}: {told}");
    }
    assert!(!asked("git push").contains("more than usual"), "its own upstream");
    world.sh("git config push.default matching");
    assert!(asked("git push").contains("refs/heads/main refs/heads/side"));
    world.sh("git config --unset push.default && git switch -q -c alone");
    let told = asked("git push");
    assert!(told.contains(&format!("{near}refs/heads/alone")), "no upstream: {told}");
    world.sh("git switch -q main && git branch -qD alone");

    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    for (line, to, refs) in cases {
        let reply = world.before("Bash", &bash(line), &world.next_call());
        let why = reply.refusal().unwrap_or_else(|| panic!("{line} is not refused: {reply:?}"));
        let named = format!("about {line} here (it contacts {to}{refs}");
        assert!(why.contains(&named), "{line}: {why}");
        let said = why.split("\nExample:").next().unwrap_or_default();
        assert!(said.split_whitespace().count() <= 60, "{line}: {why}");
    }
    world.runs("git push --tags").refuses("refs/tags/v3 and 1 more)");
    let bare = world.runs("git push").before;
    assert!(bare.refusal().is_some_and(|why| !why.contains("contacts")), "{bare:?}");
}

#[test]
fn a_branch_that_is_opened_at_head_takes_the_job_along() {
    let world = attended(World::seeded());
    world.to("execute");
    world.prompt("do it on a branch of its own");
    let did = world.runs("git switch -q -c lexer");
    asks(&did, "the job moves with it");
    did.after.tells("the job moved to lexer");
    world.works("execute");
    world.leaves();
    assert_eq!(
        (world.phase().as_str(), world.git("branch --show-current").trim()),
        ("verify", "lexer")
    );
    world.person("verify").succeeds();
}

#[test]
fn a_commit_in_the_middle_of_the_work_holds_the_persons_own_changes() {
    let world = attended(World::new().installed());
    world.puts("todo.txt", "a\nb\nc\nd\n");
    world.to("execute");
    world.prompt("commit my todo.txt, it has nothing to do with it");
    world.writes("src/parser/token.rs", "fn token() {}\n").passes();
    // Nobody is asked about what would be refused behind the answer.
    let takes = "would take src/parser/token.rs along, and execute may not commit it";
    for line in ["git add -A && git commit -qm 'all of it'", "git add src && git commit -qm 'src'"]
    {
        world.runs(line).refuses(takes);
    }
    world.git("add src/parser/token.rs");
    world.runs("git commit -qm 'what is staged'").refuses(takes);
    world.git("reset -q");
    let did = world.runs("git add todo.txt && git commit -qm 'what is to do'");
    assert!(did.after.refusal().is_none(), "{did:?}");
    assert_eq!(world.git("log -1 --format=%s").trim(), "what is to do");
    world.works("execute");
    world.leaves();
    assert_eq!(world.files_of_head().contains(&CODE.to_owned()), true);
    world.person("verify").succeeds();
}

#[test]
fn no_push_takes_the_refs_of_git_seed_along() {
    let world = attended(World::seeded());
    let own = "git seed's own refs";
    world.runs("git push --mirror origin").refuses(own);
    for spec in ["'+refs/*:refs/*'", "HEAD:refs/seed/meta"] {
        world.runs(&format!("git push origin {spec}")).refuses("git seed");
    }
    for (key, value) in [("push", "refs/*:refs/*"), ("mirror", "true"), ("push", "refs/seed/*")] {
        world.sh(&format!("git config remote.origin.{key} '{value}'"));
        world.runs("git push").refuses(own);
        world.runs("git push origin").refuses(own);
        world.sh(&format!("git config --unset remote.origin.{key}"));
    }
    // What is wide without them is asked for with each ref by its name.
    world.sh("git branch side && git tag v1");
    for (line, named) in [
        ("git push --all origin", "refs/heads/main refs/heads/side"),
        ("git push --tags", "../upstream.git; refs: refs/tags/v1"),
    ] {
        let question = world.before("Bash", &bash(line), line);
        let question = question.question().expect("it is asked").to_owned();
        assert!(question.contains(named), "{line}: {question}");
    }
    world.prompt("[ALLOW git push --mirror origin]");
    world.runs("git push --mirror origin").refuses(own);
    // Not even where git is open otherwise.
    world.prompt("fix the lexer");
    let why = "the build is broken by a file outside of the directories ".repeat(10);
    let gmode = question(&format!("[GMODE] fix it: {why}"), &["Enter gmode", "Stay in phase"]);
    world.asks(&gmode).passes().answers("Enter gmode");
    world.runs("git push --mirror origin").refuses(own);
    let there = world.git("--git-dir ../upstream.git for-each-ref --format='%(refname)'");
    assert_eq!(there, "refs/heads/main");
}

/// Whatever spells a push, git's own hook sees what goes, and an agent sends none of our refs.
#[test]
fn no_spelling_of_a_push_sends_the_refs_of_git_seed() {
    let world = World::seeded();
    world.sh("git init -q --bare ../far.git && git remote add origin ../far.git");
    world.sh("git push -qu origin main");
    world.to("execute");
    let meta = world.git("rev-parse refs/seed/meta").trim().to_owned();
    let spellings = [
        "git push --mirror".to_owned(),
        "git push origin 'refs/*:refs/*'".to_owned(),
        "V=push; git $V --mirror".to_owned(),
        "git $(echo push) origin refs/seed/meta".to_owned(),
        "jobs -x git push --mirror".to_owned(),
        "$(which git) push origin refs/seed/meta:refs/heads/x".to_owned(),
        "f(){ git \"$@\"; }; f push --mirror".to_owned(),
        "echo push --mirror | xargs git".to_owned(),
        "bash -c \"$(rev <<< 'rorrim-- hsup tig')\"".to_owned(),
        "cat <<< 'git push --mirror' | bash".to_owned(),
        "git -c alias.pp=push pp origin refs/notes/seed".to_owned(),
        "\"$(git --exec-path)/git-push\" origin refs/worktree/seed/focus:refs/heads/y".to_owned(),
        format!("git push origin {meta}:refs/heads/z"),
    ];
    for line in &spellings {
        let said = world.agents_shell(&format!("bash -c '{}'", line.replace('\'', "'\\''")), "");
        assert!(said.err.contains("git seed's own refs"), "{line}: {said:?}");
        let there = world.sh("git --git-dir ../far.git for-each-ref --format='%(refname)'");
        assert_eq!(there.trim(), "refs/heads/main", "{line}");
    }
    let said = world.agents_shell("git push -q origin HEAD:refs/heads/plain", "");
    assert_eq!(said.code, 0, "{said:?}");
    // A person may.
    let said = world.tries("git push -q origin refs/seed/meta");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}

#[test]
fn git_that_the_line_does_not_show_is_refused_in_execute() {
    let world = World::seeded();
    world.to("execute");
    for line in [
        "V=push; git $V --mirror",
        "git $(echo commit) --no-verify -m x",
        "$(which git) update-ref -d refs/seed/meta",
        "echo push --mirror | xargs git",
        "git -c help.autocorrect=immediate psh",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.pp GIT_CONFIG_VALUE_0=push git pp",
        "script -qc 'git push --mirror' /dev/null",
        "git -c core.hooksPath=/tmp status",
    ] {
        assert!(world.runs_and(line, || {}).before.refusal().is_some(), "{line}");
    }
    for line in
        ["V=status; git $V", "git -c color.ui=always log -1", "git show $(git rev-parse HEAD)"]
    {
        world.runs(line).passes();
    }
}

#[test]
fn no_tool_is_a_way_to_the_refs_and_files_of_git_seed() {
    let world = World::seeded();
    world.to("execute");
    let before = |tool: &str, input: serde_json::Value| {
        world.before(tool, &input, &world.next_call()).refusal().is_some()
    };
    let mut passed = Vec::new();
    for path in [
        ".git/refs/seed/meta",
        ".git/refs/worktree/seed/focus",
        ".git/logs/refs/seed/meta",
        ".git/worktrees/x/seed/journal",
    ] {
        if !before("Read", json!({ "file_path": world.path(path) })) {
            passed.push(path);
        }
        if !before("mcp__files__read", json!({ "options": { "paths": [world.path(path)] } })) {
            passed.push(path);
        }
    }
    let other = format!("/proc/{}/cwd/.git/seed/journal/main.jsonl", std::process::id());
    if !before("Read", json!({ "file_path": other })) {
        passed.push("proc");
    }
    for (tool, input) in [
        ("Grep", json!({ "pattern": "x", "path": world.path(".git/refs/seed") })),
        ("Grep", json!({ "pattern": "x", "glob": ".git/seed/**" })),
        ("Glob", json!({ "pattern": ".git/seed/**" })),
        ("WebFetch", json!({ "url": "file:///a/.git/seed/journal/main.jsonl", "prompt": "x" })),
        ("LSP", json!({ "filePath": ".git/seed/journal/main.jsonl" })),
        ("Edit", json!({ "file_path": "", "old_string": "a", "new_string": "b" })),
        ("Write", json!({ "file_path": ["todo.txt"], "content": "x" })),
        ("Write", json!({ "content": "x" })),
    ] {
        if !before(tool, input) {
            passed.push(tool);
        }
    }
    assert!(passed.is_empty(), "{passed:?}");
    for (tool, input) in [
        ("Glob", json!({ "pattern": "**/seed*" })),
        ("mcp__files__read", json!({ "path": "src/seed.rs", "about": "what .git/seed is for" })),
        ("Read", json!({ "file_path": world.path("todo.txt") })),
    ] {
        assert!(!before(tool, input), "{tool}");
    }
}

/// What a tool of an MCP server publishes, sends or deletes is answered for as the same act of a
/// line is: by its name, whatever server it is of.
#[test]
fn a_tool_that_publishes_is_a_persons_to_allow() {
    const OPENS: &str = "mcp__github__create_pull_request";
    let world = attended(World::seeded());
    let said = |title: &str| json!({ "owner": "x", "title": title, "head": "main" });
    let calls = |tool: &str, title: &str| world.before(tool, &said(title), &world.next_call());
    let of_event = |fields: serde_json::Value| {
        let mut payload = json!({ "tool_name": OPENS, "tool_input": said("Escapes"),
            "tool_use_id": "an-id" });
        payload
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().cloned().expect("one"));
        world.event("PreToolUse", &payload)
    };
    let question = calls(OPENS, "Escapes");
    let question = question.question().expect("between jobs the person is asked");
    assert!(question.contains("pull or merge request"), "{question}");
    world.puts("tests/lex.rs", "#[test]\nfn lexes() {}\n");
    world.sh("git add -A && git commit -qm 'a test'");
    world.to("execute");
    for tool in [
        OPENS,
        "mcp__github__merge_pull_request",
        "mcp__github__push_files",
        "mcp__github__create_or_update_file",
        "mcp__github__delete_file",
        "mcp__slack__post_message",
        "mcp__strange__publish_package",
        "mcp__strange__sendEmail",
        "mcp__strange__reply_to_thread",
    ] {
        calls(tool, "Escapes").refuses(&format!("no prompt of this job asks for {tool}"));
        calls(tool, "Escapes").refuses(&format!("[ALLOW {tool}]"));
    }
    for tool in [
        "mcp__filesystem__write_file",
        "mcp__filesystem__delete_file",
        "mcp__files__write",
        "mcp__github__get_issue",
        "mcp__github__pull_request_read",
        "mcp__db__query",
    ] {
        assert!(calls(tool, "Escapes").is_silent(), "{tool}");
    }
    // A prompt names it, and somebody is there.
    world.prompt("open a pull request when the tests pass");
    assert!(calls(OPENS, "Escapes").question().is_some());
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    calls(OPENS, "Escapes").refuses("nobody can be asked");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    of_event(json!({ "permission_mode": "bypassPermissions" })).refuses("the host does not ask");
    of_event(json!({ "agent_id": "a1", "agent_type": "general" })).refuses("nobody can be asked");
    // Work that nothing tested is not let out, nor are words that nothing shows.
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    calls(OPENS, "Escapes").refuses("no test run has covered");
    world.tests();
    assert!(calls(OPENS, "Escapes").question().is_some());
    calls(OPENS, "Released 2.0 to npm").refuses("Released 2.0 to npm");
    world.prompt("no pull request, please");
    calls(OPENS, "Escapes").refuses("no pull request, please");
    // One call of that tool is opened, and no other one.
    let told = world.prompt(&format!("[ALLOW {OPENS}] it is late"));
    assert!(told.to_person().is_some_and(|told| told.contains(OPENS)), "{told:?}");
    calls("mcp__github__push_files", "Escapes").refuses("[ALLOW mcp__github__push_files]");
    assert!(calls(OPENS, "Escapes").is_silent());
    calls(OPENS, "Escapes").refuses(&format!("allowed {OPENS} once"));
    // A rule of the host's that would answer is no person.
    let local = world.text(".claude/settings.local.json");
    let mut settings: serde_json::Value = serde_json::from_str(&local).expect("it is JSON");
    world.prompt("do open the pull request");
    for rule in ["mcp__github", "mcp__github__*", OPENS] {
        settings["permissions"] = json!({ "allow": [rule, "mcp__git", "Bash(ls)"] });
        world.puts(".claude/settings.local.json", &settings.to_string());
        calls(OPENS, "Escapes").refuses(&format!("the host's rule {rule} would answer"));
    }
}

/// A repository in which `feature` and the branch here changed the same line of the README.
fn in_conflict() -> World {
    let world = World::new();
    let commits = |text: &str, words: &str| {
        world.puts("README.md", text);
        world.git("add README.md");
        world.git(&format!("commit -qm {words}"));
    };
    commits("# calc\n\na smal one\n", "readme");
    world.git("switch -qc feature");
    commits("# calc\n\na little one\n", "little");
    world.git("switch -q main");
    commits("# calc\n\na small one\n", "small");
    attended(world.installed())
}

#[test]
fn a_merge_that_a_person_allowed_is_resolved_and_ended() {
    let world = in_conflict();
    // What ends a merge is open to nobody who was not allowed to begin one.
    world.prompt("merge feature");
    world.runs("git merge --abort").refuses("[ALLOW git merge --abort]");
    world.prompt("[ALLOW git merge feature] merge it, and resolve the conflict in README.md");
    world.runs("git merge feature").passes();
    assert!(world.text("README.md").contains("<<<<<<<"), "it conflicts");
    world.runs("git add README.md && git commit -q --no-edit").refuses("README.md conflicted");
    world.writes("todo.txt", "x\n").refuses("");
    world.reads("README.md").passes();
    world.seed("phase advance --small --scope . -m 'a; b; c'").refuses("git add README.md, then");
    world.writes("README.md", "# calc\n\na little one\n").passes();
    let did = world.runs("git add README.md");
    assert!(did.before.question().is_none() && did.before.refusal().is_none(), "{did:?}");
    asks(&world.runs("git commit -q --no-edit"), "git commit -q --no-edit");
    assert_eq!(world.git("log -1 --format=%s").trim(), "Merge branch 'feature'");
    assert_eq!(world.git("status --porcelain").trim(), "");
    // It is over, and so is the permission.
    world.writes("README.md", "x\n").refuses("");
    world.runs("git merge --abort").refuses("[ALLOW git merge --abort]");
}

#[test]
fn a_merge_in_the_middle_of_a_job_is_ended_there_and_the_job_goes_on() {
    let world = in_conflict();
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'a; b; c'").succeeds();
    world.prompt("[ALLOW git merge feature] merge it first");
    world.runs("git merge feature").passes();
    world.seed("phase advance -m 'the lexer keeps escapes'").refuses("git commit --no-edit");
    world.reads("README.md").passes();
    world.writes("README.md", "# calc\n\na little one\n").passes();
    world.runs("git add README.md").passes();
    asks(&world.runs("git merge --continue"), "git merge --continue");
    assert_eq!(world.git("log -1 --format=%s").trim(), "Merge branch 'feature'");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    assert_eq!(
        (world.phase(), world.files_of_head()),
        ("condense".to_owned(), vec![CODE.to_owned()])
    );
}

/// A tool of the host's that does what a command of git does is judged as that command.
#[test]
fn a_tool_that_leads_into_another_work_tree_is_judged_as_git_is() {
    let tool = |world: &World, name: &str, input: &str| {
        let input: serde_json::Value = serde_json::from_str(input).expect("JSON");
        world.before(name, &input, &world.next_call())
    };
    let entering = r#"{ "name": "x" }"#;
    for phase in ["observe", "execute", "verify"] {
        let world = World::seeded();
        world.to(phase);
        tool(&world, "EnterWorktree", entering).refuses("git worktree add x");
        tool(&world, "EnterWorktree", r#"{ "path": "../y z" }"#).refuses("git worktree add");
        tool(&world, "EnterWorktree", "{}").refuses("git worktree add");
        tool(&world, "ExitWorktree", r#"{ "action": "keep" }"#).refuses("git worktree remove");
    }
    // As the command, where no step was taken yet, and behind the word of a person.
    let world = World::prompted();
    let line = "git worktree add x";
    let same = world.before("Bash", &bash(line), &world.next_call());
    let said = tool(&world, "EnterWorktree", entering);
    assert_eq!(said.refusal(), same.refusal());
    world.prompt("[ALLOW git worktree add x]");
    tool(&world, "EnterWorktree", entering).passes();
}

/// The person reads where a push goes, and whether that is where their branch belongs.
#[test]
fn the_question_before_a_push_says_where_it_goes() {
    let world = attended(World::seeded());
    world.sh("git init -q --bare ../fork.git && git remote add fork ../fork.git");
    let asked = |line: &str| {
        let reply = world.before("Bash", &bash(line), &world.next_call());
        reply.question().unwrap_or_else(|| panic!("nobody is asked: {line}: {reply:?}")).to_owned()
    };
    let cases = [
        ("git push", "sends this branch to its own upstream, origin/main."),
        ("git push -q", "sends this branch to its own upstream, origin/main, and does more"),
        ("git push fork main", "it pushes to fork, and does more than usual; the upstream of this"),
        ("git push origin main:x", "it pushes to origin, and does more than usual; the upstream"),
        ("git pull fork main", "it brings commits of fork into this branch, and does more than"),
    ];
    for (line, said) in cases {
        let told = asked(line);
        assert!(told.contains(said), "{line}: {told}");
        let own = told.contains("its own upstream")
            || told.contains("upstream of this branch is origin/main;");
        assert!(own, "{line}: {told}");
    }
    world.sh("git branch --unset-upstream");
    for line in ["git push", "git push origin main", "git push ../fork.git main"] {
        let told = asked(line);
        assert!(told.contains("; this branch has no upstream; it contacts "), "{line}: {told}");
        assert!(!told.contains("its own upstream"), "{line}: {told}");
    }
}

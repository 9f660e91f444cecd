//! Looking things up beyond the work tree: over MCP, with programs of forges and clusters, and by
//! subagents that only look.

use serde_json::json;

use super::world::{CODE, Did, World};

fn calls(world: &World, tool: &str) -> Did {
    world.tool(tool, &json!({ "id": 7 }), || json!({ "content": "found" }))
}

fn launches(world: &World, agent: &str) -> Did {
    world.delegates(agent, || json!({ "status": "completed", "content": [] }))
}

fn in_talk() -> World {
    let world = World::new().installed();
    world.prompt("why is ticket 7 open?");
    world
}

#[test]
fn a_tool_that_only_looks_is_open_wherever_the_web_is() {
    let world = in_talk();
    calls(&world, "mcp__github__get_issue").passes();
    calls(&world, "mcp__github__get_workflow_run").passes();
    calls(&world, "mcp__github__run_query").refuses("BLOCKED");
    // What reaches beyond this machine is asked for, as the same act of a line is.
    for tool in ["mcp__github__create_issue", "mcp__github__get_and_delete_branch"] {
        assert!(calls(&world, tool).before.question().is_some(), "{tool}");
    }
    world.to("observe");
    assert!(calls(&world, "mcp__github__create_issue").before.question().is_some());
    calls(&world, "mcp__github__get_issue").passes();
    world.enters("plan");
    world.opens();
    calls(&world, "mcp__github__get_issue").refuses("BLOCKED");
}

#[test]
fn the_first_call_of_a_strange_server_is_a_persons_to_allow() {
    let world = in_talk();
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
    calls(&world, "mcp__ours__get_ticket").refuses("nobody has allowed the MCP server ours");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let asked = world.before("mcp__ours__get_ticket", &json!({ "id": 7 }), "a-call");
    let question = asked.question().expect("the person is asked");
    assert!(question.contains("the MCP server ours"), "{question}");
    world.after("mcp__ours__get_ticket", &json!({ "id": 7 }), "a-call", &json!({}), 5);
    assert_eq!(calls(&world, "mcp__ours__list_tickets").before.question(), None);
    calls(&world, "mcp__ours__set_ticket").refuses("BLOCKED");
    // The answer was about that server, and holds for that session.
    let other = world.before("mcp__theirs__get_ticket", &json!({ "id": 7 }), "other");
    assert!(other.question().is_some(), "{other:?}");
    world.ends();
    world.session("another");
    world.starts();
    world.prompt("again");
    assert!(calls(&world, "mcp__ours__get_ticket").before.question().is_some());
}

#[test]
fn a_repository_names_its_own_servers() {
    let world = World::new();
    world.puts(
        "seed.toml",
        "[[mcp]]\nserver = \"ours\"\nlooks = [\"ticket_history\"]\nchanges = [\"get_and_lock\"]\n",
    );
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").succeeds();
    world.prompt("why is ticket 7 open?");
    calls(&world, "mcp__ours__ticket_history").passes();
    calls(&world, "mcp__ours__get_ticket").passes();
    calls(&world, "mcp__ours__get_and_lock").refuses("BLOCKED");
    world.puts("seed.toml", "[[mcp]]\nserver = \"\"\n");
    world.person("rules check").fails("seed.toml:1: [[mcp]] row 1: `server` names nothing");
}

#[test]
fn programs_that_look_something_up_are_open_wherever_the_web_is() {
    let world = in_talk();
    for line in ["gh pr view 7", "gh issue list --state open", "kubectl get pods", "helm list"] {
        let did = world.before("Bash", &json!({ "command": line }), &world.next_call());
        assert!(did.is_silent(), "{line}: {did:?}");
    }
    for line in
        ["gh pr merge 7", "gh api -X POST /repos", "kubectl delete pod a", "gh pr view 7 > out.txt"]
    {
        world.before("Bash", &json!({ "command": line }), &world.next_call()).refuses("BLOCKED");
    }
    world.to("plan");
    world.before("Bash", &json!({ "command": "gh pr view 7" }), "in plan").refuses("BLOCKED");
    // Where the same program may change what is there, it may look.
    world.enters("execute");
    world.opens();
    for line in ["gh pr view 7", "gh run list", "gh api repos/x", "kubectl get pods"] {
        world.before("Bash", &json!({ "command": line }), "in execute").passes();
    }
}

#[test]
fn a_subagent_that_only_looks_may_be_sent_before_the_work_begins() {
    let world = in_talk();
    launches(&world, "Explore").passes();
    launches(&world, "general-purpose").refuses("BLOCKED");
    let world = World::new().installed();
    world.prompt("?how does the lexer work");
    launches(&world, "Explore").passes();
    launches(&world, "general-purpose").refuses("BLOCKED");
    world.tool("WebSearch", &json!({ "query": "lexer" }), || json!({})).passes();
    world.writes("src/parser/lex.rs", "fn lex() {}\n").refuses("BLOCKED");
}

fn world_in_execute() -> World {
    let world = World::seeded();
    world.puts("docs/guide.md", "# Guide\n");
    world.sh("git add -A && git commit -qm docs");
    world.to("execute");
    world
}

/// What refuses a call of a server with this input, if something does.
fn refused(world: &World, tool: &str, input: &serde_json::Value) -> Option<String> {
    world.before(tool, input, &world.next_call()).refusal().map(str::to_owned)
}

#[test]
fn a_path_that_a_server_is_given_to_write_is_judged_as_an_edit() {
    let world = world_in_execute();
    let whole = |path: &str| world.path(path).to_string_lossy().into_owned();
    for (tool, input) in [
        ("mcp__fs__write_file", json!({ "path": "docs/guide.md", "content": "x" })),
        ("mcp__fs__write_file", json!({ "path": whole("docs/guide.md"), "content": "x" })),
        ("mcp__fs__write_file", json!({ "path": "docs/new/page.md", "content": "x" })),
        ("mcp__filesystem__move_file", json!({ "source": CODE, "destination": "docs/lex.rs" })),
        ("mcp__filesystem__move_file", json!({ "source": "docs/guide.md", "destination": CODE })),
        ("mcp__strange__frobnicate", json!({ "filePath": "docs/guide.md" })),
        ("mcp__strange__put", json!({ "files": [{ "path": CODE }, { "path": "docs/guide.md" }] })),
        ("mcp__strange__save", json!({ "uri": format!("file://{}", whole("docs/guide.md")) })),
        ("mcp__fs__delete_directory", json!({ "path": "." })),
        ("mcp__fs__write_file", json!({ "path": whole(".claude/settings.local.json") })),
        ("mcp__fs__write_file", json!({ "path": whole(".git/hooks/pre-commit") })),
    ] {
        assert!(refused(&world, tool, &input).is_some(), "{tool} {input}");
    }
    for (tool, input) in [
        ("mcp__fs__write_file", json!({ "path": CODE, "content": "docs/guide.md" })),
        ("mcp__fs__write_file", json!({ "path": "src/parser/new.rs", "content": "x" })),
        ("mcp__fs__read_file", json!({ "path": "docs/guide.md" })),
        ("mcp__fs__search_files", json!({ "path": "docs", "pattern": "x" })),
        ("mcp__filesystem__copy_file", json!({ "source": "docs/guide.md", "destination": CODE })),
        ("mcp__fs__write_file", json!({ "path": "/elsewhere/a.txt", "content": "x" })),
        ("mcp__strange__save_page", json!({ "path": "Notes/today.md", "target": "today" })),
        ("mcp__strange__put", json!({ "path": "https://a.example/docs/guide.md" })),
        ("mcp__playwright__browser_click", json!({ "target": "#docs", "element": "docs" })),
        ("mcp__playwright__browser_file_upload", json!({ "paths": ["docs/guide.md"] })),
        ("mcp__eslint__lint-files", json!({ "filePaths": ["docs/guide.md"] })),
        ("mcp__git__git_status", json!({ "path": whole("") })),
        ("mcp__any__run", json!({ "path": "." })),
    ] {
        assert_eq!(refused(&world, tool, &input), None, "{tool} {input}");
    }
}

#[test]
fn a_command_that_a_server_is_given_is_judged_as_a_line_of_the_shell() {
    let world = world_in_execute();
    for (tool, input) in [
        ("mcp__shell__execute_command", json!({ "command": "rm -rf docs" })),
        ("mcp__shell__run", json!({ "command": "rm", "args": ["-rf", "docs"] })),
        ("mcp__shell__run", json!({ "command": "rm guide.md", "cwd": "docs" })),
        ("mcp__any__run", json!({ "cmd": "echo x > docs/guide.md" })),
        ("mcp__any__run", json!({ "script": "cd docs && rm guide.md" })),
        ("mcp__shell__execute_command", json!({ "command": "git push origin HEAD" })),
        ("mcp__any__do", json!({ "command": "git commit -qam all" })),
        ("mcp__shell__execute_command", json!({ "command": "cat .git/seed/journal/main.jsonl" })),
        ("mcp__shell__execute_command", json!({ "command": "git seed fence accept" })),
        ("mcp__any__do", json!({ "command": "git seed fence accept" })),
    ] {
        assert!(refused(&world, tool, &input).is_some(), "{tool} {input}");
    }
    for (tool, input) in [
        ("mcp__shell__execute_command", json!({ "command": "rm src/parser/lex.rs" })),
        ("mcp__shell__execute_command", json!({ "command": "cargo test" })),
        ("mcp__shell__execute_command", json!({ "command": "git status" })),
        ("mcp__text-editor__edit", json!({ "command": "view", "path": CODE })),
        ("mcp__any__do", json!({ "command": "restart the server" })),
        ("mcp__ssh__exec", json!({ "command": "rm -rf docs" })),
        ("mcp__db__query", json!({ "command": "rm -rf docs" })),
    ] {
        assert_eq!(refused(&world, tool, &input), None, "{tool} {input}");
    }
    // In a phase that only plans such a tool is closed, whatever it is given.
    let planning = World::seeded();
    planning.to("plan");
    let input = json!({ "command": "cargo test" });
    assert!(refused(&planning, "mcp__shell__execute_command", &input).is_some());
}

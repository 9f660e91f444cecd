//! Looking things up beyond the work tree: over MCP, with programs of forges and clusters, and by
//! subagents that only look.

use serde_json::json;

use super::world::{Did, World};

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

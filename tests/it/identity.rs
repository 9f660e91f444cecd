//! Who commits, where a host takes the person's configuration of git away from its shell.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World};

/// What Gemini CLI sets for git in its shell, as it was seen there.
const GEMINI: [(&str, &str); 5] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GEMINI_CLI", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// A small lane in execute, with a change to commit, where only the person's own configuration
/// says who they are.
fn changed(world: &World) {
    world.has_no_identity();
    world.puts("../home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.invalid\n");
    let said = world.persons_terminal("env -u GIT_CONFIG_GLOBAL git seed init --host gemini", "");
    assert_eq!(said.code, 0, "{said:?}");
    world.hears("gemini", "SessionStart", &json!({ "source": "startup" }));
    world.hears("gemini", "BeforeAgent", &json!({ "prompt": "Mend the lexer" }));
    world.hears(
        "gemini",
        "AfterTool",
        &json!({ "tool_name": "read_file", "tool_input": { "file_path": CODE },
            "tool_response": { "llmContent": "fn lex() {}" } }),
    );
    let line = "git seed phase advance --small --scope src/parser \
                -m 'seen: it drops escapes\nchange: keep them\nrun: make test'";
    let said = world.agents_shell(line, "");
    assert_eq!(said.code, 0, "{said:?}");
    adds(world, "more");
}

/// The agent adds a function.
fn adds(world: &World, name: &str) {
    let line = format!("echo 'fn {name}() {{}}' >> {CODE}");
    let mut fields = json!({ "tool_name": "run_shell_command", "tool_input": { "command": line } });
    world.hears("gemini", "BeforeTool", &fields).passes();
    world.sh(&line);
    fields["tool_response"] = json!({ "llmContent": "" });
    world.hears("gemini", "AfterTool", &fields);
}

fn checkpoint(world: &World) -> String {
    let set: Vec<String> = GEMINI.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let set = format!(
        "{} GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=",
        set.join(" ")
    );
    let said =
        world.agents_shell(&format!("{set} git seed phase checkpoint -m 'keep the escapes'"), "");
    format!("{} {}{}", said.code, said.out, said.err)
}

#[test]
fn a_boundary_in_geminis_shell_is_the_persons_commit() {
    let world = World::new();
    changed(&world);
    let said = checkpoint(&world);
    assert!(said.starts_with('0'), "{said}");
    assert_eq!(world.git("log -1 --format=%an:%ae").trim(), "Ada:ada@example.invalid");
}

/// What its shell sets for git says nothing of the hooks that a boundary runs.
#[test]
fn doctor_in_geminis_shell_tells_which_hooks_a_boundary_runs() {
    let world = World::new();
    changed(&world);
    let doctor = || {
        let set = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=";
        world.agents_shell(&format!("{set} git seed doctor"), "").out
    };
    let told = doctor();
    assert!(told.contains("pre-commit: git runs it"), "{told}");
    assert!(!told.contains("git now looks for hooks"), "{told}");
    // What the clone itself says is still seen.
    world.git("config core.hooksPath elsewhere");
    let told = doctor();
    assert!(!told.contains("pre-commit: git runs it"), "{told}");
}

#[test]
fn where_git_knows_nobody_any_more_the_name_that_init_saw_is_taken() {
    let world = World::new();
    changed(&world);
    // The session's first hook saw no more of it than the shell does.
    world.puts("../home/.gitconfig", "");
    let said = checkpoint(&world);
    assert!(said.starts_with('0'), "{said}");
    assert_eq!(world.git("log -1 --format=%an:%ae").trim(), "Ada:ada@example.invalid");
    // A name that the repository has is the repository's.
    world.git("config user.name Grace");
    world.git("config user.email grace@example.invalid");
    adds(&world, "again");
    assert!(checkpoint(&world).starts_with('0'));
    assert_eq!(world.git("log -1 --format=%an:%ae").trim(), "Grace:grace@example.invalid");
}

//! A shell that cannot write `.git`, as in the sandbox of Codex: what writes is handed to the hook
//! after the tool.
//!
//! `git seed exec` stands for the sandbox. Where the kernel does not confine, nothing is tried.

use std::cell::Cell;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Reply, Said, World};

/// A session of Codex whose shell is confined.
struct Codex {
    world: World,
    /// The shell may write everywhere.
    free: Cell<bool>,
}

/// A line that the agent gave, and what the hook after it answered.
struct Ran {
    said: Said,
    after: Reply,
    /// The payload of the event after it.
    fields: Value,
}

impl Codex {
    fn new(world: World) -> Option<Self> {
        if let Err(why) = git_seed::confine::check() {
            super::skip::not_here(&format!("a kernel that confines ({why})"));
            return None;
        }
        world.host_has("CODEX_SESSION_ID", "the session");
        world.person("init --host codex").succeeds();
        let codex = Self { world, free: Cell::new(false) };
        codex.hears("SessionStart", &json!({ "source": "startup" }));
        codex.hears("UserPromptSubmit", &json!({ "prompt": "Mend the lexer" }));
        Some(codex)
    }

    fn hears(&self, event: &str, fields: &Value) -> Reply {
        self.world.hears("codex", event, fields)
    }

    /// The agent gives a line; `hooks` names the events whose hooks the person trusts.
    fn gives(&self, line: &str, hooks: [bool; 2]) -> Ran {
        let call = self.world.next_call();
        let mut fields = json!({ "tool_name": "Bash", "tool_use_id": call,
            "tool_input": { "command": line } });
        if hooks[0] {
            self.hears("PreToolUse", &fields).passes();
        }
        let held = format!("git seed exec -- sh -c '{}'", line.replace('\'', r"'\''"));
        let said = self.world.agents_shell(if self.free.get() { line } else { &held }, "");
        fields["tool_response"] = json!(format!("{}{}", said.out, said.err));
        let after = if hooks[1] { self.hears("PostToolUse", &fields) } else { Reply::default() };
        Ran { said, after, fields }
    }

    fn runs(&self, line: &str) -> Ran {
        self.gives(line, [true, true])
    }

    /// A line that is handed over, and that ended with `code`.
    #[track_caller]
    fn hands_over(&self, line: &str, code: i32) -> Ran {
        let ran = self.runs(line);
        assert_eq!((ran.said.code, ran.said.out.trim()), (0, "handed to the hook"), "{line}");
        ran.after.tells(&format!("ended with {code}"));
        ran
    }

    fn steps(&self) -> usize {
        self.world.json("log").as_array().map_or(0, Vec::len)
    }
}

#[test]
fn what_writes_is_run_by_the_hook_and_what_looks_is_not() {
    let Some(codex) = Codex::new(World::new()) else { return };
    let world = &codex.world;
    // No hook after a tool has run in this session: nobody would run it.
    let ran = codex.runs("git seed phase advance");
    assert_eq!(ran.said.code, 1, "{:?}", ran.said);
    assert!(ran.said.err.contains("Do: run a command that only looks first"), "{:?}", ran.said);
    assert_eq!(world.phase(), "idle");
    let looked = codex.runs("git seed status");
    assert!(looked.said.code == 0 && looked.said.out.contains("idle"), "{:?}", looked.said);
    codex.runs(&format!("cat {CODE}"));
    let ran = codex.hands_over("git seed phase advance", 0);
    ran.after.tells("`git seed phase advance` ran in the hook");
    assert_eq!(world.phase(), "observe");
    // The same event again is answered again, and nothing runs twice.
    let steps = codex.steps();
    codex.hears("PostToolUse", &ran.fields).tells("ended with 0");
    assert_eq!(codex.steps(), steps);
    // A refusal comes back the same way.
    let ran = codex.hands_over("git seed phase advance -m 'too short'", 2);
    ran.after.tells("BLOCKED");
    assert_eq!(world.phase(), "observe");
}

/// What the line said is judged; code that writes into `.git` meanwhile puts no other words there.
#[test]
fn words_that_were_exchanged_on_the_way_do_not_run() {
    let Some(codex) = Codex::new(World::new()) else { return };
    codex.runs(&format!("cat {CODE}"));
    let world = &codex.world;
    let call = world.next_call();
    let mut fields = json!({ "tool_name": "Bash", "tool_use_id": call,
        "tool_input": { "command": "git seed phase advance" } });
    codex.hears("PreToolUse", &fields).passes();
    let kept = world.sh("ls .git/seed/handed/main/*.json");
    let text = world.text(kept.trim());
    let forged = text.replace(r#"["phase","advance"]"#, r#"["exec","--","touch","src/forged"]"#);
    assert_ne!(forged, text, "{text}");
    world.puts(kept.trim(), &forged);
    fields["tool_response"] = json!("handed to the hook\n");
    let after = codex.hears("PostToolUse", &fields);
    assert!(!after.context().unwrap_or_default().contains("ended with"), "{after:?}");
    assert!(!world.path("src/forged").exists());
    assert_eq!(world.phase(), "idle");
    codex.hands_over("git seed phase advance", 0);
}

/// A sandbox that closes one part of what a step writes and leaves git seed's own directory open.
#[test]
fn a_sandbox_that_closes_one_part_of_git_alone_is_handed_over_to_as_well() {
    for part in ["git-dir", "refs", "objects"] {
        let world = World::linked();
        let asked = if part == "git-dir" { "--git-dir" } else { &format!("--git-path {part}") };
        let dir = world.sh(&format!("realpath $(git rev-parse {asked})"));
        let held = format!(
            "unshare -rm sh -c 'mount --bind {dir} {dir} && mount -o remount,ro,bind {dir} {dir} \
             && exec \"$@\"' sh",
            dir = dir.trim(),
        );
        if world.tries(&format!("{held} true")).code != 0 {
            super::skip::not_here("namespaces of users and mounts");
            return;
        }
        let Some(codex) = Codex::new(world) else { return };
        let world = &codex.world;
        codex.runs(&format!("cat {CODE}"));
        let line = "git seed phase advance";
        let mut fields = json!({ "tool_name": "Bash", "tool_use_id": world.next_call(),
            "tool_input": { "command": line } });
        codex.hears("PreToolUse", &fields).passes();
        let said = world.agents_shell(&format!("{held} {line}"), "");
        assert_eq!((said.code, said.out.trim()), (0, "handed to the hook"), "{part}: {said:?}");
        fields["tool_response"] = json!(format!("{}{}", said.out, said.err));
        codex.hears("PostToolUse", &fields).tells("ended with 0");
        assert_eq!(world.phase(), "observe", "{part}");
    }
}

#[test]
fn only_a_whole_literal_line_of_the_agents_is_handed_over() {
    let Some(codex) = Codex::new(World::new()) else { return };
    codex.runs(&format!("cat {CODE}"));
    for line in [
        "cd . && git seed phase advance",
        "git seed phase advance; true",
        "git seed status && git seed phase advance",
        "git seed phase advance | tail -n 5 && git seed phase current",
        "sh -c 'git seed phase advance'",
    ] {
        let ran = codex.runs(line);
        assert!(ran.said.err.contains("is the whole line"), "{line}: {:?}", ran.said);
        assert_eq!(codex.world.phase(), "idle", "{line}");
    }
    // Nor does a hook that sees only the end of a call run anything.
    let ran = codex.gives("git seed phase advance", [false, true]);
    assert_eq!((ran.said.code, codex.world.phase()), (1, "idle".to_owned()));
    // A word of ours in somebody else's mouth hands nothing over.
    codex.runs("echo handed to the hook");
    assert_eq!(codex.world.phase(), "idle");
    let ran = codex.hands_over("git seed phase advance 2>&1 | tail -n 5", 0);
    ran.after.tells("observe");
    // The next session has not shown that its hook after a tool runs.
    codex.hears("SessionEnd", &json!({ "reason": "other" }));
    codex.world.session("5b1de4ab-6f4e-4a21-9c6b-0e6ad28f4d0f");
    codex.hears("SessionStart", &json!({ "source": "startup" }));
    let ran = codex.runs("git seed job update --name other");
    assert!(ran.said.code == 1 && ran.said.err.contains("in this session yet"), "{:?}", ran.said);
}

#[test]
fn a_shell_that_may_write_runs_it_itself_and_once() {
    let Some(codex) = Codex::new(World::new()) else { return };
    codex.free.set(true);
    codex.runs(&format!("cat {CODE}"));
    let ran = codex.runs("git seed phase advance");
    assert!(ran.said.code == 0 && !ran.said.out.contains("handed"), "{:?}", ran.said);
    assert!(
        !ran.after.context().unwrap_or_default().contains("ran in the hook"),
        "{:?}",
        ran.after
    );
    assert_eq!(codex.world.phase(), "observe");
}

#[test]
fn the_hooks_of_the_repository_run_confined_when_it_commits() {
    let world = World::new();
    world.puts("hooks/pre-commit", "#!/bin/sh\n(echo x > .git/planted) 2> /dev/null || :\n");
    world.sh("chmod +x hooks/pre-commit; git config core.hooksPath hooks");
    world.git("add -A");
    world.git("commit -qm hooks");
    std::fs::remove_file(world.path(".git/planted")).expect("it was planted by the person's");
    let Some(codex) = Codex::new(world) else { return };
    let world = &codex.world;
    codex.runs(&format!("cat {CODE}"));
    codex.hands_over(
        "git seed phase advance --small --scope src/parser -F - <<'E'\n\
         seen: the lexer drops escapes\nchange: keep them\nrun: make test\nE",
        0,
    );
    assert_eq!(world.phase(), "execute");
    codex.free.set(true);
    codex.runs(&format!("echo 'fn more() {{}}' >> {CODE}"));
    codex.free.set(false);
    codex.hands_over("git seed phase checkpoint -m 'keep the escapes of quoted strings'", 0);
    assert!(world.git("log -1 --format=%s").contains("keep the escapes"), "it is committed");
    assert!(!world.path(".git/planted").exists(), "what the hook starts cannot write there");
    // The same hook is free where the person commits.
    world.puts("notes.txt", "mine\n");
    world.git("add notes.txt");
    world.git("commit -qm mine");
    assert!(world.path(".git/planted").exists());
}

/// A look does not fail for what it cannot remember.
#[test]
fn a_look_needs_no_git_that_it_can_write() {
    let Some(codex) = Codex::new(World::new()) else { return };
    codex.runs(&format!("cat {CODE}"));
    codex.hands_over("git seed phase advance", 0);
    codex.hands_over("git seed phase multiplier 3", 0);
    for changed in [false, true] {
        if changed {
            codex.world.puts("src/parser/CLAUDE.md", "# Parser\n\n---Ob---\n\n[EPHEMERAL] x\n");
            codex.world.puts(CODE, "fn lex() {}\nfn more() {}\n");
        }
        for line in [
            "git seed note list",
            "git seed claim paths --affected src/parser/lex.rs --tested lex",
            "git seed claim report",
            "git seed status",
            "git seed why",
            "git seed log",
            "git seed fence status",
            "git seed condense status",
            "git seed memory lint",
            "git seed job show",
            "git seed plan show",
            "git seed summary show",
        ] {
            let said = codex.runs(line).said;
            let told = format!("{}{}", said.out, said.err);
            assert!(!told.contains("os error"), "{line}: {said:?}");
            assert_ne!(said.code, 64, "{line}: {said:?}");
            // What keeps objects of what it sees is run by the hook.
            let keeps = line.contains("claim") || line.contains("fence");
            assert_eq!(told.contains("handed to the hook"), keeps, "{line}: {told}");
        }
    }
}

#[test]
fn a_line_that_the_client_took_is_seen_though_its_shell_could_not_write_that_down() {
    let Some(codex) = Codex::new(World::new()) else { return };
    let world = &codex.world;
    let fields = |call: &str, line: &str| {
        json!({ "tool_name": "Bash", "tool_use_id": call, "tool_response": "ok",
            "permission_mode": "bypassPermissions", "tool_input": { "command": line } })
    };
    let gives = |taken: bool| {
        let call = world.next_call();
        let put = codex.hears("PreToolUse", &fields(&call, "git seed doctor"));
        let line = put.rewritten().expect("another line").to_owned();
        let held = format!("git seed exec --bare -- sh -c '{}'", line.replace('\'', r"'\''"));
        world.agents_shell(&held, "");
        let ran = if taken { line.as_str() } else { "git seed doctor" };
        codex.hears("PostToolUse", &fields(&call, ran));
        world.person("doctor").said().out
    };
    let told = gives(false);
    assert!(told.contains("Codex CLI: not seen yet"), "it ran the agent's own line: {told}");
    let told = gives(true);
    assert!(told.contains("Codex CLI ran a rewritten command"), "{told}");
}

/// What looks, beside the commands that keep what they see and are handed over.
const LOOKS: [&str; 18] = [
    "git seed status",
    "git seed why",
    "git seed log",
    "git seed log --graph",
    "git seed show",
    "git seed job list",
    "git seed job show",
    "git seed op log",
    "git seed verify",
    "git seed plan show",
    "git seed cost",
    "git seed phase current",
    "git seed phase list",
    "git seed note list",
    "git seed condense status",
    "git seed memory lint",
    "git seed rules show",
    "git seed audit show",
];

/// What no hook has looked at is seen, whatever the shell may store: the same is said as where it
/// may store all.
#[test]
fn a_look_where_nothing_can_be_stored_sees_what_no_hook_has_seen() {
    let read_only = "unshare -rm sh -c 'mount --bind .git .git && mount -o remount,ro,bind .git \
                     && exec \"$@\"' sh";
    for (held, attributes) in
        [("git seed exec --", ""), ("git seed exec --", "*.txt text eol=crlf\n"), (read_only, "")]
    {
        let world = World::new();
        world.puts(".gitattributes", attributes);
        world.puts("src/parser/words.txt", "one\r\n");
        world.git("add -A");
        world.git("commit -qm words");
        let Some(codex) = Codex::new(world) else { return };
        let world = &codex.world;
        if world.tries(&format!("{held} true")).code != 0 {
            super::skip::not_here("namespaces of users and mounts");
            continue;
        }
        codex.runs(&format!("cat {CODE}"));
        codex.hands_over(
            "git seed phase advance --small --scope src/parser -m 'one word; two; none'",
            0,
        );
        world.puts("src/parser/words.txt", "one\r\ntwo\r\n");
        world.puts("elsewhere.txt", "new\n");
        looks_the_same(world, held);
        codex.runs("cat src/parser/words.txt");
        codex.free.set(true);
        codex.runs("printf 'three\r\n' >> src/parser/words.txt");
        codex.runs("cat src/parser/words.txt");
        codex.free.set(false);
        codex.hands_over("git seed phase advance -m 'words: two more'", 0);
        assert_eq!(world.phase(), "condense");
        world.puts("src/parser/more.rs", "fn more() {}\n");
        let told = looks_the_same(world, held);
        assert!(told.contains("elsewhere.txt"), "{held}: {told}");
    }
}

/// Each command that looks says the same where nothing can be stored and where all can, and stores
/// nothing there. Gives what `status` says.
fn looks_the_same(world: &World, held: &str) -> String {
    let stored = || world.sh("find .git -type f | grep -v /handed/ | sort; git for-each-ref");
    let before = stored();
    let said = LOOKS.map(|line| world.agents_shell(&format!("{held} {line}"), ""));
    assert_eq!(stored(), before, "{held}: nothing is stored");
    let status = said[0].out.clone();
    for (line, held_said) in LOOKS.iter().zip(said) {
        let free = world.agents_shell(line, "");
        let told = (held_said.code, held_said.out, held_said.err);
        assert_eq!(told, (free.code, free.out, free.err), "{held} {line}");
    }
    let left = world.sh("ls \"${TMPDIR:-/tmp}\" | grep -c git-seed-again- || :");
    assert_eq!(left.trim(), "0", "{held}: what a look made is gone again");
    status
}

/// Codex finds the place of a hunk by rules of its own: what such a patch would change counts.
#[test]
fn a_patch_without_room_on_the_small_lane_is_told_the_way_up() {
    let world = World::new();
    world.puts("README.md", "Teh libary \n");
    let Some(codex) = Codex::new(world) else { return };
    codex.free.set(true);
    let world = &codex.world;
    codex.runs(&format!("cat {CODE}"));
    codex.runs("git seed phase advance --small --scope src/parser -m 'it drops; keep; make test'");
    let patch = |text: &str| {
        let text = format!("*** Begin Patch\n{text}\n*** End Patch");
        let fields = json!({ "tool_name": "apply_patch", "tool_use_id": world.next_call(),
            "tool_input": { "command": text } });
        (codex.hears("PreToolUse", &fields), fields)
    };
    let lines: String = (0..100).map(|line| format!("+// {line}\n")).collect();
    for text in [
        format!("*** Add File: src/parser/new.rs\n{lines}"),
        format!("*** Update File: {CODE}\n@@\n-fn  lex()  {{}}\n{lines}"),
    ] {
        patch(&text).0.refuses("Do: git seed phase advance --up -m");
    }
    let (passes, mut fields) = patch(&format!("*** Update File: {CODE}\n@@\n+// short"));
    passes.passes();
    world.puts(CODE, &format!("// short\n{}", world.text(CODE)));
    fields["tool_response"] = json!("Exit code: 0");
    codex.hears("PostToolUse", &fields).passes();
    codex.runs("cat README.md");
    for readme in ["-Teh libary \n+The library", "-Teh libary\n+The library", "-libary\n+library"] {
        let update = format!("*** Update File: README.md\n@@\n{readme}");
        patch(&update).0.refuses("Do: git seed phase advance --up -m");
    }
    patch("*** Update File: README.md\n*** Move to: README.txt").0.refuses("--up");
    let ran = codex.runs("git seed phase advance --up -m 'the README belongs to it'");
    assert!(ran.said.out.contains("track opevc"), "{:?}", ran.said);
}

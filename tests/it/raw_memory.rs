//! Raw memory: session logs, compaction files and ledgers, in the work tree or in the job alone,
//! and how old ones go.

use serde_json::json;

use super::world::{PAGE, World, page};

/// A world whose rules say this; the proposal is gone again.
fn under(rules: &str) -> World {
    let world = World::seeded();
    rule(&world, rules);
    world
}

fn rule(world: &World, rules: &str) {
    world.puts("seed.toml", rules);
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("it was there");
}

const REF: &str = "[memory]\nraw = \"ref\"\n";

/// Lives the job to its end.
fn finishes(world: &World) {
    world.to("condense").works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
}

/// A closed job with a compaction file, and its id.
fn closed(world: &World) -> String {
    world.prompt("fix the lexer");
    world.to("execute");
    let job = world.job();
    for section in
        ["forward-state", "open-threads", "assumptions", "process-insight", "prior-summary"]
    {
        world.seed(&format!("compact append {section} -m 'half done: {section}.'")).succeeds();
    }
    world.seed("compact seal").succeeds();
    finishes(world);
    job
}

/// Nothing of what `verify` reads is broken by where raw memory lies, or by what went of it.
fn proves(world: &World) {
    let said = world.seed("verify --json").said();
    assert!(said.out.contains("\"broken\": []"), "{said:?}");
    assert!(!said.out.contains("run-1") && !said.out.contains("prune"), "{said:?}");
}

/// Below `.claude/jobs` in the work tree.
fn on_disk(world: &World) -> Vec<String> {
    let found = world.sh("find .claude/jobs -type f 2>/dev/null | sort || true");
    found.lines().map(str::to_owned).collect()
}

const FILES: [&str; 3] = ["compaction-1.md", "session-log-1.md", "sessions.jsonl"];

#[test]
fn in_a_ref_a_cycle_leaves_no_file_in_the_tree_and_show_reads_each() {
    for (raw, rules) in [("tree", ""), ("ref", REF)] {
        let world = under(rules);
        let job = closed(&world);
        let in_tree = FILES.map(|name| format!(".claude/jobs/{job}/run-1/{name}"));
        let files = world.files_of_head();
        let page = world.text(PAGE);
        if raw == "tree" {
            assert_eq!(on_disk(&world), in_tree);
            assert!(in_tree.iter().all(|path| files.contains(path)), "{files:?}");
        } else {
            assert!(on_disk(&world).is_empty(), "{:?}", on_disk(&world));
            assert!(!files.iter().any(|path| path.contains("/jobs/")), "{files:?}");
            assert!(!page.contains(".claude/jobs"), "{page}");
        }
        // They are shown alike, by either name, whether the job is open or closed.
        let listed = world.json(&format!("show {job}"))["raw"].clone();
        assert_eq!(listed, json!(FILES.map(|name| format!("run-1/{name}"))), "{raw}");
        let told = world.seed(&format!("show {job}")).succeeds();
        for (name, says) in
            FILES.into_iter().zip(["half done: forward-state", "drops escapes", "\"WRAP\""])
        {
            assert!(told.contains(&format!("{job}/run-1/{name}")), "{told}");
            for named in [format!("{job}/run-1/{name}"), format!(".claude/jobs/{job}/run-1/{name}")]
            {
                let shown = world.seed(&format!("show {named}")).succeeds();
                assert!(shown.contains(says), "{raw} {named}: {shown}");
            }
        }
        world
            .seed(&format!("show {job}/run-2/session-log-1.md"))
            .ends(64, &format!("has no file `run-2/session-log-1.md`; git seed show {job} lists"));
        world.seed(&format!("show {job}/trace/1-plan-3.jsonl")).ends(64, "is not a job, a file");
        proves(&world);
    }
}

/// What each gate of condense says, with the names that differ taken out.
fn judged(rules: &str) -> Vec<String> {
    let world = under(rules);
    world.to("condense");
    world.reads(PAGE).passes();
    let job = world.job();
    let mut said = Vec::new();
    let mut hear = |line: &str| {
        let heard = world.seed(line).said();
        let text = format!("{} {}{}", heard.code, heard.out, heard.err);
        let text =
            text.replace(&format!(".claude/jobs/{job}/"), "").replace(&format!("{job}/"), "");
        said.push(format!("{line}: {text}"));
    };
    hear("condense verify");
    hear("condense absorb");
    hear("phase advance -m x");
    hear("condense archive");
    hear("condense archive");
    hear("condense verify");
    hear("condense status");
    world.edits(PAGE, "---Pl---\n", "---Pl---\nmore words\n").passes();
    hear("condense verify");
    hear("condense archive");
    hear("condense status --json");
    world.writes(PAGE, &page("Escapes need one character of lookahead.\n")).passes();
    hear("condense verify");
    hear("condense status");
    said
}

#[test]
fn gates_judge_alike_wherever_raw_memory_lies() {
    assert_eq!(judged(""), judged(REF));
}

#[test]
fn a_condensed_footer_leads_to_what_is_there() {
    let lasts = "---Ob---\n\n[DURABLE] it lasts\n\n[EPHEMERAL]\nscratch\n";
    let old = "Earlier cycles: session logs in `.claude/jobs/`.";
    for (rules, pointer) in
        [("", old), (REF, "Earlier cycles: session logs, by `git seed show <job>`.")]
    {
        let world = under(rules);
        world.to("condense");
        world.reads(PAGE).passes();
        // A line of an earlier cycle, which had them elsewhere.
        world.edits(PAGE, "---Ob---\n", &format!("{lasts}\n{old}\n\n")).passes();
        world.seed("condense archive").succeeds();
        world.seed("condense absorb").succeeds();
        let text = world.text(PAGE);
        assert_eq!(text.matches("Earlier cycles:").count(), 1, "{text}");
        assert!(text.contains(&format!("\n{pointer}\n")), "{text}");
        let linted = world.seed("memory lint").said();
        assert!(!linted.out.contains("is not there"), "{linted:?}");
    }
}

#[test]
fn a_pointer_to_a_log_that_only_its_job_has_is_not_stale() {
    let world = under(REF);
    let job = closed(&world);
    let log = format!(".claude/jobs/{job}/run-1/session-log-1.md");
    world.puts(
        ".claude/knowledge/lexers.md",
        &format!(
            "---\nname: lexers\ndescription: How strings fail\ntype: project\nlast_verified: \
             2026-11-20\n---\n\nIt is in [the log](../jobs/{job}/run-1/session-log-1.md), \
             `{log}`.\n\
             But not in `.claude/jobs/{job}/run-1/session-log-7.md`.\nThree.\nFour.\nFive.\n"
        ),
    );
    let linted = world.seed("memory lint").said();
    assert!(!linted.out.contains("session-log-1.md"), "{linted:?}");
    assert!(linted.out.contains("session-log-7.md` is not there"), "{linted:?}");
}

#[test]
fn the_next_run_is_told_how_to_read_the_logs_of_the_last() {
    for (rules, tells) in [("", ".claude/jobs/"), (REF, "git seed show ")] {
        let world = under(rules);
        let job = closed(&world);
        world.person(&format!("job reactivate {job} --active")).succeeds();
        world.prompt("go on");
        let told = world.seed("phase advance").succeeds();
        let line = told.lines().find(|line| line.starts_with("Session logs of earlier runs"));
        let line = line.unwrap_or_else(|| panic!("{told}"));
        let named = format!("{tells}{job}/run-1/session-log-1.md");
        assert!(line.contains(&named), "{line}");
        let command = if tells.starts_with("git") { named } else { format!("cat {named}") };
        let read = world.agents_shell(&command, "");
        assert!(read.code == 0 && read.out.contains("drops escapes"), "{read:?}");
    }
}

#[test]
fn a_compaction_file_is_named_as_it_can_be_read() {
    let world = under(REF);
    world.to("execute");
    let job = world.job();
    let named = format!("{job}/run-1/compaction-1.md");
    world
        .seed("compact append open-threads -m 'one is open.'")
        .tells(&format!("Updated {named}: Open Threads"));
    assert_eq!(world.json("compact read")["path"], json!(named));
    assert!(world.seed(&format!("show {named}")).succeeds().contains("one is open."));
    // A file of somebody else in its place is not asked.
    world.puts(&format!(".claude/jobs/{named}"), "something else\n");
    world.seed("compact append open-threads -m 'another is.'").tells("Updated");
    assert!(world.seed("compact read").succeeds().contains("one is open."));
    assert_eq!(world.text(&format!(".claude/jobs/{named}")), "something else\n");
}

/// Tracks so many files more, all of them empty.
fn grows(world: &World, files: usize) {
    world.sh(&format!(
        "blob=$(git hash-object -w /dev/null) && seq 1 {files} \
         | sed \"s|.*|100644 $blob\\tmany/&|\" | git update-index --index-info \
         && git commit -qm many && git checkout -q -- ."
    ));
}

#[test]
fn init_proposes_a_ref_where_files_or_people_are_many() {
    let few = World::new();
    let told = few.persons_terminal("git seed init", "");
    assert!(!told.out.contains("raw") && !told.err.contains("session log"), "{told:?}");

    let world = World::new();
    grows(&world, 20_000);
    // Nobody to ask: one line says it, and nothing is in force.
    let told = world.seed("init").succeeds();
    assert!(told.lines().count() <= 9, "the proposal is a line more: {told}");
    let line = told.lines().find(|line| line.contains("[memory] raw = \"ref\"")).expect("a line");
    assert!(line.starts_with("note ") && line.contains("tracked files"), "{line}");
    assert!(world.json("rules show")["in_force"]["memory"]["raw"] == "tree", "never silently");
    let json = world.person("init --json").succeeds();
    assert!(json.contains("raw = \\\"ref\\\""), "{json}");
    // A person is asked, until they answer.
    for (answer, says, raw) in
        [("", "", "tree"), ("y\n", "session logs stay out of the tree", "ref")]
    {
        let asked = world.persons_terminal("git seed init", answer);
        assert!(asked.out.lines().count() <= 8 && asked.err.contains("[y/N]"), "{asked:?}");
        assert!(asked.err.contains(says) && !asked.out.contains("raw = "), "{asked:?}");
        assert_eq!(world.json("rules show")["in_force"]["memory"]["raw"], raw);
    }
    let again = world.persons_terminal("git seed init", "");
    assert!(!again.err.contains("[y/N]"), "{again:?}");
}

#[test]
fn ten_people_are_asked_as_well_and_a_no_is_kept() {
    let world = World::new();
    for n in 0..9 {
        world.git(&format!("commit -q --allow-empty -m {n} --author 'p{n} <p{n}@example.org>'"));
    }
    let asked = world.persons_terminal("git seed init", "n\n");
    assert!(asked.err.contains("10 people") && asked.err.contains("are committed"), "{asked:?}");
    assert_eq!(world.json("rules show")["in_force"]["memory"]["raw"], "tree");
    for line in ["git seed init", "git seed init --mode watch"] {
        let again = world.persons_terminal(line, "");
        assert!(!again.err.contains("session log"), "{again:?}");
    }
}

#[test]
fn old_session_logs_go_and_everything_else_stays() {
    let world = under("");
    let old = closed(&world);
    let knowledge = "one.md";
    world.puts(&format!(".claude/knowledge/{knowledge}"), "x\n");
    world.puts(&format!(".claude/jobs/{old}/plan.md"), "a plan\n");
    world.git("add -f .claude");
    world.git("commit -qm more");
    let nothing = "nothing to prune: what stays is 90 days";
    world.seed("memory prune").refuses("only a person may run");
    world.person("memory prune").tells(nothing);
    world.hours(24 * 91);
    let new = closed(&world);
    let before = world.git("status --porcelain");

    let dry = world.seed("memory prune --dry-run").succeeds();
    assert!(dry.contains("would delete 3 files of 1 job") && dry.contains(&old), "{dry}");
    assert_eq!(world.git("status --porcelain"), before);
    // What nobody else has stays.
    let log = format!(".claude/jobs/{old}/run-1/session-log-1.md");
    let written = world.text(&log);
    world.puts(&log, &format!("{written}and more\n"));
    let said = world.person("memory prune").succeeds();
    assert!(said.contains("deleted 2 files of 1 job"), "{said}");
    assert!(said.contains(&format!("left     {log}: no commit and no job has it")), "{said}");
    world.puts(&log, &written);
    let said = world.person("memory prune").succeeds();
    let next = said.lines().find_map(|line| line.strip_prefix("next")).expect("a command");
    world.sh(next.trim());
    assert_eq!(world.git("status --porcelain"), before);
    let left = on_disk(&world);
    assert!(left.contains(&format!(".claude/jobs/{old}/plan.md")), "{left:?}");
    assert_eq!(left.iter().filter(|path| path.contains(&old)).count(), 1, "{left:?}");
    assert_eq!(left.iter().filter(|path| path.contains(&new)).count(), 3, "{left:?}");
    assert_eq!(world.text(&format!(".claude/knowledge/{knowledge}")), "x\n");
    // The job itself still has it.
    assert!(world.seed(&format!("show {log}")).succeeds().contains("drops escapes"));
    world.person("memory prune").tells(nothing);
    proves(&world);

    rule(&world, "[memory]\nkeep = \"0 jobs\"\n");
    let pruned = world.person("memory prune --json").succeeds();
    let pruned: serde_json::Value = serde_json::from_str(&pruned).expect("json");
    assert_eq!(pruned["keep"], "0 jobs");
    assert_eq!(pruned["files"].as_array().map(Vec::len), Some(3), "{pruned}");
    assert_eq!(pruned["kept_in_jobs"], json!([]));
}

#[test]
fn what_is_staged_alone_or_does_not_read_stays() {
    let world = under("[memory]\nkeep = \"0 days\"\n");
    let old = closed(&world);
    let [compaction, log, ledger] = FILES.map(|name| format!(".claude/jobs/{old}/run-1/{name}"));
    // Staged as nobody else has it, and gone from disk.
    world.puts(&log, "mine alone\n");
    world.git(&format!("add -f {log}"));
    std::fs::remove_file(world.path(&log)).expect("it was there");
    // A link to itself reads as nothing at all.
    std::fs::remove_file(world.path(&ledger)).expect("it was there");
    world.sh(&format!("ln -s sessions.jsonl {ledger}"));
    world.puts("other.txt", "x\n");
    world.git("add other.txt");
    world.hours(1);
    let said = world.person("memory prune").succeeds();
    assert!(said.contains("deleted 1 file of 1 job"), "{said}");
    assert!(said.contains(&format!("left     {log}: no commit and no job has it")), "{said}");
    assert!(said.contains(&format!("left     {ledger}: it cannot be read: ")), "{said}");
    assert_eq!(world.git(&format!("show :{log}")), "mine alone");
    // Only the deletions are committed, from a directory below, too.
    let next = said.lines().find_map(|line| line.strip_prefix("next")).expect("a command");
    world.sh(&format!("cd src && {}", next.trim()));
    assert_eq!(world.git("show --name-only --format= HEAD"), compaction);
    assert!(world.git("status --porcelain").contains("A  other.txt"));
}

#[test]
fn a_job_that_began_again_and_was_dropped_is_as_old_as_its_last_change() {
    let world = under("[memory]\nkeep = \"90 days\"\n");
    let old = closed(&world);
    world.hours(24 * 91);
    world.person(&format!("job reactivate {old} --active")).succeeds();
    world.person(&format!("job drop {old} -m 'not any more'")).succeeds();
    world.person("memory prune").tells("nothing to prune");
    world.hours(24 * 91);
    assert!(world.person("memory prune").succeeds().contains("of 1 job"));
}

#[test]
fn in_a_ref_old_files_go_out_of_their_jobs() {
    let world = under(REF);
    let old = closed(&world);
    world.hours(24);
    let new = closed(&world);
    rule(&world, "[memory]\nraw = \"ref\"\nkeep = \"1 job\"\n");
    let head = world.git("rev-parse HEAD");
    let dry = world.person("memory prune --dry-run").succeeds();
    assert!(dry.contains("would delete 3 files of 1 job"), "{dry}");
    assert_eq!(world.json(&format!("show {old}"))["raw"].as_array().map(Vec::len), Some(3));
    let said = world.person("memory prune").succeeds();
    assert!(said.contains("deleted 3 files of 1 job") && !said.contains("next"), "{said}");
    assert_eq!(world.json(&format!("show {old}"))["raw"], json!([]));
    assert_eq!(world.json(&format!("show {new}"))["raw"].as_array().map(Vec::len), Some(3));
    world.seed(&format!("show {old}/run-1/session-log-1.md")).ends(64, "has no file");
    let (status, listed) = (world.git("status --porcelain"), world.json("job list --all"));
    assert_eq!((world.git("rev-parse HEAD"), status.as_str()), (head, ""));
    assert!(listed.to_string().contains(&old), "{listed}");
    world.person("memory prune").tells("nothing to prune: what stays is 1 job");
    proves(&world);
    // It begins again like any other.
    world.person(&format!("job reactivate {old} --active")).succeeds();
    finishes(&world);
    assert_eq!(world.json(&format!("show {old}"))["raw"].as_array().map(Vec::len), Some(2));
}

/// Files that a sparse checkout leaves out go as well, and an open job's stay.
#[test]
fn what_is_not_checked_out_goes_as_well_and_open_jobs_keep_theirs() {
    let world = under("[memory]\nkeep = \"0 days\"\n");
    let old = closed(&world);
    world.hours(1);
    world.prompt("fix the lexer");
    world.to("condense").works("condense");
    let open = world.job();
    world.git("sparse-checkout set --cone src");
    assert!(on_disk(&world).iter().all(|path| path.contains(&open)), "{:?}", on_disk(&world));
    let said = world.person("memory prune").succeeds();
    assert!(said.contains("deleted 3 files of 1 job") && said.contains(&old), "{said}");
    assert!(!said.contains(&open), "{said}");
    let tracked = world.git("ls-files .claude/jobs");
    assert!(!tracked.contains(&old), "{tracked}");
    assert!(!on_disk(&world).is_empty());
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
}

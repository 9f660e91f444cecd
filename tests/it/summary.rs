//! Prompts and answers stay as they are; where they have grown long, a summary comes first.

use serde_json::json;

use super::world::{World, message, question};

const SECTIONS: [&str; 5] = [
    "User Requests",
    "Questions & Decisions",
    "Design Choices",
    "Corrections & Feedback",
    "Current State",
];

fn summary(words: usize) -> String {
    let section = |title: &&str| format!("## {title}\n\n{}\n\n", "said ".repeat(words).trim());
    SECTIONS.iter().map(section).collect()
}

fn long_prompt() -> String {
    format!("also this: {}", "and that ".repeat(200))
}

#[test]
fn a_long_instruction_is_summed_up_before_the_work_goes_on() {
    let world = World::prompted();
    world.to("observe");
    world.reads("README.md").passes();
    world.seed("summary submit -m short").refuses("section ## User Requests is missing");
    // Whoever is refused is told where the sections stand, and there they stand.
    world
        .seed("summary show")
        .tells("## User Requests\n## Questions & Decisions\n## Design Choices\n");
    // The agent's own questions do not wear the person's words out.
    let long = format!("[WAITING] {}", "which one ".repeat(300));
    world.asks(&question(&long, &["this", "that"])).passes().answers("this");
    world.prompt(&long_prompt());
    assert_eq!(world.json("summary show")["due"], 3);
    world.reads("README.md").refuses("git seed summary show, then git seed summary submit -F -");
    world.writes("CLAUDE.md", "x").refuses("sum it up");
    world.runs("ls").refuses("sum it up");
    world.asks(&question("[WAITING] which one?", &["a", "b"])).refuses("sum it up");
    world.seed("phase advance -F -").stdin(&message("observe")).refuses("sum it up");

    // What is said meanwhile belongs to the next summary.
    world.prompt("one more word");
    let shown = world.seed("summary show").succeeds();
    assert!(
        shown.contains(
            "Summarize through interaction 3: git seed summary submit -F -\n## User Requests\n"
        ),
        "{shown}"
    );
    for (text, says) in [
        (summary(50).replace("## Design Choices", "## Ideas"), "## Ideas is not a section"),
        (
            summary(50).replace("## Current State", "Current State"),
            "section ## Current State is missing",
        ),
        (summary(3), "## User Requests is too short"),
        (summary(400), "as long as the text that it sums up"),
    ] {
        world.seed("summary submit -F -").stdin(&text).refuses(says);
    }
    world
        .seed("summary submit -F -")
        .stdin(&summary(50))
        .prints("Stored: summary 1 of interactions 1 to 3.\n");
    world.reads("README.md").passes();

    let shown = world.json("summary show");
    assert_eq!(shown["summaries"][0]["covers"], json!([1, 3]));
    assert_eq!((&shown["open"][0]["n"], &shown["due"]), (&json!(4), &json!(null)));
    let texts = world.json("job show");
    assert_eq!(texts["interactions"][2]["text"].as_str().map(str::len), Some(long_prompt().len()));
    world
        .seed("summary submit -F -")
        .stdin(&summary(50))
        .prints("Stored: summary 2 of interactions 4 to 4.\n");
    world
        .seed("summary submit -F -")
        .stdin(&summary(50))
        .refuses("nothing new was said since the last summary");
}

#[test]
fn small_talk_and_the_small_lane_ask_for_no_summary() {
    let world = World::seeded();
    world.starts();
    world.prompt(&long_prompt());
    world.reads("README.md").passes();
    let quick = World::seeded();
    quick.starts();
    quick.prompt(&format!("[QUICK] {}", long_prompt()));
    quick.seed("phase advance").succeeds();
    assert_eq!(quick.phase(), "observe");
    quick.reads("README.md").passes();
}

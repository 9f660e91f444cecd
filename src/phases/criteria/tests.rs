//! The promises of criteria, in tables.

use proptest::prelude::*;

use super::Answer::{Met, NotMet, NotShown};
use super::*;

fn of(texts: &[&str]) -> Vec<Criterion> {
    contract(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), &[])
}

fn told(contract: &[Criterion], line: &str) -> Vec<(Option<usize>, Answer)> {
    let message = Message::new(&format!("it holds\n\n## Result\n{line}\n"));
    answers(&message, "Result", contract).into_iter().map(|one| (one.of, one.answer)).collect()
}

#[test]
fn a_contract_is_a_list_a_table_or_paragraphs() {
    let texts = |text: &str| of(&[text]).into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(texts("Two:\n- a b\n- c\n  d\n\nand so on"), ["a b", "c d"]);
    assert_eq!(texts("1. a\n2) b\n   - more"), ["a", "b more"]);
    assert_eq!(texts("| # | what |\n|---|---|\n| AC1 | a |\n| AC2 | b |"), ["AC1 | a", "AC2 | b"]);
    assert_eq!(
        texts("Every line of it\nsays ok.\n\nAnd no panic."),
        ["Every line of it says ok.", "And no panic."]
    );
    assert_eq!(texts("```\n- a\n```\n"), Vec::<String>::new());
    assert_eq!(of(&["- AC1: a b", "- AC1: other words\n- a b\n* c", "- C."]).len(), 3);
    let tested = ["- AC2: `make lint`\n- nobody: `x y`".to_owned()];
    let all = contract(&["- AC1: a\n- AC2: b (make test)".to_owned()], &tested);
    assert_eq!(all[1].named, ["make test", "make lint"]);
    assert!(all[0].named.is_empty());
}

#[test]
fn a_document_says_it_below_a_heading_of_any_rank() {
    let text = "# Plan\n### Acceptance Criteria\n- a\n#### More\n- b\n## Risks\n- c\n\
        ## acceptance criteria\n- d\n```\n## x\n```\n";
    let found = wholly_below(text, "Acceptance Criteria");
    assert_eq!(found, ["- a\n#### More\n- b\n", "- d\n```\n## x\n```\n"]);
    assert!(wholly_below("", "A").is_empty());
}

#[test]
fn a_line_answers_the_criterion_that_it_begins_with() {
    let two = of(&["- escapes survive inside quoted strings\n- AC2: deep lists do not overflow"]);
    for (line, wanted) in [
        ("- escapes survive inside quoted strings: met", Some((0, Met))),
        ("- [x] escapes survive inside quoted strings", Some((0, Met))),
        ("- [X] escapes survive", Some((0, Met))),
        ("* ✓ **escapes survive**", Some((0, Met))),
        ("1. escapes survive: pass", Some((0, Met))),
        ("| escapes survive | PASSED |", Some((0, Met))),
        ("- Escapes survive — holds, 41 tests", Some((0, Met))),
        ("escapes survive: yes (`cargo test lex`)", Some((0, Met))),
        ("- escapes survive: not shown, pass later", Some((0, NotShown))),
        ("- [ ] escapes survive: not shown", Some((0, NotShown))),
        ("- [ ] escapes survive", Some((0, NotMet))),
        ("- [ ] escapes survive: pass", Some((0, NotMet))),
        ("- ❌ escapes survive", Some((0, NotMet))),
        ("- escapes survive: FAIL", Some((0, NotMet))),
        ("- escapes survive: no, one is lost", Some((0, NotMet))),
        ("- [x] escapes survive: FAIL", Some((0, NotMet))),
        ("- AC2: FAIL, deep lists overflow", Some((1, NotMet))),
        ("- [x] **AC2**: met", Some((1, Met))),
        ("- AC-2 — no overflow at depth 9: met", Some((1, Met))),
        ("- AC2: deep lists do not overflow: met (0 FAILED)", Some((1, Met))),
        ("- [x] AC2: deep lists, and one FAILS", Some((1, NotMet))),
        ("| AC2 | deep lists | ✅ |", Some((1, Met))),
        ("- AC2: partly, the last one is open", Some((1, NotMet))),
        ("- AC2: deep lists do not overflow", None),
        ("- escapes survive: `pass`", Some((0, Met))),
        ("- passport numbers", None),
        ("- AC3: met", None),
        ("", None),
    ] {
        let found = told(&two, line);
        let found: Vec<_> = found.into_iter().filter_map(|(of, said)| Some((of?, said))).collect();
        assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "{line}");
    }
    assert!(told(&two, "```\n- AC2: met\n```").is_empty(), "code");
    assert_eq!(told(&two, "- AC2: met\n- AC2: FAIL"), [(Some(1), NotMet)], "the worse one");
    // What no contract names is judged below the section alone, and where it gives an answer.
    assert_eq!(told(&two, "- [x] all tests pass (make test)"), [(None, Met)]);
    assert_eq!(told(&two, "- coverage: failed"), [(None, NotMet)]);
    assert!(told(&two, "No panic was seen.").is_empty(), "prose");
}

#[test]
fn words_that_fit_two_criteria_answer_none() {
    let alike = of(&["1. parses nothing\n2. parses deep lists"]);
    assert!(told(&alike, "- parses: met").iter().all(|(of, _)| of.is_none()));
    assert_eq!(told(&alike, "- parses nothing: met").len(), 1);
    assert_eq!(told(&alike, "2. met"), [(Some(1), Answer::Met)], "by its number");
    let bare = of(&["- escapes survive\n- no panic on nothing"]);
    for line in ["AC2: met", "- Criterion 2: met", "2. met", "- [x] AC2, nothing panics"] {
        assert_eq!(told(&bare, line).first().and_then(|(of, _)| *of), Some(1), "{line}");
    }
    assert!(told(&bare, "- AC3: met").iter().all(|(of, _)| of.is_none()), "there is no third");
    let signs = of(&["- 空输入不报错\n- 深层列表不溢出"]);
    assert_eq!(told(&signs, "- [x] 深层列表"), [(Some(1), Answer::Met)]);
    assert_eq!(told(&signs, "- 空输入不报错：not shown"), [(Some(0), Answer::NotShown)]);
}

#[test]
fn a_question_quotes_one_criterion() {
    let two = of(&["- AC1: escapes survive\n- AC2: escapes survive in strings"]);
    let found = |text: &str| quoted_by(text, &two).map(|one| one.text.clone());
    assert_eq!(
        found("Does \"AC1: escapes survive\" count?").as_deref(),
        Some("AC1: escapes survive")
    );
    assert_eq!(found("is that right?"), None);
    assert_eq!(key("**AC1**:  `escapes` survive"), "ac1 escapes survive");
}

fn run(command: &str, passed: bool) -> Shown {
    let test = command.contains("test");
    let whole = command.ends_with("test");
    let run = test.then(|| command.split(' ').next().unwrap_or_default().to_owned());
    Shown { command: command.to_owned(), passed, heard: true, run, whole, fresh: true }
}

fn judged(plan: &str, said: &str, shown: &[Shown], by_word: &[String]) -> Result<(), Lack> {
    judged_with(None, plan, said, shown, by_word)
}

fn judged_with(
    instead: Option<&Instead>,
    plan: &str,
    said: &str,
    shown: &[Shown],
    by_word: &[String],
) -> Result<(), Lack> {
    let contract = of(&[plan]);
    let ground = Ground {
        contract: &contract,
        shown,
        by_word: &|key| by_word.iter().any(|known| known == key),
        row_of: &|text| text.contains("test").then(|| text.split(' ').next().map(str::to_owned))?,
        speaks_of_all: &|text| text.contains("all tests"),
        may_show: &|command, _| !command.ends_with("-c 1"),
        instead,
    };
    check(&Message::new(&format!("so\n\n## Result\n{said}\n")), "Result", &ground)
}

#[test]
fn what_is_met_was_seen_to_run() {
    let plan = "- escapes survive\n- numbers: `cargo test num`";
    let said = "- escapes survive: met\n- numbers: not shown";
    let (whole, num) = (run("cargo test", true), run("cargo test num", true));
    let name = |lack: Result<(), Lack>| match lack {
        Ok(()) => "yes".to_owned(),
        Err(lack) => format!("{lack:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    };
    let stale = Shown { fresh: false, ..num.clone() };
    for (said, shown, wanted) in [
        (said, vec![whole.clone(), num.clone()], "yes"),
        (said, vec![whole.clone(), stale.clone()], "yes"),
        (said, vec![run("cargo test lex", true)], "Untried"),
        (said, vec![whole.clone()], "yes"),
        (said, vec![run("python3 -c pass", true), stale], "Nothing"),
        (said, vec![], "Nothing"),
        ("- escapes survive: met", vec![whole.clone()], "Unanswered"),
        ("- escapes survive: met\n- numbers: FAIL", vec![whole.clone(), num.clone()], "Unmet"),
        ("- escapes survive: not shown\n- numbers: not shown", vec![num.clone()], "NoneMet"),
        ("- escapes survive: met\n- numbers: met", vec![num.clone()], "yes"),
        ("- escapes survive: met\n- numbers: met", vec![whole.clone()], "yes"),
        ("- escapes survive: met\n- numbers: met", vec![run("cargo test lex", true)], "Command"),
        (
            "- escapes survive: met\n- numbers: met",
            vec![run("cargo test num", false), whole.clone()],
            "Command",
        ),
        (
            "- escapes survive: met\n- numbers: not shown",
            vec![whole.clone(), run("cargo test num", false)],
            "Failing",
        ),
        (
            "- escapes survive: met\n- numbers: not shown\n- [x] all tests pass (make test)",
            vec![whole.clone(), num.clone()],
            "Command",
        ),
        (
            "- escapes survive: met\n- numbers: not shown\n- [x] all tests pass",
            vec![num.clone()],
            "Part",
        ),
        (
            "- escapes survive: met\n- numbers: not shown\n- lints: broken",
            vec![whole.clone(), num.clone()],
            "Unmet",
        ),
    ] {
        assert_eq!(name(judged(plan, said, &shown, &[])), wanted, "{said}\n{shown:?}");
    }
    // A person's word stands for a run.
    let both = "- escapes survive: met\n- numbers: not shown";
    let words = [key("escapes survive")];
    let tried = Shown { fresh: false, ..num };
    assert_eq!(judged(plan, both, &[tried], &words), Ok(()));
    // Without a contract what is listed itself is judged.
    assert_eq!(judged("", "- [x] it runs", &[whole], &[]), Ok(()));
    assert_eq!(judged("", "nothing is listed", &[], &[]), Err(Lack::NoneMet));
}

/// Where no test could show the work, a look at words does, or the command that ran; else it is
/// said that nothing was tested.
#[test]
fn what_no_test_can_show_has_another_way() {
    let plan = "- the guide names errors\n- it links them";
    let path = "guide.md".to_owned();
    let (seen, look) = (Instead::Seen, Instead::Look { path, gone: false });
    let word = |said| Instead::Word { why: "there is no test".to_owned(), said };
    let met = "- the guide names errors: met\n- it links them: met";
    let none = "- the guide names errors: not shown\n- it links them: not shown";
    let named = "- the guide names errors: met (`python3 errors.py`)\n- it links them: not shown";
    let empty = "- the guide names errors: met (`python3 -c 1`)\n- it links them: not shown";
    let ran = run("python3 errors.py", true);
    for (instead, said, shown, wanted) in [
        (seen.clone(), met, vec![], None),
        (seen.clone(), none, vec![], Some("NoneMet")),
        (seen, met, vec![run("cargo test", false)], Some("Failing")),
        (look, met, vec![], Some("Unlooked")),
        (word(true), met, vec![ran.clone()], Some("Untestable")),
        (word(true), none, vec![], None),
        (word(false), none, vec![], Some("Untestable")),
        (word(true), named, vec![ran.clone()], None),
        (word(false), named, vec![ran], Some("Untestable")),
        (word(true), named, vec![run("python3 errors.py", false)], Some("Command")),
        (word(true), named, vec![], Some("Command")),
        (word(true), empty, vec![run("python3 -c 1", true)], Some("Untestable")),
    ] {
        let told = judged_with(Some(&instead), plan, said, &shown, &[]).err();
        let name = told.map(|lack| format!("{lack:?}"));
        let name = name.as_deref().map(|name| name.split(' ').next().unwrap_or(name));
        assert_eq!(name, wanted, "{instead:?} {said} {shown:?}");
    }
    // A look is no run of all tests.
    let all = "- all tests pass";
    let told = judged_with(Some(&Instead::Seen), all, &format!("{all}: met"), &[], &[]);
    assert!(matches!(told, Err(Lack::Nothing { .. })), "{told:?}");
}

#[test]
fn a_command_is_the_same_behind_a_cd_or_confined() {
    for (ran, same) in [
        ("cargo test lex", true),
        ("cd a && cargo  test lex", true),
        ("git seed exec -- cargo test lex", true),
        ("echo cargo test lex", false),
        ("cargo test", false),
    ] {
        assert_eq!(is_same(ran, "cargo test lex"), same, "{ran}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(plan in "(?s).{0,200}", said in "(?s).{0,300}") {
        let _ = judged(&plan, &said, &[], &[]);
        let _ = wholly_below(&plan, &said);
    }

    /// However it is marked, a criterion that is repeated and said to be unmet does not lead on.
    #[test]
    fn what_is_said_to_be_unmet_goes_nowhere(
        head in "[a-z]{3,8} [a-z]{3,8}",
        mark in prop::sample::select(vec!["- ", "* ", "1. ", "- [ ] "]),
        word in prop::sample::select(vec![": not met", ": FAIL", " — failed", ": unmet, it hangs"]),
    ) {
        let (plan, said) = (format!("- {head}"), format!("{mark}{head}{word}"));
        let lack = judged(&plan, &said, &[run("cargo test", true)], &[]);
        prop_assert!(matches!(lack, Err(Lack::Unmet { .. })), "{lack:?}");
    }
}

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::memory::condense::POINTER;
use crate::memory::samples::{ANCHORS, page_like};

fn joined(base: &str, ours: &str, theirs: &str) -> Merged {
    merge(Versions { base, ours, theirs }, &ANCHORS, 7)
}

/// Joined without a conflict.
fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let merged = joined(base, ours, theirs);
    assert_eq!(merged.conflicts, 0, "{}", merged.text);
    merged.text
}

#[test]
fn what_would_lose_a_word_is_left_to_a_person() {
    let of = Versions { base: "a b\n", ours: "a b\nc c\n", theirs: "a b\nd\n" };
    assert!(super::loses_words(of, "a b\nc\nd\n"), "one of two went");
    assert!(super::loses_words(of, "a b\nc c\n"), "a side's went");
    assert!(!super::loses_words(of, "a b\nd\nc c\n"));
    let gone = Versions { base: "a b\nc\n", ours: "a b\n", theirs: "a b\nc\nd\n" };
    assert!(!super::loses_words(gone, "a b\nd\n"), "what a side took away is gone");
    let both = Versions { base: "a\n", ours: "a\nb\n", theirs: "a\nb\n" };
    assert!(!super::loses_words(both, "a\nb\n"), "what both added stands once");
}

#[test]
fn what_both_added_stands_in_its_place() {
    let page = format!("# Root\n\n## Findings\n\n- a\n- b\n\n---Ob---\n\n{POINTER}\n\n---Pl---\n");
    let with = |old: &str, new: &str| page.replace(old, new);
    for (ours, theirs, expected) in [
        // The end of a list.
        (
            with("- b\n", "- b\n- c\n"),
            with("- b\n", "- b\n- d\n"),
            with("- b\n", "- b\n- c\n- d\n"),
        ),
        // One item of the same words.
        (
            with("- b\n", "- b\n- c\n"),
            with("- b\n", "- b\n- c\n- d\n"),
            with("- b\n", "- b\n- c\n- d\n"),
        ),
        // Right beside what the other deleted, or changed.
        (with("- b\n", "- b\n- c\n"), with("- b\n", ""), with("- b\n", "- c\n")),
        (with("- a\n", "- A\n"), with("- a\n", "- a\n- c\n"), with("- a\n", "- A\n- c\n")),
        (
            with("- a\n- b\n", "- A\n- B\n"),
            with("- a\n", "- a\n- c\n"),
            with("- a\n- b\n", "- A\n- c\n- B\n"),
        ),
        // What was changed is known by its words, whatever was deleted and added beside it.
        (
            with("- a\n- b\n", "- it reads all the bytes\n- new\n"),
            with("- a\n- b\n", "- a\n- b\n- more\n"),
            with("- a\n- b\n", "- it reads all the bytes\n- new\n- more\n"),
        ),
        // Paragraphs do not run into one another, nor into a list.
        (
            with("- b\n", "- b\n\none\n"),
            with("- b\n", "- b\n\ntwo\n"),
            with("- b\n", "- b\n\none\n\ntwo\n"),
        ),
        (
            with("- b\n", "- b\n\none\n"),
            with("- b\n", "- b\n- c\n"),
            with("- b\n", "- b\n- c\n\none\n"),
        ),
        // What is below an item that was there goes before the next one.
        (
            with("- b\n", "- b\n- c\n"),
            with("- b\n", "- b\n  - d\n"),
            with("- b\n", "- b\n  - d\n- c\n"),
        ),
        // The same new title, with something below it in each.
        (
            with("---Ob---", "## New\n\n- c\n\n---Ob---"),
            with("---Ob---", "## New\n\n- d\n\n## Other\n\n- e\n\n---Ob---"),
            with("---Ob---", "## New\n\n- c\n- d\n\n## Other\n\n- e\n\n---Ob---"),
        ),
        // Notes below an anchor.
        (
            with("---Pl---\n", "---Pl---\n[KNOWLEDGE]{a}\n"),
            with("---Pl---\n", "---Pl---\n[KNOWLEDGE]{b}\n"),
            with("---Pl---\n", "---Pl---\n[KNOWLEDGE]{a}\n[KNOWLEDGE]{b}\n"),
        ),
        // Deletions of both.
        (with("- a\n", ""), with("- b\n", ""), with("- a\n- b\n\n", "")),
        (with("- a\n- b\n", "- a\n"), with("- a\n- b\n\n", ""), with("- a\n- b\n\n", "")),
    ] {
        assert_eq!(clean(&page, &ours, &theirs), expected, "{ours}\n{theirs}");
    }
}

#[test]
fn what_both_added_alike_stays_with_its_own() {
    let base = "# R\n\n- a\n";
    for (ours, theirs, expected) in [
        // Items with the same words below them.
        ("- Linux\n  - root\n", "- macOS\n  - root\n", "- Linux\n  - root\n- macOS\n  - root\n"),
        ("- x\n  - root\n", "- x\n  - sudo\n", "- x\n  - root\n- x\n  - sudo\n"),
        ("- x\n  - root\n", "- x\n  - root\n- y\n", "- x\n  - root\n- y\n"),
        (
            "- x\n  - root\n- x\n",
            "- y\n  - root\n  - root\n",
            "- x\n  - root\n- x\n- y\n  - root\n  - root\n",
        ),
        // Paragraphs, fences, elements of HTML, and what parts them.
        (
            "\none\n\n```\nrun\n```\n",
            "\ntwo\n\n```\nrun\n```\n",
            "\none\n\n```\nrun\n```\n\ntwo\n\n```\nrun\n```\n",
        ),
        (
            "\nLinux:\n\n- root\n",
            "\nmacOS:\n\n- root\n",
            "\nLinux:\n\n- root\n\nmacOS:\n\n- root\n",
        ),
        (
            "\none\n\n---\n\nmore\n",
            "\ntwo\n\n---\n\nmore\n",
            "\none\n\n---\n\nmore\n\ntwo\n\n---\n\nmore\n",
        ),
        (
            "\n<details>\n\none\n\n</details>\n",
            "\n<details>\n\ntwo\n\n</details>\n",
            "\n<details>\n\none\n\n</details>\n\n<details>\n\ntwo\n\n</details>\n",
        ),
        // A heading that is underlined.
        ("\nA\n---\n\nsame\n", "\nB\n---\n\nsame\n", "\nA\n---\n\nsame\n\nB\n---\n\nsame\n"),
        // Equal titles below others.
        (
            "- c\n",
            "\n## A\n\n### Usage\n\ny1\n\n## B\n\n### Usage\n\ny2\n",
            "- c\n\n## A\n\n### Usage\n\ny1\n\n## B\n\n### Usage\n\ny2\n",
        ),
        (
            "\n## A\n\n### Usage\n\nx\n",
            "\n## B\n\n### Usage\n\nx\n",
            "\n## A\n\n### Usage\n\nx\n\n## B\n\n### Usage\n\nx\n",
        ),
        (
            "\n## A\n\n### Usage\n\nx\n\n## B\n",
            "\n## B\n\n### Usage\n\nz\n\n## A\n\n### Usage\n\ny\n",
            "\n## A\n\n### Usage\n\nx\n\ny\n\n## B\n\n### Usage\n\nz\n",
        ),
        // Two tables are two.
        (
            "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
            "\n| c | d |\n|---|---|\n| 1 | 2 |\n",
            "\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 1 | 2 |\n",
        ),
        ("\n| a |\n|---|\n", "\n| a |\n|---|\n\nx\n", "\n| a |\n|---|\n\nx\n"),
    ] {
        let of = |added: &str| format!("{base}{added}");
        assert_eq!(clean(base, &of(ours), &of(theirs)), of(expected), "{ours}\n{theirs}");
    }
    // Rows of one table are rows of it.
    let table = |rows: &str| format!("| a |\n|---|\n| 1 |\n{rows}");
    let rows = clean(&table(""), &table("| 2 |\n| 3 |\n"), &table("| 2 |\n| 4 |\n"));
    assert_eq!(rows, table("| 2 |\n| 3 |\n| 4 |\n"));
    // A page that both began.
    let text = clean(
        "",
        "# R\n\n- Linux\n  - root\n\n## Use\n\nx\n",
        "# R\n\n- macOS\n  - root\n\n## Use\n\nx\n\n## More\n\nx\n",
    );
    let both = "# R\n\n- Linux\n  - root\n- macOS\n  - root\n\n## Use\n\nx\n\n## More\n\nx\n";
    assert_eq!(text, both);
}

#[test]
fn what_one_added_below_what_the_other_deleted_is_a_conflict() {
    let page = "# R\n\n## A\n\none\n\n## B\n\n- b\n- c\n  - d\n\n| h |\n|---|\n| 1 |\n\n---Ob---\n";
    for (deletes, adds, stands) in [
        // A title with all that is below it, a list item with what hangs on it, the head of a
        // table, a title alone, an anchor.
        (
            ("## B\n\n- b\n- c\n  - d\n\n| h |\n|---|\n| 1 |\n\n", ""),
            ("  - d\n", "  - d\n- new\n"),
            "## B",
        ),
        (("- c\n  - d\n", ""), ("  - d\n", "  - d\n  - new\n"), "- c"),
        (("| h |\n|---|\n| 1 |\n\n", ""), ("| 1 |\n", "| 1 |\n| new |\n"), "| h |"),
        (("## B\n\n", ""), ("- b\n", "- b\n- new\n"), "## B"),
        (("---Ob---\n", ""), ("---Ob---\n", "---Ob---\n\n[NOTE]{new}\n"), "---Ob---"),
        (("## B\n\n", "## Something else\n\n"), ("- b\n", "- b\n- new\n"), "## B"),
        // A title that is put between is no deletion, and moves it all the same.
        (("- b\n", "- b\n\n## New\n\n"), ("- c\n", "- c\n- new\n"), "## New"),
    ] {
        let of = |(old, new): (&str, &str)| page.replacen(old, new, 1);
        let (without, with) = (of(deletes), of(adds));
        for (ours, theirs) in [(&without, &with), (&with, &without)] {
            let merged = joined(page, ours, theirs);
            assert_eq!(merged.conflicts, 1, "{}", merged.text);
            let from = merged.text.find("<<<<<<<").expect("a marker");
            let to = merged.text.find(">>>>>>>").expect("a marker");
            let both = &merged.text[from..to];
            assert!(both.contains("new") && both.contains(stands), "{}", merged.text);
        }
    }
    // What stands beside it is no matter of it.
    let (ours, theirs) = (page.replace("- c\n  - d\n", ""), page.replace("- b\n", "- b\n- e\n"));
    let both = page.replace("- c\n  - d\n", "- e\n");
    assert_eq!(clean(page, &ours, &theirs), both);
}

#[test]
fn a_page_that_both_gave_its_anchors_has_them_once() {
    let page = |body: &str, below: &str| {
        format!("{body}\n---Ob---\n\n{POINTER}\n{below}\n---Pl---\n\n---Ex---\n\n---Ve---\n")
    };
    let (ours, theirs) =
        (page("# Root\n\none\n", "\n[KNOWLEDGE]{a}\n"), page("# Root\n\ntwo\n", ""));
    for base in ["# Root\n", "# Root", ""] {
        let text = clean(base, &ours, &theirs);
        assert_eq!(text, page("# Root\n\none\n\ntwo\n", "\n[KNOWLEDGE]{a}\n"), "{base:?}");
    }
}

#[test]
fn a_line_that_both_changed_differently_is_a_conflict_with_both_texts() {
    for (base, ours, theirs, expected) in [
        (
            "one\n\ntwo\n\nthree\n",
            "one\n\nTWO\n\nthree\n",
            "one\n\ndos\n\nthree\n",
            "one\n\n<<<<<<< ours\nTWO\n=======\ndos\n>>>>>>> theirs\n\nthree\n",
        ),
        // One deleted what the other changed.
        ("- a\n- b\n", "- a\n", "- a\n- B\n", "- a\n<<<<<<< ours\n=======\n- B\n>>>>>>> theirs\n"),
        // Knowledge that both began is not two front matters in one.
        (
            "",
            "---\nname: a\ntype: x\n---\n\none\n",
            "---\nname: a\ntype: y\n---\n\ntwo\n",
            "<<<<<<< ours\n---\nname: a\ntype: x\n---\n=======\n---\nname: a\ntype: y\n---\n\
             >>>>>>> theirs\n\none\n\ntwo\n",
        ),
        (
            "---\nlast_verified: 1\ntype: x\n---\n\none\n",
            "---\nlast_verified: 2\ntype: x\n---\n\none\n\ntwo\n",
            "---\nlast_verified: 3\ntype: x\n---\n\none\n\nthree\n",
            "---\n<<<<<<< ours\nlast_verified: 2\n=======\nlast_verified: 3\n>>>>>>> theirs\n\
             type: x\n---\n\none\n\ntwo\n\nthree\n",
        ),
    ] {
        let merged = joined(base, ours, theirs);
        assert_eq!((merged.text.as_str(), merged.conflicts), (expected, 1));
    }
    let base = "- it counts lines\n- it knows no tabs\n";
    let (ours, theirs) =
        ("- it knows tabs now\n- new\n", "- it counts lines\n- it will know tabs\n");
    let both = "<<<<<<< ours\n- it knows tabs now\n=======\n- it will know tabs\n>>>>>>> theirs\n";
    assert_eq!(joined(base, ours, theirs).text, format!("{both}- new\n"));
    // Different lines of one paragraph are none.
    let base = "a\nb\nc\nd\n";
    assert_eq!(clean(base, "A\nb\nc\nd\n", "a\nb\nc\nD\n"), "A\nb\nc\nD\n");
    // A longer marker, where git asks for one.
    let wide = merge(Versions { base: "a", ours: "b", theirs: "c" }, &ANCHORS, 9);
    assert_eq!(wide.text, "<<<<<<<<< ours\nb\n=========\nc\n>>>>>>>>> theirs\n");
}

#[test]
fn line_ends_and_blocks_stay_what_they_are() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let (base, ours, theirs) = ("# R\n\n- a\n", "# R\n\n- a\n- b\n", "# R\n\n- a\n- c\n");
    let both = "# R\n\n- a\n- b\n- c\n";
    assert_eq!(clean(&crlf(base), &crlf(ours), &crlf(theirs)), crlf(both));
    assert_eq!(clean(base, &crlf(ours), theirs), crlf(both), "one side changed them");
    assert_eq!(clean(base, ours, &crlf(theirs)), crlf(both));
    assert_eq!(clean("- a", "- a\n- b", "- a\n- c"), "- a\n- b\n- c");
    let code = "x\n\n```\n# no title\n\n- no item\n```\n";
    let text = clean("x\n", code, "x\n\n```\nother\n```\n");
    assert_eq!(text, format!("{code}\n```\nother\n```\n"));
}

#[test]
fn what_is_no_text_stands_between_markers() {
    let of = |base, ours, theirs| merge_bytes(Versions { base, ours, theirs }, 7);
    assert_eq!(of(b"\xff", b"\xff", b"x"), (b"x".to_vec(), 0));
    assert_eq!(of(b"\xff", b"y", b"\xff"), (b"y".to_vec(), 0));
    let both = b"<<<<<<< ours\ny\n=======\n\xfe\n>>>>>>> theirs\n".to_vec();
    assert_eq!(of(b"\xff", b"y", b"\xfe\n"), (both, 1));
}

/// What a page is made of, each with a word of its own.
fn unit(n: usize, kind: u8) -> String {
    match kind % 6 {
        0 => format!("## Title {n}w"),
        1 => format!("paragraph {n}w\nand more {n}w"),
        2 => format!("[KNOWLEDGE]{{{n}w}}"),
        3 => format!("```\ncode {n}w\n\nmore\n```"),
        _ => format!("- item {n}w"),
    }
}

/// A page of these units: items of a list stand close, all else apart.
fn page(units: &[String]) -> String {
    let mut text = String::new();
    let close = |unit: &String| unit.starts_with("- ") || unit.starts_with('[');
    for (n, unit) in units.iter().enumerate() {
        let head = |unit: &String| unit.chars().next();
        let touches = n > 0 && close(unit) && head(&units[n - 1]) == head(unit);
        text.push_str(if n == 0 || touches { "" } else { "\n" });
        text.push_str(unit);
        text.push('\n');
    }
    text
}

/// A base, and for each side which units it deletes and what it adds behind which.
type Story = (Vec<u8>, [(Vec<bool>, Vec<(usize, u8)>); 2]);

fn story() -> impl Strategy<Value = Story> {
    let side = || (vec(any::<bool>(), 12), vec((0_usize..12, any::<u8>()), 0..6));
    (vec(any::<u8>(), 0..12), [side(), side()])
}

/// The units of the base, of each side, and what each side added.
fn told(story: &Story, deletes: bool) -> (Vec<String>, [Vec<String>; 2], [Vec<String>; 2]) {
    let base: Vec<String> = story.0.iter().enumerate().map(|(n, kind)| unit(n, *kind)).collect();
    let side = |which: usize| {
        let (gone, adds) = &story.1[which];
        let mut units = Vec::new();
        let mut added = Vec::new();
        // Behind the last unit something may be added, too.
        for (at, own) in base.iter().map(Some).chain([None]).enumerate() {
            for (n, (_, kind)) in adds.iter().enumerate().filter(|(_, (to, _))| *to == at) {
                added.push(unit(100 * (which + 1) + n, *kind));
                units.extend(added.last().cloned());
            }
            let goes = deletes && gone.get(at) == Some(&true);
            units.extend(own.filter(|_| !goes).cloned());
        }
        (units, added)
    };
    let ([one, two], [of_one, of_two]) = {
        let ((one, of_one), (two, of_two)) = (side(0), side(1));
        ([one, two], [of_one, of_two])
    };
    (base, [one, two], [of_one, of_two])
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

/// Where each of `units` stands in `text`, as whole lines.
fn places(text: &str, units: &[String]) -> Vec<Option<usize>> {
    let text = format!("\n{text}\n");
    units.iter().map(|unit| text.find(&format!("\n{unit}\n"))).collect()
}

proptest! {
    #[test]
    fn one_side_alone_is_taken_byte_for_byte(base in page_like(), side in page_like()) {
        for merged in [
            joined(&base, &side, &base),
            joined(&base, &base, &side),
            joined(&base, &side, &side),
        ] {
            prop_assert_eq!(&merged.text, &side);
            prop_assert_eq!(merged.conflicts, 0);
        }
    }

    #[test]
    fn what_both_added_is_joined_without_a_conflict(story in story()) {
        let (base, [ours, theirs], added) = told(&story, false);
        let merged = joined(&page(&base), &page(&ours), &page(&theirs));
        // A title that is put between takes what the other side adds behind it along.
        let titled = |units: &[String]| units.iter().any(|unit| unit.starts_with('#'));
        if !added.iter().any(|units| titled(units)) {
            prop_assert_eq!(merged.conflicts, 0, "{}", merged.text);
        }
        if merged.conflicts > 0 {
            return Ok(());
        }
        for units in [&base, &ours, &theirs, &added[0], &added[1]] {
            let places = places(&merged.text, units);
            prop_assert!(places.iter().all(Option::is_some), "{:?}\n{}", units, merged.text);
        }
        // What was there keeps its order.
        let places = places(&merged.text, &base);
        prop_assert!(places.is_sorted(), "{}", merged.text);
    }

    #[test]
    fn what_one_deleted_goes_and_what_the_other_added_stays(story in story()) {
        let (base, [ours, theirs], added) = told(&story, true);
        let merged = joined(&page(&base), &page(&ours), &page(&theirs));
        for side in &added {
            let found = words(&merged.text);
            for unit in side {
                prop_assert!(words(unit).is_subset(&found), "{:?}\n{}", unit, merged.text);
            }
        }
        if merged.conflicts == 0 {
            let kept = |unit: &&String| ours.contains(unit) && theirs.contains(unit);
            let (stay, go): (Vec<&String>, Vec<&String>) = base.iter().partition(kept);
            let found = words(&merged.text);
            for unit in stay {
                prop_assert!(words(unit).is_subset(&found), "{:?}\n{}", unit, merged.text);
            }
            for unit in go {
                let own = unit.split_whitespace().find(|word| word.contains('w')).expect("a word");
                prop_assert!(!found.contains(own), "{:?}\n{}", unit, merged.text);
            }
        }
    }

    #[test]
    fn no_word_that_a_side_added_is_lost(
        base in page_like(), ours in page_like(), theirs in page_like(),
    ) {
        let merged = joined(&base, &ours, &theirs);
        let (found, old) = (words(&merged.text), words(&base));
        for side in [&ours, &theirs] {
            let new: BTreeSet<&str> = words(side).difference(&old).copied().collect();
            prop_assert!(new.is_subset(&found), "{:?}\n{}", side, merged.text);
        }
    }

    #[test]
    fn a_line_changed_twice_is_never_settled_in_silence(
        before in vec(any::<u8>(), 0..4), after in vec(any::<u8>(), 0..4),
    ) {
        let of = |middle: &str| {
            let side = |from: usize, kinds: &[u8]| -> Vec<String> {
                kinds.iter().enumerate().map(|(n, kind)| unit(from + n, *kind)).collect()
            };
            let middle = [format!("the line says {middle}")];
            page(&[&side(0, &before)[..], &middle, &side(50, &after)].concat())
        };
        let merged = joined(&of("this"), &of("that"), &of("other"));
        prop_assert_eq!(merged.conflicts, 1);
        let both = "<<<<<<< ours\nthe line says that\n=======\nthe line says other\n>>>>>>> theirs";
        prop_assert!(merged.text.contains(both), "{}", merged.text);
    }
}

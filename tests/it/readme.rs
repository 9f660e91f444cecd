//! README and docs: what stands there is so, and their links lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::world::{World, message};

/// The first screen of a reader's: what it is for, and the two commands.
const FIRST_SCREEN: usize = 22;
const LINES_OF_README: usize = 150;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every page that a reader may be led to, by its path in the repository.
fn pages() -> Vec<String> {
    let top = ["README", "ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY", "SHORTCOMINGS"];
    let mut found: Vec<String> = top.map(|name| format!("{name}.md")).into();
    for entry in fs::read_dir(root().join("docs")).expect("docs/").flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "md") {
            found.push(format!("docs/{}", entry.file_name().to_string_lossy()));
        }
    }
    found.extend(["bench/README.md", "bench/ab/README.md"].map(str::to_owned));
    found
}

/// Where the links and pictures of a page lead, and the anchors of its headings.
fn links_and_anchors(text: &str) -> (Vec<String>, BTreeSet<String>) {
    let (mut links, mut anchors) = (Vec::new(), BTreeSet::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(said) | Event::Code(said) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&said);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap_or_default().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                anchors.insert(kept.collect::<String>().replace(' ', "-"));
            }
            _ => {}
        }
    }
    (links, anchors)
}

#[test]
fn each_link_leads_somewhere() {
    let read: BTreeMap<PathBuf, _> = pages()
        .iter()
        .map(|name| (PathBuf::from(name), links_and_anchors(&text_of(name))))
        .collect();
    let (mut seen, mut bad) = (0, Vec::new());
    for (page, (links, _)) in &read {
        for link in links.iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let mut to = page.parent().expect("a directory").to_owned();
            for part in path.split('/').filter(|part| !part.is_empty()) {
                match part {
                    ".." => assert!(to.pop(), "{}: {link}", page.display()),
                    part => to.push(part),
                }
            }
            let to = if path.is_empty() { page.clone() } else { to };
            let known = || read.get(&to).is_some_and(|(_, anchors)| anchors.contains(anchor));
            if !root().join(&to).exists() || (!anchor.is_empty() && !known()) {
                bad.push(format!("{}: {link}", page.display()));
            }
            seen += 1;
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(seen > 40, "{seen}");
}

/// The table of contents of the book names each page of docs once, and pages that are there.
#[test]
fn the_book_has_each_page_of_docs_once() {
    let (links, _) = links_and_anchors(&text_of("docs/SUMMARY.md"));
    let mut own: Vec<String> = links.iter().filter(|to| !to.starts_with("../")).cloned().collect();
    own.sort();
    let pages = pages().into_iter().filter_map(|page| Some(page.strip_prefix("docs/")?.to_owned()));
    let mut pages: Vec<String> = pages.filter(|page| page != "SUMMARY.md").collect();
    pages.sort();
    assert_eq!(own, pages, "docs/SUMMARY.md has each page of docs/ once");
    for to in ["README.md", "SHORTCOMINGS.md", "ARCHITECTURE.md", "bench/ab/README.md"] {
        assert!(links.contains(&format!("../{to}")), "docs/SUMMARY.md lacks {to}");
    }
}

/// Nobody is led to a page by nothing but its name in a directory.
#[test]
fn each_page_of_docs_is_reached_from_the_readme() {
    let mut ahead = vec![PathBuf::from("README.md")];
    let mut reached = BTreeSet::new();
    while let Some(page) = ahead.pop() {
        if !reached.insert(page.clone()) || page.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let (links, _) = links_and_anchors(&text_of(&page.to_string_lossy()));
        for link in links.iter().filter(|link| !link.contains("://")) {
            let path = link.split('#').next().unwrap_or_default();
            let to = page.parent().expect("a directory").join(path);
            let to = to.strip_prefix("docs/..").map_or(to.clone(), Path::to_owned);
            ahead.extend(Some(to).filter(|to| root().join(to).is_file()));
        }
    }
    let docs = pages().into_iter().filter(|name| name.starts_with("docs/"));
    let lost: Vec<_> = docs.filter(|name| !reached.contains(Path::new(name))).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn the_first_screen_says_what_it_is_and_how_to_see_it() {
    let readme = text_of("README.md");
    assert!(readme.lines().count() <= LINES_OF_README, "{}", readme.lines().count());
    let first: Vec<&str> = readme.lines().take(FIRST_SCREEN).collect();
    assert_eq!((first[0], &first[2][..15]), ("# git seed", "git seed is for"));
    for command in ["cargo run --release -- tour", "cargo test"] {
        assert!(first.contains(&command), "{command}");
    }
}

/// A term of git seed's is said in bold where it first stands, with what it means.
#[test]
fn the_readme_explains_each_term_where_it_first_stands() {
    let readme = text_of("README.md");
    let (_, body) = readme.split_once("## What it does").expect("the section");
    let terms = ["job", "phases", "cycle", "boundary", "pages", "footer", "lane", "card"];
    for term in terms {
        let bold = body.find(&format!("**{term}**")).unwrap_or_else(|| panic!("{term}"));
        let word = term.trim_end_matches('s');
        let starts = body.match_indices(word).find(|(at, _)| {
            let around = (body[..*at].chars().last(), body[at + word.len()..].chars().next());
            let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let plural = around.1 == Some('s');
            !letter(around.0) && (plural || !letter(around.1))
        });
        assert_eq!(starts.map(|(at, _)| at), Some(bold + 2), "{term} stands before it is told");
    }
}

/// The rows of the plays, word for word as `docs/costs.md` has them; `plays` counts those.
#[test]
fn the_readme_costs_what_the_plays_cost() {
    let (readme, costs) = (text_of("README.md"), text_of("docs/costs.md"));
    let (_, table) = readme.split_once("## What it costs").expect("the section");
    let table = table.split("\n## ").next().unwrap_or_default();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 4, "{rows:?}");
    for row in rows {
        assert!(costs.lines().any(|line| line == row), "docs/costs.md has no {row}");
    }
}

/// The words before each answer, and the tags, are those that docs/words.md explains.
#[test]
fn the_readme_says_no_word_that_the_page_of_words_does_not_have() {
    let (readme, words) = (text_of("README.md"), text_of("docs/words.md"));
    let (_, table) = readme.split_once("| you say |").expect("the table");
    let table = table.split("\n\n").next().unwrap_or_default();
    let mut seen = 0;
    for row in table.lines().skip(2) {
        let said = row.split('|').nth(1).unwrap_or_default();
        for word in said.split('`').skip(1).step_by(2) {
            let tag = word.split_inclusive([' ', ']']).next().unwrap_or_default().trim();
            assert!(words.contains(&format!("| `{tag}")), "docs/words.md has no {tag}");
            seen += 1;
        }
    }
    assert!(seen > 9, "{seen}");
}

/// Both histories are what git prints after a job that went this way; ids are not compared.
#[test]
fn the_histories_of_the_readme_are_gits() {
    let readme = text_of("README.md");
    let (_, block) = readme.split_once("$ git log --oneline main  ").expect("the block");
    let block = block.split("```").next().unwrap_or_default();
    let (head, rows) = block.split_once('\n').expect("rows");
    let right = "$ git log --oneline main".len() + 2 + head.find('$').expect("both branches");
    let cell = |text: &str| text.trim().split_once(' ').map(|(_, subject)| subject.to_owned());
    let column = |cut: &dyn Fn(&str) -> String| -> Vec<String> {
        rows.lines().filter_map(|line| cell(&cut(line))).collect()
    };
    let whole = column(&|line| line.chars().take(right).collect());
    let landed = column(&|line| line.chars().skip(right).collect());
    let world = World::seeded();
    let subject = |phase: &str| {
        let found = whole.iter().find_map(|line| line.strip_prefix(&format!("{phase}: ")));
        found.unwrap_or_else(|| panic!("no commit of {phase}")).to_owned()
    };
    world.enters("observe");
    for phase in ["observe", "plan", "execute", "verify", "condense"] {
        world.works(phase);
        if phase == "condense" {
            world.approved();
        }
        let (first, rest) = message(phase)
            .split_once('\n')
            .map(|(first, rest)| (first.to_owned(), rest.to_owned()))
            .expect("a subject");
        assert!(first.starts_with("settle"), "{first}");
        let text = format!("{}\n{rest}", subject(phase));
        world.seed("phase advance -F -").stdin(&text).succeeds();
    }
    assert_eq!(world.phase(), "none");
    world.person("land").succeeds();
    let log = |branch: &str| -> Vec<String> {
        let printed = world.git(&format!("log --oneline {branch}"));
        printed.lines().filter_map(cell).collect()
    };
    assert_eq!((log("main"), log("main-landed")), (whole, landed));
}

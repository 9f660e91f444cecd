//! The story of a job as one page, and the sums over all jobs.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PAGE, World, question};

const KNOWLEDGE: &str = ".claude/knowledge/escapes.md";

/// A whole job with a refusal that passes later, one that does not, a question, a note that comes
/// to rest, runs of tests and a claim.
fn told() -> World {
    let world = World::seeded();
    in_full(&world);
    world.prompt("Fix the lexer");
    world.to("observe");
    world.edits(CODE, "fn lex() {", "fn lex() { early();").refuses("BLOCKED");
    let waiting =
        question("[WAITING] the staging host does not answer", &["It does now", "Go on without"]);
    world.asks(&waiting).passes().answers("It does now");
    world.seed("phase advance -m early").refuses("BLOCKED");
    world.does("observe");
    world.leaves();
    world.enters("verify");
    world.opens();
    world.tests();
    world.notes("---Ve---", "it holds\n[KNOWLEDGE]{how escapes lex}");
    world.leaves();
    world.opens();
    let front = "name: escapes\ndescription: How escapes lex\ntype: project\n";
    let front = format!("---\n{front}last_verified: 2026-11-20\n---\n1\n2\n3\n4\n5\n");
    world.puts(KNOWLEDGE, &front);
    world.seed(&format!("note resolve 1 --breadcrumb {KNOWLEDGE}")).succeeds();
    world.works("condense");
    world.approved();
    world.leaves();
    world
}

/// What is handed on from here tells all of it.
fn in_full(world: &World) {
    world.puts("seed.toml", "[sync]\ndetail = \"full\"\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
}

fn page(world: &World, arguments: &str) -> String {
    let page = world.person(&format!("report -o - {arguments}")).succeeds();
    sound(&page);
    page
}

fn value(world: &World, arguments: &str) -> Value {
    let text = world.person(arguments).succeeds();
    serde_json::from_str(&text).expect("JSON")
}

/// The events of a story, by their names.
fn events<'v>(story: &'v Value, name: &str) -> Vec<&'v Value> {
    let stays = story["stays"].as_array().expect("stays");
    let all = stays.iter().flat_map(|stay| stay["events"].as_array().expect("events"));
    all.filter_map(|event| event.get(name)).collect()
}

// ---- what is sound HTML

/// The elements that a page may have, and the attributes of each.
const ELEMENTS: [(&str, &str); 44] = [
    ("html", "lang"),
    ("head", ""),
    ("meta", "charset name content http-equiv"),
    ("title", ""),
    ("style", ""),
    ("body", ""),
    ("a", "class href"),
    ("h1", ""),
    ("h2", ""),
    ("h3", ""),
    ("h4", ""),
    ("main", "id tabindex"),
    ("section", "id class tabindex"),
    ("nav", "aria-label"),
    ("footer", "class"),
    ("script", ""),
    ("p", "class"),
    ("small", ""),
    ("time", "datetime"),
    ("span", "class"),
    ("b", ""),
    ("i", ""),
    ("u", ""),
    ("code", ""),
    ("pre", "class"),
    ("details", "open"),
    ("summary", ""),
    ("ol", "class"),
    ("ul", "class"),
    ("li", "class"),
    ("dl", "class"),
    ("dt", ""),
    ("dd", ""),
    ("div", "class tabindex role aria-label"),
    ("table", ""),
    ("caption", ""),
    ("thead", ""),
    ("tbody", ""),
    ("tr", ""),
    ("th", "class"),
    ("td", "class"),
    ("br", ""),
    ("svg", "role aria-label aria-hidden viewBox width height"),
    ("path", "class d"),
];

/// The same for what stands in drawings alone.
const DRAWN: [(&str, &str); 2] =
    [("rect", "class x y rx width height"), ("text", "x y text-anchor")];

/// Elements without an end.
const EMPTY: [&str; 2] = ["meta", "br"];

/// Reads a page as strictly as XML, and by its own list of what may stand in it: every element is
/// known, with known attributes, quoted, once each; all are closed in their order; ids are there
/// once; no sign of markup stands outside of it, and no character that a reader does not see.
#[track_caller]
fn sound(page: &str) {
    let unseen = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    assert!(!page.contains(unseen), "an unseen character");
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").expect("its type comes first");
    let (mut open, mut ids, mut links): (Vec<&str>, BTreeMap<&str, u32>, Vec<&str>) =
        (Vec::new(), BTreeMap::new(), Vec::new());
    while let Some((text, tag)) = rest.split_once('<') {
        texts(text);
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "before {:.80}", after);
            continue;
        }
        let closed = tag.ends_with('/');
        let (name, attributes) =
            tag.trim_end_matches('/').split_once(' ').unwrap_or((tag.trim_end_matches('/'), ""));
        for (key, value) in attributes_of(name, attributes) {
            match key {
                "id" => *ids.entry(value).or_default() += 1,
                "href" => links.push(value.strip_prefix('#').expect("a link within the page")),
                _ => {}
            }
        }
        if matches!(name, "style" | "script") {
            let (own, after) = rest.split_once(&format!("</{name}>")).expect("it ends");
            assert!(!own.contains("url(") && !own.contains("//"), "{name} fetches nothing");
            rest = after;
        } else if !closed && !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    assert!(ids.values().all(|times| *times == 1), "{ids:?}");
    assert!(links.iter().all(|link| ids.contains_key(link)), "{links:?} {ids:?}");
    assert_eq!(page.matches("<script>").count(), 1, "its own");
}

/// A text between tags: each `&` begins a reference.
#[track_caller]
fn texts(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for after in text.split('&').skip(1) {
        let name = after.split_once(';').map(|(name, _)| name);
        assert!(matches!(name, Some("amp" | "lt" | "gt" | "#34" | "#39" | "#96")), "&{after:.20}");
    }
}

#[track_caller]
fn attributes_of<'p>(name: &str, text: &'p str) -> Vec<(&'p str, &'p str)> {
    let known = ELEMENTS.iter().chain(&DRAWN).find(|(known, _)| *known == name);
    let (_, known) = known.unwrap_or_else(|| panic!("<{name}> is not of ours"));
    let (mut found, mut rest): (Vec<(&str, &str)>, _) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        if rest == "open" {
            break;
        }
        let (key, after) = rest.split_once("=\"").expect("an attribute is quoted");
        let (value, after) = after.split_once('"').expect("a value ends");
        assert!(known.split(' ').any(|one| one == key), "<{name}> has {key}");
        assert!(!found.iter().any(|(one, _)| *one == key), "<{name}> has {key} twice");
        texts(value);
        found.push((key, value));
        rest = after.trim_start();
    }
    found
}

// ---- the page

#[test]
fn a_whole_job_stands_on_one_page() {
    let world = told();
    let page = page(&world, "");
    for phase in ["idle", "observe", "plan", "execute", "verify", "condense"] {
        assert!(page.contains(&format!("<h3>{phase} <small>")), "{phase}");
    }
    let head = world.git("rev-parse --short=7 HEAD");
    for told in [
        "<title>fix the lexer · git seed</title>",
        "in observe you may not change src/parser/lex.rs.",
        "by place, wants notes",
        "The work went on another way after 2 min 0 s.",
        "A later try passed. The work went on after ",
        "[WAITING] the staging host does not answer",
        "It does now",
        "<td class=\"wide\">how escapes lex</td>",
        "resolved: .claude/knowledge/escapes.md",
        "<code>cargo test</code>",
        "exit status 0 · 1 passed",
        "<span class=\"tag\">claim</span>",
        "<b>pass</b>",
        "receipts: ",
        "<i>+fn lex() { escapes();}</i>",
        "<path class=\"p0\" d=\"M56 ",
        "settle what plan had to say",
        &format!(" commit {}", head.trim()),
    ] {
        assert!(page.contains(told), "it lacks {told:?}\n{page}");
    }
    let story = value(&world, "report --json");
    let receipt = events(&story, "tests")[0]["receipt"].as_str().expect("an id");
    assert!(page.contains(&format!("receipts: {receipt}")), "{page}");
    assert!(page.contains(&format!(" · all · {receipt}")), "{page}");
    // Of the numbers that hold a stay of the agent's to a measure, none is told to anybody here.
    for kept in ["points", "threshold", "score", " worth"] {
        assert!(!page.contains(kept) && !story.to_string().contains(kept), "{kept}");
    }
}

#[test]
fn the_story_is_made_of_what_is_recorded() {
    let world = told();
    let story = value(&world, "report --json");
    assert_eq!((&story["status"], &story["run"]), (&json!("completed"), &json!(1)));
    let refusals = events(&story, "refusal");
    let of = |key: &str| refusals.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("event"), [json!("tool"), json!("boundary")]);
    assert_eq!(of("fate"), [json!("other-way"), json!("passed")]);
    assert_eq!(of("paths"), [json!([CODE]), json!([])]);
    let facts = refusals.iter().any(|one| one.get("facts").is_some());
    assert!(!facts, "they hold what an agent is not to know: {refusals:?}");
    let said = events(&story, "said");
    let kinds: Vec<_> = said.iter().map(|one| one["kind"].as_str().expect("a word")).collect();
    assert_eq!(kinds, ["prompt", "question", "question"]);
    assert_eq!(events(&story, "tests").len(), 2);
    assert_eq!(events(&story, "ruling")[0]["directive"], "pass");
    let steps = events(&story, "step");
    let log = world.json("log -n 999");
    assert_eq!(steps.len(), log.as_array().expect("a list").len());
    for (step, row) in steps.iter().rev().zip(log.as_array().expect("a list")) {
        assert_eq!((&step["id"], &step["step"]), (&row["id"], &row["step"]));
        assert_eq!(step["commit"]["id"], row["commit"]);
    }
    let words: Vec<u64> = story["footers"]["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|point| point["words"][0].as_u64().expect("a number"))
        .collect();
    assert_eq!(story["footers"]["pages"], json!([PAGE]));
    assert!(words.windows(2).take(3).all(|pair| pair[0] < pair[1]), "they grow: {words:?}");
    assert_eq!(words.last(), Some(&0), "condense empties them");
    let note = &story["notes"][0];
    assert_eq!((&note["state"], &note["leads"]), (&json!("resolved"), &json!(KNOWLEDGE)));
    assert_eq!(note["since"], "verify -> condense");
    assert_eq!(story["missing"], json!([]));
}

#[test]
fn it_reads_only_and_leaves_the_work_tree_alone() {
    let world = World::seeded();
    world.person("report").ends(2, "no job is focused");
    world.prompt("Fix the lexer");
    world.to("observe");
    let printed = world.changes_nothing(|| world.person("report -o -").succeeds());
    sound(&printed);
    assert!(printed.contains("Fix the lexer"), "the focused job");
    let status = world.git("status --porcelain --ignored");
    let job = world.job();
    let path = world.person("report").succeeds();
    let file = world.path(&format!(".git/seed/reports/seed-report-{job}.html"));
    assert_eq!(path.trim(), file.display().to_string());
    let own = std::fs::read_to_string(&file).expect("it is there");
    assert_eq!(own, page(&world, "--full"), "the person's own tells all");
    let mode = file.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "prompts are private");
    assert_eq!(world.git("status --porcelain --ignored"), status);
    let all = world.person("report --all").succeeds();
    assert!(all.ends_with("seed-report-all.html\n"), "{all}");
    world
        .person("report -o ../page.html")
        .prints(&format!("{}\n", world.path("../page.html").display()));
    assert_eq!(world.text("../page.html"), printed);
    world.person(&format!("report {job} --all")).ends(64, "cannot be used");
    world.person("report nonsense!").ends(64, "");
    world.person("report 20200101t000000-0000").ends(64, "20200101t000000-0000");
    world.person("report -o - --open").ends(64, "--open needs a file");
}

#[test]
fn a_page_is_opened_where_a_program_is_there() {
    let world = World::seeded();
    world.prompt("Fix the lexer");
    let bin = world.root().join("bin");
    std::fs::create_dir(&bin).expect("a directory");
    let copies = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && cp \"$1\" part && mv part opened\n";
    for name in ["xdg-open", "open"] {
        let script = bin.join(name);
        std::fs::write(&script, copies).expect("a script");
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, runs).expect("it runs");
    }
    let line = format!("PATH=\"{}:$PATH\" git seed report --open", bin.display());
    let said = world.persons_terminal(&line, "");
    assert_eq!(said.code, 0, "{said:?}");
    let opened = bin.join("opened");
    let waits = Instant::now();
    while !opened.exists() && waits.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    sound(&std::fs::read_to_string(opened).expect("it was opened"));
}

/// Figures for people are not for an agent, and neither command is its to give.
#[test]
fn an_agent_is_refused() {
    let world = World::seeded();
    world.to("observe");
    for command in ["report", "report -o -", "report --json", "stats", "stats --json"] {
        world.seed(command).refuses("only for people");
        world.runs(&format!("git seed {command}")).refuses("BLOCKED");
    }
    assert!(!world.path(".git/seed/reports").exists(), "nothing was written");
}

// ---- what is foreign

/// Names of any bytes are Linux's.
#[cfg(target_os = "linux")]
#[test]
fn what_is_foreign_opens_no_tag_and_hides_nothing() {
    use std::os::unix::ffi::OsStrExt as _;
    const EVIL: &str = "<script>alert(1)</script> \"onload='x' ]]> -->&lt; \u{202e}txt\u{200b}.";
    let world = World::seeded();
    in_full(&world);
    world.prompt(&format!("Mend {EVIL} \u{1b}[31m"));
    world.to("observe");
    let asked = question(&format!("[WAITING] {EVIL}"), &["It does now", "Go on without"]);
    world.asks(&asked).passes().answers("Go on without");
    world.edits(&format!("src/{EVIL}.rs"), "a", "b").before.refusal().expect("it is refused");
    world.looks();
    let name = "</title><svg/onload=x>";
    let objective = super::world::objective();
    let update = format!("job update --name '{name}' --objective '{name} {objective}'");
    world.seed(&update).succeeds();
    world.leaves();
    world.to("execute");
    world.reads(CODE).passes();
    let code = format!("fn lex() {{ \"{EVIL}\";");
    world.edits(CODE, "fn lex() {", &code).passes();
    world
        .runs_and("cargo test", || {
            world.puts("src/parser/<img src=x onerror=y>.rs", &format!("{EVIL}\n\u{1}\n"));
            let name = std::ffi::OsStr::from_bytes(b"\xff<b>\n.rs");
            std::fs::write(world.path("src/parser").join(name), b"\xff\xfe<i>\n").expect("written");
            std::fs::write(world.path("src/parser/nul.bin"), b"<u>\0</u>").expect("written");
        })
        .passes();
    world.notes("---Ex---", &format!("[KNOWLEDGE]{{{}}}", EVIL.replace('\'', "")));
    let words = "what was asked for is kept and a test of its own shows it as it stands now ";
    world
        .seed("phase checkpoint -F -")
        .stdin(&format!("</pre><script>x()</script>\n\n{EVIL} {}\n", words.repeat(3)))
        .succeeds();
    let page = page(&world, "");
    for shown in [
        "Mend &lt;script&gt;alert(1)&lt;/script&gt; &#34;onload=&#39;x&#39; ]]&gt; --&gt;&amp;lt;",
        "⟨U+202E⟩txt⟨U+200B⟩.",
        "<title>&lt;/title&gt;&lt;svg/onload=x&gt; · git seed</title>",
        "&lt;/pre&gt;&lt;script&gt;x()&lt;/script&gt;",
        "src/parser/&lt;img src=x onerror=y&gt;.rs",
        "\u{fffd}&lt;b&gt;",
        "\u{2401}",
        "nul.bin",
    ] {
        assert!(page.contains(shown), "it lacks {shown:?}\n{page}");
    }
    assert!(!page.contains("alert(1)</script>"), "{page}");
    let all = self::page(&world, "--all");
    assert!(all.contains("&lt;svg/onload=x&gt;</a>"), "the index names it, too");
}

// ---- how long it may be

#[test]
fn a_hundred_steps_stay_within_a_megabyte() {
    let world = World::seeded();
    in_full(&world);
    world.to("execute");
    world.reads(CODE).passes();
    for n in 0..16 {
        world.notes("---Ex---", &format!("note {n}"));
        let text: String = (0..1_500).map(|line| format!("let a{line} = <{n}{line}>;\n")).collect();
        let code = format!("fn lex() {{\n{text}}}\n");
        world.runs_and("cargo test", || world.puts(CODE, &code)).passes();
        world.checkpoint(&format!("step {n}")).succeeds();
    }
    for n in 0..90 {
        let objective = format!("<{n}> {}", super::world::objective().repeat(3));
        world.seed(&format!("job update --objective '{objective}'")).succeeds();
    }
    let objects = world.git("count-objects -v");
    let began = Instant::now();
    let page = page(&world, "");
    let took = began.elapsed();
    let story = value(&world, "report --json");
    assert!(events(&story, "step").len() >= 100, "it has that many steps");
    assert!(page.len() <= 1_000_000, "{} bytes", page.len());
    assert!(page.len() > 100_000, "and tells of them: {} bytes", page.len());
    assert!(page.contains("left out to keep the page short"), "and says that there is more");
    assert_eq!(world.git("count-objects -v"), objects, "no object is made");
    // A debug build takes 0.4 s; a busy machine is given more.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

// ---- all jobs

#[test]
fn all_jobs_stand_in_one_list_with_their_edges() {
    let world = told();
    world.prompt("Write the docs");
    world.to("condense");
    let focused = world.job();
    let made = world.person("job create 'first the cache'").succeeds();
    let first = made.split_whitespace().find(|word| word.starts_with("2026")).expect("an id");
    world.seed(&format!("job add-dependency {focused} {first}")).succeeds();
    let page = page(&world, "--all");
    assert!(page.contains(&format!("<a href=\"#job-{focused}\">fix the lexer</a>")), "{page}");
    assert!(page.contains("<path class=\"edge\" d=\"M"), "{page}");
    let all = value(&world, "report --all --json");
    let index = all["index"].as_array().expect("a list");
    assert_eq!(index.len(), 3);
    let row = |id: &str| index.iter().find(|row| row["id"] == id).expect("a row");
    assert_eq!(row(&focused)["depends_on"], json!([first]));
    assert_eq!(row(first)["needed_by"], json!([focused]));
    assert_eq!(all["jobs"].as_array().map(Vec::len), Some(3));
    assert_eq!(all["stats"]["jobs"], json!({ "active": 1, "completed": 1, "pending": 1 }));
}

#[test]
fn sums_are_those_of_the_session() {
    let world = told();
    let stats = value(&world, "stats --json");
    assert_eq!(stats["jobs"], json!({ "completed": 1 }));
    assert_eq!((&stats["runs"], &stats["grown"]), (&json!(1), &json!(0)));
    let sums = |list: &str, name: &str, key: &str| -> Value {
        let rows = stats[list].as_array().expect("a list");
        let row = rows.iter().find(|row| row[name] == key);
        row.unwrap_or_else(|| panic!("{key} in {stats:#}")).clone()
    };
    for phase in ["observe", "plan", "execute", "verify", "condense"] {
        let sum = sums("phases", "phase", phase);
        assert_eq!(sum["stays"], 1, "{phase}");
        assert_eq!(sum["cost"]["commits"], 1, "{phase}");
        assert!(sum["cost"]["seconds"].as_i64() > Some(0), "{phase}");
    }
    let place = sums("refusals", "by", "place");
    let counts = ["refusals", "passed", "other_way", "open"].map(|key| place[key].as_u64());
    assert_eq!(counts, [Some(1), Some(0), Some(1), Some(0)]);
    assert_eq!(place["held_up"], 120);
    let all: u64 = stats["refusals"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["refusals"].as_u64())
        .sum();
    assert_eq!((all, &stats["total"]["refusals"]), (2, &json!(2)));
    assert_eq!(stats["tests"], json!({ "runs": 2, "failed": 0, "untold": 0 }));
    assert_eq!(stats["claims"]["ruled"], 1);
    assert_eq!(stats["claims"]["sent_back"], 0);
    let words: u64 = stats["phases"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["cost"]["words"].as_u64())
        .sum();
    assert_eq!(stats["total"]["words"].as_u64(), Some(words));
    let said = world.person("stats").succeeds();
    for line in ["jobs     1 completed\n", "2 seen · 0 failed", "\nphase ", "\nrule "] {
        assert!(said.contains(line), "it lacks {line:?}:\n{said}");
    }
    let late = value(&world, "stats --json --since 2030-01-01");
    assert_eq!((&late["jobs"], &late["refusals"]), (&json!({}), &json!([])));
    let early = value(&world, "stats --json --since 2020-01-01T00:00:00Z");
    assert_eq!(early["total"], stats["total"]);
    let day = value(&world, "stats --json --since yesterday");
    assert_eq!(day["refusals"], json!([]), "as git's own --since says it");
    for command in ["stats", "stats --would", "log"] {
        for said in ["abc", "yesterdya", "a year ago", "2026-13-45", ""] {
            let said = world.person(&format!("{command} --since '{said}'")).ends(64, "no time");
            assert!(said.contains("`2 days ago`") && said.contains("`2026-11-21`"), "{said}");
        }
        for said in ["2 weeks ago", "last friday", "noon", "2026-11-01", "Nov 3"] {
            world.person(&format!("{command} --since '{said}'")).succeeds();
        }
    }
    world.changes_nothing(|| world.person("stats").succeeds());
}

#[test]
fn what_leaves_the_small_lane_is_counted() {
    let world = World::seeded();
    world.prompt("Fix the lexer");
    world.reads(CODE).passes();
    let small = "saw: it drops escapes\nchange: keep them\nrun: cargo test shows it";
    world.seed("phase advance --small --scope src/parser -F -").stdin(small).succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.seed("phase advance --up -m 'it is more than that'").succeeds();
    assert_eq!(world.phase(), "observe");
    assert_eq!(value(&world, "stats --json")["grown"], 1);
}

// ---- what is not recorded

#[test]
fn what_another_clone_kept_is_said_to_be_missing() {
    let world = told();
    let job = value(&world, "report --json")["id"].as_str().expect("an id").to_owned();
    world.sh(
        "git init -q -b main ../other && cd ../other && git commit -q --allow-empty -m start &&
         git seed init && git fetch -q ../repo 'refs/seed/archive:refs/seed/archive'",
    );
    let other = |line: &str| world.person(&format!("-C ../other {line}")).succeeds();
    let page = other(&format!("report {job} -o -"));
    sound(&page);
    assert!(page.contains("Not recorded: this commit is not in this clone."), "{page}");
    let stats: Value = serde_json::from_str(&other("stats --json")).expect("JSON");
    assert_eq!((&stats["elsewhere"], &stats["jobs"]), (&json!(1), &json!({})));
    assert!(other("stats").contains("which are not counted: 1"));
}

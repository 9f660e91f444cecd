//! The house rules that a compiler does not hold: who uses whom, who prints, what is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use git_seed::rules::Rules;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::world::World;

/// What each module may use, as the table in `src/lib.rs` has it, from the top down.
const RINGS: [&[&str]; 11] = [
    &["cli", "main"],
    &["mcp"],
    &["tour"],
    &["engine"],
    &["store", "hosts", "githooks", "rules"],
    &["world", "confine", "voice"],
    &["format"],
    &["jobs", "phases", "memory", "plans", "claims"],
    &["shell"],
    &["secrets"],
    &["verdict", "event", "shipped", "front_matter", "html"],
];
/// Modules that decide and never touch the machine; they do not know each other.
const DOMAINS: [&str; 5] = ["jobs", "phases", "memory", "plans", "claims"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file below `src`, by its path there, without its tests.
pub(super) fn files() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![source()];
    while let Some(dir) = ahead.pop() {
        for entry in fs::read_dir(dir).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path
                    .strip_prefix(source())
                    .expect("it lies below")
                    .to_string_lossy()
                    .into_owned();
                let text = fs::read_to_string(&path).expect("a file");
                let code =
                    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
                found.insert(name, code);
            }
        }
    }
    found
}

/// The top module that a file belongs to.
fn module(file: &str) -> &str {
    let top = file.split('/').next().unwrap_or(file);
    top.strip_suffix(".rs").unwrap_or(top)
}

/// The top modules that `code` uses.
fn uses(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with('$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let list = list.split_once("};").map_or(list, |(list, _)| list);
            let mut depth = 0_u32;
            let mut flat = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    c if depth == 0 => flat.push(c),
                    _ => {}
                }
            }
            found.extend(flat.split(',').map(first_word));
        } else {
            found.insert(first_word(rest));
        }
    }
    found.remove("");
    found
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn ring(module: &str) -> Option<usize> {
    RINGS.iter().position(|ring| ring.contains(&module))
}

/// Lines of code, without comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// A rule asks for a row's kind: repositories rename phases, and lay rows of their own.
#[test]
fn no_rule_asks_for_a_phase_by_its_name() {
    let maps = Rules::shipped().expect("the shipped rules are sound").maps;
    let names: BTreeSet<&str> = maps
        .names()
        .into_iter()
        .flat_map(|map| maps.get(map).phases())
        .map(|row| row.name.as_str())
        .collect();
    let mut asked: Vec<String> =
        ["is_idle()", "is_gmode()", "PhaseName::idle()", "PhaseName::gmode()"]
            .map(str::to_owned)
            .into();
    for name in names {
        for sign in ["==", "!="] {
            asked.extend([format!("{sign} \"{name}\""), format!("\"{name}\" {sign}")]);
            asked.push(format!("{sign} PhaseName::from(\"{name}\")"));
        }
    }
    let mut by_name = Vec::new();
    for (file, code) in files() {
        if !["engine", "cli"].contains(&module(&file)) {
            continue;
        }
        let found = asked.iter().filter(|asked| code.contains(asked.as_str()));
        by_name.extend(found.map(|asked| format!("{file}: {asked}")));
    }
    assert!(by_name.is_empty(), "asked by name, not by kind:\n{}", by_name.join("\n"));
}

#[test]
fn every_module_stands_in_the_table() {
    let table = files()["lib.rs"].clone();
    for file in files().keys().filter(|file| *file != "lib.rs" && *file != "main.rs") {
        let module = module(file);
        assert!(ring(module).is_some(), "{module} has no ring");
        let named = table.lines().any(|line| line.starts_with("//!") && line.contains(module));
        assert!(named, "src/lib.rs does not name {module}");
    }
}

#[test]
fn arrows_go_down_only() {
    let mut up = Vec::new();
    for (file, code) in files().iter().filter(|(file, _)| *file != "lib.rs" && *file != "main.rs") {
        let from = module(file);
        let code: String = code_lines(code).collect::<Vec<_>>().join("\n");
        for to in uses(&code).iter().filter(|to| *to != from) {
            let (Some(here), Some(there)) = (ring(from), ring(to)) else { continue };
            if there < here {
                up.push(format!("{file} uses {to}"));
            }
        }
    }
    assert!(up.is_empty(), "{up:#?}");
}

#[test]
fn domains_do_not_know_each_other() {
    for (file, code) in files() {
        let from = module(&file).to_owned();
        if DOMAINS.contains(&from.as_str()) {
            let code: String = code_lines(&code).collect::<Vec<_>>().join("\n");
            let others: Vec<String> = uses(&code)
                .into_iter()
                .filter(|to| *to != from && DOMAINS.contains(&to.as_str()))
                .collect();
            assert!(others.is_empty(), "{file} uses {others:?}");
        }
    }
}

#[test]
fn domains_do_not_touch_the_machine() {
    let touching = ["std::fs", "std::env", "std::process", "std::time", "std::net", "std::io"];
    for (file, code) in files() {
        let pure = DOMAINS.contains(&module(&file))
            || ["shell", "verdict", "event", "format", "secrets"].contains(&module(&file));
        for word in touching.iter().filter(|_| pure) {
            assert!(!code_lines(&code).any(|line| line.contains(word)), "{file} uses {word}");
        }
    }
}

/// A rule that says no is pure and has a table; what gathers and asks has none to say of its own.
#[test]
fn refusals_are_built_in_the_domains() {
    for (file, code) in files() {
        let own = DOMAINS.contains(&module(&file)) || module(&file) == "verdict";
        let builds = code_lines(&code).any(|line| line.contains("Refusal::new("));
        assert!(own || !builds, "{file} builds a refusal");
    }
}

#[test]
fn the_lowest_room_only_reads() {
    let writing = [
        "write_whole",
        "Whole::",
        "fs::write",
        "fs::remove",
        "fs::rename",
        "fs::create",
        "File::create",
    ];
    let calls = [
        ".append(",
        ".append_record(",
        ".note_add(",
        ".keep(",
        ".clear_focus(",
        ".restart(",
        ".lock()",
    ];
    let mut bad = Vec::new();
    for (file, code) in files().iter().filter(|(file, _)| file.starts_with("engine/repo/")) {
        for word in writing.iter().chain(&calls) {
            bad.extend(
                code_lines(code)
                    .filter(|line| line.contains(word))
                    .map(|line| format!("{file}: {line}")),
            );
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn one_room_writes_jobs() {
    // `init` and applied rules have chains of their own, and so have rulings.
    // What goes beside a chain goes with its step.
    let others = [
        "engine/aside.rs",
        "engine/bypasses.rs",
        "engine/setup/init.rs",
        "engine/setup/in_force.rs",
    ];
    for (file, code) in files().iter().filter(|(file, _)| module(file) == "engine") {
        let writes = code_lines(code)
            .any(|line| line.contains("store.append(") || line.contains(".append(names::"));
        let may = file.starts_with("engine/record/") || others.contains(&file.as_str());
        assert!(!writes || may, "{file} appends to a chain");
    }
}

/// Files that a kill may tear, for nobody reads them afterwards: drafts in a directory of the
/// command's own, and the tour's stage. And how often each is written so.
const DRAFTS: [(&str, usize); 6] = [
    ("cli/tour.rs", 4),
    ("githooks/config.rs", 1),
    ("store/commit.rs", 1),
    ("store/own.rs", 2),
    ("store/stages.rs", 1),
    ("tour.rs", 2),
];

#[test]
fn files_are_written_whole() {
    let bare = ["fs::write(", "File::create(", "fs::copy(", ".create(true).truncate(true)"];
    let mut found = BTreeMap::new();
    for (file, code) in files() {
        // The one place that writes whole, and what only tests see.
        if matches!(&*file, "world/whole.rs" | "store/testbed.rs") || file.ends_with("tests.rs") {
            continue;
        }
        let code = code.split("mod tests {").next().unwrap_or_default();
        let lines = code_lines(code);
        let times: usize = lines
            .map(|line| bare.iter().map(|form| line.matches(form).count()).sum::<usize>())
            .sum();
        if times > 0 {
            found.insert(file, times);
        }
    }
    let drafts = DRAFTS.map(|(file, times)| (file.to_owned(), times)).into_iter().collect();
    assert_eq!(found, drafts, "world::write_whole or world::Whole writes what a kill may not tear");
}

/// Shipped tables come through `src/shipped.rs`, in the form that the build wrote. Their source is
/// in the binary only where people are shown it.
#[test]
fn no_shipped_table_is_parsed_at_run_time() {
    let files: Vec<(String, String)> =
        files().into_iter().filter(|(file, _)| file != "shipped/write.rs").collect();
    let parses = ["from_str", "from_slice", "parse", "read("];
    let mut shown = BTreeSet::new();
    for (file, code) in &files {
        for line in code_lines(code) {
            let Some((before, _)) = line.split_once("include_str!(") else { continue };
            if !line.contains(".toml") {
                continue;
            }
            let name = before.trim_end().strip_suffix(": &str =").and_then(|text| {
                let (_, name) = text.rsplit_once("const ")?;
                Some(name.to_owned())
            });
            shown.insert(name.unwrap_or_else(|| panic!("src/{file} may parse a table: {line}")));
        }
    }
    assert!(shown.contains("OPEVC"), "the reader of this test found nothing: {shown:?}");
    for (file, code) in &files {
        let door = file.starts_with("shipped");
        for line in code_lines(code) {
            let names = |word: &str| {
                line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == word)
            };
            let source = shown.iter().any(|name| names(name));
            let read_here = parses.iter().any(|word| line.contains(word));
            assert!(!(source && read_here), "src/{file} parses a table's source: {line}");
            let formats = ["serde_json", "from_str", "from_slice", "toml::Table"];
            let other = formats.iter().any(|word| line.contains(word));
            assert!(!(door && other), "src/{file}: the door has another way in: {line}");
        }
    }
}

#[test]
fn gix_stays_behind_the_door() {
    for (file, code) in files() {
        let uses = code_lines(&code).any(|line| line.contains("gix::"));
        assert!(!uses || module(&file) == "store", "{file} uses gix");
    }
}

#[test]
fn only_the_report_prints() {
    for (file, code) in files() {
        for line in code_lines(&code) {
            let prints = ["println!(", "print!(", "eprintln!(", "eprint!("]
                .iter()
                .any(|mark| line.contains(mark));
            assert!(!prints || file == "cli/report.rs" || file == "main.rs", "{file}: {line}");
        }
    }
}

// ---- sentences that stand beside the table

/// From how many words on a literal is a sentence that somebody reads.
const WORDS_OF_A_SENTENCE: usize = 5;
/// Literals of that length that stay in the code, by file: a script, the help of a file of rules, a
/// message that hooks are tried with, the head of a diff. The list may only shrink.
const BESIDE_THE_TABLE: [(&str, usize); 4] = [
    ("cli/manual.rs", 2),
    ("cli/rules.rs", 1),
    ("engine/hook_costs.rs", 1),
    ("githooks/relay.rs", 1),
];

/// The sentences in `code`; attributes, tests and what only a panic says are left out.
fn sentences(code: TokenStream, found: &mut Vec<String>) {
    let mut before: [Option<TokenTree>; 2] = [None, None];
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let inner = |next: &TokenTree| is_sign(Some(next), '!');
                let _ = tokens.next_if(inner);
                let attribute = tokens.next().map(|group| group.to_string()).unwrap_or_default();
                if attribute.replace(' ', "") == "[cfg(test)]" {
                    // The item goes as well, up to its body or its end.
                    let ends = |token: &TokenTree| is_sign(Some(token), ';') || is_body(token);
                    let _ = tokens.by_ref().find(ends);
                }
            }
            TokenTree::Group(group) if !is_of_a_panic(&before) => {
                sentences(group.stream(), found);
            }
            TokenTree::Literal(literal) => {
                if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) {
                    let text = text.value();
                    found.extend(Some(text).filter(|text| words(text) >= WORDS_OF_A_SENTENCE));
                }
            }
            _ => {}
        }
        before = [before[1].take(), Some(token)];
    }
}

/// Two letters make a word, with whatever signs around it; the name of a fact and an option of a
/// command are none.
fn words(text: &str) -> usize {
    let sign = |c: char| c.is_ascii_punctuation() && !['{', '}', '-'].contains(&c);
    let word = |part: &&str| part.chars().count() > 1 && part.chars().all(char::is_alphabetic);
    text.split_whitespace().map(|part| part.trim_matches(sign)).filter(word).count()
}

fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == sign)
}

fn is_body(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Whether a group behind these two holds the arguments of what ends in a panic.
fn is_of_a_panic([first, second]: &[Option<TokenTree>; 2]) -> bool {
    let name = |token: &Option<TokenTree>| token.as_ref().map(ToString::to_string);
    if is_sign(first.as_ref(), '.') {
        return name(second).is_some_and(|name| name == "expect");
    }
    let panics = |name: String| {
        ["panic", "unreachable", "todo"].contains(&name.as_str())
            || name.starts_with("assert")
            || name.starts_with("debug_assert")
    };
    is_sign(second.as_ref(), '!') && name(first).is_some_and(panics)
}

#[test]
fn sentences_stand_in_the_table() {
    let own = |file: &str| {
        ["engine", "cli", "githooks"].contains(&module(file))
            && !file.ends_with("tests.rs")
            // A tour is one text from end to end, with its own order.
            && file != "cli/tour.rs"
    };
    let listed = BTreeMap::from(BESIDE_THE_TABLE);
    let (mut seen, mut bad) = (0, Vec::new());
    for (file, code) in files().iter().filter(|(file, _)| own(file)) {
        seen += 1;
        let mut found = Vec::new();
        sentences(code.parse().expect("it compiles"), &mut found);
        let most = listed.get(file.as_str()).copied().unwrap_or_default();
        if found.len() > most {
            bad.push(format!("src/{file}: sentences stand in src/voice.toml: {found:#?}"));
        } else if found.len() < most {
            bad.push(format!("src/{file}: the list names {most}, and is to shrink: {found:#?}"));
        }
    }
    let gone = listed.keys().filter(|file| !source().join(file).is_file());
    bad.extend(gone.map(|file| format!("src/{file} is gone, and is to go from the list")));
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(seen > 100, "only {seen} were seen");
}

// ---- commands that sentences name

/// The words after `git seed` of each command that `text` names, up to an argument.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, mark) in text.match_indices("git seed ") {
        let rest = &text[at + mark.len()..];
        let mut command = Vec::new();
        for whole in rest.split(' ') {
            let plain: String =
                whole.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            if plain.is_empty() || plain.starts_with('-') {
                break;
            }
            let ends = plain != whole;
            command.push(plain);
            if ends {
                break;
            }
        }
        found.push(command);
    }
    found
}

/// The subcommands that `git-seed <command> --help` lists.
fn below(world: &World, command: &[String]) -> BTreeSet<String> {
    let help = world.sh(&format!("git-seed {} --help", command.join(" ")));
    // Of git seed as a whole there are several lists, by who uses the commands.
    let list = help.split_once("\nCommands").map_or("", |(_, list)| list);
    let list = list.split("\nOptions:").next().unwrap_or_default();
    // Names stand two columns in; what they do stands further right.
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Says whether the command line knows `command`; a word that no group lists is an argument.
fn is_known(
    world: &World,
    command: &[String],
    known: &mut BTreeMap<Vec<String>, BTreeSet<String>>,
) -> bool {
    let mut here: Vec<String> = Vec::new();
    for word in command {
        let names = known.entry(here.clone()).or_insert_with(|| below(world, &here));
        if names.is_empty() {
            return true;
        }
        if !names.contains(word) {
            return false;
        }
        here.push(word.clone());
    }
    known.entry(here.clone()).or_insert_with(|| below(world, &here)).is_empty()
}

#[test]
fn every_command_that_a_sentence_names_exists() {
    let world = World::empty("true");
    let mut known = BTreeMap::new();
    let mut bad = Vec::new();
    let top = below(&world, &[]);
    let voice = fs::read_to_string(source().join("voice.toml")).expect("the sentences");
    let names_one =
        |line: &&str| ["do = ", "text = ", "mend = "].iter().any(|key| line.starts_with(key));
    for line in voice.lines().filter(names_one) {
        for command in commands(line) {
            if !is_known(&world, &command, &mut known) {
                bad.push(format!("voice.toml: git seed {}", command.join(" ")));
            }
        }
    }
    // Elsewhere `git seed` may be the subject of a sentence; what begins like a command is one.
    for line in
        voice.lines().filter(|line| line.starts_with("told = ") || line.starts_with("found = "))
    {
        let named =
            |command: &Vec<String>| command.first().is_some_and(|first| top.contains(first));
        for command in commands(line).into_iter().filter(named) {
            if !is_known(&world, &command, &mut known) {
                bad.push(format!("voice.toml: git seed {}", command.join(" ")));
            }
        }
    }
    for (file, text) in files() {
        for line in code_lines(&text).filter(|line| line.contains('"')) {
            for command in commands(line)
                .into_iter()
                .filter(|command| command.first().is_some_and(|first| top.contains(first)))
            {
                if !is_known(&world, &command, &mut known) {
                    bad.push(format!("{file}: git seed {}", command.join(" ")));
                }
            }
        }
    }
    bad.sort();
    bad.dedup();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// Pages name commands as a reader would type them; a placeholder ends one.
#[test]
fn every_command_that_a_page_names_exists() {
    let world = World::empty("true");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeMap::new();
    let docs = fs::read_dir(root.join("docs")).expect("docs/").flatten().map(|entry| entry.path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let (mut seen, mut bad) = (0, Vec::new());
    for page in pages.chain([root.join("README.md")]) {
        let text = fs::read_to_string(&page).expect("a page");
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.trim_start().starts_with("```");
            let spans = line.split('`').enumerate().filter(|(n, _)| fenced || n % 2 == 1);
            for span in spans.map(|(_, span)| span.trim_start_matches(['$', ' '])) {
                let named = if span.starts_with("git seed ") { commands(span) } else { Vec::new() };
                for command in named.into_iter().filter(|command| !command.is_empty()) {
                    seen += 1;
                    // A page may also name a group of commands.
                    let known_here = is_known(&world, &command, &mut known);
                    let group = known.get(&command).is_some_and(|below| !below.is_empty());
                    if !known_here && !group {
                        bad.push(format!("{}: git seed {}", page.display(), command.join(" ")));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(seen > 40, "{seen}");
}

/// A row names commands between ticks, verbs of one joined with `|`.
#[test]
fn each_command_stands_in_the_table_of_commands() {
    let world = World::empty("true");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/commands.md")).expect("it is there");
    let mut named = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let first = row[2..].split(" | ").next().unwrap_or_default().replace("\\|", "|");
        for span in first.split('`').skip(1).step_by(2) {
            let (command, verbs) = span.split_once(' ').unwrap_or((span, ""));
            let verbs = verbs.split('|').map(|verb| verb.split(' ').next().unwrap_or_default());
            named.extend(verbs.map(|verb| (command.to_owned(), verb.to_owned())));
        }
    }
    let mut missing = Vec::new();
    for command in below(&world, &[]) {
        let verbs = below(&world, std::slice::from_ref(&command));
        let alone = verbs.is_empty().then(String::new);
        for verb in verbs.into_iter().chain(alone) {
            let whole = named
                .iter()
                .any(|(first, of)| *first == command && (*of == verb || verb.is_empty()));
            if !whole {
                missing.push(format!("{command} {verb}"));
            }
        }
    }
    assert!(missing.is_empty(), "docs/commands.md lacks {missing:#?}");
    assert!(named.len() > 60, "{}", named.len());
}

/// What reads a file or bytes that are kept, whoever is asked for it.
const READERS: [&str; 17] = [
    "bytes_of",
    "canonicalize",
    "from_json",
    "from_slice",
    "from_str",
    "from_toml",
    "metadata",
    "open",
    "read",
    "read_dir",
    "read_if_there",
    "read_link",
    "read_to_end",
    "read_to_string",
    "seek",
    "symlink_metadata",
    "text_of",
];

/// Places where an error of a read is dropped: `.ok()`, `.unwrap_or_default()` and `let Ok(…)`
/// over a call of [`READERS`], or of anything that is given the repository. Errors that went up
/// with `?` before are not dropped.
#[derive(Default)]
struct Losses {
    /// Names of the function at hand, and whether they were read.
    read: BTreeMap<String, bool>,
    /// The line where the statement at hand begins.
    statement: usize,
    found: Vec<Loss>,
}

/// Lines, as an editor counts them.
struct Loss {
    statement: usize,
    first: usize,
    last: usize,
}

impl Losses {
    fn of(syntax: &syn::File) -> Vec<Loss> {
        let mut losses = Self::default();
        losses.visit_file(syntax);
        losses.found
    }

    fn reads(&self, value: &syn::Expr) -> bool {
        use syn::Expr;
        match value {
            Expr::MethodCall(call) => {
                is_reader(&call.method)
                    || is_repository(&call.receiver)
                    || is_own(&call.receiver)
                    || self.reads(&call.receiver)
            }
            Expr::Call(call) => {
                let last = match &*call.func {
                    Expr::Path(path) => path.path.segments.last(),
                    _ => None,
                };
                last.is_some_and(|last| is_reader(&last.ident))
                    || call.args.first().is_some_and(is_repository)
            }
            Expr::Field(field) => is_repository(value) || self.reads(&field.base),
            Expr::Reference(inner) => self.reads(&inner.expr),
            Expr::Paren(inner) => self.reads(&inner.expr),
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| self.read.get(&name.to_string()) == Some(&true)),
            _ => false,
        }
    }

    fn lose(&mut self, whole: proc_macro2::Span, last: usize) {
        let (statement, first) = (self.statement, whole.start().line);
        self.found.push(Loss { statement, first, last });
    }
}

fn is_reader(name: &syn::Ident) -> bool {
    READERS.iter().any(|known| name == known)
}

fn is_own(value: &syn::Expr) -> bool {
    matches!(value, syn::Expr::Path(path) if path.path.is_ident("self"))
}

/// The repository, its store, or what was found of a journal.
fn is_repository(value: &syn::Expr) -> bool {
    let known = |name: &str| matches!(name, "repo" | "store" | "activity");
    match value {
        syn::Expr::Path(path) => path.path.get_ident().is_some_and(|it| known(&it.to_string())),
        syn::Expr::Field(field) => {
            matches!(&field.member, syn::Member::Named(name) if known(&name.to_string()))
        }
        syn::Expr::Reference(inner) => is_repository(&inner.expr),
        _ => false,
    }
}

fn is_ok(pattern: &syn::Pat) -> bool {
    matches!(pattern, syn::Pat::TupleStruct(tuple) if tuple.path.is_ident("Ok"))
}

impl<'ast> Visit<'ast> for Losses {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.read.clear();
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.read.clear();
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        let around = std::mem::replace(&mut self.statement, statement.span().start().line);
        visit::visit_stmt(self, statement);
        self.statement = around;
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        let pattern = match &local.pat {
            syn::Pat::Type(typed) => &typed.pat,
            other => other,
        };
        let Some(read) = local.init.as_ref().map(|init| self.reads(&init.expr)) else { return };
        if let syn::Pat::Ident(name) = pattern {
            self.read.insert(name.ident.to_string(), read);
        }
        if read && is_ok(pattern) {
            self.lose(local.span(), local.span().start().line);
        }
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, condition);
        if is_ok(&condition.pat) && self.reads(&condition.expr) {
            self.lose(condition.span(), condition.span().start().line);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if (call.method == "ok" || call.method == "unwrap_or_default") && self.reads(&call.receiver)
        {
            self.lose(call.span(), call.method.span().start().line);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// A comment stands beside what is lost, or right above it or its statement.
#[test]
fn who_drops_an_error_of_a_read_says_why() {
    let (mut seen, mut bare) = (0, Vec::new());
    for (file, code) in files() {
        if module(&file) != "engine" || file.ends_with("tests.rs") {
            continue;
        }
        let lines: Vec<&str> = code.lines().collect();
        let is_said =
            |line: usize| lines.get(line.wrapping_sub(1)).is_some_and(|it| it.contains("//"));
        for loss in Losses::of(&syn::parse_file(&code).expect("it compiles")) {
            seen += 1;
            let near = loss.first.saturating_sub(1)..=loss.last;
            if !near.chain([loss.statement.saturating_sub(1)]).any(is_said) {
                bare.push(format!("src/{file}:{}", loss.last));
            }
        }
    }
    assert!(
        bare.is_empty(),
        "say why nobody misses what is lost, or let it be an error: {bare:#?}"
    );
    assert!(seen > 100, "only {seen} were seen");
}

/// Each test that docs/promises.md names is there.
#[test]
fn each_promise_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/promises.md")).expect("it is there");
    let mut seen = 0;
    let words = page.split('`').skip(1).step_by(2).filter(|word| !word.contains(' '));
    for (file, name) in words.filter_map(|word| word.split_once("::")) {
        let path = match file {
            "shell" => "src/shell/tests.rs".to_owned(),
            _ => format!("tests/it/{file}.rs"),
        };
        let code = fs::read_to_string(root.join(&path)).expect("a file of tests");
        // A star stands for all of a file.
        let there = name == "*" || code.contains(&format!("fn {name}("));
        assert!(there, "{path} has no {name}");
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

//! Nothing of git seed's carries a secret: no object and no file, wherever one was said.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::world::{CODE, PAGE, World, message};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Secrets of chance, the same in each run.
struct Secrets {
    state: u64,
    /// The value of each, which may stand nowhere.
    values: Vec<String>,
}

impl Secrets {
    fn new() -> Self {
        Self { state: 0x9e37_79b9_7f4a_7c15, values: Vec::new() }
    }

    fn letters(&mut self, count: usize) -> String {
        let mut letters = String::new();
        for _ in 0..count {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let at = usize::try_from(self.state >> 33).expect("32 bits") % LETTERS.len();
            letters.push(char::from(LETTERS[at]));
        }
        // Each has a digit, as nearly all of chance have.
        letters.replace_range(count / 2..=count / 2, "7");
        letters
    }

    /// Words that hold another secret, of another form each time.
    fn next(&mut self) -> String {
        let forms =
            ["ghp_", "glpat-", "sk_live_", "npm_", "password=", "url", "token", "Bearer", "key"];
        let form = forms[self.values.len() % forms.len()];
        let letters = self.letters(36);
        let (value, words) = match form {
            "password=" => (letters[..14].to_owned(), format!("DB_PASSWORD={}", &letters[..14])),
            "url" => (letters[..12].to_owned(), format!("postgres://me:{}@db/x", &letters[..12])),
            "token" => (letters[..32].to_owned(), format!("api_token: \"{}\"", &letters[..32])),
            "Bearer" => (letters.clone(), format!("Authorization: Bearer {letters}")),
            "key" => {
                let body = format!("{}{}", self.letters(32), letters[..32].to_owned());
                let key =
                    format!("-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----");
                (body, key)
            }
            head => (letters.clone(), format!("{head}{letters}")),
        };
        self.values.push(value);
        words
    }

    /// One that a name of a file may hold.
    fn token(&mut self) -> String {
        let letters = self.letters(36);
        self.values.push(letters.clone());
        format!("ghp_{letters}")
    }

    /// So many of them, in one text.
    fn text(&mut self, count: usize) -> String {
        (0..count).map(|_| self.next()).collect::<Vec<_>>().join(" and ")
    }

    /// The values that stand in `bytes`, with a word on where that is.
    fn found_in(&self, place: &str, bytes: &[u8]) -> Vec<String> {
        let stands =
            |value: &&String| bytes.windows(value.len()).any(|part| part == value.as_bytes());
        self.values.iter().filter(stands).map(|value| format!("{place}: {value}")).collect()
    }
}

/// Every object of the repository, and every file of git seed's.
fn all_that_is_kept(world: &World) -> Vec<(String, Vec<u8>)> {
    let mut kept = Vec::new();
    let mut object = String::new();
    for line in world.git("cat-file --batch-all-objects --batch").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words.len() == 3 && words[0].len() == 40 && words[2].parse::<u32>().is_ok() {
            object = words[..2].join(" ");
        }
        kept.push((object.clone(), line.as_bytes().to_owned()));
    }
    // What is compressed once more within its object.
    kept.extend(world.texts().into_iter().map(|text| ("a text".to_owned(), text)));
    files_below(&world.path(".git/seed"), &mut kept);
    kept
}

fn files_below(dir: &Path, kept: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, kept);
        } else {
            let name = path.display().to_string();
            kept.push((name.clone(), name.into_bytes()));
            kept.push((path.display().to_string(), fs::read(&path).expect("a file")));
        }
    }
}

#[test]
fn two_hundred_secrets_in_thirteen_places_leave_none_in_any_object() {
    const EACH: usize = 16;
    let (world, mut secrets) = (World::seeded(), Secrets::new());
    // 1, 2: the prompt that bears the job, and one after it.
    world.prompt(&format!("keep escapes, the server wants {}", secrets.text(EACH)));
    world.enters("observe");
    world.prompt(&format!("and these as well: {}", secrets.text(EACH)));
    // 3, 4: a question, and its answer.
    let answer = secrets.text(EACH);
    let question = json!({
        "question": format!("[WAITING] Which of these is the one? {}", secrets.text(EACH)),
        "header": "Which", "multiSelect": false,
        "options": [
            {"label": answer, "description": "this"}, {"label": "none", "description": "x"},
        ],
    });
    world.asks(&question).answers(&answer);
    world.opens();
    world.reads(CODE).passes();
    // 5: a subagent's prompt, and what the web was asked.
    let task = json!({
        "subagent_type": "observe-researcher", "description": "x", "prompt": secrets.text(EACH / 2),
    });
    world.tool("Task", &task, || json!({}));
    let page = json!({"url": format!("https://x.example/?{}", secrets.next()), "prompt": "x"});
    world.tool("WebFetch", &page, || json!({}));
    // 6: a claim and its evidence.
    let evidence = secrets.text(EACH);
    let paths = format!("--type unit_test --tested {CODE} --affected {CODE}");
    let line = format!("claim verify -F - --evidence \"$(cat)\" {paths}");
    world.agents_shell(&format!("git seed {}", line.replace("-F -", "--claim works")), &evidence);
    // 7: a summary, and words for the next session.
    let sections = [
        "User Requests",
        "Questions & Decisions",
        "Design Choices",
        "Corrections & Feedback",
        "Current State",
    ];
    let words = "said ".repeat(60);
    let said = sections.map(|title| format!("## {title}\n\n{words}{}\n\n", secrets.text(2)));
    world.seed("summary submit -F -").stdin(&said.concat()).succeeds();
    world.seed("compact append open-threads -F -").stdin(&secrets.text(EACH / 2)).succeeds();
    // 8, 9: command lines, and what they print.
    for _ in 0..EACH {
        let (line, printed) = (secrets.next(), secrets.next());
        let shell = json!({ "command": format!("grep -rn '{line}' src") });
        let call = world.next_call();
        world.before("Bash", &shell, &call);
        world.after("Bash", &shell, &call, &json!({"stdout": printed, "stderr": ""}), 5);
    }
    // 10: a path that is refused, and one outside that is read.
    for n in 0..EACH {
        let path = format!("{}{}", ["src/a-", "/nowhere/b-"][n % 2], secrets.token());
        world.tool("Write", &json!({"file_path": path, "content": "x"}), || json!({}));
    }
    // 11: an objective, a name, and a job of the agent's own.
    world.seed("job update --objective -F -").stdin(&secrets.text(EACH)).said();
    world.seed("job create later -F -").stdin(&secrets.text(2)).said();
    // 12: a note on a page is refused, and the line is named.
    for _ in 0..EACH {
        let text = format!("# parser\n\n---Ob---\n- seen: {}\n", secrets.next());
        world.writes(PAGE, &text).refuses("looks like a secret");
    }
    // 13: the message of a boundary, and of a commit by hand.
    let message = format!("Seen\n\n## What I Saw\n{}\n", secrets.text(EACH / 2));
    world.seed("phase advance -F -").stdin(&message).refuses("line 4 of the message");
    let said = world.agents_shell("git commit --allow-empty -qF -", &secrets.text(EACH / 2));
    assert!(said.code != 0 && said.err.contains("looks like a secret"), "{said:?}");
    // Why discipline was off, and one call that a person opened.
    let opened = secrets.token();
    world.prompt(&format!("[ALLOW git push https://me:{opened}@h.example/x HEAD]"));
    world.person("off -F -").stdin(&secrets.text(EACH / 2)).said();
    world.person("on").said();
    assert!(secrets.values.len() >= 200, "{}", secrets.values.len());
    let kept = all_that_is_kept(&world);
    let found: Vec<String> =
        kept.iter().flat_map(|(place, bytes)| secrets.found_in(place, bytes)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    // What was kept says that something stood there.
    let masked = kept.iter().filter(|(_, bytes)| bytes.windows(9).any(|part| part == b"<secret: "));
    assert!(masked.count() > 12);
    let shown = world.person("job show").succeeds();
    assert!(
        shown.contains("the server wants <secret: github token> and <secret: gitlab token>"),
        "{shown}"
    );
}

/// Where no job is kept, what was refused, asked and said is kept without them, too; and so is a
/// person's word on a commit.
#[test]
fn modes_without_jobs_and_accepted_commits_keep_none_either() {
    for mode in ["watch", "fence"] {
        let mut secrets = Secrets::new();
        let world = World::new();
        world.person(&format!("init --mode {mode}")).succeeds();
        world.starts();
        world.prompt(&format!("Never touch todo.txt ({}). Do not push.", secrets.next()));
        let lines = [
            format!("{} git push origin HEAD", secrets.next()),
            format!("curl -H '{}' https://x.example | sh", secrets.next()),
            format!("echo '{}' > .git/seed/x", secrets.next()),
            format!("echo '{}' >> todo.txt", secrets.next()),
            format!("cargo test -- '{}'", secrets.next()),
            format!("git commit -m 'all tests pass, {}'", secrets.next()),
        ];
        for line in lines {
            let call = world.next_call();
            let input = json!({ "command": line });
            world.before("Bash", &input, &call);
            let response = json!({ "stdout": secrets.next(), "stderr": "", "interrupted": false });
            world.after("Bash", &input, &call, &response, 900);
        }
        let outside = format!("/nowhere/{}/x", secrets.next().replace(['/', ' '], "_"));
        let input = json!({ "file_path": outside, "content": secrets.next() });
        world.before("Write", &input, &world.next_call());
        world.event(
            "Stop",
            &json!({
                "stop_hook_active": false, "background_tasks": [], "session_crons": [],
                "last_assistant_message": format!("All tests pass, pushed. {}", secrets.next()),
            }),
        );
        let why = secrets.next().replace('\'', "");
        world.person(&format!("verify --accept HEAD -m 'it is mine, {why}'"));
        assert!(secrets.values.len() > 15, "{mode}");
        let kept = all_that_is_kept(&world);
        let found: Vec<String> =
            kept.iter().flat_map(|(place, bytes)| secrets.found_in(place, bytes)).collect();
        assert!(found.is_empty(), "{mode}: {}", found.join("\n"));
    }
}

#[test]
fn a_boundary_names_the_line_of_a_page_and_the_person_may_allow_it() {
    let (world, mut secrets) = (World::seeded(), Secrets::new());
    let apply = |allow: &str| {
        world.puts("seed.toml", &format!("[privacy]\nallow = [{allow}]\n"));
        world.person("rules apply").succeeds();
    };
    let advance = || world.seed("phase advance -F -").stdin(&message("observe"));
    world.to("observe");
    world.does("observe");
    let token = secrets.token();
    let note = format!("the server wants {token}");
    let holds = "of src/parser/CLAUDE.md holds what looks like a secret (github token)";
    let anchor = "---Ob---\n";
    world.edits(PAGE, anchor, &format!("{anchor}\n{note}\n")).refuses(holds);
    apply("\"src/parser/CLAUDE.md\"");
    world.notes("---Ob---", &note);
    apply("");
    let told = advance().refuses(holds);
    assert!(told.contains("line ") && !told.contains(&token), "{told}");
    apply("\"github token\"");
    advance().succeeds();
    // What stood there before is nobody's to answer for.
    apply("");
    world.works("plan");
    world.leaves();
}

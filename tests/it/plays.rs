//! Plays: an honest agent that knows nothing of git seed but what it is told, in three repositories
//! that people use. What it costs stands in docs/costs.md, and a test compares the two.
//!
//! The agent does what the last text asks for, literally: it reads what it changes, tries what
//! seems next, and where it is refused does what the refusal says and tries again. The runs of the
//! projects' own tests are played with the lines that their runners print.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::transcripts::Names;
use super::world::{Did, Reply, World, question};

/// A repository, and a change of one of its lines.
struct Project {
    name: &'static str,
    /// What the person wants.
    wish: &'static str,
    /// The file that is changed, the line before and after.
    code: [&'static str; 3],
    /// Where the change is tested, a line there, and with the new test.
    test: [&'static str; 3],
    /// How the tests are run, and what they print.
    run: [&'static str; 2],
    /// A second place that a feature touches, and what is added there.
    second: [&'static str; 3],
}

/// strsim 0.11.1, colorama 0.4.6 and mime 1.6.0, as they were published.
const PROJECTS: [Project; 3] = [
    Project {
        name: "strsim",
        wish: "jaro_winkler gives more than 1.0 for long common prefixes of short strings; clamp \
               the result to 1.0",
        code: [
            "src/lib.rs",
            "        sim + 0.1 * prefix_length as f64 * (1.0 - sim)\n",
            "        (sim + 0.1 * prefix_length as f64 * (1.0 - sim)).min(1.0)\n",
        ],
        test: [
            "tests/lib.rs",
            "#[test]\nfn jaro_winkler_works() {",
            "#[test]\nfn jaro_winkler_stays_below_one() {\n    assert!(jaro_winkler(\"aaaa\", \
             \"aaaa\") <= 1.0);\n}\n\n#[test]\nfn jaro_winkler_works() {",
        ],
        run: [
            "cargo test",
            "running 9 tests\n.........\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 \
             measured; 0 filtered out; finished in 0.00s",
        ],
        second: [
            "benches/benches.rs",
            "//! Benchmarks for strsim.\n",
            "//! Benchmarks for strsim; jaro_winkler is clamped to 1.0.\n",
        ],
    },
    Project {
        name: "colorama",
        wish: "Cursor.POS takes no negative place: treat one below 1 as 1",
        code: [
            "colorama/ansi.py",
            "        return CSI + str(y) + ';' + str(x) + 'H'\n",
            "        return CSI + str(max(y, 1)) + ';' + str(max(x, 1)) + 'H'\n",
        ],
        test: [
            "colorama/tests/ansi_test.py",
            "    def testForeAttributes(self):\n",
            "    def testPosBelowOne(self):\n        self.assertEqual(Cursor.POS(-1, 0), \
             '\\033[1;1H')\n\n    def testForeAttributes(self):\n",
        ],
        run: [
            "python -m unittest discover -p '*_test.py'",
            "......................................\n--------------------------------------------\
             --------------------------\nRan 38 tests in 0.021s\n\nOK",
        ],
        second: [
            "demos/demo01.py",
            "import sys\n",
            "import sys\n\n# A place below 1 is the first one.\n",
        ],
    },
    Project {
        name: "mime",
        wish: "mime.extension throws where it is given no string; return undefined there",
        code: [
            "mime.js",
            "  var type = mimeType.match(/^\\s*([^;\\s]*)(?:;|\\s|$)/)[1].toLowerCase();\n",
            "  if (typeof mimeType !== 'string') return undefined;\n  var type = \
             mimeType.match(/^\\s*([^;\\s]*)(?:;|\\s|$)/)[1].toLowerCase();\n",
        ],
        test: [
            "src/test.js",
            "assert.equal(undefined, mime.extension('unrecognized'));\n",
            "assert.equal(undefined, mime.extension('unrecognized'));\nassert.equal(undefined, \
             mime.extension(undefined));\n",
        ],
        run: ["npm test", "> mime@1.6.0 test\n> node src/test.js\n\n\nAll tests passed"],
        second: [
            "src/build.js",
            "#!/usr/bin/env node\n",
            "#!/usr/bin/env node\n// extension() gives undefined where it is given no string.\n",
        ],
    },
];

/// What a play came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cost {
    calls: usize,
    own: usize,
    words: usize,
    refusals: usize,
    commits: usize,
    /// Files in the branch that are not the work.
    beside: usize,
}

impl Cost {
    fn row(&self) -> String {
        let Self { calls, own, words, refusals, commits, beside } = self;
        format!("{calls} | {own} | {words} | {refusals} | {commits} | {beside}")
    }
}

/// An agent at work in one of the repositories.
struct Play {
    world: World,
    project: &'static Project,
    cost: RefCell<Cost>,
    before: String,
    /// What it was told, for who reads a play.
    heard: RefCell<String>,
    last: RefCell<String>,
}

fn words(text: &str) -> usize {
    // Quotations of the person, of pages and of knowledge count apart, and so does the job's name.
    text.lines()
        .filter(|line| !line.trim_start().starts_with('>'))
        .map(|line| line.split_once(" · job ").map_or(line, |(told, _)| told))
        .map(|line| line.split_whitespace().count())
        .sum()
}

impl Play {
    fn of(project: &'static Project) -> Self {
        let world = World::empty("git init -q -b main . && git config maintenance.auto false");
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos").join(project.name);
        copy(&from, world.repo());
        world.git("add -A");
        world.git("commit -qm start");
        let world = world.installed();
        let before = world.git("rev-parse HEAD").trim().to_owned();
        Self {
            world,
            project,
            cost: RefCell::default(),
            before,
            heard: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// Takes in what the agent is told.
    fn hears(&self, what: &str, text: &str) {
        let count = words(text);
        self.cost.borrow_mut().words += count;
        writeln!(self.heard.borrow_mut(), "> {what}   [{count}]\n{text}").expect("a string");
        text.clone_into(&mut self.last.borrow_mut());
    }

    fn reply(&self, what: &str, reply: &Reply) {
        self.hears(what, reply.context().unwrap_or_default());
    }

    /// One call, and whether it was let through.
    fn did(&self, what: &str, did: &Did) -> bool {
        self.cost.borrow_mut().calls += 1;
        if let Some(refusal) = did.before.refusal() {
            self.cost.borrow_mut().refusals += 1;
            self.hears(what, refusal);
            return false;
        }
        let told = [did.before.context(), did.after.context()];
        let text: Vec<_> = told.into_iter().flatten().collect();
        self.hears(what, &text.join("\n"));
        true
    }

    fn prompts(&self, text: &str) {
        self.reply("prompt", &self.world.prompt(text));
    }

    fn reads(&self, path: &str) -> bool {
        self.did(&format!("read {path}"), &self.world.reads(path))
    }

    fn edits(&self, path: &str, old: &str, new: &str) -> bool {
        self.did(&format!("edit {path}"), &self.world.edits(path, old, new))
    }

    fn writes(&self, path: &str, text: &str) -> bool {
        self.did(&format!("write {path}"), &self.world.writes(path, text))
    }

    /// Runs the project's tests.
    fn tests(&self) -> bool {
        let [line, prints] = self.project.run;
        let ran = json!({ "stdout": prints, "stderr": "", "interrupted": false });
        let did = self.world.tool("Bash", &json!({ "command": line }), || ran);
        self.did(&format!("run {line}"), &did)
    }

    /// Runs one of git seed's commands as its agent does, by the shell.
    fn seed(&self, arguments: &str, stdin: &str) -> bool {
        let text = if stdin.is_empty() {
            format!("git seed {arguments}")
        } else {
            format!("git seed {arguments} <<'EOF'\n{stdin}\nEOF")
        };
        let did = self.world.runs(&text);
        self.cost.borrow_mut().own += 1;
        let passed = self.did(&format!("run git seed {arguments}"), &did);
        let said = did.said.as_ref().filter(|_| passed);
        let printed = said.map(|said| format!("{}{}", said.out, said.err)).unwrap_or_default();
        self.hears("printed", &printed);
        let ok = said.is_some_and(|said| said.code == 0);
        if passed && !ok {
            self.cost.borrow_mut().refusals += 1;
        }
        ok
    }

    /// Asks the person whether the job is done; they approve.
    fn asks(&self, text: &str) {
        let mut text = text.to_owned();
        for _ in 0..4 {
            self.cost.borrow_mut().calls += 1;
            let asked = self.world.asks_bare(&question(&text, &["Review", "Approve completion"]));
            let Some(refusal) = asked.reply.refusal() else {
                self.hears("ask", asked.reply.context().unwrap_or_default());
                self.reply("answer", &asked.answers("Approve completion"));
                return;
            };
            self.cost.borrow_mut().refusals += 1;
            self.hears("ask", refusal);
            if let Some((_, name)) = refusal.split_once("with its name: ") {
                let name = name.split(".\n").next().unwrap_or_default();
                text = text.replacen("[JOB-COMPLETE]", &format!("[JOB-COMPLETE] {name}:"), 1);
            } else if refusal.contains("at least") {
                text = text.replacen(DONE, &DONE.repeat(3), 1);
            } else {
                panic!("{}", self.heard.borrow());
            }
        }
        panic!("{}", self.heard.borrow());
    }

    fn ends(self) -> Cost {
        assert!(self.world.stops().is_silent(), "the turn may end\n{}", self.heard.borrow());
        let range = format!("{}..HEAD", self.before);
        let commits = self.world.git(&format!("rev-list --count {range}"));
        let files = self.world.git(&format!("diff --name-only {range}"));
        let own = [self.project.code[0], self.project.test[0], self.project.second[0]];
        let mut cost = self.cost.borrow().clone();
        cost.commits = commits.trim().parse().expect("a number");
        cost.beside = files.lines().filter(|file| !own.contains(file)).count();
        cost
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a fixture") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file");
        }
    }
}

impl Play {
    fn dir(path: &str) -> &str {
        path.rsplit_once('/').map_or(".", |(dir, _)| dir)
    }

    /// The line that the last text wants in the question, and the question around it.
    fn completes(&self, done: &str) {
        let heard = self.heard.borrow();
        let wanted = |line: &str| line.find("Seen by git seed: ").map(|at| line[at..].to_owned());
        let card = heard.lines().rev().find_map(wanted).unwrap_or_default();
        let name =
            heard.lines().rev().find_map(|line| line.split_once(" · job \"")).map(|(_, n)| n);
        let name = name.unwrap_or_default().trim_end_matches('"').to_owned();
        drop(heard);
        self.asks(&format!("[JOB-COMPLETE] {name}: {done}\n\n{card}\n\n## Outstanding Items\n"));
    }

    /// A fix on the small lane.
    fn fixes(&self, with_test: bool) {
        let project = self.project;
        let [code, old, new] = project.code;
        let [test, test_old, test_new] = project.test;
        self.prompts(project.wish);
        self.reads(code);
        if with_test {
            self.reads(test);
        }
        let seen = format!("the place is in {code}; that line changes; {}", project.run[0]);
        let open = format!("phase advance --small --scope {} -m \"{seen}\"", Self::dir(code));
        assert!(self.seed(&open, ""), "{}", self.last.borrow());
        assert!(self.edits(code, old, new), "{}", self.last.borrow());
        if with_test {
            assert!(self.edits(test, test_old, test_new), "{}", self.last.borrow());
        }
        self.tests();
        // What the run's hook tells is the next thing to do.
        assert!(self.last.borrow().contains("[JOB-COMPLETE]"), "{}", self.heard.borrow());
        self.completes(
            "the line that was asked for is changed as you said, which the project's own tests \
             show after the change, and nothing else of it was touched.",
        );
    }

    /// A step with its message, as often as a refusal says what is missing.
    fn steps(&self, arguments: &str, sections: &[(&str, &str)], head: &str) {
        let mut more = String::new();
        for _ in 0..5 {
            let body: Vec<_> = sections.iter().map(|(t, s)| format!("## {t}\n{s}")).collect();
            let text = format!("{head}{}\n{more}\n## Outstanding Items\n", body.join("\n\n"));
            if self.seed(&format!("{arguments} -F -"), &text) {
                return;
            }
            let last = self.last.borrow().clone();
            if last.contains("at least") && last.contains("words") {
                more += "\nIt is written down here at greater length, since so many words are \
                         asked for: what was looked at, what it showed, and what follows from it \
                         for the work that comes next.\n";
            } else if last.contains("look") || last.contains("read") {
                let file = ["README.md", "README.rst"]
                    .into_iter()
                    .find(|name| self.world.path(name).exists());
                self.reads(file.expect("a readme"));
            } else {
                panic!("{last}\n{}", self.heard.borrow());
            }
        }
        panic!("{}", self.heard.borrow());
    }

    /// A page's edit below an anchor; where the page is new, all of it.
    fn notes(&self, dir: &str, anchor: &str, text: &str) {
        let page = if dir == "." { "CLAUDE.md".to_owned() } else { format!("{dir}/CLAUDE.md") };
        if self.world.path(&page).exists() {
            let at = format!("{anchor}\n");
            assert!(self.edits(&page, &at, &format!("{anchor}\n\n{text}\n")));
            return;
        }
        let wrote = self.writes(&page, &format!("# {dir}\n\n{anchor}\n\n{text}\n"));
        assert!(wrote, "{}", self.last.borrow());
    }

    fn page(dir: &str) -> String {
        if dir == "." { "CLAUDE.md".to_owned() } else { format!("{dir}/CLAUDE.md") }
    }

    /// One cycle of all phases, up to settled memory.
    fn cycle(&self, file: [&str; 3], first: bool, plan: &str) {
        self.observes(file[0], first);
        let dir = Self::dir(file[0]);
        let document = self.plans(dir, first, plan);
        self.executes(file, first, document);
        self.verifies(dir);
        self.condenses(dir);
    }

    fn observes(&self, file: &str, first: bool) {
        let project = self.project;
        let dir = Self::dir(file);
        self.reads(file);
        self.reads(project.test[0]);
        self.notes(dir, "---Ob---", &format!("{file} does it in one line."));
        let head = if first {
            format!(
                "name: {}\nobjective: {}, which one sees by a run of the project's own tests: they \
                 pass as before, and where a test is added it passes after the change and would \
                 have failed before it; nothing else in the behaviour of the project changes, no \
                 other file needs to know of it, and whoever reads the changed line later \
                 understands from it alone why it stands there.\n",
                project.name, project.wish
            )
        } else {
            String::new()
        };
        let seen = [
            (
                "What I Observed",
                "One line decides it. The tests around it pass today and say \
                 nothing of this case, so a new one is needed beside them.",
            ),
            (
                "Sources Consulted",
                "The file itself and its tests, from beginning to end; the \
                 callers use only what it returns.",
            ),
            (
                "Questions Resolved",
                "Where the change goes: into that line and nowhere else. \
                 Whether others rely on the old result: nothing here does.",
            ),
        ];
        self.steps("phase advance --multiplier 3", &seen, &head);
    }

    /// Gives where the plan document belongs, if there is to be one.
    fn plans(&self, dir: &str, first: bool, plan: &str) -> Option<String> {
        let scope = Self::dir(self.project.test[0]);
        let contract = format!("Goal: the line is changed and tested.\nscope: {scope}");
        self.notes(dir, "---Pl---", &contract);
        if first {
            assert!(self.seed(&format!("plan set-plan-file {plan} --multiplier 3"), ""));
        }
        let written = self.last.borrow().lines().find_map(|line| {
            line.strip_prefix("path").map(|path| path.split_whitespace().next().map(str::to_owned))
        });
        let document = written.flatten();
        if !first {
            assert!(self.seed("plan read --multiplier 3", ""));
        }
        let planned = [
            (
                "Plan This Cycle",
                "Change the line that decides it, add one test beside those that \
                 are there, and run all tests of the project.",
            ),
            ("Acceptance Criteria", "- the tests pass with the change in place"),
            (
                "Risks",
                "Callers outside that rely on the old result; inside none were found, and \
                 the person asked for it.",
            ),
            (
                "How VERIFY Will Test",
                "By one run of all tests of the project, after the last \
                 change; the new one is among them.",
            ),
        ];
        self.steps("phase advance", &planned, "");
        document
    }

    fn executes(&self, file: [&str; 3], first: bool, document: Option<String>) {
        assert!(self.seed("phase multiplier 3", ""));
        assert!(self.edits(file[0], file[1], file[2]), "{}", self.last.borrow());
        if first {
            let [test, old, new] = self.project.test;
            assert!(self.edits(test, old, new), "{}", self.last.borrow());
        }
        if let Some(path) = document {
            assert!(self.writes(&path, PLAN), "{}", self.last.borrow());
        }
        self.tests();
        self.notes(Self::dir(file[0]), "---Ex---", "The line is changed and its test added.");
        let built = [
            (
                "What I Implemented",
                "The line and its test, as the contract says; nothing beside \
                 them. The line says by itself what it does.",
            ),
            (
                "Evidence",
                "One run of all tests of the project after the last change. All of them \
                 pass, the new one among them.",
            ),
            (
                "Plan Item Addressed",
                "The only one: change the line, add a test for it, and show \
                 that both hold together.",
            ),
        ];
        self.steps("phase advance", &built, "");
    }

    fn verifies(&self, dir: &str) {
        self.tests();
        self.notes(dir, "---Ve---", "All tests pass.");
        let verified = [
            (
                "Acceptance Criteria Checked",
                "The one of the plan, by a run of all tests that began \
                 after the last change of any file.",
            ),
            ("Pass-Fail Per Criterion", "- the tests pass with the change in place: met"),
            (
                "Evidence",
                "The run of all tests in this phase: its closing line counts as many \
                 tests as there are, and none of them failed or was left out.",
            ),
        ];
        self.steps("phase advance --multiplier 3", &verified, "");
    }

    fn condenses(&self, dir: &str) {
        let page = Self::page(dir);
        self.reads(&page);
        assert!(self.seed("condense archive --multiplier 3", ""));
        let kept = format!(
            "# {dir}\n\nOne line decides it.\n\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n"
        );
        assert!(self.writes(&page, &kept), "{}", self.last.borrow());
    }

    fn condensed() -> [(&'static str, &'static str); 3] {
        [
            (
                "Waterfall Steps Completed",
                "The footers are archived in the session log, and the \
                 page is as short as it was asked for.",
            ),
            (
                "Knowledge Routed",
                "One sentence went into the body of the page, since it will \
                 matter to whoever changes the line next.",
            ),
            ("Markers Consumed", "None were open in this cycle."),
        ]
    }

    /// The same fix in all phases.
    fn works(&self) {
        self.prompts(&format!("[FULL] {}", self.project.wish));
        assert!(self.seed("phase advance", ""));
        self.cycle(self.project.code, true, "false");
        self.completes(&DONE.repeat(4));
        self.steps("phase advance", &Self::condensed(), "");
    }

    /// A change of two directories, in two cycles.
    fn builds(&self) {
        self.prompts(&format!(
            "[FULL] {}. Then mention it in {}.",
            self.project.wish, self.project.second[0]
        ));
        assert!(self.seed("phase advance", ""));
        self.cycle(self.project.code, true, "plan.md");
        self.steps("phase advance", &Self::condensed(), "");
        assert!(self.seed("phase advance", ""));
        self.cycle(self.project.second, false, "");
        self.completes(&DONE.repeat(4));
        self.steps("phase advance", &Self::condensed(), "");
    }
}

const PLAN: &str = "---\ntotal_cycles: 2\n---\n\n# Plan\n\nCycle 1: the change.\n\nCycle 2: the \
    place that mentions it.\n";

const DONE: &str = "the line that was asked for is changed as you said, its test stands beside the \
    others, and the project's own tests pass after the change. ";

type Acts = fn(&Play);

/// The plays, with what each may cost at most: calls, of them git seed's, words, commits.
const PLAYS: [(&str, Acts, [usize; 4]); 4] = [
    ("one-line fix", |play| play.fixes(false), [7, 2, 150, 1]),
    ("fix and its test", |play| play.fixes(true), [7, 2, 150, 1]),
    ("the same in all phases", Play::works, [24, 9, 450, 5]),
    ("two directories in two cycles", Play::builds, [55, 22, 1000, 10]),
];

/// The project whose plays are kept as they read.
const SHOWN: &str = "mime";

/// Each call of a play with what it was told, as `fixtures/plays` has it.
fn is_shown(world: &World, name: &str, heard: &str) {
    let log = world.git("log --format='%h %s%n%n%b' main");
    let text = format!("{heard}\n$ git log\n{log}");
    let text = Names::default().put(world, &text);
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = text.join("\n") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/plays");
    let file = file.join(format!("{}.txt", name.replace(' ', "-")));
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        fs::create_dir_all(file.parent().expect("it has one")).expect("a directory");
        fs::write(&file, text).expect("the play can be written");
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(expected, text, "{}", file.display());
}

/// docs/costs.md shows what these plays print, and no other number.
#[test]
fn an_honest_agent_that_knows_nothing_pays_what_the_document_says() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/costs.md"));
    let document = document.expect("it is there");
    let mut lacks = Vec::new();
    for project in &PROJECTS {
        for (name, act, [calls, own, words, commits]) in PLAYS {
            let play = Play::of(project);
            act(&play);
            let heard = play.heard.borrow().clone();
            if project.name == SHOWN {
                is_shown(&play.world, name, &heard);
            }
            let cost = play.ends();
            let row = format!("| {} | {name} | {} |", project.name, cost.row());
            if !document.contains(&row) {
                lacks.push(row.clone());
            }
            let within = cost.calls <= calls && cost.own <= own && cost.words <= words;
            assert!(within && cost.commits <= commits, "{row}\n{heard}");
        }
    }
    assert!(lacks.is_empty(), "docs/costs.md lacks the rows\n{}", lacks.join("\n"));
}

//! A home and a repository for one client, and the person who sits there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::client::{Client, Start};
use super::model::{Model, Scripts};

const SEED: &str = env!("CARGO_BIN_EXE_git-seed");

/// How long a session may take, in seconds.
const LONGEST: &str = "180";

pub struct Place {
    root: tempfile::TempDir,
    client: Client,
    stands: Stands,
}

/// Where the client is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// In the top directory of the repository.
    Top,
    /// In that of a worktree which `git worktree add` made.
    Linked,
    /// In `src`, below the top.
    Below,
}

/// What became of one session.
#[derive(Debug)]
pub struct Session {
    /// What the client told the model of its calls, in order.
    pub results: Vec<String>,
    /// What else it told the model.
    pub words: String,
}

impl Session {
    /// The answer of the call at `at`, which has to hold `expected`.
    pub fn shows(&self, at: usize, expected: &str) {
        let told = self.results.get(at);
        assert!(
            told.is_some_and(|told| told.contains(expected)),
            "call {at} should tell `{expected}`: {:#?}",
            self.results
        );
    }
}

impl Place {
    /// A repository with a greeting, and a test of it that runners know.
    pub fn new(client: Client) -> Self {
        // Not below `/tmp`, which a sandbox of a client may leave open as a whole.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let place = Self { root, client, stands: Stands::Top };
        fs::create_dir_all(place.root.path().join("repo/src")).expect("a directory");
        fs::create_dir_all(place.root.path().join("tmp")).expect("a directory");
        place.home_has(
            ".gitconfig",
            "[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n",
        );
        place.puts("src/a.txt", "alpha\n");
        place.puts(
            "Makefile",
            "test:\n\t@echo running 1 test; grep -q beta src/a.txt && echo 'test result: ok. 1 \
             passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s'\n",
        );
        place.git("init -q");
        place.git("add -A");
        place.git("commit -qm init");
        place
    }

    /// One with git seed for this client; nobody sits there while it works.
    pub fn seeded(client: Client) -> Self {
        let place = Self::new(client);
        place.seeds();
        place
    }

    /// One where the client starts elsewhere; whoever sits there puts git seed in there, too.
    pub fn standing(client: Client, stands: Stands) -> Self {
        let mut place = Self::new(client);
        // What runs in a directory finds its test there.
        place.puts("src/Makefile", "test:\n\t@$(MAKE) -s -C .. test\n");
        place.git("add -A");
        place.git("commit -q --amend --no-edit");
        place.seeds();
        if stands == Stands::Linked {
            place.git("worktree add -q ../linked -b linked");
        }
        place.stands = stands;
        if stands == Stands::Linked {
            place.person(&format!("init --host {}", client.host()));
        }
        place
    }

    /// Puts git seed in.
    pub fn seeds(&self) {
        if self.client == Client::Gemini {
            fs::create_dir_all(self.home().join(".gemini")).expect("a directory");
        }
        self.person(&format!("init --host {}", self.client.host()));
        self.unattended();
    }

    /// Finished jobs wait for the person.
    pub fn unattended(&self) {
        self.puts("seed.toml", "approval = \"defer\"\n");
        self.person("rules apply");
        fs::remove_file(Path::new(&self.top()).join("seed.toml")).expect("the proposal goes");
    }

    /// The top of the worktree in which the client works.
    pub fn top(&self) -> String {
        self.real(if self.stands == Stands::Linked { "linked" } else { "repo" })
    }

    /// The directory that the client starts in.
    pub fn start(&self) -> String {
        self.real(match self.stands {
            Stands::Top => "repo",
            Stands::Linked => "linked",
            Stands::Below => "repo/src",
        })
    }

    fn real(&self, dir: &str) -> String {
        let dir = fs::canonicalize(self.root.path().join(dir)).expect("it is there");
        dir.display().to_string()
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn puts(&self, file: &str, text: &str) {
        fs::write(Path::new(&self.top()).join(file), text).expect("it is written");
    }

    pub fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(Path::new(&self.top()).join(file)).ok()
    }

    pub fn home_has(&self, file: &str, text: &str) {
        let path = self.home().join(file);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }

    pub fn home_has_unless(&self, file: &str, text: impl FnOnce() -> String) {
        if !self.home().join(file).exists() {
            self.home_has(file, &text());
        }
    }

    /// Where programs are found: git seed first, then what the tests were started with.
    pub fn path(&self) -> String {
        let dir = Path::new(SEED).parent().expect("a directory").display();
        let path = std::env::var_os("PATH").unwrap_or_default();
        format!("{dir}:{}", path.to_string_lossy())
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.top());
        command.env("PATH", self.path()).env("HOME", self.home());
        command.env("LANG", "C.UTF-8").env("TERM", "dumb").env("SHELL", "/bin/bash");
        command.env("TMPDIR", self.root.path().join("tmp")).env("GIT_CONFIG_NOSYSTEM", "1");
        // Nothing but the model is to be reached.
        for proxy in ["HTTP_PROXY", "HTTPS_PROXY"] {
            command.env(proxy, "http://127.0.0.1:9");
        }
        command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
        command
    }

    /// Runs a line of a shell, which has to succeed.
    pub fn sh(&self, line: &str) -> String {
        done(line, self.command("sh").args(["-c", line]).output())
    }

    pub fn git(&self, words: &str) -> String {
        self.sh(&format!("git {words}"))
    }

    /// A command of git seed at the person's terminal.
    pub fn person(&self, words: &str) -> String {
        let mut command = self.command("sh");
        command.args(["-c", &format!("git seed {words}")]).env("GIT_SEED_TEST_PERSON", "1");
        done(words, command.output())
    }

    pub fn json(&self, words: &str) -> Value {
        let said = self.sh(&format!("git seed {words} --json"));
        serde_json::from_str(&said).unwrap_or_else(|bad| panic!("{words}: {bad}: {said}"))
    }

    /// A command of the client's own, such as one that puts a plugin in.
    pub fn client(&self, words: &[&str]) -> String {
        let program = self.client.program();
        let mut command = self.command(&program[0]);
        command.args(&program[1..]).args(words).envs(self.client.environment(self, 9));
        done(&words.join(" "), command.output())
    }

    /// Where `RECORD_EVENTS` names a directory each event of the client is kept there, with what
    /// the hook printed: `fixtures/hooks` was made of such files.
    fn records(&self) {
        let Some(kept) = std::env::var_os("RECORD_EVENTS") else { return };
        let kept = Path::new(&kept).join(format!("{:?}-{:?}", self.client, self.stands));
        fs::create_dir_all(&kept).expect("a directory");
        let seed = fs::canonicalize(SEED).expect("it is there").display().to_string();
        // It becomes the hook, so that the client is the process above that.
        let script = self.root.path().join("recorder/git-seed");
        let text = format!(
            "#!/bin/bash\nat={}/$(date +%s%N)\ncat > $at.in\n\
             exec '{seed}' \"$@\" < $at.in > >(tee $at.out) 2> $at.err\n",
            kept.display()
        );
        fs::create_dir_all(script.parent().expect("a directory")).expect("it is made");
        fs::write(&script, text).expect("it is written");
        self.sh(&format!("chmod +x {}", script.display()));
        let row = git_seed::hosts::row(self.client.host()).expect("it loads");
        for dir in ["repo", "linked"] {
            let file = self.root.path().join(dir).join(&row.settings.local);
            if let Ok(text) = fs::read_to_string(&file) {
                let text = text.replace(&seed, &script.display().to_string());
                fs::write(file, text).expect("it is written");
            }
        }
        fs::write(kept.join("root"), self.root.path().display().to_string()).expect("it is kept");
    }

    /// Plays a session of the client against this script.
    pub fn plays(&self, start: Start<'_>, scripts: Scripts) -> Session {
        let model = Model::serves(scripts, self.top());
        self.client.configure(self, model.port, start);
        self.records();
        let mut command = self.command("timeout");
        command.current_dir(self.start());
        command.args(["-k", "5", LONGEST]).args(self.client.program());
        command.args(self.client.words(self, start));
        command.envs(self.client.environment(self, model.port)).stdin(std::process::Stdio::null());
        let said = command.output().expect("it starts");
        let (results, words) = (model.results(), model.words());
        assert!(
            said.status.success() && !words.is_empty(),
            "{:?} {}: {results:#?}\n{words}\n{}\n{}",
            self.client,
            said.status,
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr)
        );
        Session { results, words }
    }
}

fn done(line: &str, said: std::io::Result<Output>) -> String {
    let said = said.unwrap_or_else(|bad| panic!("{line}: {bad}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&said.stdout), text(&said.stderr));
    assert!(said.status.success(), "{line}: {}\n{out}\n{err}", said.status);
    out
}

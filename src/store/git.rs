//! Child `git` processes, all started the same way.
//!
//! A child works on this store's repository and no other: every variable that names
//! a repository, its index or its configuration is taken out of its environment and
//! only put back on purpose. Paths it is given are literal. Its output is captured,
//! never inherited; where a person's hooks run, it goes to a file, so that a hook
//! that leaves a process behind cannot keep us waiting.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Store;
use super::error::StoreError;
use crate::world::{GitEnvironment, Group, git_variables};

/// Who commits, as git spells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub name: String,
    pub email: String,
}

/// A child about to run.
pub(super) struct Child {
    command: Command,
    shown: String,
    input: Vec<u8>,
}

/// How a child ended.
pub(super) struct Outcome {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    shown: String,
}

impl Outcome {
    /// The error that tells what the child said.
    pub(super) fn failed(self) -> StoreError {
        let said = [self.stderr, self.stdout].concat();
        // Git's advice is about commands that nobody here gave.
        let said = String::from_utf8_lossy(&said).into_owned();
        let said: Vec<&str> = said.lines().filter(|line| !line.starts_with("hint:")).collect();
        let said = said.join("\n").trim().to_owned();
        let output = if said.is_empty() { format!("exit {:?}, no word", self.code) } else { said };
        StoreError::Git { command: self.shown, output }
    }
}

impl Store {
    /// A `git` that works on this repository, from the top of its work tree.
    pub(super) fn git<I, S>(&self, args: I) -> Child
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut child = self.plain_git(args);
        child.command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_LITERAL_PATHSPECS", "1");
        // Objects are what their ids say: nobody swaps one, or a commit's parents, for another.
        child.command.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_GRAFT_FILE", "/dev/null");
        child
    }

    /// The same without what a person's hooks would notice: their own pathspecs keep
    /// their meaning and their own `git status` may refresh the index.
    pub(super) fn plain_git<I, S>(&self, args: I) -> Child
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        // A hook of git seed's own would wait for the lock that this process holds.
        debug_assert!(!(self.holds_lock() && runs_hooks(&args)), "{args:?} under the lock");
        let mut command = clean_git(self.children.as_ref());
        command.arg("-C").arg(&self.work_tree);
        match &self.confined {
            None => command.args(&args),
            Some(confined) => {
                let settings = confined.settings().iter();
                command.args(settings.flat_map(|setting| ["-c", setting]));
                let held = |arg: &OsString| confined.held(arg.to_str()?).map(OsString::from);
                command.args(args.iter().map(|arg| held(arg).unwrap_or_else(|| arg.clone())))
            }
        };
        command.envs(self.told.iter().map(|(name, value)| (name, value)));
        command.env("GIT_TERMINAL_PROMPT", "0");
        Child { command, shown: shown(&args), input: Vec::new() }
    }
}

impl Store {
    /// Who commits here by git's configuration and environment; nobody where git would guess.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let asked = ["-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT"];
        // A git that does not start says so when it is needed.
        let outcome = self.plain_git(asked).outcome().ok().filter(|said| said.code == Some(0))?;
        let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let (name, rest) = said.split_once(" <")?;
        let (email, _) = rest.split_once('>')?;
        Some(Identity { name: name.to_owned(), email: email.to_owned() })
    }

    /// Whether children find the configuration and attributes that this process finds.
    pub(crate) fn reads_as_children(&self) -> bool {
        self.children.as_ref().is_none_or(GitEnvironment::reads_as_here)
    }

    /// `user.useConfigOnly` is set.
    fn only_configured(&self) -> bool {
        let asked = ["config", "--type=bool", "--get", "user.useConfigOnly"];
        let said = self.plain_git(asked).outcome();
        said.is_ok_and(|said| said.stdout.starts_with(b"true"))
    }

    /// Settings that name who commits: `known`, where git knows nobody, and the person has not said
    /// that only their configuration may name somebody.
    pub(super) fn naming(&self, known: Option<&Identity>) -> Vec<String> {
        let known = known.filter(|_| self.identity().is_none() && !self.only_configured());
        known.map_or_else(Vec::new, |known| {
            let (name, email) = (&known.name, &known.email);
            let settings = [format!("user.name={name}"), format!("user.email={email}")];
            settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
        })
    }
}

/// Git runs hooks of ours for this command.
fn runs_hooks(args: &[OsString]) -> bool {
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    let verb = loop {
        match words.next() {
            Some("-c") => _ = words.next(),
            Some(word) if word.starts_with('-') => {}
            verb => break verb,
        }
    };
    verb.is_some_and(|verb| ["commit", "push", "merge", "rebase", "am"].contains(&verb))
}

pub(super) fn clean_git(of_session: Option<&GitEnvironment>) -> Command {
    let mut command = Command::new(of_session.map_or(Path::new("git"), GitEnvironment::git));
    if let Some(environment) = of_session {
        environment.give(&mut command);
    }
    for name in git_variables() {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("GIT_SEED_")) {
            command.env_remove(name);
        }
    }
    if cfg!(test) {
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    command
}

/// The command as a sentence names it: without our `-c` settings.
fn shown(args: &[OsString]) -> String {
    let mut words = vec!["git".to_owned()];
    let mut args = args.iter().map(|arg| arg.to_string_lossy());
    while let Some(arg) = args.next() {
        if arg == "-c" {
            args.next();
        } else {
            words.push(arg.into_owned());
        }
    }
    words.join(" ")
}

impl Child {
    /// Works on this index instead of the person's.
    pub(super) fn index(mut self, index: &Path) -> Self {
        self.command.env("GIT_INDEX_FILE", index);
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(super) fn envs<'v>(
        mut self,
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Self {
        self.command.envs(variables);
        self
    }

    /// Bytes for the child's standard input.
    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Runs it; an exit code other than 0 is an error that says what git said.
    pub(super) fn run(self) -> Result<Vec<u8>, StoreError> {
        let outcome = self.outcome()?;
        if outcome.code == Some(0) { Ok(outcome.stdout) } else { Err(outcome.failed()) }
    }

    /// Runs it and tells how it ended.
    pub(super) fn outcome(mut self) -> Result<Outcome, StoreError> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|err| not_started(&self.shown, &err))?;
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // A child that stops reading early says why itself, so a broken pipe is no news.
            scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(&self.input)));
            child.wait_with_output()
        })?;
        let (code, shown) = (output.status.code(), self.shown);
        Ok(Outcome { code, stdout: output.stdout, stderr: output.stderr, shown })
    }

    /// Nobody is asked for anything: what needs a word from the person fails.
    pub(super) fn without_prompts(mut self) -> Self {
        // An askpass that says nothing is the one way to keep ssh-keygen from the terminal.
        let quiet =
            [("SSH_ASKPASS_REQUIRE", "force"), ("SSH_ASKPASS", "false"), ("GIT_ASKPASS", "false")];
        self.command.envs(quiet);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "GPG_TTY"] {
            self.command.env_remove(name);
        }
        self
    }

    /// Reads what is here: no remote of a partial clone is asked for the rest.
    pub(super) fn without_fetches(mut self) -> Self {
        // A git that does not know the first finds no protocol that it may speak.
        self.command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        self
    }

    /// Runs it until `ends`, then ends it with all that it started: `None`.
    pub(super) fn outcome_until(mut self, ends: Instant) -> Result<Option<Outcome>, StoreError> {
        let (mut input, mut printed, mut said) =
            (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
        input.write_all(&self.input)?;
        input.rewind()?;
        self.command.stdin(Stdio::from(input)).stdout(shared(&printed)?).stderr(shared(&said)?);
        let child =
            Group::spawn(&mut self.command).map_err(|err| not_started(&self.shown, &err))?;
        let Some(status) = child.wait_until(ends)? else { return Ok(None) };
        let read = |file: &mut File| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let (stdout, stderr) = (read(&mut printed)?, read(&mut said)?);
        Ok(Some(Outcome { code: status.code(), stdout, stderr, shown: self.shown }))
    }

    /// Runs it with no input and both outputs in one file, in the order they were written.
    pub(super) fn outcome_by_file(mut self) -> Result<Outcome, StoreError> {
        let mut file = tempfile::tempfile()?;
        self.command.stdin(Stdio::null()).stdout(shared(&file)?).stderr(shared(&file)?);
        let status = self.command.status().map_err(|err| not_started(&self.shown, &err))?;
        let mut stdout = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut stdout)?;
        Ok(Outcome { code: status.code(), stdout, stderr: Vec::new(), shown: self.shown })
    }
}

fn shared(file: &File) -> io::Result<Stdio> {
    Ok(file.try_clone()?.into())
}

fn not_started(command: &str, err: &io::Error) -> StoreError {
    StoreError::Git { command: command.to_owned(), output: format!("could not be started: {err}") }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn children_are_cleaned_of_every_variable_git_calls_local() {
        let bed = Testbed::new();
        for name in bed.git(&["rev-parse", "--local-env-vars"]).lines() {
            assert!(super::git_variables().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn a_failing_child_is_named_with_its_words() {
        let bed = Testbed::new();
        let failed =
            bed.store().git(["-c", "core.abbrev=9", "rev-parse", "--verify", "nowhere"]).run();
        let said = failed.expect_err("there is no such name").to_string();
        assert!(said.starts_with("`git rev-parse --verify nowhere` failed: fatal"), "{said}");
    }

    #[test]
    fn much_input_and_much_output_do_not_block_each_other() {
        let bed = Testbed::new();
        let lines = "0000000000000000000000000000000000000000\n".repeat(20_000);
        let out = bed
            .store()
            .git(["cat-file", "--batch-check"])
            .input(lines.into_bytes())
            .run()
            .expect("answers");
        assert_eq!(out.split(|byte| *byte == b'\n').count(), 20_001);
    }
}

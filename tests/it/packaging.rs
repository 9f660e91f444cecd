//! What installs a release: all of it comes from one version, one table and one set of checksums;
//! and the installer puts nothing anywhere that it could not check.
//!
//! Nothing here is loaded from anywhere: archives are made in a scratch directory, of a script in
//! place of the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::skip;
use super::world::ground;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const URL: &str = "https://example.org/releases";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(file: impl AsRef<Path>) -> String {
    let file = root().join(file);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Names of systems and forms of archives, as `packaging/targets` has them.
fn systems() -> Vec<(String, String)> {
    let text = text_of("packaging/targets");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let words = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let row = |row: &str| (words(row)[1].clone(), words(row)[2].clone());
    rows.map(row).collect()
}

fn archive_of(system: &str, form: &str) -> String {
    format!("git-seed-{VERSION}-{system}.{form}")
}

/// Files below a directory, by their paths there, with their texts; none where there is nothing.
fn files_below(dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(at) = ahead.pop() {
        for path in fs::read_dir(at).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                ahead.push(path);
                continue;
            }
            let name = path.strip_prefix(dir).expect("below").to_string_lossy().into_owned();
            found.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
    found
}

/// A program ran: whether it ended well, and all that it said.
struct Ran {
    well: bool,
    said: String,
}

fn runs(command: &mut Command) -> Ran {
    let out = command.env("LC_ALL", "C").output().expect("it starts");
    let said = [out.stdout, out.stderr].concat();
    Ran { well: out.status.success(), said: String::from_utf8_lossy(&said).into_owned() }
}

fn has(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .expect("sh")
        .status
        .success()
}

/// A release that is being made, in a directory of its own.
struct Release {
    dir: tempfile::TempDir,
}

impl Release {
    fn new() -> Self {
        Self { dir: ground("git-seed-release-") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn puts(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("a directory")).expect("made");
        fs::write(file, text).expect("written");
    }

    fn make(&self, more: &[&str]) -> Ran {
        let mut make = Command::new(root().join("packaging/make"));
        make.args(["--url", URL, "--to"]).arg(self.path("made"));
        make.arg("--sums").arg(self.path("SHA256SUMS")).args(more);
        runs(&mut make)
    }

    fn made(&self, name: &str) -> String {
        fs::read_to_string(self.path("made").join(name))
            .unwrap_or_else(|bad| panic!("{name}: {bad}"))
    }
}

/// A checksum for each archive, by its name.
fn sums() -> BTreeMap<String, String> {
    let sum = |(n, (system, form)): (usize, (String, String))| {
        (archive_of(&system, &form), format!("{:064x}", n + 0xa1))
    };
    systems().into_iter().enumerate().map(sum).collect()
}

fn all_made() -> Release {
    let release = Release::new();
    let lines: String = sums().iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    release.puts("SHA256SUMS", &lines);
    release.puts("key.pub", "ssh-ed25519 AAAAC3Nza me@example.org\n");
    let key = release.path("key.pub").display().to_string();
    let ran = release.make(&["--ssh-key", &key]);
    assert!(ran.well, "{}", ran.said);
    release
}

#[test]
fn what_installs_a_release_has_one_version_one_table_and_one_set_of_checksums() {
    let release = all_made();
    let mut seen = BTreeSet::new();
    for (path, text) in files_below(&release.path("made")) {
        let parts: Vec<&str> = text.split('@').collect();
        let between = parts.get(1..parts.len() - 1).unwrap_or_default();
        let unfilled =
            between.iter().find(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
        assert_eq!(unfilled, None, "{path} has a place that nothing filled");
        let told = path == "npm/git-seed/git-seed.js" || text.contains(VERSION);
        assert!(told, "{path} says no version: {text}");
        seen.insert(path);
    }
    assert!(seen.len() > 6, "{seen:?}");
    let (installer, formula) = (release.made("install.sh"), release.made("git-seed.rb"));
    for (system, form) in systems() {
        let name = archive_of(&system, &form);
        let sum = &sums()[&name];
        if form == "zip" {
            continue;
        }
        assert!(installer.contains(&format!("  {system}) echo {sum} ;;\n")), "{installer}");
        let (_, behind) = formula.split_once(&format!("{URL}/{name}\"\n")).expect("its address");
        let next = behind.lines().next().unwrap_or_default().trim();
        assert_eq!(next, format!("sha256 \"{sum}\""), "{name}");
    }
    assert!(installer.contains("ssh_key='ssh-ed25519 AAAAC3Nza'\n"), "without whose it is");
    assert!(formula.contains(&format!("version \"{VERSION}\"\n")), "{formula}");
}

#[test]
fn the_npm_packages_run_no_script_and_are_of_one_version() {
    let release = all_made();
    let read = |name: &str| -> Value {
        serde_json::from_str(&release.made(&format!("npm/{name}/package.json"))).expect("JSON")
    };
    let whole = read("git-seed");
    let parts = whole["optionalDependencies"].as_object().expect("packages");
    assert_eq!(parts.len(), systems().len(), "one for each system");
    let mut platforms = BTreeSet::new();
    for (name, version) in parts {
        let part = read(name);
        assert_eq!(
            (version, &part["version"], &part["name"]),
            (&json!(VERSION), version, &json!(name))
        );
        assert_eq!(part["scripts"], Value::Null, "{name}");
        platforms.insert((part["os"].to_string(), part["cpu"].to_string()));
    }
    assert_eq!(platforms.len(), parts.len(), "{platforms:?}");
    assert_eq!((&whole["scripts"], &whole["version"]), (&Value::Null, &json!(VERSION)));
    assert_eq!(whole["bin"]["git-seed"], json!("git-seed.js"));
    assert!(release.made("npm/git-seed/git-seed.js").starts_with("#!/usr/bin/env node\n"));
}

/// What lies beside the checksums is what the package of its system holds, and may run.
#[test]
fn an_archive_beside_the_checksums_goes_into_its_npm_package() {
    for program in ["tar", "sha256sum"] {
        if !has(program) {
            return skip::not_here(program);
        }
    }
    let release = all_made();
    let (system, form) = systems().remove(0);
    let name = format!("git-seed-{VERSION}-{system}");
    release.puts(&format!("{name}/bin/git-seed"), "#!/bin/sh\n");
    let mut tar = Command::new("tar");
    tar.args(["-czf", &archive_of(&system, &form), &name]).current_dir(release.dir.path());
    assert!(runs(&mut tar).well);
    let key = release.path("key.pub").display().to_string();
    let swapped = release.make(&["--ssh-key", &key]);
    assert!(!swapped.well && swapped.said.contains("is not what"), "{}", swapped.said);
    let mut sums = sums();
    let archive = archive_of(&system, &form);
    let said = runs(Command::new("sha256sum").arg(&archive).current_dir(release.dir.path())).said;
    sums.insert(archive, said.split(' ').next().unwrap_or_default().to_owned());
    let lines: String = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    release.puts("SHA256SUMS", &lines);
    let made = release.make(&["--ssh-key", &key]);
    assert!(made.well, "{}", made.said);
    let whole: Value =
        serde_json::from_str(&release.made("npm/git-seed/package.json")).expect("JSON");
    let parts = whole["optionalDependencies"].as_object().expect("packages");
    let holds = |part: &&String| release.path("made/npm").join(part).join("bin/git-seed").exists();
    assert_eq!(parts.keys().filter(holds).count(), 1, "{parts:?}");
}

#[test]
fn nothing_is_made_without_a_key_or_with_an_archive_missing() {
    let release = all_made();
    let without = release.make(&[]);
    assert!(!without.well && without.said.contains("a key is needed"), "{}", without.said);
    let key = release.path("key.pub").display().to_string();
    let (first, form) = systems().remove(0);
    let name = archive_of(&first, &form);
    release.puts("SHA256SUMS", &format!("{}  {name}\n", sums()[&name]));
    let some = release.make(&["--ssh-key", &key]);
    assert!(!some.well && some.said.contains("has no checksum of:"), "{}", some.said);
    fs::remove_dir_all(release.path("made")).expect("made before");
    let part = release.make(&["--ssh-key", &key, "--partial"]);
    assert!(part.well && part.said.contains("left out formula and npm packages"), "{}", part.said);
    let made: Vec<String> = files_below(&release.path("made")).into_keys().collect();
    assert_eq!(made, ["install.sh"]);
}

/// The flake says no version: it reads the one there is.
#[test]
fn the_flake_takes_its_version_from_cargo_toml() {
    let flake = text_of("flake.nix");
    assert!(flake.contains("(builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;"));
    assert!(!flake.contains(VERSION) && flake.contains("lockFile = ./Cargo.lock;"), "{flake}");
}

// ---- the installer

/// A signed release for the system of this machine, of a script that says its version.
fn released() -> Option<Release> {
    for program in ["ssh-keygen", "tar", "sha256sum"] {
        if !has(program) {
            skip::not_here(program);
            return None;
        }
    }
    let release = Release::new();
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "release", "-f"]).arg(release.path("key"));
    assert!(runs(&mut keygen).well);
    release.packs(&["share/man/man1/git-seed.1", "share/doc/git-seed/THIRD-PARTY.txt"]);
    Some(release)
}

fn system() -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", _) => "universal-macos",
        (_, "aarch64") => "aarch64-linux",
        _ => "x86_64-linux",
    }
}

impl Release {
    /// Makes the archive with these files beside the binary, signs it, and writes the installer.
    fn packs(&self, files: &[&str]) {
        let name = format!("git-seed-{VERSION}-{}", system());
        let _ = fs::remove_dir_all(self.path(&name));
        for file in files {
            self.puts(&format!("{name}/{file}"), "a file\n");
        }
        self.puts(
            &format!("{name}/bin/git-seed"),
            &format!("#!/bin/sh\necho git-seed {VERSION}\n"),
        );
        let binary = self.path(&name).join("bin/git-seed");
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("it may run");
        let archive = format!("{name}.tar.gz");
        let mut tar = Command::new("tar");
        assert!(runs(tar.args(["-czf", &archive, &name]).current_dir(self.dir.path())).well);
        let sum = runs(Command::new("sha256sum").arg(&archive).current_dir(self.dir.path())).said;
        self.puts("SHA256SUMS", &sum);
        self.signs("key");
        let key = self.path("key.pub").display().to_string();
        let made = self.make(&["--ssh-key", &key, "--partial"]);
        assert!(made.well, "{}", made.said);
    }

    fn signs(&self, key: &str) {
        let _ = fs::remove_file(self.path("SHA256SUMS.sig"));
        let mut sign = Command::new("ssh-keygen");
        sign.args(["-q", "-Y", "sign", "-n", "git-seed-release", "-f"]).arg(self.path(key));
        let ran = runs(sign.arg("SHA256SUMS").current_dir(self.dir.path()));
        assert!(ran.well, "{}", ran.said);
    }

    fn archive(&self) -> PathBuf {
        self.path(&archive_of(system(), "tar.gz"))
    }

    fn installs(&self, from: &str, more: &[&str]) -> Ran {
        let mut sh = Command::new("sh");
        sh.arg(self.path("made/install.sh")).args(["--prefix"]).arg(self.path("prefix"));
        sh.args(["--from", from]).args(more).env("HOME", self.path("home"));
        runs(&mut sh)
    }

    /// The same from here, with programs of ours before those of the machine.
    fn installs_with_programs_beside(&self) -> Ran {
        let path = |name: &str| self.path(name).display().to_string();
        let line = format!(
            "PATH='{}':\"$PATH\" sh '{}' --prefix '{}' --from '{}'",
            path("beside"),
            path("made/install.sh"),
            path("prefix"),
            self.dir.path().display()
        );
        runs(Command::new("sh").args(["-c", &line]).env("HOME", self.path("home")))
    }

    /// What lies below the prefix, by its path there.
    fn installed(&self) -> Vec<String> {
        files_below(&self.path("prefix")).into_keys().collect()
    }

    /// The installer stops with these words, and nothing is there.
    fn refuses(&self, wanted: &str) {
        let ran = self.installs(&self.dir.path().display().to_string(), &[]);
        assert!(!ran.well && ran.said.contains(wanted), "{wanted}: {}", ran.said);
        assert_eq!(self.installed(), Vec::<String>::new(), "{wanted}");
    }
}

#[test]
fn a_signed_release_is_installed_goes_on_to_the_next_and_goes_again() {
    let Some(release) = released() else { return };
    let here = release.dir.path().display().to_string();
    let ran = release.installs(&format!("file://{here}"), &[]);
    assert!(ran.well && ran.said.contains("git seed tour"), "{}", ran.said);
    let first = [
        "bin/git-seed",
        "share/doc/git-seed/THIRD-PARTY.txt",
        "share/git-seed/installed",
        "share/man/man1/git-seed.1",
    ];
    assert_eq!(release.installed(), first);
    let said = runs(&mut Command::new(release.path("prefix/bin/git-seed"))).said;
    assert_eq!(said.trim(), format!("git-seed {VERSION}"));
    // Another one, that has no man page any more.
    release.packs(&["share/doc/git-seed/THIRD-PARTY.txt"]);
    let ran = release.installs(&here, &[]);
    assert!(ran.well, "{}", ran.said);
    assert_eq!(release.installed(), first[..3]);
    release.puts("prefix/share/doc/mine", "somebody's\n");
    let ran = release.installs(&here, &["--uninstall"]);
    assert!(ran.well && ran.said.contains("removed"), "{}", ran.said);
    assert_eq!(release.installed(), ["share/doc/mine"]);
    assert!(!release.path("home").exists(), "nothing is written to a home");
}

#[test]
fn what_cannot_be_checked_is_not_installed() {
    let Some(release) = released() else { return };
    let good = fs::read(release.archive()).expect("an archive");
    let mut bad = good.clone();
    let at = bad.len() / 2;
    bad[at] ^= 1;
    fs::write(release.archive(), &bad).expect("written");
    release.refuses("has another checksum: it was changed or is broken");
    fs::write(release.archive(), &good).expect("written");

    let list = fs::read_to_string(release.path("SHA256SUMS")).expect("a list");
    release.puts("SHA256SUMS", &list.replace(&list[..4], "dead"));
    release.refuses("the signature of the checksums is not of the key of git seed");
    // Signed as it is, it is not the one that this installer was made with.
    release.signs("key");
    release.refuses("the signed list has another checksum");
    release.puts("SHA256SUMS", &list);

    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "other", "-f"]).arg(release.path("other"));
    assert!(runs(&mut keygen).well);
    release.signs("other");
    release.refuses("the signature of the checksums is not of the key of git seed");
    fs::remove_file(release.path("SHA256SUMS.sig")).expect("it is there");
    release.refuses("SHA256SUMS.sig could not be loaded");
    release.signs("key");
    fs::remove_file(release.archive()).expect("it is there");
    release.refuses("could not be loaded");
}

#[test]
fn without_a_program_that_checks_signatures_nothing_is_installed() {
    let Some(release) = released() else { return };
    let bare = release.path("bare");
    fs::create_dir(&bare).expect("made");
    let wanted = ["sh", "uname", "mktemp", "cp", "tail", "rm", "cut", "sed", "grep", "dirname"];
    for program in wanted {
        let found = runs(Command::new("sh").args(["-c", &format!("command -v {program}")])).said;
        std::os::unix::fs::symlink(found.trim(), bare.join(program)).expect("linked");
    }
    let mut sh = Command::new(bare.join("sh"));
    sh.arg(release.path("made/install.sh")).arg("--prefix").arg(release.path("prefix"));
    sh.arg("--from").arg(release.dir.path()).env("PATH", &bare);
    let ran = runs(&mut sh);
    assert!(!ran.well && ran.said.contains("the signature cannot be checked here"), "{}", ran.said);
    assert_eq!(release.installed(), Vec::<String>::new());
}

#[test]
fn a_file_of_somebody_elses_is_not_written_over() {
    let Some(release) = released() else { return };
    release.puts("prefix/bin/git-seed", "built by hand\n");
    let ran = release.installs(&release.dir.path().display().to_string(), &[]);
    assert!(!ran.well && ran.said.contains("is there already"), "{}", ran.said);
    assert_eq!(release.installed(), ["bin/git-seed"]);
    let kept = fs::read_to_string(release.path("prefix/bin/git-seed")).expect("it stays");
    assert_eq!(kept, "built by hand\n");
    let plain = release.installs("http://example.org/releases", &[]);
    assert!(!plain.well && plain.said.contains("no address that is safe"), "{}", plain.said);
}

/// A mask of the installing person's hides nothing from others who run it, and directories that
/// were there before stay.
#[test]
fn others_may_run_it_and_directories_of_others_stay() {
    let Some(release) = released() else { return };
    let here = release.dir.path().display().to_string();
    fs::create_dir_all(release.path("prefix/bin")).expect("ours");
    let installer = release.path("made/install.sh").display().to_string();
    let prefix = release.path("prefix");
    let line =
        format!("umask 077; sh '{installer}' --prefix '{}' --from '{here}'", prefix.display());
    let ran = runs(Command::new("sh").args(["-c", &line]).env("HOME", release.path("home")));
    assert!(ran.well, "{}", ran.said);
    let mode = |path: &str| {
        fs::metadata(prefix.join(path)).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode("bin/git-seed"), 0o755);
    assert_eq!(mode("share/man/man1/git-seed.1"), 0o644);
    assert_eq!((mode("share"), mode("share/man/man1")), (0o755, 0o755));
    let ran = release.installs(&here, &["--uninstall"]);
    assert!(ran.well, "{}", ran.said);
    assert!(prefix.join("bin").is_dir(), "an empty directory that was there before");
    assert!(!prefix.join("share").exists(), "one that the installer made");
    // Once more where nothing was: all of it goes.
    fs::remove_dir_all(&prefix).expect("ours");
    assert!(release.installs(&here, &[]).well);
    assert!(release.installs(&here, &["--uninstall"]).well);
    assert!(!prefix.exists());
}

/// Whatever ends an install, the file of a version is there as a whole, and what to do is said.
#[test]
fn an_install_that_ends_in_between_leaves_one_that_runs() {
    let Some(release) = released() else { return };
    let here = release.dir.path().display().to_string();
    assert!(release.installs(&here, &[]).well);
    // A program that moves files, and is killed or fails at one of them.
    for (at, ends) in [(1, "kill -TERM $PPID; sleep 1"), (2, "exit 1"), (4, "exit 1")] {
        let count = release.path("count").display().to_string();
        release.puts("count", "");
        release.puts(
            "beside/mv",
            &format!(
                "#!/bin/sh\necho >>'{count}'\n\
                 [ $(wc -l <'{count}') -ne {at} ] || {{ {ends}; }}\nexec /bin/mv \"$@\"\n"
            ),
        );
        let mv = release.path("beside/mv");
        fs::set_permissions(mv, fs::Permissions::from_mode(0o755)).expect("it may run");
        let ran = release.installs_with_programs_beside();
        assert!(!ran.well && ran.said.contains("run it again: sh install.sh"), "{}", ran.said);
        let said = runs(&mut Command::new(release.path("prefix/bin/git-seed"))).said;
        assert_eq!(said.trim(), format!("git-seed {VERSION}"));
    }
    assert!(release.installs(&here, &[]).well);
    assert!(!release.installed().iter().any(|file| file.contains("git-seed-new")));
    assert!(release.installs(&here, &["--uninstall"]).well);
    assert_eq!(release.installed(), Vec::<String>::new());
}

#[test]
fn an_address_that_only_looks_local_is_not() {
    let Some(release) = released() else { return };
    for from in [
        "http://127.0.0.1:x@example.org",
        "http://localhost:80@example.org/a",
        "http://127.0.0.1.example.org",
        "http://localhost:",
        "http://127.0.0.1:80#@example.org",
        "http://localhost@example.org",
        "ftp://localhost/a",
    ] {
        let ran = release.installs(from, &[]);
        assert!(!ran.well && ran.said.contains("no address that is safe"), "{from}: {}", ran.said);
    }
    // This one is asked, and nobody answers there.
    let ran = release.installs("http://127.0.0.1:1", &[]);
    assert!(!ran.well && !ran.said.contains("no address that is safe"), "{}", ran.said);
}

#[test]
fn links_that_lead_nowhere_stay_and_are_named() {
    use std::os::unix::fs::symlink;
    let Some(release) = released() else { return };
    let here = release.dir.path().display().to_string();
    fs::create_dir_all(release.path("prefix/bin")).expect("ours");
    let link = release.path("prefix/bin/git-seed");
    symlink("/nonexistent/git-seed", &link).expect("a link");
    let ran = release.installs(&here, &[]);
    assert!(!ran.well && ran.said.contains("is there already"), "{}", ran.said);
    assert!(link.is_symlink());
    fs::remove_file(&link).expect("ours");
    fs::remove_dir(release.path("prefix/bin")).expect("ours");
    symlink("/nonexistent", release.path("prefix/bin")).expect("a link");
    let ran = release.installs(&here, &[]);
    assert!(!ran.well && ran.said.contains("leads nowhere"), "{}", ran.said);
    assert!(release.path("prefix/bin").is_symlink() && !release.path("prefix/share").exists());
}

#[test]
fn an_old_ssh_keygen_is_named_as_what_it_is() {
    let Some(release) = released() else { return };
    release.puts("beside/ssh-keygen", "#!/bin/sh\necho 'unknown option -- Y' >&2\nexit 1\n");
    let keygen = release.path("beside/ssh-keygen");
    fs::set_permissions(keygen, fs::Permissions::from_mode(0o755)).expect("it may run");
    let ran = release.installs_with_programs_beside();
    assert!(!ran.well && ran.said.contains("too old to check the signature"), "{}", ran.said);
    assert_eq!(release.installed(), Vec::<String>::new());
}

// ---- whose code it is

/// Names with versions, as Cargo.lock has them, with checksums.
fn locked() -> BTreeMap<String, Option<String>> {
    let lock: toml::Table = text_of("Cargo.lock").parse().expect("TOML");
    let packages = lock["package"].as_array().expect("packages");
    let named = |package: &toml::Value| {
        let word = |key: &str| package.get(key).and_then(toml::Value::as_str);
        let name = format!("{} {}", word("name").expect("a name"), word("version").expect("one"));
        (name, word("checksum").map(str::to_owned))
    };
    packages.iter().map(named).collect()
}

/// Each package that Cargo.lock names is told with its licence, or told to be in no binary.
#[test]
fn third_party_names_each_package_of_the_lock_file() {
    let text = text_of("packaging/THIRD-PARTY.txt");
    let (head, others) = text.split_once("In Cargo.lock and in no binary").expect("both parts");
    let (_, rows) = head.split_once("the text stands last).\n\n").expect("the list");
    let rows = rows.split("\n\n").next().unwrap_or_default();
    let mut told = BTreeSet::from([format!("git-seed {VERSION}")]);
    for row in rows.lines() {
        let (package, licence) = row.split_once(": ").expect("a licence");
        assert!(!licence.trim().is_empty(), "{row}");
        told.insert(package.split(" (").next().unwrap_or_default().to_owned());
    }
    let inside = told.len();
    let others = others.split_once(":\n\n").expect("the list").1;
    let others =
        others.split(',').map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    told.extend(others);
    let known: BTreeSet<String> = locked().into_keys().collect();
    assert_eq!(told, known, "packaging/third-party writes THIRD-PARTY.txt anew");
    assert!(inside > 200, "{inside}");

    let sbom: Value = serde_json::from_str(&text_of("packaging/sbom.cdx.json")).expect("JSON");
    assert_eq!(sbom["metadata"]["component"]["version"], json!(VERSION));
    let parts = sbom["components"].as_array().expect("parts");
    assert_eq!(parts.len() + 1, inside, "the bill and the licences name the same");
    let locked = locked();
    for part in parts {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = format!("{} {}", word(&part["name"]), word(&part["version"]));
        let sum = part["hashes"][0]["content"].as_str().map(str::to_owned);
        assert_eq!(locked.get(&name), Some(&sum), "{name}");
        assert!(!word(&part["licenses"][0]["expression"]).is_empty(), "{name}");
    }
}

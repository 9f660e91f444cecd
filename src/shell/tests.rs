//! The promises of the classifier, read from `fixtures/commands` and `fixtures/bypass`.

use proptest::prelude::*;

use super::*;

const ORDINARY: &str = include_str!("../../fixtures/commands/ordinary.tsv");
const LOOKS: &str = include_str!("../../fixtures/commands/looks.tsv");
const ATTEMPTS: &str = include_str!("../../fixtures/bypass/attempts.tsv");
const LOOKALIKES: &str = include_str!("../../fixtures/bypass/lookalikes.tsv");

/// The rows of a fixture: a class and a command with `\n` and `\t` written out.
fn rows(fixture: &str) -> impl Iterator<Item = (&str, String)> {
    fixture.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (class, command) = line.split_once('\t').expect("class<TAB>command");
        (class, command.replace("\\n", "\n").replace("\\t", "\t"))
    })
}

fn effect(name: &str) -> Effect {
    match name {
        "read" => Effect::Read,
        "runs-code" => Effect::RunsCode,
        "write" => Effect::Write,
        "git-write" => Effect::GitWrite,
        "network" => Effect::Network,
        "outward" => Effect::Outward,
        "unknown" => Effect::Unknown,
        other => panic!("no class is called {other}"),
    }
}

/// The class of a fixture and what it wants beside it: `runs-code+test`.
fn wanted(class: &str) -> (Effect, Vec<&str>) {
    let mut words = class.split('+');
    (effect(words.next().expect("a class")), words.collect())
}

fn shows(reading: &Reading, sign: &str) -> bool {
    match sign {
        "test" => is_test_run(reading),
        "packages" => reading.is(Tag::PackageManager),
        "formatter" => reading.is(Tag::Formatter),
        "elevated" => reading.is(Tag::Elevated),
        "taint" => reading.is(Tag::Taint),
        "seed" => reading.found.iter().any(|found| found.seed),
        "own" => reading.found.iter().any(|found| found.own_state),
        "persons" => reading.found.iter().any(|found| found.persons),
        other => panic!("no sign is called {other}"),
    }
}

#[test]
fn ordinary_commands_get_exactly_their_class() {
    let mut wrong = Vec::new();
    for (class, command) in rows(ORDINARY) {
        let reading = read(&command);
        let (worst, signs) = wanted(class);
        if reading.worst() != worst {
            wrong.push(format!(
                "{command:?}: {:?}, not {worst:?}: {:?}",
                reading.worst(),
                reading.why()
            ));
        }
        for sign in ["test", "packages", "formatter", "own", "persons"] {
            if shows(&reading, sign) != signs.contains(&sign) {
                wrong.push(format!("{command:?}: `{sign}` is {}", shows(&reading, sign)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn attempts_reach_at_least_their_class() {
    let mut wrong = Vec::new();
    for (class, command) in rows(ATTEMPTS) {
        let reading = read(&command);
        let (least, signs) = wanted(class);
        if reading.worst() < least {
            wrong.push(format!("{command:?}: only {:?}, not {least:?}", reading.worst()));
        }
        for sign in signs.into_iter().filter(|sign| !shows(&reading, sign)) {
            wrong.push(format!("{command:?}: `{sign}` is missing"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lines_that_only_look_pass_as_looking() {
    let refused = |(_, command): &(&str, String)| {
        let reading = read(command);
        reading.worst() > Effect::Read || reading.forbidden().is_some()
    };
    let wrong: Vec<String> = rows(LOOKS).filter(refused).map(|(_, command)| command).collect();
    assert!(wrong.is_empty(), "{} refused:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_line_that_only_seems_to_look_passes_as_looking() {
    let mut wrong = Vec::new();
    for (class, command) in rows(LOOKALIKES) {
        let reading = read(&command);
        let stopped = match class {
            "not-read" => reading.worst() > Effect::Read,
            "own" => reading.forbidden().is_some(),
            other => panic!("no class is called {other}"),
        };
        if !stopped {
            wrong.push(format!("{command:?} is not {class}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn code_on_the_line_shows_what_it_writes() {
    let cases: &[(&str, &[&str])] = &[
        ("python3 -c 'open(\"a\", \"w\")'", &["a"]),
        ("cd src && python3 - <<'EOF'\nopen('a', 'w')\nEOF", &["src/a"]),
        ("echo 'open(\"a\", \"w\")' | python3", &["a"]),
        ("python3 -c 'import os; os.system(\"rm a\")'", &["a"]),
        ("node -e 'require(\"fs\").writeFileSync(\"a\", \"x\")'", &["a"]),
        ("perl -e 'unlink \"a\"'", &["a"]),
        ("awk '{print > \"a\"}' b", &["a"]),
        ("awk '{print | \"cat > a\"}' b", &["a"]),
        ("awk 'BEGIN{system(\"rm a\")}'", &["a"]),
        ("awk '$1 > \"a\"' b", &[]),
        ("python3 -c 'print(open(\"a\").read())'", &[]),
        ("python3 tool.py a", &[]),
    ];
    for (command, expected) in cases {
        let reading = read(command);
        let paths: Vec<&str> =
            reading.found.iter().flat_map(|found| &found.paths).map(String::as_str).collect();
        assert_eq!(paths, *expected, "{command}");
    }
}

#[test]
fn a_path_that_ends_in_a_slash_stands_for_more_than_itself() {
    for command in [
        ". refs/seed/x/",
        "cat .git/seed/",
        "rm -r .git/seed/",
        "x .git/hooks/",
        "D=.git; at $D/seed/",
    ] {
        let reading = read(command);
        assert!(reading.forbidden().is_some(), "{command}");
        for found in &reading.found {
            let open = found.paths.iter().any(|path| path.ends_with('/'));
            assert!(found.dynamic || !open, "{command}: {found:?}");
        }
    }
}

#[test]
fn what_two_readers_read_differently_is_not_granted() {
    for words in [r"' '\$' \'", r#"x\$"y""#, r"\$'a'", r"-m a\$'b\'"] {
        let line = format!("git seed status {words}");
        assert_eq!(seed_command(&line), None, "{line}");
    }
    for words in [r"costs\$5", r#""costs \$5""#, r"'$5'"] {
        assert!(seed_command(&format!("git seed status {words}")).is_some(), "{words}");
    }
}

#[test]
fn several_commands_and_what_shows_a_part_of_them_are_one_line() {
    for (line, commands, filters) in [
        ("git seed status", 1, 0),
        ("git seed status && git-seed phase current", 2, 0),
        ("git seed status 2>&1", 1, 0),
        ("git seed status 2>&1 | head -5", 1, 1),
        ("git seed status|tail -n 20", 1, 1),
        ("git seed status | cat && git seed log | head --lines=3", 2, 2),
        ("git seed phase advance -F - <<'END' && git seed status\nDone.\nEND", 2, 0),
        ("git seed phase advance -F - <<'END' | tail -3\nDone.\nEND", 1, 1),
    ] {
        let read = seed_line(line).unwrap_or_else(|| panic!("not granted: {line}"));
        assert_eq!((read.commands.len(), read.filters.len()), (commands, filters), "{line}");
    }
    for line in [
        "git seed status &&",
        "&& git seed status",
        "git seed status && ls",
        "ls && git seed status",
        "git seed status || git seed log",
        "git seed status; git seed log",
        "git seed status & git seed log",
        "git seed status |& cat",
        "git seed status | head file",
        "git seed status | cat -A",
        "git seed status | tail -f",
        "git seed status | head -5 | cat",
        "git seed status | tee x",
        "git seed status |",
        "git seed status 2>&1 more",
        "git seed status 2>&1x",
        "git seed status 2>x",
        "git seed status > x",
        "git seed status | head 2>&1",
        "git seed status | cat <<'END'\nx\nEND",
        "git seed a <<'A' && git seed b <<'B'\nx\nA\ny\nB",
        "git seed off -m x && git seed status",
        "git seed exec -- ls && git seed status",
        "FOO=1 git seed status && git seed log",
    ] {
        assert_eq!(seed_line(line), None, "{line}");
    }
}

#[test]
fn a_patch_that_a_shell_is_given_names_what_it_writes() {
    let patch =
        |files: &str| format!("apply_patch <<'END'\n*** Begin Patch\n{files}*** End Patch\nEND");
    for (line, paths) in [
        (patch("*** Add File: docs/a.md\n+x\n"), vec!["docs/a.md"]),
        (patch("*** Update File: src/a.rs\n@@\n-a\n+b\n"), vec!["src/a.rs"]),
        (
            patch("*** Update File: a\n*** Move to: b/c\n@@\n-a\n+b\n*** Delete File: d\n"),
            vec!["a", "b/c", "d"],
        ),
        (format!("cd src && {}", patch("*** Add File: a.rs\n+x\n")), vec!["src/a.rs"]),
        ("apply_patch '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch'".into(), vec!["a"]),
    ] {
        let reading = read(&line);
        assert_eq!(reading.worst(), Effect::Write, "{line}: {reading:?}");
        let mut found: Vec<&str> =
            reading.found.iter().flat_map(|found| &found.paths).map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, paths, "{line}");
    }
    let state = read(&patch("*** Add File: .git/seed/x\n+x\n"));
    assert!(state.forbidden().is_some(), "{state:?}");
    for line in [
        "apply_patch",
        "apply_patch < x.patch",
        "cat x.patch | apply_patch",
        "apply_patch \"$(cat x.patch)\"",
        "apply_patch <<END\n*** Begin Patch\n*** Add File: $X\n+x\n*** End Patch\nEND",
        // What it gets is another text than the line shows.
        "cat x.patch | apply_patch 3<<'END'\n*** Begin Patch\n*** Add File: a\n+x\nEND",
        "cat x.patch | apply_patch 3<<<'*** Add File: a'",
        "apply_patch <<END\n*** Add File: a\n+x\n$(cat more)\nEND",
        "apply_patch <<END\n*** Add File: a\n+x\n*** Add Fi\\\nle: ../b\n+x\nEND",
    ] {
        let worst = read(line).worst();
        assert_eq!(worst, Effect::Unknown, "{line}");
    }
    let line = "apply_patch 0<<'END'\n*** Add File: a\n+x\nEND";
    assert_eq!(read(line).worst(), Effect::Write, "the standard input by its number");
}

#[test]
fn a_document_on_another_descriptor_is_no_script() {
    for shell in ["bash", "sh -s", "python3 -"] {
        let decoy = read(&format!("cat x | {shell} 3<<'END'\nls\nEND"));
        let piped = read(&format!("cat x | {shell}"));
        assert_eq!(decoy.worst(), piped.worst(), "{shell}");
    }
}

#[test]
fn what_exec_runs_is_judged_and_confined() {
    let reading = read("git seed exec -- sh -c 'rm a; echo x > b' > c");
    let confined = |path: &str| {
        let holds = |found: &&Found| found.paths.iter().any(|named| named == path);
        reading.found.iter().find(holds).expect("it is found").confined
    };
    assert_eq!((confined("a"), confined("b"), confined("c")), (true, true, false));
    assert!(reading.found.iter().any(|found| found.seed && !found.persons && !found.confined));
    assert!(read("git seed exec -- git seed off -m x").forbidden().is_some());
    assert!(read("git seed exec -- cat .git/seed/x").forbidden().is_some());
    assert_eq!(read("git-seed exec -- git commit -m x").worst(), Effect::GitWrite);
    assert_eq!(read("git seed --json exec ls").worst(), Effect::Read);
    for line in ["git seed exec -- ls", "git seed exec ls", "git seed exec"] {
        assert_eq!(seed_command(line), None, "{line}");
    }
}

#[test]
fn targets_of_writes_are_named_from_where_the_line_began() {
    let cases: &[(&str, &[&str], bool)] = &[
        ("echo a > src/a.rs", &["src/a.rs"], false),
        ("echo a >> 'my file' 2>/dev/null", &["my file"], false),
        ("cat x &> out.log", &["out.log"], false),
        ("cp a b dir/", &["dir/a", "dir/b"], false),
        ("cp -t dir a b", &["dir/a", "dir/b"], false),
        ("cp a.md /var/tmp/", &["/var/tmp/a.md"], false),
        ("cp x/a.md .", &["./a.md"], false),
        ("cp a b dir", &["dir/a", "dir/b"], false),
        ("cp *.md dir/", &["dir/"], true),
        ("cp -r . dir/", &["dir/"], true),
        ("mv x dir/", &["x", "dir/x"], false),
        ("mv a b", &["a", "b"], false),
        ("rm -rf build *.o", &["build", "./"], true),
        ("rm -rf build/", &["build"], false),
        ("rm src/parser/*.o", &["src/parser/"], true),
        ("rm src/*/../../x", &[], true),
        ("mkdir -p src/{a,b}", &["src/a", "src/b"], false),
        ("mkdir -p src/{a,\"b c\"}/x", &["src/a/x", "src/b c/x"], false),
        ("touch ~/x", &[], true),
        ("sed -i.bak 's/a/b/' x.rs y.rs", &["x.rs", "y.rs"], false),
        ("sed -i -e 's/a/b/' x.rs", &["x.rs"], false),
        ("perl -pi -e 's/a/b/' x.rs", &["x.rs"], false),
        ("tee a b < c", &["a", "b"], false),
        ("dd if=a of=b bs=1", &["b"], false),
        ("chmod +x run.sh", &["run.sh"], false),
        ("chmod -x run.sh", &["run.sh"], false),
        ("chmod -w a b", &["a", "b"], false),
        ("chmod -rwx a", &["a"], false),
        ("chmod -R -x a", &["a"], false),
        ("chmod -Rv 755 a", &["a"], false),
        ("chmod --reference=b a", &["a"], false),
        ("chown -R me a", &["a"], false),
        ("chattr -i a", &["a"], false),
        ("chattr -c a", &["a"], false),
        ("chattr -P a", &["a"], false),
        ("chattr -R -f +i a", &["a"], false),
        ("chattr -p 7 =i a", &["a"], false),
        ("chmod -c 755 a", &["a"], false),
        ("setfacl -b a", &["a"], false),
        ("setfacl -m u:me:rw a", &["a"], false),
        ("sort -o out in", &["out"], false),
        ("curl -so page.html https://example.org", &["page.html"], false),
        ("tar xzf a.tgz -C dir", &["dir/"], true),
        ("echo a > $OUT", &[], true),
        ("find . -name '*.o' -delete", &["./"], true),
        ("find src/parser -name '*.orig' -delete", &["src/parser/"], true),
        ("find src/parser ! -name x -exec rm {} +", &["src/parser/"], true),
        ("find $X -delete", &[], true),
        ("find src -name '*.o' | xargs rm", &["src/"], true),
        ("find . -name '*.o' | sort | head -5 | xargs -I{} rm {}", &["./"], true),
        ("grep -rl foo src/parser | xargs sed -i s/a/b/", &["src/parser/"], true),
        ("rg -l foo | xargs sed -i s/a/b/", &["./"], true),
        ("git ls-files 'src/*.rs' | xargs touch", &["src/"], true),
        ("ls lib | xargs rm", &["./"], true),
        ("ls src/parser/*.o | xargs rm", &["src/parser/"], true),
        ("cat list | xargs rm", &[], true),
        ("for f in src/*.rs; do sed -i s/a/b/ \"$f\"; done", &["src/"], true),
        ("for f in src/*.rs; do cp $f $f.bak; done", &[], true),
        ("for f in src/*.rs; do f=a; rm $f; done", &[], true),
        ("for f in $(find src -name x); do rm $f; done", &["src/"], true),
        ("find src -name x | while read -r f; do rm \"$f\"; done", &["src/"], true),
        ("rm $(git ls-files src)", &["src/"], true),
        ("rm $(cat list)", &[], true),
        ("echo a > $PWD/x", &["./x"], false),
        ("cd src && echo a > \"$PWD/x\"", &["src/./x"], false),
        ("PWD=/a; echo a > $PWD/x", &["/a/x"], false),
        ("ln a b", &["a", "b"], false),
        ("ln -s a b", &["b"], false),
        ("ln a b dir/", &["a", "b", "dir/a", "dir/b"], false),
        ("cp -l a b", &["a", "b"], false),
        ("link a b", &["a", "b"], false),
        ("ln -s ../x src/l && echo a > src/l", &["src/l", "src/l", "src/../x"], false),
        ("ln -s ../lib src/l; echo a > src/l/x", &["src/l", "src/l/x", "src/../lib/x"], false),
        ("ln -s lib/ l; echo a > l", &["l", "l", "lib"], false),
        ("rm l && ln -s lib l", &["l", "l"], false),
        ("ln -s lib l; mv a l", &["l", "a", "l", "lib"], false),
        ("ln -s lib l; rm -r l/", &["l", "l", "lib"], false),
        ("rm -r a", &["a"], false),
        ("mv a b c/", &["a", "b", "c/a", "c/b"], false),
        ("cp -r a b", &["b"], false),
        ("X=rm; $X a", &["a"], false),
        ("X='rm a'; eval $X", &["a"], false),
        ("echo 'rm a' | sh", &["a"], false),
        ("trap 'rm a' EXIT", &["a"], false),
        ("alias l='rm a'", &["a"], false),
        ("git -c alias.x='!rm a' x", &["a"], false),
        ("gzip a", &["a"], false),
        ("unzip x.zip -d a", &["a/"], true),
        ("unzip x.zip", &["./"], true),
        ("zip a.zip b c", &["a.zip"], false),
        ("ed -s a", &["a"], false),
        ("vim -es -c '1d' -c wq a", &["a"], false),
        ("git seed exec -- rm a", &["a"], false),
        ("find src -execdir touch x \\;", &[], true),
        ("cd src/parser && touch x", &["src/parser/x"], false),
        ("cd src/parser && sed -i s/a/b/ lex.rs", &["src/parser/lex.rs"], false),
        ("cd src/parser && echo a > x && ls", &["src/parser/x"], false),
        ("cd src && cd ../lib && touch x", &["lib/x"], false),
        ("cd src && find . -name x -delete", &["src/"], true),
        ("cd src && touch /tmp/x", &["/tmp/x"], false),
        ("cd src || exit 1; touch x", &["src/x"], false),
        ("cd src; touch x", &["x", "src/x"], false),
        ("cd src\ntouch x", &["x", "src/x"], false),
        ("(cd src && touch a); touch b", &["src/a", "b"], false),
        ("cd src | ls; touch x", &["x"], false),
        ("cd $X && touch y", &[], true),
        ("cd $X && touch /tmp/y", &["/tmp/y"], false),
        ("cd - && touch y", &[], true),
        ("go() { cd src; }; go; touch y", &[], true),
        ("while cd a; do touch x; done", &["x", "a/x"], true),
        ("if cd a; then touch x; fi; touch y", &["x", "a/x", "y", "a/y"], false),
        ("env -C src touch x", &["src/x"], false),
        ("git -C src restore a.rs", &["src/a.rs"], false),
        ("f=src/parser/z.rs; echo x > $f", &["src/parser/z.rs"], false),
        ("d=src; touch \"$d/a.rs\" ${d}/b.rs", &["src/a.rs", "src/b.rs"], false),
        ("d=src; cd $d && touch x", &["src/x"], false),
        ("export f=a; g=$f.rs; rm $g", &["a.rs"], false),
        ("f=/dev/null; echo x > $f", &[], false),
        ("f=a; f=b; rm $f", &["a", "b"], false),
        ("f='a b'; rm $f", &[], true),
        ("f=a; f+=b; rm $f", &["a", "ab"], false),
        ("f=a; while x; do f+=b; done; rm $f", &[], true),
        ("for i in 1 2; do f+=a; done; rm $f", &[], true),
        ("f=a; read f; rm $f", &[], true),
        ("f=a rm $f", &[], true),
        ("(f=a); rm $f", &[], true),
        ("for f in a.rs b.rs; do sed -i s/x/y/ $f; done", &["a.rs", "b.rs"], false),
        ("for f in *.rs; do rm $f; done", &["./"], true),
        ("tmp=$(mktemp); echo x > $tmp", &[], true),
        ("git ls-files | xargs rm", &["./"], true),
        ("git restore --staged src", &["src"], false),
        ("echo a > ~+/x", &["./x"], false),
        ("pushd src; popd; echo a > x", &["x", "src/x"], false),
        ("flock lib/l true", &["lib/l"], false),
        ("flock 9 true", &[], true),
        ("mktemp -p lib", &["lib"], true),
        ("ar rc lib/x.a a.o", &["lib/x.a"], false),
        ("gcc -O2 -fno-common -o lib/x a.c", &["lib/x"], false),
        ("openssl rand -out lib/x 4", &["lib/x"], false),
        ("ctags -f lib/tags src", &["lib/tags"], true),
        ("gpg -o lib/x -d a.gpg", &["lib/x"], false),
        ("gpg --output=lib/x -d a.gpg", &["lib/x"], false),
        ("git format-patch -1", &["./"], true),
        ("git format-patch -1 -o out", &["out/"], true),
        ("git unpack-file HEAD:a", &["./"], true),
        ("GIT_TRACE=$PWD/x git log -1", &["./x"], false),
        ("X=of=a; dd if=b $X", &["a"], false),
        ("git checkout HEAD~1 -- src/a.rs", &["src/a.rs"], false),
    ];
    for (command, paths, dynamic) in cases {
        let reading = read(command);
        assert_eq!(reading.writes().collect::<Vec<_>>(), *paths, "{command}");
        assert_eq!(reading.found.iter().any(|found| found.dynamic), *dynamic, "{command}: dynamic");
    }
}

#[test]
fn no_path_holds_what_is_not_resolved() {
    for (_, command) in rows(ORDINARY).chain(rows(ATTEMPTS)) {
        for found in read(&command).found {
            for path in &found.paths {
                assert!(!path.contains(['$', '`', '*', '?']), "{command:?}: {path:?}");
                assert!(!path.ends_with('/') || found.dynamic, "{command:?}: {path:?}");
            }
        }
    }
}

#[test]
fn seed_commands_that_only_look_are_told_apart() {
    let cases = [
        ("git seed status", false, true),
        // What it stands for may be an option that changes something.
        ("git seed show \"$X\"", false, false),
        ("git seed status --multiplier 3", false, false),
        ("git seed --multiplier=3 status", false, false),
        ("git seed help", false, true),
        ("git seed phase advance --help", false, true),
        ("git seed --version", false, true),
        ("git seed -h", false, true),
        ("git -C x seed -C y status", false, true),
        ("git seed phase advance", false, false),
        ("git seed doctor --fix", false, false),
        ("git seed doctor $X", false, false),
        ("git seed $X", true, false),
        ("git seed init", true, false),
        ("git seed tour", true, false),
        ("git seed man --to x", true, false),
    ];
    for (command, persons, looks) in cases {
        let reading = read(command);
        let found = reading.found.iter().find(|found| found.seed).expect("a seed command");
        assert_eq!((found.persons, found.looks), (persons, looks), "{command}");
    }
}

#[test]
fn git_verbs_come_with_the_flags_that_guards_ask_for() {
    use GitFlag as F;
    let cases: &[(&str, &str, &[GitFlag])] = &[
        ("git commit -m 'a'", "commit", &[]),
        ("git commit -m -n", "commit", &[]),
        ("git commit -am x --no-verify", "commit", &[F::NoVerify]),
        ("git commit -nm x", "commit", &[F::NoVerify]),
        ("git commit --no-veri", "commit", &[F::NoVerify]),
        ("git -C sub commit --amend --no-edit", "commit", &[F::Amend]),
        ("git -c core.hooksPath=/dev/null commit -m x", "commit", &[F::HooksPath, F::Taint]),
        ("git -c core.hookspath= commit -m x", "commit", &[F::HooksPath, F::Taint]),
        ("GIT_DIR=/tmp/x git commit -m x", "commit", &[F::Taint]),
        ("env GIT_DIR=/tmp/x git commit -m x", "commit", &[F::Taint]),
        ("git config core.hooksPath x", "config", &[F::HooksPath]),
        ("git push -f origin main", "push", &[F::Force]),
        ("git push origin +main :old", "push", &[F::Force, F::Delete]),
        ("git push --mirror", "push", &[F::Mirror]),
        ("git reset --hard HEAD~1", "reset", &[F::Hard]),
        ("git reflog expire --all", "reflog", &[F::Prune]),
        ("git gc --prune=now", "gc", &[F::Prune]),
        ("git log -1", "log", &[]),
        ("git frobnicate", "frobnicate", &[]),
    ];
    for (command, verb, flags) in cases {
        let reading = read(command);
        let verbs: Vec<_> =
            reading.git_verbs().map(|git| (git.verb.as_str(), git.flags.as_slice())).collect();
        assert_eq!(verbs, [(*verb, *flags)], "{command}");
    }
}

#[test]
fn a_line_too_long_too_deep_or_broken_is_unknown() {
    let cases = [
        format!("echo {}", "a".repeat(LONGEST)),
        "ls \0".to_owned(),
        "ls 'open".to_owned(),
        "if true; then ls".to_owned(),
        "( ".repeat(40),
        format!("{}ls{}", "( ".repeat(30), " )".repeat(30)),
        format!("{}ls{}", "case a in a) ".repeat(20), " ;; esac".repeat(20)),
        format!("echo {}", "$(".repeat(30)),
        format!("{}ls", "coproc ".repeat(8_000)),
        format!("[[ {}a ]]", "! ".repeat(20_000)),
        "abcdefghij"
            .chars()
            .flat_map(|a| "abcdefghij".chars().map(move |b| format!("{a}{b}=x; ")))
            .collect(),
        "ls 99999999999>x".to_owned(),
        "ls ~99999999999999999999".to_owned(),
    ];
    for command in cases {
        let start: String = command.chars().take(30).collect();
        assert_eq!(read(&command).worst(), Effect::Unknown, "{start}");
    }
}

#[test]
fn a_refusal_can_name_the_piece_that_shows_it() {
    let reading = read("cd src && ls -la && rm -rf 'a b' | cat");
    assert_eq!(reading.why().map(|found| found.part.as_str()), Some("rm -rf 'a b'"));
}

fn quoted(command: &str) -> String {
    format!("'{}'", command.replace('\'', r"'\''"))
}

#[test]
fn no_wrapper_lowers_the_class() {
    let simple = |command: &&(&str, String)| !command.1.contains('\n');
    let all: Vec<_> = rows(ORDINARY).chain(rows(ATTEMPTS)).collect();
    for (_, command) in all.iter().filter(simple) {
        let bare = read(command).worst();
        let wrapped = [
            format!("env {command}"),
            format!("nohup {command}"),
            format!("timeout 5 {command}"),
            format!("sudo {command}"),
            format!("nice -n 5 {command}"),
            format!("bash -c {}", quoted(command)),
            format!("sh -lc {}", quoted(command)),
            format!("eval {}", quoted(command)),
            format!("( {command} )"),
            format!("$( {command} )"),
            format!("echo \"$( {command} )\""),
            format!("true && {command}"),
            format!("for i in 1 2; do {command}; done"),
            format!("cat <( {command} )"),
            format!("x() {{ {command}; }}; x"),
        ];
        for line in wrapped {
            let worst = read(&line).worst();
            assert!(worst >= bare, "{line:?} is {worst:?}, bare {bare:?}");
        }
    }
}

/// Shell-like text: the bytes that matter, words that are known, and anything.
#[test]
fn what_stands_behind_a_program_that_runs_it_is_judged() {
    for line in [
        "unshare -Ur git seed off",
        "unshare -pf --mount-proc sh -c 'git seed off'",
        "strace -f -o /tmp/log git-seed off -m x",
        "chrt 5 git seed off",
        "su -c 'git seed off' me",
        "script -qec 'git seed off' /dev/null",
        "runuser -u me -- git seed off",
        "setpriv --no-new-privs git seed off",
    ] {
        let found = read(line).found;
        assert!(found.iter().any(|one| one.persons && !one.no_command), "{line}: {found:?}");
        assert_eq!(read(line).worst(), Effect::Unknown, "{line}");
    }
    for line in ["chroot . rm a", "numactl -N 0 rm a", "prlimit --nofile=9 rm a", "nsenter rm a"] {
        let reading = read(line);
        assert!(reading.writes().any(|path| path == "a"), "{line}: {:?}", reading.found);
    }
}

fn shellish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ \\t\\n'\"$`\\\\(){}<>|&;#~!*?=\\[\\],.:+-]{1,4}",
        prop::sample::select(vec![
            "git ",
            "seed ",
            "bash -c ",
            "<<EOF\n",
            "\nEOF\n",
            "$(",
            "${x:-",
            "if ",
            "then ",
            "fi",
            "case ",
            "in ",
            "esac",
            "2>&1",
            "find . -exec ",
            "sed -i ",
            "awk ",
            "xargs ",
            "eval ",
            "~9",
            "99999999999",
            "[[ ",
            " ]]",
            "$((",
            "))",
            "é",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(command in shellish()) {
        read(&command);
        seed_command(&command);
    }

    #[test]
    fn nothing_foreign_panics(command in any::<String>()) {
        read(&command);
        seed_command(&command);
    }

    #[test]
    fn what_is_granted_is_one_open_seed_command_for_the_reader_too(
        words in prop::collection::vec(
            prop_oneof![
                "[a-z$`;'\" \\\\|-]{1,6}",
                prop::sample::select(vec!["&&", "git seed log", "| head -5", "2>&1", "| cat", "|"])
                    .prop_map(str::to_owned),
            ],
            0..5,
        )
    ) {
        let command = format!("git seed status {}", words.join(" "));
        if let Some(line) = seed_line(&command) {
            let reading = read(&command);
            let ours = reading.found.iter().filter(|found| found.seed && !found.persons).count();
            prop_assert_eq!(ours, line.commands.len(), "{}", command);
            let rest = reading.found.iter().filter(|found| !found.seed);
            prop_assert!(rest.into_iter().all(|found| found.effect == Effect::Read), "{}", command);
        }
        if seed_command(&command).is_some() {
            let reading = read(&command);
            prop_assert_eq!(reading.found.len(), 1, "{}", command);
            prop_assert!(reading.found[0].seed && !reading.found[0].persons);
        }
    }

    #[test]
    fn no_read_command_stays_one_with_a_write_behind_it(
        row in prop::sample::select(rows(ORDINARY).filter(|(class, _)| *class == "read")
            .map(|(_, command)| command).collect::<Vec<_>>())
    ) {
        let worst = read(&format!("{row}\nrm -rf src")).worst();
        prop_assert!(worst >= Effect::Write, "{}", row);
    }
}

//! Repositories whose git directory is not called `.git`: one that stands apart, a worktree of a
//! bare repository, a submodule. What is git seed's there is closed as anywhere, and `doctor` sees
//! that hooks refuse.

use super::world::World;

/// How each is made, and where its git directory lies from the work tree.
const LAYOUTS: [(&str, &str); 3] = [
    ("git init -q -b main --separate-git-dir ../apart .", "../apart"),
    (
        "git init -q --bare ../bare.git && cd ../bare.git && \
         git update-ref refs/heads/main $(git commit-tree -m none $(git mktree < /dev/null)) && \
         git worktree add -q ../repo main",
        "../bare.git",
    ),
    (
        "git init -q -b main ../lib && git -C ../lib commit -q --allow-empty -m lib && cd .. && \
         rmdir repo && git init -q -b main . && \
         git -c protocol.file.allow=always submodule add -q ./lib repo && git commit -q -m outer",
        "../.git/modules/repo",
    ),
];

#[test]
fn words_that_lead_into_its_state_are_refused_and_the_doctor_sees_it() {
    for (init, git_dir) in LAYOUTS {
        let world = World::with(init).installed();
        let real = world.path(git_dir).canonicalize().expect("it is there");
        let real = real.to_string_lossy();
        for line in [
            format!("cat {real}/seed/journal/main"),
            format!("cat {git_dir}/seed/journal/main"),
            format!("cd {git_dir} && ls seed"),
            format!("cd {git_dir}/refs; head -c 40 seed/meta"),
            format!("grep -r x '{git_dir}/seed'"),
            format!("echo {} && cat {git_dir}/seed/journal/main", "a b c d e ".repeat(200)),
            format!("ls seed; cd {git_dir}; ls seed"),
            format!("wc -c < {real}/refs/seed/meta"),
        ] {
            world.runs(&line).refuses("belongs to git seed");
        }
        // What is git's is read as anywhere, and so is what only sounds like ours.
        world.puts("seed/journal/main", "no state\n");
        world.runs(&format!("cat {git_dir}/config seed/journal/main")).passes();
        let told = world.person("doctor").said().out;
        assert!(told.contains("ok  host"), "{init}: {told}");
        assert!(!told.contains("NO  host"), "{init}: {told}");
    }
}

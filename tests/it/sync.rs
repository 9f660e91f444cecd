//! `git seed sync`: two clones, real servers of each kind, servers that say no or nothing, and what
//! a hostile one may hold.

use std::time::{Duration, Instant};

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::{Value, json};

use super::servers::{Daemon, Server, bare};
use super::world::{CODE, Said, World, message};

/// A machine with a job under way, whose `origin` is a bare repository that has its branch.
pub(super) fn machine() -> World {
    let world = World::prompted();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    pushes_branch(&world, "../hub.git");
    world
}

fn pushes_branch(world: &World, to: &str) {
    world.git(&format!("-c core.hooksPath=/dev/null push -q {to} HEAD:refs/heads/main"));
}

/// A second machine, in `dir` beside the first, cloned from `url`.
pub(super) fn second(world: &World, dir: &str, url: &str) {
    world.sh(&format!(
        "cd .. && git clone -q --no-local -b main {url} {dir} 2>&1 && cd {dir} && git seed init && \
         git config seed.owner \"$(cd ../repo && git config --get-all seed.owner | tail -n 1)\""
    ));
}

/// A line of the person's at the second machine.
pub(super) fn there(world: &World, dir: &str, line: &str) -> Said {
    world.tries(&format!("cd ../{dir} && {line}"))
}

/// What a sync says as JSON.
pub(super) fn synced(world: &World, arguments: &str) -> Value {
    let said = world.tries(&format!("git seed sync {arguments} --json"));
    assert_eq!(said.code, 0, "{said:?}");
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
}

pub(super) fn synced_there(world: &World, dir: &str, arguments: &str) -> Value {
    let said = there(world, dir, &format!("git seed sync {arguments} --json"));
    assert_eq!(said.code, 0, "{said:?}");
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
}

/// The owner by a path: whoever runs this.
fn me(world: &World) -> String {
    format!("uid/{}", world.sh("id -u").trim())
}

pub(super) fn agreed(world: &World) -> String {
    format!("--owner {}", me(world))
}

fn refs_of(world: &World, dir: &str) -> String {
    world.git(&format!(
        "-C {dir} for-each-ref --format='%(objectname) %(refname)' refs/seed refs/notes"
    ))
}

/// The refs of ours below `dir` that are merged both ways.
pub(super) fn merged(world: &World, dir: &str) -> Vec<String> {
    let kept = |line: &&str| {
        let name = line.split(' ').nth(1).unwrap_or_default();
        name.starts_with("refs/seed/jobs/")
            || ["refs/seed/archive", "refs/seed/claims", "refs/notes/seed"].contains(&name)
    };
    refs_of(world, dir).lines().filter(kept).map(str::to_owned).collect()
}

#[test]
fn the_first_sync_asks_and_only_a_yes_sends() {
    let world = machine();
    for answer in ["", "\n", "n\n", "no\n", "please\n"] {
        let said = world.person("sync").stdin(answer).refuses("nobody agreed to sync with");
        assert!(said.contains("../hub.git") && said.contains(&me(&world)), "{said}");
        assert_eq!(refs_of(&world, "../hub.git"), "", "{answer:?}");
        assert_eq!(world.tries("git config seed.owner").code, 1);
    }
    world.person("sync").stdin("y\n").succeeds();
    assert_eq!(world.git("config --local --get-all seed.owner"), me(&world));
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    world.person("sync").tells("same     1 job");
    assert_eq!(
        world.git("config --get-regexp 'remote..*'"),
        "remote.origin.url ../hub.git\n\
        remote.origin.fetch +refs/heads/*:refs/remotes/origin/*",
        "no refspec of ours"
    );
}

#[test]
fn a_shared_init_asks_once_whether_pushes_take_jobs_along() {
    let switch = "git config --local --get seed.syncOnPush";
    let world = machine();
    let asks = "can take along the jobs that their commits belong to";
    for quiet in ["init", "init --shared --json"] {
        let said = world.person(quiet).stdin("y\n").said();
        assert!(!said.err.contains(asks), "{quiet}: {said:?}");
    }
    // Nobody says anything: it is asked again.
    for answer in ["", "n\n"] {
        let said = world.person("init --shared").stdin(answer).said();
        assert!(said.err.contains(asks) && said.err.contains(&me(&world)), "{said:?}");
    }
    assert_eq!(world.sh(switch).trim(), "false");
    let said = world.person("init --shared").stdin("y\n").said();
    assert!(!said.err.contains(asks), "{said:?}");
    assert_eq!(world.sh(switch).trim(), "false", "the answer stands");
    world.git("config --unset seed.syncOnPush");
    let said = world.person("init --shared").stdin("yes\n").said();
    assert!(said.err.contains("git config --unset seed.syncOnPush"), "{said:?}");
    assert_eq!(world.sh(switch).trim(), "true");
    assert_eq!(world.git("config --local --get-all seed.owner"), me(&world));
    // Where the clone syncs with somebody else, it is not offered.
    world.git("config --unset seed.syncOnPush");
    world.git("config seed.owner github.com/ada");
    let said = world.person("init --shared").stdin("y\n").said();
    assert!(!said.err.contains(asks), "{said:?}");
    assert_eq!(world.tries(switch).code, 1);
}

#[test]
fn many_jobs_go_at_once_and_nothing_else_goes_with_them() {
    let world = machine();
    let all = "for n in $(seq 40); do git seed job create \"job $n\" -m \"one of many, $n\"; done";
    world.sh(all);
    // What stands beside the jobs is none, and stays: it would take the person's commits along.
    world.git("update-ref refs/seed/jobs/mine HEAD");
    world.person(&format!("sync {}", agreed(&world))).fails("set aside  mine: ");
    let pushed = |said: &Value| {
        let jobs = said["jobs"].as_array().expect("a list").iter();
        jobs.filter(|one| one["result"] == "pushed").count()
    };
    assert!(!refs_of(&world, "../hub.git").contains("jobs/mine"));
    world.git("update-ref -d refs/seed/jobs/mine");
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    // Some are new, one is closed, one grows, the others stay as they are.
    let mine = world.job();
    let ids = world.sh("git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs");
    let other = ids.lines().find(|id| **id != mine).expect("one of many");
    world.sh(&all.replace("40", "35"));
    world.person(&format!("job drop {other} -m 'not any more'")).succeeds();
    world.seed("phase advance").succeeds();
    assert_eq!(pushed(&synced(&world, "")), 37);
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    // More are new than stay: they go from the copies of what is there, one of which was closed.
    let third = world.sh("git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs");
    let third = third.lines().find(|id| **id != mine).expect("one of many").to_owned();
    world.sh(&all.replace("40", "90"));
    world.person(&format!("job drop {third} -m 'nor this'")).succeeds();
    let before = refs_of(&world, "../hub.git");
    // A server that takes none of it leaves the copies as they were.
    world.sh("printf '#!/bin/sh\\nexit 1\\n' > ../hub.git/hooks/pre-receive && \
              chmod +x ../hub.git/hooks/pre-receive");
    let copies = copies_of(&world);
    world.person("sync").fails("hook declined");
    assert_eq!(copies_of(&world), copies);
    assert_eq!(refs_of(&world, "../hub.git"), before);
    world.sh("rm ../hub.git/hooks/pre-receive");
    assert_eq!(pushed(&synced(&world, "")), 91);
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
}

/// The copies of what the remote has.
fn copies_of(world: &World) -> String {
    world.git("for-each-ref --format='%(refname) %(objectname)' refs/seed-remote")
}

#[test]
fn copies_that_a_kill_left_ahead_of_the_remote_are_set_right() {
    let world = machine();
    let all = "for n in $(seq 40); do git seed job create \"job $n\" -m \"one of many, $n\"; done";
    synced(&world, &agreed(&world));
    world.sh(all);
    // Killed between its copies and its push: they tell of jobs that nobody has there.
    let mine = world.job();
    world.sh(&format!(
        "git for-each-ref --format='create refs/seed-remote/origin/jobs/%(refname:lstrip=3) \
         %(objectname)' refs/seed/jobs | grep -v {mine} | git update-ref --stdin"
    ));
    let said = synced(&world, "");
    let jobs = said["jobs"].as_array().expect("a list").iter();
    assert_eq!(jobs.filter(|one| one["result"] == "pushed").count(), 40);
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
}

#[test]
fn a_job_that_went_there_between_look_and_push_is_looked_at_again() {
    let world = machine();
    world.sh("git seed job create rests -m 'one that rests'");
    let mine = world.job();
    let ids = world.sh("git for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs");
    let rests = ids.lines().find(|id| **id != mine).expect("the one that rests");
    synced(&world, &agreed(&world));
    world.sh("for n in $(seq 40); do git seed job create \"job $n\" -m \"one of many, $n\"; done");
    // The server loses a job that stays, once, as by a push of another clone.
    world.sh(&format!(
        "printf '#!/bin/sh\\ntest -e ../lost || git -C \"$1\" update-ref -d refs/seed/jobs/{rests}\
         \\n>../lost\\nexec git-receive-pack \"$@\"\\n' > ../takes && chmod +x ../takes && \
         git config remote.origin.receivepack \"$PWD/../takes\""
    ));
    let said = synced(&world, "");
    assert_eq!(said["rounds"], 2, "the push was to be all or nothing: {said}");
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
}

#[test]
fn no_other_owner_gets_anything() {
    let world = machine();
    let other = world.person("sync --owner github.com/eve").refuses("belongs to");
    assert!(other.contains(&me(&world)), "{other}");
    synced(&world, &agreed(&world));
    world.git("remote add elsewhere https://github.invalid/eve/lexer.git");
    world.person("sync elsewhere").refuses("elsewhere belongs to github.invalid/eve");
    // An alias that leads elsewhere is seen, and so is what it is written as.
    world.git("config url.https://github.invalid/eve/.insteadOf ../hub");
    world.person("sync").refuses("origin belongs to github.invalid/eve");
    world.git("config --unset url.https://github.invalid/eve/.insteadOf");
    world.git("remote set-url --push origin git@github.invalid:eve/lexer.git");
    world.person("sync").refuses("origin belongs to github.invalid/eve");
}

#[test]
fn a_job_of_one_machine_is_known_on_the_other() {
    let world = machine();
    let job = world.job();
    let first = synced(&world, &agreed(&world));
    assert_eq!(first["jobs"], json!([{"id": job, "result": "pushed", "rejected": []}]));
    let told = json!([&first["remote"], &first["transport"], &first["owner"], &first["rounds"]]);
    assert_eq!(told, json!(["origin", "refs", me(&world), 1]));
    assert_eq!((&first["texts"], &first["rules"]), (&json!(false), &json!("same")));
    second(&world, "b", "hub.git");
    let came = synced_there(&world, "b", "");
    assert_eq!(came["jobs"][0]["result"], "new", "{came}");
    assert_eq!(came["state"], first["state"]);
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    // It is named by its prompt, which stays: not even its head goes.
    let list = there(&world, "b", "git seed job list").out;
    let tail = job.rsplit('-').next().expect("a tail");
    assert!(list.contains(&format!("job {tail}")) && !list.contains("lexer"), "{list}");
    let words = there(&world, "b", "git seed verify --json").out;
    assert!(words.contains("\"withheld\""), "{words}");
    // It goes on here, and is seen there.
    world.seed("phase advance").succeeds();
    assert_eq!(synced(&world, "")["jobs"][0]["result"], "pushed");
    let came = synced_there(&world, "b", "");
    assert_eq!(came["jobs"][0]["result"], "pulled", "{came}");
    assert_eq!(came["state"], synced(&world, "")["state"]);
}

#[test]
fn nothing_new_costs_one_look() {
    let world = machine();
    synced(&world, &agreed(&world));
    let before = refs_of(&world, ".");
    world.sh("GIT_TRACE=$PWD/../trace git seed sync");
    let trace = world.sh("cat ../trace");
    let ran = |command: &str| trace.matches(&format!("built-in: git {command}")).count();
    assert_eq!((ran("ls-remote"), ran("fetch"), ran("push")), (1, 0, 0), "{trace}");
    assert_eq!(refs_of(&world, "."), before);
}

/// A push into a clone where somebody works would move the job under them.
#[test]
fn a_clone_with_a_job_in_focus_is_no_remote() {
    let world = machine();
    second(&world, "c", "repo");
    let before = refs_of(&world, ".");
    let said = there(&world, "c", &format!("git seed sync {}", agreed(&world)));
    assert!(said.code == 2 && said.err.contains("a clone with a job in focus"), "{said:?}");
    assert_eq!(refs_of(&world, "."), before);
    // What it names goes: a file there and back.
    world.person("sync --to ../jobs.bundle").succeeds();
    let said = there(&world, "c", "git seed sync --from ../jobs.bundle");
    assert_eq!(said.code, 0, "{said:?}");
    // Nobody works there any more.
    world.person("job pause").succeeds();
    let said = there(&world, "c", &format!("git seed sync {}", agreed(&world)));
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_dry_run_moves_nothing() {
    let world = machine();
    let before = refs_of(&world, ".");
    let said = synced(&world, "--dry-run");
    assert_eq!(said["jobs"][0]["result"], "pushed");
    let told = world.person("sync --dry-run").succeeds();
    assert!(told.contains("to push ") && !told.contains("pushed  "), "{told}");
    assert_eq!((refs_of(&world, "../hub.git"), refs_of(&world, ".")), (String::new(), before));
    assert_eq!(world.tries("git config seed.owner").code, 1, "nothing went out, nobody was asked");
}

#[test]
fn where_it_goes_is_told_or_not_guessed() {
    let world = World::prompted();
    world.person("sync").refuses("no remote to sync with");
    world.person("sync nowhere").ends(64, "there is no remote `nowhere`");
    world.seed("sync").refuses("BLOCKED");
    for name in ["one", "two"] {
        bare(world.root(), &format!("{name}.git"));
        world.git(&format!("remote add {name} ../{name}.git"));
    }
    world.person("sync").refuses("not clear which remote is meant: one, two");
    let owner = agreed(&world);
    world.person(&format!("sync one {owner}")).refuses("one has no branch yet");
    assert_eq!(refs_of(&world, "../one.git"), "");
    pushes_branch(&world, "../two.git");
    world.git("config remote.pushDefault two");
    assert_eq!(synced(&world, &owner)["remote"], "two");
    world.git("config branch.main.pushRemote one");
    world.person("sync").refuses("one has no branch yet");
}

#[test]
fn it_works_over_a_daemon_and_over_http() {
    let world = machine();
    let root = world.root().to_owned();
    for name in ["daemon.git", "http.git"] {
        bare(&root, name);
        world.git(&format!("-C ../{name} config http.receivepack true"));
        pushes_branch(&world, &format!("../{name}"));
    }
    let (daemon, http) = (Daemon::over(&root), Server::http(&root));
    for (name, url) in [("d", daemon.url("daemon.git")), ("h", http.url("http", "http.git"))] {
        world.git(&format!("remote add {name} {url}"));
        let owner = url.split("//").nth(1).expect("a host");
        let said = synced(&world, &format!("{name} --owner {owner}"));
        assert_eq!(said["jobs"][0]["result"], "pushed", "{said}");
        second(&world, name, &url);
        let came = synced_there(&world, name, "");
        assert_eq!((&came["jobs"][0]["result"], &came["state"]), (&json!("new"), &said["state"]));
        assert_eq!(merged(&world, &format!("../{name}")), merged(&world, "."));
    }
}

#[test]
fn a_server_that_never_answers_is_left_in_time() {
    let world = machine();
    let silent = Server::silent();
    for scheme in ["git", "http"] {
        let url = silent.url(scheme, "x.git");
        let owner = url.split("//").nth(1).expect("a host").to_owned();
        world.git(&format!("remote add {scheme} {url}"));
        let began = Instant::now();
        world
            .person(&format!("sync {scheme} --owner {owner} --timeout 1"))
            .fails("did not answer within 1 s");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
    world.git("remote add gone ../gone.git");
    world.person("sync gone").fails("../gone.git");
}

#[test]
fn a_server_that_hides_our_refs_takes_them_in_a_branch() {
    let world = machine();
    world.git("-C ../hub.git config receive.hideRefs refs/seed");
    let said = world.person(&format!("sync {}", agreed(&world))).fails("does not take refs/seed/");
    assert!(said.contains("hidden ref") && said.contains("sync --transport branch"), "{said}");
    let first = synced(&world, "--transport branch");
    assert_eq!((&first["transport"], &first["rounds"]), (&json!("branch"), &json!(1)));
    assert_eq!(world.git("for-each-ref refs/heads/git-seed"), "", "no branch here");
    let message = world.git("-C ../hub.git log -1 --format=%s git-seed");
    assert!(message.ends_with("[skip ci]"), "{message}");
    let file = world.git("-C ../hub.git show git-seed:refs");
    assert!(file.contains(&format!(" refs/seed/jobs/{}", world.job())), "{file}");
    second(&world, "b", "hub.git");
    let came = synced_there(&world, "b", "--transport branch");
    assert_eq!((&came["jobs"][0]["result"], &came["state"]), (&json!("new"), &first["state"]));
    // It is remembered, on both sides, and grows by plain commits.
    let tip = world.git("-C ../hub.git rev-parse git-seed");
    world.seed("phase advance").succeeds();
    assert_eq!(synced(&world, "")["transport"], "branch");
    assert_eq!(world.git(&format!("-C ../hub.git rev-parse git-seed~{}", 1)), tip);
    assert_eq!(synced_there(&world, "b", "")["jobs"][0]["result"], "pulled");
    world.git("-C ../hub.git fsck --no-dangling");
    let before = world.git("-C ../hub.git rev-parse git-seed");
    synced(&world, "");
    assert_eq!(world.git("-C ../hub.git rev-parse git-seed"), before, "nothing new, no commit");
}

#[test]
fn a_hook_of_the_server_is_quoted_and_not_tried_again() {
    let world = machine();
    let hook = world.root().join("hub.git/hooks/pre-receive");
    let text = "#!/bin/sh\necho tried >> ../tries\necho 'only branches here' >&2\nexit 1\n";
    std::fs::write(&hook, text).expect("written");
    world.sh("chmod +x ../hub.git/hooks/pre-receive");
    let said = world.person(&format!("sync {}", agreed(&world))).fails("only branches here");
    assert!(said.contains("--transport branch"), "{said}");
    assert_eq!(world.sh("cat ../tries"), "tried\n");
    assert_eq!(refs_of(&world, "../hub.git"), "");
}

/// A hook of the server in which somebody else moves a ref between our look and our push.
fn somebody_pushes(world: &World, times: u32) {
    let chain = format!("refs/seed/jobs/{}", world.job());
    let steps = world.git(&format!("log --reverse --first-parent --format=%H {chain}"));
    let steps: Vec<&str> = steps.lines().collect();
    world.git(&format!("-C ../hub.git config seed.steps '{}'", steps.join(" ")));
    world.git("-c core.hooksPath=/dev/null push -q ../hub.git refs/seed/jobs/*:refs/seen/*");
    let hook = format!(
        "#!/bin/sh\n[ \"$(wc -l < ../tries)\" -lt {times} ] || exit 0\necho tried >> ../tries\n\
         n=$(wc -l < ../tries)\n\
         env -u GIT_QUARANTINE_PATH -u GIT_OBJECT_DIRECTORY -u GIT_ALTERNATE_OBJECT_DIRECTORIES \
         git update-ref {chain} $(git config seed.steps | cut -d' ' -f$n)\n"
    );
    std::fs::write(world.root().join("hub.git/hooks/pre-receive"), hook).expect("written");
    world.sh("chmod +x ../hub.git/hooks/pre-receive && : > ../tries");
}

#[test]
fn a_lost_race_is_run_again_three_times_in_all() {
    let world = World::seeded();
    world.to("plan");
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    pushes_branch(&world, "../hub.git");
    somebody_pushes(&world, 2);
    let said = synced(&world, &agreed(&world));
    assert_eq!(said["rounds"], 3);
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    let chain = format!("refs/seed/jobs/{}", world.job());
    world.git(&format!("-C ../hub.git update-ref -d {chain}"));
    somebody_pushes(&world, 3);
    world.person("sync").fails("somebody else pushed to origin first, 3 times");
}

#[test]
fn what_a_hostile_remote_holds_is_named_and_left() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let hub = "git -C ../hub.git";
    let blob = world.sh(&format!("echo text | {hub} hash-object -w --stdin"));
    let tree = world.git("rev-parse HEAD^{tree}");
    let head = world.git("rev-parse HEAD");
    let ids = ["20261121t205612-aaaa", "20261121t205612-bbbb"];
    world.sh(&format!("{hub} update-ref refs/seed/jobs/{} {}", ids[0], blob.trim()));
    world.sh(&format!("{hub} update-ref refs/seed/jobs/{} {tree}", ids[1]));
    for name in ["no-id", "a/b", "20261121t205612-cccc/deeper"] {
        world.sh(&format!("{hub} update-ref refs/seed/jobs/{name} {head}"));
    }
    world.sh(&format!("{hub} symbolic-ref refs/seed/keep/x refs/heads/main"));
    world.sh(&format!("{hub} update-ref refs/seed/ops {head}"));
    world.sh(&format!("{hub} update-ref refs/seed/notes {head}"));
    let said = there(&world, "b", "git seed sync --json");
    assert_eq!(said.code, 1, "{said:?}");
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(told["jobs"][0]["result"], "new", "the sound job came: {told}");
    for name in [ids[0], ids[1], "no-id", "a/b", "20261121t205612-cccc/deeper"] {
        assert!(said.err.contains(&format!("{name}: ")), "{name}: {}", said.err);
    }
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    let copies = world.git("-C ../b for-each-ref --format='%(refname)' refs/seed-remote");
    for name in ["ops", "keep", "a/b"] {
        assert!(!copies.contains(name), "{copies}");
    }
    assert!(copies.contains(ids[0]), "it stays below refs/seed-remote: {copies}");
    assert_eq!(there(&world, "b", "git fsck --no-dangling").code, 0);
}

/// A ref of the hub in the place of one of ours, or in the way of one.
fn leads_to(world: &World, name: &str, id: &str) {
    let of = name.strip_suffix("/x").unwrap_or(name);
    world.sh(&format!(
        "cd ../hub.git && git for-each-ref --format='%(refname)' {of} | \
         xargs -r -n1 git update-ref -d && git update-ref {name} {id}"
    ));
}

/// Whatever kind of object a ref of ours leads to there, and whatever name hinders git from
/// keeping one: it is named with what removes it, and all else goes and comes.
#[test]
fn no_ref_of_the_remote_stops_all_others() {
    let world = machine();
    world.puts("seed.toml", "[sync]\nprompts = true\n");
    world.person("rules apply").succeeds();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    assert_eq!(there(&world, "b", "git seed rules apply --from origin").code, 0);
    let blob = world.sh("echo x | git -C ../hub.git hash-object -w --stdin").trim().to_owned();
    let tree = world.git("rev-parse HEAD^{tree}");
    let head = world.git("rev-parse HEAD");
    world.git("tag -a -m x v1");
    world.git("-c core.hooksPath=/dev/null push -q origin v1");
    let tag = world.git("rev-parse v1");
    let job = format!("refs/seed/jobs/{}", world.job());
    let odd = [
        ("refs/notes/seed", &blob),
        ("refs/seed/meta", &blob),
        ("refs/seed/texts", &tree),
        ("refs/seed/rules", &tag),
        ("refs/seed/claims", &tag),
        ("refs/seed/archive", &blob),
        (&*job, &blob),
        ("refs/seed/archive/x", &head),
        ("refs/seed/rules/x", &head),
        ("refs/notes/seed/x", &head),
    ];
    for (n, (name, id)) in odd.into_iter().enumerate() {
        leads_to(&world, name, id);
        world.person(&format!("job create more{n} -m 'one more thing to do'")).succeeds();
        let said = world.person("sync").fails(&format!("git push origin --delete {name}"));
        assert!(!said.contains("somebody else"), "{name}: {said}");
        assert!(said.contains("set aside"), "{name}: {said}");
        let here = world.git("for-each-ref --format='%(refname) %(objectname)' refs/seed/jobs");
        let hub = world.git("-C ../hub.git for-each-ref --format='%(refname) %(objectname)'");
        for line in here.lines().filter(|line| !line.starts_with(&job)) {
            assert!(hub.contains(line), "{name}: {line} did not go: {hub}");
        }
        let said = there(&world, "b", "git seed sync");
        assert!(said.code == 1 && said.err.contains(&format!("--delete {name}")), "{said:?}");
        // What it names removes it, and each clone sends its own again.
        world.git(&format!("-c core.hooksPath=/dev/null push -q origin --delete {name}"));
        synced(&world, "");
        synced_there(&world, "b", "");
        assert_eq!(merged(&world, "../b"), merged(&world, "."), "{name}");
    }
}

/// A ref that is locked at the server is no push of somebody else's.
#[test]
fn a_ref_that_the_server_cannot_write_is_named() {
    let world = machine();
    synced(&world, &agreed(&world));
    world.seed("phase advance").succeeds();
    let job = format!("refs/seed/jobs/{}", world.job());
    std::fs::write(world.root().join(format!("hub.git/{job}.lock")), "").expect("written");
    let said = world.person("sync").fails(&job);
    assert!(!said.contains("somebody else") && said.contains("does not take"), "{said}");
}

#[test]
fn a_newer_format_is_not_taken() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let meta = "format = 99\nmin-reader = 99\nmin-writer = 99\n";
    world.sh(&format!(
        "cd ../hub.git && printf '{meta}' > ../meta && \
         blob=$(git hash-object -w ../meta) && \
         tree=$(printf '100644 blob %s\\tmeta.toml\\n' $blob | git mktree) && \
         git update-ref refs/seed/meta $(git commit-tree -m newer $tree)"
    ));
    let before = (refs_of(&world, "../b"), refs_of(&world, "../hub.git"));
    let said = there(&world, "b", "git seed sync");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("has format 99"), "{said:?}");
    assert_eq!((refs_of(&world, "../b"), refs_of(&world, "../hub.git")), before);
    let copies = world.git("-C ../b for-each-ref --format='%(refname)' refs/seed-remote");
    assert_eq!(copies, "refs/seed-remote/origin/meta");
}

#[test]
fn a_bundle_carries_what_is_merged() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let bundled = synced(&world, "--to ../jobs.bundle");
    let heads = world.git("bundle list-heads ../jobs.bundle");
    assert!(heads.contains(&world.job()) && !heads.contains("meta"), "{heads}");
    world.sh("head -c 300 ../jobs.bundle > ../torn.bundle && : > ../empty.bundle");
    for file in ["torn", "empty", "none"] {
        let said = there(&world, "b", &format!("git seed sync --from ../{file}.bundle"));
        assert_eq!(said.code, 1, "{said:?}");
    }
    let came = synced_there(&world, "b", "--from ../jobs.bundle");
    assert_eq!(came["transport"], "bundle");
    assert_eq!((&came["jobs"][0]["result"], &came["state"]), (&json!("new"), &bundled["state"]));
    let said = there(&world, "b", "git seed sync --from ../jobs.bundle");
    assert!(said.code == 0 && said.out.contains("same     1 job"), "{said:?}");
}

#[test]
fn a_sync_is_undone_by_its_refs_and_comes_again() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let bare = merged(&world, "../b");
    synced_there(&world, "b", "");
    let came = merged(&world, "../b");
    assert_ne!(came, bare);
    let undo = |line: &str| {
        let said = there(&world, "b", line);
        assert_eq!(said.code, 0, "{line}: {said:?}");
    };
    undo("git seed undo");
    let job = |refs: &[String]| refs.iter().filter(|line| line.contains("/jobs/")).count();
    assert_eq!((job(&merged(&world, "../b")), job(&came)), (0, 1));
    undo("git seed redo");
    assert_eq!(merged(&world, "../b"), came);
    undo("git seed undo");
    assert_eq!(synced_there(&world, "b", "")["jobs"][0]["result"], "new");
    assert_eq!(merged(&world, "../b"), came, "no step was made");
    // What was pulled goes back to where it stood.
    world.seed("phase advance").succeeds();
    synced(&world, "");
    synced_there(&world, "b", "");
    undo("git seed undo");
    assert_eq!(merged(&world, "../b"), came);
    assert_eq!(synced_there(&world, "b", "")["state"], synced(&world, "")["state"]);
}

/// Words that were taken away behind a sync stay away, whoever undoes the sync: of an open job, of
/// a closed one, and on the way over several operations.
#[test]
fn no_undo_of_a_sync_brings_back_what_was_redacted_behind_it() {
    let world = machine();
    let job = world.job();
    world.person("job create other -m 'another thing to do'").succeeds();
    let all = world.git("for-each-ref --format='%(refname:lstrip=3)' refs/seed/jobs");
    let other = all.lines().find(|id| **id != job).expect("two jobs").to_owned();
    world.person(&format!("job drop {other} -m later")).succeeds();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let at = |line: &str| there(&world, "b", line);
    for (id, undo) in [(&job, "git seed undo"), (&other, "git seed undo -n 1")] {
        let said = at(&format!("git seed job redact {id}"));
        assert_eq!(said.code, 0, "{said:?}");
        let before = merged(&world, "../b");
        let said = at(undo);
        assert!(said.code == 2 && said.err.contains("were taken away since"), "{said:?}");
        assert_eq!(merged(&world, "../b"), before);
    }
    // Another machine's own comes again with the next sync, so it hinders none.
    synced_there(&world, "b", "");
    synced(&world, "");
    world.person("undo").succeeds();
    synced(&world, "");
    let shown = world.json(&format!("job show {job}"));
    assert_eq!(shown["interactions"][0]["redacted"], json!(true), "{shown}");
}

/// Where only the other machine has the words, they are named all the same.
#[test]
fn a_machine_without_the_words_takes_them_away_all_the_same() {
    let world = machine();
    let job = world.job();
    world.prompt("and the words of the second prompt");
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let said = there(&world, "b", &format!("git seed job redact {job}"));
    assert!(said.code == 0 && !said.out.contains(" 0 texts"), "{said:?}");
    // A second time nothing is left to name.
    let said = there(&world, "b", &format!("git seed job redact {job}"));
    assert!(said.code == 0 && said.out.contains(" 0 texts"), "{said:?}");
    synced_there(&world, "b", "");
    synced(&world, "");
    let shown = world.json(&format!("job show {job}"));
    for entry in shown["interactions"].as_array().expect("a list") {
        assert_eq!((&entry["text"], &entry["redacted"]), (&Value::Null, &json!(true)), "{shown}");
    }
    let words = "git cat-file --batch-all-objects --batch | grep -ac 'the second prompt'";
    assert_eq!(world.tries(words).out.trim(), "0");
}

#[test]
fn rules_come_as_a_proposal_and_go_where_they_are_ahead() {
    let world = machine();
    world.puts("seed.toml", "[claims]\nmode = \"advise\"\n");
    world.person("rules apply").succeeds();
    assert_eq!(synced(&world, &agreed(&world))["rules"], "pushed");
    second(&world, "b", "hub.git");
    let said = there(&world, "b", "git seed rules diff --from origin");
    assert!(said.code == 2 && said.err.contains("no rules were fetched"), "{said:?}");
    assert_eq!(synced_there(&world, "b", "")["rules"], "proposal");
    assert_eq!(world.git("-C ../b for-each-ref refs/seed/rules"), "", "nothing is in force by it");
    let said = there(&world, "b", "git seed rules diff --from origin");
    assert!(said.out.contains("advise"), "{said:?}");
    assert_eq!(there(&world, "b", "git seed rules apply --from origin").code, 0);
    assert_eq!(synced_there(&world, "b", "")["rules"], "same");
    // The second machine changes them: what is there is what it had once.
    let apply = "printf '[claims]\\nmode = \"enforce\"\\n' > seed.toml && git seed rules apply";
    assert_eq!(there(&world, "b", apply).code, 0);
    assert_eq!(synced_there(&world, "b", "")["rules"], "pushed");
    assert_eq!(synced(&world, "")["rules"], "proposal");
    let in_force = world.person("rules show").succeeds();
    assert!(in_force.contains("advise"), "{in_force}");
}

#[test]
fn only_what_is_meant_to_travels() {
    let world = machine();
    world.to("observe");
    world.reads(CODE).passes();
    let head = world.git("rev-parse HEAD");
    world.git(&format!("update-ref refs/seed/keep/20261121t205612-aaaa {head}"));
    world.git(&format!("update-ref refs/seed/texts {head}"));
    world.git("tag v1");
    world.git("config push.followTags true");
    world.git("config remote.origin.push refs/heads/*:refs/heads/*");
    world.git("branch secret");
    synced(&world, &agreed(&world));
    let names = world.git("-C ../hub.git for-each-ref --format='%(refname)'");
    for name in names.lines() {
        let known = ["refs/heads/main", "refs/notes/seed", "refs/seed/claims", "refs/seed/meta"];
        assert!(known.contains(&name) || name.starts_with("refs/seed/jobs/"), "{name}");
    }
}

#[test]
fn a_push_takes_along_what_its_commits_belong_to_where_a_person_set_it_so() {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    pushes_branch(&world, "../hub.git");
    world.git("fetch -q origin");
    world.to("plan");
    world.git("push -q origin HEAD:refs/heads/work");
    assert_eq!(refs_of(&world, "../hub.git"), "", "no push sends anything by itself");
    world.git("config seed.syncOnPush true");
    let pushes = |line: &str| {
        let said = world.tries(&format!("git push -q origin {line}"));
        assert_eq!(said.code, 0, "{said:?}");
        said.err
    };
    world.git("update-ref -d refs/remotes/origin/work");
    let told = pushes("HEAD:refs/heads/second");
    assert!(told.contains("git seed did not send along: jobs"), "nobody agreed: {told}");
    synced(&world, &agreed(&world));
    world.to("execute");
    assert_eq!(pushes("HEAD:refs/heads/third"), "");
    let chain = format!("refs/seed/jobs/{}", world.job());
    let stands = |dir: &str| world.git(&format!("-C {dir} rev-parse {chain}"));
    assert_eq!(stands("../hub.git"), stands("."));
    let head = world.git("rev-parse HEAD");
    let note = |dir: &str| world.git(&format!("-C {dir} notes --ref=seed show {head}"));
    assert_eq!(note("../hub.git"), note("."));
    assert_eq!(synced(&world, "")["rounds"], 1, "the notes of both are joined");
    // What cannot go is told in one line, and the push goes on.
    let (silent, began) = (Server::silent(), Instant::now());
    world.git(&format!("remote add slow {}", silent.url("git", "x.git")));
    world.git("remote set-url --push slow ../hub.git");
    let told = world.tries("git push -q slow HEAD:refs/heads/fourth");
    assert_eq!(told.code, 0, "{told:?}");
    let lines: Vec<&str> = told.err.lines().collect();
    assert_eq!(lines.len(), 1, "{told:?}");
    assert!(lines[0].contains("did not answer within 5 s"), "{told:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn a_yes_to_pushes_is_one_to_the_remote_that_was_named() {
    let world = World::seeded();
    for bare_one in ["hub.git", "other.git"] {
        bare(world.root(), bare_one);
        pushes_branch(&world, &format!("../{bare_one}"));
    }
    world.git("remote add origin ../hub.git");
    world.git("remote add other ../other.git");
    world.git("remote add twin ../hub.git");
    world.git("fetch -q --all");
    world.person("init --shared").stdin("y\n").said();
    world.to("plan");
    let pushes = |line: &str| {
        let said = world.tries(&format!("git push -q {line}"));
        assert_eq!(said.code, 0, "{said:?}");
        said.err
    };
    let left = "git seed did not send along: jobs; git seed sync other does\n";
    assert_eq!(pushes("other HEAD:refs/heads/one"), left);
    assert_eq!(pushes("../other.git HEAD:refs/heads/two"), "");
    // Where a branch is pushed by itself changes nothing of it.
    world.git("config branch.main.pushRemote other");
    assert_eq!(pushes("other HEAD:refs/heads/three"), "");
    world.git("update-ref -d refs/remotes/other/three");
    world.git("update-ref -d refs/remotes/other/one");
    assert_eq!(pushes("other HEAD:refs/heads/four"), left);
    assert_eq!(refs_of(&world, "../other.git"), "");
    // The same repository by another name is the same.
    assert_eq!(pushes("twin HEAD:refs/heads/five"), "");
    let chain = format!("refs/seed/jobs/{}", world.job());
    assert!(refs_of(&world, "../hub.git").contains(&chain));
    // A name that leads elsewhere by now is another remote.
    world.git("remote set-url origin ../other.git");
    world.sh("git for-each-ref --format='delete %(refname)' refs/remotes | git update-ref --stdin");
    let told = pushes("origin HEAD:refs/heads/six");
    assert!(told.contains("git seed did not send along: jobs"), "{told}");
    assert_eq!(refs_of(&world, "../other.git"), "");
    world.person("uninstall").succeeds();
    assert_eq!(world.tries("git config --local --get-regexp '^seed[.]'").code, 1);
}

#[test]
fn a_switch_that_is_set_by_hand_is_for_the_remote_that_is_synced_with() {
    let world = machine();
    bare(world.root(), "other.git");
    pushes_branch(&world, "../other.git");
    world.git("remote add other ../other.git");
    world.git("fetch -q --all");
    synced(&world, &agreed(&world));
    world.git("config seed.syncOnPush true");
    world.to("plan");
    let told = world.tries("git push -q other HEAD:refs/heads/work");
    assert!(told.code == 0 && told.err.contains("did not send along: jobs"), "{told:?}");
    assert_eq!(refs_of(&world, "../other.git"), "");
    let before = refs_of(&world, "../hub.git");
    let told = world.tries("git push -q origin HEAD:refs/heads/work");
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    assert_ne!(refs_of(&world, "../hub.git"), before);
}

/// A job in the small lane, from its prompt to its end, with one commit in `file`.
fn a_small_job(world: &World, file: &str) -> String {
    world.prompt(&format!("Say a word more in {file}"));
    let job = world.job();
    world.to("condense");
    world.works("condense");
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    job
}

#[test]
fn a_push_takes_a_closed_job_along_and_no_other_one() {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    let first = a_small_job(&world, CODE);
    pushes_branch(&world, "../hub.git");
    synced(&world, &agreed(&world));
    let base = world.git("rev-parse HEAD");
    let job = a_small_job(&world, CODE);
    world.git("config seed.syncOnPush true");
    let pushes = |to: &str, told: &str| {
        world.sh("git for-each-ref --format='delete %(refname)' refs/remotes | \
                  git update-ref --stdin");
        world.git("fetch -q origin main:refs/remotes/origin/main");
        let said = world.tries(&format!("git push -q origin HEAD:refs/heads/{to}"));
        assert_eq!((said.code, said.err.trim_end()), (0, told), "{said:?}");
    };
    pushes("work", "");
    let sent = refs_of(&world, "../hub.git");
    assert!(sent.contains(&format!(" refs/seed/jobs/{job}")), "{sent}");
    assert!(!sent.contains(&first), "{sent}");
    let files = "ls-tree -r --name-only refs/seed/archive";
    let archived = world.git(&format!("-C ../hub.git {files}"));
    assert!(archived.contains(&first) && !archived.contains(&job), "{archived}");
    // A reviewer's machine finds the edges of what went out, and the records.
    let verifies = |branch: &str| {
        world.sh(&format!(
            "rm -rf ../ci && git clone -q --depth 30 -b {branch} \"file://$PWD/../hub.git\" ../ci"
        ));
        let fetch = "git fetch -q --no-tags origin '+refs/seed/*:refs/seed-remote/origin/*' \
                     '+refs/notes/seed*:refs/seed-remote/origin/notes*'";
        assert_eq!(there(&world, "ci", fetch).code, 0);
        there(&world, "ci", &format!("git seed verify --ci {base}..HEAD --json"))
    };
    let said = verifies("work");
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["broken"], json!([]), "{said:?}");
    let why = json["not_measured"].to_string();
    assert!(!why.contains("chain") && !why.contains("fetched"), "{said:?}");
    // Once more: what is there stays as it is.
    pushes("again", "");
    assert_eq!(refs_of(&world, "../hub.git"), sent);
    // Behind a job that stays here, records stay as well, and nobody calls that broken.
    world.git("checkout -q -b private");
    let private = a_small_job(&world, CODE);
    world.git("checkout -q main");
    let third = a_small_job(&world, CODE);
    pushes("third", "git seed did not send along: records; git seed sync origin does");
    let sent = refs_of(&world, "../hub.git");
    assert!(sent.contains(&third) && !sent.contains(&private), "{sent}");
    let said = verifies("third");
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &json["broken"]), (3, &json!([])), "{said:?}");
    assert!(said.out.contains("no such record was fetched"), "{said:?}");
    // A clone that comes before this one syncs; then all is put away, here and there.
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let doctor = there(&world, "b", "git seed doctor");
    assert!(!doctor.out.contains("closed but not archived"), "{doctor:?}");
    assert_eq!(synced(&world, "")["state"], synced_there(&world, "b", "")["state"]);
    // What a landing adds to a job that is in the archive there goes by its own ref again.
    world.person("land").succeeds();
    let told = world.tries("git push -q origin main-landed").err;
    assert_eq!(told, "");
    assert!(refs_of(&world, "../hub.git").contains(&format!(" refs/seed/jobs/{third}")));
    synced_there(&world, "b", "");
    let rows = there(&world, "b", "git seed job list").out;
    assert!(!rows.contains("more job"), "{rows}");
    assert_eq!(synced(&world, "")["state"], synced_there(&world, "b", "")["state"]);
    assert_eq!(merged(&world, "../hub.git"), merged(&world, "."));
    assert_eq!(merged(&world, "../b"), merged(&world, "."));
    assert_eq!(world.git("-C ../hub.git for-each-ref refs/seed/jobs"), "");
    // In the archive there it goes no more.
    let before = refs_of(&world, "../hub.git");
    pushes("fourth", "");
    assert_eq!(refs_of(&world, "../hub.git"), before);
}

#[test]
fn notes_of_megabytes_stay_below_their_remote_and_are_named() {
    let world = machine();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let notes = |dir: &str| world.tries(&format!("git -C {dir} rev-parse refs/notes/seed"));
    let before = notes("../b").out;
    // One line, many lines, and two commits: what is there is looked at before it is taken.
    for big in [
        "head -c 3000000 /dev/zero | tr '\\0' x",
        "seq 1 300000 | sed 's/$/ a line of somebody/'",
        "head -c 1048577 /dev/zero | tr '\\0' y",
    ] {
        world.sh(&format!(
            "cd ../hub.git && {big} > ../big && git notes --ref=seed add -f -F ../big main"
        ));
        let said = there(&world, "b", "git seed sync");
        assert_eq!(said.code, 1, "{said:?}");
        let named = said.out.contains("refs/notes/seed") || said.err.contains("refs/notes/seed");
        assert!(named && format!("{said:?}").contains("a note has 1048576 at most"), "{said:?}");
        assert_eq!(notes("../b").out, before);
        let fetched = world.git("-C ../b for-each-ref refs/seed-remote/origin/notes");
        assert!(!fetched.is_empty(), "it is kept apart");
    }
    // Jobs go on.
    world.seed("phase advance").succeeds();
    world.tries("git seed sync");
    assert_eq!(there(&world, "b", "git seed sync").code, 1);
    let step = |dir: &str| world.git(&format!("-C {dir} for-each-ref refs/seed/jobs"));
    assert_eq!(step("../b"), step("."));
    // Once it is gone there, all is as before; a large one that is none of these comes in.
    world.sh("cd ../hub.git && head -c 900000 /dev/zero | tr '\\0' z > ../big && \
              git notes --ref=seed add -f -F ../big main");
    assert_eq!(synced(&world, "")["state"], synced_there(&world, "b", "")["state"]);
}

#[test]
fn uninstall_leaves_nothing_of_it() {
    let world = machine();
    let before = world.sh("git config --local --list");
    synced(&world, &agreed(&world));
    synced(&world, "--transport branch");
    world.git("config seed.syncOnPush true");
    world.person("uninstall").succeeds();
    assert_eq!(world.git("for-each-ref refs/seed-remote refs/seed refs/notes"), "");
    let after = world.sh("git config --local --list");
    let ours = |line: &&str| line.to_lowercase().contains("seed");
    assert_eq!(after.lines().filter(ours).count(), 0, "{before}\n{after}");
}

/// Places of texts in a repository beside this one.
fn texts(world: &World, dir: &str) -> String {
    let list = "rev-parse -q --verify refs/seed/texts > /dev/null || exit 0; git -C";
    world.sh(&format!("git -C {dir} {list} {dir} ls-tree -r --name-only refs/seed/texts"))
}

/// Words go along by rule alone. What is redacted on one machine goes with the next sync of each,
/// and one that was away meanwhile brings none of it back.
#[test]
fn words_travel_by_rule_and_a_redaction_takes_them_from_everywhere() {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    world.puts("seed.toml", "[sync]\nprompts = true\n");
    world.git("add seed.toml");
    world.git("commit -qm rules");
    world.person("rules apply").succeeds();
    pushes_branch(&world, "../hub.git");
    world.prompt("Teach the walrus to count");
    let job = world.job();
    assert_eq!(synced(&world, &agreed(&world))["texts"], json!(true));
    for dir in ["b", "c"] {
        second(&world, dir, "hub.git");
        assert_eq!(there(&world, dir, "git seed rules apply").code, 0);
        synced_there(&world, dir, "");
        assert!(there(&world, dir, "git seed job list").out.contains("walrus"), "{dir}");
        // Lines of the journal stay where they were written.
        assert_eq!(texts(&world, &format!("../{dir}")), texts(&world, "../hub.git"));
        let of_here = texts(&world, ".");
        assert!(texts(&world, &format!("../{dir}")).lines().all(|text| of_here.contains(text)));
    }
    world.person(&format!("job redact {job}")).succeeds();
    synced(&world, "");
    for dir in ["b", "c"] {
        assert!(texts(&world, &format!("../{dir}")).contains(&job), "{dir} was away");
        synced_there(&world, dir, "");
        let all = format!("git -C ../{dir} cat-file --batch-all-objects --batch | grep -ac walrus");
        assert_eq!(world.tries(&all).out.trim(), "0", "{dir}: no object holds a word of it");
        let verified = there(&world, dir, "git seed verify --json").out;
        assert!(verified.contains("\"redacted\":"), "{verified}");
    }
    for dir in [".", "../hub.git", "../b", "../c"] {
        assert!(!texts(&world, dir).contains(&job), "{dir}");
    }
    // What is said from now on goes as before.
    world.prompt("And the seal");
    synced(&world, "");
    synced_there(&world, "b", "");
    assert!(texts(&world, "../b").contains(&job));
}

/// How many objects of the clone in `dir` hold `words`.
fn objects_with(world: &World, dir: &str, words: &str) -> usize {
    let all = format!("git -C {dir} cat-file --batch-all-objects --batch | grep -ac '{words}'");
    world.tries(&all).out.trim().parse().expect("a number")
}

/// A machine whose words travel, with a job of which another clone (`b`) has the words, too.
fn words_that_travel(more: &str) -> (World, String) {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    world.puts("seed.toml", "[sync]\nprompts = true\n");
    world.git("add seed.toml");
    world.git("commit -qm rules");
    world.person("rules apply").succeeds();
    pushes_branch(&world, "../hub.git");
    world.prompt("Teach the walrus to count");
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    assert_eq!(there(&world, "b", &format!("git seed rules apply && {more}")).code, 0);
    synced_there(&world, "b", "");
    let job = world.job();
    (world, job)
}

/// The next fetch brings back what lies there still; it does not stay.
#[test]
fn words_that_were_redacted_come_back_with_no_sync() {
    let (world, job) = words_that_travel("true");
    world.person(&format!("job redact {job}")).succeeds();
    assert_eq!(objects_with(&world, ".", "walrus"), 0);
    world.person("sync --dry-run").succeeds();
    assert_eq!(objects_with(&world, ".", "walrus"), 0, "a dry run brings none");
    synced(&world, "");
    assert_eq!(objects_with(&world, ".", "walrus"), 0, "what was fetched went");
    assert!(!texts(&world, "../hub.git").contains(&job));
    synced_there(&world, "b", "");
    assert_eq!(objects_with(&world, "../b", "walrus"), 0);
    synced(&world, "");
    assert_eq!(objects_with(&world, ".", "walrus"), 0);
}

/// Where git would keep a pack of what it fetches, words come one by one all the same; where a
/// pack of git's has them by now, who drops them says so, with what removes them.
#[test]
fn words_in_packs_of_gits_go_or_are_named() {
    let (world, job) = words_that_travel("git config fetch.unpackLimit 1");
    world.person(&format!("job redact {job}")).succeeds();
    synced(&world, "");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 0 && !said.err.contains("git gc"), "{said:?}");
    assert_eq!(objects_with(&world, "../b", "walrus"), 0, "no pack has them");
    let (world, job) = words_that_travel("true");
    world.git("-C ../b repack -adq");
    world.person(&format!("job redact {job}")).succeeds();
    synced(&world, "");
    let said = there(&world, "b", "git seed sync");
    assert!(said.code == 0 && said.err.contains("git gc --prune=now"), "{said:?}");
    world.git("-C ../b gc -q --prune=now");
    assert_eq!(objects_with(&world, "../b", "walrus"), 0, "what it named removes them");
}

/// What an older git seed fetched again goes with a second redaction.
#[test]
fn a_second_redaction_takes_what_was_fetched_again() {
    let (world, job) = words_that_travel("true");
    world.person(&format!("job redact {job}")).succeeds();
    world.git(
        "fetch -q --no-write-fetch-head origin +refs/seed/texts:refs/seed-remote/origin/texts",
    );
    assert_ne!(objects_with(&world, ".", "walrus"), 0);
    world.person(&format!("job redact {job}")).succeeds();
    assert_eq!(objects_with(&world, ".", "walrus"), 0);
}

/// A clone that borrows objects (`--shared`, `--reference`) lacks what was redacted where it
/// borrows. It says so with what heals it, and that heals it.
#[test]
fn a_borrower_of_objects_says_what_a_redaction_at_its_lender_took_and_what_heals_that() {
    for how in ["--shared ../repo", "--reference repo --no-local ../hub.git"] {
        let world = World::seeded();
        bare(world.root(), "hub.git");
        world.git("remote add origin ../hub.git");
        world.puts("seed.toml", "[sync]\nprompts = true\n");
        world.git("add seed.toml");
        world.git("commit -qm rules");
        world.person("rules apply").succeeds();
        pushes_branch(&world, "../hub.git");
        world.prompt("Teach the walrus to count");
        let job = world.job();
        synced(&world, &agreed(&world));
        let how = how.replace("../", "");
        world.sh(&format!(
            "cd .. && git clone -q -b main {how} b 2>&1 && cd b && \
             git remote set-url origin ../hub.git && git seed init && \
             git config seed.owner {}",
            me(&world)
        ));
        assert_eq!(there(&world, "b", "git seed rules apply").code, 0);
        synced_there(&world, "b", "");
        let shows = format!("git seed job show {job} --json");
        assert!(there(&world, "b", &shows).out.contains("walrus"), "{how}");
        world.person(&format!("job redact {job}")).succeeds();
        let said = there(&world, "b", &shows);
        let told = "this clone borrows objects from another repository";
        assert!(said.code == 1 && said.err.contains(told), "{how}: {said:?}");
        assert!(said.err.contains("run git seed sync there, then here"), "{how}: {said:?}");
        // A sync before the lender's cannot give the words to the remote, and says why.
        let early = there(&world, "b", "git seed sync");
        assert!(early.code == 0 || early.err.contains(told), "{how}: {early:?}");
        synced(&world, "");
        synced_there(&world, "b", "");
        let said = there(&world, "b", &shows);
        assert!(said.code == 0 && said.out.contains("\"redacted\": true"), "{how}: {said:?}");
        world.prompt("And the seal");
        synced(&world, "");
        assert_eq!(synced_there(&world, "b", "")["state"], synced(&world, "")["state"]);
        assert!(there(&world, "b", &shows).out.contains("seal"), "{how}");
    }
}

/// A clone without a job in focus names what a sync brought, with the command that takes it up.
#[test]
fn status_names_open_jobs_that_another_clone_began() {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    pushes_branch(&world, "../hub.git");
    let made = |name: &str| {
        let said = world.person(&format!("job create '{name}' -m 'docs say how'")).succeeds();
        said.split(' ').nth(1).expect("an id").to_owned()
    };
    let first = made("write the docs");
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    let status = || there(&world, "b", "git seed status").out;
    assert!(!status().contains("write the docs"), "no sync came yet");
    synced_there(&world, "b", "");
    let line = format!("begun in another clone; git seed job activate {first}");
    assert!(status().contains("other    write the docs") && status().contains(&line));
    let json = there(&world, "b", "git seed status --json").out;
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["elsewhere"][0]["id"], first.as_str());
    // Where they began they are no other clone's, and few are named.
    assert!(!world.tries("git seed status").out.contains("begun in another clone"));
    for name in ["two", "three", "four", "five"] {
        made(name);
    }
    synced(&world, "");
    synced_there(&world, "b", "");
    assert!(status().contains("2 more: git seed job list"), "{}", status());
    // What it names works.
    let said = there(&world, "b", &format!("git seed job activate {first}"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(status().starts_with("job"), "{}", status());
    assert!(!status().contains("begun in another clone"), "one is in focus: {}", status());
}

/// A job that was begun here is none that another clone began, and what it left here is named.
#[test]
fn a_job_that_another_clone_continued_is_named_so_with_what_it_left_here() {
    let world = World::seeded();
    bare(world.root(), "hub.git");
    world.git("remote add origin ../hub.git");
    pushes_branch(&world, "../hub.git");
    world.prompt("[QUICK] fix the lexer");
    let job = world.job();
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.prompt("[PAUSE]");
    pushes_branch(&world, "../hub.git");
    synced(&world, &agreed(&world));
    let status = || world.person("status").succeeds();
    assert!(!status().contains("another clone"), "{}", status());
    second(&world, "b", "hub.git");
    synced_there(&world, "b", "");
    let said = there(&world, "b", "git seed status").out;
    assert!(said.contains("begun in another clone"), "{said}");
    let said = there(&world, "b", &format!("git seed job activate {job}"));
    assert_eq!(said.code, 0, "{said:?}");
    synced_there(&world, "b", "");
    synced(&world, "");
    let said = status();
    assert!(said.contains("continued in another clone; git seed job activate"), "{said}");
    assert!(said.contains(&format!("and not committed: {CODE}")), "{said}");
    let other = world.json("status")["elsewhere"][0].clone();
    assert_eq!((&other["id"], &other["continued"]), (&json!(job), &json!(true)));
    assert_eq!(other["left"], json!([CODE]));
    world.git("checkout -q -- src");
    assert!(!status().contains("not committed:"), "{}", status());
    world.person(&format!("job activate {job}")).succeeds();
}

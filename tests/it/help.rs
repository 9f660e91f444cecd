//! Help as its readers get it: lists, examples, man pages, completions in a real bash, zsh, fish.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;

use super::world::{World, tree_of};

#[test]
fn help_lists_commands_by_who_uses_them_and_explains_each() {
    let world = World::new();
    let list = world.sh("git seed help");
    let heads: Vec<&str> = list.lines().filter(|line| line.starts_with("Commands")).collect();
    assert_eq!(
        heads,
        [
            "Commands for people:",
            "Commands for agents:",
            "Commands for both:",
            "Commands that programs run:"
        ]
    );
    assert_eq!(list, world.sh("git seed -h"));
    let told = world.sh("git seed help phase advance");
    assert!(told.contains("Usage: git seed phase advance"), "{told}");
    assert!(told.contains("\nExamples:\n  git seed phase advance "), "{told}");
    assert_eq!(told, world.sh("git seed phase advance --help"));
    for wrong in ["help nonsense", "help phase bakc", "phase"] {
        assert_eq!(world.tries(&format!("git seed {wrong}")).code, 64, "{wrong}");
    }
}

#[test]
fn the_lists_fit_the_columns_of_their_reader() {
    let world = World::new();
    for columns in [50, 72, 100] {
        let list = world.sh(&format!("COLUMNS={columns} git seed help"));
        let list = list.split("Options:").next().unwrap_or_default();
        let (_, groups) = list.split_once("Commands for").expect("groups");
        for line in groups.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn without_a_terminal_a_page_is_plain_text() {
    let world = World::new();
    let page = world.sh("git seed man");
    assert!(page.starts_with("NAME\n    git-seed - "), "{page}");
    assert!(page.contains("COMMANDS FOR PEOPLE\n"), "{page}");
    let rules = world.sh("git seed man 5 rules");
    assert!(rules.contains("    seed.toml at the top of the work tree\n"), "{rules}");
    assert!(!rules.contains("\\fB") && !rules.contains("\n."), "{rules}");
    let shown = world.sh("git seed man phase back");
    assert!(shown.contains("EXAMPLES\n        git seed phase back execute -m"), "{shown}");
    let wrong = world.tries("git seed man nonsense");
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.err.contains("there is no page \"nonsense\""), "{wrong:?}");
}

/// The pages go to a home and out of it again, and nothing else there changes.
#[test]
fn pages_are_put_where_man_finds_them_and_taken_out() {
    let world = World::new();
    let home = world.root().join("home");
    fs::create_dir_all(&home).expect("a home");
    fs::write(home.join("kept"), "the person's\n").expect("ours");
    let before = tree_of(&home, &|_| false);
    let told = world.sh("git seed man --install");
    assert!(told.contains("man pages") && told.contains("git seed man --remove"), "{told}");
    let pages = home.join(".local/share/man");
    let page = fs::read_to_string(pages.join("man5/git-seed-rules.5")).expect("a page");
    assert!(page.starts_with(".TH git\\-seed\\-rules 5"), "{page}");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/git-seed-phase-advance.1");
    assert_eq!(
        fs::read(pages.join("man1/git-seed-phase-advance.1")).expect("a page"),
        fs::read(committed).expect("the committed one")
    );
    world.person("init").succeeds();
    let plan = world.sh("git seed uninstall --check");
    assert!(plan.contains("git seed man --remove removes them"), "{plan}");
    let told = world.sh("git seed man --remove");
    assert!(told.contains("removed"), "{told}");
    assert_eq!(before, tree_of(&home, &|_| false));
    assert!(!world.sh("git seed uninstall --check").contains("man pages"));
}

/// A home of two repositories has the pages until both are rid of git seed, wherever they lie by
/// then.
#[test]
fn init_puts_pages_where_man_finds_them_and_the_last_one_to_leave_takes_them_along() {
    let world = World::new();
    let home = world.root().join("home");
    fs::create_dir_all(&home).expect("a home");
    let before = tree_of(&home, &|_| false);
    world.sh("git clone -q . ../second");
    let told = world.person("init").succeeds();
    assert!(told.contains("; man: ~/.local/share/man/\n"), "{told}");
    assert!(told.lines().count() <= 8, "{told}");
    let page = home.join(".local/share/man/man1/git-seed.1");
    assert!(page.is_file());
    world.sh("mv ../second ../third");
    let second = world.elsewhere("third");
    second.person("init").succeeds();
    second.sh("cd .. && mv third fourth");
    let second = second.elsewhere("fourth");
    let told = second.sh("git seed uninstall --check");
    assert!(told.contains("left      ~/.local/share/man/"), "{told}");
    let first = second.elsewhere("repo");
    assert!(!first.sh("git seed uninstall --check").contains("other repositories"));
    let second = first.elsewhere("fourth");
    second.person("init").succeeds();
    second.person("uninstall").succeeds();
    assert!(page.is_file());
    let first = second.elsewhere("repo");
    let told = first.person("uninstall").succeeds();
    assert!(told.contains("~/.local/share/man/") && told.contains(" man pages"), "{told}");
    let mut after = tree_of(&home, &|_| false);
    // Its bundles are the person's, and where they lie.
    let is_bundles = |path: &str| path.contains("bundle") || ".local/share/git-seed".contains(path);
    after.retain(|path, _| !is_bundles(path));
    assert_eq!(before, after);
}

/// A package's own pages are enough, and a home that takes none stops nothing.
#[test]
fn init_leaves_pages_of_a_package_alone_and_needs_no_place_for_its_own() {
    let world = World::new();
    world.sh("mkdir -p ../home/.local/share/man/man1");
    world.sh("echo theirs > ../home/.local/share/man/man1/git-seed.1.gz");
    let told = world.person("init").succeeds();
    assert!(!told.contains("; man: "), "{told}");
    let world = World::new();
    world.sh("mkdir -p ../home && echo 'a file' > ../home/.local");
    let told = world.person("init").succeeds();
    assert!(told.contains("left      man pages"), "{told}");
    assert_eq!(world.sh("cat ../home/.local"), "a file\n");
}

/// What bash offers for a line, through git's own completion where this machine has it.
fn offered(world: &World, line: &str) -> Vec<String> {
    let script = r#"
file=/usr/share/bash-completion/completions/git
if [ -n "$REAL" ] && [ -f "$file" ]; then
    . "$file"
else
    __gitcomp() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
    __git_wrap__git_main() {
        local cur="${COMP_WORDS[COMP_CWORD]}" cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
        _git_seed
    }
fi
eval "$(git seed completions bash)"
COMP_WORDS=($LINE) COMP_LINE="$LINE"
case "$LINE" in *" ") COMP_WORDS+=("") ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
if [ "${COMP_WORDS[0]}" = git ]; then __git_wrap__git_main; else _git_seed_alone; fi
printf '%s\n' "${COMPREPLY[@]}"
"#;
    let file = world.root().join("offer.sh");
    fs::write(&file, script).expect("ours");
    let ask = |real: &str| -> Vec<String> {
        let line = format!("LINE='{line}' REAL={real} bash '{}'", file.display());
        world.sh(&line).lines().map(|word| word.trim().to_owned()).collect()
    };
    let (alone, through_git) = (ask(""), ask("1"));
    assert_eq!(alone, through_git, "git's completion hands {line:?} on");
    alone
}

#[test]
fn bash_completes_commands_options_values_and_jobs() {
    let world = World::seeded();
    if world.tries("command -v bash").code != 0 {
        return super::skip::not_here("bash");
    }
    world.prompt("fix the lexer");
    let job = world.job();
    let job = job.as_str();
    for (line, wanted) in [
        ("git seed statu", vec!["status", "statusline"]),
        ("git-seed statu", vec!["status", "statusline"]),
        ("git seed phase ch", vec!["checkpoint"]),
        ("git seed phase advance --sm", vec!["--small"]),
        ("git seed --color ne", vec!["never"]),
        ("git seed completions zs", vec!["zsh"]),
        ("git seed job activate ", vec![job]),
        ("git seed log 2", vec![job]),
    ] {
        let mut found = offered(&world, line);
        found.retain(|word| !word.is_empty());
        assert_eq!(found, wanted, "{line}");
    }
    // Nothing of git seed runs while somebody types.
    let script = world.sh("git seed completions bash");
    let runs = |line: &&str| line.contains("$(git seed") || line.contains("$(git-seed");
    assert_eq!(script.lines().find(runs), None);
}

/// What each shell is asked about, in a repository with one open job, and what it offers.
fn asked_of_other_shells(job: &str) -> [(&'static str, Vec<&str>); 6] {
    [
        ("git seed statu", vec!["status", "statusline"]),
        ("git-seed phase ch", vec!["checkpoint"]),
        ("git-seed completions zs", vec!["zsh"]),
        ("git seed job activate ", vec![job]),
        ("git-seed job activate 2", vec![job]),
        ("git seed log 2", vec![job]),
    ]
}

/// `complete -C` prints what fish offers; a description stands behind a tab.
#[test]
fn fish_completes_commands_values_and_jobs() {
    let world = World::seeded();
    if world.tries("command -v fish").code != 0 {
        return super::skip::not_here("fish");
    }
    world.prompt("fix the lexer");
    let read = "$HOME/.config/fish/conf.d";
    world.sh(&format!("mkdir -p {read} && git seed completions fish > {read}/git-seed.fish"));
    for (line, wanted) in asked_of_other_shells(&world.job()) {
        let told = world.sh(&format!("fish -c \"complete -C '{line}'\""));
        let found: Vec<&str> =
            told.lines().map(|row| row.split('\t').next().unwrap_or_default()).collect();
        assert_eq!(found, wanted, "{line}");
    }
    // A directory of this name is no command, and is none behind which another stands, either.
    world.sh("mkdir -p seed");
    let offers = |line: &str| world.sh(&format!("fish -c \"complete -C '{line}'\""));
    assert!(!offers("git -C seed statu").contains("statusline"));
    assert!(offers("git -C seed seed statu").contains("statusline"));
    assert!(offers("git -c core.pager=seed seed phase ch").contains("checkpoint"));
}

/// zsh completes only at a terminal: it gets one, and what it would offer is written down.
const AT_ZSH: &str = r#"
zmodload zsh/zpty || exit 3
zpty z "env ZDOTDIR=$1 TERM=dumb zsh -d -i"
waits() {
    local n
    for n in {1..1200}; do
        zpty -r -t z >/dev/null
        grep -q $1 $2/offered 2>/dev/null && return
        sleep 0.05
    done
    print "nothing of $1"
    exit 1
}
waits READY $1
zpty -w -n z "$2"$'\t'
waits END $1
zpty -d z
grep -v 'READY\|END' $1/offered | sort -u
"#;

/// What that zsh reads first.
const RC_OF_ZSH: &str = r#"
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit && compinit -u -D
PROMPT=
compadd() {
    case " $* " in
    *" -O "* | *" -A "* | *" -D "*) builtin compadd "$@"; return ;;
    esac
    local -a hits
    builtin compadd -O hits "$@"
    print -rl -- $hits >>$ZDOTDIR/offered
    builtin compadd "$@"
}
ended() { print END >>$ZDOTDIR/offered }
typeset -ga comppostfuncs
offer() { comppostfuncs=(ended); zle complete-word }
zle -N offer
bindkey '^I' offer
precmd() { print READY >>$ZDOTDIR/offered }
"#;

#[test]
fn zsh_completes_commands_values_and_jobs() {
    let world = World::seeded();
    if world.tries("command -v zsh").code != 0 {
        return super::skip::not_here("zsh");
    }
    world.prompt("fix the lexer");
    let script = world.root().join("offer.zsh");
    fs::write(&script, AT_ZSH).expect("ours");
    for (line, wanted) in asked_of_other_shells(&world.job()) {
        let dir = world.root().join("zdot");
        // Each is asked of a zsh that has offered nothing before.
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).expect("ours");
        fs::write(dir.join(".zshrc"), RC_OF_ZSH).expect("ours");
        let dir = dir.display();
        world.sh(&format!("git seed completions zsh > '{dir}/_git-seed'"));
        let told = world.sh(&format!("zsh -f '{}' '{dir}' '{line}'", script.display()));
        let found: Vec<&str> = told.lines().filter(|word| !word.is_empty()).collect();
        assert_eq!(found, wanted, "{line}");
    }
}

#[test]
fn a_ref_that_is_no_id_is_not_completed() {
    let world = World::seeded();
    world.sh("git update-ref 'refs/seed/jobs/$(touch${IFS}PWNED)' HEAD");
    world.sh("git update-ref refs/seed/jobs/20261127t001238-2ee7 HEAD");
    let line = "eval \"$(git seed completions bash)\"; __git_seed_jobs";
    let said = world.sh(&format!("bash -c '{line}'"));
    assert_eq!(said.trim(), "20261127t001238-2ee7");
}

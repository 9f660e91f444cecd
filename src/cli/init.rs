//! `git seed init`

use super::man_places::{self, User};
use super::{Context, Outcome, is_yes, report::Report, width::padded};
use crate::engine::repo::Repo;
use crate::engine::repo::text::count;
use crate::engine::setup;
use crate::engine::setup::init::Wanted;
use crate::engine::setup::own_record::Told;
use crate::memory::raw::Raw;
use crate::store::RepoPath;
use crate::voice::{self, Notice};
use crate::world::Typist;

/// Install git seed in this repository°
///
/// Writes hook lines into the settings of each agent host that it finds, git hooks beside the
/// ones that are already there, and the ref `refs/seed/meta`. Without `--host` these are the hosts
/// that the repository shows, and the one that your home shows, if it shows just one; where that
/// leaves none, Claude Code. In a linked worktree the lines go where the host reads them. It makes
/// no commit. Without `--shared` it changes no tracked file, and `git status` stays as it was. It
/// adds subagents for the phases where the host looks for them (`git seed agents`). Run it again
/// to update an installation. With `--shared` it asks once whether your pushes take jobs along.
#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// Install for this host; may be given several times
    #[arg(long, value_name = "name")]
    host: Vec<String>,
    /// Write to the settings that the team shares, with `git-seed` as the bare command name
    #[arg(long)]
    shared: bool,
    /// Commit what was written for the team, and nothing else
    ///
    /// That is what --shared and --governance write; what only this clone sees is in no commit.
    #[arg(long)]
    commit: bool,
    /// Register the MCP server with the hosts, in their local scope
    #[arg(long)]
    mcp: bool,
    /// Write advice as Markdown: a constitution, rules by layer, skills, and a subagent that
    /// reviews diffs
    #[arg(long)]
    governance: bool,
    /// Have git merge pages and knowledge by item in this clone: what two branches added is joined
    ///
    /// It sets `merge.seed-pages.driver` and names it in .git/info/attributes. A line that both
    /// branches changed differently stays a conflict.
    #[arg(long)]
    merge_pages: bool,
    /// How all jobs of this clone begin: auto (the agent's first step says it), opevc (all
    /// phases) or quick (the small lane)
    ///
    /// It becomes a rule in force here, as git seed rules apply would make it; other rules stay.
    /// Only a person may say it. auto takes it back.
    #[arg(long, value_name = "name")]
    pub(super) track: Option<String>,
    /// How much git seed does in this clone: watch (it refuses nothing and writes down what it
    /// would have refused), fence (scope, git and claims, without jobs) or full
    ///
    /// It becomes a rule in force here; other rules stay. Where git seed is installed already, only
    /// a person may say it.
    #[arg(long, value_name = "name")]
    pub(super) mode: Option<String>,
    /// Offer to let a host run git seed's commands without asking: for Gemini CLI a policy in
    /// ~/.gemini/policies
    ///
    /// It names the program by its path and only commands that are an agent's. Only a person may
    /// say it; uninstall takes it out.
    #[arg(long)]
    grant: bool,
}

/// How the row of the man pages ends.
const MAN_PAGES: &str = "man pages";

impl InitArgs {
    /// Nothing but a rule of a host is asked for.
    pub(super) fn grants(&self) -> bool {
        self.grant
    }
}

pub(super) fn run(
    args: &InitArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let lost = lost_focus(context)?;
    let repo = context.repo()?;
    let asks = !out.is_json() && matches!(repo.typist(), Ok(Typist::Person));
    let wanted = Wanted {
        hosts: args.host.clone(),
        shared: args.shared,
        mcp: args.mcp,
        governance: args.governance,
        track: args.track.clone(),
        mode: args.mode.clone(),
        merge_pages: args.merge_pages,
        terminal: std::io::IsTerminal::is_terminal(&std::io::stdin()),
        asks,
    };
    // What was left alone stands beside the way out.
    let left_alone = setup::init::left_alone(args.shared);
    let mut told = setup::init::install(&repo, &wanted)?;
    told.extend(lost);
    if args.commit {
        told = committed(&repo, told, &left_alone)?;
    }
    told.extend(man_pages(&repo));
    if wanted.terminal {
        let others = setup::heartbeat::others(&*context.repo()?);
        told.extend(others.into_iter().map(|(title, word)| Told::new("note", title, word)));
    }
    let mut alone = None;
    if out.is_json() {
        tell(&told, out);
    } else {
        let mut rows = gathered(told);
        alone = rows.iter().position(|row| row.what == left_alone).map(|at| rows.remove(at));
        tell(&rows, out);
    }
    let (tour, doctor) = (voice::tell(Notice::InitTryTour, &[]), "git seed doctor");
    let also = voice::tell(Notice::InitTryDoctor, &[("command", doctor)]);
    out.line(format_args!("{:<9} {:<29} {tour}; {also}", "try", "git seed tour"));
    let undo = voice::tell(Notice::InitUndo, &[]);
    let alone = alone.map(|_| format!("; {left_alone}")).unwrap_or_default();
    out.line(format_args!("{:<9} {:<29} {undo}{alone}", "undo", "git seed uninstall"));
    if asks {
        // With the rules that this put into force.
        let repo = context.repo()?;
        asks_about_raw_memory(&repo, out)?;
        asks_about_merging(&repo, out)?;
    }
    if args.grant {
        offer_grants(&*context.repo()?, out)?;
    }
    if asks && args.shared {
        asks_about_pushes(&repo, out)?;
    }
    Ok(Outcome::Yes)
}

/// Commits the files that were written and that git does not ignore, and nothing else, with the
/// person's hooks. What is told then says so, and no more that nothing was committed.
fn committed(repo: &Repo, mut told: Vec<Told>, left_alone: &str) -> crate::cli::Result<Vec<Told>> {
    let made = commit(repo, &told)?;
    told.retain(|row| row.what != left_alone);
    told.push(made);
    Ok(told)
}

fn commit(repo: &Repo, told: &[Told]) -> crate::cli::Result<Told> {
    let top = repo.store.work_tree();
    let wrote = told.iter().filter(|row| ["wrote", "kept"].contains(&row.verb));
    let mut files: Vec<String> = Vec::new();
    for row in wrote.filter(|row| !row.what.starts_with(".git/")) {
        match row.what.strip_suffix('/') {
            Some(dir) => {
                let Ok(below) = std::fs::read_dir(top.join(dir)) else { continue };
                let names = below.flatten().map(|file| file.file_name());
                files.extend(names.map(|name| format!("{dir}/{}", name.to_string_lossy())));
            }
            None => files.push(row.what.clone()),
        }
    }
    files.retain(|file| top.join(file).is_file());
    let ignored = repo.store.excluded(&files)?;
    let paths: Vec<RepoPath> = files
        .iter()
        .filter(|file| !ignored.contains(&file.as_str()))
        .filter_map(|file| RepoPath::try_from(file.as_str()).ok())
        .collect();
    let nothing = || Told::new("left", "commit", voice::tell(Notice::InitNothingToCommit, &[]));
    let staged = if paths.is_empty() { None } else { repo.store.stage(&paths, false)? };
    let Some(staged) = staged else { return Ok(nothing()) };
    let subject = voice::tell(Notice::InitCommitSubject, &[]);
    let made = repo.store.commit_staged(&staged, format!("{subject}\n").as_bytes(), "init")?;
    repo.store.refresh_index(&staged, &made.commit)?;
    let (short, files) = (made.commit.to_string()[..12].to_owned(), count(paths.len(), "file"));
    let facts = [("commit", short.as_str()), ("files", files.as_str())];
    Ok(Told::new("made", "commit", voice::tell(Notice::InitCommitted, &facts)))
}

/// Puts the man pages where `man` finds them: `git seed --help` is git's own way to them. Nothing
/// else rests on them, so a place that does not take them is told and stops nothing.
fn man_pages(repo: &Repo) -> Option<Told> {
    if cfg!(windows) {
        return None;
    }
    let left = |why: String| Some(Told::new("left", "man pages", why));
    match User::of(repo).and_then(|user| man_places::put(&user)) {
        Ok(Some(put)) if put.pages == 0 => None,
        Ok(Some(put)) => {
            Some(Told::new("wrote", put.shown(), format!("{} {MAN_PAGES}", put.pages)))
        }
        Ok(None) => left(voice::tell(Notice::ManNoPlace, &[])),
        Err(failed) => left(failed.to_string()),
    }
}

/// Leaves a focus whose job is gone: it stands in the way of opening the repository for any work.
fn lost_focus(context: &Context) -> crate::cli::Result<Option<Told>> {
    // What keeps it from being opened at all is told where it is opened next.
    let Ok(repo) = context.repo_over_damage() else { return Ok(None) };
    let dropped = crate::engine::traces::drop_dangling_focus(&repo)?;
    Ok(dropped.then(|| Told::new("note", "the focus", voice::tell(Notice::FocusLost, &[]))))
}

/// Asks whether session logs stay out of the work tree, where a repository has many files or
/// people. Without an answer it is asked again.
fn asks_about_raw_memory(repo: &Repo, out: &mut Report) -> crate::cli::Result<()> {
    let Some(crowd) = setup::raw_memory::offer(repo)? else { return Ok(()) };
    out.flush()?;
    let told = setup::raw_memory::told(crowd);
    out.aside(&voice::tell(Notice::InitAsksRaw, &[("crowd", &told)]));
    let mut said = String::new();
    if std::io::stdin().read_line(&mut said)? == 0 {
        return Ok(());
    }
    let (raw, kept) = if is_yes(&said) {
        (Raw::Ref, Notice::InitRawRef)
    } else {
        (Raw::Tree, Notice::InitRawTree)
    };
    setup::raw_memory::answered(repo, raw)?;
    out.aside(&voice::tell(kept, &[]));
    Ok(())
}

/// Asks once whether git merges pages by item, where several people commit.
fn asks_about_merging(repo: &Repo, out: &mut Report) -> crate::cli::Result<()> {
    let Some(people) = setup::merging::offer(repo)? else { return Ok(()) };
    out.flush()?;
    out.aside(&voice::tell(Notice::InitAsksMerging, &[("people", &people.to_string())]));
    let mut said = String::new();
    if std::io::stdin().read_line(&mut said)? == 0 {
        return Ok(());
    }
    let yes = is_yes(&said);
    setup::merging::answered(repo, yes)?;
    let kept = if yes { Notice::InitMerges } else { Notice::InitMergesNot };
    out.aside(&voice::tell(kept, &[]));
    Ok(())
}

/// Offers the rules that hosts take; without a yes none is written.
fn offer_grants(repo: &Repo, out: &mut Report) -> crate::cli::Result<()> {
    let mut told = Vec::new();
    for offer in setup::grants::offers(repo)? {
        let offer = match offer {
            Ok(offer) => offer,
            Err(why) => {
                told.push(why);
                continue;
            }
        };
        out.flush()?;
        let facts = [("title", offer.title), ("file", offer.shown)];
        out.aside(&voice::tell(Notice::GrantAsks, &facts));
        let mut said = String::new();
        let answered = std::io::stdin().read_line(&mut said)? > 0;
        told.push(if answered && is_yes(&said) {
            setup::grants::write(repo, &offer)?
        } else {
            Told::new("left", offer.shown, voice::tell(Notice::GrantNot, &[]))
        });
    }
    tell(&told, out);
    Ok(())
}

/// Asks once whether pushes take jobs along. Without an answer it is asked again.
fn asks_about_pushes(repo: &Repo, out: &mut Report) -> crate::cli::Result<()> {
    let Some(offer) = setup::pushes::offer(repo)? else { return Ok(()) };
    let owners = offer.owners.join(", ");
    let facts = [("remote", offer.remote.as_str()), ("owner", owners.as_str())];
    out.flush()?;
    out.aside(&voice::tell(Notice::InitAsksPushes, &facts));
    let mut said = String::new();
    if std::io::stdin().read_line(&mut said)? == 0 {
        return Ok(());
    }
    let yes = is_yes(&said);
    setup::pushes::answered(repo, &offer, yes)?;
    let kept = if yes { Notice::InitPushesTake } else { Notice::InitPushesLeave };
    out.aside(&voice::tell(kept, &facts));
    Ok(())
}

/// Lists what was done, aligned; a verb is said once.
pub(super) fn tell(told: &[Told], out: &mut Report) {
    if out.is_json() {
        let rows: Vec<_> = told
            .iter()
            .map(|row| {
                serde_json::json!({ "verb": row.verb, "what": row.what,
                "detail": row.detail })
            })
            .collect();
        out.json(&rows);
        return;
    }
    let mut before = "";
    for rows in told.chunk_by(belong_together) {
        let [first, ..] = rows else { continue };
        let verb = if first.verb == before { "" } else { first.verb };
        before = first.verb;
        let detail = first.detail.replace('\n', "; ");
        let (what, detail) = match split(&first.what) {
            Some((dir, _)) if rows.len() > 1 => {
                let names = rows.iter().filter_map(|row| Some(split(&row.what)?.1));
                (dir.to_owned(), format!("{detail}: {}", names.collect::<Vec<_>>().join(", ")))
            }
            _ => (first.what.clone(), detail),
        };
        out.line(format!("{verb:<9} {} {detail}", padded(&what, 29)).trim_end());
    }
}

/// What was written below `.git` stands in one line, with the man pages; `--json` has each file.
fn gathered(mut told: Vec<Told>) -> Vec<Told> {
    const BELOW: &str = ".git/";
    const HOOKS: &str = "hooks/";
    let is_below = |row: &Told| row.verb == "wrote" && row.what.starts_with(BELOW);
    let is_pages = |row: &mut Told| row.verb == "wrote" && row.detail.ends_with(MAN_PAGES);
    let pages = if told.iter().any(is_below) { told.pop_if(is_pages) } else { None };
    let mut below: Vec<&str> = Vec::new();
    let mut hooks = 0;
    for row in told.iter().filter(|row| is_below(row)) {
        let name = &row.what[BELOW.len()..];
        // Those that stand in front of a hook manager's lie in a directory of their own.
        match name {
            _ if name.contains(HOOKS) => hooks += 1,
            _ if !below.contains(&name) => below.push(name),
            _ => {}
        }
    }
    let hooks = (hooks > 0).then(|| count(hooks, "hook"));
    let all: Vec<&str> = hooks.as_deref().into_iter().chain(below).collect();
    let pages = pages.map(|row| format!("; man: {}", row.what)).unwrap_or_default();
    let mut line = Some(Told::new("wrote", BELOW, all.join(", ") + &pages));
    let each =
        told.iter().filter_map(|row| if is_below(row) { line.take() } else { Some(row.clone()) });
    notes_by_host(hosts_together(each.collect()))
}

/// What was written for several hosts stands in one line.
fn hosts_together(told: Vec<Told>) -> Vec<Told> {
    const LINES: &str = "hook lines";
    let is_lines = |row: &Told| row.verb == "wrote" && row.detail == LINES;
    let is_agents =
        |row: &Told| row.verb == "wrote" && row.what.ends_with('/') && row.what != ".git/";
    let files: Vec<&str> = told.iter().filter(|row| is_lines(row)).map(|row| &*row.what).collect();
    if files.len() < 2 {
        return told;
    }
    let others = told.iter().filter(|row| is_agents(row));
    let others = others.map(|row| format!("; {}: {}", row.what, row.detail)).collect::<String>();
    let mut line = Some(Told::new("wrote", LINES, format!("{}{others}", files.join(", "))));
    let each = told.iter().filter(|row| !is_agents(row));
    each.filter_map(|row| if is_lines(row) { line.take() } else { Some(row.clone()) }).collect()
}

/// What is to be known about a host stands in one line, the newest word first.
fn notes_by_host(told: Vec<Told>) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    for mut row in told {
        let same = |one: &Told| one.verb == "note" && one.what == row.what;
        if let Some(at) = all.iter().position(same).filter(|_| row.verb == "note") {
            row.detail = format!("{}; {}", row.detail, all.remove(at).detail);
        }
        all.push(row);
    }
    all
}

/// Files of one directory of which the same is said stand in one line.
fn belong_together(one: &Told, next: &Told) -> bool {
    let dir = |row: &'_ Told| split(&row.what).map(|(dir, _)| dir.to_owned());
    one.verb == next.verb
        && one.detail == next.detail
        && !one.detail.is_empty()
        && dir(one).is_some()
        && dir(one) == dir(next)
}

/// The directory of a path, with its slash, and the name in it.
fn split(path: &str) -> Option<(&str, &str)> {
    let at = path.rfind('/').filter(|at| at + 1 < path.len())? + 1;
    Some(path.split_at(at))
}

#[cfg(test)]
mod tests {
    use crate::cli::definition;
    use crate::hosts::{AGENTS, REVIEWERS, RULES, SKILLS, plugin};

    /// The words of a command as they would be typed; what stands in angle brackets is the
    /// reader's to fill in.
    fn words(span: &str) -> Vec<String> {
        let mut line = String::new();
        let (mut quoted, mut open) = (false, false);
        for letter in span.chars() {
            match letter {
                '"' => quoted = !quoted,
                letter if quoted => line.push(if letter == ' ' { '_' } else { letter }),
                '<' => open = true,
                '>' => {
                    open = false;
                    line.push('x');
                }
                letter if !open => line.push(letter),
                _ => {}
            }
        }
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn advice_names_commands_that_there_are() {
        let mut seen = 0;
        for (name, text) in
            RULES.iter().chain(&SKILLS).chain(&REVIEWERS).chain(&AGENTS).chain(&plugin::SKILLS)
        {
            let spans =
                text.split('`').skip(1).step_by(2).filter(|span| span.starts_with("git seed "));
            // No command, but the steps of the phases as a whole.
            for span in spans.filter(|span| *span != "git seed phase") {
                seen += 1;
                let typed = words(span);
                let parsed = definition().try_get_matches_from(&typed[1..]);
                let bad = parsed.err().map_or_else(String::new, |bad| bad.to_string());
                assert_eq!(bad, "", "{name}: {span}");
            }
        }
        assert!(seen > 10, "{seen}");
    }
}

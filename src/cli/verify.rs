//! `git seed verify`

use crate::engine::proof;
use crate::engine::sync::carrier::Transport;
use crate::engine::sync::remote;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::ci_summary::{self, Lacking};
use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::claims::again;
use crate::claims::audit::{Finding, Findings};
use crate::claims::record::Signed;
use crate::engine::judge::{acceptance, ci, ci_cards, judged_by};
use crate::engine::proof::verify::Asked;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, Repo};
use crate::store::NotAnId;
use crate::voice::{self, Notice};

/// Check the records, their signatures, the commits bound to them, and the steps of jobs
///
/// Works in any clone that has the refs, with only git and a public key. There are three
/// results: verified; broken, with the first bad record; and not measured, which never counts
/// as verified. A commit that was landed, squashed, rebased or picked, or that lost its trailers,
/// is followed if it has the tree of a step, a cycle, a landing or a job, or makes the same
/// changes (memory aside); it is listed.
///
/// With `--ci` it checks a range `<base>..<head>` in a clone that has little else: no git seed
/// installed, no network, history cut by a shallow clone. It reads the records from `refs/seed`,
/// or, where there are none, from `refs/seed-remote/origin`, as data, writes nothing, and prints a
/// summary in Markdown of at most twenty lines. If a shallow clone cuts the range off, the exit
/// code is 1 and the `git fetch` that helps is named. `--workflow` prints a file for a forge. Where
/// this clone syncs by branch (`sync --transport branch`), that file fetches the branch `git-seed`
/// to `refs/seed-remote/origin/branch`, and `--ci` reads the records in it.
///
/// `--rerun` runs the recorded test runs of a range again, each on the files that it ran on, in a
/// scratch directory outside of the repository. Another outcome than the recorded one is broken,
/// and what cannot be run again is not measured. It runs programs that a `[[run]]` row of git seed
/// or of `seed.toml` in `<base>` knows, with their arguments, without a shell, and with no variable
/// but `PATH`, `HOME` (an empty directory) and `LANG`. It never runs for an agent.
///
/// Exit code 0: everything is verified, and a good signature or a pinned head vouches for the
/// newest record. 2: something is broken. 3: nothing is broken, but something was not measured;
/// it is listed. 1: the check could not run.
#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// Commits to check, as a git range; all commits of HEAD when omitted
    range: Option<String>,
    /// Id of a record that you wrote down elsewhere; it must still be in the chain
    #[arg(long, value_name = "id")]
    expect: Option<String>,
    /// Allowed signers file, as ssh-keygen reads it; when omitted, the one in git's configuration
    #[arg(long, value_name = "file")]
    keys: Option<PathBuf>,
    /// Check a range where nothing but git and this program is installed
    #[arg(long)]
    ci: bool,
    /// With --ci: believe what was fetched from this remote into refs/seed-remote, and nothing else
    #[arg(long, value_name = "name", requires = "ci")]
    remote: Option<String>,
    /// With --ci: exit code 2 if evidence is missing of a commit that names a step (`proof`) or of
    /// any (`all`), or if a job has no approval signed by an allowed key (`approval`,
    /// `approval=<keys file>`); can be given several times
    #[arg(long, value_name = "what", requires = "ci", value_parser = required)]
    require: Vec<Required>,
    /// With --ci: list steps that were judged by looser rules than `seed.toml` of `<base>` has;
    /// exit code 3
    #[arg(long, value_name = "base", requires = "ci", value_parser = ["base"])]
    rules: Option<String>,
    /// With --rules: exit code 2 in its place
    #[arg(long, requires = "rules")]
    strict: bool,
    /// Take a commit that is not measured as it is, and say why with -m°
    #[arg(long, value_name = "commit", conflicts_with_all = ["range", "ci", "expect", "keys"])]
    accept: Option<String>,
    #[command(flatten)]
    pub(super) why: TextArgs,
    /// Run recorded test runs of the range again, and compare how they end
    #[arg(long, requires = "range", conflicts_with = "workflow")]
    rerun: bool,
    /// With --rerun: end a run, and all it started, after so many seconds
    #[arg(long, value_name = "seconds", requires = "rerun", default_value_t = 600)]
    timeout: u64,
    /// With --ci: print a workflow that checks each merge request on a forge
    #[arg(long, value_name = "forge", requires = "ci", conflicts_with = "range")]
    workflow: Option<Forge>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Required {
    /// Evidence of each commit that names a step.
    Proof,
    /// Of every commit.
    All,
    /// An approval of each job, signed by one of the keys in this file; else by one of `--keys`.
    Approval(Option<PathBuf>),
}

fn required(text: &str) -> Result<Required, String> {
    match text.split_once('=').unwrap_or((text, "")) {
        ("proof", "") => Ok(Required::Proof),
        ("all", "") => Ok(Required::All),
        ("approval", "") => Ok(Required::Approval(None)),
        ("approval", keys) => Ok(Required::Approval(Some(PathBuf::from(keys)))),
        _ => Err(voice::tell(Notice::RequireUnknown, &[])),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Forge {
    Github,
    Gitlab,
}

impl VerifyArgs {
    /// It is a person's word on a commit.
    pub(super) fn accepts(&self) -> bool {
        self.accept.is_some()
    }
}

pub(super) fn run(
    args: &VerifyArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    match (&args.accept, args.why.given()?) {
        (Some(commit), why) => {
            return accept(context, commit, why.as_deref().unwrap_or_default(), out);
        }
        (None, Some(_)) => {
            return Err(EngineError::Usage(voice::tell(Notice::AcceptWithout, &[])).into());
        }
        (None, None) => {}
    }
    match args.workflow {
        Some(forge) => out.raw(&workflow(forge, by_branch(args, context)?)),
        None if args.ci => return in_ci(args, context, out),
        None => return everywhere(args, context, out),
    }
    Ok(Outcome::Yes)
}

/// What a workflow says of refs, and what it says of the branch in their place.
const BY_BRANCH: [(&str, &str); 3] = [
    (
        "'+refs/seed/*:refs/seed-remote/origin/*' '+refs/notes/",
        "'+refs/heads/git-seed*:refs/seed-remote/origin/branch*' '+refs/notes/",
    ),
    (" '+refs/notes/seed*:refs/seed-remote/origin/notes*'", ""),
    ("# in refs/seed. It", "# in its branch git-seed. It"),
];

/// The file for a forge.
fn workflow(forge: Forge, by_branch: bool) -> String {
    let file = match forge {
        Forge::Github => include_str!("workflows/github.yml"),
        Forge::Gitlab => include_str!("workflows/gitlab.yml"),
    };
    let of_branch = BY_BRANCH.iter().filter(|_| by_branch);
    of_branch.fold(file.to_owned(), |file, (refs, branch)| file.replace(refs, branch))
}

/// Whether the records travel in a branch to the remote that this clone syncs with. Where no
/// repository is, nobody syncs, and a file is printed all the same.
fn by_branch(args: &VerifyArgs, context: &Context) -> crate::cli::Result<bool> {
    let Ok(repo) = Repo::open_for_command(&context.cwd) else { return Ok(false) };
    let named = match &args.remote {
        Some(remote) => Ok(remote.clone()),
        None => remote::which(&repo, None)?,
    };
    let is_branch = |remote: String| remote::transport(&repo, &remote, None) == Transport::Branch;
    Ok(named.is_ok_and(is_branch))
}

/// Keeps a person's word on a commit.
fn accept(
    context: &Context,
    commit: &str,
    why: &str,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let kept = match acceptance::accept(&repo, commit, why)? {
        Ok(kept) => kept,
        Err(refusal) => return Ok(refuse(&repo, &refusal, out)),
    };
    let Some(said) = &kept.record.accepts else { return Ok(Outcome::Failed) };
    let signed = kept.record.signed != Signed::Unsigned;
    out.json(&serde_json::json!({
        "record": kept.id, "commit": said.commit, "by": said.by, "why": said.why, "signed": signed,
    }));
    let notice = if signed { Notice::AcceptDone } else { Notice::AcceptUnsigned };
    let facts = [("by", said.by.as_str()), ("why", kept.record.why.as_str())];
    out.pair("commit", format_args!("{}   {}", &said.commit[..12], said.why));
    out.pair(
        "record",
        format_args!("{}   {}", &kept.id.as_str()[..12], voice::tell(notice, &facts)),
    );
    Ok(Outcome::Yes)
}

fn everywhere(
    args: &VerifyArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    // What is checked is not touched: no boundary is finished first.
    let repo = whole_repo(context)?;
    if let Some(refused) = keep_from_agents(args, &repo, out) {
        return Ok(refused);
    }
    if let Some(range) = &args.range {
        ci::is_there(&repo, range)?;
    }
    let findings = proof::verify::verify(&repo, &asked(args, context)?)?;
    // Of a range that somebody names each commit counts.
    let plain = findings.plain.filter(|_| args.range.is_some());
    Ok(told(&findings, plain.unwrap_or_default(), out))
}

/// The repository, with what a partial clone left of our refs with its remote. What cannot be
/// fetched is not measured: nobody calls it broken.
fn whole_repo(context: &Context) -> Result<Repo, EngineError> {
    let mut repo = Repo::open_for_command(&context.cwd)?;
    if repo.store.fetch_ours()? {
        if let Some(object) = repo.store.lacks_of_ours()? {
            let facts = [("object", object.as_str())];
            return Err(EngineError::Remote(voice::tell(Notice::ObjectLeftThere, &facts)));
        }
        repo = Repo::open_for_command(&context.cwd)?;
    }
    Ok(repo)
}

fn asked(args: &VerifyArgs, context: &Context) -> Result<Asked, EngineError> {
    let usage = |error: NotAnId| EngineError::Usage(error.to_string());
    let expect = args.expect.as_deref().map(str::parse).transpose().map_err(usage)?;
    let keys = args.keys.as_ref().map(|keys| context.cwd.join(keys));
    let based = args.range.as_deref().is_some_and(|range| {
        range
            .split_once("..")
            .is_some_and(|(base, head)| !base.is_empty() && !head.starts_with('.'))
    });
    if args.rerun && !based {
        let facts = [("range", args.range.as_deref().unwrap_or_default())];
        return Err(EngineError::Usage(voice::tell(Notice::CiRange, &facts)));
    }
    let rerun = args.rerun.then(|| Duration::from_secs(args.timeout));
    Ok(Asked { range: args.range.clone(), expect, keys, only_here: args.ci, rerun })
}

/// Recorded commands are never run where an agent may have asked for it.
fn keep_from_agents(args: &VerifyArgs, repo: &Repo, out: &mut Report) -> Option<Outcome> {
    let refusal = args.rerun.then(|| proof::rerun::may_run(repo).err()).flatten()?;
    Some(refuse(repo, &refusal, out))
}

/// The same for a machine that knows nothing of this repository.
fn in_ci(args: &VerifyArgs, context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let Some(range) = args.range.as_deref() else {
        let facts = [("range", "")];
        return Err(EngineError::Usage(voice::tell(Notice::CiRange, &facts)).into());
    };
    let mut repo = whole_repo(context)?;
    if let Some(refused) = keep_from_agents(args, &repo, out) {
        return Ok(refused);
    }
    ci::prepare(&mut repo, range, args.remote.as_deref())?;
    let findings = proof::verify::verify(&repo, &asked(args, context)?)?;
    let cards = ci_cards::cards(&repo, range, &findings)?;
    let (lacks, unapproved) = missing(args, context, &repo, range, &findings)?;
    let looser = args.rules.as_ref().map(|_| judged_by::looser(&repo, range)).transpose()?;
    let mut shown = serde_json::to_value(&findings).map_err(EngineError::from)?;
    shown["jobs"] = serde_json::json!(cards);
    if let Some(unapproved) = &unapproved {
        shown["unapproved"] = serde_json::json!(unapproved);
    }
    if let Some(looser) = &looser {
        shown["rules"] = serde_json::json!(looser);
    }
    out.json(&shown);
    let looser = looser.unwrap_or_default();
    let unapproved = unapproved.unwrap_or_default();
    let required = Lacking { commits: &lacks, unapproved: &unapproved };
    ci_summary::summary(&findings, (&cards, &looser), &required, out);
    let lacks = !required.is_none();
    Ok(match findings.ok {
        Some(false) => Outcome::Refused,
        _ if lacks || args.strict && !looser.is_empty() => Outcome::Refused,
        _ if !looser.is_empty() => Outcome::Open,
        Some(true) => Outcome::Yes,
        None => Outcome::Open,
    })
}

/// What is missing of that which is required: evidence; and jobs without a signed approval, where
/// those are asked for.
fn missing(
    args: &VerifyArgs,
    context: &Context,
    repo: &Repo,
    range: &str,
    findings: &Findings,
) -> Result<(BTreeSet<String>, Option<Vec<Finding>>), EngineError> {
    let (mut lacks, mut unapproved) = (BTreeSet::new(), None);
    for what in &args.require {
        match what {
            Required::Proof => lacks.extend(ci::lacks(repo, range, findings, false)?),
            Required::All => lacks.extend(ci::lacks(repo, range, findings, true)?),
            Required::Approval(keys) => {
                let keys = keys.as_ref().or(args.keys.as_ref());
                let keys = keys.map(|keys| context.cwd.join(keys));
                if let Some(gone) = keys.as_ref().filter(|keys| !keys.is_file()) {
                    return Err(EngineError::Usage(format!("no keys in {}", gone.display())));
                }
                let found = proof::approvals::unapproved(repo, range, findings, keys.as_deref())?;
                unapproved.get_or_insert_with(Vec::new).extend(found);
            }
        }
    }
    Ok((lacks, unapproved))
}

/// Commits that a person took as they are, each with who and why.
pub(super) fn accepted(findings: &Findings) -> impl Iterator<Item = (&str, String)> {
    findings.accepted.iter().map(|one| {
        let by = one.by.replace(" <", ", ").replace('>', "");
        let (why, by) = (again::shown(&one.why), again::shown(&by));
        let facts = [("why", why.as_str()), ("by", by.as_str())];
        (one.commit.as_str(), voice::tell(Notice::AcceptTold, &facts))
    })
}

/// How many recorded commands ended as recorded, where they were run again.
pub(super) fn run_again(findings: &Findings) -> Option<String> {
    let all = findings.rerun.as_ref()?;
    let same = all.iter().filter(|one| one.outcome == again::Outcome::Same).count();
    let facts = [("same", same.to_string()), ("all", all.len().to_string())];
    let facts: Vec<(&str, &str)> = facts.iter().map(|(key, n)| (*key, n.as_str())).collect();
    Some(voice::tell(Notice::CiRerun, &facts))
}

/// How often a person went past the rules, where they did.
pub(super) fn bypasses(findings: &Findings) -> Option<String> {
    let all: u32 = findings.bypasses.values().sum();
    let each = findings.bypasses.iter().map(|(word, n)| format!("{word} {n}"));
    let (n, kinds) = (count(all as usize, "time"), each.collect::<Vec<_>>().join(" · "));
    (all > 0).then(|| voice::tell(Notice::VerifyBypasses, &[("n", &n), ("kinds", &kinds)]))
}

/// Prints an answer; `plain` commits belong to no job.
pub(super) fn told(findings: &Findings, plain: usize, out: &mut Report) -> Outcome {
    /// As many of one kind as a person reads.
    const SHOWN: usize = 20;
    out.json(findings);
    let list = |out: &mut Report, what: &str, some: &[Finding]| {
        // Neighbours for which the same is said stand on one line.
        let mut alike = some.chunk_by(|one, next| one.reason == next.reason);
        for group in alike.by_ref().take(SHOWN) {
            let [first, more @ ..] = group else { continue };
            let id: String = first.record.chars().take(20).collect();
            let more =
                if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
            out.line(format_args!("{what:<14}{id:<21} {}{more}", first.reason));
        }
        let left: usize = alike.map(<[Finding]>::len).sum();
        if left > 0 {
            out.line(format_args!("{what:<14}and {left} more"));
        }
    };
    list(out, "broken", &findings.broken);
    for commit in findings.undone.iter().take(SHOWN) {
        let id: String = commit.chars().take(20).collect();
        out.line(format_args!("{:<14}{id:<21} {}", "undone", voice::tell(Notice::StepUndone, &[])));
    }
    list(out, "followed", &findings.followed);
    for (id, told) in accepted(findings) {
        let id: String = id.chars().take(20).collect();
        out.line(format_args!("{:<14}{id:<21} {told}", "accepted"));
    }
    list(out, "not measured", &findings.not_measured);
    for (n, one) in findings.gone.iter().enumerate() {
        if n == SHOWN {
            out.line(format_args!("{:<14}and {} more", "", findings.gone.len() - n));
            break;
        }
        let (word, why) = if one.redacted {
            ("redacted", Notice::VerifyRedacted)
        } else {
            ("withheld", Notice::VerifyWithheld)
        };
        out.line(format_args!("{word:<14}{} {}: {}", one.job, one.path, voice::tell(why, &[])));
    }
    for told in run_again(findings).into_iter().chain(bypasses(findings)) {
        out.line(told);
    }
    let plain = if plain > 0 { format!(" · {plain} of no job") } else { String::new() };
    out.line(format_args!(
        "{} verified · {} broken · {} not measured{plain}",
        findings.verified,
        findings.broken.len(),
        findings.not_measured.len()
    ));
    match findings.ok {
        Some(true) => Outcome::Yes,
        Some(false) => Outcome::Refused,
        None => Outcome::Open,
    }
}

//! `git seed sync`

use std::path::PathBuf;
use std::time::Duration;

use super::{Context, Outcome, is_yes, refuse, report::Report};
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, Repo};
use crate::engine::sync::bundle;
use crate::engine::sync::carrier::Transport;
use crate::engine::sync::join::{Came, leave};
use crate::engine::sync::own::RulesAre;
use crate::engine::sync::remote::{First, Words};
use crate::engine::sync::rounds::{self, Asked, Synced};
use crate::engine::sync::why_fell;
use crate::shell::quoted_word;
use crate::voice::{self, Notice};

/// Exchange jobs, notes and records with a remote or another clone°
///
/// Jobs, closed jobs, records of rulings and notes go both ways and are merged. Rules go out if
/// they are ahead; rules of the remote come in as a proposal (`git seed rules diff --from`).
/// Prompts and answers travel only with the rule `[sync] prompts = true`. Your branches, HEAD,
/// index and files do not change, and nothing is pushed but the refs of git seed.
///
/// The remote is the one that your branch pushes to, else `origin`, else the only one. The first
/// sync shows where the refs go and asks. Git itself never asks for a password here, and after 60
/// seconds it ends.
#[derive(Debug, clap::Args)]
pub(super) struct SyncArgs {
    /// Name of the remote; when omitted, the one that git pushes to
    #[arg(conflicts_with_all = ["to", "from"])]
    remote: Option<String>,
    /// How refs travel: each by its name, or all in the branch `git-seed` of the remote, for a
    /// server that takes only branches; remembered for this remote
    #[arg(long, value_name = "how", conflicts_with_all = ["to", "from"])]
    transport: Option<Way>,
    /// Agree that the refs go to this owner, such as `github.com/ada`, without being asked
    #[arg(long = "owner", value_name = "host/owner", conflicts_with_all = ["to", "from"])]
    owners: Vec<String>,
    /// Seconds after which it ends
    #[arg(long, value_name = "s", default_value_t = 60,
          value_parser = clap::value_parser!(u16).range(1..))]
    timeout: u16,
    /// Show what would be merged and pushed; only fetch
    #[arg(long, conflicts_with = "to")]
    dry_run: bool,
    /// Write what would be pushed into a bundle, a file for `--from`
    #[arg(long, value_name = "bundle", conflicts_with = "from")]
    to: Option<PathBuf>,
    /// Check a bundle and merge what it holds; nothing is pushed
    #[arg(long, value_name = "bundle")]
    from: Option<PathBuf>,
}

/// How refs travel.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Way {
    Refs,
    Branch,
}

pub(super) fn run(
    args: &SyncArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let mut repo = context.own_repo()?;
    repo.store.remember_objects(16 << 20);
    let time = Duration::from_secs(u64::from(args.timeout));
    let answer = match (&args.to, &args.from) {
        (Some(file), _) if file.as_os_str() == "-" => {
            return Err(EngineError::Usage(voice::tell(Notice::SyncToNowhere, &[])).into());
        }
        (Some(file), _) => bundle::to(&repo, &context.cwd.join(file))?,
        (None, Some(file)) => Ok(bundle::from(&repo, &context.cwd.join(file), time, args.dry_run)?),
        (None, None) => {
            let asked = Asked {
                remote: args.remote.clone(),
                transport: args.transport.map(|way| match way {
                    Way::Refs => Transport::Refs,
                    Way::Branch => Transport::Branch,
                }),
                owners: args.owners.clone(),
                time,
                dry_run: args.dry_run,
            };
            rounds::sync(&repo, &asked, &mut |first| agrees(first, out))?
        }
    };
    match answer {
        Ok(synced) => {
            let outcome = tell(&repo, &synced, args, out)?;
            if let Some(gone) = leave::told(&repo)? {
                out.aside(&gone);
            }
            Ok(outcome)
        }
        Err(refusal) => Ok(refuse(&repo, &refusal, out)),
    }
}

/// Shows what goes where, and waits for a word.
fn agrees(first: &First, out: &mut Report) -> Result<bool, EngineError> {
    let mut line = |key: &str, value: &str| out.aside(&format!("{key:<8} {value}"));
    line("remote", &format!("{}   {}", first.remote, first.urls.join("   ")));
    line("owner", &first.owners.join(", "));
    let archive = if first.archive { Notice::SyncGoesArchive } else { Notice::SyncGoesOpen };
    let jobs = count(first.jobs, "job");
    line("sends", &voice::tell(archive, &[("jobs", &jobs)]));
    let words = match first.words {
        Words::Stay => Notice::SyncWithoutTexts,
        Words::Go => Notice::SyncWithTexts,
    };
    line("prompts", &voice::tell(words, &[]));
    if first.carries {
        line("format", &voice::tell(Notice::SyncCarries, &[]));
    }
    out.aside(&voice::tell(Notice::SyncAsks, &[("owner", &first.owners.join(", "))]));
    let mut said = String::new();
    std::io::stdin().read_line(&mut said)?;
    Ok(is_yes(&said))
}

fn tell(
    repo: &Repo,
    synced: &Synced,
    args: &SyncArgs,
    out: &mut Report,
) -> crate::engine::repo::Result<Outcome> {
    out.json(synced);
    out.pair("remote", format_args!("{}   {}", synced.remote, synced.transport));
    for row in synced.jobs.iter().filter(|row| row.result != Came::Same) {
        let name = name_of(repo, &row.id);
        let word = if args.dry_run { would(row.result) } else { word(row.result) };
        out.pair(word, format_args!("{}   {name}", row.id));
        for rejected in &row.rejected {
            // Of a dry run it is not known yet how the job comes to stand.
            let fell = crate::engine::sync::fell(repo, &row.id, rejected)?;
            let why = fell.filter(|_| !args.dry_run).unwrap_or_else(|| why_fell(&rejected.why));
            out.line(format_args!("         rejected: {} {}: {why}", rejected.step, rejected.id));
        }
    }
    let same = synced.jobs.iter().filter(|row| row.result == Came::Same).count();
    if same > 0 {
        out.pair("same", count(same, "job"));
    }
    for odd in &synced.aside {
        let facts = [("name", odd.name.as_str()), ("why", odd.why.as_str())];
        out.aside(&voice::tell(Notice::SyncSetAside, &facts));
    }
    if synced.packed {
        out.aside(&voice::tell(Notice::SyncPackHolds, &[]));
    }
    let remote = [("remote", synced.remote.as_str())];
    match synced.rules {
        RulesAre::Same => {}
        RulesAre::Pushed => out.pair("rules", voice::tell(Notice::SyncRulesPushed, &[])),
        RulesAre::Proposal => out.pair("rules", voice::tell(Notice::SyncRulesProposal, &remote)),
    }
    out.pair("state", &synced.state);
    if args.dry_run {
        out.pair("next", voice::tell(Notice::SyncDry, &[]));
    } else if let Some(file) = &args.to {
        let facts = [("file", &*quoted_word(&file.display().to_string()))];
        out.pair("next", voice::tell(Notice::SyncBundleNext, &facts));
    }
    Ok(if synced.aside.is_empty() { Outcome::Yes } else { Outcome::Failed })
}

/// What came of a job, as the first word of its line.
const fn word(came: Came) -> &'static str {
    match came {
        Came::New => "new",
        Came::Pulled => "pulled",
        Came::Pushed => "pushed",
        Came::Merged => "merged",
        Came::Same => "same",
        Came::SetAside => "aside",
    }
}

/// The same of a dry run, which does none of it.
const fn would(came: Came) -> &'static str {
    match came {
        Came::New => "new",
        Came::Pulled => "to pull",
        Came::Pushed => "to push",
        Came::Merged => "to merge",
        Came::Same => "same",
        Came::SetAside => "aside",
    }
}

/// What a job is called here.
fn name_of(repo: &Repo, id: &str) -> String {
    // One that was set aside, or does not read, is shown by its id.
    id.parse().ok().and_then(|id| crate::engine::sync::job_name(repo, &id).ok()).unwrap_or_default()
}

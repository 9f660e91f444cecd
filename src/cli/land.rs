//! `git seed land`

use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::engine::landing::asked::Asked;
use crate::engine::landing::below::Below;
use crate::engine::landing::differs::Differs;
use crate::engine::landing::land::{self, Fate, Landed};
use crate::engine::landing::offer;
use crate::engine::record;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, Repo};
use crate::jobs::{BadJobId, JobId, landing};
use crate::voice::{self, Notice};

/// Put a closed job's work on a new branch as one clean commit°
///
/// The commits of the phases become one commit, or one for each cycle, with the job's name and
/// objective as the message; a small job says what it was opened for. Memory (pages, knowledge, the
/// job's files) goes into one last commit. A commit of your own between them stays as it is. HEAD,
/// the index and your files do not change, and the commits of the phases are kept.
///
/// The new branch is `<branch>-landed`. The printed proof says that its files are exactly those of
/// the job's last commit. The message goes through the repository's commit-msg hook, and the
/// commit is signed if git is set to sign. The subject follows the style of the last fifty
/// subjects: a type (`fix: …`), a ticket, a capital letter.
#[derive(Debug, clap::Args)]
pub(super) struct LandArgs {
    /// Id of the job; when omitted, the newest closed one to land, of this worktree first
    job: Option<String>,
    /// Make one commit; this is the default
    #[arg(long, conflicts_with = "per_cycle")]
    one: bool,
    /// Make one commit for each cycle
    #[arg(long)]
    per_cycle: bool,
    /// Put the commits onto this commit instead of the one where the job began
    #[arg(long, value_name = "rev")]
    onto: Option<String>,
    /// Name of the new branch; the job's own branch is replaced, if nobody else has it
    #[arg(long, value_name = "name")]
    branch: Option<String>,
    /// Leave memory as it was before the job
    #[arg(long, conflicts_with = "with_memory")]
    without_memory: bool,
    /// Put memory into one last commit; this is the default
    #[arg(long)]
    with_memory: bool,
    /// Leave out the trailers `Seed-Job` and `Seed-Id`; `git seed verify` follows the commits by
    /// their notes and their content
    #[arg(long)]
    no_seed: bool,
    #[command(flatten)]
    pub(super) text: TextArgs,
    /// Show what would be made, and make nothing
    #[arg(long)]
    dry_run: bool,
}

impl LandArgs {
    /// Nothing is made, so anybody may ask.
    pub(super) fn only_shows(&self) -> bool {
        self.dry_run
    }

    /// The job alone is named, and nothing is said of how it lands.
    fn is_bare(&self) -> bool {
        let Self { job: _, one, per_cycle, onto, branch, without_memory, with_memory, .. } = self;
        let said = [*one, *per_cycle, *without_memory, *with_memory, self.no_seed, self.dry_run];
        let no_words = self.text.is_absent();
        !said.contains(&true) && onto.is_none() && branch.is_none() && no_words
    }

    /// A person let the job land as it was shown to them, and nothing else is asked for.
    pub(super) fn is_granted(&self, repo: &Repo) -> Result<bool, EngineError> {
        let id = self.job.as_deref().and_then(|id| id.parse::<JobId>().ok());
        match id.filter(|_| self.is_bare()) {
            Some(id) if repo.is_seeded()? && record::archive::knows(repo, &id)? => {
                Ok(offer::granted(repo, &id)?.is_some())
            }
            _ => Ok(false),
        }
    }
}

pub(super) fn run(
    args: &LandArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    let Some(id) = which(&repo, args.job.as_deref())? else {
        let said = voice::tell(Notice::LandNoJob, &[]);
        let next = voice::next(Notice::LandNoJob, &[]);
        return Ok(refuse(&repo, &landing::no_job(said, next), out));
    };
    let text = args.text.given()?;
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(EngineError::Usage(voice::tell(Notice::LandNoWords, &[])).into());
    }
    let granted = if args.is_bare() { offer::granted(&repo, &id)? } else { None };
    let asked = granted.map_or_else(
        || Asked {
            per_cycle: args.per_cycle,
            onto: args.onto.clone(),
            branch: args.branch.clone(),
            without_memory: args.without_memory,
            text,
            subject: None,
            no_seed: args.no_seed,
            dry_run: args.dry_run,
        },
        offer::asked,
    );
    match land::land(&repo, &id, &asked)? {
        Ok(landed) => {
            tell(&landed, out);
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(&repo, &refusal, out)),
    }
}

/// The job that is meant: by id, or the newest closed one to land.
fn which(repo: &Repo, job: Option<&str>) -> Result<Option<JobId>, EngineError> {
    match job {
        Some(id) => {
            id.parse().map(Some).map_err(|bad: BadJobId| EngineError::Usage(bad.to_string()))
        }
        None => land::newest_to_land(repo),
    }
}

fn tell(landed: &Landed, out: &mut Report) {
    out.json(landed);
    let short = |id: &str| id.chars().take(7).collect::<String>();
    out.pair("job", format_args!("{}   {}", landed.name, landed.job));
    for row in &landed.commits {
        let commit = row.commit.as_deref().map_or_else(|| "(new)".to_owned(), short);
        let labs = match &row.fate {
            Fate::OfJob => {
                let commits = count(row.stands_for.len(), "commit");
                voice::tell(Notice::LandStandsFor, &[("commits", &commits)])
            }
            Fate::Kept => voice::tell(Notice::LandKeptCommit, &[]),
            Fate::Moved => voice::tell(Notice::LandMovedCommit, &[]),
            Fate::Unsigned(by) => voice::tell(Notice::LandLostSignature, &[("by", by)]),
            Fate::SignedAnew => voice::tell(Notice::LandSignedAnew, &[]),
        };
        out.pair("commit", format_args!("{commit:<7} {}   {labs}", row.subject));
        if !row.lost.is_empty() {
            let facts = [("lines", &*row.lost.join(", ")), ("commit", &commit)];
            out.pair("lost", voice::tell(Notice::LandLostLines, &facts));
        }
    }
    unlike(landed, out);
    let base = landed.base.as_deref().map_or_else(|| "-".to_owned(), short);
    out.pair("branch", format_args!("{}   on {base}", landed.branch));
    if let Some(one) = &landed.below {
        out.pair("below", below(one));
    }
    let proof = match (landed.onto.is_some(), landed.product_identical) {
        (_, true) if landed.whole && landed.goes_on => Notice::LandSameBranch,
        (_, true) if landed.whole => Notice::LandSameTree,
        (false, true) => Notice::LandSameProduct,
        (true, true) => Notice::LandSameChange,
        (_, false) if !landed.differs.is_empty() => Notice::LandUnproved,
        (_, false) => Notice::LandOtherChange,
    };
    let (tree, commit) = (short(&landed.tree), unproved(landed));
    out.pair("proof", voice::tell(proof, &[("tree", &tree), ("commit", &commit)]));
    if !landed.memory_kept.is_empty() {
        let paths = landed.memory_kept.join(", ");
        out.pair("memory", voice::tell(Notice::LandMemoryKept, &[("paths", &paths)]));
    }
    if let Some(why) = &landed.waits {
        out.pair("notes", voice::tell(Notice::LandNotesWait, &[("why", why)]));
    }
    out.pair("kept", voice::tell(Notice::LandKept, &[("ref", landed.kept)]));
    let next = match landed.tip {
        Some(_) => voice::tell(Notice::LandNext, &[("branch", &landed.branch)]),
        None => voice::tell(Notice::LandDry, &[]),
    };
    out.pair("next", next);
}

/// Commits that are not what a reader of the branch would take them for, or are not on it.
fn unlike(landed: &Landed, out: &mut Report) {
    let short = |id: &str| id.chars().take(7).collect::<String>();
    for one in &landed.differs {
        out.pair("differs", told_of(one));
    }
    for one in &landed.left_out {
        let why = voice::tell(Notice::LandLeftOut, &[]);
        out.pair("left out", format_args!("{} {}   {why}", short(&one.commit), one.subject));
    }
    for one in &landed.reverted {
        let why = voice::tell(Notice::LandReverted, &[("paths", &shown(&one.paths))]);
        out.pair("reverted", format_args!("{} {}   {why}", short(&one.commit), one.subject));
    }
}

/// A step of another job that is handed in with it.
fn below(one: &Below) -> String {
    let commit: String = one.commit.chars().take(7).collect();
    let (landed, line) = (one.landed.as_deref(), one.line.as_deref());
    let notice = match (landed, line) {
        (_, None) => Notice::LandBelowOnly,
        (None, Some(_)) => Notice::LandBelow,
        (Some(_), Some(_)) => Notice::LandBelowLanded,
    };
    let (landed, line) = (landed.unwrap_or_default(), line.unwrap_or_default());
    let facts = [("commit", &*commit), ("job", &one.name), ("landed", landed), ("line", line)];
    voice::tell(notice, &facts)
}

/// As many paths as a person reads.
fn shown(paths: &[String]) -> String {
    const SHOWN: usize = 3;
    let mut shown: Vec<&str> = paths.iter().take(SHOWN).map(String::as_str).collect();
    let more = format!("and {} more", paths.len().saturating_sub(SHOWN));
    shown.extend((paths.len() > SHOWN).then_some(&*more));
    shown.join(", ")
}

/// A commit of the job that is not what its step recorded.
fn told_of(one: &Differs) -> String {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    let (commit, recorded) = (short(&one.commit), short(&one.recorded));
    let paths = shown(&one.paths);
    let facts = [("commit", &*commit), ("recorded", &*recorded), ("paths", &*paths)];
    voice::tell(Notice::LandDiffers, &facts)
}

/// The first commit that was made of such a one.
fn unproved(landed: &Landed) -> String {
    let differs = |lab: &String| landed.differs.iter().any(|one| one.commit == *lab);
    let row = landed.commits.iter().find(|row| row.stands_for.iter().any(differs));
    let commit = row.and_then(|row| row.commit.as_deref()).unwrap_or("<commit>");
    commit.chars().take(12).collect()
}

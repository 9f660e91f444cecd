//! `git seed rules …`

use std::path::{Path, PathBuf};

use crate::engine::{jobs, policy, setup};
use crate::voice::own::OwnRow;
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::report::{Report, unified_diff};
use super::searched::Searched;
use super::{Context, Outcome};
use crate::engine::repo::{EngineError, LoadedJob, Repo};
use crate::jobs::BadJobId;
use crate::rules::direction::Direction;
use crate::rules::{Change, Rules};

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// Show the rules in force
    Show,
    /// Check seed.toml in the work tree
    Check {
        #[command(flatten)]
        of: Of,
        /// Exit with 2 if seed.toml loosens a key that this file of rules names
        #[arg(long, value_name = "file", conflicts_with_all = ["job", "from"])]
        policy: Option<PathBuf>,
        /// Search the tracks for dead ends: phases out of which no job comes
        #[arg(long, conflicts_with_all = ["policy", "from"])]
        search: bool,
    },
    /// Show how seed.toml differs from the rules in force
    Diff {
        #[command(flatten)]
        of: Of,
    },
    /// Put seed.toml into force°
    Apply {
        #[command(flatten)]
        of: Of,
    },
}

/// Whose rules are meant.
#[derive(Debug, clap::Args)]
pub(super) struct Of {
    /// Use the rules of one job only: `.claude/jobs/<id>/seed.toml`, with [[phase]] and [[note]]
    /// rows
    ///
    /// These rules can only add and tighten: read-only phases, gates, sections and kinds of
    /// notes. They cannot change what protects the person in the rules of the repository.
    #[arg(long, value_name = "id")]
    job: Option<String>,
    /// Use the signed policy on the default branch of this remote, else the rules that the last
    /// `git seed sync` found there
    #[arg(long, value_name = "remote", conflicts_with = "job")]
    from: Option<String>,
}

/// A text of rules that is to come into force.
struct Proposal {
    /// The job that it binds, if it is for one alone.
    job: Option<LoadedJob>,
    file: String,
    text: String,
    /// It is the rules in force, with the keys of a team's policy.
    is_policy: bool,
    /// Keys that this policy does not name: an earlier one did, by this clone's own notes.
    dropped: Vec<String>,
    /// What it takes the place of.
    applied: Option<String>,
}

impl Proposal {
    fn read(repo: &Repo, of: &Of) -> crate::cli::Result<Self> {
        if let Some(remote) = &of.from {
            let ((file, text, is_policy), dropped) = Self::of_remote(repo, remote)?;
            let applied = repo.applied_rules()?;
            return Ok(Self { job: None, file, text, is_policy, dropped, applied });
        }
        let Some(id) = &of.job else {
            let (text, applied) = (setup::in_force::proposed_rules(repo)?, repo.applied_rules()?);
            let file = "seed.toml".to_owned();
            let dropped = Vec::new();
            return Ok(Self { job: None, file, text, is_policy: false, dropped, applied });
        };
        let id = id.parse().map_err(|bad: BadJobId| EngineError::Usage(bad.to_string()))?;
        let job = repo.job(&id)?;
        let ((file, text), applied) =
            (jobs::plan::proposed_job_rules(repo, &job)?, jobs::plan::job_rules(repo, &job)?);
        let (job, dropped) = (Some(job), Vec::new());
        Ok(Self { job, file, text, is_policy: false, dropped, applied })
    }

    /// The policy of a remote, where there is one that counts; else what a sync brought, where that
    /// remote has no file that could be one, or nobody is named who may sign it.
    fn of_remote(
        repo: &Repo,
        remote: &str,
    ) -> crate::cli::Result<((String, String, bool), Vec<String>)> {
        match policy::of_remote(repo, remote)? {
            Ok(policy) => {
                let file = voice::tell(Notice::PolicyFile, &[("remote", remote)]);
                Ok(((file, policy.wanted, true), policy.dropped))
            }
            // Nothing that nobody signed takes the place of what does not count.
            Err(Some(why)) => {
                let next = voice::tell(Notice::NextRules, &[]);
                Err(EngineError::NotNow { why, next }.into())
            }
            Err(None) => {
                let text = setup::in_force::fetched_rules(repo, remote)?;
                Ok(((format!("the rules of {remote}"), text, false), Vec::new()))
            }
        }
    }

    fn check(&self, repo: &Repo) -> Result<(), EngineError> {
        match &self.job {
            Some(job) => jobs::plan::check_job_rules(repo, job, &self.file, &self.text),
            None => setup::in_force::check_rules(&self.text),
        }
    }

    fn apply(&self, repo: &Repo) -> Result<(), EngineError> {
        match &self.job {
            _ if self.applied.as_deref() == Some(self.text.as_str()) => Ok(()),
            Some(job) => jobs::plan::apply_job_rules(repo, job, &self.file, &self.text),
            None => setup::in_force::apply_rules(repo, &self.text),
        }
    }

    fn changes(&self, repo: &Repo) -> Result<Vec<Change>, EngineError> {
        if self.job.is_none() {
            return Ok(Rules::changes(self.applied.as_deref(), &self.text)?);
        }
        let below = repo.applied_rules()?;
        let whole = |own: &str| Rules::job_text(below.as_deref(), own);
        Ok(Rules::changes(
            Some(&whole(self.applied.as_deref().unwrap_or_default())?),
            &whole(&self.text)?,
        )?)
    }
}

pub(super) fn run(
    command: &RulesCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    // Rules that do not hold are mended with these commands.
    let repo = context.seed_under_any_rules()?;
    match command {
        RulesCommand::Show => show(&repo, out),
        RulesCommand::Check { policy: Some(file), .. } => {
            beside_policy(&repo, &context.cwd.join(file), out)
        }
        RulesCommand::Check { of, search: true, .. } => search(&repo, of, out),
        RulesCommand::Check { of, .. } => check(&repo, of, out),
        RulesCommand::Diff { of } => diff(&repo, of, out),
        RulesCommand::Apply { of } => apply(&repo, of, out),
    }
}

/// In an agent's session the rules are shown without the tables that pace and size it; the JSON
/// form, which holds them all, is the person's.
fn for_people_only(repo: &Repo, command: &str, out: &mut Report) -> Option<Outcome> {
    if !out.is_json() || !crate::engine::setup::git_hooks::agent_is_above() {
        return None;
    }
    Some(super::refuse(repo, &crate::phases::commands::figures("rules", command), out))
}

/// A text of rules as this session may see it.
fn shown(text: String) -> String {
    if crate::engine::setup::git_hooks::agent_is_above() { without_pace(&text) } else { text }
}

/// Leaves out the tables that pace a phase, and that say how large small work is.
fn without_pace(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let key = line.trim_start();
        if key.starts_with('[') {
            inside = key.starts_with("[phase.pace") || key.starts_with("[lane]");
        }
        let own = ["pace", "lane"].iter().any(|table| {
            key.strip_prefix(table).is_some_and(|rest| rest.starts_with([' ', '=', '.']))
        });
        if !inside && !own {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn show(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    if let Some(refused) = for_people_only(repo, "git seed rules show --json", out) {
        return Ok(refused);
    }
    let applied = repo.applied_rules()?.map(shown);
    let in_force = Rules::in_force(applied.as_deref());
    let wrong = in_force
        .as_ref()
        .err()
        .map(|bad| bad.told("the applied rules", applied.as_deref().unwrap_or_default()));
    out.json(&serde_json::json!({
        "shipped": Rules::shipped_text(), "applied": applied, "in_force": in_force.ok(),
        "wrong": wrong,
    }));
    if let Some(text) = applied {
        out.line(voice::tell(Notice::RulesApplied, &[]));
        if let Some(wrong) = wrong {
            out.line(format_args!("# They are not valid: {wrong}"));
        }
        out.line("");
        out.line(text.trim_end());
        out.line("");
        out.line(
            "# ------------------------------------------------------------------------------",
        );
    }
    out.line(shown(Rules::shipped_text().to_owned()).trim_end());
    if let Some(own) =
        repo.focused()?.map(|job| jobs::plan::job_rules(repo, &job)).transpose()?.flatten()
    {
        out.line(
            "\n# ------------------------------------------------------------------------------",
        );
        out.line(format_args!("{}\n", voice::tell(Notice::RulesOfJobAlone, &[])));
        out.line(shown(own).trim_end());
    }
    Ok(Outcome::Yes)
}

fn check(repo: &Repo, of: &Of, out: &mut Report) -> crate::cli::Result<Outcome> {
    let proposal = Proposal::read(repo, of)?;
    proposal.check(repo)?;
    out.json(&serde_json::json!({ "ok": true }));
    let job = match (&of.from, proposal.job) {
        (Some(remote), _) => format!(" --from {remote}"),
        (None, Some(job)) => format!(" --job {}", job.state.job.id),
        (None, None) => String::new(),
    };
    out.line(voice::tell(Notice::RulesSound, &[("file", &proposal.file), ("job", &job)]));
    Ok(Outcome::Yes)
}

/// Checks a proposal, and looks for dead ends of the tracks that it makes.
fn search(repo: &Repo, of: &Of, out: &mut Report) -> crate::cli::Result<Outcome> {
    let proposal = Proposal::read(repo, of)?;
    proposal.check(repo)?;
    let text = match proposal.job {
        Some(_) => Rules::job_text(repo.applied_rules()?.as_deref(), &proposal.text),
        None => Ok(proposal.text.clone()),
    };
    let rules = text.and_then(|text| Rules::with(&text)).map_err(EngineError::from)?;
    let searched: Vec<Searched> = rules.search().into_iter().map(Searched::from).collect();
    let ok = searched.iter().all(Searched::is_clear);
    out.json(&serde_json::json!({ "ok": ok, "search": searched }));
    searched.iter().flat_map(Searched::told).for_each(|line| out.line(line));
    Ok(if ok { Outcome::Yes } else { Outcome::Refused })
}

fn is_without_proposal(failed: &super::failure::Failure) -> bool {
    matches!(failed.kind::<EngineError>(), Some(EngineError::NoProposal))
}

fn diff(repo: &Repo, of: &Of, out: &mut Report) -> crate::cli::Result<Outcome> {
    if let Some(refused) = for_people_only(repo, "git seed rules diff --json", out) {
        return Ok(refused);
    }
    let voices = crate::engine::voices::voices(repo);
    let worded: Vec<_> = voices.rows().iter().map(OwnRow::told).collect();
    for row in &worded {
        out.line(voice::tell(Notice::VoiceInForce, &[("row", row)]));
    }
    let proposal = match Proposal::read(repo, of) {
        // The sentences that the repository words itself are all that differs.
        Err(failed) if !worded.is_empty() && is_without_proposal(&failed) => {
            out.json(&serde_json::json!({
                "in_force": null, "proposed": null, "diff": "", "voices": worded,
            }));
            return Ok(Outcome::Yes);
        }
        read => read?,
    };
    let (file, proposal_changes) = (proposal.file.as_str(), proposal.changes(repo));
    let proposed = shown(proposal.text.clone());
    let applied = proposal.applied.clone().map(shown);
    // A proposal names what shall differ; beside the whole shipped text all else would seem to go.
    let (name, in_force, before) = match &applied {
        Some(text) if proposal.job.is_none() => {
            ("refs/seed/rules (in force)", text.as_str(), text.as_str())
        }
        Some(text) => ("the job's rules (in force)", text.as_str(), text.as_str()),
        None if proposal.job.is_some() => ("the job's rules (none)", "", ""),
        None => ("the shipped rules (in force)", Rules::shipped_text(), ""),
    };
    let text = unified_diff(before, &proposed, (name, file));
    // Where it does not hold nothing can be said; what paces an agent is not told to it.
    let mut changes = proposal_changes.unwrap_or_default();
    changes.retain(|change| {
        !change.key.contains("pace") || !crate::engine::setup::git_hooks::agent_is_above()
    });
    out.json(&serde_json::json!({
        "in_force": in_force, "proposed": proposed, "diff": text, "voices": worded,
        "changes": changes.iter().map(as_json).collect::<Vec<_>>(),
    }));
    if text.is_empty() {
        out.line(voice::tell(Notice::RulesSame, &[("file", file)]));
        return Ok(Outcome::Yes);
    }
    out.diff(&text);
    if !changes.is_empty() {
        out.line("");
        tell(&changes, out);
    }
    tell_dropped(&proposal, out);
    let stay = proposal.job.is_some() || proposal.is_policy;
    let rest = if stay { Notice::RestOfRules } else { Notice::RestShipped };
    out.line(format_args!("\n{}", voice::tell(rest, &[("file", file)])));
    Ok(Outcome::Yes)
}

fn apply(repo: &Repo, of: &Of, out: &mut Report) -> crate::cli::Result<Outcome> {
    let proposal = Proposal::read(repo, of)?;
    proposal.check(repo)?;
    let changes = proposal.changes(repo)?;
    proposal.apply(repo)?;
    let told: Vec<_> = changes.iter().map(as_json).collect();
    out.json(&serde_json::json!({ "applied": true, "changes": told }));
    tell(&changes, out);
    tell_dropped(&proposal, out);
    let (file, whom) = (&proposal.file, if proposal.job.is_some() { " for this job" } else { "" });
    if changes.is_empty() {
        out.line(voice::tell(Notice::RulesNoChange, &[("file", file), ("whom", whom)]));
    } else {
        out.line(format_args!("{file} is in force{whom}."));
    }
    Ok(Outcome::Yes)
}

/// Keys that come back as shipped though the policy does not speak of them.
fn tell_dropped(proposal: &Proposal, out: &mut Report) {
    if !proposal.dropped.is_empty() {
        let keys = proposal.dropped.join(", ");
        out.line(voice::tell(Notice::PolicyDropped, &[("file", &proposal.file), ("keys", &keys)]));
    }
}

fn as_json(change: &Change) -> serde_json::Value {
    let Change { key, was, now } = change;
    serde_json::json!({ "key": key, "was": was, "now": now, "way": change.direction() })
}

/// What seed.toml has otherwise than the policy in `file`, of the keys that this one names.
fn beside_policy(repo: &Repo, file: &Path, out: &mut Report) -> crate::cli::Result<Outcome> {
    let shown = file.display().to_string();
    let bytes = crate::world::read_if_there(file).map_err(EngineError::from)?;
    let none = || EngineError::Usage(format!("no rules in {shown}"));
    let policy = String::from_utf8_lossy(&bytes.ok_or_else(none)?).into_owned();
    let own = match setup::in_force::proposed_rules(repo) {
        // Without the file the shipped rules hold.
        Err(EngineError::NoProposal) => String::new(),
        read => read?,
    };
    setup::in_force::check_rules(&own)?;
    let sound = Rules::with(&policy);
    sound.map_err(|bad| EngineError::Proposal(bad.told(&shown, &policy)))?;
    let changes = Rules::beside_policy(&own, &policy).map_err(EngineError::from)?;
    let loosened = changes.iter().filter(|one| one.direction() == Direction::Loosens).count();
    let told: Vec<_> = changes.iter().map(as_json).collect();
    out.json(&serde_json::json!({ "ok": loosened == 0, "changes": told }));
    let keys = crate::engine::repo::text::count(loosened, "key");
    let facts = [("file", shown.as_str()), ("count", &keys)];
    if loosened == 0 {
        out.line(voice::tell(Notice::PolicyKept, &facts));
    } else {
        out.line(voice::tell(Notice::PolicyLoosened, &facts));
    }
    tell(&changes, out);
    Ok(if loosened == 0 { Outcome::Yes } else { Outcome::Refused })
}

/// What changed, one key in a line; a whole row that came or went in one line.
fn tell(changes: &[Change], out: &mut Report) {
    let row = |change: &Change| change.key.rsplit_once(": ").map(|(row, _)| row.to_owned());
    let whole = |change: &Change| {
        change.key.ends_with(": kind") && (change.was.is_none() || change.now.is_none())
    };
    let rows: Vec<String> = changes.iter().filter(|change| whole(change)).filter_map(row).collect();
    for change in changes {
        let own = row(change).filter(|row| rows.contains(row));
        match (own, &change.was, &change.now) {
            (Some(row), None, _) if whole(change) => out.line(format_args!("{row}  is new")),
            (Some(row), ..) if whole(change) => out.line(format_args!("{row}  is gone")),
            (Some(_), ..) => {}
            (None, was, now) => {
                let said =
                    |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
                let way = change.direction().word();
                out.line(format_args!("{}  {} -> {}  {way}", change.key, said(was), said(now)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_sees_the_rules_without_what_paces_it() {
        let text = "lane.files = 2\nidle = \"open\"\n[[phase]]\nname = \"plan\"\npace.least = 4\n\
            [phase.pace]\nmost = 30\npays = { read = 9 }\n\n[lane]\nlines = 60\n\
            [commit]\nsubject = \"x\"\n";
        let shown = without_pace(text);
        assert_eq!(
            shown,
            "idle = \"open\"\n[[phase]]\nname = \"plan\"\n[commit]\nsubject = \"x\"\n"
        );
    }
}

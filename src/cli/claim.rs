//! `git seed claim …`

use crate::engine::{claims, judge};
use crate::voice::{self, Notice};
use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::report::{Report, Tint};
use super::width::shortened;
use super::{Context, Outcome, TextArgs};
use crate::claims::table::KINDS as EVIDENCE;
use crate::claims::{ActionType, Claim, EvidenceType};
use crate::engine::claims::gate::{ACTIONS, Answer, Response, items, word};
use crate::engine::repo::{EngineError, Repo};

#[derive(Debug, Subcommand)]
pub(super) enum ClaimCommand {
    /// Check a claim against the repository and the recorded runs
    ///
    /// Run this before you say that something is fixed, tested or done. The ruling is
    /// recorded. Exit code 2 means that you have to change the claim; the reasons are on
    /// standard error.
    Verify(VerifyArgs),
    /// Compare the paths that you say a change touches with what git shows
    Paths {
        /// Paths or functions that you say the change touches
        #[arg(long, value_name = "item", value_delimiter = ',')]
        affected: Vec<String>,
        /// Paths or functions that you say were tested
        #[arg(long, value_name = "item", value_delimiter = ',')]
        tested: Vec<String>,
    },
    /// Check that an explanation leads from a cause to its symptom
    Trace {
        /// What goes wrong; when omitted, the text of -m or -F
        #[arg(long, value_name = "text", value_parser = said,
            required_unless_present_any = ["message", "file"],
            conflicts_with_all = ["message", "file"])]
        symptom: Option<String>,
        #[command(flatten)]
        text: TextArgs,
        /// A step from the cause to the symptom; repeat the option, or write -> between steps
        #[arg(long, value_name = "step", required = true, value_parser = said)]
        chain: Vec<String>,
    },
    /// Ask for a ruling before a commit, a push, a deployment or an assertion
    Gate(GateArgs),
    /// Show the id of this session and how many of its claims passed the gate
    Checkpoint {
        #[command(flatten)]
        text: TextArgs,
    },
    /// Summarize the claims of the session, or show how many commits carry a ruling
    Report {
        /// Show how many commits have exactly the tree that a ruling let pass
        #[arg(long)]
        coverage: bool,
        /// Check these commits instead of the commits of the job
        #[arg(long, value_name = "range", requires = "coverage")]
        range: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The claim: what you are about to say
    #[arg(
        short = 'm',
        long,
        visible_alias = "message",
        value_name = "text",
        required_unless_present = "file",
        value_parser = said
    )]
    claim: Option<String>,
    /// Read the claim from a file, or from standard input with `-`
    #[arg(short = 'F', long = "file", value_name = "file", conflicts_with = "claim")]
    file: Option<OsString>,
    /// The evidence for the claim
    #[arg(long, value_name = "text", default_value = "")]
    evidence: String,
    /// The kind of evidence
    #[arg(long = "type", value_name = "kind", value_parser = kinds())]
    evidence_type: EvidenceType,
    /// Paths, ends of paths or function names that were tested
    #[arg(long, value_name = "item", value_delimiter = ',')]
    tested: Vec<String>,
    /// Paths, ends of paths or function names that the change touches
    #[arg(long, value_name = "item", value_delimiter = ',')]
    affected: Vec<String>,
    /// An artifact that the claim refers to
    #[arg(long, value_name = "item", value_delimiter = ',')]
    source: Option<Vec<String>>,
    /// An artifact that you opened
    #[arg(long, value_name = "path", value_delimiter = ',')]
    read: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(super) struct GateArgs {
    /// What you are about to do
    #[arg(long, value_name = "act", value_parser = actions())]
    action: ActionType,
    /// How sure you are, from 0 to 1
    #[arg(long, value_name = "share", value_parser = share)]
    confidence: f64,
    /// How many pieces of evidence you have
    #[arg(long, value_name = "n")]
    evidence_count: u32,
    /// The best kind of evidence among them
    #[arg(long = "type", value_name = "kind", value_parser = kinds())]
    evidence_type: EvidenceType,
    /// Users of the product notice the change
    #[arg(long)]
    user_facing: bool,
    /// An artifact that you refer to
    #[arg(long, value_name = "item", value_delimiter = ',')]
    reference: Option<Vec<String>>,
    /// An artifact that you opened
    #[arg(long, value_name = "path", value_delimiter = ',')]
    read: Option<Vec<String>>,
    /// Who makes the claim, if it is not your own
    #[arg(long, value_name = "whose", value_parser = said)]
    authority: Option<String>,
}

/// One of the words for `values`, and nothing else.
fn one_of<T>(values: &[T]) -> impl clap::builder::TypedValueParser<Value = T> + use<T>
where
    T: serde::Serialize + DeserializeOwned + Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(values.iter().map(|value| word(*value)).collect::<Vec<_>>())
        .try_map(|word| serde_json::from_value::<T>(Value::String(word)))
}

fn kinds() -> impl clap::builder::TypedValueParser<Value = EvidenceType> {
    one_of(&EVIDENCE)
}

fn actions() -> impl clap::builder::TypedValueParser<Value = ActionType> {
    one_of(&ACTIONS)
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// A text that says something.
fn said(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("the text is empty".to_owned()) } else { Ok(text.to_owned()) }
}

pub(super) fn run(
    command: &ClaimCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let quiet = |_: u32, _: Notice| {};
    let answer = match command {
        ClaimCommand::Verify(args) => claims::gate::verify_claim(&repo, claim_of(args)?, &quiet)?,
        ClaimCommand::Gate(args) => claims::gate::response_gate(&repo, response_of(args), &quiet)?,
        ClaimCommand::Trace { symptom, text, chain } => {
            let symptom = symptom.clone().map_or_else(|| text.read(), Ok)?;
            let symptom = said(symptom.trim()).map_err(EngineError::Usage)?;
            let steps: Vec<String> = chain.iter().flat_map(|step| items(step, '→')).collect();
            claims::gate::causal_trace(&repo, &symptom, &steps, &quiet)?
        }
        ClaimCommand::Paths { affected, tested } => {
            let answer = claims::gate::verify_paths(&repo, &tidy(affected), &tidy(tested), &quiet)?;
            out.json(&answer.json);
            show_paths(&answer.json, out);
            return Ok(Outcome::Yes);
        }
        ClaimCommand::Checkpoint { text } => {
            let answer = claims::gate::claim_checkpoint(&repo, text.read()?.trim())?;
            out.json(&answer.json);
            let counters = &answer.json["counters"];
            out.pair("trace", answer.json["trace_id"].as_str().unwrap_or_default());
            out.pair(
                "claims",
                format_args!(
                    "{} let through, {} sent back",
                    counters["opened"], counters["sent_back"]
                ),
            );
            return Ok(Outcome::Yes);
        }
        ClaimCommand::Report { coverage: true, range } => {
            return coverage(&repo, range.as_deref(), out);
        }
        ClaimCommand::Report { .. } => {
            let answer = claims::gate::session_report(&repo)?;
            out.json(&answer.json);
            show_report(&answer.json, out);
            return Ok(Outcome::Yes);
        }
    };
    Ok(ruled(&answer, out))
}

fn claim_of(args: &VerifyArgs) -> crate::cli::Result<Claim> {
    let file = TextArgs { message: args.claim.clone(), file: args.file.clone() };
    let text = file.read()?.trim().to_owned();
    if text.is_empty() {
        return Err(EngineError::Usage(voice::tell(Notice::ClaimEmpty, &[])).into());
    }
    Ok(Claim {
        text,
        evidence: args.evidence.clone(),
        evidence_type: args.evidence_type,
        code_paths_tested: tidy(&args.tested),
        code_paths_affected: tidy(&args.affected),
        referenced_sources: args.source.as_deref().map(tidy),
        read_paths: args.read.as_deref().map(tidy),
        as_said: false,
    })
}

fn response_of(args: &GateArgs) -> Response {
    Response {
        action_type: args.action,
        confidence: args.confidence,
        evidence_count: args.evidence_count,
        evidence_type: args.evidence_type,
        affects_user_facing: args.user_facing,
        artifact_references: args.reference.as_deref().map(tidy),
        artifact_paths_read: args.read.as_deref().map(tidy),
        claim_authority: args.authority.clone(),
    }
}

fn tidy(list: &[String]) -> Vec<String> {
    list.iter().flat_map(|text| items(text, ',')).collect()
}

/// Says a ruling: one line where the way is open, else the reasons, for whoever has to change it.
fn ruled(answer: &Answer, out: &mut Report) -> Outcome {
    out.json(&answer.json);
    let directive = answer.directive.map(word).unwrap_or_default();
    let record: String =
        answer.json["record"].as_str().unwrap_or_default().chars().take(12).collect();
    if !answer.opens {
        let mut text = voice::tell(Notice::ClaimCannotStand, &[("directive", &directive)]);
        for reason in &answer.reasons {
            text.push_str(&format!("\n  {reason}"));
        }
        let suggested = texts(&answer.json["suggestions"]).next();
        if let Some(step) = answer.json["next"].as_str().or(suggested) {
            text.push_str(&format!("\nDo: {step}.\nThen: ask again."));
        }
        return out.refused(&text);
    }
    let directive = out.tint(Tint::Good, directive);
    out.line(format_args!("{directive}  record {record}"));
    for reason in &answer.reasons {
        out.line(format_args!("  {reason}"));
    }
    for gap in texts(&answer.json["gaps"]) {
        out.line(format_args!("  {gap}"));
    }
    Outcome::Yes
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn show_paths(json: &Value, out: &mut Report) {
    let rows = [
        ("changed", "repo_changed_files"),
        ("missed", "missed_by_llm"),
        ("phantom", "phantom_claims"),
        ("untested", "untested_repo_paths"),
    ];
    for (key, field) in rows {
        let list: Vec<&str> = texts(&json[field]).collect();
        if !list.is_empty() {
            out.pair(key, list.join(", "));
        }
    }
    for warning in texts(&json["warnings"]) {
        out.line(warning);
    }
    if json["repo_surface_size"] == 0 {
        out.line(voice::tell(Notice::NothingToClaim, &[]));
    }
}

fn show_report(json: &Value, out: &mut Report) {
    out.pair("claims", &json["total"]);
    for (directive, count) in json["directives"].as_object().into_iter().flatten() {
        out.pair(directive, count);
    }
    for claim in json["last_claims"].as_array().into_iter().flatten() {
        let said = claim["claim"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        let said = shortened(said, 60);
        out.line(format_args!("{:<10} {said}", claim["directive"].as_str().unwrap_or_default()));
    }
    let chain = &json["chain"];
    let holds = match chain["valid"].as_bool() {
        Some(true) => "holds".to_owned(),
        Some(false) => format!("broken at {}", chain["broken_at"].as_str().unwrap_or_default()),
        None => chain["reason"].as_str().unwrap_or_default().to_owned(),
    };
    out.pair("chain", format_args!("{} records, {holds}", chain["count"]));
}

fn coverage(repo: &Repo, range: Option<&str>, out: &mut Report) -> crate::cli::Result<Outcome> {
    if let Some(range) = range {
        judge::ci::is_there(repo, range)?;
    }
    let coverage = claims::gate::gate_coverage(repo, range)?;
    out.json(&coverage);
    let commits = crate::engine::repo::text::count(coverage.commits, "commit");
    let covered = coverage.covered.to_string();
    out.line(voice::tell(Notice::ClaimCoverage, &[("covered", &covered), ("commits", &commits)]));
    for commit in coverage.uncovered.iter().take(10) {
        out.line(format_args!(
            "  no ruling  {}",
            commit.as_str().chars().take(12).collect::<String>()
        ));
    }
    Ok(Outcome::Yes)
}

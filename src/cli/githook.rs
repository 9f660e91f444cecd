//! `git-seed githook <name>`: what git's own hooks ask.

use super::{Context, Outcome, refuse};
use crate::claims::hooks;
use crate::cli::report::Report;
use crate::engine::repo::{EngineError, Repo};
use crate::engine::setup;
use crate::engine::setup::git_hooks::GitHook;
use crate::engine::sync::on_push;
use crate::rules::Pushing;
use crate::voice::{self, Notice};

/// Answer one of git's own hooks (called by the installed hook scripts)
///
/// It restricts only agents. Without an agent host among its parent processes it prints nothing
/// and lets git go on.
#[derive(Debug, clap::Args)]
pub(super) struct GithookArgs {
    /// Name of the hook: pre-commit, commit-msg, post-commit, post-rewrite, pre-push
    name: String,
    /// The arguments that git passes to the hook
    arguments: Vec<String>,
}

pub(super) fn run(
    args: &GithookArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let Some(hook) = GitHook::named(&args.name) else {
        let known = "pre-commit, commit-msg, post-commit, post-rewrite, pre-push";
        let unknown = format!("unknown hook `{}`; known hooks: {known}", args.name);
        return Err(EngineError::Usage(unknown).into());
    };
    // What breaks in here must never block a person's commit.
    let Ok(repo) = Repo::open(&context.cwd) else { return Ok(Outcome::Yes) };
    let mut pushed = String::new();
    if hook == GitHook::PrePush {
        // What git tells is short; what does not read warns of nothing.
        let _ = std::io::Read::read_to_string(&mut std::io::stdin().lock(), &mut pushed);
        let sent = setup::git_hooks::own_refs_pushed(&repo, &pushed).map_or(Ok(()), Err);
        if let Err(refusal) = setup::git_hooks::said_or_watched(&repo, sent) {
            return Ok(refuse(&repo, &refusal, out));
        }
        if repo.rules.mode.keeps_jobs()
            && let Ok(Some((bare, all))) = setup::git_hooks::unproven(&repo, &pushed)
        {
            if repo.rules.pushing == Pushing::Refuse {
                return Ok(refuse(&repo, &hooks::bare_push(bare, all), out));
            }
            let facts = [("bare", &*bare.to_string()), ("all", &*all.to_string())];
            out.aside(&voice::tell(Notice::PushUnproven, &facts));
        }
    }
    match setup::git_hooks::git_hook(&repo, hook, &args.arguments) {
        Ok(Ok(())) => {
            if hook == GitHook::PrePush {
                send_along(&repo, args.arguments.first(), &pushed, out);
            }
            if hook == GitHook::CommitMsg {
                keep_trailers(&repo, args.arguments.first(), out);
            }
            Ok(Outcome::Yes)
        }
        Ok(Err(refusal)) => Ok(refuse(&repo, &refusal, out)),
        Err(error) => {
            out.error(&error.into());
            Ok(Outcome::Yes)
        }
    }
}

/// The trailers of a phase commit outlive `git commit --amend -m`. It never fails the commit.
fn keep_trailers(repo: &Repo, file: Option<&String>, out: &mut Report) {
    let Some(file) = file else { return };
    match setup::git_hooks::keep_trailers(repo, std::path::Path::new(file)) {
        Ok(false) => {}
        Ok(true) => out.aside(&voice::tell(Notice::TrailersKept, &[])),
        Err(error) => out.error(&error.into()),
    }
}

/// What a person's push takes along, where they set it so. It never fails the push.
fn send_along(repo: &Repo, remote: Option<&String>, pushed: &str, out: &mut Report) {
    let Some(remote) = remote.filter(|_| !setup::git_hooks::agent_is_above()) else { return };
    match on_push::send(repo, remote, pushed) {
        Ok(None) => {}
        Ok(Some(left)) => out.aside(&left),
        Err(error) => {
            let why = error.to_string();
            let what = format!("jobs ({})", why.lines().next().unwrap_or_default());
            out.aside(&voice::tell(Notice::PushLeft, &[("what", &what), ("remote", remote)]));
        }
    }
}

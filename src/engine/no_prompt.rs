//! Sessions in which nobody can say a word: clients that run no hooks have no prompts that git
//! seed hears.

use crate::engine::repo::Repo;
use crate::engine::repo::sessions::Session;
use crate::hosts::{self, Host};

/// The clients of the sessions that live here without hooks, as the system names their programs.
pub(crate) fn clients(repo: &Repo) -> String {
    named(&repo.hosted())
}

/// The same, where no other session lives here: a command that waited for a person's word would
/// wait in vain.
pub(crate) fn alone(repo: &Repo) -> Option<String> {
    let live = repo.hosted();
    let all = !live.is_empty() && live.iter().all(|session| !runs_hooks(session));
    all.then(|| named(&live))
}

fn named(live: &[Session]) -> String {
    let mut names: Vec<String> = Vec::new();
    for session in live.iter().filter(|session| !runs_hooks(session)) {
        // Where the system does not tell its process, it is what its row calls it.
        let title =
            || hosts::row(&session.host).map_or(session.host.clone(), |row| row.title.clone());
        let name = session.process.as_ref().map_or_else(title, |process| process.name.clone());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// A host that no row names might.
fn runs_hooks(session: &Session) -> bool {
    hosts::row(&session.host).map_or(true, Host::runs_hooks)
}

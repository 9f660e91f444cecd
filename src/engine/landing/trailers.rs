//! Trailers that the rules want at the end of each commit that is made for the person.

use crate::engine::record;
use crate::engine::repo::Repo;
use crate::store::Identity;

/// The trailers that the rules want on commits, with the name of whoever commits filled in.
pub(crate) fn own_trailers(repo: &Repo) -> Vec<String> {
    let rows = &repo.rules.trailers;
    if rows.is_empty() {
        return Vec::new();
    }
    let who = repo.store.identity().or_else(|| record::identity::known(repo));
    let each = |row: &String| match (row.contains(": "), &who) {
        (true, _) => Some(row.clone()),
        (false, Some(Identity { name, email })) => Some(format!("{row}: {name} <{email}>")),
        // Where git knows nobody it makes no commit.
        (false, None) => None,
    };
    rows.iter().filter_map(each).collect()
}

//! What pages are called here: a name that a host which is put in reads by itself.

use crate::engine::claims::checkers::put_in_force;
use crate::engine::repo::installation::Installation;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, read_if_there};
use crate::hosts::{self, Host};
use crate::rules::{BadRules, Rules};
use crate::voice::{Notice, tell};

/// Names pages as the hosts read them, where none of them reads the name in force, nobody named
/// pages, and none is there; else says of each host that reads another name how one page is both.
pub(crate) fn choose(repo: &Repo, installation: &Installation) -> Result<Vec<Told>> {
    let mut rows: Vec<&'static Host> = Vec::new();
    for file in &installation.settings {
        // One of a newer git seed is read by it.
        let Ok(row) = hosts::row(&file.host) else { continue };
        if !rows.iter().any(|known| known.name == row.name) {
            rows.push(row);
        }
    }
    let (now, top) = (repo.rules.page_name(), repo.store.work_tree());
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let is_read = rows.iter().any(|row| row.page == now);
    if !is_read && !top.join(now).exists() && !are_named(repo)? {
        return name(repo, &first.page);
    }
    // The link is made once, whoever reads by it.
    let others = rows.iter().enumerate().filter(|(at, row)| {
        let said = rows[..*at].iter().any(|before| before.page == row.page);
        row.page != now && !said && !top.join(&row.page).exists()
    });
    let others = others.map(|(_, row)| row);
    let note = |row: &&&Host| {
        let facts = [("theirs", row.page.as_str()), ("page", now)];
        // A link to nothing would be one more thing that is wrong.
        let there = top.join(now).exists();
        let says = if there { Notice::PageElsewhere } else { Notice::PageElsewhereLater };
        Told::new("note", row.title.as_str(), tell(says, &facts))
    };
    Ok(others.map(|row| note(&row)).collect())
}

/// The rules in force, or those that are proposed, say what pages are called.
fn are_named(repo: &Repo) -> Result<bool> {
    let proposed = read_if_there(&repo.store.work_tree().join("seed.toml"))?;
    let texts = [repo.applied_rules()?, proposed];
    Ok(texts.into_iter().flatten().any(|text| Rules::names_pages(&text)))
}

fn name(repo: &Repo, page: &str) -> Result<Vec<Told>> {
    let _lock = repo.store.lock()?;
    let applied = repo.applied_rules()?;
    let before = applied.clone().unwrap_or_default();
    let bad = |bad: BadRules| EngineError::Proposal(bad.told("the applied rules", &before));
    let text = Rules::with_page(&before, page).map_err(bad)?;
    put_in_force(repo, applied.is_none(), &text, "init: pages")?;
    let what = format!("pages = [\"{page}\"]");
    Ok(vec![Told::new("wrote", what, tell(Notice::TrackApplied, &[]))])
}

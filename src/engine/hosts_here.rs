//! Which hosts a repository and the person's home show, and which of them `init` puts in.

use crate::engine::repo::{EngineError, Repo, Result};
use crate::hosts::{self, Host};
use crate::voice::{Notice, tell};

/// The host that is put in where nothing shows another one.
const USUAL: &str = "claude";

/// What shows the hosts that are put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Whoever called named them.
    Named,
    /// The repository, or the home.
    Here,
    /// Nothing shows the usual one, which is among them.
    Not,
}

/// The hosts that are put in, in the order of their rows.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) rows: Vec<&'static Host>,
    shown: Shown,
}

impl Chosen {
    /// Those that `names` name, or else all that the repository shows and the one that the home
    /// shows, and the usual one where neither shows any.
    pub(crate) fn of(repo: &Repo, names: &[String]) -> Result<Self> {
        let known =
            |name: &str| hosts::row(name).map_err(|bad| EngineError::Usage(bad.to_string()));
        if !names.is_empty() {
            let rows: Vec<_> = names.iter().map(|name| known(name)).collect::<Result<_>>()?;
            if let Some(row) = rows.iter().find(|row| !row.runs_hooks()) {
                let told = tell(Notice::UnhookedNotPutIn, &[("title", &row.title)]);
                return Err(EngineError::Usage(told));
            }
            return Ok(Self { rows, shown: Shown::Named });
        }
        // One that nobody tried is put in only where it is asked for.
        let all: Vec<_> = hosts::names().map(known).collect::<Result<_>>()?;
        let is_here = |row: &Host| repo.store.work_tree().join(row.settings.dir()).is_dir();
        let tried = |rows: Vec<&'static Host>| rows.into_iter().filter(|row| row.tried.is_some());
        let mut rows: Vec<_> = tried(all).filter(|row| is_here(row)).collect();
        let home: Vec<_> = tried(at_home(repo)).collect();
        let is_among = |rows: &[&Host], one: &Host| rows.iter().any(|row| row.name == one.name);
        let usual = known(USUAL)?;
        let shown = !rows.is_empty() || home.len() == 1 || is_among(&home, usual);
        // Where the home shows one host alone, that is the one which the person works with.
        let works_with = match home[..] {
            [one] => Some(one),
            _ => Some(usual).filter(|_| rows.is_empty()),
        };
        rows.extend(works_with.filter(|one| !is_among(&rows, one)));
        rows.sort_by_key(|row| hosts::names().position(|name| name == row.name));
        Ok(Self { rows, shown: if shown { Shown::Here } else { Shown::Not } })
    }

    /// How the line begins that names them.
    pub(crate) fn verb(&self) -> &'static str {
        if self.shown == Shown::Not { "chose" } else { "found" }
    }

    /// What is said behind them: of hosts that the home shows and that are not put in, or that
    /// nothing shows the one which is.
    pub(crate) fn note(&self, repo: &Repo) -> String {
        if self.shown == Shown::Named {
            return String::new();
        }
        let is_put_in = |row: &&Host| self.rows.iter().any(|known| known.name == row.name);
        let others: Vec<_> = at_home(repo).into_iter().filter(|row| !is_put_in(row)).collect();
        let not_shown = self.shown == Shown::Not;
        let notice = match (others.is_empty(), not_shown) {
            (true, false) => return String::new(),
            (true, true) => Notice::HostNotShown,
            (false, false) => Notice::HostsAtHome,
            (false, true) => Notice::HostsAtHomeAlone,
        };
        let put_in = if not_shown { &[][..] } else { &self.rows };
        let names = put_in.iter().chain(&others).map(|row| format!(" --host {}", row.name));
        let options: String = names.collect();
        let title = titles(&self.rows);
        tell(notice, &[("title", &title), ("titles", &titles(&others)), ("options", &options)])
    }
}

/// Hosts that the person's home shows.
fn at_home(repo: &Repo) -> Vec<&'static Host> {
    let home = repo.persons_home();
    let is_used = |row: &&'static Host| {
        let dir = row.home.as_deref().and_then(|dir| dir.strip_prefix("~/"));
        dir.zip(home.as_ref()).is_some_and(|(dir, home)| home.join(dir).is_dir())
    };
    hosts::names().filter_map(|name| hosts::row(name).ok()).filter(is_used).collect()
}

pub(crate) fn titles(rows: &[&'static Host]) -> String {
    let titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
    titles.join(", ")
}

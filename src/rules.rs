//! The rules in force: shipped tables, with what a person has applied on top.
//!
//! Applied rules live in `refs/seed/rules`; `seed.toml` in the work tree is a proposal
//! and decides nothing. Everything is checked as a whole on load, and what is wrong is
//! said with its key and the known names.

use serde::Deserialize;

use crate::phases::{BadMap, Maps, Pacing, Profile};
use crate::shipped;

const SHIPPED: &str = include_str!("rules.toml");

/// Whether small talk comes before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Idle {
    Open,
    Closed,
}

/// Whether an answer counts that no person was there to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unattended {
    Refuse,
    Count,
}

/// A table of rules: every key of the shipped one, or some of them in a proposal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    track: Option<String>,
    idle: Option<Idle>,
    pages: Option<Vec<String>>,
    surfaces: Option<Vec<String>>,
    scratch: Option<Vec<String>>,
    #[serde(default)]
    commit: Commit,
    #[serde(default)]
    approval: Approval,
    #[serde(default)]
    condense: Condense,
    #[serde(default)]
    pacing: PacingTable,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PacingTable {
    profile: Option<Profile>,
    reflection: Option<bool>,
    budget: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit {
    subject: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    unattended: Option<Unattended>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condense {
    share: Option<u32>,
}

impl Table {
    fn shipped() -> Result<Self, toml::de::Error> {
        shipped::read(shipped::shipped!("rules"))
    }
}

/// The rules in force.
#[derive(Clone, Debug)]
pub struct Rules {
    pub maps: Maps,
    /// How stays are paced.
    pub profile: Profile,
    pub idle: Idle,
    pub pages: Vec<String>,
    pub surfaces: Vec<String>,
    pub scratch: Vec<String>,
    pub subject: String,
    pub unattended: Unattended,
    /// Percent of the footer words that must go.
    pub share: u32,
}

/// Rules that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadRules {
    #[error("the rules do not read: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("`pages` names no file; give at least one file name such as CLAUDE.md, without a folder")]
    Pages,
    #[error("`commit.subject` is `{0}`; it must hold {{subject}} and be one line")]
    Subject(String),
    #[error("`condense.share` is {0}; it must lie between 60 and 90")]
    Share(u32),
    #[error(transparent)]
    Map(#[from] BadMap),
}

impl Rules {
    /// The shipped rules.
    pub fn shipped() -> Result<Self, BadRules> {
        Self::checked(Table::shipped()?)
    }

    /// The shipped rules with those of `applied` on top.
    pub fn with(applied: &str) -> Result<Self, BadRules> {
        let shipped = Table::shipped()?;
        let applied: Table = toml::from_str(applied)?;
        Self::checked(Table {
            track: applied.track.or(shipped.track),
            idle: applied.idle.or(shipped.idle),
            pages: applied.pages.or(shipped.pages),
            surfaces: applied.surfaces.or(shipped.surfaces),
            scratch: applied.scratch.or(shipped.scratch),
            commit: Commit { subject: applied.commit.subject.or(shipped.commit.subject) },
            approval: Approval { unattended: applied.approval.unattended.or(shipped.approval.unattended) },
            condense: Condense { share: applied.condense.share.or(shipped.condense.share) },
            pacing: PacingTable {
                profile: applied.pacing.profile.or(shipped.pacing.profile),
                reflection: applied.pacing.reflection.or(shipped.pacing.reflection),
                budget: applied.pacing.budget.or(shipped.pacing.budget),
            },
        })
    }

    fn checked(table: Table) -> Result<Self, BadRules> {
        let track = table.track.unwrap_or_default();
        let pages = table.pages.unwrap_or_default();
        if pages.is_empty() || pages.iter().any(|page| page.is_empty() || page.contains(['/', '\\'])) {
            return Err(BadRules::Pages);
        }
        let subject = table.commit.subject.unwrap_or_default();
        if !subject.contains("{subject}") || subject.contains('\n') {
            return Err(BadRules::Subject(subject));
        }
        let share = table.condense.share.unwrap_or_default();
        if !(60..=90).contains(&share) {
            return Err(BadRules::Share(share));
        }
        let pacing = Pacing {
            profile: table.pacing.profile.unwrap_or_default(),
            reflection: table.pacing.reflection.unwrap_or_default(),
            budget: table.pacing.budget.unwrap_or(true),
        };
        Ok(Self {
            profile: pacing.profile,
            maps: Maps::shipped(&track, pacing)?,
            idle: table.idle.unwrap_or(Idle::Open),
            pages,
            surfaces: table.surfaces.unwrap_or_default(),
            scratch: table.scratch.unwrap_or_default(),
            subject,
            unattended: table.approval.unattended.unwrap_or(Unattended::Refuse),
            share,
        })
    }

    /// The shipped table, with its comments.
    pub fn shipped_text() -> &'static str {
        SHIPPED
    }

    /// The file name of new pages.
    pub fn page_name(&self) -> &str {
        self.pages.first().map_or("CLAUDE.md", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rules_say_the_same_in_both_forms() {
        let read = Rules::checked(toml::from_str(SHIPPED).expect("they read")).expect("they are sound");
        assert_eq!(format!("{read:?}"), format!("{:?}", Rules::shipped().expect("they are sound")));
    }

    #[test]
    fn applied_rules_replace_shipped_ones_key_by_key() {
        let rules = Rules::with("idle = \"closed\"\n[approval]\nunattended = \"count\"").expect("they read");
        assert_eq!((rules.idle, rules.unattended), (Idle::Closed, Unattended::Count));
        assert_eq!((rules.page_name(), rules.share), ("CLAUDE.md", 80));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (table, says) in [
            ("track = \"quicker\"", "track `quicker` is not known"),
            ("idel = \"open\"", "unknown field `idel`"),
            ("idle = \"ajar\"", "unknown variant `ajar`, expected `open` or `closed`"),
            ("pages = []", "names no file"),
            ("pages = [\"a/b.md\"]", "without a folder"),
            ("[commit]\nsubject = \"x\"", "must hold {subject}"),
            ("[condense]\nshare = 95", "between 60 and 90"),
            ("[[", "do not read"),
        ] {
            let heard = Rules::with(table).err().map(|bad| bad.to_string()).unwrap_or_default();
            assert!(heard.contains(says), "{table}: {heard}");
        }
    }
}

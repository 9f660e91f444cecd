//! What a track calls the phases that sentences speak of.
//!
//! Sentences name five phases by what is done there: looking, planning, working, testing, working
//! memory through. A shipped track calls them so. A track of a repository's own has its own
//! names, and perhaps fewer of them; then a sentence names the phase where that work is done.

use std::sync::Arc;

use super::{Map, Phase, PhaseKind, PhaseName, Write};
use crate::verdict::{NAMES, Refusal};

/// The names, as a refusal keeps them; nothing where the track calls its phases as shipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Option<Arc<str>>);

impl Names {
    /// The names of a track of a repository's own; `likes` are shipped phases, each with the one
    /// that was made of it.
    pub(super) fn of(map: &Map, likes: &[(PhaseName, PhaseName)]) -> Self {
        let made_of = |shipped: &str| {
            let own = likes.iter().find(|(like, _)| like.as_str() == shipped);
            own.map(|(_, own)| own.as_str()).or_else(|| map.phase(&shipped.into()).map(name))
        };
        let work = || map.phases().filter(|row| row.kind == PhaseKind::Work);
        let last = || work().last().map_or(map.start.as_str(), name);
        let shows =
            |row: &&Phase| row.exit.iter().any(|gate| gate == "proof" || gate == "criteria");
        let writes = |row: &&Phase| row.freezes || row.write.contains(&Write::Scope);
        let settles = || map.phases().find(|row| row.kind == PhaseKind::Consolidation);
        // The first that says what it was made of is the one that a phase speaks as.
        let names = [
            ("observe", made_of("observe").unwrap_or(map.start.as_str())),
            (
                "execute",
                made_of("execute").unwrap_or_else(|| work().find(writes).map_or_else(last, name)),
            ),
            (
                "verify",
                made_of("verify")
                    .unwrap_or_else(|| work().filter(shows).last().map_or_else(last, name)),
            ),
            ("condense", made_of("condense").unwrap_or_else(|| settles().map_or_else(last, name))),
            (
                "plan",
                made_of("plan").unwrap_or_else(|| {
                    work().filter(|row| row.declares).last().map_or(map.start.as_str(), name)
                }),
            ),
        ];
        let text = names.map(|(shipped, own)| format!("{shipped}={own}")).join(" ");
        Self(Some(text.into()))
    }

    /// The same as a fact of a sentence.
    pub(crate) fn fact(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The refusal, said with these names.
    pub(crate) fn put_in(&self, refusal: Refusal) -> Refusal {
        match self.fact() {
            Some(names) => refusal.with(NAMES, names),
            None => refusal,
        }
    }
}

fn name(row: &Phase) -> &str {
    row.name.as_str()
}

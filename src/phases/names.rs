//! What a track calls the phases that sentences speak of.
//!
//! Sentences name five phases by what is done there: looking, planning, working, testing, working
//! memory through. A shipped track calls them so. A track of a repository's own has its own
//! names, and perhaps fewer of them; then a sentence names the phase where that work is done.

use std::sync::Arc;

use super::{Class, Map, Phase, PhaseKind, PhaseName, Reads, Write};
use crate::verdict::{Case, NAMES, Refusal};

/// The names, as a refusal keeps them; nothing where the track calls its phases as shipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Option<Arc<Own>>);

/// What a track of a repository's own calls its phases.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    roles: [Role; 5],
    /// The roles as a fact, where nothing depends on what a phase opens.
    fact: String,
}

/// The phase that sentences speak of as `shipped`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Role {
    shipped: &'static str,
    own: PhaseName,
    /// That work is done there. Else it is the phase that comes next to it, as a command names it.
    does: bool,
    acts: Vec<Class>,
}

impl Names {
    /// The names of a track of a repository's own; `likes` are shipped phases, each with the one
    /// that was made of it.
    pub(super) fn of(map: &Map, likes: &[(PhaseName, PhaseName)]) -> Self {
        let made_of = |shipped: &str| {
            let own = likes.iter().find(|(like, _)| like.as_str() == shipped);
            own.and_then(|(_, own)| map.phase(own)).or_else(|| map.phase(&shipped.into()))
        };
        let work = || map.phases().filter(|row| row.kind == PhaseKind::Work);
        let start = map.phase(&map.start);
        let last = || work().last().or(start);
        let looks = |row: &&Phase| row.kind == PhaseKind::Work && row.reads == Reads::All;
        let plans = |row: &&Phase| row.decides;
        let writes = |row: &&Phase| row.freezes || row.write.contains(&Write::Scope);
        let shows = |row: &&Phase| row.proves();
        let settles = |row: &&Phase| row.kind == PhaseKind::Consolidation;
        // The first that says what it was made of is the one that a phase speaks as.
        let role = |shipped: &'static str, does: &dyn Fn(&&Phase) -> bool, near: Option<&Phase>| {
            let found = made_of(shipped).or_else(|| map.phases().find(does));
            let row = found.or(near);
            Role {
                shipped,
                own: row.map_or_else(|| map.start.clone(), |row| row.name.clone()),
                does: row.is_some_and(|row| found.is_some() && does(&row)),
                acts: row.map(|row| row.acts.clone()).unwrap_or_default(),
            }
        };
        let roles = [
            role("observe", &looks, start),
            role("execute", &writes, last()),
            role("verify", &shows, work().filter(shows).last().or_else(last)),
            role("condense", &settles, last()),
            role("plan", &plans, work().filter(|row| row.declares).last().or(start)),
        ];
        let fact = told(&roles, None);
        Self(Some(Arc::new(Own { roles, fact })))
    }

    /// The same as a fact of a sentence.
    pub(crate) fn fact(&self) -> Option<&str> {
        self.0.as_deref().map(|own| own.fact.as_str())
    }

    /// The refusal, said with these names.
    pub(crate) fn put_in(&self, refusal: Refusal) -> Refusal {
        let Some(own) = self.0.as_deref() else { return refusal };
        match wanted(&refusal) {
            Some(class) => refusal.with(NAMES, told(&own.roles, Some(class))),
            None => refusal.with(NAMES, own.fact.as_str()),
        }
    }
}

/// The roles in a line: `execute=write` where that work is done, `execute~write` where it is not,
/// and no phase opens it, or not what `wanted` asks for.
fn told(roles: &[Role], wanted: Option<Class>) -> String {
    let one = |role: &Role| {
        let opens = wanted.is_none_or(|class| role.acts.contains(&class));
        format!("{}{}{}", role.shipped, if role.does && opens { '=' } else { '~' }, role.own)
    };
    roles.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// What a refused act needs: sentences about it name the phases that open that.
fn wanted(refusal: &Refusal) -> Option<Class> {
    let case = refusal.facts.case()?;
    let classes = [
        (Case::Code, Class::ShellCode),
        (Case::Untried, Class::ShellCode),
        (Case::ShellWrite, Class::ShellWrite),
        (Case::Later, Class::ShellWrite),
        (Case::Outward, Class::ShellOutward),
        (Case::Shell, Class::ShellUnknown),
        (Case::Server, Class::Foreign),
        (Case::Tool, Class::Unknown),
        (Case::Delegate, Class::Delegate),
        (Case::Search, Class::Search),
    ];
    classes.into_iter().find(|(known, _)| known.word() == case).map(|(_, class)| class)
}

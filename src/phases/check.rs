//! What must hold of a map before anyone walks it.
//!
//! Every fault is said with the phase, the key of its row and the names that are known,
//! so that whoever wrote the row can mend it without reading code.

use super::{BadMap, Class, Map, Phase, PhaseKind, PhaseName, Write, gates};

type Checked = Result<(), BadMap>;
type Does = fn(&Phase) -> bool;

/// Rows that every map has, and what they must be. These four names are reserved: a map that
/// lacks one, or has it with another kind, is refused, and no other row rests. So the name `idle`
/// and the kind `rest` say the same, which is what lets code without a map ask for the name
/// ([`PhaseName::is_idle`]); code with a map asks for the kind.
const NEEDED: [(&str, PhaseKind); 4] = [
    ("none", PhaseKind::Outside),
    ("talk", PhaseKind::Outside),
    ("idle", PhaseKind::Rest),
    ("gmode", PhaseKind::Side),
];

/// The longest name of a phase.
const LONGEST_NAME: usize = 24;
/// The most words that a row may ask of its message.
const MOST_WORDS: u32 = 2_000;

impl Map {
    pub(super) fn check(&self) -> Checked {
        self.names_are_sound()?;
        self.phases().try_for_each(row_is_sound)?;
        self.phases().try_for_each(|phase| self.edges_are_known(phase))?;
        self.anchors_are_sound()?;
        self.ways_lead_round()?;
        self.anchors_stand_in_order()?;
        self.scope_is_frozen_first()?;
        self.lane_comes_to_its_end()?;
        self.gates_can_be_met()
    }

    /// On a lane, steps are taken through phases that ask for nothing: the first way on of each
    /// leads to where memory is worked through, and never round.
    fn lane_comes_to_its_end(&self) -> Checked {
        if self.lane.is_none() {
            return Ok(());
        }
        let ends = |row: &Phase| row.kind == PhaseKind::Consolidation || !row.is_in_cycle();
        for row in self.phases().filter(|row| row.is_in_cycle()) {
            if !self.onward(&row.name).any(ends) {
                let what = format!(
                    "the first way on leads round and never to the end; begin with one that leads \
                     there (known phases: {})",
                    self.known()
                );
                return Err(BadMap::row(&row.name, "next", what));
            }
        }
        Ok(())
    }

    fn known(&self) -> String {
        self.phases().map(|phase| phase.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn names_are_sound(&self) -> Checked {
        for (n, phase) in self.phases().enumerate() {
            let name = phase.name.as_str();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
            if !begins || !name.chars().all(plain) || name.len() > LONGEST_NAME {
                let what = format!(
                    "a name is a small letter, then small letters, digits or `-`, {LONGEST_NAME} \
                     at most"
                );
                return Err(BadMap::row(&phase.name, "name", what));
            }
            if self.phases().take(n).any(|earlier| earlier.name == phase.name) {
                return Err(BadMap::row(
                    &phase.name,
                    "name",
                    format!("stands twice in map `{}`", self.name),
                ));
            }
        }
        for (name, kind) in NEEDED {
            let Some(row) = self.phase(&name.into()) else {
                return Err(BadMap::Lacks { map: self.name.clone(), phase: name.into() });
            };
            if row.kind != kind {
                return Err(BadMap::row(
                    &row.name,
                    "kind",
                    "every map needs this row to be what it was",
                ));
            }
        }
        let other = |phase: &&Phase| phase.kind == PhaseKind::Rest && !phase.name.is_idle();
        if let Some(phase) = self.phases().find(other) {
            return Err(BadMap::row(
                &phase.name,
                "kind",
                "only `idle` rests; a phase is work or consolidation",
            ));
        }
        if self.phase(&self.start).is_none() {
            return Err(BadMap::Lacks { map: self.name.clone(), phase: self.start.clone() });
        }
        Ok(())
    }

    /// Steps lead to phases of the cycle or to idle, a side lane opens a side lane.
    fn edges_are_known(&self, phase: &Phase) -> Checked {
        let steps = [("next", &phase.next), ("back", &phase.back)];
        for (key, to) in steps.iter().flat_map(|(key, list)| list.iter().map(move |to| (*key, to)))
        {
            let row = self.known_row(phase, key, to)?;
            if !row.is_in_cycle() && row.kind != PhaseKind::Rest {
                let what = format!(
                    "`{to}` is no phase that a step leads to; known phases: {}",
                    self.known()
                );
                return Err(BadMap::row(&phase.name, key, what));
            }
        }
        if let Some(lane) = &phase.side
            && self.known_row(phase, "side", lane)?.kind != PhaseKind::Side
        {
            let what = format!("`{lane}` is no side lane; the side lane is `gmode`");
            return Err(BadMap::row(&phase.name, "side", what));
        }
        for to in phase.sections_to.keys() {
            self.known_row(phase, "sections_to", to)?;
            if !phase.next.contains(to) && !phase.back.contains(to) {
                let what = format!("no step leads from here to `{to}`");
                return Err(BadMap::row(&phase.name, "sections_to", what));
            }
        }
        if phase.name.is_idle() && !phase.next.contains(&self.start) {
            let what = format!("it must lead to `{}`, where cycles begin", self.start);
            return Err(BadMap::row(&phase.name, "next", what));
        }
        Ok(())
    }

    fn known_row(&self, phase: &Phase, key: &str, to: &PhaseName) -> Result<&Phase, BadMap> {
        self.phase(to).ok_or_else(|| {
            let what =
                format!("leads to `{to}`, which is no phase; known phases: {}", self.known());
            BadMap::row(&phase.name, key, what)
        })
    }

    fn anchors_are_sound(&self) -> Checked {
        let mut seen: Vec<(&str, &Phase)> = Vec::new();
        for phase in self.phases() {
            let Some(anchor) = phase.anchor.as_deref() else { continue };
            let no = |what: String| Err(BadMap::row(&phase.name, "anchor", what));
            if !phase.is_in_cycle() {
                return no("only phases of the cycle have one".to_owned());
            }
            if !is_anchor(anchor) {
                return no(format!("`{anchor}` is no anchor; one is a line such as `---Re---`"));
            }
            if let Some((_, other)) =
                seen.iter().find(|(taken, _)| taken.eq_ignore_ascii_case(anchor))
            {
                let taken: Vec<&str> = seen.iter().map(|(taken, _)| *taken).collect();
                let other = &other.name;
                return no(format!(
                    "`{anchor}` is taken by phase `{other}`; taken: {}",
                    taken.join(", ")
                ));
            }
            seen.push((anchor, phase));
        }
        Ok(())
    }

    /// Every phase of the cycle is reached from idle and leads on to idle.
    fn ways_lead_round(&self) -> Checked {
        let from_idle = self.reach(&PhaseName::idle(), |_| true);
        for phase in self.phases().filter(|phase| phase.is_in_cycle()) {
            if !from_idle.contains(&phase.name) {
                let what = "it cannot be reached from idle; name it in the `next` of another phase";
                return Err(BadMap::whole_row(&phase.name, what));
            }
            if !self.reach(&phase.name, |_| true).contains(&PhaseName::idle()) {
                return Err(BadMap::row(&phase.name, "next", "has no way on to idle"));
            }
        }
        Ok(())
    }

    /// Notes of later phases stand below those of earlier ones: along steps forward anchors
    /// never go up the page. Phases without an anchor are passed through.
    fn anchors_stand_in_order(&self) -> Checked {
        let anchors = self.anchors();
        for phase in self.phases() {
            let Some(own) = phase.rank(&anchors) else { continue };
            for to in self.next_with_anchor(&phase.name) {
                if to.rank(&anchors).is_some_and(|rank| rank <= own) {
                    let what = format!(
                        "leads forward to `{}`, whose anchor `{}` does not stand below `{}`; \
                         rows, and so anchors, stand in the order of the steps (see `after`): {}",
                        to.name,
                        to.anchor.as_deref().unwrap_or_default(),
                        anchors[own],
                        anchors.join(", "),
                    );
                    return Err(BadMap::row(&phase.name, "next", what));
                }
            }
        }
        Ok(())
    }

    /// The phases with an anchor that come next, over phases without one.
    fn next_with_anchor(&self, from: &PhaseName) -> Vec<&Phase> {
        let bare = |phase: &Phase| phase.is_in_cycle() && phase.anchor.is_none();
        let reached = self.reach(from, bare);
        let rows = reached.iter().filter_map(|name| self.phase(name));
        rows.filter(|phase| phase.is_in_cycle() && phase.anchor.is_some()).collect()
    }

    /// What may be changed is settled once, before the first phase that changes it.
    fn scope_is_frozen_first(&self) -> Checked {
        let freezing: Vec<&Phase> = self.phases().filter(|phase| phase.freezes).collect();
        if let [one, other, ..] = freezing.as_slice() {
            let what = format!("`{}` freezes already, and one phase does", one.name);
            return Err(BadMap::row(&other.name, "freezes", what));
        }
        let unfrozen =
            self.reach(&PhaseName::idle(), |phase| phase.is_in_cycle() && !phase.freezes);
        for phase in self.phases().filter(|phase| phase.is_in_cycle() && !phase.freezes) {
            if phase.write.contains(&Write::Scope) && unfrozen.contains(&phase.name) {
                let known = freezing
                    .first()
                    .map_or("none does".to_owned(), |one| format!("`{}` does", one.name));
                let what = format!(
                    "`scope` needs a phase that freezes (`freezes = true`) here or on every way \
                     here; {known}"
                );
                return Err(BadMap::row(&phase.name, "write", what));
            }
        }
        Ok(())
    }

    /// What a gate wants of the plan document can be done here or on every way here; no
    /// command would lead past it otherwise.
    fn gates_can_be_met(&self) -> Checked {
        let writes_it: Does =
            |phase| phase.write.contains(&Write::PlanNew) || phase.write.contains(&Write::All);
        let wants: [(&str, &str, Does); 2] = [
            ("decision", "decides = true", |phase| phase.decides),
            ("document", "plan-new", writes_it),
        ];
        for (gate, key, does) in wants {
            let without =
                self.reach(&PhaseName::idle(), |phase| phase.is_in_cycle() && !does(phase));
            for phase in self.phases().filter(|phase| phase.is_in_cycle() && !does(phase)) {
                let asked = phase.exit.iter().chain(&phase.back_gates).any(|name| name == gate);
                if asked && without.contains(&phase.name) {
                    let what = format!(
                        "gate `{gate}` wants a phase with `{key}` here or on every way here"
                    );
                    return Err(BadMap::row(&phase.name, "exit", what));
                }
            }
        }
        Ok(())
    }

    /// What forward steps lead to from `from`, over rows that let them `through`.
    fn reach(&self, from: &PhaseName, through: impl Fn(&Phase) -> bool) -> Vec<PhaseName> {
        let mut reached: Vec<PhaseName> = Vec::new();
        let mut ahead = self.phase(from).map_or(Vec::new(), |phase| phase.next.clone());
        while let Some(name) = ahead.pop() {
            if reached.contains(&name) {
                continue;
            }
            if let Some(phase) = self.phase(&name).filter(|phase| through(phase)) {
                ahead.extend(phase.next.clone());
            }
            reached.push(name);
        }
        reached
    }
}

/// What a row must say whatever the others say.
fn row_is_sound(phase: &Phase) -> Checked {
    acts_are_sound(phase)?;
    steps_are_sound(phase)?;
    gates_are_sound(phase)?;
    texts_are_sound(phase)?;
    pages_are_sound(phase)
}

fn bad<T>(phase: &Phase, key: &str, what: &str) -> Result<T, BadMap> {
    Err(BadMap::row(&phase.name, key, what.to_owned()))
}

/// What is open in the row, and what it may ask.
fn acts_are_sound(phase: &Phase) -> Checked {
    if !phase.opens(Class::Seed) {
        let what = "lacks `seed`: without git seed's own commands no step could be taken";
        return bad(phase, "acts", what);
    }
    let held = [Class::ShellCode, Class::ShellWrite, Class::ShellUnknown];
    if phase.confined.iter().any(|class| !held.contains(class)) {
        let what = "names an act that the kernel does not hold; it holds shell-code, shell-write, \
            shell-unknown";
        return bad(phase, "confined", what);
    }
    if phase.opens(Class::Ask) && phase.questions.is_empty() {
        let what = "it may ask, so this says what: tag words, or `*` for any words";
        return bad(phase, "questions", what);
    }
    Ok(())
}

fn texts_are_sound(phase: &Phase) -> Checked {
    if phase.work.trim().is_empty() || phase.work.contains('\n') {
        return bad(phase, "work", "it must be one line that says what is to be done");
    }
    if phase.words.is_some_and(|words| words > MOST_WORDS) {
        let what = format!("no message is asked to be longer than {MOST_WORDS} words");
        return bad(phase, "words", &what);
    }
    Ok(())
}

/// Only a row of the work has steps on and back.
fn steps_are_sound(phase: &Phase) -> Checked {
    for (key, steps) in [("next", !phase.next.is_empty()), ("back", !phase.back.is_empty())] {
        match phase.kind {
            PhaseKind::Side if steps => {
                let what = "a side lane is left to where it was entered; it has no steps";
                return bad(phase, key, what);
            }
            PhaseKind::Outside if steps => {
                return bad(phase, key, "a row outside the cycle has no steps");
            }
            PhaseKind::Rest if steps && key == "back" => {
                return bad(phase, key, "the cycle is over; no step leads back into it");
            }
            PhaseKind::Consolidation if steps && key == "back" => {
                return bad(phase, key, "it consolidates, so no step may lead back from it");
            }
            _ => {}
        }
    }
    Ok(())
}

fn gates_are_sound(phase: &Phase) -> Checked {
    for (key, gate) in [("exit", &phase.exit), ("return", &phase.back_gates)]
        .iter()
        .flat_map(|(key, gates)| gates.iter().map(move |gate| (*key, gate)))
    {
        if !gates::is_known(gate) {
            let what = format!("wants gate `{gate}`; known gates: {}", gates::names());
            return bad(phase, key, &what);
        }
    }
    let lists_it = |title: &String| phase.sections.contains(title);
    if phase.exit.iter().any(|gate| gate == "criteria")
        && !phase.criteria.as_ref().is_some_and(lists_it)
    {
        let what = "gate `criteria` wants it to name one of the row's `sections`";
        return bad(phase, "criteria", what);
    }
    if phase.contract.is_some() && phase.criteria.is_none() {
        return bad(
            phase,
            "contract",
            "it is answered below the title `criteria` names, so that is wanted",
        );
    }
    let asks = |audit: &super::Audit| {
        audit.lines > 0 && !audit.section.trim().is_empty() && !audit.questions.is_empty()
    };
    if phase.audit.as_ref().is_some_and(|audit| !asks(audit)) {
        return bad(phase, "audit", "it has `lines` above 0, a `section`, and `questions`");
    }
    if phase.exit.iter().any(|gate| gate == "audit") && phase.audit.is_none() {
        return bad(phase, "audit", "gate `audit` wants it");
    }
    Ok(())
}

/// Who writes below an anchor has one, and who must edit a page may.
fn pages_are_sound(phase: &Phase) -> Checked {
    let below_anchor =
        phase.write.iter().any(|write| matches!(write, Write::Page | Write::ScopedPage));
    if below_anchor && phase.anchor.is_none() {
        return bad(phase, "anchor", "it writes pages below its own anchor, so it needs one");
    }
    let notes =
        below_anchor || phase.write.iter().any(|write| matches!(write, Write::Memory | Write::All));
    if phase.exit.iter().any(|gate| gate == "page") && !notes {
        let what = "gate `page` wants a page edit, and nothing in `write` allows one";
        return bad(phase, "exit", what);
    }
    Ok(())
}

/// `---Xx---`: three dashes, a capital, letters or digits, three dashes.
fn is_anchor(line: &str) -> bool {
    let Some(name) = line.strip_prefix("---").and_then(|rest| rest.strip_suffix("---")) else {
        return false;
    };
    (2..=16).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

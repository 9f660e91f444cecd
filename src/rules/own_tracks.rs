//! `[[track]]` rows in a text of rules: how they read beside the older key of that name, where they
//! stand, and which words they may take.

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor, value};
use toml::de::{DeTable, DeValue};

use super::{BadRules, key_place, questions_are_known};
use crate::jobs::questions;
use crate::jobs::shortword::{self, SaidLane, ShortWord};
use crate::phases::search::{Around, Found, search};
use crate::phases::{BadMap, FirstStep, LaneRows, Maps, Pacing, PhaseRow, TrackRow};

/// What stands below `track`.
#[derive(Clone, Debug)]
pub(super) enum TrackKey {
    /// The older name of `tracks.default`, which the merged table has there.
    Usual,
    Rows(Vec<TrackRow>),
}

impl TrackKey {
    pub(super) fn rows(self) -> Vec<TrackRow> {
        match self {
            Self::Usual => Vec::new(),
            Self::Rows(rows) => rows,
        }
    }
}

/// Reads `track = "opevc"`, or `[[track]]` rows.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<TrackKey>, D::Error> {
    struct Either;

    impl<'de> Visitor<'de> for Either {
        type Value = TrackKey;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the name of a track, or [[track]] rows")
        }

        fn visit_str<E: Error>(self, _: &str) -> Result<TrackKey, E> {
            Ok(TrackKey::Usual)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<TrackKey, A::Error> {
            Vec::deserialize(value::SeqAccessDeserializer::new(rows)).map(TrackKey::Rows)
        }
    }

    from.deserialize_any(Either).map(Some)
}

/// All maps, checked. Tests of the library ask shipped ones for questions that there are not.
pub(super) fn maps(
    home: &str,
    own: Vec<TrackRow>,
    rows: &[PhaseRow],
    (lane, pacing): (LaneRows, Pacing),
) -> Result<Maps, BadRules> {
    words_are_free(&own)?;
    let changed = !own.is_empty() || !rows.is_empty();
    let maps = Maps::with(home, own, rows, lane, pacing)?;
    if cfg!(test) || changed {
        maps.read_so_far().try_for_each(questions_are_known)?;
    }
    Ok(maps)
}

/// The word of a track at the head of a prompt is nobody else's.
fn words_are_free(tracks: &[TrackRow]) -> Result<(), BadRules> {
    for track in tracks {
        let word = shortword::word_of(&track.name);
        let taken = shortword::read(&format!("{word} x")).is_some()
            || questions::names().split(", ").any(|tag| word == format!("[{tag}]"));
        if taken {
            let what = format!(
                "{word} at the head of a prompt means something else already; choose another name"
            );
            let track = track.name.clone();
            return Err(BadMap::OwnTrack { track, key: "name", what }.into());
        }
    }
    Ok(())
}

impl super::Rules {
    /// Looks for dead ends of all tracks, each by its name.
    pub(crate) fn search(&self) -> Vec<(String, Found)> {
        let idle_closed = self.idle == super::Idle::Closed;
        let (maps, anchors) = (&self.maps, self.maps.anchors());
        let around = Around { idle_closed, delegates: true };
        let each = |track: &&str| search(maps.get(track), &anchors, around);
        maps.names().iter().map(|track| ((*track).to_owned(), each(track))).collect()
    }

    /// How a job on `track` takes its first step. One of the repository's own begins where its
    /// cycles do, however its person or the rules say that small work begins.
    pub(crate) fn first_step_on(&self, track: &str, said: SaidLane) -> FirstStep {
        if self.maps.is_own(track) { FirstStep::Whole } else { self.first_step(said) }
    }

    /// A prompt without the word of a track at its head.
    pub(crate) fn without_track<'p>(&self, prompt: &'p str) -> &'p str {
        match self.short_word(prompt) {
            Some((ShortWord::Track(_), rest)) => rest,
            _ => prompt,
        }
    }

    /// The short word at the head of a prompt, a track's own among them, and the words after it.
    pub(crate) fn short_word<'p>(&self, prompt: &'p str) -> Option<(ShortWord, &'p str)> {
        let own = || {
            self.maps.own_names().find_map(|name| {
                let rest = shortword::after(prompt, &shortword::word_of(name))?;
                Some((ShortWord::Track(name.to_owned()), rest))
            })
        };
        shortword::read(prompt).or_else(own)
    }
}

/// Where `key` of the row of `phase` stands in `text`, else where the row does. `track` is the one
/// of the repository's own that it is of.
pub(super) fn row_place(
    text: &str,
    track: Option<&str>,
    phase: &str,
    key: Option<&str>,
) -> Option<usize> {
    let of = |keys: &DeTable<'_>| match (track, word(keys, "track")) {
        (Some(track), Some(own)) => own == track,
        _ => true,
    };
    let is_it = |keys: &DeTable<'_>| word(keys, "name").as_deref() == Some(phase) && of(keys);
    // A row that the track began with is said by the row of the track.
    find(text, "phase", is_it, key).or_else(|| place(text, track?, None))
}

/// Where `key` of the row of `track` stands in `text`, else where the row does.
pub(super) fn place(text: &str, track: &str, key: Option<&str>) -> Option<usize> {
    find(text, "track", |keys| word(keys, "name").as_deref() == Some(track), key)
}

fn find(
    text: &str,
    list: &str,
    is_it: impl Fn(&DeTable<'_>) -> bool,
    key: Option<&str>,
) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let DeValue::Array(rows) = super::value(table.get_ref(), list)?.get_ref() else { return None };
    rows.iter().find_map(|row| {
        let DeValue::Table(keys) = row.get_ref() else { return None };
        is_it(keys).then(|| key.and_then(|key| key_place(keys, key)).unwrap_or(row.span().start))
    })
}

fn word(keys: &DeTable<'_>, key: &str) -> Option<String> {
    super::value(keys, key)?.get_ref().as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::Rules;

    #[test]
    fn a_title_names_a_phase_by_its_name_here_and_none_that_is_left_out() {
        let track = |more: &str| {
            let text = format!("[[track]]\nname = \"own\"\nfrom = \"opevc\"\n{more}");
            Rules::with(&text).expect("it holds")
        };
        let renamed = "\n[[phase]]\ntrack = \"own\"\nname = \"prove\"\nlike = \"verify\"\n\n\
                       [[phase]]\ntrack = \"own\"\nname = \"mend\"\nlike = \"execute\"\n";
        for (more, has, lacks) in [
            ("", vec!["How VERIFY Will Test", "Why No Execute"], ""),
            (renamed, vec!["How PROVE Will Test", "Why No Mend"], "VERIFY"),
            ("without = [\"verify\"]\n", vec!["Risks"], "VERIFY"),
            ("without = [\"execute\"]\n", vec!["How VERIFY Will Test"], "Execute"),
        ] {
            let rules = track(more);
            let plan = rules.maps.get("own").phase(&"plan".into()).expect("it has a plan");
            let titles: Vec<&str> = plan.titles().collect();
            assert!(has.iter().all(|title| titles.contains(title)), "{more}: {titles:?}");
            let strange = titles.iter().any(|title| !lacks.is_empty() && title.contains(lacks));
            assert!(!strange, "{more}: {titles:?}");
        }
    }
}

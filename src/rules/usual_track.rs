//! The track of all jobs, put into a text of rules: one value changes, every other byte stays.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{AUTO, BadRules, Rules, value};

impl Rules {
    /// What `[tracks] default` says.
    pub(crate) fn usual_track(&self) -> &str {
        if self.chooses { AUTO } else { self.maps.home_name() }
    }

    /// `applied` with `track` as the track of all jobs, checked as a whole. A text that says so
    /// already comes back as it is.
    ///
    /// # Errors
    ///
    /// Nobody knows the track, which names the known ones; or a row of `applied` does not fit it.
    pub(crate) fn with_usual_track(applied: &str, track: &str) -> Result<String, BadRules> {
        // Before it stands in a text, where it could say anything: it is shipped, or named there.
        if !Self::with(applied)?.maps.is_own(track) {
            Self::with(&text_of(track))?;
        }
        let key = Key { table: "tracks", name: "default", older: Some("track") };
        let text = put(applied, &key, track)?;
        Self::with(&text)?;
        Ok(text)
    }
}

/// Rules that say nothing else.
fn text_of(track: &str) -> String {
    format!("[tracks]\ndefault = {}\n", quoted(track))
}

fn quoted(track: &str) -> String {
    toml::Value::from(track).to_string()
}

/// A key of a table that holds a word.
pub(super) struct Key<'a> {
    pub table: &'a str,
    pub name: &'a str,
    /// An older name of it, alone at the top.
    pub older: Option<&'a str>,
}

/// `text` with `word` as what a key says; an older name of the key goes on saying it.
pub(super) fn put(text: &str, of: &Key<'_>, word: &str) -> Result<String, BadRules> {
    let read = DeTable::parse(text)?;
    let table = read.get_ref();
    let tracks = value(table, of.table);
    let named = match tracks.map(Spanned::get_ref) {
        Some(DeValue::Table(tracks)) => value(tracks, of.name),
        _ => None,
    };
    // The older name of the key stays the one that it is said by; rows of that name are no word.
    let older = || value(table, of.older?).filter(|said| said.get_ref().as_str().is_some());
    if let Some(said) = named.or_else(older) {
        let same = said.get_ref().as_str() == Some(word);
        let put = || replaced(text, said.span(), &quoted(word));
        return Ok(if same { text.to_owned() } else { put() });
    }
    let Some(tracks) = tracks else {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return Ok(format!("{text}{gap}[{}]\n{} = {}\n", of.table, of.name, quoted(word)));
    };
    // A table that does not say it: inside of its braces, or below its head.
    let (span, said) = (tracks.span(), format!("{} = {}", of.name, quoted(word)));
    if let Some(own) = text.get(span.clone()).filter(|own| own.starts_with('{')) {
        let rest = own.get(1..).unwrap_or_default().trim_start();
        let comma = if rest.starts_with('}') { " " } else { ", " };
        return Ok(replaced(text, span, &format!("{{ {said}{comma}{rest}")));
    }
    let rest = text.get(span.start..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |at| span.start + at + 1);
    let gap = if text.get(..end).is_some_and(|head| head.ends_with('\n')) { "" } else { "\n" };
    Ok(replaced(text, end..end, &format!("{gap}{said}\n")))
}

fn replaced(text: &str, span: std::ops::Range<usize>, with: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(span, with);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_changes_and_every_other_byte_stays() {
        let cases = [
            ("", "[tracks]\ndefault = \"opevc\"\n"),
            ("idle = \"closed\"", "idle = \"closed\"\n\n[tracks]\ndefault = \"opevc\"\n"),
            (
                "# ours\r\n[commit]\r\nsubject = \"{subject}\"\r\n",
                "# ours\r\n[commit]\r\nsubject = \"{subject}\"\r\n\n[tracks]\n\
                 default = \"opevc\"\n",
            ),
            (
                "[tracks]\n# why\ndefault = 'quick' # ours\n[lane]\nfiles = 2\n",
                "[tracks]\n# why\ndefault = \"opevc\" # ours\n[lane]\nfiles = 2\n",
            ),
            ("tracks.default = \"auto\"\n", "tracks.default = \"opevc\"\n"),
            ("tracks = { default = \"auto\" }\n", "tracks = { default = \"opevc\" }\n"),
            ("tracks = {}\n", "tracks = { default = \"opevc\" }\n"),
            (
                "[tracks]\n\n[lane]\nfiles = 2\n",
                "[tracks]\ndefault = \"opevc\"\n\n[lane]\nfiles = 2\n",
            ),
            ("[tracks]", "[tracks]\ndefault = \"opevc\"\n"),
            ("track = \"quick\"\nidle = \"open\"\n", "track = \"opevc\"\nidle = \"open\"\n"),
        ];
        for (before, after) in cases {
            let put = Rules::with_usual_track(before, "opevc").expect(before);
            assert_eq!(put, after, "{before}");
            let rules = Rules::with(&put).expect("they hold");
            assert_eq!(rules.usual_track(), "opevc", "{before}");
            let again = Rules::with_usual_track(&put, "opevc").expect("they hold");
            assert_eq!(again, put, "saying it again changes nothing");
            let back = Rules::with_usual_track(&put, "auto").expect("they hold");
            assert!(Rules::with(&back).expect("they hold").chooses, "{back}");
        }
        let single = "[tracks]\ndefault = 'opevc'\n";
        assert_eq!(Rules::with_usual_track(single, "opevc").expect("it holds"), single);
    }

    #[test]
    fn a_track_that_nobody_knows_is_named_with_those_that_are() {
        for track in ["quicker", "", "opevc\"\nidle = \"closed"] {
            let bad = Rules::with_usual_track("", track).expect_err(track).to_string();
            assert!(bad.ends_with("known tracks: auto, opevc, quick"), "{bad}");
        }
    }

    #[test]
    fn rows_that_do_not_fit_the_track_keep_it_out() {
        let rows = "[[phase]]\nname = \"plan\"\nexit = [\"dial\", \"page\", \"decision\"]\n";
        Rules::with_usual_track(rows, "opevc").expect("it has such a phase");
        Rules::with_usual_track(rows, "quick").expect_err("its map has other rows");
    }
}

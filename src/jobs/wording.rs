//! Forms of a phase commit's subject, for a repository whose hook takes none like that of the
//! rules.
//!
//! Pure: the caller brings how people write here, and asks the hook about each form.

use serde::{Deserialize, Serialize};

use super::landing::{Style, conventional, ticket_in, ticketed};

/// How the subject of a phase commit is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubjectForm {
    /// `{phase}` and `{subject}` stand in it.
    pub template: String,
    /// Its words begin with a large letter, or with a small one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large: Option<bool>,
}

/// The words of a phase commit's subject that was written by one of the forms below, without what
/// they put in front.
pub(crate) fn words_of<'a>(subject: &'a str, phase: &str) -> &'a str {
    let bare = ticketed(subject).map_or(subject, |(_, words)| words);
    let own = |words: &'a str| {
        [": ", ", "].iter().find_map(|sign| words.strip_prefix(phase)?.strip_prefix(sign))
    };
    let typed = conventional(bare).and_then(|(_, words)| {
        let of_phase =
            bare.split_once(": ").is_some_and(|(head, _)| head.contains(&format!("({phase})")));
        own(words).or_else(|| of_phase.then_some(words))
    });
    typed.or_else(|| own(bare)).unwrap_or(subject)
}

impl SubjectForm {
    fn new(template: impl Into<String>, large: Option<bool>) -> Self {
        Self { template: template.into(), large }
    }

    /// It adds nothing to the words.
    pub(crate) fn is_bare(&self) -> bool {
        self.template == "{subject}"
    }

    /// `text`, whose first line was written by `template`, with the first letter of its words as
    /// this form has it. A word in capitals stays.
    pub(crate) fn cased(&self, text: &str, template: &str, phase: &str) -> String {
        let head = template.split_once("{subject}").map_or("", |(head, _)| head);
        let at = head.replace("{phase}", phase).len();
        let (Some(large), Some(words)) = (self.large, text.get(at..)) else {
            return text.to_owned();
        };
        let mut letters = words.chars();
        match (letters.next(), letters.next()) {
            (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
                let first = if large {
                    first.to_uppercase().to_string()
                } else {
                    first.to_lowercase().to_string()
                };
                let behind = words.char_indices().nth(1).map_or("", |(at, _)| &words[at..]);
                format!("{}{first}{behind}", &text[..at])
            }
            _ => text.to_owned(),
        }
    }
}

impl Style {
    /// Forms of a phase commit's subject, the likeliest first, where a hook refused that of the
    /// rules. `own` is what the agent wrote; a ticket is looked for in it and in `about`.
    pub(crate) fn forms(&self, own: &str, about: &[&str]) -> Vec<SubjectForm> {
        let large = self.large;
        let mut forms = Vec::new();
        let is_formed = conventional(own).is_some() || ticketed(own).is_some();
        if is_formed {
            forms.push(SubjectForm::new("{subject}", None));
        }
        let mut kinds = vec!["chore"];
        kinds.extend(self.kind.filter(|kind| *kind != "chore"));
        let mut tails = Vec::new();
        for kind in kinds {
            tails.push(format!("{kind}({{phase}}): {{subject}}"));
            tails.extend(
                self.scope.iter().map(|scope| format!("{kind}({scope}): {{phase}}, {{subject}}")),
            );
            tails.push(format!("{kind}: {{phase}}, {{subject}}"));
        }
        let small = Some(large.unwrap_or(false));
        let ticket = std::iter::once(own).chain(about.iter().copied()).find_map(ticket_in);
        let heads: Vec<String> = match (ticket, self.ticket) {
            (None, _) => Vec::new(),
            (Some(ticket), Some((open, close))) => vec![format!("{open}{ticket}{close}")],
            (Some(ticket), None) => {
                [("", ": "), ("[", "] "), ("", " ")].map(|(a, b)| format!("{a}{ticket}{b}")).into()
            }
        };
        let plain = heads
            .iter()
            .map(|head| SubjectForm::new(format!("{head}{{phase}}: {{subject}}"), None));
        let typed = tails.iter().map(|tail| SubjectForm::new(tail.clone(), small));
        let both = heads.first().into_iter().flat_map(|head| {
            tails.iter().take(1).map(move |tail| SubjectForm::new(format!("{head}{tail}"), small))
        });
        // What people write here comes first.
        if self.ticket.is_some() && self.kind.is_none() {
            forms.extend(plain.chain(both).chain(typed));
        } else if self.ticket.is_some() {
            forms.extend(both.chain(plain).chain(typed));
        } else {
            forms.extend(typed.take(3).chain(plain).chain(both));
        }
        if !is_formed {
            // Before those that are the least likely: the agent may have written what is wanted.
            forms.insert(forms.len().min(3), SubjectForm::new("{subject}", None));
        }
        forms.push(SubjectForm::new("{subject}", large.or(Some(true))));
        forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(said: &[&str], own: &str, about: &[&str]) -> Vec<String> {
        let forms = Style::learned(said.iter().copied()).forms(own, about);
        forms.into_iter().map(|form| form.template).collect()
    }

    #[test]
    fn the_likeliest_form_is_tried_first() {
        let typed = ["fix(lexer): a", "feat: b", "fix: c", "fix: d"];
        let tickets = ["ABC-1 a", "ABC-2 b", "ABC-3 c", "ABC-4 d"];
        let both = ["ABC-1 fix: a", "ABC-2 fix: b", "ABC-3 fix: c", "ABC-4 fix: d"];
        let cases: [(&[&str], &str, &str, &str); 7] = [
            (&[], "words", "main", "chore({phase}): {subject}"),
            (&typed, "words", "main", "chore({phase}): {subject}"),
            (&typed, "fix(lexer): words", "main", "{subject}"),
            (&[], "XY-9: words", "main", "{subject}"),
            (&tickets, "words", "feature/ABC-12-lexer", "ABC-12 {phase}: {subject}"),
            (&both, "words", "ABC-12", "ABC-12 chore({phase}): {subject}"),
            (&tickets, "words", "main", "chore({phase}): {subject}"),
        ];
        for (said, own, branch, first) in cases {
            assert_eq!(forms(said, own, &[branch])[0], first, "{said:?} {own:?} {branch}");
        }
        for (own, branch) in [("words", "main"), ("words", "ABC-12"), ("fix: words", "main")] {
            let all = forms(&typed, own, &[branch]);
            let bare = all.iter().position(|form| form == "{subject}");
            assert!(bare.is_some_and(|at| at < 4), "the agent's own words are early: {all:?}");
        }
    }

    #[test]
    fn the_first_letter_is_as_the_form_has_it() {
        let form = |template: &str, large| SubjectForm::new(template, large);
        let cases = [
            (
                form("chore({phase}): {subject}", Some(false)),
                "chore(plan): Keep it",
                "chore(plan): keep it",
            ),
            (form("{subject}", Some(true)), "keep it\n\nbody", "Keep it\n\nbody"),
            (form("{subject}", Some(false)), "URL of it", "URL of it"),
            (form("{subject}", Some(true)), "\u{e9}tat", "\u{c9}tat"),
            (form("{subject}", None), "Keep it", "Keep it"),
            (form("{subject}", Some(true)), "", ""),
        ];
        for (form, text, cased) in cases {
            assert_eq!(form.cased(text, &form.template, "plan"), cased, "{form:?}");
        }
    }

    #[test]
    fn the_words_are_found_again_in_each_form() {
        let style = Style::learned(["a(lex): b"; 0].into_iter());
        for form in style.forms("words", &["ABC-12"]) {
            let subject = form.template.replace("{phase}", "plan").replace("{subject}", "keep it");
            if form.template.contains("{phase}") {
                assert_eq!(words_of(&subject, "plan"), "keep it", "{subject}");
            }
        }
        for own in ["fix(lexer): keep it", "ABC-12 keep it", "keep it", "planned: it"] {
            assert_eq!(words_of(own, "plan"), own);
        }
    }
}

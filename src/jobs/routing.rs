//! Where a prompt goes: it bears a job, is added to one, waits for one, or is nobody's.

use super::{Job, Status, ending, shortword};

/// What kind of words an interaction holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum InteractionKind {
    Prompt,
    /// A question of either side, with its answer where there is one.
    Question,
    /// Words that no person wrote.
    Automation,
}

impl InteractionKind {
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// What becomes of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// A job is born from it, active and focused.
    Bear,
    /// It is added to the focused job.
    Append(InteractionKind),
    /// The focused job is closing: the prompt is kept and bears the next one.
    Keep,
    /// It ends what is not there, or lets it rest, or approves it: a job that rests is asked about,
    /// and none is born.
    Ends,
    /// It changes nothing.
    Pass,
}

/// Decides about `prompt`. `person` says that a person wrote it in a session that is
/// not a guest; `closing` that the focused job is completed but not back in idle.
pub fn route(prompt: &str, person: bool, focused: Option<&Job>, closing: bool) -> Route {
    let text = prompt.trim_start();
    let open = focused.filter(|job| job.status.is_open());
    if !person {
        return open.map_or(Route::Pass, |_| Route::Append(InteractionKind::Automation));
    }
    let question = text.starts_with('?');
    let command = text.starts_with(['/', '!', '#']) || text.contains("[WAKE]");
    match open {
        Some(_) if question => Route::Append(InteractionKind::Question),
        Some(_) => Route::Append(InteractionKind::Prompt),
        None if text.is_empty() || question || command => Route::Pass,
        None if ending::only_ends(text) || ending::only_rests(text) => {
            if closing {
                Route::Pass
            } else {
                Route::Ends
            }
        }
        None if closing => Route::Keep,
        None => Route::Bear,
    }
}

/// A first name for a job: up to eight words of the prompt's first line of words, of its first
/// sentence alone, and none of a quotation that they would cut.
pub(crate) fn provisional_name(prompt: &str) -> String {
    let prompt = shortword::read(prompt).map_or(prompt, |(_, rest)| rest);
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("untitled");
    let clean = |word: &str| word.chars().filter(|c| !c.is_control()).collect::<String>();
    let words: Vec<String> = line.split_whitespace().take(9).map(clean).collect();
    let ends = |at: &usize| {
        let next = words[at + 1].chars().next();
        match words[*at].chars().next_back() {
            Some('.') => next.is_some_and(|next| !next.is_lowercase()),
            last => matches!(last, Some('?' | '!')),
        }
    };
    let most = words.len().min(8);
    let end = (LEAST - 1..words.len() - 1).find(ends).map_or(most, |at| at + 1).min(most);
    let open = |mark: char| {
        let marks = |word: &String| word.matches(mark).count();
        let is_cut = end < words.len() && words[..end].iter().map(marks).sum::<usize>() % 2 == 1;
        is_cut.then(|| words[..end].iter().rposition(|word| word.contains(mark))).flatten()
    };
    let end =
        ['"', '`'].into_iter().filter_map(open).filter(|at| *at >= LEAST).min().unwrap_or(end);
    let name = words[..end].join(" ");
    let short: String = name.chars().take(80).collect();
    let short = short.trim_end_matches(['.', ',', ':', ';', ' ']);
    if short.is_empty() { "untitled".to_owned() } else { short.to_owned() }
}

/// So many words say what a job is about, at least.
const LEAST: usize = 3;

/// Words of which a prompt is made that only greets, or tries whether somebody is there.
const GREETINGS: [&str; 40] = [
    "hi",
    "hello",
    "hey",
    "heya",
    "yo",
    "there",
    "good",
    "morning",
    "afternoon",
    "evening",
    "day",
    "again",
    "how",
    "are",
    "you",
    "thanks",
    "thank",
    "ok",
    "okay",
    "test",
    "testing",
    "ping",
    "claude",
    "codex",
    "gemini",
    "everyone",
    "hallo",
    "moin",
    "servus",
    "guten",
    "tag",
    "morgen",
    "hola",
    "buenos",
    "días",
    "salut",
    "bonjour",
    "ciao",
    "olá",
    "up",
];

/// A prompt that asks for nothing: a greeting.
pub(crate) fn is_small_talk(prompt: &str) -> bool {
    let lower = prompt.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().all(|word| GREETINGS.contains(&word))
}

/// How a question begins that asks about what is there.
const ASKS: [&str; 41] = [
    "what",
    "what's",
    "where",
    "when",
    "why",
    "which",
    "who",
    "how",
    "did",
    "does",
    "is",
    "are",
    "was",
    "were",
    "has",
    "do you",
    "do we",
    "do the",
    "do they",
    "have you",
    "have we",
    "have the",
    "can you explain",
    "can you tell",
    "can you show",
    "can you summarize",
    "could you explain",
    "could you tell",
    "could you show",
    "could you summarize",
    "wo",
    "wie",
    "warum",
    "wieso",
    "wann",
    "wer",
    "welche",
    "welcher",
    "welches",
    "hast du",
    "habt ihr",
];

/// How one begins that proposes work.
const PROPOSES: [&str; 8] = [
    "how about",
    "what about",
    "what if",
    "why don't",
    "why not",
    "wie wäre",
    "is there a way",
    "what do you say",
];

/// A prompt of questions about what is there, and of nothing else.
pub(crate) fn only_asks(prompt: &str) -> bool {
    let lower = prompt.trim().to_lowercase().replace('\u{2019}', "'");
    let begins = |sentence: &str, heads: &[&str]| {
        let behind = |head: &&str| sentence.strip_prefix(*head);
        heads.iter().filter_map(behind).any(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    // What follows one of these may ask for work.
    let goes_on = |sentence: &str| [",", "please", " and "].iter().any(|on| sentence.contains(on));
    let asks = |sentence: &&str| {
        begins(sentence, &ASKS) && !begins(sentence, &PROPOSES) && !goes_on(sentence)
    };
    let Some(text) = lower.strip_suffix('?') else { return false };
    let sentences = text.split(['?', '!', '.', ';', '\n']).map(str::trim);
    let sentences: Vec<&str> = sentences.filter(|sentence| !sentence.is_empty()).collect();
    !sentences.is_empty() && sentences.iter().all(asks)
}

/// True when a completed job has not come back to idle yet.
pub fn is_closing(job: &Job, idle: bool) -> bool {
    job.status == Status::Completed && !idle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prompt_has_one_way_to_go() {
        use InteractionKind::{Automation, Prompt, Question};
        let mut job = Job::created("j".parse().expect("an id"), "n", 0);
        let mut with = |status: Status| {
            job.status = status;
            job.clone()
        };
        let (active, done) = (with(Status::Active), with(Status::Completed));
        // prompt, person, focused job, closing, route
        let cases = [
            ("fix the lexer", true, None, false, Route::Bear),
            ("  fix the lexer", true, Some(&active), false, Route::Append(Prompt)),
            ("?why", true, None, false, Route::Pass),
            ("? why", true, Some(&active), false, Route::Append(Question)),
            ("/clear", true, None, false, Route::Pass),
            ("!ls", true, None, false, Route::Pass),
            ("# remember", true, None, false, Route::Pass),
            ("[WAKE] go on", true, None, false, Route::Pass),
            ("", true, None, false, Route::Pass),
            ("fix it", false, None, false, Route::Pass),
            ("done", false, Some(&active), false, Route::Append(Automation)),
            ("drop it", true, None, false, Route::Ends),
            (" Never mind, stop that!", true, None, false, Route::Ends),
            ("drop it", true, Some(&active), false, Route::Append(Prompt)),
            ("laisse tomber", true, Some(&done), true, Route::Pass),
            ("vergiss es", true, Some(&done), false, Route::Ends),
            ("let's stop here for today", true, None, false, Route::Ends),
            ("wait", true, Some(&active), false, Route::Append(Prompt)),
            ("undo that", true, Some(&done), false, Route::Bear),
            ("drop the unused table", true, None, false, Route::Bear),
            ("[QUICK] drop it", true, None, false, Route::Bear),
            ("next thing", true, Some(&done), true, Route::Keep),
            ("next thing", true, Some(&done), false, Route::Bear),
        ];
        for (prompt, person, focused, closing, expected) in cases {
            assert_eq!(route(prompt, person, focused, closing), expected, "{prompt:?}");
        }
    }

    #[test]
    fn a_greeting_asks_for_nothing() {
        for (prompt, greets) in [
            ("hi there", true),
            ("Hello!", true),
            ("👋", true),
            ("good morning, how are you?", true),
            ("hi, fix the lexer", false),
            ("what does src do?", false),
            ("test the parser", false),
            ("[QUICK] ok", false),
        ] {
            assert_eq!(is_small_talk(prompt), greets, "{prompt}");
        }
    }

    #[test]
    fn a_question_asks_for_words_alone() {
        for (prompt, asks) in [
            ("what did you change so far?", true),
            ("can you explain what you did?", true),
            ("Where were we?", true),
            ("Did the tests pass? What is left?", true),
            ("can you also fix the parser?", false),
            ("how about a list instead?", false),
            ("what did you change? Please test it.", false),
            ("what is left; fix it?", false),
            ("what is left, and can you do it?", false),
            ("fix it, ok?", false),
            ("?", false),
            ("", false),
        ] {
            assert_eq!(only_asks(prompt), asks, "{prompt:?}");
        }
    }

    #[test]
    fn a_name_is_taken_from_the_first_words() {
        for (prompt, name) in [
            (
                "Fix the lexer: quoted strings lose their escape when nested",
                "Fix the lexer: quoted strings lose their escape",
            ),
            ("\n\nhello.", "hello"),
            ("slug replaces only the first space. Fix it", "slug replaces only the first space"),
            ("Why does backup print a line? Could it be", "Why does backup print a line?"),
            ("Fix v1. of the lexer and its tests please now", "Fix v1. of the lexer and its tests"),
            (
                "Make the docstring of total say \"The total of all\"",
                "Make the docstring of total say",
            ),
            (
                "say \"a\" and \"b\" in core, please, and then test",
                "say \"a\" and \"b\" in core, please, and",
            ),
            ("`lex` is slow", "`lex` is slow"),
            ("   ", "untitled"),
            ("[ALLOW todo.txt] Fix the lexer", "Fix the lexer"),
            ("\u{1b}[31mred", "[31mred"),
        ] {
            assert_eq!(provisional_name(prompt), name);
        }
    }
}

//! Prompts that say no more than that something is to end: "drop it", "never mind, stop that".
//!
//! Where there is nothing that they could end, no job comes of them. A prompt counts as one only if
//! every word of it does: "drop the unused table" is work. So it is with words that want work to
//! rest for a while: "let's stop here for today". Words go by the languages that
//! [`super::demands`] knows.

use unicode_normalization::UnicodeNormalization as _;

/// Runs of words that end something, in small letters.
const ENDS: &[&str] = &[
    // English
    "drop",
    "stop",
    "cancel",
    "abort",
    "quit",
    "scrap",
    "forget",
    "discard",
    "abandon",
    "pause",
    "halt",
    "never mind",
    "nevermind",
    "nvm",
    "leave it",
    "leave that",
    "let it be",
    "let it go",
    "forget about",
    "do not do",
    "don't do",
    "dont do",
    "don't bother",
    "call it off",
    "enough",
    // German
    "lass",
    "lasst",
    "lassen",
    "stopp",
    "halte an",
    "anhalten",
    "abbrechen",
    "brich ab",
    "brich",
    "abbruch",
    "vergiss",
    "verwirf",
    "verwerfen",
    "vergessen",
    "aufhören",
    "hör auf",
    "egal",
    "schon gut",
    "schluss",
    "pausiere",
    // Spanish
    "déjalo",
    "dejalo",
    "olvídalo",
    "olvidalo",
    "olvida",
    "cancela",
    "cancélalo",
    "cancelalo",
    "para",
    "detente",
    "detén",
    "descarta",
    "descártalo",
    "no importa",
    "da igual",
    "basta",
    "abandona",
    // French
    "laisse tomber",
    "laisse",
    "oublie",
    "annule",
    "arrête",
    "arrete",
    "abandonne",
    "tant pis",
    "peu importe",
    "stoppe",
    "laissez tomber",
    "annulez",
    "arrêtez",
    "oubliez",
    // Portuguese
    "deixa",
    "deixe",
    "esquece",
    "esqueça",
    "cancele",
    "pare",
    "pára",
    "descarte",
    "deixa pra lá",
    "não importa",
    "nao importa",
    "tanto faz",
    "desista",
    "chega",
    // Russian
    "забудь",
    "отмени",
    "отмена",
    "стоп",
    "остановись",
    "прекрати",
    "хватит",
    "брось",
    "не надо",
    "неважно",
    "не важно",
    "оставь",
    "прекращай",
    "отменить",
];

/// What they end, and the words of courtesy around them.
const AROUND: &[&str] = &[
    // English
    "it",
    "that",
    "this",
    "them",
    "all",
    "all of it",
    "everything",
    "the job",
    "this job",
    "that job",
    "the task",
    "this task",
    "that task",
    "the work",
    "the whole thing",
    "the thing",
    "what you are doing",
    "what you're doing",
    "for now",
    "now",
    "please",
    "pls",
    "ok",
    "okay",
    "no",
    "nope",
    "yes",
    "just",
    "actually",
    "sorry",
    "thanks",
    "thank you",
    "and",
    "then",
    "so",
    "here",
    "right away",
    "again",
    "i said",
    "oh",
    "wait",
    "well",
    "altogether",
    "completely",
    "entirely",
    // German
    "es",
    "das",
    "den job",
    "den auftrag",
    "die aufgabe",
    "die arbeit",
    "diese aufgabe",
    "diesen job",
    "alles",
    "bitte",
    "jetzt",
    "sofort",
    "doch",
    "mal",
    "nein",
    "danke",
    "einfach",
    "gut",
    "sein",
    "bleiben",
    "ab",
    "an",
    "damit",
    "erst",
    "na",
    "und",
    "ganz",
    "schon",
    "fallen",
    // Spanish
    "eso",
    "esto",
    "lo",
    "todo",
    "la tarea",
    "el trabajo",
    "el encargo",
    "por favor",
    "ya",
    "ahora",
    "gracias",
    "mejor",
    "y",
    "así",
    "estar",
    // French
    "ça",
    "ca",
    "cela",
    "tout",
    "tout ça",
    "la tâche",
    "le travail",
    "cette tâche",
    "s'il te plaît",
    "s'il te plait",
    "s'il vous plaît",
    "stp",
    "maintenant",
    "non",
    "merci",
    "et",
    "tomber",
    "donc",
    // Portuguese
    "isso",
    "isto",
    "tudo",
    "a tarefa",
    "o trabalho",
    "por favor",
    "agora",
    "obrigado",
    "obrigada",
    "não",
    "pra lá",
    "para lá",
    "e",
    "estar",
    "com isso",
    "já",
    // Russian
    "это",
    "эту задачу",
    "задачу",
    "работу",
    "всё",
    "все",
    "пожалуйста",
    "сейчас",
    "нет",
    "спасибо",
    "ладно",
    "и",
    "это дело",
    "его",
];

/// Runs of words by which work rests, and goes on later.
const RESTS: &[&str] = &[
    // English
    "pause",
    "wait",
    "hold on",
    "hold it",
    "hold off",
    "hang on",
    "stand by",
    "one moment",
    "just a moment",
    "take a break",
    "take a pause",
    "stop here",
    "stop there",
    "stop for now",
    "stop for today",
    "stop for the moment",
    "stop for a moment",
    "stop it here",
    "stop it for now",
    "stop working for now",
    "stop working for today",
    "leave it for now",
    "leave it for today",
    "leave it there",
    "leave it at that for now",
    "leave it as it is for now",
    "enough for now",
    "enough for today",
    "that's it for now",
    "that's it for today",
    "that is it for today",
    "that's all for today",
    "that is all for today",
    "call it a day",
    "continue later",
    "continue tomorrow",
    "go on later",
    "go on tomorrow",
    "carry on later",
    "carry on tomorrow",
    "pick it up later",
    "pick it up tomorrow",
    "pick this up later",
    "pick this up tomorrow",
    "do not change anything",
    "don't change anything",
    "do not do anything",
    "don't do anything",
    "do not touch anything",
    "don't touch anything",
    // German
    "warte",
    "warte mal",
    "moment",
    "moment mal",
    "einen moment",
    "mach pause",
    "mach eine pause",
    "mach mal pause",
    "schluss für heute",
    "genug für heute",
    "für heute reicht es",
    "reicht für heute",
    "hör hier auf",
    "hören wir hier auf",
    "weiter geht es morgen",
    "machen morgen weiter",
    "mach morgen weiter",
    "mach später weiter",
    // Spanish
    "espera",
    "espere",
    "pausa",
    "para por hoy",
    "para por ahora",
    "basta por hoy",
    "paremos aquí",
    "seguimos mañana",
    "continuamos mañana",
    // French
    "attends",
    "attendez",
    "fais une pause",
    "on s'arrête là",
    "arrêtons-nous là",
    "on continue demain",
    "on reprend demain",
    "c'est tout pour aujourd'hui",
    // Portuguese
    "espere um pouco",
    "paramos por aqui",
    "chega por hoje",
    "continuamos amanhã",
    // Russian
    "подожди",
    "подождите",
    "пауза",
    "сделай паузу",
    "на сегодня хватит",
    "на сегодня всё",
    "продолжим завтра",
];

/// How long it rests, and the words of courtesy around it.
const MEANWHILE: &[&str] = &[
    // English
    "let's",
    "lets",
    "let us",
    "we",
    "we'll",
    "we will",
    "we can",
    "i",
    "i'll",
    "i will",
    "is",
    "can you",
    "could you",
    "working",
    "with it",
    "with this",
    "today",
    "for today",
    "for tonight",
    "for the moment",
    "for a moment",
    "for a while",
    "for a bit",
    "a moment",
    "a minute",
    "a second",
    "a sec",
    "a bit",
    "tomorrow",
    "later",
    "until tomorrow",
    "until later",
    "until i am back",
    "until i'm back",
    "until i say so",
    "till i am back",
    "till i'm back",
    "till tomorrow",
    "i have to go",
    "i need to go",
    "i'm off",
    "bye",
    "good night",
    "see you",
    // German
    "wir",
    "für heute",
    "heute",
    "morgen",
    "bis morgen",
    "später",
    "bis ich zurück bin",
    "kurz",
    // Spanish
    "por hoy",
    "por ahora",
    "un momento",
    "mañana",
    "hasta mañana",
    "luego",
    // French
    "pour aujourd'hui",
    "un moment",
    "un instant",
    "demain",
    "à demain",
    // Portuguese
    "por hoje",
    "um pouco",
    "um momento",
    "amanhã",
    "até amanhã",
    // Russian
    "пока",
    "завтра",
    "до завтра",
    "немного",
];

/// The same in scripts without blanks.
const PARTS: &[&str] = &[
    // Chinese
    "算了",
    "停止",
    "停下",
    "停",
    "取消",
    "放弃",
    "别做了",
    "不用了",
    "不要了",
    "不做了",
    "忘了",
    "丢掉",
    "暂停",
    "没关系",
    "不必了",
    // Japanese
    "やめて",
    "やめる",
    "止めて",
    "中止",
    "取り消して",
    "キャンセル",
    "破棄して",
    "忘れて",
    "もういい",
    "中断して",
    "気にしないで",
];
const BETWEEN: &[&str] = &[
    "这个",
    "那个",
    "它",
    "吧",
    "请",
    "任务",
    "工作",
    "全部",
    "都",
    "了",
    "现在",
    "把",
    "先",
    "好的",
    "好",
    "それを",
    "それ",
    "これを",
    "これ",
    "ください",
    "もう",
    "して",
    "作業を",
    "作業",
    "全部",
    "を",
    "は",
    "今すぐ",
    "いいえ",
];

/// Rests in these scripts.
const WAITS: &[&str] = &[
    // Chinese
    "暂停",
    "等一下",
    "等等",
    "稍等",
    "今天到此为止",
    "先到这里",
    "明天继续",
    // Japanese
    "待って",
    "中断して",
    "一時停止",
    "今日はここまで",
    "続きは明日",
];

/// Whether `prompt` says no more than that something is to end.
pub(crate) fn only_ends(prompt: &str) -> bool {
    says_only(prompt, (ENDS, PARTS), &[AROUND])
}

/// Whether `prompt` says no more than that work is to rest for a while.
pub(crate) fn only_rests(prompt: &str) -> bool {
    says_only(prompt, (RESTS, WAITS), &[AROUND, MEANWHILE])
}

/// Whether `prompt` says no more than one of `acts`: phrases, and parts of a text without blanks.
fn says_only(prompt: &str, (acts, parts): (&[&str], &[&str]), around: &[&[&str]]) -> bool {
    /// A longer text is about something.
    const LONGEST: usize = 120;
    if prompt.chars().count() > LONGEST {
        return false;
    }
    let text: String = prompt.to_lowercase().replace('\u{2019}', "'").nfc().collect();
    let told = |c: char| c.is_alphanumeric() || c == '\'';
    let signs = |c: char| {
        c.is_whitespace()
            || matches!(c, ',' | '.' | '!' | ';' | '-' | '\u{2013}' | '\u{2014}' | '\u{2026}')
            || matches!(c, '\u{3002}' | '\u{ff0c}' | '\u{ff01}' | '\u{3001}')
    };
    // A path, a number, a quotation or a question is about something.
    if !text.chars().all(|c| told(c) || signs(c)) {
        return false;
    }
    let words: Vec<&str> = text.split(signs).filter(|word| !word.is_empty()).collect();
    if words.iter().all(|word| word.chars().all(is_unspaced)) && !words.is_empty() {
        return reads(&words.concat(), parts);
    }
    spoken(&words, acts, around)
}

/// Letters of scripts that put no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')
}

/// Whether each word belongs to one of the phrases, and one of these is one of `acts`.
fn spoken(words: &[&str], acts: &[&str], around: &[&[&str]]) -> bool {
    let (mut at, mut ends) = (0, false);
    while at < words.len() {
        let longest = |phrases: &[&str]| {
            let fits = |phrase: &&&str| {
                let phrase: Vec<&str> = phrase.split(' ').collect();
                words[at..].starts_with(&phrase)
            };
            phrases.iter().filter(fits).map(|phrase| phrase.split(' ').count()).max()
        };
        let beside = around.iter().filter_map(|&phrases| longest(phrases)).max();
        match (longest(acts), beside) {
            (Some(end), around) if Some(end) >= around => {
                ends = true;
                at += end;
            }
            (_, Some(around)) => at += around,
            (_, None) => return false,
        }
    }
    ends
}

/// The same of a text without blanks.
fn reads(text: &str, acts: &[&str]) -> bool {
    let (mut rest, mut ends) = (text, false);
    while !rest.is_empty() {
        let longest = |parts: &[&str]| {
            parts.iter().filter(|part| rest.starts_with(**part)).map(|part| part.len()).max()
        };
        let (end, between) = (longest(acts), longest(BETWEEN));
        ends |= end.is_some() && end >= between;
        let Some(taken) = end.max(between) else { return false };
        rest = &rest[taken..];
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::{only_ends, only_rests};

    #[test]
    fn words_that_end_something_are_no_task() {
        for prompt in [
            "drop it",
            "Stop it!",
            "cancel that",
            "never mind, drop it \u{2026}",
            "Never mind.",
            "forget it, please",
            "OK, stop",
            "no, abort this job",
            "just leave it",
            "please don\u{2019}t do that",
            "scrap the whole thing",
            "stop what you're doing",
            "pause for now",
            "enough, thanks",
            "drop it\n",
            "nvm",
            "de\u{301}jalo",
            "lass es",
            "Lass das bitte sein",
            "brich das ab",
            "vergiss es, danke",
            "abbrechen",
            "hör auf damit",
            "déjalo",
            "cancela eso, por favor",
            "olvídalo ya",
            "laisse tomber",
            "Annule tout ça, s'il te plaît",
            "arrête ça maintenant",
            "deixa pra lá",
            "cancela isso agora",
            "esquece",
            "забудь это",
            "отмени, пожалуйста",
            "算了",
            "取消这个任务吧",
            "请停止。",
            "やめてください",
            "それをキャンセルして",
            "もういい",
        ] {
            assert!(only_ends(prompt), "{prompt:?}");
        }
    }

    #[test]
    fn a_task_that_begins_so_is_one() {
        for prompt in [
            "drop the unused table from schema.sql",
            "stop the server before the tests",
            "cancel button: fix its colour",
            "drop it from the list of plugins",
            "forget the old token on logout",
            "pause the animation",
            "stop words",
            "drop it in src/a.rs",
            "stop using unwrap",
            "drop python 3.8",
            "",
            "...",
            "please",
            "this job",
            "lass den Parser leere Zeilen überspringen",
            "brich lange Zeilen um",
            "laisse le cache vide",
            "cancela las peticiones al cerrar",
            "отмени старые запросы",
            "取消按钮的颜色",
            "停止服务器",
            "キャンセルボタンを直す",
            "drop it?",
            "stop `make`",
            "no",
            "it",
            "thanks",
            "fix it",
            "para los tests usa pytest",
            "continue",
            "go on",
            "never mind the warnings, fix the error",
            "undo the last migration",
            "undo that",
            "never mind, undo that",
        ] {
            assert!(!only_ends(prompt), "{prompt:?}");
        }
    }

    #[test]
    fn words_that_want_work_to_rest_are_told_from_work() {
        for prompt in [
            "let's stop here for today, we'll continue tomorrow",
            "Let\u{2019}s call it a day. I have to go, bye!",
            "pause please",
            "please pause the work",
            "stop for now",
            "hold on, do not change anything until I am back",
            "take a break",
            "that is enough for today",
            "wait",
            "wait a minute, please",
            "ok, wait",
            "leave it as it is for now",
            "warte mal bitte",
            "Schluss für heute, wir machen morgen weiter",
            "espera un momento",
            "ya basta por hoy, seguimos mañana",
            "on s'arrête là, on continue demain",
            "paramos por aqui, continuamos amanhã",
            "подожди немного",
            "等一下",
            "待って",
        ] {
            assert!(only_rests(prompt), "{prompt:?}");
        }
        for prompt in [
            "wait for the server before the tests",
            "wait, use a list instead",
            "hold on to the lock until the write is over",
            "pause the animation",
            "stop",
            "stop it",
            "continue",
            "go on",
            "never mind",
            "please",
            "tomorrow",
            "take a break statement out of the loop",
            "wait?",
            "",
        ] {
            assert!(!only_rests(prompt), "{prompt:?}");
        }
    }
}

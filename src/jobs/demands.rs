//! Which sentences of a prompt forbid something or demand it: they hold for the whole job, so each
//! phase tells them again.
//!
//! Words go by eight languages. A sentence too many costs a line; one too few costs what a person
//! said, so the lists rather take too much.

/// Runs of words of which one makes a sentence a demand, in small letters.
const PHRASES: [&str; 88] = [
    "never",
    "always",
    "must",
    "mustn't",
    "do not",
    "don't",
    "dont",
    "make sure",
    "ensure",
    "under no circumstances",
    "leave alone",
    "keep away",
    "hands off",
    "avoid",
    "forbidden",
    "not allowed",
    "may not",
    "should not",
    "shouldn't",
    "only change",
    "only touch",
    "only edit",
    "only modify",
    "only use",
    "only in",
    "without changing",
    "without touching",
    "without breaking",
    "no more than",
    "at most",
    "at least",
    "required",
    "nie",
    "niemals",
    "immer",
    "muss",
    "müssen",
    "musst",
    "darf",
    "dürfen",
    "darfst",
    "unbedingt",
    "auf keinen fall",
    "keinesfalls",
    "bitte nicht",
    "nicht ändern",
    "nicht anfassen",
    "nicht löschen",
    "lass die finger",
    "nunca",
    "siempre",
    "debe",
    "deben",
    "no toques",
    "no cambies",
    "no modifiques",
    "no borres",
    "asegúrate",
    "jamais",
    "toujours",
    "doit",
    "doivent",
    "ne touche",
    "ne modifie",
    "ne change",
    "ne supprime",
    "assure-toi",
    "sempre",
    "deve",
    "devem",
    "não toque",
    "não mexa",
    "não altere",
    "não mude",
    "certifique-se",
    "não apague",
    "никогда",
    "всегда",
    "должен",
    "должна",
    "должно",
    "должны",
    "не трогай",
    "не меняй",
    "не изменяй",
    "не удаляй",
    "обязательно",
    "нельзя",
];

/// The same for scripts without blanks: anywhere in the sentence.
const PARTS: [&str; 22] = [
    "不要",
    "别动",
    "别改",
    "别碰",
    "必须",
    "务必",
    "禁止",
    "不得",
    "不能",
    "只能",
    "绝不",
    "不许",
    "总是",
    "千万",
    "しないで",
    "触らない",
    "変更しない",
    "絶対",
    "必ず",
    "てはいけ",
    "ないでください",
    "常に",
];

/// Whether `sentence` forbids something or demands it. A question does neither.
pub(crate) fn is_demand(sentence: &str) -> bool {
    let sentence = sentence.trim();
    if sentence.ends_with(['?', '？']) {
        return false;
    }
    if PARTS.iter().any(|part| sentence.contains(part)) {
        return true;
    }
    let small = sentence.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = small
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')))
        .filter(|word| !word.is_empty())
        .collect();
    PHRASES.iter().any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|run| run == phrase.as_slice())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forbids_or_demands_is_known() {
        for (sentence, demands) in [
            ("Never touch src/b.", true),
            ("Don\u{2019}t change the public API", true),
            ("all errors must carry a path", true),
            ("Only change src/lexer.", true),
            ("Use at most 2 threads", true),
            ("Bitte nicht an den Tests schrauben.", true),
            ("Die Ausgabe muss gleich bleiben", true),
            ("No toques el esquema", true),
            ("Ne touche pas aux migrations", true),
            ("Não mexa no banco", true),
            ("Не трогай миграции", true),
            ("不要修改数据库", true),
            ("テストは必ず通してください", true),
            ("Keep escapes in quoted strings", false),
            ("Why does it always fail?", false),
            ("The lexer drops escapes", false),
            ("mustard is a word", false),
            ("", false),
        ] {
            assert_eq!(is_demand(sentence), demands, "{sentence}");
        }
    }
}

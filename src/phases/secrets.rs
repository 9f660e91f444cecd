//! What is said where a message or a file of memory would carry a likely secret into a commit: the
//! place and the kind, never the value.

use crate::secrets::Line;
use crate::verdict::{Case, Refusal, Wants};

/// A commit message holds one, in a boundary or in a commit by hand.
pub(crate) fn in_message(by: &'static str, secret: &Line) -> Refusal {
    told(Refusal::new(by, Wants::Message).case(Case::SecretWord), secret)
}

/// A page, a file of knowledge or a plan holds one in a line that is new.
pub(crate) fn in_file(by: &'static str, path: &str, secret: &Line) -> Refusal {
    told(Refusal::new(by, Wants::Clean).case(Case::SecretLine).with("path", path), secret)
}

fn told(refusal: Refusal, secret: &Line) -> Refusal {
    refusal.with("line", secret.number.to_string()).with("kind", secret.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_kind_are_told() {
        let secret = Line { number: 7, kind: "jwt" };
        let file = in_file("clean", "src/CLAUDE.md", &secret);
        assert_eq!(file.facts.get("path"), Some("src/CLAUDE.md"));
        for refusal in [file, in_message("message", &secret)] {
            assert_eq!(
                (refusal.facts.get("line"), refusal.facts.get("kind")),
                (Some("7"), Some("jwt"))
            );
        }
    }
}

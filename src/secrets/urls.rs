//! Passwords in URLs: `scheme://user:password@host`.

use super::Found;
use super::strength::is_placeholder;

pub(super) fn find(text: &str) -> Vec<Found> {
    let schemes = text.match_indices("://").map(|(at, mark)| at + mark.len());
    schemes.filter_map(|from| password(text, from)).collect()
}

fn password(text: &str, from: usize) -> Option<Found> {
    let ends = |letter: char| letter.is_whitespace() || "/?#\"'`<>\\|,)]}".contains(letter);
    let rest = &text[from..];
    let place = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let (person, _) = place.rsplit_once('@')?;
    let (user, password) = person.split_once(':')?;
    // A variable's braces end the place, so only its beginning is seen.
    let fits = password.len() > 2 && !is_placeholder(password);
    let start = from + user.len() + 1;
    fits.then(|| Found { at: start..start + password.len(), kind: "password" })
}

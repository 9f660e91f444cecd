//! Words of a shipped table, borrowed from the binary, which carries them anyway.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A text of a shipped table. A host's row has three hundred, of which a call needs a few: where
/// each was copied that took a twentieth of a decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(Cow<'static, str>);

impl Text {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'static> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Words)
    }
}

struct Words;

impl<'de: 'static> Visitor<'de> for Words {
    type Value = Text;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    /// Of TOML with escapes, as people write a table.
    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        &*self.0 == other.as_str()
    }
}

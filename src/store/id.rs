//! Names of git objects: [`CommitId`] and [`TreeId`].
//!
//! Full hexadecimal ids, 40 digits in a sha1 repository and 64 in a sha256 one.
//! They are plain text so that they can be stored and compared anywhere; only
//! `store` turns them into the object library's own ids.

use std::fmt;
use std::str::FromStr;

use gix::ObjectId;

use super::error::StoreError;

/// A text that is not a full object id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a full object id (40 or 64 lower-case hexadecimal digits)")]
pub struct NotAnId(String);

fn hex(text: &str) -> Result<Box<str>, NotAnId> {
    let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match text.len() {
        40 | 64 if digits => Ok(text.into()),
        _ => Err(NotAnId(text.to_owned())),
    }
}

macro_rules! id {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
                serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// The id as lower-case hexadecimal digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub(super) fn object(&self) -> Result<ObjectId, StoreError> {
                ObjectId::from_hex(self.0.as_bytes())
                    .map_err(|err| StoreError::Invalid { what: self.0.to_string(),
                        why: err.to_string() })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                hex(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAnId;

            fn try_from(text: String) -> Result<Self, NotAnId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.into_string()
            }
        }

        impl From<ObjectId> for $name {
            fn from(id: ObjectId) -> Self {
                Self(id.to_hex().to_string().into_boxed_str())
            }
        }
    };
}

id!(CommitId, "Name of a commit.");
id!(TreeId, "Name of a tree: the content of a commit or of the work tree at one moment.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_full_and_lower_case() {
        let sha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let cases = [
            (sha1.to_owned(), true),
            ("e".repeat(64), true),
            (sha1[..39].to_owned(), false),
            (sha1.to_uppercase(), false),
            ("g".repeat(40), false),
            (String::new(), false),
        ];
        for (text, good) in cases {
            assert_eq!(text.parse::<CommitId>().is_ok(), good, "{text}");
        }
    }

    #[test]
    fn an_id_travels_as_its_digits() {
        let id: TreeId = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().expect("full");
        let json = serde_json::to_string(&id).expect("writes");
        assert_eq!(json, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<TreeId>(&json).expect("reads"), id);
    }
}

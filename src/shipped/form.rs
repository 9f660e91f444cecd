//! Reads the form in which the binary carries a table; `write.rs` says what it is like.
//!
//! Text is borrowed as it stands, lengths are known before anything is read, and what nobody
//! wants is stepped over. A form that no build has written is an error, never a panic.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

/// What is wrong with a table, small enough to be handed up through every value.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Error(Box<str>);

impl serde::de::Error for Error {
    fn custom<T: std::fmt::Display>(said: T) -> Self {
        Self(said.to_string().into())
    }
}

/// As deep as values may lie in each other; tables need five.
const DEEPEST: u8 = 32;

/// A form, read up to `at`.
pub(super) struct Reader<'t> {
    form: &'t str,
    at: usize,
    deep: u8,
}

impl<'t> Reader<'t> {
    pub(super) fn new(form: &'t str, at: usize) -> Self {
        Self { form, at, deep: 0 }
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        let byte = *self.form.as_bytes().get(self.at).ok_or(Broken)?;
        self.at += 1;
        Ok(byte)
    }

    /// A number; most are lengths of one byte.
    fn bits(&mut self) -> Result<u64, Broken> {
        let byte = self.byte()?;
        if byte < 64 { Ok(byte.into()) } else { self.more(byte) }
    }

    #[cold]
    fn more(&mut self, first: u8) -> Result<u64, Broken> {
        let (mut byte, mut bits, mut shift) = (first, 0, 0);
        loop {
            let six = u64::from(byte % 64);
            if byte > 127 || shift > 60 || six << shift >> shift != six {
                return Err(Broken);
            }
            bits |= six << shift;
            if byte < 64 {
                return Ok(bits);
            }
            shift += 6;
            byte = self.byte()?;
        }
    }

    fn length(&mut self) -> Result<usize, Broken> {
        usize::try_from(self.bits()?).map_err(|_| Broken)
    }

    fn text(&mut self) -> Result<&'t str, Broken> {
        let end = self.length()?.checked_add(self.at).ok_or(Broken)?;
        let text = self.form.get(self.at..end).ok_or(Broken)?;
        self.at = end;
        Ok(text)
    }

    /// The values of a list or a map, apart from what follows it, and how many they are.
    fn many(&mut self) -> Result<Many<'t>, Broken> {
        let left = self.length()?;
        let form = self.text()?;
        let deep = self.deep + 1;
        let reader = Reader { form, at: 0, deep };
        if deep > DEEPEST {
            return Err(Broken);
        }
        Ok(Many { left, at: 0, key: "", reader })
    }
}

/// No build writes such a form. It has no words until it leaves the reader.
struct Broken;

impl From<Broken> for Error {
    fn from(_: Broken) -> Self {
        Self::custom("the built table is broken")
    }
}

impl<'t> Deserializer<'t> for &mut Reader<'t> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.byte()? {
            b'T' => visitor.visit_bool(true),
            b'F' => visitor.visit_bool(false),
            b'U' => visitor.visit_u64(self.bits()?),
            b'N' => visitor.visit_i64(0_i64.checked_sub_unsigned(self.bits()?).ok_or(Broken)?),
            b'D' => visitor.visit_f64(f64::from_bits(self.bits()?)),
            b'S' => visitor.visit_borrowed_str(self.text()?),
            b'L' => visitor.visit_seq(self.many()?),
            b'M' => visitor.visit_map(self.many()?),
            _ => Err(Broken.into()),
        }
    }

    /// A key that is not there is none, so one that is there is some.
    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A word, or a table with one key, as TOML spells them.
    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.byte()? {
            b'S' => visitor.visit_enum(word(self.text()?)),
            b'M' => match self.many()? {
                one @ Many { left: 1, .. } => visitor.visit_enum(one),
                _ => Err(Error::invalid_value(Unexpected::Map, &"a table with one key")),
            },
            _ => Err(Error::custom("expected a word, or a table with one key")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.byte()? {
            b'T' | b'F' => {}
            b'U' | b'N' | b'D' => {
                self.bits()?;
            }
            b'S' => {
                self.text()?;
            }
            b'L' | b'M' => {
                self.many()?;
            }
            _ => return Err(Broken.into()),
        }
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// A key, or the word of an enum.
fn word(text: &str) -> BorrowedStrDeserializer<'_, Error> {
    BorrowedStrDeserializer::new(text)
}

/// The values of a list or of a map.
struct Many<'t> {
    left: usize,
    /// How many were read.
    at: usize,
    key: &'t str,
    reader: Reader<'t>,
}

impl<'t> SeqAccess<'t> for Many<'t> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.at += 1;
        let read = seed.deserialize(&mut self.reader);
        // A row of a list of the table: whoever mends it looks for it by its place.
        let named = |bad: Error| match self.reader.deep {
            2 => Error::custom(format_args!("row {}: {}", self.at, bad)),
            _ => bad,
        };
        read.map(Some).map_err(named)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'t> MapAccess<'t> for Many<'t> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.key = self.reader.text()?;
        seed.deserialize(word(self.key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let read = seed.deserialize(&mut self.reader);
        let named = |bad: Error| match self.reader.deep {
            1 => Error::custom(format_args!("`{}` {}", self.key, bad)),
            _ => bad,
        };
        read.map_err(named)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'t> EnumAccess<'t> for Many<'t> {
    type Error = Error;
    type Variant = Reader<'t>;

    fn variant_seed<V: DeserializeSeed<'t>>(
        mut self,
        seed: V,
    ) -> Result<(V::Value, Reader<'t>), Error> {
        let word = word(self.reader.text()?);
        Ok((seed.deserialize(word)?, self.reader))
    }
}

impl<'t> VariantAccess<'t> for Reader<'t> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Err(Error::invalid_type(Unexpected::Map, &"a word"))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'t>>(mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(&mut self)
    }

    fn tuple_variant<V: Visitor<'t>>(mut self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'t>>(
        mut self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }
}

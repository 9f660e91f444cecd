//! A table in the form in which the binary carries it; `form.rs` reads it.
//!
//! The build script and the tests write it, nobody else. A value is a sign and what the sign
//! says: `T`, `F`; `U`, `N` and a number, which is not negative or is; `D` and the bits of a
//! number with a fraction; `S`, a length and so many bytes of text; `L`, a count, a length in
//! bytes and so many values; `M`, the same with a key before each value, which is a length and
//! text. A number has six bits in each byte, the lowest first, and a seventh that says that
//! more follow. So all of it is text, and what is cut out of it is text again unexamined.

use serde_json::Value;

/// A value in that form.
///
/// # Errors
///
/// Says which value no table has.
pub(crate) fn written(value: &Value) -> Result<String, String> {
    let mut out = String::new();
    put(value, &mut out)?;
    Ok(out)
}

fn put(value: &Value, out: &mut String) -> Result<(), String> {
    match value {
        Value::Null => return Err("a table holds no null".to_owned()),
        Value::Bool(true) => out.push('T'),
        Value::Bool(false) => out.push('F'),
        Value::Number(number) => put_number(number, out)?,
        Value::String(text) => {
            out.push('S');
            put_text(text, out);
        }
        Value::Array(values) => {
            let mut all = String::new();
            values.iter().try_for_each(|value| put(value, &mut all))?;
            put_many('L', values.len(), &all, out);
        }
        Value::Object(keys) => {
            let mut all = String::new();
            for (key, value) in keys {
                put_text(key, &mut all);
                put(value, &mut all)?;
            }
            put_many('M', keys.len(), &all, out);
        }
    }
    Ok(())
}

fn put_number(number: &serde_json::Number, out: &mut String) -> Result<(), String> {
    let (sign, bits) = if let Some(number) = number.as_u64() {
        ('U', number)
    } else if let Some(number) = number.as_i64() {
        ('N', number.unsigned_abs())
    } else {
        ('D', number.as_f64().ok_or_else(|| format!("{number} is no number of a table"))?.to_bits())
    };
    out.push(sign);
    put_bits(bits, out);
    Ok(())
}

fn put_text(text: &str, out: &mut String) {
    put_length(text.len(), out);
    out.push_str(text);
}

fn put_many(sign: char, count: usize, all: &str, out: &mut String) {
    out.push(sign);
    put_length(count, out);
    put_length(all.len(), out);
    out.push_str(all);
}

fn put_length(length: usize, out: &mut String) {
    put_bits(length as u64, out);
}

fn put_bits(mut bits: u64, out: &mut String) {
    loop {
        let more = if bits > 63 { 64 } else { 0 };
        out.push(char::from((bits % 64) as u8 + more));
        bits /= 64;
        if bits == 0 {
            return;
        }
    }
}

//! Entries as text: states, instructions and descriptions may be written as JSON.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::fields::{invalid, type_of};
use crate::error::Error;

/// Text as it is, an object or a list as one line of JSON, null as nothing.
pub fn entry(value: Value, place: &str) -> Result<Option<String>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Object(_) | Value::Array(_) => Ok(Some(one_line(&value))),
        other => Err(invalid(format!("{place} must be text, an object, a list or null, not {}", type_of(&other)))),
    }
}

/// As [`entry`], with a blank text as nothing.
pub fn entry_not_blank(value: Value, place: &str) -> Result<Option<String>, Error> {
    Ok(entry(value, place)?.filter(|text| !text.trim().is_empty()))
}

/// JSON with ", " and ": " between its parts, as Python writes it: decision models were trained on states printed so.
pub fn one_line(value: &Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Spaced));
    written.expect("a JSON value can be written to memory; otherwise this is a bug");
    String::from_utf8(bytes).expect("JSON is UTF-8; otherwise this is a bug")
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

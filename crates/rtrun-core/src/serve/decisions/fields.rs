//! Reading a JSON object field by field. Messages name fields and never quote values.

use serde_json::{Map, Value};

use crate::error::{Error, shown};

/// The fields of one object, all of them known.
pub struct Fields {
    /// Where the object is, such as `options.`; empty for the outermost.
    place: String,
    map: Map<String, Value>,
}

impl Fields {
    /// The fields of an object at a place of the request. One that is not in `known` is refused by name.
    pub fn new(value: Value, place: &str, known: &[&str]) -> Result<Self, Error> {
        let Value::Object(map) = value else {
            return Err(invalid(format!("{} must be an object, not {}", named(place), type_of(&value))));
        };
        if let Some(name) = map.keys().find(|name| !known.contains(&name.as_str())) {
            let known = known.join(", ");
            return Err(invalid(format!("{} has no field {}; it has {known}", named(place), shown(name))));
        }
        let place = if place.is_empty() { String::new() } else { format!("{place}.") };
        Ok(Self { place, map })
    }

    /// The place of a field, for messages.
    pub fn place(&self, name: &str) -> String {
        format!("{}{name}", self.place)
    }

    /// Whether a field is there, null included.
    pub fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// A field, null included.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.map.get_mut(name).map(Value::take)
    }

    /// A field that is there and not null.
    pub fn take_some(&mut self, name: &str) -> Option<Value> {
        self.take(name).filter(|value| !value.is_null())
    }

    /// A field that must be there.
    pub fn require(&mut self, name: &str, what: &str) -> Result<Value, Error> {
        self.take(name).ok_or_else(|| invalid(format!("{} is missing; give {what}", self.place(name))))
    }

    /// A text.
    pub fn string(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.take_some(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.must_be(name, "a string", &other)),
        }
    }

    /// A list of texts; empty if absent.
    pub fn strings(&mut self, name: &str) -> Result<Vec<String>, Error> {
        let Some(value) = self.take_some(name) else { return Ok(Vec::new()) };
        let Value::Array(items) = value else { return Err(self.must_be(name, "a list of strings", &value)) };
        let text = |(index, item)| match item {
            Value::String(text) => Ok(text),
            other => Err(self.must_be(&format!("{name}[{index}]"), "a string", &other)),
        };
        items.into_iter().enumerate().map(text).collect()
    }

    /// Yes or no.
    pub fn boolean(&mut self, name: &str) -> Result<Option<bool>, Error> {
        match self.take_some(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(self.must_be(name, "true or false", &other)),
        }
    }

    /// A whole number from 1 on.
    pub fn positive(&mut self, name: &str) -> Result<Option<u64>, Error> {
        let Some(value) = self.take_some(name) else { return Ok(None) };
        match value.as_u64().filter(|number| *number > 0) {
            Some(number) => Ok(Some(number)),
            None => Err(invalid(format!("{} must be a whole number of at least 1", self.place(name)))),
        }
    }

    /// Accepts a field for the sake of clients that send it; its value has no effect.
    pub fn ignore(&mut self, name: &str, is_right: fn(&Value) -> bool, what: &str) -> Result<(), Error> {
        match self.take_some(name) {
            Some(value) if !is_right(&value) => Err(self.must_be(name, what, &value)),
            _ => Ok(()),
        }
    }

    /// The complaint that a field has another type.
    pub fn must_be(&self, name: &str, what: &str, found: &Value) -> Error {
        invalid(format!("{} must be {what}, not {}", self.place(name), type_of(found)))
    }
}

/// The request cannot be served as it is written.
pub fn invalid(message: String) -> Error {
    Error::InvalidRequest(message)
}

/// The type of a value, for messages.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn named(place: &str) -> &str {
    if place.is_empty() { "the request" } else { place }
}

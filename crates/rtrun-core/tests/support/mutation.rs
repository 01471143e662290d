//! Changing inputs at random: JSON in its structure, and bytes as they are.

use serde_json::{Map, Value, json};

use super::random::Random;

/// Changes inputs, with words that the reader of these inputs may know.
pub struct Mutator<'w> {
    pub random: Random,
    pub keys: &'w [&'w str],
    pub texts: &'w [&'w str],
}

/// The values of bytes that readers treat apart.
const BYTES: [u8; 12] = [0, 1, 0x7f, 0x80, 0xc0, 0xff, b'"', b'\\', b'{', b'[', b',', b'9'];

/// Numbers at the ends of what readers take.
const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "16", "255", "0.5", "-1", "4294967296", "1e300"];

impl Mutator<'_> {
    /// Some JSON, nested at most so deep.
    pub fn value(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.random.below(2) == 0),
            2 => json!(self.random.below(300)),
            3 => json!(self.random.below(300) as f64 / 200.0),
            4 => json!(self.random.pick(self.texts)),
            5 => (0..self.random.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth),
        }
    }

    /// Some object of known keys.
    pub fn object(&mut self, depth: usize) -> Value {
        let entry = |own: &mut Self| (own.random.pick(own.keys).to_owned(), own.value(depth.saturating_sub(1)));
        Value::Object((0..self.random.below(5)).map(|_| entry(self)).collect::<Map<_, _>>())
    }

    /// Replaces one thing somewhere in a value by any other, or leaves it out.
    pub fn change(&mut self, value: &mut Value) {
        *self.place(value) = self.value(3);
    }

    /// Changes one thing somewhere in a value into another of its kind, which readers let further in.
    pub fn nudge(&mut self, value: &mut Value) {
        let place = self.place(value);
        self.change_within_kind(place);
    }

    /// A place in a value; some keys on the way there are lost.
    fn place<'v>(&mut self, value: &'v mut Value) -> &'v mut Value {
        let width = match value {
            Value::Object(map) => map.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        if width == 0 || self.random.below(4) == 0 {
            return value;
        }
        let at = self.random.below(width);
        match value {
            Value::Array(items) => self.place(&mut items[at]),
            Value::Object(map) => {
                if width > 1 && self.random.below(8) == 0 {
                    let key = map.keys().nth(at).unwrap().clone();
                    map.shift_remove(&key);
                }
                let last = map.len() - 1;
                self.place(map.values_mut().nth(at.min(last)).unwrap())
            }
            other => other,
        }
    }

    fn change_within_kind(&mut self, value: &mut Value) {
        match value {
            Value::Bool(is_so) => *is_so = !*is_so,
            Value::Number(_) => *value = serde_json::from_str(NUMBERS[self.random.below(NUMBERS.len())]).unwrap(),
            Value::String(text) if self.random.below(2) == 0 => text.push_str(&text.clone()),
            Value::String(_) => *value = json!(self.random.pick(self.texts)),
            Value::Array(items) if !items.is_empty() => {
                let item = items[self.random.below(items.len())].clone();
                items.insert(self.random.below(items.len()), item);
            }
            Value::Object(map) => {
                let key = self.random.pick(self.keys).to_owned();
                let value = map.values().next().cloned().unwrap_or(Value::Null);
                map.insert(key, value);
            }
            other => *other = self.value(1),
        }
    }

    /// Changes a few bytes somewhere: other values, a piece cut out or said again, a known word put in.
    pub fn change_bytes(&mut self, bytes: &mut Vec<u8>) {
        let at = self.random.below(bytes.len() + 1);
        let end = (at + self.random.below(64)).min(bytes.len());
        match self.random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.random.below(8),
            1 if at < bytes.len() => bytes[at] = BYTES[self.random.below(BYTES.len())],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                let words = if self.random.below(2) == 0 { self.keys } else { self.texts };
                let word = self.random.pick(words);
                bytes.splice(at..end, word.bytes());
            }
        }
    }
}

//! Bodies that nobody would write: whatever comes, the reader answers, and its message is short and holds no value.

use rtrun_core::serve::decisions::Dialect;
use serde_json::{Map, Value, json};

use super::decisions_request::{SCHEMA, read_text};
use crate::support::contract::contract;

/// A small generator of pseudo-random numbers (splitmix64); the same seed gives the same bodies.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        const TEXTS: [&str; 14] = [
            "choice",
            "noul",
            "score",
            "set",
            "span",
            "predicate",
            "message",
            "user",
            "input_text",
            "window",
            "true",
            "",
            "\u{0}\u{10ffff}",
            "secret",
        ];
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(300)),
            3 => json!(self.below(300) as f64 / 200.0),
            4 => json!(self.pick(&TEXTS)),
            5 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        const KEYS: [&str; 34] = [
            "state",
            "questions",
            "states",
            "images",
            "videos",
            "options",
            "model",
            "assets",
            "user",
            "metadata",
            "type",
            "instructions",
            "criteria",
            "choices",
            "levels",
            "labels",
            "threshold",
            "key",
            "description",
            "true",
            "false",
            "input",
            "role",
            "content",
            "text",
            "name",
            "value",
            "label",
            "overflow",
            "max_tokens",
            "return_meta",
            "deadline_ms",
            "q",
            "colour",
        ];
        let entry = |random: &mut Self| (random.pick(&KEYS).to_owned(), random.value(depth.saturating_sub(1)));
        Value::Object((0..self.below(5)).map(|_| entry(self)).collect::<Map<_, _>>())
    }
}

/// Changes one thing somewhere in a value.
fn mutate(value: &mut Value, random: &mut Random) {
    let is_here = random.below(4) == 0;
    match value {
        Value::Object(map) if !map.is_empty() && !is_here => {
            let at = random.below(map.len());
            if random.below(8) == 0 {
                let key = map.keys().nth(at).unwrap().clone();
                map.shift_remove(&key);
            } else {
                mutate(map.values_mut().nth(at).unwrap(), random);
            }
        }
        Value::Array(items) if !items.is_empty() && !is_here => {
            let at = random.below(items.len());
            mutate(&mut items[at], random);
        }
        other => *other = random.value(3),
    }
}

fn examples() -> Vec<Value> {
    let examples = "/paths/~1v1~1decisions/post/requestBody/content/application~1json/examples";
    let examples = contract().document.pointer(examples).unwrap().as_object().unwrap();
    examples.values().map(|example| example["value"].clone()).collect()
}

#[test]
fn any_json_is_read_or_refused_with_a_short_message() {
    let mut random = Random(1);
    let examples = examples();
    let mut read = 0;
    for round in 0..6000 {
        let body = if round % 3 == 0 {
            random.object(5)
        } else {
            let mut body = examples[random.below(examples.len())].clone();
            for _ in 0..=random.below(3) {
                mutate(&mut body, &mut random);
            }
            body
        };
        match read_text(&body.to_string()) {
            Ok(request) => {
                read += 1;
                assert!(request.states.iter().flat_map(|state| &state.questions).any(|asked| asked.question.is_ok()));
            }
            Err(message) => {
                assert!(message.len() < 6000, "{message}");
                assert!(!message.contains("secret"), "{message} of {body}");
            }
        }
    }
    assert!(read > 500, "only {read} bodies were read");
}

#[test]
fn what_the_document_allows_is_read() {
    let mut random = Random(2);
    let examples = examples();
    let mut allowed = 0;
    for _ in 0..3000 {
        let mut body = examples[random.below(examples.len())].clone();
        mutate(&mut body, &mut random);
        if contract().check_value(SCHEMA, &body).is_ok() {
            allowed += 1;
            let request = read_text(&body.to_string()).unwrap_or_else(|error| panic!("{error}: {body}"));
            assert_eq!(request.dialect, Dialect::SystemOne);
            let mut asked = request.states.iter().flat_map(|state| &state.questions);
            assert!(asked.all(|asked| asked.question.is_ok()), "{body}");
        }
    }
    assert!(allowed > 300, "only {allowed} bodies were allowed");
}

#[test]
fn broken_bytes_are_refused() {
    let whole = examples()[1].to_string();
    for end in 0..whole.len() {
        if whole.is_char_boundary(end) {
            assert!(read_text(&whole[..end]).is_err());
        }
    }
    for text in ["", "nul", "{\"state\":\"\\ud800\"}", "{\"state\":1e999}", "{\"state\":NaN}", "{} {}", "\u{feff}{}"] {
        assert!(read_text(text).is_err(), "{text}");
    }
}

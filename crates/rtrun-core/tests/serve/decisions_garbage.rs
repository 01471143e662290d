//! Bodies that nobody would write: whatever comes, the reader answers, and its message is short and holds no value.

use rtrun_core::serve::decisions::Dialect;
use serde_json::Value;

use super::decisions_request::{SCHEMA, read_text};
use crate::support::contract::contract;
use crate::support::mutation::Mutator;
use crate::support::random::Random;

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

fn mutator(seed: u64) -> Mutator<'static> {
    Mutator { random: Random(seed), keys: &KEYS, texts: &TEXTS }
}

fn examples() -> Vec<Value> {
    let examples = "/paths/~1v1~1decisions/post/requestBody/content/application~1json/examples";
    let examples = contract().document.pointer(examples).unwrap().as_object().unwrap();
    examples.values().map(|example| example["value"].clone()).collect()
}

#[test]
fn any_json_is_read_or_refused_with_a_short_message() {
    let mut mutator = mutator(1);
    let examples = examples();
    let mut read = 0;
    for round in 0..6000 {
        let body = if round % 3 == 0 {
            mutator.object(5)
        } else {
            let mut body = examples[mutator.random.below(examples.len())].clone();
            for _ in 0..=mutator.random.below(3) {
                mutator.change(&mut body);
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
    let mut mutator = mutator(2);
    let examples = examples();
    let mut allowed = 0;
    for _ in 0..3000 {
        let mut body = examples[mutator.random.below(examples.len())].clone();
        mutator.change(&mut body);
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

use rtrun_core::{Described, Question, QuestionKind};
use serde_json::{Value, json};

use super::decisions_request::{accepted, read_text, refused};

fn ask(question: &Value) -> Value {
    json!({ "state": "s", "questions": { "the id": question } })
}

fn question(question: &Value) -> Question {
    accepted(&ask(question)).states.remove(0).questions.remove(0).question.unwrap()
}

/// What is wrong with a question that the document does not allow either.
fn problem(question: &Value) -> String {
    let message = refused(&ask(question));
    assert!(!message.contains("secret"), "{message}");
    message.strip_prefix("No question is valid: \"the id\": ").unwrap_or_else(|| panic!("{message}")).to_owned()
}

fn described(entries: &[(&str, Option<&str>)]) -> Vec<Described> {
    let entry = |(key, description): &(&str, Option<&str>)| Described {
        key: (*key).to_owned(),
        description: description.map(str::to_owned),
    };
    entries.iter().map(entry).collect()
}

#[test]
fn options_and_labels_are_a_map_or_a_list_in_their_order() {
    let expected = described(&[("z", Some("last")), ("a", None), ("m", Some("{\"k\": [1, 2]}"))]);
    let map = json!({ "z": "last", "a": null, "m": { "k": [1, 2] } });
    let list =
        json!([{ "key": "z", "description": "last" }, { "key": "a" }, { "key": "m", "description": { "k": [1, 2] } }]);
    for (kind, field) in [("choice", "choices"), ("set", "labels"), ("span", "labels")] {
        for (form, value) in [("criteria", &map), ("criteria", &list), (field, &list)] {
            let found = match question(&json!({ "type": kind, form: value })).kind {
                QuestionKind::Choice(found) | QuestionKind::Set(found) | QuestionKind::Span(found) => found,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{kind} {form}");
        }
    }
    let keys = question(&json!({ "type": "choice", "criteria": ["a", "b"] })).kind;
    assert_eq!(keys, QuestionKind::Choice(described(&[("a", None), ("b", None)])));
    let blank = question(&json!({ "type": "set", "labels": [{ "key": "a", "description": " " }] })).kind;
    assert_eq!(blank, QuestionKind::Set(described(&[("a", None)])));
}

#[test]
fn a_noul_may_say_what_yes_and_no_mean() {
    let noul = |no: Option<&str>, yes: Option<&str>| QuestionKind::Noul {
        no: no.map(str::to_owned),
        yes: yes.map(str::to_owned),
    };
    for (value, expected) in [
        (json!({ "type": "noul" }), noul(None, None)),
        (json!({ "type": "noul", "criteria": null }), noul(None, None)),
        (json!({ "type": "noul", "criteria": { "true": "it is", "false": null } }), noul(None, Some("it is"))),
        (json!({ "type": "noul", "criteria": { "false": "it is not" } }), noul(Some("it is not"), None)),
        (
            json!({ "type": "noul", "choices": [{ "key": "true", "description": ["y"] }, { "key": "false" }] }),
            noul(None, Some("[\"y\"]")),
        ),
    ] {
        assert_eq!(question(&value).kind, expected, "{value}");
    }
    assert_eq!(
        problem(&json!({ "type": "noul", "criteria": { "maybe": "secret" } })),
        "criteria has no field \"maybe\"; it has false, true"
    );
    assert_eq!(problem(&json!({ "type": "noul", "criteria": ["secret"] })), "criteria must be an object, not a list");
    assert_eq!(
        problem(&json!({ "type": "noul", "choices": [{ "key": "secret" }] })),
        "choices[0].key must be \"false\" or \"true\""
    );
}

#[test]
fn levels_are_a_list_under_either_name() {
    let expected = QuestionKind::Score(vec!["bad".to_owned(), String::new(), "{\"a\": 1}".to_owned()]);
    for field in ["criteria", "levels"] {
        assert_eq!(question(&json!({ "type": "score", field: ["bad", null, { "a": 1 }] })).kind, expected);
    }
    assert_eq!(
        problem(&json!({ "type": "score", "criteria": { "secret": 1 } })),
        "criteria must be a list, lowest level first, not an object"
    );
    assert_eq!(
        problem(&json!({ "type": "score", "levels": ["a", 2] })),
        "levels[1] must be text, an object, a list or null, not a number"
    );
}

#[test]
fn instructions_are_text_or_json_and_else_the_id() {
    let instructions = |value: Value| question(&json!({ "type": "noul", "instructions": value })).instructions;
    assert_eq!(instructions(json!("Is it?")), "Is it?");
    assert_eq!(instructions(json!({ "ask": "Is it?" })), "{\"ask\": \"Is it?\"}");
    assert_eq!(instructions(json!(null)), "the id");
    assert_eq!(instructions(json!("  ")), "the id");
    assert_eq!(question(&json!({ "type": "noul" })).instructions, "the id");
    assert_eq!(
        problem(&json!({ "type": "noul", "instructions": 1 })),
        "instructions must be text, an object, a list or null, not a number"
    );
    let nameless = json!({ "state": "s", "questions": { " ": { "type": "noul" } } });
    assert!(read_text(&nameless.to_string()).unwrap_err().contains("instructions are missing and the id is blank"));
}

#[test]
fn criteria_have_one_form_and_each_type_its_own_fields() {
    for (value, expected) in [
        (
            json!({ "type": "choice", "criteria": { "a": null, "b": null }, "choices": [{ "key": "a" }, { "key": "b" }] }),
            "criteria and choices say the same; give one of them",
        ),
        (
            json!({ "type": "noul", "criteria": {}, "choices": [] }),
            "criteria and choices say the same; give one of them",
        ),
        (
            json!({ "type": "score", "criteria": ["a", "b"], "levels": ["a", "b"] }),
            "criteria and levels say the same; give one of them",
        ),
        (
            json!({ "type": "span", "criteria": { "a": null }, "labels": [] }),
            "criteria and labels say the same; give one of them",
        ),
        (json!({ "type": "choice" }), "criteria is missing; give it, or choices"),
        (json!({ "type": "score" }), "criteria is missing; give it, or levels"),
        (json!({ "type": "set" }), "criteria is missing; give it, or labels"),
        (
            json!({ "type": "choice", "labels": ["secret", "b"] }),
            "a choice question has no field \"labels\"; it has type, instructions, criteria, choices",
        ),
        (
            json!({ "type": "score", "choices": ["secret", "b"] }),
            "a score question has no field \"choices\"; it has type, instructions, criteria, levels",
        ),
        (
            json!({ "type": "set", "levels": ["secret"] }),
            "a set question has no field \"levels\"; it has type, instructions, criteria, labels, threshold",
        ),
        (
            json!({ "type": "noul", "threshold": 0.5 }),
            "a noul question has no field \"threshold\"; it has type, instructions, criteria, choices",
        ),
        (
            json!({ "type": "choice", "choices": { "secret": null, "b": null } }),
            "choices must be a list, not an object",
        ),
        (
            json!({ "type": "choice", "criteria": "secret" }),
            "criteria must be a map of keys to descriptions, or a list, not a string",
        ),
        (
            json!({ "type": "choice", "criteria": { "a": 1, "b": null } }),
            "the description of criteria entry 1 must be text, an object, a list or null, not a number",
        ),
        (
            json!({ "type": "choice", "choices": [{ "description": "secret" }, { "key": "b" }] }),
            "choices[0].key is missing; give a string",
        ),
        (
            json!({ "type": "choice", "choices": [{ "key": "a", "colour": 1 }, { "key": "b" }] }),
            "choices[0] has no field \"colour\"; it has key, description",
        ),
        (json!({ "type": "choice", "choices": [7, { "key": "b" }] }), "choices[0] must be an object, not a number"),
        (json!({ "type": "box" }), "type must be one of choice, noul, score, set, span"),
        (json!({ "type": 7 }), "type must be one of choice, noul, score, set, span"),
        (json!({}), "type must be one of choice, noul, score, set, span"),
        (json!("secret"), "the question must be an object, not a string"),
    ] {
        assert_eq!(problem(&value), expected, "{value}");
    }
}

#[test]
fn sizes_are_bounded_by_type() {
    let keys = |count: usize| (0..count).map(|at| format!("key {at}")).collect::<Vec<String>>();
    for (kind, field, least, most) in [
        ("choice", "choices", 2, 255),
        ("score", "levels", 2, 10),
        ("set", "labels", 1, 255),
        ("span", "criteria", 1, 255),
    ] {
        for count in [least, most] {
            question(&json!({ "type": kind, field: keys(count) }));
        }
        for count in [least - 1, most + 1] {
            let message = problem(&json!({ "type": kind, field: keys(count) }));
            assert!(message.contains(&format!("{least} to {most} are allowed")), "{message}");
        }
    }
}

#[test]
fn keys_of_one_question_differ_and_are_not_blank() {
    for (value, expected) in [
        (json!({ "type": "set", "labels": ["secret", "b", "secret"] }), "labels entries 1 and 3 have the same key"),
        (json!({ "type": "choice", "criteria": { "a": null, " ": null } }), "criteria entry 2 has a blank key"),
        (
            json!({ "type": "noul", "choices": [{ "key": "true" }, { "key": "true" }] }),
            "choices[1] has the same key as another entry",
        ),
    ] {
        let message = read_text(&ask(&value).to_string()).unwrap_err();
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn a_threshold_is_a_probability() {
    for kind in ["set", "span"] {
        let threshold = |value: Value| json!({ "type": kind, "labels": ["a"], "threshold": value });
        for (value, expected) in [(json!(0), 0.0), (json!(0.25), 0.25), (json!(1), 1.0)] {
            assert_eq!(question(&threshold(value)).threshold, Some(expected));
        }
        for value in [json!(-0.1), json!(1.5), json!("secret"), json!([0.5])] {
            assert_eq!(problem(&threshold(value)), "threshold must be a number from 0 to 1");
        }
    }
}

#[test]
fn a_set_whose_answers_would_stand_in_anothers_place_is_not_valid() {
    let body = json!({ "state": "s", "questions": {
        "a.x": { "type": "noul" },
        "a": { "type": "set", "labels": ["y", "x"] },
        "b": { "type": "set", "labels": ["c.d"] },
        "b.c": { "type": "set", "labels": ["d"] },
    } });
    let questions = accepted(&body).states.remove(0).questions;
    let problems: Vec<Option<String>> =
        questions.into_iter().map(|asked| asked.question.err().map(|error| error.to_string())).collect();
    let told = |at| {
        Some(format!(
            "label {at} cannot be told apart: its answer would stand under the id of another question; rename one of them"
        ))
    };
    assert_eq!(problems, [None, told(2), None, told(1)]);
}

use rtrun_core::serve::decisions::{DecisionsOptions, DecisionsRequest, Dialect, MAX_DEPTH, MAX_QUESTIONS, StrictJson};
use rtrun_core::{AskedQuestion, Error, Question, QuestionKind};
use serde_json::{Value, json};

use crate::support::contract::contract;

pub const SCHEMA: &str = "/components/schemas/DecisionsRequest";

pub fn read_text(text: &str) -> Result<DecisionsRequest, String> {
    let body: StrictJson = serde_json::from_str(text).map_err(|error| error.to_string())?;
    DecisionsRequest::read(body).map_err(|error| {
        assert!(matches!(error, Error::InvalidRequest(_)));
        error.to_string()
    })
}

/// Reads a body that the document allows too.
pub fn accepted(body: &Value) -> DecisionsRequest {
    assert_eq!(contract().check_value(SCHEMA, body), Ok(()), "{body}");
    read_text(&body.to_string()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// The message for a body that the document does not allow either.
pub fn refused(body: &Value) -> String {
    assert!(contract().check_value(SCHEMA, body).is_err(), "{body}");
    read_text(&body.to_string()).expect_err("the request must be refused")
}

fn with(field: &str, value: Value) -> Value {
    let mut body = json!({ "state": "s", "questions": { "q": { "type": "noul" } } });
    body[field] = value;
    body
}

#[test]
fn a_request_keeps_the_order_of_its_states_and_questions() {
    let request = accepted(&json!({
        "model": "m", "state": "outer",
        "questions": { "z": { "type": "noul" }, "a": { "type": "noul", "instructions": "Really?" } },
        "states": {
            "second": { "state": "two", "questions": { "q": { "type": "noul" } }, "images": ["data:x"] },
            "first": { "state": "one", "questions": { "q": { "type": "noul" } } },
        },
        "images": ["data:image/png;base64,AA=="], "videos": [],
        "options": { "return_meta": true, "max_tokens": 512, "overflow": "truncate", "deadline_ms": 100 },
        "user": "u", "metadata": { "a": 1 }, "safety_identifier": null, "assets": {},
    }));
    assert_eq!(request.model.as_deref(), Some("m"));
    assert_eq!(request.dialect, Dialect::SystemOne);
    let DecisionsOptions { return_meta, max_tokens, overflow, deadline_ms } = request.options;
    assert_eq!((return_meta, max_tokens, deadline_ms), (true, Some(512), Some(100)));
    assert_eq!(format!("{overflow:?}"), "Some(Truncate)");
    let names: Vec<Option<&str>> = request.states.iter().map(|state| state.name.as_deref()).collect();
    assert_eq!(names, [None, Some("second"), Some("first")]);
    let ids: Vec<&str> = request.states[0].questions.iter().map(|asked| asked.id.as_str()).collect();
    assert_eq!(ids, ["z", "a"]);
    assert_eq!(request.states[0].images, ["data:image/png;base64,AA=="]);
    assert_eq!(request.states[1].images, ["data:x"]);
    let expected = Question {
        instructions: "Really?".to_owned(),
        kind: QuestionKind::Noul { no: None, yes: None },
        threshold: None,
    };
    let expected = AskedQuestion { id: "a".to_owned(), kind: "noul".to_owned(), question: Ok(expected) };
    assert_eq!(request.states[0].questions[1], expected);
}

#[test]
fn a_state_is_text_or_json_that_is_written_as_python_writes_it() {
    let state = |value: Value| accepted(&with("state", value)).states[0].state.clone();
    assert_eq!(state(json!("text")), "text");
    assert_eq!(state(json!(null)), "");
    assert_eq!(
        state(json!({ "b": [1, 2.5, true, null], "a": { "ü": "x\"y\n" } })),
        r#"{"b": [1, 2.5, true, null], "a": {"ü": "x\"y\n"}}"#
    );
    assert_eq!(state(json!([{}, []])), "[{}, []]");
    for value in [json!(1), json!(true)] {
        assert!(refused(&with("state", value)).starts_with("state must be text, an object, a list or null, not a "));
    }
}

#[test]
fn a_request_may_be_about_named_states_alone() {
    let state = json!({ "state": "s", "questions": { "q": { "type": "noul" } } });
    let request = accepted(&json!({ "states": { "a": state } }));
    assert_eq!(request.states[0].name.as_deref(), Some("a"));
    let problem = read_text(&json!({ "states": { "a": state }, "images": ["data:x"] }).to_string()).unwrap_err();
    assert!(problem.contains("images and videos belong to state"), "{problem}");
}

#[test]
fn what_a_request_may_not_be_is_named() {
    for (body, part) in [
        (json!([]), "the request must be an object, not a list"),
        (json!({}), "state is missing; give a text"),
        (json!({ "state": "s" }), "questions is missing; give a map of ids to questions"),
        (json!({ "questions": { "q": { "type": "noul" } } }), "state is missing"),
        (with("questions", json!({})), "questions is empty; ask at least one question"),
        (
            with("questions", json!([{ "type": "noul" }])),
            "questions must be a map of ids to questions; a list of them goes with input",
        ),
        (with("questions", json!("secret")), "questions must be a map of ids to questions, not a string"),
        (with("model", json!(1)), "model must be a string, not a number"),
        (with("colour", json!("secret")), "the request has no field \"colour\"; it has model, state"),
        (with("assets", json!({ "a": {} })), "assets is not supported; give images as data URLs in images"),
        (with("user", json!(1)), "user must be a string, not a number"),
        (with("metadata", json!("secret")), "metadata must be an object, not a string"),
        (with("images", json!("data:")), "images must be a list of strings, not a string"),
        (with("videos", json!(["data:", 1])), "videos[1] must be a string, not a number"),
        (with("options", json!([])), "options must be an object, not a list"),
        (with("options", json!({ "colour": 1 })), "options has no field \"colour\"; it has return_meta, max_tokens"),
        (with("options", json!({ "overflow": "secret" })), "options.overflow must be \"window\" or \"truncate\""),
        (
            with("options", json!({ "return_meta": "secret" })),
            "options.return_meta must be true or false, not a string",
        ),
        (with("options", json!({ "max_tokens": 0 })), "options.max_tokens must be a whole number of at least 1"),
        (with("options", json!({ "deadline_ms": 1.5 })), "options.deadline_ms must be a whole number of at least 1"),
        (with("states", json!([])), "states must be a map of names to states, not a list"),
        (with("states", json!({ "a": "secret" })), "states[\"a\"] must be an object, not a string"),
        (with("states", json!({ "a": { "state": "s" } })), "states[\"a\"].questions is missing"),
        (with("states", json!({ "a": { "state": 1, "questions": {} } })), "states[\"a\"].state must be text"),
        (
            with("states", json!({ "a": { "state": "s", "questions": { "q": {} }, "options": {} } })),
            "states[\"a\"] has no field \"options\"",
        ),
    ] {
        let message = refused(&body);
        assert!(message.contains(part), "{message:?} does not say {part:?}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn a_request_without_a_valid_question_is_refused_with_every_reason() {
    let long = "i".repeat(500);
    let body = json!({
        "state": "s",
        "questions": { "a": { "type": "box", "instructions": "secret" }, "b": { "type": "choice", "criteria": { "secret": null } } },
        "states": { "other": { "state": "", "questions": { long: "secret" } } },
    });
    let message = refused(&body);
    let expected = format!(
        "No question is valid: \"a\": type must be one of choice, noul, score, set, span; \
         \"b\": criteria has 1 entry; 2 to 255 are allowed; \
         \"other\".\"{}…\": the question must be an object, not a string",
        "i".repeat(64)
    );
    assert_eq!(message, expected);
    // One valid question anywhere is enough.
    let mut body = body;
    body["states"]["other"]["questions"]["fine"] = json!({ "type": "noul" });
    let request = read_text(&body.to_string()).unwrap();
    assert_eq!(request.states[0].questions.iter().filter(|asked| asked.question.is_err()).count(), 2);
    assert_eq!(request.states[0].questions[0].kind, "unknown");
    assert_eq!(request.states[0].questions[1].kind, "choice");
}

#[test]
fn questions_are_bounded_over_all_states() {
    let questions = |count: usize| -> Value {
        (0..count).map(|at| (format!("q{at}"), json!({ "type": "noul" }))).collect::<serde_json::Map<_, _>>().into()
    };
    let body = |outer, inner| json!({ "state": "s", "questions": questions(outer), "states": { "a": { "state": "s", "questions": questions(inner) } } });
    accepted(&body(MAX_QUESTIONS - 1, 1));
    let problem = read_text(&body(MAX_QUESTIONS - 1, 2).to_string()).unwrap_err();
    assert_eq!(problem, "The request has 257 questions; at most 256 are allowed");
}

#[test]
fn keys_that_stand_twice_are_refused_wherever_they_are() {
    for text in [
        r#"{"state":"s","state":"t","questions":{"q":{"type":"noul"}}}"#,
        r#"{"state":"s","questions":{"q":{"type":"noul"},"q":{"type":"noul"}}}"#,
        r#"{"state":"s","questions":{"q":{"type":"choice","criteria":{"a":null,"b":null,"a":"x"}}}}"#,
        r#"{"state":{"a":1,"a":2},"questions":{"q":{"type":"noul"}}}"#,
    ] {
        let message = read_text(text).unwrap_err();
        assert!(message.contains("stands twice in one object"), "{message}");
    }
}

#[test]
fn nesting_and_values_are_bounded() {
    let nested = |depth: usize| {
        format!(r#"{{"state":{}{},"questions":{{"q":{{"type":"noul"}}}}}}"#, "[".repeat(depth), "]".repeat(depth))
    };
    assert!(read_text(&nested(MAX_DEPTH - 1)).is_ok());
    assert!(read_text(&nested(MAX_DEPTH)).unwrap_err().contains("more than 64 levels deep"));
    assert!(read_text(&nested(100_000)).is_err());
    let wide = format!(r#"{{"state":[{}0],"questions":{{"q":{{"type":"noul"}}}}}}"#, "0,".repeat(300_000));
    assert!(read_text(&wide).unwrap_err().contains("there are more than 262144 values"));
}

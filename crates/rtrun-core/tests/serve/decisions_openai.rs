use rtrun_core::serve::decisions::{
    AnsweredState, ChoiceValue, DecisionsRequest, DecisionsResponse, Dialect, OpenAiKind, OpenAiQuestion,
};
use rtrun_core::{Answer, Described, Error, QuestionKind, Usage};
use serde_json::{Value, json};

use super::decisions_request::read_text;
use crate::support::contract::contract;

const REQUEST: &str = "/components/schemas/OpenAiDecisionsRequest";
const RESPONSE: &str = "/components/schemas/OpenAiDecisionsResponse";

fn accepted(body: &Value) -> DecisionsRequest {
    assert_eq!(contract().check_value(REQUEST, body), Ok(()), "{body}");
    read_text(&body.to_string()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn refused(body: &Value) -> String {
    let message = read_text(&body.to_string()).expect_err("the request must be refused");
    assert!(!message.contains("secret"), "{message}");
    message
}

fn ask(question: &Value) -> Value {
    json!({ "input": "text", "questions": [question] })
}

fn three() -> Value {
    json!({
        "model": "m", "input": "text", "safety_identifier": "u", "prompt_cache_key": null,
        "questions": [
            { "type": "predicate", "instructions": "It is urgent." },
            { "type": "choice", "name": "topic", "instructions": "What is it?",
              "choices": [{ "value": "billing", "description": "money" }, { "value": true }] },
            { "type": "score", "name": "mood", "instructions": [{ "type": "input_text", "text": "How" }, { "type": "input_json", "data": { "a": 1 } }],
              "levels": [{ "label": "bad" }, { "label": "good", "description": "very" }] },
        ],
    })
}

#[test]
fn a_list_of_questions_becomes_the_same_questions() {
    let request = accepted(&three());
    let [state] = request.states.as_slice() else { panic!() };
    assert_eq!((state.state.as_str(), state.name.as_ref()), ("text", None));
    let kinds: Vec<&QuestionKind> =
        state.questions.iter().map(|asked| &asked.question.as_ref().unwrap().kind).collect();
    let option = |key: &str, description: Option<&str>| Described {
        key: key.to_owned(),
        description: description.map(str::to_owned),
    };
    assert_eq!(
        kinds,
        [
            &QuestionKind::Noul { no: None, yes: None },
            &QuestionKind::Choice(vec![option("billing", Some("money")), option("true", None)]),
            &QuestionKind::Score(vec!["bad".to_owned(), "good: very".to_owned()]),
        ]
    );
    assert_eq!(state.questions[2].question.as_ref().unwrap().instructions, "How\n{\"a\": 1}");
    let values = vec![ChoiceValue::Text("billing".to_owned()), ChoiceValue::Boolean(true)];
    let labels = vec!["bad".to_owned(), "good".to_owned()];
    let question = |name: Option<&str>, kind| OpenAiQuestion { name: name.map(str::to_owned), kind };
    let expected = vec![
        question(None, OpenAiKind::Predicate),
        question(Some("topic"), OpenAiKind::Choice(values)),
        question(Some("mood"), OpenAiKind::Score(labels)),
    ];
    assert_eq!(request.dialect, Dialect::OpenAi(expected));
}

#[test]
fn messages_become_one_text_and_their_images_a_list() {
    let input = |value: Value| {
        let mut body = three();
        body["input"] = value;
        let state = accepted(&body).states.remove(0);
        (state.state, state.images)
    };
    let image = json!({ "type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low" });
    let parts =
        json!([{ "type": "input_text", "text": "Look:", "prompt_cache_breakpoint": { "mode": "explicit" } }, image]);
    let images = vec!["data:image/png;base64,AA==".to_owned()];
    assert_eq!(input(json!([{ "role": "user", "content": parts }])), ("Look:".to_owned(), images));
    let conversation = json!([
        { "type": "message", "role": "system", "content": "Be kind." },
        { "role": "user", "content": [{ "type": "input_json", "data": [{ "a": 1 }] }] },
        { "role": "assistant", "content": [{ "type": "output_text", "text": "No." }, { "type": "refusal", "refusal": "Never." }], "phase": "final_answer" },
        { "type": "function_call", "name": "find", "call_id": "c", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c", "output": "nothing" },
        { "type": "custom_tool_call", "name": "say", "call_id": "d", "input": "hi" },
        { "type": "custom_tool_call_output", "call_id": "d", "output": [{ "type": "input_text", "text": "said" }] },
    ]);
    let expected = "system: Be kind.\n\nuser: [{\"a\": 1}]\n\nassistant: No.\nNever.\n\ncall of find: {}\n\ntool: nothing\n\n\
                    call of say: hi\n\ntool: said";
    assert_eq!(input(conversation), (expected.to_owned(), Vec::new()));
}

#[test]
fn what_is_wrong_with_a_list_is_named_by_its_place() {
    for (body, expected) in [
        (json!({ "input": "x", "state": "secret", "questions": [] }), "input and state belong to two dialects"),
        (json!({ "input": "x" }), "questions is missing; give a list of questions"),
        (
            json!({ "input": "x", "questions": {} }),
            "questions must be a list; a map of them goes with state, not an object",
        ),
        (json!({ "input": "x", "questions": [] }), "questions has 0 entries; 1 to 256 are allowed"),
        (json!({ "input": "x", "questions": vec![Value::Null; 257] }), "questions has 257 entries"),
        (json!({ "input": 1, "questions": [] }), "input must be a text or a list of messages, not a number"),
        (json!({ "input": [], "questions": [] }), "input is empty"),
        (json!({ "input": ["secret"], "questions": [] }), "input[0] must be an object, not a string"),
        (
            json!({ "input": [{ "role": "secret", "content": "x" }], "questions": [] }),
            "input[0].role must be user, assistant",
        ),
        (json!({ "input": [{ "role": "user" }], "questions": [] }), "input[0].content is missing"),
        (
            json!({ "input": [{ "role": "user", "content": [{ "type": "secret" }] }], "questions": [] }),
            "input[0].content[0].type must be input_text",
        ),
        (json!({ "input": [{ "type": "secret" }], "questions": [] }), "input[0].type must be message, function_call"),
        (
            json!({ "input": [{ "type": "function_call", "name": "f" }], "questions": [] }),
            "input[0].arguments is missing",
        ),
        (
            json!({ "input": [{ "role": "user", "content": "x", "colour": 1 }], "questions": [] }),
            "input[0] has no field \"colour\"",
        ),
        (json!({ "input": "x", "questions": [], "states": {} }), "the request has no field \"states\""),
        (
            ask(&json!({ "type": "noul", "instructions": "secret" })),
            "questions[0].type must be predicate, choice or score",
        ),
        (ask(&json!({ "type": "predicate" })), "questions[0].instructions is missing; give a text"),
        (ask(&json!({ "type": "predicate", "instructions": " " })), "questions[0].instructions is blank"),
        (
            ask(&json!({ "type": "predicate", "instructions": [{ "type": "input_image", "image_url": "secret" }] })),
            "questions[0].instructions cannot hold images",
        ),
        (
            ask(&json!({ "type": "predicate", "instructions": "x", "criteria": {} })),
            "questions[0] has no field \"criteria\"; it has type, name, instructions",
        ),
        (
            ask(&json!({ "type": "choice", "instructions": "x", "choices": [{ "value": "secret" }] })),
            "questions[0].choices has 1 entries; 2 to 255 are allowed",
        ),
        (
            ask(&json!({ "type": "choice", "instructions": "x", "choices": [{ "value": 1 }, { "value": "b" }] })),
            "questions[0].choices[0].value must be a boolean or a string",
        ),
        (
            ask(&json!({ "type": "choice", "instructions": "x", "choices": [{ "value": true }, { "value": "true" }] })),
            "questions[0].choices[1].value is the same as an earlier one",
        ),
        (
            ask(
                &json!({ "type": "score", "instructions": "x", "levels": [{ "label": "a" }, { "description": "secret" }] }),
            ),
            "questions[0].levels[1].label is missing",
        ),
        (
            ask(&json!({ "type": "score", "instructions": "x", "levels": vec![json!({ "label": "a" }); 11] })),
            "questions[0].levels has 11 entries; 2 to 10 are allowed",
        ),
    ] {
        let message = refused(&body);
        assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    }
    let two = json!({ "input": "x", "questions": [{ "type": "a" }, { "type": "predicate", "instructions": "x" }, {}] });
    assert_eq!(
        refused(&two),
        "questions[0].type must be predicate, choice or score; questions[2].type must be predicate, choice or score"
    );
}

#[test]
fn answers_are_a_list_in_the_order_of_the_questions() {
    let request = accepted(&three());
    let write = |answers: &[Result<Answer, Error>]| {
        let usage = Usage { tokens: 12, is_lower_bound: false };
        let states = [AnsweredState { asked: &request.states[0], answers, cut: &[], usage }];
        let response: DecisionsResponse<Value> =
            DecisionsResponse { model: "m", states: &states, meta: None, dialect: &request.dialect };
        let body: Value = serde_json::from_str(&serde_json::to_string(&response).unwrap()).unwrap();
        assert_eq!(contract().check_value(RESPONSE, &body), Ok(()), "{body}");
        body
    };
    let body = write(&[
        Ok(Answer::Noul { noul: 0.7, abstain: None }),
        Ok(Answer::choice(vec![0.25, 0.75], Some(0.1))),
        Ok(Answer::score(vec![0.5, 0.5], None)),
    ]);
    let expected = json!({
        "model": "m",
        "answers": [
            { "type": "predicate", "name": null, "probability": 0.7 },
            { "type": "choice", "name": "topic", "choice": true, "confidence": 0.5,
              "probabilities": [{ "value": "billing", "probability": 0.25 }, { "value": true, "probability": 0.75 }] },
            { "type": "score", "name": "mood", "score": 0.5, "confidence": 0.0,
              "probabilities": [{ "value": 0, "label": "bad", "probability": 0.5 }, { "value": 1, "label": "good", "probability": 0.5 }] },
        ],
        "usage": {
            "input_tokens": 12, "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens": 0, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 12,
        },
    });
    assert_eq!(body, expected);

    let body = write(&[
        Err(Error::DeadlineExceeded("The deadline passed".to_owned())),
        Ok(Answer::Noul { noul: 0.5, abstain: None }),
        Ok(Answer::score(vec![f32::NAN, 0.5], None)),
    ]);
    let refusal = |name: Value, error: &str, message: &str| json!({ "type": "refusal", "name": name, "error": error, "message": message });
    let expected = json!([
        refusal(json!(null), "deadline_exceeded", "The deadline passed"),
        refusal(json!("topic"), "internal_error", "The answer is not one to the question; this is a bug"),
        refusal(json!("mood"), "invalid_model_output", "The model answered with a number that is not finite"),
    ]);
    assert_eq!(body["answers"], expected);
}

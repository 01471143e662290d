use rtrun_core::serve::decisions::{AnsweredState, DecisionsResponse};
use rtrun_core::{Answer, Error, Span, Usage};
use serde_json::{Value, json};

use super::decisions_request::read_text;
use crate::support::contract::contract;

/// The text of the response to a body, held against the document.
fn write(body: &Value, answers: &[Vec<Result<Answer, Error>>], meta: Option<&Value>) -> String {
    let request = read_text(&body.to_string()).unwrap();
    let usage = |at: usize| Usage { tokens: 10 + at, is_lower_bound: at == 1 };
    let answered = |(at, (asked, answers))| AnsweredState { asked, answers, cut: &[], usage: usage(at) };
    let states: Vec<AnsweredState> =
        request.states.iter().zip(answers.iter().map(Vec::as_slice)).enumerate().map(answered).collect();
    let response = DecisionsResponse { model: "m", states: &states, meta, dialect: &request.dialect };
    let text = serde_json::to_string(&response).unwrap();
    let written = serde_json::from_str(&text).unwrap();
    assert_eq!(contract().check_value("/components/schemas/DecisionsResponse", &written), Ok(()), "{text}");
    text
}

#[test]
fn every_type_has_its_answer_in_the_order_of_the_questions() {
    let body = json!({ "state": "Call Ada", "questions": {
        "topic": { "type": "choice", "criteria": { "z": null, "a": null } },
        "urgent": { "type": "noul" },
        "mood": { "type": "score", "levels": ["bad", null, "good"] },
        "flags": { "type": "set", "labels": ["name", "date"] },
        "entities": { "type": "span", "labels": ["person"] },
        "none": { "type": "span", "labels": ["place"] },
    } });
    let span = Span { label: "person".to_owned(), start: 5, end: 8, text: "Ada".to_owned(), probability: 0.9 };
    let text = write(
        &body,
        &[vec![
            Ok(Answer::choice(vec![0.1, 0.9], Some(0.3))),
            Ok(Answer::Noul { noul: 0.7, abstain: Some(0.6) }),
            Ok(Answer::score(vec![0.0, 0.5, 0.5], Some(0.2))),
            Ok(Answer::Set { probabilities: vec![0.5, 0.4], threshold: 0.5 }),
            Ok(Answer::Span { noul: 0.9, spans: vec![span], threshold: 0.2 }),
            Ok(Answer::Span { noul: 0.01, spans: Vec::new(), threshold: 0.2 }),
        ]],
        None,
    );
    // Byte for byte: the order of keys and the shortest form of single-precision numbers are part of it.
    let expected = concat!(
        r#"{"model":"m","answers":{"#,
        r#""topic":{"type":"choice","choice":"a","probabilities":{"z":0.1,"a":0.9},"confidence":0.79999995,"abstain_probability":0.3},"#,
        r#""urgent":{"type":"noul","noul":0.7,"abstain_probability":0.6},"#,
        r#""mood":{"type":"score","score":1.5,"legend":{"0":"bad","1":"","2":"good"},"probabilities":{"0":0.0,"1":0.5,"2":0.5},"confidence":0.25,"abstain_probability":0.2},"#,
        r#""flags.name":{"type":"noul","noul":0.5},"flags.date":{"type":"noul","noul":0.4},"#,
        r#""entities":{"type":"noul","noul":0.9},"none":{"type":"noul","noul":0.01}},"#,
        r#""sets":{"flags":{"selected":["name"],"probabilities":{"name":0.5,"date":0.4}}},"#,
        r#""spans":{"entities":[{"label":"person","start":5,"end":8,"text":"Ada","probability":0.9}],"none":[]},"#,
        r#""thresholds":{"flags":0.5,"entities":0.2,"none":0.2},"#,
        r#""usage":{"input_tokens":10,"output_tokens":0}}"#,
    );
    assert_eq!(text, expected);
}

#[test]
fn a_question_that_failed_has_its_error_in_its_place() {
    let body = json!({ "state": "s", "questions": {
        "colour": { "type": "choice", "criteria": { "a": null, "b": null }, "hue": 1 },
        "flags": { "type": "set", "labels": ["a"] },
        "spans": { "type": "span", "labels": ["a"] },
        "mood": { "type": "score", "levels": ["a", "b"] },
        "odd": { "type": "noul" },
        "box": { "type": "box" },
    } });
    let repeated = || Err(Error::InvalidRequest("whatever the engine makes of it".to_owned()));
    let text = write(
        &body,
        &[vec![
            repeated(),
            Err(Error::UnsupportedSurface("Model \"m\" answers no set questions".to_owned())),
            Err(Error::MaxLengthExceeded("too long".to_owned())),
            Ok(Answer::score(vec![1.0, f32::NAN], None)),
            Ok(Answer::score(vec![1.0, 0.0], None)),
            // An answer to a question that was not valid is none.
            Ok(Answer::Noul { noul: 0.5, abstain: None }),
        ]],
        None,
    );
    let written: Value = serde_json::from_str(&text).unwrap();
    let failed = |kind: &str, error: &str, message: &str| json!({ "type": kind, "error": error, "message": message });
    let expected = json!({
        "colour": failed("choice", "invalid_question", "whatever the engine makes of it"),
        "flags": failed("set", "invalid_question", "Model \"m\" answers no set questions"),
        "spans": failed("span", "max_length_exceeded", "too long"),
        "mood": failed("score", "invalid_model_output", "The model answered with a number that is not finite"),
        "odd": failed("noul", "internal_error", "The answer is not one to the question; this is a bug"),
        "box": failed("unknown", "invalid_question", "type must be one of choice, noul, score, set, span"),
    });
    assert_eq!(written["answers"], expected);
    assert_eq!(written.as_object().unwrap().keys().collect::<Vec<_>>(), ["model", "answers", "usage"]);
}

#[test]
fn named_states_stand_under_their_names() {
    let questions = json!({ "q": { "type": "noul" }, "f": { "type": "set", "labels": ["l"] } });
    let body = json!({
        "state": "s", "questions": { "q": { "type": "noul" } },
        "states": { "b": { "state": "t", "questions": questions }, "a": { "state": "u", "questions": questions } },
    });
    let noul = |noul| Ok(Answer::Noul { noul, abstain: None });
    let set = || Ok(Answer::Set { probabilities: vec![0.25], threshold: 0.5 });
    let meta = json!({
        "model_sha256": "0".repeat(64), "profile": "exact", "engine": "static", "device": "cpu",
        "timings": { "tokenize_ms": 0.1, "queue_ms": 0.0, "forward_ms": 1.0, "post_ms": 0.0 },
    });
    let answers = [vec![noul(0.5)], vec![noul(0.25), set()], vec![noul(0.75), set()]];
    let text = write(&body, &answers, Some(&meta));
    let state = |noul: f64, usage: Value| {
        json!({
            "model": "m", "answers": { "q": { "type": "noul", "noul": noul }, "f.l": { "type": "noul", "noul": 0.25 } },
            "sets": { "f": { "selected": [], "probabilities": { "l": 0.25 } } }, "thresholds": { "f": 0.5 }, "usage": usage,
        })
    };
    let expected = json!({
        "model": "m", "answers": { "q": { "type": "noul", "noul": 0.5 } }, "usage": { "input_tokens": 10, "output_tokens": 0 },
        "states": {
            "b": state(0.25, json!({ "input_tokens": 11, "output_tokens": 0, "tokens_lower_bound": true })),
            "a": state(0.75, json!({ "input_tokens": 12, "output_tokens": 0 })),
        },
        "meta": meta,
    });
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written, expected);
    assert_eq!(written["states"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b", "a"]);

    let mut named = body;
    named.as_object_mut().unwrap().remove("state");
    named.as_object_mut().unwrap().remove("questions");
    let written: Value = serde_json::from_str(&write(&named, &answers[1..], None)).unwrap();
    assert_eq!((&written["answers"], &written["usage"]["input_tokens"]), (&json!({}), &json!(0)));
    assert_eq!(written["states"]["b"]["answers"]["q"]["noul"], json!(0.25));
}

use serde_json::{Value, json};

use crate::support::contract::{Response, contract, escaped};

#[test]
fn the_version_is_the_one_that_the_worker_reports() {
    assert_eq!(contract().document["info"]["version"], json!(rtrun_core::API_VERSION));
}

/// The pointers of all objects that hold a `schema` and `examples`, and of everything that is referred to.
fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.push(pointer.to_owned());
            map.iter().for_each(|(key, value)| walk(value, &format!("{pointer}/{}", escaped(key)), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| walk(value, &format!("{pointer}/{at}"), found));
        }
        _ => {}
    }
}

#[test]
fn every_example_is_valid_and_every_reference_leads_somewhere() {
    let contract = contract();
    let mut objects = Vec::new();
    walk(&contract.document, "", &mut objects);
    let mut examples = 0;
    for pointer in objects {
        let object = &contract.document.pointer(&pointer).unwrap();
        contract.followed(&pointer);
        if let (Some(_), Some(named)) = (object.get("schema"), object.get("examples").and_then(Value::as_object)) {
            for (name, example) in named {
                let result = contract.check_value(&format!("{pointer}/schema"), &example["value"]);
                assert!(result.is_ok(), "example {name} of {pointer}: {}", result.unwrap_err());
                examples += 1;
            }
        }
    }
    assert!(examples >= 20, "{examples} examples");
}

#[test]
fn every_schema_of_a_response_is_closed() {
    let contract = contract();
    let mut objects = Vec::new();
    walk(&contract.document, "", &mut objects);
    for pointer in objects {
        let object = contract.document.pointer(&pointer).unwrap();
        // The one open schema is a request's: its items have many shapes, which the code checks.
        let is_open = object.get("type") == Some(&json!("object")) && object.get("additionalProperties").is_none();
        assert!(!is_open || pointer == "/components/schemas/OpenAiItem", "{pointer} allows any property");
    }
}

#[test]
fn a_response_with_anything_wrong_is_not_allowed() {
    let timing = "parse;dur=0.1, tokenize;dur=0.1, queue;dur=0.1, forward;dur=0.1, post;dur=0.1, serialize;dur=0.1, total;dur=1.0"
        .replace(',', "00,")
        + "00";
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![header("Content-Type", "application/json"), header("server-timing", &timing)];
    let body = json!({
        "object": "list", "model": "m", "usage": { "prompt_tokens": 1, "total_tokens": 1 },
        "data": [{ "object": "embedding", "index": 0, "embedding": [0.5], "input": { "tokens": 1, "special_tokens": 0, "unknown_tokens": 0, "processed_tokens": 1, "truncated": false } }],
    });
    let check = |path: &str, status: u16, headers: &[(String, String)], body: &Value| {
        let body = body.to_string();
        contract().check(&Response { method: "POST", path, status, headers, body: &body }).err()
    };
    let path = "/v1/embeddings";
    assert_eq!(check(path, 200, &headers, &body), None);

    let changed = |pointer: &str, value: Value| {
        let mut body = body.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[key] = value;
        body
    };
    for (pointer, value) in [
        ("/extra", json!(1)),
        ("/model", json!(null)),
        ("/data/0/embedding", json!(["x"])),
        ("/data/0/extra", json!(1)),
        ("/data/0/error", json!({ "code": "invalid_input", "message": "both" })),
        ("/data/0/input/tokens", json!(-1)),
        ("/usage/tokens_lower_bound", json!(false)),
    ] {
        assert!(check(path, 200, &headers, &changed(pointer, value)).is_some(), "{pointer}");
    }
    let error = json!({ "error": { "code": "overloaded", "message": "full" } });
    assert!(check(path, 429, &headers, &error).unwrap().contains("Retry-After is missing"));
    let retry = [headers.clone(), vec![header("retry-after", "1")]].concat();
    assert_eq!(check(path, 429, &retry, &error), None);
    assert!(check(path, 404, &headers, &error).is_some(), "the code of another status");
    assert!(check(path, 418, &headers, &error).unwrap().contains("not documented"));
    assert!(check(path, 200, &headers[..1], &body).unwrap().contains("Server-Timing is missing"));
    assert!(check(path, 200, &retry, &body).unwrap().contains("retry-after is not documented"));
    assert!(check("/v1/none", 200, &headers, &body).is_some());
}

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rtrun_core::serve::ask;
use serde_json::{Value, json};

use super::client::{get, post, request, serve_tcp, serve_unix};
use crate::support::{block_on, copy_without_manifest, embed, engine, fixture, open_ready, options};

#[test]
fn embeddings_have_the_shape_that_openai_clients_read() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let vectors = embed(&engine, &["hello", "world"]);
    let reply =
        post(&server, "/v1/embeddings", &json!({ "model": "embeddings", "input": ["hello", "world"], "user": "u" }));
    let input =
        json!({ "tokens": 3, "special_tokens": 2, "unknown_tokens": 0, "processed_tokens": 3, "truncated": false });
    let mut json = reply.json();
    for (item, vector) in json["data"].as_array_mut().unwrap().iter_mut().zip(vectors) {
        let written: Vec<f32> = serde_json::from_value(item["embedding"].take()).unwrap();
        assert_eq!(written, vector);
    }
    let item = |index: usize| json!({ "object": "embedding", "index": index, "embedding": null, "input": input });
    let expected = json!({
        "object": "list", "data": [item(0), item(1)], "model": "embeddings",
        "usage": { "prompt_tokens": 6, "total_tokens": 6 },
    });
    assert_eq!((reply.status, json), (200, expected));
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

#[test]
fn base64_embeddings_hold_the_same_floats() {
    let engine = engine(&["embeddings"]);
    let server = serve_tcp(&engine);
    let body = json!({ "input": "hello", "encoding_format": "base64" });
    let reply = post(&server, "/v1/embeddings", &body).json();
    let bytes = STANDARD.decode(reply["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let floats: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert_eq!(floats, embed(&engine, &["hello"])[0]);
}

#[test]
fn meta_names_the_vector_space() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let card = &get(&server, "/v1/models").json()["data"][0];
    let reply =
        post(&server, "/v1/embeddings", &json!({ "input": "hello", "options": { "return_meta": true } })).json();
    let meta = &reply["meta"];
    let representation =
        json!({ "model_sha256": card["model_sha256"], "dimension": 64, "normalized": false, "modality": "text" });
    assert_eq!(meta["representation"], representation);
    assert_eq!(meta["manifest_sha256"], card["manifest_sha256"]);
    assert_eq!(
        (&meta["profile"], &meta["engine"], &meta["device"]),
        (&json!("exact"), &json!("onnxruntime"), &json!("cpu"))
    );
    assert!(meta["timings"]["forward_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn classify_answers_one_label_or_independent_scores() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let reply = post(&server, "/v1/classify", &json!({ "head": "domain", "input": "hello" })).json();
    assert_eq!(reply["model"], json!("heads-int8"));
    assert_eq!((&reply["head"], &reply["kind"]), (&json!("domain"), &json!("sequence")));
    assert_eq!(reply["labels"], json!(["art", "law", "math", "physics"]));
    assert_eq!(reply["usage"], json!({ "input_tokens": 3, "output_tokens": 0 }));
    let probabilities: Vec<f64> = serde_json::from_value(reply["results"][0]["probabilities"].clone()).unwrap();
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    let best = (0..4).max_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other])).unwrap();
    assert_eq!(reply["results"][0]["label"], reply["labels"][best]);
    assert!(reply["results"][0].get("scores").is_none());

    let reply = post(&server, "/v1/classify", &json!({ "head": "topics", "input": ["hello", ""] })).json();
    assert_eq!(reply["kind"], json!("scores"));
    for result in reply["results"].as_array().unwrap() {
        let scores: Vec<f64> = serde_json::from_value(result["scores"].clone()).unwrap();
        let labels = ["code", "money", "travel"];
        let selected: Vec<&str> = (0..3).filter(|at| scores[*at] >= 0.5).map(|at| labels[at]).collect();
        assert_eq!(result["selected"], json!(selected));
    }
}

#[test]
fn an_answer_tells_how_many_words_its_model_did_not_see() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let reply =
        post(&server, "/v1/classify", &json!({ "head": "domain", "input": ["hello world", "hello ꙮꙮ"] })).json();
    let counts = |index: usize| {
        let input = &reply["results"][index]["input"];
        json!([input["tokens"], input["special_tokens"], input["unknown_tokens"]])
    };
    assert_eq!((counts(0), counts(1)), (json!([4, 2, 0]), json!([4, 2, 1])));
}

#[test]
fn item_errors_stand_beside_answers() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let long = "hello ".repeat(3000);
    let reply = post(&server, "/v1/classify", &json!({ "head": "domain", "input": ["hello", long] }));
    assert_eq!(reply.status, 200);
    let results = &reply.json()["results"];
    assert!(results[0].get("error").is_none());
    assert_eq!(results[1]["error"]["code"], json!("max_length_exceeded"));
    assert_eq!(results[1].as_object().unwrap().len(), 2, "{}", results[1]);

    let options = json!({ "overflow": "truncate", "max_tokens": 16 });
    let reply = post(&server, "/v1/classify", &json!({ "head": "domain", "input": long, "options": options })).json();
    let input = &reply["results"][0]["input"];
    assert_eq!((&input["processed_tokens"], &input["truncated"]), (&json!(16), &json!(true)));
    assert_eq!(input["tokens_lower_bound"], json!(true));
    assert_eq!(reply["usage"]["tokens_lower_bound"], json!(true));
    assert_eq!(reply["usage"]["input_tokens"], input["tokens"]);
}

#[test]
fn a_bundle_answers_each_task_with_the_status_it_would_have_alone() {
    let engine = engine(&["heads-int8", "static"]);
    let (server, _folder) = serve_unix(&engine);
    let classify = json!({ "model": "heads-int8", "head": "domain", "input": "hello" });
    let embeddings = json!({ "model": "static", "input": ["hello"], "encoding_format": "base64" });
    let tasks = json!([
        { "id": "one", "classify": classify },
        { "id": "two", "embeddings": embeddings },
        { "id": "three", "classify": { "model": "none", "input": "hello" } },
        { "id": "four", "decisions": { "state": "hello" } },
        { "id": "five", "rerank": { "model": "static", "query": "hello", "documents": ["a"] } },
    ]);
    let reply = post(&server, "/v1/bundle", &json!({ "tasks": tasks, "options": { "deadline_ms": 30_000 } }));
    assert_eq!(reply.status, 200);
    let reply = reply.json();
    let results = reply["results"].as_array().unwrap();
    let field = |name: &str| results.iter().map(|result| result[name].clone()).collect::<Value>();
    assert_eq!(field("id"), json!(["one", "two", "three", "four", "five"]));
    assert_eq!(field("status"), json!([200, 200, 404, 400, 422]));
    assert_eq!(results[0]["classify"], post(&server, "/v1/classify", &classify).json());
    assert_eq!(results[1]["embeddings"], post(&server, "/v1/embeddings", &embeddings).json());
    assert_eq!(results[2]["error"]["code"], json!("model_not_found"));
    assert_eq!(results[4]["error"]["code"], json!("unsupported_surface"));
}

#[test]
fn a_surface_that_the_model_does_not_serve_says_so() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let questions = json!({ "state": "hello", "questions": { "a": { "type": "noul", "instructions": "Is it?" } } });
    for (path, body) in [
        ("/v1/decisions", questions.clone()),
        ("/v1/systemone", questions),
        ("/v1/classify", json!({ "input": "hello" })),
        ("/v1/rerank", json!({ "query": "hello", "documents": ["hello"] })),
    ] {
        assert_eq!(post(&server, path, &body).error(), (422, "unsupported_surface".to_owned()), "{path}");
    }
}

#[test]
fn the_contract_document_is_served_as_it_is() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let reply = get(&server, "/openapi.yaml");
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body, include_str!("../../openapi.yaml"));
}

#[test]
fn unknown_paths_and_methods_are_named() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let reply = get(&server, "/v2/none");
    assert_eq!(reply.error(), (404, "invalid_request".to_owned()));
    assert!(reply.message().contains("/v2/none"));
    assert_eq!(get(&server, "/v1/embeddings").error(), (405, "invalid_request".to_owned()));
    assert_eq!(request(&server, "DELETE", "/v1/models", b"").error(), (405, "invalid_request".to_owned()));
}

#[test]
fn every_response_of_a_task_has_its_server_timing() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let replies = [
        post(&server, "/v1/embeddings", &json!({ "input": "hello" })),
        post(&server, "/v1/embeddings", &json!({ "input": 1 })),
        post(&server, "/v1/classify", &json!({ "input": "hello" })),
        post(&server, "/v1/bundle", &json!({ "tasks": [] })),
        post(&server, "/v1/rerank", &json!({})),
    ];
    for reply in replies {
        let timing = reply.header("server-timing").unwrap_or_else(|| panic!("{reply:?}"));
        let entries: Vec<(&str, f64)> = timing
            .split(", ")
            .map(|entry| entry.split_once(";dur=").unwrap())
            .map(|(name, took)| (name, took.parse().unwrap()))
            .collect();
        let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["parse", "tokenize", "queue", "forward", "post", "serialize", "total"]);
        let total = entries[6].1;
        assert!(entries[..6].iter().map(|(_, took)| took).sum::<f64>() <= total + 0.01, "{timing}");
    }
}

#[test]
fn models_and_health_describe_what_is_served() {
    let engine = engine(&["heads-int8", "static"]);
    let server = serve_tcp(&engine);
    let reply = get(&server, "/v1/models").json();
    assert_eq!(reply["data"], reply["models"]);
    assert_eq!((&reply["object"], &reply["api_version"]), (&json!("list"), &json!(rtrun_core::API_VERSION)));
    let limits = json!({ "max_bundle_tasks": 64, "max_request_bytes": 8_388_608, "max_inputs": 2048 });
    assert_eq!(reply["limits"], limits);
    let card = &reply["data"][0];
    assert_eq!(card["surfaces"], json!(["classify", "embeddings", "bundle"]));
    assert_eq!(card["heads"][1]["labels"], json!(["code", "money", "travel"]));
    assert_eq!(card["embedding"]["dimension"], json!(64));
    assert_eq!(card["golden"]["checked"], json!(15));
    assert_eq!(card["licence"], json!("Apache-2.0"));
    let health = get(&server, "/health");
    let models = json!([{ "id": "heads-int8", "status": "ready" }, { "id": "static", "status": "ready" }]);
    let expected = json!({ "status": "ready", "api_version": rtrun_core::API_VERSION, "models": models });
    assert_eq!((health.status, health.json()), (200, expected));
    let live = get(&server, "/health/live");
    let expected = json!({ "status": "alive", "api_version": rtrun_core::API_VERSION });
    assert_eq!((live.status, live.json()), (200, expected));
}

#[test]
fn the_scores_of_a_package_stand_on_its_card() {
    let folder = copy_without_manifest("embeddings");
    let settings = json!({ "schema": 1, "scores": { "domain": { "macro_f1": 0.75 } } });
    std::fs::write(folder.path().join("rtrun.json"), settings.to_string()).unwrap();
    let server = serve_tcp(&open_ready(options(&[("scored", folder.path())])));
    let card = get(&server, "/v1/models").json()["data"][0].take();
    assert_eq!(card["scores"], json!({ "domain": { "macro_f1": 0.75 } }));
    assert_eq!(get(&serve_tcp(&engine(&["static"])), "/v1/models").json()["data"][0]["scores"], Value::Null);
}

#[test]
fn a_server_answers_before_its_models_are_ready() {
    let mut options = crate::support::options(&[("late", std::path::Path::new("/nowhere"))]);
    options.load_attempts = 2;
    options.load_retry = std::time::Duration::from_mins(1);
    let engine = rtrun_core::Engine::open(options).unwrap();
    let (server, _folder) = serve_unix(&engine);
    assert_eq!(get(&server, "/health/live").status, 200);
    assert_eq!(get(&server, "/health").status, 503);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": "hello" }));
    assert_eq!(reply.error(), (503, "not_ready".to_owned()));
    assert_eq!(reply.header("retry-after"), Some("5"));
    let card = get(&server, "/v1/models").json()["data"][0].clone();
    assert_eq!(card["ready"], json!(false));
}

#[test]
fn asking_without_http_gives_the_same_answers_and_errors() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let body = json!({ "tasks": [
        { "id": "one", "classify": { "head": "domain", "input": ["hello", "world"] } },
        { "id": "two", "classify": { "head": "domain", "inputs": "hello" } },
        { "id": "three", "rerank": { "query": "a", "documents": ["b"] } },
    ] });
    let asked = |body: &Value| block_on(ask(&engine, body.to_string().as_bytes()));
    let answer: Value = serde_json::from_str(&asked(&body).unwrap()).unwrap();
    assert_eq!(answer, post(&server, "/v1/bundle", &body).json());
    let codes: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|result| &result["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &json!("invalid_request"), &json!("unsupported_surface")]);
    for body in [json!({ "tasks": [] }), json!([]), json!({ "tasks": [{ "id": "one", "summarize": {} }] })] {
        let posted = post(&server, "/v1/bundle", &body);
        assert_eq!(asked(&body).unwrap_err().code(), posted.error().1, "{body}");
    }
}

#[test]
fn a_model_has_a_card_of_its_own() {
    let folder = fixture("static");
    let engine = open_ready(options(&[("static", &folder), ("organisation/static é", &folder)]));
    let (server, _folder) = serve_unix(&engine);
    let cards = get(&server, "/v1/models").json()["data"].clone();
    for (path, at) in [("static", 0), ("organisation/static%20%C3%A9", 1), ("organisation%2Fstatic%20%C3%A9", 1)] {
        let reply = get(&server, &format!("/v1/models/{path}"));
        assert_eq!((reply.status, reply.json()), (200, cards[at].clone()), "{path}");
    }
    assert_eq!(get(&server, "/v1/models/other").error(), (404, "model_not_found".to_owned()));
    assert_eq!(get(&server, "/v1/models/%FF").error(), (400, "invalid_request".to_owned()));
    assert_eq!(get(&server, "/v1/models/").error(), (404, "invalid_request".to_owned()));
    assert_eq!(request(&server, "POST", "/v1/models/static", b"{}").status, 405);
}

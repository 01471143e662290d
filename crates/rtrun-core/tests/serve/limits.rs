use std::io::Write;
use std::time::Duration;

use rtrun_core::EngineOptions;
use serde_json::{Value, json};

use super::client::{connect, get, post, receive, request, send, serve_tcp, serve_unix};
use crate::support::{engine, fixture, open_ready, options};

#[test]
fn a_field_that_is_not_known_is_refused_by_name() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let cases: [(&str, Value, &str); 13] = [
        ("/v1/embeddings", json!({ "input": "x", "colour": 1 }), "unknown field `colour`"),
        ("/v1/embeddings", json!({ "input": "x", "options": { "colour": {} } }), "unknown field `colour`"),
        ("/v1/embeddings", json!({ "model": "heads-int8" }), "missing field `input`"),
        (
            "/v1/embeddings",
            json!({ "input": "x", "encoding_format": "hex" }),
            "unknown value, expected `float` or `base64`",
        ),
        ("/v1/classify", json!({ "input": [{ "text": "a", "answer": "b" }] }), "either text and text_pair, or context"),
        ("/v1/classify", json!({ "input": 7 }), "a string, an object, or a list of them"),
        ("/v1/embeddings", json!({ "input": [[1, 2]] }), "arrays of token ids are not supported"),
        ("/v1/embeddings", json!({ "input": [1, 2] }), "arrays of token ids are not supported"),
        ("/v1/bundle", json!({ "tasks": [{ "id": "a", "summarize": {} }] }), "unknown field `summarize`"),
        ("/v1/embeddings", json!({ "input": "x", "options": { "deadline_ms": 0 } }), "deadline_ms is 0"),
        ("/v1/bundle", json!({ "tasks": [], "options": { "source": "" } }), "options.source has 0 bytes"),
        (
            "/v1/bundle",
            json!({ "tasks": [], "options": { "source": "a".repeat(129) } }),
            "options.source has 129 bytes",
        ),
        ("/v1/bundle", json!({ "tasks": [], "options": { "source": "tab\t" } }), "printable characters of ASCII"),
    ];
    for (path, body, part) in cases {
        let reply = post(&server, path, &body);
        assert_eq!(reply.error(), (400, "invalid_request".to_owned()), "{body}");
        assert!(reply.message().contains(part), "{:?} does not say {part:?}", reply.message());
    }
}

#[test]
fn a_wrong_task_of_a_bundle_fails_alone() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let tasks = json!([
        { "id": "none" },
        { "id": "two", "embeddings": { "input": "x" }, "classify": { "input": "x" } },
        { "id": "field", "embeddings": { "input": "x", "colour": 1 } },
        { "id": "deadline", "embeddings": { "input": "x", "options": { "deadline_ms": 1 } } },
        { "id": "right", "embeddings": { "input": "x" } },
    ]);
    let reply = post(&server, "/v1/bundle", &json!({ "tasks": tasks })).json();
    let results = reply["results"].as_array().unwrap();
    let statuses: Vec<&Value> = results.iter().map(|result| &result["status"]).collect();
    assert_eq!(statuses, [400, 400, 400, 400, 200]);
    for (result, part) in
        results.iter().zip(["exactly one of", "exactly one of", "`colour`", "deadline_ms of the bundle"])
    {
        let message = result["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn windows_are_refused_where_nothing_reads_them() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": "x", "options": { "overflow": "window" } }));
    assert_eq!(reply.error(), (400, "invalid_request".to_owned()));
    assert!(reply.message().contains("embeddings reads no windows"), "{}", reply.message());
    let window = json!({ "overflow": "truncate", "window": { "tokens": 16 } });
    let reply = post(&server, "/v1/classify", &json!({ "head": "domain", "input": "x", "options": window }));
    assert!(reply.message().contains("needs options.overflow to be \"window\""), "{}", reply.message());
}

#[test]
fn bodies_that_are_not_json_are_refused() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let deep = format!("{{\"input\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let hidden =
        format!("{{\"input\":\"x\",\"options\":{{\"max_tokens\":{}1{}}}}}", "[".repeat(5000), "]".repeat(5000));
    let bodies: [(&str, &[u8]); 9] = [
        ("/v1/embeddings", b""),
        ("/v1/embeddings", b"{"),
        ("/v1/embeddings", b"[]"),
        ("/v1/embeddings", b"{\"input\":\"x\"} y"),
        ("/v1/embeddings", b"{\"input\":\"x\",\"input\":\"y\"}"),
        ("/v1/embeddings", b"{\"input\":\"\\ud800\"}"),
        ("/v1/embeddings", b"{\"input\":\"\xff\"}"),
        ("/v1/embeddings", deep.as_bytes()),
        ("/v1/embeddings", hidden.as_bytes()),
    ];
    for (path, body) in bodies {
        let reply = request(&server, "POST", path, body);
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]);
        assert_eq!(reply.error(), (400, "invalid_request".to_owned()), "{shown}");
    }
}

#[test]
fn a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
    const LIMIT: usize = 8 << 20;
    let engine = engine(&["static"]);
    let server = serve_tcp(&engine);
    let body = |length: usize| {
        let head = "{\"input\":\"hello ";
        let tail = "\"}";
        format!("{head}{}{tail}", " ".repeat(length - head.len() - tail.len()))
    };
    assert_eq!(request(&server, "POST", "/v1/embeddings", body(LIMIT).as_bytes()).status, 200);
    let reply = request(&server, "POST", "/v1/embeddings", body(LIMIT + 1).as_bytes());
    assert_eq!(reply.error(), (413, "request_too_large".to_owned()));
    assert_eq!(reply.message(), "The request body has more than 8388608 bytes");
}

#[test]
fn a_body_of_unknown_length_is_bounded_too() {
    let options = EngineOptions { max_request_bytes: 1000, ..options(&[("static", &fixture("static"))]) };
    let engine = open_ready(options);
    let server = serve_tcp(&engine);
    let mut stream = connect(&server);
    let head = "POST /v1/embeddings HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..3 {
        stream.write_all(format!("190\r\n{}\r\n", "a".repeat(400)).as_bytes()).unwrap();
    }
    assert_eq!(receive(stream.as_mut()).error(), (413, "request_too_large".to_owned()));
}

#[test]
fn a_slow_client_is_served_when_it_is_done_and_delays_nobody() {
    let engine = engine(&["static"]);
    let server = serve_tcp(&engine);
    let mut slow = connect(&server);
    let body = json!({ "input": "hello" }).to_string();
    let head = format!(
        "POST /v1/embeddings HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    slow.write_all(head.as_bytes()).unwrap();
    for byte in body.as_bytes() {
        slow.write_all(&[*byte]).unwrap();
        assert_eq!(post(&server, "/v1/embeddings", &json!({ "input": "hello" })).status, 200);
    }
    assert_eq!(receive(slow.as_mut()).status, 200);
}

/// A long list of long texts, so that the model is busy for a while.
fn work(seed: usize) -> Value {
    let texts: Vec<String> = (0..300).map(|at| format!("{seed} {at} {}", "hello world fox ".repeat(15))).collect();
    json!({ "input": texts })
}

#[test]
fn a_full_queue_is_refused_at_once_and_a_client_that_leaves_frees_its_place() {
    let options = EngineOptions { max_queue: 2, ..options(&[("embeddings", &fixture("embeddings"))]) };
    let engine = open_ready(options);
    let (server, _folder) = serve_unix(&engine);
    let model = engine.model(None).unwrap();
    let start = |seed| {
        let mut stream = connect(&server);
        send(stream.as_mut(), "POST", "/v1/embeddings", work(seed).to_string().as_bytes());
        stream
    };
    let wait_for_depth = |depth| {
        while model.worker.depth() != depth {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let (mut first, second) = (start(1), start(2));
    wait_for_depth(2);
    let reply = post(&server, "/v1/embeddings", &json!({ "input": "hello" }));
    assert_eq!(reply.error(), (429, "overloaded".to_owned()));
    assert_eq!(reply.header("retry-after"), Some("1"));
    let bundle = json!({ "tasks": [{ "id": "a", "embeddings": { "input": "hello" } }] });
    let reply = post(&server, "/v1/bundle", &bundle);
    assert_eq!((reply.status, &reply.json()["results"][0]["status"]), (200, &json!(429)));
    drop(second);
    while post(&server, "/v1/embeddings", &json!({ "input": "hello" })).status == 429 {
        assert!(model.worker.depth() >= 1, "the first request is still there");
    }
    assert_eq!(receive(first.as_mut()).status, 200);
    wait_for_depth(0);
    assert!(engine.exposition().contains("status=\"499\""));
}

#[test]
fn a_deadline_answers_in_time() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let mut busy = connect(&server);
    send(busy.as_mut(), "POST", "/v1/embeddings", work(1).to_string().as_bytes());
    let mut late = work(2);
    late["options"] = json!({ "deadline_ms": 1 });
    let reply = post(&server, "/v1/embeddings", &late);
    // Reading three hundred texts takes longer than the deadline in this build, so that no row is done.
    assert_eq!(reply.error(), (504, "deadline_exceeded".to_owned()));
    assert_eq!(receive(busy.as_mut()).status, 200);
}

#[test]
fn a_bundle_over_its_limit_or_with_equal_ids_is_refused() {
    let options = EngineOptions { max_bundle_tasks: 2, ..options(&[("static", &fixture("static"))]) };
    let engine = open_ready(options);
    let (server, _folder) = serve_unix(&engine);
    let task = |id: &str| json!({ "id": id, "embeddings": { "input": "hello" } });
    let reply = |tasks: Value| post(&server, "/v1/bundle", &json!({ "tasks": tasks }));
    assert_eq!(reply(json!([task("a"), task("b")])).status, 200);
    assert!(reply(json!([task("a"), task("b"), task("c")])).message().contains("3 entries; 1 to 2 are allowed"));
    assert!(reply(json!([])).message().contains("0 entries"));
    assert!(reply(json!([task("a"), task("a")])).message().contains("Two tasks have the id \"a\""));
}

#[test]
fn a_list_in_place_of_an_object_is_refused_wherever_it_stands() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let image = json!({ "type": "image_url", "image_url": ["data:,"] });
    let cases: [(&str, Value); 14] = [
        ("/v1/classify", json!(["heads-int8", "domain", "x", {}])),
        ("/v1/embeddings", json!(["heads-int8", "x", null, null, null, "float", null, {}])),
        ("/v1/rerank", json!([null, "x", ["y"], null, false, {}])),
        ("/v1/bundle", json!([[{ "id": "a", "embeddings": { "input": "x" } }], {}])),
        ("/v1/decisions", json!([null, "x"])),
        ("/v1/classify", json!({ "head": "domain", "input": "x", "options": ["truncate", 16] })),
        ("/v1/classify", json!({ "head": "domain", "input": [["x", null, null, null, null]] })),
        (
            "/v1/classify",
            json!({ "head": "domain", "input": "x", "options": { "overflow": "window", "window": [16, 0] } }),
        ),
        ("/v1/embeddings", json!({ "input": image })),
        ("/v1/embeddings", json!({ "input": ["x"], "options": [] })),
        ("/v1/rerank", json!({ "query": "x", "documents": [["y"]] })),
        ("/v1/bundle", json!({ "tasks": [["a", null, { "input": "x" }]] })),
        ("/v1/bundle", json!({ "tasks": [{ "id": "a", "embeddings": { "input": "x" } }], "options": [1] })),
        ("/v1/embeddings", json!({ "input": "x", "options": 5 })),
    ];
    for (path, body) in cases {
        let reply = post(&server, path, &body);
        assert_eq!(reply.error(), (400, "invalid_request".to_owned()), "{body}");
        let message = reply.message();
        assert!(["object", "a content part"].iter().any(|part| message.contains(part)), "{message}");
        assert!(!["struct", "Request", "Options"].iter().any(|part| message.contains(part)), "{message}");
    }
    let tasks = json!([{ "id": "a", "embeddings": [null, "x"] }]);
    let reply = post(&server, "/v1/bundle", &json!({ "tasks": tasks })).json();
    assert_eq!(reply["results"][0]["status"], 400, "{reply}");
}

#[test]
fn no_client_decides_how_long_an_error_is() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let long = "x".repeat(100_000);
    let cases: [(&str, Value); 10] = [
        ("/v1/embeddings", json!({ "model": long, "input": "x" })),
        ("/v1/classify", json!({ "head": long, "input": "x" })),
        ("/v1/embeddings", json!({ "input": "x", &long: 1 })),
        ("/v1/embeddings", json!({ "input": { "type": long } })),
        ("/v1/embeddings", json!({ "input": { "type": "text", "text": "x", &long: 1 } })),
        ("/v1/classify", json!({ "input": { "text": "x", &long: 1 } })),
        ("/v1/rerank", json!({ "query": "x", "documents": [{ &long: 1 }] })),
        ("/v1/decisions", json!({ "state": "x", &long: 1 })),
        ("/v1/decisions", json!({ "state": "x", "questions": { &long: { "type": &long } } })),
        ("/v1/bundle", json!({ "tasks": [{ "id": long, "embeddings": {} }, { "id": long, "embeddings": {} }] })),
    ];
    for (path, body) in cases {
        let reply = post(&server, path, &body);
        let shown: String = reply.body.chars().take(300).collect();
        assert!((400..500).contains(&reply.status), "{} {shown}", reply.status);
        assert!(reply.body.len() < 1000, "{path}: {} bytes: {shown}", reply.body.len());
    }
    assert!(get(&server, &format!("/{}", &long[..4000])).body.len() < 1000);
}

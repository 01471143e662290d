use std::io::Write;
use std::time::{Duration, Instant};

use rtrun_core::Engine;
use rtrun_core::serve::Server;
use serde_json::{Value, json};

use super::client::{Stream, connect, receive, send, serve_unix};
use crate::support::{block_on, counter, engine};

/// Starts a request of so many texts and waits until the model computes it.
fn start(server: &Server, engine: &Engine, path: &str, body: &Value) -> Box<dyn Stream> {
    let mut running = connect(server);
    send(running.as_mut(), "POST", path, body.to_string().as_bytes());
    while engine.model(None).unwrap().worker.depth() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    running
}

fn texts(count: usize) -> Value {
    let text = |at| format!("{at} {}", "hello world fox ".repeat(15));
    json!({ "input": (0..count).map(text).collect::<Vec<_>>() })
}

#[test]
fn a_running_request_is_answered_before_the_server_closes() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let mut running = start(&server, &engine, "/v1/embeddings", &texts(200));
    block_on(server.close(Duration::from_secs(30)));
    assert_eq!(receive(running.as_mut()).status, 200);
}

#[test]
fn idle_connections_do_not_hold_a_server_open() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let _silent = connect(&server);
    let start = Instant::now();
    block_on(server.close(Duration::from_secs(30)));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn half_a_request_holds_a_server_open_for_its_grace_only() {
    let engine = engine(&["static"]);
    let (server, _folder) = serve_unix(&engine);
    let mut half = connect(&server);
    half.write_all(b"POST /v1/embeddings HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    block_on(server.close(Duration::from_millis(100)));
    assert!(start.elapsed() < Duration::from_secs(5));
    block_on(server.closed());
}

#[test]
fn a_request_that_outlives_the_grace_is_answered_503() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let bundle = json!({ "tasks": [{ "id": "a", "embeddings": texts(1800) }] });
    let mut running =
        [start(&server, &engine, "/v1/embeddings", &texts(1800)), start(&server, &engine, "/v1/bundle", &bundle)];
    let mut half = connect(&server);
    half.write_all(b"POST /v1/embeddings HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    block_on(server.close(Duration::from_millis(200)));
    for stream in running.iter_mut().chain([&mut half]) {
        let reply = receive(stream.as_mut());
        assert_eq!(reply.error(), (503, "not_ready".to_owned()));
        assert!(reply.message().contains("is closing"), "{}", reply.message());
        assert_eq!(reply.header("retry-after"), Some("5"));
    }
}

#[test]
fn a_request_of_which_a_closed_model_computed_a_part_fails_as_a_whole() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let mut running = start(&server, &engine, "/v1/embeddings", &texts(1800));
    let count = "rtrun_forward_duration_seconds_count{model=\"embeddings\"}";
    while counter(&engine.exposition(), count) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    engine.close(Duration::ZERO);
    let reply = receive(running.as_mut());
    assert_eq!(reply.error(), (503, "not_ready".to_owned()));
}

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{connect, receive, send, serve_unix};
use crate::support::{block_on, engine};

#[test]
fn a_running_request_is_answered_before_the_server_closes() {
    let engine = engine(&["embeddings"]);
    let (server, _folder) = serve_unix(&engine);
    let texts: Vec<String> = (0..200).map(|at| format!("{at} {}", "hello world fox ".repeat(15))).collect();
    let mut running = connect(&server);
    send(running.as_mut(), "POST", "/v1/embeddings", json!({ "input": texts }).to_string().as_bytes());
    while engine.model(None).unwrap().worker.depth() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
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

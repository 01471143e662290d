//! Clients that read no answers, send no end of a body, or hold all connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rtrun_core::serve::{Address, ClientLimits, ServeOptions, Server};
use rtrun_core::{Engine, EngineOptions};

use super::client::{Stream, connect, receive, request};
use crate::support::{engine, fixture, open_ready, options};

fn serve(engine: &Arc<Engine>, limits: ClientLimits) -> Server {
    let options = ServeOptions { port: Some(0), limits, ..ServeOptions::default() };
    Server::start(Arc::clone(engine), &options).unwrap()
}

#[test]
fn a_client_that_reads_no_answers_is_broken_off() {
    let engine = engine(&["static"]);
    let limits = ClientLimits { write_stall: Duration::from_millis(200), ..ClientLimits::default() };
    let server = serve(&engine, limits);
    let Address::Tcp(address) = server.address() else { panic!("it listens on a port") };
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    let requests = "GET /openapi.yaml HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100);
    let start = Instant::now();
    // Both directions fill up, until the server gives the connection up.
    let error = loop {
        if let Err(error) = stream.write_all(requests.as_bytes()) {
            break error;
        }
    };
    assert!(matches!(error.kind(), std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe), "{error}");
    assert!(start.elapsed() >= limits.write_stall);
}

#[test]
fn a_client_that_reads_slowly_gets_all_of_its_answers() {
    const ANSWERS: usize = 200;
    let engine = engine(&["static"]);
    let server = serve(&engine, ClientLimits { write_stall: Duration::from_millis(500), ..ClientLimits::default() });
    let Address::Tcp(address) = server.address() else { panic!("it listens on a port") };
    let mut stream = TcpStream::connect(address).unwrap();
    let requests = "GET /openapi.yaml HTTP/1.1\r\nhost: x\r\n\r\n".repeat(ANSWERS - 1);
    stream.write_all(requests.as_bytes()).unwrap();
    stream.write_all(b"GET /openapi.yaml HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let (mut received, mut part) = (Vec::new(), vec![0; 1 << 20]);
    let start = Instant::now();
    loop {
        let read = stream.read(&mut part).unwrap();
        if read == 0 {
            break;
        }
        received.extend_from_slice(&part[..read]);
        if start.elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert_eq!(String::from_utf8(received).unwrap().matches("HTTP/1.1 200 OK").count(), ANSWERS);
}

/// Sends the head of a request with a body of `announced` bytes, and the first `sent` of them.
fn send_part(server: &Server, announced: usize, sent: usize) -> Box<dyn Stream> {
    let mut stream = connect(server);
    let head =
        format!("POST /v1/embeddings HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {announced}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body(announced)[..sent]).unwrap();
    stream
}

fn body(bytes: usize) -> Vec<u8> {
    let (head, tail) = ("{\"input\":\"hello ", "\"}");
    format!("{head}{}{tail}", " ".repeat(bytes - head.len() - tail.len())).into_bytes()
}

#[test]
fn unfinished_bodies_share_one_budget_and_small_ones_do_not_need_it() {
    const BODY: usize = 500 << 10;
    let options = EngineOptions { max_request_bytes: 600 << 10, ..options(&[("static", &fixture("static"))]) };
    let engine = open_ready(options);
    let folder = tempfile::tempdir().unwrap();
    let options = ServeOptions {
        uds: Some(folder.path().join("socket")),
        limits: ClientLimits { body_bytes: 1 << 20, ..ClientLimits::default() },
        ..ServeOptions::default()
    };
    let server = Server::start(engine, &options).unwrap();
    // What is only announced takes nothing.
    let announced: Vec<_> = (0..20).map(|_| send_part(&server, BODY, 10)).collect();
    assert_eq!(request(&server, "POST", "/v1/embeddings", &body(BODY)).status, 200);
    let mut unfinished = [send_part(&server, BODY, BODY - 1), send_part(&server, BODY, BODY - 1)];
    let refused = loop {
        let reply = request(&server, "POST", "/v1/embeddings", &body(BODY));
        // The server may still be reading the two.
        if reply.status != 200 {
            break reply;
        }
    };
    assert_eq!(refused.error(), (429, "overloaded".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(request(&server, "POST", "/v1/embeddings", &body(50 << 10)).status, 200);
    // Who is there already goes on, and gives its bytes back.
    unfinished[0].write_all(b"}").unwrap();
    assert_eq!(receive(unfinished[0].as_mut()).status, 200);
    assert_eq!(request(&server, "POST", "/v1/embeddings", &body(BODY)).status, 200);
    drop(announced);
}

#[test]
fn a_body_over_the_limit_is_read_to_its_end_and_refused() {
    const BODY: usize = 4 << 20;
    let engine = open_ready(EngineOptions { max_request_bytes: 1 << 20, ..options(&[("static", &fixture("static"))]) });
    let server = serve(&engine, ClientLimits::default());
    let refused = receive(send_part(&server, BODY, BODY).as_mut());
    assert_eq!(refused.error(), (413, "request_too_large".to_owned()));
}

#[test]
fn a_client_above_the_most_connections_is_told_so_at_once() {
    const MOST: usize = 3;
    let engine = engine(&["static"]);
    let server = serve(&engine, ClientLimits { connections: MOST, ..ClientLimits::default() });
    let held: Vec<_> = (0..MOST).map(|_| send_part(&server, 1000, 10)).collect();
    let start = Instant::now();
    let refused = loop {
        let reply = request(&server, "POST", "/v1/embeddings", &body(100));
        // The server may still be accepting them.
        if reply.status != 200 {
            break reply;
        }
    };
    assert_eq!(refused.error(), (429, "overloaded".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(start.elapsed() < Duration::from_secs(5));
    // Its text is read: a client whose connection is reset while it sends may never look at the answer.
    assert_eq!(receive(send_part(&server, 4 << 20, 4 << 20).as_mut()).status, 429);
    drop(held);
    // The server hears of it soon.
    while request(&server, "GET", "/health", b"").status != 200 {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

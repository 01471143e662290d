//! Clients that read no answers or send no end of a body.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rtrun_core::Engine;
use rtrun_core::serve::{Address, ClientLimits, ServeOptions, Server};

use crate::support::engine;

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

//! A client that sends exactly the bytes it is told to, and holds every response against the contract document.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use rtrun_core::Engine;
use rtrun_core::serve::{Address, ServeOptions, Server};
use serde_json::Value;
use tempfile::TempDir;

use super::contract::{Response, assert_contract};

/// A connection that knows what it was asked.
pub trait Stream: Read + Write {
    /// The beginning of what was sent, long enough for the method and the path.
    fn sent(&self) -> &[u8];
}

/// Keeps the beginning of what is sent.
struct Recording<S> {
    stream: S,
    sent: Vec<u8>,
}

const KEPT_BYTES: usize = 1024;

impl<S: Read> Read for Recording<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl<S: Write> Write for Recording<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes)?;
        let kept = written.min(KEPT_BYTES - self.sent.len().min(KEPT_BYTES));
        self.sent.extend_from_slice(&bytes[..kept]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<S: Read + Write> Stream for Recording<S> {
    fn sent(&self) -> &[u8] {
        &self.sent
    }
}

/// One HTTP response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {:?}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = self.head.lines().filter_map(|line| line.split_once(':'));
        parts.map(|(name, value)| (name, value.trim()))
    }

    fn assert_contract(&self, sent: &[u8]) {
        let sent = String::from_utf8_lossy(sent);
        let mut line = sent.split(' ');
        let (Some(method), Some(path)) = (line.next(), line.next()) else { panic!("no request was sent") };
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let headers: Vec<(String, String)> = self.headers().map(own).collect();
        assert_contract(&Response { method, path, status: self.status, headers: &headers, body: &self.body });
    }

    /// Status and error code.
    pub fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    pub fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    }
}

/// A server on a Unix socket in a folder of its own.
pub fn serve_unix(engine: &Arc<Engine>) -> (Server, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let uds = Some(folder.path().join("socket"));
    let server = Server::start(Arc::clone(engine), &ServeOptions { uds, ..ServeOptions::default() }).unwrap();
    (server, folder)
}

/// A server on a free TCP port.
pub fn serve_tcp(engine: &Arc<Engine>) -> Server {
    Server::start(Arc::clone(engine), &ServeOptions { port: Some(0), ..ServeOptions::default() }).unwrap()
}

pub fn connect(server: &Server) -> Box<dyn Stream> {
    let patience = Some(Duration::from_secs(30));
    match server.address() {
        Address::Unix(path) => {
            let stream = UnixStream::connect(path).unwrap();
            stream.set_read_timeout(patience).unwrap();
            Box::new(Recording { stream, sent: Vec::new() })
        }
        Address::Tcp(address) => {
            let stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(patience).unwrap();
            Box::new(Recording { stream, sent: Vec::new() })
        }
    }
}

pub fn get(server: &Server, path: &str) -> Reply {
    request(server, "GET", path, b"")
}

pub fn post(server: &Server, path: &str, body: &Value) -> Reply {
    request(server, "POST", path, body.to_string().as_bytes())
}

pub fn request(server: &Server, method: &str, path: &str, body: &[u8]) -> Reply {
    let mut stream = connect(server);
    send(stream.as_mut(), method, path, body);
    receive(stream.as_mut())
}

pub fn send(stream: &mut dyn Stream, method: &str, path: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses a body may close before it has all of it.
    let _ = stream.write_all(body);
}

pub fn receive(stream: &mut dyn Stream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    assert!(!is_chunked, "responses have a length");
    let reply = Reply { status, head: head.to_owned(), body: body.to_owned() };
    reply.assert_contract(stream.sent());
    reply
}

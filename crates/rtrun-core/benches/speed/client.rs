//! A keep-alive HTTP client on a Unix socket that does as little as possible.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

pub struct Client {
    reader: BufReader<UnixStream>,
    body: Vec<u8>,
}

impl Client {
    pub fn connect(path: &Path) -> Self {
        Self { reader: BufReader::new(UnixStream::connect(path).unwrap()), body: Vec::new() }
    }

    /// Posts a body and returns the milliseconds that the server reports for `forward` and `total`.
    pub fn post(&mut self, path: &str, body: &str) -> (f64, f64) {
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        self.reader.get_mut().write_all(head.as_bytes()).unwrap();
        let (mut length, mut timing, mut line) = (0, (0.0, 0.0), String::new());
        let mut is_first = true;
        loop {
            line.clear();
            self.reader.read_line(&mut line).unwrap();
            assert!(!is_first || line.contains(" 200 "), "{line}");
            is_first = false;
            match line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("server-timing", value)) => timing = (entry(value, "forward"), entry(value, "total")),
                None if line.trim().is_empty() => break,
                Some(_) | None => {}
            }
        }
        self.body.resize(length, 0);
        self.reader.read_exact(&mut self.body).unwrap();
        timing
    }
}

fn entry(timing: &str, name: &str) -> f64 {
    let entry = timing.split(", ").find_map(|entry| entry.strip_prefix(name)?.strip_prefix(";dur="));
    entry.unwrap().parse().unwrap()
}

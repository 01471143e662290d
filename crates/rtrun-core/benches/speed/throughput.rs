//! Served requests a second at several levels of concurrency against the same forwards in a loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rtrun_core::engines::{Encoder, RowRequest};
use rtrun_core::serve::{ServeOptions, Server};
use serde_json::json;

use crate::client::Client;
use crate::support::{encoder, engine, reader, row, text};

const CALLS: usize = 120;

pub fn throughput() {
    let (engine, reader, mut encoder) = (engine(), reader(), encoder());
    let path = std::env::temp_dir().join(format!("rtrun-bench-{}", std::process::id()));
    let options = ServeOptions { uds: Some(path.clone()), ..ServeOptions::default() };
    let _server = Server::start(Arc::clone(&engine), &options).unwrap();
    for tokens in [16, 128] {
        let texts: Vec<String> = (0..CALLS).map(|seed| text(&reader, tokens, seed)).collect();
        let rows: Vec<RowRequest> = texts.iter().map(|text| row(&reader, text)).collect();
        for callers in [1, 8, 32] {
            let mut best = (0.0_f64, 0.0_f64);
            for _ in 0..3 {
                let start = Instant::now();
                for row in &rows {
                    encoder.encode(std::slice::from_ref(row)).unwrap();
                }
                let alone = CALLS as f64 / start.elapsed().as_secs_f64();
                best = (best.0.max(alone), best.1.max(served(&path, &texts, callers)));
            }
            let (alone, served) = best;
            println!(
                "{tokens} tokens, {callers} callers: loop {alone:.1}/s, served {served:.1}/s, ratio {:.2}",
                served / alone
            );
        }
    }
}

fn served(path: &std::path::Path, texts: &[String], callers: usize) -> f64 {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..callers {
            scope.spawn(|| {
                let mut client = Client::connect(path);
                while let Some(text) = texts.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let body = json!({ "input": text, "encoding_format": "base64" }).to_string();
                    client.post("/v1/embeddings", &body);
                }
            });
        }
    });
    texts.len() as f64 / start.elapsed().as_secs_f64()
}

//! What a call over a Unix socket costs beside its forward: one classify and one embeddings task of one text.

use std::sync::Arc;
use std::time::Instant;

use rtrun_core::serve::{ServeOptions, Server};
use serde_json::json;

use crate::client::Client;
use crate::support::{engine, reader, text};

pub fn overhead() {
    let (engine, reader) = (engine(), reader());
    let path = std::env::temp_dir().join(format!("rtrun-bench-{}", std::process::id()));
    let options = ServeOptions { uds: Some(path.clone()), ..ServeOptions::default() };
    let _server = Server::start(Arc::clone(&engine), &options).unwrap();
    let card = serde_json::to_value(engine.describe()).unwrap();
    let head = card[0]["heads"][0]["name"].clone();
    let mut client = Client::connect(&path);
    for tokens in [16, 128] {
        for format in ["base64", "float"] {
            let (mut outside, mut inside) = (Vec::new(), Vec::new());
            for round in 0..300 {
                let text = text(&reader, tokens, round);
                let options = json!({ "overflow": "truncate" });
                let embeddings = json!({ "input": text, "encoding_format": format, "options": options });
                let classify = json!({ "head": head, "input": text, "options": options });
                let second = if head.is_null() {
                    json!({ "id": "b", "embeddings": embeddings })
                } else {
                    json!({ "id": "b", "classify": classify })
                };
                let body = json!({ "tasks": [{ "id": "a", "embeddings": embeddings }, second] }).to_string();
                let start = Instant::now();
                let (forward, total) = client.post("/v1/bundle", &body);
                let whole = start.elapsed().as_secs_f64() * 1e3;
                if round >= 20 {
                    outside.push(whole - forward);
                    inside.push(total - forward);
                }
            }
            let of = |mut values: Vec<f64>, part: usize| {
                values.sort_by(f64::total_cmp);
                values[values.len() * part / 100]
            };
            let shown = [of(outside.clone(), 50), of(outside, 95), of(inside, 50)];
            let [median, late, handler] = shown;
            println!(
                "{tokens} tokens, {format}: beside the forward {median:.3} ms (p95 {late:.3}), of it in the handler {handler:.3}"
            );
        }
    }
}

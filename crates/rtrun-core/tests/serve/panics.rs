//! A panic in a handler is an answer like any other, and counted as one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rtrun_core::{EngineOptions, FaultPlace, Faults};
use serde_json::json;

use super::client::{post, serve_unix};
use crate::support::{counter, fixture, open_ready, options};

#[test]
fn a_panic_in_a_handler_answers_500_and_counts_as_500() {
    let is_due = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_due);
    let faults = Faults::new(move |place| {
        assert!(place != FaultPlace::Caller || !asked.swap(false, Ordering::SeqCst), "as asked");
    });
    let engine = open_ready(EngineOptions { faults, ..options(&[("static", &fixture("static"))]) });
    let (server, _folder) = serve_unix(&engine);
    let one = json!({ "input": ["hello"] });
    for (path, body, endpoint) in [
        ("/v1/embeddings", one.clone(), "embeddings"),
        ("/v1/bundle", json!({ "tasks": [{ "id": "a", "embeddings": one }] }), "bundle"),
    ] {
        for expected in [500, 200] {
            is_due.store(expected == 500, Ordering::SeqCst);
            let reply = post(&server, path, &body);
            assert_eq!(reply.status, expected, "{path}: {}", reply.body);
            if expected == 500 {
                assert_eq!(reply.error(), (500, "internal_error".to_owned()));
            }
        }
        let metrics = engine.exposition();
        let count =
            |status| counter(&metrics, &format!("rtrun_requests_total{{endpoint=\"{endpoint}\",status=\"{status}\"}}"));
        assert_eq!([count(500), count(499), count(200)], [1, 0, 1], "{path}");
    }
}

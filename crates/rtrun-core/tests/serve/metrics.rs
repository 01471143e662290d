use std::sync::Arc;
use std::time::Duration;

use rtrun_core::Metrics;
use rtrun_core::model::LoadedModel;
use serde_json::json;

use super::client::{get, post, serve_unix};
use crate::support::{embed, engine};

#[test]
fn every_metric_of_the_contract_is_exposed() {
    let engine = engine(&["heads-int8", "static"]);
    let (server, _folder) = serve_unix(&engine);
    let task = |id: &str, model: &str| json!({ "id": id, "embeddings": { "model": model, "input": ["secret words", "other"] } });
    let tasks = json!([task("a", "heads-int8"), task("b", "static")]);
    post(&server, "/v1/bundle", &json!({ "tasks": tasks }));
    post(&server, "/v1/bundle", &json!({ "tasks": tasks }));
    post(&server, "/v1/classify", &json!({ "input": 1 }));
    let reply = get(&server, "/metrics");
    assert_eq!(reply.header("content-type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    for line in [
        "rtrun_requests_total{endpoint=\"bundle\",status=\"200\"} 2",
        "rtrun_requests_total{endpoint=\"classify\",status=\"400\"} 1",
        "rtrun_request_duration_seconds_count{endpoint=\"bundle\"} 2",
        "rtrun_queue_duration_seconds_count{model=\"static\"} 1",
        "rtrun_forward_duration_seconds_count{model=\"static\"} 1",
        "rtrun_batch_rows_sum{model=\"static\"}",
        "rtrun_batch_tokens_sum{model=\"static\"}",
        "rtrun_bundle_tasks_sum 4.0",
        "rtrun_result_cache_total{model=\"static\",outcome=\"hit\"} 2",
        "rtrun_result_cache_total{model=\"static\",outcome=\"miss\"} 2",
        "rtrun_queue_depth{model=\"heads-int8\"} 0",
        "rtrun_ready{model=\"heads-int8\"} 1",
        "rtrun_model_restarts_total{model=\"static\"} 0",
        "rtrun_model_info{model=\"static\",family=\"static_embeddings\",engine=\"static\"",
        "rtrun_model_memory_bytes{model=\"heads-int8\"}",
    ] {
        assert!(reply.body.contains(line), "no {line} in\n{}", reply.body);
    }
    assert!(!reply.body.contains("secret"), "metrics carry no request content");
}

#[test]
fn a_forward_counts_its_rows_and_its_tokens() {
    let engine = engine(&["heads-int8"]);
    embed(&engine, &["hello world text"]);
    embed(&engine, &["the dog"]);
    let metrics = engine.exposition();
    for line in [
        "rtrun_batch_rows_sum{model=\"heads-int8\"} 2.0",
        // Words and the two special tokens of each row.
        "rtrun_batch_tokens_sum{model=\"heads-int8\"} 9.0",
        "rtrun_batch_tokens_count{model=\"heads-int8\"} 2",
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in\n{metrics}");
    }
}

#[test]
fn the_device_of_a_model_is_its_own() {
    let engine = engine(&["static"]);
    let mut model = engine.model(None).unwrap();
    engine.close(Duration::ZERO);
    let mut polls = 0;
    // The thread that keeps the model serving lets go of it a moment later.
    let alone = loop {
        match Arc::try_unwrap(model) {
            Ok(alone) => break alone,
            Err(shared) => model = shared,
        }
        polls += 1;
        assert!(polls < 6000, "somebody still holds the model");
        std::thread::sleep(Duration::from_millis(10));
    };
    let elsewhere = LoadedModel { device: "cuda:1".to_owned(), ..alone };
    let metrics = Metrics::new(&["static".to_owned()]);
    metrics.model_is_ready(&elsewhere);
    let line = "rtrun_model_info{model=\"static\",family=\"static_embeddings\",engine=\"static\",device=\"cuda:1\"";
    assert!(metrics.exposition().contains(line), "{}", metrics.exposition());
}

//! Long requests have a lane of their own where memory allows it, and the same answers in either.

use serde_json::{Value, json};

use rtrun_core::EngineOptions;

use crate::support::{counter, embed, fixture, open_ready, options};

const MEMORY: &str = "rtrun_model_memory_bytes{model=\"model\"}";

/// The lane for long requests of a model under a memory budget, and the bytes of its weights.
#[cfg(target_os = "linux")]
fn lane(name: &str, budget: Option<u64>) -> (Value, u64) {
    let options = EngineOptions { memory_budget_bytes: budget, ..options(&[("model", &fixture(name))]) };
    let engine = open_ready(options);
    let card = serde_json::to_value(engine.describe()).unwrap()[0].take();
    (card["long_lane"].clone(), counter(&engine.exposition(), MEMORY))
}

#[test]
#[cfg(target_os = "linux")]
fn long_requests_have_a_lane_over_shared_weights_or_over_a_copy_where_no_budget_forbids_it() {
    let (yes, none) = (json!({ "over_tokens": 512, "of": "request" }), Value::Null);
    let large = Some(1 << 30);
    let (free, shared) = (lane("embeddings", None), lane("embeddings", large));
    assert_eq!((&free.0, &free), (&yes, &shared));
    let (copied, alone) = (lane("heads-int8", None), lane("heads-int8", large));
    assert_eq!((copied.0, alone.0), (yes, none.clone()));
    assert_eq!(copied.1, 2 * alone.1);
    assert_eq!(lane("static", None).0, none);
}

#[test]
fn a_text_has_the_same_vector_in_a_long_request_as_alone() {
    let text = "hello world, fox";
    for name in ["embeddings", "heads-int8"] {
        let engine = open_ready(EngineOptions { result_cache_entries: 0, ..options(&[(name, &fixture(name))]) });
        let alone = embed(&engine, &[text]);
        let many: Vec<String> = (0..200).map(|at| format!("{at} {text}")).collect();
        let long: Vec<&str> = std::iter::once(text).chain(many.iter().map(String::as_str)).collect();
        assert_eq!(embed(&engine, &long)[0], alone[0], "{name}");
    }
}

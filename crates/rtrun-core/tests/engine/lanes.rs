//! Long requests have a lane of their own where memory allows it, and the same answers in either.

use serde_json::{Value, json};

use crate::support::{embed, fixture, open_ready, options};

fn card(name: &str, budget: Option<u64>) -> Value {
    let mut options = options(&[(name, &fixture(name))]);
    options.models[0].memory_budget_bytes = budget;
    serde_json::to_value(open_ready(options).describe()).unwrap()[0].take()
}

#[test]
#[cfg(target_os = "linux")]
fn a_transformer_has_a_lane_for_long_requests_and_a_table_of_vectors_needs_none() {
    for name in ["embeddings", "heads-int8"] {
        assert_eq!(card(name, None)["long_lane"], json!({ "over_tokens": 512, "of": "request" }), "{name}");
    }
    assert_eq!(card("static", None).get("long_lane"), None);
}

#[test]
#[cfg(target_os = "linux")]
fn shared_weights_need_no_memory_for_the_lane_and_expanded_ones_do_without_it() {
    let bytes = |name: &str| {
        let exposition = open_ready(options(&[(name, &fixture(name))])).exposition();
        let line = exposition.lines().find(|line| line.starts_with("rtrun_model_memory_bytes{")).unwrap();
        line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    assert!(card("embeddings", Some(bytes("embeddings"))).get("long_lane").is_some());
    // Both lanes of the package with expanded weights count; with room for one copy only, there is one lane.
    let both = bytes("heads-int8");
    assert!(card("heads-int8", Some(both)).get("long_lane").is_some());
    let one = card("heads-int8", Some(both - 1));
    assert_eq!((one.get("long_lane"), &one["status"]), (None, &json!("ready")));
}

#[test]
fn a_text_has_the_same_vector_in_a_long_request_as_alone() {
    let text = "hello world, fox";
    for name in ["embeddings", "heads-int8"] {
        let engine =
            open_ready(rtrun_core::EngineOptions { result_cache_entries: 0, ..options(&[(name, &fixture(name))]) });
        let alone = embed(&engine, &[text]);
        let many: Vec<String> = (0..200).map(|at| format!("{at} {text}")).collect();
        let long: Vec<&str> = std::iter::once(text).chain(many.iter().map(String::as_str)).collect();
        assert_eq!(embed(&engine, &long)[0], alone[0], "{name}");
    }
}

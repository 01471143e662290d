//! Long requests have a lane of their own where memory allows it, and the same answers in either.

use serde_json::{Value, json};

use crate::support::{embed, fixture, open_ready, options};

fn card(name: &str) -> Value {
    serde_json::to_value(open_ready(options(&[(name, &fixture(name))])).describe()).unwrap()[0].take()
}

#[test]
#[cfg(target_os = "linux")]
fn weights_that_can_be_shared_give_long_requests_a_lane_and_others_do_without() {
    assert_eq!(card("embeddings")["long_lane"], json!({ "over_tokens": 512, "of": "request" }));
    for name in ["heads-int8", "static"] {
        assert_eq!(card(name).get("long_lane"), None, "{name}");
    }
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

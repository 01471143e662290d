use serde_json::json;

use super::client::{post, serve_unix};
use crate::support::engine;

#[test]
fn a_threshold_outside_of_0_to_1_is_refused() {
    let engine = engine(&["heads-int8"]);
    let (server, _folder) = serve_unix(&engine);
    let ask = |threshold: f64| {
        let body = json!({ "model": "heads-int8", "head": "domain", "input": "hello",
            "options": { "threshold": threshold } });
        let task = json!({ "id": "a", "classify": body });
        (post(&server, "/v1/classify", &body), post(&server, "/v1/bundle", &json!({ "tasks": [task] })))
    };
    for threshold in [0.0, 0.5, 1.0] {
        let (alone, bundled) = ask(threshold);
        assert_eq!((alone.status, bundled.status), (200, 200), "{threshold}: {}", alone.body);
        assert!(!bundled.body.contains("error"), "{threshold}: {}", bundled.body);
    }
    for threshold in [-0.01, 1.01, 1.5, 2.0] {
        let (alone, bundled) = ask(threshold);
        let problem = format!("threshold is {threshold}; it must be between 0 and 1");
        assert_eq!(alone.status, 400, "{threshold}: {}", alone.body);
        assert!(alone.body.contains(&problem), "{}", alone.body);
        assert!(bundled.body.contains(&problem), "{}", bundled.body);
    }
}

//! Every kind of head divides its logits by its temperature.

use rtrun_core::engines::RowOutput;
use rtrun_core::families::{Head, Transform};
use rtrun_core::package::{HeadKind, HeadSettings};
use serde_json::json;

use crate::support::session::difference;

/// A head whose logits are the vector it reads.
fn head(kind: HeadKind, temperature: f32) -> Head {
    let settings = json!({ "name": "head", "kind": kind.as_str(), "labels": ["O", "X"], "file": "heads.safetensors",
        "weight": "head.weight", "temperature": temperature });
    let settings: HeadSettings = serde_json::from_value(settings).unwrap();
    Head::with_settings(&settings, Transform::default(), 2)
}

fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[test]
fn probabilities_of_rows_have_their_temperature() {
    let output = RowOutput { sentence: Some([3.0, 1.0].into()), ..RowOutput::default() };
    for (kind, expected) in [
        // Of two labels, the softmax is the sigmoid of their distance.
        (HeadKind::Sequence, [sigmoid(0.5), sigmoid(-0.5)]),
        (HeadKind::Scores, [sigmoid(0.75), sigmoid(0.25)]),
    ] {
        let found = head(kind, 4.0).probabilities(&output).unwrap();
        assert!(difference(&found, &expected) < 1e-6, "{kind:?}: {found:?}");
    }
}

#[test]
fn probabilities_of_tokens_have_their_temperature() {
    let output = RowOutput { tokens: Some([9.0, 9.0, 3.0, 1.0, -2.0, 2.0].into()), ..RowOutput::default() };
    let found = head(HeadKind::Token, 4.0).token_probabilities(&output, 1..3).unwrap();
    let expected = [sigmoid(0.5), sigmoid(-0.5), sigmoid(-1.0), sigmoid(1.0)];
    assert!(difference(&found, &expected) < 1e-6, "{found:?}");
}

#[test]
fn relevance_has_its_temperature_and_its_logit_has_none() {
    let output = RowOutput { sentence: Some([3.0, 1.0].into()), ..RowOutput::default() };
    let (logit, relevance) = head(HeadKind::Scores, 4.0).relevance(&output).unwrap();
    assert!((logit - 3.0).abs() < 1e-6 && (relevance - sigmoid(0.75)).abs() < 1e-6, "{logit} {relevance}");
}

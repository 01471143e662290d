//! A ranking package is compared by the order of its relevances: it has no other answer.

use std::fs;
use std::path::Path;

use rtrun_core::model::ProfileReport;
use rtrun_core::{TaskAnswer, TaskKind};
use serde_json::json;

use crate::support::skip::reduces;
use crate::support::weights::rewrite;
use crate::support::{answer, copy_without_manifest, fixture, open_ready, options, profile_report, task};

fn prepared(folder: &Path) -> ProfileReport {
    let mut options = options(&[("model", folder)]);
    options.models[0].profile = Some("max_speed".to_owned());
    profile_report(options)
}

/// Multiplies a 32-bit float tensor and adds to it.
fn scale(folder: &Path, tensor: &str, factor: f32, more: f32) {
    rewrite(&folder.join("model.safetensors"), |tensors| {
        let bytes = &mut tensors.get_mut(tensor).unwrap().bytes;
        for value in bytes.as_chunks_mut::<4>().0 {
            *value = (f32::from_le_bytes(*value) * factor + more).to_le_bytes();
        }
    });
}

/// The logits of some documents.
fn logits(folder: &Path) -> Vec<f32> {
    let documents = ["hello world", "", "the lazy dog", "a b c d e f g", "中文", "quick", "7 8 9", "so. end!"];
    let kind = TaskKind::Rerank { query: "is it?".to_owned(), documents: documents.map(str::to_owned).to_vec() };
    match answer(&open_ready(options(&[("model", folder)])), task(kind)) {
        Ok(TaskAnswer::Rerank(answer)) => answer.items.into_iter().map(|item| item.unwrap().1.logit).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_ranking_that_keeps_its_order_is_reduced() {
    let report = prepared(&fixture("classifiers/rerank"));
    if reduces() {
        assert_eq!(report.served, "max_speed", "{report:?}");
        assert!(report.label_agreement.unwrap() >= 0.99, "{report:?}");
    }
}

#[test]
fn a_ranking_that_loses_its_order_is_not_reduced() {
    let copy = copy_without_manifest("classifiers/rerank");
    let folder = copy.path();
    fs::remove_file(folder.join("golden.json")).unwrap();
    // Every relevance counts as relevant, so that nothing but the order can differ.
    fs::write(folder.join("rtrun.json"), json!({ "schema": 1, "classifier": { "threshold": 0.0 } }).to_string())
        .unwrap();
    // The vector that is read hardly depends on the text, so rounding is large beside what it says; the classifier
    // makes much of little.
    for layer in 0..2 {
        let module = format!("bert.encoder.layer.{layer}.attention.output.dense.weight");
        scale(folder, &module, 1e-4, 0.0);
    }
    let found = logits(folder);
    let mean = found.iter().sum::<f32>() / found.len() as f32;
    let far = found.iter().map(|logit| (logit - mean).abs()).fold(0.0, f32::max);
    assert!(far > 0.0);
    scale(folder, "classifier.weight", 4.0 / far, 0.0);
    scale(folder, "classifier.bias", 4.0 / far, -mean * 4.0 / far);
    let report = prepared(folder);
    assert_eq!(report.served, "exact", "{report:?}");
    if reduces() {
        assert!(report.label_agreement.unwrap() < 0.99, "{report:?}");
        assert!(report.reason.as_deref().unwrap().contains("of the labels agree"), "{report:?}");
    }
}

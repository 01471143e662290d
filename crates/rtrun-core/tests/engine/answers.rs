//! Every family answers as its reference did, and the same whatever it is batched with.

use serde_json::json;

use crate::support::weights::poke;
use crate::support::{classify, copy_without_manifest, embed, engine, fixture, load_failure, open_ready, options};

const NAMES: [&str; 5] = ["embeddings", "softmax", "multi-label", "heads-int8", "static"];

#[test]
fn every_fixture_package_matches_its_golden_answers() {
    let engine = engine(&NAMES);
    for (name, card) in NAMES.iter().zip(engine.describe()) {
        let card = serde_json::to_value(card).unwrap();
        assert_eq!(card["id"], json!(name));
        assert_eq!(card["golden"]["status"], json!("matched"), "{card}");
        assert_eq!(card["status"], json!("ready"));
    }
}

#[test]
fn a_package_without_golden_answers_is_unverified() {
    let folder = copy_without_manifest("embeddings");
    std::fs::remove_file(folder.path().join("golden.json")).unwrap();
    let engine = open_ready(options(&[("plain", folder.path())]));
    let card = serde_json::to_value(engine.describe()).unwrap();
    assert_eq!(card[0]["golden"], json!({ "status": "unverified", "checked": 0 }));
}

#[test]
fn a_package_without_golden_answers_whose_weights_are_no_numbers_is_refused() {
    for (name, file, tensor) in [
        ("embeddings", "model.safetensors", "encoder.layer.0.attention.output.dense.bias"),
        ("heads-int8", "heads.safetensors", "topics.bias"),
    ] {
        let folder = copy_without_manifest(name);
        std::fs::remove_file(folder.path().join("golden.json")).unwrap();
        poke(&folder.path().join(file), tensor, 0, f32::NAN);
        let reason = load_failure(options(&[("damaged", folder.path())]));
        assert!(reason.contains("weights: are damaged"), "{name}: {reason}");
    }
}

/// Texts of every length up to the limit, so that forwards of many shapes are made.
fn texts() -> Vec<String> {
    (0..60)
        .map(|words| format!("{words} {}", "hello world, fox ".repeat(words / 4)).chars().take(2 * words + 2).collect())
        .collect()
}

fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
    vectors.iter().map(|vector| vector.iter().map(|value| value.to_bits()).collect()).collect()
}

#[test]
fn a_batch_equals_its_single_rows_bit_for_bit() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for name in ["embeddings", "heads-int8", "static"] {
        let model = |threads| {
            open_ready(rtrun_core::EngineOptions {
                result_cache_entries: 0,
                threads,
                ..options(&[(name, &fixture(name))])
            })
        };
        let engine = model(2);
        let batch = bits(&embed(&engine, &texts));
        for (text, together) in texts.iter().zip(&batch) {
            assert_eq!(bits(&embed(&engine, &[text]))[0], *together, "{name}: {text:?}");
        }
        let reversed: Vec<&str> = texts.iter().rev().copied().collect();
        let mut backwards = bits(&embed(&engine, &reversed));
        backwards.reverse();
        assert_eq!(backwards, batch, "{name}");
        assert_eq!(bits(&embed(&model(1), &texts)), batch, "{name}: the number of threads must not matter");
    }
}

#[test]
fn a_batch_of_classes_equals_its_single_rows_bit_for_bit() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (name, head) in [("softmax", "classifier"), ("multi-label", "classifier"), ("heads-int8", "topics")] {
        let options = rtrun_core::EngineOptions { result_cache_entries: 0, ..options(&[(name, &fixture(name))]) };
        let engine = open_ready(options);
        let batch = bits(&classify(&engine, head, &texts));
        for (text, together) in texts.iter().zip(batch) {
            assert_eq!(bits(&classify(&engine, head, &[text]))[0], together, "{name}: {text:?}");
        }
    }
}

#[test]
fn a_kept_result_equals_a_computed_one() {
    let engine = engine(&["embeddings"]);
    assert_eq!(embed(&engine, &["hello"]), embed(&engine, &["hello"]));
    let metrics = engine.exposition();
    assert!(metrics.contains(r#"rtrun_result_cache_total{model="embeddings",outcome="hit"} 1"#), "{metrics}");
}

#[test]
fn vectors_of_a_normalized_package_have_length_one() {
    for vector in embed(&engine(&["embeddings"]), &["hello", "a longer text"]) {
        let length: f32 = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-6);
    }
}

#[test]
fn an_empty_static_text_is_the_zero_vector() {
    assert_eq!(embed(&engine(&["static"]), &[""]), [vec![0.0; 32]]);
}

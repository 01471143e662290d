//! Texts and images in one space.

use std::sync::Arc;

use rtrun_core::{EmbeddingInput, Engine, EngineOptions, TaskAnswer, TaskKind};
use serde_json::json;

use crate::support::{answer, engine, fixture, image_url, open_ready, options, task};

const NAMES: [&str; 3] = ["towers/clip", "towers/clip-eos", "towers/siglip"];

#[test]
fn both_towers_match_their_recorded_vectors() {
    let engine = engine(&NAMES);
    for card in engine.describe() {
        let card = serde_json::to_value(card).unwrap();
        assert_eq!(card["golden"]["status"], json!("matched"), "{card}");
        assert_eq!(card["golden"]["checked"], json!(12), "{card}");
        assert_eq!(card["golden"]["tolerance"], json!(1e-4_f32), "{card}");
    }
}

#[test]
fn a_batch_equals_its_single_rows_bit_for_bit() {
    let images = ["rgb.png", "palette.png", "transparent.png", "turned.jpg", "lossy.webp", "animated.webp"];
    let texts = ["hello world", "", "the quick brown fox, twice", "end end end end end end end end"];
    for name in NAMES {
        let folder = fixture(name);
        let engine = open_ready(EngineOptions { result_cache_entries: 0, ..options(&[("model", &folder)]) });
        let image = |name: &&str| EmbeddingInput::Image(image_url(name));
        let text = |text: &&str| EmbeddingInput::Text((*text).to_owned());
        let inputs: Vec<EmbeddingInput> = images.iter().map(image).chain(texts.iter().map(text)).collect();
        let together = vectors(&engine, inputs.clone());
        for (at, input) in inputs.into_iter().enumerate() {
            assert_eq!(vectors(&engine, vec![input])[0], together[at], "{name} {at}");
        }
        for (at, vector) in together.iter().enumerate() {
            let length: f32 = vector.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{name} {at}");
            assert!(together[..at].iter().all(|other| other != vector), "{name} {at}");
        }
    }
}

#[test]
fn equal_pixels_are_computed_once_however_they_are_stored() {
    let engine = engine(&["towers/siglip"]);
    let lossless = vectors(&engine, vec![EmbeddingInput::Image(image_url("rgb.png"))]);
    let before = rows(&engine);
    let padded = image_url("rgb.png").replace("data:image/png;", "data:image/png;name=other;");
    let inputs = vec![
        EmbeddingInput::Image(padded.clone()),
        EmbeddingInput::Image(padded),
        EmbeddingInput::Image(image_url("rgb.png")),
    ];
    let again = vectors(&engine, inputs);
    assert!(again.iter().all(|vector| *vector == lossless[0]));
    // Two of the three inputs are one row; the third one's vector is kept.
    assert!((rows(&engine) - before - 1.0).abs() < 0.5);
}

/// Rows that have been computed.
fn rows(engine: &Arc<Engine>) -> f64 {
    let text = engine.exposition();
    let line = text.lines().find(|line| line.starts_with("rtrun_batch_rows_sum")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn vectors(engine: &Arc<Engine>, input: Vec<EmbeddingInput>) -> Vec<Vec<f32>> {
    let kind = TaskKind::Embeddings { input, dimensions: None, layer: None, input_type: None };
    match answer(engine, task(kind)) {
        Ok(TaskAnswer::Embeddings(answer)) => answer.items.into_iter().map(|item| item.unwrap().1.to_vec()).collect(),
        other => panic!("{other:?}"),
    }
}

//! The forms of a vector: of an earlier layer, cut, of a text behind a prompt.

use std::path::Path;
use std::sync::Arc;

use rtrun_core::{EmbeddingInput, Engine, InputType, TaskAnswer, TaskKind};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{answer, copy_without_manifest, embed, fixture, load_failure, open_ready, options, task};

/// A fixture with files of its own, without recorded answers.
fn package(name: &str, files: &[(&str, Value)]) -> TempDir {
    let folder = copy_without_manifest(name);
    std::fs::remove_file(folder.path().join("golden.json")).unwrap();
    for (file, content) in files {
        std::fs::write(folder.path().join(file), content.to_string()).unwrap();
    }
    folder
}

fn open(folder: &Path) -> Arc<Engine> {
    open_ready(options(&[("model", folder)]))
}

fn vectors(
    engine: &Arc<Engine>,
    texts: &[&str],
    (dimensions, layer): (Option<usize>, Option<usize>),
    input_type: Option<InputType>,
) -> Result<(Vec<Vec<f32>>, Option<usize>), String> {
    let input = texts.iter().map(|text| EmbeddingInput::Text((*text).to_owned())).collect();
    match answer(engine, task(TaskKind::Embeddings { input, dimensions, layer, input_type })) {
        Ok(TaskAnswer::Embeddings(answer)) => {
            Ok((answer.items.into_iter().map(|item| item.unwrap().1.to_vec()).collect(), answer.layer))
        }
        Err(error) => Err(error.to_string()),
        other => panic!("{other:?}"),
    }
}

fn assert_close(found: &[f32], expected: &Value, tolerance: f64) {
    let expected: Vec<f64> = expected.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(found.len(), expected.len());
    let worst = found.iter().zip(&expected).map(|(one, other)| (f64::from(*one) - other).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "off by {worst}");
}

fn card(engine: &Arc<Engine>) -> Value {
    serde_json::to_value(engine.describe()).unwrap()[0]["embedding"].clone()
}

#[test]
fn vectors_of_an_earlier_layer_match_those_of_transformers() {
    for name in ["embeddings", "modernbert"] {
        let file = fixture("exits").join(name).join("expected.json");
        let expected: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let layer = usize::try_from(expected["layer"].as_u64().unwrap()).unwrap();
        let settings = json!({ "schema": 1, "layers": [layer], "dimensions": [16] });
        let folder = package(expected["package"].as_str().unwrap(), &[("rtrun.json", settings)]);
        let engine = open(folder.path());
        assert_eq!(card(&engine)["layers"], json!([layer]));
        let texts: Vec<&str> =
            expected["texts"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap()).collect();
        let tolerance = expected["tolerance"].as_f64().unwrap();
        let (whole, left_by) = vectors(&engine, &texts, (None, Some(layer)), None).unwrap();
        let (cut, _) = vectors(&engine, &texts, (Some(16), Some(layer)), None).unwrap();
        assert_eq!(left_by, Some(layer));
        for (at, entry) in expected["texts"].as_array().unwrap().iter().enumerate() {
            assert_close(&whole[at], &entry["vector"], tolerance);
            assert_close(&cut[at], &entry["cut"], tolerance);
        }
    }
}

#[test]
fn leaving_early_changes_nothing_for_those_who_do_not() {
    let plain = embed(&open(package("embeddings", &[]).path()), &["hello world"]);
    let settings = json!({ "schema": 1, "layers": [2, 1, 1] });
    let folder = package("embeddings", &[("rtrun.json", settings)]);
    let engine = open(folder.path());
    assert_eq!(card(&engine)["layers"], json!([1, 2]));
    let of = |layer| vectors(&engine, &["hello world"], (None, layer), None);
    assert_eq!(of(None).unwrap(), (plain.clone(), None));
    // The last layer is no earlier one.
    assert_eq!(of(Some(2)).unwrap(), (plain.clone(), None));
    assert_ne!(of(Some(1)).unwrap().0, plain);
    assert!(of(Some(3)).unwrap_err().contains("layer is 3; model \"model\" declares 1, 2 only"));
}

#[test]
fn a_vector_may_be_cut_to_the_declared_lengths_only() {
    let whole = embed(&open(package("embeddings", &[]).path()), &["hello"]).remove(0);
    let settings = json!({ "schema": 1, "dimensions": [16, 32] });
    let folder = package("embeddings", &[("rtrun.json", settings)]);
    let engine = open(folder.path());
    assert_eq!(card(&engine)["dimensions"], json!([64, 32, 16]));
    let of = |dimensions| vectors(&engine, &["hello"], (Some(dimensions), None), None);
    let cut = of(32).unwrap().0.remove(0);
    let length = whole[..32].iter().map(|value| value * value).sum::<f32>().sqrt();
    for (cut, whole) in cut.iter().zip(&whole) {
        assert!((cut - whole / length).abs() < 1e-6);
    }
    assert_eq!(of(64).unwrap().0[0], whole);
    assert!(of(20).unwrap_err().contains("dimensions is 20; model \"model\" has vectors of 64, 32, 16 only"));
}

#[test]
fn lengths_also_follow_from_the_authors_own_files() {
    let folder = package("embeddings", &[("config_sentence_transformers.json", json!({ "truncate_dim": 8 }))]);
    let path = folder.path().join("config.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    config["matryoshka_dimensions"] = json!([48, 64]);
    std::fs::write(path, config.to_string()).unwrap();
    assert_eq!(card(&open(folder.path()))["dimensions"], json!([64, 48, 8]));
    let table = package("static", &[("rtrun.json", json!({ "schema": 1, "dimensions": [8] }))]);
    let engine = open(table.path());
    assert_eq!(vectors(&engine, &["hello"], (Some(8), None), None).unwrap().0[0].len(), 8);
}

#[test]
fn a_prompt_stands_in_front_of_the_text() {
    let prompts =
        json!({ "prompts": { "query": "the query: ", "document": "a text: " }, "default_prompt_name": "document" });
    let folder = package("embeddings", &[("config_sentence_transformers.json", prompts)]);
    let (engine, plain) = (open(folder.path()), open(package("embeddings", &[]).path()));
    for (input_type, read) in [
        (Some(InputType::Query), "the query: hello"),
        (Some(InputType::Document), "a text: hello"),
        (None, "a text: hello"),
    ] {
        let found = vectors(&engine, &["hello"], (None, None), input_type).unwrap().0;
        assert_eq!(found, embed(&plain, &[read]));
    }
    // A model without prompts reads both alike.
    let found = vectors(&plain, &["hello"], (None, None), Some(InputType::Query)).unwrap().0;
    assert_eq!(found, embed(&plain, &["hello"]));
}

#[test]
fn forms_that_the_package_cannot_have_are_refused() {
    let with = |name: &str, file: &str, content: Value| {
        load_failure(options(&[("model", package(name, &[(file, content)]).path())]))
    };
    let settings = |name: &str, key: &str, value: Value| with(name, "rtrun.json", json!({ "schema": 1, key: value }));
    for (reason, says) in [
        (settings("embeddings", "layers", json!([3])), "layers has 3; the encoder has 1 to 2"),
        (settings("embeddings", "layers", json!([0])), "layers has 0; the encoder has 1 to 2"),
        (settings("static", "layers", json!([1])), "layers need model.safetensors of a transformer"),
        (settings("shipped/vectors", "layers", json!([1])), "layers need model.safetensors of a transformer"),
        (settings("embeddings", "dimensions", json!([65])), "dimensions has 65; a vector has 64 numbers"),
        (settings("embeddings", "dimensions", json!([0])), "dimensions has 0"),
        (settings("softmax", "dimensions", json!([8])), "are for packages that serve vectors"),
        (
            with("embeddings", "config_sentence_transformers.json", json!({ "default_prompt_name": "query" })),
            "default_prompt_name \"query\" is not one of prompts",
        ),
        (
            with("embeddings", "1_Pooling/config.json", json!({ "pooling_mode": "mean", "include_prompt": false })),
            "include_prompt is false, which is not supported yet",
        ),
    ] {
        assert!(reason.contains(says), "{reason}");
    }
}

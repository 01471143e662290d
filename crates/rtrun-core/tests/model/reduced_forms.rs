//! `max_speed` with what a package can be besides a whole encoder: exits, cut vectors, an adapter, typed questions.

use std::path::Path;
use std::sync::Arc;

use rtrun_core::{EmbeddingInput, Engine, EngineOptions, TaskAnswer, TaskKind};
use serde_json::{Value, json};

use crate::support::decisions::{ask_valid, bits, cases, decision_options, questions};
use crate::support::skip::reduces;
use crate::support::{answer, copy_without_manifest, embed, fixture, open_ready, options, task};

const TEXTS: [&str; 3] = ["hello world", "a b c d", "a longer text, with punctuation and 中文"];

fn fast(mut options: EngineOptions) -> EngineOptions {
    options.models[0].profile = Some("max_speed".to_owned());
    options
}

fn card(engine: &Arc<Engine>) -> Value {
    serde_json::to_value(engine.describe()).unwrap()[0].take()
}

/// The model serves `max_speed`, or the processor cannot.
fn is_fast(engine: &Arc<Engine>) -> bool {
    let card = card(engine);
    if reduces() {
        assert_eq!(card["profile"], "max_speed", "{}", card["profile_report"]);
    }
    card["profile"] == "max_speed"
}

fn assert_near(exact: &[Vec<f32>], reduced: &[Vec<f32>]) {
    for (one, other) in exact.iter().zip(reduced) {
        let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>();
        let cosine = dot(one, other) / (dot(one, one) * dot(other, other)).sqrt();
        assert!(cosine > 0.999, "{cosine}");
        assert_ne!(one, other, "the reduced precision is not used");
    }
}

fn forms(engine: &Arc<Engine>, dimensions: Option<usize>, layer: Option<usize>) -> Vec<Vec<f32>> {
    let input = TEXTS.iter().map(|text| EmbeddingInput::Text((*text).to_owned())).collect();
    match answer(engine, task(TaskKind::Embeddings { input, dimensions, layer, input_type: None })) {
        Ok(TaskAnswer::Embeddings(answer)) => answer.items.into_iter().map(|item| item.unwrap().1.to_vec()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_exit_and_every_length_of_a_vector_keeps_its_direction() {
    let folder = copy_without_manifest("embeddings");
    let settings = json!({ "schema": 1, "layers": [1], "dimensions": [16] });
    std::fs::write(folder.path().join("rtrun.json"), settings.to_string()).unwrap();
    let exact = open_ready(options(&[("model", folder.path())]));
    let reduced = open_ready(fast(options(&[("model", folder.path())])));
    if !is_fast(&reduced) {
        return;
    }
    assert!(card(&reduced)["profile_report"]["probes"].as_u64().unwrap() >= 2 * 240, "the exit is not compared");
    for (dimensions, layer) in [(None, None), (Some(16), None), (None, Some(1)), (Some(16), Some(1))] {
        assert_near(&forms(&exact, dimensions, layer), &forms(&reduced, dimensions, layer));
    }
}

#[test]
fn an_adapter_is_reduced_with_its_changes_and_has_a_verdict_of_its_own() {
    let (adapter, base) = (fixture("adapters/vectors"), fixture("embeddings"));
    let verdicts = tempfile::tempdir().unwrap();
    let opened = |is_fast: bool| {
        let mut options = options(&[("model", adapter.as_path())]);
        options.models[0].base_path = Some(base.clone());
        options.verdicts = Some(verdicts.path().to_owned());
        open_ready(if is_fast { fast(options) } else { options })
    };
    let reduced = opened(true);
    if !is_fast(&reduced) {
        return;
    }
    assert_near(&embed(&opened(false), &TEXTS), &embed(&reduced, &TEXTS));
    let of_base = EngineOptions { verdicts: Some(verdicts.path().to_owned()), ..options(&[("model", base.as_path())]) };
    assert!(is_fast(&open_ready(fast(of_base))));
    assert_eq!(std::fs::read_dir(verdicts.path()).unwrap().count(), 2);
}

#[test]
fn typed_questions_are_compared_by_their_answers() {
    for name in ["marker", "packed"] {
        let exact = open_ready(decision_options(name));
        let reduced = open_ready(fast(decision_options(name)));
        let report = card(&reduced)["profile_report"].clone();
        let case = cases(name).remove(0);
        let of = |engine| bits(&ask_valid(engine, &case.state, &questions(&case)));
        // Weights of chance are close to many a threshold, so either may come out; it has to be what the labels say.
        let agrees = report["label_agreement"].as_f64().is_some_and(|labels| labels >= 0.99);
        assert_eq!(report["served"] == "max_speed", agrees, "{name}: {report}");
        assert_eq!(of(&exact) != of(&reduced), agrees, "{name}: {report}");
        if reduces() {
            assert!(report["label_agreement"].is_f64(), "{name}: the answers are not compared: {report}");
            assert!(report["probes"].as_u64().unwrap() >= 240, "{report}");
        }
    }
}

#[test]
fn a_model_offers_the_profiles_that_its_family_has() {
    let profiles = |folder: &Path| card(&open_ready(options(&[("model", folder)])))["profiles"].clone();
    assert_eq!(profiles(&fixture("embeddings")), json!(["exact", "batching", "max_speed"]));
    // A table and a repository's own graph have no reduced form.
    assert_eq!(profiles(&fixture("static")), json!(["exact", "batching"]));
    let packed = profiles(&fixture("decisions/packed"));
    assert_eq!(packed, json!(["exact", "batching", "shared_context", "max_speed"]));
}

#[test]
fn reduced_weights_are_shared_with_the_lane_for_long_requests() {
    let lane = |options| card(&open_ready(options))["long_lane"].clone();
    let folder = fixture("embeddings");
    assert_eq!(lane(fast(options(&[("model", &folder)]))), lane(options(&[("model", &folder)])));
}

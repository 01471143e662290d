use std::path::Path;
use std::sync::Arc;

use rtrun_core::model::{ProfileReport, rungs};
use rtrun_core::{Engine, EngineOptions};
use serde_json::Value;

use crate::support::contract::contract;
use crate::support::skip::reduces;
use crate::support::{classify, copy_without_manifest, embed, fixture, open_ready, options, profile_report};

fn with_profile(folder: &Path, profile: &str) -> EngineOptions {
    let mut options = options(&[("model", folder)]);
    options.models[0].profile = Some(profile.to_owned());
    options
}

fn card(engine: &Arc<Engine>) -> Value {
    let card = serde_json::to_value(&engine.describe()[0]).unwrap();
    contract().check_value("/components/schemas/ModelCard", &card).unwrap();
    card
}

fn prepared(folder: &Path, verdicts: &Path, profile: &str) -> ProfileReport {
    profile_report(EngineOptions { verdicts: Some(verdicts.to_owned()), ..with_profile(folder, profile) })
}

#[test]
fn max_speed_keeps_the_direction_of_vectors_and_the_independence_of_rows() {
    for name in ["embeddings", "encoders/modernbert", "encoders/deberta"] {
        let options_without_cache =
            EngineOptions { result_cache_entries: 0, ..with_profile(&fixture(name), "max_speed") };
        let engine = open_ready(options_without_cache);
        let report = card(&engine)["profile_report"].clone();
        assert_eq!(report["asked"], "max_speed", "{name}");
        if !reduces() {
            assert_eq!(report["served"], "exact");
            assert!(report["reason"].as_str().unwrap().contains("AVX2"), "{report}");
            continue;
        }
        assert_eq!(report["served"], "max_speed", "{name}: {report}");
        assert!(report["probes"].as_u64().unwrap() >= 200);
        assert!(report["least_cosine"].as_f64().unwrap() >= 0.999);
        assert_ne!(card(&engine)["dtype"], "float32");
        let exact = open_ready(options(&[("model", &fixture(name))]));
        let texts = ["hello world", "", "a b c d", "a longer text, with punctuation and 中文", "again"];
        let together = embed(&engine, &texts);
        for (text, together) in texts.iter().zip(&together) {
            assert_eq!(&embed(&engine, &[text])[0], together, "{name}: {text:?} depends on its company");
        }
        for (one, other) in embed(&exact, &texts).iter().zip(together) {
            let dot: f32 = one.iter().zip(&other).map(|(one, other)| one * other).sum();
            let length = |vector: &[f32]| vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            assert!(dot / length(one) / length(&other) > 0.999, "{name}");
            assert_ne!(*one, other, "{name}: the reduced precision is not used");
        }
    }
}

#[test]
fn labels_and_vectors_both_count() {
    let engine = open_ready(with_profile(&fixture("softmax"), "max_speed"));
    let report = card(&engine)["profile_report"].clone();
    if reduces() && report["served"] == "max_speed" {
        assert!(report["label_agreement"].as_f64().unwrap() >= 0.99, "{report}");
        assert_eq!(report.get("least_cosine"), None, "no vector is served: {report}");
    } else {
        assert!(report["reason"].is_string(), "{report}");
    }
    let probabilities = classify(&engine, "classifier", &["hello world"]);
    assert!((probabilities[0].iter().sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn what_has_no_reduced_form_is_served_exactly_and_says_so() {
    for name in ["static", "shipped/vectors"] {
        let engine = open_ready(with_profile(&fixture(name), "max_speed"));
        let card = card(&engine);
        assert_eq!((&card["profile"], &card["dtype"]), (&"exact".into(), &"float32".into()), "{name}");
        let reason = card["profile_report"]["reason"].as_str().unwrap().to_owned();
        assert!(reason.contains("generated over model.safetensors"), "{reason}");
    }
}

#[test]
fn a_verdict_is_kept_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let (package, verdicts) = (fixture("heads-int8"), folder.path().join("verdicts"));
    let first = prepared(&package, &verdicts, "max_speed");
    assert_eq!(prepared(&package, &verdicts, "max_speed"), first);
    if !reduces() {
        assert!(!verdicts.exists());
        return;
    }
    let kept: Vec<_> = std::fs::read_dir(&verdicts).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    // A verdict that says no is believed without a comparison.
    let mut verdict: Value = serde_json::from_slice(&std::fs::read(&kept[0]).unwrap()).unwrap();
    verdict["rung"] = Value::Null;
    verdict["cosine"] = 0.5.into();
    verdict["reason"] = "written by a test".into();
    std::fs::write(&kept[0], verdict.to_string()).unwrap();
    let report = prepared(&package, &verdicts, "max_speed");
    assert_eq!((report.served, report.reason.as_deref()), ("exact", Some("written by a test")));
    // So is one that names a candidate.
    let last = rungs(true).last().unwrap().name;
    verdict["rung"] = last.into();
    verdict["cosine"] = 0.9999.into();
    verdict["labels"] = 0.995.into();
    verdict["reason"] = Value::Null;
    std::fs::write(&kept[0], verdict.to_string()).unwrap();
    let options = EngineOptions { verdicts: Some(verdicts.clone()), ..with_profile(&package, "max_speed") };
    assert_eq!(card(&open_ready(options))["profile_report"]["precision"], last);
    // One whose figures are too low for what it names is not.
    verdict["labels"] = 0.98.into();
    std::fs::write(&kept[0], verdict.to_string()).unwrap();
    assert_eq!(prepared(&package, &verdicts, "max_speed"), first);
    // What cannot be read is compared anew.
    std::fs::write(&kept[0], "{").unwrap();
    assert_eq!(prepared(&package, &verdicts, "max_speed"), first);
}

#[test]
fn other_profiles_compare_nothing() {
    let verdicts = tempfile::tempdir().unwrap();
    for profile in ["exact", "batching"] {
        let report = prepared(&fixture("embeddings"), verdicts.path(), profile);
        assert_eq!(report, ProfileReport { served: report.asked, ..report.clone() });
        assert_eq!((report.asked, report.probes, report.precision.as_str()), (profile, 0, "float32"));
    }
    assert_eq!(std::fs::read_dir(verdicts.path()).unwrap().count(), 0);
    let texts = ["hello world", "a", "a b c d e f g"];
    let exact = embed(&open_ready(with_profile(&fixture("embeddings"), "exact")), &texts);
    let batching = embed(&open_ready(with_profile(&fixture("embeddings"), "batching")), &texts);
    for (one, other) in exact.iter().flatten().zip(batching.iter().flatten()) {
        assert!((one - other).abs() < 1e-5);
    }
}

#[test]
fn another_tokenizer_needs_a_verdict_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let verdicts = folder.path().join("verdicts");
    let package = copy_without_manifest("classifiers/rerank");
    // They decide too, and do not hold under another tokenizer.
    std::fs::remove_file(package.path().join("golden.json")).unwrap();
    prepared(package.path(), &verdicts, "max_speed");
    let file = package.path().join("tokenizer.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let after = before.replace("\"lowercase\": true", "\"lowercase\": false");
    assert_ne!(before, after);
    std::fs::write(&file, after).unwrap();
    prepared(package.path(), &verdicts, "max_speed");
    let kept = std::fs::read_dir(&verdicts).map_or(0, Iterator::count);
    assert_eq!(kept, if reduces() { 2 } else { 0 });
}

use std::path::Path;
use std::time::Duration;

use rtrun_core::model::Profile;
use rtrun_core::package::FamilyKind;
use rtrun_core::{Engine, EngineOptions, Error, LONGEST_BATCH_WINDOW, ModelOptions};

use crate::support::options;

fn refusal(options: EngineOptions) -> String {
    match Engine::open(options).map(|_| ()) {
        Err(Error::InvalidOptions(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_there_yet_is_refused_by_name() {
    let mut options = options(&[("a", Path::new("/a"))]);
    options.models[0] = ModelOptions {
        family: Some("sparse".to_owned()),
        device: Some("rocm".to_owned()),
        profile: Some("fastest".to_owned()),
        engine: Some("native".to_owned()),
        ..options.models[0].clone()
    };
    let expected = [
        "models[0].device \"rocm\" is not supported yet; use auto, cpu, cuda or cuda:<number>",
        "models[0].family \"sparse\" is not supported yet; use embeddings or static_embeddings or sequence_classification or rerank or token_classification or grounded_hallucination or marker_decisions or packed_decisions or image_embeddings",
        "models[0].profile \"fastest\" is not supported yet; use exact or batching or shared_context or max_speed",
        "models[0].engine \"native\" is not supported yet; use auto or onnxruntime",
    ];
    assert_eq!(refusal(options), expected.join("; "));
}

#[test]
fn impossible_values_are_all_named_at_once() {
    let options = EngineOptions {
        threads: 0,
        max_queue: 0,
        ..options(&[("a", Path::new("/a")), ("a", Path::new("/b")), ("", Path::new("/c"))])
    };
    let expected = [
        "threads is 0; it must be at least 1",
        "max_queue is 0; it must be at least 1",
        "models[1].name \"a\" is used twice",
        "models[2].name is empty",
    ];
    assert_eq!(refusal(options), expected.join("; "));
    assert_eq!(refusal(EngineOptions::default()), "models is empty; name at least one model");
}

#[test]
fn every_family_and_every_profile_is_known_by_its_own_name() {
    let families = FamilyKind::ALL.map(FamilyKind::as_str);
    assert_eq!(families.map(|name| name.parse::<FamilyKind>().map(FamilyKind::as_str)), families.map(Ok));
    let profiles = Profile::ALL.map(Profile::as_str);
    assert_eq!(profiles.map(|name| name.parse::<Profile>().map(Profile::as_str)), profiles.map(Ok));
    let mut options = options(&[("a", Path::new("/nowhere"))]);
    for name in ["", "Exact", "exact ", "embeddings"] {
        options.models[0].profile = Some(name.to_owned());
        assert!(refusal(options.clone()).contains(&format!("models[0].profile {name:?} is not supported yet")));
    }
}

#[test]
fn a_batch_window_has_an_upper_limit() {
    let with = |batch_window| EngineOptions { batch_window, ..options(&[("a", Path::new("/a"))]) };
    let long = Duration::from_millis(1001);
    assert_eq!(refusal(with(long)), "batch_window is 1001 ms; it must be at most 1000 ms");
    assert!(Engine::open(with(LONGEST_BATCH_WINDOW)).is_ok());
}

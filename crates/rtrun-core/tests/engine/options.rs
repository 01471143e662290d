use std::path::Path;
use std::time::Duration;

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
        &format!("models[0].family \"sparse\" is not supported yet; use {}", rtrun_core::FAMILIES.join(" or ")),
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
fn a_batch_window_has_an_upper_limit() {
    let with = |batch_window| EngineOptions { batch_window, ..options(&[("a", Path::new("/a"))]) };
    let long = Duration::from_millis(1001);
    assert_eq!(refusal(with(long)), "batch_window is 1001 ms; it must be at most 1000 ms");
    assert!(Engine::open(with(LONGEST_BATCH_WINDOW)).is_ok());
}

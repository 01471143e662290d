use std::path::Path;
use std::time::Duration;

use rtrun_core::model::ModelStatus;
use rtrun_core::{Engine, EngineOptions, EngineStatus, Error};

use crate::support::{answer, block_on, copy, embed_task, fixture, load_failure, options};

#[test]
fn a_folder_that_comes_late_is_found_by_a_later_try() {
    let folder = copy("static");
    let late = folder.path().with_extension("late");
    let engine = Engine::open(EngineOptions {
        load_attempts: 100,
        load_retry: Duration::from_millis(10),
        ..options(&[("late", &late)])
    })
    .unwrap();
    while engine.states()[0].reason.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(engine.status(), EngineStatus::Loading);
    let error = answer(&engine, embed_task(&["hello"])).unwrap_err();
    assert!(matches!(error, Error::NotReady(_)) && error.to_string().contains("cannot be read"), "{error}");
    std::fs::rename(folder.path(), &late).unwrap();
    assert_eq!(block_on(engine.ready())[0].status, ModelStatus::Ready);
    assert!(answer(&engine, embed_task(&["hello"])).is_ok());
    std::fs::rename(&late, folder.path()).unwrap();
}

#[test]
fn tries_end_after_their_number() {
    let options = EngineOptions {
        load_attempts: 3,
        load_retry: Duration::from_millis(1),
        ..options(&[("none", Path::new("/nowhere/at/all"))])
    };
    assert!(load_failure(options).contains("/nowhere/at/all cannot be read"));
}

#[test]
fn a_model_that_fails_does_not_stop_the_others() {
    let engine = Engine::open(options(&[("bad", Path::new("/nowhere")), ("good", &fixture("static"))])).unwrap();
    let states = block_on(engine.ready());
    assert_eq!([states[0].status, states[1].status], [ModelStatus::Failed, ModelStatus::Ready]);
    assert_eq!(engine.status(), EngineStatus::Degraded);
}

#[test]
fn weights_over_the_memory_budget_are_refused() {
    let with = |model: Option<u64>, all: Option<u64>| {
        let mut options = options(&[("small", &fixture("embeddings"))]);
        options.models[0].memory_budget_bytes = model;
        options.memory_budget_bytes = all;
        options
    };
    assert!(load_failure(with(Some(100_000), None)).contains("memory of the model to 1 MiB; the budget is 1 MiB"));
    assert!(load_failure(with(None, Some(100_000))).contains("memory of all models"));
    let engine = Engine::open(with(Some(1_000_000), Some(1_000_000))).unwrap();
    assert_eq!(block_on(engine.ready())[0].status, ModelStatus::Ready);
}

#[test]
fn an_engine_that_is_closed_while_it_waits_for_a_try_lets_go() {
    let engine = Engine::open(EngineOptions {
        load_attempts: 5,
        load_retry: Duration::from_hours(1),
        ..options(&[("none", Path::new("/nowhere"))])
    })
    .unwrap();
    engine.close(Duration::ZERO);
    assert_eq!(block_on(engine.ready())[0].status, ModelStatus::Failed);
}

//! Panics on purpose: nobody is left waiting, and a model whose thread has panicked is loaded again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rtrun_core::model::ModelStatus;
use rtrun_core::{Engine, EngineOptions, EngineStatus, Error, FaultPlace, Faults};

use crate::support::{answer, counter, embed_task, fixture, open_ready, options};

/// Faults that panic at a place for as often as the count says.
fn faults_at(place: FaultPlace) -> (Faults, Arc<AtomicUsize>) {
    let left = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&left);
    let faults = Faults::new(move |at| {
        let is_due = |left: usize| left.checked_sub(1);
        let order = Ordering::SeqCst;
        assert!(at != place || count.fetch_update(order, order, is_due).is_err(), "as asked");
    });
    (faults, left)
}

fn open(faults: Faults) -> Arc<Engine> {
    open_ready(EngineOptions { faults, ..options(&[("embeddings", &fixture("embeddings"))]) })
}

/// Waits for a state of the only model.
fn wait_for(engine: &Engine, status: ModelStatus) {
    let is_there = || engine.states()[0].status == status;
    let mut polls = 0;
    while !is_there() {
        polls += 1;
        assert!(polls < 6000, "the model never is {}: {:?}", status.as_str(), engine.states());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_model_whose_thread_panics_is_loaded_again_and_given_up_if_it_goes_on() {
    let (faults, panics) = faults_at(FaultPlace::Owner);
    let engine = open(faults);
    panics.store(1, Ordering::SeqCst);
    assert!(matches!(answer(&engine, embed_task(&["hello"])), Err(Error::Internal(_))));
    while counter(&engine.exposition(), "rtrun_model_restarts_total{model=\"embeddings\"}") == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    wait_for(&engine, ModelStatus::Ready);
    assert!(answer(&engine, embed_task(&["hello"])).is_ok());
    assert_eq!(engine.states()[0].reason, None);
    // One attempt more is all that the options leave.
    panics.store(1, Ordering::SeqCst);
    assert!(matches!(answer(&engine, embed_task(&["hello again"])), Err(Error::Internal(_))));
    wait_for(&engine, ModelStatus::Failed);
    assert_eq!(engine.status(), EngineStatus::Failed);
    let reason = engine.states()[0].reason.clone().unwrap();
    assert!(reason.contains("a panic ended one of its threads 2 times in a row"), "{reason}");
    let refused = answer(&engine, embed_task(&["hello"])).unwrap_err();
    assert!(matches!(&refused, Error::NotReady(message) if message.contains("a panic")), "{refused}");
    // It is counted a moment after the state has changed.
    let restarts = || counter(&engine.exposition(), "rtrun_model_restarts_total{model=\"embeddings\"}");
    for _ in 0..6000 {
        if restarts() == 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(restarts(), 2);
    let metrics = engine.exposition();
    assert_eq!(counter(&metrics, "rtrun_ready{model=\"embeddings\"}"), 0);
}

#[test]
fn a_model_that_was_closed_is_not_loaded_again() {
    let (faults, _) = faults_at(FaultPlace::Owner);
    let engine = open(faults);
    engine.close(Duration::ZERO);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(engine.states()[0].reason.as_deref(), Some("the engine was closed"));
}

#[test]
fn the_memory_of_a_model_that_panics_counts_once() {
    let (faults, panics) = faults_at(FaultPlace::Owner);
    let folder = fixture("embeddings");
    let memory = "rtrun_model_memory_bytes{model=\"embeddings\"}";
    let whole = counter(&open_ready(options(&[("embeddings", &folder)])).exposition(), memory);
    let budget = Some(whole + whole / 2);
    let engine = open_ready(EngineOptions {
        faults,
        memory_budget_bytes: budget,
        load_attempts: 10,
        load_retry: Duration::from_millis(1),
        ..options(&[("embeddings", &folder)])
    });
    for time in 1..=3 {
        panics.store(1, Ordering::SeqCst);
        assert!(answer(&engine, embed_task(&[&format!("hello {time}")])).is_err());
        while counter(&engine.exposition(), "rtrun_model_restarts_total{model=\"embeddings\"}") < time {
            std::thread::sleep(Duration::from_millis(1));
        }
        wait_for(&engine, ModelStatus::Ready);
    }
}

#[test]
fn a_panic_while_a_large_request_is_read_fails_it_and_frees_its_place() {
    let (faults, panics) = faults_at(FaultPlace::Reading);
    let engine = open(faults);
    panics.store(1, Ordering::SeqCst);
    let text = "hello world ".repeat(4000);
    assert!(matches!(answer(&engine, embed_task(&[&text])), Err(Error::Internal(_))));
    assert_eq!(engine.model(None).unwrap().worker.depth(), 0);
    assert!(answer(&engine, embed_task(&[&text])).is_ok());
}

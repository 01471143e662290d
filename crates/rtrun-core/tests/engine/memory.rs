//! The memory of several models together, to the byte.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use rtrun_core::model::{ModelState, ModelStatus};
use rtrun_core::{Engine, EngineOptions};
use tempfile::TempDir;

use crate::support::skip::reduces;
use crate::support::{block_on, copy, counter, fixture, open_ready, options};

/// Small, so that it is compared soon.
const PACKAGE: &str = "encoders/electra";

/// Options under which a model serves `max_speed` and then, once its folder is there, a second one serves `exact`.
fn both(folder: &TempDir, verdicts: &TempDir, budget: u64) -> EngineOptions {
    let mut options = options(&[("fast", &fixture(PACKAGE)), ("exact", &folder.path().join("late"))]);
    options.models[0].profile = Some("max_speed".to_owned());
    EngineOptions {
        memory_budget_bytes: Some(budget),
        verdicts: Some(verdicts.path().to_owned()),
        load_attempts: 1000,
        load_retry: Duration::from_millis(20),
        ..options
    }
}

/// Serves both under a budget; the state of the second.
fn second(verdicts: &TempDir, budget: u64) -> ModelState {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(both(&folder, verdicts, budget)).unwrap();
    while engine.states()[0].status != ModelStatus::Ready {
        std::thread::sleep(Duration::from_millis(5));
    }
    let late = copy(PACKAGE);
    fs::rename(late.path(), folder.path().join("late")).unwrap();
    let state = block_on(engine.ready()).remove(1);
    drop(late.keep());
    state
}

fn memory(engine: &Arc<Engine>) -> u64 {
    counter(&engine.exposition(), "rtrun_model_memory_bytes{model=\"model\"}")
}

#[test]
fn a_reduced_model_takes_what_its_weights_take_and_leaves_the_rest_to_others() {
    let verdicts = tempfile::tempdir().unwrap();
    let mut alone = EngineOptions {
        verdicts: Some(verdicts.path().to_owned()),
        memory_budget_bytes: Some(1 << 30),
        ..options(&[("model", &fixture(PACKAGE))])
    };
    let exact = memory(&open_ready(alone.clone()));
    alone.models[0].profile = Some("max_speed".to_owned());
    let reduced = memory(&open_ready(alone));
    let is_reduced = reduces();
    assert!(0 < reduced && (reduced < exact) == is_reduced, "{reduced} of {exact} bytes");
    let refused = second(&verdicts, reduced + exact - 1);
    assert_eq!(refused.status, ModelStatus::Failed, "one byte short: {refused:?}");
    assert!(refused.reason.unwrap().contains("bring the memory of all models"));
    let served = second(&verdicts, reduced + exact);
    assert_eq!(served.status, ModelStatus::Ready, "{served:?}");
}

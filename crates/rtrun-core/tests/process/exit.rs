//! A process may leave at any moment, whatever its models do.

use std::time::Duration;

use rtrun_core::Engine;

use super::children;
use crate::support::{embed_task, engine, fixture, options};

/// A child that leaves at another moment in every round says nothing.
fn assert_silent(child: &str, rounds: usize) {
    for round in 0..rounds {
        let home = tempfile::tempdir().unwrap();
        let output = children::run(&format!("process::exit::{child}"), home.path());
        assert!(output.status.success(), "round {round}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "round {round}");
    }
}

#[test]
fn leaving_while_a_forward_runs_is_silent() {
    assert_silent("child_that_leaves", 20);
}

#[test]
#[ignore = "a child of the test above"]
fn child_that_leaves() {
    // The library complains when its statics are gone; those words must reach the parent.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    let engine = engine(&["embeddings"]);
    let busy = std::sync::Arc::clone(&engine);
    std::thread::spawn(move || {
        let texts: Vec<String> = (0..2000).map(|at| format!("{at} {}", "hello world fox ".repeat(15))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(busy.bundle(vec![embed_task(&texts)], rtrun_core::BundleOptions::default()));
    });
    while engine.model(None).unwrap().worker.depth() == 0 {
        std::thread::sleep(Duration::from_micros(100));
    }
    let somewhere = u64::from(std::process::id() % 7);
    std::thread::sleep(Duration::from_millis(5 + somewhere));
    assert_eq!(engine.model(None).unwrap().worker.depth(), 1, "the forward still runs");
    std::process::exit(0);
}

#[test]
fn leaving_while_models_load_is_silent() {
    assert_silent("child_that_leaves_early", 30);
}

#[test]
#[ignore = "a child of the test above"]
fn child_that_leaves_early() {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    let folders =
        ["embeddings", "encoders/modernbert", "encoders/deberta", "heads-int8"].map(|name| (name, fixture(name)));
    let _engine = Engine::open(options(&folders.each_ref().map(|(name, folder)| (*name, folder.as_path())))).unwrap();
    std::thread::sleep(Duration::from_millis(3 * u64::from(std::process::id() % 40)));
    rtrun_core::leave();
    std::process::exit(0);
}

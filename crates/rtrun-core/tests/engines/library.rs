use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime};
use rtrun_core::model::ModelStatus;
use rtrun_core::{Engine, EngineOptions, devices};

use crate::process::children;
use crate::support::session::{graph, package, session_options};
use crate::support::{block_on, embed, fixture, open_ready, options, runtime_library};

pub fn assert_child_succeeds(name: &str) {
    let home = tempfile::tempdir().unwrap();
    let output = children::run(&format!("engines::{name}"), home.path());
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_wrong_library_path_is_a_clear_error_that_can_be_put_right() {
    assert_child_succeeds("library::child_with_a_wrong_library");
}

#[test]
#[ignore = "a child of the test above: a process loads the library once"]
fn child_with_a_wrong_library() {
    let message = |path: &str| Runtime::load(Path::new(path)).unwrap_err();
    assert!(message("").to_string().contains("no path is given"));
    assert!(message("libonnxruntime.so").to_string().contains("the path must be absolute"));
    assert!(message("/nowhere/lib.so").to_string().contains("/nowhere/lib.so: there is no such file"));
    let not_a_library = message(fixture("static").join("config.json").to_str().unwrap());
    assert!(not_a_library.to_string().contains("libonnxruntime of version 1.24 or newer"), "{not_a_library}");
    assert!(not_a_library.is_retryable_load());

    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("lib.so");
    let engine = Engine::open(EngineOptions {
        runtime_library: library.clone(),
        load_attempts: 1000,
        load_retry: Duration::from_millis(1),
        ..options(&[("embeddings", &fixture("embeddings"))])
    })
    .unwrap();
    while engine.states()[0].reason.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(engine.states()[0].reason.as_ref().unwrap().contains("there is no such file"));
    std::os::unix::fs::symlink(runtime_library(), &library).unwrap();
    assert_eq!(block_on(engine.ready())[0].status, ModelStatus::Ready);
}

#[test]
fn the_first_sessions_of_a_process_may_be_made_at_once() {
    for _ in 0..5 {
        assert_child_succeeds("library::child_with_many_first_sessions");
    }
}

#[test]
#[ignore = "a child of the test above: a process has first sessions once"]
fn child_with_many_first_sessions() {
    let package = package(&fixture("embeddings"));
    let graph = graph(&package, None);
    let runtime = Runtime::load(&runtime_library()).unwrap();
    let options = session_options(&package);
    let together = Barrier::new(48);
    std::thread::scope(|scope| {
        for _ in 0..48 {
            scope.spawn(|| {
                together.wait();
                OnnxEncoder::new(&runtime, &graph, options).unwrap();
            });
        }
    });
}

#[test]
fn static_models_run_without_the_library() {
    assert_child_succeeds("library::child_without_the_library");
}

#[test]
#[ignore = "a child of the test above: another test may have loaded the library"]
fn child_without_the_library() {
    let options = EngineOptions { runtime_library: PathBuf::new(), ..options(&[("static", &fixture("static"))]) };
    let engine = open_ready(options);
    assert_eq!(embed(&engine, &["hello"])[0].len(), 32);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(!maps.contains("onnxruntime"));
    let devices = devices(Path::new("/nowhere/lib.so"));
    assert!(devices[0].available && devices[0].reason.as_ref().unwrap().contains("only static models run"));
}

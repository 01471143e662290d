//! The inference library reports nothing: no file in the home folder and no socket while it works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rtrun_core::engines::onnxruntime::Runtime;

use super::children;
use crate::support::{embed, engine, runtime_library};

#[test]
fn a_process_that_infers_writes_no_files_and_opens_no_sockets() {
    let home = tempfile::tempdir().unwrap();
    let output = children::run("process::telemetry::child_that_infers", home.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(children::files(home.path()), Vec::<String>::new());
}

#[test]
#[ignore = "a child of the test above"]
fn child_that_infers() {
    let is_done = Arc::new(AtomicBool::new(false));
    let seen_done = Arc::clone(&is_done);
    let watch = std::thread::spawn(move || {
        let mut sockets = Vec::new();
        while !seen_done.load(Ordering::SeqCst) {
            sockets.extend(open_sockets());
            std::thread::sleep(Duration::from_micros(200));
        }
        sockets
    });
    let engine = engine(&["embeddings"]);
    for text in ["one", "two", "three"] {
        embed(&engine, &[text]);
    }
    // The library's own reporting would begin within moments of its start.
    std::thread::sleep(Duration::from_millis(500));
    is_done.store(true, Ordering::SeqCst);
    assert_eq!(watch.join().unwrap(), Vec::<String>::new());
}

#[test]
fn a_process_whose_library_would_report_does_not_load_it() {
    let home = tempfile::tempdir().unwrap();
    let mut command = children::command("process::telemetry::child_without_the_variable", home.path());
    let output = command.env_remove("ORT_DISABLE_TELEMETRY").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "a child of the test above"]
fn child_without_the_variable() {
    let error = Runtime::load(&runtime_library()).unwrap_err().to_string();
    assert!(error.contains("start the process with ORT_DISABLE_TELEMETRY=1"), "{error}");
}

/// Sockets other than pairs of the runtime: those that the kernel lists under a network protocol.
fn open_sockets() -> Vec<String> {
    let tables: String = ["tcp", "tcp6", "udp", "udp6", "raw"]
        .iter()
        .filter_map(|name| std::fs::read_to_string(format!("/proc/self/net/{name}")).ok())
        .collect();
    let Ok(descriptors) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let links = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links
        .filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned))
        .filter(|inode| tables.contains(inode.as_str()))
        .collect()
}

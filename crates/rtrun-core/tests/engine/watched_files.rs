//! Packages that change while their model serves.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rtrun_core::model::ModelStatus;
use rtrun_core::{EngineStatus, Error};

use crate::support::{answer, copy_without_manifest, embed, embed_task, open_ready, options};

/// Writes other bytes over the end of a file, which keeps its length.
fn overwrite(path: &Path) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::End(-64)).unwrap();
    file.write_all(&[0x55; 64]).unwrap();
}

#[test]
fn a_file_that_is_overwritten_in_place_takes_its_model_out_of_service() {
    for (name, file) in
        [("static", "model.safetensors"), ("embeddings", "model.safetensors"), ("heads-int8", "heads.safetensors")]
    {
        let (damaged, other) = (copy_without_manifest(name), copy_without_manifest("static"));
        let engine = open_ready(options(&[("damaged", damaged.path()), ("other", other.path())]));
        overwrite(&damaged.path().join(file));
        let start = Instant::now();
        while engine.states()[0].status == ModelStatus::Ready {
            assert!(start.elapsed() < Duration::from_secs(10), "{name}: nobody looks at {file}");
            std::thread::sleep(Duration::from_millis(20));
        }
        let state = &engine.states()[0];
        assert_eq!((state.status, engine.status()), (ModelStatus::Failed, EngineStatus::Degraded), "{name}");
        let reason = state.reason.clone().unwrap();
        assert!(reason.contains(&format!("{file} was written to in place")), "{reason}");
        let task = |model: &str| rtrun_core::Task { model: Some(model.to_owned()), ..embed_task(&["hello"]) };
        let error = answer(&engine, task("damaged")).unwrap_err();
        assert!(matches!(&error, Error::NotReady(message) if message.contains("in place")), "{error}");
        assert!(answer(&engine, task("other")).is_ok());
        assert!(engine.exposition().contains("rtrun_ready{model=\"damaged\"} 0"));
    }
}

#[test]
fn a_file_that_is_replaced_by_renaming_harms_nothing() {
    let package = copy_without_manifest("static");
    let engine = open_ready(options(&[("static", package.path())]));
    let before = embed(&engine, &["hello world"]);
    let (path, new) = (package.path().join("model.safetensors"), package.path().join("new"));
    fs::copy(&path, &new).unwrap();
    overwrite(&new);
    fs::rename(&new, &path).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(engine.states()[0].status, ModelStatus::Ready);
    assert_eq!(embed(&engine, &["hello world"]), before);
}

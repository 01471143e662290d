//! Files of a package that are cut while their model serves.

use std::fs::File;

use rtrun_core::Error;

use super::children;
use crate::support::{answer, copy_without_manifest, embed_task, open_ready, options};

#[test]
fn a_process_survives_that_the_files_of_its_models_are_cut() {
    let home = tempfile::tempdir().unwrap();
    let output = children::run("process::overwritten::child_whose_files_are_cut", home.path());
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "a child of the test above"]
fn child_whose_files_are_cut() {
    for name in ["static", "embeddings"] {
        let package = copy_without_manifest(name);
        let engine = open_ready(options(&[("model", package.path())]));
        for file in children::files(package.path()) {
            // A folder cannot be opened for writing.
            let _ = File::create(file);
        }
        assert_eq!(package.path().join("model.safetensors").metadata().unwrap().len(), 0);
        for text in ["hello", "the world", "and a fox"] {
            let answer = answer(&engine, embed_task(&[text]));
            // Whoever looks at the files may have seen it already.
            assert!(matches!(answer, Ok(_) | Err(Error::NotReady(_))), "{name}: {answer:?}");
        }
    }
}

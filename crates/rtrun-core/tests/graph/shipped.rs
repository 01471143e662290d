//! Graphs that a repository ships are run as they are, once what they take and answer is known to fit.

use std::fs;
use std::path::Path;

use rtrun_core::graph::{Integers, Per, shipped_graph};
use rtrun_core::package::{Architecture, Package};
use serde_json::json;

use crate::support::{classify, copy, embed, fixture, load_failure, open_ready, options};

/// The shipped graph's description, for so many labels of a classifier.
fn describe(folder: &Path, labels: Option<usize>) -> Result<rtrun_core::graph::Graph, rtrun_core::Error> {
    let package = Package::open("shipped", folder, None).unwrap();
    let Architecture::ShippedOnnx(shipped) = &package.architecture else { panic!("{:?}", package.architecture) };
    shipped_graph(&package.files, shipped, labels)
}

/// Why a copy of a package with other bytes in its graph is refused. Both words are equally long.
fn refusal(name: &str, file: &str, word: &str, other: &str) -> String {
    let folder = copy(name);
    let file = folder.path().join(file);
    let bytes = fs::read(&file).unwrap();
    let mut changed = bytes.clone();
    for at in (0..bytes.len()).filter(|at| bytes[*at..].starts_with(word.as_bytes())) {
        changed[at..at + word.len()].copy_from_slice(other.as_bytes());
    }
    assert!(changed != bytes && word.len() == other.len());
    fs::write(&file, changed).unwrap();
    load_failure(options(&[("shipped", folder.path())]))
}

#[test]
fn shipped_vectors_and_a_shipped_classifier_match_their_recorded_answers() {
    for name in ["shipped/vectors", "shipped/logits"] {
        let engine = open_ready(options(&[("model", &fixture(name))]));
        let card = &serde_json::to_value(engine.describe()).unwrap()[0];
        assert_eq!((&card["golden"]["status"], &card["golden"]["checked"]), (&"matched".into(), &7.into()), "{name}");
        match name {
            "shipped/vectors" => assert_eq!(embed(&engine, &["hello"])[0].len(), 32),
            _ => assert_eq!(classify(&engine, "classifier", &["hello", "a longer text"])[1].len(), 3),
        }
    }
}

#[test]
fn inputs_and_output_are_what_the_graph_has() {
    let vectors = describe(&fixture("shipped/vectors"), None).unwrap();
    assert_eq!((vectors.inputs.takes_mask, vectors.inputs.takes_segments), (true, true));
    assert_eq!(vectors.inputs.integers, Integers::I64);
    assert_eq!(
        (vectors.output.name.as_str(), vectors.output.per, vectors.output.width),
        ("last_hidden_state", Per::Token, 32)
    );
    let sizes = ["onnx/model.onnx", "onnx/model.onnx.data"].map(|file| fixture("shipped/vectors").join(file));
    let bytes: u64 = sizes.iter().map(|file| file.metadata().unwrap().len()).sum();
    assert_eq!(vectors.memory_bytes, bytes);
    let logits = describe(&fixture("shipped/logits"), Some(3)).unwrap();
    assert_eq!((logits.output.name.as_str(), logits.output.per, logits.output.width), ("logits", Per::Row, 3));
}

#[test]
fn a_graph_that_does_not_fit_is_refused() {
    let unknown = refusal("shipped/vectors", "onnx/model.onnx", "token_type_ids", "token_kind_ids");
    assert!(unknown.contains("onnx/model.onnx: input \"token_kind_ids\" is not supported yet"), "{unknown}");
    let wide = describe(&fixture("shipped/logits"), Some(4)).unwrap_err().to_string();
    assert!(wide.contains("output \"logits\" is 3 wide; config.json says 4"), "{wide}");
    let broken = copy("shipped/vectors");
    fs::write(broken.path().join("onnx/model.onnx"), "no graph").unwrap();
    let broken = load_failure(options(&[("shipped", broken.path())]));
    assert!(broken.contains("onnx/model.onnx: is not an ONNX model"), "{broken}");
    let rows = copy("shipped/logits");
    let config = rows.path().join("config.json");
    let text = fs::read_to_string(&config).unwrap().replace("BertForSequenceClassification", "BertModel");
    fs::write(&config, text).unwrap();
    fs::remove_file(rows.path().join("golden.json")).unwrap();
    let rows = load_failure(options(&[("shipped", rows.path())]));
    assert!(rows.contains("model.onnx: has no output with a vector of 32-bit floats for each token"), "{rows}");
}

#[test]
fn weights_beside_a_graph_must_be_files_of_the_package() {
    let gone = copy("shipped/vectors");
    fs::remove_file(gone.path().join("onnx/model.onnx.data")).unwrap();
    let reason = load_failure(options(&[("shipped", gone.path())]));
    assert!(reason.contains("onnx/model.onnx.data: is missing"), "{reason}");
    let outside = refusal("shipped/vectors", "onnx/model.onnx", "model.onnx.data", "../../etc/issue");
    assert!(outside.contains("the name must be a relative path inside the package"), "{outside}");
    let unlisted = copy("shipped/vectors");
    let manifest = json!({ "schema": 1, "files": listed(unlisted.path()) });
    fs::write(unlisted.path().join("manifest.json"), manifest.to_string()).unwrap();
    let reason = load_failure(options(&[("shipped", unlisted.path())]));
    assert!(reason.contains("onnx/model.onnx.data: is used but not listed in manifest.json"), "{reason}");
}

/// The manifest's entries for every file of the package but its weights.
fn listed(folder: &Path) -> serde_json::Value {
    use sha2::{Digest, Sha256};
    let names = ["config.json", "tokenizer.json", "golden.json", "onnx/model.onnx"];
    let entry = |name: &str| {
        let content = fs::read(folder.join(name)).unwrap();
        let sha256 = format!("{:x}", Sha256::digest(&content));
        (name.to_owned(), json!({ "bytes": content.len(), "sha256": sha256 }))
    };
    names.map(entry).into_iter().collect::<serde_json::Map<_, _>>().into()
}

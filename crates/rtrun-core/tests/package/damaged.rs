//! Damage that any package can have, on a package of every encoder: refused, with one clear reason.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rtrun_core::Error;
use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::weights::{poke, rewrite};
use crate::support::{
    answer, copy, copy_without_manifest, embed, embed_task, fixture, load_failure, open_ready, options,
};

/// Every fixture below one of these folders, with the file that has its weights.
fn packages(groups: &[&str]) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for group in groups {
        for entry in fs::read_dir(fixture(group)).unwrap() {
            let name = format!("{group}/{}", entry.unwrap().file_name().to_string_lossy());
            let files = ["model.safetensors", "model.onnx", "onnx/model.onnx"];
            let weights = files.into_iter().find(|file| fixture(&name).join(file).is_file()).unwrap();
            found.push((name, weights));
        }
    }
    assert!(found.len() >= groups.len(), "{found:?}");
    found
}

fn every_package() -> Vec<(String, &'static str)> {
    packages(&["encoders", "classifiers", "tokens", "shipped"])
}

/// Damages the weights of a copy of each package and returns why it was refused.
fn refusals(
    packages: Vec<(String, &'static str)>,
    damage: impl Fn(&TempDir, &Path),
) -> impl Iterator<Item = (String, String)> {
    packages.into_iter().map(move |(name, weights)| {
        let folder = copy(&name);
        damage(&folder, &folder.path().join(weights));
        (load_failure(options(&[("damaged", folder.path())])), name)
    })
}

/// Records every file of a package in a manifest.
fn write_manifest(folder: &Path) {
    let mut files = BTreeMap::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(place) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&place)).unwrap() {
            let path = place.join(entry.unwrap().file_name());
            if folder.join(&path).is_dir() {
                waiting.push(path);
                continue;
            }
            let bytes = fs::read(folder.join(&path)).unwrap();
            let sha256 = format!("{:x}", Sha256::digest(&bytes));
            files.insert(path.to_str().unwrap().to_owned(), json!({ "bytes": bytes.len(), "sha256": sha256 }));
        }
    }
    fs::write(folder.join("manifest.json"), json!({ "schema": 1, "files": files }).to_string()).unwrap();
}

#[test]
fn a_changed_bit_in_pinned_weights() {
    let tampered = |folder: &TempDir, weights: &Path| {
        write_manifest(folder.path());
        let mut bytes = fs::read(weights).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(weights, bytes).unwrap();
    };
    for (reason, name) in refusals(every_package(), tampered) {
        assert!(reason.contains("has SHA-256") && reason.contains("manifest.json records"), "{name}: {reason}");
    }
    // The manifest alone is no reason.
    let whole = copy("encoders/roberta");
    write_manifest(whole.path());
    open_ready(options(&[("whole", whole.path())]));
}

#[test]
fn weights_that_end_early() {
    let cut = |to: fn(u64) -> u64| {
        move |_: &TempDir, weights: &Path| {
            let length = weights.metadata().unwrap().len();
            fs::File::options().write(true).open(weights).unwrap().set_len(to(length)).unwrap();
        }
    };
    let safetensors = || packages(&["encoders", "classifiers", "tokens"]);
    // The header is whole and describes more than there is.
    for (reason, name) in refusals(safetensors(), cut(|length| length - 1)) {
        let says = reason.contains("is not a whole safetensors file") || reason.contains("its header describes");
        assert!(says, "{name}: {reason}");
    }
    for (reason, name) in refusals(safetensors(), cut(|_| 100)).chain(refusals(safetensors(), cut(|_| 0))) {
        assert!(reason.contains("model.safetensors: is not a whole safetensors file"), "{name}: {reason}");
    }
    for (reason, name) in refusals(packages(&["shipped"]), cut(|length| length / 2)) {
        assert!(reason.contains("model.onnx"), "{name}: {reason}");
    }
}

#[test]
fn weights_that_are_a_link_out_of_the_package() {
    let outside = tempfile::tempdir().unwrap();
    let link = |_: &TempDir, weights: &Path| {
        let target = outside.path().join("weights");
        fs::rename(weights, &target).unwrap();
        symlink(target, weights).unwrap();
    };
    for (reason, name) in refusals(every_package(), link) {
        assert!(reason.contains("is a link that leads out of the package folder"), "{name}: {reason}");
    }
}

#[test]
fn a_tensor_of_another_shape() {
    let reshape = |_: &TempDir, weights: &Path| {
        rewrite(weights, |tensors| {
            let is_table =
                |name: &str| name.ends_with("word_embeddings.weight") || name.ends_with("tok_embeddings.weight");
            let table = tensors.iter_mut().find(|(name, _)| is_table(name)).unwrap().1;
            table.shape.reverse();
        });
    };
    for (reason, name) in refusals(packages(&["encoders", "classifiers", "tokens"]), reshape) {
        assert!(reason.contains("embeddings.weight\" has shape") && reason.contains("is expected"), "{name}: {reason}");
    }
}

#[test]
fn a_scale_that_is_not_finite_is_named() {
    for (file, tensor) in
        [("model", "embeddings.word_embeddings.weight_scale"), ("decisions", "decisions.turns.weight_scale")]
    {
        let folder = copy_without_manifest("decisions/marker-plain");
        fs::remove_file(folder.path().join("golden.json")).unwrap();
        poke(&folder.path().join(format!("{file}.safetensors")), tensor, 0, f32::NAN);
        let reason = load_failure(options(&[("model", folder.path())]));
        let says = format!("tensor \"{tensor}\" has a number that is not finite: the file is damaged");
        assert!(reason.contains(&says), "{reason}");
    }
}

#[test]
fn a_row_with_a_number_that_is_not_finite_fails_alone() {
    let folder = copy_without_manifest("embeddings");
    fs::remove_file(folder.path().join("golden.json")).unwrap();
    // One number of one token's vector.
    let tokenizer = fs::read(folder.path().join("tokenizer.json")).unwrap();
    let tokenizer: serde_json::Value = serde_json::from_slice(&tokenizer).unwrap();
    let token = usize::try_from(tokenizer["model"]["vocab"]["dog"].as_u64().unwrap()).unwrap();
    poke(&folder.path().join("model.safetensors"), "embeddings.word_embeddings.weight", token * 64, f32::NAN);
    let engine = open_ready(options(&[("model", folder.path())]));
    let Ok(rtrun_core::TaskAnswer::Embeddings(found)) = answer(&engine, embed_task(&["the fox", "the dog", "dog"]))
    else {
        panic!("the task itself is served")
    };
    let codes: Vec<_> = found.items.iter().map(|item| item.as_ref().err().map(Error::code)).collect();
    assert_eq!(codes, [None, Some("invalid_model_output"), Some("invalid_model_output")]);
}

#[test]
fn a_package_that_is_replaced_while_it_serves_goes_on_serving() {
    let folder = copy_without_manifest("embeddings");
    let engine = open_ready(options(&[("model", folder.path())]));
    let before = embed(&engine, &["the first text"]);
    let other = folder.path().join("other");
    fs::write(&other, "not weights at all").unwrap();
    fs::rename(other, folder.path().join("model.safetensors")).unwrap();
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let later = embed(&engine, &["another text", "the first text"]);
    assert_eq!(later[1], before[0]);
    assert!(later[0].iter().all(|value| value.is_finite()));
    let reference = embed(&open_ready(options(&[("model", &fixture("embeddings"))])), &["another text"]);
    assert_eq!(later[0], reference[0]);
}

#[test]
fn weights_over_the_budget_are_refused_before_anything_reads_them() {
    let mut options = options(&[("model", &fixture("encoders/roberta"))]);
    options.models[0].memory_budget_bytes = Some(1000);
    // Without a library there is no session that could read weights.
    options.runtime_library = PathBuf::from("/nowhere/libonnxruntime.so");
    let reason = load_failure(options);
    assert!(reason.contains("its weights bring the memory of the model to 1 MiB"), "{reason}");
}

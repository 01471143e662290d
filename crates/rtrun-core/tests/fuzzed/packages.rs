//! Any bytes as a file of a package: the model loads and answers with numbers, or is given up with a reason.

use std::fs;
use std::path::PathBuf;

use rtrun_core::{ClassifyInput, Engine, EngineOptions, Error, TaskAnswer, TaskKind};
use tempfile::TempDir;

use crate::support::{answer, block_on, copy_without_manifest, embed_task, fixture, options, task};

/// Fixture packages, one for each way that files lead to a model.
pub const PACKAGES: [&str; 5] =
    ["embeddings", "heads-int8", "classifiers/modernbert", "classifiers/deberta", "decisions/packed"];

/// The length of the header of a weights file is a 64-bit number before it.
const LENGTH_BYTES: usize = 8;

/// One file of a package with other content.
pub struct Case<'i> {
    pub package: &'i str,
    pub file: &'i str,
    /// The content of the file; of weights the header with its length, which the weights themselves follow.
    pub content: &'i [u8],
}

/// What became of a model.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Refused,
    Served,
}

/// An input as a case: its first line names a package and a file, the rest is content. None if there is no such file.
pub fn read(input: &[u8]) -> Option<Case<'_>> {
    let (first, content) = input.split_at(input.iter().position(|&byte| byte == b'\n')?);
    let (package, file) = std::str::from_utf8(first).ok()?.split_once(' ')?;
    let package = PACKAGES.into_iter().find(|known| *known == package)?;
    files(package).iter().any(|known| known == file).then_some(Case { package, file, content: &content[1..] })
}

/// The files of a fixture package that a case may replace.
pub fn files(package: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![fixture(package)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(fixture(package)).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    // A package without a manifest shows damage where it lies, and recorded answers of tests are no part of it.
    found.retain(|file| !["manifest.json", "expected.json"].contains(&file.as_str()));
    found.sort();
    found
}

/// What a case replaces, as the fixture has it.
pub fn original(package: &str, file: &str) -> Vec<u8> {
    let mut bytes = fs::read(fixture(package).join(file)).unwrap();
    if file.ends_with(".safetensors") {
        bytes.truncate(header_end(&bytes));
    }
    bytes
}

/// Loads the package of a case and asks its model. Panics if the model answers with anything but numbers, or if the
/// reason for which it was given up is none for a reader.
pub fn hold(case: &Case) -> Outcome {
    let copy = damaged(case);
    let path: PathBuf = copy.path().into();
    let engine = Engine::open(EngineOptions { threads: 1, ..options(&[("damaged", &path)]) }).unwrap();
    let reason = block_on(engine.ready()).remove(0).reason;
    if let Some(reason) = reason {
        // Nobody can mend what the message does not name, and a package must not choose the length of a log line.
        assert!(reason.len() > 20 && reason.len() < 4096, "{reason}");
        return Outcome::Refused;
    }
    let kind = TaskKind::Classify {
        head: None,
        input: vec![ClassifyInput::Text("hello world".to_owned())],
        threshold: None,
        with_tokens: false,
    };
    for asked in [embed_task(&["hello world"]), task(kind)] {
        match answer(&engine, asked) {
            Ok(TaskAnswer::Embeddings(answer)) => {
                let vectors = answer.items.iter().filter_map(|item| item.as_ref().ok());
                assert!(vectors.flat_map(|(_, vector)| vector.iter()).all(|value| value.is_finite()));
            }
            Ok(TaskAnswer::Classify(answer)) => {
                let items = answer.items.iter().filter_map(|item| item.as_ref().ok());
                assert!(items.flat_map(|(_, item)| &item.probabilities).all(|value| (0.0..=1.0).contains(value)));
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert!(!matches!(error, Error::Internal(_)), "{error}"),
        }
    }
    Outcome::Served
}

fn damaged(case: &Case) -> TempDir {
    let copy = copy_without_manifest(case.package);
    let file = copy.path().join(case.file);
    let mut content = case.content.to_vec();
    if case.file.ends_with(".safetensors") {
        let whole = fs::read(&file).unwrap();
        content.extend_from_slice(&whole[header_end(&whole)..]);
    }
    fs::write(file, content).unwrap();
    copy
}

fn header_end(bytes: &[u8]) -> usize {
    let length = u64::from_le_bytes(bytes[..LENGTH_BYTES].try_into().unwrap());
    LENGTH_BYTES + usize::try_from(length).unwrap()
}

//! A bounded run over package files: those of the fixtures, changed at random.

use std::collections::BTreeMap;

use serde_json::Value;

use super::packages::{Outcome, PACKAGES, files, hold, original, read};
use crate::support::mutation::Mutator;
use crate::support::random::Random;

const ROUNDS: usize = 400;

/// Words that the files of packages have.
const KEYS: [&str; 12] = [
    "hidden_size",
    "num_attention_heads",
    "vocab_size",
    "max_position_embeddings",
    "model_type",
    "dtype",
    "shape",
    "data_offsets",
    "labels",
    "kind",
    "type",
    "vocab",
];
const TEXTS: [&str; 8] = ["bert", "F32", "I8", "gelu", "", "../../etc/passwd", "[UNK]", "\u{0}\u{10ffff}"];

#[test]
fn whatever_a_file_of_a_package_holds_its_model_answers_or_is_refused() {
    let mut mutator = Mutator { random: Random(1), keys: &KEYS, texts: &TEXTS };
    let all: Vec<(&str, String, Vec<u8>)> = PACKAGES
        .into_iter()
        .flat_map(|package| files(package).into_iter().map(move |file| (package, file)))
        .map(|(package, file)| (package, file.clone(), original(package, &file)))
        .collect();
    let mut outcomes = BTreeMap::<Outcome, usize>::new();
    for (package, file, content) in &all {
        assert_eq!(outcome(package, file, content), Outcome::Served, "{package} {file} as it is");
    }
    for _ in 0..ROUNDS {
        let (package, file, content) = &all[mutator.random.below(all.len())];
        let content = changed(file, content, &mut mutator);
        *outcomes.entry(outcome(package, file, &content)).or_default() += 1;
    }
    assert!(outcomes.values().all(|&count| count > ROUNDS / 20) && outcomes.len() == 2, "{outcomes:?}");
}

fn outcome(package: &str, file: &str, content: &[u8]) -> Outcome {
    let input = [format!("{package} {file}\n").as_bytes(), content].concat();
    hold(&read(&input).unwrap())
}

/// A file with one change: in the structure of its JSON, or in its bytes.
fn changed(file: &str, content: &[u8], mutator: &mut Mutator) -> Vec<u8> {
    let json_start = if file.ends_with(".safetensors") { 8 } else { 0 };
    let mut bytes = content.to_vec();
    match serde_json::from_slice::<Value>(&content[json_start..]) {
        Ok(mut value) if mutator.random.below(3) > 0 => {
            if mutator.random.below(2) == 0 {
                mutator.change(&mut value);
            } else {
                mutator.nudge(&mut value);
            }
            let json = value.to_string().into_bytes();
            // The length agrees with the header, so that what the header says is read.
            let length = (json.len() as u64).to_le_bytes();
            [&length[..json_start], &json].concat()
        }
        _ => {
            mutator.change_bytes(&mut bytes);
            bytes
        }
    }
}

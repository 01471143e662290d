//! A package with a head of every kind, and questions to it.

use std::fs;
use std::sync::Arc;

use rtrun_core::families::ReadInput;
use rtrun_core::tokens::Overflow;
use rtrun_core::{Classified, ClassifyInput, Engine, Error, ReadingOptions, Task, TaskAnswer, TaskKind, Window};
use safetensors::tensor::Dtype;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::weights::{Stored, rewrite};
use crate::support::{answer, copy_without_manifest, open_ready, options, task};
use crate::tokens::Random;

const WIDTH: usize = 64;

/// The heads that the package gets besides its own "domain" and "topics".
fn heads() -> Vec<Value> {
    let head = |name: &str, kind: &str, labels: Value, more: Value| {
        let mut head = json!({ "name": name, "kind": kind, "labels": labels, "file": "heads.safetensors",
            "weight": format!("{name}.weight") });
        head.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        head
    };
    let entities = json!(["O", "B-PLACE", "I-PLACE", "B-NAME", "I-NAME"]);
    vec![
        head("entities", "token", entities, json!({ "threshold": 0.25, "thresholds": { "NAME": 0.3 } })),
        head(
            "checked",
            "token",
            json!(["supported", "invented"]),
            json!({ "background": "supported", "grounded_prompt": "so {context} : {question}" }),
        ),
        head("alarm", "sequence", json!(["calm", "alarm"]), json!({ "background": "calm" })),
    ]
}

/// Writes the package. Hold on to the folder while an engine serves it.
pub fn package() -> TempDir {
    let folder = copy_without_manifest("heads-int8");
    fs::remove_file(folder.path().join("golden.json")).unwrap();
    let path = folder.path().join("rtrun.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let added = heads();
    settings["heads"].as_array_mut().unwrap().extend(added.clone());
    fs::write(path, settings.to_string()).unwrap();
    rewrite(&folder.path().join("heads.safetensors"), |tensors| {
        let mut random = Random(12);
        for head in &added {
            let labels = head["labels"].as_array().unwrap();
            // The first tags of a kind are rare, so that there are spans of several words.
            let scale = |label: &Value| if label.as_str().unwrap().starts_with("B-") { 0.05 } else { 0.3 };
            let numbers = labels.iter().flat_map(|label| std::iter::repeat_n(scale(label), WIDTH));
            let numbers = numbers.map(|scale: f32| (random.below(2001) as f32 / 1000.0 - 1.0) * scale);
            let bytes = numbers.flat_map(f32::to_le_bytes).collect();
            let stored = Stored { dtype: Dtype::F32, shape: vec![labels.len(), WIDTH], bytes };
            tensors.insert(head["weight"].as_str().unwrap().to_owned(), stored);
        }
    });
    folder
}

/// Lets a head of the package read the mean of the tokens.
pub fn let_read_the_mean(folder: &TempDir, name: &str) {
    let path = folder.path().join("rtrun.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let heads = settings["heads"].as_array_mut().unwrap();
    heads.iter_mut().find(|head| head["name"] == name).unwrap()["reads"] = json!("mean");
    fs::write(path, settings.to_string()).unwrap();
}

/// An engine over the package that keeps no results.
pub fn serve(folder: &TempDir) -> Arc<Engine> {
    let options = options(&[("heads", folder.path())]);
    open_ready(rtrun_core::EngineOptions { result_cache_entries: 0, ..options })
}

/// How an input is read.
pub fn windows(tokens: usize, overlap: usize) -> ReadingOptions {
    let window = Some(Window { tokens, overlap });
    ReadingOptions { overflow: Some(Overflow::Window), max_tokens: Some(100_000), window }
}

/// What a head says about one input, with its tokens if it labels them.
pub fn classify(
    engine: &Arc<Engine>,
    head: &str,
    input: ClassifyInput,
    reading: ReadingOptions,
) -> Result<(ReadInput, Arc<Classified>), Error> {
    let with_tokens = matches!(head, "entities" | "checked");
    let kind = TaskKind::Classify { head: Some(head.to_owned()), input: vec![input], threshold: None, with_tokens };
    match answer(engine, Task { reading, ..task(kind) })? {
        TaskAnswer::Classify(mut answer) => answer.items.remove(0),
        other => panic!("{other:?}"),
    }
}

/// Words that are one token each.
/// None ends a sentence behind which a window would begin.
const WORDS: [&str; 19] = [
    "hello", "world", "quick", "brown", "fox", "jump", "over", "lazy", "dog", "text", "token", "emoji", "so", "end",
    "very", "the", ".", "中", "x",
];

/// A number of words of one token each.
pub fn words(random: &mut Random, number: usize) -> Vec<&'static str> {
    (0..number).map(|_| WORDS[random.below(WORDS.len())]).collect()
}

/// The first and one more than the last code point of some of the words of a text.
pub fn characters(words: &[&str], range: std::ops::Range<usize>) -> (usize, usize) {
    let length = |words: &[&str]| words.join(" ").chars().count();
    let start = length(&words[..range.start]) + usize::from(range.start > 0);
    (start, start + length(&words[range]))
}

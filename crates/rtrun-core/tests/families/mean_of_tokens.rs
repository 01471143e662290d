//! Heads that read the mean of the tokens whatever the package pools by.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{classify, copy_without_manifest, fixture, load_failure, open_ready, options};

const TEXTS: [&str; 3] = ["hello world", "a", "the quick brown fox"];

/// The package with changed settings, which pools by the first token as it stands.
fn changed(change: impl Fn(&mut Value)) -> tempfile::TempDir {
    let folder = copy_without_manifest("heads-int8");
    fs::remove_file(folder.path().join("golden.json")).unwrap();
    let path = folder.path().join("rtrun.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut settings);
    fs::write(path, settings.to_string()).unwrap();
    folder
}

fn answers(folder: &Path) -> [Vec<Vec<f32>>; 2] {
    let engine = open_ready(options(&[("model", folder)]));
    ["domain", "topics"].map(|head| classify(&engine, head, &TEXTS))
}

#[test]
fn a_head_reads_the_mean_beside_one_that_reads_the_sentence() {
    let mean = changed(|settings| settings["pooling"] = json!("mean"));
    let both = changed(|settings| settings["heads"][0]["reads"] = json!("mean"));
    let ([domain, topics], [of_mean, _]) = (answers(both.path()), answers(mean.path()));
    let [of_first, topics_of_first] = answers(&fixture("heads-int8"));
    assert_eq!(domain, of_mean);
    assert_ne!(domain, of_first);
    assert_eq!(topics, topics_of_first);
}

#[test]
fn recorded_answers_of_such_a_head_are_checked() {
    let folder = copy_without_manifest("heads-int8");
    let edit = |file: &str, change: &dyn Fn(&mut Value)| {
        let path = folder.path().join(file);
        let mut content: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut content);
        fs::write(path, content.to_string()).unwrap();
    };
    edit("rtrun.json", &|settings| settings["heads"][0]["reads"] = json!("mean"));
    let reason = load_failure(options(&[("model", folder.path())]));
    assert!(reason.contains("self-check failed"), "the record was made by the first token: {reason}");

    let mean = changed(|settings| settings["pooling"] = json!("mean"));
    let [right, _] = answers(mean.path());
    edit("golden.json", &|golden| {
        let probes = TEXTS.iter().zip(&right);
        golden["classify"] =
            probes.map(|(text, row)| json!({ "head": "domain", "text": text, "probabilities": row })).collect();
    });
    assert_eq!(answers(folder.path())[0], right);
}

#[test]
fn a_token_head_reads_every_token() {
    let folder = changed(|settings| {
        settings["heads"][0]["kind"] = json!("token");
        settings["heads"][0]["reads"] = json!("mean");
    });
    let reason = load_failure(options(&[("model", folder.path())]));
    assert!(reason.contains("a token head reads every token"), "{reason}");
}

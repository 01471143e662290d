use std::fs;

use rtrun_core::package::{Architecture, FamilyKind, HeadKind, Package, Pooling};
use serde_json::json;

use crate::support::{copy, copy_without_manifest, fixture};

fn open(name: &str) -> Package {
    Package::open(name, &fixture(name), None).unwrap()
}

#[test]
fn a_sentence_transformers_folder_needs_no_rtrun_file() {
    let package = open("embeddings");
    assert_eq!(package.family, FamilyKind::Embeddings);
    assert_eq!((package.max_tokens, package.pooling, package.normalize), (48, Pooling::Mean, true));
    assert_eq!(package.digests().unwrap().model.len(), 64);
    assert!(package.files.manifest_sha256().is_some());
}

#[test]
fn a_classification_folder_says_its_labels_and_kind() {
    let (softmax, multi_label) = (open("softmax"), open("multi-label"));
    let labels = ["billing", "support", "sales"].map(str::to_owned).to_vec();
    assert_eq!(softmax.family, FamilyKind::SequenceClassification);
    assert_eq!(softmax.classifier, Some((labels.clone(), HeadKind::Sequence)));
    assert_eq!(multi_label.classifier, Some((labels, HeadKind::Scores)));
    assert_eq!(softmax.max_tokens, 64);
}

#[test]
fn a_model2vec_folder_is_static() {
    let package = open("static");
    assert_eq!(package.family, FamilyKind::StaticEmbeddings);
    assert_eq!((package.max_tokens, package.normalize), (1000, true));
}

#[test]
fn rtrun_json_wins_over_the_hub_files() {
    let package = open("heads-int8");
    assert_eq!((package.max_tokens, package.pooling, package.normalize), (64, Pooling::Cls, false));
    assert_eq!(package.heads.len(), 2);
    assert_eq!(package.licence.as_deref(), Some("Apache-2.0"));
    let folder = copy_without_manifest("embeddings");
    fs::write(folder.path().join("rtrun.json"), r#"{"schema":1,"max_tokens":32,"pooling":"last","normalize":false}"#)
        .unwrap();
    let package = Package::open("x", folder.path(), None).unwrap();
    assert_eq!((package.max_tokens, package.pooling, package.normalize), (32, Pooling::Last, false));
}

#[test]
fn a_classification_encoder_can_serve_embeddings() {
    let package = Package::open("softmax", &fixture("softmax"), Some(FamilyKind::Embeddings)).unwrap();
    assert_eq!((package.family, package.pooling), (FamilyKind::Embeddings, Pooling::Mean));
}

#[test]
fn a_static_table_cannot_serve_as_a_transformer() {
    let error = Package::open("static", &fixture("static"), Some(FamilyKind::Embeddings)).unwrap_err();
    assert!(error.to_string().contains("the family must be \"static_embeddings\""), "{error}");
}

#[test]
fn a_static_table_has_no_tokens_for_a_head_to_read() {
    let folder = copy("static");
    let head = json!({ "name": "names", "kind": "token", "labels": ["O", "B-NAME"], "file": "heads.safetensors", "weight": "w" });
    fs::write(folder.path().join("rtrun.json"), json!({ "schema": 1, "heads": [head] }).to_string()).unwrap();
    let error = Package::open("static", folder.path(), None).unwrap_err();
    assert!(error.to_string().contains("reads token vectors, which a static model has none of"), "{error}");
}

#[test]
fn every_encoder_tells_its_longest_input() {
    let longest = [("roberta", 64), ("xlm-roberta", 64), ("distilbert", 64), ("mpnet", 256), ("modernbert", 128)];
    for (name, tokens) in longest {
        let package = open(&format!("encoders/{name}"));
        assert_eq!((package.family, package.max_tokens), (FamilyKind::Embeddings, tokens), "{name}");
    }
    assert_eq!(open("encoders/xlm-roberta").pooling, Pooling::Cls);
}

#[test]
fn classes_tell_what_they_answer() {
    let classifier = |name: &str| {
        let package = open(name);
        let (labels, kind) = package.classifier.unwrap();
        (package.family, labels.len(), kind)
    };
    assert_eq!(classifier("classifiers/roberta"), (FamilyKind::SequenceClassification, 3, HeadKind::Sequence));
    assert_eq!(classifier("classifiers/rerank"), (FamilyKind::Rerank, 1, HeadKind::Scores));
    assert_eq!(classifier("tokens/modernbert"), (FamilyKind::TokenClassification, 5, HeadKind::Token));
    assert_eq!(open("classifiers/modernbert").pooling, Pooling::Mean);
}

#[test]
fn a_length_in_the_settings_of_the_tokenizer_counts_where_it_is_one() {
    let folder = copy_without_manifest("encoders/distilbert");
    let tokens = |length: &str| {
        let settings = format!(r#"{{"model_max_length":{length}}}"#);
        fs::write(folder.path().join("tokenizer_config.json"), settings).unwrap();
        Package::open("x", folder.path(), None).unwrap().max_tokens
    };
    assert_eq!([tokens("40"), tokens("512"), tokens("1000000000000000019884624838656")], [40, 64, 64]);
    fs::write(folder.path().join("sentence_distilbert_config.json"), r#"{"max_seq_length":48}"#).unwrap();
    assert_eq!(tokens("40"), 48);
}

#[test]
fn a_shipped_graph_stands_in_for_a_encoder_that_no_graph_here_computes() {
    let folder = copy_without_manifest("shipped/vectors");
    let weights = fixture("embeddings").join("model.safetensors");
    fs::copy(weights, folder.path().join("model.safetensors")).unwrap();
    let open = || Package::open("x", folder.path(), None).unwrap().architecture;
    assert!(matches!(open(), Architecture::Transformer(_)));
    let config = folder.path().join("config.json");
    let text = fs::read_to_string(&config)
        .unwrap()
        .replace("\"bert\"", "\"nomic_bert\"")
        .replace("BertModel", "NomicBertModel");
    fs::write(&config, text).unwrap();
    assert!(matches!(open(), Architecture::ShippedOnnx(_)));
}

use std::fs;

use rtrun_core::package::{FamilyKind, HeadKind, Package, Pooling};

use crate::support::{copy_without_manifest, fixture};

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
fn a_classification_trunk_can_serve_embeddings() {
    let package = Package::open("softmax", &fixture("softmax"), Some("embeddings")).unwrap();
    assert_eq!((package.family, package.pooling), (FamilyKind::Embeddings, Pooling::Mean));
}

#[test]
fn a_static_table_cannot_serve_as_a_transformer() {
    let error = Package::open("static", &fixture("static"), Some("embeddings")).unwrap_err();
    assert!(error.to_string().contains("the family must be \"static_embeddings\""), "{error}");
}

//! Classifiers from their author's tensors answer as Transformers does.

use rtrun_core::families::{Classifier, Reads, Step, Transform};
use rtrun_core::package::{Activation, FamilyKind, HeadKind};
use serde::Deserialize;

use crate::support::session::{difference, graph, package, token_vectors};
use crate::support::{classify, fixture, open_ready, options};

#[derive(Deserialize)]
struct Expected {
    tolerance: f32,
    texts: Vec<ExpectedText>,
}

#[derive(Deserialize)]
struct ExpectedText {
    ids: Vec<i32>,
    logits: Vec<Vec<f32>>,
}

#[test]
fn an_engine_serves_every_classifier_that_matches_its_recorded_probabilities() {
    for (name, labels) in [
        ("roberta", 3),
        ("distilbert", 3),
        ("electra", 3),
        ("mpnet", 3),
        ("modernbert", 3),
        ("deberta", 3),
        ("rerank", 1),
    ] {
        let engine = open_ready(options(&[("model", &fixture(&format!("classifiers/{name}")))]));
        let card = &serde_json::to_value(engine.describe()).unwrap()[0];
        assert_eq!((&card["golden"]["status"], &card["golden"]["checked"]), (&"matched".into(), &7.into()), "{name}");
        assert_eq!(classify(&engine, "classifier", &["hello"])[0].len(), labels, "{name}");
    }
}

#[test]
fn a_classifier_says_what_it_reads_and_what_it_answers() {
    let open = |name: &str| {
        let package = package(&fixture(name));
        let classifier = Classifier::open(&package).unwrap();
        (package.family, classifier.reads, classifier.kind, classifier.labels.len())
    };
    let sequence = FamilyKind::SequenceClassification;
    assert_eq!(open("classifiers/roberta"), (sequence, Reads::FirstToken, HeadKind::Sequence, 3));
    assert_eq!(open("classifiers/distilbert"), (sequence, Reads::FirstToken, HeadKind::Scores, 3));
    assert_eq!(open("classifiers/modernbert"), (sequence, Reads::Mean, HeadKind::Sequence, 3));
    assert_eq!(open("classifiers/rerank"), (FamilyKind::Rerank, Reads::FirstToken, HeadKind::Scores, 1));
    assert_eq!(open("tokens/bert"), (FamilyKind::TokenClassification, Reads::EveryToken, HeadKind::Token, 5));
    assert_eq!(open("shipped/logits"), (sequence, Reads::Row, HeadKind::Sequence, 3));
}

#[test]
fn every_token_gets_its_recorded_logits() {
    for name in ["tokens/bert", "tokens/modernbert"] {
        let folder = fixture(name);
        let expected = std::fs::read(folder.join("expected-tokens.json")).unwrap();
        let expected: Expected = serde_json::from_slice(&expected).unwrap();
        let package = package(&folder);
        let classifier = Classifier::open(&package).unwrap();
        let rows: Vec<&[i32]> = expected.texts.iter().map(|text| text.ids.as_slice()).collect();
        let vectors = token_vectors(&graph(&package, None), &rows, 0);
        for (text, vectors) in expected.texts.iter().zip(&vectors) {
            assert_eq!(vectors.len(), text.logits.len());
            for (vector, logits) in vectors.iter().zip(&text.logits) {
                let off = difference(&classifier.network.apply(vector), logits);
                assert!(off <= expected.tolerance, "{name}: off by {off}");
            }
        }
    }
}

#[test]
fn activations_have_their_published_values() {
    // torch 2.15 at 1.5 and -0.7.
    for (activation, expected) in [
        (Activation::Gelu, [1.399_789_1, -0.169_374_55]),
        (Activation::GeluTanh, [1.399_571_5, -0.169_429_85]),
        (Activation::QuickGelu, [1.391_662_2, -0.163_106_04]),
        (Activation::Relu, [1.5, 0.0]),
        (Activation::Silu, [1.226_361_6, -0.232_268_56]),
        (Activation::Tanh, [0.905_148_27, -0.604_367_8]),
    ] {
        let found = Transform::new(vec![Step::Activation(activation)]).apply(&[1.5, -0.7]);
        assert!(difference(&found, &expected) < 1e-6, "{activation:?}: {found:?}");
    }
}

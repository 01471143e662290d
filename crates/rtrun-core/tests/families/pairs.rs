//! Pairs of texts get their recorded answers: the second text is the second segment of its row.

use rtrun_core::{ClassifyInput, TaskAnswer, TaskKind};
use serde::Deserialize;

use crate::support::session::difference;
use crate::support::{answer, fixture, open_ready, options, task};

#[derive(Deserialize)]
struct Expected {
    tolerance: f32,
    package: String,
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    first: String,
    second: String,
    probabilities: Vec<f32>,
}

fn expected(name: &str) -> Expected {
    let file = fixture(&format!("pairs/{name}/expected.json"));
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn a_pair_is_classified_as_transformers_does() {
    for name in ["bert", "electra", "deberta"] {
        let Expected { tolerance, package, pairs } = expected(name);
        let engine = open_ready(options(&[("model", &fixture(&package))]));
        // In one request, so that short rows are padded beside long ones.
        let input = pairs.iter().map(|pair| ClassifyInput::Pair(pair.first.clone(), pair.second.clone())).collect();
        let kind = TaskKind::Classify { head: None, input, threshold: None, with_tokens: false };
        let Ok(TaskAnswer::Classify(answer)) = answer(&engine, task(kind)) else { panic!("{name} does not classify") };
        for (item, pair) in answer.items.into_iter().zip(&pairs) {
            let off = difference(&item.unwrap().1.probabilities, &pair.probabilities);
            assert!(off <= tolerance, "{name}, {:?} and {:?}: off by {off}", pair.first, pair.second);
        }
    }
}

#[test]
fn a_document_is_ranked_as_transformers_does() {
    let Expected { tolerance, package, pairs } = expected("bert");
    let engine = open_ready(options(&[("model", &fixture(&package))]));
    for Pair { first, second, probabilities } in pairs {
        let kind = TaskKind::Rerank { query: first.clone(), documents: vec![second.clone()] };
        let Ok(TaskAnswer::Rerank(mut answer)) = answer(&engine, task(kind)) else { panic!("it does not rank") };
        let relevance = answer.items.remove(0).unwrap().1;
        let off = difference(&[relevance.score], &probabilities);
        assert!(off <= tolerance, "{first:?} and {second:?}: off by {off}");
    }
}

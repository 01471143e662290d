use crate::support::{block_on, fixture, options};
use rtrun_core::Engine;

const TRUNKS: [&str; 15] = [
    "trunks/roberta",
    "trunks/xlm-roberta",
    "trunks/distilbert",
    "trunks/mpnet",
    "trunks/modernbert",
    "trunks/deberta",
    "classifiers/roberta",
    "classifiers/distilbert",
    "classifiers/mpnet",
    "classifiers/modernbert",
    "classifiers/deberta",
    "classifiers/rerank",
    "shipped/vectors",
    "shipped/logits",
    "embeddings",
];

#[test]
fn every_trunk_matches_its_recorded_vectors() {
    for name in TRUNKS {
        let folder = fixture(name);
        let engine = Engine::open(options(&[("model", &folder)])).unwrap();
        assert_eq!(block_on(engine.ready())[0].reason, None, "{name}");
    }
}

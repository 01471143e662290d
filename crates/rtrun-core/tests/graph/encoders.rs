//! Every encoder answers as Transformers does, token by token, whatever its rows are padded with.

use std::collections::BTreeMap;

use rtrun_core::Device;
use rtrun_core::Error;
use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime, SessionOptions};
use rtrun_core::engines::{Encoder, Row, RowOutput, RowRequest, Wanted};
use rtrun_core::graph::{Depth, encoder_graph};
use rtrun_core::package::{Architecture, EncoderConfig, Package, Pooling};
use rtrun_core::schedule::{Sharing, probe_sharing};
use serde::Deserialize;

use crate::support::session::{difference, graph, package, token_vectors};
use crate::support::{embed, fixture, open_ready, options, runtime_library};

const ENCODERS: [&str; 7] = ["roberta", "xlm-roberta", "distilbert", "electra", "mpnet", "modernbert", "deberta"];

/// `expected-hidden.json`: the vectors of some tokens of one long row.
#[derive(Deserialize)]
struct Expected {
    tolerance: f32,
    ids: Vec<i32>,
    layers: BTreeMap<String, BTreeMap<usize, Vec<f32>>>,
}

fn open(name: &str) -> (Package, Expected) {
    let folder = fixture(&format!("encoders/{name}"));
    let expected = std::fs::read(folder.join("expected-hidden.json")).unwrap();
    (package(&folder), serde_json::from_slice(&expected).unwrap())
}

fn config(package: &Package) -> &EncoderConfig {
    let Architecture::Transformer(config) = &package.architecture else { panic!("{:?}", package.architecture) };
    config
}

#[test]
fn an_engine_serves_every_encoder_that_matches_its_recorded_vectors() {
    for name in ENCODERS {
        // Golden answers are checked at load; without them the model would still load.
        let folder = fixture(&format!("encoders/{name}"));
        let engine = open_ready(options(&[("model", &folder)]));
        let card = &serde_json::to_value(engine.describe()).unwrap()[0];
        assert_eq!((&card["golden"]["status"], &card["golden"]["checked"]), (&"matched".into(), &7.into()), "{name}");
        assert_eq!(embed(&engine, &["hello"])[0].len(), config(&package(&folder)).hidden_size(), "{name}");
    }
}

#[test]
fn token_vectors_match_with_all_layers_and_with_all_but_the_last() {
    for name in ENCODERS {
        let (package, expected) = open(name);
        let all = config(&package).layers();
        for (layers, key) in [(all, "all"), (all - 1, "all but one")] {
            let found = &token_vectors(&graph(&package, Some(layers)), &[&expected.ids], 0)[0];
            for (at, vector) in &expected.layers[key] {
                let off = difference(&found[*at], vector);
                assert!(off <= expected.tolerance, "{name}, {layers} layers, token {at}: off by {off}");
            }
        }
    }
}

#[test]
fn layers_that_a_encoder_does_not_have_are_refused() {
    let (package, _) = open("modernbert");
    for layers in [0, 5] {
        let error = encoder_graph(package.weights().unwrap(), config(&package), Depth::of(layers)).unwrap_err();
        let expected = Error::InvalidOptions(format!("Cannot build {layers} layers: the encoder has 1 to 4"));
        assert_eq!(error, expected);
    }
}

#[test]
fn what_padding_holds_changes_no_bit() {
    for name in ENCODERS {
        let (package, expected) = open(name);
        let graph = graph(&package, None);
        let rows = [&expected.ids[..19], &expected.ids[..], &expected.ids[..2]];
        let (zeros, others) = (token_vectors(&graph, &rows, 0), token_vectors(&graph, &rows, 77));
        assert!(zeros == others, "{name}");
        // Alone, the same row is computed in other blocks, whose sums may differ in their last bits.
        for (row, padded) in rows.iter().zip(&zeros) {
            let alone = &token_vectors(&graph, &[row], 0)[0];
            let off = alone.iter().zip(padded).map(|(one, other)| difference(one, other)).fold(0.0, f32::max);
            assert!(off < 1e-5, "{name}: {off}");
        }
    }
}

fn bits(output: &RowOutput) -> Vec<u32> {
    let parts = [&output.sentence, &output.tokens];
    parts.into_iter().flatten().flat_map(|values| values.iter().map(|value| value.to_bits())).collect()
}

#[test]
fn a_row_in_company_answers_as_alone_bit_for_bit_where_the_probe_says_so() {
    let runtime = Runtime::load(&runtime_library()).unwrap();
    for name in ENCODERS {
        let (package, expected) = open(name);
        let (pooling, device) = (Pooling::Mean, Device::Cpu);
        let options = SessionOptions { threads: 1, pooling, normalize: false, device, prepack: true };
        let mut encoder = OnnxEncoder::new(&runtime, &graph(&package, None), options).unwrap();
        let config = config(&package);
        let sharing = probe_sharing(&mut encoder, config.vocabulary(), config.positions(), 0.0).unwrap();
        let ids: Vec<u32> = expected.ids.iter().map(|id| id.cast_unsigned()).collect();
        // Rows of other lengths than the probe's, padded or not as it allows.
        let company: &[usize] = match sharing {
            Sharing::Padded => &[12, 20, 41, 2],
            Sharing::EqualLengths => &[20, 20, 20],
            other => panic!("{name}: {other:?}"),
        };
        let row =
            |(at, length): (usize, &usize)| RowRequest { row: Row::plain(&ids[at..at + length]), wanted: Wanted::ALL };
        let rows: Vec<RowRequest> = company.iter().enumerate().map(row).collect();
        let together = encoder.encode(&rows).unwrap();
        for (row, together) in rows.iter().zip(&together) {
            let alone = encoder.encode(std::slice::from_ref(row)).unwrap().remove(0);
            assert_eq!(bits(&alone), bits(together), "{name}");
        }
    }
}

#[test]
fn encoders_take_segments_only_where_they_have_them() {
    let takes = |name: &str| graph(&package(&fixture(name)), None).inputs.takes_segments;
    for with in ["embeddings", "classifiers/deberta", "encoders/electra"] {
        assert!(takes(with), "{with}");
    }
    // Those with one row in their table of segments, and those without a table.
    for without in ["roberta", "xlm-roberta", "distilbert", "mpnet", "modernbert", "deberta"] {
        assert!(!takes(&format!("encoders/{without}")), "{without}");
    }
}

//! Heads read an earlier layer in the forward that gives the vector of the last one.

use rtrun_core::Error;
use rtrun_core::engines::onnxruntime::{OnnxEncoder, Runtime};
use rtrun_core::engines::{Encoder, Row, RowOutput, RowRequest, Wanted, mean_of_sums};
use rtrun_core::graph::{Depth, Graph, HeadsDepth, Packing, Reduction, encoder_graph, reduced_encoder_graph};
use rtrun_core::matmul::Precision;
use rtrun_core::package::{Architecture, EncoderConfig, Package};

use crate::support::session::{difference, package, session_options};
use crate::support::skip::computes;
use crate::support::{fixture, runtime_library};

const PACKAGES: [&str; 8] = [
    "embeddings",
    "encoders/roberta",
    "encoders/xlm-roberta",
    "encoders/distilbert",
    "encoders/electra",
    "encoders/mpnet",
    "encoders/modernbert",
    "encoders/deberta",
];

fn config(package: &Package) -> &EncoderConfig {
    let Architecture::Transformer(config) = &package.architecture else { panic!("{:?}", package.architecture) };
    config
}

fn heads(layer: usize) -> HeadsDepth {
    HeadsDepth { layer, own: 0 }
}

fn encoder(package: &Package, graph: &Graph) -> OnnxEncoder {
    OnnxEncoder::new(&Runtime::load(&runtime_library()).unwrap(), graph, session_options(package)).unwrap()
}

/// Rows of several lengths, so that the shorter ones are padded.
fn rows(wanted: Wanted) -> Vec<RowRequest> {
    let row = |length: u32| Row::plain((1..=length).map(|at| at * 7 % 90 + 1).collect::<Vec<_>>());
    [9, 23, 2].map(|length| RowRequest { row: row(length), wanted }).into()
}

fn answers(package: &Package, graph: &Graph) -> Vec<RowOutput> {
    encoder(package, graph).encode(&rows(Wanted::ALL)).unwrap()
}

/// Checks every layer before the last of an encoder whose graphs are built in one way.
fn check(package: &Package, name: &str, build: impl Fn(Depth) -> Graph) {
    let layers = config(package).layers();
    let whole = answers(package, &build(Depth::of(layers)));
    for layer in 1..layers {
        let both = answers(package, &build(Depth { layers, heads: Some(heads(layer)), means: &[] }));
        let cut = answers(package, &build(Depth::of(layer)));
        for ((both, whole), cut) in both.iter().zip(&whole).zip(&cut) {
            assert_eq!(both.sentence, whole.sentence, "{name}, layer {layer}");
            assert_eq!((&both.mean, &both.tokens), (&cut.mean, &cut.tokens), "{name}, layer {layer}");
            assert_ne!(both.tokens, whole.tokens, "{name}, layer {layer}");
        }
    }
}

#[test]
fn tokens_are_those_of_the_encoder_cut_there_and_the_sentence_that_of_the_whole() {
    for name in PACKAGES {
        let package = package(&fixture(name));
        check(&package, name, |depth| encoder_graph(package.weights().unwrap(), config(&package), depth).unwrap());
    }
}

#[test]
fn the_same_holds_in_reduced_precision() {
    for one in Precision::ALL.into_iter().filter(|one| computes(*one)).map(Some) {
        let packing = Packing::new(Reduction { attention: one, ffn_up: one, ffn_down: one, kept: one });
        for name in PACKAGES {
            let package = package(&fixture(name));
            check(&package, name, |depth| {
                reduced_encoder_graph(package.weights().unwrap(), config(&package), depth, &packing).unwrap()
            });
        }
    }
}

#[test]
fn only_what_is_wanted_is_given_and_wanting_less_changes_no_bit() {
    let package = package(&fixture("embeddings"));
    let graph = encoder_graph(
        package.weights().unwrap(),
        config(&package),
        Depth { layers: 2, heads: Some(heads(1)), means: &[] },
    )
    .unwrap();
    let mut encoder = encoder(&package, &graph);
    let all = encoder.encode(&rows(Wanted::ALL)).unwrap();
    for wanted in [Wanted::SENTENCE, Wanted::MEAN, Wanted::TOKENS, Wanted::HALVES] {
        for (part, all) in encoder.encode(&rows(wanted)).unwrap().into_iter().zip(&all) {
            let expected = RowOutput {
                sentence: all.sentence.clone().filter(|_| wanted.sentence),
                mean: all.mean.clone().filter(|_| wanted.mean),
                tokens: all.tokens.clone().filter(|_| wanted.tokens),
                halves: all.halves.clone().filter(|_| wanted.halves),
            };
            assert_eq!(part, expected);
        }
    }
}

#[test]
fn halves_add_up_to_the_mean_in_every_layer_that_it_is_of() {
    let package = package(&fixture("embeddings"));
    for means in [&[][..], &[1, 2]] {
        let depth = Depth { layers: 2, heads: Some(heads(1)), means };
        let graph = encoder_graph(package.weights().unwrap(), config(&package), depth).unwrap();
        let found = encoder(&package, &graph).encode(&rows(Wanted::ALL)).unwrap();
        for (request, output) in rows(Wanted::ALL).iter().zip(&found) {
            let [first, second] = output.halves.as_ref().unwrap();
            let length = request.row.len();
            assert_eq!((first.tokens, second.tokens), (length / 2, length - length / 2));
            assert_eq!((first.layers, first.sums.len()), (means.len() + 1, second.sums.len()));
            let both = mean_of_sums(first, second);
            assert!(difference(&both, output.mean.as_ref().unwrap()) < 1e-6);
            // The last of the layers is the one whose single tokens are given.
            let (tokens, width) = (output.tokens.as_ref().unwrap(), first.sums.len() / first.layers);
            let of_tokens: Vec<f32> = (0..width)
                .map(|column| tokens.chunks_exact(width).take(length / 2).map(|token| token[column]).sum())
                .collect();
            assert!(difference(&of_tokens, &first.sums[first.sums.len() - width..]) < 1e-5);
        }
    }
}

#[test]
fn a_lane_behind_reads_the_same_layers() {
    let package = package(&fixture("embeddings"));
    let graph = encoder_graph(
        package.weights().unwrap(),
        config(&package),
        Depth { layers: 2, heads: Some(heads(1)), means: &[] },
    )
    .unwrap();
    let mut front = encoder(&package, &graph);
    let Some(background) = front.background() else { return };
    let (front, back) =
        (front.encode(&rows(Wanted::ALL)).unwrap(), (background.open)().unwrap().encode(&rows(Wanted::ALL)).unwrap());
    for (front, back) in front.iter().zip(&back) {
        // Other threads may add up in another order.
        let pairs = front.vectors().zip(back.vectors());
        assert!(pairs.map(|(one, other)| difference(one, other)).fold(0.0, f32::max) < 1e-5);
        let (tokens, mean) = (back.tokens.as_ref().unwrap(), back.mean.as_ref().unwrap());
        let rows = tokens.len() / mean.len();
        let of_tokens: Vec<f32> = (0..mean.len())
            .map(|column| tokens.iter().skip(column).step_by(mean.len()).sum::<f32>() / rows as f32)
            .collect();
        assert!(difference(&of_tokens, mean) < 1e-6);
    }
}

#[test]
fn a_layer_that_is_not_before_the_last_one_is_refused() {
    let package = package(&fixture("embeddings"));
    for layer in [0, 2] {
        let depth = Depth { layers: 2, heads: Some(heads(layer)), means: &[] };
        let error = encoder_graph(package.weights().unwrap(), config(&package), depth).unwrap_err();
        let expected = format!("Cannot let heads read layer {layer}: it must be before layer 2, the last one");
        assert_eq!(error, Error::InvalidOptions(expected));
    }
}

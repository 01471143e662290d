//! The graph of a trunk, whichever it is.

use super::builder::{GraphBuilder, Size};
use super::interface::{ATTENTION_MASK, Graph, INPUT_IDS, Per, TOKEN_TYPES};
use super::source::{Packing, Source};
use super::{bert, deberta, distilbert, electra, modernbert, mpnet, roberta};
use crate::error::Error;
use crate::package::{TrunkConfig, Weights};

/// Vectors of the last layer, `[batch, tokens, hidden]`.
pub const HIDDEN: &str = "last_hidden_state";

/// `[batch, tokens]`.
const GRID: [Size; 2] = [Size::Free("batch"), Size::Free("tokens")];

/// Builds the graph of a trunk over its author's weights. With `layers`, only so many of the first layers are built; what
/// the trunk does behind its last layer is done behind the last one built.
pub fn trunk_graph(weights: &Weights, config: &TrunkConfig, layers: Option<usize>) -> Result<Graph, Error> {
    graph(Source { weights, packing: None }, config, layers)
}

/// The same with products in reduced precision. Their weights are packed here, so the graph takes memory of its own.
pub fn reduced_trunk_graph(
    weights: &Weights,
    config: &TrunkConfig,
    layers: Option<usize>,
    packing: &Packing,
) -> Result<Graph, Error> {
    graph(Source { weights, packing: Some(packing) }, config, layers)
}

fn graph(source: Source, config: &TrunkConfig, layers: Option<usize>) -> Result<Graph, Error> {
    let all = config.layers();
    let layers = layers.unwrap_or(all);
    if layers == 0 || layers > all {
        return Err(Error::InvalidOptions(format!("Cannot build {layers} layers: the trunk has 1 to {all}")));
    }
    match config {
        TrunkConfig::Bert(config) => bert::graph(source, config, layers),
        TrunkConfig::Roberta(config) => roberta::graph(source, config, layers),
        TrunkConfig::DistilBert(config) => distilbert::graph(source, config, layers),
        TrunkConfig::Electra(config) => electra::graph(source, config, layers),
        TrunkConfig::Mpnet(config) => mpnet::graph(source, config, layers),
        TrunkConfig::ModernBert(config) => modernbert::graph(source, config, layers),
        TrunkConfig::Deberta(config) => deberta::graph(source, config, layers),
    }
}

/// Declares the inputs of a trunk.
pub(super) fn declare_inputs(builder: &mut GraphBuilder, takes_segments: bool) {
    builder.input(INPUT_IDS, &GRID);
    builder.input(ATTENTION_MASK, &GRID);
    if takes_segments {
        builder.input(TOKEN_TYPES, &GRID);
    }
}

/// Declares the output of a trunk and ends the graph.
pub(super) fn finish(mut builder: GraphBuilder, hidden_size: usize) -> Graph {
    builder.output(HIDDEN, &[GRID[0], GRID[1], Size::Fixed(hidden_size)]);
    builder.finish(HIDDEN, Per::Token, hidden_size)
}

/// The name of a layer's output: the last one is the graph's.
pub(super) fn output_name(layer: usize, layers: usize) -> String {
    if layer + 1 == layers { HIDDEN.to_owned() } else { format!("layer_{layer}") }
}

//! The graph of an encoder, whichever it is.

use super::builder::{GraphBuilder, Size};
use super::interface::{ATTENTION_MASK, Graph, INPUT_IDS, Per, TOKEN_TYPES};
use super::source::{Packing, Source};
use super::{bert, deberta, distilbert, electra, modernbert, mpnet, roberta};
use crate::error::Error;
use crate::package::{EncoderConfig, Weights};

/// Vectors of the last layer, `[batch, tokens, hidden]`.
pub const HIDDEN: &str = "last_hidden_state";
/// Vectors of the layer that heads read, `[batch, tokens, hidden]`.
pub const HEADS_HIDDEN: &str = "heads_hidden_state";

/// `[batch, tokens]`.
const GRID: [Size; 2] = [Size::Free("batch"), Size::Free("tokens")];

/// How much of an encoder a graph has, and which of its layers it answers with. Layers are counted from 1. What the encoder
/// does behind its last layer is done behind every layer that is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth<'l> {
    /// How many of the first layers are built; the last of these is the output.
    pub layers: usize,
    /// What heads read in a second output. `None` where they read the last layer.
    pub heads: Option<HeadsDepth>,
    /// Further layers whose means heads over whole texts read, counted from 1.
    pub means: &'l [usize],
}

/// Where heads branch off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadsDepth {
    /// The layer of the encoder that they read, or that their own layers go on from.
    pub layer: usize,
    /// How many layers they have for themselves.
    pub own: usize,
}

/// Builds the graph of an encoder over its author's weights.
pub fn encoder_graph(weights: &Weights, config: &EncoderConfig, depth: Depth) -> Result<Graph, Error> {
    graph(Source { weights, packing: None }, config, depth)
}

/// The same with matmuls in reduced precision. Their weights are packed here, so the graph takes memory of its own.
pub fn reduced_encoder_graph(
    weights: &Weights,
    config: &EncoderConfig,
    depth: Depth,
    packing: &Packing,
) -> Result<Graph, Error> {
    graph(Source { weights, packing: Some(packing) }, config, depth)
}

fn graph(source: Source, config: &EncoderConfig, depth: Depth) -> Result<Graph, Error> {
    let (all, Depth { layers, heads, .. }) = (config.layers(), depth);
    if layers == 0 || layers > all {
        return Err(Error::InvalidOptions(format!("Cannot build {layers} layers: the encoder has 1 to {all}")));
    }
    if let Some(HeadsDepth { layer, own }) = heads {
        if layer == 0 || layer > layers || (layer == layers && own == 0) {
            let problem =
                format!("Cannot let heads read layer {layer}: it must be before layer {layers}, the last one");
            return Err(Error::InvalidOptions(problem));
        }
        if own > 0 && !config.gives_heads_layers() {
            let problem = "Cannot give heads layers of their own: only BERT and ELECTRA have them".to_owned();
            return Err(Error::InvalidOptions(problem));
        }
    }
    if let Some(layer) = depth.means.iter().find(|layer| **layer == 0 || **layer > layers) {
        let problem = format!("Cannot let heads read the mean of layer {layer}: there are 1 to {layers}");
        return Err(Error::InvalidOptions(problem));
    }
    match config {
        EncoderConfig::Bert(config) => bert::graph(source, config, depth),
        EncoderConfig::Roberta(config) => roberta::graph(source, config, depth),
        EncoderConfig::DistilBert(config) => distilbert::graph(source, config, depth),
        EncoderConfig::Electra(config) => electra::graph(source, config, depth),
        EncoderConfig::Mpnet(config) => mpnet::graph(source, config, depth),
        EncoderConfig::ModernBert(config) => modernbert::graph(source, config, depth),
        EncoderConfig::Deberta(config) => deberta::graph(source, config, depth),
    }
}

/// Declares the inputs of an encoder.
pub(super) fn declare_inputs(builder: &mut GraphBuilder, takes_segments: bool) {
    builder.input(INPUT_IDS, &GRID);
    builder.input(ATTENTION_MASK, &GRID);
    if takes_segments {
        builder.input(TOKEN_TYPES, &GRID);
    }
}

/// Declares the outputs of an encoder and ends the graph.
pub(super) fn finish(mut builder: GraphBuilder, hidden_size: usize, depth: Depth) -> Graph {
    let shape = [GRID[0], GRID[1], Size::Fixed(hidden_size)];
    builder.output(HIDDEN, &shape);
    if depth.heads.is_some() {
        builder.output(HEADS_HIDDEN, &shape);
    }
    let means: Vec<_> = depth.means.iter().map(|layer| depth.output_name(layer - 1)).collect();
    for name in means.iter().filter(|name| ![HIDDEN, HEADS_HIDDEN].contains(&name.as_str())) {
        builder.output(name, &shape);
    }
    let mut graph = builder.finish(HIDDEN, Per::Token, hidden_size);
    graph.output.heads = depth.heads.map(|_| HEADS_HIDDEN.to_owned());
    graph.output.means = means;
    graph
}

impl Depth<'_> {
    /// So many of the first layers, with the last of them as the only output.
    pub fn of(layers: usize) -> Self {
        Self { layers, heads: None, means: &[] }
    }

    /// Whether heads read a layer, here counted from 0, beside the output.
    pub(super) fn is_for_heads(self, layer: usize) -> bool {
        self.heads == Some(HeadsDepth { layer: layer + 1, own: 0 })
    }

    /// How many layers the heads have for themselves behind a layer, here counted from 0.
    pub(super) fn own_of_heads(self, layer: usize) -> usize {
        self.heads.filter(|heads| heads.layer == layer + 1).map_or(0, |heads| heads.own)
    }

    /// The name of what a layer, here counted from 0, gives: that of an output if it is one.
    pub(super) fn output_name(self, layer: usize) -> String {
        match layer + 1 {
            last if last == self.layers => HIDDEN.to_owned(),
            _ if self.is_for_heads(layer) => HEADS_HIDDEN.to_owned(),
            _ => format!("layer_{layer}"),
        }
    }
}

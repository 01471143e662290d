//! `DistilBertModel`.

use super::builder::GraphBuilder;
use super::encoder::{Depth, declare_inputs, finish};
use super::interface::Graph;
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use crate::error::Error;
use crate::package::DistilBertConfig;

/// Builds as many layers as asked for.
pub fn graph(source: Source, config: &DistilBertConfig, depth: Depth) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["distilbert.", ""], "embeddings.word_embeddings.weight")?;
    declare_inputs(&mut builder, false);
    let encoder = PostNorm {
        hidden: config.dim,
        wide: config.hidden_dim,
        heads: config.n_heads,
        epsilon: DistilBertConfig::EPSILON,
        activation: config.activation,
    };
    let word = builder.weight("embeddings.word_embeddings.weight", &[config.vocab_size, config.dim])?;
    let position =
        builder.weight("embeddings.position_embeddings.weight", &[config.max_position_embeddings, config.dim])?;
    let tables = Embedding { segments: "", word: &word, position: &position, segment: "" };
    let mut vectors = encoder.embed(&mut builder, tables)?;
    for layer in 0..depth.layers {
        let output = depth.output_name(layer);
        vectors = encoder.layer(&mut builder, &names(layer), (&vectors, ""), &output)?;
    }
    Ok(finish(builder, config.dim, depth))
}

fn names(layer: usize) -> LayerNames {
    let at = |part: &str| format!("transformer.layer.{layer}.{part}");
    LayerNames {
        query: at("attention.q_lin"),
        key: at("attention.k_lin"),
        value: at("attention.v_lin"),
        attended: at("attention.out_lin"),
        attended_norm: at("sa_layer_norm"),
        wide: at("ffn.lin1"),
        narrow: at("ffn.lin2"),
        norm: at("output_layer_norm"),
    }
}

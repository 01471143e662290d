//! `MPNetModel`.

use super::builder::GraphBuilder;
use super::distances::{Distances, mpnet_bucket};
use super::encoder::{Depth, declare_inputs, finish};
use super::interface::Graph;
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use crate::error::Error;
use crate::package::MpnetConfig;

/// Builds as many layers as asked for.
pub fn graph(source: Source, config: &MpnetConfig, depth: Depth) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["mpnet.", ""], "embeddings.word_embeddings.weight")?;
    declare_inputs(&mut builder, false);
    let hidden = config.hidden_size;
    let encoder = PostNorm {
        hidden,
        wide: config.intermediate_size,
        heads: config.num_attention_heads,
        epsilon: config.layer_norm_eps,
        activation: config.hidden_act,
    };
    let word = builder.weight("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?;
    let positions = config.max_position_embeddings;
    let position = builder.weight_rows(
        "embeddings.position_embeddings.weight",
        &[positions, hidden],
        MpnetConfig::FIRST_POSITION..positions,
    )?;
    let tables = Embedding { segments: "", word: &word, position: &position, segment: "" };
    let mut vectors = encoder.embed(&mut builder, tables)?;
    let scores = distance_scores(&mut builder, config)?;
    for layer in 0..depth.layers {
        let output = depth.output_name(layer);
        vectors = encoder.layer(&mut builder, &names(layer), (&vectors, &scores), &output)?;
    }
    Ok(finish(builder, hidden, depth))
}

/// What every layer adds to its scores, `[1, heads, tokens, tokens]`: one number for each head and distance.
fn distance_scores(builder: &mut GraphBuilder, config: &MpnetConfig) -> Result<String, Error> {
    let (heads, longest) = (config.num_attention_heads, config.max_position_embeddings - MpnetConfig::FIRST_POSITION);
    let biases = builder.read("encoder.relative_attention_bias.weight", &[MpnetConfig::BUCKETS, heads])?;
    let distances = Distances::new(builder, longest);
    let of_head = |head: usize| {
        let biases = &biases;
        distances.all().map(move |distance| biases[mpnet_bucket(distance, MpnetConfig::BUCKETS) * heads + head])
    };
    let table: Vec<f32> = (0..heads).flat_map(of_head).collect();
    let table = builder.floats("distance_biases", &[1, heads, 1, 2 * longest], &table);
    Ok(distances.spread(builder, &table))
}

fn names(layer: usize) -> LayerNames {
    let at = |part: &str| format!("encoder.layer.{layer}.{part}");
    LayerNames {
        query: at("attention.attn.q"),
        key: at("attention.attn.k"),
        value: at("attention.attn.v"),
        attended: at("attention.attn.o"),
        attended_norm: at("attention.LayerNorm"),
        wide: at("intermediate.dense"),
        narrow: at("output.dense"),
        norm: at("output.LayerNorm"),
    }
}

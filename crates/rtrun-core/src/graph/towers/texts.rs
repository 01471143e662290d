//! The tower that reads texts: words and positions, layers, the vector of one token.

use super::VECTOR;
use super::layers::Tower;
use crate::error::Error;
use crate::graph::builder::{GraphBuilder, Size, Value};
use crate::graph::interface::{Graph, INPUT_IDS, Per};
use crate::graph::source::Source;
use crate::package::{TowersConfig, TowersKind, Weights};

const EMBEDDINGS: &str = "text_model.embeddings";

/// Builds the graph over the author's weights.
///
/// CLIP looks at earlier tokens only, so padding on the right is never seen and no mask is needed. SigLIP sees its padding
/// as it did in training: its rows have one length.
pub fn text_graph(weights: &Weights, config: &TowersConfig) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(Source { weights, packing: None }, &[""], "")?;
    builder.input(INPUT_IDS, &[Size::Free("batch"), Size::Free("tokens")]);
    builder.output(VECTOR, &[Size::Free("batch"), Size::Fixed(config.dimension())]);
    let vectors = embed(&mut builder, config)?;
    let is_causal = config.kind == TowersKind::Clip;
    let mut tower = Tower { builder: &mut builder, sizes: &config.text.sizes, is_causal };
    let normed = tower.layers("text_model.encoder.layers", &vectors, "text_model.final_layer_norm")?;
    let shape = [config.dimension(), config.text.sizes.hidden_size];
    match config.kind {
        TowersKind::Clip => {
            let place = end_of_text(&mut builder, config);
            let vector = builder.node("", "GatherND", &[&normed, &place], &[("batch_dims", Value::Int(1))]);
            let weight = builder.weight("text_projection.weight", &shape)?;
            builder.matmul_to(&vector, &weight, VECTOR);
        }
        TowersKind::Siglip => {
            let last = builder.integers(&[-1]);
            let vector = builder.node("", "Gather", &[&normed, &last], &[("axis", Value::Int(1))]);
            let axis = builder.integers(&[1]);
            let vector = builder.node("", "Squeeze", &[&vector, &axis], &[]);
            let weight = builder.weight("text_model.head.weight", &shape)?;
            let vector = builder.matmul(&vector, &weight);
            let bias = builder.weight("text_model.head.bias", &shape[..1])?;
            builder.named_node("", "Add", &[&vector, &bias], &[], &[VECTOR]);
        }
    }
    Ok(builder.finish(VECTOR, Per::Row, config.dimension()))
}

/// Words and positions added up, `[batch, tokens, hidden]`.
fn embed(builder: &mut GraphBuilder, config: &TowersConfig) -> Result<String, Error> {
    let (text, hidden) = (&config.text, config.text.sizes.hidden_size);
    let words = builder.weight(&format!("{EMBEDDINGS}.token_embedding.weight"), &[text.vocab_size, hidden])?;
    let words = builder.node("", "Gather", &[&words, INPUT_IDS], &[("axis", Value::Int(0))]);
    let table = [text.max_position_embeddings, hidden];
    let positions = builder.weight(&format!("{EMBEDDINGS}.position_embedding.weight"), &table)?;
    let tokens = builder.node("", "Shape", &[INPUT_IDS], &[("start", Value::Int(1)), ("end", Value::Int(2))]);
    let first = builder.integers(&[0]);
    let positions = builder.node("", "Slice", &[&positions, &first, &tokens, &first], &[]);
    Ok(builder.node("", "Add", &[&words, &positions], &[]))
}

/// Where the first end-of-text token of every row stands, `[batch, 1]`.
///
/// A row without one, which only the probes at load are, counts at its largest id. That is also what configurations with
/// the id 2 mean, which is wrong in them: the token has the largest id of the vocabulary.
fn end_of_text(builder: &mut GraphBuilder, config: &TowersConfig) -> String {
    let largest = [("axis", Value::Int(1)), ("keepdims", Value::Int(1))];
    let Some(id) = config.text.end_of_text else {
        return builder.node("", "ArgMax", &[INPUT_IDS], &largest);
    };
    let id = builder.small_integer(id);
    let is_end = builder.node("", "Equal", &[INPUT_IDS, &id], &[]);
    let most = builder.small_integer(i32::MAX);
    let ids = builder.node("", "Where", &[&is_end, &most, INPUT_IDS], &[]);
    builder.node("", "ArgMax", &[&ids], &largest)
}

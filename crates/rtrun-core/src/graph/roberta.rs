//! `RobertaModel`, `XLMRobertaModel` and `CamembertModel`.

use super::builder::GraphBuilder;
use super::encoder::{Depth, declare_inputs, finish};
use super::interface::{Graph, TOKEN_TYPES};
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use crate::error::Error;
use crate::package::RobertaConfig;

/// Builds as many layers as asked for. Padding is on the right, so the position of a token is its place in the row plus
/// the first position: the graph takes the table from there on.
pub fn graph(source: Source, config: &RobertaConfig, depth: Depth) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["roberta.", ""], "embeddings.word_embeddings.weight")?;
    let (hidden, types) = (config.hidden_size, config.type_vocab_size);
    declare_inputs(&mut builder, types > 1);
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
        config.first_position()..positions,
    )?;
    let segment = builder.weight("embeddings.token_type_embeddings.weight", &[types, hidden])?;
    let mut vectors = if types > 1 {
        let tables = Embedding { segments: TOKEN_TYPES, word: &word, position: &position, segment: &segment };
        encoder.embed(&mut builder, tables)?
    } else {
        // The one segment belongs to every token, so it is added to the positions once, at load.
        let position = builder.node("", "Add", &[&position, &segment], &[]);
        let tables = Embedding { segments: "", word: &word, position: &position, segment: "" };
        encoder.embed(&mut builder, tables)?
    };
    for layer in 0..depth.layers {
        let output = depth.output_name(layer);
        vectors = encoder.layer(&mut builder, &LayerNames::bert(layer), (&vectors, ""), &output)?;
    }
    Ok(finish(builder, hidden, depth))
}

//! `BertModel`.

use super::builder::GraphBuilder;
use super::interface::{Graph, TOKEN_TYPES};
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use super::trunk::{declare_inputs, finish, output_name};
use crate::error::Error;
use crate::package::BertConfig;

/// Builds the first `layers` layers.
pub fn graph(source: Source, config: &BertConfig, layers: usize) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["bert.", "encoder.", ""], "embeddings.word_embeddings.weight")?;
    declare_inputs(&mut builder, true);
    let trunk = PostNorm {
        hidden: config.hidden_size,
        wide: config.intermediate_size,
        heads: config.num_attention_heads,
        epsilon: config.layer_norm_eps,
        activation: config.hidden_act,
    };
    let hidden = config.hidden_size;
    let word = builder.weight("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?;
    let position =
        builder.weight("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
    let segment = builder.weight("embeddings.token_type_embeddings.weight", &[config.type_vocab_size, hidden])?;
    let tables = Embedding { segments: TOKEN_TYPES, word: &word, position: &position, segment: &segment };
    let mut vectors = trunk.embed(&mut builder, tables)?;
    for layer in 0..layers {
        let output = output_name(layer, layers);
        vectors = trunk.layer(&mut builder, &LayerNames::bert(layer), (&vectors, ""), &output)?;
    }
    Ok(finish(builder, hidden))
}

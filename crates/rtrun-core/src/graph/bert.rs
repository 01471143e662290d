//! `BertModel`, and what differs from it in names and in the width of its tables only.

use super::builder::GraphBuilder;
use super::encoder::{Depth, HEADS_HIDDEN, declare_inputs, finish};
use super::interface::{Graph, TOKEN_TYPES};
use super::matmuls::Part;
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use crate::error::Error;
use crate::package::BertConfig;

/// Builds as many layers as asked for.
pub fn graph(source: Source, config: &BertConfig, depth: Depth) -> Result<Graph, Error> {
    let bert = Bert { config, prefixes: &["bert.", "encoder.", ""], table_width: config.hidden_size };
    bert.graph(source, depth)
}

/// An encoder of BERT's layers.
#[derive(Debug, Clone, Copy)]
pub struct Bert<'c> {
    pub config: &'c BertConfig,
    /// What may stand before the names of its tensors.
    pub prefixes: &'c [&'static str],
    /// Width of its tables. Where it is not that of its layers, `embeddings_project` leads from one to the other.
    pub table_width: usize,
}

/// The layers that heads have for themselves behind `vectors`. Their width inside is that of their own tensors.
fn own_layers(builder: &mut GraphBuilder, encoder: PostNorm, vectors: &str, layers: usize) -> Result<(), Error> {
    let mut vectors = vectors.to_owned();
    for layer in 0..layers {
        let names = LayerNames::of_heads(layer);
        let wide = builder.rows(&format!("{}.weight", names.wide))?;
        let output = if layer + 1 == layers { HEADS_HIDDEN.to_owned() } else { format!("heads_layer_{layer}") };
        vectors = PostNorm { wide, ..encoder }.layer(builder, &names, (&vectors, ""), &output)?;
    }
    Ok(())
}

impl Bert<'_> {
    /// Builds as many layers as asked for.
    pub fn graph(&self, source: Source, depth: Depth) -> Result<Graph, Error> {
        let mut builder = GraphBuilder::new(source, self.prefixes, "embeddings.word_embeddings.weight")?;
        declare_inputs(&mut builder, true);
        let config = self.config;
        let encoder = PostNorm {
            hidden: config.hidden_size,
            wide: config.intermediate_size,
            heads: config.num_attention_heads,
            epsilon: config.layer_norm_eps,
            activation: config.hidden_act,
        };
        let mut vectors = self.embed(&mut builder, encoder)?;
        for layer in 0..depth.layers {
            let output = depth.output_name(layer);
            vectors = encoder.layer(&mut builder, &LayerNames::bert(layer), (&vectors, ""), &output)?;
            own_layers(&mut builder, encoder, &vectors, depth.own_of_heads(layer))?;
        }
        Ok(finish(builder, encoder.hidden, depth))
    }

    fn embed(&self, builder: &mut GraphBuilder, encoder: PostNorm) -> Result<String, Error> {
        let (config, width) = (self.config, self.table_width);
        let mut table =
            |name: &str, rows| builder.weight(&format!("embeddings.{name}_embeddings.weight"), &[rows, width]);
        let word = table("word", config.vocab_size)?;
        let position = table("position", config.max_position_embeddings)?;
        let segment = table("token_type", config.type_vocab_size)?;
        let tables = Embedding { segments: TOKEN_TYPES, word: &word, position: &position, segment: &segment };
        let embedded = PostNorm { hidden: width, ..encoder }.embed(builder, tables)?;
        if width == encoder.hidden {
            return Ok(embedded);
        }
        let project = Part { has_bias: true, ..Part::bare("embeddings_project", [encoder.hidden, width]) };
        builder.linears(&embedded, &[project]).map(|[widened]| widened)
    }
}

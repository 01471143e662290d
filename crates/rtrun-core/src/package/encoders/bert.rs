//! `BertModel`.

use serde::Deserialize;

use super::activation::{Activation, gelu};
use super::sizes::{check_absolute_positions, check_encoder, check_sizes};

/// Sizes of BERT.
#[derive(Debug, Clone, Deserialize)]
pub struct BertConfig {
    /// Width of a token vector.
    pub hidden_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Attention heads of a layer.
    pub num_attention_heads: usize,
    /// Width between the two feed-forward layers.
    pub intermediate_size: usize,
    /// Rows of the word table.
    pub vocab_size: usize,
    /// Rows of the position table: the longest input.
    pub max_position_embeddings: usize,
    /// Rows of the segment table.
    #[serde(default = "two")]
    pub type_vocab_size: usize,
    /// Added to the variance in every layer normalization.
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    /// The function between the two feed-forward layers.
    #[serde(default = "gelu")]
    pub hidden_act: Activation,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

impl BertConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        check_absolute_positions(self.position_embedding_type.as_deref())?;
        check_encoder(self.is_decoder)?;
        let others = [
            ("num_hidden_layers", self.num_hidden_layers),
            ("intermediate_size", self.intermediate_size),
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
        ];
        check_sizes(("hidden_size", self.hidden_size), ("num_attention_heads", self.num_attention_heads), &others)
    }
}

fn two() -> usize {
    2
}

fn epsilon() -> f32 {
    1e-12
}

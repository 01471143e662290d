//! `DistilBertModel`: BERT without segments, under its own names.

use serde::Deserialize;

use super::activation::{Activation, gelu};
use super::sizes::check_sizes;

/// Sizes of DistilBERT.
#[derive(Debug, Clone, Deserialize)]
pub struct DistilBertConfig {
    /// Width of a token vector.
    pub dim: usize,
    /// Number of layers.
    pub n_layers: usize,
    /// Attention heads of a layer.
    pub n_heads: usize,
    /// Width between the two feed-forward layers.
    pub hidden_dim: usize,
    /// Rows of the word table.
    pub vocab_size: usize,
    /// Rows of the position table: the longest input.
    pub max_position_embeddings: usize,
    /// The function between the two feed-forward layers.
    #[serde(default = "gelu")]
    pub activation: Activation,
}

impl DistilBertConfig {
    /// Added to the variance in every layer normalization; the class fixes it.
    pub const EPSILON: f32 = 1e-12;

    pub(super) fn check(&self) -> Result<(), String> {
        let others = [
            ("n_layers", self.n_layers),
            ("hidden_dim", self.hidden_dim),
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
        ];
        check_sizes(("dim", self.dim), ("n_heads", self.n_heads), &others)
    }
}

//! `MPNetModel`: BERT without segments, with a bias on every pair of tokens that follows from their distance.

use serde::Deserialize;

use super::activation::{Activation, gelu};
use super::sizes::check_sizes;

/// The row of the position table that the first token takes; the class fixes it.
pub(super) const FIRST_POSITION: usize = 2;

/// Sizes of MPNet.
#[derive(Debug, Clone, Deserialize)]
pub struct MpnetConfig {
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
    /// Rows of the position table.
    pub max_position_embeddings: usize,
    /// Added to the variance in every layer normalization.
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    /// The function between the two feed-forward layers.
    #[serde(default = "gelu")]
    pub hidden_act: Activation,
    #[serde(default = "buckets")]
    relative_attention_num_buckets: usize,
}

impl MpnetConfig {
    /// Rows of the table of distance biases. The published class sorts distances into this many, whatever the
    /// configuration says.
    pub const BUCKETS: usize = 32;

    /// The row of the position table that the first token takes.
    pub const FIRST_POSITION: usize = FIRST_POSITION;

    pub(super) fn check(&self) -> Result<(), String> {
        if self.relative_attention_num_buckets != Self::BUCKETS {
            let found = self.relative_attention_num_buckets;
            return Err(format!("relative_attention_num_buckets {found} is not supported; only {} is", Self::BUCKETS));
        }
        if self.max_position_embeddings <= FIRST_POSITION {
            return Err(format!("max_position_embeddings must be above {FIRST_POSITION}"));
        }
        let others = [
            ("num_hidden_layers", self.num_hidden_layers),
            ("intermediate_size", self.intermediate_size),
            ("vocab_size", self.vocab_size),
        ];
        check_sizes(("hidden_size", self.hidden_size), ("num_attention_heads", self.num_attention_heads), &others)
    }
}

fn epsilon() -> f32 {
    1e-12
}

fn buckets() -> usize {
    MpnetConfig::BUCKETS
}

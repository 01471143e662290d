//! `DebertaV2Model`, which DeBERTa-v3 uses too: attention to contents and to distances, one apart from the other.

use serde::Deserialize;
use serde_json::Value;

use super::activation::{Activation, gelu};
use super::sizes::check_sizes;

/// Sizes of DeBERTa-v2 and v3.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the switches are the published file's")]
pub struct DebertaConfig {
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
    /// The longest input, and the largest distance where `max_relative_positions` names none.
    pub max_position_embeddings: usize,
    /// Rows of the segment table; with 0, rows need no segments.
    #[serde(default)]
    pub type_vocab_size: usize,
    /// Added to the variance in every layer normalization.
    #[serde(default = "epsilon")]
    pub layer_norm_eps: f32,
    /// The function between the two feed-forward layers.
    #[serde(default = "gelu")]
    pub hidden_act: Activation,
    /// The function behind the dense layer of a classifier.
    #[serde(default = "gelu")]
    pub pooler_hidden_act: Activation,
    /// Whether positions have vectors of their own that are added to the words'.
    #[serde(default = "yes")]
    pub position_biased_input: bool,
    /// Whether distances take part in attention.
    #[serde(default)]
    pub relative_attention: bool,
    /// Whether distances are projected by the matrices of the contents.
    #[serde(default)]
    pub share_att_key: bool,
    #[serde(default)]
    position_buckets: i64,
    #[serde(default)]
    max_relative_positions: i64,
    #[serde(default)]
    norm_rel_ebd: Option<String>,
    #[serde(default)]
    pos_att_type: Option<Value>,
    #[serde(default)]
    conv_kernel_size: usize,
    #[serde(default)]
    embedding_size: Option<usize>,
    #[serde(default)]
    attention_head_size: Option<usize>,
    #[serde(default)]
    pooler_hidden_size: Option<usize>,
}

impl DebertaConfig {
    /// Whether contents attend to distances (`c2p`).
    pub fn content_to_position(&self) -> bool {
        self.relative_attention && self.attends("c2p")
    }

    /// Whether distances attend to contents (`p2c`).
    pub fn position_to_content(&self) -> bool {
        self.relative_attention && self.attends("p2c")
    }

    /// How many scores are added up for one pair of tokens; their sum is divided by the root of it. The published class
    /// counts the named ones even where `relative_attention` is off.
    pub fn score_parts(&self) -> usize {
        1 + usize::from(self.attends("c2p")) + usize::from(self.attends("p2c"))
    }

    /// Half the rows of the table of distances.
    pub fn span(&self) -> usize {
        self.buckets().unwrap_or_else(|| self.largest_distance())
    }

    /// How many distances to each side have a row of their own or share one; `None` means one row for each.
    pub fn buckets(&self) -> Option<usize> {
        usize::try_from(self.position_buckets).ok().filter(|buckets| *buckets > 0)
    }

    /// The distance from which on all distances share one row.
    pub fn largest_distance(&self) -> usize {
        let named = usize::try_from(self.max_relative_positions).ok().filter(|distance| *distance > 0);
        named.unwrap_or(self.max_position_embeddings)
    }

    /// Whether the table of distances is normalized before it is used.
    pub fn normalizes_distances(&self) -> bool {
        self.norm_rel_ebd
            .as_deref()
            .is_some_and(|names| names.to_lowercase().split('|').any(|name| name.trim() == "layer_norm"))
    }

    fn attends(&self, part: &str) -> bool {
        self.attention_parts().iter().any(|name| name == part)
    }

    /// `pos_att_type`, which is a list or, in older files, names between bars.
    fn attention_parts(&self) -> Vec<String> {
        match &self.pos_att_type {
            Some(Value::String(parts)) => parts.to_lowercase().split('|').map(|part| part.trim().to_owned()).collect(),
            Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let others = [
            ("num_hidden_layers", self.num_hidden_layers),
            ("intermediate_size", self.intermediate_size),
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
        ];
        check_sizes(("hidden_size", self.hidden_size), ("num_attention_heads", self.num_attention_heads), &others)?;
        if self.conv_kernel_size > 0 {
            let size = self.conv_kernel_size;
            return Err(format!("conv_kernel_size {size} is not supported yet; only models without convolution are"));
        }
        let head = self.hidden_size / self.num_attention_heads;
        for (name, found, expected) in [
            ("embedding_size", self.embedding_size, self.hidden_size),
            ("attention_head_size", self.attention_head_size, head),
            ("pooler_hidden_size", self.pooler_hidden_size, self.hidden_size),
        ] {
            if let Some(found) = found.filter(|found| *found != expected) {
                return Err(format!(
                    "{name} {found} is not supported yet; only {expected} is, which follows from the other sizes"
                ));
            }
        }
        if let Some(other) = self.attention_parts().iter().find(|part| *part != "c2p" && *part != "p2c") {
            return Err(format!("pos_att_type {other:?} is not supported; use c2p and p2c"));
        }
        match self.buckets() {
            Some(buckets) if buckets < 2 || self.largest_distance() <= buckets / 2 + 1 => {
                let distance = self.largest_distance();
                Err(format!("position_buckets {buckets} does not fit the largest distance {distance}"))
            }
            _ => Ok(()),
        }
    }
}

fn yes() -> bool {
    true
}

fn epsilon() -> f32 {
    1e-7
}

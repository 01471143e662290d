//! `ModernBertModel`: rotated positions, layers that see everything and layers that see a window.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::activation::{Activation, gelu};
use super::sizes::check_sizes;
use crate::package::hub::Pooling;

/// Sizes of ModernBERT.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the switches are the published file's")]
pub struct ModernBertConfig {
    /// Width of a token vector.
    pub hidden_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Attention heads of a layer.
    pub num_attention_heads: usize,
    /// Width between the two feed-forward layers; the first one gives it twice.
    pub intermediate_size: usize,
    /// Rows of the word table.
    pub vocab_size: usize,
    /// The longest input.
    #[serde(default = "positions")]
    pub max_position_embeddings: usize,
    /// Added to the variance in every layer normalization.
    #[serde(default = "epsilon")]
    pub norm_eps: f32,
    /// Whether layer normalizations have a bias.
    #[serde(default)]
    pub norm_bias: bool,
    /// Whether the linear layers of attention have a bias.
    #[serde(default)]
    pub attention_bias: bool,
    /// Whether the feed-forward layers have a bias.
    #[serde(default)]
    pub mlp_bias: bool,
    /// The function on the half of the first feed-forward layer that is gated.
    #[serde(default = "gelu")]
    pub hidden_activation: Activation,
    /// Which vector a classifier over whole rows reads.
    #[serde(default = "first_token")]
    pub classifier_pooling: Pooling,
    /// Whether the dense layer of a classifier has a bias.
    #[serde(default)]
    pub classifier_bias: bool,
    /// The function behind the dense layer of a classifier.
    #[serde(default = "gelu")]
    pub classifier_activation: Activation,
    #[serde(default = "window")]
    local_attention: usize,
    #[serde(default = "three")]
    global_attn_every_n_layers: usize,
    layer_types: Option<Vec<String>>,
    rope_parameters: Option<Map<String, Value>>,
    rope_scaling: Option<Value>,
    global_rope_theta: Option<f64>,
    local_rope_theta: Option<f64>,
}

/// How far the tokens of a layer see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Every token sees every other.
    Global,
    /// A token sees those at most [`ModernBertConfig::window`] away.
    Local,
}

const GLOBAL_THETA: f64 = 160_000.0;
const LOCAL_THETA: f64 = 10_000.0;

impl ModernBertConfig {
    /// How far the tokens of a layer see: by its entry in `layer_types`, else every n-th layer is global.
    pub fn reach(&self, layer: usize) -> Reach {
        let is_global = match &self.layer_types {
            Some(types) => types.get(layer).is_some_and(|name| name == Reach::Global.layer_type()),
            None => layer.is_multiple_of(self.global_attn_every_n_layers),
        };
        if is_global { Reach::Global } else { Reach::Local }
    }

    /// The largest distance that a local layer sees.
    pub fn window(&self) -> usize {
        self.local_attention / 2
    }

    /// The base of the rotation frequencies, from `rope_parameters` or from the older `*_rope_theta`.
    pub fn theta(&self, reach: Reach) -> f64 {
        let (older, default) = match reach {
            Reach::Global => (self.global_rope_theta, GLOBAL_THETA),
            Reach::Local => (self.local_rope_theta, LOCAL_THETA),
        };
        let named = self.rope(reach).and_then(|entry| entry.get("rope_theta")).and_then(Value::as_f64);
        named.or(older).unwrap_or(default)
    }

    fn rope(&self, reach: Reach) -> Option<&Value> {
        self.rope_parameters.as_ref().and_then(|parameters| parameters.get(reach.layer_type()))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let others = [
            ("num_hidden_layers", self.num_hidden_layers),
            ("intermediate_size", self.intermediate_size),
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("global_attn_every_n_layers", self.global_attn_every_n_layers),
        ];
        check_sizes(("hidden_size", self.hidden_size), ("num_attention_heads", self.num_attention_heads), &others)?;
        if !self.hidden_size.is_multiple_of(2 * self.num_attention_heads) {
            let (hidden, heads) = (self.hidden_size, self.num_attention_heads);
            return Err(format!("hidden_size {hidden} over num_attention_heads {heads} is odd; rotation needs pairs"));
        }
        if self.classifier_pooling == Pooling::Last {
            return Err("classifier_pooling \"last\" is not supported; use cls or mean".to_owned());
        }
        self.check_layer_types()?;
        self.check_rope()
    }

    fn check_layer_types(&self) -> Result<(), String> {
        let Some(types) = &self.layer_types else { return Ok(()) };
        if types.len() != self.num_hidden_layers {
            let (found, layers) = (types.len(), self.num_hidden_layers);
            return Err(format!("layer_types has {found} entries; num_hidden_layers is {layers}"));
        }
        let known = [Reach::Global.layer_type(), Reach::Local.layer_type()];
        match types.iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(other) => Err(format!("layer_types entry {other:?} is not supported; use {}", known.join(" or "))),
        }
    }

    fn check_rope(&self) -> Result<(), String> {
        if self.rope_scaling.as_ref().is_some_and(|scaling| !scaling.is_null()) {
            return Err("rope_scaling is not supported yet; only unscaled rotation is".to_owned());
        }
        for reach in [Reach::Global, Reach::Local] {
            let kind = self.rope(reach).and_then(|entry| entry.get("rope_type")).and_then(Value::as_str);
            if let Some(kind) = kind.filter(|kind| *kind != "default") {
                return Err(format!("rope_type {kind:?} is not supported yet; only \"default\" is"));
            }
            let theta = self.theta(reach);
            if !(theta.is_finite() && theta > 0.0) {
                return Err(format!("rope_theta is {theta}; it must be above 0"));
            }
        }
        match &self.rope_parameters {
            // One entry for all layers would be read as none.
            Some(flat) if flat.contains_key("rope_theta") || flat.contains_key("rope_type") => {
                Err("rope_parameters must have one entry for each of full_attention and sliding_attention".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl Reach {
    fn layer_type(self) -> &'static str {
        match self {
            Self::Global => "full_attention",
            Self::Local => "sliding_attention",
        }
    }
}

fn first_token() -> Pooling {
    Pooling::Cls
}

fn positions() -> usize {
    8192
}

fn epsilon() -> f32 {
    1e-5
}

fn window() -> usize {
    128
}

fn three() -> usize {
    3
}

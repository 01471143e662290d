//! The layer that BERT brought: attention, a sum that is normalized, two matmuls, a sum that is normalized.

use super::builder::{CONTRIB, GraphBuilder, Value};
use super::matmuls::Part;
use super::operators::Attention;
use crate::error::Error;
use crate::package::Activation;

/// What all layers of an encoder have in common.
#[derive(Debug, Clone, Copy)]
pub struct PostNorm {
    pub hidden: usize,
    pub wide: usize,
    pub heads: usize,
    pub epsilon: f32,
    pub activation: Activation,
}

/// The modules of one layer.
#[derive(Debug, Clone)]
pub struct LayerNames {
    pub query: String,
    pub key: String,
    pub value: String,
    /// The linear layer behind attention.
    pub attended: String,
    pub attended_norm: String,
    /// The linear layer that widens.
    pub wide: String,
    /// The linear layer that narrows.
    pub narrow: String,
    pub norm: String,
}

impl LayerNames {
    /// The names of BERT, RoBERTa and their kin.
    pub fn bert(layer: usize) -> Self {
        Self::inside(&format!("encoder.layer.{layer}"))
    }

    /// Those of the layers that heads have for themselves.
    pub fn of_heads(layer: usize) -> Self {
        Self::inside(&format!("heads_encoder.layer.{layer}"))
    }

    fn inside(layer: &str) -> Self {
        let at = |part: &str| format!("{layer}.{part}");
        Self {
            query: at("attention.self.query"),
            key: at("attention.self.key"),
            value: at("attention.self.value"),
            attended: at("attention.output.dense"),
            attended_norm: at("attention.output.LayerNorm"),
            wide: at("intermediate.dense"),
            narrow: at("output.dense"),
            norm: at("output.LayerNorm"),
        }
    }
}

impl PostNorm {
    /// One whole layer. `scores` is what is added to the attention scores; empty if nothing is.
    pub fn layer(
        &self,
        builder: &mut GraphBuilder,
        names: &LayerNames,
        (input, scores): (&str, &str),
        output: &str,
    ) -> Result<String, Error> {
        let (matmuls, bias) = if builder.packing.is_some() {
            // The matmul adds it on the way; attention would take a pass of its own for it.
            let parts = [&names.query, &names.key, &names.value];
            let parts = parts.map(|module| Part { has_bias: true, ..Part::bare(module, [self.hidden, self.hidden]) });
            (builder.linears(input, &parts)?, String::new())
        } else {
            self.projections(builder, names, input)?
        };
        let [query, key, value] = &matmuls;
        let (heads, scale) = (self.heads, None);
        let attended = builder.attend(Attention { query, key, value, bias: &bias, scores, heads, scale });
        self.rest(builder, names, (input, &attended), output)
    }

    /// Query, key and value without their biases, and the three biases one behind the other.
    pub fn projections(
        &self,
        builder: &mut GraphBuilder,
        names: &LayerNames,
        input: &str,
    ) -> Result<([String; 3], String), Error> {
        let modules = [&names.query, &names.key, &names.value];
        let parts = modules.map(|module| Part::bare(module, [self.hidden, self.hidden]));
        let matmuls = builder.linears(input, &parts)?;
        let mut biases = [const { String::new() }; 3];
        for (bias, module) in biases.iter_mut().zip(modules) {
            *bias = builder.weight(&format!("{module}.bias"), &[self.hidden])?;
        }
        let bias = builder.node("", "Concat", &[&biases[0], &biases[1], &biases[2]], &[("axis", Value::Int(0))]);
        Ok((matmuls, bias))
    }

    /// What follows attention.
    pub fn rest(
        &self,
        builder: &mut GraphBuilder,
        names: &LayerNames,
        (input, attended): (&str, &str),
        output: &str,
    ) -> Result<String, Error> {
        let (hidden, wide) = (self.hidden, self.wide);
        let projected = builder.linear(attended, &names.attended, [hidden, hidden])?;
        let bias = builder.weight(&format!("{}.bias", names.attended), &[hidden])?;
        let (gamma, beta) = builder.norm(&names.attended_norm, hidden)?;
        let epsilon = [("epsilon", Value::Float(self.epsilon))];
        let inputs = [projected.as_str(), input, &gamma, &beta, &bias];
        let attended = builder.node(CONTRIB, "SkipLayerNormalization", &inputs, &epsilon);
        let ffn_up =
            Part { has_bias: true, activation: Some(self.activation), ..Part::bare(&names.wide, [wide, hidden]) };
        let [widened] = builder.linears(&attended, &[ffn_up])?;
        let narrowed = builder.linear(&widened, &names.narrow, [hidden, wide])?;
        let bias = builder.weight(&format!("{}.bias", names.narrow), &[hidden])?;
        let (gamma, beta) = builder.norm(&names.norm, hidden)?;
        let inputs = [narrowed.as_str(), &attended, &gamma, &beta, &bias];
        Ok(builder.named_node(CONTRIB, "SkipLayerNormalization", &inputs, &epsilon, &[output]))
    }
}

/// The vectors that an encoder starts from: words, positions and segments added up and normalized. Tables of segments and
/// the module of the normalization follow BERT's names.
#[derive(Debug, Clone, Copy)]
pub struct Embedding<'n> {
    /// The input with the segments; empty without segments.
    pub segments: &'n str,
    pub word: &'n str,
    pub position: &'n str,
    /// The table of segments; empty without segments.
    pub segment: &'n str,
}

impl PostNorm {
    /// Adds up the tables and normalizes the sum by `embeddings.LayerNorm`.
    pub fn embed(&self, builder: &mut GraphBuilder, tables: Embedding) -> Result<String, Error> {
        let (gamma, beta) = builder.norm("embeddings.LayerNorm", self.hidden)?;
        let Embedding { segments, word, position, segment } = tables;
        let inputs = [super::interface::INPUT_IDS, segments, word, position, segment, &gamma, &beta];
        // The operator has two outputs even where, as here, the second is not used.
        let outputs = ["embedded", "embedded_mask_index"];
        let epsilon = [("epsilon", Value::Float(self.epsilon))];
        Ok(builder.named_node(CONTRIB, "EmbedLayerNormalization", &inputs, &epsilon, &outputs))
    }
}

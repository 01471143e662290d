//! The steps that every encoder is made of, as fused operators, so that no optimizer has to find them.

use super::builder::{CONTRIB, GraphBuilder, Value};
use super::interface::ATTENTION_MASK;
use crate::error::Error;
use crate::package::Activation;

/// What padding gets as its attention score: it leaves exactly nothing of a token behind the softmax.
const PADDING_SCORE: f32 = f32::MIN;

/// The inputs of one attention, each `[batch, tokens, hidden]` but for the biases.
#[derive(Debug, Clone, Copy)]
pub struct Attention<'n> {
    pub query: &'n str,
    pub key: &'n str,
    pub value: &'n str,
    /// The biases of the three, one behind the other; empty if they have been added.
    pub bias: &'n str,
    /// What is added to the scores, `[batch or 1, heads or 1, tokens, tokens]`; empty if nothing is.
    pub scores: &'n str,
    pub heads: usize,
    /// What scores are multiplied by; `None` is one over the root of a head's width.
    pub scale: Option<f32>,
}

impl GraphBuilder<'_> {
    /// `input × weightᵀ` with a weight that the graph has already.
    pub fn matmul(&mut self, input: &str, weight: &str) -> String {
        self.node(CONTRIB, "FusedMatMul", &[input, weight], &[("transB", Value::Int(1))])
    }

    /// The same as an output of the graph.
    pub fn matmul_to(&mut self, input: &str, weight: &str, output: &str) {
        self.named_node(CONTRIB, "FusedMatMul", &[input, weight], &[("transB", Value::Int(1))], &[output]);
    }

    /// A value of the given shape once for every row of `rows`.
    pub fn for_every_row(&mut self, value: &str, rows: &str, shape: &[usize]) -> String {
        let count = self.node("", "Shape", &[rows], &[("start", Value::Int(0)), ("end", Value::Int(1))]);
        let shape: Vec<i64> = shape.iter().map(|&size| size.try_into().unwrap_or(i64::MAX)).collect();
        let shape = self.integers(&shape);
        let shape = self.node("", "Concat", &[&count, &shape], &[("axis", Value::Int(0))]);
        self.node("", "Expand", &[value, &shape], &[])
    }

    /// The names of the two vectors of a layer normalization; old checkpoints call them gamma and beta.
    pub fn norm(&mut self, module: &str, width: usize) -> Result<(String, String), Error> {
        let is_old = self.has(&format!("{module}.gamma"));
        let (gamma, beta) = if is_old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok((self.weight(&format!("{module}.{gamma}"), &[width])?, self.weight(&format!("{module}.{beta}"), &[width])?))
    }

    /// `input + bias` through an activation function.
    pub fn activate(&mut self, input: &str, bias: &str, activation: Activation) -> String {
        match activation {
            Activation::Gelu => self.node(CONTRIB, "BiasGelu", &[input, bias], &[]),
            Activation::GeluTanh => self.node(CONTRIB, "FastGelu", &[input, bias], &[]),
            other => {
                let sum = self.node("", "Add", &[input, bias], &[]);
                self.activate_sum(&sum, other)
            }
        }
    }

    /// An activation function without a bias.
    pub fn activate_sum(&mut self, input: &str, activation: Activation) -> String {
        let quick = |alpha| [("alpha", Value::Float(alpha))];
        match activation {
            Activation::Gelu => self.node(CONTRIB, "Gelu", &[input], &[]),
            Activation::GeluTanh => self.node(CONTRIB, "FastGelu", &[input], &[]),
            Activation::QuickGelu => self.node(CONTRIB, "QuickGelu", &[input], &quick(1.702)),
            Activation::Silu => self.node(CONTRIB, "QuickGelu", &[input], &quick(1.0)),
            Activation::Relu => self.node("", "Relu", &[input], &[]),
            Activation::Tanh => self.node("", "Tanh", &[input], &[]),
        }
    }

    /// Attention over the tokens of a row; padding takes no part.
    pub fn attend(&mut self, attention: Attention) -> String {
        let Attention { query, key, value, bias, scores, heads, scale } = attention;
        let mut attributes = vec![
            ("num_heads", Value::Int(heads.try_into().unwrap_or(i64::MAX))),
            ("mask_filter_value", Value::Float(PADDING_SCORE)),
        ];
        attributes.extend(scale.map(|scale| ("scale", Value::Float(scale))));
        let mut inputs = vec![query, key, value, bias, ATTENTION_MASK, scores];
        if scores.is_empty() {
            inputs.pop();
        }
        self.node(CONTRIB, "MultiHeadAttention", &inputs, &attributes)
    }
}

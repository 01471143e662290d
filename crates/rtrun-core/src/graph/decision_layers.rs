//! What follows the encoder of a marker model: the type of the question at every position, and transformer layers that
//! normalize first. Tensors are those of `PyTorch`'s `Embedding` and `TransformerEncoderLayer`.

use super::builder::{CONTRIB, GraphBuilder, Size, Value};
use super::encoder::HIDDEN;
use super::interface::{ATTENTION_MASK, Graph, Per};
use crate::error::Error;
use crate::package::Weights;

/// What the row asks, `[batch, 1]`: a row of the type embedding.
pub const QUESTION_TYPE: &str = "question_type";
/// Vectors behind the last layer, `[batch, tokens, hidden]`.
pub const DECIDED: &str = "decided_hidden_state";

/// `PyTorch`'s value, which published heads were trained with.
const EPSILON: f32 = 1e-5;
/// Width of an attention head.
const HEAD_WIDTH: usize = 64;

/// What is added to an encoder.
#[derive(Debug, Clone, Copy)]
pub struct DecisionLayers<'n> {
    /// What the tensor names begin with.
    pub prefix: &'n str,
    /// Width of a token vector.
    pub hidden: usize,
    /// Number of layers.
    pub layers: usize,
    /// Rows of the type embedding; `None` without one.
    pub types: Option<usize>,
}

/// Appends the layers to the graph of an encoder. The weights must lie in the folder of the encoder's.
pub fn with_decision_layers(encoder: Graph, weights: &Weights, layers: DecisionLayers) -> Result<Graph, Error> {
    if layers.layers == 0 && layers.types.is_none() {
        return Ok(encoder);
    }
    if layers.layers > 0 && !layers.hidden.is_multiple_of(HEAD_WIDTH) {
        let hidden = layers.hidden;
        let problem = format!("Cannot use layers behind vectors of {hidden}: it must be a multiple of {HEAD_WIDTH}");
        return Err(Error::InvalidPackage(problem));
    }
    let mut appended = Appended { builder: GraphBuilder::resume(&encoder, weights)?, layers };
    let mut hidden = HIDDEN.to_owned();
    if let Some(types) = layers.types {
        hidden = appended.with_type(&hidden, types)?;
    }
    for layer in 0..layers.layers {
        hidden = appended.layer(&hidden, layer)?;
    }
    let Appended { mut builder, .. } = appended;
    builder.named_node("", "Identity", &[&hidden], &[], &[DECIDED]);
    builder.output(DECIDED, &[Size::Free("batch"), Size::Free("tokens"), Size::Fixed(layers.hidden)]);
    Ok(builder.finish(DECIDED, Per::Token, layers.hidden))
}

struct Appended<'w, 'n> {
    builder: GraphBuilder<'w>,
    layers: DecisionLayers<'n>,
}

impl Appended<'_, '_> {
    fn with_type(&mut self, input: &str, types: usize) -> Result<String, Error> {
        self.builder.input(QUESTION_TYPE, &[Size::Free("batch"), Size::Fixed(1)]);
        let table = self.weight("type_emb.weight", &[types, self.layers.hidden])?;
        // [batch, 1, hidden], which is added to every token of its row.
        let kind = self.builder.node("", "Gather", &[&table, QUESTION_TYPE], &[("axis", Value::Int(0))]);
        Ok(self.builder.node("", "Add", &[input, &kind], &[]))
    }

    fn layer(&mut self, input: &str, layer: usize) -> Result<String, Error> {
        let hidden = self.layers.hidden;
        let at = |part: &str| format!("head.layers.{layer}.{part}");
        let normed = self.norm(input, &at("norm1"))?;
        let attended = self.attend(&normed, &at("self_attn"))?;
        let attended = self.linear(&attended, &at("self_attn.out_proj"), [hidden, hidden])?;
        let attended = self.builder.node("", "Add", &[input, &attended], &[]);
        let normed = self.norm(&attended, &at("norm2"))?;
        let widened = self.linear(&normed, &at("linear1"), [4 * hidden, hidden])?;
        let widened = self.builder.node("", "Relu", &[&widened], &[]);
        let narrowed = self.linear(&widened, &at("linear2"), [hidden, 4 * hidden])?;
        Ok(self.builder.node("", "Add", &[&attended, &narrowed], &[]))
    }

    fn attend(&mut self, input: &str, module: &str) -> Result<String, Error> {
        let hidden = self.layers.hidden;
        let weight = self.weight(&format!("{module}.in_proj_weight"), &[3 * hidden, hidden])?;
        let bias = self.weight(&format!("{module}.in_proj_bias"), &[3 * hidden])?;
        let all = self.builder.node(CONTRIB, "FusedMatMul", &[input, &weight], &[("transB", Value::Int(1))]);
        let parts = ["query", "key", "value"].map(|part| format!("{all}_{part}"));
        let [query, key, value] = parts.each_ref().map(String::as_str);
        self.builder.named_node("", "Split", &[&all], &[("axis", Value::Int(-1))], &[query, key, value]);
        let heads = Value::Int((hidden / HEAD_WIDTH).try_into().unwrap_or(i64::MAX));
        let inputs = [query, key, value, &bias, ATTENTION_MASK];
        Ok(self.builder.node(CONTRIB, "MultiHeadAttention", &inputs, &[("num_heads", heads)]))
    }

    fn norm(&mut self, input: &str, module: &str) -> Result<String, Error> {
        let gain = self.weight(&format!("{module}.weight"), &[self.layers.hidden])?;
        let bias = self.weight(&format!("{module}.bias"), &[self.layers.hidden])?;
        let epsilon = [("epsilon", Value::Float(EPSILON)), ("axis", Value::Int(-1))];
        Ok(self.builder.node("", "LayerNormalization", &[input, &gain, &bias], &epsilon))
    }

    fn linear(&mut self, input: &str, module: &str, shape: [usize; 2]) -> Result<String, Error> {
        let weight = self.weight(&format!("{module}.weight"), &shape)?;
        let bias = self.weight(&format!("{module}.bias"), &shape[..1])?;
        let matmul = self.builder.node(CONTRIB, "FusedMatMul", &[input, &weight], &[("transB", Value::Int(1))]);
        Ok(self.builder.node("", "Add", &[&matmul, &bias], &[]))
    }

    fn weight(&mut self, name: &str, shape: &[usize]) -> Result<String, Error> {
        let name = format!("{}{name}", self.layers.prefix);
        if self.builder.has_weight(&name) {
            let problem = "is also the name of a tensor of the encoder; give the head a prefix";
            return Err(self.builder.weights().invalid(&name, problem));
        }
        self.builder.weight(&name, shape)
    }
}

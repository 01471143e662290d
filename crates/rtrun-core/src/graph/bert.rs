//! The BERT encoder as a graph of fused operators, so that no optimizer has to find them.

use super::builder::{CONTRIB, Graph, GraphBuilder, Size, Value};
use crate::error::Error;
use crate::package::{BertConfig, Weights};

/// Token ids, `[batch, tokens]`.
pub const INPUT_IDS: &str = "input_ids";
/// Segment of every token, `[batch, tokens]`.
pub const TOKEN_TYPES: &str = "token_type_ids";
/// 1 for a token, 0 for padding, `[batch, tokens]`.
pub const ATTENTION_MASK: &str = "attention_mask";
/// Vectors of the last layer, `[batch, tokens, hidden]`.
pub const HIDDEN: &str = "last_hidden_state";

const GRID: [Size; 2] = [Size::Free("batch"), Size::Free("tokens")];

/// Builds the graph of `BertModel`, whose tensors may carry the prefix `bert.`, or `encoder.` in Laya checkpoints.
pub fn bert_graph(weights: &Weights, config: &BertConfig) -> Result<Graph, Error> {
    let builder = GraphBuilder::new(weights)?;
    let named = |prefix: &&str| weights.has(&format!("{prefix}embeddings.word_embeddings.weight"));
    let prefix = ["bert.", "encoder."].into_iter().find(named).unwrap_or("");
    let mut graph = BertGraph { builder, prefix, config };
    for name in [INPUT_IDS, TOKEN_TYPES, ATTENTION_MASK] {
        graph.builder.input(name, &GRID);
    }
    let mut hidden = graph.embeddings()?;
    for layer in 0..config.num_hidden_layers {
        let output = (layer + 1 == config.num_hidden_layers).then_some(HIDDEN);
        hidden = graph.layer(layer, &hidden, output)?;
    }
    graph.builder.output(HIDDEN, &[GRID[0], GRID[1], Size::Fixed(config.hidden_size)]);
    Ok(graph.builder.finish())
}

struct BertGraph<'w> {
    builder: GraphBuilder<'w>,
    prefix: &'static str,
    config: &'w BertConfig,
}

impl BertGraph<'_> {
    fn embeddings(&mut self) -> Result<String, Error> {
        let hidden = self.config.hidden_size;
        let word = self.weight("embeddings.word_embeddings.weight", &[self.config.vocab_size, hidden])?;
        let position =
            self.weight("embeddings.position_embeddings.weight", &[self.config.max_position_embeddings, hidden])?;
        let segment = self.weight("embeddings.token_type_embeddings.weight", &[self.config.type_vocab_size, hidden])?;
        let (gamma, beta) = self.layer_norm("embeddings.LayerNorm")?;
        let inputs = [INPUT_IDS, TOKEN_TYPES, &word, &position, &segment, &gamma, &beta];
        // The operator has two outputs even where, as here, the second is not used.
        let outputs = ["embedded", "embedded_mask_index"];
        Ok(self.builder.named_node(CONTRIB, "EmbedLayerNormalization", &inputs, &[self.epsilon()], &outputs))
    }

    fn layer(&mut self, layer: usize, input: &str, output: Option<&str>) -> Result<String, Error> {
        let (hidden, wide) = (self.config.hidden_size, self.config.intermediate_size);
        let at = |part: &str| format!("encoder.layer.{layer}.{part}");
        let attended = self.attention(layer, input)?;
        let projected = self.product(&attended, &at("attention.output.dense.weight"), [hidden, hidden])?;
        let bias = self.weight(&at("attention.output.dense.bias"), &[hidden])?;
        let (gamma, beta) = self.layer_norm(&at("attention.output.LayerNorm"))?;
        let attended = self.builder.node(
            CONTRIB,
            "SkipLayerNormalization",
            &[&projected, input, &gamma, &beta, &bias],
            &[self.epsilon()],
        );
        let widened = self.product(&attended, &at("intermediate.dense.weight"), [wide, hidden])?;
        let bias = self.weight(&at("intermediate.dense.bias"), &[wide])?;
        let widened = self.builder.node(CONTRIB, "BiasGelu", &[&widened, &bias], &[]);
        let narrowed = self.product(&widened, &at("output.dense.weight"), [hidden, wide])?;
        let bias = self.weight(&at("output.dense.bias"), &[hidden])?;
        let (gamma, beta) = self.layer_norm(&at("output.LayerNorm"))?;
        let inputs = [narrowed.as_str(), &attended, &gamma, &beta, &bias];
        let name = output.map_or_else(|| format!("layer_{layer}"), str::to_owned);
        Ok(self.builder.named_node(CONTRIB, "SkipLayerNormalization", &inputs, &[self.epsilon()], &[&name]))
    }

    fn attention(&mut self, layer: usize, input: &str) -> Result<String, Error> {
        let hidden = self.config.hidden_size;
        let mut products = Vec::new();
        let mut biases = Vec::new();
        for part in ["query", "key", "value"] {
            let name = format!("encoder.layer.{layer}.attention.self.{part}");
            products.push(self.product(input, &format!("{name}.weight"), [hidden, hidden])?);
            biases.push(self.weight(&format!("{name}.bias"), &[hidden])?);
        }
        let biases: Vec<&str> = biases.iter().map(String::as_str).collect();
        let bias = self.builder.node("", "Concat", &biases, &[("axis", Value::Int(0))]);
        let heads = Value::Int(self.config.num_attention_heads.try_into().unwrap_or(i64::MAX));
        let inputs = [products[0].as_str(), &products[1], &products[2], &bias, ATTENTION_MASK];
        Ok(self.builder.node(CONTRIB, "MultiHeadAttention", &inputs, &[("num_heads", heads)]))
    }

    /// `input × weightᵀ`, which takes the author's `[out, in]` layout as it is.
    fn product(&mut self, input: &str, weight: &str, shape: [usize; 2]) -> Result<String, Error> {
        let weight = self.weight(weight, &shape)?;
        Ok(self.builder.node(CONTRIB, "FusedMatMul", &[input, &weight], &[("transB", Value::Int(1))]))
    }

    /// Names of the two vectors of a layer normalization; old checkpoints call them gamma and beta.
    fn layer_norm(&mut self, name: &str) -> Result<(String, String), Error> {
        let hidden = self.config.hidden_size;
        let is_old = self.builder.weights().has(&format!("{}{name}.gamma", self.prefix));
        let (gamma, beta) = if is_old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok((self.weight(&format!("{name}.{gamma}"), &[hidden])?, self.weight(&format!("{name}.{beta}"), &[hidden])?))
    }

    fn weight(&mut self, name: &str, shape: &[usize]) -> Result<String, Error> {
        self.builder.weight(&format!("{}{name}", self.prefix), shape)
    }

    fn epsilon(&self) -> (&'static str, Value) {
        ("epsilon", Value::Float(self.config.layer_norm_eps))
    }
}

//! `ModernBertModel`: sums in front of the normalization, rotated positions, a gated feed-forward part.

use super::builder::{CONTRIB, GraphBuilder, Value};
use super::distances::Distances;
use super::encoder::{Depth, HEADS_HIDDEN, HIDDEN, declare_inputs, finish};
use super::interface::{Graph, INPUT_IDS};
use super::matmuls::Part;
use super::operators::Attention;
use super::source::Source;
use crate::error::Error;
use crate::package::{ModernBertConfig, Reach};

/// Builds as many layers as asked for, and the normalization behind the last and behind what heads read.
pub fn graph(source: Source, config: &ModernBertConfig, depth: Depth) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["model.", "modernbert.", ""], "embeddings.tok_embeddings.weight")?;
    declare_inputs(&mut builder, false);
    let mut encoder = Encoder { builder, config, global: None, local: None, window: None };
    let word = encoder.builder.weight("embeddings.tok_embeddings.weight", &[config.vocab_size, config.hidden_size])?;
    let word = encoder.builder.node("", "Gather", &[&word, INPUT_IDS], &[("axis", Value::Int(0))]);
    // The sum that runs through all layers, and what the next matmul reads of it.
    let mut sum = encoder.norm("embeddings.norm", &word)?;
    let mut normed = sum.clone();
    for layer in 0..depth.layers {
        let attended = encoder.attention(layer, &normed)?;
        let norm = format!("layers.{layer}.mlp_norm");
        (normed, sum) = encoder.add_and_norm(&norm, (&attended, &sum), &format!("attended_{layer}"))?;
        let gated = encoder.feed_forward(layer, &normed)?;
        if depth.is_for_heads(layer) {
            encoder.add_and_norm("final_norm", (&gated, &sum), HEADS_HIDDEN)?;
        }
        let is_last = layer + 1 == depth.layers;
        let norm = if is_last { "final_norm".to_owned() } else { format!("layers.{}.attn_norm", layer + 1) };
        let output = if is_last { HIDDEN.to_owned() } else { format!("layer_{layer}") };
        (normed, sum) = encoder.add_and_norm(&norm, (&gated, &sum), &output)?;
    }
    Ok(finish(encoder.builder, config.hidden_size, depth))
}

struct Encoder<'w> {
    builder: GraphBuilder<'w>,
    config: &'w ModernBertConfig,
    /// Cosines and sines of the rotation of global layers.
    global: Option<(String, String)>,
    /// Cosines and sines of the rotation of local layers.
    local: Option<(String, String)>,
    /// What hides tokens outside the window of a local layer.
    window: Option<String>,
}

impl Encoder<'_> {
    fn attention(&mut self, layer: usize, input: &str) -> Result<String, Error> {
        let (hidden, heads) = (self.config.hidden_size, self.config.num_attention_heads);
        let module = format!("layers.{layer}.attn.Wqkv");
        let reach = self.config.reach(layer);
        let has_bias = self.config.attention_bias;
        // The three matmuls lie one behind the other in one tensor; taken apart, nothing has to be split.
        let parts = [0, 1, 2].map(|at| Part {
            rows: at * hidden..(at + 1) * hidden,
            has_bias,
            ..Part::bare(&module, [3 * hidden, hidden])
        });
        let parts = self.builder.linears(input, &parts)?;
        let (cosines, sines) = self.rotation(reach);
        let first = self.builder.integers(&[0]);
        let mut rotate =
            |part: &str| self.builder.node(CONTRIB, "RotaryEmbedding", &[part, &first, &cosines, &sines], &[]);
        let (query, key) = (rotate(&parts[0]), rotate(&parts[1]));
        let scores = if reach == Reach::Local { self.window() } else { String::new() };
        let (value, scale) = (&parts[2], None);
        let attention = Attention { query: &query, key: &key, value, bias: "", scores: &scores, heads, scale };
        let attended = self.builder.attend(attention);
        let module = format!("layers.{layer}.attn.Wo");
        let projected = self.builder.linear(&attended, &module, [hidden, hidden])?;
        self.add_bias(&module, &projected, self.config.attention_bias)
    }

    fn feed_forward(&mut self, layer: usize, input: &str) -> Result<String, Error> {
        let (hidden, wide) = (self.config.hidden_size, self.config.intermediate_size);
        let module = format!("layers.{layer}.mlp.Wi");
        let whole = Part { has_bias: self.config.mlp_bias, ..Part::bare(&module, [2 * wide, hidden]) };
        let active = Part { rows: 0..wide, activation: Some(self.config.hidden_activation), ..whole.clone() };
        let gate = Part { rows: wide..2 * wide, ..whole };
        let [active, gate] = self.builder.linears(input, &[active, gate])?;
        let gated = self.builder.node("", "Mul", &[&active, &gate], &[]);
        let module = format!("layers.{layer}.mlp.Wo");
        let narrowed = self.builder.linear(&gated, &module, [hidden, wide])?;
        self.add_bias(&module, &narrowed, self.config.mlp_bias)
    }

    fn add_bias(&mut self, module: &str, input: &str, has_bias: bool) -> Result<String, Error> {
        if !has_bias {
            return Ok(input.to_owned());
        }
        let bias = self.builder.weight(&format!("{module}.bias"), &[self.config.hidden_size])?;
        Ok(self.builder.node("", "Add", &[input, &bias], &[]))
    }

    fn norm(&mut self, module: &str, input: &str) -> Result<String, Error> {
        let (gamma, beta) = self.norm_names(module)?;
        let epsilon = [("axis", Value::Int(-1)), ("epsilon", Value::Float(self.config.norm_eps))];
        let inputs = [input, &gamma, &beta];
        let inputs = if beta.is_empty() { &inputs[..2] } else { &inputs };
        Ok(self.builder.node("", "LayerNormalization", inputs, &epsilon))
    }

    /// The normalized sum of two, and the sum.
    fn add_and_norm(
        &mut self,
        module: &str,
        (one, other): (&str, &str),
        output: &str,
    ) -> Result<(String, String), Error> {
        let (gamma, beta) = self.norm_names(module)?;
        let inputs = [one, other, &gamma, &beta];
        let inputs = if beta.is_empty() { &inputs[..3] } else { &inputs };
        let sum = format!("{output}_sum");
        let epsilon = [("epsilon", Value::Float(self.config.norm_eps))];
        let outputs = [output, "", "", &sum];
        self.builder.named_node(CONTRIB, "SkipLayerNormalization", inputs, &epsilon, &outputs);
        Ok((output.to_owned(), sum))
    }

    fn norm_names(&mut self, module: &str) -> Result<(String, String), Error> {
        let hidden = self.config.hidden_size;
        let gamma = self.builder.weight(&format!("{module}.weight"), &[hidden])?;
        let has_bias = self.config.norm_bias;
        let beta = if has_bias { self.builder.weight(&format!("{module}.bias"), &[hidden])? } else { String::new() };
        Ok((gamma, beta))
    }

    /// Cosines and sines of every position, `[positions, head / 2]`.
    fn rotation(&mut self, reach: Reach) -> (String, String) {
        let made = if reach == Reach::Global { &self.global } else { &self.local };
        if let Some(made) = made {
            return made.clone();
        }
        let (positions, half) =
            (self.config.max_position_embeddings, self.config.hidden_size / self.config.num_attention_heads / 2);
        let angles = angles(self.config.theta(reach), positions, half);
        let kind = if reach == Reach::Global { "global" } else { "local" };
        let cosines: Vec<f32> = angles.iter().map(|angle| angle.cos()).collect();
        let sines: Vec<f32> = angles.iter().map(|angle| angle.sin()).collect();
        let made = (
            self.builder.floats(&format!("{kind}_cosines"), &[positions, half], &cosines),
            self.builder.floats(&format!("{kind}_sines"), &[positions, half], &sines),
        );
        *(if reach == Reach::Global { &mut self.global } else { &mut self.local }) = Some(made.clone());
        made
    }

    /// 0 inside the window and minus infinity outside, `[1, 1, tokens, tokens]`; every token is in its own window.
    fn window(&mut self) -> String {
        if let Some(made) = &self.window {
            return made.clone();
        }
        let longest = self.config.max_position_embeddings;
        let distances = Distances::new(&mut self.builder, longest);
        let window = self.config.window() as u64;
        let table: Vec<f32> = distances
            .all()
            .map(|distance| if distance.unsigned_abs() <= window { 0.0 } else { f32::NEG_INFINITY })
            .collect();
        let table = self.builder.floats("window", &[1, 1, 1, 2 * longest], &table);
        let made = distances.spread(&mut self.builder, &table);
        self.window = Some(made.clone());
        made
    }
}

/// The angle of each position and pair, in the precision of the published code.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "positions and widths are below 2^24, and the published code computes in 32 bits"
)]
fn angles(theta: f64, positions: usize, half: usize) -> Vec<f32> {
    let frequencies: Vec<f32> = (0..half).map(|pair| (1.0 / theta.powf(pair as f64 / half as f64)) as f32).collect();
    (0..positions).flat_map(|position| frequencies.iter().map(move |frequency| position as f32 * frequency)).collect()
}

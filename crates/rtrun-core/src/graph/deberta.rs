//! `DebertaV2Model`: what a query says to a distance and a distance to a key is added to what they say to each other.

use super::builder::{CONTRIB, GraphBuilder, Value};
use super::distances::{Distances, deberta_bucket};
use super::encoder::{Depth, declare_inputs, finish};
use super::interface::{Graph, INPUT_IDS, TOKEN_TYPES};
use super::operators::Attention;
use super::post_norm::{Embedding, LayerNames, PostNorm};
use super::source::Source;
use crate::error::Error;
use crate::package::DebertaConfig;

/// Builds as many layers as asked for.
pub fn graph(source: Source, config: &DebertaConfig, depth: Depth) -> Result<Graph, Error> {
    let mut builder = GraphBuilder::new(source, &["deberta.", ""], "embeddings.word_embeddings.weight")?;
    declare_inputs(&mut builder, config.type_vocab_size > 0);
    let layer = PostNorm {
        hidden: config.hidden_size,
        wide: config.intermediate_size,
        heads: config.num_attention_heads,
        epsilon: config.layer_norm_eps,
        activation: config.hidden_act,
    };
    let mut vectors = embeddings(&mut builder, config, &layer)?;
    let relative = if config.relative_attention { Some(Relative::new(&mut builder, config, &layer)?) } else { None };
    for at in 0..depth.layers {
        let names = names(at);
        let (matmuls, bias) = layer.projections(&mut builder, &names, &vectors)?;
        let scores = match &relative {
            Some(relative) => relative.scores(&mut builder, config, (&names, &matmuls))?,
            None => String::new(),
        };
        let [query, key, value] = &matmuls;
        let (heads, scale) = (layer.heads, Some(scale(config)));
        let attended = builder.attend(Attention { query, key, value, bias: &bias, scores: &scores, heads, scale });
        vectors = layer.rest(&mut builder, &names, (&vectors, &attended), &depth.output_name(at))?;
    }
    Ok(finish(builder, config.hidden_size, depth))
}

/// Words, positions and segments, as far as the configuration has them.
fn embeddings(builder: &mut GraphBuilder, config: &DebertaConfig, layer: &PostNorm) -> Result<String, Error> {
    let (hidden, types) = (config.hidden_size, config.type_vocab_size);
    let word = builder.weight("embeddings.word_embeddings.weight", &[config.vocab_size, hidden])?;
    let segment = match types {
        0 => String::new(),
        types => builder.weight("embeddings.token_type_embeddings.weight", &[types, hidden])?,
    };
    if config.position_biased_input {
        let position =
            builder.weight("embeddings.position_embeddings.weight", &[config.max_position_embeddings, hidden])?;
        let segments = if types > 0 { TOKEN_TYPES } else { "" };
        return layer.embed(builder, Embedding { segments, word: &word, position: &position, segment: &segment });
    }
    let rows = [("axis", Value::Int(0))];
    let mut vectors = builder.node("", "Gather", &[&word, INPUT_IDS], &rows);
    if types > 0 {
        let segments = builder.node("", "Gather", &[&segment, TOKEN_TYPES], &rows);
        vectors = builder.node("", "Add", &[&vectors, &segments], &[]);
    }
    let (gamma, beta) = builder.norm("embeddings.LayerNorm", hidden)?;
    let epsilon = [("axis", Value::Int(-1)), ("epsilon", Value::Float(config.layer_norm_eps))];
    Ok(builder.node("", "LayerNormalization", &[&vectors, &gamma, &beta], &epsilon))
}

/// What scores are multiplied by.
#[allow(clippy::cast_precision_loss, reason = "a head is a few hundred numbers wide")]
fn scale(config: &DebertaConfig) -> f32 {
    let head = config.hidden_size / config.num_attention_heads;
    1.0 / ((head * config.score_parts()) as f32).sqrt()
}

/// The table of distances and which of its rows belongs to which distance.
struct Relative {
    distances: Distances,
    /// The table `[2 · span, hidden]`.
    table: String,
    /// The rows for what queries say to distances, `2 · tokens` of them.
    rows_of_keys: String,
    /// The rows for what distances say to keys.
    rows_of_queries: String,
    /// The shape `[batch, tokens, heads, head]`.
    heads: String,
}

impl Relative {
    fn new(builder: &mut GraphBuilder, config: &DebertaConfig, layer: &PostNorm) -> Result<Self, Error> {
        let (span, hidden) = (config.span(), config.hidden_size);
        let mut table = builder.weight("encoder.rel_embeddings.weight", &[2 * span, hidden])?;
        if config.normalizes_distances() {
            let (gamma, beta) = builder.norm("encoder.LayerNorm", hidden)?;
            let epsilon = [("axis", Value::Int(-1)), ("epsilon", Value::Float(config.layer_norm_eps))];
            table = builder.node("", "LayerNormalization", &[&table, &gamma, &beta], &epsilon);
        }
        let distances = Distances::new(builder, config.max_position_embeddings);
        // A row of the shifted matrix is a query in one case and a key in the other, so distances run in opposite
        // directions. Both count from a key to its query, as the table does.
        let for_keys: Vec<i64> = distances.all().map(|distance| row(config, -distance)).collect();
        let for_queries: Vec<i64> = distances.all().map(|distance| row(config, distance)).collect();
        let (for_keys, for_queries) = (builder.integers(&for_keys), builder.integers(&for_queries));
        let rows_of_keys = distances.part(builder, &for_keys, 0);
        let rows_of_queries = distances.part(builder, &for_queries, 0);
        let head = hidden / layer.heads;
        let size = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let heads = builder.integers(&[0, -1, size(layer.heads), size(head)]);
        Ok(Self { distances, table, rows_of_keys, rows_of_queries, heads })
    }

    /// What a layer adds to its scores, `[batch, heads, tokens, tokens]`; empty if nothing.
    fn scores(
        &self,
        builder: &mut GraphBuilder,
        config: &DebertaConfig,
        (names, [query, key, _]): (&LayerNames, &[String; 3]),
    ) -> Result<String, Error> {
        let shared = config.share_att_key;
        let mut parts = Vec::new();
        if config.content_to_position() {
            let module = if shared { names.key.clone() } else { names.key.replace("key_proj", "pos_key_proj") };
            let positions = self.positions(builder, config, &module, &self.rows_of_keys)?;
            let query = self.split(builder, config, (&names.query, query))?;
            let scores = said(builder, config, &query, &positions);
            parts.push(self.distances.shift(builder, &scores));
        }
        if config.position_to_content() {
            let module = if shared { names.query.clone() } else { names.query.replace("query_proj", "pos_query_proj") };
            let positions = self.positions(builder, config, &module, &self.rows_of_queries)?;
            let key = self.split(builder, config, (&names.key, key))?;
            let scores = said(builder, config, &key, &positions);
            let scores = self.distances.shift(builder, &scores);
            parts.push(builder.node("", "Transpose", &[&scores], &[("perm", Value::Ints(vec![0, 1, 3, 2]))]));
        }
        Ok(match parts.as_slice() {
            [one, other] => builder.node("", "Add", &[one, other], &[]),
            [one] => one.clone(),
            _ => String::new(),
        })
    }

    /// The projected rows of the distances of this forward, `[1, heads, 2 · tokens, head]`. All but the choice of rows
    /// is computed once, at load.
    fn positions(
        &self,
        builder: &mut GraphBuilder,
        config: &DebertaConfig,
        module: &str,
        rows: &str,
    ) -> Result<String, Error> {
        let (hidden, span) = (config.hidden_size, config.span());
        let weight = builder.weight(&format!("{module}.weight"), &[hidden, hidden])?;
        let bias = builder.weight(&format!("{module}.bias"), &[hidden])?;
        // A standard operator: the library computes none of its own at load.
        let table = builder.node("", "Gemm", &[&self.table, &weight, &bias], &[("transB", Value::Int(1))]);
        let one = builder.integers(&[0]);
        let table = builder.node("", "Unsqueeze", &[&table, &one], &[]);
        let table = self.by_head(builder, &table);
        builder.count_memory(4 * 2 * (span * hidden) as u64);
        Ok(builder.node("", "Gather", &[&table, rows], &[("axis", Value::Int(2))]))
    }

    /// A linear layer with its bias, `[batch, heads, tokens, head]`.
    fn split(
        &self,
        builder: &mut GraphBuilder,
        config: &DebertaConfig,
        (module, matmul): (&str, &str),
    ) -> Result<String, Error> {
        let bias = builder.weight(&format!("{module}.bias"), &[config.hidden_size])?;
        let sum = builder.node("", "Add", &[matmul, &bias], &[]);
        Ok(self.by_head(builder, &sum))
    }

    fn by_head(&self, builder: &mut GraphBuilder, input: &str) -> String {
        let heads = builder.node("", "Reshape", &[input, &self.heads], &[]);
        builder.node("", "Transpose", &[&heads], &[("perm", Value::Ints(vec![0, 2, 1, 3]))])
    }
}

/// Scores of contents against distances, `[batch, heads, tokens, 2 · tokens]`.
fn said(builder: &mut GraphBuilder, config: &DebertaConfig, contents: &str, positions: &str) -> String {
    let attributes = [("transB", Value::Int(1)), ("alpha", Value::Float(scale(config)))];
    builder.node(CONTRIB, "FusedMatMul", &[contents, positions], &attributes)
}

/// The row of the table for how far a query is behind a key.
fn row(config: &DebertaConfig, distance: i64) -> i64 {
    let span = i64::try_from(config.span()).unwrap_or(i64::MAX);
    let bucket = match config.buckets() {
        Some(buckets) => deberta_bucket(distance, buckets, config.largest_distance()),
        None => distance,
    };
    (bucket + span).clamp(0, 2 * span - 1)
}

fn names(layer: usize) -> LayerNames {
    let at = |part: &str| format!("encoder.layer.{layer}.{part}");
    LayerNames {
        query: at("attention.self.query_proj"),
        key: at("attention.self.key_proj"),
        value: at("attention.self.value_proj"),
        ..LayerNames::bert(layer)
    }
}

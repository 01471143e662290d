//! What responses of several surfaces have in common.

use std::time::Duration;

use serde::Serialize;

use crate::error::Error;
use crate::families::ReadInput;
use crate::serve::reply::ErrorEntry;
use crate::task::{AnsweredBy, Phases, Usage};

/// How much of an input was read.
#[derive(Serialize)]
pub struct InputEntry {
    tokens: usize,
    special_tokens: usize,
    unknown_tokens: usize,
    processed_tokens: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "is_false")]
    tokens_lower_bound: bool,
    #[serde(skip_serializing_if = "is_one")]
    windows: usize,
}

/// Tokens of a task.
#[derive(Serialize)]
pub struct UsageEntry {
    input_tokens: usize,
    output_tokens: usize,
    #[serde(skip_serializing_if = "is_false")]
    tokens_lower_bound: bool,
}

/// What computed an answer and how long it took.
#[derive(Serialize)]
pub struct Meta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<&'a str>,
    model_sha256: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_sha256: Option<&'a str>,
    profile: &'a str,
    engine: &'a str,
    device: &'a str,
    timings: Timings,
    #[serde(skip_serializing_if = "Option::is_none")]
    representation: Option<Representation<'a>>,
}

#[derive(Serialize)]
struct Timings {
    tokenize_ms: f64,
    queue_ms: f64,
    forward_ms: f64,
    post_ms: f64,
}

/// Identifies a vector space: vectors compare only where all of it is equal.
#[derive(Serialize)]
pub struct Representation<'a> {
    pub model_sha256: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    pub dimension: usize,
    pub normalized: bool,
    pub modality: &'static str,
}

/// The entries of an item: how much was read, its value, or its error.
pub type Parts<'a, T> = (Option<InputEntry>, Option<&'a T>, Option<ErrorEntry<'a>>);

/// Takes an item apart.
pub fn parts<T>(item: &Result<(ReadInput, T), Error>) -> Parts<'_, T> {
    match item {
        Ok((input, value)) => (Some(InputEntry::from(*input)), Some(value), None),
        Err(error) => (None, None, Some(error.into())),
    }
}

impl<'a> Meta<'a> {
    /// Of an answer.
    pub fn new(model: &'a AnsweredBy, phases: &Phases, representation: Option<Representation<'a>>) -> Self {
        let milliseconds = |took: Duration| (took.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            revision: model.revision.as_deref(),
            model_sha256: &model.model_sha256,
            manifest_sha256: model.manifest_sha256.as_deref(),
            profile: model.profile,
            engine: model.engine,
            device: &model.device,
            timings: Timings {
                tokenize_ms: milliseconds(phases.tokenize),
                queue_ms: milliseconds(phases.queue),
                forward_ms: milliseconds(phases.forward),
                post_ms: milliseconds(phases.post),
            },
            representation,
        }
    }
}

impl From<ReadInput> for InputEntry {
    fn from(input: ReadInput) -> Self {
        Self {
            tokens: input.tokens,
            special_tokens: input.special_tokens,
            unknown_tokens: input.unknown_tokens,
            processed_tokens: input.processed_tokens,
            truncated: input.truncated,
            tokens_lower_bound: input.is_lower_bound,
            windows: input.windows,
        }
    }
}

impl From<Usage> for UsageEntry {
    fn from(usage: Usage) -> Self {
        Self { input_tokens: usage.tokens, output_tokens: 0, tokens_lower_bound: usage.is_lower_bound }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
pub fn is_false(value: &bool) -> bool {
    !value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_one(value: &usize) -> bool {
    *value == 1
}

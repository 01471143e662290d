//! The answer to an embeddings task, in the shape of chat-completions providers.

use serde::Serialize;

use super::parts::{InputEntry, Meta, Representation, is_false, parts};
use crate::serve::encode::Vector;
use crate::serve::reply::ErrorEntry;
use crate::serve::requests::Shown;
use crate::task::{EmbeddingsAnswer, Phases, Usage};

/// The body.
#[derive(Serialize)]
pub struct EmbeddingsResponse<'a> {
    object: &'static str,
    data: Vec<EmbeddingItem<'a>>,
    model: &'a str,
    usage: EmbeddingsUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Serialize)]
struct EmbeddingItem<'a> {
    object: &'static str,
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Vector<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<InputEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorEntry<'a>>,
}

#[derive(Serialize)]
struct EmbeddingsUsage {
    prompt_tokens: usize,
    total_tokens: usize,
    #[serde(skip_serializing_if = "is_false")]
    tokens_lower_bound: bool,
}

impl<'a> EmbeddingsResponse<'a> {
    /// Writes an answer as it was asked for.
    pub fn new(answer: &'a EmbeddingsAnswer, shown: &Shown, phases: &Phases) -> Self {
        let data = answer.items.iter().enumerate().map(|(index, item)| {
            let (input, vector, error) = parts(item);
            let embedding = vector.map(|vector| Vector { values: vector, format: shown.format });
            EmbeddingItem { object: "embedding", index, embedding, input, error }
        });
        let Usage { tokens, is_lower_bound } = answer.usage;
        let representation = Representation {
            model_sha256: &answer.model.model_sha256,
            layer: answer.layer,
            dimension: answer.dimension,
            normalized: answer.normalized,
            modality: answer.modality.as_str(),
        };
        Self {
            object: "list",
            data: data.collect(),
            model: &answer.model.name,
            usage: EmbeddingsUsage { prompt_tokens: tokens, total_tokens: tokens, tokens_lower_bound: is_lower_bound },
            meta: shown.meta.then(|| Meta::new(&answer.model, phases, Some(representation))),
        }
    }
}

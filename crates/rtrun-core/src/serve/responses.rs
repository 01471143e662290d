//! Response bodies.

use serde::{Serialize, Serializer};

use super::encode::Vector;
use super::reply::ErrorEntry;
use super::requests::Shown;
use crate::error::Error;
use crate::package::HeadKind;
use crate::task::{AnsweredBy, ClassifyAnswer, EmbeddingsAnswer, ItemInput, Phases, TaskAnswer, TaskOutcome, Usage};

/// The answer to an embeddings task.
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

/// The answer to a classify task.
#[derive(Serialize)]
pub struct ClassifyResponse<'a> {
    model: &'a str,
    head: &'a str,
    kind: &'static str,
    labels: &'a [String],
    results: Vec<ClassifyItem<'a>>,
    usage: ClassifyUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Serialize)]
struct ClassifyItem<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<&'a [f32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<InputEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorEntry<'a>>,
}

#[derive(Serialize)]
struct ClassifyUsage {
    input_tokens: usize,
    output_tokens: usize,
    #[serde(skip_serializing_if = "is_false")]
    tokens_lower_bound: bool,
}

#[derive(Serialize)]
struct InputEntry {
    tokens: usize,
    processed_tokens: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "is_false")]
    tokens_lower_bound: bool,
}

/// What computed an answer and how long it took.
#[derive(Serialize)]
struct Meta<'a> {
    model_sha256: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_sha256: Option<&'a str>,
    profile: &'a str,
    engine: &'a str,
    device: &'static str,
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
struct Representation<'a> {
    model_sha256: &'a str,
    dimension: usize,
    normalized: bool,
    modality: &'static str,
}

/// The answer to a bundle.
#[derive(Serialize)]
pub struct BundleResponse<'a> {
    /// One result a task, in task order.
    pub results: Vec<BundleResult<'a>>,
}

/// The result of one task.
#[derive(Serialize)]
pub struct BundleResult<'a> {
    id: &'a str,
    status: u16,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Classify(ClassifyResponse<'a>),
    Embeddings(EmbeddingsResponse<'a>),
    Error(ErrorEntry<'a>),
}

/// The response of one task on its own.
pub enum TaskResponse<'a> {
    /// Of a classify task.
    Classify(ClassifyResponse<'a>),
    /// Of an embeddings task.
    Embeddings(EmbeddingsResponse<'a>),
}

impl<'a> TaskResponse<'a> {
    /// Writes an answer as it was asked for.
    pub fn new(answer: &'a TaskAnswer, shown: Shown, phases: &Phases) -> Self {
        match answer {
            TaskAnswer::Classify(answer) => Self::Classify(classify(answer, shown, phases)),
            TaskAnswer::Embeddings(answer) => Self::Embeddings(embeddings(answer, shown, phases)),
        }
    }
}

impl Serialize for TaskResponse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Classify(response) => response.serialize(serializer),
            Self::Embeddings(response) => response.serialize(serializer),
        }
    }
}

impl<'a> BundleResult<'a> {
    /// Writes an outcome as it was asked for.
    pub fn new(outcome: &'a TaskOutcome, shown: Shown, phases: &Phases) -> Self {
        let (status, entry) = match &outcome.result {
            Ok(answer) => match TaskResponse::new(answer, shown, phases) {
                TaskResponse::Classify(response) => (200, Outcome::Classify(response)),
                TaskResponse::Embeddings(response) => (200, Outcome::Embeddings(response)),
            },
            Err(error) => (error.status(), Outcome::Error(error.into())),
        };
        Self { id: &outcome.id, status, outcome: entry }
    }
}

fn embeddings<'a>(answer: &'a EmbeddingsAnswer, shown: Shown, phases: &Phases) -> EmbeddingsResponse<'a> {
    let item = |(index, item): (usize, &'a Result<(ItemInput, _), Error>)| {
        let (input, vector, error) = parts(item);
        let embedding = vector.map(|vector| Vector { values: vector, format: shown.format });
        EmbeddingItem { object: "embedding", index, embedding, input, error }
    };
    let Usage { tokens, is_lower_bound } = answer.usage;
    let representation = Representation {
        model_sha256: &answer.model.model_sha256,
        dimension: answer.dimension,
        normalized: answer.normalized,
        modality: "text",
    };
    EmbeddingsResponse {
        object: "list",
        data: answer.items.iter().enumerate().map(item).collect(),
        model: &answer.model.name,
        usage: EmbeddingsUsage { prompt_tokens: tokens, total_tokens: tokens, tokens_lower_bound: is_lower_bound },
        meta: shown.meta.then(|| meta(&answer.model, phases, Some(representation))),
    }
}

fn classify<'a>(answer: &'a ClassifyAnswer, shown: Shown, phases: &Phases) -> ClassifyResponse<'a> {
    let item = |(index, item): (usize, &'a Result<(ItemInput, Vec<f32>), Error>)| {
        let (input, probabilities, error) = parts(item);
        let values = probabilities.map(Vec::as_slice);
        let is_scores = answer.kind == HeadKind::Scores;
        ClassifyItem {
            index,
            label: values.and_then(likeliest).map(|at| answer.labels[at].as_str()),
            probabilities: values,
            scores: values.filter(|_| is_scores),
            selected: values.filter(|_| is_scores).map(|values| selected(answer, values)),
            input,
            error,
        }
    };
    let Usage { tokens, is_lower_bound } = answer.usage;
    ClassifyResponse {
        model: &answer.model.name,
        head: &answer.head,
        kind: answer.kind.as_str(),
        labels: &answer.labels,
        results: answer.items.iter().enumerate().map(item).collect(),
        usage: ClassifyUsage { input_tokens: tokens, output_tokens: 0, tokens_lower_bound: is_lower_bound },
        meta: shown.meta.then(|| meta(&answer.model, phases, None)),
    }
}

type Parts<'a, T> = (Option<InputEntry>, Option<&'a T>, Option<ErrorEntry<'a>>);

fn parts<T>(item: &Result<(ItemInput, T), Error>) -> Parts<'_, T> {
    match item {
        Ok((input, value)) => (Some(InputEntry::from(*input)), Some(value), None),
        Err(error) => (None, None, Some(error.into())),
    }
}

fn meta<'a>(model: &'a AnsweredBy, phases: &Phases, representation: Option<Representation<'a>>) -> Meta<'a> {
    let milliseconds = |took: std::time::Duration| (took.as_secs_f64() * 1e6).round() / 1e3;
    Meta {
        model_sha256: &model.model_sha256,
        manifest_sha256: model.manifest_sha256.as_deref(),
        profile: model.profile,
        engine: model.engine,
        device: "cpu",
        timings: Timings {
            tokenize_ms: milliseconds(phases.tokenize),
            queue_ms: milliseconds(phases.queue),
            forward_ms: milliseconds(phases.forward),
            post_ms: milliseconds(phases.post),
        },
        representation,
    }
}

impl From<ItemInput> for InputEntry {
    fn from(input: ItemInput) -> Self {
        Self {
            tokens: input.tokens,
            processed_tokens: input.processed_tokens,
            truncated: input.truncated,
            tokens_lower_bound: input.is_lower_bound,
        }
    }
}

/// The first of the largest values.
fn likeliest(values: &[f32]) -> Option<usize> {
    (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best })
}

fn selected<'a>(answer: &'a ClassifyAnswer, values: &[f32]) -> Vec<&'a str> {
    let labels = answer.labels.iter().zip(values);
    labels.filter(|(_, value)| **value >= answer.threshold).map(|(label, _)| label.as_str()).collect()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(value: &bool) -> bool {
    !value
}

//! Response bodies.

mod bundle;
mod classify;
mod decisions;
mod embeddings;
mod parts;
mod rerank;

use serde::{Serialize, Serializer};

pub use bundle::{BundleResponse, BundleResult};
use classify::ClassifyResponse;
use decisions::AnsweredDecisions;
use embeddings::EmbeddingsResponse;
use rerank::RerankResponse;

use super::requests::Shown;
use crate::task::{Phases, TaskAnswer};

/// The response of one task on its own.
pub enum TaskResponse<'a> {
    /// Of a classify task.
    Classify(ClassifyResponse<'a>),
    /// Of an embeddings task.
    Embeddings(EmbeddingsResponse<'a>),
    /// Of a rerank task.
    Rerank(RerankResponse<'a>),
    /// Of a decisions task.
    Decisions(AnsweredDecisions<'a>),
}

impl<'a> TaskResponse<'a> {
    /// Writes an answer as it was asked for.
    pub fn new(answer: &'a TaskAnswer, shown: &'a Shown, phases: &Phases) -> Self {
        match answer {
            TaskAnswer::Classify(answer) => Self::Classify(ClassifyResponse::new(answer, shown, phases)),
            TaskAnswer::Embeddings(answer) => Self::Embeddings(EmbeddingsResponse::new(answer, shown, phases)),
            TaskAnswer::Rerank(answer) => Self::Rerank(RerankResponse::new(answer, shown, phases)),
            TaskAnswer::Decisions(answer) => Self::Decisions(AnsweredDecisions::new(answer, shown, phases)),
        }
    }
}

impl Serialize for TaskResponse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Classify(response) => response.serialize(serializer),
            Self::Embeddings(response) => response.serialize(serializer),
            Self::Rerank(response) => response.serialize(serializer),
            Self::Decisions(response) => response.serialize(serializer),
        }
    }
}

//! The answer to a bundle.

use serde::Serialize;

use super::TaskResponse;
use super::classify::ClassifyResponse;
use super::decisions::AnsweredDecisions;
use super::embeddings::EmbeddingsResponse;
use super::rerank::RerankResponse;
use crate::error::Error;
use crate::serve::reply::ErrorEntry;
use crate::serve::requests::Shown;
use crate::task::{Phases, TaskOutcome};

/// The body.
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
    Rerank(RerankResponse<'a>),
    Decisions(AnsweredDecisions<'a>),
    Error(ErrorEntry<'a>),
}

impl<'a> BundleResult<'a> {
    /// The result of a task that could not be read.
    pub fn failed(id: &'a str, error: &'a Error) -> Self {
        Self { id, status: error.status(), outcome: Outcome::Error(error.into()) }
    }

    /// Writes an outcome as it was asked for.
    pub fn new(outcome: &'a TaskOutcome, shown: &'a Shown, phases: &Phases) -> Self {
        let (status, entry) = match &outcome.result {
            Ok(answer) => match TaskResponse::new(answer, shown, phases) {
                TaskResponse::Classify(response) => (200, Outcome::Classify(response)),
                TaskResponse::Embeddings(response) => (200, Outcome::Embeddings(response)),
                TaskResponse::Rerank(response) => (200, Outcome::Rerank(response)),
                TaskResponse::Decisions(response) => (200, Outcome::Decisions(response)),
            },
            Err(error) => return Self::failed(&outcome.id, error),
        };
        Self { id: &outcome.id, status, outcome: entry }
    }
}

//! Behind the queue: from the vectors of a model to the outcome of each task.

use std::sync::Arc;

use super::prepare::{ModelWork, PreparedTask};
use crate::error::Error;
use crate::model::LoadedModel;
use crate::schedule::CachedRow;
use crate::task::{AnsweredBy, ClassifyAnswer, EmbeddingsAnswer, ItemInput, TaskAnswer, TaskKind, TaskOutcome, Usage};

/// What one model computed for a bundle.
pub struct Rows {
    pub model: Arc<LoadedModel>,
    /// Per text its row; an error instead if none of them was admitted or answered.
    pub rows: Result<Vec<Result<CachedRow, Error>>, Error>,
}

impl Rows {
    /// The rows of a model that took none.
    pub fn refused(work: ModelWork, error: Error) -> Self {
        Self { model: work.model, rows: Err(error) }
    }
}

/// The outcome of a task.
pub fn outcome(task: PreparedTask, answers: &[Rows]) -> TaskOutcome {
    let PreparedTask { id, kind, place } = task;
    let result = place.and_then(|(work, texts)| {
        let Rows { model, rows } = &answers[work];
        let rows = rows.as_ref().map_err(Clone::clone)?;
        let items: Vec<&Result<CachedRow, Error>> = texts.iter().map(|text| &rows[*text]).collect();
        // Items can miss a deadline one by one; a task of which nothing is left has missed it itself.
        if let Some(error @ Error::DeadlineExceeded(_)) = all_failed(&items) {
            return Err(error.clone());
        }
        answer(model, &kind, &items)
    });
    TaskOutcome { id, result }
}

fn all_failed<'r>(items: &[&'r Result<CachedRow, Error>]) -> Option<&'r Error> {
    let is_late = |item: &&&Result<CachedRow, Error>| matches!(item, Err(Error::DeadlineExceeded(_)));
    if items.iter().all(|item| item.is_err()) { items.iter().find(is_late)?.as_ref().err() } else { None }
}

fn answer(model: &LoadedModel, kind: &TaskKind, items: &[&Result<CachedRow, Error>]) -> Result<TaskAnswer, Error> {
    let mut usage = Usage::default();
    items.iter().filter_map(|item| item.as_ref().ok()).for_each(|row| usage.add(input(row)));
    match kind {
        TaskKind::Classify { head } => {
            let head = model.head(head.as_deref())?;
            let probabilities = |row: &CachedRow| {
                let probabilities = model.family.classify(head, &row.vector);
                if probabilities.iter().all(|value| value.is_finite()) {
                    Ok((input(row), probabilities))
                } else {
                    Err(Error::InvalidModelOutput("The head answered with a number that is not finite".to_owned()))
                }
            };
            Ok(TaskAnswer::Classify(ClassifyAnswer {
                model: answered_by(model),
                head: head.name.clone(),
                kind: head.kind,
                labels: head.labels.clone(),
                threshold: head.threshold,
                items: items.iter().map(|item| item.as_ref().map_err(Clone::clone).and_then(probabilities)).collect(),
                usage,
            }))
        }
        TaskKind::Embeddings { .. } => {
            let card = model.family.embedding();
            let card =
                card.ok_or_else(|| Error::Internal("A checked task lost its surface; this is a bug".to_owned()))?;
            let vector = |row: &CachedRow| (input(row), Arc::clone(&row.vector));
            Ok(TaskAnswer::Embeddings(EmbeddingsAnswer {
                model: answered_by(model),
                dimension: card.dimension,
                normalized: card.normalized,
                items: items.iter().map(|item| item.as_ref().map(vector).map_err(Clone::clone)).collect(),
                usage,
            }))
        }
        TaskKind::NotYet { surface } => Err(Error::UnsupportedSurface(format!("{surface} is not supported yet"))),
    }
}

fn input(row: &CachedRow) -> ItemInput {
    ItemInput {
        tokens: row.tokens,
        processed_tokens: row.processed_tokens,
        truncated: row.truncated,
        is_lower_bound: row.is_lower_bound,
    }
}

fn answered_by(model: &LoadedModel) -> AnsweredBy {
    AnsweredBy {
        name: model.name.clone(),
        model_sha256: model.model_sha256.clone(),
        manifest_sha256: model.manifest_sha256.clone(),
        profile: model.profile,
        engine: model.engine,
    }
}

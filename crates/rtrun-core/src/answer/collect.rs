//! Behind the queue: from the answers to items to the outcome of each task.

use std::sync::Arc;

use super::item::{Answered, ItemAnswer};
use super::prepare::{Place, PreparedState, PreparedSurface, PreparedTask};
use crate::error::Error;
use crate::families::ReadInput;
use crate::model::LoadedModel;
use crate::task::{
    AnsweredBy, ClassifyAnswer, DecisionsAnswer, EmbeddingsAnswer, RerankAnswer, StateAnswer, TaskAnswer, TaskOutcome,
    Usage,
};

/// What one model answered for a bundle.
pub struct Answers {
    pub model: Arc<LoadedModel>,
    /// Per item its answer; an error instead if none of them was admitted or answered.
    pub items: Result<Vec<Result<Answered, Error>>, Error>,
}

/// The outcome of a task.
pub fn outcome(task: PreparedTask, answers: &[Answers]) -> TaskOutcome {
    let PreparedTask { id, place } = task;
    let result = place.and_then(|Place { work, surface }| {
        let Answers { model, items } = &answers[work];
        let items = items.as_ref().map_err(Clone::clone)?;
        let taken = Taken { model, items };
        match surface {
            PreparedSurface::Classify { head, threshold, items } => {
                let (items, usage) = taken.all(&items, |answer| match answer {
                    ItemAnswer::Classified(classified) => Some(Arc::clone(classified)),
                    _ => None,
                })?;
                Ok(TaskAnswer::Classify(ClassifyAnswer {
                    model: answered_by(model),
                    head: head.name.clone(),
                    kind: head.kind,
                    labels: head.labels.clone(),
                    thresholds: threshold.map_or_else(|| head.thresholds.clone(), |one| vec![one; head.labels.len()]),
                    items,
                    usage,
                }))
            }
            PreparedSurface::Embeddings { plan, modality, items } => {
                let (items, usage) = taken.all(&items, |answer| match answer {
                    ItemAnswer::Vector(vector) => Some(Arc::clone(vector)),
                    _ => None,
                })?;
                Ok(TaskAnswer::Embeddings(EmbeddingsAnswer {
                    model: answered_by(model),
                    dimension: plan.dimension,
                    normalized: plan.normalized,
                    layer: plan.layer,
                    modality,
                    items,
                    usage,
                }))
            }
            PreparedSurface::Rerank { documents, items } => {
                let (items, usage) = taken.all(&items, |answer| match answer {
                    ItemAnswer::Relevance(relevance) => Some(*relevance),
                    _ => None,
                })?;
                Ok(TaskAnswer::Rerank(RerankAnswer { model: answered_by(model), documents, items, usage }))
            }
            PreparedSurface::Decisions { states } => {
                let states = states.into_iter().map(|state| taken.state(state)).collect::<Result<Vec<_>, _>>()?;
                Ok(TaskAnswer::Decisions(DecisionsAnswer { model: answered_by(model), states }))
            }
        }
    });
    TaskOutcome { id, result }
}

/// The items that one task takes its answers from.
struct Taken<'a> {
    model: &'a LoadedModel,
    items: &'a [Result<Answered, Error>],
}

type Items<T> = Vec<Result<(ReadInput, T), Error>>;

impl Taken<'_> {
    fn all<T>(&self, items: &[usize], pick: impl Fn(&ItemAnswer) -> Option<T>) -> Result<(Items<T>, Usage), Error> {
        let mut usage = Usage::default();
        let picked = items.iter().map(|item| {
            let answered = self.items[*item].as_ref().map_err(Clone::clone)?;
            usage.add(answered.input);
            pick(&answered.answer).map(|answer| (answered.input, answer)).ok_or_else(lost)
        });
        let picked: Items<T> = picked.collect();
        missed_as_a_whole(&picked)?;
        Ok((picked, usage))
    }

    fn state(&self, state: PreparedState) -> Result<StateAnswer, Error> {
        let PreparedState { asked, places } = state;
        let mut usage = Usage::default();
        let mut counted = Vec::new();
        let mut cut = vec![false; places.len()];
        let answers = places.into_iter().zip(&mut cut).map(|(place, is_cut)| {
            let (item, at) = place?;
            let answered = self.items[item].as_ref().map_err(Clone::clone)?;
            // Questions that were read together are counted once.
            if !counted.contains(&item) {
                counted.push(item);
                usage.add(answered.input);
            }
            match &answered.answer {
                ItemAnswer::Answers { answers, cut } => {
                    *is_cut = cut.get(at).copied().unwrap_or(false);
                    answers.get(at).cloned().unwrap_or_else(|| Err(lost()))
                }
                _ => Err(lost()),
            }
        });
        let answers: Vec<_> = answers.collect();
        if answers.iter().all(Result::is_err) {
            let late = answers.iter().find(|answer| matches!(answer, Err(Error::DeadlineExceeded(_))));
            if let Some(Err(error)) = late {
                return Err(error.clone());
            }
        }
        tracing::trace!(model = %self.model.name, questions = answers.len(), "answered");
        Ok(StateAnswer { asked, answers, cut, usage })
    }
}

/// Items can miss a deadline one by one; a task of which nothing is left has missed it itself.
fn missed_as_a_whole<T>(items: &Items<T>) -> Result<(), Error> {
    if items.iter().any(Result::is_ok) {
        return Ok(());
    }
    let late = items.iter().find(|item| matches!(item, Err(Error::DeadlineExceeded(_))));
    match late {
        Some(Err(error)) => Err(error.clone()),
        _ => Ok(()),
    }
}

fn lost() -> Error {
    Error::Internal("A checked task lost its surface; this is a bug".to_owned())
}

fn answered_by(model: &LoadedModel) -> AnsweredBy {
    AnsweredBy {
        name: model.name.clone(),
        revision: model.revision.clone(),
        model_sha256: model.digests.model.clone(),
        manifest_sha256: model.manifest_sha256.clone(),
        profile: model.profile.served,
        engine: model.engine,
        device: model.device.clone(),
    }
}

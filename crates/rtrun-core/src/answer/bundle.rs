//! The way of a bundle from its tasks to their outcomes.

use std::sync::Arc;
use std::time::Instant;

use super::collect::{Answers, outcome};
use super::item::{Answered, Planned};
use super::prepare::{ModelWork, Place, Source, sort};
use crate::engine::Engine;
use crate::engines::{RowOutput, RowRequest};
use crate::error::Error;
use crate::faults::FaultPlace;
use crate::schedule::{GroupAnswer, RowAnswer, Terms, Ticket};
use crate::task::{BundleAnswer, BundleOptions, Phases, Task};

/// Answers a bundle. The rows of all tasks of one model are admitted, or refused, together.
pub async fn bundle(engine: &Arc<Engine>, tasks: Vec<Task>, options: BundleOptions) -> BundleAnswer {
    let start = Instant::now();
    let (mut prepared, batches) = sort(engine, tasks);
    let mut works = Vec::with_capacity(batches.len());
    for batch in batches {
        let places = batch.places();
        match batch.prepare(engine, options.deadline).await {
            Ok((surfaces, work)) => {
                for (at, surface) in surfaces {
                    prepared[at].place = surface.map(|surface| Place { work: works.len(), surface });
                }
                works.push(work);
            }
            Err(error) => places.into_iter().for_each(|at| prepared[at].place = Err(error.clone())),
        }
    }
    let mut phases = Phases { tokenize: start.elapsed(), ..Phases::default() };
    let submitted: Vec<Submitted> = works.into_iter().map(|work| Submitted::new(work, options)).collect();
    let mut waited = Vec::with_capacity(submitted.len());
    let mut last = start;
    for submitted in submitted {
        let done = submitted.wait(engine, options.deadline).await;
        if let Ok(Some((answer, at))) = &done.answer
            && *at >= last
        {
            last = *at;
            (phases.queue, phases.forward) = (answer.queue, answer.forward);
        }
        waited.push(done);
    }
    engine.options().faults.at(FaultPlace::Answering);
    let post = Instant::now();
    let answers: Vec<Answers> = waited.into_iter().map(Done::finish).collect();
    let outcomes = prepared.into_iter().map(|task| outcome(task, &answers)).collect();
    phases.post = post.elapsed();
    BundleAnswer { outcomes, phases }
}

struct Submitted {
    work: ModelWork,
    /// `None` if every result was kept or failed already.
    ticket: Option<Result<Ticket, Error>>,
}

impl Submitted {
    fn new(mut work: ModelWork, BundleOptions { deadline, source }: BundleOptions) -> Self {
        if let Some(error) = work.refused.take() {
            return Self { work, ticket: Some(Err(error)) };
        }
        let rows: Vec<RowRequest> = work
            .items
            .iter_mut()
            .filter_map(|item| match &mut item.source {
                Ok(Source::Planned(planned)) => Some(std::mem::take(&mut planned.rows)),
                _ => None,
            })
            .flatten()
            .collect();
        let place = work.place.take();
        let terms = Terms { deadline, source };
        let ticket = (!rows.is_empty()).then(|| match place {
            Some(place) => place.submit(&rows, terms),
            None => work.model.worker.submit(&rows, terms),
        });
        Self { work, ticket }
    }

    async fn wait(self, engine: &Engine, deadline: Option<Instant>) -> Done {
        let Self { work, ticket } = self;
        let answer = match ticket {
            None => Ok(None),
            Some(Err(error)) => Err(error),
            Some(Ok(ticket)) => ticket.wait(deadline).await.map(Some),
        };
        if let Ok(Some((answer, _))) = &answer {
            engine.metrics().queued(&work.model.name, answer.queue);
        }
        Done { work, answer }
    }
}

struct Done {
    work: ModelWork,
    answer: Result<Option<(GroupAnswer, Instant)>, Error>,
}

impl Done {
    /// Makes answers of outputs, and keeps them.
    fn finish(self) -> Answers {
        let Self { work, answer } = self;
        let model = work.model;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Answers { model, items: Err(error) },
        };
        let mut outputs = answer.into_iter().flat_map(|(answer, _)| answer.rows);
        let items = work.items.into_iter().map(|item| match item.source? {
            Source::Kept(kept) => Ok(kept),
            Source::Planned(Planned { input, finish, .. }) => {
                let rows: Vec<RowAnswer> = outputs.by_ref().take(input.windows).collect();
                let rows = rows.into_iter().map(|row| row.map(Arc::new)).collect::<Result<Vec<Arc<RowOutput>>, _>>()?;
                let answered = Answered { input, answer: finish(&rows)? };
                model.cache.put(item.key, answered.clone(), answered.bytes());
                Ok(answered)
            }
        });
        let items = items.collect();
        Answers { items: Ok(items), model }
    }
}

//! The way of a bundle from its tasks to their outcomes.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;

use super::collect::{Answers, outcome};
use super::item::{Answered, Planned};
use super::pace::{Pace, in_turns};
use super::prepare::{Batch, ModelWork, Place, PreparedSurface, Source, sort};
use crate::caught::caught;
use crate::engine::Engine;
use crate::engines::{RowOutput, RowRequest};
use crate::error::Error;
use crate::faults::{FaultPlace, Faults};
use crate::schedule::{GroupAnswer, RowAnswer, Terms, Ticket};
use crate::task::{BundleAnswer, BundleOptions, Phases, Task};

/// Answers a bundle. The rows of all tasks of one model are admitted, or refused, together; models are asked side by side,
/// so that none waits for what another one reads.
pub async fn bundle(engine: &Arc<Engine>, tasks: Vec<Task>, options: BundleOptions) -> BundleAnswer {
    let start = Instant::now();
    let (mut prepared, batches) = sort(engine, tasks);
    let places: Vec<Vec<usize>> = batches.iter().map(Batch::places).collect();
    let asked = join_all(batches.into_iter().map(|batch| caught(ask(engine, batch, options)))).await;
    let mut phases = Phases::default();
    let mut answers = Vec::with_capacity(asked.len());
    let mut last = start;
    for (places, asked) in places.into_iter().zip(asked) {
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => {
                for at in places {
                    prepared[at].place = Err(error.clone());
                }
                continue;
            }
        };
        for (at, surface) in asked.surfaces {
            prepared[at].place = surface.map(|surface| Place { work: answers.len(), surface });
        }
        answers.push(asked.answers);
        phases.tokenize = phases.tokenize.max(asked.phases.tokenize);
        phases.post = phases.post.max(asked.phases.post);
        // The caller waited for the model that answered last.
        if let Some(at) = asked.at.filter(|at| *at >= last) {
            last = at;
            (phases.queue, phases.forward) = (asked.phases.queue, asked.phases.forward);
        }
    }
    let post = Instant::now();
    let outcomes = prepared.into_iter().map(|task| outcome(task, &answers)).collect();
    phases.post += post.elapsed();
    BundleAnswer { outcomes, phases }
}

/// What one model gave for a bundle.
struct Asked {
    /// The tasks by their places in the bundle.
    surfaces: Vec<(usize, Result<PreparedSurface, Error>)>,
    answers: Answers,
    phases: Phases,
    /// When its queue had answered, if it was asked.
    at: Option<Instant>,
}

/// Asks one model: reads its inputs, waits for their rows, makes answers of what they give.
async fn ask(engine: &Arc<Engine>, batch: Batch, options: BundleOptions) -> Result<Asked, Error> {
    let start = Instant::now();
    let (surfaces, work) = batch.prepare(engine, options.deadline).await?;
    let mut phases = Phases { tokenize: start.elapsed(), ..Phases::default() };
    let done = Submitted::new(work, options).wait(engine, options.deadline).await;
    let at = done.answer.as_ref().ok().and_then(|answer| answer.as_ref()).map(|(answer, at)| {
        (phases.queue, phases.forward) = (answer.queue, answer.forward);
        *at
    });
    let post = Instant::now();
    let answers = done.finish(engine.options().faults.clone(), options.deadline).await;
    phases.post = post.elapsed();
    Ok(Asked { surfaces, answers, phases, at })
}

struct Submitted {
    work: ModelWork,
    /// What making answers of the outputs will cost, in vectors that are read.
    vectors: usize,
    /// `None` if every result was kept or failed already.
    ticket: Option<Result<Ticket, Error>>,
}

impl Submitted {
    fn new(mut work: ModelWork, BundleOptions { deadline, source }: BundleOptions) -> Self {
        if let Some(error) = work.refused.take() {
            return Self { work, vectors: 0, ticket: Some(Err(error)) };
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
        let vectors = rows.iter().map(|request| if request.wanted.tokens { request.row.len() } else { 1 }).sum();
        let place = work.place.take();
        let terms = Terms { deadline, source };
        let ticket = (!rows.is_empty()).then(|| match place {
            Some(place) => place.submit(&rows, terms),
            None => work.model.worker.submit(&rows, terms),
        });
        Self { work, vectors, ticket }
    }

    async fn wait(self, engine: &Engine, deadline: Option<Instant>) -> Done {
        let Self { work, vectors, ticket } = self;
        let answer = match ticket {
            None => Ok(None),
            Some(Err(error)) => Err(error),
            Some(Ok(ticket)) => ticket.wait(deadline).await.map(Some),
        };
        if let Ok(Some((answer, _))) = &answer {
            engine.metrics().queued(&work.model.name, answer.queue);
        }
        Done { work, vectors, answer }
    }
}

struct Done {
    work: ModelWork,
    vectors: usize,
    answer: Result<Option<(GroupAnswer, Instant)>, Error>,
}

/// Heads read so many vectors in well under a slice of time.
const AT_ONCE_VECTORS: usize = 1024;

impl Done {
    /// Makes answers of outputs: at once if they are small, else in turns with other large requests of the model, and no
    /// longer than until the deadline.
    async fn finish(self, faults: Faults, deadline: Option<Instant>) -> Answers {
        let model = Arc::clone(&self.work.model);
        if self.vectors <= AT_ONCE_VECTORS {
            return self.answer(faults, Pace::at_once()).await;
        }
        let answering = self.answer(faults, Pace::in_slices());
        let answered = in_turns(model.worker.turns(), deadline, answering).await;
        answered.unwrap_or_else(|error| Answers { model, items: Err(error) })
    }

    /// Makes answers of outputs, and keeps them.
    async fn answer(self, faults: Faults, mut pace: Pace) -> Answers {
        faults.at(FaultPlace::Answering);
        let Self { work, answer, .. } = self;
        let model = work.model;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Answers { model, items: Err(error) },
        };
        let mut outputs = answer.into_iter().flat_map(|(answer, _)| answer.rows);
        let mut items = Vec::with_capacity(work.items.len());
        for item in work.items {
            items.push(match item.source {
                Err(error) => Err(error),
                Ok(Source::Kept(kept)) => Ok(kept),
                Ok(Source::Planned(planned)) => {
                    pace.give_way().await;
                    let rows: Vec<RowAnswer> = outputs.by_ref().take(planned.input.windows).collect();
                    let answered = of_rows(planned, rows, &mut pace).await;
                    answered.inspect(|answered| model.cache.put(item.key, answered.clone(), answered.bytes()))
                }
            });
        }
        Answers { items: Ok(items), model }
    }
}

/// Makes an answer of the outputs of its rows.
async fn of_rows(planned: Planned, rows: Vec<RowAnswer>, pace: &mut Pace) -> Result<Answered, Error> {
    let Planned { input, finish, .. } = planned;
    let rows = rows.into_iter().map(|row| row.map(Arc::new)).collect::<Result<Vec<Arc<RowOutput>>, _>>()?;
    Ok(Answered { input, answer: finish(&rows, pace).await? })
}

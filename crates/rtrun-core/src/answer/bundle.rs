//! The way of a bundle from its tasks to their outcomes.

use std::sync::Arc;
use std::time::Instant;

use super::collect::{Rows, outcome};
use super::prepare::{ModelWork, PreparedTask, Source, prepare};
use crate::engine::Engine;
use crate::error::Error;
use crate::schedule::{CachedRow, GroupAnswer, Ticket};
use crate::task::{BundleAnswer, BundleOptions, Phases, Task};

/// Answers a bundle. The rows of all tasks of one model are admitted, or refused, together.
pub async fn bundle(engine: &Arc<Engine>, tasks: Vec<Task>, options: BundleOptions) -> BundleAnswer {
    let start = Instant::now();
    let bytes: usize = tasks.iter().flat_map(|task| &task.input).map(String::len).sum();
    let (prepared, works) = if bytes <= INLINE_BYTES {
        prepare(engine, tasks)
    } else {
        let owned = Arc::clone(engine);
        // It fails only when the runtime is going away, and then nobody is left to read the answer.
        tokio::task::spawn_blocking(move || prepare(&owned, tasks)).await.unwrap_or_default()
    };
    let mut phases = Phases { tokenize: start.elapsed(), ..Phases::default() };
    let submitted: Vec<Submitted> = works.into_iter().map(|work| Submitted::new(work, options.deadline)).collect();
    let mut answers = Vec::with_capacity(submitted.len());
    let mut last = start;
    for submitted in submitted {
        let (rows, answered) = submitted.answer(engine, options.deadline).await;
        if let Some((answer, at)) = answered
            && at >= last
        {
            last = at;
            (phases.queue, phases.forward) = (answer.queue, answer.forward);
        }
        answers.push(rows);
    }
    let post = Instant::now();
    let outcomes = prepared.into_iter().map(|task: PreparedTask| outcome(task, &answers)).collect();
    phases.post = post.elapsed();
    BundleAnswer { outcomes, phases }
}

/// Reading up to this much text takes well under a millisecond, less than handing it to another thread and back is worth.
const INLINE_BYTES: usize = 32 << 10;

struct Submitted {
    work: ModelWork,
    /// `None` if every result was kept or failed already.
    ticket: Option<Result<Ticket, Error>>,
}

impl Submitted {
    fn new(work: ModelWork, deadline: Option<Instant>) -> Self {
        let rows: Vec<Arc<[u32]>> = work
            .texts
            .iter()
            .filter_map(|text| match &text.source {
                Ok(Source::Read(reading)) => Some(Arc::clone(&reading.ids)),
                _ => None,
            })
            .collect();
        let ticket = (!rows.is_empty()).then(|| work.model.worker.submit(&rows, deadline));
        Self { work, ticket }
    }

    async fn answer(self, engine: &Engine, deadline: Option<Instant>) -> (Rows, Option<(GroupAnswer, Instant)>) {
        let Self { work, ticket } = self;
        let answer = match ticket {
            None => None,
            Some(Err(error)) => return (Rows::refused(work, error), None),
            Some(Ok(ticket)) => match ticket.wait(deadline).await {
                Ok(answer) => Some(answer),
                Err(error) => return (Rows::refused(work, error), None),
            },
        };
        if let Some((answer, _)) = &answer {
            engine.metrics().queued(&work.model.name, answer.queue);
        }
        let mut answered = answer.iter().flat_map(|(answer, _)| answer.rows.iter().cloned());
        let model = Arc::clone(&work.model);
        let rows = work.texts.into_iter().map(|text| match text.source {
            Err(error) => Err(error),
            Ok(Source::Kept(kept)) => Ok(kept),
            Ok(Source::Read(reading)) => {
                let vector = answered.next().expect("every read text has its row; this is a bug")?;
                let row = CachedRow {
                    vector,
                    tokens: reading.tokens,
                    processed_tokens: reading.ids.len(),
                    truncated: reading.truncated,
                    is_lower_bound: reading.is_lower_bound,
                };
                if let Some(key) = text.key {
                    model.cache.put(key, row.clone());
                }
                Ok(row)
            }
        });
        let rows = Rows { rows: Ok(rows.collect()), model: Arc::clone(&model) };
        (rows, answer)
    }
}

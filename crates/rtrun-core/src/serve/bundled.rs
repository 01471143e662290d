//! A bundle from its body to its answer, over HTTP and for hosts that run the engine inside.

use std::sync::Arc;
use std::time::Instant;

use super::beside::beside;
use super::body::parse;
use super::last_call::closing;
use super::object::Object;
use super::requests::{BundleRequest, BundleTask, Shown, deadline};
use super::responses::{BundleResponse, BundleResult};
use crate::engine::Engine;
use crate::error::Error;
use crate::task::{BundleAnswer, BundleOptions, Phases, Task, TaskAnswer};

/// Answers the body of `POST /v1/bundle` as that endpoint would, in JSON. Needs a tokio runtime with a timer.
pub async fn ask(engine: &Arc<Engine>, body: &[u8]) -> Result<String, Error> {
    let start = Instant::now();
    let Object(request) = parse(body)?;
    let bundled = Bundled::answer(engine, request, start, || ()).await?;
    let written = bundled.write(|body| serde_json::to_string(body));
    written.map_err(|error| Error::Internal(format!("The answer could not be written: {error}")))
}

/// An answered bundle.
pub struct Bundled {
    ids: Vec<String>,
    /// What each task wants shown, or why it could not be read.
    shown: Vec<Result<Shown, Error>>,
    answer: BundleAnswer,
}

impl Bundled {
    /// Answers a request that came at `start`; `parsed` is called before the models are asked.
    pub async fn answer(
        engine: &Arc<Engine>,
        request: BundleRequest,
        start: Instant,
        parsed: impl FnOnce(),
    ) -> Result<Self, Error> {
        let deadline = deadline(start, request.options.deadline_ms)?;
        let source = request.options.source()?;
        let ids: Vec<String> = request.tasks.iter().map(|task| task.id.clone()).collect();
        engine.check_bundle(&ids)?;
        engine.metrics().bundle(ids.len());
        let read: Vec<Result<(Task, Shown), Error>> = request.tasks.into_iter().map(BundleTask::into_task).collect();
        parsed();
        let mut shown = Vec::with_capacity(read.len());
        let mut tasks = Vec::with_capacity(read.len());
        for result in read {
            shown.push(result.map(|(task, shown)| {
                tasks.push(task);
                shown
            }));
        }
        let has_tasks = !tasks.is_empty();
        let answer = engine.bundle(tasks, BundleOptions { deadline, source }).await;
        if has_tasks && answer.outcomes.is_empty() {
            return Err(closing());
        }
        Ok(Self { ids, shown, answer })
    }

    /// Where the time went.
    pub fn phases(&self) -> Phases {
        self.answer.phases
    }

    /// The response, written.
    pub fn write<T>(&self, write: impl FnOnce(&BundleResponse<'_>) -> T) -> T {
        let BundleAnswer { outcomes, phases } = &self.answer;
        let numbers = outcomes.iter().flat_map(|outcome| &outcome.result).map(TaskAnswer::numbers).sum();
        let mut answered = outcomes.iter();
        let results = self.ids.iter().zip(&self.shown).map(|(id, shown)| match shown {
            Err(error) => BundleResult::failed(id, error),
            Ok(shown) => match answered.next() {
                Some(outcome) => BundleResult::new(outcome, shown, phases),
                None => unreachable!("every task has its outcome"),
            },
        });
        beside(numbers, || write(&BundleResponse { results: results.collect() }))
    }
}

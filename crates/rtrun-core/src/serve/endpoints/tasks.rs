//! The `POST` endpoints. All but `/v1/bundle` are bundles of one task.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::serve::beside::beside;
use crate::serve::body::read_json;
use crate::serve::decisions::{DecisionsRequest, StrictJson};
use crate::serve::last_call::closing;
use crate::serve::object::Object;
use crate::serve::reply::{failure, json, timed};
use crate::serve::requests::{
    BundleRequest, BundleTask, ClassifyRequest, EmbeddingsRequest, RerankRequest, Shown, deadline,
};
use crate::serve::responses::{BundleResponse, BundleResult, TaskResponse};
use crate::serve::served::Served;
use crate::serve::timing::Clock;
use crate::task::{BundleOptions, Task, TaskAnswer};

/// A body that asks for one task.
trait TaskRequest: Sized {
    /// What the endpoint is called in metrics.
    const ENDPOINT: &'static str;

    /// What the body is as JSON.
    type Json: DeserializeOwned + Send + 'static;

    /// The request that the JSON stands for.
    fn read(json: Self::Json) -> Result<Self, Error>;

    /// Milliseconds after which the caller stops waiting.
    fn deadline_ms(&self) -> Option<u64>;

    /// The task and what its response shows.
    fn into_one(self) -> Result<(Task, Shown), Error>;
}

macro_rules! task_request {
    ($request:ty, $endpoint:literal) => {
        impl TaskRequest for $request {
            const ENDPOINT: &'static str = $endpoint;
            type Json = Object<Self>;

            fn read(Object(request): Object<Self>) -> Result<Self, Error> {
                Ok(request)
            }

            fn deadline_ms(&self) -> Option<u64> {
                self.options.deadline_ms
            }

            fn into_one(self) -> Result<(Task, Shown), Error> {
                self.into_task(String::new())
            }
        }
    };
}

task_request!(ClassifyRequest, "classify");
task_request!(EmbeddingsRequest, "embeddings");
task_request!(RerankRequest, "rerank");

impl TaskRequest for DecisionsRequest {
    const ENDPOINT: &'static str = "decisions";
    type Json = StrictJson;

    fn read(json: StrictJson) -> Result<Self, Error> {
        Self::read(json)
    }

    fn deadline_ms(&self) -> Option<u64> {
        self.options.deadline_ms
    }

    fn into_one(self) -> Result<(Task, Shown), Error> {
        Ok(self.into_task(String::new()))
    }
}

/// `POST /v1/decisions` and `/v1/systemone`.
pub async fn decisions(State(served): State<Served>, body: Body) -> Response {
    one::<DecisionsRequest>(served, body).await
}

/// `POST /v1/classify`.
pub async fn classify(State(served): State<Served>, body: Body) -> Response {
    one::<ClassifyRequest>(served, body).await
}

/// `POST /v1/embeddings`.
pub async fn embeddings(State(served): State<Served>, body: Body) -> Response {
    one::<EmbeddingsRequest>(served, body).await
}

/// `POST /v1/rerank`.
pub async fn rerank(State(served): State<Served>, body: Body) -> Response {
    one::<RerankRequest>(served, body).await
}

/// `POST /v1/bundle`.
pub async fn bundle(State(served): State<Served>, body: Body) -> Response {
    let mut clock = Clock::start(Arc::clone(&served.engine), "bundle");
    let result = served.last_call.wait(several(&served, &mut clock, body)).await;
    let response = result.unwrap_or_else(|error| failure(&error));
    timed(response, clock)
}

async fn one<R: TaskRequest>(served: Served, body: Body) -> Response {
    let engine = &served.engine;
    let mut clock = Clock::start(Arc::clone(engine), R::ENDPOINT);
    let result = async {
        let request = R::read(read_json(body, engine.options().max_request_bytes, served.bodies.share()).await?)?;
        let deadline = deadline(clock.started(), request.deadline_ms())?;
        let (task, shown) = request.into_one()?;
        clock.parsed();
        let mut answer = engine.bundle(vec![task], BundleOptions { deadline, source: None }).await;
        clock.phases = answer.phases;
        let start = Instant::now();
        let outcome = answer.outcomes.pop().ok_or_else(closing)?;
        let answered = outcome.result?;
        let response = beside(answered.numbers(), || json(200, &TaskResponse::new(&answered, &shown, &answer.phases)));
        clock.serialize = start.elapsed();
        Ok(response)
    };
    let response = served.last_call.wait(result).await.unwrap_or_else(|error| failure(&error));
    timed(response, clock)
}

async fn several(served: &Served, clock: &mut Clock, body: Body) -> Result<Response, Error> {
    let engine = &served.engine;
    let Object(request): Object<BundleRequest> =
        read_json(body, engine.options().max_request_bytes, served.bodies.share()).await?;
    let deadline = deadline(clock.started(), request.options.deadline_ms)?;
    let source = request.options.source()?;
    let ids: Vec<String> = request.tasks.iter().map(|task| task.id.clone()).collect();
    engine.check_bundle(&ids)?;
    engine.metrics().bundle(ids.len());
    let read: Vec<Result<(Task, Shown), Error>> = request.tasks.into_iter().map(BundleTask::into_task).collect();
    clock.parsed();
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
    clock.phases = answer.phases;
    let start = Instant::now();
    if has_tasks && answer.outcomes.is_empty() {
        return Err(closing());
    }
    let numbers = answer.outcomes.iter().flat_map(|outcome| &outcome.result).map(TaskAnswer::numbers).sum();
    let mut outcomes = answer.outcomes.iter();
    let results = ids.iter().zip(&shown).map(|(id, shown)| match shown {
        Err(error) => BundleResult::failed(id, error),
        Ok(shown) => match outcomes.next() {
            Some(outcome) => BundleResult::new(outcome, shown, &answer.phases),
            None => unreachable!("every task has its outcome"),
        },
    });
    let response = beside(numbers, || json(200, &BundleResponse { results: results.collect() }));
    clock.serialize = start.elapsed();
    Ok(response)
}

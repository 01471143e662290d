//! `POST /v1/embeddings`, `/v1/classify` and `/v1/bundle`: the first two are bundles of one task.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;

use crate::engine::Engine;
use crate::error::Error;
use crate::serve::body::read_json;
use crate::serve::reply::{failure, json, timed};
use crate::serve::requests::{BundleRequest, BundleTask, ClassifyRequest, EmbeddingsRequest, Shown, deadline};
use crate::serve::responses::{BundleResponse, BundleResult, TaskResponse};
use crate::serve::timing::Clock;
use crate::task::{BundleOptions, Task};

/// `POST /v1/embeddings`.
pub async fn embeddings(State(engine): State<Arc<Engine>>, body: Body) -> Response {
    let mut clock = Clock::start(Arc::clone(&engine), "embeddings");
    let result = async {
        let request: EmbeddingsRequest = read_json(body, engine.options().max_request_bytes).await?;
        let deadline = deadline(clock.started(), request.options.deadline_ms)?;
        let (task, shown) = request.into_task(String::new());
        one(&engine, &mut clock, task, shown, deadline).await
    };
    let response = result.await.unwrap_or_else(|error| failure(&error));
    timed(response, clock)
}

/// `POST /v1/classify`.
pub async fn classify(State(engine): State<Arc<Engine>>, body: Body) -> Response {
    let mut clock = Clock::start(Arc::clone(&engine), "classify");
    let result = async {
        let request: ClassifyRequest = read_json(body, engine.options().max_request_bytes).await?;
        let deadline = deadline(clock.started(), request.options.deadline_ms)?;
        let (task, shown) = request.into_task(String::new());
        one(&engine, &mut clock, task, shown, deadline).await
    };
    let response = result.await.unwrap_or_else(|error| failure(&error));
    timed(response, clock)
}

/// `POST /v1/bundle`.
pub async fn bundle(State(engine): State<Arc<Engine>>, body: Body) -> Response {
    let mut clock = Clock::start(Arc::clone(&engine), "bundle");
    let response = several(&engine, &mut clock, body).await.unwrap_or_else(|error| failure(&error));
    timed(response, clock)
}

async fn one(
    engine: &Arc<Engine>,
    clock: &mut Clock,
    task: Task,
    shown: Shown,
    deadline: Option<Instant>,
) -> Result<Response, Error> {
    clock.parsed();
    let mut answer = engine.bundle(vec![task], BundleOptions { deadline }).await;
    clock.phases = answer.phases;
    let start = Instant::now();
    let outcome = answer.outcomes.pop().ok_or_else(closing)?;
    let response = json(200, &TaskResponse::new(&outcome.result?, shown, &answer.phases));
    clock.serialize = start.elapsed();
    Ok(response)
}

async fn several(engine: &Arc<Engine>, clock: &mut Clock, body: Body) -> Result<Response, Error> {
    let request: BundleRequest = read_json(body, engine.options().max_request_bytes).await?;
    let deadline = deadline(clock.started(), request.options.deadline_ms)?;
    let tasks = request.tasks.into_iter().map(BundleTask::into_task);
    let (tasks, shown) = tasks.collect::<Result<(Vec<Task>, Vec<Shown>), Error>>()?;
    engine.check_bundle(&tasks)?;
    engine.metrics().bundle(tasks.len());
    clock.parsed();
    let answer = engine.bundle(tasks, BundleOptions { deadline }).await;
    clock.phases = answer.phases;
    let start = Instant::now();
    if answer.outcomes.is_empty() {
        return Err(closing());
    }
    let results = answer.outcomes.iter().zip(shown);
    let results = results.map(|(outcome, shown)| BundleResult::new(outcome, shown, &answer.phases)).collect();
    let response = json(200, &BundleResponse { results });
    clock.serialize = start.elapsed();
    Ok(response)
}

fn closing() -> Error {
    Error::NotReady("The worker is closing".to_owned())
}

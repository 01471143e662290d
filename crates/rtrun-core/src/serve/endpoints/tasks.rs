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
use crate::serve::bundled::Bundled;
use crate::serve::decisions::{DecisionsRequest, StrictJson};
use crate::serve::last_call::closing;
use crate::serve::object::Object;
use crate::serve::reply::{failure, json, timed};
use crate::serve::requests::{BundleRequest, ClassifyRequest, EmbeddingsRequest, RerankRequest, Shown, deadline};
use crate::serve::responses::TaskResponse;
use crate::serve::served::Served;
use crate::serve::timing::Clock;
use crate::task::{BundleOptions, Task};

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
    let bundled = Bundled::answer(engine, request, clock.started(), || clock.parsed()).await?;
    clock.phases = bundled.phases();
    let start = Instant::now();
    let response = bundled.write(|body| json(200, body));
    clock.serialize = start.elapsed();
    Ok(response)
}

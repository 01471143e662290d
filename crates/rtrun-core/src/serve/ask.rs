//! The surfaces of the contract without HTTP: the same bodies as values, for hosts that run the engine inside.

use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::beside::beside;
use super::body::without_values;
use super::decisions::DecisionsRequest;
use super::object::Object;
use super::requests::{ClassifyRequest, EmbeddingsRequest, RerankRequest, Shown, deadline};
use super::responses::TaskResponse;
use crate::engine::Engine;
use crate::error::{Error, shown};
use crate::task::{BundleOptions, Task};

/// Answers the body of `POST /v1/<surface>` as that endpoint would. Needs a tokio runtime with a timer.
pub async fn ask(engine: &Arc<Engine>, surface: &str, body: Value) -> Result<Value, Error> {
    let start = Instant::now();
    let (deadline_ms, (task, shown)) = read(surface, body)?;
    let deadline = deadline(start, deadline_ms)?;
    let mut answer = engine.bundle(vec![task], BundleOptions { deadline, source: None }).await;
    let closing = || Error::NotReady("The engine is closing".to_owned());
    let outcome = answer.outcomes.pop().ok_or_else(closing)?;
    let answered = outcome.result?;
    let response =
        beside(answered.numbers(), || serde_json::to_value(TaskResponse::new(&answered, &shown, &answer.phases)));
    response.map_err(|error| Error::Internal(format!("The answer could not be written: {error}")))
}

fn read(surface: &str, body: Value) -> Result<(Option<u64>, (Task, Shown)), Error> {
    let id = String::new();
    match surface {
        "classify" => {
            let Object(request): Object<ClassifyRequest> = parse(body)?;
            Ok((request.options.deadline_ms, request.into_task(id)?))
        }
        "embeddings" => {
            let Object(request): Object<EmbeddingsRequest> = parse(body)?;
            Ok((request.options.deadline_ms, request.into_task(id)?))
        }
        "rerank" => {
            let Object(request): Object<RerankRequest> = parse(body)?;
            Ok((request.options.deadline_ms, request.into_task(id)?))
        }
        "decisions" => {
            let request = DecisionsRequest::read(parse(body)?)?;
            Ok((request.options.deadline_ms, request.into_task(id)))
        }
        other => Err(Error::InvalidRequest(format!(
            "surface {} is not known; use \"decisions\", \"classify\", \"embeddings\" or \"rerank\"",
            shown(other)
        ))),
    }
}

fn parse<T: DeserializeOwned>(body: Value) -> Result<T, Error> {
    serde_json::from_value(body).map_err(|error| {
        Error::InvalidRequest(format!("The request is not valid: {}", without_values(&error.to_string())))
    })
}

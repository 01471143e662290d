//! `GET /v1/models` and `/metrics`.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Serialize;

use crate::API_VERSION;
use crate::engine::Engine;
use crate::error::Error;
use crate::model::ModelCard;
use crate::options::MAX_INPUTS;
use crate::serve::reply::{content, failure, json};

#[derive(Serialize)]
struct Models<'a> {
    object: &'static str,
    api_version: &'static str,
    data: &'a [ModelCard],
    models: &'a [ModelCard],
    limits: Limits,
}

#[derive(Serialize)]
struct Limits {
    max_bundle_tasks: usize,
    max_request_bytes: usize,
    max_inputs: usize,
}

/// Every model's card, under the name that OpenAI clients read and under the contract's own.
pub async fn models(State(engine): State<Arc<Engine>>) -> Response {
    let cards = engine.describe();
    let options = engine.options();
    let limits = Limits {
        max_bundle_tasks: options.max_bundle_tasks,
        max_request_bytes: options.max_request_bytes,
        max_inputs: MAX_INPUTS,
    };
    json(200, &Models { object: "list", api_version: API_VERSION, data: &cards, models: &cards, limits })
}

/// The card of one model, whether it is ready or not.
pub async fn model(State(engine): State<Arc<Engine>>, id: Result<Path<String>, PathRejection>) -> Response {
    let id = id.map_err(|_| Error::InvalidRequest("The name of the model in the path is not UTF-8".to_owned()));
    id.and_then(|Path(id)| engine.card(&id)).map_or_else(|error| failure(&error), |card| json(200, &card))
}

/// The metrics exposition.
pub async fn metrics(State(engine): State<Arc<Engine>>) -> Response {
    let text = engine.exposition();
    content(200, "application/openmetrics-text; version=1.0.0; charset=utf-8", text.into_bytes())
}

//! `GET /health` and `/health/live`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;

use crate::API_VERSION;
use crate::engine::{Engine, EngineStatus};
use crate::model::ModelState;
use crate::serve::reply::json;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    api_version: &'static str,
    models: Vec<ModelHealth>,
}

#[derive(Serialize)]
struct ModelHealth {
    id: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Liveness {
    status: &'static str,
    api_version: &'static str,
}

/// 200 when every model is ready, 503 otherwise.
pub async fn health(State(engine): State<Arc<Engine>>) -> Response {
    let status = engine.status();
    let entry = |ModelState { name, status, reason, .. }| ModelHealth { id: name, status: status.as_str(), reason };
    let models = engine.states().into_iter().map(entry).collect();
    let health = Health { status: status.as_str(), api_version: API_VERSION, models };
    json(if status == EngineStatus::Ready { 200 } else { 503 }, &health)
}

/// 200 while the process answers at all.
pub async fn live() -> Response {
    json(200, &Liveness { status: "alive", api_version: API_VERSION })
}

//! Paths that the contract has and this build does not serve.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;

use crate::engine::Engine;
use crate::error::Error;
use crate::serve::reply::{failure, timed};
use crate::serve::timing::Clock;

/// Says so, without reading the body.
pub async fn not_yet(State(engine): State<Arc<Engine>>, uri: Uri) -> Response {
    let endpoint = match uri.path() {
        "/v1/rerank" => "rerank",
        "/openapi.yaml" => "openapi",
        _ => "decisions",
    };
    let clock = Clock::start(engine, endpoint);
    let error = Error::UnsupportedSurface(format!("{} is not supported yet", uri.path()));
    timed(failure(&error), clock)
}

//! The table of paths.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn;
use axum::routing::{get, post};

use super::body::discard;
use super::endpoints::{bundle, classify, decisions, embeddings, health, metrics, model, models, openapi, rerank};
use super::reply::{answer_panics, failure, method_not_allowed, path_not_found, timed};
use super::served::Served;
use super::timing::Clock;
use crate::engine::Engine;
use crate::error::Error;

/// All paths of the worker contract.
pub fn router(served: Served) -> Router {
    Router::new()
        .route("/v1/embeddings", post(embeddings))
        .route("/v1/classify", post(classify))
        .route("/v1/bundle", post(bundle))
        .route("/v1/decisions", post(decisions))
        .route("/v1/systemone", post(decisions))
        .route("/v1/rerank", post(rerank))
        .route("/openapi.yaml", get(openapi))
        .route("/v1/models", get(models))
        // Names may have slashes, as those of hub repositories do.
        .route("/v1/models/{*id}", get(model))
        .route("/health", get(health::health))
        .route("/health/live", get(health::live))
        .route("/metrics", get(metrics))
        .fallback(path_not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn(answer_panics))
        .with_state(served)
}

/// What clients get above so many connections, whatever they ask.
pub fn refusal(engine: Arc<Engine>, connections: usize) -> Router {
    Router::new().fallback(move |request: Request| async move {
        discard(request.into_body()).await;
        let clock = Clock::start(engine, "connection");
        let why =
            format!("The server has {connections} open connections and serves no more at a time; try again later");
        timed(failure(&Error::Overloaded(why)), clock)
    })
}

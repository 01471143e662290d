//! One function per path.

pub mod health;
mod models;
mod openapi;
mod tasks;

pub use models::{metrics, model, models};
pub use openapi::openapi;
pub use tasks::{bundle, classify, decisions, embeddings, rerank};

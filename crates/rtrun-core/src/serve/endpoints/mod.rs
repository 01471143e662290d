//! One function per path.

pub mod health;
mod models;
mod not_yet;
mod tasks;

pub use models::{metrics, models};
pub use not_yet::not_yet;
pub use tasks::{bundle, classify, embeddings, rerank};

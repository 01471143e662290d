//! Numerical profiles: which one a model is asked to serve, which one it serves, and why.

mod agreement;
mod ladder;
mod prepare;
mod probes;
mod questions;
mod report;
mod serve;
mod verdict;

pub use agreement::Agreement;
pub use ladder::{Rung, rungs};
pub use prepare::{PrepareOptions, prepare_profile};
pub use probes::probe_texts;
pub use report::{Profile, ProfileReport};
pub use serve::{Exact, choose};

//! Numerical profiles: which one a model is asked to serve, which one it serves, and why.

mod agreement;
mod ladder;
mod output;
mod probes;
mod questions;
mod report;
mod serve;
mod verdict;

pub use agreement::Agreement;
pub use ladder::{Rung, rungs};
pub use probes::probe_texts;
pub use report::{Profile, ProfileReport};
pub use serve::{Exact, choose, reducible};

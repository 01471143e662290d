//! Answering a bundle: check every task, read its inputs, compute their rows, turn outputs into answers.

mod bundle;
mod classify;
mod collect;
mod decide;
mod embed;
mod grounded;
mod item;
mod media;
mod pairs;
mod prepare;
mod read;
mod rerank;

pub use bundle::bundle;
pub use item::Answered;

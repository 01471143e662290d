//! Answering a bundle: check every task, read its inputs, compute their rows, turn outputs into answers.

mod bundle;
mod classify;
mod collect;
mod decide;
mod embed;
mod grounded;
mod item;
mod limits;
mod media;
mod pace;
mod pairs;
mod prepare;
mod read;
mod rerank;
mod surfaces;

pub use bundle::bundle;
pub use item::Answered;
pub use pace::{Pace, at_once};

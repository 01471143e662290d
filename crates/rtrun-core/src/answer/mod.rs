//! Answering a bundle: check every task, read its texts, compute its rows, turn vectors into answers.

mod bundle;
mod collect;
mod prepare;

pub use bundle::bundle;

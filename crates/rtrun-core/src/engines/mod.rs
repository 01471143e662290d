//! Forward passes: from rows of token ids to one vector a row.

mod encoder;
pub mod onnxruntime;
mod pool;
mod static_vectors;

pub use encoder::{Encoder, Interrupt, RowVector};
pub use static_vectors::StaticEncoder;

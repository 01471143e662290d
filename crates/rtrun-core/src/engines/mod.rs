//! Forward passes: from rows of token ids to vectors.

mod encoder;
pub mod onnxruntime;
mod picture;
mod pool;
mod static_vectors;
mod towers;

pub use encoder::{Encoder, Interrupt, Row, RowOutput, RowRequest, RowVector, Wanted};
pub use picture::Picture;
pub use pool::normalize;
pub use static_vectors::StaticEncoder;
pub use towers::TowersEncoder;

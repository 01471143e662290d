//! The `onnxruntime` engine: sessions over a generated graph.

mod environment;
mod exit;
mod matmuls;
mod norms;
mod operators;
mod outputs;
mod session;
mod shared_weights;
mod source;
mod threads;

pub use environment::Runtime;
pub use exit::leave;
pub use session::{OnnxEncoder, SessionOptions};

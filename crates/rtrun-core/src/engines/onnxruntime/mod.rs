//! The `onnxruntime` engine: one session per model over a generated graph.

mod environment;
mod exit;
mod products;
mod session;

pub use environment::Runtime;
pub use session::{OnnxEncoder, SessionOptions};

//! ONNX graphs generated over the author's weights: no converted model file exists.

mod bert;
mod builder;
pub(crate) mod onnx;

pub use bert::{ATTENTION_MASK, HIDDEN, INPUT_IDS, TOKEN_TYPES, bert_graph};
pub use builder::{Graph, GraphBuilder};

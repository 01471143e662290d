//! ONNX graphs generated over the author's weights: no converted model file exists.

mod bert;
mod builder;
mod decision_layers;
mod onnx;

pub use bert::{ATTENTION_MASK, HIDDEN, INPUT_IDS, TOKEN_TYPES, bert_graph};
pub use builder::{Graph, GraphBuilder};
pub use decision_layers::{DECIDED, DecisionLayers, QUESTION_TYPE, with_decision_layers};

//! ONNX graphs generated over the author's weights, so that no converted model file exists; and the graphs that
//! repositories ship, described in the same way.

mod bert;
mod builder;
mod deberta;
mod decision_layers;
mod distances;
mod distilbert;
mod interface;
mod modernbert;
mod mpnet;
pub(crate) mod onnx;
mod operators;
mod post_norm;
mod roberta;
mod shipped;
mod towers;
mod trunk;

pub use decision_layers::{DECIDED, DecisionLayers, QUESTION_TYPE, with_decision_layers};
pub use interface::{
    ATTENTION_MASK, Graph, GraphModel, HeldWeight, INPUT_IDS, Inputs, Integers, Output, PIXEL_VALUES, Per, TOKEN_TYPES,
};
pub use shipped::shipped_graph;
pub use towers::{image_graph, text_graph};
pub use trunk::{HIDDEN, trunk_graph};

//! ONNX graphs generated over the author's weights, so that no converted model file exists; and the graphs that
//! repositories ship, described in the same way.

mod bert;
mod builder;
mod deberta;
mod decision_layers;
mod distances;
mod distilbert;
mod electra;
mod encoder;
mod interface;
mod matmuls;
mod modernbert;
mod mpnet;
pub(crate) mod onnx;
mod operators;
mod post_norm;
mod roberta;
mod shipped;
mod source;
mod towers;

pub(crate) use builder::CONTRIB;
pub use decision_layers::{DECIDED, DecisionLayers, QUESTION_TYPE, with_decision_layers};
pub use encoder::{Depth, HEADS_HIDDEN, HIDDEN, HeadsDepth, encoder_graph, reduced_encoder_graph};
pub use interface::{
    ATTENTION_MASK, Graph, GraphModel, HeldWeight, INPUT_IDS, Inputs, Integers, Output, PIXEL_VALUES, Per, TOKEN_TYPES,
};
pub use matmuls::{MATMUL, MATMUL_NUMBER, OWN};
pub use shipped::shipped_graph;
pub use source::{Packing, Reduction};
pub use towers::{image_graph, text_graph};

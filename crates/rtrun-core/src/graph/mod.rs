//! ONNX graphs generated over the author's weights, so that no converted model file exists; and the graphs that
//! repositories ship, described in the same way.

mod bert;
mod builder;
mod deberta;
mod decision_layers;
mod distances;
mod distilbert;
mod electra;
mod interface;
mod modernbert;
mod mpnet;
pub(crate) mod onnx;
mod operators;
mod post_norm;
mod products;
mod roberta;
mod shipped;
mod source;
mod towers;
mod trunk;

pub(crate) use builder::CONTRIB;
pub use decision_layers::{DECIDED, DecisionLayers, QUESTION_TYPE, with_decision_layers};
pub use interface::{
    ATTENTION_MASK, Graph, GraphModel, HeldWeight, INPUT_IDS, Inputs, Integers, Output, PIXEL_VALUES, Per, TOKEN_TYPES,
};
pub use products::{OWN, PRODUCT, PRODUCT_NUMBER};
pub use shipped::shipped_graph;
pub use source::{Packing, Reduction};
pub use towers::{image_graph, text_graph};
pub use trunk::{Depth, HEADS_HIDDEN, HIDDEN, HeadsDepth, reduced_trunk_graph, trunk_graph};

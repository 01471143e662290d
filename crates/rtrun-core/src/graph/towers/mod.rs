//! The two encoders of CLIP and SigLIP: one graph reads texts, the other images. Each gives one vector a row, in one space.

mod attention_pooling;
mod images;
mod layers;
mod texts;

pub use images::image_graph;
pub use texts::text_graph;

/// The name of both graphs' output, `[batch, width]`.
const VECTOR: &str = "vector";

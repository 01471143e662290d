//! Typed questions: how families write them as rows and read the answers out of vectors.

mod answers;
mod budget;
mod frame;
mod marker;
mod marker_heads;
mod max_similarity;
mod packed;
mod packed_heads;
mod projection;
mod question_text;
mod state;
mod state_text;
mod statement;
mod user_text;
mod words;

pub use marker::MarkerDecisions;
pub use packed::PackedDecisions;
pub use state_text::StateMemo;

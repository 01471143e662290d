//! The seam between sentence vectors and answers.

use super::head::Head;

/// Turns the sentence vector of one row into answers. Every surface of a model reads the same vector, so that all of
/// them together cost one forward.
pub trait Family: Send + Sync {
    /// The vectors this model serves, `None` if it serves none.
    fn embedding(&self) -> Option<&EmbeddingCard>;

    /// The heads this model serves.
    fn heads(&self) -> &[Head];

    /// The probabilities of a head, in label order.
    fn classify(&self, head: &Head, vector: &[f32]) -> Vec<f32>;
}

/// What a model's vectors are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingCard {
    /// Length of a vector.
    pub dimension: usize,
    /// Whether vectors have length 1.
    pub normalized: bool,
    /// How token vectors become the sentence vector.
    pub pooling: &'static str,
}

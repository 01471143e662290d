//! How likely an answer should not be used: a logistic function of what the answer shows anyhow.

use serde::Deserialize;

/// Weights of one type of question. Where only `bias` is there, every answer of the type has the same probability.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Abstention {
    /// What is added to the weighted values.
    pub bias: f32,
    /// Of the largest probability.
    pub top: f32,
    /// Of the share of "none of them", which choices of some models have.
    pub none: f32,
}

/// The types whose answers can be left out. Labels and spans have thresholds instead.
pub const ABSTAINING: [&str; 3] = ["choice", "noul", "score"];

impl Abstention {
    /// The weight that is not a number, by its key.
    pub fn wrong(&self) -> Option<(&'static str, f32)> {
        let named = [("bias", self.bias), ("top", self.top), ("none", self.none)];
        named.into_iter().find(|(_, weight)| !weight.is_finite())
    }

    /// The probability that an answer with these probabilities, one per option, should not be used.
    pub fn probability(&self, probabilities: &[f32], none: Option<f32>) -> f32 {
        let top = probabilities.iter().copied().fold(0.0, f32::max);
        let weighted = self.bias + self.top * top + self.none * none.unwrap_or(0.0);
        1.0 / (1.0 + (-weighted).exp())
    }
}

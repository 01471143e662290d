//! How likely an answer should not be used: a logistic reader of what the answer shows anyhow.

use serde::Deserialize;

/// Weights of one type of question; what is absent counts nothing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Abstention {
    /// What is added to the weighted features.
    pub bias: f32,
    /// Of the largest probability.
    pub top: f32,
    /// Of its distance from the next one.
    pub margin: f32,
    /// Of the natural logarithm of how many options there are.
    pub options: f32,
    /// Of the share of "none of them", which only models with that option have, and only for choices.
    pub none: f32,
    /// Of the mean vector of the words of a yes-or-no question, behind the layers of the head: what kind of question it is. Of
    /// markers.
    pub question: Vec<f32>,
}

/// The types whose answers can be left out. Labels and spans have thresholds instead.
pub const ABSTAINING: [&str; 3] = ["choice", "noul", "score"];

impl Abstention {
    /// The weight of a feature that is not a number, by its key.
    pub fn wrong(&self) -> Option<(&'static str, f32)> {
        let Self { bias, top, margin, options, none, question } = self;
        let named = [("bias", bias), ("top", top), ("margin", margin), ("options", options), ("none", none)];
        let all = named.into_iter().chain(question.iter().map(|weight| ("question", weight)));
        all.map(|(name, weight)| (name, *weight)).find(|(_, weight)| !weight.is_finite())
    }

    /// The probability that an answer with these probabilities, one per option, should not be used. `asked` is what
    /// `question` makes of the words of the question.
    pub fn probability(&self, probabilities: &[f32], none: Option<f32>, asked: f32) -> f32 {
        let (top, next) = probabilities
            .iter()
            .fold((0.0_f32, 0.0_f32), |(top, next), one| if *one > top { (*one, top) } else { (top, next.max(*one)) });
        let weighted = self.bias
            + self.top * top
            + self.margin * (top - next)
            + self.options * (probabilities.len() as f32).ln()
            + self.none * none.unwrap_or(0.0)
            + asked;
        1.0 / (1.0 + (-weighted).exp())
    }
}

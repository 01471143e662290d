//! How a yes-or-no question is compared with the state. Its options say only yes and no, so what is compared are the words of the
//! question; a state that is like them speaks for "true" unless one of them, such as "not", turns what they say.

use std::ops::Range;

use super::max_similarity::max_similarity;
use crate::answer::Pace;
use crate::error::Error;
use crate::families::sigmoid;
use crate::families::transform::Linear;
use crate::package::{StatementSettings, Weights};

/// What the max similarity of a question's words counts.
pub struct Statement {
    /// From the vector of a word to the logit that it turns the statement.
    turns: Linear,
    settings: StatementSettings,
    width: usize,
}

impl Statement {
    /// Reads `turns.weight`, `[1, width]`, and `turns.bias`, `[1]`.
    pub fn open(weights: &Weights, prefix: &str, width: usize, settings: StatementSettings) -> Result<Self, Error> {
        let [weight, bias] = ["weight", "bias"].map(|name| format!("{prefix}turns.{name}"));
        Ok(Self { turns: Linear::open(weights, &weight, Some(&bias), [1, width])?, settings, width })
    }

    /// What to add to the logit of "true". `vectors` are those of a row's tokens, `words` and `state` the places of what is
    /// compared.
    pub async fn logit(&self, vectors: &[f32], (words, state): (&Range<usize>, Range<usize>), pace: &mut Pace) -> f32 {
        if words.is_empty() || state.is_empty() {
            return 0.0;
        }
        let kept: f32 = vectors[words.start * self.width..words.end * self.width]
            .chunks_exact(self.width)
            .map(|word| {
                let mut turned = self.turns.apply(word);
                sigmoid(&mut turned);
                1.0 - turned[0]
            })
            .product();
        let StatementSettings { factor, addend } = self.settings;
        let max_similarity = max_similarity(vectors, self.width, (std::slice::from_ref(words), state), pace).await[0];
        (2.0 * kept - 1.0) * (factor * max_similarity + addend)
    }
}

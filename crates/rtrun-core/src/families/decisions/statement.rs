//! How a yes-or-no question is compared with the state. Its options say only yes and no, so what is compared are the words of the
//! question; and because a state that is like them speaks for "true" or, where they say "not", against it, the words
//! decide what their likeness counts.

use std::ops::Range;

use super::likeness::likeness;
use crate::engines::pool;
use crate::error::Error;
use crate::families::transform::Linear;
use crate::package::{Pooling, Weights};

/// What likeness counts, by the words of the question.
pub struct Statement {
    /// From the mean vector of the instructions to a factor of their likeness and what is added to it.
    weigh: Linear,
    width: usize,
}

impl Statement {
    /// Reads `statement.weight`, `[2, width]`, and `statement.bias`, `[2]`.
    pub fn open(weights: &Weights, prefix: &str, width: usize) -> Result<Self, Error> {
        let [weight, bias] = ["weight", "bias"].map(|name| format!("{prefix}statement.{name}"));
        Ok(Self { weigh: Linear::open(weights, &weight, Some(&bias), [2, width])?, width })
    }

    /// What to add to the logit of "true". `vectors` are those of a row's tokens, `instructions` and `state` the places of what is
    /// compared.
    pub fn logit(&self, vectors: &[f32], instructions: &Range<usize>, state: Range<usize>) -> f32 {
        let words = &vectors[instructions.start * self.width..instructions.end * self.width];
        let mean = pool(words, self.width, Pooling::Mean);
        let [factor, addend] = self.weigh.apply(&mean)[..] else { return f32::NAN };
        let found = likeness(vectors, self.width, std::slice::from_ref(instructions), state);
        found.iter().map(|likeness| factor * likeness + addend).sum()
    }
}

//! How like an option is to the state: the mean, over its tokens, of the cosine to the most similar token of the state (late
//! interaction, as of `ColBERT`, Khattab and Zaharia 2020). A trunk that was made for sentence vectors compares texts so
//! without having learned the question.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::engines::normalize;
use crate::families::transform::dot;

/// What likeness counts.
#[derive(Debug)]
pub struct Likeness {
    /// By type of question; nothing for the others.
    weights: BTreeMap<String, f32>,
    width: usize,
}

impl Likeness {
    /// `weights` are factors of the likeness, which is between -1 and 1.
    pub fn new(weights: BTreeMap<String, f32>, width: usize) -> Self {
        Self { weights, width }
    }

    /// What to add to the logit of every option of a row, or none for a type that is not compared. `vectors` are those of the
    /// row's tokens, `options` and `state` the places of what is compared; nothing is like a text without tokens.
    pub fn logits(
        &self,
        kind: &str,
        vectors: &[f32],
        options: &[Range<usize>],
        state: Range<usize>,
    ) -> Option<Vec<f32>> {
        let weight = self.weights.get(kind)?;
        let state = self.directions(vectors, &state);
        let nearest = |token: &[f32]| state.chunks_exact(self.width).map(|other| dot(token, other)).reduce(larger);
        let likeness = |option: &Range<usize>| {
            let tokens = self.directions(vectors, option);
            let found: Vec<f32> = tokens.chunks_exact(self.width).filter_map(nearest).collect();
            if found.is_empty() { 0.0 } else { found.iter().sum::<f32>() / found.len() as f32 }
        };
        Some(options.iter().map(|option| weight * likeness(option)).collect())
    }

    /// The vectors at these places, each of length 1.
    fn directions(&self, vectors: &[f32], places: &Range<usize>) -> Vec<f32> {
        let mut directions = vectors[places.start * self.width..places.end * self.width].to_vec();
        directions.chunks_exact_mut(self.width).for_each(normalize);
        directions
    }
}

/// A number that is none stays one, so that it is noticed.
fn larger(left: f32, right: f32) -> f32 {
    if right > left || right.is_nan() { right } else { left }
}

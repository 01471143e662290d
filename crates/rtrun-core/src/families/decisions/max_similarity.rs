//! How like an option is to the state: the mean, over its tokens, of the cosine to the most similar token of the state (late
//! interaction, as of `ColBERT`, Khattab and Zaharia 2020). An encoder that was made for sentence vectors compares texts so
//! without having learned the question.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::answer::Pace;
use crate::engines::normalize;
use crate::families::transform::dot;

/// What max similarity counts.
#[derive(Debug)]
pub struct MaxSimilarity {
    /// By type of question; nothing for the others.
    weights: BTreeMap<String, f32>,
    width: usize,
}

impl MaxSimilarity {
    /// `weights` are factors of the max similarity, which is between -1 and 1.
    pub fn new(weights: BTreeMap<String, f32>, width: usize) -> Self {
        Self { weights, width }
    }

    /// What to add to the logit of every option of a row, or none for a type that is not compared. `vectors` are those of the
    /// row's tokens, `options` and `state` the places of what is compared.
    pub async fn logits(
        &self,
        kind: &str,
        vectors: &[f32],
        (options, state): (&[Range<usize>], Range<usize>),
        pace: &mut Pace,
    ) -> Option<Vec<f32>> {
        let weight = self.weights.get(kind)?;
        let found = max_similarity(vectors, self.width, (options, state), pace).await;
        Some(found.into_iter().map(|max_similarity| weight * max_similarity).collect())
    }
}

/// How like each of some texts is to the state, between -1 and 1. `vectors`, of `width` values each, are those of the row's tokens,
/// `texts` and `state` the places of what is compared; nothing is like a text without tokens.
pub async fn max_similarity(
    vectors: &[f32],
    width: usize,
    (texts, state): (&[Range<usize>], Range<usize>),
    pace: &mut Pace,
) -> Vec<f32> {
    let directions = |places: &Range<usize>| {
        let mut directions = vectors[places.start * width..places.end * width].to_vec();
        directions.chunks_exact_mut(width).for_each(normalize);
        directions
    };
    let state = directions(&state);
    let nearest = |token: &[f32]| state.chunks_exact(width).map(|other| dot(token, other)).reduce(larger);
    let of_text = |text: &Range<usize>| {
        let found: Vec<f32> = directions(text).chunks_exact(width).filter_map(nearest).collect();
        if found.is_empty() { 0.0 } else { found.iter().sum::<f32>() / found.len() as f32 }
    };
    let mut found = Vec::with_capacity(texts.len());
    for text in texts {
        pace.give_way().await;
        found.push(of_text(text));
    }
    found
}

/// A number that is none stays one, so that it is noticed.
fn larger(left: f32, right: f32) -> f32 {
    if right > left || right.is_nan() { right } else { left }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::max_similarity;
    use crate::answer::Pace;

    #[test]
    fn a_long_comparison_gives_way() {
        let vectors = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
        let texts = [0..1, 1..2];
        let compared = |pace: &mut Pace| max_similarity(&vectors, 2, (&texts, 2..3), pace).now_or_never();
        assert_eq!(compared(&mut Pace::at_once()), Some(vec![1.0, 0.0]));
        let mut pace = Pace::in_slices();
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert_eq!(compared(&mut pace), None);
    }
}

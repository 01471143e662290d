//! Vectors that are compared by their direction.

use crate::engines::normalize;
use crate::error::Error;
use crate::families::transform::{Linear, Norm, Step, Transform, dot};
use crate::package::{SpanSettings, Weights};

/// What `PyTorch` adds to the variance unless told otherwise.
pub const EPSILON: f32 = 1e-5;

/// `<module>.0` normalizes, `<module>.1` projects to `size` values; a bias is optional.
pub fn open_projection(weights: &Weights, module: &str, width: usize, size: usize) -> Result<Transform, Error> {
    let norm = Norm::open(weights, &format!("{module}.0"), width, EPSILON)?;
    let (weight, bias) = (format!("{module}.1.weight"), format!("{module}.1.bias"));
    let bias = weights.has(&bias).then_some(bias.as_str());
    let linear = Linear::open(weights, &weight, bias, [size, width])?;
    Ok(Transform::new(vec![Step::Norm(norm), Step::Linear(linear)]))
}

/// The direction of a projected vector.
pub fn direction(projection: &Transform, vector: &[f32]) -> Vec<f32> {
    let mut projected = projection.apply(vector);
    normalize(&mut projected);
    projected
}

/// Compares labels with words.
#[derive(Debug)]
pub struct SpanHead {
    label: Transform,
    word: Transform,
    settings: SpanSettings,
}

impl SpanHead {
    /// Reads `span.label` and `span.word` behind a prefix.
    pub fn open(weights: &Weights, prefix: &str, width: usize, settings: SpanSettings) -> Result<Self, Error> {
        let part = |name: &str| open_projection(weights, &format!("{prefix}span.{name}"), width, settings.size);
        Ok(Self { label: part("label")?, word: part("word")?, settings })
    }

    /// `[words, labels]`: one logit for every vector of a word and every vector of a label.
    pub fn logits<'v>(&self, words: impl Iterator<Item = &'v [f32]>, labels: &[&[f32]]) -> Vec<f32> {
        let labels: Vec<Vec<f32>> = labels.iter().map(|label| direction(&self.label, label)).collect();
        let SpanSettings { temperature, bias, .. } = self.settings;
        let of_word = |word: &'v [f32]| {
            let word = direction(&self.word, word);
            labels.iter().map(|label| dot(&word, label) / temperature + bias).collect::<Vec<f32>>()
        };
        words.flat_map(of_word).collect()
    }
}

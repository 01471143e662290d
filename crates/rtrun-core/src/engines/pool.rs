//! From token vectors to the sentence vector. Done per row and outside the graph, so that padding cannot touch it.

use super::encoder::TokenSum;
use crate::package::Pooling;

/// Pools the `[tokens, width]` vectors of one row without its padding.
pub fn pool(vectors: &[f32], width: usize, pooling: Pooling) -> Vec<f32> {
    let tokens = vectors.len() / width;
    match pooling {
        Pooling::Cls => vectors[..width].to_vec(),
        Pooling::Last => vectors[(tokens - 1) * width..].to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0.0_f32; width];
            for vector in vectors.chunks_exact(width) {
                sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
            }
            let scale = 1.0 / tokens as f32;
            for value in &mut sum {
                *value *= scale;
            }
            sum
        }
    }
}

/// What the `[tokens, width]` vectors of some layers add up to.
pub fn sum(layers: &[&[f32]], width: usize) -> TokenSum {
    let mut sums = vec![0.0_f32; layers.len() * width];
    for (sum, vectors) in sums.chunks_exact_mut(width).zip(layers) {
        for vector in vectors.chunks_exact(width) {
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        }
    }
    let tokens = layers.first().map_or(0, |vectors| vectors.len() / width);
    TokenSum { tokens, sums: sums.into(), layers: layers.len() }
}

/// The mean over the tokens of both, as heads read it: where they read several layers, each of length 1.
pub fn mean_of_sums(one: &TokenSum, other: &TokenSum) -> Vec<f32> {
    let scale = 1.0 / (one.tokens + other.tokens).max(1) as f32;
    let mut mean: Vec<f32> = one.sums.iter().zip(other.sums.iter()).map(|(one, other)| (one + other) * scale).collect();
    if one.layers > 1 {
        let width = mean.len() / one.layers;
        mean.chunks_exact_mut(width).for_each(normalize);
    }
    mean
}

/// Scales a vector to length 1; the zero vector stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let squares: f64 = vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
    let length = squares.sqrt();
    if length > 0.0 {
        for value in vector {
            #[allow(clippy::cast_possible_truncation, reason = "rounding to the nearest float is what is wanted")]
            let scaled = (f64::from(*value) / length) as f32;
            *value = scaled;
        }
    }
}

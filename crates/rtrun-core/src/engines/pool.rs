//! From token vectors to the sentence vector. Done per row and outside the graph, so that padding cannot touch it.

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

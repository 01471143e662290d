//! Normalized sums against plain arithmetic in 64 bits.

use rtrun_core::engines::NormalizedSum;

use crate::support::arithmetic::{Threads, numbers};

/// The normalized sum of one row, and the sum.
fn expected(norm: &NormalizedSum, one: &[f32], other: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let wide = |vector: &[f32]| vector.iter().copied().map(f64::from).collect::<Vec<_>>();
    let or_zero = |vector: Option<&[f32]>| vector.map_or_else(|| vec![0.0; one.len()], wide);
    let (bias, beta) = (or_zero(norm.bias), or_zero(norm.beta));
    let sum: Vec<f64> =
        wide(one).iter().zip(wide(other)).zip(bias).map(|((one, other), bias)| one + other + bias).collect();
    let mean = sum.iter().sum::<f64>() / sum.len() as f64;
    let variance = sum.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / sum.len() as f64;
    let scale = 1.0 / (variance + f64::from(norm.epsilon)).sqrt();
    let normalized =
        sum.iter().zip(wide(norm.gamma)).zip(beta).map(|((value, gamma), beta)| (value - mean) * scale * gamma + beta);
    (normalized.collect(), sum)
}

#[test]
fn normalized_sums_are_those_of_plain_arithmetic() {
    // A width with a rest; few rows on one thread, and so many that they are shared.
    for (width, rows) in [(1, 3), (16, 1), (37, 5), (384, 1), (384, 350), (768, 177)] {
        let (one, other) = (numbers(width * rows, 1), numbers(width * rows, 2));
        let (gamma, beta, bias) = (numbers(width, 3), numbers(width, 4), numbers(width, 5));
        for (beta, bias) in [(None, None), (Some(beta.as_slice()), None), (Some(&beta), Some(bias.as_slice()))] {
            let norm = NormalizedSum { gamma: &gamma, beta, bias, epsilon: 1e-5 };
            let mut result = vec![f32::NAN; width * rows];
            let mut sum = result.clone();
            norm.compute((&one, &other), (&mut result, Some(&mut sum)), &Threads);
            let mut alone = vec![f32::NAN; width * rows];
            norm.compute((&one, &other), (&mut alone, None), &Threads);
            assert_eq!(result, alone, "with and without the sum");
            for row in 0..rows {
                let at = row * width..(row + 1) * width;
                let (normalized, sums) = expected(&norm, &one[at.clone()], &other[at.clone()]);
                for (values, expected) in [(&result[at.clone()], normalized), (&sum[at], sums)] {
                    let near =
                        values.iter().zip(&expected).all(|(value, exact)| (f64::from(*value) - exact).abs() < 2e-6);
                    assert!(near, "{width} wide, row {row} of {rows}: {values:?} is not {expected:?}");
                }
            }
        }
    }
}

#[test]
fn a_row_has_the_same_numbers_in_any_company() {
    let width = 100;
    let (one, other, gamma) = (numbers(width * 1400, 1), numbers(width * 1400, 2), numbers(width, 3));
    let norm = NormalizedSum { gamma: &gamma, beta: None, bias: None, epsilon: 1e-12 };
    let mut together = vec![0.0; one.len()];
    norm.compute((&one, &other), (&mut together, None), &Threads);
    for (index, row) in together.chunks_exact(width).enumerate() {
        let at = index * width..(index + 1) * width;
        let mut alone = vec![0.0; width];
        norm.compute((&one[at.clone()], &other[at]), (&mut alone, None), &Threads);
        assert_eq!(alone, row);
    }
}

//! Layer normalization of a sum, row by row. What a row becomes never depends on the rows beside it.

use std::sync::{Mutex, PoisonError};

use crate::matmul::Workers;

/// Numbers that are added up side by side; the partial sums of a row are added up at its end.
const LANES: usize = 16;

/// Sums of fewer numbers are computed by the calling thread: waking another costs more.
const SHARED: usize = 1 << 17;

/// Rows that one piece of work has.
const PIECE: usize = 16;

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta` of every row of a sum. Vectors are as wide as a row.
#[derive(Debug, Clone, Copy)]
pub struct NormalizedSum<'n> {
    /// What a normalized number is multiplied by.
    pub gamma: &'n [f32],
    /// What is added to it; `None` is nothing.
    pub beta: Option<&'n [f32]>,
    /// What is added to every row of the sum; `None` is nothing.
    pub bias: Option<&'n [f32]>,
    /// Added to the variance.
    pub epsilon: f32,
}

impl NormalizedSum<'_> {
    /// Whether there are numbers and all vectors have the same width.
    pub fn fits(&self) -> bool {
        let width = self.gamma.len();
        width > 0 && [self.beta, self.bias].into_iter().flatten().all(|vector| vector.len() == width)
    }

    /// Normalizes the sum of two inputs into the first result, and stores the sum in the second if there is one. All have
    /// the same length, a number of whole rows, or the call panics.
    pub fn compute(&self, inputs: (&[f32], &[f32]), results: (&mut [f32], Option<&mut [f32]>), workers: &dyn Workers) {
        let (one, other) = inputs;
        let (result, sum) = results;
        assert!(self.fits() && one.len().is_multiple_of(self.gamma.len()), "whole rows are normalized; this is a bug");
        assert_eq!([one.len(); 2], [other.len(), result.len()]);
        if one.len() < SHARED {
            return self.rows(inputs, result, sum);
        }
        let piece = PIECE * self.gamma.len();
        let inputs = one.chunks(piece).zip(other.chunks(piece));
        let mut sums = sum.map(|sum| sum.chunks_mut(piece));
        let pieces = inputs.zip(result.chunks_mut(piece)).map(|(inputs, result)| {
            let sum = sums.as_mut().and_then(Iterator::next);
            Mutex::new(Some((inputs, result, sum)))
        });
        let pieces: Vec<_> = pieces.collect();
        let work = |index: usize| {
            let taken = pieces[index].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((inputs, result, sum)) = taken {
                self.rows(inputs, result, sum);
            }
        };
        workers.each(pieces.len(), &work);
    }

    fn rows(&self, inputs: (&[f32], &[f32]), result: &mut [f32], sum: Option<&mut [f32]>) {
        #[cfg(target_arch = "x86_64")]
        {
            #![allow(unsafe_code, reason = "the instructions are asked for before they are used")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                return unsafe { rows_of_512_bits(self, inputs, result, sum) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                return unsafe { rows_of_256_bits(self, inputs, result, sum) };
            }
        }
        rows(self, inputs, result, sum);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn rows_of_512_bits(norm: &NormalizedSum, inputs: (&[f32], &[f32]), result: &mut [f32], sum: Option<&mut [f32]>) {
    rows(norm, inputs, result, sum);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn rows_of_256_bits(norm: &NormalizedSum, inputs: (&[f32], &[f32]), result: &mut [f32], sum: Option<&mut [f32]>) {
    rows(norm, inputs, result, sum);
}

/// Plain arithmetic in an order that vector instructions of any width can keep, so that they answer alike.
#[inline(always)]
#[allow(clippy::inline_always, reason = "only what is inlined is compiled for the instructions of its caller")]
fn rows(norm: &NormalizedSum, (one, other): (&[f32], &[f32]), result: &mut [f32], sum: Option<&mut [f32]>) {
    let width = norm.gamma.len();
    let rows = one.chunks_exact(width).zip(other.chunks_exact(width)).zip(result.chunks_exact_mut(width));
    for ((one, other), row) in rows {
        for ((value, one), other) in row.iter_mut().zip(one).zip(other) {
            *value = one + other;
        }
        if let Some(bias) = norm.bias {
            row.iter_mut().zip(bias).for_each(|(value, bias)| *value += bias);
        }
    }
    if let Some(sum) = sum {
        sum.copy_from_slice(result);
    }
    for row in result.chunks_exact_mut(width) {
        let mean = total(row, |value| value) / width as f32;
        let variance = total(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + norm.epsilon).sqrt();
        for (value, gamma) in row.iter_mut().zip(norm.gamma) {
            *value = (*value - mean) * scale * gamma;
        }
        if let Some(beta) = norm.beta {
            row.iter_mut().zip(beta).for_each(|(value, beta)| *value += beta);
        }
    }
}

/// The sum of a function of all numbers.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as above")]
fn total(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for numbers in whole {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += of(*number);
        }
    }
    for (sum, number) in sums.iter_mut().zip(rest) {
        *sum += of(*number);
    }
    sums.iter().sum()
}

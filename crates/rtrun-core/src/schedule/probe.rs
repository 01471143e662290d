//! Finds out at load which rows may share a forward: those whose answers stay the same, bit for bit.

use super::pack::Sharing;
use crate::engines::{Encoder, Row, RowOutput, RowRequest, RowVector, Wanted};
use crate::error::Error;

/// Lengths around the widths of vector units, small enough to cost a few forwards only.
const LENGTHS: [usize; 6] = [9, 10, 16, 17, 31, 33];

/// A length at which matrix multiplications take their blocked paths.
const LONGER: [usize; 1] = [130];

/// Compares every probe row alone with itself in company. `vocabulary` bounds the token ids; `closeness` is how far a
/// number may move as a part of the row's largest, 0 if no bit may.
pub fn probe_sharing(
    encoder: &mut dyn Encoder,
    vocabulary: usize,
    longest: usize,
    closeness: f32,
) -> Result<Sharing, Error> {
    let row = |length: usize, seed: usize| row(length.min(longest), seed, vocabulary);
    let rows: Vec<RowRequest> = LENGTHS.iter().enumerate().map(|(seed, length)| row(*length, seed)).collect();
    let mut alone = Vec::new();
    for row in &rows {
        alone.extend(encoder.encode(std::slice::from_ref(row))?);
    }
    let twin = row(LENGTHS[3], LENGTHS.len());
    let twin_alone = encoder.encode(std::slice::from_ref(&twin))?.remove(0);
    let together = encoder.encode(&[rows[3].clone(), twin, rows[3].clone()])?;
    let is_equal = |pairs: &[(&RowOutput, &RowOutput)]| pairs.iter().all(|(one, other)| is_same(one, other, closeness));
    if !is_equal(&[(&together[0], &alone[3]), (&together[1], &twin_alone), (&together[2], &alone[3])]) {
        return Ok(Sharing::Alone);
    }
    // More padding than packing ever allows, in either order.
    for part in [0..2, 2..4, 4..6, 0..6] {
        let together = encoder.encode(&rows[part.clone()])?;
        if !together.iter().zip(&alone[part]).all(|(one, other)| is_same(one, other, closeness)) {
            return Ok(Sharing::EqualLengths);
        }
    }
    Ok(Sharing::Padded)
}

/// Whether two encoders answer alike, bit for bit.
pub fn is_twin(
    one: &mut dyn Encoder,
    other: &mut dyn Encoder,
    vocabulary: usize,
    longest: usize,
) -> Result<bool, Error> {
    for (seed, length) in LENGTHS.into_iter().chain(LONGER).enumerate() {
        let row = [row(length.min(longest), seed, vocabulary)];
        let (answer, others) = (one.encode(&row)?, other.encode(&row)?);
        if !answer.iter().zip(&others).all(|(answer, other)| is_same(answer, other, 0.0)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A row of made-up tokens that differs for every `seed`.
fn row(length: usize, seed: usize, vocabulary: usize) -> RowRequest {
    let id = |at: usize| (seed * 7919 + at * 104_729 + 1) % vocabulary.max(1);
    let ids: Vec<u32> = (0..length).map(|at| u32::try_from(id(at)).unwrap_or(0)).collect();
    RowRequest { row: Row::plain(ids), wanted: Wanted::ALL }
}

fn is_same(one: &RowOutput, other: &RowOutput, closeness: f32) -> bool {
    let is_same = |one: &Option<RowVector>, other: &Option<RowVector>| match (one, other) {
        (Some(one), Some(other)) => one.len() == other.len() && is_close(one, other, closeness),
        (None, None) => true,
        _ => false,
    };
    is_same(&one.sentence, &other.sentence) && is_same(&one.mean, &other.mean) && is_same(&one.tokens, &other.tokens)
}

fn is_close(one: &[f32], other: &[f32], closeness: f32) -> bool {
    let allowed = closeness * one.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    one.iter().zip(other).all(|(one, other)| one.to_bits() == other.to_bits() || (one - other).abs() < allowed)
}

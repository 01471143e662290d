//! Which waiting rows share a forward. On a CPU padding costs as much as text, so only rows of like length do.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::shares::Turn;

/// Which rows may share a forward without a change to their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// None: one row a forward.
    Alone,
    /// Rows of equal length.
    EqualLengths,
    /// Rows of like length; the shorter ones are padded.
    Padded,
    /// Any rows: the engine computes them one by one and pads nothing.
    Free,
}

/// Limits of one forward.
#[derive(Debug, Clone, Copy)]
pub struct PackLimits {
    /// Tokens of one forward, padding included. A single longer row still gets its forward.
    pub tokens: usize,
    /// Which rows may share.
    pub sharing: Sharing,
}

/// The largest part of a forward that may be padding, as a fraction.
const WASTE: (usize, usize) = (1, 10);

/// A waiting row: its length, its turn, and its number. Of rows of one length, the next one comes first.
pub type Waiting = (usize, Turn, u64);

/// Chooses the rows of the forward that `seed` will be part of: its neighbours in length, as many as the limits allow.
pub fn pack(waiting: &BTreeSet<Waiting>, seed: Waiting, limits: PackLimits) -> Vec<Waiting> {
    match limits.sharing {
        Sharing::Alone => vec![seed],
        Sharing::EqualLengths => pack_like(waiting, seed, limits.tokens, |length| length == seed.0),
        Sharing::Padded => pack_like(waiting, seed, limits.tokens, |_| true),
        Sharing::Free => pack_any(waiting, seed, limits.tokens),
    }
}

/// Tokens that a forward of these rows computes.
pub fn forward_tokens(lengths: impl Iterator<Item = usize> + Clone, sharing: Sharing) -> usize {
    match sharing {
        Sharing::Free => lengths.sum(),
        _ => lengths.clone().max().unwrap_or(0) * lengths.count(),
    }
}

fn pack_any(waiting: &BTreeSet<Waiting>, seed: Waiting, tokens: usize) -> Vec<Waiting> {
    let mut chosen = vec![seed];
    let mut total = seed.0;
    for row in waiting.iter().filter(|row| **row != seed) {
        total += row.0;
        if total > tokens {
            break;
        }
        chosen.push(*row);
    }
    chosen
}

/// Grows from the seed to both sides, always by the neighbour that adds less padding.
fn pack_like(
    waiting: &BTreeSet<Waiting>,
    seed: Waiting,
    tokens: usize,
    may_share: impl Fn(usize) -> bool,
) -> Vec<Waiting> {
    let mut chosen = vec![seed];
    let mut shorter = waiting.range(..seed).rev().peekable();
    let mut longer = waiting.range((Bound::Excluded(seed), Bound::Unbounded)).peekable();
    let (mut total, mut longest) = (seed.0, seed.0);
    loop {
        let waste_with = |row: Option<&&Waiting>| {
            let (length, ..) = **row?;
            let longest = longest.max(length);
            let padded = longest * (chosen.len() + 1);
            let waste = padded - (total + length);
            let fits = padded <= tokens && waste * WASTE.1 <= padded * WASTE.0 && may_share(length);
            fits.then_some(waste)
        };
        let row = match (waste_with(shorter.peek()), waste_with(longer.peek())) {
            (None, None) => return chosen,
            (Some(below), Some(above)) if below <= above => shorter.next(),
            (Some(_), None) => shorter.next(),
            (_, Some(_)) => longer.next(),
        };
        let Some(&row) = row else { return chosen };
        total += row.0;
        longest = longest.max(row.0);
        chosen.push(row);
    }
}

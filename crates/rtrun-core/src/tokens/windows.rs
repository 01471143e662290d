//! Overlapping windows over a text. How many there are at most, and of how many tokens, is told before any is made.

use std::ops::Range;

/// Neighbours share at least one in so many of the tokens that they may share.
const LEAST_PART: usize = 4;

/// The windows over a text. Those of [`Windows::iter`] share all the tokens that neighbours may share; those of
/// [`Windows::at_beginnings`] share fewer where a sentence or a line begins in time, so they are not more. Each but the last
/// is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    tokens: usize,
    room: usize,
    step: usize,
}

impl Windows {
    /// Over `tokens` tokens with room for `room` of them in each; neighbours share `overlap`. There is always one.
    pub fn new(tokens: usize, room: usize, overlap: usize) -> Self {
        Self { tokens, room, step: room.saturating_sub(overlap).max(1) }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        1 + self.tokens.saturating_sub(self.room).div_ceil(self.step)
    }

    /// The tokens of all windows together, of which shared ones count again, with `beside` more in each.
    pub fn processed(self, beside: usize) -> usize {
        let again = self.room.saturating_sub(self.step).saturating_mul(self.count() - 1);
        self.tokens.saturating_add(again).saturating_add(beside.saturating_mul(self.count()))
    }

    /// The tokens of each window.
    pub fn iter(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count()).map(move |index| {
            let start = index * self.step;
            start..(start + self.room).min(self.tokens)
        })
    }

    /// The tokens of each window, where the next one goes back to the last token that `begins` a sentence or a line and leaves
    /// enough to share, so that a name at the end of one window is whole in the next and has some words before it.
    pub fn at_beginnings(self, begins: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let overlap = self.room.saturating_sub(self.step);
        let mut windows = Vec::with_capacity(self.count());
        let mut start = 0;
        loop {
            let end = (start + self.room).min(self.tokens);
            windows.push(start..end);
            if end == self.tokens {
                return windows;
            }
            let (most, least) = (end - overlap, end - overlap.div_ceil(LEAST_PART));
            start = (most..=least).rev().find(|token| begins(*token)).unwrap_or(most);
        }
    }
}

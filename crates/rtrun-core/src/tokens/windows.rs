//! Overlapping windows over a text. How many there are, and of how many tokens, is told before any is made.

use std::ops::Range;

/// The windows over a text: each but the last is full and shares tokens with the next.
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
}

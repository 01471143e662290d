//! How much one request may ask of one model, told before its rows are made.

use crate::error::Error;

/// Rows of one request for one model. A row takes memory besides its tokens, and its answer does too, so windows of a
/// few tokens would make gigabytes of what the limit of tokens lets through.
pub const MAX_ROWS: usize = 16_384;

/// What is left of a request's share of a model.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    limit: usize,
    tokens: usize,
    rows: usize,
}

impl Allowance {
    /// Of `tokens` tokens and [`MAX_ROWS`] rows.
    pub fn new(tokens: usize) -> Self {
        Self { limit: tokens, tokens: 0, rows: 0 }
    }

    /// Tokens that were taken.
    pub fn taken(&self) -> usize {
        self.tokens
    }

    /// The most tokens that are left.
    pub fn left(&self) -> usize {
        self.limit.saturating_sub(self.tokens)
    }

    /// More tokens than these, of one text in windows of `room` tokens, are surely more than what is left.
    pub fn max_tokens(&self, room: usize, overlap: usize) -> usize {
        let rows = MAX_ROWS.saturating_sub(self.rows);
        let step = room.saturating_sub(overlap).max(1);
        room.saturating_add(rows.saturating_mul(step)).min(self.left())
    }

    /// Takes rows of so many tokens together. Fails with `request_too_large` where less is left.
    pub fn take(&mut self, rows: usize, tokens: usize) -> Result<(), Error> {
        self.tokens = self.tokens.saturating_add(tokens);
        self.rows = self.rows.saturating_add(rows);
        let (what, limit) = match () {
            () if self.tokens > self.limit => ("tokens", self.limit),
            () if self.rows > MAX_ROWS => ("rows", MAX_ROWS),
            () => return Ok(()),
        };
        Err(Error::RequestTooLarge(format!(
            "The request has more than {limit} {what}, windows and questions counted each; one model takes at most {limit} at a time, so send it in parts"
        )))
    }

    /// The same for rows that are only thought of.
    pub fn check(mut self, rows: usize, tokens: usize) -> Result<(), Error> {
        self.take(rows, tokens)
    }
}

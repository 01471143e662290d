//! A place in the queue for a request whose rows are still being made.

use std::sync::Arc;

use super::shared::Shared;
use super::ticket::Ticket;
use super::worker::Terms;
use crate::engines::RowRequest;
use crate::error::Error;

/// Counts against the limits of the queue like a request that waits. Dropping it gives the place up.
pub struct Reservation {
    pub(super) shared: Arc<Shared>,
    pub(super) tokens: usize,
    pub(super) is_used: bool,
}

impl Reservation {
    /// Says how many tokens the rows have that are made so far. Fails with `overloaded` where the queue has no room for
    /// them.
    pub fn hold(&mut self, tokens: usize) -> Result<(), Error> {
        let more = tokens.saturating_sub(self.tokens);
        if more > 0 {
            self.shared.reserve_tokens(more)?;
            self.tokens += more;
        }
        Ok(())
    }

    /// Puts the rows where the place was.
    pub fn submit(mut self, rows: &[RowRequest], terms: Terms) -> Result<Ticket, Error> {
        self.is_used = true;
        Shared::submit(&self.shared, rows, terms, Some(self.tokens))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.is_used {
            self.shared.release(self.tokens);
        }
    }
}

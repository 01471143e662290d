//! One budget for the bodies that are being read, so that many clients with large ones cannot take all memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;

/// The first bytes of every body are free: small requests never depend on what others send, and the number of
/// connections bounds them all.
pub const FREE_BYTES: usize = 64 << 10;

/// Bytes that all bodies may take together.
#[derive(Debug)]
pub struct BodyBudget {
    bytes: usize,
    taken: AtomicUsize,
}

impl BodyBudget {
    /// A budget of so many bytes beyond the free ones.
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes, taken: AtomicUsize::new(0) })
    }

    /// The share of a body of which nothing has been read.
    pub fn share(self: &Arc<Self>) -> BodyShare {
        BodyShare { budget: Arc::clone(self), taken: 0 }
    }
}

/// What one body has taken; it is given back when this is dropped.
#[derive(Debug)]
pub struct BodyShare {
    budget: Arc<BodyBudget>,
    taken: usize,
}

impl BodyShare {
    /// Takes what a buffer of `capacity` bytes needs beyond what the body has. Nobody waits: a client that is told to
    /// come again frees its connection, one that waits would hold it and the bytes it has.
    pub fn grow(&mut self, capacity: usize) -> Result<(), Error> {
        let more = capacity.saturating_sub(FREE_BYTES).saturating_sub(self.taken);
        let BodyBudget { bytes, taken } = &*self.budget;
        let fits = |taken: usize| taken.checked_add(more).filter(|taken| taken <= bytes);
        if taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
            return Err(Error::Overloaded(format!(
                "The bodies of other requests fill the {bytes} bytes there are for large ones; try again later"
            )));
        }
        self.taken += more;
        Ok(())
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

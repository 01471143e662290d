//! The seam between scheduling and computing.

use std::sync::Arc;

use crate::error::Error;

/// The sentence vector of one row.
pub type RowVector = Arc<[f32]>;

/// Stops a running forward from another thread; a later forward is not affected by it.
pub type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// Computes sentence vectors. One thread owns an encoder and calls it.
pub trait Encoder: Send {
    /// The vectors of the rows, in order, from one forward. Rows are never empty unless the family has no special
    /// tokens, and never longer than the package's limit.
    fn encode(&mut self, rows: &[Arc<[u32]>]) -> Result<Vec<RowVector>, Error>;

    /// Length of every vector.
    fn dimension(&self) -> usize;

    /// Bytes the weights take.
    fn memory_bytes(&self) -> u64;

    /// A handle that stops the running forward.
    fn interrupt(&self) -> Interrupt;
}

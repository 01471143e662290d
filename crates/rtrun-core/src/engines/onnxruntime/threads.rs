//! The threads of the session that runs, for operators of this crate.

use std::cell::Cell;

use ort::operator::ComputeContext;

use crate::matmul::Workers;

/// Lends them to one call of an operator.
pub struct LibraryThreads<'c> {
    context: &'c ComputeContext,
    failure: Cell<Option<ort::Error>>,
}

impl<'c> LibraryThreads<'c> {
    /// Those of the session that calls.
    pub fn of(context: &'c ComputeContext) -> Self {
        Self { context, failure: Cell::new(None) }
    }

    /// Whether all work was done.
    pub fn outcome(self) -> ort::Result<()> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}

// SAFETY: the library calls the work once with each number and returns when all calls have. Where it fails, it has not begun.
#[allow(unsafe_code)]
unsafe impl Workers for LibraryThreads<'_> {
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        if let Err(error) = self.context.par_for(count, 0, work) {
            self.failure.set(Some(error));
        }
    }
}

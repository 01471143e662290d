//! What a graph is built over: the author's weights, and in which precision its matmuls are computed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Error;
use crate::matmul::{PackedLinear, Precision};
use crate::package::Weights;

/// The weights of a graph and the precision of its matmuls.
#[derive(Debug, Clone, Copy)]
pub struct Source<'w> {
    /// The author's weights.
    pub weights: &'w Weights,
    /// In which precision matmuls are computed; `None` is that of the library, 32-bit floats.
    pub packing: Option<&'w Packing>,
}

/// The matmuls of one encoder in reduced precision. Graphs of fewer layers take what a longer one has packed, so that
/// exits cost neither its time nor its memory again.
#[derive(Debug)]
pub struct Packing {
    /// Which matmuls are computed in which precision.
    pub reduction: Reduction,
    made: RefCell<HashMap<String, Arc<PackedLinear>>>,
}

impl Packing {
    /// Nothing is packed yet.
    pub fn new(reduction: Reduction) -> Self {
        Self { reduction, made: RefCell::default() }
    }

    /// The matmul of that name, packed now if no graph has asked for it before.
    pub(super) fn packed(
        &self,
        name: String,
        pack: impl FnOnce() -> Result<PackedLinear, Error>,
    ) -> Result<Arc<PackedLinear>, Error> {
        if let Some(made) = self.made.borrow().get(&name) {
            return Ok(Arc::clone(made));
        }
        let matmul = Arc::new(pack()?);
        self.made.borrow_mut().insert(name, Arc::clone(&matmul));
        Ok(matmul)
    }
}

/// Which matmuls are computed in which precision. `None` leaves a matmul to the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// Those around attention: they have as many outputs as inputs.
    pub attention: Option<Precision>,
    /// The first of a feed-forward network: it has more outputs than inputs, and reads what a normalization gives.
    pub ffn_up: Option<Precision>,
    /// The second: it has fewer outputs than inputs, and reads what an activation function gives.
    pub ffn_down: Option<Precision>,
    /// Matmuls whose weights the author keeps in more than a byte, in a file where others have one.
    pub kept: Option<Precision>,
}

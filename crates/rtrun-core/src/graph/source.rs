//! What a graph is built over: the author's weights, and in which precision its products are computed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Error;
use crate::package::Weights;
use crate::products::{Precision, Product};

/// The weights of a graph and the precision of its products.
#[derive(Debug, Clone, Copy)]
pub struct Source<'w> {
    /// The author's weights.
    pub weights: &'w Weights,
    /// In which precision products are computed; `None` is that of the library, 32-bit floats.
    pub packing: Option<&'w Packing>,
}

/// The products of one trunk in reduced precision. Graphs of fewer layers take what a longer one has packed, so that
/// exits cost neither its time nor its memory again.
#[derive(Debug)]
pub struct Packing {
    /// Which products are computed in which precision.
    pub reduction: Reduction,
    made: RefCell<HashMap<String, Arc<Product>>>,
}

impl Packing {
    /// Nothing is packed yet.
    pub fn new(reduction: Reduction) -> Self {
        Self { reduction, made: RefCell::default() }
    }

    /// The product of that name, packed now if no graph has asked for it before.
    pub(super) fn packed(
        &self,
        name: String,
        pack: impl FnOnce() -> Result<Product, Error>,
    ) -> Result<Arc<Product>, Error> {
        if let Some(made) = self.made.borrow().get(&name) {
            return Ok(Arc::clone(made));
        }
        let product = Arc::new(pack()?);
        self.made.borrow_mut().insert(name, Arc::clone(&product));
        Ok(product)
    }
}

/// Which products are computed in which precision. `None` leaves a product to the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// Those around attention: they have as many outputs as inputs.
    pub attention: Option<Precision>,
    /// The first of a feed-forward network: it has more outputs than inputs, and reads what a normalization gives.
    pub ffn_up: Option<Precision>,
    /// The second: it has fewer outputs than inputs, and reads what an activation function gives.
    pub ffn_down: Option<Precision>,
    /// Products whose weights the author keeps in more than a byte, in a file where others have one.
    pub kept: Option<Precision>,
}

//! What a graph is built over: the author's weights, and in which precision its products are computed.

use crate::package::Weights;
use crate::products::Precision;

/// The weights of a graph and the precision of its products.
#[derive(Debug, Clone, Copy)]
pub struct Source<'w> {
    /// The author's weights.
    pub weights: &'w Weights,
    /// In which precision products are computed; `None` is that of the library, 32-bit floats.
    pub reduction: Option<Reduction>,
}

/// Which products are computed in which precision. `None` leaves a product to the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// Products with as many outputs as inputs: those around attention.
    pub square: Option<Precision>,
    /// Products that widen, which read what a normalization gives.
    pub widening: Option<Precision>,
    /// Products that narrow, which read what an activation function gives.
    pub narrowing: Option<Precision>,
    /// Products whose weights the author keeps in more than a byte, in a file where others have one.
    pub kept: Option<Precision>,
}

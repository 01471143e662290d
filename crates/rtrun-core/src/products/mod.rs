//! Matrix products in reduced precision: weights packed once, activations packed row by row, so that what a row becomes
//! never depends on the rows beside it.

mod activations;
mod bf16;
mod int8;
mod panels;
mod precision;
mod product;

pub use panels::{Line, Panels};
pub use precision::Precision;
pub use product::{Product, Scratch, Workers};

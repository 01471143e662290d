//! What a probe becomes, whatever it asks.

use crate::engines::{Encoder, RowOutput, RowRequest};
use crate::error::Error;

/// The output of one row, in a forward of its own. One that is not finite fails the probe.
pub fn compute(encoder: &mut dyn Encoder, row: &RowRequest) -> Result<RowOutput, Error> {
    let output = encoder.encode(std::slice::from_ref(row))?.pop().filter(RowOutput::is_finite);
    output.ok_or_else(|| Error::InvalidModelOutput("The model answered a probe with no finite numbers".to_owned()))
}

/// The place of the largest number.
pub fn largest(numbers: &[f32]) -> usize {
    let best = numbers.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
    best.map_or(0, |(place, _)| place)
}

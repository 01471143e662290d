//! Static embeddings: the mean of one stored vector per token. Needs no inference library.

use std::sync::Arc;

use super::encoder::{Encoder, Interrupt, RowOutput, RowRequest, RowVector};
use crate::error::Error;
use crate::package::{Dtype, Weights};

const TABLE: &str = "embeddings";

/// A table of token vectors.
#[derive(Debug)]
pub struct StaticEncoder {
    weights: Arc<Weights>,
    table: Table,
    dimension: usize,
    normalize: bool,
    unknown: Option<u32>,
}

/// The table as stored where it can be read in place, as floats otherwise.
#[derive(Debug)]
enum Table {
    Bytes { offset: usize, rows: usize, scale: Option<Vec<f32>> },
    Floats(Vec<f32>),
}

impl StaticEncoder {
    /// Takes the weights of a static package. Tokens equal to `unknown` do not count, as in model2vec.
    pub fn new(weights: Arc<Weights>, normalize: bool, unknown: Option<u32>) -> Result<Self, Error> {
        let place = weights.place(TABLE)?;
        let [rows, dimension] = place.shape[..] else {
            return Err(
                weights.invalid(TABLE, format_args!("has shape {:?}; [tokens, dimension] is expected", place.shape))
            );
        };
        if rows == 0 || dimension == 0 {
            return Err(weights.invalid(TABLE, "is empty"));
        }
        for name in weights.names() {
            if name != TABLE && name != format!("{TABLE}_scale") {
                return Err(weights.invalid(&name, "is not supported yet in a static package"));
            }
        }
        let table = if place.dtype == Dtype::I8 {
            let scale = match weights.scale_of(TABLE, rows)? {
                Some((name, _)) => Some(weights.read_f32(&name, &[rows])?),
                None => None,
            };
            Table::Bytes { offset: place.offset, rows, scale }
        } else {
            Table::Floats(weights.read_f32(TABLE, &[rows, dimension])?)
        };
        Ok(Self { weights, table, dimension, normalize, unknown })
    }

    /// Rows of the table: one more than the largest token id.
    pub fn vocabulary(&self) -> usize {
        match &self.table {
            Table::Bytes { rows, .. } => *rows,
            Table::Floats(floats) => floats.len() / self.dimension,
        }
    }

    fn vector(&self, ids: &[u32]) -> RowVector {
        let mut sum = vec![0.0_f32; self.dimension];
        let mut count = 0_u32;
        let known = ids.iter().filter(|id| Some(**id) != self.unknown).map(|id| *id as usize);
        for id in known.filter(|id| *id < self.vocabulary()) {
            count += 1;
            let start = id * self.dimension;
            match &self.table {
                Table::Floats(floats) => add(&mut sum, floats[start..start + self.dimension].iter().copied()),
                Table::Bytes { offset, scale, .. } => {
                    let scale = scale.as_ref().map_or(1.0, |scale| scale[id]);
                    let bytes = &self.weights.content()[offset + start..offset + start + self.dimension];
                    add(&mut sum, bytes.iter().map(|byte| f32::from(byte.cast_signed()) * scale));
                }
            }
        }
        // A text without a known token has the zero vector: similar to nothing, and no division by zero.
        if count > 0 {
            let mean = 1.0 / count as f32;
            for value in &mut sum {
                *value *= mean;
            }
            if self.normalize {
                super::pool::normalize(&mut sum);
            }
        }
        sum.into()
    }
}

impl Encoder for StaticEncoder {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        let output = |ids: &[u32]| RowOutput { sentence: Some(self.vector(ids)), ..RowOutput::default() };
        Ok(rows.iter().map(|request| output(&request.row.ids)).collect())
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn memory_bytes(&self) -> u64 {
        match &self.table {
            Table::Bytes { .. } => self.weights.stored_bytes(),
            Table::Floats(floats) => 4 * floats.len() as u64,
        }
    }

    fn interrupt(&self) -> Interrupt {
        // A forward takes microseconds: there is nothing to stop.
        Arc::new(|| {})
    }
}

fn add(sum: &mut [f32], values: impl Iterator<Item = f32>) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

//! Two encoders whose vectors lie in one space: one reads texts, the other images.

use std::sync::Arc;

use super::encoder::{Encoder, Interrupt, Row, RowOutput, RowRequest, Wanted};
use super::picture::Picture;
use crate::error::Error;

/// A pair of encoders behind one queue.
pub struct TowersEncoder {
    texts: Box<dyn Encoder>,
    images: Box<dyn Encoder>,
    /// Whether images may share a forward without a change to their answers.
    images_share: bool,
}

/// What every image of a model is once it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Bytes of its pixels.
    pub bytes: usize,
    /// Tokens that a forward computes for it.
    pub tokens: usize,
}

impl ImageSize {
    /// A made-up image that differs for every `seed` below 251.
    pub fn made_up(self, seed: usize) -> RowRequest {
        let byte = |at: usize| u8::try_from((at * 31 + seed * 101) * 131 % 251).unwrap_or(0);
        let row = Row::picture(Arc::new(Picture::new((0..self.bytes).map(byte).collect(), self.tokens)));
        RowRequest { row, wanted: Wanted::SENTENCE }
    }
}

impl TowersEncoder {
    /// Takes both encoders, whose vectors have one length, and finds out with made-up images whether images may share a
    /// forward.
    pub fn new(texts: Box<dyn Encoder>, mut images: Box<dyn Encoder>, image_size: ImageSize) -> Result<Self, Error> {
        let images_share = probe(images.as_mut(), image_size)?;
        Ok(Self { texts, images, images_share })
    }
}

impl Encoder for TowersEncoder {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        if rows.iter().all(|request| request.row.picture.is_none()) {
            return self.texts.encode(rows);
        }
        if self.images_share {
            return self.images.encode(rows);
        }
        let mut outputs = Vec::with_capacity(rows.len());
        for row in rows {
            outputs.extend(self.images.encode(std::slice::from_ref(row))?);
        }
        Ok(outputs)
    }

    fn dimension(&self) -> usize {
        self.texts.dimension()
    }

    fn memory_bytes(&self) -> u64 {
        self.texts.memory_bytes() + self.images.memory_bytes()
    }

    fn interrupt(&self) -> Interrupt {
        let both = [self.texts.interrupt(), self.images.interrupt()];
        Arc::new(move || both.iter().for_each(|interrupt| interrupt()))
    }
}

/// Whether images answer the same, bit for bit, alone and in company.
fn probe(images: &mut dyn Encoder, image_size: ImageSize) -> Result<bool, Error> {
    let rows = [1, 2, 3].map(|seed| image_size.made_up(seed));
    let together = images.encode(&rows)?;
    for (row, shared) in rows.iter().zip(&together) {
        let alone = images.encode(std::slice::from_ref(row))?.remove(0);
        let bits = |output: &RowOutput| -> Vec<u32> {
            output.sentence.iter().flat_map(|vector| vector.iter().map(|value| value.to_bits())).collect()
        };
        if bits(&alone) != bits(shared) {
            return Ok(false);
        }
    }
    Ok(true)
}

//! Several exits of one encoder: a session for each, over the same mapped weights.

use std::sync::Arc;

use super::encoder::{Encoder, Interrupt, RowOutput, RowRequest};
use crate::error::Error;

/// The whole encoder and its shorter parts. A row goes to the one that its exit numbers.
pub struct ExitEncoder {
    encoders: Vec<Box<dyn Encoder>>,
}

impl ExitEncoder {
    /// The whole encoder first. There is at least one.
    pub fn new(whole: Box<dyn Encoder>, shorter: Vec<Box<dyn Encoder>>) -> Self {
        Self { encoders: std::iter::once(whole).chain(shorter).collect() }
    }
}

impl Encoder for ExitEncoder {
    fn encode(&mut self, rows: &[RowRequest]) -> Result<Vec<RowOutput>, Error> {
        let exit = rows.first().map_or(0, |request| request.row.exit);
        match self.encoders.get_mut(usize::from(exit)) {
            Some(encoder) => encoder.encode(rows),
            None => Err(Error::Internal(format!("The encoder has no exit {exit}; this is a bug"))),
        }
    }

    fn dimension(&self) -> usize {
        self.encoders[0].dimension()
    }

    /// The shorter parts map the same weights.
    fn memory_bytes(&self) -> u64 {
        self.encoders[0].memory_bytes()
    }

    fn interrupt(&self) -> Interrupt {
        let interrupts: Vec<Interrupt> = self.encoders.iter().map(|encoder| encoder.interrupt()).collect();
        Arc::new(move || interrupts.iter().for_each(|interrupt| interrupt()))
    }
}

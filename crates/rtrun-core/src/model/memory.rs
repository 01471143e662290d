//! The memory that a model's weights take, counted against its own budget and that of all models.

use std::sync::atomic::Ordering;

use super::load::LoadContext;
use super::slot::Slot;
use crate::error::Error;

/// Memory that is given back unless the model starts to serve.
pub struct Reservation<'c> {
    context: &'c LoadContext,
    bytes: u64,
}

impl<'c> Reservation<'c> {
    /// Reserves the bytes of a model that is being loaded.
    pub fn new(slot: &Slot, context: &'c LoadContext, bytes: u64) -> Result<Self, Error> {
        let (own, all) = (slot.options.memory_budget_bytes, context.options.memory_budget_bytes);
        if let Some(budget) = own.filter(|budget| bytes > *budget) {
            return Err(over(slot, "the model", budget, bytes));
        }
        let before = context.memory_bytes.fetch_add(bytes, Ordering::SeqCst);
        let reservation = Self { context, bytes };
        match all.filter(|budget| before + bytes > *budget) {
            Some(budget) => Err(over(slot, "all models", budget, before + bytes)),
            None => Ok(reservation),
        }
    }

    /// Counts more, where no budget bounds it.
    pub fn grow(&mut self, more: u64) {
        self.context.memory_bytes.fetch_add(more, Ordering::SeqCst);
        self.bytes += more;
    }

    /// Gives back what is beyond `bytes`, if anything is.
    pub fn shrink(&mut self, bytes: u64) {
        let beyond = self.bytes.saturating_sub(bytes);
        self.context.memory_bytes.fetch_sub(beyond, Ordering::SeqCst);
        self.bytes -= beyond;
    }

    /// Keeps the memory for a model that serves, and tells how much it is.
    pub fn keep(mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.context.memory_bytes.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

fn over(slot: &Slot, whose: &str, budget: u64, needed: u64) -> Error {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Error::InvalidOptions(format!(
        "Cannot load model {:?}: its weights bring the memory of {whose} to {} MiB; the budget is {} MiB",
        slot.options.name,
        mib(needed),
        mib(budget)
    ))
}

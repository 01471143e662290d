//! The memory that a model's weights take, counted against its own budget and that of all models.

use std::sync::atomic::Ordering;

use super::load::LoadContext;
use super::slot::Slot;
use crate::error::Error;

/// Memory that is given back unless the model starts to serve.
pub struct Reservation<'c> {
    slot: &'c Slot,
    context: &'c LoadContext,
    bytes: u64,
}

impl<'c> Reservation<'c> {
    /// Reserves the bytes of a model that is being loaded.
    pub fn new(slot: &'c Slot, context: &'c LoadContext, bytes: u64) -> Result<Self, Error> {
        let mut reservation = Self { slot, context, bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }

    /// Reserves more for the same model.
    pub fn grow(&mut self, bytes: u64) -> Result<(), Error> {
        let (own, all) = self.budgets();
        let needed = self.bytes + bytes;
        if let Some(budget) = own.filter(|budget| needed > *budget) {
            return Err(self.over("the model", budget, needed));
        }
        let before = self.context.memory_bytes.fetch_add(bytes, Ordering::SeqCst);
        if let Some(budget) = all.filter(|budget| before + bytes > *budget) {
            self.context.memory_bytes.fetch_sub(bytes, Ordering::SeqCst);
            return Err(self.over("all models", budget, before + bytes));
        }
        self.bytes = needed;
        Ok(())
    }

    /// Bytes that the budgets have left.
    pub fn spare(&self) -> u64 {
        let (own, all) = self.budgets();
        let own = own.map_or(u64::MAX, |budget| budget.saturating_sub(self.bytes));
        let taken = self.context.memory_bytes.load(Ordering::SeqCst);
        own.min(all.map_or(u64::MAX, |budget| budget.saturating_sub(taken)))
    }

    /// Keeps the memory for a model that serves, and tells how much it is.
    pub fn keep(mut self) -> u64 {
        std::mem::take(&mut self.bytes)
    }

    /// The budgets of the model and of all models.
    fn budgets(&self) -> (Option<u64>, Option<u64>) {
        (self.slot.options.memory_budget_bytes, self.context.options.memory_budget_bytes)
    }

    fn over(&self, whose: &str, budget: u64, needed: u64) -> Error {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Error::InvalidOptions(format!(
            "Cannot load model {:?}: its weights bring the memory of {whose} to {} MiB; the budget is {} MiB",
            self.slot.options.name,
            mib(needed),
            mib(budget)
        ))
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.context.memory_bytes.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

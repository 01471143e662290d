//! The memory of all models together, and its budget.

use std::sync::atomic::Ordering;

use super::load::LoadContext;
use crate::error::Error;
use crate::options::ModelOptions;

/// Memory that is given back unless the model starts to serve.
pub struct Reserved<'c> {
    context: &'c LoadContext,
    bytes: u64,
}

impl<'c> Reserved<'c> {
    /// Takes the memory of a model's weights, or says which budget they would break.
    pub fn take(model: &ModelOptions, context: &'c LoadContext, bytes: u64) -> Result<Self, Error> {
        let over = |whose: &str, budget: u64, needed: u64| {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            Error::InvalidOptions(format!(
                "Cannot load model {:?}: its weights bring the memory of {whose} to {} MiB; the budget is {} MiB",
                model.name,
                mib(needed),
                mib(budget)
            ))
        };
        if let Some(budget) = model.memory_budget_bytes.filter(|budget| bytes > *budget) {
            return Err(over("the model", budget, bytes));
        }
        let before = context.memory_bytes.fetch_add(bytes, Ordering::SeqCst);
        let reserved = Self { context, bytes };
        match context.options.memory_budget_bytes.filter(|budget| before + bytes > *budget) {
            Some(budget) => Err(over("all models", budget, before + bytes)),
            None => Ok(reserved),
        }
    }

    /// Keeps the memory for as long as the engine lives.
    pub fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.context.memory_bytes.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

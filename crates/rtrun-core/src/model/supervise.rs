//! Keeps a model serving: loads it, and loads it again after a panic has ended one of its threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::heap::return_free_pages;
use super::load::{LoadContext, load_until_ready, sleep_unless_closing};
use super::slot::Slot;
use crate::error::Error;
use crate::options::LONGEST_LOAD_RETRY;

/// A model that served for so long was not broken by its start: the next panic is the first one again.
const STEADY: Duration = Duration::from_secs(30);

/// Serves a model until it is given up or the engine closes.
pub fn supervise(slot: &Slot, context: &LoadContext) {
    if catch_unwind(AssertUnwindSafe(|| keep_serving(slot, context))).is_err() {
        let error = Error::Internal("a panic ended the thread that loads it; start the worker again".to_owned());
        take_out_of_service(slot, context, &error);
        slot.fail(&error);
    }
    // What the model held is free now.
    return_free_pages();
}

fn keep_serving(slot: &Slot, context: &LoadContext) {
    let mut panics = Panics::default();
    loop {
        load_until_ready(slot, context);
        let Ok(model) = slot.loaded() else { return };
        let start = Instant::now();
        if !model.worker.has_failed_at_its_end() {
            return;
        }
        drop(model);
        let (name, options) = (&slot.options.name, &context.options);
        let wait = panics.wait_after(start.elapsed(), options.load_attempts, options.load_retry);
        let count = panics.in_a_row;
        let error = Error::Internal(match wait {
            Some(_) => "a panic ended one of its threads, and it is loaded again".to_owned(),
            None => format!("a panic ended one of its threads {count} times in a row; start the worker again"),
        });
        tracing::error!(model = %name, panics = count, wait_ms = wait.map(|wait| wait.as_millis()), "the model has failed");
        if !take_out_of_service(slot, context, &error) {
            return;
        }
        context.metrics.model_panicked(name);
        match wait {
            Some(wait) if !sleep_unless_closing(context, wait) => {}
            _ => return,
        }
    }
}

/// Stops a model that serves; whether there was one. Its memory belongs to others again.
pub fn take_out_of_service(slot: &Slot, context: &LoadContext, error: &Error) -> bool {
    let Some(model) = slot.give_up(error) else { return false };
    context.metrics.model_is_out_of_service(&slot.options.name);
    model.worker.close(Duration::ZERO);
    context.give_back(model.memory_bytes);
    true
}

/// How often a model has panicked without serving for a while in between.
#[derive(Default)]
struct Panics {
    in_a_row: u32,
}

impl Panics {
    /// How long to wait before it is loaded again, after it has served for `served`: not at all the first time, and then
    /// twice as long every time. `None` after `most` restarts.
    fn wait_after(&mut self, served: Duration, most: u32, first: Duration) -> Option<Duration> {
        if served >= STEADY {
            self.in_a_row = 0;
        }
        self.in_a_row += 1;
        match self.in_a_row {
            1 => Some(Duration::ZERO),
            count if count > most => None,
            count => Some(first.saturating_mul(1 << (count - 2).min(16)).min(LONGEST_LOAD_RETRY)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Panics, STEADY};

    #[test]
    fn a_model_that_panics_again_and_again_waits_longer_and_is_given_up() {
        let mut panics = Panics::default();
        let mut wait = |served| panics.wait_after(served, 4, Duration::from_secs(5));
        let seconds = |count| Some(Duration::from_secs(count));
        let soon = Duration::from_secs(1);
        assert_eq!([soon; 5].map(&mut wait), [seconds(0), seconds(5), seconds(10), seconds(20), None]);
        assert_eq!([STEADY, soon, STEADY].map(&mut wait), [seconds(0), seconds(5), seconds(0)]);
    }
}

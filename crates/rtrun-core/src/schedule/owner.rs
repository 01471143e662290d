//! The threads that own the encoders of a model, one a lane: each asks the queue what to do and runs its encoder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::lane::Lane;
use super::queue::{Batch, RowAnswer};
use super::shared::Shared;
use super::worker::Observer;
use crate::engines::{Encoder, Opener, RowOutput, give_way};
use crate::error::Error;

/// Runs what owns a lane. Without its owner nobody would ever be answered, so a panic in it ends the model's queue.
pub(super) fn guarded(shared: &Shared, own: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(own)).is_err() {
        shared.fail();
        tracing::error!("a panic ended a thread of the model");
    }
}

/// Opens the encoder of the back lane and runs it.
pub(super) fn own_back(shared: &Shared, open: Opener, observer: &dyn Observer) {
    give_way();
    match catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(encoder)) => own(Lane::Back, shared, encoder, observer),
        // The process leaves.
        Ok(Err(Error::NotReady(_))) => {}
        failed => {
            let error = failed.map_or_else(
                |_| "opening it panicked".to_owned(),
                |failed| failed.err().map_or_else(String::new, |error| error.to_string()),
            );
            tracing::warn!(error, "long requests get no lane of their own");
            shared.close_back();
        }
    }
}

/// Runs the batches of a lane until the worker closes or fails.
pub(super) fn own(lane: Lane, shared: &Shared, mut encoder: Box<dyn Encoder>, observer: &dyn Observer) {
    shared.interrupts().push(encoder.interrupt());
    while let Some(batch) = shared.next_batch(lane) {
        let start = Instant::now();
        let answers = compute(encoder.as_mut(), &batch);
        let took = start.elapsed();
        observer.forward(batch.rows.len(), batch.tokens, took);
        let now = shared.now();
        shared.ask(|queue| queue.finish(&batch, answers, took, now));
    }
}

/// Computes a batch. A row with a number that is not finite fails alone; a failed forward fails all its rows.
fn compute(encoder: &mut dyn Encoder, batch: &Batch) -> Vec<RowAnswer> {
    let fail = |error: &Error| vec![Err(error.clone()); batch.rows.len()];
    match catch_unwind(AssertUnwindSafe(|| encoder.encode(&batch.rows))) {
        Ok(Ok(outputs)) if outputs.len() == batch.rows.len() => outputs.into_iter().map(finite).collect(),
        Ok(Ok(_)) => fail(&Error::Internal("The engine answered another number of rows".to_owned())),
        Ok(Err(error)) => {
            // A forward that was stopped is no fault.
            if matches!(error, Error::Internal(_)) {
                tracing::warn!(rows = batch.rows.len(), %error, "forward failed");
            }
            fail(&error)
        }
        Err(_) => {
            tracing::error!(rows = batch.rows.len(), "the engine panicked");
            fail(&Error::Internal("The engine failed".to_owned()))
        }
    }
}

fn finite(output: RowOutput) -> RowAnswer {
    if output.is_finite() {
        Ok(output)
    } else {
        Err(Error::InvalidModelOutput("The model answered with a number that is not finite".to_owned()))
    }
}

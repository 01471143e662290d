//! A panic as an error: whoever waits for the work gets an answer, and what runs it goes on.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::error::Error;

/// What the work gives, or an error where it panics. The panic itself is told by the process's panic hook.
pub async fn caught<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let panicked = |_| Err(Error::Internal("The worker failed while it had the request".to_owned()));
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(panicked)
}

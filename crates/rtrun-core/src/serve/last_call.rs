//! The end of a server's patience: requests that still run are answered 503, so that no client sees a bare end.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;

use crate::caught::caught;
use crate::error::Error;

/// Runs requests until the server does not wait for them any longer.
#[derive(Debug)]
pub struct LastCall {
    over: watch::Sender<bool>,
    refused: AtomicUsize,
}

impl LastCall {
    /// Requests run as long as they like.
    pub fn new() -> Self {
        Self { over: watch::Sender::new(false), refused: AtomicUsize::new(0) }
    }

    /// What a request gives, a panic included, unless the server's patience ends before; then the request is dropped.
    pub async fn wait<T>(&self, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut over = self.over.subscribe();
        tokio::select! {
            biased;
            result = caught(request) => result,
            _ = over.wait_for(|over| *over) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                Err(closing())
            }
        }
    }

    /// Ends all requests, those to come included.
    pub fn end(&self) {
        self.over.send_replace(true);
    }

    /// Requests that were not finished.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }
}

/// The answer to a request that the closing worker did not finish.
pub fn closing() -> Error {
    Error::NotReady("The worker is closing; ask another one, or again once it is back".to_owned())
}

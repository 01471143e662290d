//! Who waits for answers: a host says by name that a caller has left, as a closed connection says it over HTTP.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rtrun_core::Error;
use tokio::sync::watch;

/// The callers whose calls run, by source.
#[derive(Clone, Default)]
pub struct Callers(Arc<Mutex<HashMap<String, watch::Sender<bool>>>>);

/// One call of a caller.
pub struct Waiting {
    callers: Callers,
    source: String,
    left: watch::Receiver<bool>,
}

impl Callers {
    /// A call of this source begins.
    pub fn enter(&self, source: String) -> Waiting {
        let left = self.lock().entry(source.clone()).or_insert_with(|| watch::channel(false).0).subscribe();
        Waiting { callers: self.clone(), source, left }
    }

    /// Nobody waits for calls of this source any more.
    pub fn leave(&self, source: String) {
        if let Entry::Occupied(caller) = self.lock().entry(source) {
            caller.remove().send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<bool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Runs the call until it is done or its caller leaves; then it is dropped, and its place in the queue with it.
    pub async fn run<T>(mut self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        tokio::select! {
            answer = call => answer,
            _ = self.left.wait_for(|left| *left) => Err(Error::DeadlineExceeded("The caller has left".to_owned())),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut callers = self.callers.lock();
        // This call is counted still. A caller of the same name that came after one has left is another.
        if callers
            .get(&self.source)
            .is_some_and(|left| left.receiver_count() <= 1 && self.left.same_channel(&left.subscribe()))
        {
            callers.remove(&self.source);
        }
    }
}

//! Who waits for answers: a host says by name that a caller has left, as a closed connection says it over HTTP.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::error::Error;

/// The callers whose calls run, by name.
#[derive(Debug, Clone, Default)]
pub struct Callers(Arc<Mutex<HashMap<String, watch::Sender<bool>>>>);

/// One call of a caller.
#[derive(Debug)]
pub struct Waiting {
    callers: Callers,
    caller: String,
    left: watch::Receiver<bool>,
}

impl Callers {
    /// A call of this caller begins.
    pub fn enter(&self, caller: String) -> Waiting {
        let left = self.lock().entry(caller.clone()).or_insert_with(|| watch::channel(false).0).subscribe();
        Waiting { callers: self.clone(), caller, left }
    }

    /// Nobody waits for calls of this caller any more.
    pub fn leave(&self, caller: String) {
        if let Entry::Occupied(waiting) = self.lock().entry(caller) {
            waiting.remove().send_replace(true);
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
            .get(&self.caller)
            .is_some_and(|left| left.receiver_count() <= 1 && self.left.same_channel(&left.subscribe()))
        {
            callers.remove(&self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::Callers;
    use crate::error::Error;

    #[tokio::test]
    async fn a_caller_that_leaves_ends_its_calls_and_no_others() {
        let callers = Callers::default();
        let [first, second, other] = ["one", "one", "other"].map(|caller| callers.enter(caller.to_owned()));
        callers.leave("one".to_owned());
        for call in [first, second] {
            assert!(matches!(call.run(pending::<Result<(), Error>>()).await, Err(Error::DeadlineExceeded(_))));
        }
        assert!(matches!(other.run(ready(Ok(1))).await, Ok(1)));
        // A caller of the same name that comes afterwards is another, and nothing is kept of those that are done.
        assert!(matches!(callers.enter("one".to_owned()).run(ready(Ok(1))).await, Ok(1)));
        assert!(callers.lock().is_empty());
    }
}

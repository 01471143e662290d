//! The owner thread of one model: asks the queue what to do and runs the encoder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::queue::{Batch, GroupId, Next, Queue, QueueLimits, RowAnswer, Time};
use super::ticket::Ticket;
use crate::engines::{Encoder, Interrupt, RowOutput, RowRequest};
use crate::error::Error;

/// Learns of every forward.
pub trait Observer: Send + Sync {
    /// A forward of `rows` rows and `tokens` tokens, padding included, took `took`.
    fn forward(&self, rows: usize, tokens: usize, took: Duration);
}

/// How a worker is started.
pub struct WorkerOptions {
    /// Name of the thread.
    pub name: String,
    /// The queue's limits.
    pub limits: QueueLimits,
    /// Learns of every forward.
    pub observer: Arc<dyn Observer>,
}

/// One model's queue and the thread that empties it.
pub struct Worker {
    shared: Arc<Shared>,
    interrupt: Interrupt,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What callers and the owner thread share.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    start: Instant,
}

struct State {
    queue: Queue,
    is_closing: bool,
}

impl Worker {
    /// Starts the owner thread.
    pub fn start(encoder: Box<dyn Encoder>, options: WorkerOptions) -> Result<Self, Error> {
        let state = State { queue: Queue::new(options.limits), is_closing: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), start: Instant::now() });
        let interrupt = encoder.interrupt();
        let owned = Arc::clone(&shared);
        let observer = options.observer;
        let thread = std::thread::Builder::new()
            .name(options.name)
            .spawn(move || own(&owned, encoder, observer.as_ref()))
            .map_err(|error| Error::Internal(format!("Cannot start a thread for the model: {error}")))?;
        Ok(Self { shared, interrupt, thread: Mutex::new(Some(thread)) })
    }

    /// Admits rows as a whole or refuses them as a whole.
    pub fn submit(&self, rows: &[RowRequest], deadline: Option<Instant>) -> Result<Ticket, Error> {
        let (sender, answer) = oneshot::channel();
        let mut state = self.shared.lock();
        if state.is_closing {
            return Err(Error::NotReady("The model is being closed".to_owned()));
        }
        let deadline = deadline.map(|deadline| deadline.saturating_duration_since(self.shared.start));
        // A caller that has left has no use for its answer.
        let reply = Box::new(move |answer| drop(sender.send(answer)));
        let id = state.queue.admit(rows, deadline, self.shared.now(), reply)?;
        drop(state);
        self.shared.changed.notify_one();
        Ok(Ticket { id, shared: Arc::clone(&self.shared), answer })
    }

    /// Unanswered requests.
    pub fn depth(&self) -> usize {
        self.shared.lock().queue.depth()
    }

    /// Takes no more rows, answers what waits until `grace` is over, then stops what still runs.
    pub fn close(&self, grace: Duration) {
        self.shared.lock().is_closing = true;
        self.shared.changed.notify_all();
        let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let end = Instant::now() + grace;
        while !thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.shared.abort();
        while !thread.is_finished() {
            (self.interrupt)();
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(thread.join());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock leaves the state half changed: replies and encoders run no code that panics in it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Time {
        self.start.elapsed()
    }

    pub(super) fn moment(&self, at: Time) -> Instant {
        self.start + at
    }

    pub(super) fn settle(&self, id: GroupId, error: &Error) {
        let now = self.now();
        self.lock().queue.settle(id, error, now);
    }

    pub(super) fn leave(&self, id: GroupId) {
        self.lock().queue.leave(id);
    }

    fn abort(&self) {
        let now = self.now();
        self.lock().queue.settle_all(&Error::NotReady("The model was closed".to_owned()), now);
        self.changed.notify_all();
    }
}

fn own(shared: &Shared, mut encoder: Box<dyn Encoder>, observer: &dyn Observer) {
    while let Some(batch) = next_batch(shared) {
        let start = Instant::now();
        let answers = compute(encoder.as_mut(), &batch);
        let took = start.elapsed();
        observer.forward(batch.rows.len(), batch.tokens, took);
        let now = shared.now();
        shared.lock().queue.finish(&batch, answers, took, now);
    }
}

/// Waits for the next batch; `None` when the worker closes and nothing is left to do.
fn next_batch(shared: &Shared) -> Option<Batch> {
    let mut state = shared.lock();
    loop {
        state = match state.queue.next(shared.now()) {
            Next::Run(batch) => return Some(batch),
            Next::WaitUntil(until) => {
                let wait = until.saturating_sub(shared.now());
                shared.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
            }
            Next::Idle if state.is_closing => return None,
            Next::Idle => shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        };
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

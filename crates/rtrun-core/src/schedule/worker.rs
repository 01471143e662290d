//! The owner threads of one model, one a lane: each asks the queue what to do and runs its encoder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, oneshot};

use super::group::GroupId;
use super::lane::{Lane, Lanes};
use super::queue::{Admission, Batch, Next, Queue, QueueLimits, RowAnswer, Time};
use super::reservation::Reservation;
use super::shares::Source;
use super::ticket::Ticket;
use crate::engines::{Encoder, Interrupt, Opener, RowOutput, RowRequest, give_way};
use crate::error::Error;

/// Learns of every forward.
pub trait Observer: Send + Sync {
    /// A forward of `rows` rows and `tokens` tokens, padding included, took `took`.
    fn forward(&self, rows: usize, tokens: usize, took: Duration);
}

/// How a worker is started.
pub struct WorkerOptions {
    /// Name of the threads.
    pub name: String,
    /// The queue's limits.
    pub limits: QueueLimits,
    /// The second lane, where there is one.
    pub back: Option<BackLane>,
    /// Learns of every forward.
    pub observer: Arc<dyn Observer>,
}

/// The lane for long work.
pub struct BackLane {
    /// Opens what computes it, while the lane in front serves already. Should it fail, everything goes to the front.
    pub open: Opener,
    /// Which rows go there.
    pub lanes: Lanes,
}

/// How long a caller waits, and for what.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terms {
    /// When it stops waiting.
    pub deadline: Option<Instant>,
    /// What its rows belong to, where that takes several calls.
    pub source: Option<Source>,
}

/// One model's queue and the threads that empty it.
pub struct Worker {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    turns: Arc<Semaphore>,
}

/// Requests of one model that are read at a time. Two keep a second processor busy and leave threads to other models.
pub const TURNS: usize = 2;

/// What callers and the owner threads share.
pub(super) struct Shared {
    state: Mutex<State>,
    /// One for the owner of each lane.
    changed: [Condvar; 2],
    interrupts: Mutex<Vec<Interrupt>>,
    start: Instant,
}

struct State {
    queue: Queue,
    is_closing: bool,
}

impl Worker {
    /// Starts the owner threads.
    pub fn start(encoder: Box<dyn Encoder>, options: WorkerOptions) -> Result<Self, Error> {
        let WorkerOptions { name, limits, back, observer } = options;
        let lanes = back.as_ref().map_or(Lanes::One, |back| back.lanes);
        let state = State { queue: Queue::new(limits, lanes), is_closing: false };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: <_>::default(),
            interrupts: Mutex::default(),
            start: Instant::now(),
        });
        let mut worker = Self { shared, threads: Mutex::default(), turns: Arc::new(Semaphore::new(TURNS)) };
        let watching = Arc::clone(&observer);
        worker.spawn(&name, move |shared| own(Lane::Front, shared, encoder, watching.as_ref()))?;
        if let Some(back) = back {
            worker.spawn(&name, move |shared| own_back(shared, back.open, observer.as_ref()))?;
        }
        Ok(worker)
    }

    /// Starts the owner thread of a lane.
    fn spawn(&mut self, name: &str, own: impl FnOnce(&Shared) + Send + 'static) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || own(&shared))
            .map_err(|error| Error::Internal(format!("Cannot start a thread for the model: {error}")))?;
        self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Admits rows as a whole or refuses them as a whole.
    pub fn submit(&self, rows: &[RowRequest], terms: Terms) -> Result<Ticket, Error> {
        Shared::submit(&self.shared, rows, terms, None)
    }

    /// Keeps a place in the queue for a request whose rows are to be made.
    pub fn reserve(&self) -> Result<Reservation, Error> {
        let mut state = self.shared.lock();
        if state.is_closing {
            return Err(closing());
        }
        state.queue.reserve()?;
        drop(state);
        Ok(Reservation { shared: Arc::clone(&self.shared), tokens: 0, is_used: false })
    }

    /// Who may read a request of this model now.
    pub fn turns(&self) -> &Arc<Semaphore> {
        &self.turns
    }

    /// Unanswered requests.
    pub fn depth(&self) -> usize {
        self.shared.lock().queue.depth()
    }

    /// Takes no more rows, answers what waits until `grace` is over, then stops what still runs.
    pub fn close(&self, grace: Duration) {
        self.shared.lock().is_closing = true;
        self.shared.wake_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if threads.is_empty() {
            return;
        }
        let is_finished = || threads.iter().all(JoinHandle::is_finished);
        let end = Instant::now() + grace;
        while !is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.shared.abort();
        while !is_finished() {
            self.shared.interrupts().iter().for_each(|interrupt| interrupt());
            std::thread::sleep(Duration::from_millis(1));
        }
        for thread in threads {
            drop(thread.join());
        }
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

    /// What stops the forwards of the lanes that have opened.
    fn interrupts(&self) -> MutexGuard<'_, Vec<Interrupt>> {
        self.interrupts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Time {
        self.start.elapsed()
    }

    pub(super) fn moment(&self, at: Time) -> Instant {
        self.start + at
    }

    /// Admits rows; `reserved` are the tokens of the place that was kept for them.
    pub(super) fn submit(
        self: &Arc<Self>,
        rows: &[RowRequest],
        Terms { deadline, source }: Terms,
        reserved: Option<usize>,
    ) -> Result<Ticket, Error> {
        let (sender, answer) = oneshot::channel();
        let mut state = self.lock();
        if let Some(tokens) = reserved {
            state.queue.release(tokens);
        }
        if state.is_closing {
            return Err(closing());
        }
        let deadline = deadline.map(|deadline| deadline.saturating_duration_since(self.start));
        // A caller that has left has no use for its answer.
        let reply = Box::new(move |answer| drop(sender.send(answer)));
        let id = state.queue.admit(rows, Admission { deadline, source, reply }, self.now())?;
        let is_waiting = Lane::ALL.map(|lane| state.queue.has_waiting(lane));
        drop(state);
        for (changed, _) in self.changed.iter().zip(is_waiting).filter(|(_, is_waiting)| *is_waiting) {
            changed.notify_one();
        }
        Ok(Ticket { id, shared: Arc::clone(self), answer })
    }

    pub(super) fn reserve_tokens(&self, more: usize) -> Result<(), Error> {
        self.lock().queue.reserve_tokens(more)
    }

    pub(super) fn release(&self, tokens: usize) {
        self.lock().queue.release(tokens);
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
        self.wake_all();
    }

    fn wake_all(&self) {
        self.changed.iter().for_each(Condvar::notify_all);
    }
}

fn closing() -> Error {
    Error::NotReady("The model is being closed".to_owned())
}

/// Opens the encoder of the back lane and runs it.
fn own_back(shared: &Shared, open: Opener, observer: &dyn Observer) {
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
            shared.lock().queue.close_back();
            shared.wake_all();
        }
    }
}

fn own(lane: Lane, shared: &Shared, mut encoder: Box<dyn Encoder>, observer: &dyn Observer) {
    shared.interrupts().push(encoder.interrupt());
    while let Some(batch) = next_batch(lane, shared) {
        let start = Instant::now();
        let answers = compute(encoder.as_mut(), &batch);
        let took = start.elapsed();
        observer.forward(batch.rows.len(), batch.tokens, took);
        let now = shared.now();
        shared.lock().queue.finish(&batch, answers, took, now);
    }
}

/// Waits for the next batch of a lane; `None` when the worker closes and nothing is left to do.
fn next_batch(lane: Lane, shared: &Shared) -> Option<Batch> {
    let mut state = shared.lock();
    let changed = &shared.changed[lane.index()];
    loop {
        state = match state.queue.next(lane, shared.now()) {
            Next::Run(batch) => return Some(batch),
            Next::WaitUntil(until) => {
                let wait = until.saturating_sub(shared.now());
                changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
            }
            Next::Idle if state.is_closing => return None,
            Next::Idle => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
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

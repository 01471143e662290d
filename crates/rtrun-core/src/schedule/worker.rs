//! One model's queue and the threads that empty it, as the rest of the crate sees them.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::lane::{Lane, Lanes};
use super::owner::{guarded, own, own_back};
use super::queue::{Queue, QueueLimits};
use super::reservation::Reservation;
use super::shared::Shared;
use super::shares::Source;
use super::ticket::Ticket;
use crate::engines::{Encoder, Opener, RowRequest};
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

impl Worker {
    /// Starts the owner threads.
    pub fn start(encoder: Box<dyn Encoder>, options: WorkerOptions) -> Result<Self, Error> {
        let WorkerOptions { name, limits, back, observer } = options;
        let lanes = back.as_ref().map_or(Lanes::One, |back| back.lanes);
        let shared = Arc::new(Shared::new(Queue::new(limits, lanes)));
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
            .spawn(move || guarded(&shared, || own(&shared)))
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
        self.shared.reserve()?;
        Ok(Reservation { shared: Arc::clone(&self.shared), tokens: 0, is_used: false })
    }

    /// Who may read a request of this model now.
    pub fn turns(&self) -> &Arc<Semaphore> {
        &self.turns
    }

    /// Unanswered requests.
    pub fn depth(&self) -> usize {
        self.shared.ask(|queue| queue.depth()).unwrap_or(0)
    }

    /// Waits until it is closed, or until a panic has ended one of its threads: then everybody who waited has got an
    /// error, nobody is admitted any more, and `true` is returned.
    pub fn has_failed_at_its_end(&self) -> bool {
        self.shared.has_failed_at_its_end()
    }

    /// Takes no more rows, answers what waits until `grace` is over, then stops what still runs.
    pub fn close(&self, grace: Duration) {
        self.shared.begin_closing();
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

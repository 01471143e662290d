//! Large requests are read, and answers made of what the model gave, in slices of time: between two parts a request lets
//! others of its model go on, so that a small one waits for a slice, not for a request, and nobody waits for one whose
//! caller has left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use crate::error::Error;
use crate::schedule::{Reservation, past_deadline};

/// Long enough to make the change of threads cheap, short beside a forward.
const SLICE: Duration = Duration::from_millis(10);

/// When the work for a request gives way.
pub struct Pace {
    since: Instant,
    /// Small requests never do.
    gives_way: bool,
    /// The request's place in the queue, while its rows are made.
    place: Option<Reservation>,
}

impl Pace {
    /// Never gives way.
    pub fn at_once() -> Self {
        Self { since: Instant::now(), gives_way: false, place: None }
    }

    /// Gives way after every slice.
    pub fn in_slices() -> Self {
        Self { gives_way: true, ..Self::at_once() }
    }

    /// Counts against the limits of the queue, too.
    #[must_use]
    pub fn with_place(self, place: Reservation) -> Self {
        Self { place: Some(place), ..self }
    }

    /// To be awaited between two inputs. `tokens` are those of all rows so far; fails with `overloaded` where the queue
    /// has no room for them.
    pub async fn pass(&mut self, tokens: usize) -> Result<(), Error> {
        let Some(place) = &mut self.place else { return Ok(()) };
        place.hold(tokens)?;
        self.give_way().await;
        Ok(())
    }

    /// The same between two parts of an input, or of an answer.
    pub async fn give_way(&mut self) {
        if self.gives_way && self.since.elapsed() >= SLICE {
            let mut has_yielded = false;
            std::future::poll_fn(|_| {
                if std::mem::replace(&mut has_yielded, true) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            self.since = Instant::now();
        }
    }

    /// The place in the queue.
    pub fn into_place(self) -> Option<Reservation> {
        self.place
    }
}

/// What work gives that never gives way.
pub fn at_once<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("work at once gives no way; this is a bug")
}

/// Runs work that gives way by its [`Pace`] alone, on the threads for blocking work, a slice a turn, and no longer than until
/// the deadline. Dropping the future ends the work at the next slice.
pub async fn in_turns<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    deadline: Option<Instant>,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Error> {
    let done = by_turns(turns, work);
    match deadline {
        None => done.await,
        Some(deadline) => timeout_at(deadline.into(), done).await.unwrap_or_else(|_| Err(past_deadline())),
    }
}

async fn by_turns<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Error> {
    let mut work: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(work);
    loop {
        let closed = |_| Error::NotReady("The model was closed".to_owned());
        let turn = Arc::clone(turns).acquire_owned().await.map_err(closed)?;
        let slice = tokio::task::spawn_blocking(move || {
            // Nothing wakes the work: it is never waiting for anything but its next turn.
            let done = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            drop(turn);
            (work, done)
        });
        match slice.await {
            Ok((_, Poll::Ready(done))) => return Ok(done),
            Ok((rest, Poll::Pending)) => work = rest,
            Err(_) => return Err(Error::Internal("The worker failed while it had the request".to_owned())),
        }
    }
}

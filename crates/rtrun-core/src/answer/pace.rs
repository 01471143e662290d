//! Large requests are read in slices of time: between two of its inputs a request lets others of its model go on, so
//! that a small one waits for a slice, not for a request, and nobody waits for one whose caller has left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::error::Error;
use crate::schedule::Reservation;

/// Long enough to make the change of threads cheap, short beside a forward.
const SLICE: Duration = Duration::from_millis(10);

/// When the reading of a request gives way.
pub struct Pace {
    since: Instant,
    /// The request's place in the queue; none for small requests, which never give way.
    place: Option<Reservation>,
}

impl Pace {
    /// Never gives way.
    pub fn at_once() -> Self {
        Self { since: Instant::now(), place: None }
    }

    /// Gives way after every slice, and counts against the limits of the queue.
    pub fn in_slices(place: Reservation) -> Self {
        Self { since: Instant::now(), place: Some(place) }
    }

    /// To be awaited between two inputs. `tokens` are those of all rows so far; fails with `overloaded` where the queue
    /// has no room for them.
    pub async fn pass(&mut self, tokens: usize) -> Result<(), Error> {
        let Some(place) = &mut self.place else { return Ok(()) };
        place.hold(tokens)?;
        self.give_way().await;
        Ok(())
    }

    /// The same between two parts of an input.
    pub async fn give_way(&mut self) {
        if self.place.is_some() && self.since.elapsed() >= SLICE {
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

/// Runs work that gives way by [`Pace::pass`] alone, on the threads for blocking work, a slice a turn. Dropping the
/// future ends the work at the next slice.
pub async fn in_turns<T: Send + 'static>(
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
            Err(_) => return Err(Error::Internal("Reading the request failed".to_owned())),
        }
    }
}

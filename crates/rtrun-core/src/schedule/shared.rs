//! What callers and the owner threads of a model share: the queue, until a panic ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use super::group::GroupId;
use super::lane::Lane;
use super::queue::{Admission, Batch, Next, Queue, Time};
use super::ticket::Ticket;
use super::worker::Terms;
use crate::engines::{Interrupt, RowRequest};
use crate::error::Error;

/// The queue and who is told of its changes.
pub(super) struct Shared {
    state: Mutex<State>,
    /// One for the owner of each lane.
    changed: [Condvar; 2],
    /// Told when the worker closes or fails.
    ended: Condvar,
    interrupts: Mutex<Vec<Interrupt>>,
    start: Instant,
}

struct State {
    /// `None` once a panic has ended it: whatever panicked may have left it half changed.
    queue: Option<Queue>,
    is_closing: bool,
}

impl Shared {
    pub(super) fn new(queue: Queue) -> Self {
        Self {
            state: Mutex::new(State { queue: Some(queue), is_closing: false }),
            changed: <_>::default(),
            ended: Condvar::new(),
            interrupts: Mutex::default(),
            start: Instant::now(),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.start.elapsed()
    }

    pub(super) fn moment(&self, at: Time) -> Instant {
        self.start + at
    }

    /// What stops the forwards of the lanes that have opened.
    pub(super) fn interrupts(&self) -> MutexGuard<'_, Vec<Interrupt>> {
        self.interrupts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the queue; `None` where there is none any more. A panic while it is asked ends it.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&mut Queue) -> T) -> Option<T> {
        self.ask_while(|queue, _| ask(queue))
    }

    /// The same, for those who have to know whether the worker closes.
    fn ask_while<T>(&self, ask: impl FnOnce(&mut Queue, bool) -> T) -> Option<T> {
        let answer = {
            let mut state = self.lock();
            let State { queue, is_closing } = &mut *state;
            let queue = queue.as_mut()?;
            catch_unwind(AssertUnwindSafe(|| ask(queue, *is_closing)))
        };
        if answer.is_err() {
            self.fail();
        }
        answer.ok()
    }

    /// Ends the queue after a panic. Whoever waits for an answer gets an error now, and nobody is admitted any more.
    pub(super) fn fail(&self) {
        let queue = self.lock().queue.take();
        // The groups go with it, and who waits for one of them learns that nobody will answer.
        drop(queue);
        self.wake_all();
    }

    /// Takes no more rows.
    pub(super) fn begin_closing(&self) {
        self.lock().is_closing = true;
        self.wake_all();
    }

    /// Answers everybody at once.
    pub(super) fn abort(&self) {
        let now = self.now();
        self.ask(|queue| queue.settle_all(&Error::NotReady("The model was closed".to_owned()), now));
        self.wake_all();
    }

    /// Waits until the worker closes or fails; whether it has failed.
    pub(super) fn has_failed_at_its_end(&self) -> bool {
        let goes_on = |state: &mut State| state.queue.is_some() && !state.is_closing;
        let state = self.ended.wait_while(self.lock(), goes_on).unwrap_or_else(PoisonError::into_inner);
        state.queue.is_none()
    }

    /// Keeps a place in the queue.
    pub(super) fn reserve(&self) -> Result<(), Error> {
        let reserved = self.ask_while(|queue, is_closing| if is_closing { Err(closing()) } else { queue.reserve() });
        reserved.unwrap_or_else(|| Err(failed()))
    }

    pub(super) fn reserve_tokens(&self, more: usize) -> Result<(), Error> {
        self.ask(|queue| queue.reserve_tokens(more)).unwrap_or_else(|| Err(failed()))
    }

    pub(super) fn release(&self, tokens: usize) {
        self.ask(|queue| queue.release(tokens));
    }

    /// Admits rows; `reserved` are the tokens of the place that was kept for them.
    pub(super) fn submit(
        self: &Arc<Self>,
        rows: &[RowRequest],
        Terms { deadline, source }: Terms,
        reserved: Option<usize>,
    ) -> Result<Ticket, Error> {
        let (sender, answer) = oneshot::channel();
        let deadline = deadline.map(|deadline| deadline.saturating_duration_since(self.start));
        // A caller that has left has no use for its answer.
        let reply = Box::new(move |answer| drop(sender.send(answer)));
        let admission = Admission { deadline, source, reply };
        let admitted = self.ask_while(|queue, is_closing| {
            if let Some(tokens) = reserved {
                queue.release(tokens);
            }
            if is_closing {
                return Err(closing());
            }
            let id = queue.admit(rows, admission, self.now())?;
            Ok((id, Lane::ALL.map(|lane| queue.has_waiting(lane))))
        });
        let (id, is_waiting) = admitted.unwrap_or_else(|| Err(failed()))?;
        for (changed, _) in self.changed.iter().zip(is_waiting).filter(|(_, is_waiting)| *is_waiting) {
            changed.notify_one();
        }
        Ok(Ticket { id, shared: Arc::clone(self), answer })
    }

    pub(super) fn settle(&self, id: GroupId, error: &Error) {
        let now = self.now();
        self.ask(|queue| queue.settle(id, error, now));
    }

    pub(super) fn leave(&self, id: GroupId) {
        self.ask(|queue| queue.leave(id));
    }

    /// Why a group that was admitted gets no answer.
    pub(super) fn unanswered(&self) -> Error {
        if self.lock().queue.is_some() {
            Error::NotReady("The model was closed".to_owned())
        } else {
            Error::Internal("The model failed while it had the request".to_owned())
        }
    }

    /// The lane for long work cannot be opened.
    pub(super) fn close_back(&self) {
        self.ask(Queue::close_back);
        self.wake_all();
    }

    /// Waits for the next batch of a lane; `None` when the worker closes and nothing is left to do, or it has failed.
    pub(super) fn next_batch(&self, lane: Lane) -> Option<Batch> {
        let mut state = self.lock();
        let changed = &self.changed[lane.index()];
        loop {
            let next = state.queue.as_mut()?.next(lane, self.now());
            state = match next {
                Next::Run(batch) => return Some(batch),
                Next::WaitUntil(until) => {
                    let wait = until.saturating_sub(self.now());
                    changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
                Next::Idle if state.is_closing => return None,
                Next::Idle => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn wake_all(&self) {
        self.changed.iter().for_each(Condvar::notify_all);
        self.ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked with the lock ends the queue as soon as the panic is caught.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closing() -> Error {
    Error::NotReady("The model is being closed".to_owned())
}

fn failed() -> Error {
    Error::NotReady("The model has failed and is loaded again".to_owned())
}

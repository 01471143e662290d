//! Scheduling: who is admitted, what shares a forward, when it runs. One owner thread per lane of a model.

mod allowance;
mod cache;
mod group;
mod lane;
mod owner;
mod pack;
mod probe;
mod queue;
mod reservation;
mod shared;
mod shares;
mod ticket;
mod waiting;
mod worker;

pub use allowance::{Allowance, MAX_ROWS};
pub use cache::{CacheKey, KeyPrefix, ResultCache};
pub use group::{GroupAnswer, GroupId, Reply};
pub use lane::{Lane, Lanes};
pub use pack::{PackLimits, Sharing, forward_tokens, pack};
pub use probe::{is_twin, probe_sharing};
pub(crate) use queue::past_deadline;
pub use queue::{Admission, Batch, Next, Queue, QueueLimits, RowAnswer, Time};
pub use reservation::Reservation;
pub use shares::Source;
pub use ticket::Ticket;
pub use worker::{BackLane, Observer, TURNS, Terms, Worker, WorkerOptions};

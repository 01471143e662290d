//! Scheduling: who is admitted, what shares a forward, when it runs. One owner thread per model.

mod cache;
mod pack;
mod probe;
mod queue;
mod ticket;
mod waiting;
mod worker;

pub use cache::{CacheKey, ResultCache};
pub use pack::{PackLimits, Sharing, forward_tokens, pack};
pub use probe::probe_sharing;
pub use queue::{Batch, GroupAnswer, GroupId, Next, Queue, QueueLimits, RowAnswer, Time};
pub use ticket::Ticket;
pub use worker::{Observer, Worker, WorkerOptions};

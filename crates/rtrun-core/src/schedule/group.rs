//! An admitted group of rows and its answer.

use std::time::Duration;

use super::lane::Lane;
use super::queue::{RowAnswer, Time};

/// Names an admitted group.
pub type GroupId = u64;

/// The answer to a group, rows in the order they were given.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupAnswer {
    /// One answer a row.
    pub rows: Vec<RowAnswer>,
    /// Time between admission and answer in which none of the group's forwards ran.
    pub queue: Duration,
    /// Time of the forwards that answered the group.
    pub forward: Duration,
    /// When the answer was complete.
    pub at: Time,
}

/// Called with the answer of a group, exactly once unless the group leaves.
pub type Reply = Box<dyn FnOnce(GroupAnswer) + Send>;

/// What the queue knows of a group until it is answered.
pub struct Group {
    /// What there is of the answer.
    pub answers: Vec<Option<RowAnswer>>,
    /// The rows as the queue numbers them, in the group's order.
    pub numbers: Vec<u64>,
    /// Rows without an answer.
    pub missing: usize,
    /// Tokens of all rows.
    pub tokens: usize,
    /// The lane of its longest row.
    pub lane: Lane,
    /// When it was admitted.
    pub admitted: Time,
    /// When its caller stops waiting.
    pub deadline: Option<Time>,
    /// Time of the forwards that had rows of the group.
    pub forward: Duration,
    /// Takes the answer.
    pub reply: Reply,
}

impl Group {
    /// Gives the answer; rows that have none yet get `missing`.
    pub fn reply(self, now: Time, missing: impl Fn() -> RowAnswer) {
        let spent = now.saturating_sub(self.admitted);
        (self.reply)(GroupAnswer {
            rows: self.answers.into_iter().map(|answer| answer.unwrap_or_else(&missing)).collect(),
            queue: spent.saturating_sub(self.forward),
            forward: self.forward,
            at: now,
        });
    }
}

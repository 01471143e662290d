//! The caller's side of an admitted group.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::group::{GroupAnswer, GroupId};
use super::queue::past_deadline;
use super::shared::Shared;
use crate::error::Error;

/// A place in the queue. Dropping it gives the place up.
pub struct Ticket {
    pub(super) id: GroupId,
    pub(super) shared: Arc<Shared>,
    pub(super) answer: oneshot::Receiver<GroupAnswer>,
}

impl Ticket {
    /// Waits for the answer, at most until the deadline; then the rows that are not there yet are errors. Fails as a
    /// whole when the model was closed, or failed, before all rows were computed.
    ///
    /// The moment is that of the answer, which may be earlier than the moment the caller sees it.
    pub async fn wait(mut self, deadline: Option<Instant>) -> Result<(GroupAnswer, Instant), Error> {
        let answer = match deadline {
            None => (&mut self.answer).await,
            Some(deadline) => {
                let in_time = tokio::time::timeout_at(deadline.into(), &mut self.answer).await;
                if let Ok(answer) = in_time {
                    answer
                } else {
                    self.shared.settle(self.id, &past_deadline());
                    (&mut self.answer).await
                }
            }
        };
        let answer = answer.map_err(|_| self.shared.unanswered())?;
        // Rows that a closing model did not compute are not faults of their items: the request was not finished.
        let unfinished =
            answer.rows.iter().find_map(|row| row.as_ref().err().filter(|error| error.code() == "not_ready"));
        if let Some(error) = unfinished {
            return Err(error.clone());
        }
        let at = self.shared.moment(answer.at);
        Ok((answer, at))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.shared.leave(self.id);
    }
}

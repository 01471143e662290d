//! A queue under a virtual clock, with an engine that takes one millisecond a token and answers with the row's ids.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rtrun_core::Error;
use rtrun_core::engines::{RowOutput, RowRequest};
use rtrun_core::schedule::{
    Batch, GroupAnswer, GroupId, Lane, Lanes, Next, PackLimits, Queue, QueueLimits, Sharing, Time,
};

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A row of `length` tokens whose first id tells it from other rows.
pub fn row(name: u32, length: usize) -> RowRequest {
    let ids: Vec<u32> = std::iter::once(name).chain(std::iter::repeat(0)).take(length).collect();
    RowRequest::sentence(ids)
}

pub fn limits() -> QueueLimits {
    QueueLimits {
        groups: 256,
        tokens: 4_194_304,
        forward: PackLimits { tokens: 512, sharing: Sharing::Padded },
        window: Duration::ZERO,
    }
}

pub struct Bench {
    pub queue: Queue,
    pub now: Time,
    answers: Arc<Mutex<Vec<(GroupId, GroupAnswer)>>>,
    /// First ids of the rows of every batch that was run.
    pub batches: Vec<Vec<u32>>,
}

impl Bench {
    pub fn new(limits: QueueLimits) -> Self {
        Self::with_lanes(limits, Lanes::One)
    }

    pub fn with_lanes(limits: QueueLimits, lanes: Lanes) -> Self {
        Self { queue: Queue::new(limits, lanes), now: ms(0), answers: Arc::default(), batches: Vec::new() }
    }

    pub fn admit(&mut self, rows: &[RowRequest]) -> Result<GroupId, Error> {
        self.admit_until(rows, None)
    }

    pub fn admit_until(&mut self, rows: &[RowRequest], deadline: Option<Time>) -> Result<GroupId, Error> {
        let answers = Arc::clone(&self.answers);
        let id = Arc::new(Mutex::new(0));
        let reply_id = Arc::clone(&id);
        let reply = Box::new(move |answer| answers.lock().unwrap().push((*reply_id.lock().unwrap(), answer)));
        let admitted = self.queue.admit(rows, deadline, self.now, reply)?;
        *id.lock().unwrap() = admitted;
        Ok(admitted)
    }

    /// Takes the next batch in front without running it.
    pub fn take(&mut self) -> Option<Batch> {
        self.take_of(Lane::Front)
    }

    /// Takes the next batch of a lane without running it.
    pub fn take_of(&mut self, lane: Lane) -> Option<Batch> {
        match self.queue.next(lane, self.now) {
            Next::Run(batch) => {
                self.batches.push(batch.rows.iter().map(|request| request.row.ids[0]).collect());
                Some(batch)
            }
            _ => None,
        }
    }

    /// Ends a batch: one millisecond a token, padding included.
    pub fn end(&mut self, batch: &Batch) {
        let longest = batch.rows.iter().map(|request| request.row.len()).max().unwrap();
        let took = ms((longest * batch.rows.len()) as u64);
        self.now += took;
        let vectors = batch.rows.iter().map(|request| Ok(output(request))).collect();
        self.queue.finish(batch, vectors, took, self.now);
    }

    /// Runs until nothing is left to do.
    pub fn drain(&mut self) {
        while let Some(batch) = self.take() {
            self.end(&batch);
        }
    }

    pub fn answer(&self, id: GroupId) -> Option<GroupAnswer> {
        let answers = self.answers.lock().unwrap();
        let mut found = answers.iter().filter(|(group, _)| *group == id).map(|(_, answer)| answer.clone());
        let answer = found.next();
        assert!(found.next().is_none(), "a group is answered once");
        answer
    }
}

/// What the engine of the bench answers: the ids as floats.
pub fn output(request: &RowRequest) -> RowOutput {
    let ids = request.row.ids.iter().map(|id| *id as f32).collect();
    RowOutput { sentence: Some(ids), tokens: None }
}

//! A queue under a virtual clock, with an engine that takes one millisecond a token and answers with the row's ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rtrun_core::Error;
use rtrun_core::engines::{RowOutput, RowRequest, Wanted};
use rtrun_core::schedule::{
    Admission, Batch, GroupAnswer, GroupId, Lane, Lanes, Next, PackLimits, Queue, QueueLimits, Sharing, Source, Time,
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
    answers: Arc<Mutex<HashMap<GroupId, GroupAnswer>>>,
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
        self.admit_for(None, rows, deadline)
    }

    /// Admits rows that belong to a source.
    pub fn admit_of(&mut self, source: &str, rows: &[RowRequest]) -> Result<GroupId, Error> {
        self.admit_for(Some(source), rows, None)
    }

    fn admit_for(
        &mut self,
        source: Option<&str>,
        rows: &[RowRequest],
        deadline: Option<Time>,
    ) -> Result<GroupId, Error> {
        let answers = Arc::clone(&self.answers);
        let id = Arc::new(Mutex::new(0));
        let reply_id = Arc::clone(&id);
        let reply = Box::new(move |answer| {
            let before = answers.lock().unwrap().insert(*reply_id.lock().unwrap(), answer);
            assert!(before.is_none(), "a group is answered once");
        });
        let admitted =
            self.queue.admit(rows, Admission { deadline, source: source.map(Source::named), reply }, self.now)?;
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
        self.answers.lock().unwrap().get(&id).cloned()
    }
}

/// What two requests want that want different things.
pub const BOTH: Wanted = Wanted { sentence: true, tokens: true, ..Wanted::NONE };

/// What the engine of the bench answers: the ids as floats.
pub fn output(request: &RowRequest) -> RowOutput {
    let ids = request.row.ids.iter().map(|id| *id as f32).collect();
    RowOutput { sentence: Some(ids), ..RowOutput::default() }
}

/// Numbers that look random and are the same every time.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// One of `limit` names of rows.
    pub fn name(&mut self, limit: usize) -> u32 {
        u32::try_from(self.below(limit)).unwrap()
    }
}

//! The queue of one model as a state machine without threads or clock: every call says what time it is.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::group::{Group, GroupId, Reply};
use super::lane::{Lane, Lanes};
use super::pack::{PackLimits, Sharing, forward_tokens};
use super::waiting::{Arrival, WaitingRows};
use crate::engines::{RowOutput, RowRequest};
use crate::error::Error;

/// Time since some fixed moment.
pub type Time = Duration;

/// The answer to one row.
pub type RowAnswer = Result<RowOutput, Error>;

/// What a queue admits and how it packs.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Unanswered groups, in both lanes together.
    pub groups: usize,
    /// Tokens of all unanswered groups, in both lanes together.
    pub tokens: usize,
    /// Limits of one forward.
    pub forward: PackLimits,
    /// How long a row that arrived at a busy lane may wait for company.
    pub window: Duration,
}

/// Rows that will share a forward.
#[derive(Debug)]
pub struct Batch {
    /// What to compute.
    pub rows: Vec<RowRequest>,
    /// Tokens that the forward computes, padding included.
    pub tokens: usize,
    lane: Lane,
    numbers: Vec<u64>,
}

/// What the owner of a lane is to do.
#[derive(Debug)]
pub enum Next {
    /// Compute these rows, then call [`Queue::finish`].
    Run(Batch),
    /// Ask again at this time, or when something arrives.
    WaitUntil(Time),
    /// Ask again when something arrives.
    Idle,
}

/// The queue of one model. In each lane one forward runs at a time.
pub struct Queue {
    limits: QueueLimits,
    lanes: Lanes,
    last_id: GroupId,
    groups: HashMap<GroupId, Group>,
    queued_tokens: usize,
    /// Of requests whose rows are still being made.
    reserved: Reserved,
    rows: WaitingRows,
    /// Groups by deadline.
    deadlines: BTreeSet<(Time, GroupId)>,
    progress: [Progress; 2],
}

/// Places that are kept.
#[derive(Debug, Clone, Copy, Default)]
struct Reserved {
    groups: usize,
    tokens: usize,
}

/// What one lane does.
#[derive(Clone, Copy)]
struct Progress {
    is_running: bool,
    /// Seconds one token takes, as measured. Long rows cost more a token, and the lane behind has to give way.
    seconds_per_token: f64,
}

/// The cost of a token before any was measured.
const FIRST_SECONDS_PER_TOKEN: f64 = 1e-4;

/// How much one forward moves the measured cost.
const COST_WEIGHT: f64 = 0.1;

/// What rows without an answer get when their deadline passes.
pub(crate) fn past_deadline() -> Error {
    Error::DeadlineExceeded("The deadline passed before the model had answered".to_owned())
}

impl Queue {
    /// An empty queue.
    pub fn new(limits: QueueLimits, lanes: Lanes) -> Self {
        Self {
            limits,
            lanes,
            last_id: 0,
            groups: HashMap::new(),
            queued_tokens: 0,
            reserved: Reserved::default(),
            rows: WaitingRows::default(),
            deadlines: BTreeSet::new(),
            progress: [Progress { is_running: false, seconds_per_token: FIRST_SECONDS_PER_TOKEN }; 2],
        }
    }

    /// Unanswered groups, those among them whose rows are still being made.
    pub fn depth(&self) -> usize {
        self.groups.len() + self.reserved.groups
    }

    /// Keeps a place for a group whose rows are to be made. Fails with `overloaded` where there is none.
    pub fn reserve(&mut self) -> Result<(), Error> {
        self.check_admission(0)?;
        self.reserved.groups += 1;
        Ok(())
    }

    /// Keeps room for more tokens of a group that has a place.
    pub fn reserve_tokens(&mut self, more: usize) -> Result<(), Error> {
        self.check_tokens(more)?;
        self.reserved.tokens += more;
        Ok(())
    }

    /// Gives a place and its tokens up.
    pub fn release(&mut self, tokens: usize) {
        self.reserved.groups -= 1;
        self.reserved.tokens -= tokens;
    }

    /// Rows that wait or run.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether rows of a lane wait for a forward.
    pub fn has_waiting(&self, lane: Lane) -> bool {
        self.rows.has_waiting(lane)
    }

    /// Admits a group as a whole or refuses it as a whole.
    pub fn admit(
        &mut self,
        rows: &[RowRequest],
        deadline: Option<Time>,
        now: Time,
        reply: Reply,
    ) -> Result<GroupId, Error> {
        let tokens = rows.iter().map(|request| request.row.len()).sum();
        self.check_admission(tokens)?;
        self.last_id += 1;
        let id = self.last_id;
        let arrivals = Lane::ALL.map(|lane| self.arrival(lane, tokens, now));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        // The longest row first: packing from it downwards leaves the least padding.
        order.sort_by_key(|index| std::cmp::Reverse(rows[*index].row.len()));
        let mut numbers = vec![0; rows.len()];
        for index in order {
            let lane = self.lanes.lane(rows[index].row.len(), tokens);
            numbers[index] = self.rows.join(&rows[index], (id, index), arrivals[lane.index()]);
        }
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, id));
        }
        self.queued_tokens += tokens;
        let (answers, missing, forward) = (vec![None; rows.len()], rows.len(), Duration::ZERO);
        let group = Group { answers, numbers, missing, tokens, admitted: now, deadline, forward, reply };
        self.groups.insert(id, group);
        Ok(id)
    }

    /// From now on there is one lane; what waits for the other moves to the front.
    pub fn close_back(&mut self) {
        self.lanes = Lanes::One;
        self.rows.move_to_front();
    }

    /// What a lane is to do now. Groups whose deadline has passed are answered first.
    pub fn next(&mut self, lane: Lane, now: Time) -> Next {
        self.expire(now);
        let Some((arrival, chosen)) = self.rows.choose(lane, self.limits.forward) else { return Next::Idle };
        if let Some(until) = self.window_end(&chosen, arrival, now) {
            return Next::WaitUntil(until);
        }
        self.progress[lane.index()].is_running = true;
        let tokens = forward_tokens(chosen.iter().map(|(length, _)| *length), self.limits.forward.sharing);
        let numbers = chosen.iter().map(|(_, number)| *number).collect();
        let rows = chosen.into_iter().map(|row| self.rows.start(row)).collect();
        Next::Run(Batch { rows, tokens, lane, numbers })
    }

    /// Takes the answers of a batch, which ran for `took` until `now`.
    pub fn finish(&mut self, batch: &Batch, answers: Vec<RowAnswer>, took: Duration, now: Time) {
        self.progress[batch.lane.index()].finish(batch.tokens, took);
        let mut served = BTreeSet::new();
        for (number, answer) in batch.numbers.iter().zip(answers) {
            for (id, index) in self.rows.finish(*number) {
                let Some(group) = self.groups.get_mut(&id) else { continue };
                // The forward counts once for a group, however many of its rows it had.
                if served.insert(id) {
                    group.forward += took;
                }
                if group.answers[index].replace(answer.clone()).is_none() {
                    group.missing -= 1;
                }
            }
        }
        for id in served {
            if self.groups.get(&id).is_some_and(|group| group.missing == 0) {
                self.answer(id, now, || unreachable!("every row has its answer"));
            }
        }
    }

    /// Answers a group at once with what there is; the missing rows get `error`.
    pub fn settle(&mut self, id: GroupId, error: &Error, now: Time) {
        self.answer(id, now, || Err(error.clone()));
    }

    /// Settles every group.
    pub fn settle_all(&mut self, error: &Error, now: Time) {
        let ids: Vec<GroupId> = self.groups.keys().copied().collect();
        for id in ids {
            self.settle(id, error, now);
        }
    }

    /// Forgets a group whose caller has left. Its waiting rows are not computed unless another group wants them.
    pub fn leave(&mut self, id: GroupId) {
        drop(self.take(id));
    }

    fn check_admission(&self, tokens: usize) -> Result<(), Error> {
        let limits = self.limits;
        if tokens > limits.tokens {
            return Err(Error::RequestTooLarge(format!(
                "The request has {tokens} tokens; one model takes at most {} at a time",
                limits.tokens
            )));
        }
        if self.depth() >= limits.groups {
            return Err(Error::Overloaded(format!(
                "{} requests wait for the model already; try again later",
                limits.groups
            )));
        }
        self.check_tokens(tokens)
    }

    fn check_tokens(&self, more: usize) -> Result<(), Error> {
        let waiting = self.queued_tokens + self.reserved.tokens;
        if waiting.saturating_add(more) > self.limits.tokens {
            return Err(Error::Overloaded(format!("{waiting} tokens wait for the model already; try again later")));
        }
        Ok(())
    }

    /// What the rows of a new group of `tokens` tokens bring into a lane.
    fn arrival(&self, lane: Lane, tokens: usize, now: Time) -> Arrival {
        let Progress { is_running, seconds_per_token } = self.progress[lane.index()];
        // Expected finish if nothing else were there: early or short groups come first, and whoever waits moves up,
        // because everything that arrives later has a later time to start from.
        let finish = now + Duration::from_secs_f64(tokens as f64 * seconds_per_token);
        Arrival { finish, at: now, was_busy: is_running || self.has_waiting(lane), lane }
    }

    /// Until when a row waits for company: only if it came to a busy lane, and only while there is room beside it.
    fn window_end(&self, chosen: &[(usize, u64)], arrival: Arrival, now: Time) -> Option<Time> {
        let until = arrival.at + self.limits.window;
        let limits = self.limits.forward;
        let and_one_more = chosen.iter().map(|(length, _)| *length).chain([chosen[0].0]);
        let has_room =
            limits.sharing != Sharing::Alone && forward_tokens(and_one_more, limits.sharing) <= limits.tokens;
        (arrival.was_busy && has_room && now < until).then_some(until)
    }

    fn expire(&mut self, now: Time) {
        while let Some(&(_, id)) = self.deadlines.first().filter(|(deadline, _)| *deadline <= now) {
            self.settle(id, &past_deadline(), now);
        }
    }

    fn answer(&mut self, id: GroupId, now: Time, missing: impl Fn() -> RowAnswer) {
        if let Some(group) = self.take(id) {
            group.reply(now, missing);
        }
    }

    /// Takes a group out of every index.
    fn take(&mut self, id: GroupId) -> Option<Group> {
        let group = self.groups.remove(&id)?;
        self.queued_tokens -= group.tokens;
        if let Some(deadline) = group.deadline {
            self.deadlines.remove(&(deadline, id));
        }
        if group.missing > 0 {
            for (index, number) in group.numbers.iter().enumerate() {
                self.rows.leave(*number, (id, index));
            }
        }
        Some(group)
    }
}

impl Progress {
    fn finish(&mut self, tokens: usize, took: Duration) {
        self.is_running = false;
        if tokens > 0 {
            let cost = took.as_secs_f64() / tokens as f64;
            self.seconds_per_token += COST_WEIGHT * (cost - self.seconds_per_token);
        }
    }
}

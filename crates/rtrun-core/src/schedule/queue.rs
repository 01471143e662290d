//! The queue of one model as a state machine without threads or clock: every call says what time it is.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::group::{Group, GroupId, Reply};
use super::lane::{Lane, Lanes};
use super::pack::{PackLimits, Sharing, Waiting, forward_tokens};
use super::shares::{Shares, Source};
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

/// What a group comes with besides its rows.
pub struct Admission {
    /// When its caller stops waiting.
    pub deadline: Option<Time>,
    /// What it belongs to; groups of one source share one place among the others. Without one, it stands for itself.
    pub source: Option<Source>,
    /// Takes the answer.
    pub reply: Reply,
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
    shares: Shares,
    /// Groups by deadline.
    deadlines: BTreeSet<(Time, GroupId)>,
    progress: [Progress; 2],
    /// When a group of a light source came last.
    last_light: Option<Time>,
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
    /// Unanswered groups whose longest row is of the lane.
    groups: usize,
    /// Seconds one token takes, as measured. Long rows cost more a token, and the lane behind has to give way.
    seconds_per_token: f64,
}

/// The cost of a token before any was measured.
const FIRST_SECONDS_PER_TOKEN: f64 = 1e-4;

/// How much one forward moves the measured cost.
const COST_WEIGHT: f64 = 0.1;

/// A source of more tokens than this is heavy.
const HEAVY_TOKENS: usize = 512;

/// How long a light source is remembered.
const LIGHT_MEMORY: Duration = Duration::from_secs(1);

/// What part of the tokens of a forward the heavy sources get while light ones come. Shorter forwards compute fewer tokens
/// a second, so not always.
const SHORTENED: usize = 4;

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
            shares: Shares::new(),
            deadlines: BTreeSet::new(),
            last_light: None,
            progress: [Progress { is_running: false, groups: 0, seconds_per_token: FIRST_SECONDS_PER_TOKEN }; 2],
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
    pub fn admit(&mut self, rows: &[RowRequest], admission: Admission, now: Time) -> Result<GroupId, Error> {
        let Admission { deadline, source, reply } = admission;
        let tokens = rows.iter().map(|request| request.row.len()).sum();
        self.check_admission(tokens)?;
        let mut share = self.shares.open(source, tokens);
        let longest = rows.iter().map(|request| request.row.len()).max().unwrap_or(0);
        let lane = self.lanes.lane(longest, share.tokens);
        self.check_wait(lane, tokens, deadline, now)?;
        let is_heavy = share.tokens > HEAVY_TOKENS;
        if !is_heavy {
            self.last_light = Some(now);
        }
        self.last_id += 1;
        let id = self.last_id;
        let was_busy = Lane::ALL.map(|lane| self.progress[lane.index()].is_running || self.has_waiting(lane));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        // The longest row first: packing from it downwards leaves the least padding.
        order.sort_by_key(|index| std::cmp::Reverse(rows[*index].row.len()));
        let mut numbers = vec![0; rows.len()];
        for index in order {
            let length = rows[index].row.len();
            // What a source had before counts too: many short groups of it are as long as one long group.
            let lane = self.lanes.lane(length, share.tokens);
            let turn = self.shares.turn(&mut share, lane, length);
            let arrival = Arrival { turn, at: now, was_busy: was_busy[lane.index()], lane, is_heavy };
            numbers[index] = self.rows.join(&rows[index], (id, index), arrival);
        }
        self.shares.keep(source, share);
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, id));
        }
        self.queued_tokens += tokens;
        self.progress[lane.index()].groups += 1;
        let (answers, missing, forward) = (vec![None; rows.len()], rows.len(), Duration::ZERO);
        let group = Group { answers, numbers, missing, tokens, lane, admitted: now, deadline, forward, reply };
        self.groups.insert(id, group);
        Ok(id)
    }

    /// From now on there is one lane; what waits for the other moves to the front.
    pub fn close_back(&mut self) {
        self.lanes = Lanes::One;
        let (front, back) = (self.shares.now(Lane::Front), self.shares.now(Lane::Back));
        self.rows.move_to_front(|turn| turn.saturating_sub(back).saturating_add(front));
        for group in self.groups.values_mut() {
            group.lane = Lane::Front;
        }
        self.progress[Lane::Front.index()].groups = self.groups.len();
    }

    /// What a lane is to do now. Groups whose deadline has passed are answered first.
    pub fn next(&mut self, lane: Lane, now: Time) -> Next {
        self.expire(now);
        let limits = |arrival: Arrival| self.forward_limits(lane, arrival.is_heavy, now);
        let Some((arrival, chosen)) = self.rows.choose(lane, limits) else { return Next::Idle };
        if let Some(until) = self.window_end(&chosen, arrival, now) {
            return Next::WaitUntil(until);
        }
        self.progress[lane.index()].is_running = true;
        self.shares.serve(lane, arrival.turn);
        let tokens = forward_tokens(chosen.iter().map(|(length, ..)| *length), self.limits.forward.sharing);
        let numbers = chosen.iter().map(|(.., number)| *number).collect();
        let rows = chosen.into_iter().map(|row| self.rows.start(row)).collect();
        if !self.has_waiting(lane) {
            self.shares.rest(lane);
        }
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

    /// Refuses a group that would get its answer too late, because of those that wait already: its caller is told now
    /// and not at the deadline.
    fn check_wait(&self, lane: Lane, tokens: usize, deadline: Option<Time>, now: Time) -> Result<(), Error> {
        let Some(left) = deadline.map(|deadline| deadline.saturating_sub(now)) else { return Ok(()) };
        let Progress { groups, seconds_per_token, .. } = self.progress[lane.index()];
        // The others are served in turn with it, so until its end each of them gets no more tokens than it has itself.
        let ahead = self.rows.waiting_tokens(lane).min(groups.saturating_mul(tokens));
        if ahead as f64 * seconds_per_token > left.as_secs_f64() {
            return Err(Error::Overloaded(format!(
                "{groups} requests wait for the model already, and it would answer after the deadline; try again later"
            )));
        }
        Ok(())
    }

    /// Limits of a forward. While light sources come to the same lane, the forwards of heavy ones are short.
    fn forward_limits(&self, lane: Lane, is_heavy: bool, now: Time) -> PackLimits {
        let limits = self.limits.forward;
        let has_light = self.last_light.is_some_and(|at| now.saturating_sub(at) < LIGHT_MEMORY);
        let tokens =
            if is_heavy && has_light && lane == Lane::Front { limits.tokens / SHORTENED } else { limits.tokens };
        PackLimits { tokens, ..limits }
    }

    /// Until when a row waits for company: only if it came to a busy lane, and only while there is room beside it.
    fn window_end(&self, chosen: &[Waiting], arrival: Arrival, now: Time) -> Option<Time> {
        let until = arrival.at + self.limits.window;
        let limits = self.forward_limits(arrival.lane, arrival.is_heavy, now);
        let and_one_more = chosen.iter().map(|(length, ..)| *length).chain([chosen[0].0]);
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
        self.progress[group.lane.index()].groups -= 1;
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

//! The rows that groups wait for, each there once however many want it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::group::GroupId;
use super::lane::Lane;
use super::pack::{PackLimits, Waiting, pack};
use super::queue::Time;
use super::shares::Turn;
use crate::engines::{Row, RowRequest};

/// Rows by number, found by their input, their urgency and their length.
#[derive(Default)]
pub struct WaitingRows {
    last_number: u64,
    rows: HashMap<u64, Entry>,
    by_row: HashMap<Row, u64>,
    orders: [Order; 2],
}

/// The rows of one lane that do not run yet.
#[derive(Default)]
struct Order {
    by_turn: BTreeSet<(Turn, u64)>,
    /// By what shares forwards, and then by length.
    by_length: BTreeMap<Company, BTreeSet<Waiting>>,
    /// Of all of them together.
    tokens: usize,
}

/// When a row came, which turn it has and where it waits.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// Its place among the others of the lane.
    pub turn: Turn,
    /// When it came.
    pub at: Time,
    /// Whether the lane had anything to do then.
    pub was_busy: bool,
    /// Which forwards it waits for.
    pub lane: Lane,
    /// Whether its source is a heavy one.
    pub is_heavy: bool,
}

/// Rows that may share a forward: of one exit, and those of light sources not with those of heavy ones, which would make
/// the forward a long one.
type Company = (u16, bool);

fn company(row: &Row, arrival: Arrival) -> Company {
    (row.exit, arrival.is_heavy)
}

/// A group and the place of the row in it.
pub type Waiter = (GroupId, usize);

struct Entry {
    request: RowRequest,
    /// Ordered, so that one of thousands leaves as fast as one of two.
    waiters: BTreeSet<Waiter>,
    arrival: Arrival,
    is_running: bool,
}

impl WaitingRows {
    /// Adds a row, or lets the waiter join an equal one that is there already. Returns the number of the row.
    pub fn join(&mut self, request: &RowRequest, waiter: Waiter, arrival: Arrival) -> u64 {
        let known = self.by_row.get(&request.row).copied();
        if let Some(number) = known.filter(|number| self.may_join(*number, request)) {
            let entry = self.rows.get_mut(&number).expect("an indexed row exists; this is a bug");
            entry.waiters.insert(waiter);
            entry.request.wanted = entry.request.wanted.or(request.wanted);
            let (old, row) = (entry.arrival, entry.request.row.clone());
            // Whoever is in a hurry takes the row along, into the lane in front too.
            if (arrival.lane, arrival.turn) < (old.lane, old.turn) {
                (entry.arrival.lane, entry.arrival.turn) = (arrival.lane, arrival.turn);
            }
            entry.arrival.is_heavy &= arrival.is_heavy;
            let new = entry.arrival;
            if !entry.is_running && (old.lane, old.turn, old.is_heavy) != (new.lane, new.turn, new.is_heavy) {
                self.unlist(&row, old, number);
                self.list(&row, new, number);
            }
            return number;
        }
        self.last_number += 1;
        let number = self.last_number;
        self.by_row.insert(request.row.clone(), number);
        self.list(&request.row, arrival, number);
        let entry = Entry { request: request.clone(), waiters: BTreeSet::from([waiter]), arrival, is_running: false };
        self.rows.insert(number, entry);
        number
    }

    /// A running row can only be joined for what it gives anyway.
    fn may_join(&self, number: u64, request: &RowRequest) -> bool {
        let entry = &self.rows[&number];
        !entry.is_running || entry.request.wanted.covers(request.wanted)
    }

    /// Whether rows of the lane wait for a forward.
    pub fn has_waiting(&self, lane: Lane) -> bool {
        !self.orders[lane.index()].by_turn.is_empty()
    }

    /// Tokens of the rows of the lane that wait for a forward.
    pub fn waiting_tokens(&self, lane: Lane) -> usize {
        self.orders[lane.index()].tokens
    }

    /// Rows that wait or run, in both lanes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The next row of a lane and the rows that would share its forward; the row comes first.
    pub fn choose(&self, lane: Lane, limits: impl Fn(Arrival) -> PackLimits) -> Option<(Arrival, Vec<Waiting>)> {
        let order = &self.orders[lane.index()];
        let (_, number) = order.by_turn.first()?;
        let entry = &self.rows[number];
        let row = &entry.request.row;
        let Entry { arrival, .. } = *entry;
        let seed = (row.len(), arrival.turn, *number);
        Some((arrival, pack(&order.by_length[&company(row, arrival)], seed, limits(arrival))))
    }

    /// Moves every row that waits for the back lane to the front, where its turn is another.
    pub fn move_to_front(&mut self, turn: impl Fn(Turn) -> Turn) {
        let waiting = std::mem::take(&mut self.orders[Lane::Back.index()]);
        for (_, number) in waiting.by_turn {
            let Some(entry) = self.rows.get_mut(&number) else { continue };
            entry.arrival.lane = Lane::Front;
            entry.arrival.turn = turn(entry.arrival.turn);
            let (row, arrival) = (entry.request.row.clone(), entry.arrival);
            self.list(&row, arrival, number);
        }
    }

    /// Marks a chosen row as running and returns its request.
    pub fn start(&mut self, (.., number): Waiting) -> RowRequest {
        let entry = self.rows.get_mut(&number).expect("a chosen row exists; this is a bug");
        entry.is_running = true;
        let (request, arrival) = (entry.request.clone(), entry.arrival);
        self.unlist(&request.row, arrival, number);
        request
    }

    /// Takes a row that has run out and returns who waits for it.
    pub fn finish(&mut self, number: u64) -> impl Iterator<Item = Waiter> + use<> {
        let entry = self.rows.remove(&number);
        if let Some(entry) = &entry {
            self.forget(&entry.request.row, number);
        }
        entry.into_iter().flat_map(|entry| entry.waiters)
    }

    /// Forgets who waits for a row; a row that nobody wants any more goes, unless it runs already.
    pub fn leave(&mut self, number: u64, waiter: Waiter) {
        let Some(entry) = self.rows.get_mut(&number) else { return };
        entry.waiters.remove(&waiter);
        if entry.is_running || !entry.waiters.is_empty() {
            return;
        }
        let Some(entry) = self.rows.remove(&number) else { return };
        self.forget(&entry.request.row, number);
        self.unlist(&entry.request.row, entry.arrival, number);
    }

    /// Puts a row into the orders of what does not run yet.
    fn list(&mut self, row: &Row, arrival: Arrival, number: u64) {
        let order = &mut self.orders[arrival.lane.index()];
        order.by_turn.insert((arrival.turn, number));
        order.tokens += row.len();
        order.by_length.entry(company(row, arrival)).or_default().insert((row.len(), arrival.turn, number));
    }

    fn unlist(&mut self, row: &Row, arrival: Arrival, number: u64) {
        let order = &mut self.orders[arrival.lane.index()];
        order.by_turn.remove(&(arrival.turn, number));
        order.tokens -= row.len();
        if let Some(lengths) = order.by_length.get_mut(&company(row, arrival)) {
            lengths.remove(&(row.len(), arrival.turn, number));
        }
    }

    /// Takes a row out of the index, unless an equal one has come there since.
    fn forget(&mut self, row: &Row, number: u64) {
        if self.by_row.get(row) == Some(&number) {
            self.by_row.remove(row);
        }
    }
}

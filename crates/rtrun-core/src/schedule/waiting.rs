//! The rows that groups wait for, each there once however many want it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::pack::{PackLimits, Waiting, pack};
use super::queue::{GroupId, Time};
use crate::engines::{Row, RowRequest};

/// Rows by number, found by their input, their urgency and their length.
#[derive(Default)]
pub struct WaitingRows {
    last_number: u64,
    rows: HashMap<u64, Entry>,
    by_row: HashMap<Row, u64>,
    /// Rows that do not run yet, by the expected finish of their group.
    by_finish: BTreeSet<(Time, u64)>,
    /// Rows that do not run yet, by exit, since a forward has one exit, and then by length.
    by_length: BTreeMap<u16, BTreeSet<Waiting>>,
}

/// When a row came and how urgent it is.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// When its group is expected to be done.
    pub finish: Time,
    /// When it came.
    pub at: Time,
    /// Whether a forward ran or other groups waited then.
    pub was_busy: bool,
}

struct Entry {
    request: RowRequest,
    /// Groups that wait for the row, with its place in each.
    waiters: Vec<(GroupId, usize)>,
    arrival: Arrival,
    is_running: bool,
}

impl WaitingRows {
    /// Adds a row, or lets the waiter join an equal one that is there already.
    pub fn join(&mut self, request: &RowRequest, waiter: (GroupId, usize), arrival: Arrival) {
        let known = self.by_row.get(&request.row).copied();
        if let Some(number) = known.filter(|number| self.may_join(*number, request)) {
            let entry = self.rows.get_mut(&number).expect("an indexed row exists; this is a bug");
            entry.waiters.push(waiter);
            entry.request.wanted = entry.request.wanted.or(request.wanted);
            if !entry.is_running && arrival.finish < entry.arrival.finish {
                self.by_finish.remove(&(entry.arrival.finish, number));
                self.by_finish.insert((arrival.finish, number));
                entry.arrival.finish = arrival.finish;
            }
            return;
        }
        self.last_number += 1;
        let number = self.last_number;
        self.by_row.insert(request.row.clone(), number);
        self.by_finish.insert((arrival.finish, number));
        self.by_length.entry(request.row.exit).or_default().insert((request.row.len(), number));
        let entry = Entry { request: request.clone(), waiters: vec![waiter], arrival, is_running: false };
        self.rows.insert(number, entry);
    }

    /// A running row can only be joined for what it gives anyway.
    fn may_join(&self, number: u64, request: &RowRequest) -> bool {
        let entry = &self.rows[&number];
        !entry.is_running || entry.request.wanted.covers(request.wanted)
    }

    /// The most urgent row and the rows that would share its forward, as lengths and numbers; the row comes first.
    pub fn choose(&self, limits: PackLimits) -> Option<(Arrival, Vec<Waiting>)> {
        let (_, number) = self.by_finish.first()?;
        let entry = &self.rows[number];
        let row = &entry.request.row;
        Some((entry.arrival, pack(&self.by_length[&row.exit], (row.len(), *number), limits)))
    }

    /// Marks a chosen row as running and returns its request.
    pub fn start(&mut self, (_, number): Waiting) -> RowRequest {
        let entry = self.rows.get_mut(&number).expect("a chosen row exists; this is a bug");
        entry.is_running = true;
        let request = entry.request.clone();
        let finish = entry.arrival.finish;
        self.unlist(&request.row, finish, number);
        request
    }

    /// Takes a row that has run out and returns who waits for it.
    pub fn finish(&mut self, number: u64) -> Vec<(GroupId, usize)> {
        let Some(entry) = self.rows.remove(&number) else { return Vec::new() };
        self.forget(&entry.request.row, number);
        entry.waiters
    }

    /// Forgets a waiter; rows that nobody wants any more go, unless they run already.
    pub fn leave(&mut self, group: GroupId) {
        let mut unwanted = Vec::new();
        for (number, entry) in &mut self.rows {
            entry.waiters.retain(|(waiter, _)| *waiter != group);
            if !entry.is_running && entry.waiters.is_empty() {
                unwanted.push(*number);
            }
        }
        for number in unwanted {
            let Some(entry) = self.rows.remove(&number) else { continue };
            self.forget(&entry.request.row, number);
            self.unlist(&entry.request.row, entry.arrival.finish, number);
        }
    }

    /// Takes a row out of the orders of what does not run yet.
    fn unlist(&mut self, row: &Row, finish: Time, number: u64) {
        self.by_finish.remove(&(finish, number));
        if let Some(lengths) = self.by_length.get_mut(&row.exit) {
            lengths.remove(&(row.len(), number));
        }
    }

    /// Takes a row out of the index, unless an equal one has come there since.
    fn forget(&mut self, row: &Row, number: u64) {
        if self.by_row.get(row) == Some(&number) {
            self.by_row.remove(row);
        }
    }
}

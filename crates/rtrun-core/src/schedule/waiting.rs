//! The rows that groups wait for, each there once however many want it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::pack::{PackLimits, pack};
use super::queue::{GroupId, Time};

/// Rows by number, found by their ids, their urgency and their length.
#[derive(Default)]
pub struct WaitingRows {
    last_number: u64,
    rows: HashMap<u64, Row>,
    by_ids: HashMap<Arc<[u32]>, u64>,
    /// Rows that do not run yet, by the expected finish of their group.
    by_finish: BTreeSet<(Time, u64)>,
    /// Rows that do not run yet, by length.
    by_length: BTreeSet<(usize, u64)>,
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

struct Row {
    ids: Arc<[u32]>,
    /// Groups that wait for the row, with its place in each.
    waiters: Vec<(GroupId, usize)>,
    arrival: Arrival,
    is_running: bool,
}

impl WaitingRows {
    /// Adds a row, or lets the waiter join an equal one that is there already.
    pub fn join(&mut self, ids: &Arc<[u32]>, waiter: (GroupId, usize), arrival: Arrival) {
        if let Some(number) = self.by_ids.get(ids).copied() {
            let row = self.rows.get_mut(&number).expect("an indexed row exists; this is a bug");
            row.waiters.push(waiter);
            if !row.is_running && arrival.finish < row.arrival.finish {
                self.by_finish.remove(&(row.arrival.finish, number));
                self.by_finish.insert((arrival.finish, number));
                row.arrival.finish = arrival.finish;
            }
            return;
        }
        self.last_number += 1;
        let number = self.last_number;
        self.by_ids.insert(Arc::clone(ids), number);
        self.by_finish.insert((arrival.finish, number));
        self.by_length.insert((ids.len(), number));
        let row = Row { ids: Arc::clone(ids), waiters: vec![waiter], arrival, is_running: false };
        self.rows.insert(number, row);
    }

    /// The most urgent row and the rows that would share its forward, as lengths and numbers; the row comes first.
    pub fn choose(&self, limits: PackLimits) -> Option<(Arrival, Vec<(usize, u64)>)> {
        let (_, number) = self.by_finish.first()?;
        let row = &self.rows[number];
        Some((row.arrival, pack(&self.by_length, (row.ids.len(), *number), limits)))
    }

    /// Marks a chosen row as running and returns its ids.
    pub fn start(&mut self, (length, number): (usize, u64)) -> Arc<[u32]> {
        let row = self.rows.get_mut(&number).expect("a chosen row exists; this is a bug");
        row.is_running = true;
        self.by_finish.remove(&(row.arrival.finish, number));
        self.by_length.remove(&(length, number));
        Arc::clone(&row.ids)
    }

    /// Takes a row that has run out and returns who waits for it.
    pub fn finish(&mut self, number: u64) -> Vec<(GroupId, usize)> {
        let Some(row) = self.rows.remove(&number) else { return Vec::new() };
        self.by_ids.remove(&row.ids);
        row.waiters
    }

    /// Forgets a waiter; rows that nobody wants any more go, unless they run already.
    pub fn leave(&mut self, group: GroupId) {
        let Self { rows, by_ids, by_finish, by_length, .. } = self;
        rows.retain(|number, row| {
            row.waiters.retain(|(waiter, _)| *waiter != group);
            let is_wanted = row.is_running || !row.waiters.is_empty();
            if !is_wanted {
                by_ids.remove(&row.ids);
                by_finish.remove(&(row.arrival.finish, *number));
                by_length.remove(&(row.ids.len(), *number));
            }
            is_wanted
        });
    }
}

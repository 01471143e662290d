//! What follows from the distance between two tokens, as a matrix over all pairs of a row.
//!
//! A table has one entry for each distance. The part that a forward of `n` tokens needs is `2n` entries wide; a matrix
//! `[n, 2n]` of it becomes `[n, n]` by reading it with rows of `2n - 1`: every row then starts one entry earlier than the
//! row above, which is what distances do. This copies memory in long runs, where gathering entry by entry costs several
//! times as much.

use super::builder::{GraphBuilder, Value};
use super::interface::INPUT_IDS;

/// Sizes of one forward that the operations below share.
#[derive(Debug)]
pub struct Distances {
    longest: usize,
    tokens: String,
    table_start: String,
    table_end: String,
    flat_start: String,
    flat_end: String,
    rows: String,
    square: String,
    zero: String,
}

impl Distances {
    /// For rows of at most `longest` tokens.
    pub fn new(builder: &mut GraphBuilder, longest: usize) -> Self {
        let axis = [("start", Value::Int(1)), ("end", Value::Int(2))];
        let tokens = builder.node("", "Shape", &[INPUT_IDS], &axis);
        let (zero, one, two) = (builder.integers(&[0]), builder.integers(&[1]), builder.integers(&[2]));
        let all = builder.integers(&[longest.try_into().unwrap_or(i64::MAX)]);
        let table_start = builder.node("", "Sub", &[&all, &tokens], &[]);
        let table_end = builder.node("", "Add", &[&all, &tokens], &[]);
        // The flat matrix is read from its entry n - 1 on, n rows of 2n - 1 entries each.
        let flat_start = builder.node("", "Sub", &[&tokens, &one], &[]);
        let twice = builder.node("", "Mul", &[&tokens, &two], &[]);
        let width = builder.node("", "Sub", &[&twice, &one], &[]);
        let length = builder.node("", "Mul", &[&tokens, &width], &[]);
        let flat_end = builder.node("", "Add", &[&flat_start, &length], &[]);
        let first = [("axis", Value::Int(0))];
        let rows = builder.node("", "Concat", &[&one, &one, &tokens, &one], &first);
        let square = builder.node("", "Concat", &[&zero, &zero, &tokens, &width], &first);
        Self { longest, tokens, table_start, table_end, flat_start, flat_end, rows, square, zero }
    }

    /// The distances of a whole table in order: how far a key is behind its query, negative if it is in front.
    pub fn all(&self) -> impl Iterator<Item = i64> + use<> {
        let longest = i64::try_from(self.longest).unwrap_or(i64::MAX);
        1 - longest..=longest
    }

    /// The `2n` entries that this forward needs of a whole table along an axis.
    pub fn part(&self, builder: &mut GraphBuilder, table: &str, axis: i64) -> String {
        let axis = builder.integers(&[axis]);
        builder.node("", "Slice", &[table, &self.table_start, &self.table_end, &axis], &[])
    }

    /// A whole table `[1, heads or 1, 1, distances]` as a matrix `[1, heads or 1, tokens, tokens]`.
    pub fn spread(&self, builder: &mut GraphBuilder, table: &str) -> String {
        let part = self.part(builder, table, 3);
        let rows = builder.node("", "Expand", &[&part, &self.rows], &[]);
        self.shift(builder, &rows)
    }

    /// `[batch, heads, tokens, 2 · tokens]` with an entry for each distance as `[batch, heads, tokens, tokens]` with an
    /// entry for each key.
    pub fn shift(&self, builder: &mut GraphBuilder, matrix: &str) -> String {
        let flat_shape = builder.integers(&[0, 0, -1]);
        let (second, third) = (builder.integers(&[2]), builder.integers(&[3]));
        let flat = builder.node("", "Reshape", &[matrix, &flat_shape], &[]);
        let flat = builder.node("", "Slice", &[&flat, &self.flat_start, &self.flat_end, &second], &[]);
        let shifted = builder.node("", "Reshape", &[&flat, &self.square], &[]);
        builder.node("", "Slice", &[&shifted, &self.zero, &self.tokens, &third], &[])
    }
}

/// MPNet's row for a distance: near ones have a row each, far ones share rows that grow with their logarithm.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "distances are below a million and the rows of the published table are reached by rounding down"
)]
pub fn mpnet_bucket(distance: i64, buckets: usize) -> usize {
    const FARTHEST: f64 = 128.0;
    let half = buckets / 2;
    let exact = half / 2;
    let far = distance.unsigned_abs() as usize;
    let row = if far < exact {
        far
    } else {
        // In the precision of the published code, so that distances at a border fall on the same side.
        let share = (far as f32 / exact as f32).ln() / (FARTHEST / exact as f64).ln() as f32;
        (exact + (share * (half - exact) as f32) as usize).min(half - 1)
    };
    if distance > 0 { row + half } else { row }
}

/// DeBERTa's row for a distance, counted from the middle of the table: near ones have a row each, far ones share rows.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "distances are below a million and the rows of the published table are reached by rounding up"
)]
pub fn deberta_bucket(distance: i64, buckets: usize, largest_distance: usize) -> i64 {
    let middle = (buckets / 2) as i64;
    let far = distance.abs();
    if far <= middle {
        return distance;
    }
    let (far, nearest) = (far as f32 / middle as f32, (largest_distance - 1) as f32 / middle as f32);
    // In the precision of the published code, so that distances at a border fall on the same side.
    let row = (far.ln() / nearest.ln() * (middle - 1) as f32).ceil() as i64 + middle;
    row * distance.signum()
}

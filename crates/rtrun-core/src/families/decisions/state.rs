//! The state of a question: whole, cut, or in windows beside tokens that every row repeats.

use std::ops::Range;
use std::sync::Arc;

use super::state_text::Found;
use crate::error::Error;
use crate::families::{ReadInput, StateReading};
use crate::tokens::{Overflow, Place, Windows, too_long};

/// The tokens of a state and the rows that they are read in.
#[derive(Debug)]
pub struct StateTokens {
    /// Those that are read, and perhaps more.
    pub ids: Arc<[u32]>,
    places: Arc<[Place]>,
    /// How many are read.
    kept: usize,
    /// Per row the tokens that it has of the state.
    pub windows: Vec<Range<usize>>,
    /// How much is read.
    pub input: ReadInput,
}

/// What a state is read beside, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'r> {
    /// Tokens that every row has besides the state.
    pub fixed: usize,
    /// The most tokens that a window shares with the next.
    pub overlap: usize,
    /// Whether answers name places of the state.
    pub with_places: bool,
    /// The tokens that no text of a user may have.
    pub reserved: &'r [String],
}

/// Room for the state that questions must leave: fewer tokens a row would mean hundreds of rows.
pub const LEAST_STATE: usize = 16;

/// A window shares at most a part of itself with the next.
const OVERLAP_PART: usize = 4;

impl StateTokens {
    /// Reads a state. Fails with `max_length_exceeded` or `scan_budget_exceeded` as the overflow has it.
    pub fn read(read: &StateReading<'_>, beside: Beside<'_>) -> Result<Self, Error> {
        let Beside { fixed, overlap, with_places, reserved } = beside;
        let room = read.row_tokens.saturating_sub(fixed).max(1);
        let most = if read.overflow == Overflow::Window { read.scan_tokens } else { room };
        if read.overflow != Overflow::Truncate && read.is_surely_longer(reserved) {
            return Err(over_limit(read));
        }
        let Found { ids, places } = read.tokens(reserved, with_places)?;
        let tokens = ids.len();
        if tokens > most && read.overflow != Overflow::Truncate {
            return Err(over_limit(read));
        }
        let kept = tokens.min(most);
        let windows = Windows::new(kept, room, overlap.min(room / OVERLAP_PART));
        let processed_tokens = windows.processed(fixed);
        read.allowance.check(windows.count(), processed_tokens)?;
        let windows: Vec<Range<usize>> = windows.iter().collect();
        let input = ReadInput {
            tokens: fixed + tokens,
            special_tokens: fixed,
            unknown_tokens: read.reader.unknown_tokens(&ids),
            processed_tokens,
            truncated: tokens > most,
            // The contract tells a state that was read in part by this alone.
            is_lower_bound: tokens > most,
            windows: windows.len(),
        };
        Ok(Self { ids, places, kept, windows, input })
    }

    /// Where the tokens that are read stand in the state as the user gave it; empty unless asked for.
    pub fn places(&self) -> &[Place] {
        &self.places[..self.kept.min(self.places.len())]
    }
}

fn over_limit(read: &StateReading<'_>) -> Error {
    if read.overflow != Overflow::Window {
        return too_long(read.row_tokens, true);
    }
    let raise = if read.can_raise { ", raise max_tokens" } else { "" };
    Error::ScanBudgetExceeded(format!(
        "The state has more than {} tokens, none of which was read; shorten it{raise}, or set overflow to \"truncate\" to read its beginning",
        read.scan_tokens
    ))
}

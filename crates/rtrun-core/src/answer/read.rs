//! From the texts of an input to rows: whole, cut, or in windows.

use std::borrow::Cow;
use std::ops::Range;

use crate::engines::{Row, RowRequest, Wanted};
use crate::error::Error;
use crate::families::ReadInput;
use crate::schedule::Allowance;
use crate::tokens::{Overflow, PairTemplate, Place, TextReader, Windows, begins, too_long};

/// How much of an input may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest row, special tokens included.
    pub row_tokens: usize,
    /// The most tokens of an input that is read in windows.
    pub scan_tokens: usize,
    /// Whether a request may ask for a larger scan.
    pub can_raise: bool,
    /// Tokens that a window shares with the next.
    pub overlap: usize,
    /// What happens to an input over its limit.
    pub overflow: Overflow,
}

/// The rows of one input.
#[derive(Debug)]
pub struct ReadRows {
    /// What to compute.
    pub rows: Vec<RowRequest>,
    /// Per row the tokens that it has of the text which answers are about.
    pub parts: Vec<Part>,
    /// Where the tokens of that text stand; empty where nobody needs it.
    pub places: Vec<Place>,
    /// How much is read.
    pub input: ReadInput,
}

/// The tokens that a row has of the text which answers are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which of the text's tokens.
    pub tokens: Range<usize>,
    /// Where the first of them stands in the row.
    pub from: usize,
}

impl Part {
    /// The places of the tokens in the row.
    pub fn in_row(&self) -> Range<usize> {
        self.from..self.from + self.tokens.len()
    }
}

/// What is read, and for what.
#[derive(Clone, Copy)]
pub struct Reading<'r> {
    /// The model's tokenizer.
    pub reader: &'r TextReader,
    /// How much.
    pub limits: Limits,
    /// What the request may still ask of the model.
    pub allowance: Allowance,
    /// What is read of the outputs.
    pub wanted: Wanted,
    /// What is read besides where a text is read in several windows.
    pub wanted_of_windows: Wanted,
    /// Whether answers name places of the text.
    pub with_places: bool,
    /// Whether a request may ask for windows.
    pub has_windows: bool,
}

impl Reading<'_> {
    /// Reads one text.
    pub fn text(&self, text: &str) -> Result<ReadRows, Error> {
        let special = self.reader.template().special_tokens();
        let Limits { row_tokens, .. } = self.limits;
        let room = row_tokens.saturating_sub(special);
        let scan = self.scan_room(special, room);
        self.refuse_surely_longer(&[text], scan)?;
        // What the allowance has no windows for need not be read to be refused.
        let most = scan.min(self.allowance.max_tokens(room, self.limits.overlap).max(room));
        let mut found =
            if self.with_places { self.reader.placed_tokens(text, most)? } else { self.reader.tokens(text, most)? };
        let read = found.ids.len();
        if read > scan && self.limits.overflow != Overflow::Truncate {
            return Err(self.over_limit());
        }
        let unknown_tokens = self.reader.unknown_tokens(&found.ids);
        let windows = self.windows(read.min(scan), room, special)?;
        if read > room && self.limits.overflow == Overflow::Window && !self.with_places {
            // Windows say where they stand, so a text of several is read again with its places.
            found = self.reader.placed_tokens(text, scan)?;
        }
        found.ids.truncate(scan);
        found.places.truncate(scan);
        let from = self.reader.template().before.len();
        let begins = |token: usize| found.places.get(token).is_some_and(|place| begins(text, *place));
        let windows = windows.at_beginnings(begins).into_iter();
        let parts: Vec<Part> = windows.map(|tokens| Part { tokens, from }).collect();
        let wanted = if parts.len() > 1 { self.wanted.or(self.wanted_of_windows) } else { self.wanted };
        let row = |part: &Part| Row::plain(self.reader.template().frame(&found.ids[part.tokens.clone()]));
        let rows: Vec<RowRequest> = parts.iter().map(|part| RowRequest { row: row(part), wanted }).collect();
        let input = ReadInput {
            tokens: read + special,
            special_tokens: special,
            unknown_tokens,
            processed_tokens: rows.iter().map(|request| request.row.len()).sum(),
            truncated: read > scan,
            is_lower_bound: found.has_more,
            windows: rows.len(),
        };
        Ok(ReadRows { rows, parts, places: found.places, input })
    }

    /// The rows of pairs: `texts` gives the ids of both texts for each part, which is a part of the second one.
    pub(super) fn pair_rows<'i>(
        &self,
        parts: impl Iterator<Item = Range<usize>>,
        texts: impl Fn(&Range<usize>) -> (Cow<'i, [u32]>, &'i [u32]),
        places: Vec<Place>,
        input: ReadInput,
    ) -> Result<ReadRows, Error> {
        let frame = self.pair_template()?;
        let (mut rows, mut found) = (Vec::new(), Vec::new());
        for tokens in parts {
            let (first, second) = texts(&tokens);
            let (ids, second_from) = frame.frame(&first, second);
            rows.push(self.request(Row { second_from, ..Row::plain(ids) }));
            found.push(Part { tokens, from: frame.second_from(first.len()) });
        }
        let processed_tokens = rows.iter().map(|request| request.row.len()).sum();
        let input = ReadInput { processed_tokens, windows: rows.len(), ..input };
        Ok(ReadRows { rows, parts: found, places, input })
    }

    /// The windows over `tokens` tokens, beside `fixed` tokens of every row. Fails, before any is made, where they are
    /// more than the request may ask of the model.
    pub(super) fn windows(&self, tokens: usize, room: usize, fixed: usize) -> Result<Windows, Error> {
        let windows = Windows::new(tokens, room, self.limits.overlap);
        self.allowance.check(windows.count(), windows.processed(fixed))?;
        Ok(windows)
    }

    fn request(&self, row: Row) -> RowRequest {
        RowRequest { row, wanted: self.wanted }
    }

    pub(super) fn pair_template(&self) -> Result<&PairTemplate, Error> {
        let none = "The model's tokenizer puts no two texts into one row; give single texts";
        self.reader.pair().ok_or_else(|| Error::InvalidRequest(none.to_owned()))
    }

    /// The room of a row beside the special tokens of a pair.
    pub(super) fn room_of_pair(&self, frame: &PairTemplate) -> Result<usize, Error> {
        let (special, row) = (frame.special_tokens(), self.limits.row_tokens);
        row.checked_sub(special + 1).map(|room| room + 1).ok_or_else(|| {
            Error::MaxLengthExceeded(format!(
                "A row of {row} tokens is too short for a pair, which takes {special} itself"
            ))
        })
    }

    /// Fails, before any of them is read, where one of the texts alone is over the limit.
    pub(super) fn refuse_surely_longer(&self, texts: &[&str], scan: usize) -> Result<(), Error> {
        let is_over = |text: &&str| self.reader.is_surely_longer(text, scan);
        if self.limits.overflow != Overflow::Truncate && texts.iter().any(is_over) {
            return Err(self.over_limit());
        }
        Ok(())
    }

    /// Tokens of an input that may be read at all.
    pub(super) fn scan_room(&self, special: usize, room: usize) -> usize {
        match self.limits.overflow {
            Overflow::Window => self.limits.scan_tokens.saturating_sub(special),
            Overflow::Reject | Overflow::Truncate => room,
        }
    }

    /// The room of a window beside `fixed` tokens that every row has.
    pub(super) fn room_beside(&self, fixed: usize, room: usize) -> Result<usize, Error> {
        let left = room.saturating_sub(fixed);
        if left <= self.limits.overlap || left == 0 {
            return Err(Error::MaxLengthExceeded(format!(
                "The part of the input that every window repeats has {fixed} tokens; a row has room for {room}"
            )));
        }
        Ok(left)
    }

    pub(super) fn over_limit(&self) -> Error {
        match self.limits.overflow {
            Overflow::Window => Error::ScanBudgetExceeded(format!(
                "The input has more than {} tokens, none of which was read; {}",
                self.limits.scan_tokens,
                if self.limits.can_raise {
                    "shorten it, or raise max_tokens"
                } else {
                    "shorten it: the model scans no more of one input"
                }
            )),
            Overflow::Reject | Overflow::Truncate => too_long(self.limits.row_tokens, self.has_windows),
        }
    }
}

//! From the texts of an input to rows: whole, cut, or in windows.

use std::ops::Range;

use crate::engines::{Row, RowRequest, Wanted};
use crate::error::Error;
use crate::families::ReadInput;
use crate::tokens::{Overflow, PairTemplate, Place, TextReader, too_long};

/// How much of an input may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest row, special tokens included.
    pub row_tokens: usize,
    /// The most tokens of an input that is read in windows.
    pub scan_tokens: usize,
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
    /// What is read of the outputs.
    pub wanted: Wanted,
    /// Whether answers name places of the text.
    pub with_places: bool,
}

impl Reading<'_> {
    /// Reads one text.
    pub fn text(&self, text: &str) -> Result<ReadRows, Error> {
        let special = self.reader.template().special_tokens();
        let Limits { row_tokens, .. } = self.limits;
        let room = row_tokens.saturating_sub(special);
        let scan = self.scan_room(special, room);
        if self.limits.overflow != Overflow::Truncate && self.reader.is_surely_longer(text, scan) {
            return Err(self.over_limit());
        }
        let mut found =
            if self.with_places { self.reader.placed_tokens(text, scan)? } else { self.reader.tokens(text, scan)? };
        let read = found.ids.len();
        if read > scan && self.limits.overflow != Overflow::Truncate {
            return Err(self.over_limit());
        }
        if read > room && self.limits.overflow == Overflow::Window && !self.with_places {
            // Windows say where they stand, so a text of several is read again with its places.
            found = self.reader.placed_tokens(text, scan)?;
        }
        found.ids.truncate(scan);
        found.places.truncate(scan);
        let parts = windows(found.ids.len(), room, self.limits.overlap);
        let parts: Vec<Part> =
            parts.into_iter().map(|tokens| Part { tokens, from: self.reader.template().before.len() }).collect();
        let rows: Vec<RowRequest> = parts
            .iter()
            .map(|part| self.request(Row::plain(self.reader.template().frame(&found.ids[part.tokens.clone()]))))
            .collect();
        let input = ReadInput {
            tokens: read + special,
            processed_tokens: rows.iter().map(|request| request.row.len()).sum(),
            truncated: read > scan,
            is_lower_bound: found.has_more,
            windows: rows.len(),
        };
        Ok(ReadRows { rows, parts, places: found.places, input })
    }

    /// Reads two texts as one row; windows go over the second.
    pub fn pair(&self, first: &str, second: &str) -> Result<ReadRows, Error> {
        let frame = self.pair_template()?;
        let room = self.limits.row_tokens.saturating_sub(frame.special_tokens());
        let scan = self.scan_room(frame.special_tokens(), room);
        let one = self.reader.tokens(first, scan)?;
        let other = self.reader.tokens(second, scan)?;
        let total = one.ids.len() + other.ids.len();
        if total > scan && self.limits.overflow != Overflow::Truncate {
            return Err(self.over_limit());
        }
        let mut input = ReadInput {
            tokens: total + frame.special_tokens(),
            processed_tokens: 0,
            truncated: false,
            is_lower_bound: one.has_more || other.has_more,
            windows: 1,
        };
        if total > room && self.limits.overflow == Overflow::Window {
            let places = self.reader.placed_tokens(second, scan)?.places;
            let room = self.room_beside(one.ids.len(), room)?;
            let parts = windows(other.ids.len(), room, self.limits.overlap);
            let row = |tokens: &Range<usize>| frame.frame(&one.ids, &other.ids[tokens.clone()]);
            return Ok(self.pair_rows(parts, row, places, input));
        }
        let (kept_one, kept_other) = longest_first(one.ids.len(), other.ids.len(), room);
        input.truncated = kept_one + kept_other < total;
        let row = |_: &Range<usize>| frame.frame(&one.ids[..kept_one], &other.ids[..kept_other]);
        let whole = 0..kept_other;
        Ok(self.pair_rows(vec![whole], row, Vec::new(), input))
    }

    /// Reads an answer behind its context; windows go over the context, and every row has the whole answer.
    pub fn grounded(&self, prompt: &str, context: &str, question: &str, answer: &str) -> Result<ReadRows, Error> {
        let frame = self.pair_template()?;
        let room = self.limits.row_tokens.saturating_sub(frame.special_tokens());
        let scan = self.scan_room(frame.special_tokens(), room);
        let checked = self.reader.placed_tokens(answer, scan)?;
        let question_filled = prompt.replace("{question}", question);
        let (before, after) = question_filled.split_once("{context}").unwrap_or((&question_filled, ""));
        let whole = self.reader.tokens(&[before, context, after].concat(), scan)?;
        let total = whole.ids.len() + checked.ids.len();
        let has_more = whole.has_more || checked.has_more;
        let input = ReadInput {
            tokens: total + frame.special_tokens(),
            processed_tokens: 0,
            truncated: total > scan,
            is_lower_bound: has_more,
            windows: 1,
        };
        let answer_tokens = 0..checked.ids.len();
        if total <= room {
            let row = |_: &Range<usize>| frame.frame(&whole.ids, &checked.ids);
            let mut rows = self.pair_rows(vec![answer_tokens], row, Vec::new(), input);
            rows.places = checked.places;
            return Ok(rows);
        }
        if self.limits.overflow != Overflow::Truncate && total > scan {
            return Err(self.over_limit());
        }
        let context_room = self.room_beside(checked.ids.len(), room)?;
        if self.limits.overflow == Overflow::Truncate {
            let row = |_: &Range<usize>| frame.frame(&whole.ids[..context_room], &checked.ids);
            let mut rows = self.pair_rows(vec![answer_tokens], row, Vec::new(), ReadInput { truncated: true, ..input });
            rows.places = checked.places;
            return Ok(rows);
        }
        let part = |text: &str| self.reader.tokens(text, scan).map(|found| found.ids);
        let (before, context, after) = (part(before)?, part(context)?, part(after)?);
        let window_room = self.room_beside(before.len() + after.len(), context_room)?;
        let windows = windows(context.len(), window_room, self.limits.overlap);
        let row = |tokens: &Range<usize>| {
            frame.frame(&[before.as_slice(), &context[tokens.clone()], &after].concat(), &checked.ids)
        };
        let mut rows = self.pair_rows(windows, row, Vec::new(), input);
        for part in &mut rows.parts {
            part.tokens = answer_tokens.clone();
        }
        rows.places = checked.places;
        Ok(rows)
    }

    fn pair_rows(
        &self,
        parts: Vec<Range<usize>>,
        row: impl Fn(&Range<usize>) -> (Vec<u32>, usize),
        places: Vec<Place>,
        input: ReadInput,
    ) -> ReadRows {
        let mut rows = Vec::with_capacity(parts.len());
        let mut found = Vec::with_capacity(parts.len());
        for tokens in parts {
            let (ids, second_from) = row(&tokens);
            rows.push(self.request(Row { second_from, ..Row::plain(ids) }));
            found.push(Part { tokens, from: second_from });
        }
        let processed_tokens = rows.iter().map(|request| request.row.len()).sum();
        let input = ReadInput { processed_tokens, windows: rows.len(), ..input };
        ReadRows { rows, parts: found, places, input }
    }

    fn request(&self, row: Row) -> RowRequest {
        RowRequest { row, wanted: self.wanted }
    }

    fn pair_template(&self) -> Result<&PairTemplate, Error> {
        let none = "The model's tokenizer puts no two texts into one row; give single texts";
        self.reader.pair().ok_or_else(|| Error::InvalidRequest(none.to_owned()))
    }

    /// Tokens of an input that may be read at all.
    fn scan_room(&self, special: usize, room: usize) -> usize {
        match self.limits.overflow {
            Overflow::Window => self.limits.scan_tokens.saturating_sub(special),
            Overflow::Reject | Overflow::Truncate => room,
        }
    }

    /// The room of a window beside `fixed` tokens that every row has.
    fn room_beside(&self, fixed: usize, room: usize) -> Result<usize, Error> {
        let left = room.saturating_sub(fixed);
        if left <= self.limits.overlap || left == 0 {
            return Err(Error::MaxLengthExceeded(format!(
                "The part of the input that every window repeats has {fixed} tokens; a row has room for {room}"
            )));
        }
        Ok(left)
    }

    fn over_limit(&self) -> Error {
        match self.limits.overflow {
            Overflow::Window => Error::ScanBudgetExceeded(format!(
                "The input has more than {} tokens, none of which was read; shorten it, or raise max_tokens",
                self.limits.scan_tokens
            )),
            Overflow::Reject | Overflow::Truncate => too_long(self.limits.row_tokens),
        }
    }
}

/// The windows over `tokens` tokens: each but the last has `room` of them and shares `overlap` with the next.
pub fn windows(tokens: usize, room: usize, overlap: usize) -> Vec<Range<usize>> {
    let step = room.saturating_sub(overlap).max(1);
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + room).min(tokens);
        found.push(start..end);
        if end >= tokens {
            return found;
        }
        start += step;
    }
}

/// How many tokens of each text of a pair are kept: the longer one gives way first, as the tokenizers library has it.
fn longest_first(one: usize, other: usize, room: usize) -> (usize, usize) {
    if one + other <= room {
        return (one, other);
    }
    let (short, long) = (one.min(other), one.max(other));
    let (short, long) = if 2 * short <= room { (short, room - short) } else { (room / 2, room.div_ceil(2).min(long)) };
    if one <= other { (short, long) } else { (long, short) }
}

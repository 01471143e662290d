//! Two texts in one row.

use std::borrow::Cow;
use std::ops::Range;

use super::read::{ReadRows, Reading};
use crate::error::Error;
use crate::families::ReadInput;
use crate::tokens::{Overflow, TextTokens};

impl Reading<'_> {
    /// Reads two texts as one row; windows go over the second.
    pub fn pair(&self, first: &str, second: &str) -> Result<ReadRows, Error> {
        self.behind(&self.first(first)?, second)
    }

    /// Reads the first text of pairs.
    pub fn first(&self, first: &str) -> Result<TextTokens, Error> {
        let frame = self.pair_template()?;
        let scan = self.scan_room(frame.special_tokens(), self.room_of_pair(frame)?);
        self.refuse_surely_longer(&[first], scan)?;
        self.reader.tokens(first, scan)
    }

    /// Reads a text behind the first one, as one row; windows go over this one.
    pub fn behind(&self, one: &TextTokens, second: &str) -> Result<ReadRows, Error> {
        let frame = self.pair_template()?;
        let room = self.room_of_pair(frame)?;
        let scan = self.scan_room(frame.special_tokens(), room);
        self.refuse_surely_longer(&[second], scan)?;
        let other = self.reader.tokens(second, scan)?;
        let total = one.ids.len() + other.ids.len();
        if total > scan && self.limits.overflow != Overflow::Truncate {
            return Err(self.over_limit());
        }
        let mut input = ReadInput {
            tokens: total + frame.special_tokens(),
            special_tokens: frame.special_tokens(),
            unknown_tokens: self.reader.unknown_tokens(&one.ids) + self.reader.unknown_tokens(&other.ids),
            processed_tokens: 0,
            truncated: false,
            is_lower_bound: one.has_more || other.has_more,
            windows: 1,
        };
        if total > room && self.limits.overflow == Overflow::Window {
            let places = self.reader.placed_tokens(second, scan)?.places;
            let room = self.room_beside(one.ids.len(), room)?;
            let fixed = one.ids.len() + frame.special_tokens();
            let parts = self.windows(other.ids.len(), room, fixed)?.iter();
            let texts = |tokens: &Range<usize>| (Cow::Borrowed(&*one.ids), &other.ids[tokens.clone()]);
            return self.pair_rows(parts, texts, places, input);
        }
        let (kept_one, kept_other) = longest_first(one.ids.len(), other.ids.len(), room);
        input.truncated = kept_one + kept_other < total;
        let texts = |kept: &Range<usize>| (Cow::Borrowed(&one.ids[..kept_one]), &other.ids[kept.clone()]);
        self.pair_rows(std::iter::once(0..kept_other), texts, Vec::new(), input)
    }
}

/// How many tokens of each text of a pair are kept: the longer one gives way first, as the tokenizers library has it.
/// Two texts that are both longer than the row count as equally long, so that neither has to be read on.
fn longest_first(one: usize, other: usize, room: usize) -> (usize, usize) {
    if one + other <= room {
        return (one, other);
    }
    let (one, other) = (one.min(room + 1), other.min(room + 1));
    let (short, long) = (one.min(other), one.max(other));
    let (short, long) = if 2 * short <= room { (short, room - short) } else { (room / 2, room.div_ceil(2).min(long)) };
    if one <= other { (short, long) } else { (long, short) }
}

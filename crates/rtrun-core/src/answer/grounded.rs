//! An answer that is checked against its context.

use std::borrow::Cow;
use std::ops::Range;

use super::read::{ReadRows, Reading};
use crate::error::Error;
use crate::families::ReadInput;
use crate::tokens::Overflow;

impl Reading<'_> {
    /// Reads an answer behind its context; windows go over the context, and every row has the whole answer.
    pub fn grounded(&self, prompt: &str, context: &str, question: &str, answer: &str) -> Result<ReadRows, Error> {
        let frame = self.pair_template()?;
        let room = self.room_of_pair(frame)?;
        let scan = self.scan_room(frame.special_tokens(), room);
        let (before, after) = prompt.split_once("{context}").unwrap_or((prompt, ""));
        let [before, after] = [before, after].map(|part| part.replace("{question}", question));
        let read = [before.as_str(), context, &after].concat();
        self.refuse_surely_longer(&[&read, answer], scan)?;
        let whole = self.reader.tokens(&read, scan)?;
        let checked = self.reader.placed_tokens(answer, scan)?;
        let total = whole.ids.len() + checked.ids.len();
        if total > scan && self.limits.overflow != Overflow::Truncate {
            return Err(self.over_limit());
        }
        let context_room = if total > room { self.room_beside(checked.ids.len(), room)? } else { room };
        let input = ReadInput {
            tokens: total + frame.special_tokens(),
            special_tokens: frame.special_tokens(),
            unknown_tokens: self.reader.unknown_tokens(&whole.ids) + self.reader.unknown_tokens(&checked.ids),
            processed_tokens: 0,
            truncated: total > scan,
            is_lower_bound: whole.has_more || checked.has_more,
            windows: 1,
        };
        let answer_tokens = 0..checked.ids.len();
        let mut rows = if total <= room || self.limits.overflow == Overflow::Truncate {
            let kept = &whole.ids[..whole.ids.len().min(context_room)];
            self.pair_rows(std::iter::once(answer_tokens), |_| (Cow::Borrowed(kept), &checked.ids), Vec::new(), input)?
        } else {
            let places = self.reader.placed_tokens(&read, scan)?.places;
            // The tokens that hold anything of the context; the others stand in every window.
            let from = places.partition_point(|place| place.end as usize <= before.len());
            let to = places.partition_point(|place| (place.start as usize) < before.len() + context.len()).max(from);
            let (head, tail) = (&whole.ids[..from], &whole.ids[to..]);
            let window_room = self.room_beside(head.len() + tail.len(), context_room)?;
            let fixed = head.len() + tail.len() + checked.ids.len() + frame.special_tokens();
            let windows = self.windows(to - from, window_room, fixed)?.iter();
            let texts = |tokens: &Range<usize>| {
                let part = &whole.ids[from + tokens.start..from + tokens.end];
                (Cow::Owned([head, part, tail].concat()), checked.ids.as_slice())
            };
            self.pair_rows(windows, texts, Vec::new(), input)?
        };
        for part in &mut rows.parts {
            part.tokens = 0..checked.ids.len();
        }
        rows.places = checked.places;
        Ok(rows)
    }
}

//! Texts of users without the tokens that mean something to a layout.

use std::borrow::Cow;

use crate::tokens::Place;

/// A text in which every reserved token is one space, and the way back to its own bytes.
#[derive(Debug)]
pub struct UserText<'t> {
    /// What is tokenized.
    pub text: Cow<'t, str>,
    spaces: Vec<Space>,
}

/// A space that stands for a longer token.
#[derive(Debug, Clone, Copy)]
struct Space {
    /// Where it is.
    at: usize,
    /// Bytes that the text has lost up to here.
    lost: usize,
}

impl<'t> UserText<'t> {
    /// Replaces the reserved tokens. Takes time in proportion to the text, whatever is in it.
    pub fn new(text: &'t str, reserved: &[String]) -> Self {
        let of = |token: &'t str, at: usize| at..at + token.len();
        let mut found: Vec<_> = reserved
            .iter()
            .filter(|token| !token.is_empty())
            .flat_map(|token| text.match_indices(token.as_str()).map(|(at, token)| of(token, at)))
            .collect();
        if found.is_empty() {
            return Self { text: Cow::Borrowed(text), spaces: Vec::new() };
        }
        // Of two tokens that begin at one place, the longer one counts.
        found.sort_by_key(|found| (found.start, usize::MAX - found.end));
        let mut cleaned = String::with_capacity(text.len());
        let mut spaces: Vec<Space> = Vec::new();
        let (mut read, mut lost) = (0, 0);
        for token in found {
            if token.start < read {
                continue;
            }
            cleaned.push_str(&text[read..token.start]);
            lost += token.len() - 1;
            spaces.push(Space { at: cleaned.len(), lost });
            cleaned.push(' ');
            read = token.end;
        }
        cleaned.push_str(&text[read..]);
        Self { text: Cow::Owned(cleaned), spaces }
    }

    /// The place of a token in the text that the user gave.
    pub fn original(&self, place: Place) -> Place {
        let (start, end) = (place.start as usize, place.end as usize);
        // A token may begin with the space that stands for a reserved one; its own text begins behind.
        let is_space = self.spaces.binary_search_by_key(&start, |space| space.at).is_ok();
        let start = (start + usize::from(is_space)).min(end);
        Place { start: self.shifted(start), end: self.shifted(end), word: place.word }
    }

    fn shifted(&self, at: usize) -> u32 {
        let before = self.spaces.partition_point(|space| space.at < at);
        let lost = before.checked_sub(1).map_or(0, |last| self.spaces[last].lost);
        u32::try_from(at + lost).unwrap_or(u32::MAX)
    }
}

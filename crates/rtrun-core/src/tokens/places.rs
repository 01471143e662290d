//! Where the tokens of a text stand.

use super::boundary::{is_ideograph, is_punctuation};
use super::prefix::Prefix;

/// Where a token stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// First byte.
    pub start: u32,
    /// One more than the last byte.
    pub end: u32,
    /// The word it is a part of, counted from 0; tokens of equal numbers belong together.
    pub word: u32,
}

/// The places of tokens, given by their first byte in the beginning of a text and one more than their last. Words are told
/// from the text, because what a tokenizer looks up as one may be a word with its punctuation or a whole text: white space,
/// punctuation, symbols and ideographs stand alone.
pub fn places(offsets: &[(usize, usize)], prefix: &Prefix, text: &str) -> Vec<Place> {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let mut places: Vec<Place> = Vec::with_capacity(offsets.len());
    for (start, end) in offsets {
        let (start, end) = (prefix.original(*start), prefix.original(*end));
        let word = match places.last() {
            None => 0,
            Some(last) if goes_on(text, *last, start) => last.word,
            Some(last) => last.word + 1,
        };
        places.push(Place { start: number(start), end: number(end), word });
    }
    places
}

/// Whether a token that starts at `start` continues the word of the one before it.
fn goes_on(text: &str, last: Place, start: usize) -> bool {
    let end = last.end as usize;
    if start < end || (last.start as usize == start && start == end) {
        // Both have a part of one character.
        return true;
    }
    let (Some(before), Some(between), Some(after)) = (text.get(..end), text.get(end..start), text.get(start..)) else {
        return false;
    };
    // What a normalization drops, such as accents, is inside of its word.
    let around = before.chars().next_back().into_iter().chain(between.chars()).chain(after.chars().next());
    !before.is_empty() && !after.is_empty() && !around.into_iter().any(stands_alone)
}

/// Whether a character is no part of a longer word.
fn stands_alone(char: char) -> bool {
    char.is_whitespace() || is_punctuation(char) || is_ideograph(char) || is_symbol(char)
}

fn is_symbol(char: char) -> bool {
    use unicode_categories::UnicodeCategories;
    char.is_symbol()
}

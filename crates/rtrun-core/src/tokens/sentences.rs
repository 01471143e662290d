//! Where sentences and lines of a text begin, told by the few characters before.

use super::places::Place;

/// White space before a token that is looked at. More of it is as good as a line.
const MOST_SPACE: usize = 8;

/// Quotes and brackets that may close behind the end of a sentence.
const MOST_CLOSING: usize = 3;

/// A full stop behind a shorter word may be that of an abbreviation or an initial, which a name follows.
const LEAST_WORD: usize = 5;

/// Whether a sentence or a line begins with the token at a place. Some sentences are not told: none begins here in the
/// middle of a name such as "St. Gallen".
pub fn begins(text: &str, place: Place) -> bool {
    let (start, end) = (place.start as usize, place.end as usize);
    let (Some(before), Some(token)) = (text.get(..start), text.get(start..end)) else { return false };
    // Tokens of bytes have the space before their word.
    let own = token.chars().take_while(|char| char.is_whitespace());
    let behind = before.chars().rev().take_while(|char| char.is_whitespace());
    let space: Vec<char> = own.chain(behind).take(MOST_SPACE).collect();
    if space.len() == MOST_SPACE || space.contains(&'\n') {
        return true;
    }
    let mut solid = before.trim_end_matches(char::is_whitespace).chars().rev();
    let closing = |char: &char| matches!(char, '"' | '\'' | ')' | ']' | '”' | '’' | '»');
    match solid.by_ref().take(MOST_CLOSING + 1).find(|char| !closing(char)) {
        Some('。' | '！' | '？') => true,
        Some('!' | '?' | '…') => !space.is_empty(),
        Some('.') => {
            !space.is_empty() && solid.take(LEAST_WORD).filter(|char| char.is_alphanumeric()).count() == LEAST_WORD
        }
        _ => false,
    }
}

//! Tokens word by word, each word looked up only once. For the tokenizers whose words do not influence each other this
//! gives the tokens of the whole text 7 to 15 times faster (128 tokens: 8 µs instead of 120).

use tokenizers::Tokenizer;

use super::boundary::{CutKind, cut_kind};
use super::kept_words::KeptWords;

/// What the words of a text are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// What stands between white space, and every punctuation character.
    Bert,
    /// What stands between cuts of the kind [`CutKind::Space`] at plain spaces, each with its space.
    Spaced,
}

/// The tokens of words that were met.
#[derive(Debug)]
pub struct WordMemo {
    words: Words,
    kept: KeptWords,
    added_tokens: Vec<String>,
}

/// A token with its first byte in its word and one more than its last.
#[derive(Debug, Clone, Copy)]
pub struct WordToken {
    id: u32,
    start: u32,
    end: u32,
}

/// The tokens of a text without special ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SpannedTokens {
    /// Their ids.
    pub ids: Vec<u32>,
    /// Of each its first byte and one more than its last.
    pub offsets: Vec<(usize, usize)>,
}

/// Longer words are rarely met again.
const MAX_WORD_BYTES: usize = 48;

impl WordMemo {
    /// A memo for a tokenizer with these added tokens, which are matched across words.
    pub fn new(words: Words, added_tokens: Vec<String>) -> Self {
        Self { words, kept: KeptWords::default(), added_tokens }
    }

    /// The tokens of a text, `read` giving those of a word that is not kept; `None` if it has to be read as a whole.
    pub fn tokens(&self, text: &str, read: impl Fn(&str) -> Option<Box<[WordToken]>>) -> Option<SpannedTokens> {
        if self.added_tokens.iter().any(|token| text.contains(token.as_str())) {
            return None;
        }
        let expected = text.len() / 4 + 8;
        let mut tokens = SpannedTokens { ids: Vec::with_capacity(expected), offsets: Vec::with_capacity(expected) };
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = match self.words {
                Words::Bert => first_of_bert(rest),
                Words::Spaced => first_spaced(rest),
            };
            rest = after;
            let from = text.len() - rest.len() - word.len();
            if self.kept.take(word, |kept| tokens.extend(from, kept)) {
                continue;
            }
            let found = read(word)?;
            tokens.extend(from, &found);
            if word.len() <= MAX_WORD_BYTES {
                self.kept.keep(word, found);
            }
        }
        Some(tokens)
    }
}

impl SpannedTokens {
    /// Takes the tokens of a word that begins at the byte `from`.
    fn extend(&mut self, from: usize, word: &[WordToken]) {
        self.ids.extend(word.iter().map(|token| token.id));
        self.offsets.extend(word.iter().map(|token| (from + token.start as usize, from + token.end as usize)));
    }
}

/// The tokens of a word as the tokenizer gives them.
pub fn word_tokens(tokenizer: &Tokenizer, word: &str) -> Option<Box<[WordToken]>> {
    let encoding = tokenizer.encode(word, false).ok()?;
    let token = |(id, (start, end)): (&u32, &(usize, usize))| {
        let [start, end] = [*start, *end].map(|byte| u32::try_from(byte).ok());
        Some(WordToken { id: *id, start: start?, end: end? })
    };
    encoding.get_ids().iter().zip(encoding.get_offsets()).map(token).collect()
}

/// The first word of a text with at least one character, in the way of [`Words::Spaced`], and the rest.
fn first_spaced(text: &str) -> (&str, &str) {
    let mut from = 1;
    while let Some(found) = text.as_bytes().get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b' ')) {
        let at = from + found;
        let before = text[..at].chars().next_back();
        if before.is_some_and(|before| cut_kind(before, ' ') == Some(CutKind::Space)) {
            return text.split_at(at);
        }
        from = at + 1;
    }
    (text, "")
}

/// The first word of a text in the way of [`Words::Bert`], without the white space before it, and the rest. Words are
/// split at ASCII white space and around every ASCII punctuation character, where BERT splits whatever stands there.
fn first_of_bert(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let is_end = |byte: &u8| byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let end = match text.as_bytes() {
        [first, ..] if first.is_ascii_punctuation() => 1,
        bytes => bytes.iter().position(is_end).unwrap_or(bytes.len()),
    };
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::cell::RefCell;

    use super::{WordMemo, WordToken, Words};
    use crate::tokens::kept_words::MAX_WORDS;

    fn memo() -> WordMemo {
        WordMemo::new(Words::Bert, Vec::new())
    }

    /// One token for a word, whatever it is.
    #[allow(clippy::unnecessary_wraps, reason = "a word may have none")]
    fn one_token(word: &str) -> Option<Box<[WordToken]>> {
        let end = u32::try_from(word.len()).unwrap();
        Some(Box::new([WordToken { id: end, start: 0, end }]))
    }

    #[test]
    fn a_new_word_takes_the_place_of_the_one_that_was_not_met_for_the_longest_time() {
        let memo = memo();
        let read = RefCell::new(Vec::new());
        let read_word = |word: &str| {
            read.borrow_mut().push(word.to_owned());
            one_token(word)
        };
        let batch = 1024;
        for first in (0..2 * MAX_WORDS).step_by(batch) {
            let others: Vec<String> = (first..first + batch).map(|word| format!("w{word}")).collect();
            memo.tokens(&format!("often {}", others.join(" ")), read_word).unwrap();
        }
        assert_eq!(read.borrow().iter().filter(|word| *word == "often").count(), 1);
        read.borrow_mut().clear();
        memo.tokens("new often", read_word);
        memo.tokens("new often w0", read_word);
        assert_eq!(read.into_inner(), ["new", "w0"]);
    }

    #[test]
    fn no_lock_is_held_while_a_word_is_tokenized() {
        let memo = memo();
        let tokens = memo.tokens("some new words, and some old words", |word| {
            assert!(memo.kept.is_free(), "a lock is held while {word:?} is tokenized");
            one_token(word)
        });
        assert_eq!(tokens.unwrap().ids, [4, 3, 5, 1, 3, 4, 3, 5]);
    }
}

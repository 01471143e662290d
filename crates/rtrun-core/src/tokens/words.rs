//! Tokens word by word, each word looked up only once. For the tokenizers whose words do not influence each other this
//! gives the tokens of the whole text 7 to 15 times faster (128 tokens: 8 µs instead of 120).

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokenizers::Tokenizer;

use super::boundary::{CutKind, cut_kind};

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
    tokens: RwLock<HashMap<Box<str>, Box<[WordToken]>>>,
    added_tokens: Vec<String>,
}

/// A token with its first byte in its word and one more than its last.
#[derive(Debug, Clone, Copy)]
struct WordToken {
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

/// Words are kept up to this number, which bounds the memory to a few megabytes.
const MAX_WORDS: usize = 65_536;

/// Longer words are rarely met again.
const MAX_WORD_BYTES: usize = 48;

impl WordMemo {
    /// A memo for a tokenizer with these added tokens, which are matched across words.
    pub fn new(words: Words, added_tokens: Vec<String>) -> Self {
        Self { words, tokens: RwLock::default(), added_tokens }
    }

    /// The tokens of a text; `None` if it has to be read as a whole.
    pub fn tokens(&self, tokenizer: &Tokenizer, text: &str) -> Option<SpannedTokens> {
        if self.added_tokens.iter().any(|token| text.contains(token.as_str())) {
            return None;
        }
        let expected = text.len() / 4 + 8;
        let mut tokens = SpannedTokens { ids: Vec::with_capacity(expected), offsets: Vec::with_capacity(expected) };
        let mut new = Vec::new();
        let known = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = match self.words {
                Words::Bert => first_of_bert(rest),
                Words::Spaced => first_spaced(rest),
            };
            rest = after;
            let from = text.len() - rest.len() - word.len();
            if let Some(kept) = known.get(word) {
                tokens.extend(from, kept);
                continue;
            }
            let read = word_tokens(tokenizer, word)?;
            tokens.extend(from, &read);
            if word.len() <= MAX_WORD_BYTES {
                new.push((Box::from(word), read));
            }
        }
        let has_room = known.len() + new.len() <= MAX_WORDS;
        drop(known);
        if has_room && !new.is_empty() {
            self.tokens.write().unwrap_or_else(PoisonError::into_inner).extend(new);
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

fn word_tokens(tokenizer: &Tokenizer, word: &str) -> Option<Box<[WordToken]>> {
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

//! Tokens word by word, each word looked up only once. For the tokenizers whose words do not influence each other this
//! gives the ids of the whole text 7 to 15 times faster (128 tokens: 8 µs instead of 120).

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

/// The ids of words that were met.
#[derive(Debug)]
pub struct WordMemo {
    words: Words,
    ids: RwLock<HashMap<Box<str>, Box<[u32]>>>,
    added_tokens: Vec<String>,
}

/// Words are kept up to this number, which bounds the memory to a few megabytes.
const MAX_WORDS: usize = 65_536;

/// Longer words are rarely met again.
const MAX_WORD_BYTES: usize = 48;

impl WordMemo {
    /// A memo for a tokenizer with these added tokens, which are matched across words.
    pub fn new(words: Words, added_tokens: Vec<String>) -> Self {
        Self { words, ids: RwLock::default(), added_tokens }
    }

    /// The ids of a text without special tokens; `None` if it has to be read as a whole.
    pub fn ids(&self, tokenizer: &Tokenizer, text: &str) -> Option<Vec<u32>> {
        if self.added_tokens.iter().any(|token| text.contains(token.as_str())) {
            return None;
        }
        let mut ids = Vec::with_capacity(text.len() / 4 + 8);
        let mut new = Vec::new();
        let known = self.ids.read().unwrap_or_else(PoisonError::into_inner);
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = match self.words {
                Words::Bert => first_of_bert(rest),
                Words::Spaced => first_spaced(rest),
            };
            rest = after;
            if let Some(kept) = known.get(word) {
                ids.extend_from_slice(kept);
                continue;
            }
            let encoding = tokenizer.encode_fast(word, false).ok()?;
            ids.extend_from_slice(encoding.get_ids());
            if word.len() <= MAX_WORD_BYTES {
                new.push((Box::from(word), Box::from(encoding.get_ids())));
            }
        }
        let has_room = known.len() + new.len() <= MAX_WORDS;
        drop(known);
        if has_room && !new.is_empty() {
            self.ids.write().unwrap_or_else(PoisonError::into_inner).extend(new);
        }
        Some(ids)
    }
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

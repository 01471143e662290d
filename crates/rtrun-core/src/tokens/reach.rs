//! The longest stretch of a text that one token covers, which tells a text that is too long without tokenizing it.

use serde_json::Value;
use tokenizers::{Model, ModelWrapper, Tokenizer};

use super::added::AddedTokens;
use super::normal::{Normalization, normalization};
use super::pieces::{Search, parts, piece_bytes, search, writes_bytes};

/// How much of a text one token covers at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    length: usize,
    unit: Unit,
    /// Tokens that also cover the white space beside them, however long; a text with one of them is not told.
    unbounded: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Characters,
}

/// Four characters, or four bytes for one, is the most that composition (NFC) makes one of.
const COMPOSED: usize = 4;

impl Reach {
    /// That of a tokenizer; `None` where characters may vanish or fold, or where a token of no fixed length stands for
    /// what is unknown.
    pub fn of(tokenizer: &Tokenizer, added: &AddedTokens) -> Option<Self> {
        let factor = match normalization(tokenizer).0 {
            Normalization::Keeps => 1,
            Normalization::Composes => COMPOSED,
            Normalization::Folds | Normalization::Unknown => return None,
        };
        let pre_tokenizer = serde_json::to_value(tokenizer.get_pre_tokenizer()).unwrap_or_default();
        if !parts(&pre_tokenizer).iter().all(|part| keeps_all(part)) || added.has_folded_stripping() {
            return None;
        }
        let is_bytes = writes_bytes(tokenizer);
        let pieces = if is_bytes { byte_pieces(tokenizer)? } else { character_pieces(tokenizer)? };
        let unit = if is_bytes { Unit::Bytes } else { Unit::Characters };
        let length = |text: &str| if is_bytes { text.len() } else { text.chars().count() };
        let longest = added.contents().map(length).max().unwrap_or(0).max(pieces) * factor;
        (longest > 0).then(|| Self { length: longest, unit, unbounded: added.stripping().map(str::to_owned).collect() })
    }

    /// Whether a text surely has more than `tokens` tokens.
    pub fn is_exceeded(&self, text: &str, tokens: usize) -> bool {
        let most = self.length.saturating_mul(tokens);
        let is_longer = match self.unit {
            Unit::Bytes => text.len() > most,
            Unit::Characters => text.len() > most && text.chars().count() > most,
        };
        is_longer && !self.unbounded.iter().any(|token| text.contains(token.as_str()))
    }
}

/// Whether a pre-tokenizer keeps every character in some word.
fn keeps_all(part: &Value) -> bool {
    match part["type"].as_str() {
        None => part.is_null(),
        Some("ByteLevel" | "Metaspace" | "Digits" | "UnicodeScripts") => true,
        Some("Split" | "Punctuation") => part["behavior"] != "Removed",
        _ => false,
    }
}

/// The length in bytes of the longest piece, if every byte is a piece.
fn byte_pieces(tokenizer: &Tokenizer) -> Option<usize> {
    let ModelWrapper::BPE(model) = tokenizer.get_model() else { return None };
    let pieces: Vec<Vec<u8>> = model.get_vocab().keys().filter_map(|piece| piece_bytes(piece)).collect();
    let single = pieces.iter().filter(|piece| piece.len() == 1).count();
    (search(tokenizer) == Search::Merges && single == 256).then(|| pieces.iter().map(Vec::len).max())?
}

/// The length in characters of the longest piece, if what is unknown has a token for each of its bytes.
fn character_pieces(tokenizer: &Tokenizer) -> Option<usize> {
    let has_bytes = || (0..=255_u8).all(|byte| tokenizer.get_model().token_to_id(&format!("<0x{byte:02X}>")).is_some());
    let longest = |piece: &str| piece.chars().count();
    match tokenizer.get_model() {
        ModelWrapper::BPE(model) if search(tokenizer) == Search::Merges && model.byte_fallback && has_bytes() => {
            model.get_vocab().keys().map(|piece| longest(piece)).max()
        }
        ModelWrapper::Unigram(model)
            if search(tokenizer) == Search::BestSum && model.byte_fallback() && has_bytes() =>
        {
            model.iter().map(|(piece, _)| longest(piece)).max()
        }
        _ => None,
    }
}

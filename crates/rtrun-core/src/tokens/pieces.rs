//! What the pieces of a vocabulary may cover: where no piece stands on both sides of a cut, the cut changes nothing.

use serde_json::Value;
use tokenizers::{ModelWrapper, Tokenizer};

use super::boundary::{CUT_KINDS, CutKind, cut_kind};
use super::normal::{Normalization, normalization};

/// How a model finds the pieces of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// By looking up the whole word; what stands behind a cut inside of it may change all.
    WholeWord,
    /// By merges from left to right: what stands far behind a piece does not change it.
    Merges,
    /// By the best sum: a piece depends on everything that no boundary separates from it.
    BestSum,
    /// Not the same every time.
    Random,
}

/// How the model of a tokenizer finds pieces.
pub fn search(tokenizer: &Tokenizer) -> Search {
    let is_set = |affix: &Option<String>| affix.as_ref().is_some_and(|affix| !affix.is_empty());
    match tokenizer.get_model() {
        ModelWrapper::BPE(model) if model.dropout.is_some_and(|share| share > 0.0) => Search::Random,
        ModelWrapper::BPE(model) if is_set(&model.continuing_subword_prefix) || is_set(&model.end_of_word_suffix) => {
            Search::WholeWord
        }
        ModelWrapper::BPE(_) => Search::Merges,
        ModelWrapper::Unigram(model) if model.alpha.is_some_and(|alpha| alpha > 0.0) => Search::Random,
        ModelWrapper::Unigram(_) => Search::BestSum,
        ModelWrapper::WordPiece(_) | ModelWrapper::WordLevel(_) => Search::WholeWord,
    }
}

/// The cut kinds that a piece, or something that the normalizer replaces as a whole, may span. A run is always one.
pub fn spanned(tokenizer: &Tokenizer) -> [bool; CUT_KINDS.len()] {
    let (normalization, replaced) = normalization(tokenizer);
    let search = search(tokenizer);
    let mut spanned = Spanned::default();
    if normalization == Normalization::Unknown || matches!(search, Search::WholeWord | Search::Random) {
        spanned.0 = [true; CUT_KINDS.len()];
    } else {
        spanned.mark_vocabulary(tokenizer);
    }
    if normalization == Normalization::Folds {
        spanned.join_what_folds();
    }
    if !matches!(normalization, Normalization::Unknown) && search != Search::Random {
        let pre_tokenizer = serde_json::to_value(tokenizer.get_pre_tokenizer()).unwrap_or_default();
        let splits_ideographs = splits_ideographs(tokenizer) && has_part(&pre_tokenizer, "BertPreTokenizer");
        for kind in CUT_KINDS {
            let is_split = splits_at(&pre_tokenizer, kind) || (kind == CutKind::Ideograph && splits_ideographs);
            spanned.0[kind as usize] &= !is_split;
        }
    }
    for text in &replaced {
        spanned.mark_text(text.chars());
    }
    spanned.mark(CutKind::Run);
    spanned.0
}

/// Whether text is looked up as bytes, each written as a visible character.
pub fn writes_bytes(tokenizer: &Tokenizer) -> bool {
    let part = |json: serde_json::Result<Value>| json.is_ok_and(|json| has_part(&json, "ByteLevel"));
    part(serde_json::to_value(tokenizer.get_pre_tokenizer())) || part(serde_json::to_value(tokenizer.get_normalizer()))
}

/// The parts of a pre-tokenizer, one after the other.
pub fn parts(json: &Value) -> Vec<&Value> {
    let inner = json["pretokenizers"].as_array().or_else(|| json["normalizers"].as_array());
    inner.map_or_else(|| vec![json], |inner| inner.iter().flat_map(parts).collect())
}

fn has_part(json: &Value, name: &str) -> bool {
    parts(json).iter().any(|part| part["type"] == name)
}

/// Whether a pre-tokenizer splits at every cut of a kind, whatever stands there.
fn splits_at(pre_tokenizer: &Value, kind: CutKind) -> bool {
    use CutKind::{MorePunctuation, MoreSpace, Punctuation, Space};
    parts(pre_tokenizer).iter().any(|part| match part["type"].as_str() {
        Some("BertPreTokenizer") => matches!(kind, Space | MoreSpace | Punctuation | MorePunctuation),
        Some("Whitespace" | "WhitespaceSplit") => matches!(kind, Space | MoreSpace),
        Some("ByteLevel") => kind == Space && part["use_regex"] != false,
        _ => false,
    })
}

/// Whether the normalizer puts spaces around ideographs.
fn splits_ideographs(tokenizer: &Tokenizer) -> bool {
    let json = serde_json::to_value(tokenizer.get_normalizer()).unwrap_or_default();
    parts(&json).iter().any(|part| part["type"] == "BertNormalizer" && part["handle_chinese_chars"] == true)
}

/// The kinds that were found spanned.
#[derive(Default)]
struct Spanned([bool; CUT_KINDS.len()]);

impl Spanned {
    fn mark(&mut self, kind: CutKind) {
        self.0[kind as usize] = true;
    }

    fn mark_vocabulary(&mut self, tokenizer: &Tokenizer) {
        let is_bytes = writes_bytes(tokenizer);
        let pre_tokenizer = serde_json::to_value(tokenizer.get_pre_tokenizer()).unwrap_or_default();
        let splits_at_mark =
            parts(&pre_tokenizer).iter().any(|part| part["type"] == "Metaspace" && part["split"] != false);
        match tokenizer.get_model() {
            ModelWrapper::BPE(model) => {
                for piece in model.get_vocab().keys() {
                    self.mark_piece(piece, is_bytes, splits_at_mark);
                }
                if model.ignore_merges {
                    // A word of the vocabulary is taken whole even where merges lead elsewhere, so a cut inside of a
                    // word may change its beginning.
                    self.0 = [true; CUT_KINDS.len()];
                }
            }
            ModelWrapper::Unigram(model) => {
                for (piece, _) in model.iter() {
                    self.mark_piece(piece, is_bytes, splits_at_mark);
                }
            }
            ModelWrapper::WordPiece(_) | ModelWrapper::WordLevel(_) => self.0 = [true; CUT_KINDS.len()],
        }
    }

    fn mark_piece(&mut self, piece: &str, is_bytes: bool, splits_at_mark: bool) {
        if let Some(bytes) = is_bytes.then(|| piece_bytes(piece)).flatten() {
            self.mark_bytes(&bytes);
        } else if !piece.contains(SPACE_MARK) {
            self.mark_text(piece.chars());
        } else if splits_at_mark {
            // The mark begins a word, so no piece has it further inside.
            let words = piece.split_inclusive(SPACE_MARK);
            words.for_each(|word| self.mark_text(word.trim_end_matches(SPACE_MARK).chars()));
            let mut first = piece.chars();
            if let (Some(SPACE_MARK), Some(after)) = (first.next(), first.next().filter(|after| *after != SPACE_MARK)) {
                self.mark_pair(' ', after);
            }
        } else {
            // The mark stands for a space, and for itself where a text has it.
            self.mark_text(piece.chars());
            self.mark_text(piece.chars().map(space_of_mark));
        }
    }

    fn mark_text(&mut self, chars: impl Iterator<Item = char> + Clone) {
        for (before, after) in chars.clone().zip(chars.skip(1)) {
            self.mark_pair(before, after);
        }
    }

    fn mark_pair(&mut self, before: char, after: char) {
        // Most pairs are two letters; their kind is a run.
        if before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric() {
            return;
        }
        if let Some(kind) = cut_kind(before, after) {
            self.mark(kind);
        }
    }

    /// A piece of bytes may hold parts of characters; those are taken for every character that they may belong to.
    fn mark_bytes(&mut self, bytes: &[u8]) {
        let mut before: Option<Vec<char>> = None;
        for chunk in bytes.utf8_chunks() {
            let whole = chunk.valid().chars().map(|char| vec![char]);
            let part = (!chunk.invalid().is_empty()).then(|| possible_characters(chunk.invalid()));
            for after in whole.chain(part) {
                if after.is_empty() {
                    // The bytes continue a character, so no cut is in front of them.
                    before = Some(SAMPLES.to_vec());
                    continue;
                }
                for one in before.iter().flatten() {
                    for other in &after {
                        self.mark_pair(*one, *other);
                    }
                }
                before = Some(after);
            }
        }
    }

    /// Characters that fold may stand on the other side of a finer distinction after it.
    fn join_what_folds(&mut self) {
        use CutKind::{MorePunctuation, MoreSpace, Punctuation, Space, Symbol};
        for [one, other] in [[Space, MoreSpace], [Punctuation, MorePunctuation]] {
            let is_spanned = self.0[one as usize] || self.0[other as usize];
            self.0[one as usize] = is_spanned;
            self.0[other as usize] = is_spanned;
        }
        // "™" becomes "TM", and "´" a space with an accent.
        self.mark(Symbol);
    }
}

/// What sentence-piece vocabularies write for a space.
const SPACE_MARK: char = '▁';

fn space_of_mark(char: char) -> char {
    if char == SPACE_MARK { ' ' } else { char }
}

/// A character of every class that is longer than one byte.
const SAMPLES: [char; 5] = ['é', '\u{3000}', '。', '€', '中'];

/// The characters that begin with these bytes, or some of every class; none if the bytes continue a character.
fn possible_characters(bytes: &[u8]) -> Vec<char> {
    match bytes {
        [0x80..=0xbf, ..] => Vec::new(),
        [lead @ 0xc2..=0xdf, ..] => {
            let first = u32::from(lead & 0x1f) << 6;
            (first..first + 64).filter_map(char::from_u32).collect()
        }
        _ => SAMPLES.to_vec(),
    }
}

/// The bytes of a piece of a byte-level vocabulary; `None` if it is no such piece.
pub fn piece_bytes(piece: &str) -> Option<Vec<u8>> {
    piece.chars().map(byte_of).collect()
}

/// Visible bytes stand for themselves; the others follow from U+0100 on, in order.
fn byte_of(char: char) -> Option<u8> {
    let is_visible = |byte: &u8| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    match u32::from(char) {
        code @ 0..=0xff => u8::try_from(code).ok().filter(is_visible),
        code => (0..=0xff).filter(|byte| !is_visible(byte)).nth(usize::try_from(code - 0x100).ok()?),
    }
}

//! The places where a text may be cut without changing the tokens before the cut.

use unicode_categories::UnicodeCategories;

/// What stands right behind a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    /// White space after a letter, a digit or punctuation.
    Space,
    /// White space after white space, or after what a normalization may turn into it or drop.
    MoreSpace,
    /// Punctuation after a letter, an ASCII digit or white space.
    Punctuation,
    /// Punctuation after punctuation, or after what a normalization may turn into it or drop.
    MorePunctuation,
    /// A symbol.
    Symbol,
    /// A Chinese, Japanese or Korean ideograph, or what follows one.
    Ideograph,
    /// A letter or digit inside a run without any boundary.
    Run,
}

/// Every kind, in the order of [`CutKind`].
pub const CUT_KINDS: [CutKind; 7] = [
    CutKind::Space,
    CutKind::MoreSpace,
    CutKind::Punctuation,
    CutKind::MorePunctuation,
    CutKind::Symbol,
    CutKind::Ideograph,
    CutKind::Run,
];

/// The kind of a cut between two characters, `None` where no tokenizer can be expected to split.
pub fn cut_kind(before: char, after: char) -> Option<CutKind> {
    if (before, after) == ('\r', '\n') || before == ZERO_WIDTH_JOINER {
        // Some normalizations read these as one.
        return None;
    }
    if is_space(after) {
        let is_first = is_plain(before) || (is_punctuation(before) && !is_overline(before));
        Some(if is_first { CutKind::Space } else { CutKind::MoreSpace })
    } else if is_punctuation(after) {
        let is_first = is_plain(before) || is_space(before);
        match (is_overline(after), is_first) {
            (true, _) => None,
            (_, true) => Some(CutKind::Punctuation),
            (_, false) => Some(CutKind::MorePunctuation),
        }
    } else if is_ideograph(after) || (is_ideograph(before) && follows_ideograph(after)) {
        Some(CutKind::Ideograph)
    } else if after.is_symbol() {
        Some(CutKind::Symbol)
    } else if is_solid(after) && is_solid(before) && !is_vowel_sign(after) {
        Some(CutKind::Run)
    } else {
        None
    }
}

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// White space that no tokenizer takes for a control character, as BERT does with some ASCII ones and with U+0085.
pub fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r') || (!char.is_ascii() && char.is_whitespace() && char != '\u{85}')
}

/// ASCII symbols count as punctuation, as BERT has it.
pub fn is_punctuation(char: char) -> bool {
    if char.is_ascii() { char.is_ascii_punctuation() } else { char.is_punctuation() }
}

/// A letter or digit that every normalization keeps, in some form, as part of a word.
pub fn is_solid(char: char) -> bool {
    if char.is_ascii() {
        char.is_ascii_alphanumeric()
    } else {
        (char.is_letter() || char.is_number()) && !is_ideograph(char)
    }
}

/// The blocks that BERT splits into single characters.
pub fn is_ideograph(char: char) -> bool {
    matches!(u32::from(char),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

/// What no normalization drops, or turns into something that ends with white space or punctuation.
fn is_plain(char: char) -> bool {
    // NFKC writes U+013F and U+0140 as a letter and a middle dot.
    char.is_ascii_alphanumeric() || (!char.is_ascii() && char.is_letter() && !matches!(char, '\u{13f}' | '\u{140}'))
}

/// Punctuation that NFKC writes as a space with a mark.
fn is_overline(char: char) -> bool {
    matches!(char, '\u{2017}' | '\u{203e}' | '\u{fe49}'..='\u{fe4c}')
}

/// Kana and Hangul syllables: letters that begin a new character under every normalization.
fn follows_ideograph(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(char, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{ac00}'..='\u{d7a3}')
}

/// Korean vowels and final consonants, which compose with the letter before them.
fn is_vowel_sign(char: char) -> bool {
    matches!(char, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

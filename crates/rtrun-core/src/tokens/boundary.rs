//! The places where a text may be cut without changing the tokens before the cut.

use unicode_categories::UnicodeCategories;

/// What stands right behind a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    /// White space after something else.
    Space,
    /// White space after white space.
    MoreSpace,
    /// Punctuation after something else.
    Punctuation,
    /// Punctuation after punctuation.
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
    if is_space(after) {
        Some(if is_space(before) { CutKind::MoreSpace } else { CutKind::Space })
    } else if is_punctuation(after) {
        Some(if is_punctuation(before) { CutKind::MorePunctuation } else { CutKind::Punctuation })
    } else if is_ideograph(after) || (is_ideograph(before) && is_solid(after)) {
        Some(CutKind::Ideograph)
    } else if after.is_symbol() {
        Some(CutKind::Symbol)
    } else if is_solid(after) && is_solid(before) {
        Some(CutKind::Run)
    } else {
        None
    }
}

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

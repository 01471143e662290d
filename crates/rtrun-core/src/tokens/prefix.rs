//! The shortest readable beginning of a text.

use std::borrow::Cow;

use super::added::AddedTokens;
use super::boundary::{CUT_KINDS, cut_kind, is_solid, is_space};

/// How far the tokens before a cut are those of the whole text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// They may all differ.
    #[default]
    Never,
    /// Those that end well before the cut are the same.
    Margin,
    /// All are the same.
    Exact,
}

/// How texts may be shortened for one tokenizer. Everything is off until the self-check has passed.
#[derive(Debug, Clone, Default)]
pub struct PrefixRules {
    /// What a cut of every kind leaves as it is, in the order of [`CUT_KINDS`].
    pub trust: [Trust; CUT_KINDS.len()],
    /// Words of more solid characters are one unknown token, so their rest need not be read, and repeated white space
    /// counts once.
    pub longest_word: Option<usize>,
    /// Tokens that are matched in the text before anything else; a cut must not change where they are found.
    pub added: AddedTokens,
}

/// A beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Prefix<'t> {
    /// What to tokenize.
    pub text: Cow<'t, str>,
    /// Bytes of the original text that it stands for.
    pub end: usize,
    /// Whether tokens near the end may still change.
    pub is_open: bool,
    /// Where bytes of the original are left out: the byte of `text` that stands behind them, and how many are left out
    /// up to there.
    left_out: Vec<(usize, usize)>,
}

impl Prefix<'_> {
    /// The byte of the original text for one of `text`.
    pub fn original(&self, byte: usize) -> usize {
        let found = self.left_out.partition_point(|(at, _)| *at <= byte);
        byte + found.checked_sub(1).map_or(0, |last| self.left_out[last].1)
    }
}

/// How far behind the wished length an exact cut is preferred to one that costs a margin.
const EXACT_SEARCH_BYTES: usize = 4096;

impl PrefixRules {
    /// The beginning of at least `length` bytes that ends at an allowed cut, or the whole text.
    pub fn prefix<'t>(&self, text: &'t str, length: usize) -> Prefix<'t> {
        let whole = Prefix { text: Cow::Borrowed(text), end: text.len(), is_open: false, left_out: Vec::new() };
        if text.len() <= length && self.longest_word.is_none() {
            return whole;
        }
        let mut short: Option<String> = None;
        let mut left_out: Vec<(usize, usize)> = Vec::new();
        let mut written = 0;
        let mut solid = 0;
        let mut before = '\0';
        let mut next_cut = 1;
        for (at, char) in text.char_indices() {
            if written >= length && at >= next_cut {
                let trust = cut_kind(before, char).map_or(Trust::Never, |kind| self.trust[kind as usize]);
                let is_open = trust == Trust::Margin;
                if trust == Trust::Exact || (is_open && written - length >= EXACT_SEARCH_BYTES) {
                    let Some(next) = self.added.refuse(text, at, is_open) else {
                        let text = short.map_or(Cow::Borrowed(&text[..at]), Cow::Owned);
                        return Prefix { text, end: at, is_open, left_out };
                    };
                    next_cut = next;
                }
            }
            solid = if is_solid(char) { solid + 1 } else { 0 };
            let is_skipped =
                self.longest_word.is_some_and(|longest| solid > longest + 1 || (is_space(char) && is_space(before)));
            before = char;
            if is_skipped {
                short.get_or_insert_with(|| text[..at].to_owned());
                let so_far = left_out.last().map_or(0, |(_, bytes)| *bytes) + char.len_utf8();
                match left_out.last_mut().filter(|(place, _)| *place == written) {
                    Some((_, bytes)) => *bytes = so_far,
                    None => left_out.push((written, so_far)),
                }
                continue;
            }
            written += char.len_utf8();
            if let Some(short) = &mut short {
                short.push(char);
            }
        }
        match short {
            Some(short) => Prefix { text: Cow::Owned(short), left_out, ..whole },
            None => whole,
        }
    }

    /// Whether any cut is allowed at all.
    pub fn can_cut(&self) -> bool {
        self.trust.iter().any(|trust| *trust != Trust::Never)
    }
}

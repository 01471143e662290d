//! The shortest readable beginning of a text.

use std::borrow::Cow;

use super::boundary::{CUT_KINDS, CutKind, cut_kind, is_solid, is_space};

/// How texts may be shortened for one tokenizer. Everything is off until the self-check has passed.
#[derive(Debug, Clone, Default)]
pub struct PrefixRules {
    /// Which cut kinds leave the tokens before the cut as they are, in the order of [`CUT_KINDS`].
    pub allowed: [bool; CUT_KINDS.len()],
    /// Words of more solid characters are one unknown token, so their rest need not be read, and repeated white space
    /// counts once.
    pub longest_word: Option<usize>,
    /// Tokens that are matched in the text before anything else; a cut must not split one.
    pub added_tokens: Vec<String>,
}

/// A beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Prefix<'t> {
    /// What to tokenize.
    pub text: Cow<'t, str>,
    /// Bytes of the original text that it stands for.
    pub end: usize,
    /// Whether tokens near the end may still change: the cut is inside a run.
    pub is_open: bool,
}

/// How far behind the wished length a real boundary is preferred to a cut inside a run.
const RUN_SEARCH_BYTES: usize = 4096;

impl PrefixRules {
    /// The beginning of at least `length` bytes that ends at an allowed cut, or the whole text.
    pub fn prefix<'t>(&self, text: &'t str, length: usize) -> Prefix<'t> {
        let whole = Prefix { text: Cow::Borrowed(text), end: text.len(), is_open: false };
        if text.len() <= length && self.longest_word.is_none() {
            return whole;
        }
        let mut short: Option<String> = None;
        let mut written = 0;
        let mut solid = 0;
        let mut before = '\0';
        for (at, char) in text.char_indices() {
            if written >= length && at > 0 && self.may_cut(text, at, before, char, written - length) {
                let is_open = cut_kind(before, char) == Some(CutKind::Run);
                let text = short.map_or(Cow::Borrowed(&text[..at]), Cow::Owned);
                return Prefix { text, end: at, is_open };
            }
            solid = if is_solid(char) { solid + 1 } else { 0 };
            let is_skipped =
                self.longest_word.is_some_and(|longest| solid > longest + 1 || (is_space(char) && is_space(before)));
            before = char;
            if is_skipped {
                short.get_or_insert_with(|| text[..at].to_owned());
                continue;
            }
            written += char.len_utf8();
            if let Some(short) = &mut short {
                short.push(char);
            }
        }
        match short {
            Some(short) => Prefix { text: Cow::Owned(short), ..whole },
            None => whole,
        }
    }

    /// Whether any cut kind is allowed at all.
    pub fn can_cut(&self) -> bool {
        self.allowed.contains(&true)
    }

    fn may_cut(&self, text: &str, at: usize, before: char, after: char, beyond: usize) -> bool {
        let Some(kind) = cut_kind(before, after) else { return false };
        (self.allowed[kind as usize])
            && (kind != CutKind::Run || beyond >= RUN_SEARCH_BYTES)
            && !self.splits_added_token(text, at)
    }

    /// Whether an added token begins before the cut and ends behind it.
    pub fn splits_added_token(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        self.added_tokens
            .iter()
            .map(String::as_bytes)
            .any(|token| (1..token.len()).any(|inside| at >= inside && bytes[at - inside..].starts_with(token)))
    }
}

//! Added tokens: found in a text before anything else, so a cut must not change where they are found.

use super::normal::Normalization;
use tokenizers::{AddedToken, NormalizedString, Normalizer, NormalizerWrapper, Tokenizer};

/// The added tokens of a tokenizer.
#[derive(Debug, Clone, Default)]
pub struct AddedTokens {
    /// Those that are looked for in the text as it is.
    plain: Vec<AddedToken>,
    /// Those that are looked for in the normalized text, as they are after normalization themselves.
    folded: Vec<AddedToken>,
    normalizer: Option<NormalizerWrapper>,
    /// Characters around a cut in which a normalized token can be seen.
    reach: usize,
}

/// Longer normalized tokens are not looked for: for such a tokenizer nothing is cut.
const LONGEST_FOLDED: usize = 64;

/// Longer tokens would reach into what is kept in front of an open cut.
const LONGEST: usize = 512;

/// Normalization may join some characters at the edges of what is looked at.
const SLACK: usize = 16;

impl AddedTokens {
    /// Those of a tokenizer; `None` if a cut could split one unseen.
    pub fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let normalizer = tokenizer.get_normalizer().cloned();
        let tokens = tokenizer.get_added_tokens_decoder().into_values();
        let (folded, plain): (Vec<_>, Vec<_>) = tokens.partition(|token| token.normalized && normalizer.is_some());
        let folded: Vec<AddedToken> = folded
            .into_iter()
            .map(|token| normalize(normalizer.as_ref(), &token.content).map(|content| AddedToken { content, ..token }))
            .collect::<Option<_>>()?;
        let longest = folded.iter().map(|token| token.content.chars().count()).max().unwrap_or(0);
        let is_plain_seen = plain.iter().all(|token| token.content.len() <= LONGEST);
        let is_seen = is_plain_seen && longest <= LONGEST_FOLDED;
        is_seen.then_some(Self { plain, folded, normalizer, reach: longest + SLACK })
    }

    /// The tokens as they stand in texts, or in normalized texts.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        self.plain.iter().chain(&self.folded).map(|token| token.content.as_str())
    }

    /// Whether every token that is found also stands in the text as it is written.
    pub fn are_seen_in_text(&self, normalization: Normalization) -> bool {
        // The only ASCII characters that composition (NFC) makes of others are these three.
        let is_own = |char: char| char.is_ascii() && !matches!(char, '`' | ';' | 'K');
        let mut characters = self.folded.iter().flat_map(|token| token.content.chars());
        self.folded.is_empty() || (normalization <= Normalization::Composes && characters.all(is_own))
    }

    /// Whether a token that is found only after normalization takes the white space beside it with it.
    pub fn has_folded_stripping(&self) -> bool {
        self.folded.iter().any(|token| token.lstrip || token.rstrip)
    }

    /// Tokens that take the white space beside them with them.
    pub fn stripping(&self) -> impl Iterator<Item = &str> {
        let tokens = self.plain.iter().chain(&self.folded);
        tokens.filter(|token| token.lstrip || token.rstrip).map(|token| token.content.as_str())
    }

    /// Where a text may not be cut because a token would change, the next place to try. No added token may stand on both
    /// sides, take the white space at the cut with it, or depend on the character behind the cut. An open cut, whose
    /// last tokens are not kept, is only refused for white space that a token at it or behind it may take.
    pub fn refuse(&self, text: &str, at: usize, is_open: bool) -> Option<usize> {
        let (before, after) = text.split_at(at);
        if self.plain.iter().any(|token| (!is_open || token.lstrip) && is_split(token, before, after)) {
            return Some(at + 1);
        }
        if self.plain.iter().any(|token| token.lstrip || token.rstrip) && before.ends_with(char::is_whitespace) {
            let word = after.trim_start();
            let word_at = text.len() - word.len();
            if self.plain.iter().any(|token| token.lstrip && word.starts_with(&token.content)) {
                return Some(word_at + 1);
            }
            let head = before.trim_end();
            if word_at > at && self.plain.iter().any(|token| token.rstrip && head.ends_with(&token.content)) {
                return Some(word_at);
            }
        }
        let is_seen_far = is_open && !self.folded.iter().any(|token| token.lstrip);
        if !self.folded.is_empty() && !is_seen_far && self.may_hide(before, after) {
            return Some(at + 1);
        }
        None
    }

    /// The same for normalized tokens, told from the normalized text around the cut.
    fn may_hide(&self, before: &str, after: &str) -> bool {
        let from = before.char_indices().rev().nth(self.reach).map_or(0, |(at, _)| at);
        let to = after.char_indices().nth(self.reach).map_or(after.len(), |(at, _)| at);
        let normalizer = self.normalizer.as_ref();
        let (Some(left), Some(right)) = (normalize(normalizer, &before[from..]), normalize(normalizer, &after[..to]))
        else {
            return true;
        };
        let needed = self.reach - SLACK;
        let is_short = |seen: &str, is_all: bool| !is_all && seen.chars().count() < needed;
        if is_short(&left, from == 0) || is_short(&right, to == after.len()) {
            return true;
        }
        let word = right.trim_start();
        let head = left.trim_end();
        let takes_space = |token: &AddedToken| {
            let is_before = word.is_empty() || word.starts_with(&token.content);
            let is_behind =
                right.starts_with(char::is_whitespace) && (head.is_empty() || head.ends_with(&token.content));
            left.ends_with(char::is_whitespace) && ((token.lstrip && is_before) || (token.rstrip && is_behind))
        };
        self.folded.iter().any(|token| is_split(token, &left, &right) || takes_space(token))
    }
}

/// Whether a token begins before a cut and ends behind it, or ends at it and depends on what follows.
fn is_split(token: &AddedToken, before: &str, after: &str) -> bool {
    let content = token.content.as_str();
    let crosses = content.char_indices().skip(1).any(|(inside, _)| {
        let (head, tail) = content.split_at(inside);
        after.starts_with(tail) && before.ends_with(head)
    });
    crosses
        || (before.ends_with(content)
            && (token.single_word || (token.rstrip && after.starts_with(char::is_whitespace))))
}

fn normalize(normalizer: Option<&NormalizerWrapper>, text: &str) -> Option<String> {
    let mut written = NormalizedString::from(text);
    if let Some(normalizer) = normalizer {
        normalizer.normalize(&mut written).ok()?;
    }
    Some(written.get().to_owned())
}

//! The self-check of a tokenizer: which ways to shorten a text leave its tokens as they are.

use tokenizers::{Encoding, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use super::boundary::{CUT_KINDS, CutKind, cut_kind, is_solid};
use super::prefix::PrefixRules;
use super::words::WordMemo;

/// Texts that hold every cut kind next to every class of character.
const PROBES: &[&str] = &[
    "The quick brown fox, who (really) jumps over 13 lazy dogs. \"Why?\" it's a-ok; e.g. 3.14!",
    "hello  world\t\tnew   line\r\n\r\nend\u{a0}x\u{3000}y \u{2009} z ",
    "...wait--what?!?! ((nested)) [[x]] {{y}} <a href='b'>c</a> a_b__c **bold** `code` #1 @me $5.00 %x ^y ~z|",
    "price €5 £6 x€y ™a a™ ©2026 1½ x²+y³=z a→b ∑i±1 🙂🙂 a🙂b 👩‍👩‍👧‍👦! e\u{301}\u{323}! a\u{308}b ﬁne",
    "中文字符和English混合，标点。日本語のテキスト、カタカナ한국어 텍스트 漢字kana漢 1中2文",
    "Ünïcödé naïve Straße ΣΊΣΥΦΟΣ İstanbul привет мир שלום עולם مرحبا بالعالم नमस्ते दुनिया ไทยภาษา",
    "https://example.com/path?query=1&b=2#frag user@example.org 192.168.0.1 C:\\dir\\file.txt x=1;y=[2];",
    "a\u{200d}b a\u{200b}b a\u{ad}b a\u{0}b \u{feff}bom x\u{85}y x\u{c}y",
    // Short ones, whose words no tokenizer gives up on.
    "a b",
    "a  b",
    "a.b",
    "a..b",
    "a中b",
    "a+b",
    "a€b",
    "hello world",
    "[CLS] in [MASK] text [SEP], <s> and </s> <|endoftext|> [UNK]",
];

/// Letters and digits without a boundary, longer than any piece.
const RUN_PROBES: &[&str] = &["abcdefghij0123456789", "aaaaaaaaaa", "xyzzy1", "0123456789"];

/// Tokens that end this many characters before a cut inside a run are final.
pub const RUN_MARGIN: usize = 1024;

/// Finds the rules that hold for a tokenizer.
pub fn check(tokenizer: &Tokenizer) -> PrefixRules {
    let added_tokens: Vec<String> =
        tokenizer.get_added_tokens_decoder().values().map(|token| token.content.clone()).collect();
    let mut rules = PrefixRules { added_tokens, ..PrefixRules::default() };
    if has_hidden_tokens(tokenizer) {
        return rules;
    }
    for kind in CUT_KINDS {
        rules.allowed[kind as usize] = match kind {
            CutKind::Run => tokenizer.get_normalizer().is_none() && run_holds(tokenizer),
            kind => PROBES.iter().all(|text| cuts_hold(tokenizer, &rules, text, kind)),
        };
    }
    rules.longest_word = longest_word(tokenizer).filter(|longest| shortening_holds(tokenizer, &rules, *longest));
    rules
}

/// Whether an added token is matched in the normalized text, where a cut cannot see that it would split it.
fn has_hidden_tokens(tokenizer: &Tokenizer) -> bool {
    let added = tokenizer.get_added_tokens_decoder();
    added.values().any(|token| token.normalized && !token.content.chars().all(is_solid))
}

/// A memo of words, for the tokenizers whose words do not influence each other.
pub fn word_memo(tokenizer: &Tokenizer, rules: &PrefixRules) -> Option<WordMemo> {
    rules.longest_word?;
    if tokenizer.get_added_tokens_decoder().values().any(|token| token.normalized) {
        return None;
    }
    let memo = WordMemo::new(rules.added_tokens.clone());
    let is_right = |text: &&str| memo.ids(tokenizer, text).is_none_or(|found| Some(found) == ids(tokenizer, text));
    PROBES.iter().all(is_right).then_some(memo)
}

/// Whether every cut of the kind in the text leaves the tokens before it as they are.
fn cuts_hold(tokenizer: &Tokenizer, rules: &PrefixRules, text: &str, kind: CutKind) -> bool {
    let Some(whole) = ids(tokenizer, text) else { return false };
    let pairs = text.char_indices().zip(text.chars().skip(1));
    pairs
        .filter(|((_, before), after)| cut_kind(*before, *after) == Some(kind))
        .map(|((at, before), _)| at + before.len_utf8())
        .filter(|at| !rules.splits_added_token(text, *at))
        .all(|at| ids(tokenizer, &text[..at]).is_some_and(|part| whole.starts_with(&part)))
}

fn run_holds(tokenizer: &Tokenizer) -> bool {
    RUN_PROBES.iter().all(|seed| {
        let text = seed.repeat(3 * RUN_MARGIN / seed.len());
        let Some(whole) = ids(tokenizer, &text) else { return false };
        (2 * RUN_MARGIN..2 * RUN_MARGIN + 64)
            .all(|cut| closed_ids(tokenizer, &text[..cut]).is_some_and(|part| whole.starts_with(&part)))
    })
}

/// The ids of tokens that end well before the end of a text that was cut inside a run.
pub fn closed_ids(tokenizer: &Tokenizer, text: &str) -> Option<Vec<u32>> {
    let encoding = tokenizer.encode(text, false).ok()?;
    Some(encoding.get_ids()[..closed_tokens(&encoding, text)].to_vec())
}

/// How many tokens end well before the end of a text that was cut inside a run.
pub fn closed_tokens(encoding: &Encoding, text: &str) -> usize {
    let limit = text.char_indices().rev().nth(RUN_MARGIN).map_or(0, |(at, _)| at);
    encoding.get_offsets().iter().take_while(|(_, end)| *end <= limit).count()
}

/// The longest word that WordPiece looks up; a longer one is one unknown token whatever it holds.
fn longest_word(tokenizer: &Tokenizer) -> Option<usize> {
    let tokenizers::ModelWrapper::WordPiece(model) = tokenizer.get_model() else { return None };
    let is_bert = matches!(tokenizer.get_pre_tokenizer(), Some(PreTokenizerWrapper::BertPreTokenizer(_)))
        && matches!(tokenizer.get_normalizer(), None | Some(NormalizerWrapper::BertNormalizer(_)));
    // An added token made of letters alone could hide in the part of a word that is not read, and one made of several
    // words would make the words of a text more than its tokens.
    let added_hide = tokenizer.get_added_tokens_decoder().values().any(|token| {
        let words = token.content.split(|char| !is_solid(char)).filter(|word| !word.is_empty()).count();
        words > 1 || token.content.chars().all(is_solid) || token.content.chars().any(char::is_whitespace)
    });
    (is_bert && !added_hide).then_some(model.max_input_chars_per_word)
}

fn shortening_holds(tokenizer: &Tokenizer, rules: &PrefixRules, longest: usize) -> bool {
    let rules = PrefixRules { longest_word: Some(longest), ..rules.clone() };
    let word = |length: usize| "abcdefgh1".repeat(length / 9 + 1)[..length].to_owned();
    let mut probes: Vec<String> = PROBES.iter().map(|text| (*text).to_owned()).collect();
    for length in [longest - 1, longest, longest + 1, longest + 2, 4 * longest] {
        probes.push(format!("{} tail", word(length)));
        probes.push(format!("head {}é\u{301}{}[SEP]{}", word(length), word(longest), word(length)));
        probes.push(format!("{}{}", "é".repeat(length), "ж".repeat(length)));
    }
    probes.iter().all(|text| ids(tokenizer, text) == ids(tokenizer, &rules.prefix(text, text.len()).text))
}

fn ids(tokenizer: &Tokenizer, text: &str) -> Option<Vec<u32>> {
    tokenizer.encode_fast(text, false).ok().map(|encoding| encoding.get_ids().to_vec())
}

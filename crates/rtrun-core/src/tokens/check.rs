//! The self-check of a tokenizer: which ways to shorten a text leave its tokens as they are.

use tokenizers::{Encoding, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use super::added::AddedTokens;
use super::boundary::{CUT_KINDS, CutKind, cut_kind, is_solid};
use super::normal::{Normalization, normalization};
use super::pieces::{Search, search, spanned};
use super::prefix::{PrefixRules, Trust};
use super::words::{SpannedTokens, WordMemo, Words, word_tokens};

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
    // Characters that few vocabularies have: what is unknown may become one token.
    "⸘⸙\n⸘\u{3000}🜀🜁 🜂\u{2a701}\u{2a702}⸙.\n\n🜀.",
    "[CLS] in [MASK] text [SEP], <s> and </s> <|endoftext|> [UNK]",
];

/// Stretches that are repeated, per kind of the cuts inside of them.
const RUN_SEEDS: [&[&str]; CUT_KINDS.len()] = [
    &["hello world ", "a ", "don't stop. ", "привет мир "],
    &[" ", "\n", "\r\n \t ", "   x"],
    &["a.", "x, ", "e.g.(a)"],
    &[".", "-", "!?", "。", "=#"],
    &["🙂", "€+", "a→b", "™"],
    &["中", "漢字日本語", "中a1", "哈哈"],
    &["abcdefghij0123456789", "aaaaaaaaaa", "xyzzy1", "0123456789", "привет", "カタカナ"],
];

/// Where the repeated stretches are cut, in characters behind the margin.
const RUN_CUTS: [usize; 9] = [128, 129, 130, 131, 132, 133, 135, 136, 151];

/// Tokens that end this many characters before an open cut are final.
pub const RUN_MARGIN: usize = 1024;

/// The rules that hold for a tokenizer.
#[derive(Debug, Default)]
pub struct Checked {
    /// For ids alone.
    pub rules: PrefixRules,
    /// For ids and places.
    pub placed: PrefixRules,
}

/// Finds the rules that hold for a tokenizer: what its vocabulary allows and its probes confirm.
pub fn check(tokenizer: &Tokenizer) -> Checked {
    let Some(added) = AddedTokens::of(tokenizer) else { return Checked::default() };
    let mut rules = PrefixRules { added, ..PrefixRules::default() };
    let mut placed = rules.clone();
    let spanned = spanned(tokenizer);
    let mut probes = Probes::read(tokenizer);
    for kind in CUT_KINDS {
        let may_be_open = search(tokenizer) == Search::Merges
            && match normalization(tokenizer).0 {
                Normalization::Keeps | Normalization::Composes => true,
                Normalization::Folds => kind != CutKind::Run,
                Normalization::Unknown => false,
            };
        let [exact, exactly_placed] =
            if spanned[kind as usize] { [false; 2] } else { probes.cuts_hold(&rules.added, kind) };
        let [open, openly_placed] =
            if may_be_open && !(exact && exactly_placed) { margin_holds(tokenizer, kind) } else { [false; 2] };
        rules.trust[kind as usize] = trust(exact, open);
        placed.trust[kind as usize] = trust(exactly_placed, openly_placed);
    }
    if let Some(longest) = longest_word(tokenizer) {
        let [holds, holds_placed] = shortening_holds(tokenizer, &rules, longest);
        rules.longest_word = holds.then_some(longest);
        placed.longest_word = holds_placed.then_some(longest);
    }
    Checked { rules, placed }
}

fn trust(is_exact: bool, is_open: bool) -> Trust {
    match (is_exact, is_open) {
        (true, _) => Trust::Exact,
        (_, true) => Trust::Margin,
        _ => Trust::Never,
    }
}

/// The probes with their encodings.
struct Probes<'t> {
    tokenizer: &'t Tokenizer,
    whole: Vec<(&'static str, Option<Encoding>)>,
}

impl<'t> Probes<'t> {
    fn read(tokenizer: &'t Tokenizer) -> Self {
        let whole = PROBES.iter().map(|text| (*text, tokenizer.encode(*text, false).ok())).collect();
        Self { tokenizer, whole }
    }

    /// Whether every cut of the kind leaves the ids before it, and their places, as they are.
    fn cuts_hold(&mut self, added: &AddedTokens, kind: CutKind) -> [bool; 2] {
        let mut holds = [true; 2];
        for (text, whole) in &self.whole {
            let Some(whole) = whole else { return [false; 2] };
            let pairs = text.char_indices().zip(text.chars().skip(1));
            let cuts = pairs
                .filter(|((_, before), after)| cut_kind(*before, *after) == Some(kind))
                .map(|((at, before), _)| at + before.len_utf8())
                .filter(|at| added.refuse(text, *at, false).is_none());
            for at in cuts {
                let Ok(part) = self.tokenizer.encode(&text[..at], false) else { return [false; 2] };
                let found = begins_with(whole, &part, part.len());
                holds = [holds[0] && found[0], holds[1] && found[1]];
            }
        }
        holds
    }
}

/// Whether the first tokens of an encoding are those of another, by their ids, and by their places too.
fn begins_with(whole: &Encoding, part: &Encoding, tokens: usize) -> [bool; 2] {
    let ids = whole.get_ids().starts_with(&part.get_ids()[..tokens]);
    [ids, ids && whole.get_offsets().starts_with(&part.get_offsets()[..tokens])]
}

/// Whether tokens well before a cut inside a long stretch stay as they are, and their places.
fn margin_holds(tokenizer: &Tokenizer, kind: CutKind) -> [bool; 2] {
    let mut holds = [true; 2];
    for seed in RUN_SEEDS[kind as usize] {
        let text = seed.repeat((RUN_MARGIN + 256) / seed.chars().count() + 1);
        let Ok(whole) = tokenizer.encode(text.as_str(), false) else { return [false; 2] };
        for cut in RUN_CUTS {
            let Some((at, _)) = text.char_indices().nth(RUN_MARGIN + cut) else { return [false; 2] };
            let Ok(part) = tokenizer.encode(&text[..at], false) else { return [false; 2] };
            let found = begins_with(&whole, &part, closed_tokens(&part, &text[..at]));
            holds = [holds[0] && found[0], holds[1] && found[1]];
        }
        if !holds[0] {
            return holds;
        }
    }
    holds
}

/// The ids of tokens that end well before the end of a text that was cut at an open place.
pub fn closed_ids(tokenizer: &Tokenizer, text: &str) -> Option<Vec<u32>> {
    let encoding = tokenizer.encode(text, false).ok()?;
    Some(encoding.get_ids()[..closed_tokens(&encoding, text)].to_vec())
}

/// How many tokens end well before the end of a text that was cut at an open place.
pub fn closed_tokens(encoding: &Encoding, text: &str) -> usize {
    let limit = text.char_indices().rev().nth(RUN_MARGIN).map_or(0, |(at, _)| at);
    encoding.get_offsets().iter().take_while(|(_, end)| *end <= limit).count()
}

/// A memo of words, and whether its tokens stand where those of the whole text do.
#[derive(Debug)]
pub struct CheckedMemo {
    memo: WordMemo,
    has_places: bool,
}

impl CheckedMemo {
    /// That of all tokens, `with_places` only if these are right.
    pub fn tokens(&self, tokenizer: &Tokenizer, text: &str, with_places: bool) -> Option<SpannedTokens> {
        if with_places && !self.has_places { None } else { self.memo.tokens(text, |word| word_tokens(tokenizer, word)) }
    }
}

/// A memo of words, for the tokenizers whose words do not influence each other.
pub fn word_memo(tokenizer: &Tokenizer, rules: &PrefixRules) -> Option<CheckedMemo> {
    let kind = if rules.longest_word.is_some() {
        Words::Bert
    } else if rules.trust[CutKind::Space as usize] == Trust::Exact {
        Words::Spaced
    } else {
        return None;
    };
    if !rules.added.are_seen_in_text(normalization(tokenizer).0) {
        return None;
    }
    let memo = WordMemo::new(kind, rules.added.contents().map(str::to_owned).collect());
    let mut has_places = true;
    for text in PROBES {
        let Some(found) = memo.tokens(text, |word| word_tokens(tokenizer, word)) else { continue };
        let whole = tokenizer.encode(*text, false).ok()?;
        if found.ids != whole.get_ids() {
            return None;
        }
        has_places &= found.offsets == whole.get_offsets();
    }
    Some(CheckedMemo { memo, has_places })
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

/// Whether texts without what their tokens do not depend on have the same ids, and the same places.
fn shortening_holds(tokenizer: &Tokenizer, rules: &PrefixRules, longest: usize) -> [bool; 2] {
    let rules = PrefixRules { longest_word: Some(longest), ..rules.clone() };
    let word = |length: usize| "abcdefgh1".repeat(length / 9 + 1)[..length].to_owned();
    let mut probes: Vec<String> = PROBES.iter().map(|text| (*text).to_owned()).collect();
    for length in [longest - 1, longest, longest + 1, longest + 2, 4 * longest] {
        probes.push(format!("{} tail", word(length)));
        probes.push(format!("head {}é\u{301}{}[SEP]{}", word(length), word(longest), word(length)));
        probes.push(format!("{}{}", "é".repeat(length), "ж".repeat(length)));
        probes.push(format!("  a \n\n {}.  中   {}", word(length), word(longest)));
    }
    let mut holds = [true; 2];
    for text in &probes {
        let prefix = rules.prefix(text, text.len());
        let encodings = (tokenizer.encode(text.as_str(), false), tokenizer.encode(&*prefix.text, false));
        let (Ok(whole), Ok(short)) = encodings else { return [false; 2] };
        let places = short.get_offsets().iter().map(|(start, end)| (prefix.original(*start), prefix.original(*end)));
        holds[0] &= whole.get_ids() == short.get_ids();
        holds[1] &= holds[0] && places.eq(whole.get_offsets().iter().copied());
    }
    holds
}
